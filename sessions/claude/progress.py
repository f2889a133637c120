"""What Claude Code notes down while a tool runs: text that mostly stands elsewhere, once the tool is done."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from prune_mcp.sessions.content import parts
from prune_mcp.sessions.passage import Passage

# The progress lines that hold text; most of them only name a hook that runs.
COMMANDS = ("bash_progress", "powershell_progress")
AGENTS = ("agent_progress", "skill_progress")
TELLING = (*COMMANDS, *AGENTS)


class Progress:
    """What commands put out so far whose results have not come; `has_file`: whether a subagent has a file."""

    def __init__(self, has_file: Callable[[str], bool]) -> None:
        self._has_file = has_file
        self._files: dict[str, bool] = {}
        self._output: dict[str, list[Passage]] = {}

    def take(self, raw: dict[str, Any], passages: list[Passage]) -> list[Passage]:
        """The passages of a progress line that are to be told at once: a subagent's, if it has no file."""
        data = raw.get("data")
        agent = data.get("agentId") if type(data) is dict else None
        if type(agent) is str:
            return [] if self._told_elsewhere(agent) else passages
        # Each line repeats the ones before it.
        self._output[str(raw.get("parentToolUseID"))] = passages
        return []

    def answered(self, raw: dict[str, Any]) -> None:
        """Forget what the results in an entry tell."""
        message = raw.get("message") if self._output else None
        for part in parts(message.get("content")) if type(message) is dict else ():
            if type(part) is dict:
                self._output.pop(str(part.get("tool_use_id")), None)

    def settle(self) -> list[Passage]:
        """What stands in no result: the command was broken off."""
        left = self.pending()
        self._output.clear()
        return left

    def pending(self) -> list[Passage]:
        """What no result has told so far."""
        return [passage for passages in self._output.values() for passage in passages]

    def _told_elsewhere(self, agent: str) -> bool:
        if agent not in self._files:
            self._files[agent] = self._has_file(agent)
        return self._files[agent]
