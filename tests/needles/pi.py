"""pi's traps: compaction, branches, bash executions, custom messages, names."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.needles.needle import Needles, clock, write_lines

SESSION = "7e110001-0000-4000-8000-000000000001"


class Entries:
    """A pi session in the making."""

    def __init__(self) -> None:
        self.lines: list[Any] = [
            {"type": "session", "version": 3, "id": SESSION, "timestamp": clock(0), "cwd": "/home/user/pilot"}
        ]
        self.last: str | None = None
        self._number = 0x7A000000

    def add(self, kind: str, parent: str | None = "last", **fields: Any) -> str:
        """Add an entry and return its id."""
        self._number += 0x01010101
        id = f"{self._number:08x}"
        up = self.last if parent == "last" else parent
        self.lines.append({"type": kind, "id": id, "parentId": up, "timestamp": clock(len(self.lines)), **fields})
        self.last = id
        return id

    def message(self, role: str, content: Any, parent: str | None = "last", **fields: Any) -> str:
        """Add a message and return its id."""
        return self.add("message", parent, message={"role": role, "content": content, "timestamp": 1, **fields})


def pi_needles(root: Path) -> Needles:
    """Write a pi session under a home, and return what must be found."""
    needles = Needles("pi")
    put, e = needles.put, Entries()
    e.message("user", f"sail {put('prompt', SESSION, 'user')}")
    call = {
        "type": "toolCall",
        "id": "c1",
        "name": "bash",
        "arguments": {"command": put("input", SESSION, "call")},
    }
    thought = {"type": "thinking", "thinking": put("thinking", SESSION, "thinking")}
    e.message(
        "assistant",
        [thought, {"type": "text", "text": put("answer", SESSION, "assistant")}, call],
        stopReason="toolUse",
    )
    result = [{"type": "text", "text": put("result", SESSION, "result", tool="bash")}]
    fork = e.message("toolResult", result, toolCallId="c1", toolName="bash", isError=False)
    words = put("abandoned", SESSION, "user", flags=frozenset(["abandoned"]))
    e.message("user", f"the wrong tack {words}")
    summary = put("branchsummary", SESSION, "summary")
    kept = e.add("branch_summary", fork, fromId=e.last, summary=f"left because {summary}")
    e.message("user", f"the right tack {put('afterbranch', SESSION, 'user')}")
    e.add(
        "message",
        message={
            "role": "bashExecution",
            "command": f"ls {put('bashcommand', SESSION, 'call')}",
            "output": put("bashoutput", SESSION, "result"),
            "exitCode": 0,
        },
    )
    e.add("custom_message", customType="x", content=put("custommessage", SESSION, "machine"), display=True)
    e.add(
        "compaction",
        summary=f"so far {put('compaction', SESSION, 'summary')}",
        firstKeptEntryId=kept,
        tokensBefore=9,
    )
    e.message(
        "assistant",
        [{"type": "text", "text": f"on {put('aftercompaction', SESSION, 'assistant')}"}],
        stopReason="stop",
    )
    e.add("session_info", name=f"Tour of {put('name', SESSION, 'title')}")
    folder = root / ".pi" / "agent" / "sessions" / "--home-user-pilot--"
    write_lines(folder / f"2026-02-03T08-00-00-000Z_{SESSION}.jsonl", e.lines)
    return needles
