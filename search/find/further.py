"""What lies beyond the best candidates: looked through where none of those holds what is to stand in one piece."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from prune_mcp.search.find.likely import Likely
from prune_mcp.search.find.score import Open
from prune_mcp.search.find.sought import Sought
from prune_mcp.search.find.whole import Whole
from prune_mcp.search.segments.lengths import LENGTHS

# So many more than a page needs are looked for, and no longer than so many seconds behind the first that is found.
REST, BRIEFLY = 50, 0.03


class Held(NamedTuple):
    """Documents of one frame in an opened segment that may match, `size` in all: `docs` hold what finds them, and
    `whole` may hold what is to stand in one piece. `chance`: the higher, the likelier they do."""

    opened: Open
    frame: int
    size: int
    docs: Collection[int]
    whole: Mapping[Whole, Sequence[int]]
    chance: float


class Further:
    """Looks through passages frame by frame, the likeliest first.

    `sought`: what passages match by; `wholes`: what they match by as far as it stands there in one piece. `seen`:
    the copies that were looked at before. `left`: how many were not looked at, be it for lack of time (`late`) or
    that there was no need.
    """

    def __init__(
        self,
        opened: Iterable[Open],
        sought: Sequence[Sought],
        wholes: Sequence[Whole],
        seen: Collection[int],
        likely: Likely,
    ) -> None:
        self.late = False
        self._likely = likely
        frames = (frame for each in opened for frame in _frames(each, sought, wholes, seen))
        self._frames = sorted(frames, key=lambda frame: -frame.chance)
        self.left = sum(frame.size for frame in self._frames)

    def find(self, holds: Callable[[Open, int], bool], enough: int, until: float) -> list[tuple[Open, int]]:
        """The documents that match, in no order: `enough` and some more, found until the monotonic clock says so.

        `holds`: looks whether a document that may match does.
        """
        found: list[tuple[Open, int]] = []
        for frame in self._frames:
            if len(found) >= enough + REST:
                break
            if time.monotonic() > until:
                self.late = True
                break
            self.left -= frame.size
            here = [(frame.opened, doc) for doc in self._docs(frame) if holds(frame.opened, doc)]
            if here and not found:
                until = min(until, time.monotonic() + BRIEFLY)
            found += here
        return found

    def _docs(self, frame: Held) -> list[int]:
        """The documents of a frame that are worth to be looked at."""
        docs = set(frame.docs)
        for whole in self._likely.frame(frame.opened.shard, frame.frame) if frame.whole else ():
            docs.update(frame.whole.get(whole, ()))
        return sorted(docs)


def _frames(
    opened: Open, sought: Sequence[Sought], wholes: Sequence[Whole], seen: Collection[int]
) -> Iterator[Held]:
    """The frames of a segment that hold what may match."""
    segment, mask = opened.segment, opened.mask
    frames, copies, lengths = segment.frames, segment.copies, segment.lengths
    chances: defaultdict[int, float] = defaultdict(float)

    def by_frame(one: Sought) -> dict[int, list[int]]:
        found: defaultdict[int, list[int]] = defaultdict(list)
        for doc, times in zip(*one.postings(segment), strict=True):
            if (mask is None or mask[doc]) and copies[doc] not in seen:
                found[frames[doc]].append(doc)
                # Words that come often in a short text are the likeliest to meet there.
                chances[frames[doc]] += times * times / (LENGTHS[lengths[doc]] + 1)
        return found

    sure = [by_frame(one) for one in sought]
    likely = {whole: by_frame(whole.sought) for whole in wholes}
    for start in {frame for found in (*sure, *likely.values()) for frame in found}:
        docs = {doc for found in sure for doc in found.get(start, ())}
        whole = {one: found[start] for one, found in likely.items() if start in found}
        size = len(docs.union(*whole.values()))
        yield Held(opened, start, size, docs, whole, chances[start])
