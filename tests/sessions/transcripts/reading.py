"""What a transcript reads as, in short forms that tests compare."""

from __future__ import annotations

from typing import Any

from prune_mcp.sessions.model import Block, Message
from prune_mcp.sessions.reader import Reader


def said(transcript: Reader) -> list[tuple[str, list[str]]]:
    """Every message as (role, what its blocks say)."""
    return [
        (message.role, [shown(transcript, block) for block in message.blocks]) for message in transcript.messages
    ]


def shown(transcript: Reader, block: Block) -> str:
    """A block as its kind's sign and its text; of a call, its id."""
    if block.kind == "call":
        return f"call {block.call_id}"
    words = transcript.text(block)
    return words if block.kind == "text" else f"{block.kind} {block.call_id or words}"


def prompts(transcript: Reader) -> list[str]:
    """The texts of the messages that were asked."""
    return [first_text(transcript, message) for message in transcript.messages if message.prompt]


def first_text(transcript: Reader, message: Message) -> str:
    """The first block's text, "" for a message without blocks."""
    return transcript.text(message.blocks[0]) if message.blocks else ""


def outputs(transcript: Reader) -> list[str]:
    """The text of every result of the file, in file order."""
    return [transcript.text(block) for block in transcript.archive()]


def picture(transcript: Reader) -> dict[str, Any]:
    """Everything that two readings of the same file must agree on."""
    return {
        "session": transcript.session,
        "title": transcript.title,
        "cwd": transcript.cwd,
        "entries": list(transcript.entries),
        "messages": [
            (message.role, message.id, message.prompt, message.summary, message.stop, message.blocks)
            for message in transcript.messages
        ],
        "texts": [[transcript.text(block) for block in message.blocks] for message in transcript.messages],
        "archive": transcript.archive(),
        "abandoned": transcript.abandoned,
        "sidechain": transcript.sidechain,
        "skipped": transcript.skipped,
    }
