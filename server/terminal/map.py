"""The terminal's map of a context: coloured squares, each an equal share of it, above a list with dotted leaders.

Fitted to the window: a narrow or low one keeps the numbers and drops the map, then parts, then the smallest rows.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from rich.cells import cell_len, set_cell_size
from rich.text import Text

from prune_mcp.engine.usage.answer import Part, Row, UsageAnswer
from prune_mcp.server.commands.console import visible
from prune_mcp.server.terminal.looks import Window
from prune_mcp.server.terminal.squares import squares
from prune_mcp.server.tools.usage_text import amount, endnotes, head, item_line, share

MAP_ROWS = 6
# Columns below which a map says little.
NARROWEST = 60
# Rows below which every one is needed for numbers.
HIGH = 16
# Letters for the signs of lines that are no names.
PLAIN = str.maketrans({"·": "|", "…": "."})
# Fewer items than this are not worth their heading.
LEAST_ITEMS = 3


@dataclass(slots=True)
class Entry:
    """A row of the list: a category with as many of its parts as are shown."""

    category: str
    label: str
    tokens: int
    estimated: bool = True
    parts: list[Part] = field(default_factory=list)
    more: int = 0
    more_tokens: int = 0
    shown: int = 0

    @property
    def hidden(self) -> int:
        """How many parts are not shown."""
        return len(self.parts) - self.shown + self.more

    @property
    def lines(self) -> int:
        """How many lines it takes: parts that are not shown are counted in one, unless none are shown."""
        return 1 + self.shown + (self.shown > 0 and self.hidden > 0)


def screen(answer: UsageAnswer, window: Window) -> list[Text]:
    """The lines to show: at most as many as the window has, less one for the prompt that comes after."""
    top = list(_top(answer, window))
    room = max(1, window.rows - 1 - len(top))
    entries = _folded(_entries(answer), room)
    room -= len(entries)
    drawn = list(_map(answer, entries, window)) if window.columns >= NARROWEST and room >= MAP_ROWS + 2 else []
    room -= len(drawn)
    notes = _notes(answer, window, room)
    room -= len(notes)
    items = _items(answer, window, room // 2)
    _show_parts(entries, room - len(items))
    listed = [line for entry in entries for line in _listed(entry, answer, window)]
    return [_fit(line, window) for line in [*top, *drawn, *listed, *items, *notes]]


def _top(answer: UsageAnswer, window: Window) -> Iterator[Text]:
    """Whose context it is and how full; what the provider counted only where there is room."""
    name, fullness, *counted = head(answer)
    yield Text(visible(name))
    for told in (f"{fullness}; ~ estimated", *(counted if window.rows >= HIGH else ())):
        yield from map(Text, _wrapped(told, window))


def _entries(answer: UsageAnswer) -> list[Entry]:
    found = [_entry(row) for row in answer.rows]
    return [*found, Entry("free", "free", answer.free, False)] if answer.free else found


def _entry(row: Row) -> Entry:
    estimated = row.source == "estimated"
    return Entry(row.category, row.label, row.tokens, estimated, row.parts, row.more, row.more_tokens)


def _folded(entries: list[Entry], room: int) -> list[Entry]:
    """The entries in so many lines: the smallest are folded into one, whose tokens are still counted."""
    if len(entries) <= room:
        return entries
    kept = [entry for entry in entries if entry.category != "free"]
    free = [entry for entry in entries if entry.category == "free" and room > 2]
    most = max(0, room - 1 - len(free))
    rest = kept[most:]
    folded = Entry("rest", f"{len(rest)} more", sum(e.tokens for e in rest), any(e.estimated for e in rest))
    return [*kept[:most], folded, *free]


def _map(answer: UsageAnswer, entries: Sequence[Entry], window: Window) -> Iterator[Text]:
    """The squares, row by row, the free ones last; before them what one stands for, after them a blank line."""
    across = window.width // 2
    dealt = squares([entry.tokens for entry in entries], across * MAP_ROWS)
    signs = [
        window.sign(entry.category) for entry, count in zip(entries, dealt, strict=True) for _ in range(count)
    ]
    yield Text(
        f"each {'letter' if window.letters else 'sign'}: {_per_sign(answer, len(signs))} tokens", "bright_black"
    )
    for start in range(0, len(signs), across):
        yield Text(" ").join(signs[start : start + across])
    yield Text()


def _per_sign(answer: UsageAnswer, signs: int) -> str:
    """What one sign of the map stands for, in tokens."""
    share = (answer.total + (answer.free or 0)) / signs
    return f"{share:,.0f}" if share >= 1 else "less than 1"


def _show_parts(entries: Sequence[Entry], room: int) -> None:
    """Show the largest parts of all entries, as many as there is room for."""
    parts = [(part.tokens, number) for number, entry in enumerate(entries) for part in entry.parts]
    for _, number in sorted(parts, key=lambda part: -part[0]):
        entries[number].shown += 1
        if sum(entry.lines for entry in entries) - len(entries) > room:
            entries[number].shown -= 1
            return


def _listed(entry: Entry, answer: UsageAnswer, window: Window) -> Iterator[Text]:
    whole = answer.total + (answer.free or 0)
    sign = window.sign(entry.category) + Text(" ")
    yield _dotted(sign, entry.label, entry.tokens, entry.estimated, whole, window)
    indent = Text("    ")
    for part in entry.parts[: entry.shown]:
        times = f" ({part.count:,})" if part.count > 1 else ""
        yield _dotted(indent, f"{visible(part.name)}{times}", part.tokens, entry.estimated, whole, window)
    if entry.shown and entry.hidden:
        tokens = entry.more_tokens + sum(part.tokens for part in entry.parts[entry.shown :])
        yield _dotted(indent, f"{entry.hidden:,} more", tokens, entry.estimated, whole, window)


def _dotted(before: Text, name: str, tokens: int, estimated: bool, whole: int, window: Window) -> Text:
    """A name and its figures, with dots between them up to the width of the window."""
    figures = f"{amount(tokens, estimated):>10} {share(tokens, whole):>5}"
    room = window.width - len(before) - cell_len(figures) - 2
    name = name if cell_len(name) <= room - 2 else f"{set_cell_size(name, max(0, room - 3)).rstrip()}…"
    dots = window.leader * max(0, room - cell_len(name))
    return Text.assemble(before, name, " ", (dots, "bright_black"), " ", figures)


def _items(answer: UsageAnswer, window: Window, room: int) -> list[Text]:
    """The costliest items, if there is room for some, with a heading."""
    most = min(len(answer.items), room - 2)
    if most < LEAST_ITEMS:
        return []
    whole = answer.total + (answer.free or 0)
    lines = [
        _dotted(Text("    "), visible(item_line(item)), item.tokens, True, whole, window) for item in answer.items
    ]
    return [Text(), Text("costliest, with the refs that bring them back"), *lines[:most]]


def _notes(answer: UsageAnswer, window: Window, room: int) -> list[Text]:
    """The notes below a blank line: those there is room for."""
    lines: list[Text] = []
    for note in endnotes(answer, "pruning"):
        wrapped = _wrapped(note, window)
        if len(lines) + len(wrapped) < room:
            lines += [Text(line) for line in wrapped]
    return [Text(), *lines] if lines else []


def _wrapped(text: str, window: Window) -> list[str]:
    return textwrap.wrap(visible(text), window.width, subsequent_indent="  ")


def _fit(line: Text, window: Window) -> Text:
    """The line, cut where it is too long, in the signs that the terminal has."""
    line.truncate(window.width, overflow="ellipsis")
    if window.letters:
        line.plain = line.plain.translate(PLAIN)
    return line
