"""Codex's traps: old and new rollouts, archived and compressed ones, twins, forks, paginated threads."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import zstandard

from tests.needles.needle import Needles, clock, write_lines

CWD = "/home/user/lighthouse"


class Rollout:
    """A rollout in the making."""

    def __init__(self, number: int, **meta: Any) -> None:
        self.id = f"019c{number:04x}-0000-7000-8000-{number:012x}"
        self.lines: list[Any] = []
        self._minute = 0
        self.add(
            "session_meta",
            {
                "id": self.id,
                "timestamp": clock(0),
                "cwd": CWD,
                "originator": "codex_cli_rs",
                "cli_version": "0.148.0",
                "source": "cli",
                **meta,
            },
        )

    def add(self, kind: str, payload: dict[str, Any]) -> dict[str, Any]:
        """Add a line and return it."""
        self._minute += 1
        line = {"timestamp": clock(self._minute), "type": kind, "payload": payload}
        self.lines.append(line)
        return line

    def item(self, kind: str, **fields: Any) -> None:
        """Add a response item."""
        self.add("response_item", {"type": kind, **fields})

    def event(self, kind: str, **fields: Any) -> None:
        """Add an event."""
        self.add("event_msg", {"type": kind, **fields})

    def turn(self, number: int) -> None:
        """Begin a turn."""
        self.event("task_started", turn_id=f"turn-{self.id[:8]}-{number}")
        self.add("turn_context", {"turn_id": f"turn-{self.id[:8]}-{number}", "cwd": CWD, "model": "gpt-5.2"})

    def user(self, words: str, twin: bool = True) -> None:
        """Add a prompt, with the event that says it again."""
        self.item("message", role="user", content=[{"type": "input_text", "text": words}])
        if twin:
            self.event("user_message", message=words, images=[])

    def assistant(self, words: str, twin: bool = True) -> None:
        """Add an answer, with the event that says it again."""
        if twin:
            self.event("agent_message", message=words)
        self.item("message", role="assistant", content=[{"type": "output_text", "text": words}])

    @property
    def name(self) -> str:
        """The file's name."""
        return f"rollout-2026-02-03T08-00-00-{self.id}.jsonl"

    def write(self, root: Path, folder: str = "sessions/2026/02/03") -> Path:
        """Write the rollout where the host would."""
        path = root / ".codex" / folder / self.name
        write_lines(path, self.lines)
        return path


def codex_needles(root: Path) -> Needles:
    """Write Codex's sessions under a home, and return what must be found."""
    needles = Needles("codex")
    for write in (_items, _twins, _places, _forks, _flat):
        write(root, needles)
    return needles


def _items(root: Path, needles: Needles) -> None:
    """Each kind of response item, and every shape of output."""
    r = Rollout(1)
    put = needles.put
    r.item("message", role="developer", content=[{"type": "input_text", "text": "<permissions instructions>x"}])
    environment = f"<environment_context>{put('environment', r.id, 'machine')}</environment_context>"
    r.item("message", role="user", content=[{"type": "input_text", "text": environment}])
    r.turn(1)
    r.user(f"light the {put('prompt', r.id, 'user')}")
    r.item(
        "reasoning",
        summary=[{"type": "summary_text", "text": put("reasoning", r.id, "thinking")}],
        encrypted_content="gAAAAAxyz",
    )
    arguments = json.dumps({"command": ["bash", "-lc", f"ls {put('arguments', r.id, 'call')}"]})
    r.item("function_call", name="shell", arguments=arguments, call_id="c1")
    output = json.dumps({"output": put("output", r.id, "result"), "metadata": {"exit_code": 0}})
    r.item("function_call_output", call_id="c1", output=output)
    r.item("function_call", name="exec_command", arguments='{"cmd": "make"}', call_id="c2")
    failed = {"content": f"Exit code: 2\nOutput:\n{put('outputfailed', r.id, 'result')}", "success": False}
    r.item("function_call_output", call_id="c2", output=failed)
    r.item("function_call", name="view", arguments="{}", call_id="c3")
    items = [{"type": "input_text", "text": put("outputitems", r.id, "result", tool="view")}]
    r.item("function_call_output", call_id="c3", output=items)
    patch = (
        f"*** Begin Patch\n*** Add File: x\n+{put('custominput', r.id, 'call', tool='apply_patch')}\n*** End Patch"
    )
    r.item("custom_tool_call", name="apply_patch", input=patch, call_id="c4", status="completed")
    r.item("custom_tool_call_output", call_id="c4", output=put("customoutput", r.id, "result"))
    action = {"type": "exec", "command": ["cat", put("localshell", r.id, "call")]}
    r.item("local_shell_call", call_id="c5", status="completed", action=action)
    r.item("function_call_output", call_id="c5", output="ok")
    r.item(
        "web_search_call", status="completed", action={"type": "search", "query": put("websearch", r.id, "call")}
    )
    r.assistant(f"It is lit: {put('answer', r.id, 'assistant')}")
    for mark, name in zip("\u2028\u2029\x85", ("lineseparator", "paragraph", "nextline"), strict=True):
        r.assistant(f"before{mark}{put(name, r.id, 'assistant')}")
    r.add(
        "compacted",
        {
            "message": f"So far {put('compacted', r.id, 'summary')}",
            "replacement_history": [{"type": "message", "role": "user", "content": []}],
        },
    )
    r.assistant(f"going on {put('aftercompacted', r.id, 'assistant')}")
    r.write(root)


def _twins(root: Path, needles: Needles) -> None:
    """What only an event says, what a paginated thread says, and what was rolled back."""
    put = needles.put
    r = Rollout(2)
    r.turn(1)
    r.event("user_message", message=f"only told as an event {put('eventonly', r.id, 'user')}", images=[])
    r.event("agent_reasoning", text=f"thought as an event {put('eventreasoning', r.id, 'thinking')}")
    r.event("agent_message", message=f"answered as an event {put('eventanswer', r.id, 'assistant')}")
    target = {"type": "custom", "instructions": f"look at {put('reviewasked', r.id, 'user')}"}
    r.event("entered_review_mode", target=target, user_facing_hint=target["instructions"])
    found = {"findings": [], "overall_explanation": f"it is {put('reviewfound', r.id, 'assistant')}"}
    r.event("exited_review_mode", review_output=found)
    r.event("task_complete", turn_id="", last_agent_message=None)
    r.turn(2)
    r.user(f"to be taken back {put('rolledback', r.id, 'user', flags=frozenset(['abandoned']))}")
    r.assistant("as you say")
    r.event("task_complete", turn_id="", last_agent_message=None)
    r.event("thread_rolled_back", num_turns=1)
    r.turn(3)
    editor = "# Context from my IDE setup:\n\n## Active file: x.py"
    r.user(f"{editor}\n\n## My request for Codex:\nplease {put('request', r.id, 'user')}")
    r.write(root)
    r = Rollout(3, history_mode="paginated")
    r.turn(1)
    user = {"type": "UserMessage", "id": "i1", "content": [{"type": "text", "text": put("paged", r.id, "user")}]}
    r.event("item_completed", turn_id="t", item=user)
    answer = {
        "type": "AgentMessage",
        "id": "i2",
        "content": [{"type": "Text", "text": put("pagedanswer", r.id, "assistant")}],
    }
    r.event("item_completed", turn_id="t", item=answer)
    r.write(root)


def _places(root: Path, needles: Needles) -> None:
    """Archived, compressed, and both forms of one session at once."""
    put = needles.put
    r = Rollout(4)
    r.turn(1)
    r.user(f"put away {put('archived', r.id, 'user')}")
    r.write(root, "archived_sessions")
    for number, name, keep in ((5, "compressed", False), (6, "bothforms", True)):
        r = Rollout(number)
        r.turn(1)
        r.user(f"squeezed {put(name, r.id, 'user')}")
        plain = r.write(root)
        plain.with_suffix(".jsonl.zst").write_bytes(zstandard.compress(plain.read_bytes()))
        if not keep:
            plain.unlink()


def _forks(root: Path, needles: Needles) -> None:
    """A fork and a subagent replay their parent, with new times, before their own first turn."""
    put = needles.put
    parent = Rollout(7)
    parent.turn(1)
    parent.user(f"asked once {put('replayed', parent.id, 'user')}")
    parent.assistant("answered once")
    parent.write(root)
    fork = Rollout(8, forked_from_id=parent.id)
    for line in parent.lines:
        fork.lines.append({**line, "timestamp": clock(50)})
    fork.turn(2)
    fork.user(f"the fork's own {put('forkedown', fork.id, 'user')}")
    fork.write(root)
    spawned = {"subagent": {"thread_spawn": {"parent_thread_id": parent.id, "depth": 1}}}
    child = Rollout(9, session_id=parent.id, source=spawned, parent_thread_id=parent.id)
    child.turn(1)
    child.user(f"the child's own {put('childown', child.id, 'user')}")
    child.write(root)
    index = root / ".codex" / "session_index.jsonl"
    write_lines(index, [{"id": "019cdead-0000-7000-8000-000000000000", "thread_name": "a dead one"}])


def _flat(root: Path, needles: Needles) -> None:
    """Rollouts from before each line had a type and a payload."""
    put = needles.put
    id = "0199aaaa-0000-7000-8000-000000000010"
    lines = [
        {"id": id, "timestamp": clock(0), "instructions": None, "git": {}},
        {
            "type": "message",
            "role": "user",
            "content": [{"type": "input_text", "text": put("flatprompt", id, "user")}],
        },
        {"record_type": "state"},
        {"type": "function_call", "name": "shell", "arguments": '{"command": ["ls"]}', "call_id": "f1"},
        {
            "type": "function_call_output",
            "call_id": "f1",
            "output": json.dumps({"output": put("flatoutput", id, "result"), "metadata": {"exit_code": 0}}),
        },
        {
            "type": "message",
            "role": "assistant",
            "content": [{"type": "output_text", "text": put("flatanswer", id, "assistant")}],
        },
    ]
    write_lines(root / ".codex" / "sessions" / f"rollout-2025-06-01-{id}.jsonl", lines)
