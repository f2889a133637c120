"""Error lines: the lines of an output that say what went wrong, in any of the usual tools' ways of saying it."""

from __future__ import annotations

import re

LONGEST = 320

# Found by plain search, which is many times faster than one pattern over the whole text. A line that holds none
# of these is no error line; the second group tells only in a tool's report, not in code or prose that was read.
_STEMS = ("rror", "ERR", "xception", "FA", "atal", "panic", "\u2717", "\u2716", "\u2718", "\u274c")
_WEAK_STEMS = (
    *(
        "ailed",
        "ailure",
        "ailing",
        "ails ",
        "denied",
        "ot found",
        "o such",
        "annot",
        "n't ",
        "nable to",
        "ould not",
    ),
    *("ndefined", "nvalid", "nexpected", "nresolved", "imed out", "efused", "bort", "ritical", "CRIT", "SEVERE"),
    *("onflict", "CONFLICT", "core dump", "egmentation", "illed", "xit code", "xit status", "not ok", "\u00d7 "),
)
# path:line:column: or path(line,column): in front of what a compiler or linter says. Each begins with a sign, so
# that the search skips fast.
_PLACED = (re.compile(r":\d+:\d+:? +\S").search, re.compile(r"\(\d+,\d+\): +\S").search)
_DIAGNOSTIC = re.compile(r"\S{1,300}?(?::\d+:\d+:?|\(\d+,\d+\):) +\S").match
# A line number, or a file and a line number, in front of a line that was read or found.
_LISTED = re.compile(r"\s*\d+(?:\u2192|\t|[:-](?=\s))|(?=[^\s:]*[./])[^\s:]+?[:-]\d+[:-](?!\d+[: ])")
# What may stand before the telling word: signs, digits, a date with its T and Z, a short label or two. Quantifiers
# are possessive wherever two could share characters: time stays linear in the line.
_MARKS = "\u2717\u2716\u2718\u274c\u00d7"
_SIGNS = f"[^A-Za-z{_MARKS}]*+"
_STRONG = re.compile(
    rf"""(?: {_SIGNS} (?:T\d[\d:.,+-]*+Z?{_SIGNS})?+ (?:[\w.@/-]{{1,24}}[\]:|](?=\s){_SIGNS}){{0,2}}? (?:
        (?:\w{{1,24}}\.)?(?:ERROR|FATAL|CRITICAL|CRIT|SEVERE|PANIC|EMERG|ALERT|FAIL(?:ED|URE)?)\b
      | (?:error|fatal|panic|failed|failure|err)\b(?:\[\w+\])?[\]:!(]
      | (?:[\w$]++(?:\.|::))*+[A-Z]\w*(?:Error|Exception|Failure|Fault|Interrupt|Panic)\b(?::|\s|$)
      | Uncaught\b | Unhandled\b | Caused\ by:\s | thread\ '.*'\ panicked
      | E\s{{2,}}\S | not\ ok\b | [{_MARKS}]\s | npm\ (?:ERR!|error)\s | CONFLICT\ \( | Segmentation\ fault
      | [Ee]xit\ (?:code|status):?\ [1-9] | Error\b )
    | \S+:\d+(?::\d+)?:?\s+(?:fatal\s+)?error\b | \S+\(\d+,\d+\):\s+error\b | .*\berror\s+TS\d
    | \s*\d+:\d+\s+error\s )""",
    re.VERBOSE,
).match
_WEAK = re.compile(
    r"""\b(?: errors? | fail(?:s|ed|ure|ures|ing)? | fatal | panic(?:ked)? | exceptions? | denied | not\ found
    | no\ such | cannot | can't | could\ not | couldn't | unable\ to | undefined | invalid | timed\ out
    | refused | abort(?:ed|ing)? | critical | conflicts? | core\ dumped | killed | unexpected | unresolved
    | exit(?:ed\ with)?\ (?:code|status)\ -?[1-9]\d* )\b""",
    re.VERBOSE | re.IGNORECASE,
).search
_NAMED = re.compile(r"\b[A-Z]\w*(?:Error|Exception)\b|\bERR(?:OR)?\b|\bE[A-Z]{4,}\b").search
_HARMLESS = re.compile(
    r"\b(?:0|no|zero|without)\s+(?:\w+\s+)?(?:errors?|fail\w*|exceptions?|conflicts?)\b"
    r"|\b(?:errors?|fail\w*|exceptions?)\b[\s:=(]*0\b(?!\.)",
    re.IGNORECASE,
).sub
_FILLER = re.compile(r"\s*(?:Traceback \(most recent|During handling of the above|The above exception was)").match
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
    for start, end, hit in _candidates(text, _STEMS if strict else _STEMS + _WEAK_STEMS):
        line = text[start:end] if end - start <= LONGEST else _around(text, start, end, hit)
        if not _says_error(line, strict):
            continue
        line = line.strip()
        line = first.setdefault(_VARYING.sub("0", line), line)
        counts[line] = counts.get(line, 0) + 1
    return counts


def _candidates(text: str, stems: tuple[str, ...]) -> list[tuple[int, int, int]]:
    """Lines that may be error lines, in order, as (start, end, where the telling word is)."""
    places: dict[int, tuple[int, int]] = {}
    for stem in stems:
        at = text.find(stem)
        while at >= 0:
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
    return ("\u2026" if left > start else "") + text[left:right] + ("\u2026" if right < end else "")


def _says_error(line: str, strict: bool) -> bool:
    """Whether this line reports an error."""
    listed = _LISTED.match(line)
    said = line[listed.end() :] if listed else line
    if _FILLER(said):
        return False
    said = _HARMLESS("", said)
    if _STRONG(said):
        return not (listed and _CODE(said))
    if listed or _CODE(said):
        return False
    if _DIAGNOSTIC(said):
        return True
    return not strict and (_WEAK(said) is not None or _NAMED(said) is not None)


def is_code(text: str) -> bool:
    """Whether most of the first lines are source code or prose that was read, not a tool's report."""
    lines = [line for line in text[:1500].split("\n")[:20] if line.strip()]
    return len(lines) > 8 and sum(line[0] in " \t" or _CODE(line) is not None for line in lines) > len(lines) / 2
