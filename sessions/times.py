"""Times as hosts write them, in seconds since the epoch."""

from __future__ import annotations

from datetime import UTC, datetime

# A day from the ends of what a date can tell, so that every zone can tell it.
EARLIEST = datetime(1, 1, 2, tzinfo=UTC).timestamp()
LATEST = datetime(9999, 12, 30, tzinfo=UTC).timestamp()


def seconds(time: object) -> float:
    """An ISO 8601 time in seconds since the epoch, 0.0 for what is none; without a zone it is UTC."""
    if not isinstance(time, str):
        return 0.0
    try:
        moment = datetime.fromisoformat(time)
        found = (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        return 0.0
    return found if EARLIEST <= found <= LATEST else 0.0
