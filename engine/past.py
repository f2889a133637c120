"""Past sessions: searched, read, indexed, brought in from exports, forgotten."""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from prune_mcp.engine.background_indexing import BackgroundIndexing
from prune_mcp.search.find.question import Found, Hit, Question, QuestionWrong, SearchError

if TYPE_CHECKING:
    from prune_mcp.engine.care.forgetting import Chosen
    from prune_mcp.search.entries.read import EntryText as EntryText
    from prune_mcp.search.entries.read import Reading as Reading
    from prune_mcp.search.index import Index
    from prune_mcp.search.indexing.forget import Forgot
    from prune_mcp.search.indexing.progress import IndexReport as IndexReport
    from prune_mcp.search.indexing.progress import Progress as Progress
    from prune_mcp.search.indexing.status import IndexStatus as IndexStatus
    from prune_mcp.search.watch import Watch
    from prune_mcp.sessions.exports.bring import ImportReport as ImportReport
    from prune_mcp.sessions.session_file import SessionFile

__all__ = ["Found", "Hit", "PastSessions", "Question", "QuestionWrong", "SearchError"]

# Bytes done, bytes in all, and what is being read.
Reported = Callable[[float, float, str], None]

# Seconds that a search may spend on what is not indexed yet.
SCAN_SECONDS = 1.0
TEXT_SIZES = "SELECT source, sum(bytes) FROM frames GROUP BY source"


class PastSessions:
    """Every session of this machine, as one history. Opens nothing before it is used; calls may overlap.

    `background`: whether a search has what is not indexed yet indexed by a child process.
    """

    def __init__(self, env: Mapping[str, str], *, background: bool = True) -> None:
        self._env = env
        self._background = BackgroundIndexing(env) if background else None
        self._lock = threading.Lock()
        self._index: Index | None = None
        self._watch: Watch | None = None

    @property
    def index(self) -> Index:
        """The index, opened when first needed."""
        from prune_mcp.search.index import Index
        from prune_mcp.storage.home import home

        with self._lock:
            if self._index is None:
                self._index = Index(home(self._env))
            return self._index

    def files(self) -> list[SessionFile]:
        """The session files as they are now, imported ones among them.

        Raises:
            StoreError: it is not known where the user's folders are.
        """
        from prune_mcp.search.watch import watch

        with self._lock:
            if self._watch is None:
                self._watch = watch(self._env)
            return self._watch.files()

    def search(self, question: Question, files: Sequence[SessionFile] = ()) -> Found:
        """What matches a question, ranked; see `prune_mcp.search.find.find.find`.

        `files`: the session files, where they were found just now.

        Raises:
            SearchError: the question cannot be answered; the message says why and what to do.
            StoreError: the index cannot be read.
        """
        from prune_mcp.search.find.find import find
        from prune_mcp.search.find.unread import unread

        # One look at the files serves the whole search.
        look = cache(lambda: files or self.files())
        if question.session:
            question = replace(question, session=self.known_as(question.session, look))
        found = find(self.index, look, question, SCAN_SECONDS)
        if not question.cursor:
            found.notes += unread(self.index, look(), self._overlooked(), question.session.strip())
        if self._background is not None:
            found.notes += self._background.begin(self.index, look)
        return found

    def _overlooked(self) -> Mapping[str, int]:
        """What the last look at the files could not look into; see `discover`."""
        with self._lock:
            return self._watch.skipped if self._watch else {}

    def read(self, ref: str, *, offset: int = 0, limit: int, around: int = 0) -> Reading:
        """One entry in pages of characters, or with its neighbours; see `prune_mcp.search.entries.read.read`.

        Raises:
            SearchError: no such entry, or several.
            StoreError: the index cannot be read.
        """
        from prune_mcp.search.entries.read import read

        return read(self.index, self.files, ref, offset=offset, limit=limit, around=around)

    def update(self, progress: Callable[[Progress], None] | None = None) -> IndexReport:
        """Index all that is not indexed yet, unless another process is at it.

        Raises:
            StoreError: the index cannot be written.
        """
        from prune_mcp.search.indexing.indexer import Indexer

        return Indexer(self.index, self.files()).run(progress, everything=True)

    def rebuild(self, progress: Callable[[Progress], None] | None = None) -> IndexReport:
        """Read all sessions again and build the index anew; those that are gone come from what was kept of them.

        Raises:
            StoreError: the index cannot be written.
        """
        from prune_mcp.search.indexing.rebuild import rebuild

        return rebuild(self.index, self.files(), everything=True, progress=progress)

    def status(self) -> IndexStatus:
        """What is indexed, what is not and why, and how large it all is.

        Raises:
            StoreError: the index cannot be read.
        """
        from prune_mcp.search.indexing.status import status

        return status(self.index, self.files())

    def bring(self, path: Path, progress: Reported | None = None) -> ImportReport:
        """Keep a copy of every conversation in an export, so that it is found like any session, also where it had
        been forgotten.

        Raises:
            SessionError: it is no export that can be read.
            StoreError: the folder of imports cannot be made, or what had been forgotten cannot be remembered.
            WriterBusy: that, since another process writes to the history; all is kept, and importing again
                goes on.
        """
        from prune_mcp.search.watch import IMPORTS
        from prune_mcp.sessions.exports.bring import import_export
        from prune_mcp.storage.home import home, private_folder

        folder = home(self._env).data / IMPORTS
        private_folder(folder)
        report = import_export(path, folder, progress)
        self.index.forgotten.refresh()
        # Forgetting deletes our copies: one that is there was brought in again.
        again = [file for file in self.files() if self._is_forgotten_copy(file, folder)]
        if again:
            from prune_mcp.search.indexing.forget import remember

            remember(self.index, again)
        report.remembered = len(again)
        return report

    def _is_forgotten_copy(self, file: SessionFile, folder: Path) -> bool:
        return file.path.is_relative_to(folder) and self.index.forgotten.holds(file)

    def chosen(self, what: str) -> list[Chosen]:
        """The sessions that a word means: an id, the beginning of one, a project, or a pattern.

        Raises:
            StoreError: the catalog cannot be read, so that none of it would be forgotten.
        """
        from prune_mcp.engine.care.forgetting import chosen
        from prune_mcp.storage.errors import StoreError

        what = self.known_as(what)
        view = self.index.view()
        if view.catalog == "closed":
            raise StoreError(" ".join(view.damaged))
        sources = view.sources.values()
        sizes = dict(self.index.rows(TEXT_SIZES)) if sources else {}
        return chosen(what, sources, self.files(), sizes)

    def known_as(self, word: str, look: Callable[[], Sequence[SessionFile]] | None = None) -> str:
        """The id of the session that a word may name by another one; see `known_as` in `search/entries/`.

        Raises:
            StoreError: the index cannot be read.
        """
        from prune_mcp.search.entries.other_ids import known_as

        return known_as(word.strip(), self.index.view(), look or self.files)

    def forget(self, chosen: Sequence[Chosen]) -> Forgot:
        """Take sessions out of the history for good; what is not indexed yet will not be.

        Raises:
            StoreError: they cannot be taken out, or another process writes to the history.
        """
        from prune_mcp.search.indexing.forget import forget

        places = {(each.path, each.inside) for each in chosen}
        return forget(self.index, lambda source: (source.path, source.inside) in places, self._at(places))

    def remember(self, chosen: Sequence[Chosen], *, dry_run: bool = False) -> int:
        """Let forgotten sessions be indexed again; returns how many were forgotten. `dry_run`: only count."""
        from prune_mcp.search.indexing.forget import remember

        self.index.forgotten.refresh()
        places = self._at({(each.path, each.inside) for each in chosen})
        files = [file for file in places if self.index.forgotten.holds(file)]
        if files and not dry_run:
            remember(self.index, files)
        return len(files)

    def close(self) -> None:
        """Close the index and end the child process."""
        if self._background is not None:
            self._background.close()
        with self._lock:
            if self._index is not None:
                self._index.close()
                self._index = None

    def _at(self, places: Collection[tuple[str, str]]) -> list[SessionFile]:
        """The session files at these paths (and insides)."""
        return [file for file in self.files() if file.place in places]
