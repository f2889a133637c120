"""Gemini CLI's traps: whole files and growing ones, the last write of a message, rewinds."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.needles.needle import Needles, clock, write_lines


def gemini_needles(root: Path) -> Needles:
    """Write Gemini CLI's sessions under a home, and return what must be found."""
    needles = Needles("gemini")
    chats = root / ".gemini" / "tmp" / "beacon" / "chats"
    chats.mkdir(parents=True)
    for write in (_whole, _growing, _twins):
        write(chats, needles)
    return needles


def header(id: str) -> dict[str, Any]:
    """What a session begins with."""
    return {"sessionId": id, "projectHash": "abc", "startTime": clock(0), "lastUpdated": clock(9), "kind": "main"}


def message(number: int, kind: str, content: Any, **fields: Any) -> dict[str, Any]:
    """One message."""
    return {"id": f"m{number}", "timestamp": clock(number), "type": kind, "content": content, **fields}


def _whole(chats: Path, needles: Needles) -> None:
    id = "5e550001-0000-4000-8000-000000000001"
    put = needles.put
    call = {
        "id": "call1",
        "name": "read_file",
        "args": {"path": put("toolinput", id, "call", tool="read_file")},
        "status": "success",
        "timestamp": clock(3),
        "result": [
            {
                "functionResponse": {
                    "id": "call1",
                    "name": "read_file",
                    "response": {"output": put("tooloutput", id, "result", tool="read_file")},
                }
            }
        ],
    }
    thought = {"subject": "Plan", "description": put("thought", id, "thinking"), "timestamp": clock(2)}
    messages = [
        message(1, "user", f"steer by the {put('prompt', id, 'user')}"),
        message(2, "gemini", f"I will {put('answer', id, 'assistant')}", toolCalls=[call], thoughts=[thought]),
        message(4, "user", [{"text": f"and in parts {put('parts', id, 'user')}"}]),
        message(5, "info", f"note {put('info', id, 'machine')}"),
    ]
    path = chats / "session-2026-02-03T08-00-5e550001.json"
    path.write_text(json.dumps({**header(id), "messages": messages}), encoding="utf-8")


def _growing(chats: Path, needles: Needles) -> None:
    id = "5e550002-0000-4000-8000-000000000002"
    put = needles.put
    half = message(2, "gemini", "half")
    lines = [
        header(id),
        message(1, "user", f"grow {put('linesprompt', id, 'user')}"),
        half,
        {**half, "content": f"half and whole {put('lastwrite', id, 'assistant')}"},
        {"$set": {"lastUpdated": clock(5)}},
        message(3, "user", f"go left {put('rewound', id, 'user', flags=frozenset(['abandoned']))}"),
        message(4, "gemini", "left it is"),
        {"$rewindTo": "m3"},
        message(5, "user", f"go right {put('afterrewind', id, 'user')}"),
        message(6, "user", f"before\u2028{put('lineseparator', id, 'user')}"),
    ]
    write_lines(chats / "session-2026-02-03T09-00-5e550002.jsonl", lines)
    id = "5e550003-0000-4000-8000-000000000003"
    lines = [
        header(id),
        message(1, "user", "old one"),
        {"$set": {"messages": [message(1, "user", f"set anew {put('setmessages', id, 'user')}")]}},
    ]
    write_lines(chats / "session-2026-02-03T10-00-5e550003.jsonl", lines)
    child = "5e550004-0000-4000-8000-000000000004"
    lines = [{**header(child), "kind": "subagent"}, message(1, "user", f"look {put('subagent', child, 'user')}")]
    write_lines(chats / id / f"{child}.jsonl", lines)


def _twins(chats: Path, needles: Needles) -> None:
    """A session that was resumed from the old form has both."""
    id = "5e550005-0000-4000-8000-000000000005"
    first = message(1, "user", f"in both {needles.put('bothforms', id, 'user')}")
    old = {**header(id), "messages": [first]}
    (chats / "session-2026-02-03T11-00-5e550005.json").write_text(json.dumps(old), encoding="utf-8")
    write_lines(chats / "session-2026-02-03T11-00-5e550005.jsonl", [header(id), first])
