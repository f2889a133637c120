"""Codex's rollouts, old and new: items for the model, events for whoever watched, and what a compaction left."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Self

from prune_mcp.sessions.codex_fragments import compaction_of, fragment_of, items_of, replacement, words_of
from prune_mcp.sessions.codex_header import Header, header_of
from prune_mcp.sessions.codex_items import pieces_of
from prune_mcp.sessions.codex_lineage import lineage
from prune_mcp.sessions.codex_lines import Line, line_of
from prune_mcp.sessions.codex_names import name_of
from prune_mcp.sessions.codex_places import rollout_id
from prune_mcp.sessions.codex_transcript import CodexTranscript
from prune_mcp.sessions.codex_turn import Alone, Turn, heard, told_failure
from prune_mcp.sessions.fragment import Fragment
from prune_mcp.sessions.jsontext import holds_float, loads_exactly
from prune_mcp.sessions.model import Entry, SessionError
from prune_mcp.sessions.titles import shortened
from prune_mcp.sessions.wire import Piece, RawEntry

ENTRIES = ("response_item", "compacted", "inter_agent_communication")
BEGIN = ("task_started", "turn_started")
END = ("task_complete", "turn_complete", "turn_aborted")
# Items that tell nothing to anybody.
SILENT = ("ghost_snapshot", "compaction_trigger")


class Codex(CodexTranscript):
    """A Codex rollout. Events are entries only where no item of their turn says the same, and then the model does
    not see them."""

    format = "codex"
    host = "codex"

    def _forget(self) -> None:
        super()._forget()
        self.parent = ""
        self.subagent = False
        self.header: Header | None = None
        self._turn = Turn()
        self._turn_id = ""
        self._asked = self._named = self._goal = self._group = ""
        self._peeking = False

    def peek(self, lines: Iterable[bytes]) -> Self:
        """See `Transcript.peek`."""
        self._peeking = True
        return super().peek(lines)

    def _take(self, offset: int, line: bytes, raw: dict[str, Any]) -> None:
        told = line_of(raw)
        if told is None:
            return
        try:
            if told.kind == "session_meta":
                self._open(told)
            elif told.kind == "turn_context":
                self._begin(told.payload.get("turn_id"))
            elif told.kind == "event_msg":
                self._event(offset, line, raw, told.payload)
            elif told.kind in ENTRIES and told.payload.get("type") not in SILENT:
                self._entry(offset, line, raw, told)
        except SessionError:
            self.skipped["deep"] += 1

    def _open(self, line: Line) -> None:
        """The first header names the session; later ones are those of sessions that it repeats."""
        if self.header is not None or not (header := header_of(line)):
            return
        self.header = header
        self.session, self.cwd, self.parent = header.session, header.cwd, header.parent
        self.subagent = header.subagent
        if header.base and not self._peeking:
            self._inherit(header.base)
        self._sources.begin(None, header.seed)

    def _inherit(self, base: dict[str, Any]) -> None:
        """Take in what this rollout goes on from; it stands in other files, and is their sessions' to tell."""
        beginnings = lineage(Path(self.path), base)
        if beginnings is None:
            self.skipped["base"] += 1
            return
        listener, skipped = self.listener, self.skipped
        self.listener, self.skipped = None, Counter()
        for beginning in beginnings:
            self._sources.begin(beginning.path, beginning.seed)
            for offset, line in beginning.lines():
                self._read_line(offset, line)
            self._finish()
        self.listener, self.skipped = listener, skipped
        self._asked = self._named = ""

    def _begin(self, turn: Any) -> None:
        """A line says which turn this is; one that does not say begins another."""
        if isinstance(turn, str) and turn == self._turn_id:
            return
        self._finish()
        self._turn_id = turn if isinstance(turn, str) else ""

    def _finish(self) -> None:
        self._unheard(self._turn.end())

    def _entry(self, offset: int, line: bytes, raw: dict[str, Any], told: Line) -> None:
        """An item for the model, or a compaction."""
        if holds_float(told.payload):
            raw = loads_exactly(line)
            told = line_of(raw) or told
        items = items_of(told)
        pieces = pieces_of(items)
        entry = self._new_entry(offset, len(line), told)
        if told.kind == "compacted":
            fragment, parts = compaction_of(entry.index, entry.id, told, items, pieces)
            self._branch.compactions[entry.index] = parts if replacement(told.payload) else []
        else:
            fragment = fragment_of(entry.index, entry.id, items, pieces)
            self._turn.say(items[0])
            self._ask(fragment, pieces)
        self._join(fragment)
        self._add(entry, fragment, pieces, raw)

    def _new_entry(self, offset: int, length: int, told: Line) -> Entry:
        index = len(self.entries)
        time = told.time or (self.header.time if self.header else None)
        return Entry(index, self._sources.id(index, told.payload), offset, length, None, time)

    def _ask(self, fragment: Fragment, pieces: list[Piece]) -> None:
        """Find the first prompt: a subagent's may come from another agent."""
        if not self._asked and fragment.role == "user" and (words := words_of(pieces)):
            self._asked = shortened(words)
            fragment.prompt = True

    def _join(self, fragment: Fragment) -> None:
        """What the model says up to the next word or output of another is one response."""
        if fragment.hidden:
            return
        if fragment.role != "assistant":
            self._group = ""
        else:
            self._group = fragment.group = self._group or fragment.id

    def _add(self, entry: Entry, fragment: Fragment, pieces: list[Piece], raw: dict[str, Any]) -> None:
        for block in fragment.results:
            block.error = block.error or block.call_id in self._turn.failing
            self._turn.results[block.call_id] = block.place
        self._add_entry(entry, "", fragment, pieces, raw)

    def _event(self, offset: int, line: bytes, raw: dict[str, Any], event: dict[str, Any]) -> None:
        kind = event.get("type")
        if kind in BEGIN:
            self._begin(event.get("turn_id"))
        elif kind == "thread_rolled_back":
            self._finish()
            turns = event.get("num_turns")
            self._branch.roll_back(turns if type(turns) is int else 1)
        elif kind == "thread_name_updated":
            self._named = shortened(event.get("thread_name"))
        elif kind != "thread_goal_updated" or self._sets_goal(event):
            self._hear(offset, line, raw)
        if kind in END:
            self._finish()

    def _sets_goal(self, event: dict[str, Any]) -> bool:
        """Whether the goal is another one; the host tells it again whenever something of it changes."""
        goal = event.get("goal")
        before, self._goal = self._goal, str(goal.get("objective")) if isinstance(goal, dict) else ""
        return before != self._goal

    def _hear(self, offset: int, line: bytes, raw: dict[str, Any]) -> None:
        """An event that may say what an item says too: of this turn, or for its call of an earlier one."""
        told = line_of(raw)
        items = items_of(told) if told else []
        if not items:
            return
        for item in items:
            self._note_failure(item)
        event = heard(offset, line, raw, items)
        call = items[0].get("call_id")
        earlier = isinstance(call, str) and self._archive.called(call) is not None
        if not earlier or not self._turn.said.isdisjoint(event.keys[0]):
            self._unheard(self._turn.hear(event))

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
        """Take in events without a twin."""
        for event, numbers in events:
            told = line_of(event.raw)
            if told is None:
                continue
            entry = self._new_entry(event.offset, event.length, told)
            self._some[entry.index] = numbers
            items = self._items(entry.index, event.raw)
            pieces = pieces_of(items)
            fragment = fragment_of(entry.index, entry.id, items, pieces)
            fragment.hidden = True
            self._ask(fragment, pieces)
            self._add(entry, fragment, pieces, event.raw)

    def _settle(self) -> None:
        path = Path(self.path)
        # A damaged header costs the folder; the id stands in the file's name as well.
        named = rollout_id(path.name) or path.name.removesuffix(".zst").removesuffix(".jsonl")
        self.session = self.session or named
        self.title = shortened(name_of(path, self.session)) or self._named or self._asked
