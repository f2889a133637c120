"""What the entries of a Claude Code transcript say, as passages."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from prune_mcp.sessions.claude import asides as claude_asides
from prune_mcp.sessions.claude.asides import Told, line_words
from prune_mcp.sessions.claude.blocks import part_at
from prune_mcp.sessions.claude.fragments import content_of, fragment_of
from prune_mcp.sessions.claude.progress import AGENTS, COMMANDS, Progress
from prune_mcp.sessions.claude.queue import Queue
from prune_mcp.sessions.content import string
from prune_mcp.sessions.fragment import Fragment
from prune_mcp.sessions.model import Block, Entry
from prune_mcp.sessions.passage import Passage, Speaker
from prune_mcp.sessions.readable import part_words, readable, words_of
from prune_mcp.sessions.speech import Speech, aside_id, beside
from prune_mcp.sessions.times import seconds

# A result's preview and its entry: the whole output, where the host moved that away.
Whole = Callable[[str, dict[str, Any]], str]

# The agent that compacts a session is asked by the host, and what it answers is a summary.
COMPACTING = "acompact-"
COMPACTED: dict[Speaker, Speaker] = {"user": "machine", "assistant": "summary"}


class ClaudeSpeech(Speech):
    """`whole` brings the output that a preview stands for, `has_file` tells whether a subagent has a file,
    `summarized` the session of an entry that a summary names: see `summaries.summarized`."""

    snapshots = True

    def __init__(
        self,
        text: Callable[[Block, Any], str],
        arguments: Callable[[Block, Any], Any],
        whole: Whole,
        has_file: Callable[[str], bool],
        summarized: Callable[[str], str | None],
    ) -> None:
        super().__init__(text, arguments)
        self._summarized = summarized
        self._whole = whole
        self._queue = Queue()
        self._progress = Progress(has_file)

    def passages(self, entry: Entry, fragment: Fragment, raw: dict[str, Any], content: Any) -> Iterator[Passage]:
        """See `Speech.passages`."""
        compacts = string(raw.get("agentId")).startswith(COMPACTING)
        for passage in self._passages(entry, fragment, raw, content):
            if compacts:
                passage.role = COMPACTED.get(passage.role, passage.role)
            yield passage

    def _passages(self, entry: Entry, fragment: Fragment, raw: dict[str, Any], content: Any) -> Iterator[Passage]:
        if raw.get("type") == "attachment":
            yield from _numbered(entry.id, -1, claude_asides.attachment_words(raw.get("attachment")))
            return
        for block in fragment.blocks:
            at = block.place.at
            part = part_at(content, at)
            if block.kind == "call":
                yield Passage(entry.id, at, "call", readable(part.get("input")) or block.tool, block.tool)
            elif block.kind == "result":
                text = self._whole(words_of(part.get("content")), raw)
                yield Passage(entry.id, at, "result", text, error=block.error)
            elif block.kind == "other" and (server := _of_server(part)):
                text = part_words(part) if server == "result" else readable(part.get("input"))
                yield Passage(entry.id, at, server, text, string(part.get("name")))
            else:
                yield from _numbered(entry.id, at, _told(fragment, raw, block, part))

    def aside(self, offset: int, raw: dict[str, Any]) -> Iterator[Passage]:
        """See `Speech.aside`."""
        id, time = aside_id(offset), seconds(raw.get("timestamp"))
        if raw.get("type") == "progress":
            told = self._progressing(id, raw.get("data"))
        else:
            told = _numbered(id, -1, self._line_words(raw))
        for passage in told:
            passage.time = time
            yield passage

    def _line_words(self, raw: dict[str, Any]) -> Iterator[Told]:
        """What a line says; a summary of another session is not this one's title."""
        for told in line_words(raw):
            leaf = raw.get("leafUuid") if raw.get("type") == "summary" else None
            session = self._summarized(leaf) if type(leaf) is str else ""
            if session == "":
                yield told
            else:
                of = f"session {session}" if session else "another session"
                yield Told("summary", f"Summary of {of}: {told.text}")

    def _progressing(self, id: str, data: Any) -> Iterator[Passage]:
        """What a tool put out so far, or what its subagent said."""
        kind = data.get("type") if type(data) is dict else None
        if kind in COMMANDS:
            yield Passage(id, -1, "result", string(data.get("fullOutput")) or string(data.get("output")))
        elif kind in AGENTS and type(message := data.get("message")) is dict:
            content = content_of(message)
            if fragment := fragment_of(-1, id, message, content):
                for passage in self.passages(Entry(-1, id), fragment, message, content):
                    passage.side = True
                    yield passage

    def opens(self, fragment: Fragment, raw: dict[str, Any]) -> bool:
        """See `Speech.opens`: what was typed while the model worked stands between calls and their results."""
        return raw.get("type") != "attachment"

    def admit(self, raw: dict[str, Any], passages: list[Passage]) -> list[Passage]:
        """See `Speech.admit`."""
        kind = raw.get("type")
        if kind == "queue-operation":
            self._queue.add(passages)
            return []
        if kind == "progress":
            return self._progress.take(raw, passages)
        if kind == "summary":
            return [passage for passage in passages if self._is_new(passage.text)]
        if kind == "user" or kind == "attachment":
            self._queue.repeated(passages)
            self._progress.answered(raw)
        return passages if kind == "assistant" else super().admit(raw, passages)

    def settle(self) -> list[Passage]:
        """See `Speech.settle`."""
        return self._progress.settle() + self._queue.settle()

    def pending(self) -> list[Passage]:
        """See `Speech.pending`."""
        return self._progress.pending() + self._queue.pending()

    def state(self) -> Any:
        """See `Speech.state`."""
        return [super().state(), self._queue.state()]

    def restore(self, state: Any) -> None:
        """See `Speech.restore`."""
        titled, queue = state
        super().restore(titled)
        self._queue.restore(queue)


def _of_server(part: Any) -> Speaker | None:
    """Whether a part is a call of a tool that the API runs itself, or its result."""
    kind = str(part.get("type")) if type(part) is dict else ""
    if kind.endswith("_tool_use"):
        return "call"
    return "result" if kind.endswith("_tool_result") else None


def _numbered(id: str, at: int, told: Iterator[Told]) -> Iterator[Passage]:
    """Passages of one block; the host's words in the person's own get a place beside it."""
    for number, (role, text, error) in enumerate(told):
        yield Passage(id, beside(at) if number else at, role, text, error=error)


def _told(fragment: Fragment, raw: dict[str, Any], block: Block, part: Any) -> Iterator[Told]:
    """Who says what in a block that is neither a call nor a result."""
    if block.kind == "thinking":
        yield Told("thinking", string(part.get("thinking")))
    elif fragment.summary or raw.get("isCompactSummary") is True:
        yield Told("summary", part_words(part))
    elif raw.get("type") == "assistant":
        yield from _answered(raw, part)
    elif raw.get("type") == "system":
        yield from claude_asides.notice(raw, part_words(part))
    elif claude_asides.is_sent(raw) or raw.get("isVisibleInTranscriptOnly") is True:
        yield Told("machine", part_words(part))
    else:
        yield from claude_asides.told(part_words(part))


def _answered(raw: dict[str, Any], part: Any) -> Iterator[Told]:
    """A text in the model's place: its own, or the client's where the API failed."""
    error = raw.get("isApiErrorMessage") is True
    message = raw.get("message")
    client = error or (type(message) is dict and message.get("model") == "<synthetic>")
    yield Told("machine" if client else "assistant", part_words(part), error)
