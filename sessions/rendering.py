"""A view of a transcript as raw entries: edited where the view says so, otherwise as they stand in the file."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from hashlib import sha256
from typing import Any, ClassVar

from prune_mcp.sessions.branch import Branch
from prune_mcp.sessions.messages.wire import edited_entries
from prune_mcp.sessions.view import View

Raw = dict[str, Any]


class Rendering(ABC):
    """One rendering. `id_key` and `parent_key` are the fields by which entries of the format are linked.

    Where entries vanish or texts are put between, the entries that follow are linked over the gap.
    """

    id_key: ClassVar[str]
    parent_key: ClassVar[str]

    def __init__(self, branch: Branch, view: View, raw: Callable[[int], Raw]) -> None:
        self._branch = branch
        self._layout = branch.layout
        self._view = view
        self._raw = raw
        self._touched = edited_entries(view)
        self._owner = dict(zip(self._layout.order, self._layout.owner, strict=True))
        self._links: dict[int, Any] = {}
        self._last: Raw | None = None
        self._root: Any = None

    def entries(self) -> Iterator[Raw]:
        """The entries in the order of the branch."""
        layout = self._layout
        ends = {owner: at for at, owner in enumerate(layout.owner)}
        yield from self._before_all()
        for at, (entry, owner) in enumerate(self._owner.items()):
            if owner < 0 or entry in layout.superseded:
                continue
            yield from self._entry(entry, owner in self._view.dropped)
            if ends[owner] == at:
                yield from self._inserted(owner, entry)

    def _before_all(self) -> Iterator[Raw]:
        texts = self._view.inserted.get(-1)
        if texts and self._layout.order:
            pattern = self._raw(self._layout.order[0])
            for text in texts:
                yield self._insert(text, pattern)
            self._root = self._last_id()

    def _entry(self, entry: int, dropped: bool) -> Iterator[Raw]:
        raw = None if dropped else self._edited(entry)
        if raw is None:
            self._links[entry] = self._last_id()
            return
        self._last = raw = self._linked(entry, raw)
        yield raw

    def _edited(self, entry: int) -> Raw | None:
        """The entry as the view has it, or None where nothing of it is left."""
        raw = self._raw(entry)
        return self.edit(raw, entry, self._view) if entry in self._touched else raw

    def _inserted(self, owner: int, entry: int) -> Iterator[Raw]:
        texts = self._view.inserted.get(owner, ())
        for text in texts:
            yield self._insert(text, self._last or self._raw(entry))
        if texts:
            self._links[entry] = self._last_id()

    def _insert(self, text: str, pattern: Raw) -> Raw:
        before = self._last_id()
        data = f"{before}\n{text}".encode("utf-8", "surrogatepass")
        self._last = self.synthetic(text, pattern, sha256(data).hexdigest(), before)
        return self._last

    def _linked(self, entry: int, raw: Raw) -> Raw:
        """The entry with its parent changed, if that vanished or a text was put after it."""
        above = self._branch.up[entry]
        seen = {entry}
        while above >= 0 and above not in self._links and self._unseen(above) and above not in seen:
            seen.add(above)
            above = self._branch.up[above]
        if above < 0 and self._root is not None:
            return self._with_parent(raw, self._root)
        return self._with_parent(raw, self._links[above]) if above in self._links else raw

    def _with_parent(self, raw: Raw, parent: Any) -> Raw:
        return {**raw, self.parent_key: parent} if self.parent_key in raw else raw

    def _unseen(self, entry: int) -> bool:
        return entry in self._layout.superseded or self._owner.get(entry, 0) < 0

    def _last_id(self) -> Any:
        return self._last.get(self.id_key) if self._last else None

    @abstractmethod
    def edit(self, raw: Raw, entry: int, view: View) -> Raw | None:
        """A copy of the entry with the view's edits of it, or None where nothing of it is left."""

    @abstractmethod
    def synthetic(self, text: str, pattern: Raw, digest: str, parent: Any) -> Raw:
        """A user entry with this text, like `pattern` otherwise; its id follows from the digest."""
