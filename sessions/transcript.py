"""A session's transcript on disk: JSON lines that the host appends to, read as far as they are there."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Self

from prune_mcp.sessions.damage import objects
from prune_mcp.sessions.jsontext import loads, loads_exactly
from prune_mcp.sessions.model import Entry, SessionError, SourceChanged
from prune_mcp.sessions.reader import CACHE_BYTES, Listener, Reader
from prune_mcp.sessions.seam import Seam
from prune_mcp.sessions.tail import Tail

if TYPE_CHECKING:
    from prune_mcp.sessions.bookmark import Bookmark
    from prune_mcp.sessions.rendering import Rendering
    from prune_mcp.sessions.view import View


class Transcript(Reader):
    """A transcript as a conversation. Entries hold offsets, not texts, which are read from the file again."""

    def __init__(self, path: Path, *, cache: int = CACHE_BYTES) -> None:
        self._tail = Tail(path)
        super().__init__(path, cache=cache)

    def _forget(self) -> None:
        super()._forget()
        self._settled = 0
        # How many entries were read before those that this reading holds.
        self._earlier = 0

    def refresh(self) -> int:
        """Read what was appended since the last reading, and return how many bytes that was.

        A file that is no longer the one read before (cut, grown anew, replaced) is read from its start, and
        `generation` goes up.

        Raises:
            SessionError: the file is missing or unreadable; what was read stays.
        """
        with self._tail.open() as file:
            if not self._tail.continues(file):
                self._restart()
            before = self._tail.position
            try:
                for offset, line in self._tail.lines(file):
                    self._read_line(offset, line)
            except BaseException:
                # What was read only half must not be taken for read.
                self._restart()
                raise
        self._branch.settle()
        self.messages = self._branch.layout.messages
        self._settled = len(self.entries)
        self._settle()
        return self._tail.position - before

    def peek(self, lines: Iterable[bytes]) -> Self:
        """Take in only these lines of the file: enough to tell `session`, `cwd` and `title`, and nothing else."""
        # Where the lines stand in the file is not known, so that no text could be read again for laying it out.
        self._branch.unlaid()
        for line in lines:
            self._read_line(0, line)
        self._settle()
        return self

    def recite(self, listener: Listener, since: Bookmark | None = None) -> None:
        """See `Reader.recite`. Nothing is laid out or archived: that is for conversations."""
        self.listener = listener
        if since:
            self._take_up(since)
        self._branch.unlaid()
        with self._tail.open() as file:
            for offset, line in self._tail.lines(file):
                self._read_line(offset, line)
        self._settle()

    def _take_up(self, since: Bookmark) -> None:
        footing = since.footing
        self._tail.begin(since.seam.position)
        self.restore(since.reader)
        self._branch.stand_on(footing)
        if footing.last:
            self.entries.append(Entry(0, footing.last))
        self._earlier = footing.entries - len(self.entries)

    def reread(self, entry: Entry) -> tuple[dict[str, Any], Any]:
        """See `Reader.reread`."""
        with self._tail.open() as file:
            raw = self._read_entry(file, entry)
        return raw, self._content_of(raw)

    def stands(self, seam: Seam) -> bool:
        """See `Reader.stands`."""
        with self._tail.open() as file:
            return seam.holds(file)

    def seam(self, position: int) -> Seam | None:
        """See `Reader.seam`."""
        with self._tail.open() as file:
            return Seam.at(file, position, self._tail.position) if self._tail.continues(file) else None

    def _restart(self) -> None:
        self.generation += 1
        self._tail.restart()
        self._forget()

    def _read_line(self, offset: int, line: bytes) -> None:
        try:
            entry = loads(line)
        except ValueError:
            entry = None
        self.whole = type(entry) is dict
        if self.whole:
            self._take_safely(offset, line, entry)
            return
        for start, length, found in objects(line, self.skipped, self._stands_alone):
            self._take_safely(offset + start, line[start : start + length], found)

    def _take_safely(self, offset: int, line: bytes, raw: dict[str, Any]) -> None:
        """Take in one entry; one that is nested too deeply to be shown counts as `deep`."""
        try:
            self._take(offset, line, raw)
        except SourceChanged:
            raise
        except (SessionError, RecursionError):
            self.skipped["deep"] += 1

    def raw(self, entry: int) -> Any:
        """The parsed raw entry, with every unknown field.

        Raises:
            SourceChanged: the transcript no longer holds this entry.
        """
        with self._tail.open() as file:
            return self._read_entry(file, self.entries[entry])

    def render(self, view: View) -> Iterator[Any]:
        """The entries of `messages` with the view's edits; see `Conversation.render`.

        Raises:
            SourceChanged: the transcript no longer holds an entry.
        """
        with self._tail.open() as file:
            yield from self._rendering(view, lambda entry: self._read_entry(file, self.entries[entry])).entries()

    def _fetch(self, index: int) -> Any:
        return self._content_of(self.raw(index))

    def _read_entry(self, file: BinaryIO, entry: Entry) -> Any:
        file.seek(entry.offset)
        data = file.read(entry.length)
        try:
            raw = loads_exactly(data)
        except ValueError:
            raw = None
        if not isinstance(raw, dict) or not self._is_entry(raw, entry):
            raise SourceChanged(f"{self.path} no longer holds entry {entry.id}; read the session again.")
        return raw

    @abstractmethod
    def _take(self, offset: int, line: bytes, raw: dict[str, Any]) -> None:
        """Take in one entry: as it stands in the file, and parsed."""

    @abstractmethod
    def _rendering(self, view: View, raw: Callable[[int], Any]) -> Rendering:
        """How this host's entries are rendered."""

    @abstractmethod
    def _stands_alone(self, found: dict[str, Any]) -> bool:
        """Whether an object found behind a torn line is an entry of its own."""

    @abstractmethod
    def _is_entry(self, raw: dict[str, Any], entry: Entry) -> bool:
        """Whether the raw entry is the one that was read there."""

    @abstractmethod
    def _content_of(self, raw: dict[str, Any]) -> Any:
        """The part of a raw entry that its blocks stand in."""


def open_transcript(path: str | Path, *, cache: int = CACHE_BYTES) -> Reader:
    """The session in a transcript file, read as far as it goes; its format is told from its content.

    `cache`: bytes of texts read lately that are kept at hand.

    Raises:
        SessionError: the file is missing, a folder, empty, unreadable or no session of a known host.
    """
    from prune_mcp.sessions.hosts import reader_for

    path = Path(path)
    transcript = reader_for(path)(path, cache=cache)
    transcript.refresh()
    return transcript
