"""A session on disk as a conversation: what every reader holds of it, whatever it reads."""

from __future__ import annotations

import os
from abc import abstractmethod
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, Self

from prune_mcp.sessions.archive import Archive
from prune_mcp.sessions.branch import Branch
from prune_mcp.sessions.content import compact_json
from prune_mcp.sessions.entries import Entries
from prune_mcp.sessions.folders import stamp_of
from prune_mcp.sessions.fragment import Fragment
from prune_mcp.sessions.identity import digest
from prune_mcp.sessions.model import Block, Conversation, Entry
from prune_mcp.sessions.recent import Recent
from prune_mcp.sessions.session_file import SessionFile
from prune_mcp.sessions.speech import Speech
from prune_mcp.sessions.tail import Tail

if TYPE_CHECKING:
    from prune_mcp.sessions.bookmark import Bookmark
    from prune_mcp.sessions.seam import Seam

CACHE_BYTES = 16 << 20


class Listener(Protocol):
    """Hears what a session holds while it is read, so that texts need not be read again."""

    def entry(self, entry: Entry, fragment: Fragment, raw: dict[str, Any], content: Any) -> None:
        """An entry was added."""

    def aside(self, offset: int, raw: dict[str, Any]) -> None:
        """A line that is no entry was read."""


class Reader(Conversation):
    """A session as read. `generation` goes up when something that was read is no longer so.

    Texts are fetched when asked for, or come from the contents read lately (`cache`, bytes). `path`: see
    `SessionFile.address`. `also`: another id that the content tells than the file's name. `listener` hears of each
    entry as it is read.
    """

    # Whether `state` tells all that reading on from the middle takes; else history reads the whole each time.
    resumable = False
    # Whether a session that is read whole may still go on: then what came since its last prompt may change.
    live = False
    listener: Listener | None = None

    def __init__(self, path: Path, *, cache: int = CACHE_BYTES) -> None:
        self.path = str(path)
        self.generation = 0
        self._recent = Recent(cache)
        self._forget()

    def _forget(self) -> None:
        """Start over with nothing read."""
        self.session = self.also = self.cwd = self.title = self.parent = ""
        self.skipped = Counter()
        # Whether what is read now is a line of its own: reading may begin at no other place.
        self.whole = True
        self._copies: Counter[str] = Counter()
        # By their id, digests of what entries said whose place others took.
        self._replaced: dict[str, set[str]] = {}
        self._branch = self._new_branch()
        self._archive = Archive(self._branch.fragments)
        self.entries: Entries = Entries(self._branch.ids)
        self.messages = self._branch.layout.messages
        self._recent.clear()

    @classmethod
    def file_at(cls, path: Path) -> SessionFile:
        """The session's file, where all that is known is its address.

        Raises:
            SessionError: there is none.
        """
        with Tail(path).open() as file:
            status = os.fstat(file.fileno())
        return SessionFile(cls.host, str(path), status.st_mtime, status.st_size, stamp=stamp_of(status))

    @abstractmethod
    def refresh(self) -> int:
        """Read what is new since the last reading, and return how many bytes were read.

        `generation` goes up when something that was read before is no longer so.

        Raises:
            SessionError: the session is missing or unreadable; what was read stays.
        """

    @abstractmethod
    def peek(self, lines: Iterable[bytes]) -> Self:
        """Take in only these lines of the file: enough to tell `session`, `cwd` and `title`, and nothing else."""

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

    def text(self, block: Block) -> str:
        """The block's visible text; see `Conversation.text`."""
        return self._text(block, self._content(block.place.entry))

    def arguments(self, block: Block) -> Any:
        """The arguments of a call, integers of any size exact."""
        return self._arguments(block, self._content(block.place.entry))

    def images(self, block: Block) -> list[tuple[str, str]]:
        """The images of a block as (media type, base64 data)."""
        return self._images(block, self._content(block.place.entry)) if block.images else []

    def _content(self, index: int) -> Any:
        content = self._recent.get(index)
        if content is None:
            content = self._fetch(index)
            self._keep(self.entries[index], content)
        return content

    def _keep(self, entry: Entry, content: Any) -> None:
        """Keep a content at hand; as objects it takes about twice its bytes in the file."""
        self._recent.put(entry.index, content, 2 * entry.length)

    @property
    def told_title(self) -> str:
        """The title, also as other sessions' files tell it, which takes looking into them."""
        return self.title

    def speech(self) -> Speech:
        """How this host's entries read as passages."""
        return Speech(self._text, self._arguments)

    @property
    def branch(self) -> Branch:
        """The tree of the entries."""
        return self._branch

    def recite(self, listener: Listener, since: Bookmark | None = None) -> None:
        """Read the session for a listener: from its start, or if it is `resumable` from a bookmark on.

        Raises:
            SessionError: the session is missing or unreadable.
            Rewound: what was read changes something from before the bookmark.
        """
        self.listener = listener
        self.refresh()

    def reread(self, entry: Entry) -> tuple[dict[str, Any], Any]:
        """An entry that the listener heard of once more: parsed, and its content.

        Raises:
            SourceChanged: it is no longer there.
        """
        return self.raw(entry.index), self._fetch(entry.index)

    def stands(self, seam: Seam) -> bool:
        """Whether what was read up to the seam is still there."""
        return False

    def seam(self, position: int) -> Seam | None:
        """A seam at a place of what was read, None where that is no longer there."""
        return None

    def state(self) -> dict[str, Any]:
        """What was learned from the entries up to one that was just taken in, as JSON: `restore` takes it, before
        that entry is read again."""
        return {
            "session": self.session,
            "cwd": self.cwd,
            "parent": self.parent,
            "skipped": dict(self.skipped),
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Begin with what another reading learned."""
        self.session, self.cwd, self.parent = state["session"], state["cwd"], state["parent"]
        self.skipped = Counter(state["skipped"])

    def _add_entry(
        self, entry: Entry, parent: str | None, fragment: Fragment, content: Any, raw: dict[str, Any]
    ) -> None:
        """Add an entry with what it says; `parent`: see `Branch.add`."""
        copies = self.listener is not None and self._branch.knows(entry.id)
        if copies:
            self._note_said(entry.id)
        self.entries.append(entry)
        self._branch.add(entry.id, parent, fragment)
        self._keep(entry, content)
        if self.listener:
            self._tell(entry, fragment, content, raw, copies)
        elif self._archive.take(fragment):
            self._branch.changed()

    def _tell(
        self, entry: Entry, fragment: Fragment, content: Any, raw: dict[str, Any], copies: bool = False
    ) -> None:
        """Tell the listener of an entry. One that says something else under the id of another gets a number; what
        an earlier one said under that id is told already."""
        if not self.listener:
            return
        if copies:
            self.whole = False
            self._copies[entry.id] += 1
            if content and digest([fragment.role, compact_json(content)]) in self._replaced.get(entry.id, ()):
                return
            entry = replace(entry, id=f"{entry.id}#{self._copies[entry.id] + 1}")
        self.listener.entry(entry, fragment, raw, content)

    def _note_said(self, id: str) -> None:
        """Note what the entry with this id says, before another one takes its place."""
        if self.listener and (index := self._branch.find(id)) is not None:
            role = self._branch.fragments[index].role
            said = digest([role, compact_json(self._content(index))])
            self._replaced.setdefault(id, set()).add(said)

    def _aside(self, offset: int, raw: dict[str, Any]) -> None:
        """Readers call this for each line that is no entry but may hold words."""
        if self.listener:
            self.listener.aside(offset, raw)

    @abstractmethod
    def _new_branch(self) -> Branch:
        """The branch rules of this host."""

    @abstractmethod
    def _settle(self) -> None:
        """Bring up to date what depends on everything read."""

    @abstractmethod
    def _fetch(self, index: int) -> Any:
        """The content of an entry, read anew: what its blocks stand in.

        Raises:
            SourceChanged: it is no longer there.
        """

    @abstractmethod
    def _text(self, block: Block, content: Any) -> str: ...

    @abstractmethod
    def _arguments(self, block: Block, content: Any) -> Any: ...

    @abstractmethod
    def _images(self, block: Block, content: Any) -> list[tuple[str, str]]: ...
