"""A session that is one JSON value or rows of a database, and is read whole whenever it changed."""

from __future__ import annotations

import os
from abc import abstractmethod
from array import array
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from prune_mcp.sessions.folders import stamp_of
from prune_mcp.sessions.fragment import Fragment
from prune_mcp.sessions.held import Held
from prune_mcp.sessions.linear_branch import LinearBranch
from prune_mcp.sessions.model import Block, Entry, SessionError
from prune_mcp.sessions.reader import CACHE_BYTES, Reader
from prune_mcp.sessions.tail import Tail

if TYPE_CHECKING:
    from prune_mcp.sessions.document_rendering import Edits
    from prune_mcp.sessions.view import View


@dataclass(slots=True)
class Record:
    """One thing that the host recorded: a message with everything in it, as the host's own format has it.

    `left`: a rewind left it behind.
    """

    raw: dict[str, Any]
    left: bool = False


class Share(NamedTuple):
    """What a record adds to one message. `pieces`: the raw values behind the fragment's blocks, one for each.

    The place of a block is its number in the share; the document fills in the entry. `time`: ISO 8601. `left`: a
    rewind left this share of the record behind.
    """

    fragment: Fragment
    pieces: list[Any]
    time: str | None = None
    left: bool = False


class Document(Reader):
    """A session read whole. Each share of a record is an entry: hosts keep calls and their results in one record.

    What was read is held, so that every text is at hand whatever becomes of the source.
    """

    _branch: LinearBranch

    def __init__(self, path: Path, *, cache: int = CACHE_BYTES) -> None:
        self._stamp: tuple[object, ...] | None = None
        super().__init__(path, cache=cache)

    def _forget(self) -> None:
        super()._forget()
        # What the session is called, and what was asked first, which stands for that.
        self._named = self._asked = ""
        self._held = Held()
        self._record_of = array("i")
        self._first_of = array("i")

    def _new_branch(self) -> LinearBranch:
        return LinearBranch(self.text)

    def refresh(self) -> int:
        """See `Reader.refresh`; nothing is read while the source's stamp is the same."""
        stamp = self._look()
        if stamp == self._stamp:
            return 0
        self._read(self._records())
        self._stamp = stamp
        return sum(map(self._held.size, range(len(self._held))))

    def peek(self, lines: Iterable[bytes]) -> Self:
        """See `Reader.peek`."""
        self._read(self._glimpsed(list(lines)))
        return self

    def _read(self, records: Iterator[Record]) -> None:
        """Take in the records in place of those read before; on a failure those stay."""
        before, digests, order = self.__dict__.copy(), self._held.digests, self._branch.layout.order
        try:
            self._forget()
            for record in records:
                self._take_record(record)
            if (sent := self._sent()) is not None:
                self._branch.send(entry for id in sent for entry in self._entries_of(id))
        except BaseException:
            self.__dict__.update(before)
            raise
        self._branch.settle()
        self.messages = self._branch.layout.messages
        self._settle()
        same = self._held.digests[: len(digests)] == digests
        self.generation += not (same and self._branch.layout.order[: len(order)] == order)

    def _settle(self) -> None:
        self.title = self._named or self._asked
        self.session = self.session or Path(self.path).stem

    def _until_named(self, records: Iterator[Record]) -> Iterator[Record]:
        """The records before it is known what the session is called."""
        for record in records:
            if self._named or self._asked:
                return
            yield record

    def _entries_of(self, id: str) -> range:
        """The entries of the record with this id; none for one that says nothing."""
        first = self._branch.find(id)
        if first is None:
            return range(0)
        after = self._record_of[first] + 1
        return range(first, self._first_of[after] if after < len(self._first_of) else len(self.entries))

    def _take_record(self, record: Record) -> None:
        """Take in a record; one that is nested too deeply to be shown counts as `deep`."""
        try:
            shares = self._shares(record.raw)
            self._held.add(record.raw)
        except (SessionError, ValueError, RecursionError):
            self.skipped["deep"] += 1
            return
        self._first_of.append(len(self.entries))
        for share in shares:
            self._take_share(record, share)

    def _take_share(self, record: Record, share: Share) -> None:
        fragment, index, number = share.fragment, len(self.entries), len(self._held) - 1
        fragment.entry = index
        for block in fragment.blocks:
            block.place = block.place._replace(entry=index)
        if record.left or share.left:
            self._branch.left.add(index)
        self._record_of.append(number)
        entry = Entry(index, fragment.id, number, self._held.size(number), None, share.time)
        self._add_entry(entry, None, fragment, share.pieces, record.raw)

    def raw(self, entry: int) -> Any:
        """The record that the entry is a share of, with every unknown field."""
        return self._held[self._record_of[entry]]

    def render(self, view: View) -> Iterator[Any]:
        """The records of `messages` with the view's edits; see `Conversation.render`."""
        from prune_mcp.sessions.document_rendering import DocumentRendering

        layout, edits = self._branch.layout, self._edits()
        records = self._held.__getitem__
        return DocumentRendering(layout, view, edits, records, self._record_of, self._first_of).records()

    def _fetch(self, index: int) -> Any:
        share = index - self._first_of[self._record_of[index]]
        return self._shares(self.raw(index))[share].pieces

    def _text(self, block: Block, content: Any) -> str:
        return self._piece_text(block, content[block.place.at])

    def _arguments(self, block: Block, content: Any) -> Any:
        return self._piece_arguments(content[block.place.at])

    def _images(self, block: Block, content: Any) -> list[tuple[str, str]]:
        return self._piece_images(block, content[block.place.at])

    def _look(self) -> tuple[object, ...]:
        """What changes whenever the session does.

        Raises:
            SessionError: it is missing or unreadable.
        """
        with Tail(Path(self.path)).open() as file:
            return stamp_of(os.fstat(file.fileno()))

    def _data(self) -> bytes:
        """The content of the session's file.

        Raises:
            SessionError: it is missing or unreadable.
        """
        with Tail(Path(self.path)).open() as file:
            return file.read()

    @abstractmethod
    def _records(self) -> Iterator[Record]:
        """Every record of the session in order, also those that a rewind left behind; sets `session` and `cwd`,
        and counts in `skipped` what is damaged.

        Raises:
            SessionError: it is missing or unreadable.
        """

    def _sent(self) -> Iterable[str] | None:
        """The ids of the records in the context, in order, once all are read; None for all but what was left."""
        return None

    @abstractmethod
    def _glimpsed(self, lines: list[bytes]) -> Iterator[Record]:
        """As `_records`, but only what the start and the end of the file tell."""

    @abstractmethod
    def _shares(self, raw: dict[str, Any]) -> list[Share]:
        """What a record says, share by share. The first share's id is the record's, and all ids differ."""

    @abstractmethod
    def _piece_text(self, block: Block, piece: Any) -> str:
        """What a block says; see `Conversation.text`."""

    @abstractmethod
    def _piece_arguments(self, piece: Any) -> Any:
        """The arguments of a call; see `Conversation.arguments`."""

    @abstractmethod
    def _piece_images(self, block: Block, piece: Any) -> list[tuple[str, str]]:
        """The images of a block; see `Conversation.images`."""

    @abstractmethod
    def _edits(self) -> Edits:
        """How a view's edits look in this format."""
