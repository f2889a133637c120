"""Claude Code's traps: entry types, blocks, branches, copies, subagents."""

from __future__ import annotations

import json
from base64 import b64encode
from pathlib import Path
from typing import Any

from tests.needles.needle import Needles, clock, uuid, write_lines

CWD = "/home/user/harbour"
PROJECT = "-home-user-harbour"


class Session:
    """A Claude Code transcript in the making: each entry hangs on the one before unless told otherwise."""

    def __init__(self, number: int) -> None:
        self.id = uuid(900_000 + number)
        self.lines: list[Any] = []
        self.last: str | None = None
        self._next = number * 1000
        self._minute = 0

    def add(self, kind: str, parent: str | None = "last", **fields: Any) -> dict[str, Any]:
        """Add an entry of the tree and return it."""
        self._next += 1
        self._minute += 1
        entry = {
            "type": kind,
            "uuid": uuid(self._next),
            "parentUuid": self.last if parent == "last" else parent,
            "sessionId": self.id,
            "timestamp": clock(self._minute),
            "cwd": CWD,
            "version": "2.1.39",
            "userType": "external",
            "isSidechain": False,
            **fields,
        }
        self.last = str(entry["uuid"])
        self.lines.append(entry)
        return entry

    def user(self, content: Any, **fields: Any) -> dict[str, Any]:
        """A message of the role user."""
        return self.add("user", message={"role": "user", "content": content}, **fields)

    def assistant(self, *blocks: Any, message: str = "", **fields: Any) -> dict[str, Any]:
        """A line of a response."""
        body = {"id": message or f"msg_{self._next}", "role": "assistant", "content": list(blocks)}
        return self.add("assistant", message=body, **fields)

    def call(self, tool: str, arguments: Any, result: Any, **fields: Any) -> None:
        """A call and its result."""
        id = f"toolu_{self._next}"
        self.assistant({"type": "tool_use", "id": id, "name": tool, "input": arguments})
        self.user([{"type": "tool_result", "tool_use_id": id, "content": result, **fields}])

    def write(self, root: Path, name: str = "", project: str = PROJECT) -> None:
        """Write the transcript where the host would."""
        write_lines(root / ".claude" / "projects" / project / (name or f"{self.id}.jsonl"), self.lines)


def text(words: str) -> dict[str, str]:
    """A text block."""
    return {"type": "text", "text": words}


def claude_needles(root: Path) -> Needles:
    """Write Claude Code's sessions under a home, and return what must be found."""
    needles = Needles("claude-code")
    for write in (_plain, _beside, _machine, _titles, _compaction, _branches, _snapshots, _copies, _subagents):
        write(root, needles)
    return needles


def _plain(root: Path, needles: Needles) -> None:
    s = Session(1)
    put = needles.put
    s.user(f"why does the harbour crane stall {put('prompt', s.id, 'user', time=clock(1))}")
    s.assistant(
        {"type": "thinking", "thinking": f"maybe {put('thinking', s.id, 'thinking')}", "signature": "c2ln"}
    )
    s.assistant(text(f"Because of {put('answer', s.id, 'assistant')}."))
    s.call("Bash", {"command": f"grep -rn {put('input', s.id, 'call', tool='Bash')} ."}, "nothing")
    s.call("Read", {"file_path": "a.py"}, f"1\u2192x = '{put('result', s.id, 'result', tool='Read')}'")
    s.call(
        "Grep", {"pattern": "y"}, [text(f"found {put('resultlist', s.id, 'result', tool='Grep')}"), text("more")]
    )
    s.call(
        "Bash",
        {"command": "make"},
        f"Error: {put('error', s.id, 'result', flags=frozenset(['error']))}",
        is_error=True,
    )
    s.call(
        "ToolSearch", {"query": "q"}, [{"type": "tool_reference", "tool_name": put("reference", s.id, "result")}]
    )
    s.user([put("rawstring", s.id, "user"), text("and more")])
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo="}}
    s.user([image, text(f"see the picture {put('besideimage', s.id, 'user')}")])
    document = {"type": "text", "media_type": "text/plain", "data": f"a paper on {put('document', s.id, 'user')}"}
    s.user([{"type": "document", "source": document}, text("what does it say")])
    encoded = b64encode(f"a paper on {put('document64', s.id, 'user')}".encode()).decode()
    document = {"type": "base64", "media_type": "text/markdown", "data": encoded}
    s.user([{"type": "document", "source": document}, text("and this one")])
    s.user(f"\u6570\u636e\u5e93\u9501\u5b9a\u5728\u6e2f\u53e3 {put('cjk', s.id, 'user')}")
    s.write(root)


def _beside(root: Path, needles: Needles) -> None:
    """Text that stands beside the messages: moved outputs, attachments, what was typed while the model worked."""
    s = Session(2)
    put = needles.put
    s.user("begin")
    saved = root / ".claude" / "projects" / PROJECT / s.id / "tool-results" / "b1.txt"
    saved.parent.mkdir(parents=True, exist_ok=True)
    saved.write_text("line\n" * 500 + put("persisted", s.id, "result", tool="Bash") + "\n", encoding="utf-8")
    told = f"Output too large (20KB). Full output saved to: {saved}"
    preview = f"<persisted-output>\n{told}\n\nPreview:\nline\n</persisted-output>"
    s.call("Bash", {"command": "long"}, preview)
    queued = {"type": "queued_command", "prompt": f"also {put('queued', s.id, 'user')}", "commandMode": "prompt"}
    s.add("attachment", attachment=queued)
    blocks = {"type": "queued_command", "prompt": [text(f"and {put('queuedlist', s.id, 'user')}")]}
    s.add("attachment", attachment=blocks)
    s.lines.append(
        {
            "type": "queue-operation",
            "operation": "enqueue",
            "timestamp": clock(30),
            "sessionId": s.id,
            "content": f"steer {put('queueremoved', s.id, 'user')}",
        }
    )
    s.lines.append({"type": "queue-operation", "operation": "remove", "timestamp": clock(31), "sessionId": s.id})
    file = {
        "type": "file",
        "filename": "b.py",
        "content": {
            "type": "text",
            "file": {"filePath": "b.py", "content": f"b = {put('attachedfile', s.id, 'machine')}"},
        },
    }
    s.add("attachment", attachment=file)
    s.add(
        "attachment",
        attachment={
            "type": "hook_additional_context",
            "content": [f"hook says {put('hookcontext', s.id, 'machine')}"],
        },
    )
    s.add("system", subtype="away_summary", content=f"You were away: {put('away', s.id, 'machine')}")
    s.write(root)


def _machine(root: Path, needles: Needles) -> None:
    """What the host puts under the user's role."""
    s = Session(3)
    put = needles.put
    s.user(f"the skill body {put('ismeta', s.id, 'machine')}", isMeta=True)
    reminder = f"<system-reminder>{put('reminder', s.id, 'machine')}</system-reminder>"
    s.user(f"{reminder}\nmy own {put('ownwords', s.id, 'user')}")
    s.user(
        f"<command-name>/review</command-name><command-message>review</command-message>"
        f"<command-args>{put('command', s.id, 'user')}</command-args>"
    )
    s.user(f"<local-command-stdout>{put('localstdout', s.id, 'machine')}</local-command-stdout>")
    s.user(f"<bash-input>ls {put('bashinput', s.id, 'machine')}</bash-input>")
    s.user(f"<task-notification>{put('notification', s.id, 'machine')}</task-notification>")
    s.assistant(text("done"))
    s.write(root)


def _titles(root: Path, needles: Needles) -> None:
    put = needles.put
    s = Session(4)
    first = s.user("name this")
    s.assistant(text("named"))
    s.lines.append(
        {"type": "summary", "summary": f"On {put('summaryline', s.id, 'title')}", "leafUuid": first["uuid"]}
    )
    s.write(root)
    s = Session(5)
    s.user("name that")
    s.lines.append(
        {"type": "custom-title", "customTitle": f"My {put('customtitle', s.id, 'title')}", "sessionId": s.id}
    )
    s.write(root)
    s = Session(6)
    s.user("name what")
    s.lines.append({"type": "ai-title", "aiTitle": f"The {put('aititle', s.id, 'title')}", "sessionId": s.id})
    s.write(root)


def _compaction(root: Path, needles: Needles) -> None:
    s = Session(7)
    put = needles.put
    s.user(f"an old question {put('compactedaway', s.id, 'user')}")
    s.assistant(text("an old answer"))
    last = s.last
    s.add(
        "system",
        None,
        subtype="compact_boundary",
        content="Conversation compacted",
        logicalParentUuid=last,
        compactMetadata={"trigger": "auto", "preTokens": 1000},
    )
    s.user(
        f"This session is being continued from a previous conversation. {put('compactsummary', s.id, 'summary')}",
        isCompactSummary=True,
        isVisibleInTranscriptOnly=True,
    )
    s.assistant(text(f"going on {put('aftercompaction', s.id, 'assistant')}"))
    s.assistant(text(f"summed up {put('answeredsummary', s.id, 'summary')}"), isCompactSummary=True)
    s.write(root)


def _branches(root: Path, needles: Needles) -> None:
    s = Session(8)
    put = needles.put
    s.user("start here")
    answer = s.assistant(text("ready"))
    s.user(f"the wrong way {put('abandoned', s.id, 'user', flags=frozenset(['abandoned']))}")
    s.assistant(text("as you wish"))
    s.user(f"the right way {put('activebranch', s.id, 'user')}", parent=answer["uuid"])
    one = s.assistant(
        {"type": "tool_use", "id": "toolu_p1", "name": "Bash", "input": {"command": "a"}}, message="msg_p"
    )
    two = s.assistant(
        {"type": "tool_use", "id": "toolu_p2", "name": "Bash", "input": {"command": "b"}}, message="msg_p"
    )
    first = [{"type": "tool_result", "tool_use_id": "toolu_p1", "content": put("parallelone", s.id, "result")}]
    second = [{"type": "tool_result", "tool_use_id": "toolu_p2", "content": put("paralleltwo", s.id, "result")}]
    s.user(first, parent=one["uuid"])
    s.user(second, parent=two["uuid"])
    s.assistant(text("both done"))
    side = s.user(
        f"explore {put('inlineside', s.id, 'user', flags=frozenset(['subagent']))}", parent=None, isSidechain=True
    )
    s.assistant(text("explored"), parent=side["uuid"], isSidechain=True)
    s.write(root)


def _snapshots(root: Path, needles: Needles) -> None:
    s = Session(9)
    put = needles.put
    s.user("stream it")
    whole = f"First part {put('snapshot', s.id, 'assistant')} and then the rest."
    s.assistant(text(whole[:60]), message="msg_s")
    s.assistant(text(whole), message="msg_s")
    s.user("now in three lines")
    s.assistant(
        {"type": "thinking", "thinking": put("linesthinking", s.id, "thinking"), "signature": "c2ln"},
        message="msg_t",
    )
    s.assistant(text(put("linestext", s.id, "assistant")), message="msg_t")
    call = {
        "type": "tool_use",
        "id": "toolu_t",
        "name": "Bash",
        "input": {"command": put("linescall", s.id, "call")},
    }
    s.assistant(call, message="msg_t")
    s.user([{"type": "tool_result", "tool_use_id": "toolu_t", "content": "ok"}])
    twice = s.user(f"say it once {put('repeateduuid', s.id, 'user')}")
    s.lines.append({**twice, "gitBranch": "main", "version": "2.1.40"})
    other = s.user(f"one {put('sameuuidone', s.id, 'user')}")
    s.lines.append({**other, "message": {"role": "user", "content": f"two {put('sameuuidtwo', s.id, 'user')}"}})
    s.write(root)


def _copies(root: Path, needles: Needles) -> None:
    """A resumed copy, a fork in the background, and two files that share a session's id."""
    put = needles.put
    s = Session(10)
    s.user(f"shared {put('sharedbycopies', s.id, 'user', copies=2)}")
    s.assistant(text("shared answer"))
    resumed, forked = Session(11), Session(12)
    shared = list(s.lines)
    s.user(f"the original goes on {put('originalgoeson', s.id, 'user')}")
    s.write(root)
    for copy, name, extra in ((resumed, "resumednew", {}), (forked, "forkednew", {"sessionKind": "bg"})):
        copy.lines = [{**line, "sessionId": copy.id, **extra} for line in shared]
        copy.last = shared[-1]["uuid"]
        copy._minute = 40
        copy.user(f"only here {put(name, copy.id, 'user')}", **extra)
        copy.write(root)
    twin = Session(13)
    twin.user(f"in one folder {put('sameidhere', twin.id, 'user')}")
    twin.write(root)
    twin.lines = []
    twin.user(f"in another folder {put('sameidthere', twin.id, 'user')}", parent=None)
    twin.write(root, project="-home-user-quay")


def _subagents(root: Path, needles: Needles) -> None:
    put = needles.put
    s = Session(14)
    s.user("send them out")
    s.assistant(text("sent"))
    s.write(root)
    places = {
        "legacyagent": "agent-a1b2c3d.jsonl",
        "nestedagent": f"{s.id}/subagents/agent-b1.jsonl",
        "secondagent": f"{s.id}/subagents/agent-b2.jsonl",
        "workflowagent": f"{s.id}/subagents/workflows/run1/agent-b3.jsonl",
        "agentofthesamename": f"{s.id}/subagents/workflows/run1/agent-b1.jsonl",
    }
    for number, (name, place) in enumerate(places.items()):
        agent = Session(20 + number)
        agent.id = s.id
        id = Path(place).stem.removeprefix("agent-")
        word = put(name, f"{s.id}/agent-{id}", "assistant")
        agent.user("find out", isSidechain=True, agentId=id)
        agent.assistant(text(f"I found {word}"), isSidechain=True, agentId=id)
        agent.write(root, place)
    progress = Session(30)
    progress.user("watch it work")
    embedded = {"type": "user", "message": {"role": "user", "content": [text("embedded twin")]}, "uuid": uuid(1)}
    progress.add("progress", data={"type": "agent_progress", "agentId": "zz", "message": embedded})
    progress.assistant(text(f"after progress {put('afterprogress', progress.id, 'assistant')}"))
    progress.write(root)


def line(entry: dict[str, Any]) -> bytes:
    """An entry as a line, without its newline."""
    return json.dumps(entry, ensure_ascii=False).encode("utf-8", "surrogatepass")
