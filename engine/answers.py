"""What the engine answers; `server/` shapes these for MCP and the terminal."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

Effect = Literal["applied", "at_next_compaction", "advisory"]


@dataclass(slots=True)
class PruneAnswer:
    """What one prune did. Token figures are estimates by the one estimator.

    `why`: one word or two for the effect (`messages-returned`, `no-lever`, `thinking-bound`, `nothing-to-prune`,
    `dry-run`). `refs`: every ref shown in the view, in order (`t5`, `b2`). `outcomes`: one dict per step that
    decided something, with `step`, `reason` and its numbers. `break_even_requests`: later requests until the
    edit has paid for re-writing the cached rest (None: nothing was saved). `messages`: the pruned messages, in
    the shape they came in (None for transcripts unless asked for).
    """

    effect: Effect
    why: str
    host: str
    session: str
    tokens_before: int
    tokens_after: int
    break_even_requests: float | None
    refs: list[str] = field(default_factory=list)
    outcomes: list[dict[str, Any]] = field(default_factory=list)
    summary: str = ""
    next_steps: list[str] = field(default_factory=list)
    diagnostics: list[dict[str, Any]] = field(default_factory=list)
    messages: Any = None


@dataclass(slots=True)
class Recovered:
    """One recovered item: what was asked for, what it is, and the text (exact, maybe with lone surrogates).

    `start` and `end` are character offsets of `text` in the whole (`total` characters) where it is one
    contiguous page, else None (lines picked by range or pattern). `sha` is the hex sha256 of the whole.
    """

    ref: str
    session: str
    tool: str
    key: str
    status: str
    total: int
    sha: str
    text: str
    start: int | None = None
    end: int | None = None
    lines: str = ""
    note: str = ""
    images: list[tuple[str, str]] = field(default_factory=list)


@dataclass(slots=True)
class RecoverAnswer:
    """Recovered items in the order asked, refs that are not known (with near ones), and a cursor for the rest."""

    items: list[Recovered] = field(default_factory=list)
    unknown: dict[str, list[str]] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    cursor: str | None = None


@dataclass(slots=True)
class TreeRow:
    """One row of the tree: a flush, a block, or an output under it. Sizes in characters, savings in tokens."""

    depth: int
    ref: str
    label: str
    status: str
    chars: int
    lines: int
    saved: int


@dataclass(slots=True)
class TreeAnswer:
    """The tree of what was pruned in one session."""

    session: str
    title: str
    rows: list[TreeRow] = field(default_factory=list)
    outputs: int = 0
    pruned: int = 0
    saved: int = 0
    notes: list[str] = field(default_factory=list)
    cursor: str | None = None


class EngineError(Exception):
    """The request cannot be served; the message says what was wrong and what to do."""


class RequestWrong(EngineError):
    """A request that would mean nothing whatever was archived, such as lines that are no range."""


class UnknownRef(EngineError):
    """None of the refs asked for is known."""


class AmbiguousRef(EngineError):
    """A bare ref that several sessions could mean."""
