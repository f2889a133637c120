"""A view of a document as raw records: edited where the view says so, otherwise as they were read."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from hashlib import sha256
from itertools import groupby
from typing import Any

from prune_mcp.sessions.layout import Layout
from prune_mcp.sessions.messages.wire import edited_entries
from prune_mcp.sessions.view import View

Raw = dict[str, Any]


class Edits(ABC):
    """How a view's edits look in one format; one of these serves one rendering."""

    @abstractmethod
    def id(self, raw: Raw) -> str:
        """The id of a record."""

    @abstractmethod
    def edit(self, raw: Raw, shares: dict[int, int], dropped: set[int], view: View) -> Raw | None:
        """A copy of a record with the view's edits, or None where nothing of it is left.

        `shares`: by the number of each share that is in the context its entry; `dropped`: the numbers of those
        that are left out whole, or not in the context.
        """

    @abstractmethod
    def synthetic(self, text: str, pattern: Raw, digest: str) -> Raw:
        """A user record with this text, like `pattern` otherwise; its id follows from the digest."""

    def linked(self, raw: Raw, edited: Raw | None) -> Raw | None:
        """`edited` with what it says of other records put right; told of every record in order, and of those that
        vanish (None)."""
        return edited


class DocumentRendering:
    """One rendering. `record_of`: by entry the number of its record; `first_of`: by record its first entry."""

    def __init__(
        self,
        layout: Layout,
        view: View,
        edits: Edits,
        records: Callable[[int], Raw],
        record_of: Sequence[int],
        first_of: Sequence[int],
    ) -> None:
        self._layout = layout
        self._view = view
        self._edits = edits
        self._records = records
        self._record_of = record_of
        self._first_of = first_of
        self._touched = edited_entries(view)
        self._last = ""

    def records(self) -> Iterator[Raw]:
        """The records in the order of the messages."""
        shown = [pair for pair in zip(self._layout.order, self._layout.owner, strict=True) if pair[1] >= 0]
        if shown:
            yield from self._inserted([-1], self._records(self._record_of[shown[0][0]]))
        for number, pairs in groupby(shown, lambda pair: self._record_of[pair[0]]):
            owners = dict(pairs)
            raw = self._records(number)
            edited = self._edits.linked(raw, self._edited(raw, number, owners))
            if edited is not None:
                self._last = self._edits.id(edited)
                yield edited
            yield from self._inserted(owners.values(), raw)

    def _edited(self, raw: Raw, number: int, owners: dict[int, int]) -> Raw | None:
        first, after = self._first_of[number], number + 1
        last = self._first_of[after] if after < len(self._first_of) else len(self._record_of)
        shares = {entry - first: entry for entry in owners}
        dropped = {share for share, entry in shares.items() if owners[entry] in self._view.dropped}
        dropped |= set(range(last - first)) - set(shares)
        if dropped or not self._touched.isdisjoint(owners):
            return self._edits.edit(raw, shares, dropped, self._view)
        return raw

    def _inserted(self, owners: Iterable[int], pattern: Raw) -> Iterator[Raw]:
        for text in (text for owner in owners for text in self._view.inserted.get(owner, ())):
            data = f"{self._last}\n{text}".encode("utf-8", "surrogatepass")
            made = self._edits.synthetic(text, pattern, sha256(data).hexdigest())
            self._last = self._edits.id(made)
            yield self._edits.linked(made, made) or made
