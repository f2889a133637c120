"""A generated session as Codex writes it down."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from random import Random
from typing import Any

import orjson
from vocabulary import Project, hexadecimal
from work import Call, Turn, Work

Payload = dict[str, Any]

COMPACTED_BYTES = 1_000_000


class CodexSession:
    """Makes the lines of one rollout. `time`: that of the last line."""

    def __init__(self, project: Project, id: str, start: datetime, random: Random) -> None:
        self.project = project
        self.id = id
        self.time = start
        self.random = random
        self.work = Work(project, random)

    def lines(self, size: int) -> Iterator[bytes]:
        """Lines of about `size` bytes together."""
        instructions = self.project.text("sentence", 3_000)
        about = {"id": self.id, "timestamp": self._now(), "cwd": self.project.cwd, "originator": "codex_cli_rs"}
        client = {"cli_version": "0.125.0", "source": "cli", "base_instructions": {"text": instructions}}
        yield self._line("session_meta", {**about, **client})
        written = since = 0
        while written < size:
            for line in self._exchange():
                written += len(line)
                since += len(line)
                yield line
            if since > COMPACTED_BYTES:
                since = 0
                yield self._line("compacted", {"message": self.work.summary(), "replacement_history": []})

    def _exchange(self) -> Iterator[bytes]:
        prompt = self.work.prompt()
        settings = {"approval_policy": "never", "model": "gpt-5.3-codex", "effort": "high", "summary": "auto"}
        yield self._line("turn_context", {"cwd": self.project.cwd, **settings})
        yield self._message("user", "input_text", prompt)
        yield self._event("user_message", message=prompt, images=[])
        for turn in self.work.turns():
            yield from self._turn(turn)

    def _turn(self, turn: Turn) -> Iterator[bytes]:
        if turn.thought:
            summary = [{"type": "summary_text", "text": turn.thought}]
            sealed = hexadecimal(self.random, 1200)
            yield self._item({"type": "reasoning", "summary": summary, "encrypted_content": sealed})
            yield self._event("agent_reasoning", text=turn.thought)
        if turn.said:
            yield self._event("agent_message", message=turn.said)
            yield self._message("assistant", "output_text", turn.said)
        for call in turn.calls:
            yield from self._call(call)
        usage = {"input_tokens": self.random.randrange(190_000), "output_tokens": self.random.randrange(900)}
        yield self._event("token_count", info={"total_token_usage": usage, "model_context_window": 258_400})

    def _call(self, call: Call) -> Iterator[bytes]:
        id = f"call_{hexadecimal(self.random, 24)}"
        command = call.arguments.get("command") or "\n".join(str(value) for value in call.arguments.values())
        given = orjson.dumps({"cmd": command, "workdir": self.project.cwd}).decode()
        yield self._item({"type": "function_call", "name": "exec_command", "arguments": given, "call_id": id})
        ended = {"command": ["bash", "-lc", command], "cwd": self.project.cwd, "exit_code": int(call.error)}
        yield self._event("exec_command_end", call_id=id, **ended, aggregated_output=call.result)
        head = f"Chunk ID: {hexadecimal(self.random, 6)}\nWall time: 0.1 seconds"
        output = f"{head}\nProcess exited with code {int(call.error)}\nOutput:\n{call.result}"
        yield self._item({"type": "function_call_output", "call_id": id, "output": output})

    def _message(self, role: str, kind: str, text: str) -> bytes:
        return self._item({"type": "message", "role": role, "content": [{"type": kind, "text": text}]})

    def _item(self, item: Payload) -> bytes:
        return self._line("response_item", item)

    def _event(self, kind: str, **about: Any) -> bytes:
        return self._line("event_msg", {"type": kind, **about})

    def _line(self, kind: str, payload: Payload) -> bytes:
        self.time += timedelta(milliseconds=self.random.randrange(200, 9_000))
        return orjson.dumps({"timestamp": self._now(), "type": kind, "payload": payload}) + b"\n"

    def _now(self) -> str:
        return self.time.strftime("%Y-%m-%dT%H:%M:%S.") + f"{self.time.microsecond // 1000:03d}Z"
