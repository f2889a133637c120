"""Small Anthropic conversations, built turn by turn."""

from __future__ import annotations

import json
from typing import Any

JSON = dict[str, Any]


class Talk:
    """Builds a valid Anthropic message array; call ids are `c1`, `c2`, ... unless named.

    `calls`: how many calls have such ids already.
    """

    def __init__(self, calls: int = 0) -> None:
        self.messages: list[JSON] = []
        self._calls = calls

    def prompt(self, text: str) -> Talk:
        """The person asks something."""
        self.messages.append({"role": "user", "content": text})
        return self

    def answer(self, text: str, thinking: str = "") -> Talk:
        """The assistant answers without a call."""
        self.messages.append({"role": "assistant", "content": [*_thinking(thinking), _text(text)]})
        return self

    def turn(self, *calls: JSON, text: str = "", thinking: str = "") -> Talk:
        """One assistant message with calls made by `call`, and their results."""
        asked, answered = [], []
        for call in calls:
            self._calls += 1
            id = call.get("id") or f"c{self._calls}"
            asked.append({"type": "tool_use", "id": id, "name": call["tool"], "input": call["input"]})
            result: JSON = {"type": "tool_result", "tool_use_id": id, "content": call["output"]}
            if call["error"]:
                result["is_error"] = True
            answered.append(result)
        said = [_text(text)] if text else []
        self.messages.append({"role": "assistant", "content": [*_thinking(thinking), *said, *asked]})
        self.messages.append({"role": "user", "content": answered})
        return self

    def turns(self, count: int) -> Talk:
        """That many more turns with outputs too small to matter, to make what came before old."""
        for number in range(count):
            self.turn(call("Bash", f"ok {number}", command=f"true {number}"))
        return self


def call(tool: str, output: Any, *, id: str = "", error: bool = False, **input: Any) -> JSON:
    """A tool call with its output."""
    return {"tool": tool, "output": output, "input": input, "id": id, "error": error}


def log(lines: int, word: str = "worker", start: int = 0) -> str:
    """A log of that many lines that repeats itself, about 60 characters a line."""
    return "\n".join(
        f"{word} step {n:04} of the nightly run went by without a word" for n in range(start, start + lines)
    )


def results(messages: list[JSON]) -> dict[str, Any]:
    """The content of each result by call id, in the order of the array (the last of a reused id counts)."""
    return {
        block["tool_use_id"]: block["content"]
        for message in messages
        if isinstance(message["content"], list)
        for block in message["content"]
        if block["type"] == "tool_result"
    }


def texts(messages: list[JSON]) -> str:
    """Everything the array says, as one JSON text."""
    return json.dumps(messages, ensure_ascii=False)


def _text(text: str) -> JSON:
    return {"type": "text", "text": text}


def _thinking(text: str) -> list[JSON]:
    return [{"type": "thinking", "thinking": text, "signature": f"sig-{text}"}] if text else []
