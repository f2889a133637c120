"""A generated session as Claude Code writes it down."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from random import Random
from typing import Any

import orjson
from vocabulary import Project, hexadecimal
from work import Call, Turn, Work

Line = dict[str, Any]

COMPACTED_BYTES = 1_600_000
HOOKS_PER_RESULT = 2.8
PROGRESS_SHARE = 0.4


class ClaudeSession:
    """Makes the lines of one session, each chained to the one before. `time`: that of the last line."""

    def __init__(self, project: Project, id: str, start: datetime, random: Random, agent: str = "") -> None:
        self.project = project
        self.id = id
        self.time = start
        self.random = random
        self.agent = agent
        self.work = Work(project, random)
        self.parent: str | None = None

    def subagent(self) -> ClaudeSession:
        """A session that this one started for a part of its work."""
        return ClaudeSession(self.project, self.id, self.time, self.random, hexadecimal(self.random, 7))

    def fork(self, id: str) -> ClaudeSession:
        """A session that goes on from some place of this one."""
        return ClaudeSession(self.project, id, self.time + timedelta(hours=20), self.random)

    def lines(self, size: int) -> Iterator[bytes]:
        """Lines of about `size` bytes together."""
        written = since = 0
        for line in self._head():
            yield line
        while written < size:
            for line in self._exchange():
                written += len(line)
                since += len(line)
                yield line
                if written >= size:
                    break
            if since > COMPACTED_BYTES:
                since = 0
                yield from self._compaction()

    def resumed(self, shared: list[bytes], size: int) -> Iterator[bytes]:
        """The lines of another session under this one's id, then further ones."""
        for line in shared:
            entry = orjson.loads(line)
            if "sessionId" in entry:
                entry["sessionId"] = self.id
            self.parent = entry.get("uuid", self.parent)
            yield orjson.dumps(entry) + b"\n"
        yield from self.lines(size)

    def _head(self) -> Iterator[bytes]:
        if not self.agent and self.random.random() < 0.5:
            title = self.project.text("sentence", 50)
            yield orjson.dumps({"type": "summary", "summary": title, "leafUuid": self._uuid()}) + b"\n"

    def _exchange(self) -> Iterator[bytes]:
        yield self._line("user", {"role": "user", "content": self.work.prompt()})
        if not self.agent and self.random.random() < 0.8:
            yield self._snapshot()
        for turn in self.work.turns():
            yield from self._turn(turn)

    def _turn(self, turn: Turn) -> Iterator[bytes]:
        """One response, a line for each block, then progress and results."""
        blocks: list[Line] = []
        if turn.thought:
            blocks.append({"type": "thinking", "thinking": turn.thought, "signature": self._token(600)})
        if turn.said:
            blocks.append({"type": "text", "text": turn.said})
        ids = [f"toolu_01{self._token(22)}" for _ in turn.calls]
        for id, call in zip(ids, turn.calls, strict=True):
            blocks.append({"type": "tool_use", "id": id, "name": call.tool, "input": call.arguments})
        response, request = f"msg_01{self._token(22)}", f"req_011C{self._token(20)}"
        for block in blocks:
            message = {
                "model": "claude-sonnet-4-5-20250929",
                "id": response,
                "type": "message",
                "role": "assistant",
                "content": [block],
                "stop_reason": None,
                "stop_sequence": None,
                "usage": {"input_tokens": 3, "cache_read_input_tokens": self.random.randrange(150_000)},
            }
            yield self._line("assistant", message, requestId=request)
        for id, call in zip(ids, turn.calls, strict=True):
            yield from self._result(id, call)

    def _result(self, id: str, call: Call) -> Iterator[bytes]:
        if not self.agent:
            for _ in range(int(self.random.expovariate(1 / HOOKS_PER_RESULT) + 0.5)):
                yield self._progress(id, call)
        if call.tool == "Bash" and self.random.random() < PROGRESS_SHARE:
            last = {"output": call.result[-400:], "fullOutput": call.result[-800:]}
            data = {"type": "bash_progress", **last, "elapsedTimeSeconds": 3, "totalLines": 12}
            yield self._line("progress", None, data=data, toolUseID="bash-progress-0", parentToolUseID=id)
        block = {"tool_use_id": id, "type": "tool_result", "content": call.result, "is_error": call.error}
        yield self._line("user", {"role": "user", "content": [block]}, toolUseResult=self._kept(call))

    def _kept(self, call: Call) -> Any:
        """The result as the host keeps it for itself, beside what the model saw."""
        path = call.arguments.get("file_path", "")
        match call.tool:
            case "Bash":
                return {"stdout": call.result, "stderr": "", "interrupted": False, "isImage": False}
            case "Read":
                whole = "\n".join(call.whole)
                file = {"filePath": path, "content": whole, "numLines": len(call.whole), "totalLines": 900}
                return {"type": "text", "file": {**file, "startLine": call.arguments["offset"]}}
            case "Edit":
                original = "\n".join(call.whole)
                patch = {"oldStart": 1, "oldLines": 9, "lines": call.whole[:9]}
                return {**call.arguments, "originalFile": original, "structuredPatch": [patch]}
            case "Write":
                return {"type": "create", **call.arguments, "structuredPatch": []}
        return {"mode": "content", "filenames": [], "content": call.result, "numLines": call.result.count("\n")}

    def _progress(self, id: str, call: Call) -> bytes:
        command = f"callback {self.project.cwd}/.claude/hooks/check_{call.tool.lower()}.sh"
        hook = {"hookEvent": "PostToolUse", "hookName": f"PostToolUse:{call.tool}", "command": command}
        data = {"type": "hook_progress", **hook}
        return self._line("progress", None, data=data, toolUseID=id, parentToolUseID=id)

    def _snapshot(self) -> bytes:
        backups = {
            path: {"backupFileName": f"{self._token(16)}@v2", "version": 2, "backupTime": self._now()}
            for path in self.project.paths.draw(self.random, 5)
        }
        snapshot = {"messageId": self.parent, "trackedFileBackups": backups, "timestamp": self._now()}
        entry = {"type": "file-history-snapshot", "messageId": self.parent, "snapshot": snapshot}
        return orjson.dumps({**entry, "isSnapshotUpdate": False}) + b"\n"

    def _compaction(self) -> Iterator[bytes]:
        left, self.parent = self.parent, None
        metadata = {"trigger": "auto", "preTokens": 155_000 + self.random.randrange(9_000)}
        boundary = {"subtype": "compact_boundary", "content": "Conversation compacted", "level": "info"}
        yield self._line("system", None, **boundary, logicalParentUuid=left, compactMetadata=metadata)
        message = {"role": "user", "content": self.work.summary()}
        yield self._line("user", message, isCompactSummary=True, isVisibleInTranscriptOnly=True)

    def _line(self, kind: str, message: Line | None, **more: Any) -> bytes:
        self.time += timedelta(milliseconds=self.random.randrange(200, 9_000))
        parent, self.parent = self.parent, self._uuid()
        entry: Line = {
            "parentUuid": parent,
            "isSidechain": bool(self.agent),
            "userType": "external",
            "cwd": self.project.cwd,
            "sessionId": self.id,
            "version": "2.1.39",
            "gitBranch": "main",
            "type": kind,
            "uuid": self.parent,
            "timestamp": self._now(),
        }
        if message is not None:
            entry["message"] = message
        if self.agent:
            entry["agentId"] = self.agent
        return orjson.dumps({**entry, **more}) + b"\n"

    def _now(self) -> str:
        return self.time.strftime("%Y-%m-%dT%H:%M:%S.") + f"{self.time.microsecond // 1000:03d}Z"

    def _uuid(self) -> str:
        digits = hexadecimal(self.random, 32)
        return f"{digits[:8]}-{digits[8:12]}-4{digits[13:16]}-b{digits[17:20]}-{digits[20:]}"

    def _token(self, size: int) -> str:
        return hexadecimal(self.random, size)
