"""What a Codex rollout goes on from without repeating it: beginnings of other rollouts, the oldest first."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from prune_mcp.sessions.codex.header import Header, header_of
from prune_mcp.sessions.codex.lines import line_of
from prune_mcp.sessions.codex.places import find_rollout, home_of
from prune_mcp.sessions.jsontext import loads
from prune_mcp.sessions.model import SessionError
from prune_mcp.sessions.tail import CHUNK, Tail


class Beginning(NamedTuple):
    """The beginning of a rollout: the bytes of it before `end`, or the lines with ordinals before `ordinal`.

    `seed`: see `Stretch`."""

    path: Path
    seed: str
    end: int | None
    ordinal: int | None

    def lines(self) -> Iterator[tuple[int, bytes]]:
        """(offset, line) of each line.

        Raises:
            SessionError: it cannot be read.
        """
        tail = Tail(self.path)
        with tail.open() as file:
            for offset, line in tail.lines(file, CHUNK):
                if self.end is not None and offset >= self.end:
                    return
                if self.end is None and self.ordinal is not None and _ordinal(line) >= self.ordinal:
                    return
                yield offset, line


def lineage(path: Path, base: Any) -> list[Beginning] | None:
    """The beginnings that a rollout goes on from whose header has `base` as its `history_base`; None where one of
    them is not there any more."""
    home = home_of(path)
    found: list[Beginning] = []
    seen: set[str] = set()
    while isinstance(base, dict):
        id = base.get("thread_id")
        above = find_rollout(home, id) if home and isinstance(id, str) and id not in seen else None
        if above is None:
            return None
        seen.add(str(id))
        header = _header(above)
        end, ordinal = _count(base, "end_byte_offset"), _count(base, "end_ordinal_exclusive")
        found.append(Beginning(above, header.seed if header else "", end, ordinal))
        base = header.base if header else None
    return found[::-1]


def _header(path: Path) -> Header | None:
    """The header of a rollout."""
    tail = Tail(path)
    try:
        with tail.open() as file:
            first = loads(next((line for _, line in tail.lines(file, CHUNK)), b""))
    except (SessionError, ValueError):
        return None
    line = line_of(first) if isinstance(first, dict) else None
    return header_of(line) if line and line.kind == "session_meta" else None


def _count(base: dict[str, Any], field: str) -> int | None:
    value = base.get(field)
    return value if type(value) is int else None


def _ordinal(line: bytes) -> int:
    try:
        value = loads(line)
    except ValueError:
        return -1
    ordinal = value.get("ordinal") if isinstance(value, dict) else None
    return ordinal if type(ordinal) is int else -1
