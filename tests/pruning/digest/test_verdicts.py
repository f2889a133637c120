"""A report's result line is told, wherever it stands."""

from __future__ import annotations

import pytest

from prune_mcp.pruning.digest import digest
from prune_mcp.pruning.names import Seen

RESULTS = {
    "exunit": "12 tests, 0 failures",
    "exunit, doctests": "14 doctests, 379 tests, 0 failures",
    "exunit, failed": "58 tests, 1 failure",
    "jest": "Tests:       3 passed, 3 total",
    "vitest": "Tests  1 failed | 3 passed (4)",
    "pytest": "5 passed, 1 warning in 0.20s",
    "unittest": "Ran 12 tests in 0.031s",
    "unittest, skipped": "OK (skipped=2)",
    "go": "ok  \texample.org/upload\t0.312s",
    "go, cached": "ok  \texample.org/upload\t(cached)",
    "cargo": "test result: ok. 12 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out",
    "mocha": "3 passing (12ms)",
    "rspec": "2 examples, 0 failures",
    "junit": "Tests run: 5, Failures: 0, Errors: 0, Skipped: 0",
    "phpunit": "OK (12 tests, 30 assertions)",
    "node": "# pass 3",
    "credo": "399 mods/funs, found no issues.",
    "mypy": "Success: no issues found in 12 source files",
    "ruff": "All checks passed!",
    "dotnet": "Build succeeded.",
    "gradle": "BUILD SUCCESSFUL in 3s",
    "lint": "0 errors, 2 warnings",
    "eslint": "✖ 3 problems (2 errors, 1 warning)",
    "tsc": "Found 2 errors in the same file, starting at: src/app.ts:3",
}


@pytest.mark.requirement("PRU-DIGEST")
@pytest.mark.parametrize("line", RESULTS.values(), ids=RESULTS)
@pytest.mark.parametrize("before", ["", "......\n", "compiling part of it\n" * 60], ids=["none", "one", "many"])
@pytest.mark.parametrize("after", ["", "\nRandomized with seed 12\n", "\n\nmore about something else\n" * 9])
def test_a_result_line_is_told(line: str, before: str, after: str) -> None:
    assert line in digest(before + line + after, Seen(), tool="Bash", key="make test").split("\n")


@pytest.mark.requirement("PRU-DIGEST")
@pytest.mark.parametrize("line", ["58 tests, 1 failure", "5 passed in 0.20s", "test result: ok. 12 passed"])
def test_a_result_line_is_told_far_above_the_end(line: str) -> None:
    text = f"testing\n{line}\n" + "then building this part of it\n" * 900
    assert line in digest(text, Seen(), tool="Bash", key="make").split("\n")


def test_a_result_line_in_a_report_that_looks_like_code_or_was_read_by_a_command_is_told() -> None:
    text = "".join(f"    step({n}) {{\n" for n in range(30)) + "12 tests, 0 failures\n"
    assert "12 tests, 0 failures" in digest(text, Seen(), tool="Bash", key="make test")
    assert "12 tests, 0 failures" in digest(text, Seen(), tool="Bash", key="cat test.log")
    assert "12 tests, 0 failures" not in digest(text, Seen(), tool="Read", key="docs/testing.md")


def test_of_many_result_lines_the_last_ones_are_told() -> None:
    text = "".join(f"ok  \texample.org/p{chr(97 + n)}\t0.3s\n" for n in range(20))
    told = digest(text, Seen(), tool="Bash", key="go test ./...").split("\n")
    assert [line for line in told if line.startswith("ok")] == text.split("\n")[-5:-1]
