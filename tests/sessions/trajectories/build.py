"""Trajectories as mini-swe-agent and SWE-agent write them, made for a test."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from prune_mcp.sessions.history import read_history
from prune_mcp.sessions.passage import Passage
from prune_mcp.sessions.reader import Reader
from prune_mcp.sessions.session_file import SessionFile
from prune_mcp.sessions.transcript import open_transcript

Json = dict[str, Any]
TASK = (
    "<pr_description>\nConsider the following PR description:\nParsing of dates fails\nDetails.\n</pr_description>"
)


def message(role: str, content: Any, **more: Any) -> Json:
    """One message."""
    return {"role": role, "content": content} | more


def acts(command: str, thought: str = "THOUGHT: Let me look.", fence: str = "bash", **more: Any) -> Json:
    """An answer of mini-swe-agent with a command in its text."""
    return message("assistant", f"{thought}\n\n```{fence}\n{command}\n```", **more)


def observed(output: str, code: int = 0) -> Json:
    """What mini-swe-agent tells of a command."""
    return message("user", f"<returncode>{code}</returncode>\n<output>\n{output}\n</output>")


def native(*calls: tuple[str, str], text: str = "") -> Json:
    """An answer with calls beside it: their ids and commands."""
    listed = [
        {"id": id, "type": "function", "function": {"name": "bash", "arguments": json.dumps({"command": command})}}
        for id, command in calls
    ]
    return message("assistant", text or None, tool_calls=listed)


def run(*messages: Json, **more: Any) -> Json:
    """A trajectory of mini-swe-agent; system message and task come first."""
    head = [message("system", "You are a helpful assistant."), message("user", TASK)]
    info = {"exit_status": "Submitted", "submission": "diff", "model_stats": {}, "mini_version": "1.17.0"}
    told = {"info": info, "messages": [*head, *messages], "trajectory_format": "mini-swe-agent-1"}
    return told | {"instance_id": "org__repo-17"} | more


def history(*messages: Json, steps: list[Json] | None = None, **more: Any) -> Json:
    """A trajectory of SWE-agent; system message and task come first."""
    task = "We're solving this issue:\nISSUE:\nParsing of dates fails\n\n(Open file: n/a)\nbash-$"
    head = [message("system", "SETTING: You are a programmer."), message("user", task)]
    return {"environment": "swe_main", "trajectory": steps or [], "history": [*head, *messages], "info": {}} | more


def thinks(thought: str, action: str, **more: Any) -> Json:
    """An answer of SWE-agent in its thought-and-action form."""
    return message("assistant", f"{thought}\n```\n{action}\n```", thought=thought, action=action) | more


def save(folder: Path, value: Json | bytes, name: str = "run.traj.json") -> Path:
    """A file with this trajectory."""
    path = folder / name
    path.write_bytes(value if isinstance(value, bytes) else json.dumps(value, indent=2).encode())
    return path


def read(folder: Path, value: Json | bytes, name: str = "run.traj.json") -> Reader:
    """A trajectory as it is read."""
    return open_transcript(save(folder, value, name))


def passages(path: Path) -> list[Passage]:
    """What the trajectory in a file says."""
    status = path.stat()
    host = "swe-agent" if path.suffix == ".traj" else "mini-swe-agent"
    return list(read_history(SessionFile(host, str(path), status.st_mtime, status.st_size)).passages())


def spoken(path: Path) -> list[tuple[str, str]]:
    """Who says what, from the task on."""
    told: list[tuple[str, str]] = [(passage.role, passage.text) for passage in passages(path)]
    return told[3:]


def shape(session: Reader) -> list[tuple[str, list[tuple[str, str]]]]:
    """The messages behind the task: the role, and kind and text of each block."""
    return [
        (message.role, [(block.kind, session.text(block)) for block in message.blocks])
        for message in session.messages[2:]
    ]
