"""Which commands are runs that check the work, in the common languages, and how they are told to have ended."""

from __future__ import annotations

from functools import partial

import pytest

from prune_mcp.pruning.activity.activity import Check, Step, activity
from prune_mcp.pruning.activity.validation_runs import ALWAYS, GOALS, WITH
from tests.collapse.check_results import RESULTS
from tests.collapse.command_lines import CHECKING, FILES_WITH_THEM, OTHERS, SCRIPTS


def check(command: str, said: str = "", error: bool = False) -> Check | None:
    found = activity([Step("Bash", {"command": command}, lambda: said, 5, error)])
    return found.checks[0] if found.checks else None


@pytest.mark.requirement("COL-BUILD")
def test_runs_that_check_the_work_are_known() -> None:
    lines = [*CHECKING.strip().splitlines(), *SCRIPTS]
    assert [line for line in lines if check(line) is None] == []


@pytest.mark.requirement("COL-BUILD")
def test_other_commands_are_not_taken_for_one() -> None:
    lines = [*OTHERS.strip().splitlines(), *FILES_WITH_THEM]
    assert [line for line in lines if check(line) is not None] == []


@pytest.mark.requirement("COL-BUILD")
def test_every_row_of_the_table_is_recognised() -> None:
    for program in (name for row in ALWAYS.values() for name in row.split()):
        assert check(f"{program} src") is not None, program
    for program, uses in ((name, uses) for rows in WITH.values() for name, uses in rows.items()):
        for use in uses.split("|"):
            arguments = use.replace("alone", "").replace("*", "x").strip()
            assert check(f"{program} {arguments}") is not None, (program, use)
            assert program not in GOALS or check(f"{program} other {arguments}") is not None, (program, use)


@pytest.mark.requirement("COL-BUILD")
@pytest.mark.parametrize(
    ("command", "said", "error", "outcome", "line"),
    [
        ("pytest", "== 12 passed in 0.5s ==", False, "passed", "12 passed in 0.5s"),
        ("pytest | tail -3", "== 2 failed, 10 passed in 0.5s ==", False, "failed", "2 failed, 10 passed in 0.5s"),
        ("npm test; ls", "Tests  1 failed | 4 passed (5)", False, "failed", "Tests 1 failed | 4 passed (5)"),
        ("mix test", "14 tests, 0 failures", False, "passed", "14 tests, 0 failures"),
        ("tox", "Ran 3 tests in 0.1s\nOK (expected failures=2)", False, "passed", "OK (expected failures=2)"),
        ("tox", "Ran 3 tests in 0.1s\n\nFAILED (failures=1)", True, "failed", "FAILED (failures=1)"),
        ("go test ./...", "ok  \tex/a\t0.01s", False, "passed", "ok ex/a 0.01s"),
        ("cargo test", "test result: FAILED. 1 failed", True, "failed", "test result: FAILED. 1 failed"),
        ("npx tsc --noEmit", "", False, "passed", ""),
        ("npx tsc | head", "", False, "unknown", ""),
        ("npx tsc | head", "a.ts(3,1): error TS2304: no x", False, "failed", "a.ts(3,1): error TS2304: no x"),
        ("npm run build || true", "", False, "unknown", ""),
        ("npm run build && npm test", "", False, "passed", ""),
        ("npm test && git push", "rejected", True, "unknown", ""),
        ("pytest && git push", "3 passed in 0.1s\nrejected", True, "passed", "3 passed in 0.1s"),
        ("pytest && git push", "1 failed in 0.1s", True, "failed", "1 failed in 0.1s"),
        ("npm run lint | grep foo", "", True, "unknown", ""),
        ("cd x && npm run lint | tail -3; exit 1", "", True, "failed", ""),
        ("! npm run lint", "", False, "unknown", ""),
        ("npm run lint &", "", False, "unknown", ""),
        ("(npm run lint) || true", "", False, "unknown", ""),
        ("(cd x && npm run lint) && ls", "", False, "passed", ""),
        ("echo $(npm run lint) && ls", "", False, "unknown", ""),
        ("set -e; npm run lint; ls", "", False, "passed", ""),
        ("set -e; if npm run lint; then ls; fi", "", False, "unknown", ""),
        ("set -o pipefail; npm run lint | tail", "", False, "passed", ""),
        ("docker exec web sh -c 'npm run lint | tail'", "", False, "unknown", ""),
        ("docker exec web sh -c 'npm run lint'", "", False, "passed", ""),
        ("ruff check", "All checks passed!", False, "passed", "All checks passed!"),
    ],
)  # fmt: skip
def test_how_a_run_ended_is_told_by_its_verdict_and_else_by_its_exit_status_where_that_is_its_own(
    command: str, said: str, error: bool, outcome: str, line: str
) -> None:
    found = check(command, said, error)
    assert found is not None
    assert (found.outcome, found.line) == (outcome, line)


@pytest.mark.requirement("COL-BUILD")
def test_runs_of_one_check_are_told_together_with_how_the_last_one_ended() -> None:
    runs = [
        ("pytest -q", "1 failed", True),
        ("pytest -q", "2 failed", True),
        ("cd x && pytest -q", "3 passed", False),
    ]
    steps = [
        Step("Bash", {"command": command}, partial(str, said), ref, error)
        for ref, (command, said, error) in enumerate(runs, 1)
    ]
    (found,) = activity(steps).checks
    assert (found.label, found.runs, found.failed, found.outcome, found.line, found.ref) == (
        *("pytest -q", 3, 2, "passed", "3 passed", 3),
    )


@pytest.mark.requirement("COL-BUILD")
def test_how_a_run_ended_is_told_by_what_it_printed_where_its_exit_status_is_hidden() -> None:
    told = [(command, said, outcome, check(command, said)) for outcome, command, said in RESULTS]
    assert [(c, said, found) for c, said, outcome, found in told if not found or found.outcome != outcome] == []
