"""How runs that check the work say how they ended: their result lines, which pass and which fail.

Only of commands that are known to check: elsewhere such lines may be anybody's. A new tool's line is one more row.
"""

from __future__ import annotations

import re

from prune_mcp.pruning.verdict import verdicts

LONGEST = 200
# Result lines stand near the end of what a run printed.
END = 50_000
# What may stand in front of a line that is a result, and behind it.
_FRONT = re.compile(r"^(?:\s|[=*#>│✖✗×❌✔✓ℹ]|-{2,}|\[(?:INFO|ERROR|WARNING|info|error)\]|\[[0-9]+m)*")
_RESULT = re.compile(
    r"""(?: (?:FAIL|PASS) (?:\s+\S+(?:\s.*)?|:\ .*)? | FAILED(?:\ \(.*\))? | FAILURES! | ERRORS!
      | \d+\ (?:pass|fail) | (?:tests|pass|fail)\ \d+ | Summary\ \[.*\]\ +\d+\ tests?\ run:.*
      | (?:ok|FAILED)\ \|\ \d+\ passed.*
      | Finished\ .*\ target\(s\)\ in\ .* | error:\ (?:could\ not\ compile|test\ failed).*
      | Tests:?\ (?:run|completed).*\d.* | \d+\ tests?\ completed.* | Executed\ \d+\ (?:tests?|out\ of).*
      | (?:Passed|Failed|Error):\ Total\ \d+.* | (?:Passed|Failed)!\s+-\s.* | \d+\ runs?,\ \d+\ assertions,.*
      | (?:TEST|BUILD|ANALYZE|ARCHIVE)\ (?:SUCC|FAIL)\w+.* | FAILURE:\ .* | Build\ (?:complete|succeeded|FAILED).*
      | \d+\ files?\ inspected,.* | \[(?:OK|ERROR)\]\ .*\berrors?\b.* | \d+%\ tests\ passed,.*
      | \d+\ issues?(?:[.:]|\ found).* | (?:Found\ )?[Nn]o\ issues?\ found.* | Found\ \d+\ issues?.*
      | .*\ would\ be\ (?:reformatted|left\ unchanged).* | \d+\ files?\ already\ formatted
      | Your\ code\ has\ been\ rated\ at\ .* | Checked\ \d+\ files?\ in\ .* | Some\ errors\ were\ emitted.*
      | All\ matched\ files\ use\ Prettier.* | \[warn\]\ Code\ style\ issues.*
      | built\ in\ [\d.]+\ ?m?s.* | Compiled\ (?:successfully|with\ warnings).* | Failed\ to\ compile.*
      | Success!\ .* | \d\d:\d\d\ \+\d+.*:\ (?:All|Some)\ tests\ .* | npm\ (?:ERR!|error)\ .*
      | g?make(?:\[\d+\])?:\ \*\*\*\ .*\ Error\ \d+ )""",
    re.VERBOSE,
).fullmatch
_FAILING = re.compile(
    r"""(?<![\d,.%-])[1-9][\d,]*\ (?:tests?\ )?(?:failed|failures?|fails?|failing)\b
      | (?<![\d,.%-])[1-9][\d,]*\ errors?\b(?!\ \(\d+\ fixed,\ 0\ remaining\))
      | \b[1-9][\d,]*\ problems?\b(?!\ \(0\ errors)
      | \b[1-9][\d,]*\ (?:offenses?\ detected|issues?(?:[.:]|\ found))
      | \bFAIL(?:ED|URES?|)\b | ^ERRORS! | (?<!expected\ )\b(?:[Ff]ailures|[Ee]rrors|[Ff]ailed|fail)[:=]?\ *[1-9]
      | \b[Ff]ailed[.!]?$ | ^Failed | would\ be\ reformatted | rated\ at\ (?!10)
      | ^(?:Some|npm|error:|g?make|\[warn\])\ ?|:\ Some\ tests """,
    re.VERBOSE,
).search
# Of the lines that pass or fail alike, those that count say most.
_COUNTS = re.compile(r"\d.*(?:pass|fail|test|error|ok\b)|(?:pass|fail|test|error|ok\b).*\d", re.IGNORECASE).search


def result_lines(text: str) -> tuple[str, str]:
    """The result line that best says that the run failed and the one that it passed, "" where none says so."""
    told = verdicts(text, everywhere=True)
    lines = [_FRONT.sub("", line).strip(" \t=*-") for line in text[-END:].split("\n") if len(line) <= LONGEST]
    lines = [line for line in lines if line and (_RESULT(line) or line in told)]
    lines = [*(line for line in told if line not in lines), *lines]
    failing = [line for line in lines if _FAILING(line)]
    passing = [line for line in lines if line not in failing]
    passed = [line for line in passing if "pass" in line.lower() and _COUNTS(line)]
    return _best(failing), _best(passed or passing)


def _best(lines: list[str]) -> str:
    counting = [line for line in lines if _COUNTS(line)]
    return next(iter(reversed(counting or lines)), "")
