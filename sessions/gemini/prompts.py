"""What stands in the user's place in a Gemini CLI session: the person's words, and what the host put there."""

from __future__ import annotations

from typing import Any

# How the host's own texts begin: what it tells of the session, what hooks add, how it used to open a chat.
MACHINE = ("<session_context>", "<hook_context>", "This is the Gemini CLI. We are setting up the context")
SNAPSHOT = "<state_snapshot>"
# The host keeps these out of what it sends: they were meant for itself.
COMMANDS = ("/", "?")
# What follows is what the files say that the prompt names with an @.
REFERENCED = "--- Content from referenced files ---"


def parts_of(content: Any) -> list[Any]:
    """The parts of a content: a list as it is, an empty text or nothing for none, anything else as one part."""
    if isinstance(content, list):
        return content
    return [] if content is None or content == "" else [content]


def part_text(part: Any) -> str | None:
    """The text of a part, None for one that is no text."""
    if isinstance(part, str):
        return part
    text = part.get("text") if isinstance(part, dict) else None
    return text if isinstance(text, str) else None


def texts_of(content: Any) -> list[str]:
    """The texts of a content."""
    return [text for part in parts_of(content) if (text := part_text(part)) is not None]


def is_command(content: Any) -> bool:
    """Whether the person gave the host itself a command."""
    return "".join(texts_of(content)).strip().startswith(COMMANDS)


def is_machine(text: str) -> bool:
    """Whether a text was put into the user's place by the host."""
    return text.lstrip().startswith(MACHINE)


def is_snapshot(message: dict[str, Any]) -> bool:
    """Whether a message is what the host summarized earlier ones to."""
    return message.get("type") == "user" and "".join(texts_of(message.get("content"))).lstrip().startswith(
        SNAPSHOT
    )


def own_parts(message: dict[str, Any]) -> set[int]:
    """The numbers of those parts of a user message that the person wrote.

    `displayContent` is what they typed where the host made more of it.
    """
    parts = parts_of(message.get("content"))
    typed = {text.strip() for text in texts_of(message.get("displayContent"))}
    own = set()
    for at, part in enumerate(parts):
        text = part_text(part)
        if text is not None and text.strip() == REFERENCED:
            break
        if text and not is_machine(text) and (not typed or text.strip() in typed):
            own.add(at)
    return own


def typed_text(message: dict[str, Any]) -> str:
    """What the person typed, "" for nothing."""
    if typed := texts_of(message.get("displayContent")):
        return "\n".join(typed)
    parts = parts_of(message.get("content"))
    return "\n".join(text for at in sorted(own_parts(message)) if (text := part_text(parts[at])))
