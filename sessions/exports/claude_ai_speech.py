"""What messages of claude.ai read like: outputs of searches by their fields, and no markers of the host."""

from __future__ import annotations

from typing import Any

from prune_mcp.sessions.exports.speech import ExportSpeech
from prune_mcp.sessions.model import Block
from prune_mcp.sessions.readable import words_of


class ClaudeAiSpeech(ExportSpeech):
    """Budgets, flags and whatever else has no words of its own say nothing."""

    def words(self, block: Block, content: Any) -> str:
        """See `Speech.words`."""
        piece = content[block.place.at]
        if block.kind == "result":
            return words_of(piece.get("content"))
        if block.kind == "other":
            name = piece.get("file_name") if isinstance(piece, dict) else None
            return name if isinstance(name, str) else ""
        return super().words(block, content)
