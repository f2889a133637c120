"""What messages of ChatGPT read like."""

from __future__ import annotations

from typing import Any

from prune_mcp.sessions.exports.speech import ExportSpeech
from prune_mcp.sessions.model import Block


class ChatGptSpeech(ExportSpeech):
    """How long the model thought, and pointers to images and sounds, say nothing."""

    def words(self, block: Block, content: Any) -> str:
        """See `Speech.words`."""
        piece = content[block.place.at]
        if block.kind == "other":
            name = piece.get("file_name") if isinstance(piece, dict) else None
            return name if isinstance(name, str) else ""
        if block.kind == "result" and isinstance(piece.get("parts"), list):
            spoken = [part if isinstance(part, str) else _spoken(part) for part in piece["parts"]]
            return "\n".join(words for words in spoken if words)
        return super().words(block, content)


def _spoken(part: Any) -> str:
    text = part.get("text") if isinstance(part, dict) else None
    return text if isinstance(text, str) else ""
