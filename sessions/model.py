"""The conversation model that every reader produces and that pruning decides over.

A source (a transcript on disk, or messages passed in) is a list of raw *entries*. The messages that the
model sees are built from them: one `Message` may stand in several entries (hosts split one response over
several lines). A `Block` is one piece of a message and knows the entry it stands in, so that what is
rendered goes back out in the format it came in. Texts are fetched on demand: a long transcript is never
held in memory.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

if TYPE_CHECKING:
    from prune_mcp.sessions.view import View

Role = Literal["user", "assistant", "system"]
BlockKind = Literal["text", "thinking", "call", "result", "image", "other"]
Format = Literal[
    "claude-code", "codex", "gemini", "opencode", "pi", "claude.ai", "chatgpt", "mini-swe-agent", "swe-agent",
    "anthropic", "openai-chat", "openai-responses",
]  # fmt: skip


class Place(NamedTuple):
    """Where a block stands: the raw entry's index, and the position in its content (-1: the whole content)."""

    entry: int
    at: int


@dataclass(slots=True)
class Entry:
    """One raw entry: a line of a transcript (offset and length in bytes) or a message passed in (offset -1)."""

    index: int
    id: str
    offset: int = -1
    length: int = 0
    parent: str | None = None
    time: str | None = None


@dataclass(slots=True)
class Block:
    """One piece of a message.

    `size` is the model-visible text in UTF-8 bytes (for a call: its arguments as compact JSON and its name),
    `chars` the same in characters. `signed` marks thinking that the provider binds to its exact prefix.
    """

    kind: BlockKind
    place: Place
    size: int = 0
    chars: int = 0
    images: int = 0
    call_id: str = ""
    tool: str = ""
    error: bool = False
    signed: bool = False


@dataclass(slots=True)
class Message:
    """One message as the model sees it, in order; tool results stand in messages of role `user`.

    `prompt`: something the person (or the host in their place) asked, which opens an exchange.
    `summary`: a compaction summary. `stop`: the host's stop reason (`error` and `aborted` matter).
    """

    role: Role
    id: str
    blocks: list[Block] = field(default_factory=list)
    prompt: bool = False
    summary: bool = False
    stop: str = ""

    @property
    def calls(self) -> list[Block]:
        """The tool calls of this message, in order."""
        return [b for b in self.blocks if b.kind == "call"]

    @property
    def results(self) -> list[Block]:
        """The tool results of this message, in order."""
        return [b for b in self.blocks if b.kind == "result"]


class Conversation(ABC):
    """A session as read: raw entries, the messages now in the model's context, and what was skipped.

    `messages` holds the active branch after the latest compaction. `archive` holds every result block of the
    source in file order, also those of abandoned branches and from before a compaction. `skipped` counts
    damage by kind. `parent`: the session this one is a subagent of, was forked or resumed from; "" for none.
    `subagent`: whether its file says that another session's agent asked for it.
    """

    format: Format
    session: str
    host: str = ""
    cwd: str = ""
    title: str = ""
    parent: str = ""
    subagent: bool = False
    path: str = ""
    entries: Sequence[Entry]
    messages: Sequence[Message]
    skipped: Counter[str]

    @abstractmethod
    def archive(self, since: int = 0) -> list[Block]:
        """Every tool result of the source in file order, from the `since`-th on."""

    def called(self, result: Block) -> Block | None:
        """The call that a result of the archive answers, also where neither is in the context; else None."""
        return None

    @abstractmethod
    def raw(self, entry: int) -> Any:
        """The parsed raw entry, with every unknown field; for messages passed in, the object itself.

        Raises:
            SourceChanged: the transcript no longer holds this entry.
        """

    @abstractmethod
    def text(self, block: Block) -> str:
        """The block's visible text; of a call, its arguments as compact JSON; of a result, its text parts
        joined by one newline, where parts that are neither text nor image stand as compact JSON."""

    @abstractmethod
    def arguments(self, block: Block) -> Any:
        """The arguments of a call, as the host recorded them (a JSON value; a string where it is no JSON)."""

    @abstractmethod
    def images(self, block: Block) -> list[tuple[str, str]]:
        """The images of a block as (media type, base64 data)."""

    @abstractmethod
    def render(self, view: View) -> Iterator[Any]:
        """The raw entries of `messages` with the view's edits, in the source's own format, unknown fields
        untouched; the input is never mutated. An empty view yields equal entries."""

    def persisted(self, block: Block) -> str | None:
        """The whole output where the host moved it to a file and left a preview, else None."""
        return None


class SessionError(Exception):
    """A source that cannot be read; the message says what is wrong, where, and what to do."""


class SourceChanged(SessionError):
    """The transcript was truncated or replaced while it was read; read it again."""
