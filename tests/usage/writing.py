"""Sessions as small as a test needs them, in Claude Code's form and in Codex's, with what the provider counted."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.server.transcripts import entry

SESSION = "0b5e55ed-1111-4111-8111-111111111111"
FOLDER = Path("/project")
MODEL = "claude-opus-4-5-20251101"
PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8/5+hHgAHggJ/PchI7wAAAABJRU5ErkJggg=="


class Claude:
    """A session that grows message by message; what is returned is its text."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.last: str | None = None

    def add(self, message: dict[str, Any], **more: Any) -> Claude:
        """A message as an entry of its own."""
        uuid = f"u-{len(self.lines)}"
        self.lines.append(entry(SESSION, FOLDER, uuid, self.last, message, **more))
        self.last = uuid
        return self

    def asks(self, text: str, **more: Any) -> Claude:
        """What the person says."""
        return self.add({"role": "user", "content": text}, **more)

    def says(
        self, *parts: dict[str, Any], prompt: int = 0, cached: int = 0, output: int = 0, model: str = MODEL
    ) -> Claude:
        """An answer, with what the provider counted."""
        usage = {
            "input_tokens": 3,
            "cache_creation_input_tokens": prompt - cached - 3,
            "cache_read_input_tokens": cached,
        }
        counted = {"usage": usage | {"output_tokens": output}} if prompt else {}
        id = f"m-{len(self.lines)}"
        return self.add({"role": "assistant", "id": id, "model": model, "content": list(parts), **counted})

    def runs(
        self, tool: str, arguments: dict[str, Any], output: Any, error: bool = False, **counted: Any
    ) -> Claude:
        """A call and its result."""
        id = f"toolu_{len(self.lines)}"
        self.says({"type": "tool_use", "id": id, "name": tool, "input": arguments}, **counted)
        result = {"type": "tool_result", "tool_use_id": id, "content": output}
        return self.add({"role": "user", "content": [result | ({"is_error": True} if error else {})]})

    def attaches(self, attachment: dict[str, Any]) -> Claude:
        """Something that the host puts into the person's place."""
        uuid = f"u-{len(self.lines)}"
        line = {"type": "attachment", "uuid": uuid, "parentUuid": self.last, "sessionId": SESSION}
        self.lines.append(json.dumps({**line, "cwd": str(FOLDER), "attachment": attachment}) + "\n")
        self.last = uuid
        return self

    def compacts(self, summary: str, **metadata: Any) -> Claude:
        """A compaction: its boundary, and the summary that stands for what came before."""
        boundary: dict[str, Any] = {
            "type": "system",
            "subtype": "compact_boundary",
            "uuid": f"u-{len(self.lines)}",
            "parentUuid": None,
            "logicalParentUuid": self.last,
            "sessionId": SESSION,
            "content": "Conversation compacted",
        }
        boundary |= {"compactMetadata": metadata} if metadata else {}
        self.lines.append(json.dumps(boundary) + "\n")
        self.last = boundary["uuid"]
        return self.asks(summary, isCompactSummary=True)

    def write(self, folder: Path) -> Path:
        """The session's file in a folder."""
        path = folder / f"{SESSION}.jsonl"
        path.write_text("".join(self.lines), encoding="utf-8")
        return path


def text(words: str) -> dict[str, Any]:
    """A text part."""
    return {"type": "text", "text": words}


def image() -> dict[str, Any]:
    """An image part."""
    return {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PIXEL}}


def lines(name: str, count: int) -> str:
    """So many lines that are all different."""
    return "\n".join(f"{name} line {number}: value_{number * 7919 % 10007}" for number in range(count))


def codex(folder: Path, payloads: Sequence[tuple[str, dict[str, Any]]]) -> Path:
    """A Codex rollout of lines of these types and payloads."""
    path = folder / f"rollout-2026-01-01T00-00-00-{SESSION}.jsonl"
    written = (
        json.dumps({"timestamp": "2026-01-01T00:00:00Z", "type": kind, "payload": payload})
        for kind, payload in payloads
    )
    path.write_text("\n".join(written) + "\n", encoding="utf-8")
    return path
