"""Which outputs and blocks of the store the refs that a caller wrote mean."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

from prune_mcp.engine.answers import EngineError
from prune_mcp.engine.catalog import Catalog
from prune_mcp.engine.recovery.fence import inline, quoted
from prune_mcp.engine.recovery.refs import CallRef, Ref, RefKind, fold, parse_call, parse_ref, split_refs
from prune_mcp.storage.records import Output

NEAR = 3
SEARCHED = 20
NAMED = 20


@dataclass(frozen=True, slots=True)
class Target:
    """One thing to bring back; `note` is said with it."""

    session: str
    kind: RefKind
    number: int
    facet: str = ""
    note: str = field(default="", compare=False)

    @property
    def ref(self) -> str:
        """Its ref within its session."""
        return str(Ref(self.kind, self.number, self.number, self.facet))


@dataclass(slots=True)
class Resolution:
    """What was found, in the order asked; what is not known, with near refs; what several sessions could mean.

    `failure`: why the session named for all refs cannot be told, once a ref needed it.
    """

    targets: list[Target] = field(default_factory=list)
    unknown: dict[str, list[str]] = field(default_factory=dict)
    ambiguous: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    failure: EngineError | None = None


class Resolver:
    """Finds what refs mean: in the session a ref names, else in `session`, else in the only one that has it."""

    def __init__(self, catalog: Catalog, session: str | None) -> None:
        self.catalog = catalog
        self.found = Resolution()
        self._named = session or ""
        self._by_call: dict[str, list[tuple[str, Output]]] = {}

    def resolve(self, texts: Sequence[str]) -> Resolution:
        """What these texts ask for; a text may hold several refs and whatever stands around them."""
        self._look_up(texts)
        for text in texts:
            pieces = self._pieces(text)
            if text.strip() and not pieces:
                self.found.unknown[text.strip()] = []
            for piece in pieces:
                ref = parse_ref(piece)
                if ref is not None:
                    self.number(ref)
                else:
                    self._call(piece)
        self.found.targets = list(dict.fromkeys(self.found.targets))
        return self.found

    def number(self, ref: Ref) -> None:
        """Add what a numbered ref means."""
        where = self._where(ref)
        if not where:
            self.found.unknown[str(ref)] = self._near_number(ref)
        elif len(where) > 1:
            self.found.ambiguous.append(self._ambiguity(ref, where))
        else:
            self._add(ref, where[0])

    def _able(self, ref: Ref | CallRef) -> list[str] | None:
        """The sessions that are named for a ref; None where none is, so that it could be any."""
        if ref.session:
            return self.catalog.begun(ref.session)
        if not self._named:
            return None
        try:
            return [self._home]
        except EngineError as error:
            self.found.failure = error
            return []

    @cached_property
    def _home(self) -> str:
        return self.catalog.session(self._named)

    def _where(self, ref: Ref) -> list[str]:
        """The sessions that have something of this ref among those it could mean."""
        able = self._able(ref)
        if able is None:
            return self.catalog.holding(ref.kind, ref.first, ref.last)
        return [session for session in able if self.catalog.within(session, ref.kind, ref.first, ref.last)]

    def _add(self, ref: Ref, session: str) -> None:
        numbers = self.catalog.within(session, ref.kind, ref.first, ref.last)
        kept = self.catalog.facets(session) if ref.facet else {}
        for number in numbers:
            target = Target(session, ref.kind, number, ref.facet)
            if not ref.facet or (ref.kind == "t" and (number, ref.facet) in kept):
                self.found.targets.append(target)
            else:
                self.found.unknown[target.ref] = self._beside(session, ref.kind, number)
        if ref.last - ref.first >= len(numbers):
            self.found.notes.append(f"of {ref} these are known: {', '.join(fold(ref.kind, numbers)[:NAMED])}")

    def _beside(self, session: str, kind: RefKind, number: int) -> list[str]:
        names = self.catalog.facet_names(session, number) if kind == "t" else []
        return [f"{kind}{number}", *(f"{kind}{number}:{name}" for name in names)]

    def _look_up(self, texts: Sequence[str]) -> None:
        """Fetch at once every occurrence of what could be a tool-call id."""
        able = [text for text in texts if parse_ref(text) is None]
        written = dict.fromkeys([*able, *(piece for text in able for piece in split_refs(text))])
        ids = dict.fromkeys([*written, *(parse_call(text).id for text in written)])
        for session, output in self.catalog.store.occurrences(list(ids)) if ids else ():
            self._by_call.setdefault(output.call_id, []).append((session, output))

    def _pieces(self, text: str) -> list[str]:
        return [text] if text in self._by_call or parse_ref(text) is not None else split_refs(text)

    def _call(self, text: str) -> None:
        """Add every occurrence of a tool-call id, copies of a fork once."""
        call = CallRef(text) if text in self._by_call else parse_call(text)
        rows = self._by_call.get(call.id, [])
        able = self._able(call)
        here = [row for row in rows if able is None or row[0] in able]
        if not here:
            self.found.unknown[str(call)] = self._near_call(call, rows)
            return
        first: dict[tuple[str, str], list[tuple[str, Output]]] = {}
        for row in here:
            first.setdefault((row[1].entry, row[1].sha), []).append(row)
        for place, copies in enumerate(first.values(), 1):
            self._occurrence(call, copies, f"{place} of {len(first)}")

    def _occurrence(self, call: CallRef, copies: list[tuple[str, Output]], place: str) -> None:
        session, output = copies[0]
        target = Target(session, "t", output.ref, call.facet)
        if call.facet and (output.ref, call.facet) not in self.catalog.facets(session):
            self.found.unknown[f"{call} ({target.ref})"] = self._beside(session, "t", output.ref)
            return
        note = f"occurrence {place} of tool call {inline(call.id, 100)}"
        others = [f"t{other.ref}@{self.catalog.label(where)}" for where, other in copies[1 : NEAR + 1]]
        note += f"; the same as {', '.join(others)}" if others else ""
        self.found.targets.append(Target(session, "t", output.ref, call.facet, note))

    def _ambiguity(self, ref: Ref, sessions: list[str]) -> str:
        named = "; ".join(self._describe(ref, session) for session in sessions[:NAMED])
        rest = f"; and {len(sessions) - NAMED} more" if len(sessions) > NAMED else ""
        return f"{ref} could mean {len(sessions)} sessions' own: {named}{rest}. Name one of them."

    def _describe(self, ref: Ref, session: str) -> str:
        number = self.catalog.within(session, ref.kind, ref.first, ref.last)[0]
        full = Ref(ref.kind, ref.first, ref.last, ref.facet, inline(self.catalog.label(session), 100))
        if ref.kind == "b":
            block = self.catalog.blocks(session)[number]
            return f"{full} (block of {len(block.refs)} outputs)"
        output = self.catalog.outputs(session)[number]
        return f"{full} ({inline(output.tool, 60)} {quoted(output.key[:100])})"

    def _near_number(self, ref: Ref) -> list[str]:
        """The nearest numbers where the ref was looked for, then the same number of other sessions."""
        catalog = self.catalog
        able = self._able(ref)
        near: list[str] = []
        if able == [] and ref.session:
            return [f"{ref.kind}{ref.first}@{label}" for label in self._labels(ref, NEAR)]
        for session in able[:1] if able else [record.id for record in catalog.records[:NEAR]]:
            known = sorted(
                catalog.numbers(session, ref.kind), key=lambda number: (abs(number - ref.first), number)
            )
            bare = len(catalog.records) == 1 or (able and not ref.session)
            near += [f"{ref.kind}{n}" + ("" if bare else f"@{catalog.label(session)}") for n in known[:NEAR]]
        if able:
            near += [f"{ref.kind}{ref.first}@{label}" for label in self._labels(ref, NEAR - 1, able)]
        return near[: 2 * NEAR]

    def _labels(self, ref: Ref, count: int, without: Sequence[str] = ()) -> list[str]:
        """The newest other sessions that have this ref."""
        holding = self.catalog.holding(ref.kind, ref.first, ref.last)
        return [self.catalog.label(session) for session in holding if session not in without][:count]

    def _near_call(self, call: CallRef, elsewhere: list[tuple[str, Output]]) -> list[str]:
        """Where another session has this id; else the ids most like it in the session or the newest ones."""
        if elsewhere:
            return [f"t{output.ref}@{self.catalog.label(session)}" for session, output in elsewhere[:NEAR]]
        sessions = self._able(call) or [record.id for record in self.catalog.records[:SEARCHED]]
        ids = dict.fromkeys(o.call_id for s in sessions for o in self.catalog.outputs(s).values())
        begun = [each for each in ids if call.id and each.lower().startswith(call.id.lower())]
        near = difflib.get_close_matches(call.id[:200], list(ids), NEAR) if len(begun) < NEAR else []
        return list(dict.fromkeys([*begun, *near]))[:NEAR]
