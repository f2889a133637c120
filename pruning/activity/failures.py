"""Calls that failed: the line that says why, and which of many are worth telling."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from prune_mcp.pruning.activity.labels import one_line
from prune_mcp.pruning.activity.validation_results import result_lines
from prune_mcp.pruning.digest import first_failure
from prune_mcp.pruning.errors.lines import error_lines
from prune_mcp.pruning.errors.signs import is_bare_exit, is_heading
from prune_mcp.sessions.codex.status import exit_code, printed

# What hosts wrap around an error, and around the status of a command.
_WRAP = re.compile(r"</?(?:tool_use_error|error|output|warning)>")
_STATUS = re.compile(r"<returncode>(-?\d+)</returncode>")
_WARNING = re.compile(r"\b[A-Za-z]*[Ww]arning: ")


@dataclass(frozen=True, slots=True)
class Failure:
    """A call that failed, and the first line that says why."""

    ref: int
    call: str
    line: str


def failure_line(text: str) -> str:
    """The first line of a failed call's output that says why it failed; its exit code where none does."""
    said = printed(text)
    line = first_failure(said)
    if _WARNING.search(line):
        worse = (each for each in error_lines(said) if not (_WARNING.search(each) or _says_nothing(each)))
        line = result_lines(said)[0] or next(worse, line)
    code = exit_code(text)
    plain = _STATUS.sub(r"exit code \1", _WRAP.sub("", line))
    return one_line(plain or (f"exit code {code}" if code else ""))


def telling(failures: Sequence[Failure], most: int) -> list[Failure]:
    """The newest `most` of these, in order; before others those that say more than their exit code."""
    saying = [each for each in failures if each.line and not is_bare_exit(each.line)]
    kept = {id(each) for each in saying[-most:]}
    silent = [each for each in failures if id(each) not in {id(said) for said in saying}]
    kept |= {id(each) for each in silent[max(len(silent) - most + len(kept), 0) :]}
    return [each for each in failures if id(each) in kept]


def _says_nothing(line: str) -> bool:
    return is_bare_exit(line) is not None or is_heading(line) is not None
