"""Which entries of a Claude Code transcript are in the model's context."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from prune_mcp.sessions.branch import NO_JUMPS, Branch
from prune_mcp.sessions.fragment import Fragment
from prune_mcp.sessions.model import Block


class Boundary(NamedTuple):
    """What a compaction boundary says: the last entry before it, and the entries kept whole after `anchor`."""

    logical: str | None = None
    anchor: str | None = None
    head: str | None = None
    tail: str | None = None


class ClaudeBranch(Branch):
    """The host resumes from the entry written last and follows parents up to the latest compaction.

    Responses with several calls run as siblings there: each call is an entry with its own result, and only one
    of them leads to the next. The others belong to the branch as well.
    """

    def __init__(self, text: Callable[[Block], str]) -> None:
        super().__init__(text)
        self.boundaries: dict[int, Boundary] = {}
        self._latest = Boundary()
        self._last = {False: -1, True: -1}

    def silent(self, id: str, parent: str | None) -> None:
        """As `Branch.silent`; entries that a compaction kept may stand after such a one."""
        super().silent(id, parent)
        self._stale |= id == self._latest.anchor

    def _before(self, fragment: Fragment) -> int:
        return self._last[fragment.side]

    def _logical(self, entry: int) -> str | None:
        boundary = self.boundaries.get(entry)
        return boundary.logical if boundary else None

    def _under(self, entry: int) -> int:
        if entry not in self.boundaries:
            return self.up[entry]
        above = self._above(self._logical(entry))
        return above if above >= 0 else entry - 1

    def _grow(self, fragment: Fragment) -> None:
        ends_preface = not fragment.side and self._last[False] < 0 and len(self.layout.order) > 0
        self._last[fragment.side] = fragment.entry
        if fragment.side and self._last[False] >= 0:
            return
        if fragment.barrier:
            self._latest = self.boundaries[fragment.entry]
        follows = self._follows(fragment)
        self.tip = fragment.entry
        if ends_preface or fragment.barrier or fragment.summary or not follows or fragment.id in self._latest:
            self._stale = True
        elif not self._stale:
            self.layout.add(fragment)

    def _follows(self, fragment: Fragment) -> bool:
        """Whether it continues the tip, or an entry after which only parallel calls and results stand."""
        above = self.up[fragment.entry]
        if above == self.tip:
            return True
        response = "" if self._stale or above < 0 else self._response(above)
        answers = self._answers(fragment.entry)
        for entry in reversed(self.layout.order) if response else ():
            if entry == above:
                return True
            own = self.fragments[entry].side == fragment.side and self._response(entry) == response
            if not own or not answers.isdisjoint(self._answers(entry)):
                return False
        return False

    def _response(self, entry: int) -> str:
        """The response an entry belongs to: part of it, result of a call in it, or put behind such a result."""
        for at in self._upward(entry):
            fragment = self.fragments[at]
            if fragment.role == "assistant":
                return fragment.group if at == entry else ""
            if fragment.prompt or fragment.role == "system" or self.up[at] < 0:
                return ""
            if any(block.kind == "result" for block in fragment.blocks):
                return self.fragments[self.up[at]].group
        return ""

    def _answers(self, entry: int) -> set[tuple[str, str]]:
        """The calls that the entry answers, each in its response, since ids may be used again."""
        results = self.fragments[entry].results
        response = self._response(entry) if results else ""
        return {(response, result.call_id) for result in results}

    def _lay_out(self) -> None:
        for run in self._with_siblings(self._path()):
            self.layout.extend(self._said(run))

    def _said(self, entries: Iterable[int]) -> Iterator[Fragment]:
        return (self.fragments[entry] for entry in entries)

    def _path(self) -> list[int]:
        """The tip's ancestors down to it, from the latest compaction on, with what that kept whole."""
        anchor, kept = self._kept()
        path: list[int] = []
        for entry in self._upward(self.tip, {kept[0]: anchor} if kept else NO_JUMPS):
            path.append(entry)
            if self._stops(entry):
                break
        path.reverse()
        if anchor in path and kept[0] not in path:
            after = path.index(anchor) + 1
            path[after:after] = [entry for entry in kept if entry not in path]
        return path

    def _kept(self) -> tuple[int, list[int]]:
        """The entries that the latest compaction kept whole, and the one they stand after."""
        head, tail, anchor = map(self._above, (self._latest.head, self._latest.tail, self._latest.anchor))
        kept: list[int] = []
        for entry in self._upward(tail) if head >= 0 and anchor >= 0 else ():
            kept.append(entry)
            if entry == head:
                return anchor, kept[::-1]
        return -1, []

    def _stops(self, entry: int) -> bool:
        above = self.up[entry]
        # Early versions wrote a summary without a boundary before it.
        first = self.fragments[entry].summary and not (above >= 0 and self.fragments[above].barrier)
        return self.fragments[entry].barrier or first

    def _with_siblings(self, path: list[int]) -> Iterator[list[int]]:
        """The path with the parallel calls beside it and their results, each run of it in file order."""
        taken = self._marks(path)
        for run in _runs(path):
            found = self._siblings(run, taken)
            for entry in found:
                taken[entry] = True
            yield sorted(run + found)

    def _marks(self, entries: list[int]) -> bytearray:
        """Which entries these are, a byte for each one of the file: a set takes much more."""
        marks = bytearray(len(self.fragments))
        for entry in entries:
            marks[entry] = True
        return marks

    def _siblings(self, run: list[int], taken: bytearray) -> list[int]:
        on = self._marks(run)
        firsts, answered = set(), set()
        for entry in run:
            if group := self.fragments[entry].group:
                firsts.add((group, self.up[entry]))
            answered |= self._answers(entry)
        found = []
        for entry in range(min(run) + 1, len(self.fragments)):
            above = self.up[entry]
            if taken[entry] or above < 0 or not on[above] or self.fragments[entry].side != self._side:
                continue
            response = self._response(entry)
            joins = self.fragments[entry].role != "assistant" or response == self._response(above)
            # The first call of a response is parallel only to another first one.
            if not response or not (joins or (response, above) in firsts):
                continue
            answers = self._answers(entry)
            if answered.isdisjoint(answers):
                on[entry] = True
                firsts.add((self.fragments[entry].group, above))
                answered |= answers
                found.append(entry)
        return found

    def abandoned(self) -> set[int]:
        """The entries that a rewind left behind; what was compacted away is none of them."""
        lineage = {*self._lineage(), *self._path()}
        for run in self._with_siblings(sorted(lineage)):
            lineage.update(run)
        own = {fragment.entry for fragment in self.fragments if fragment.side == self._side}
        return own - lineage

    def sidechain(self) -> set[int]:
        """The entries of subagents that stand inline; in a subagent's own file that is none."""
        return {fragment.entry for fragment in self.fragments if fragment.side and not self._side}

    @property
    def _side(self) -> bool:
        """The mark of this session's own entries: a file of nothing but sidechain is a subagent's own."""
        return self._last[False] < 0

    def _lineage(self) -> Iterator[int]:
        """The tip's ancestors, across compactions."""
        return self._upward(self.tip, {entry: self._under(entry) for entry in self.boundaries})


def _runs(path: list[int]) -> list[list[int]]:
    """The path cut where it goes back in the file (entries kept over a compaction stand before it)."""
    runs: list[list[int]] = []
    for entry in path:
        if runs and runs[-1][-1] < entry:
            runs[-1].append(entry)
        else:
            runs.append([entry])
    return runs
