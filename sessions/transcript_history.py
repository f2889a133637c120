"""A transcript as history: what its entries say, as passages."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from prune_mcp.sessions.fragment import Fragment
from prune_mcp.sessions.history import History, Mark
from prune_mcp.sessions.model import Entry
from prune_mcp.sessions.passage import Passage
from prune_mcp.sessions.reader import Reader
from prune_mcp.sessions.session_file import SessionFile


class TranscriptHistory(History):
    """The passages of one transcript; `Speech` tells what the entries of its host say."""

    def __init__(self, transcript: Reader, file: SessionFile) -> None:
        self.host = transcript.host
        self._transcript = transcript
        self._file = file
        self._speech = transcript.speech()
        self._said: list[tuple[int, Passage]] = []
        self._time = 0.0
        transcript.listener = self

    def passages(self) -> Iterator[Passage]:
        """See `History.passages`."""
        transcript = self._transcript
        transcript.refresh()
        self.session, self.cwd, self.title = transcript.session, transcript.cwd, transcript.title
        self.skipped = transcript.skipped
        abandoned, side = transcript.abandoned, transcript.sidechain
        for index, passage in self._said:
            passage.abandoned, passage.side = index in abandoned, index in side
            yield passage
        self._said.clear()

    def mark(self) -> Mark:
        """See `History.mark`."""
        return Mark(self._file.size, self._file.stamp)

    def rest(self) -> Iterator[Passage]:
        """See `History.rest`."""
        return iter(())

    def entry(self, entry: Entry, fragment: Fragment, raw: dict[str, Any], content: Any) -> None:
        """See `Listener.entry`."""
        self._time = _seconds(entry.time) or self._time
        for passage in self._speech.passages(entry, fragment, raw, content):
            passage.time = self._time
            self._said.append((entry.index, passage))

    def aside(self, offset: int, raw: dict[str, Any]) -> None:
        """See `Listener.aside`."""
        for passage in self._speech.aside(offset, raw):
            passage.time = passage.time or self._time
            self._said.append((-1, passage))


def _seconds(time: str | None) -> float:
    try:
        return datetime.fromisoformat(time).timestamp() if time else 0.0
    except ValueError:
        return 0.0
