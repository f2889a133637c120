"""A needle: one word that stands in exactly one place of the synthetic home, and what its hit must say."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Needle:
    """A word, and what the one hit for it must tell.

    `session`: the id, or its beginning. `copies`: how many other places the hit names. `flags`: what must be among
    the hit's flags. `hidden`: what must stand in no answer.
    """

    name: str
    word: str
    agent: str
    session: str
    role: str
    tool: str = ""
    time: str = ""
    copies: int = 0
    flags: frozenset[str] = frozenset()
    hidden: tuple[str, ...] = ()


@dataclass
class Needles:
    """The needles of one host or kind of trap, collected while its files are written."""

    agent: str
    found: list[Needle] = field(default_factory=list)

    def put(self, name: str, session: str, role: str, **rest: Any) -> str:
        """A new needle's word, to be written where `name` says."""
        word = f"quokka{self.agent.replace('-', '').replace('.', '')}{name.replace('-', '')}"
        self.found.append(Needle(name, word, self.agent, session, role, **rest))
        return word


def write_lines(path: Path, lines: Iterable[Any]) -> None:
    """Write JSON lines, text as it stands (no escapes), as hosts do."""
    path.parent.mkdir(parents=True, exist_ok=True)
    text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
    path.write_text(text, encoding="utf-8")


def uuid(number: int) -> str:
    """A made-up version 4 uuid, different from its first digits on."""
    head = (number * 2_654_435_761 + 0x1F2E3D4C) % (1 << 32)
    return f"{head:08x}-{number % 65536:04x}-4abc-8def-{number:012x}"


def clock(minute: int) -> str:
    """A time of day of the made-up day, as hosts write it."""
    return f"2026-02-03T{8 + minute // 60:02d}:{minute % 60:02d}:00.000Z"
