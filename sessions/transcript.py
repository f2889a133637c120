"""A session's transcript on disk: JSON lines that the host appends to, read as far as they are there."""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Protocol, Self

from prune_mcp.sessions.archive import Archive
from prune_mcp.sessions.branch import Branch
from prune_mcp.sessions.damage import objects
from prune_mcp.sessions.entries import Entries
from prune_mcp.sessions.fragment import Fragment
from prune_mcp.sessions.jsontext import loads, loads_exactly
from prune_mcp.sessions.model import Block, Conversation, Entry, SourceChanged
from prune_mcp.sessions.recent import Recent
from prune_mcp.sessions.speech import Speech
from prune_mcp.sessions.tail import Tail

if TYPE_CHECKING:
    from prune_mcp.sessions.rendering import Rendering
    from prune_mcp.sessions.view import View

CACHE_BYTES = 16 << 20


class Listener(Protocol):
    """Hears what a transcript reads while it is parsed, so that texts need not be read again."""

    def entry(self, entry: Entry, fragment: Fragment, raw: dict[str, Any], content: Any) -> None:
        """An entry was added."""

    def aside(self, offset: int, raw: dict[str, Any]) -> None:
        """A line that is no entry was read."""


class Transcript(Conversation):
    """A transcript as a conversation. `generation` goes up when something that was read is no longer so.

    Entries hold offsets, not texts; texts come from the file, or from the contents read lately (`cache`, bytes).
    `listener` hears of each entry as it is read.
    """

    listener: Listener | None = None

    def __init__(self, path: Path, *, cache: int = CACHE_BYTES) -> None:
        self.path = str(path)
        self.generation = 0
        self._tail = Tail(path)
        self._recent = Recent(cache)
        self._forget()

    def _forget(self) -> None:
        """Start over with nothing read."""
        self.session = self.cwd = self.title = ""
        self.skipped = Counter()
        self._branch = self._new_branch()
        self._archive = Archive(self._branch.fragments)
        self.entries: Entries = Entries(self._branch.ids)
        self.messages = self._branch.layout.messages
        self._recent.clear()
        self._settled = 0

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
        for line in lines:
            self._read_line(0, line)
        self._settle()
        return self

    def _restart(self) -> None:
        self.generation += 1
        self._tail.restart()
        self._forget()

    def _read_line(self, offset: int, line: bytes) -> None:
        try:
            entry = loads(line)
        except ValueError:
            entry = None
        if type(entry) is dict:
            self._take(offset, line, entry)
            return
        for start, length, found in objects(line, self.skipped, self._stands_alone):
            self._take(offset + start, line[start : start + length], found)

    def archive(self, since: int = 0) -> list[Block]:
        """Every tool result of the file in file order, from the `since`-th on, whatever branch it stands in."""
        return self._archive.since(since)

    def called(self, result: Block) -> Block | None:
        """The latest call of the result's call id, wherever it stands."""
        return self._archive.called(result.call_id)

    def fragments(self) -> Iterator[Fragment]:
        """What every entry says, in file order: abandoned, compacted and subagents' entries included."""
        return iter(self._branch.fragments)

    @property
    def abandoned(self) -> set[int]:
        """The indexes of entries that a rewind left behind."""
        return self._branch.abandoned()

    @property
    def sidechain(self) -> set[int]:
        """The indexes of entries of subagents that stand inline in this session's file."""
        return self._branch.sidechain()

    def raw(self, entry: int) -> Any:
        """The parsed raw entry, with every unknown field.

        Raises:
            SourceChanged: the transcript no longer holds this entry.
        """
        with self._tail.open() as file:
            return self._read_entry(file, self.entries[entry])

    def text(self, block: Block) -> str:
        """The block's visible text; see `Conversation.text`."""
        return self._text(block, self._content(block.place.entry))

    def arguments(self, block: Block) -> Any:
        """The arguments of a call, integers of any size exact."""
        return self._arguments(block, self._content(block.place.entry))

    def images(self, block: Block) -> list[tuple[str, str]]:
        """The images of a block as (media type, base64 data)."""
        return self._images(block, self._content(block.place.entry)) if block.images else []

    def render(self, view: View) -> Iterator[Any]:
        """The entries of `messages` with the view's edits; see `Conversation.render`.

        Raises:
            SourceChanged: the transcript no longer holds an entry.
        """
        with self._tail.open() as file:
            yield from self._rendering(view, lambda entry: self._read_entry(file, self.entries[entry])).entries()

    def _content(self, index: int) -> Any:
        content = self._recent.get(index)
        if content is None:
            content = self._content_of(self.raw(index))
            self._keep(self.entries[index], content)
        return content

    def _keep(self, entry: Entry, content: Any) -> None:
        """Keep a content at hand; as objects it takes about twice its bytes in the file."""
        self._recent.put(entry.index, content, 2 * entry.length)

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

    def speech(self) -> Speech:
        """How this host's entries read as passages."""
        return Speech(self._text, self._arguments)

    def _add_entry(
        self, entry: Entry, parent: str | None, fragment: Fragment, content: Any, raw: dict[str, Any]
    ) -> None:
        """Add an entry with what it says; `parent`: see `Branch.add`."""
        self.entries.append(entry)
        self._branch.add(entry.id, parent, fragment)
        self._keep(entry, content)
        if self._archive.take(fragment):
            self._branch.changed()
        if self.listener:
            self.listener.entry(entry, fragment, raw, content)

    def _aside(self, offset: int, raw: dict[str, Any]) -> None:
        """Readers call this for each line that is no entry but may hold words."""
        if self.listener:
            self.listener.aside(offset, raw)

    @abstractmethod
    def _new_branch(self) -> Branch:
        """The branch rules of this host."""

    @abstractmethod
    def _take(self, offset: int, line: bytes, raw: dict[str, Any]) -> None:
        """Take in one entry: as it stands in the file, and parsed."""

    @abstractmethod
    def _settle(self) -> None:
        """Bring up to date what depends on everything read."""

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

    @abstractmethod
    def _text(self, block: Block, content: Any) -> str: ...

    @abstractmethod
    def _arguments(self, block: Block, content: Any) -> Any: ...

    @abstractmethod
    def _images(self, block: Block, content: Any) -> list[tuple[str, str]]: ...


def open_transcript(path: str | Path, *, cache: int = CACHE_BYTES) -> Transcript:
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
