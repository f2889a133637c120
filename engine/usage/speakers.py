"""How much of a text in the person's place they wrote, and how much their host put there."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from prune_mcp.sessions.claude import words as claude_words
from prune_mcp.sessions.codex import prompts as codex_prompts
from prune_mcp.sessions.fragment import Fragment
from prune_mcp.sessions.model import Block, Conversation, Format, Message
from prune_mcp.sessions.passage import Passage
from prune_mcp.sessions.reader import Reader
from prune_mcp.sessions.speech import beside
from prune_mcp.sessions.tokens import utf8_size

_TAG = re.compile(r"\s*<([A-Za-z][\w-]*)")
_HEADING = re.compile(r"\s*#+ +(\S+)")
OTHER = "other"


class Said(NamedTuple):
    """Bytes of the person's own words and of the host's, and what kind of thing the host put there."""

    own: int
    host: int
    kind: str = OTHER


class Speakers:
    """Tells who speaks in the texts of one conversation."""

    def __init__(self, conversation: Conversation) -> None:
        self._conversation = conversation
        self._reader = conversation if isinstance(conversation, Reader) else None
        self._speech = self._reader.speech() if self._reader else None

    def said(self, message: Message, block: Block) -> Said:
        """Who said what in a text block of role `user`."""
        if self._reader is None or self._speech is None:
            return _in_array(self._conversation.format, self._conversation.text(block))
        entry = self._reader.entries[block.place.entry]
        raw, content = self._reader.reread(entry)
        fragment = Fragment(message.role, message.id, [block], message.prompt, message.summary, entry=entry.index)
        passages = list(self._speech.passages(entry, fragment, raw, content))
        here = [passage for passage in passages if passage.at in (block.place.at, beside(block.place.at))]
        return _in_transcript(here or passages, raw)


def kind_of(text: str) -> str:
    """What kind of thing a host's text is: the name of the element it begins with, or the word of its heading."""
    found = _TAG.match(text) or _HEADING.match(text)
    return found[1] if found else OTHER


def _in_array(format: Format, text: str) -> Said:
    """Agents send what their hosts say in the person's place as they write it into their transcripts."""
    own, host = text, ""
    if format == "openai-responses":
        at = codex_prompts.own_start(text)
        own, host = text[at:], text[:at]
    elif format == "anthropic":
        own, host = claude_words.words_in(text)
    return Said(utf8_size(own), utf8_size(host), kind_of(host))


def _in_transcript(passages: list[Passage], raw: Any) -> Said:
    own = sum(utf8_size(passage.text) for passage in passages if passage.role == "user")
    host = [passage for passage in passages if passage.role != "user"]
    kind = _attachment(raw) or next((passage.tool or kind_of(passage.text) for passage in host), OTHER)
    return Said(own, sum(utf8_size(passage.text) for passage in host), kind)


def _attachment(raw: Any) -> str:
    """What a host that says so calls what it attached."""
    told = raw.get("attachment") if isinstance(raw, dict) else None
    kind = told.get("type") if isinstance(told, dict) else None
    return kind if isinstance(kind, str) else ""
