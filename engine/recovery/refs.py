"""What callers ask for, as written: `t5`, `b2`, `t5:args`, `t5@SESSION`, `t5-t9`, or a tool-call id."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

RefKind = Literal["t", "b"]

FACET = r"args|full|image\d{1,4}"
NOISE = " \t\r\n`'\"()[]{}<>,;!?*.\u201c\u201d\u2018\u2019"
DASHES = r"(?:-|\u2013|\u2014|\.\.)"
_NUMBERED = re.compile(
    rf"(?P<kind>[tb])(?P<first>\d{{1,9}})(?:{DASHES}(?:(?P=kind))?(?P<last>\d{{1,9}}))?"
    rf"(?::(?P<facet>{FACET}))?(?:@(?P<session>[^\s@]+?)(?::(?P<late>{FACET}))?)?",
    re.IGNORECASE,
)
_ID = re.compile(
    rf"(?P<id>.+?)(?::(?P<facet>{FACET}))?(?:@(?P<session>[^\s@]+?)(?::(?P<late>{FACET}))?)?", re.DOTALL
)
_SPACED = re.compile(rf"(?<=\d)\s*{DASHES}\s*(?=[tb]?\d)", re.IGNORECASE)
_BETWEEN = re.compile(r"[\s,;]+")


@dataclass(frozen=True, slots=True)
class Ref:
    """Outputs (`t`) or blocks (`b`), numbers `first` to `last`; `facet` and `session` are empty where unnamed."""

    kind: RefKind
    first: int
    last: int
    facet: str = ""
    session: str = ""

    def __str__(self) -> str:
        span = "" if self.last == self.first else f"-{self.kind}{self.last}"
        facet = f":{self.facet}" if self.facet else ""
        return f"{self.kind}{self.first}{span}{facet}" + (f"@{self.session}" if self.session else "")


@dataclass(frozen=True, slots=True)
class CallRef:
    """A tool-call id; `facet` and `session` are empty where unnamed."""

    id: str
    facet: str = ""
    session: str = ""

    def __str__(self) -> str:
        return self.id + (f":{self.facet}" if self.facet else "") + (f"@{self.session}" if self.session else "")


def parse_ref(text: str) -> Ref | None:
    """The numbered ref that `text` is, whatever its case and whatever stands around it, else None."""
    found = _NUMBERED.fullmatch(text.strip(NOISE))
    if found is None:
        return None
    kind: RefKind = "t" if found["kind"] in "tT" else "b"
    first = int(found["first"])
    last = int(found["last"] or first)
    facet = (found["facet"] or found["late"] or "").lower()
    return Ref(kind, min(first, last), max(first, last), facet, found["session"] or "")


def parse_call(text: str) -> CallRef:
    """`text` as a tool-call id with what was said of facet and session."""
    found = _ID.fullmatch(text)
    if found is None:
        return CallRef(text)
    return CallRef(found["id"], found["facet"] or found["late"] or "", found["session"] or "")


def split_refs(text: str) -> list[str]:
    """The refs written in one text, in order, without what stands around them."""
    pieces = (piece.strip(NOISE) for piece in _BETWEEN.split(_SPACED.sub("-", text)))
    return [piece for piece in pieces if piece]


def fold(kind: RefKind, numbers: Iterable[int], facet: str = "") -> list[str]:
    """Refs by number as few ranges, in the order given: 3, 4, 5, 9 are `t3-t5`, `t9`."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][1] + 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    return [str(Ref(kind, first, last, facet)) for first, last in runs]
