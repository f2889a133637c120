"""Searches what the index does not cover yet where it stands: the newest files first, as long as time allows."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence

from prune_mcp.search.find.filters import Filters
from prune_mcp.search.find.frame_texts import is_plain
from prune_mcp.search.find.places import Text
from prune_mcp.search.find.prefilter import Prefilter
from prune_mcp.search.find.scan import TERM_CHARS, Lately, Scan, Scanned, origin_of
from prune_mcp.search.find.sought import Sought
from prune_mcp.search.indexing.pending import Pending
from prune_mcp.search.packs.frame import copy_of
from prune_mcp.search.secrets.masking import mask
from prune_mcp.search.words import counts
from prune_mcp.sessions.history import History, read_history
from prune_mcp.sessions.passage import Passage
from prune_mcp.storage.codec import encode

# Tails as small as this are read however little time there is, as long as all of them are no more than that.
TAIL_BYTES, TAILS_BYTES = 1 << 20, 8 << 20
# Bytes a second that a file is read with, until it is known how fast this machine is.
PACE = 60e6
# Seconds that a file which turns out to be slow to read may go on over the time, before it is given up.
GRACE = 0.2
# Of longer texts only the surroundings of matches are taken apart, and at most so many of them.
LONG, MOST_PLACES = 4000, 40


class _TooLate(Exception):
    """The time was up before a file was read to its end."""


class Scanner:
    """Scans for what is sought, but not together with `without` (or for any of `literals`, as it stands).

    `branch`: leaving out what a rewind left behind. `own`: the session that asks, which is read in any case.
    """

    def __init__(
        self,
        sought: Sequence[Sought],
        without: Sequence[Sought],
        literals: Sequence[str],
        filters: Filters,
        branch: bool = False,
        own: str = "",
    ) -> None:
        self._sought = sought
        self._without = without
        self._literals = literals
        self._filters = filters
        self._branch = branch
        self._own = own
        self._prefilter = None if literals else Prefilter(sought)

    def scan(self, pending: Iterable[Pending], seconds: float) -> Scan:
        """Scan the newest first, for so many seconds; small tails of what is indexed in any case."""
        began = time.monotonic()
        scan = Scan()
        tails = done = 0
        for each in sorted(pending, key=lambda one: -one.file.mtime):
            small = each.number is not None and each.size <= TAIL_BYTES and tails + each.size <= TAILS_BYTES
            spent = time.monotonic() - began
            pace = done / spent if done > PACE / 10 else PACE
            if small:
                tails += each.size
            elif spent + each.size / max(pace, 1.0) > seconds:
                scan.missed.append(each)
                continue
            self._file(each, scan, float("inf") if small else began + seconds + GRACE)
            done += each.size
        return scan

    def _file(self, pending: Pending, scan: Scan, deadline: float) -> None:
        file = pending.file
        try:
            if not self._may_be_in(pending):
                scan.cover(pending)
                return
            history = read_history(file, pending.mark)
            found = list(self._passages(history, scan, deadline))
        except _TooLate:
            scan.missed.append(pending)
            return
        except Exception as error:
            # No file can stop more than its own reading.
            scan.unreadable.append((file.filename, str(error) or type(error).__name__))
            return
        scan.cover(pending)
        if pending.number is not None:
            scan.again.add(pending.number)
            if history.fresh:
                scan.void.add(pending.number)
        if found and self._filters.source(history.host, history.session, history.cwd, file.project):
            origin, lately = origin_of(pending, history), scan.sessions[history.session]
            for each in found:
                each.origin, each.first, each.last = origin, lately.first, lately.any or file.mtime
            scan.take(found)

    def _may_be_in(self, pending: Pending) -> bool:
        """Whether a file has to be read: so has one that the index holds, lest it be another one by now."""
        file = pending.file
        if self._prefilter is None or file.inside or pending.number is not None or file.named == self._own != "":
            return True
        return self._prefilter.may_hold(file.path)

    def _passages(self, history: History, scan: Scan, deadline: float) -> Iterator[Scanned]:
        filters, lately = self._filters, Lately()
        for passages in (history.passages, history.rest):
            for passage in passages():
                if time.monotonic() > deadline:
                    raise _TooLate
                scan.passages += 1
                scan.chars += len(passage.text)
                scan.tools.add(passage.tool)
                lately = lately.then(passage)
                if self._branch and passage.abandoned:
                    continue
                if filters.passage(passage.role, passage.tool, passage.time) and (found := self.match(passage)):
                    yield found
        scan.sessions[history.session] = lately

    def owns(self, session: str) -> bool:
        """Whether it is the session that asks."""
        return bool(self._own) and session == self._own

    def may_hold(self, texts: bytes) -> bool:
        """Whether any of several masked texts, one behind the other in UTF-8, can match."""
        if self._literals:
            return any(encode(literal) in texts for literal in self._literals)
        lower = texts.lower()
        if not is_plain(lower) or b"\\u" in lower or b"\\x" in lower:
            return True
        needs = (terms for sought in self._sought for terms in sought.needs or [()])
        return any(all(encode(term) in lower for term in terms) for terms in needs)

    def match(self, passage: Passage, *, kept: bool = False) -> Scanned | None:
        """A passage as it was found, its text masked (`kept`: it is already); None where it does not match."""
        text = passage.text
        if not self._may_hold(text):
            return None
        masked = text if kept else mask(text)
        if self._literals:
            if not any(literal in masked for literal in self._literals):
                return None
            often, length = [], 0
        else:
            held, length = _counted(masked, self._sought)
            often = [(sought, times) for sought in self._sought if (times := _often(sought, held, masked))]
            if not often or any(each.places(Text(masked), 1) for each in self._without):
                return None
        passage.text = masked
        return Scanned(passage, often, length, copy_of(passage.role, encode(masked)))

    def _may_hold(self, text: str) -> bool:
        """Whether it can match at all: to find out is much quicker than to take it apart."""
        if self._literals or "\\u" in text or "\\x" in text:
            return True
        folded = Text(text).folded
        needs = (terms for sought in self._sought for terms in sought.needs or [()])
        return any(all(term in folded for term in terms) for terms in needs)


def _often(sought: Sought, held: dict[str, int], text: str) -> int:
    times = sought.often(held)
    if times and sought.phrase:
        return len(sought.places(Text(text), MOST_PLACES))
    return times


def _counted(text: str, sought: Sequence[Sought]) -> tuple[dict[str, int], int]:
    """How often the terms that matter stand in a text, and its length in terms."""
    if len(text) <= LONG or not all(each.needs for each in sought) or "\\u" in text or "\\x" in text:
        held = counts(text)
        return held, sum(held.values())
    whole = Text(text)
    terms = {term for each in sought for terms in each.needs for term in terms}
    around = {whole.token(place) for term in terms for place in whole.within(term, MOST_PLACES)}
    return counts(" ".join(whole.text[start:end] for start, end in sorted(around))), int(len(text) / TERM_CHARS)
