"""Codex's rollouts, old and new."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from prune_mcp.sessions.codex.fragments import words_of
from prune_mcp.sessions.codex.header import Header, header_of
from prune_mcp.sessions.codex.items import Said
from prune_mcp.sessions.codex.lineage import lineage
from prune_mcp.sessions.codex.lines import Line, line_of, type_of
from prune_mcp.sessions.codex.names import name_of
from prune_mcp.sessions.codex.places import rollout_id
from prune_mcp.sessions.codex.replay import Replay
from prune_mcp.sessions.codex.speech import CodexSpeech
from prune_mcp.sessions.codex.turns import CodexTurns
from prune_mcp.sessions.fragment import Fragment
from prune_mcp.sessions.model import SessionError
from prune_mcp.sessions.passage import Passage
from prune_mcp.sessions.reader import Listener
from prune_mcp.sessions.titles import shortened
from prune_mcp.sessions.unpacked import SUFFIX

if TYPE_CHECKING:
    from prune_mcp.sessions.bookmark import Bookmark

ITEMS = ("response_item", "compacted", "inter_agent_communication")
# Items that tell nothing to anybody.
SILENT = ("ghost_snapshot", "compaction_trigger")


class Codex(CodexTurns):
    """A Codex rollout. The first header names the session; further ones are those of sessions that it repeats."""

    format = "codex"
    host = "codex"
    resumable = True

    def _forget(self) -> None:
        super()._forget()
        self.subagent = self._peeking = False
        self._header: Header | None = None
        self._named = self._asked = self._asked_before = ""
        # Whose lines this rollout may repeat, and what it repeats of them.
        self._forks: list[str] = []
        self._replay: Replay | None = None

    def peek(self, lines: Iterable[bytes]) -> Self:
        """See `Transcript.peek`."""
        self._peeking = True
        return super().peek(lines)

    def recite(self, listener: Listener, since: Bookmark | None = None) -> None:
        """See `Reader.recite`."""
        super().recite(listener, since)
        self._unheard(self._turn.flush())
        self._settle()

    def speech(self) -> CodexSpeech:
        """See `Reader.speech`."""
        return CodexSpeech(self._text, self._arguments, self._own)

    def state(self) -> dict[str, Any]:
        """See `Reader.state`."""
        return super().state() | {
            "header": self._header,
            "also": self.also,
            "titles": [self._named, self._asked_before, self._goal],
            "chain": [self._sources.before(len(self.entries) - 1), self._group],
            "turn": self._turn.state(),
            "forks": [] if self._replay and self._replay.over else self._forks,
        }

    def restore(self, state: dict[str, Any]) -> None:
        """See `Reader.restore`."""
        super().restore(state)
        if state["header"]:
            self._header = Header(*state["header"])
            self.subagent, self.also = self._header.subagent, state["also"]
        self._named, self._asked, self._goal = state["titles"]
        self._chain, self._group = state["chain"]
        self._turn.restore(state["turn"])
        self._forks = state["forks"]
        self._replay = None if self._forks else Replay(Path(self.path), [])

    def _own(self, passages: list[Passage]) -> list[Passage]:
        """Of passages those that are not only repeated from another session."""
        if self._replay is None and self._forks:
            self._replay = Replay(Path(self.path), self._forks)
            self._replay.turn(self._turn.id)
        return self._replay.admit(passages) if self._replay else passages

    def _take(self, offset: int, line: bytes, raw: dict[str, Any]) -> None:
        self._asked_before = self._asked
        told = line_of(raw)
        if told is None:
            return
        if told.kind == "session_meta":
            self._open(offset, told)
        elif told.kind == "turn_context":
            self._begin(offset, raw, told.payload)
        elif told.kind == "event_msg":
            if type_of(told.payload) == "thread_name_updated":
                self._named = shortened(told.payload.get("thread_name"))
                self._aside(offset, raw)
            self._event(offset, line, raw, told)
        elif told.kind in ITEMS and type_of(told.payload) not in SILENT:
            self._item(offset, line, raw, told)

    def _open(self, offset: int, line: Line) -> None:
        header = header_of(line)
        if header is None:
            return
        if self._header:
            known = (self._header.session, self.session, *self._forks)
            self._forks += [header.session] if header.session not in known else []
            return
        self._header = header
        # As for every host: of a copy under another name the name tells which session it is.
        self.session = rollout_id(Path(self.path).name) or header.session
        self.also = header.session if header.session.lower() != self.session.lower() else ""
        self.cwd, self.parent = header.cwd, header.parent
        self.subagent = header.subagent
        self._forks = [header.forked] if header.forked else []
        if name := self._index_name():
            self._aside(offset, {"payload": {"thread_name": name}})
        if header.base is not None and not self._peeking:
            self._inherit(header.base)
        self._sources.begin(None, header.seed)

    def _inherit(self, base: dict[str, Any]) -> None:
        """Take in what this rollout goes on from; it stands in other files, and is their sessions' to tell."""
        beginnings = lineage(Path(self.path), base)
        listener, skipped = self.listener, self.skipped
        self.listener, self.skipped = None, Counter()
        try:
            for beginning in beginnings or ():
                self._sources.begin(beginning.path, beginning.seed)
                for offset, line in beginning.lines():
                    self._read_line(offset, line)
                self._finish()
        except SessionError:
            beginnings = None
        finally:
            self.listener, self.skipped = listener, skipped
        if beginnings is None:
            self.skipped["base"] += 1
        self._asked = self._named = ""

    def _begin(self, offset: int, raw: dict[str, Any], payload: dict[str, Any]) -> None:
        super()._begin(offset, raw, payload)
        if self._replay:
            self._replay.turn(self._turn.id)

    def _ask(self, fragment: Fragment, said: list[Said]) -> None:
        """Find the first prompt; a subagent's may come from another agent."""
        if not self._asked and fragment.role == "user" and (words := words_of(said)):
            self._asked = shortened(words)
            fragment.prompt = True

    def _time(self, line: Line) -> str | None:
        return line.time or (self._header.time if self._header else None)

    def _settle(self) -> None:
        path = Path(self.path)
        # A damaged header costs the folder; the id stands in the file's name as well.
        named = rollout_id(path.name) or path.name.removesuffix(SUFFIX).removesuffix(".jsonl").removesuffix(
            ".json"
        )
        self.session = self.session or named
        self.title = shortened(self._index_name()) or self._named or self._asked

    def _index_name(self) -> str:
        """The name that the host's index has for the session."""
        path = Path(self.path)
        return name_of(path, self._header.session if self._header else "") or name_of(path, self.session)
