"""Recovered items as text for a model: data between fence lines that the data cannot write itself."""

from __future__ import annotations

import hashlib
import json
import re

from prune_mcp.engine.answers import RecoverAnswer, Recovered
from prune_mcp.pruning.plain import counted as counted
from prune_mcp.storage.codec import encode

SURROGATE = re.compile("[\ud800-\udfff]")
BOUNDARY = 16
NAMED = 20


def shape(answer: RecoverAnswer) -> str:
    """The whole answer: the items, then what is not known, then notes, and as the last line the cursor."""
    several = len({item.session for item in answer.items}) > 1
    parts = [shape_item(item, several) for item in answer.items]
    lines = [line for item in answer.items for line in notes_of(item, several)]
    lines += unknown_lines(answer.unknown)
    lines += [f"note: {inline(note, 2000)}" for note in answer.notes]
    if answer.cursor:
        lines.append(f"cursor: {answer.cursor}")
    return "\n\n".join([*parts, "\n".join(lines)] if lines else parts)


def shape_item(item: Recovered, several: bool = True) -> str:
    """One item: its header, then its text between two fence lines; `several` adds the session to the ref."""
    text = visible(item.text)
    fence = boundary(text)
    return "\n".join((header(item, several), fence, text, fence))


def header(item: Recovered, several: bool = True) -> str:
    """The one line that says what an item is; offsets and sizes in characters of the whole.

    `chars` is `picked` where the text is matching lines, and `none` where there is no text to be had.
    """
    span = f"{item.start}-{item.end}" if item.start is not None else "picked" if item.lines else "none"
    fields = [
        full_ref(item, several),
        word(item.tool) or "-",
        quoted(item.key),
        f"status={word(item.status)}",
        f"lines={item.lines}" if item.lines else "",
        f"chars={span}/{item.total}",
        f"sha256={item.sha}",
    ]
    return " ".join(field for field in fields if field)


def full_ref(item: Recovered, several: bool) -> str:
    """The item's ref, with its session where the answer holds several."""
    return f"{item.ref}@{word(item.session)}" if several else item.ref


def boundary(text: str) -> str:
    """A fence line for `text`: derived from its hash, and nowhere in it."""
    digest = hashlib.sha256(encode(text)).hexdigest()
    length = BOUNDARY
    while (line := "-----" + digest[:length]) in text:
        digest += hashlib.sha256(digest.encode()).hexdigest()
        length += BOUNDARY
    return line


def notes_of(item: Recovered, several: bool = True) -> list[str]:
    """The lines that go with an item, after all items."""
    name = full_ref(item, several)
    notes = [f"note {name}: {inline(item.note, 2000)}"] if item.note else []
    if count := len(SURROGATE.findall(item.text)):
        shown = "is" if count == 1 else "are"
        notes.append(
            f"note {name}: {counted(count, 'lone surrogate')} {shown} shown as U+FFFD; `prune-mcp show {item.ref} "
            f"--session {word(item.session)} --json` gives the exact text."
        )
    return notes


def unknown_lines(unknown: dict[str, list[str]]) -> list[str]:
    """A line for each unknown ref with those near it; of a long list the rest is counted."""
    lines = [
        f"unknown: {inline(ref, 200)}"
        + (f" (near: {', '.join(inline(each, 200) for each in near)})" if near else "")
        for ref, near in list(unknown.items())[:NAMED]
    ]
    if len(unknown) > NAMED:
        lines.append(f"unknown: {len(unknown) - NAMED} more of the refs asked for")
    return lines


def visible(text: str) -> str:
    """The text as valid Unicode: each lone surrogate as one U+FFFD, so that offsets stay what they were."""
    return text if text.isascii() else SURROGATE.sub("\ufffd", text)


def inline(text: str, limit: int) -> str:
    """The text on one line, blanks and control characters as spaces, at most `limit` characters of it."""
    line = "".join(c if c.isprintable() else " " if c.isspace() else "\ufffd" for c in text[: limit + 1])
    return line if len(line) <= limit else line[: limit - 1] + "\u2026"


def quoted(text: str) -> str:
    """The text in double quotes on one line; empty where there is none."""
    return json.dumps(inline(text, 200), ensure_ascii=False) if text else ""


def word(text: str) -> str:
    """The text as one word of a header."""
    return re.sub(r"[\s\"]+", "_", inline(text, 100))
