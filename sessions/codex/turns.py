"""Turn by turn, what the lines of a Codex rollout say: items for the model, and events for whoever watched."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

from prune_mcp.sessions.codex.events import is_beside
from prune_mcp.sessions.codex.fragments import compaction_of, fragment_of, items_of, texts_of
from prune_mcp.sessions.codex.items import Said, said_by
from prune_mcp.sessions.codex.lines import Line, line_of, type_of
from prune_mcp.sessions.codex.status import running
from prune_mcp.sessions.codex.transcript import CodexTranscript
from prune_mcp.sessions.codex.turn import Alone, Turn, heard, keys_of, told_failure
from prune_mcp.sessions.fragment import Fragment
from prune_mcp.sessions.jsontext import holds_float, loads_exactly
from prune_mcp.sessions.messages.wire import RawEntry, string
from prune_mcp.sessions.model import Entry

BEGIN = ("task_started", "turn_started")
END = ("task_complete", "turn_complete", "turn_aborted")


class CodexTurns(CodexTranscript):
    """Events are entries only where no item of their turn says the same, and then the model does not see them."""

    def _forget(self) -> None:
        super()._forget()
        self._turn = Turn()
        self._group = self._goal = ""
        # What the id of the next entry goes on from, where another reading ended.
        self._chain = ""

    def _item(self, offset: int, line: bytes, raw: dict[str, Any], told: Line) -> None:
        """Take in an item for the model, or a compaction."""
        if holds_float(told.payload):
            raw = loads_exactly(line)
            told = line_of(raw) or told
        items = items_of(told)
        said = said_by(items)
        entry = self._new_entry(offset, len(line), told)
        if told.kind == "compacted":
            fragment, parts = compaction_of(entry.index, entry.id, told, items, said)
            named = isinstance(told.payload.get("replacement_history"), list)
            self._branch.compactions[entry.index] = parts if named else None
        else:
            fragment = fragment_of(entry.index, entry.id, items, said)
            self._turn.say(items[0], texts_of(said))
            self._ask(fragment, said)
        self._join(fragment)
        # Where events still wait for a twin, reading cannot be taken up again.
        self.whole = self.whole and not self._turn.waiting
        self._add(entry, fragment, said, raw)

    def _event(self, offset: int, line: bytes, raw: dict[str, Any], told: Line) -> None:
        """Take in an event."""
        event = told.payload
        kind = type_of(event)
        if kind in BEGIN:
            self._begin(offset, raw, event)
        elif kind == "thread_rolled_back":
            self._finish()
            turns = event.get("num_turns")
            self._branch.roll_back(turns if type(turns) is int else 1)
        elif kind != "thread_goal_updated" or self._sets_goal(event):
            self._hear(offset, line, raw, told)
        if kind in END:
            self._finish()

    def _begin(self, offset: int, raw: dict[str, Any], payload: dict[str, Any]) -> None:
        """A line says which turn this is; one that does not say begins another."""
        turn = string(payload.get("turn_id"))
        if turn and turn == self._turn.id:
            return
        self._unheard(self._turn.end(begun=True))
        self._turn.id = turn
        self._aside(offset, raw)

    def _finish(self) -> None:
        self._unheard(self._turn.end())

    def _new_entry(self, offset: int, length: int, told: Line) -> Entry:
        if self._chain:
            self._sources.begin(None, self._chain)
            self._chain = ""
        index = len(self.entries)
        return Entry(index, self._sources.next_id(told.payload), offset, length, None, self._time(told))

    def _join(self, fragment: Fragment) -> None:
        """What the model says up to the next word or output of another is one response."""
        if fragment.hidden:
            return
        if fragment.role != "assistant":
            self._group = ""
        else:
            self._group = fragment.group = self._group or fragment.id

    def _add(self, entry: Entry, fragment: Fragment, said: list[Said], raw: dict[str, Any]) -> None:
        for block in fragment.results:
            block.error = block.error or block.call_id in self._turn.failing
            self._turn.results.put(block.call_id, block.place)
            if running(self._text(block, said)):
                self._turn.runs(block.call_id)
        self._add_entry(entry, "", fragment, said, raw)

    def _sets_goal(self, event: dict[str, Any]) -> bool:
        """Whether the goal is another one; the host tells it again whenever something of it changes."""
        goal = event.get("goal")
        before, self._goal = self._goal, string(goal.get("objective")) if isinstance(goal, dict) else ""
        return before != self._goal

    def _hear(self, offset: int, line: bytes, raw: dict[str, Any], told: Line) -> None:
        """An event that may say what an item of its turn says too."""
        items = items_of(told)
        for item in items:
            self._note_failure(item)
        if items:
            keys = [keys_of(item, texts_of(said_by([item]))) for item in items]
            self._unheard(self._turn.hear(heard(offset, line, raw, items, keys)))

    def _note_failure(self, item: RawEntry) -> None:
        """Learn from an event that a call failed whose output does not say."""
        call = told_failure(item)
        if not call:
            return
        self._turn.failing.add(call)
        if place := self._turn.results.get(call):
            fragment = self._branch.fragments[place.entry]
            fragment.blocks[place.at].error = True
            self._branch.fragments[place.entry] = fragment
            self._branch.changed()

    def _unheard(self, events: list[Alone]) -> None:
        """Take in events without a twin. Lines behind them were read before: reading cannot be taken up there."""
        whole = self.whole
        for event, numbers in events:
            told = line_of(event.raw)
            if told is None:
                continue
            self.whole = False
            if is_beside(told.payload):
                self._aside(event.offset, event.raw)
                continue
            entry = self._new_entry(event.offset, event.length, told)
            self._some[entry.index] = numbers
            items = self._items(entry.index, event.raw)
            said = said_by(items)
            fragment = fragment_of(entry.index, entry.id, items, said)
            fragment.hidden = True
            self._ask(fragment, said)
            self._add(entry, fragment, said, event.raw)
        self.whole = whole

    @abstractmethod
    def _ask(self, fragment: Fragment, said: list[Said]) -> None:
        """Look for what was asked first."""

    @abstractmethod
    def _time(self, line: Line) -> str | None:
        """When a line was written, as ISO 8601."""
