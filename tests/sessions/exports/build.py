"""Exports as claude.ai and ChatGPT write them, made for a test."""

from __future__ import annotations

import json
import zipfile
from collections import Counter
from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

from prune_mcp.sessions.exports.bring import ImportReport, import_export
from prune_mcp.sessions.exports.imported import imported
from prune_mcp.sessions.history import read_history
from prune_mcp.sessions.passage import Passage
from prune_mcp.sessions.reader import Reader
from prune_mcp.sessions.session_file import SessionFile
from prune_mcp.sessions.transcript import open_transcript

ROOT = "00000000-0000-4000-8000-000000000000"
UNSUPPORTED = "```\nThis block is not supported on your current device yet.\n```"
Json = dict[str, Any]


def uuid(number: int) -> str:
    """The id of a conversation."""
    return f"{number:08x}-1111-4111-8111-111111111111"


def said(sender: str, text: str, id: str = "", parent: str | None = None, **more: Any) -> Json:
    """A message of claude.ai."""
    id = id or sha256(f"{sender} {text}".encode()).hexdigest()[:16]
    message: Json = {"uuid": id, "text": text, "sender": sender}
    message |= {"content": [{"type": "text", "text": text}] if text else [], "attachments": [], "files": []}
    message |= {"created_at": "2025-03-04T05:06:07.000000Z"}
    return message | ({} if parent is None else {"parent_message_uuid": parent}) | more


def chat(number: int, *messages: Json, **more: Any) -> Json:
    """A conversation of claude.ai."""
    return {
        "uuid": uuid(number),
        "name": f"Chat {number}",
        "created_at": "2025-03-04T05:06:07.000000Z",
        "updated_at": "2025-03-05T05:06:07.000000Z",
        "account": {"uuid": "aaaaaaaa-0000-4000-8000-000000000000"},
        "chat_messages": list(messages) or [said("human", f"Question {number}?"), said("assistant", "Answer.")],
    } | more


def node(id: str, parent: str | None, message: Json | None, *children: str) -> Json:
    """A node of ChatGPT's mapping."""
    return {"id": id, "parent": parent, "children": list(children), "message": message}


def says(role: str, content: Any, recipient: str = "all", name: str | None = None, **more: Any) -> Json:
    """A message of ChatGPT; a string is its text."""
    held = {"content_type": "text", "parts": [content]} if isinstance(content, str) else content
    message: Json = {
        "author": {"role": role, "name": name, "metadata": {}},
        "content": held,
        "recipient": recipient,
    }
    return message | {"create_time": 1741064767.5, "metadata": {}} | more


def thread(number: int, *messages: Json, **more: Any) -> Json:
    """A conversation of ChatGPT, one message after the other below an empty root."""
    ids = ["root-0000", *(f"node-{at:04}" for at in range(1, len(messages) + 1))]
    mapping = {ids[0]: node(ids[0], None, None, *ids[1:2])}
    for at, message in enumerate(messages, 1):
        mapping[ids[at]] = node(ids[at], ids[at - 1], {"id": ids[at], **message}, *ids[at + 1 : at + 2])
    told = {"title": f"Thread {number}", "create_time": 1741064767.5, "update_time": 1741064999.0}
    return told | {"conversation_id": uuid(number), "mapping": mapping, "current_node": ids[-1]} | more


def write(path: Path, value: Any) -> Path:
    """A file with this value as JSON, or with these bytes."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(value if isinstance(value, bytes) else json.dumps(value, ensure_ascii=False).encode())
    return path


def zipped(path: Path, members: Mapping[str, Any]) -> Path:
    """A zip with these members."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, value in members.items():
            archive.writestr(name, value if isinstance(value, bytes) else json.dumps(value))
    return path


class Imports:
    """A folder of imports, and the exports brought into it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "imports"
        self.export = folder / "export"

    def take(self, value: Any, name: str = "conversations.json") -> ImportReport:
        """Import a file with this content."""
        return import_export(write(self.export / name, value), self.folder)

    def files(self) -> list[SessionFile]:
        """What is kept, by id."""
        return sorted(imported(self.folder, Counter()), key=lambda file: file.id)

    def only(self, value: Any, name: str = "conversations.json") -> SessionFile:
        """The one session that a file of this content brings."""
        report = self.take(value, name)
        assert (report.added, report.bad, report.flawed) == (1, [], [])
        [file] = self.files()
        return file

    def read(self, value: Any, name: str = "conversations.json") -> Reader:
        """The one session that a file of this content brings, as it is read."""
        return open_transcript(self.only(value, name).path)

    def passages(self, value: Any, name: str = "conversations.json") -> list[Passage]:
        """What that session says."""
        return list(read_history(self.only(value, name)).passages())


def spoken(passages: Sequence[Passage]) -> list[tuple[str, str]]:
    """Who says what."""
    return [(passage.role, passage.text) for passage in passages]


def shape(session: Reader) -> list[tuple[str, list[tuple[str, str]]]]:
    """The messages of a session: the role, and kind and text of each block."""
    return [
        (message.role, [(block.kind, session.text(block)) for block in message.blocks])
        for message in session.messages
    ]
