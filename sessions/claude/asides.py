"""Text in the lines of a Claude Code transcript that are no part of the conversation."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from prune_mcp.sessions.claude.prompts import attached
from prune_mcp.sessions.claude.words import words_in
from prune_mcp.sessions.content import string
from prune_mcp.sessions.passage import Speaker
from prune_mcp.sessions.readable import SILENT, strings_in, words_of

# Where the text of a line stands, and whose it is.
LINES: dict[str, tuple[Speaker, str]] = {
    "summary": ("title", "summary"),
    "ai-title": ("title", "aiTitle"),
    "custom-title": ("title", "customTitle"),
    "agent-name": ("title", "agentName"),
    "tag": ("title", "tag"),
    "pr-link": ("machine", "prUrl"),
    # What a part of the context was collapsed to.
    "marble-origami-commit": ("summary", "summary"),
}
# Fields of the host's notices that tell what went wrong; their other fields are for the host.
TROUBLE = ("error", "hookErrors", "apiRefusalExplanation")
UNTOLD = SILENT | {"hookName", "hookEvent", "toolUseID", "hookId", "command", "timestamp", "uuid", "source_uuid"}
# Who else than the person may stand in their place.
OTHERS = ("peer", "agent", "teammate", "coordinator", "task-notification")
RECAP_END = " (disable recaps in /config)"


class Told(NamedTuple):
    """One text and who speaks."""

    role: Speaker
    text: str
    error: bool = False


def line_words(raw: dict[str, Any]) -> Iterator[Told]:
    """What a line says that is no entry of the tree, or an entry without content."""
    kind = raw.get("type")
    if kind == "attachment":
        yield from attachment_words(raw.get("attachment"))
    elif kind == "queue-operation":
        yield from told(words_of(raw.get("content")))
    elif kind == "system":
        words = strings_in({name: raw[name] for name in TROUBLE if raw.get(name)}, UNTOLD)
        yield Told("machine", "\n".join(words), error=True)
    elif type(kind) is str and kind in LINES:
        role, name = LINES[kind]
        if type(text := raw.get(name)) is str:
            yield Told(role, text)


def attachment_words(attachment: Any) -> Iterator[Told]:
    """What an attachment says: of one typed while the model worked the person's words, of any other all text."""
    if type(attachment) is not dict:
        return
    if attachment.get("type") != "queued_command":
        yield Told("machine", "\n".join(strings_in(attachment, UNTOLD)))
        return
    text = words_of(attached(attachment))
    if is_sent(attachment):
        origin = attachment.get("origin")
        body = string(origin.get("body")) if type(origin) is dict else ""
        yield Told("machine", text if body in text else "\n".join(filter(None, (text, body))))
    else:
        yield from told(text)


def is_sent(said: dict[str, Any]) -> bool:
    """Whether what stands in the person's place was put there for them: by the host, or by another agent."""
    origin = said.get("origin")
    return said.get("isMeta") is True or (type(origin) is dict and origin.get("kind") in OTHERS)


def told(text: str) -> Iterator[Told]:
    """A text of role `user`, what the host put there apart from the person's own words."""
    words = words_in(text)
    if words.own:
        yield Told("user", words.own)
    if words.machine:
        yield Told("machine", words.machine)


def notice(raw: dict[str, Any], text: str) -> Iterator[Told]:
    """A notice of the host that has content."""
    if raw.get("subtype") == "away_summary":
        yield Told("machine", text.removesuffix(RECAP_END))
    elif raw.get("subtype") == "local_command":
        yield from told(text)
    else:
        yield Told("machine", text, error=raw.get("level") == "error")
