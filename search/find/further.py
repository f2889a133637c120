"""What lies beyond the best candidates: looked through where none of those holds what is to stand in one piece."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

from prune_mcp.search.find.likely import Likely
from prune_mcp.search.find.score import Open
from prune_mcp.search.find.sought import Sought
from prune_mcp.search.find.whole import Whole
from prune_mcp.search.segments.lengths import LENGTHS

# So many more than a page needs are looked for, and no longer than so many seconds behind the first that is found.
REST, BRIEFLY = 50, 0.03


class Held:
    """What an opened segment holds of what is looked for, by frames. `sought`, `wholes`, `seen`: as `Further`.

    `chances`: of each frame with any of it; the higher, the likelier a document there matches. `size`: how many
    documents hold any of it.
    """

    def __init__(
        self, opened: Open, sought: Iterable[Sought], wholes: Iterable[Whole], seen: Collection[int]
    ) -> None:
        self.opened = opened
        self.chances: defaultdict[int, float] = defaultdict(float)
        self._sure = [self._by_frame(one, seen) for one in sought]
        self._whole = {whole: self._by_frame(whole.sought, seen) for whole in wholes}
        self.size = len({doc for found in self._found for docs in found.values() for doc in docs})

    def size_of(self, frame: int) -> int:
        """How many documents of a frame hold any of it."""
        return len({doc for found in self._found for doc in found.get(frame, ())})

    def docs(self, frame: int, likely: Likely) -> list[int]:
        """The documents of a frame that are worth looking at."""
        docs = {doc for found in self._sure for doc in found.get(frame, ())}
        if any(frame in found for found in self._whole.values()):
            for whole in likely.frame(self.opened.shard, frame):
                docs.update(self._whole[whole].get(frame, ()))
        return sorted(docs)

    @property
    def _found(self) -> Sequence[Mapping[int, Sequence[int]]]:
        return [*self._sure, *self._whole.values()]

    def _by_frame(self, one: Sought, seen: Collection[int]) -> dict[int, list[int]]:
        segment, mask = self.opened.segment, self.opened.mask
        frames, copies, lengths = segment.frames, segment.copies, segment.lengths
        found: defaultdict[int, list[int]] = defaultdict(list)
        for doc, times in zip(*one.postings(segment), strict=True):
            if (mask is None or mask[doc]) and copies[doc] not in seen:
                found[frames[doc]].append(doc)
                # Words that come often in a short text are the likeliest to meet there.
                self.chances[frames[doc]] += times * times / (LENGTHS[lengths[doc]] + 1)
        return dict(found)


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
        held = [Held(each, sought, wholes, seen) for each in opened]
        frames = [(-chance, n, frame) for n, each in enumerate(held) for frame, chance in each.chances.items()]
        self._frames = [(held[n], frame) for _, n, frame in sorted(frames)]
        self.left = sum(each.size for each in held)

    def find(self, holds: Callable[[Open, int], bool], enough: int, until: float) -> list[tuple[Open, int]]:
        """The documents that match, in no order: `enough` and some more, found until the monotonic clock says so.

        `holds`: looks whether a document that may match does.
        """
        found: list[tuple[Open, int]] = []
        for held, frame in self._frames:
            if len(found) >= enough + REST:
                break
            if time.monotonic() > until:
                self.late = True
                break
            self.left -= held.size_of(frame)
            here = [(held.opened, doc) for doc in held.docs(frame, self._likely) if holds(held.opened, doc)]
            if here and not found:
                until = min(until, time.monotonic() + BRIEFLY)
            found += here
        return found
