"""Whether a command checks the work, and how such a run ended."""

from __future__ import annotations

import posixpath
import re
from typing import Literal, NamedTuple

from prune_mcp.pruning.activity_shell import Simple
from prune_mcp.pruning.errorlines import error_lines
from prune_mcp.pruning.validation_runs import (
    ALONE,
    INTERPRETERS,
    RUNNERS,
    SCRIPT,
    SCRIPT_RUNNERS,
    TEST_FILE,
    programs,
)
from prune_mcp.pruning.verdict import verdicts

Outcome = Literal["passed", "failed", "unknown"]

_RUNNERS = tuple(tuple(runner.split()) for runner in RUNNERS)
_ASKS_FOR_HELP = frozenset({"--version", "--help", "-V", "-h"})
_FAILING = re.compile(
    r"\b[1-9][\d,]* (?:tests? )?(?:failed|failures?|errors?|failing|problems?)\b|\bFAIL(?:ED|URE)?\b"
    r"|(?<!expected )\b(?:[Ff]ailures|[Ee]rrors|[Ff]ailed|fail)[:=]? *[1-9]|\b[Ff]ailed\.?$"
)


class Verdict(NamedTuple):
    """How a run ended, and the line of its output that says so ("" where none does)."""

    outcome: Outcome
    line: str = ""


def checks(simple: Simple) -> bool:
    """Whether a command is a run of tests, a linter, a type checker or a build."""
    program, *arguments = _without_runners([simple.program, *simple.arguments])
    if _ASKS_FOR_HELP.intersection(arguments):
        return False
    if program in SCRIPT_RUNNERS and _runs_script(arguments):
        return True
    if program in programs():
        return _holds(arguments, programs()[program]) or _runs_test_file(program, arguments)
    return _runs_test_file(program, arguments) or ("/" in simple.words[0] and TEST_FILE.match(program) is not None)


def verdict(text: str, error: bool, tells: bool) -> Verdict:
    """How a run with this output ended.

    `error`: the host says that the command failed. `tells`: what the host says is about this command, and not
    about another one behind it.
    """
    lines = verdicts(text, everywhere=True)
    failing = next((line for line in reversed(lines) if _FAILING.search(line)), "")
    if error or failing:
        return Verdict("failed", failing or next(iter(error_lines(text)), ""))
    if lines:
        return Verdict("passed", lines[-1])
    wrong = "" if tells else next(iter(error_lines(text)), "")
    if wrong:
        return Verdict("failed", wrong)
    return Verdict("passed" if tells else "unknown")


def _without_runners(words: list[str]) -> list[str]:
    """The words from the program on that the others only run; options of these go as well."""
    while runner := next((each for each in _RUNNERS if tuple(words[: len(each)]) == each), None):
        at = _behind_options(words, len(runner))
        if at == len(words):
            break
        words = [posixpath.basename(words[at].replace("\\", "/")), *words[at + 1 :]]
    return words


def _behind_options(words: list[str], at: int) -> int:
    """Where the program stands behind the options from `at` on, the last of which may take a value."""
    start = at
    while at < len(words) and words[at].startswith("-"):
        at += 1
    valued = at > start and at + 1 < len(words) and posixpath.basename(words[at + 1]) in programs()
    return at + 1 if valued else at


def _runs_script(arguments: list[str]) -> bool:
    names = [word for word in arguments if not word.startswith("-")]
    if len(names) > 1 and arguments[0].startswith("-"):
        # The value of an option, as in `npm --prefix web test`.
        names = names[1:]
    if names[:1] in (["run"], ["run-script"], ["task"]):
        names = names[1:]
    return bool(names) and SCRIPT.match(names[0]) is not None


def _runs_test_file(program: str, arguments: list[str]) -> bool:
    """Whether an interpreter runs a file whose name says that it tests, or one that is a known program."""
    at = next((at for at, word in enumerate(arguments) if not word.startswith("-")), -1)
    if program not in INTERPRETERS or at < 0:
        return False
    name = posixpath.basename(arguments[at])
    known = programs().get(name)
    return TEST_FILE.match(name) is not None or (known is not None and _holds(arguments[at + 1 :], known))


def _holds(arguments: list[str], uses: tuple[tuple[str, ...], ...]) -> bool:
    """Whether the arguments hold every word of one of the uses."""
    operand = next((word for word in arguments if not word.startswith("-")), "")
    asked = operand or ALONE
    return not uses or any(
        all(word in arguments if word.startswith("-") else word == asked for word in use) for use in uses
    )
