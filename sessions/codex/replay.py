"""What a forked session repeats of the one it was forked from: that one tells it, as long as it is there."""

from __future__ import annotations

from functools import lru_cache
from hashlib import blake2b
from pathlib import Path
from typing import Any, NamedTuple

from prune_mcp.sessions.codex.places import find_rollout, home_of
from prune_mcp.sessions.fragment import Fragment
from prune_mcp.sessions.model import Entry, SessionError
from prune_mcp.sessions.passage import Passage
from prune_mcp.sessions.speech import Speech


class Replay:
    """The lines of a fork up to the first turn that is its own; `parents`: whose lines these may be, the likeliest
    first.

    Where the parent's lines do not name their turns, the fork's own begin with the first words that are not its
    parent's.
    """

    def __init__(self, path: Path, parents: list[str]) -> None:
        home = home_of(path)
        rollouts = (find_rollout(home, parent) for parent in parents) if home else iter(())
        found = next((rollout for rollout in rollouts if rollout and rollout != path), None)
        self._parent = _read(found) if found else None
        self._named = False

    @property
    def over(self) -> bool:
        """Whether what comes is the fork's own."""
        return self._parent is None

    def turn(self, id: str) -> None:
        """A turn begins."""
        self._named |= bool(id)
        if self._parent and id and id not in self._parent.turns:
            self._parent = None

    def admit(self, passages: list[Passage]) -> list[Passage]:
        """The passages that the parent does not tell."""
        if self._parent is None:
            return passages
        own = [passage for passage in passages if mark_of(passage) not in self._parent.words]
        if own and not (self._named and self._parent.turns):
            self._parent = None
        return own


class Words(NamedTuple):
    """A mark of each thing that a session says, and the ids of its turns."""

    words: frozenset[int]
    turns: frozenset[str]


class _Hearing:
    """A listener that keeps what `Words` tells."""

    def __init__(self, speech: Speech) -> None:
        self.words: set[int] = set()
        self.turns: set[str] = set()
        self._speech = speech

    def entry(self, entry: Entry, fragment: Fragment, raw: dict[str, Any], content: Any) -> None:
        """See `Listener.entry`."""
        self.words.update(map(mark_of, self._speech.passages(entry, fragment, raw, content)))

    def aside(self, offset: int, raw: dict[str, Any]) -> None:
        """See `Listener.aside`."""
        told = self._speech.aside(offset, raw)
        self.words.update(mark_of(passage) for passage in told if passage.role != "title")
        turn = raw["payload"].get("turn_id")
        if isinstance(turn, str):
            self.turns.add(turn)


def mark_of(passage: Passage) -> int:
    """64 bits that tell what is said from anything else."""
    data = f"{passage.role}\n{passage.text.strip()}".encode("utf-8", "surrogatepass")
    return int.from_bytes(blake2b(data, digest_size=8).digest())


def _read(path: Path) -> Words | None:
    try:
        status = path.stat()
        return _words(path, status.st_mtime_ns, status.st_size)
    except (OSError, SessionError):
        return None


@lru_cache(maxsize=2)
def _words(path: Path, changed: int, size: int) -> Words:
    """What a rollout says as it was then: forks of one session are often read one after another."""
    from prune_mcp.sessions.codex.session import Codex

    reader = Codex(path, cache=0)
    hearing = _Hearing(reader.speech())
    reader.recite(hearing)
    return Words(frozenset(hearing.words), frozenset(hearing.turns))
