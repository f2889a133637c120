"""What stands under the role `user` in Claude Code: what a person asked, and what the host put there."""

from __future__ import annotations

from typing import Any

# Text that the host writes in front of a person's own words in the same message.
WRAPPERS = ("system-reminder", "ide_opened_file", "ide_selection", "post-tool-use-hook", "ide_diagnostics")
MACHINE = (
    "<local-command-stdout>",
    "<local-command-stderr>",
    "<local-command-caveat>",
    "Caveat: The messages below were generated",
    "<bash-input>",
    "<bash-stdout>",
    "<bash-stderr>",
    "<task-notification>",
    "<teammate-message",
    "<user-memory-input>",
    "[Request interrupted by user",
    "Stop hook feedback:",
)
COMMAND = ("<command-name>", "<command-message>")
COMMAND_OUTPUT = ("<local-command-stdout>", "<local-command-stderr>")


def own_words(text: str) -> str:
    """The text without what the host wrote in front of it."""
    text = text.lstrip()
    while text.startswith("<"):
        name = text[1:].partition(">")[0].split(" ", 1)[0]
        end = f"</{name}>"
        if name not in WRAPPERS or end not in text:
            break
        text = text.partition(end)[2].lstrip()
    return text


def is_asked(text: str) -> bool:
    """Whether a text of role `user` is something that was asked, by the person or for them."""
    words = own_words(text)
    return words != "" and not words.startswith(MACHINE)


def is_command(text: str) -> bool:
    """Whether the text is a slash command as the host records it."""
    return text.lstrip().startswith(COMMAND)


def command_line(text: str) -> str:
    """A slash command as the person typed it."""
    name, arguments = (_between(text, f"command-{part}") for part in ("name", "args"))
    return f"{name} {arguments}".strip()


def _between(text: str, tag: str) -> str:
    return text.partition(f"<{tag}>")[2].partition(f"</{tag}>")[0]


def is_command_output(text: str) -> bool:
    """Whether the text is what a local command printed: then the command never reached the model."""
    return text.lstrip().startswith(COMMAND_OUTPUT)


def texts_of(content: Any) -> list[str]:
    """The texts of a user message's content, in order."""
    if isinstance(content, str):
        return [content]
    if not isinstance(content, list):
        return []
    return [part if isinstance(part, str) else part["text"] for part in content if _has_text(part)]


def _has_text(part: Any) -> bool:
    return isinstance(part, str) or (
        isinstance(part, dict) and part.get("type") == "text" and isinstance(part.get("text"), str)
    )


def is_prompt(content: Any) -> bool:
    """Whether a user message without results was asked: by its words, or by something pasted."""
    return any(map(is_asked, texts_of(content))) or _has_paste(content)


def _has_paste(content: Any) -> bool:
    if not isinstance(content, list):
        return False
    return any(isinstance(part, dict) and part.get("type") in ("image", "document") for part in content)


# Where the text of an attachment stands that the host shows to the model.
ATTACHED = {
    "queued_command": ("prompt",),
    "file": ("content", "file", "content"),
    "edited_text_file": ("snippet",),
    "hook_additional_context": ("content",),
    "hook_blocking_error": ("blockingError", "blockingError"),
    "nested_memory": ("content", "content"),
    "read_truncation_notice": ("banner",),
    "total_tokens_reminder": ("text",),
    "batching_reminder_sent": ("text",),
    "silent_turn_reminder": ("text",),
    "skill_listing": ("content",),
}


def attached(attachment: Any) -> Any:
    """The content of an attachment that the model sees: a string, a list of parts, or None for none."""
    if not isinstance(attachment, dict):
        return None
    value: Any = attachment
    for key in ATTACHED.get(str(attachment.get("type")), ("",)):
        value = value.get(key) if isinstance(value, dict) else None
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return "\n".join(value)
    return value if isinstance(value, str | list) else None
