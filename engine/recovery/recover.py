"""Bringing originals back: whole, in pages, by lines or by pattern, within a budget, the rest by cursor."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing

from prune_mcp.engine.answers import EngineError, RecoverAnswer, Recovered
from prune_mcp.engine.catalog import Catalog
from prune_mcp.engine.ledger import charge_recovery
from prune_mcp.engine.recovery.cursor import BadCursor
from prune_mcp.engine.recovery.fence import SURROGATE, counted, notes_of, shape, shape_item
from prune_mcp.engine.recovery.grep import Grep, PatternTooSlow
from prune_mcp.engine.recovery.images import Album
from prune_mcp.engine.recovery.originals import Original, read_original
from prune_mcp.engine.recovery.question import Part, Question, begin, folded, go_on
from prune_mcp.engine.recovery.slices import Selection, describe, page, parse_lines, pick_lines, pick_matches
from prune_mcp.engine.recovery.targets import Target
from prune_mcp.storage.protocol import Store

# Characters.
BUDGET = 20_000
LEAST_BUDGET = 1_000
LEAST = 200
WORTH = 1_000
RESERVE = 250
SURROGATE_NOTE = 400
SILENT = 600


def recover(
    store: Store,
    refs: Sequence[str],
    *,
    session: str | None = None,
    lines: str | None = None,
    pattern: str | None = None,
    context: int = 0,
    offset: int | None = None,
    limit: int | None = None,
    cursor: str | None = None,
    budget: int = BUDGET,
    charged: bool = True,
) -> RecoverAnswer:
    """The originals behind refs: each whole, or the part of each that is asked for.

    `session`: an id or its beginning, for the refs that name none themselves. `offset`, `limit`: a page, in
    characters of the whole text; with `lines` or `pattern`, `limit` is what all items together may hold, at
    least 200 characters of the first. `lines`: `A:B`, counted from 1, both included; `-20:` is the tail.
    `pattern`: a regular expression, searched line by line, with `context` lines around each match. `budget`:
    characters of the whole answer as `fence.shape` writes it; what does not fit comes with `cursor`, alone or
    with the same arguments. `charged`: whether the answer goes into a context, and so into the ledger.

    Raises:
        UnknownRef, AmbiguousRef: nothing that was asked for can be told.
        BadCursor: the cursor is damaged, or belongs to another question.
        EngineError: the question makes no sense, or the pattern takes too long.
    """
    catalog = Catalog(store)
    asked = [refs] if isinstance(refs, str) else refs
    part = Part(lines or None, pattern or None, context, offset, limit)
    question = go_on(catalog, cursor, asked, part) if cursor else begin(catalog, asked, session, part)
    with closing(Filling(catalog, question, max(budget, LEAST_BUDGET))) as filling:
        answer = filling.fill()
    if charged:
        charge_recovery(store, answer)
    return answer


class Filling:
    """One answer being filled, item by item, up to its budget."""

    def __init__(self, catalog: Catalog, question: Question, budget: int) -> None:
        self._catalog = catalog
        self._question = question
        self._answer = RecoverAnswer(unknown=question.unknown, notes=question.notes)
        self._span = parse_lines(question.part.lines) if question.part.lines else None
        self._grep = Grep(question.part.pattern) if question.part.pattern else None
        self._album = Album(catalog)
        self._silent: list[Target] = []
        self._searched = 0
        reserve = RESERVE + len(question.cursor(0, 10**9, "0" * 12)) + (SILENT if self._grep else 0)
        self._room = budget - len(shape(self._answer)) - reserve
        if question.part.picks and question.part.limit:
            self._room = min(self._room, question.part.limit)

    def close(self) -> None:
        """End what the pattern may have started."""
        if self._grep is not None:
            self._grep.close()

    def fill(self) -> RecoverAnswer:
        """The answer, with as many of the question's targets as fit."""
        for index, target in enumerate(self._question.targets):
            original = read_original(self._catalog, target)
            position = 0 if index else self._position(original)
            if original.text is None:
                selection = Selection("", None, 0)
            else:
                selection = self._select(original.text)
                if self._grep and not selection.rows:
                    self._leave_out(target, selection)
                    continue
            end = self._add(original, selection, position)
            if end is None or end < len(selection.text):
                self._stop(index, end or 0, original)
                break
        self._tell_silent()
        return self._answer

    def _position(self, original: Original) -> int:
        """Where the first target's part goes on."""
        if not original.sha.startswith(self._question.sha):
            raise BadCursor(
                f"What {original.target.ref} recovers has changed since this cursor was given out (damage or "
                "repair in the store). Leave the cursor out to begin again."
            )
        return self._question.position

    def _select(self, whole: str) -> Selection:
        part = self._question.part
        if self._grep is not None:
            try:
                return pick_matches(whole, self._grep, part.context, self._span)
            except PatternTooSlow as error:
                raise EngineError(str(error)) from error
        if self._span is not None:
            return pick_lines(whole, self._span)
        return page(whole, part.offset or 0, part.limit)

    def _add(self, original: Original, selection: Selection, position: int) -> int | None:
        """Add the item from `position` of its part on; returns where it had to end, None where nothing fits."""
        item = self._item(original, selection)
        notes = [
            *original.notes,
            *([selection.note] if selection.note else []),
            *self._pictures(item, original, position),
        ]
        item.note = "; ".join(notes)
        frame = len(shape_item(item)) + sum(len(line) + 1 for line in notes_of(item)) + len("\n\n")
        frame += SURROGATE_NOTE if SURROGATE.search(selection.text) else 0
        space = self._room - frame
        if self._answer.items and space < min(len(selection.text) - position, WORTH):
            return None
        end = cut(selection.text, position, max(space, LEAST))
        self._place(item, original, selection, position, end)
        self._room -= frame + end - position
        self._answer.items.append(item)
        return end

    def _item(self, original: Original, selection: Selection) -> Recovered:
        """The item without its text; its header is as long as it can get."""
        target = original.target
        last = len(selection.text)
        return Recovered(
            ref=target.ref,
            session=target.session,
            tool=original.tool,
            key=original.key,
            status=original.status,
            total=original.total,
            sha=original.sha,
            text="",
            start=original.total,
            end=original.total,
            lines="" if original.text is None else f"{last}-{last}-of-matching/{selection.lines}",
        )

    def _place(self, item: Recovered, original: Original, selection: Selection, start: int, end: int) -> None:
        """Give an item the characters `start` to `end` of its part."""
        item.text = selection.text[start:end]
        item.start = item.end = None
        if selection.start is not None:
            item.start, item.end = selection.start + start, selection.start + end
        item.lines = "" if original.text is None else describe(selection, original.text, start, end)

    def _pictures(self, item: Recovered, original: Original, position: int) -> list[str]:
        """Give an item its images where it is shown from its beginning; returns what is to be said of them."""
        part = self._question.part
        if original.target.facet or not (part.lines or part.pattern or part.offset or position):
            return self._album.add(item, original)
        if position or not original.images:
            return []
        return [f"images not shown here: {', '.join(f'{original.target.ref}:{name}' for name in original.images)}"]

    def _stop(self, index: int, position: int, original: Original) -> None:
        """Leave the rest, from this target on, to a cursor."""
        targets = self._question.targets
        self._answer.cursor = self._question.cursor(index, position, original.sha)
        rest = len(targets) - index - 1
        self._answer.notes.append(
            f"more follows: {targets[index].ref}"
            + (", where this ends" if position else "")
            + (f", and {rest} more up to {targets[-1].ref}" if rest else "")
            + "; ask again with the cursor"
        )

    def _leave_out(self, target: Target, selection: Selection) -> None:
        """Leave out a target in which no line matched; a word about the pattern itself is said once."""
        self._silent.append(target)
        first, stop = self._span.within(selection.lines) if self._span else (0, selection.lines)
        self._searched += stop - first
        if selection.note and selection.note not in self._answer.notes:
            self._answer.notes.append(selection.note)

    def _tell_silent(self) -> None:
        """Name the targets in which no line matched."""
        if not self._silent:
            return
        refs = folded(self._silent)
        named: list[str] = []
        while refs and sum(map(len, named)) + 2 * len(named) < SILENT // 2:
            named.append(refs.pop(0))
        more = f", and more, {len(self._silent)} in all" if refs else ""
        lines = counted(self._searched, "line")
        self._answer.notes.append(f"no line matches in {', '.join(named)}{more} ({lines} searched)")


def cut(text: str, start: int, space: int) -> int:
    """Where a piece of at most `space` characters from `start` on ends: after a line end, if one is near."""
    end = min(start + space, len(text))
    if end == len(text):
        return end
    line_end = text.rfind("\n", start + space // 2, end)
    return end if line_end < 0 else line_end + 1
