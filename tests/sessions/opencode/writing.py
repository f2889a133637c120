"""opencode sessions, written as the host writes them: in its database, in its old tree, and as an export."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

SESSION = "ses_5e551014main"
EPOCH = 1_770_105_600_000
TITLE = "Find the file"
SCHEMA = """
PRAGMA journal_mode = WAL;
CREATE TABLE project (id text PRIMARY KEY, worktree text NOT NULL, vcs text, time_created integer NOT NULL,
  time_updated integer NOT NULL);
CREATE TABLE session (id text PRIMARY KEY, project_id text NOT NULL REFERENCES project(id) ON DELETE CASCADE,
  workspace_id text, parent_id text, slug text NOT NULL, directory text NOT NULL, path text, title text NOT NULL,
  version text NOT NULL, share_url text, summary_additions integer, summary_deletions integer,
  summary_files integer, summary_diffs text, cost real NOT NULL DEFAULT 0, tokens_input integer NOT NULL DEFAULT 0,
  revert text, permission text, time_created integer NOT NULL, time_updated integer NOT NULL,
  time_compacting integer, time_archived integer);
CREATE INDEX session_project_idx ON session (project_id);
CREATE TABLE message (id text PRIMARY KEY, session_id text NOT NULL REFERENCES session(id) ON DELETE CASCADE,
  time_created integer NOT NULL, time_updated integer NOT NULL, data text NOT NULL);
CREATE INDEX message_session_time_created_id_idx ON message (session_id, time_created, id);
CREATE TABLE part (id text PRIMARY KEY, message_id text NOT NULL REFERENCES message(id) ON DELETE CASCADE,
  session_id text NOT NULL, time_created integer NOT NULL, time_updated integer NOT NULL, data text NOT NULL);
CREATE INDEX part_message_id_id_idx ON part (message_id, id);
CREATE INDEX part_session_idx ON part (session_id);
CREATE TABLE todo (session_id text NOT NULL, content text NOT NULL, position integer NOT NULL);
INSERT INTO project VALUES ('p1', '/home/user/app', 'git', 1, 1);
"""


# What version 2 adds to a database; it leaves the tables of version 1 as they are.
SECOND = """
CREATE TABLE IF NOT EXISTS session_v2 (id text PRIMARY KEY, project_id text NOT NULL, workspace_id text,
  parent_id text, fork_session_id text, fork_boundary text, slug text NOT NULL, directory text NOT NULL, path text,
  title text, version text NOT NULL, revert text, time_created integer NOT NULL, time_updated integer NOT NULL);
CREATE TABLE IF NOT EXISTS session_message (id text PRIMARY KEY, session_id text NOT NULL, type text NOT NULL,
  seq integer NOT NULL, time_created integer NOT NULL, time_updated integer NOT NULL, data text NOT NULL);
CREATE UNIQUE INDEX IF NOT EXISTS session_message_session_seq_idx ON session_message (session_id, seq);
"""


def asks(number: int, *parts: Any, **fields: Any) -> dict[str, Any]:
    """What the person says: texts, or parts."""
    return message(number, "user", *parts, agent="build", model={"providerID": "a", "modelID": "b"}, **fields)


def says(number: int, *parts: Any, to: int = 1, **fields: Any) -> dict[str, Any]:
    """What the model says and calls, in answer to a message."""
    told = {"mode": "build", "finish": "stop", "modelID": "b", "providerID": "a", "cost": 0, **fields}
    return message(number, "assistant", *parts, parentID=id_of(to), **told)


def message(number: int, role: str, *parts: Any, **fields: Any) -> dict[str, Any]:
    """A message with its parts, as an export has it."""
    id = id_of(number)
    info = {"id": id, "sessionID": SESSION, "role": role, "time": {"created": EPOCH + 1000 * number}, **fields}
    made = [{"type": "text", "text": part} if isinstance(part, str) else part for part in parts]
    named = [
        {"id": f"prt_{number:04}_{at:02}", "sessionID": SESSION, "messageID": id, **part}
        for at, part in enumerate(made)
    ]
    return {"info": info, "parts": named}


def id_of(number: int) -> str:
    """A message's id; they count up."""
    return f"msg_{number:04}"


def text(words: str, **fields: Any) -> dict[str, Any]:
    """A text part."""
    return {"type": "text", "text": words, **fields}


def thought(words: str, **fields: Any) -> dict[str, Any]:
    """A reasoning part."""
    return {"type": "reasoning", "text": words, "time": {"start": EPOCH}, **fields}


def tool(id: str, output: str | None = None, name: str = "bash", **state: Any) -> dict[str, Any]:
    """A tool that said something, or still runs."""
    times = {"start": EPOCH, "end": EPOCH + 500}
    told: dict[str, Any] = {"status": "running", "input": {"command": f"run {id}"}, "time": {"start": EPOCH}}
    if output is not None:
        told |= {"status": "completed", "output": output, "title": "t", "metadata": {"exit": 0}, "time": times}
    return {"type": "tool", "callID": id, "tool": name, "state": told | state}


def failed(id: str, error: str, **state: Any) -> dict[str, Any]:
    """A tool that failed."""
    return tool(id, status="error", error=error, time={"start": EPOCH, "end": EPOCH + 500}, **state)


def step(kind: str = "start") -> dict[str, Any]:
    """A mark around one request."""
    return {"type": f"step-{kind}"}


class Database:
    """The host's database in a home folder. The connection stays open, as the host's does."""

    def __init__(self, home: Path, name: str = "opencode.db") -> None:
        self.path = home / ".local" / "share" / "opencode" / name
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.connection = sqlite3.connect(self.path, isolation_level=None)
        self.connection.executescript(SCHEMA)

    def session(self, id: str = SESSION, *messages: dict[str, Any], **fields: Any) -> Path:
        """A session with messages; its address."""
        row: dict[str, Any] = {
            "id": id,
            "project_id": "p1",
            "slug": "s",
            "directory": "/home/user/app",
            "title": TITLE,
            "version": "1",
        }
        row |= {"time_created": EPOCH, "time_updated": EPOCH, **fields}
        marks = ", ".join("?" * len(row))
        self.connection.execute(f"INSERT INTO session ({', '.join(row)}) VALUES ({marks})", tuple(row.values()))
        for said in messages:
            self.add(said, id)
        return self.path / id

    def add(self, said: dict[str, Any], session: str = SESSION) -> None:
        """Add a message, in the columns and the rest as data."""
        info = {key: value for key, value in said["info"].items() if key not in ("id", "sessionID")}
        created = info["time"]["created"]
        row = said["info"]["id"], session, created, created, json.dumps(info)
        self.connection.execute("INSERT INTO message VALUES (?, ?, ?, ?, ?)", row)
        for part in said["parts"]:
            self.part(part, said["info"]["id"], session, created)

    def part(self, part: dict[str, Any], message: str, session: str = SESSION, at: int = EPOCH) -> None:
        """Add a part, or put it in place of the one with its id."""
        data = json.dumps(
            {key: value for key, value in part.items() if key not in ("id", "sessionID", "messageID")}
        )
        row = part["id"], message, session, at, at, data
        self.connection.execute("INSERT OR REPLACE INTO part VALUES (?, ?, ?, ?, ?, ?)", row)

    def rows(self, id: str, *rows: dict[str, Any], **fields: Any) -> Path:
        """A session of version 2 with rows; its address."""
        self.connection.executescript(SECOND)
        told = {"id": id, "project_id": "p1", "slug": "s", "directory": "/home/user/app", "version": "2"}
        row: dict[str, Any] = {**told, "time_created": EPOCH, "time_updated": EPOCH, **fields}
        marks = ", ".join("?" * len(row))
        self.connection.execute(f"INSERT INTO session_v2 ({', '.join(row)}) VALUES ({marks})", tuple(row.values()))
        for said in rows:
            self.row(said, id)
        return self.path / id

    def row(self, said: dict[str, Any], session: str = SESSION) -> None:
        """Add a row, or put it in place of the one with its id."""
        data = json.dumps({key: value for key, value in said.items() if key not in ("id", "type")})
        created, seq = said["time"]["created"], int(said["id"].removeprefix("msg_"))
        values = said["id"], session, said["type"], seq, created, created, data
        self.connection.execute("INSERT OR REPLACE INTO session_message VALUES (?, ?, ?, ?, ?, ?, ?)", values)

    def close(self) -> None:
        """The host ends."""
        self.connection.close()


def row(number: int, kind: str, **fields: Any) -> dict[str, Any]:
    """A row of version 2."""
    return {"id": id_of(number), "type": kind, "time": {"created": EPOCH + 1000 * number}, **fields}


def answers(number: int, *content: Any, **fields: Any) -> dict[str, Any]:
    """What the model says and calls, as a row: texts, or contents."""
    items = [{"type": "text", "text": item} if isinstance(item, str) else item for item in content]
    return row(number, "assistant", agent="build", content=items, **{"finish": "stop", **fields})


def ran(id: str, *output: Any, name: str = "shell", **state: Any) -> dict[str, Any]:
    """A tool in a row: what it said are texts or contents; without any it still runs."""
    content = [{"type": "text", "text": item} if isinstance(item, str) else item for item in output]
    told: dict[str, Any] = {"status": "completed" if output else "running", "input": {"command": f"run {id}"}}
    told |= {"content": content, "metadata": {"exit": 0}} if output else {}
    times = {"created": EPOCH, "ran": EPOCH, "completed": EPOCH + 500}
    return {"type": "tool", "id": id, "name": name, "executed": False, "state": told | state, "time": times}


def export(path: Path, *messages: dict[str, Any], indent: int | None = 2, **fields: Any) -> Path:
    """A session as the host exports it."""
    value = {"info": info_of(**fields), "messages": list(messages)}
    path.write_text(json.dumps(value, indent=indent) + "\n", encoding="utf-8")
    return path


def tree(home: Path, *messages: dict[str, Any], **fields: Any) -> Path:
    """A session in the old tree of files; the address of its own file."""
    storage = home / ".local" / "share" / "opencode" / "storage"
    info = info_of(**fields)
    files = {f"session/p1/{info['id']}": info}
    for said in messages:
        files[f"message/{info['id']}/{said['info']['id']}"] = said["info"]
        files |= {f"part/{said['info']['id']}/{part['id']}": part for part in said["parts"]}
    for name, value in files.items():
        path = storage / f"{name}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(value, indent=2), encoding="utf-8")
    return storage / "session" / "p1" / f"{info['id']}.json"


def info_of(**fields: Any) -> dict[str, Any]:
    """What an export says of its session."""
    times = {"created": EPOCH, "updated": EPOCH}
    info = {"id": SESSION, "projectID": "p1", "directory": "/home/user/app", "title": TITLE, "version": "1"}
    return {**info, "time": times, **fields}
