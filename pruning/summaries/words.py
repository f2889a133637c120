"""The words of a model, made fit to stand in our view: nothing in them passes for a mark of ours."""

from __future__ import annotations

import re
from collections.abc import Collection

from prune_mcp.pruning.plain import plain, unmarked

# What some models write before they answer.
_THOUGHT = re.compile(r"\A\s*<(think|thinking|reasoning)>.*?(?:</\1>|\Z)", re.DOTALL | re.IGNORECASE).sub
_WRAPPED = re.compile(r"\A\s*(`{3,})[\w-]*\n(.*)\n\1[ \t]*\s*\Z", re.DOTALL).match
_REF = re.compile(
    r"(?<![\w./@#$\u2039-])(?P<kind>[tb])(?P<first>\d{1,9})(?:(?:-|\u2013|\u2014|\.\.)(?P=kind)?(?P<last>\d{1,9}))?"
    r"(?P<rest>@[\w-]+|:(?:args|full|image\d+)\b)?(?![\w$]|[./-]\w)",
    re.ASCII,
)
# The marks that `unmarked` does not know since no output can be taken for them: of notes for orphans, of purged
# arguments, of the fence lines and segments of what was recovered.
_NOTES = re.compile(r"\[(?=left out t\d)|<(?=purged-errored-args\b)", re.IGNORECASE).sub
_RULES = re.compile(r"^([ \t]*)-{3,}(?=[ \t]*\w)", re.MULTILINE).sub
_FENCES = re.compile(r"^[ \t]*(?:`{3,}|~{3,})", re.MULTILINE).findall
_BULLET = re.compile(r"[ \t]*(?:[-*+\u2022]|\d{1,3}[.)])[ \t]+").match


def said(answer: str) -> str:
    """What an answer says: without what the model thought aloud before it, and without a code fence around it."""
    answer = _THOUGHT("", answer, 1)
    wrapped = _WRAPPED(answer)
    return wrapped[2] if wrapped and not _FENCES(wrapped[2]) else answer


def words(text: str, refs: Collection[int] = ()) -> str:
    """A model's text as lines of ours, the first of which is a bullet; empty where it says nothing.

    Refs that are none of `refs` are set in quotes, so that nobody takes them for ours.
    """
    text = unmarked(plain(text))
    text = _RULES(r"\1--", _NOTES(lambda hit: "\u2039" if hit[0] == "<" else "(", text))
    text = _REF.sub(lambda hit: hit[0] if _are_of(hit, refs) else f"\u2039{hit[0]}\u203a", text)
    lines = [line.rstrip() for line in text.split("\n") if line.strip()]
    if not any(c.isalnum() for line in lines for c in line):
        return ""
    if len(_FENCES("\n".join(lines))) % 2:
        lines.append("```")
    bullet = _BULLET(lines[0])
    lines[0] = f"- {lines[0][bullet.end() :] if bullet else lines[0].lstrip()}"
    return "\n".join(lines)


def _are_of(ref: re.Match[str], refs: Collection[int]) -> bool:
    """Whether a ref, or each of a range, is one of these outputs'."""
    first, last = int(ref["first"]), int(ref["last"] or ref["first"])
    if ref["kind"] != "t" or ref["rest"] or not first <= last < first + len(refs):
        return False
    return all(number in refs for number in range(first, last + 1))
