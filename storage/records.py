"""What the index store keeps: sessions, archived outputs, blocks, flushes, diagnostics, and what flows."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

OutputState = Literal["whole", "stub", "summary", "alias", "inside", "spill", "superseded"]
BlockKind = Literal["chain", "open", "collapse", "thinking"]


@dataclass(slots=True)
class SessionRecord:
    """A session the store knows. `next_ref` and `next_block` are the numbers given out next.

    `frontier` is the highest ref a flush has decided on: at or below it nothing is reconsidered.
    `parent` is the session whose refs this one inherited (a fork or a resumed copy).
    """

    id: str
    format: str = ""
    host: str = ""
    path: str = ""
    cwd: str = ""
    title: str = ""
    parent: str = ""
    next_ref: int = 1
    next_block: int = 1
    frontier: int = 0
    flushes: int = 0
    updated: str = ""


@dataclass(slots=True)
class Output:
    """One archived tool output: an occurrence, known as `t<ref>` in its session.

    Its identity is (call_id, entry, sha). `sha` names the body: the hex sha256 of the text's UTF-8 bytes (lone
    surrogates passed through); `norm` is the same of the text with line ends and trailing blanks normalised, which
    decides equality. `key` is the call's key argument, short. `state` is what was decided; all but
    `whole` have a `stub`, the exact text that stands for the output in a view (a `summary` is a stub whose words
    are a model's). `other` is the ref an alias or contained read points to (0: none). `flush` is the number of the
    flush that decided (0: none).
    """

    ref: int
    call_id: str
    entry: str
    sha: str
    norm: str = ""
    tool: str = ""
    key: str = ""
    error: bool = False
    chars: int = 0
    size: int = 0
    lines: int = 0
    images: int = 0
    state: OutputState = "whole"
    stub: str = ""
    other: int = 0
    flush: int = 0


@dataclass(slots=True)
class ChainBlock:
    """One compressed span, known as `b<number>`: what stands for several messages in a view.

    `start` is the id of the message it stands after; `end` the id of the message that closes the span and
    stays (empty while the exchange is open: then the span ends with the last of `refs`), of a `collapse` the
    last message of its last exchange. `refs` are the outputs inside, `blocks` earlier blocks it took in. `text` is
    its exact rendered text; `document` the sha of the archived document with everything it replaced. `words` are
    the estimated tokens that it replaced beside the outputs and the earlier blocks (-1: not counted, the document
    tells).
    """

    number: int
    kind: BlockKind
    start: str
    end: str
    text: str
    document: str
    refs: list[int] = field(default_factory=list)
    blocks: list[int] = field(default_factory=list)
    flush: int = 0
    words: int = -1


@dataclass(slots=True)
class Flush:
    """One prune: its number, what was decided and why, in estimated tokens."""

    number: int
    outcomes: list[dict[str, Any]] = field(default_factory=list)
    note: str = ""
    frontier: int = 0
    tokens_before: int = 0
    tokens_after: int = 0
    time: str = ""


@dataclass(slots=True)
class Diagnostic:
    """Something that went wrong without loss; counted once per (kind, key)."""

    kind: str
    key: str
    detail: str
    count: int = 1


@dataclass(frozen=True, slots=True)
class Recoveries:
    """What recoveries brought back into a session's context: how many items, and their estimated tokens."""

    count: int = 0
    tokens: int = 0


@dataclass(frozen=True, slots=True)
class ModelUsage:
    """What one model was asked for a session: calls, failed ones included, the tokens that the provider counted,
    and what it cost in US dollars (0: not told). `model` is its name, `client` where the host's own was asked."""

    model: str
    calls: int = 1
    input_tokens: int = 0
    output_tokens: int = 0
    cost: float = 0.0
