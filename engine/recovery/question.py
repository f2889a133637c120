"""What one question asks to bring back: the targets, and which part of each; begun anew or gone on with."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import groupby
from typing import Any

from prune_mcp.engine.answers import AmbiguousRef, EngineError, RequestWrong, UnknownRef
from prune_mcp.engine.catalog import Catalog
from prune_mcp.engine.recovery.cursor import DAMAGED, BadCursor, read_cursor, write_cursor
from prune_mcp.engine.recovery.fence import unknown_lines, visible
from prune_mcp.engine.recovery.grep import PATTERN
from prune_mcp.engine.recovery.refs import fold, parse_ref, split_refs
from prune_mcp.engine.recovery.targets import Resolution, Resolver, Target

DESCRIBED = 3


@dataclass(frozen=True, slots=True)
class Part:
    """Which part of each original is asked for: a page (characters), lines, or matching lines; else the whole.

    With lines or a pattern `limit` bounds the answer instead of a page.
    """

    lines: str | None = None
    pattern: str | None = None
    context: int = 0
    offset: int | None = None
    limit: int | None = None

    @property
    def picks(self) -> bool:
        """Whether lines are picked, by their numbers or by a pattern."""
        return bool(self.lines or self.pattern)

    def check(self) -> None:
        """Refuse what cannot be served.

        Raises:
            RequestWrong: a number is out of range, the pattern too long, or two kinds of parts are mixed.
        """
        if self.picks and self.offset:
            raise RequestWrong(
                f"offset={self.offset} pages the whole text: leave it out together with lines or pattern."
            )
        if (self.offset or 0) < 0:
            raise RequestWrong(f"offset={self.offset}: characters count from 0. For the end, write lines=-20:.")
        if self.limit is not None and self.limit < 1:
            raise RequestWrong(f"limit={self.limit}: a page has at least one character.")
        if self.context < 0:
            raise RequestWrong(
                f"context={self.context}: give the number of lines to show around a match, 0 or more."
            )
        if len(self.pattern or "") > PATTERN:
            raise RequestWrong(f"The pattern is longer than {PATTERN} characters; search for a part of it.")


@dataclass(slots=True)
class Question:
    """What is to be brought back, from `position` of the first target's part on (characters).

    `sha` is what the first target's text must still be (the beginning of its hash; empty: anything); `asked`
    names the refs as first written.
    """

    part: Part
    targets: list[Target]
    asked: str
    position: int = 0
    sha: str = ""
    unknown: dict[str, list[str]] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    def cursor(self, index: int, position: int, sha: str) -> str:
        """The cursor that goes on at this target, at this position of its part."""
        targets = self.targets[index:]
        state: dict[str, Any] = {
            "asked": self.asked,
            "at": position,
            "part": {name: value for name, value in asdict(self.part).items() if value},
            "sha": sha[:12],
            "targets": [[s, ",".join(folded(list(each)))] for s, each in groupby(targets, lambda t: t.session)],
        }
        if notes := {str(place): target.note for place, target in enumerate(targets) if target.note}:
            state["notes"] = notes
        return write_cursor("refs", state)


def begin(catalog: Catalog, refs: Sequence[str], session: str | None, part: Part) -> Question:
    """A new question.

    Raises:
        UnknownRef, AmbiguousRef: nothing that was asked for can be told.
        RequestWrong: the question makes no sense.
        EngineError: the session is not known.
    """
    part.check()
    if not any(ref.strip() for ref in refs):
        raise RequestWrong("Name at least one ref, such as t5 or b2. The tree lists them all.")
    found = Resolver(catalog, session).resolve(refs)
    notes = [*found.notes, *_ambiguous(found)]
    if not found.targets:
        raise _nothing(found)
    if found.failure is not None:
        notes.append(str(found.failure))
    return Question(part, found.targets, _name(refs), unknown=found.unknown, notes=notes)


def go_on(catalog: Catalog, cursor: str, refs: Sequence[str], part: Part) -> Question:
    """The question that a cursor carries; what else is given must be what it was given out for.

    Raises:
        BadCursor: the cursor is damaged, or belongs to another question.
        UnknownRef: what it names is no longer in the store.
    """
    state = read_cursor("refs", cursor)
    try:
        question = Question(
            Part(**state["part"]), _targets(catalog, state), state["asked"], state["at"], state["sha"]
        )
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise BadCursor(DAMAGED) from error
    given = {name: value for name, value in asdict(part).items() if value}
    if any(asdict(question.part)[name] != value for name, value in given.items()) or (
        refs and _name(refs) != question.asked
    ):
        raise BadCursor(
            "This cursor belongs to another question: give it with the same refs, lines, pattern, context, offset "
            "and limit as before, or leave it out to begin again."
        )
    return question


def _targets(catalog: Catalog, state: dict[str, Any]) -> list[Target]:
    """The targets that a cursor names; they may be gone since."""
    resolver = Resolver(catalog, None)
    for session, texts in state["targets"]:
        for text in texts.split(","):
            ref = parse_ref(text)
            if ref is not None:
                resolver.number(replace(ref, session=session))
    found = resolver.found
    if not found.targets or found.unknown:
        raise UnknownRef("What this cursor goes on with is no longer in the store: it was forgotten since.")
    notes = state.get("notes", {})
    return [replace(target, note=notes.get(str(place), "")) for place, target in enumerate(found.targets)]


def folded(targets: Sequence[Target]) -> list[str]:
    """The refs of these targets, runs of numbers as ranges."""
    alike = groupby(targets, lambda target: (target.kind, target.facet))
    return [ref for (kind, facet), run in alike for ref in fold(kind, (t.number for t in run), facet)]


def _name(refs: Sequence[str]) -> str:
    """A short name of the refs as asked for, whatever stood around them."""
    pieces = [parse_ref(piece) or piece for text in refs for piece in split_refs(text)]
    named = "\0".join(str(piece) for piece in pieces)
    return hashlib.sha256(named.encode("utf-8", "surrogatepass")).hexdigest()[:12]


def _ambiguous(found: Resolution) -> list[str]:
    """What several sessions could mean; of a long list the rest is counted."""
    more = len(found.ambiguous) - DESCRIBED
    return found.ambiguous[:DESCRIBED] + (
        [f"{more} more of the refs could mean several sessions"] if more > 0 else []
    )


def _nothing(found: Resolution) -> EngineError:
    """Why nothing that was asked for can be brought back."""
    lines = [*_ambiguous(found), *unknown_lines(found.unknown)]
    if found.ambiguous:
        return AmbiguousRef(visible("\n".join(lines)))
    if found.failure is not None:
        return found.failure
    return UnknownRef(visible("None of these refs is known; the tree lists them all.\n" + "\n".join(lines)))
