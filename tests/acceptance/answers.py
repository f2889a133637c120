"""What `context_tree_query` answers, read as its documentation says: items between fences, documents of blocks."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

HEADER = re.compile(
    r"(?P<ref>\S+) (?P<tool>\S+)(?: (?P<key>\"(?:[^\"\\]|\\.)*\"))? status=(?P<status>\S+)"
    r"(?: lines=\S+)? chars=(?P<span>\d+-\d+|picked|none)/(?P<total>\d+) sha256=(?P<sha>[0-9a-f]{64})"
)
SEGMENT = re.compile(
    r"--- (?P<kind>user|assistant|thinking|call|result|note)(?: (?P<what>.*?))?"
    r" chars=(?P<chars>\d+)(?: also=\S+)?\n"
)
FRAME = re.compile(r"--- (?:end of )?block b\d+\n?")


@dataclass
class Item:
    """One recovered item, its pages joined."""

    ref: str
    tool: str
    status: str
    total: int
    sha: str
    text: str = ""
    pages: int = 0
    images: list[str] = field(default_factory=list)

    def add(self, start: int, end: int, text: str) -> None:
        """Join the next page."""
        assert start == len(self.text), f"{self.ref}: a page begins at {start}, after {len(self.text)} characters"
        assert end - start == len(text), f"{self.ref}: a page of {end - start} characters holds {len(text)}"
        self.text += text
        self.pages += 1

    def check(self) -> None:
        """An item is whole and what its header says it is."""
        assert self.status in ("ok", "error", "closed-chain", "open-chain", "thinking"), (
            f"{self.ref}: {self.status}"
        )
        assert len(self.text) == self.total, f"{self.ref}: {len(self.text)} of {self.total} characters came"
        digest = hashlib.sha256(self.text.encode("utf-8")).hexdigest()
        assert digest == self.sha, f"{self.ref}: the text is not the one that its sha256 tells"


class Segment(NamedTuple):
    """One piece in the document of a block; `ref` is that of the output it belongs to, if it has one."""

    kind: str
    ref: str
    text: str


def read_answer(answer: str, items: dict[str, Item]) -> str:
    """Join what one answer brings to `items`; returns the cursor for the rest, "" at the end."""
    at = 0
    while (header := HEADER.match(answer, at)) is not None:
        fence_end = answer.index("\n", header.end() + 1)
        fence = answer[header.end() + 1 : fence_end]
        end = answer.index(f"\n{fence}", fence_end)
        _take(header, answer[fence_end + 1 : end], items)
        at = end + len(fence) + len("\n\n\n")
    found = re.search(r"^cursor: (\S+)\Z", answer[at:], re.MULTILINE)
    return found[1] if found else ""


def _take(header: re.Match[str], text: str, items: dict[str, Item]) -> None:
    ref = header["ref"]
    if ref not in items:
        items[ref] = Item(ref, header["tool"], header["status"], int(header["total"]), header["sha"])
    assert "-" in header["span"], f"{ref} did not come as a page: {header[0]}"
    start, _, end = header["span"].partition("-")
    items[ref].add(int(start), int(end), text)


def read_document(text: str) -> Iterator[Segment]:
    """The segments of a block's document; each says how long it is, so that no text can pass for the next."""
    at = 0
    while at < len(text):
        frame = FRAME.match(text, at)
        if frame is not None:
            at = frame.end()
            continue
        head = SEGMENT.match(text, at)
        assert head is not None, f"no segment begins here: {text[at : at + 200]!r}"
        end = head.end() + int(head["chars"])
        ref = re.match(r"t\d+\b", head["what"] or "")
        yield Segment(head["kind"], ref[0] if ref else "", text[head.end() : end])
        assert text[end : end + 1] in ("", "\n"), f"a segment is longer than it says: {head[0]!r}"
        at = end + 1
