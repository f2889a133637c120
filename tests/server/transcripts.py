"""Claude Code transcripts as small as a test needs them."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from prune_mcp.storage.codec import encode


def entry(session: str, folder: Path, uuid: str, parent: str | None, message: dict[str, Any], **more: Any) -> str:
    """One line of a transcript."""
    line = {"type": message["role"], "uuid": uuid, "parentUuid": parent, "sessionId": session, "cwd": str(folder)}
    return json.dumps({**line, "timestamp": "2026-01-01T00:00:00Z", "message": message, **more}) + "\n"


def call_entry(
    session: str, folder: Path, arguments: dict[str, Any], tool: str = "prune_context", after: str = "u-0"
) -> str:
    """The line of a call of one of our tools that has no result yet."""
    use = {"type": "tool_use", "id": "toolu_own", "name": f"mcp__prune-mcp__{tool}", "input": arguments}
    own = {"id": "m-own", "role": "assistant", "content": [use]}
    return entry(session, folder, "u-own", after, own, timestamp="2026-01-01T23:00:00Z")


def write_session(
    home: Path,
    session: str,
    folder: Path,
    *,
    outputs: Sequence[str] = (),
    age: float = 0,
    tail: str = "",
    prompt: str = "hello",
) -> Path:
    """A session in `folder` with one exchange for each tool output, last written `age` seconds ago."""
    path = home / ".claude" / "projects" / str(folder).replace("/", "-").replace("_", "-") / f"{session}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = [entry(session, folder, "u-0", None, {"role": "user", "content": prompt})]
    for number, output in enumerate(outputs):
        lines += exchange(session, folder, number, output)
    path.write_bytes(encode("".join(lines) + tail))
    os.utime(path, (time.time() - age, time.time() - age))
    return path


def exchange(session: str, folder: Path, number: int, output: str) -> list[str]:
    """A prompt, a call with its output, and the answer."""
    use = {"type": "tool_use", "id": f"toolu_{number}", "name": "Bash", "input": {"command": f"run {number}"}}
    result = {"type": "tool_result", "tool_use_id": f"toolu_{number}", "content": output}
    messages: list[dict[str, Any]] = [
        {"role": "user", "content": f"question {number}"},
        {"role": "assistant", "id": f"m{number}a", "content": [use]},
        {"role": "user", "content": [result]},
        {"role": "assistant", "id": f"m{number}b", "content": [{"type": "text", "text": f"answer {number}"}]},
    ]
    names = ["u-0" if number == 0 else f"u{number - 1}-3", *(f"u{number}-{at}" for at in range(4))]
    hour = f"2026-01-01T{1 + number // 60:02d}:{number % 60:02d}"
    return [
        entry(session, folder, names[at + 1], names[at], message, timestamp=f"{hour}:{at:02d}Z")
        for at, message in enumerate(messages)
    ]
