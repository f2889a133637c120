"""Verdicts: the lines with which a report counts or judges what it found, as a test run's result line."""

from __future__ import annotations

import re

LONGEST, SHORT = 160, 80
# Verdicts are told wherever they stand in a report; the looser tallies only near its end.
MOST, END, END_LINES, LAST_LINES = 4, 2500, 12, 3
REPORT_SHORTEST = 300

# A line that holds none of these is no verdict; the first ones are looked for in the whole report.
_STEMS = (" passed", " failure", " passing", "est result: ", "o issues", "o errors")
_END_STEMS = (
    *(" pass", " fail", " test", "Test", "est result", " error", "OK", "ok ", " issues", " problem", "ucce"),
    *("SUCC", "FAIL", " example"),
)
_KINDS = "doctests?|tests?|examples?|specs?|scenarios?|assertions?|checks?|passed|failed|passing|failing|failures?"
_VERDICT = re.compile(
    rf"""[^\w(]*(?: \d[\d,]*\ (?:{_KINDS})\b(?:\ \(.*\))?(?:[,;|.]?\ .*\d.*)?
      | (?:Tests?|Test\ Files|Test\ Suites|Suites|Assertions|Snapshots)(?:\ run)?:?\s+(?:\d.*)?\d.*
      | test\ result:\ .* | Ran\ \d+\ tests?\b.* | OK(?:\ \(.*\))? | (?:tests|pass|fail)\ \d+
      | (?:.*\s)?(?:[Ff]ound\ )?no\ (?:issues|errors|problems)(?:\ found)?\b.* | (?:[Ff]ound\ )?\d+\ errors?\b.*
      | All\ (?:\d+\ )?(?:tests|checks|specs)\ pass.* | Success:\ no\ .* | \d+\ problems?\ .*
      | (?:Build|BUILD|Compilation)\ (?:succeeded|SUCCESSFUL|FAILED|SUCCESS|failed)\b.* | Compiled\ successfully.*
      | ok\s+\S+\s+(?:[\d.]+m?s|\(cached\)).* )""",
    re.VERBOSE,
).fullmatch
_TALLY = re.compile(
    r"\b\d[\d,]* (?:tests?|pass(?:ed|ing)?|fail(?:ed|ing|ures?)?|errors?|warnings?|skipped|pending|files? changed"
    r"|examples?|assertions?|problems?|vulnerabilities|rows?|offenses?|issues?|doctests|suites?)\b"
).search
_WORDS = re.compile(r"[^\W\d_]{2}").search
_DECORATION = " \t=-*"


def verdicts(text: str, *, everywhere: bool) -> list[str]:
    """The last verdicts of a report in order, each once; only those near its end unless `everywhere`."""
    told = _lines_with(_STEMS, text) if everywhere and len(text) > END else []
    lines = [line.strip(_DECORATION) for line in [*told, *_lines_with(_END_STEMS, text[-END:])]]
    return list(dict.fromkeys(line for line in lines if line and _VERDICT(line)))[-MOST:]


def _lines_with(stems: tuple[str, ...], text: str) -> list[str]:
    """The lines of `text` that hold a stem, in order, without long ones."""
    found: dict[int, str] = {}
    for stem in [stem for stem in stems if stem in text]:
        at = text.find(stem)
        while at >= 0:
            start, end = text.rfind("\n", 0, at) + 1, text.find("\n", at)
            end = len(text) if end < 0 else end
            if end - start <= LONGEST:
                found[start] = text[start:end]
            at = text.find(stem, end)
    return [found[start] for start in sorted(found)]


def closing(text: str, *, tallies_only: bool = False) -> list[str]:
    """How a report ends: its verdicts, or the last lines that count; where there are none, its last line if it is
    short and the report long."""
    told = verdicts(text, everywhere=True)
    if told or len(text) < REPORT_SHORTEST:
        return told
    lines = [line.strip(_DECORATION) for line in text[-END:].rsplit("\n", 2 * END_LINES)]
    lines = [line for line in lines if line]
    tallies = [line for line in lines[-END_LINES:] if len(line) <= LONGEST and _TALLY(line)]
    if tallies or tallies_only:
        return tallies[-2:]
    return [line for line in lines[-1:] if len(line) <= SHORT and " " in line]


def last_lines(text: str, room: int) -> list[str]:
    """The last lines with words, at most `LAST_LINES` and about `room` characters, at least one."""
    kept: list[str] = []
    for line in reversed(text[-END:].split("\n")):
        if _WORDS(line := line.strip()):
            room -= len(line)
            if len(kept) == LAST_LINES or (kept and room < 0):
                break
            kept.append(line if room >= 0 else line[: max(room + len(line) - 3, 1)] + "...")
    return kept[::-1]
