"""What messages of a trajectory read like."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from prune_mcp.sessions.exports.speech import ExportSpeech
from prune_mcp.sessions.fragment import Fragment
from prune_mcp.sessions.model import Entry
from prune_mcp.sessions.passage import Passage


class TrajectorySpeech(ExportSpeech):
    """Demonstrations come from other runs; reasoning may stand only in the raw response that was kept beside."""

    def passages(self, entry: Entry, fragment: Fragment, raw: dict[str, Any], content: Any) -> Iterator[Passage]:
        """See `Speech.passages`."""
        for passage in super().passages(entry, fragment, raw, content):
            if raw.get("is_demo") is True:
                passage.role = "machine"
            yield passage
        thought = _reasoning(raw)
        if thought and not any(block.kind == "thinking" for block in fragment.blocks):
            yield Passage(entry.id, len(fragment.blocks), "thinking", thought)

    def aside(self, offset: int, raw: dict[str, Any]) -> Iterator[Passage]:
        """The task's name; its first line, which stands in the title too, is said by the task itself."""
        name, _, _ = str(raw.get("title") or "").partition(": ")
        return super().aside(offset, {**raw, "title": name})


def _reasoning(raw: dict[str, Any]) -> str:
    """The reasoning in the response that mini-swe-agent keeps beside a message."""
    value: Any = raw
    for key in ("extra", "response", "choices", 0, "message"):
        if isinstance(key, int):
            value = value[key] if isinstance(value, list) and len(value) > key else None
        else:
            value = value.get(key) if isinstance(value, dict) else None
    if not isinstance(value, dict):
        return ""
    told = (value.get(field) for field in ("reasoning", "reasoning_content"))
    return next((text for text in told if isinstance(text, str) and text), "")
