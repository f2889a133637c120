"""What is kept of a reading, so that a later one can begin where it ended."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from prune_mcp.sessions.footing import Footing, packed, unpacked
from prune_mcp.sessions.seam import Seam

VERSION = 1


@dataclass(frozen=True, slots=True)
class Bookmark:
    """Where to begin, and all that matters from before.

    `reader`: what the reader knew. `speech`: what its words depend on. `calls`: those without a result. `time`: of
    the last entry, in seconds since the epoch. `surrogates`: how many passages held some.
    """

    seam: Seam
    footing: Footing
    reader: dict[str, Any]
    speech: Any
    calls: list[tuple[str, str, bool]]
    time: float
    surrogates: int = 0

    def text(self) -> str:
        """The bookmark as JSON, for `Mark.state`."""
        footing = self.footing
        standing = [footing.entries, footing.last, footing.side, footing.group, footing.ties]
        return json.dumps(
            {
                "version": VERSION,
                "seam": self.seam,
                "footing": standing,
                "known": packed(footing.known),
                "reader": self.reader,
                "speech": self.speech,
                "calls": self.calls,
                "time": self.time,
                "surrogates": self.surrogates,
            },
            separators=(",", ":"),
        )


def bookmark(text: str) -> Bookmark | None:
    """The bookmark in a mark's state, or None where it is of another version or damaged."""
    try:
        state = json.loads(text)
        if state["version"] != VERSION:
            return None
        entries, last, side, group, ties = state["footing"]
        return Bookmark(
            Seam(*state["seam"]),
            Footing(entries, last, side, group, ties, unpacked(state["known"])),
            state["reader"],
            state["speech"],
            [tuple(call) for call in state["calls"]],
            state["time"],
            state["surrogates"],
        )
    except (ValueError, KeyError, TypeError):
        return None
