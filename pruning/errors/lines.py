"""Error lines: the lines of an output that say what went wrong, in any of the usual tools' ways of saying it."""

from __future__ import annotations

import re

from prune_mcp.pruning.errors.parts import (
    GO_TEST,
    LONGEST,
    TRACEBACK,
    TRACEBACK_HIT,
    Row,
    headings,
    is_go_test,
    lines_below,
    traceback_end,
)
from prune_mcp.pruning.errors.signs import (
    FAR_STEMS,
    REPORT_STEMS,
    STEMS,
    far_harmless,
    harmless,
    says_by_name,
    says_mismatch,
    says_strongly,
    says_weakly,
)

# path:line:column: or path(line,column): in front of what a compiler or linter says. Each begins with a sign, so
# that the search skips fast.
_PLACED = (re.compile(r":\d+:\d+:? +\S").search, re.compile(r"\(\d+,\d+\): +\S").search)
_DIAGNOSTIC = re.compile(r"\S{1,300}?(?::\d+:\d+:?|\(\d+,\d+\):) +\S").match
# A line number, or a file and a line number, in front of a line that was read or found.
_LISTED = re.compile(r"\s*\d+(?:→|\t|[:-](?=\s))|(?P<place>(?=[^\s:]*[./])[^\s:]+?[:-]\d+[:-](?!\d+[: ]))")
_FILLER = re.compile(
    r"\s*(?:Traceback \(most recent|During handling of the above|The above exception was"
    r"|=+ (?:FAILURES|ERRORS) =+$|(?:[Ff]ailures|Failed examples):\s*$"
    r"|[✓✔√]|(?:PASS(?:ED)?|--- PASS:|ok \d+)\s|test .* \.\.\. ok$)"
).match
_CODE = re.compile(
    r"""\s*+(?: (?:if|elif|else|return|throw|raise|except|catch|def|defp|class|function|const|var|public|private
      |protected|static|async|await|interface|enum|struct|fn|pub|func|defer|echo|console|rescue|describe|expect)\b
      | // | /\* | \* | \#(?!\d) | <[/!a-zA-Z] | ["'`{}(@&] | \[(?!\d|\s|\w+\]) | [-+|>]\s
      | \d+\.\s )
    | .*(?: (?:[{};,(\[]|->)\s*+$ | => | \ [:!=]?==?\ | \|> | \w\([^()]*\)\s*+(?:do|then|[:;])?\s*+$ | &&\s
      | \|\|\s )""",
    re.VERBOSE,
).match
_VARYING = re.compile(r"0x[0-9a-fA-F]+|\b[0-9a-f]{7,40}\b|\d+")


def error_lines(text: str, *, strict: bool = False) -> dict[str, int]:
    """The error lines of `text` in order, each with how often it comes; of lines that differ only in numbers and
    ids the first stands for all.

    Lines are stripped, and cut around the error beyond `LONGEST` characters. With `strict` (the text is code or
    prose that was read, no tool's report) only lines that can be nothing else count. Time is linear in the text.
    """
    first: dict[str, str] = {}
    counts: dict[str, int] = {}
    for line, whole in _in_order(text, strict):
        line = first.setdefault(line if whole else _VARYING.sub("0", line), line)
        counts[line] = 1 if whole else counts.get(line, 0) + 1
    return counts


def _in_order(text: str, strict: bool) -> list[tuple[str, bool]]:
    """The error lines and what explains them (True: it stands for itself), each stripped."""
    found: dict[int, tuple[str, bool]] = {}
    row = Row()
    for start, end, hit in _candidates(text, _stems(text, strict)):
        if text.startswith(TRACEBACK, hit - TRACEBACK_HIT):
            found.update(traceback_end(text, start, hit - TRACEBACK_HIT, end))
        line = text[start:end] if end - start <= LONGEST else _around(text, start, end, hit)
        if not (_says_error(line, strict) or (not strict and is_go_test(line))) or not row.takes(line, start, end):
            continue
        found[start] = (line.strip(), False)
        found.update((at, (below, True)) for at, below in lines_below(text, end, line) if at not in found)
    if not strict and "1) " in text:
        found.update((at, (line, True)) for at, line in headings(text, sorted(found)))
    return [found[start] for start in sorted(found)]


def _stems(text: str, strict: bool) -> tuple[str, ...]:
    if strict:
        return STEMS
    # What Go's tests log without failing is no error.
    more = (GO_TEST,) if "--- FAIL" in text else ()
    return REPORT_STEMS + more + (() if text.isascii() else FAR_STEMS)


def _candidates(text: str, stems: tuple[str, ...]) -> list[tuple[int, int, int]]:
    """Lines that may be error lines, in order, as (start, end, where the telling word is)."""
    places: dict[int, tuple[int, int]] = {}
    for stem in [stem for stem in stems if stem in text]:
        skipped = stem[0] == "\n"
        at = text.find(stem)
        while at >= 0:
            at += skipped
            start = text.rfind("\n", 0, at) + 1
            end = text.find("\n", at)
            end = len(text) if end < 0 else end
            places.setdefault(start, (end, at))
            at = text.find(stem, end)
    for pattern in _PLACED:
        found = pattern(text)
        while found:
            start = text.rfind("\n", 0, found.start()) + 1
            end = text.find("\n", found.end())
            end = len(text) if end < 0 else end
            if start not in places and _DIAGNOSTIC(text, start):
                places[start] = (end, found.start())
            found = pattern(text, end)
    return [(start, *places[start]) for start in sorted(places)]


def _around(text: str, start: int, end: int, hit: int) -> str:
    """A long line's part around the error, cut ends marked."""
    left = max(start, min(hit - LONGEST // 3, end - LONGEST))
    right = min(end, left + LONGEST)
    return ("..." if left > start else "") + text[left:right] + ("..." if right < end else "")


def _says_error(line: str, strict: bool) -> bool:
    """Whether this line reports an error, also without what it says of none."""
    listed = _LISTED.match(line)
    place = listed["place"] if listed else ""
    said = line[listed.end() :] if listed else line
    if _FILLER(said) or not _says(said, listed is not None, place, strict):
        return False
    left = harmless("", said)
    left = left if left.isascii() else far_harmless("", left)
    return left == said or _says(left, listed is not None, place, strict)


def _says(said: str, listed: bool, place: str | None, strict: bool) -> bool:
    """Whether `said` is an error; `listed`: it stood behind a line number, or behind the `place` in a file."""
    if says_strongly(said):
        return not (listed and _CODE(said))
    if listed and (strict or not place):
        return False
    if not strict and says_mismatch(said):
        return True
    if _CODE(said):
        return False
    if not listed and _DIAGNOSTIC(said):
        return True
    return not strict and bool(says_weakly(said) or says_by_name(said))


def is_code(text: str) -> bool:
    """Whether most of the first lines are source code or prose that was read, not a tool's report."""
    lines = [line for line in text[:1500].split("\n")[:20] if line.strip()]
    if len(lines) <= 8:
        return False
    said = 0
    for line in lines:
        said += line[0] not in " \t" and _CODE(line) is None
        if 2 * said >= len(lines):
            return False
    return True
