"""A session as history reads it: its passages in order, from the start or from where an earlier reading ended."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from prune_mcp.sessions.passage import Passage
from prune_mcp.sessions.session_file import SessionFile

# A copy of an entry is compared with what stood there before; most come soon after it.
CACHE_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class Mark:
    """Where a reading ended, to be kept and given to the next one.

    `position`: bytes of the source that are done with. `stamp`: the source's own as it was then
    (`SessionFile.stamp`). `state`: JSON that only the reader understands.
    """

    position: int
    stamp: tuple[int, ...]
    state: str = ""


class History(ABC):
    """One reading of one session. `session`, `host`, `cwd`, `title` and `parent` hold once it was read.

    `parent`: the session this one is a subagent of, was forked or resumed from; "" for none. `fresh`: the passages
    are all there are, and whatever an earlier reading told is void; else they come after the mark's. `skipped`:
    damage by kind.
    """

    host: str
    session: str = ""
    cwd: str = ""
    title: str = ""
    parent: str = ""
    fresh: bool = True
    skipped: Counter[str]

    @abstractmethod
    def passages(self) -> Iterator[Passage]:
        """The passages in the source's order, texts whole; to be used up once."""

    @abstractmethod
    def mark(self) -> Mark:
        """Where this reading ended; holds once the passages are used up."""

    @abstractmethod
    def rest(self) -> Iterator[Passage]:
        """What stands behind the mark: passages that may still change, so that they are not to be kept yet."""


def read_history(file: SessionFile, mark: Mark | None = None) -> History:
    """Read a session; with the `mark` of an earlier reading only what came after it, where that is sure.

    Raises:
        SessionError: the source is missing, unreadable or no session of a known host.
    """
    from prune_mcp.sessions.hosts import reader_for
    from prune_mcp.sessions.transcript_history import history_of

    reader = reader_for(file.address)
    return history_of(lambda: reader(file.address, cache=CACHE_BYTES), file, mark)
