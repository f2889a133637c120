"""What an import did: what is kept now, and what is not, with where and why."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Fault:
    """Where something is wrong, and what."""

    where: str
    why: str


@dataclass(slots=True)
class ImportReport:
    """What an import did, counted in conversations; those unchanged were kept before.

    `bad`: what should be a conversation and could not be kept, and files that could not be read to their end.
    `flawed`: kept, though something in them could not be read. `passed_over`: files without any conversation.
    `remembered`: conversations that had been forgotten, and are found again.
    """

    added: int = 0
    updated: int = 0
    unchanged: int = 0
    remembered: int = 0
    bad: list[Fault] = field(default_factory=list)
    flawed: list[Fault] = field(default_factory=list)
    passed_over: list[Fault] = field(default_factory=list)

    @property
    def kept(self) -> int:
        """How many conversations of the export are kept now."""
        return self.added + self.updated + self.unchanged
