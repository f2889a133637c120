"""What the entries of a pi session say, as passages."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from prune_mcp.sessions.content import string
from prune_mcp.sessions.echoes import runs_us
from prune_mcp.sessions.fragment import Fragment
from prune_mcp.sessions.model import Block, Entry
from prune_mcp.sessions.passage import Passage, Speaker
from prune_mcp.sessions.pi.content import SUMMARIES
from prune_mcp.sessions.readable import part_words, readable, words_of
from prune_mcp.sessions.speech import Speech, aside_id, beside

# Lines that name the session, or a place in it, and where the name stands.
NAMES = {"session_info": "name", "title": "title", "label": "label"}
_SPEAKERS: dict[str, Speaker] = {"user": "user", "assistant": "assistant", **dict.fromkeys(SUMMARIES, "summary")}


class PiSpeech(Speech):
    """What stands under another role than the person's and the model's came from the host or its extensions."""

    def passages(self, entry: Entry, fragment: Fragment, raw: dict[str, Any], content: Any) -> Iterator[Passage]:
        """See `Speech.passages`."""
        message = raw.get("message")
        message = message if type(message) is dict else {}
        if message.get("role") == "bashExecution":
            yield from _command(entry.id, message)
            return
        if raw.get("type") == "context_edit":
            # What stands for an output that was taken out of the context; who reads on may not know which.
            yield Passage(entry.id, -1, "summary", words_of(content))
            return
        speaker = "summary" if fragment.summary else _SPEAKERS.get(string(message.get("role")), "machine")
        for block in fragment.blocks:
            yield _said(entry.id, block, speaker, content)
        yield Passage(entry.id, beside(-1), "machine", string(message.get("errorMessage")), error=True)

    def aside(self, offset: int, raw: dict[str, Any]) -> Iterator[Passage]:
        """See `Speech.aside`."""
        if name := NAMES.get(string(raw.get("type"))):
            yield Passage(aside_id(offset), -1, "title", string(raw.get(name)))


def _said(id: str, block: Block, speaker: Speaker, content: Any) -> Passage:
    at = block.place.at
    if block.kind == "result":
        return Passage(id, at, "result", words_of(content), block.tool, error=block.error)
    part = content if at < 0 else content[at]
    if block.kind == "call":
        return Passage(id, at, "call", readable(part.get("arguments")) or block.tool, block.tool)
    if block.kind == "thinking":
        return Passage(id, at, "thinking", string(part.get("thinking")))
    return Passage(id, at, speaker, part_words(part))


def _command(id: str, message: dict[str, Any]) -> Iterator[Passage]:
    """A command that the person ran, and what it put out."""
    command, failed = string(message.get("command")), bool(message.get("exitCode") or message.get("cancelled"))
    echo = runs_us(command)
    yield Passage(id, -1, "call", command, "bash", echo=echo)
    output = string(message.get("output"))
    yield Passage(id, beside(-1), "result", output, "bash", echo=echo, error=failed)
