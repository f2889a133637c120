"""Exports and trajectories, to be brought in: attachments, branches, shards, bad conversations."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

from tests.needles.needle import Needles, clock, uuid

PLACEHOLDER = "```\nThis block is not supported on your current device yet.\n```"
ROOT = "00000000-0000-4000-8000-000000000000"


def export_needles(folder: Path) -> tuple[list[Path], list[Needles]]:
    """Write exports and trajectories into a folder; returns what to import, and what must be found then."""
    folder.mkdir(parents=True)
    made = [_claude_ai(folder), _chatgpt(folder), _mini_swe(folder), _swe_agent(folder)]
    return [path for path, _ in made], [needles for _, needles in made]


def _claude_ai(folder: Path) -> tuple[Path, Needles]:
    needles = Needles("claude.ai")
    put, id = needles.put, uuid(500_001)

    def message(number: int, sender: str, up: str, text: str = "", **fields: Any) -> dict[str, Any]:
        return {
            "uuid": uuid(500_010 + number),
            "sender": sender,
            "text": text,
            "content": [],
            "attachments": [],
            "files": [],
            "created_at": clock(number),
            "updated_at": clock(number),
            "parent_message_uuid": up,
            **fields,
        }

    said = {"type": "text", "text": f"moor {put('content', id, 'user')}"}
    attached = {
        "file_name": "a.txt",
        "file_type": "txt",
        "file_size": 9,
        "extracted_content": put("attachment", id, "user"),
    }
    thought = {"type": "thinking", "thinking": put("thinking", id, "thinking")}
    use = {"type": "tool_use", "name": "web_search", "input": {"query": put("tooluse", id, "call")}}
    result = {
        "type": "tool_result",
        "name": "web_search",
        "content": [{"type": "text", "text": put("toolresult", id, "result")}],
    }
    answer = {"type": "text", "text": put("answer", id, "assistant")}
    one = message(1, "human", ROOT, f"moor\n{PLACEHOLDER}", content=[said])
    two = message(2, "human", one["uuid"], attachments=[attached])
    three = message(3, "assistant", two["uuid"], content=[thought, use, result, answer])
    words = put("otherbranch", id, "assistant", flags=frozenset(["abandoned"]))
    four = message(4, "assistant", three["uuid"], content=[{"type": "text", "text": words}])
    five = message(5, "assistant", three["uuid"], content=[{"type": "text", "text": "newer"}])
    only_text = message(6, "human", five["uuid"], f"plain {put('onlytext', id, 'user')}")
    conversation = {
        "uuid": id,
        "name": "Mooring",
        "summary": "",
        "created_at": clock(0),
        "updated_at": clock(9),
        "account": {"uuid": "x"},
        "chat_messages": [one, two, three, four, five, only_text],
    }
    bad = {"uuid": uuid(500_099), "name": "Bad", "created_at": "not a date", "chat_messages": None}
    document = {
        "uuid": uuid(500_002),
        "name": "Plans",
        "description": "",
        "created_at": clock(0),
        "docs": [
            {"uuid": uuid(500_003), "filename": "p.md", "content": f"plan {put('projectdoc', '', 'machine')}"}
        ],
    }
    path = folder / "claude.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("conversations.json", json.dumps([bad, conversation]))
        archive.writestr(f"projects/{document['uuid']}.json", json.dumps(document))
        archive.writestr("users.json", "[]")
    return path, needles


def _chatgpt(folder: Path) -> tuple[Path, Needles]:
    needles = Needles("chatgpt")
    put, id, second = needles.put, uuid(600_001), uuid(600_002)

    def node(name: str, up: str | None, role: str, content: dict[str, Any], **fields: Any) -> dict[str, Any]:
        message = {
            "id": name,
            "author": {"role": role, "name": fields.pop("tool", None)},
            "create_time": 1_770_105_600.5,
            "content": content,
            "recipient": fields.pop("recipient", "all"),
            **fields,
        }
        return {"id": name, "parent": up, "children": [], "message": message}

    def parts(words: str) -> dict[str, Any]:
        return {"content_type": "text", "parts": [words]}

    nodes = [
        {"id": "r", "parent": None, "children": ["a"], "message": None},
        node("a", "r", "user", parts(f"anchor {put('prompt', id, 'user')}"), metadata={}),
        node(
            "b",
            "a",
            "assistant",
            {"content_type": "code", "language": "python", "text": put("code", id, "call")},
            recipient="python",
            metadata={},
        ),
        node(
            "c",
            "b",
            "tool",
            {"content_type": "execution_output", "text": put("execution", id, "result")},
            tool="python",
            metadata={},
        ),
        node(
            "d",
            "c",
            "assistant",
            {
                "content_type": "thoughts",
                "thoughts": [{"summary": "s", "content": put("thoughts", id, "thinking")}],
            },
        ),
        node("e", "d", "assistant", parts(f"anchored {put('nometadata', id, 'assistant')}")),
        node(
            "f",
            "d",
            "assistant",
            parts(put("alternate", id, "assistant", flags=frozenset(["abandoned"]))),
            metadata={},
        ),
        node(
            "g",
            "e",
            "user",
            {
                "content_type": "multimodal_text",
                "parts": [{"content_type": "audio_transcription", "text": put("transcription", id, "user")}],
            },
            create_time=None,
        ),
    ]
    whole = {
        "id": id,
        "title": "Anchors",
        "create_time": 1_770_105_600.0,
        "update_time": 1_770_105_700.0,
        "current_node": "g",
        "mapping": {n["id"]: n for n in nodes},
    }
    broken = {"id": uuid(600_098), "title": "Broken", "create_time": "yesterday", "mapping": None}
    later = [
        {"id": "r", "parent": None, "children": ["a"], "message": None},
        node("a", "r", "user", parts(f"second shard {put('shard', second, 'user')}")),
    ]
    shard = {
        "conversation_id": second,
        "title": "Shard",
        "create_time": 0,
        "current_node": "a",
        "mapping": {n["id"]: n for n in later},
    }
    path = folder / "chatgpt.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("conversations-000.json", json.dumps([broken, whole]))
        archive.writestr("conversations-001.json", json.dumps([shard]))
        archive.writestr("chat.html", "<html></html>")
    return path, needles


def _mini_swe(folder: Path) -> tuple[Path, Needles]:
    needles = Needles("mini-swe-agent")
    put = needles.put
    answer = f"THOUGHT: look\n\n```bash\ncat {put('command', '', 'call')}\n```"
    result = f"<returncode>0</returncode>\n<output>\n{put('output', '', 'result')}\n</output>"
    messages = [
        {"role": "system", "content": "You are a helpful assistant."},
        {"role": "user", "content": f"Fix the {put('task', '', 'user')}"},
        {"role": "assistant", "content": answer, "extra": {}},
        {"role": "user", "content": result},
    ]
    path = folder / "harbour__crane-1.traj.json"
    value = {
        "info": {"exit_status": "Submitted", "mini_version": "1.9"},
        "messages": messages,
        "trajectory_format": "mini-swe-agent-1",
        "instance_id": "harbour__crane-1",
    }
    path.write_text(json.dumps(value), encoding="utf-8")
    return path, needles


def _swe_agent(folder: Path) -> tuple[Path, Needles]:
    needles = Needles("swe-agent")
    put = needles.put
    thought, action = f"look {put('thought', '', 'assistant')}", f"ls {put('action', '', 'call')}"
    history = [
        {"role": "system", "content": "SETTING", "agent": "main"},
        {"role": "user", "content": f"Solve {put('task', '', 'user')}", "agent": "main"},
        {
            "role": "assistant",
            "content": f"{thought}\n```\n{action}\n```",
            "thought": thought,
            "action": f"{action}\n",
            "agent": "main",
        },
        {"role": "user", "content": put("observation", "", "result"), "agent": "main"},
    ]
    step = {"action": "ls\n", "observation": "x", "response": "y", "state": "{}", "thought": "look"}
    path = folder / "harbour__crane-2.traj"
    value = {"environment": "e", "trajectory": [step], "history": history, "info": {"exit_status": "submitted"}}
    path.write_text(json.dumps(value), encoding="utf-8")
    return path, needles
