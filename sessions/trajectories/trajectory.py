"""A run of an agent over one task, as a file of its own: messages without ids, in order."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from prune_mcp.sessions.content import result_images, result_text
from prune_mcp.sessions.document import Record, Share
from prune_mcp.sessions.exports.document import About, ExportDocument
from prune_mcp.sessions.exports.identity import HASH_CHARS, made_id, trajectory_id
from prune_mcp.sessions.exports.parts import Part
from prune_mcp.sessions.model import Block, BlockKind
from prune_mcp.sessions.speech import Speech
from prune_mcp.sessions.trajectories.content import Span, Turn, argument_text, task_line
from prune_mcp.sessions.trajectories.speech import TrajectorySpeech

if TYPE_CHECKING:
    from prune_mcp.sessions.document_rendering import Edits


class Trajectory(ExportDocument):
    """The messages of one agent. What follows an answer with a call is that call's output, whatever its role.

    The first message of the user is the task; others that answer no call are the agent's own notices.
    """

    def _forget(self) -> None:
        super()._forget()
        self._count = 0
        self._open_calls: dict[str, str] = {}
        self._native = self._tasked = False

    def speech(self) -> Speech:
        """See `Reader.speech`."""
        return TrajectorySpeech(self._text, self._arguments)

    def _introduce(self, value: dict[str, Any]) -> About:
        messages = self._messages(value)
        self.session = trajectory_id(self._task_name(value), messages)
        turns = [self._turn(message) for message in messages if isinstance(message, dict)]
        task = next((turn for turn in turns if turn.role == "user" and not turn.demo), None)
        line = task_line(task.parts[0].value) if task and task.parts else ""
        name = self.session[HASH_CHARS + 1 :]
        begun = next((turn.time for turn in turns if turn.time), None)
        return About(": ".join(filter(None, (name, line))), None, begun)

    def _task_name(self, value: dict[str, Any]) -> str:
        """What the task is called: the file's name, unless the file tells it."""
        return Path(self.path).name.removesuffix(".json").removesuffix(".traj")

    def _listed(self, value: dict[str, Any]) -> Iterator[Record]:
        for message in self._messages(value):
            if isinstance(message, dict):
                yield Record(message)
            else:
                self.skipped["message"] += 1

    def _shares(self, raw: dict[str, Any]) -> list[Share]:
        self._count += 1
        turn = self._turn(raw)
        said = [self._said(part.kind, part.value) for part in turn.parts]
        id = made_id(self._count, turn.role, said)
        if not turn.parts:
            return []
        if turn.role == "assistant":
            return [self._answer(id, turn)]
        if turn.answers or (self._open_calls and (turn.ends or not self._native)):
            return [self._output(id, turn)]
        asks = turn.role == "user" and not (self._tasked or turn.demo)
        self._tasked |= asks
        return [self._share(id, turn.role, turn.parts, turn.time, prompt=asks)]

    def _answer(self, id: str, turn: Turn) -> Share:
        """An answer; its calls are what the next messages give the output of."""
        parts = list(turn.parts)
        self._open_calls, self._native = {}, False
        for at, part in enumerate(parts):
            if part.kind == "call":
                self._native |= part.call_id != ""
                parts[at] = part = part._replace(call_id=part.call_id or f"{id}:{at}")
                self._open_calls[part.call_id] = part.tool
        return self._share(id, "assistant", parts, turn.time)

    def _output(self, id: str, turn: Turn) -> Share:
        """The output of the call that it names, else of the first one open."""
        call = turn.answers or next(iter(self._open_calls))
        tool = self._open_calls.pop(call, "")
        part = turn.parts[0]._replace(kind="result", call_id=call, tool=tool, error=turn.failed)
        return self._share(id, "user", [part], turn.time)

    def _groups(self, raw: dict[str, Any]) -> list[list[Part]]:
        return [self._turn(raw).parts]

    def _said(self, kind: BlockKind, value: Any) -> str:
        return argument_text(value) if kind == "call" else result_text(value)

    def _piece_arguments(self, piece: Any) -> Any:
        return piece

    def _piece_images(self, block: Block, piece: Any) -> list[tuple[str, str]]:
        return result_images(piece)

    def _edits(self) -> Edits:
        from prune_mcp.sessions.trajectories.edits import TrajectoryEdits

        return TrajectoryEdits(self._turn, self._span)

    @abstractmethod
    def _messages(self, value: dict[str, Any]) -> list[Any]:
        """The messages of the run."""

    @abstractmethod
    def _turn(self, raw: dict[str, Any]) -> Turn:
        """What a message says; one of the system or the user has at most one part."""

    @abstractmethod
    def _span(self, raw: dict[str, Any], text: str) -> Span | None:
        """Where the command stands in the text of an answer, None for an answer without one."""
