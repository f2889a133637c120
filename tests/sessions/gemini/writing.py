"""Gemini CLI sessions, written as the host writes them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

SESSION = "5e551014-0000-4000-8000-00000000000a"
HASH = "d1b2" * 16


def header(session: str = SESSION, **fields: Any) -> dict[str, Any]:
    """What a session begins with."""
    times = {"startTime": "2026-02-03T08:00:00.000Z", "lastUpdated": "2026-02-03T09:00:00.000Z"}
    return {"sessionId": session, "projectHash": HASH, **times, "kind": "main", **fields}


def message(number: int, kind: str, content: Any, **fields: Any) -> dict[str, Any]:
    """A message."""
    time = f"2026-02-03T08:{number % 60:02d}:00.000Z"
    return {"id": f"m{number}", "timestamp": time, "type": kind, "content": content, **fields}


def asks(number: int, content: Any, **fields: Any) -> dict[str, Any]:
    """What the person says."""
    return message(number, "user", content, **fields)


def says(number: int, content: Any, *calls: dict[str, Any], **fields: Any) -> dict[str, Any]:
    """What the model says and calls."""
    return message(number, "gemini", content, **({"toolCalls": list(calls)} if calls else {}), **fields)


def call(id: str, output: Any = None, name: str = "run_shell_command", **fields: Any) -> dict[str, Any]:
    """A tool call, with its result unless that is None; what is no text stands as it is."""
    made: dict[str, Any] = {"id": id, "name": name, "args": {"command": f"run {id}"}, "status": "success"}
    if output is not None:
        made["result"] = [response(id, output, name)] if isinstance(output, str) else output
    return made | {"timestamp": "2026-02-03T08:59:00.000Z", "displayName": "Shell", **fields}


def response(id: str, output: Any, name: str = "run_shell_command", **fields: Any) -> dict[str, Any]:
    """A tool's answer, as a part."""
    said = {"output": output} if isinstance(output, str) else output
    return {"functionResponse": {"id": id, "name": name, "response": said, **fields}}


class GeminiFile:
    """A session's file in a project of a home folder: `.jsonl`, or whole (`.json`)."""

    def __init__(self, home: Path, project: str = "app", session: str = SESSION, ending: str = "jsonl") -> None:
        self.project = home / ".gemini" / "tmp" / project
        self.path = self.project / "chats" / f"session-2026-02-03T08-00-{session[:8]}.{ending}"
        self.path.parent.mkdir(parents=True, exist_ok=True)

    def write(self, records: Iterable[Any]) -> Path:
        """Write the records, one on each line, in place of what was there."""
        self.path.write_text("".join(line(record) for record in records), encoding="utf-8")
        return self.path

    def add(self, *records: Any) -> None:
        """Append records."""
        with self.path.open("a", encoding="utf-8") as file:
            file.writelines(map(line, records))

    def whole(self, messages: Iterable[Any], indent: int | None = 2, **fields: Any) -> Path:
        """Write one object, without a newline at its end."""
        value = header(**fields) | {"messages": list(messages)}
        summary = {"summary": value.pop("summary")} if "summary" in value else {}
        self.path.write_text(as_json(value | summary, indent), encoding="utf-8")
        return self.path


def line(record: Any) -> str:
    """A record's line."""
    return as_json(record) + "\n"


def as_json(value: Any, indent: int | None = None) -> str:
    """A value's JSON; where it holds lone surrogates these stand as escapes."""
    text = json.dumps(value, ensure_ascii=False, indent=indent)
    return json.dumps(value, indent=indent) if re.search("[\ud800-\udfff]", text) else text
