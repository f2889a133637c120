"""What the store knows of its sessions, read at most once for one question."""

from __future__ import annotations

from functools import cached_property

from prune_mcp.engine.answers import AmbiguousRef, EngineError
from prune_mcp.engine.recovery.fence import visible
from prune_mcp.engine.recovery.refs import RefKind
from prune_mcp.sessions.beginnings import begins, shortened
from prune_mcp.storage.protocol import Store
from prune_mcp.storage.records import ChainBlock, Output, SessionRecord

NAMED = 3


class Catalog:
    """A store's sessions with their outputs and blocks by number."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self._outputs: dict[str, dict[int, Output]] = {}
        self._blocks: dict[str, dict[int, ChainBlock]] = {}
        self._facets: dict[str, dict[tuple[int, str], str]] = {}

    @cached_property
    def records(self) -> list[SessionRecord]:
        """Every session, the latest written first."""
        return self.store.sessions()

    def outputs(self, session: str) -> dict[int, Output]:
        """The session's outputs by number."""
        if session not in self._outputs:
            self._outputs[session] = {output.ref: output for output in self.store.outputs(session)}
        return self._outputs[session]

    def blocks(self, session: str) -> dict[int, ChainBlock]:
        """The session's blocks by number."""
        if session not in self._blocks:
            self._blocks[session] = {block.number: block for block in self.store.blocks(session)}
        return self._blocks[session]

    def facets(self, session: str) -> dict[tuple[int, str], str]:
        """The sha of each thing kept beside an output, by (number, name)."""
        if session not in self._facets:
            self._facets[session] = self.store.facets(session)
        return self._facets[session]

    def numbers(self, session: str, kind: RefKind) -> list[int]:
        """The numbers that are known in a session, ascending."""
        return list(self.outputs(session) if kind == "t" else self.blocks(session))

    def within(self, session: str, kind: RefKind, first: int, last: int) -> list[int]:
        """Those of the numbers from `first` to `last` that are known in a session."""
        known = self.outputs(session) if kind == "t" else self.blocks(session)
        if first == last:
            return [first] if first in known else []
        return [number for number in known if first <= number <= last]

    def facet_names(self, session: str, number: int) -> list[str]:
        """What is kept beside an output, by name; images in their own order."""
        names = [name for ref, name in self.facets(session) if ref == number]
        return sorted(names, key=lambda name: (len(name), name))

    def holding(self, kind: RefKind, first: int, last: int) -> list[str]:
        """The sessions that have one of these numbers, the latest written first."""
        able = [r.id for r in self.records if (r.next_ref if kind == "t" else r.next_block) > first]
        return [session for session in able if self.within(session, kind, first, last)]

    def begun(self, beginning: str) -> list[str]:
        """The sessions whose id is, or else begins with, this text; its case counts only where it decides."""
        if self.store.session(beginning) is not None:
            return [beginning]
        for fold in (str, str.lower):
            found = [r.id for r in self.records if begins(fold(r.id), fold(beginning))]
            if found:
                return found
        return []

    def session(self, beginning: str) -> str:
        """The one session with this id or beginning of an id.

        Raises:
            AmbiguousRef: several begin so.
            EngineError: none does; the message names the newest.
        """
        found = self.begun(beginning) if beginning else []
        named = repr(beginning[:100])
        if len(found) == 1:
            return found[0]
        if found:
            labels = ", ".join(self.label(session) for session in found[:20])
            raise AmbiguousRef(
                visible(f"{len(found)} sessions begin with {named}: {labels}. Name more of the id.")
            )
        newest = ", ".join(self.label(record.id) for record in self.records[:NAMED])
        known = f"The newest here are {newest}." if newest else "Nothing has been archived here yet."
        raise EngineError(visible(f"The store has no session {named}: prune it first. {known}"))

    def label(self, session: str) -> str:
        """The beginning of a session's id, at least 8 characters, that no other session's id has."""
        return self._labels.get(session, session)

    @cached_property
    def _labels(self) -> dict[str, str]:
        return shortened(record.id for record in self.records)
