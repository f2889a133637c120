"""Whether a command checks the work, and how such a run ended."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from typing import Literal, NamedTuple

from prune_mcp.pruning.activity.runners import behind_runner, operands_of
from prune_mcp.pruning.activity.shell import Simple, line_of_shell, program_of, simple_commands
from prune_mcp.pruning.activity.validation_results import result_lines
from prune_mcp.pruning.activity.validation_runs import (
    ALONE,
    GOALS,
    INSTALLS,
    INTERPRETERS,
    NO_CHECK,
    RUN_SEVERAL,
    SCRIPT,
    SCRIPT_RUNNERS,
    TEST_FILE,
    programs,
)
from prune_mcp.pruning.errors.lines import error_lines

Outcome = Literal["passed", "failed", "unknown"]

_ASKS_FOR_HELP = frozenset({"--version", "--help", "-h"})
# What hardly ever fails by itself.
_HARMLESS = frozenset(
    {
        *(
            "cat",
            "cd",
            "do",
            "done",
            "echo",
            "exit",
            "fi",
            "head",
            "popd",
            "printf",
            "sort",
            "tail",
            "tee",
            "true",
        ),
        *("wc", "xcbeautify", "xcpretty", "}"),
    }
)
# How a line behind a command tells its status, also that of the first in a pipe.
_STATUS, _FIRST_STATUS = ("$?", "${?}", "$LASTEXITCODE"), ("${PIPESTATUS[0]}", "$PIPESTATUS", "${pipestatus[1]}")


class Verdict(NamedTuple):
    """How a run ended, and the line of its output that says so ("" where none does)."""

    outcome: Outcome
    line: str = ""


def checking(parts: Sequence[Simple]) -> list[Simple]:
    """Which of these commands are runs of tests, a linter, a type checker or a build, or are told to run one."""
    return [check for part in parts for check in _checked(part)]


def verdict(text: str, error: bool, tells: bool, own: bool = True) -> Verdict:
    """How a run with this output ended.

    `error`: the host says that the command failed, which is the run's `own` failure or may be another command's.
    `tells`: where the host says that all went well the run did too.
    """
    failing, passing = result_lines(text)
    if failing or (error and own):
        return Verdict("failed", failing or next(iter(error_lines(text)), ""))
    if passing or (tells and not error):
        return Verdict("passed", passing)
    wrong = "" if error else next(iter(error_lines(text)), "")
    return Verdict("failed" if wrong else "unknown", wrong)


def fails_alone(parts: Sequence[Simple], check: Simple) -> bool:
    """Whether a command line of these parts that failed did so by its check: nothing of consequence is behind."""
    return all(part.program in _HARMLESS for part in parts[_place(parts, check) + 1 :])


def told_status(parts: Sequence[Simple], check: Simple, text: str) -> int | None:
    """The exit status of a check that an `echo` right behind it printed, None where none did."""
    at = end = _place(parts, check)
    while end < len(parts) and parts[end].piped:
        end += 1
    if end + 1 >= len(parts) or parts[end].joint not in (";", "||") or parts[end + 1].program != "echo":
        return None
    alone, first = end == at, at == 0 or not parts[at - 1].piped
    said = " ".join(word for word in parts[end + 1].arguments if word not in ("-e", "-n"))
    for variable in (*(_STATUS if alone else ()), *(_FIRST_STATUS if first else ())):
        front, found, _ = said.partition(variable)
        if found and "$" not in front:
            printed = re.findall(rf"^{re.escape(front)}(\d+)", text, re.MULTILINE)
            return int(printed[-1]) if printed else None
    return None


def _place(parts: Sequence[Simple], check: Simple) -> int:
    return next(at for at, part in enumerate(parts) if part.words is check.words)


def _checked(simple: Simple) -> Iterator[Simple]:
    """The command, where it checks; its status tells only what all that it is told to run tells."""
    words = simple.words
    while words:
        if _is_check(words):
            yield simple
            return
        if line := line_of_shell(words):
            inside = checking(simple_commands(line))
            if inside:
                yield replace(simple, tells=simple.tells and all(each.tells for each in inside))
            return
        words = behind_runner(words)


def _is_check(words: list[str]) -> bool:
    program, arguments = program_of(words[0]), words[1:]
    if _ASKS_FOR_HELP.intersection(arguments) or arguments == ["-V"]:
        return False
    if not set(NO_CHECK.get(program, "").split()).isdisjoint(arguments):
        return False
    if program in SCRIPT_RUNNERS and _runs_script(program, arguments):
        return True
    if program in programs() and _holds(program, arguments):
        return True
    if "/" in words[0] and TEST_FILE.match(program):
        return True
    return program in INTERPRETERS and _runs_test_file(arguments)


def _runs_script(program: str, arguments: list[str]) -> bool:
    names = operands_of(program, arguments)
    if names[:1] == [INSTALLS.get(program)]:
        return False
    while names and names[0] in SCRIPT_RUNNERS[program].split():
        names = names[1:]
    if names[:1] == ["workspace"]:
        names = names[2:]
    return any(SCRIPT.match(name.lstrip("+")) for name in (names if program in RUN_SEVERAL else names[:1]))


def _runs_test_file(arguments: list[str]) -> bool:
    """Whether the file that an interpreter runs has a name that says that it tests, or is a known program."""
    at = next((at for at, word in enumerate(arguments) if not word.startswith("-")), -1)
    if at < 0:
        return False
    name = posixpath.basename(arguments[at])
    known = re.sub(r"\.[cm]?js$", "", name)
    return TEST_FILE.match(name) is not None or (known in programs() and _holds(known, arguments[at + 1 :]))


def _holds(program: str, arguments: list[str]) -> bool:
    """Whether the arguments hold every word of one of the program's uses."""
    uses = programs()[program]
    operands = [word for word in operands_of(program, arguments) if not word.startswith("+")]
    if program in GOALS:
        goals = [_goal(word, GOALS[program]) for word in operands] or [ALONE]
        return any(fnmatchcase(goal, *use) for use in uses for goal in goals)
    return not uses or any(_used(use, operands or [ALONE], arguments) for use in uses)


def _goal(word: str, joint: str) -> str:
    """A goal without its project and its arguments."""
    goal = word.split()[0] if word.split() else ""
    return goal.rpartition(joint)[2] if joint else goal


def _used(use: Sequence[str], operands: Sequence[str], arguments: Sequence[str]) -> bool:
    plain = [word for word in use if not word.startswith("-")]
    options = [word for word in use if word.startswith("-")]
    leading = operands[: len(plain)]
    return set(options) <= set(arguments) and all(map(fnmatchcase, leading, plain)) and len(leading) == len(plain)
