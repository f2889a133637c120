"""The files that the entries of a Codex session stand in, and the ids that follow from all that stands before."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from prune_mcp.sessions.content import compact_json
from prune_mcp.sessions.model import Entry


class Stretch(NamedTuple):
    """Entries of one file, from `first` on. `path`: the file, None for the session's own. `seed`: what sets their
    ids apart from those of a file that begins alike."""

    first: int
    path: Path | None
    seed: str


class Sources:
    """Stretches of entries one after another; `entries` are those of the session."""

    def __init__(self, entries: Sequence[Entry]) -> None:
        self._entries = entries
        self._stretches: list[Stretch] = [Stretch(0, None, "")]
        self._latest = -1, ""

    def begin(self, path: Path | None, seed: str) -> None:
        """The entries that come next stand in another file."""
        self._stretches.append(Stretch(len(self._entries), path, seed))

    def path(self, entry: int) -> Path | None:
        """The file that an entry stands in, None for the session's own."""
        return next(each.path for each in reversed(self._stretches) if each.first <= entry)

    def id(self, entry: int, payload: dict[str, Any]) -> str:
        """The id of an entry with this payload at this index: 16 hex digits."""
        told = blake2b(self.before(entry).encode("utf-8", "surrogatepass"), digest_size=8)
        try:
            told.update(orjson.dumps(payload))
        except TypeError:
            # Lone surrogates, integers over 64 bits.
            told.update(compact_json(payload).encode("utf-8", "surrogatepass"))
        return told.hexdigest()

    def next_id(self, payload: dict[str, Any]) -> str:
        """The id of the entry that comes next."""
        index = len(self._entries)
        self._latest = index, self.id(index, payload)
        return self._latest[1]

    def before(self, entry: int) -> str:
        """What the id of an entry goes on from: the id before it, or the seed of the stretch that it begins."""
        for each in reversed(self._stretches):
            if each.first == entry:
                return each.seed
        latest, id = self._latest
        return id if latest == entry - 1 else self._entries[entry - 1].id
