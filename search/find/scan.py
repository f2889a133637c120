"""What a scan of sessions that the index does not cover found, and what it did not get to."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from prune_mcp.search.find.sought import Sought
from prune_mcp.search.indexing.pending import Pending
from prune_mcp.search.packs.frame import Origin
from prune_mcp.search.secrets.masking import mask
from prune_mcp.sessions.history import History
from prune_mcp.sessions.passage import Passage

# How many characters a text has for each of its terms, on the average.
TERM_CHARS = 6.0
# More matches than this are not held, nor texts larger than that.
MOST_HELD, MOST_CHARS = 3000, 32_000_000

Often = Sequence[tuple[Sought, int]]


@dataclass(slots=True)
class Scanned:
    """A passage that was found where it stands, its text masked. `often`: what is sought, with how often it holds
    it; `length`: in terms, as good as known. `first`, `last`: when what was read of its session began, and when
    that ended, in seconds since the epoch, 0.0 unknown."""

    passage: Passage
    often: Often
    length: int
    copy: int
    origin: Origin = field(default_factory=lambda: Origin(0, "", "", ""))
    first: float = 0.0
    last: float = 0.0


class Lately(NamedTuple):
    """When a session had its last prompt, its last output of a tool that is not ours, and anything at all: for the
    last time, and for the first.

    In seconds since the epoch, 0.0 for never.
    """

    prompt: float = 0.0
    output: float = 0.0
    any: float = 0.0
    first: float = 0.0

    def then(self, passage: Passage) -> Lately:
        """With one passage more."""
        prompt = passage.time if passage.role == "user" else self.prompt
        output = passage.time if passage.role == "result" and not passage.echo else self.output
        first = min(self.first or passage.time, passage.time or self.first)
        return Lately(prompt, output, max(self.any, passage.time), first)


@dataclass(slots=True)
class Scan:
    """What a scan found, and did not get to.

    `void`: sources that were read anew, so that what the index has of them no longer holds. `again`: sources of
    which what may still have changed was read once more. `passages`: how many were read, of so many `chars`.
    `missed`: what there was no time for. `unreadable`: files and why. `covered`: how many were searched, `new`
    ones that the index has nothing of. `sessions`: what each did lately. `tools`: their names.
    """

    found: list[Scanned] = field(default_factory=list)
    void: set[int] = field(default_factory=set)
    again: set[int] = field(default_factory=set)
    covered: int = 0
    new: int = 0
    passages: int = 0
    chars: int = 0
    missed: list[Pending] = field(default_factory=list)
    unreadable: list[tuple[str, str]] = field(default_factory=list)
    sessions: dict[str, Lately] = field(default_factory=dict)
    tools: set[str] = field(default_factory=set)

    def cover(self, pending: Pending) -> None:
        """Count a file that was searched whole."""
        self.covered += 1
        self.new += pending.number is None

    def take(self, found: Iterable[Scanned]) -> None:
        """Take what was found, but hold no more than can be shown: the newest of what holds the most."""
        self.found += found
        while len(self.found) > MOST_HELD or (len(self.found) > 1 and self._chars_held() > MOST_CHARS):
            self.found.sort(key=lambda each: (len({sought.number for sought, _ in each.often}), each.passage.time))
            del self.found[: len(self.found) // 2]

    @property
    def length(self) -> float:
        """How many terms all that was read holds, as what was found there lets expect."""
        chars = self._chars_held()
        return self.chars * sum(each.length for each in self.found) / chars if chars else self.chars / TERM_CHARS

    def _chars_held(self) -> int:
        return sum(len(each.passage.text) for each in self.found)


def origin_of(pending: Pending, history: History) -> Origin:
    """Where the passages of a file come from, once it was read."""
    file = pending.file
    return Origin(
        pending.number or 0,
        file.filename,
        file.inside,
        history.host,
        history.session,
        history.parent,
        history.cwd,
        file.project,
        mask(history.title),
    )
