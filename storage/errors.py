"""What can go wrong in the store; each message says what was wrong, where, and what to do."""

from __future__ import annotations

# What to do about a store that cannot be used.
MOVE = "It was left as it is: move it away to start with an empty store, or put a good copy in its place."


class StoreError(Exception):
    """The store cannot be read or written."""


class StoreNewer(StoreError):
    """The store was written by a newer version; nothing is read or written."""


class StoreFull(StoreError):
    """The disk or the quota is full; nothing of this write was kept, everything before it is."""


class StoreBusy(StoreError):
    """Another process kept the store locked for too long; nothing of this write was kept."""


class BodyDamaged(StoreError):
    """A kept body is missing or differs from what was stored; `where` it should be, and the `reason`."""

    def __init__(self, message: str, where: str = "", reason: str = "") -> None:
        super().__init__(message)
        self.where = where
        self.reason = reason


class BodyReleased(BodyDamaged):
    """A body was given up on purpose to free space; pruning its session again keeps it anew."""
