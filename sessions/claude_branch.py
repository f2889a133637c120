"""Which entries of a Claude Code transcript are in the model's context."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from prune_mcp.sessions.branch import Branch
from prune_mcp.sessions.model import Block
from prune_mcp.sessions.piece import Piece


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
        self._last = {False: -1, True: -1}

    def _before(self, piece: Piece) -> int:
        return self._last[piece.side]

    def _grow(self, piece: Piece) -> None:
        first_of_main = not piece.side and self._last[False] < 0
        self._last[piece.side] = piece.entry
        if piece.side and self._last[False] >= 0:
            return
        follows = self.up[piece.entry] == self.tip or self._parallel(piece)
        self.tip = piece.entry
        if first_of_main or piece.barrier or piece.summary or not follows:
            self._stale = True
        elif not self._stale:
            self.layout.add(piece)

    def _parallel(self, piece: Piece) -> bool:
        """Whether the piece belongs to the response still open, beside the branch's last entries."""
        group = self.layout.group
        if self._stale or not group or not self._part_of(piece, group):
            return False
        answered = _answered(piece)
        for entry in reversed(self.layout.order):
            if entry == self.up[piece.entry]:
                return True
            other = self.pieces[entry]
            if other is None or not self._part_of(other, group) or not answered.isdisjoint(_answered(other)):
                return False
        return False

    def _part_of(self, piece: Piece, group: str) -> bool:
        if piece.role == "assistant":
            return piece.group == group
        above = self.up[piece.entry]
        parent = self.pieces[above] if above >= 0 else None
        return parent is not None and parent.group == group and bool(_answered(piece))

    def _lay_out(self) -> None:
        path = self._with_kept(self._path())
        for run in self._with_siblings(_runs(path)):
            self.layout.extend(self._said(run))

    def _said(self, entries: Iterable[int]) -> Iterator[Piece]:
        return (piece for entry in entries if (piece := self.pieces[entry]) is not None)

    def _path(self) -> list[int]:
        """The tip's ancestors down to it, from the latest compaction on."""
        path: list[int] = []
        for entry in self._upward(self.tip):
            path.append(entry)
            if self._stops(entry):
                break
        return path[::-1]

    def _stops(self, entry: int) -> bool:
        piece = self.pieces[entry]
        if piece is None or piece.barrier:
            return True
        above = self.up[entry]
        parent = self.pieces[above] if above >= 0 else None
        # Early versions wrote a summary without a boundary before it.
        return piece.summary and not (parent is not None and parent.barrier)

    def _with_kept(self, path: list[int]) -> list[int]:
        return path

    def _with_siblings(self, runs: list[list[int]]) -> Iterator[list[int]]:
        """Each run with the parallel calls beside it and their results, in file order."""
        for run in runs:
            yield sorted(run + self._siblings(run))

    def _siblings(self, run: list[int]) -> list[int]:
        on = set(run)
        groups = {piece.group for piece in self._said(run) if piece.group}
        answered = {id for piece in self._said(run) for id in _answered(piece)}
        found = []
        for entry in range(min(run) + 1, len(self.pieces)):
            piece = self.pieces[entry]
            if piece is None or entry in on or self.up[entry] not in on:
                continue
            parent = self.pieces[self.up[entry]]
            results = _answered(piece)
            if piece.role == "assistant":
                joins = piece.group in groups
            else:
                joins = bool(results) and parent is not None and parent.group in groups
            if joins and answered.isdisjoint(results):
                on.add(entry)
                answered |= results
                found.append(entry)
        return found

    def abandoned(self) -> set[int]:
        """The entries that a rewind left behind; what was compacted away is none of them."""
        lineage = set(self._lineage())
        for run in self._with_siblings([sorted(lineage)] if lineage else []):
            lineage.update(run)
        side = self._last[False] < 0
        return {p.entry for p in self.pieces if p is not None and p.side == side and p.entry not in lineage}

    def _lineage(self) -> Iterator[int]:
        """The tip's ancestors, across compactions."""
        start = self.tip
        seen: set[int] = set()
        while start >= 0 and start not in seen:
            entry = start
            for entry in self._upward(start):
                if entry in seen:
                    return
                seen.add(entry)
                yield entry
                if entry in self.boundaries:
                    break
            if entry not in self.boundaries:
                return
            logical = self.boundaries[entry].logical
            above = self._above(logical)
            start = above if above >= 0 else entry - 1


def _answered(piece: Piece) -> set[str]:
    return {block.call_id for block in piece.blocks if block.kind == "result"}


def _runs(path: list[int]) -> list[list[int]]:
    """The path cut where it goes back in the file (entries kept over a compaction stand before it)."""
    runs: list[list[int]] = []
    for entry in path:
        if runs and runs[-1][-1] < entry:
            runs[-1].append(entry)
        else:
            runs.append([entry])
    return runs
