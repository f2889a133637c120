"""A snippet: the piece of a text where most of what was asked for stands close together, on one line."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from prune_mcp.search.find.places import Span, Text, merged
from prune_mcp.storage.codec import encode

WIDTH = 200
CUT = "..."
# Blanks fold into one, so that much more text than a snippet's may go into it.
_AROUND = 3 * WIDTH
_BLANK = re.compile(r"[\s\x00-\x1f\x7f]+")
_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Snippet:
    """A snippet's text, and where in it the words asked for stand."""

    text: str
    marks: Sequence[Span]


def snippet(
    text: Text,
    telling: Mapping[int, Sequence[Span]],
    weights: Mapping[int, float],
    places: Callable[[Text], Iterable[Span]],
) -> Snippet:
    """The best piece of a text, about `WIDTH` characters.

    `telling`: where the things stand that tell the most, by number; `weights`: how much each tells. `places`: all
    that is to be marked in a text.
    """
    start, end = _cluster(telling, weights)
    first, last = max(0, start - _AROUND), min(len(text.text), end + _AROUND)
    around = Text(text.text[first:last])
    within = merged(places(around))
    line, marks = _on_one_line(around.text, within)
    close = [mark for mark, place in zip(marks, within, strict=True) if start <= place[0] + first < end]
    begin, stop = _window(line, close)
    before, after = first > 0 or begin > 0, last < len(text.text) or stop < len(line)
    return _cut_out(line[begin:stop], [(a - begin, b - begin) for a, b in marks], before, after)


def _cluster(places: Mapping[int, Sequence[Span]], weights: Mapping[int, float]) -> Span:
    """From where to where the piece reaches that holds the most, each thing counted once."""
    spans = sorted((span, thing) for thing, found in places.items() for span in found)
    best, value, cluster = 0, -1.0, (0, 0)
    held: Counter[int] = Counter()
    weight = 0.0
    for (start, end), thing in spans:
        if not held[thing]:
            weight += weights[thing]
        held[thing] += 1
        while end - spans[best][0][0] > WIDTH * 2 // 3 and spans[best][0][0] < start:
            left = spans[best][1]
            held[left] -= 1
            weight -= 0.0 if held[left] else weights[left]
            best += 1
        if weight > value + 1e-9:
            value, cluster = weight, (spans[best][0][0], end)
    return cluster


def _on_one_line(text: str, places: Sequence[Span]) -> tuple[str, list[Span]]:
    """A text with its blanks folded, and its places in that."""
    pieces: list[str] = []
    marks: list[Span] = []
    size = at = 0
    for start, end in places:
        before, marked = _blanks_folded(text[at:start]), _blanks_folded(text[start:end])
        pieces += before, marked
        marks.append((size + len(before), size + len(before) + len(marked)))
        size += len(before) + len(marked)
        at = end
    pieces.append(_blanks_folded(text[at:]))
    return _SURROGATE.sub("\ufffd", "".join(pieces)), marks


def _blanks_folded(text: str) -> str:
    return _BLANK.sub(" ", text)


def _window(line: str, marks: Sequence[Span]) -> Span:
    """`WIDTH` characters of the line around these marks, on word borders where they are near.

    Fewer where they take more bytes each, but always enough to tell something.
    """
    width = max(WIDTH // 2, WIDTH * len(line) // max(len(encode(line)), 1))
    if len(line) <= width:
        return 0, len(line)
    start, end = (marks[0][0], marks[-1][1]) if marks else (0, 0)
    # What comes behind a match explains it more often than what comes before.
    begin = max(0, min(start - max(0, width - (end - start)) // 3, len(line) - width))
    stop = min(len(line), max(begin + width, min(end, begin + 2 * width)))
    if begin and (blank := line.find(" ", begin, min(start, begin + width // 8) + 1)) >= 0:
        begin = blank + 1
    if stop < len(line) and (blank := line.rfind(" ", max(end, stop - width // 8), stop + 1)) > begin:
        stop = blank
    return begin, stop


def _cut_out(shown: str, marks: Sequence[Span], before: bool, after: bool) -> Snippet:
    """The snippet that shows this, cut off `before` or `after` it; `marks` outside of it go."""
    lead = len(shown) - len(shown.lstrip())
    shown = shown.strip()
    shift = (len(CUT) if before else 0) - lead
    kept = [(a + shift, b + shift) for a, b in marks if a >= lead and b <= lead + len(shown)]
    return Snippet((CUT if before else "") + shown + (CUT if after else ""), kept)
