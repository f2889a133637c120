"""opencode's traps: its database with tool output, reverted and child sessions, and the old tree of files."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

from tests.needles.needle import Needles

EPOCH_MS = 1_770_105_600_000
TABLES = """
CREATE TABLE project (id TEXT PRIMARY KEY, worktree TEXT, vcs TEXT, time_created INTEGER, time_updated INTEGER);
CREATE TABLE session (id TEXT PRIMARY KEY, project_id TEXT, parent_id TEXT, slug TEXT, directory TEXT, title TEXT,
    version TEXT, revert TEXT, time_created INTEGER, time_updated INTEGER, time_compacting INTEGER,
    time_archived INTEGER);
CREATE TABLE message (id TEXT PRIMARY KEY, session_id TEXT, time_created INTEGER, time_updated INTEGER, data TEXT);
CREATE TABLE part (id TEXT PRIMARY KEY, message_id TEXT, session_id TEXT, time_created INTEGER,
    time_updated INTEGER, data TEXT);
"""


def opencode_needles(root: Path) -> Needles:
    """Write opencode's database and an old tree under a home, and return what must be found."""
    needles = Needles("opencode")
    folder = root / ".local" / "share" / "opencode"
    folder.mkdir(parents=True)
    database = sqlite3.connect(folder / "opencode.db")
    database.executescript("PRAGMA journal_mode=WAL;" + TABLES)
    database.execute("INSERT INTO project VALUES ('p1', '/home/user/ferry', 'git', ?, ?)", (EPOCH_MS, EPOCH_MS))
    for write in (_main, _reverted, _child, _beside):
        write(database, needles)
    database.commit()
    database.close()
    _tree(folder / "storage", needles)
    return needles


def _session(database: sqlite3.Connection, id: str, parent: str | None = None, revert: str | None = None) -> None:
    row = (id, "p1", parent, "s", "/home/user/ferry", "New session - 2026-02-03T08:00:00.000Z", "1.0", revert)
    database.execute("INSERT INTO session VALUES (?,?,?,?,?,?,?,?,?,?,NULL,NULL)", (*row, EPOCH_MS, EPOCH_MS))


def _message(
    database: sqlite3.Connection, session: str, id: str, role: str, *parts: dict[str, Any], **info: Any
) -> None:
    data = json.dumps({"role": role, "time": {"created": EPOCH_MS}, "agent": "build", **info})
    database.execute("INSERT INTO message VALUES (?,?,?,?,?)", (id, session, EPOCH_MS, EPOCH_MS, data))
    for number, part in enumerate(parts):
        row = (f"prt_{id}_{number}", id, session, EPOCH_MS, EPOCH_MS, json.dumps(part))
        database.execute("INSERT INTO part VALUES (?,?,?,?,?,?)", row)


def _tool(call: str, state: dict[str, Any]) -> dict[str, Any]:
    return {"type": "tool", "callID": call, "tool": "bash", "state": {"title": "t", "metadata": {}, **state}}


def _main(database: sqlite3.Connection, needles: Needles) -> None:
    id, put = "ses_1111main", needles.put
    _session(database, id)
    synthetic = {"type": "text", "text": put("synthetic", id, "machine"), "synthetic": True}
    _message(
        database, id, "msg_1", "user", {"type": "text", "text": f"cross {put('prompt', id, 'user')}"}, synthetic
    )
    done = {
        "status": "completed",
        "input": {"command": put("toolinput", id, "call", tool="bash")},
        "output": put("tooloutput", id, "result", tool="bash"),
        "time": {"start": EPOCH_MS, "end": EPOCH_MS},
    }
    failed = {
        "status": "error",
        "input": {"command": "x"},
        "error": put("toolerror", id, "result", flags=frozenset(["error"])),
        "time": {"start": EPOCH_MS, "end": EPOCH_MS},
    }
    _message(
        database,
        id,
        "msg_2",
        "assistant",
        {"type": "reasoning", "text": put("reasoning", id, "thinking")},
        {"type": "text", "text": put("answer", id, "assistant")},
        _tool("c1", done),
        _tool("c2", failed),
    )


def _reverted(database: sqlite3.Connection, needles: Needles) -> None:
    id, put = "ses_2222reverted", needles.put
    _session(database, id, revert=json.dumps({"messageID": "msg_12"}))
    _message(database, id, "msg_11", "user", {"type": "text", "text": put("kept", id, "user")})
    words = put("reverted", id, "user", flags=frozenset(["abandoned"]))
    _message(database, id, "msg_12", "user", {"type": "text", "text": words})


def _child(database: sqlite3.Connection, needles: Needles) -> None:
    id, put = "ses_3333child", needles.put
    _session(database, id, parent="ses_1111main")
    _message(database, id, "msg_21", "user", {"type": "text", "text": put("child", id, "user")})


def _beside(database: sqlite3.Connection, needles: Needles) -> None:
    """What stands beside the words of a message."""
    id, put = "ses_5555beside", needles.put
    _session(database, id)
    summed = {"title": put("promptitle", id, "summary"), "body": put("promptbody", id, "summary"), "diffs": []}
    subtask = {"type": "subtask", "prompt": "x", "description": put("subtaskdescription", id, "machine")}
    _message(database, id, "msg_51", "user", subtask, summary=summed)
    error = {"name": "APIError", "data": {"message": put("retried", id, "machine", flags=frozenset(["error"]))}}
    patch = {"type": "patch", "hash": "0f", "files": [put("patched", id, "machine")]}
    unknown = {"type": "poll", "question": put("unknownpart", id, "machine")}
    _message(database, id, "msg_52", "assistant", {"type": "retry", "attempt": 1, "error": error}, patch, unknown)
    error = {"name": "APIError", "data": {"message": put("failedbare", id, "machine", flags=frozenset(["error"]))}}
    _message(database, id, "msg_53", "assistant", error=error)


def _tree(storage: Path, needles: Needles) -> None:
    """The files that opencode kept before it had a database."""
    id = "ses_4444tree"
    time = {"created": EPOCH_MS, "updated": EPOCH_MS}
    session = {"id": id, "projectID": "p1", "directory": "/home/user/ferry", "title": "An old one", "time": time}
    message = {"id": "msg_31", "sessionID": id, "role": "user", "time": time}
    part = {
        "id": "prt_31",
        "messageID": "msg_31",
        "sessionID": id,
        "type": "text",
        "text": needles.put("tree", id, "user"),
    }
    files = {f"session/p1/{id}": session, f"message/{id}/msg_31": message, "part/msg_31/prt_31": part}
    for name, value in files.items():
        path = storage / f"{name}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(value), encoding="utf-8")
