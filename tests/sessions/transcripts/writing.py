"""Writes transcripts as the hosts do, one entry after another."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

SESSION = "5e551014-0000-4000-8000-000000000001"
TIP = "the entry written last"


class ClaudeFile:
    """A Claude Code transcript being written. Each entry hangs on the one before, unless `parent` says other."""

    def __init__(self, path: Path, session: str = SESSION) -> None:
        self.path = path
        self.session = session
        self.count = 0
        self.tip: str | None = None
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()

    def write(self, data: bytes) -> None:
        """Append bytes as they are."""
        with self.path.open("ab") as file:
            file.write(data)

    def line(self, value: Any) -> None:
        """Append a value as a line of its own."""
        self.write(json.dumps(value).encode() + b"\n")

    def entry(self, kind: str, parent: str | None = TIP, **fields: Any) -> str:
        """An entry of the tree; returns its uuid."""
        self.count += 1
        id = fields.pop("uuid", f"{self.count:08x}-0000-4000-8000-000000000000")
        envelope = {
            "parentUuid": self.tip if parent == TIP else parent,
            "isSidechain": False,
            "userType": "external",
            "cwd": "/home/user/app",
            "sessionId": self.session,
            "version": "2.1.76",
            "type": kind,
            "uuid": id,
            "timestamp": f"2026-01-01T00:{self.count // 60 % 60:02}:{self.count % 60:02}.000Z",
        }
        self.line({**envelope, **fields})
        self.tip = id
        return str(id)

    def prompt(self, content: Any = "do it", parent: str | None = TIP, **fields: Any) -> str:
        """A user message without results."""
        return self.entry("user", parent, message={"role": "user", "content": content}, **fields)

    def says(self, *parts: Any, id: str | None = None, parent: str | None = TIP, **fields: Any) -> str:
        """A line of the response `id`, by default of one of its own; a string is a text part."""
        content = [text(part) if isinstance(part, str) else part for part in parts]
        message = {
            "id": id or f"msg_{self.count}",
            "type": "message",
            "role": "assistant",
            "model": "claude-sonnet-5",
            "content": content,
            "stop_reason": None,
            "usage": {"input_tokens": 3, "output_tokens": 5},
        }
        return self.entry("assistant", parent, message=message, **fields)

    def result(self, call: str, content: Any = "ok", parent: str | None = TIP, **fields: Any) -> str:
        """A user message with the result of one call."""
        error = fields.pop("is_error", None)
        part: dict[str, Any] = {"type": "tool_result", "tool_use_id": call, "content": content}
        if error is not None:
            part["is_error"] = error
        fields.setdefault("toolUseResult", {"stdout": content})
        return self.entry("user", parent, message={"role": "user", "content": [part]}, **fields)

    def turn(self, call: str, output: Any = "ok", name: str = "Bash") -> str:
        """A response with one call, and its result."""
        self.says(tool_use(call, name))
        return self.result(call, output)

    def compact(self, summary: str = "This session is being continued.", **metadata: Any) -> str:
        """A compaction: the boundary and the summary after it."""
        before = self.tip
        self.entry(
            "system", None, subtype="compact_boundary", content="Conversation compacted", logicalParentUuid=before,
            compactMetadata={"trigger": "auto", "preTokens": 150000, **metadata},
        )  # fmt: skip
        return self.prompt(summary, isCompactSummary=True, isVisibleInTranscriptOnly=True)


class PiFile:
    """A pi session being written; `version` 1 writes no ids."""

    def __init__(self, path: Path, version: int = 3) -> None:
        self.path = path
        self.version = version
        self.count = 0
        self.tip: str | None = None
        path.parent.mkdir(parents=True, exist_ok=True)
        header: dict[str, Any] = {
            "type": "session",
            "id": SESSION,
            "timestamp": moment(0),
            "cwd": "/home/user/app",
        }
        path.write_bytes(json.dumps(header | ({"version": version} if version > 1 else {})).encode() + b"\n")

    def write(self, data: bytes) -> None:
        """Append bytes as they are."""
        with self.path.open("ab") as file:
            file.write(data)

    def entry(self, kind: str, parent: str | None = TIP, **fields: Any) -> str:
        """An entry; returns its id (in version 1 what stands for it: the number of its line)."""
        self.count += 1
        id = f"{self.count:08x}" if self.version > 1 else f"line-{self.count}"
        link = {"id": id, "parentId": self.tip if parent == TIP else parent} if self.version > 1 else {}
        self.write(json.dumps({"type": kind, **link, "timestamp": moment(self.count), **fields}).encode() + b"\n")
        self.tip = id
        return id

    def message(self, role: str, content: Any, parent: str | None = TIP, **fields: Any) -> str:
        """An entry with a message."""
        message = {"role": role, "content": content, "timestamp": 1767225600000 + self.count, **fields}
        return self.entry("message", parent, message=message)

    def prompt(self, words: str = "do it", parent: str | None = TIP) -> str:
        """A user message."""
        return self.message("user", [text(words)], parent)

    def says(self, *parts: Any, stop: str = "stop", parent: str | None = TIP) -> str:
        """An assistant message; a string is a text part."""
        content = [text(part) if isinstance(part, str) else part for part in parts]
        return self.message("assistant", content, parent, stopReason=stop, model="m", provider="p")

    def result(self, call: str, content: Any = "ok", tool: str = "bash", error: bool = False) -> str:
        """The result of a call."""
        content = [text(content)] if isinstance(content, str) else content
        return self.message("toolResult", content, toolCallId=call, toolName=tool, isError=error)

    def turn(self, call: str, output: Any = "ok") -> str:
        """An assistant message with one call, and its result."""
        self.says(tool_call(call), stop="toolUse")
        return self.result(call, output)


def text(words: str) -> dict[str, Any]:
    """A text part."""
    return {"type": "text", "text": words}


def thinking(words: str, signature: str = "sig") -> dict[str, Any]:
    """A thinking part of Claude Code."""
    return {"type": "thinking", "thinking": words, "signature": signature}


def tool_use(call: str, name: str = "Bash", **arguments: Any) -> dict[str, Any]:
    """A call part of Claude Code."""
    return {"type": "tool_use", "id": call, "name": name, "input": arguments}


def tool_call(call: str, name: str = "bash", **arguments: Any) -> dict[str, Any]:
    """A call part of pi."""
    return {"type": "toolCall", "id": call, "name": name, "arguments": arguments}


def image(data: str = "aGk=") -> dict[str, Any]:
    """An image part of Claude Code."""
    return {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": data}}


def moment(seconds: int) -> str:
    """A time as the hosts write it."""
    return f"2026-01-01T{seconds // 3600 % 24:02}:{seconds // 60 % 60:02}:{seconds % 60:02}.000Z"
