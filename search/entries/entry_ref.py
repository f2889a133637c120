"""Entries as people and models name them: `ENTRY@SESSION`, each id in full or by its beginning."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from prune_mcp.search.find.question import QuestionWrong
from prune_mcp.sessions.session_file import is_uuid

SHORT = 8
# A session may be named by so little where no other one begins so.
SHORTEST = 4
NOISE = " \t\r\n`'\"()[]{}<>,;.:!?\u201c\u201d\u2018\u2019"
# The first digits of a uuid that tells the time are the same for everything written within minutes.
_VERSION, _TIMED, _TIMED_SHORT = 14, "7", 23


@dataclass(frozen=True, slots=True)
class EntryRef:
    """An entry's id and its session's, or beginnings of them; `session` is "" where none was named."""

    entry: str
    session: str = ""

    def __str__(self) -> str:
        return f"{self.entry}@{self.session}" if self.session else self.entry

    def means_session(self, session: str) -> bool:
        """Whether a session's id is, or begins as, the one that was named; a subagent's own name stands whole."""
        named, _, agent = self.session.partition("/")
        parent, _, behind = session.partition("/")
        return agent == behind and _begins(named, parent)

    def among(self, known: Callable[[], Iterable[str]]) -> EntryRef:
        """The same, but the session named in full where it is named by very little, and only one begins so."""
        parents = self.could_be(known)
        if len(parents) != 1:
            return self
        _, slash, agent = self.session.partition("/")
        return replace(self, session=f"{parents.pop()}{slash}{agent}")

    def could_be(self, known: Callable[[], Iterable[str]]) -> set[str]:
        """The known sessions that begin as the one that was named by very little; `known` is asked only then."""
        named = self.session.partition("/")[0]
        if not SHORTEST <= len(named) < SHORT:
            return set()
        parents = {session.partition("/")[0] for session in known()}
        return set() if named in parents else {parent for parent in parents if parent.startswith(named)}

    def means_entry(self, entry: str) -> bool:
        """Whether an entry's id is, or begins as, the one that was named."""
        return _begins(self.entry, entry)


def parse_entry_ref(text: str) -> EntryRef:
    """The entry that `text` names, whatever stands around it.

    Raises:
        QuestionWrong: it names none.
    """
    word = text.strip(NOISE)
    entry, _, session = word.rpartition("@")
    if not entry:
        entry, session = word, ""
    if not entry.strip("@") or word.endswith("@") or any(c.isspace() for c in word):
        raise QuestionWrong(
            f"{text[:100]!r} names no entry. Give one as a search shows it, such as 3a9d0c12@fe5e1c67."
        )
    return EntryRef(entry, session)


def short(id: str) -> str:
    """The beginning of an id that tells it from others of its kind; the whole of one that is no uuid."""
    if not is_uuid(id):
        return id
    return id[: _TIMED_SHORT if id[_VERSION] == _TIMED else SHORT]


def _begins(word: str, id: str) -> bool:
    return id == word or (len(word) >= SHORT and id.startswith(word))
