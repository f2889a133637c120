"""A session as history: what its entries say, from its start or from where an earlier reading ended."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Any, NamedTuple

from prune_mcp.sessions.bookmark import Bookmark, bookmark
from prune_mcp.sessions.footing import Rewound, Stance
from prune_mcp.sessions.fragment import Fragment
from prune_mcp.sessions.history import History, Mark
from prune_mcp.sessions.model import Entry
from prune_mcp.sessions.open_calls import OpenCalls
from prune_mcp.sessions.passage import Passage
from prune_mcp.sessions.reader import Reader
from prune_mcp.sessions.response import Response
from prune_mcp.sessions.session_file import SessionFile
from prune_mcp.sessions.stretches import Stretches
from prune_mcp.sessions.times import seconds
from prune_mcp.sessions.unchanged import told, unchanged

# A stretch is an exchange, and ends with the next prompt. One of more bytes ends with any response.
LARGE = 1 << 20
_LONE = re.compile("[\ud800-\udfff]")


class TranscriptHistory(History):
    """The passages of one session, which is read at once.

    What an entry says comes from the `Speech` of its host. Whatever else a passage tells, and where a later
    reading may begin, follows from the entries up to there alone: it is the same in one reading or in many.

    Raises:
        SessionError: the source is missing or unreadable.
        Rewound: what was read from the bookmark on changes something from before it.
    """

    def __init__(self, reader: Reader, file: SessionFile, since: Bookmark | None = None) -> None:
        self.fresh = since is None
        self._reader = reader
        self._speech = reader.speech()
        self._stretches = Stretches(self._again)
        self._response = Response(self._speech.snapshots)
        self._calls = OpenCalls(since.calls if since else ())
        self._untimed: list[Passage] = []
        self._time = since.time if since else 0.0
        self._surrogates = since.surrogates if since else 0
        self._begun = since.seam.position if since else 0
        self._stop: _Stop | None = None
        if since:
            self._speech.restore(since.speech)
        reader.recite(self, since)
        self._conclude(file, since)

    def passages(self) -> Iterator[Passage]:
        """See `History.passages`."""
        return self._flagged(self._stretches.settled())

    def rest(self) -> Iterator[Passage]:
        """See `History.rest`."""
        yield from self._flagged(self._stretches.unsettled())
        yield from self._pending

    def mark(self) -> Mark:
        """See `History.mark`."""
        return self._mark

    def entry(self, entry: Entry, fragment: Fragment, raw: dict[str, Any], content: Any) -> None:
        """See `Listener.entry`."""
        before = self._time, self._surrogates
        self._pass_time(seconds(entry.time))
        passages = self._heard(self._speech.passages(entry, fragment, raw, content))
        passages = self._speech.admit(raw, passages)
        if self._reader.resumable and self._opens(entry, fragment, raw):
            self._close(entry, *before)
        elif self._reader.live and fragment.prompt:
            self._stretches.settle()
        self._calls.take(fragment, passages)
        self._response.take(fragment, passages)
        self._stretches.add(entry, passages)

    def aside(self, offset: int, raw: dict[str, Any]) -> None:
        """See `Listener.aside`."""
        passages = self._heard(self._speech.aside(offset, raw))
        if passages:
            self._stretches.add(None, self._speech.admit(raw, passages))

    def _pass_time(self, time: float) -> None:
        """An entry without a time has that of the one before; what stands before the first that of the first."""
        if time:
            for passage in self._untimed:
                passage.time = time
            self._untimed.clear()
            self._time = time

    def _heard(self, passages: Iterable[Passage]) -> list[Passage]:
        """The passages that say anything, in valid Unicode and with their time."""
        heard = []
        for passage in passages:
            text = passage.text
            if not text or text.isspace():
                continue
            if not text.isascii() and not _is_valid(text):
                passage.text = _valid(text)
                self._surrogates += 1
            if not (passage.entry.isascii() and passage.tool.isascii()):
                passage.entry, passage.tool = _valid(passage.entry), _valid(passage.tool)
            if not passage.time:
                passage.time = self._time
            heard.append(passage)
        if not self._time:
            self._untimed += [passage for passage in heard if not passage.time]
        return heard

    def _again(self, entry: Entry) -> dict[int, str]:
        raw, content = self._reader.reread(entry)
        fragment = self._reader.branch.fragments[entry.index]
        passages = self._speech.passages(entry, fragment, raw, content)
        return {passage.at: _valid(passage.text) for passage in passages}

    def _opens(self, entry: Entry, fragment: Fragment, raw: dict[str, Any]) -> bool:
        """Whether a stretch begins with an entry: then what came before will not change any more."""
        if fragment.prompt or fragment.barrier:
            opens = self._speech.opens(fragment, raw)
        elif entry.offset - self._begun > LARGE and fragment.role == "assistant":
            same = fragment.group and fragment.group == self._response.group
            opens = not same and not self._calls.waiting
        else:
            return False
        if not opens or entry.offset <= self._begun or not self._reader.whole:
            return False
        return self._reader.branch.tip == entry.index

    def _close(self, entry: Entry, time: float, surrogates: int) -> None:
        """End a stretch before an entry, and note what reading must know to begin there."""
        self._stretches.add(None, self._speech.settle())
        self._stretches.settle()
        self._calls.settle()
        self._stop = _Stop(
            entry.offset,
            self._reader.branch.stance(entry, self._response.group),
            self._reader.state(),
            self._speech.state(),
            self._calls.state(),
            time,
            surrogates,
        )
        self._response.end()
        self._untimed.clear()
        self._begun = entry.offset

    def _conclude(self, file: SessionFile, since: Bookmark | None) -> None:
        """Take over what holds once everything is read."""
        reader = self._reader
        self.host, self.session, self.cwd = reader.host, _valid(reader.session), _valid(reader.cwd)
        self.title, self.parent = _valid(reader.told_title), _valid(reader.parent)
        self.skipped = reader.skipped
        if self._surrogates:
            self.skipped["surrogate"] = self._surrogates
        self._left, self._side = reader.abandoned, reader.sidechain
        if since and since.footing.last and (0 in self._left or 0 in self._side):
            raise Rewound
        self._pending = self._speech.pending()
        if not reader.resumable:
            self._stretches.add(None, self._pending)
            if not reader.live:
                self._stretches.settle()
            self._pending = []
            self._mark = Mark(file.size, file.stamp, told(self))
        elif mark := self._bookmark(since):
            self._mark = Mark(mark.seam.position, file.stamp, mark.text())
        else:
            self._mark = Mark(0, file.stamp)

    def _bookmark(self, since: Bookmark | None) -> Bookmark | None:
        """Where a later reading may begin: at the last stretch, which may still change."""
        stop = self._stop
        if seam := self._reader.seam(self._begun):
            if stop and stop.stance.above in self._left:
                # It may come back from there, and bring what was settled with it.
                return None
            if stop:
                footing = self._reader.branch.footing(stop.stance)
                return Bookmark(seam, footing, stop.reader, stop.speech, stop.calls, stop.time, stop.surrogates)
            return replace(since, seam=seam) if since else None
        return None

    def _flagged(self, told: Iterable[tuple[Entry | None, Passage]]) -> Iterator[Passage]:
        for entry, passage in told:
            if entry:
                passage.abandoned = entry.index in self._left
                passage.side = entry.index in self._side
            yield passage


class _Stop(NamedTuple):
    """What was known before the entry that a stretch begins with."""

    offset: int
    stance: Stance
    reader: dict[str, Any]
    speech: Any
    calls: list[tuple[str, str, bool]]
    time: float
    surrogates: int


def history_of(open_reader: Callable[[], Reader], file: SessionFile, mark: Mark | None) -> History:
    """The history of a session; what an earlier reading left in its mark spares what it read, where that is sure.

    Raises:
        SessionError: the source is missing or unreadable.
    """
    reader = open_reader()
    ended = not (reader.resumable or reader.live)
    if mark and ended and mark.stamp == file.stamp and (same := unchanged(reader.host, mark)):
        return same
    since = bookmark(mark.state) if mark and reader.resumable else None
    if since and reader.stands(since.seam):
        try:
            return TranscriptHistory(reader, file, since)
        except Rewound:
            reader = open_reader()
    return TranscriptHistory(reader, file)


def _valid(text: str) -> str:
    """The text in valid Unicode: U+FFFD for what is none."""
    return text if text.isascii() else _LONE.sub("\ufffd", text)


def _is_valid(text: str) -> bool:
    try:
        # A third of what searching takes.
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
