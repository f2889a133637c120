"""Writes rollouts as Codex does, one line after another."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import zstandard

SESSION = "019fc8be-3658-7ca3-9e29-000000000001"
PARENT = "019fc8be-3658-7ca3-9e29-0000000000aa"


class Rollout:
    """A rollout being written. `bare`: in the form of before September 2025, without payloads and times."""

    def __init__(self, path: Path, session: str = SESSION, *, bare: bool = False, **meta: Any) -> None:
        self.path = path
        self.session = session
        self.bare = bare
        self.count = 0
        self.turns = 0
        path.parent.mkdir(parents=True, exist_ok=True)
        header = {"id": session, "timestamp": moment(0)}
        if bare:
            self.raw({**header, "instructions": None, "git": {"branch": "main"}})
        else:
            self.meta({**header, "cwd": "/home/user/app", "originator": "codex_cli_rs", "source": "cli", **meta})

    def write(self, data: bytes) -> None:
        """Append bytes as they are."""
        with self.path.open("ab") as file:
            file.write(data)

    def raw(self, value: Any) -> None:
        """Append a value as a line."""
        self.write(json.dumps(value).encode() + b"\n")

    def line(self, kind: str, payload: dict[str, Any], **fields: Any) -> dict[str, Any]:
        """Append a line with a payload; returns it as written."""
        self.count += 1
        line = {"timestamp": moment(self.count), "type": kind, "payload": payload, **fields}
        self.raw(line)
        return line

    def meta(self, payload: dict[str, Any]) -> None:
        """A header."""
        self.line("session_meta", payload)

    def item(self, payload: dict[str, Any]) -> dict[str, Any]:
        """An item for the model; returns the line as written."""
        if not self.bare:
            return self.line("response_item", payload)
        self.raw(payload)
        self.raw({"record_type": "state"})
        return payload

    def event(self, kind: str, **fields: Any) -> None:
        """An event."""
        self.line("event_msg", {"type": kind, **fields})

    def turn(self, id: str = "") -> str:
        """A turn begins; returns its id."""
        self.turns += 1
        id = id or f"{self.session[-4:]}-turn-{self.turns}"
        self.event("task_started", turn_id=id, model_context_window=258400)
        self.line("turn_context", {"turn_id": id, "cwd": "/home/user/app", "model": "gpt-5"})
        return id

    def done(self, words: str = "", turn: str = "") -> None:
        """The turn ended."""
        self.event("task_complete", turn_id=turn, last_agent_message=words or None)

    def prompt(self, *texts: str, event: bool = True) -> None:
        """What a person asked: the item, and the event that says the same."""
        self.item(message("user", *texts))
        if event and not self.bare:
            self.event("user_message", message="".join(texts), images=[])

    def says(self, words: str, event: bool = True) -> None:
        """A text of the model: the event first, as Codex writes it, and the item."""
        if event and not self.bare:
            self.event("agent_message", message=words)
        self.item(message("assistant", words))

    def call(self, id: str, name: str = "exec_command", **arguments: Any) -> None:
        """A function call."""
        arguments = arguments or {"cmd": f"run {id}"}
        self.item({"type": "function_call", "name": name, "arguments": json.dumps(arguments), "call_id": id})

    def output(self, id: str, output: Any = "ok") -> None:
        """The output of a function call."""
        self.item({"type": "function_call_output", "call_id": id, "output": output})

    def exchange(self, prompt: str, answer: str, calls: int = 1, size: int = 0) -> None:
        """A whole turn: a prompt, so many calls with their outputs, an answer."""
        turn = self.turn()
        self.prompt(prompt)
        for number in range(calls):
            id = f"call_{self.turns}_{number}"
            self.item({"type": "reasoning", "summary": [], "encrypted_content": "gAAAAA"})
            self.call(id)
            self.output(id, shell(f"output of {id} " + "x" * size))
        self.says(answer)
        self.done(answer, turn)

    def compacted(self, summary: str, *kept: str, history: bool = True) -> None:
        """A compaction, which keeps prompts; without `history` as old versions wrote it."""
        left = [message("user", text) for text in (*kept, summary)]
        payload: dict[str, Any] = {"message": summary}
        self.line("compacted", payload | ({"replacement_history": left} if history else {}))
        self.event("context_compacted")

    def lines(self) -> list[dict[str, Any]]:
        """Every line as an object."""
        return [json.loads(line) for line in self.path.read_bytes().splitlines()]

    def packed(self) -> Path:
        """The rollout compressed, as Codex leaves it after a week; the plain file goes."""
        path = self.path.with_name(f"{self.path.name}.zst")
        path.write_bytes(zstandard.ZstdCompressor(level=3).compress(self.path.read_bytes()))
        self.path.unlink()
        return path


def rollout_path(home: Path, session: str = SESSION, folder: str = "sessions/2026/01/02") -> Path:
    """Where a rollout stands in a folder of Codex."""
    return home / folder / f"rollout-2026-01-02T03-04-05-{session}.jsonl"


def message(role: str, *texts: str) -> dict[str, Any]:
    """A message with these texts as its parts."""
    kind = "output_text" if role == "assistant" else "input_text"
    return {"type": "message", "role": role, "content": [{"type": kind, "text": text} for text in texts]}


def shell(text: str, code: int = 0) -> str:
    """An output as the shell tells it."""
    return (
        f"Chunk ID: a21e41\nWall time: 1.0037 seconds\nProcess exited with code {code}\n"
        f"Original token count: 16\nOutput:\n{text}"
    )


def moment(seconds: int) -> str:
    """A time as Codex writes it."""
    return f"2026-01-02T{seconds // 3600 % 24:02}:{seconds // 60 % 60:02}:{seconds % 60:02}.000Z"
