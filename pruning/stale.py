"""What stands in the context and tells nothing any more: reads of files that were changed later, and instructions
that stand there a second time."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from prune_mcp.pruning.activity.activity import Step, activity
from prune_mcp.pruning.equality import normalize
from prune_mcp.pruning.situation import Situation
from prune_mcp.sessions.model import Block
from prune_mcp.sessions.tokens import text_tokens, utf8_size

# Bytes below which a text that comes again is a turn of phrase rather than instructions.
LEAST = 200
# Elements within elements that are looked into.
DEEPEST = 6
_TAG = re.compile(r"<(/?)([A-Za-z][\w.-]*)[^<>]*>")


@dataclass(slots=True)
class StaleRead:
    """A result that shows files as they were before later calls changed each of them."""

    block: Block
    paths: list[str]
    fresh: set[str] = field(default_factory=set)


@dataclass(frozen=True, slots=True)
class Repeat:
    """A text that stood in the context before, and its estimated tokens."""

    text: str
    tokens: int


def stale_reads(situation: Situation) -> list[StaleRead]:
    """The reads, by tools for that or by commands that do nothing else, that are stale now; in order."""
    reads: list[StaleRead] = []
    of_path: dict[str, list[StaleRead]] = defaultdict(list)
    for _, block, output in situation.results():
        shown, changed = _touched(situation, block)
        for path in changed:
            for read in of_path.pop(path, ()):
                read.fresh.discard(path)
        if shown and not situation.shows_stub(block, output):
            reads.append(StaleRead(block, shown, set(shown)))
            for path in shown:
                of_path[path].append(reads[-1])
    return [read for read in reads if not read.fresh]


def repeats(texts: Iterable[str]) -> list[Repeat]:
    """What of these texts stood in an earlier one, or earlier in the same: whole texts, or elements in them,
    whatever their attributes. Of pieces in pieces only the outermost counts."""
    seen: set[str] = set()
    return [repeat for text in texts for repeat in _repeats(text, seen)]


def _touched(situation: Situation, result: Block) -> tuple[list[str], list[str]]:
    """The files that the call behind a result showed, and those that it changed."""
    call = situation.pairing.call_of[result.place]
    step = Step(call.tool, situation.arguments(result), lambda: "", error=result.error)
    done = activity([step], situation.conversation.cwd)
    return (done.read if done.looked == done.commands else []), done.modified


def _repeats(text: str, seen: set[str]) -> Iterator[Repeat]:
    told = 0
    for start, end in [(0, len(text)), *_elements(text)]:
        if start < told or end - start < LEAST // 4:
            continue
        piece = normalize(text[start:end])
        if utf8_size(piece) < LEAST:
            continue
        if piece in seen:
            told = end
            yield Repeat(piece, text_tokens(piece))
        seen.add(piece)


def _elements(text: str) -> list[tuple[int, int]]:
    """Where the contents of the elements in a text begin and end, the outer ones first."""
    opened: dict[str, list[int]] = defaultdict(list)
    found = []
    for tag in _TAG.finditer(text):
        if not tag[1]:
            opened[tag[2]].append(tag.end())
        elif opened[tag[2]]:
            found.append((opened[tag[2]].pop(), tag.start()))
    return list(_shallow(sorted(found, key=lambda span: (span[0], -span[1]))))


def _shallow(spans: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """The spans that do not stand too deep in others."""
    around: list[int] = []
    for start, end in spans:
        while around and around[-1] <= start:
            around.pop()
        if len(around) < DEEPEST:
            around.append(end)
            yield start, end
