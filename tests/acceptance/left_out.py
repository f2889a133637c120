"""What a view leaves out of what the model would have seen, and whether the refs in that view bring it back."""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from tests.acceptance.answers import Item, Segment, read_document
from tests.acceptance.pieces import Piece, arguments_of

STUB = re.compile(r"\[pruned (t\d+): ")
PURGED = re.compile(r'<purged-errored-args size=\\?"\d+\\?" ref=\\?"(t\d+:args)\\?"/>')
BLOCK = re.compile(r'<compressed-chain id="(b\d+)" tools="([t\d,-]*)">')
NOTE = re.compile(r"^\[left out (t\d+): .*?(?:arguments: (t\d+:args)|\d+ chars)\]$", re.MULTILINE)
Missing = list[str]


@dataclass
class View:
    """A pruned view beside the unpruned one, by pieces."""

    raw: list[Piece]
    pruned: list[Piece]
    left_out: Counter[Piece] = field(init=False)

    def __post_init__(self) -> None:
        self.left_out = Counter(self.raw) - Counter(self.pruned)

    @property
    def added(self) -> list[Piece]:
        """What stands in the view for what is left out."""
        return [*(Counter(self.pruned) - Counter(self.raw)).elements()]

    def outputs(self) -> list[Piece]:
        """The tool outputs that the view does not show whole."""
        return [piece for piece in self.left_out.elements() if piece.kind == "result"]

    def refs(self) -> list[str]:
        """Every ref that is printed in the view, in order."""
        found: dict[str, None] = {}
        for piece in self.added:
            if piece.kind == "result":
                found.update(dict.fromkeys(STUB.findall(piece.text)[:1]))
            elif piece.kind == "call":
                found.update(dict.fromkeys(PURGED.findall(piece.text)))
            elif piece.kind in ("asked", "said"):
                found.update(dict.fromkeys(_printed(piece.text)))
        return [*found]

    def stubs(self) -> dict[str, list[str]]:
        """The refs of the stubs that stand for outputs, by tool-call id."""
        refs: dict[str, list[str]] = defaultdict(list)
        for piece in self.added:
            if piece.kind == "result" and (stub := STUB.match(piece.text)):
                refs[piece.id].append(stub[1])
        return refs

    def first_change(self) -> int:
        """Where the pruned view first differs, as an index of a piece."""
        pairs = zip(self.raw, self.pruned, strict=False)
        length = min(len(self.raw), len(self.pruned))
        return next((index for index, (before, after) in enumerate(pairs) if before != after), length)


def _printed(text: str) -> Iterable[str]:
    for block in BLOCK.finditer(text):
        yield block[1]
        yield from filter(None, block[2].split(","))
    for note in NOTE.finditer(text):
        yield note[2] or note[1]


def missing_outputs(view: View, items: dict[str, Item]) -> Missing:
    """The outputs left out that no ref brings back whole: its own stub's, else one of a block or a note."""
    wanted: dict[str, list[Piece]] = defaultdict(list)
    for piece in view.outputs():
        wanted[piece.id].append(piece)
    stubs = view.stubs()
    own = {ref for refs in stubs.values() for ref in refs}
    pool = Counter(_content(item) for ref, item in items.items() if ref not in own)
    missing = []
    for id, outputs in wanted.items():
        brought = Counter(_content(items[ref]) for ref in stubs[id])
        for output in outputs:
            found = brought if brought[(output.text, output.images)] else pool
            found[(output.text, output.images)] -= 1
            if found[(output.text, output.images)] < 0:
                missing.append(_told(output, [items[ref] for ref in stubs[id]]))
    return missing


def missing_words(view: View, items: dict[str, Item]) -> Missing:
    """The texts, thinking and arguments left out that stand in no block's document and behind no `:args` ref."""
    segments = [s for ref, item in items.items() if ref.startswith("b") for s in read_document(item.text)]
    kept = {
        kind: Counter(s.text for s in segments if s.kind == kind) for kind in ("user", "assistant", "thinking")
    }
    arguments = Counter(_canonical(text) for text in _argument_texts(segments, items))
    missing = []
    for piece in view.left_out.elements():
        if piece.kind == "result" or not piece.text.strip():
            continue
        if piece.kind == "call":
            found, key = arguments, _canonical(json.dumps(arguments_of(piece)))
        else:
            found, key = kept[SEGMENT_OF[piece.kind]], piece.text
        found[key] -= 1
        if found[key] < 0:
            missing.append(f"{piece.kind} {piece.id} {piece.text[:200]!r} ({len(piece.text)} characters)")
    return missing


SEGMENT_OF = {"asked": "user", "said": "assistant", "thought": "thinking"}


def _argument_texts(segments: Sequence[Segment], items: dict[str, Item]) -> list[str]:
    return [
        *(segment.text for segment in segments if segment.kind == "call"),
        *(item.text for ref, item in items.items() if ref.endswith(":args")),
    ]


def _canonical(text: str) -> str:
    """JSON in one spelling; what is none is left as it is."""
    try:
        return json.dumps(json.loads(text), sort_keys=True)
    except ValueError:
        return text


def _content(item: Item) -> tuple[str, tuple[str, ...]]:
    return item.text, tuple(item.images)


def _told(output: Piece, brought: Sequence[Item]) -> str:
    """An output that did not come back, and what came in its place."""
    told = f"the output of call {output.id} ({len(output.text)} characters, {len(output.images)} images)"
    for item in brought:
        at = next((i for i, (a, b) in enumerate(zip(output.text, item.text, strict=False)) if a != b), -1)
        told += f"; {item.ref} brought {len(item.text)} characters, first different at {at}"
    return told if brought else f"{told}: no ref in the view brings it"
