"""Which lines of an output are error lines."""

from __future__ import annotations

import pytest

from prune_mcp.pruning.errorlines import LONGEST, error_lines

REPORTED = {
    "python": "ValueError: invalid literal for int() with base 10: 'x'",
    "python, a module's own": "sqlite3.OperationalError: no such table: users",
    "pytest": "E       AssertionError: assert 3 == 4",
    "pytest summary": "FAILED tests/test_app.py::test_total - assert 3 == 4",
    "node": "TypeError: Cannot read properties of undefined (reading 'map')",
    "node, uncaught": "Uncaught ReferenceError: foo is not defined",
    "jest": "✕ adds numbers (3 ms) Error: expected 4",
    "typescript": "src/app.ts(12,5): error TS2345: Argument of type 'string' is not assignable.",
    "eslint": "  12:5  error  'x' is defined but never used  no-unused-vars",
    "rust": "error[E0308]: mismatched types",
    "rust panic": "thread 'main' panicked at 'index out of bounds', src/main.rs:4:5",
    "go": "./main.go:10:5: undefined: foo",
    "go test": "--- FAIL: TestTotal (0.00s)",
    "go panic": "panic: runtime error: invalid memory address or nil pointer dereference",
    "java": 'Exception in thread "main" java.lang.NullPointerException: name',
    "java, cause": "Caused by: java.net.ConnectException: Connection refused",
    "gcc": "main.c:12:5: error: expected ';' before 'return'",
    "ruff": "src/a.py:12:5: F401 `os` imported but unused",
    "mypy": 'app.py:3: error: Incompatible return value type (got "str", expected "int")  [return-value]',
    "npm": "npm ERR! code ELIFECYCLE",
    "git": "fatal: not a git repository (or any of the parent directories): .git",
    "git merge": "CONFLICT (content): Merge conflict in src/app.py",
    "shell": "bash: foo: command not found",
    "shell, file": "cat: missing.txt: No such file or directory",
    "shell, right": "mkdir: cannot create directory '/x': Permission denied",
    "shell, exit": "Exit code 127",
    "crash": "Segmentation fault (core dumped)",
    "make": "make: *** [Makefile:12: all] Error 2",
    "log": "2026-01-02T03:04:05.123Z ERROR worker-3 failed: timeout after 30000 ms",
    "log, labelled": "[2026-01-02 03:04:05] app.ERROR: could not connect",
    "log, level": "level=error msg=\"dial tcp 10.0.0.1:5432: connect: connection refused\"",
    "log, bracketed": "[12:00:01] worker 3 could not connect to db (timeout)",
    "shell, moved": "mv: cannot move a.txt -> b.txt: Permission denied",
    "go, package": "package example.org/x is not found in the module cache",
    "ssh": "git@example.org: Permission denied (publickey)",
    "http": "Request failed with status code 403",
    "tap": "not ok 3 - adds numbers",
}  # fmt: skip


@pytest.mark.requirement("PRU-DIGEST")
@pytest.mark.parametrize("line", REPORTED.values(), ids=REPORTED)
def test_each_tool_reports_errors_in_its_own_way(line: str) -> None:
    report = f"Starting up\n{line}\nLine after\n"
    assert list(error_lines(report)) == [line.strip()]


@pytest.mark.parametrize(
    "line",
    [
        *(
            "0 errors, 0 warnings",
            "14 doctests, 379 tests, 0 failures",
            "Found no errors",
            "errors: 0",
            "All good",
        ),
        *("Compiled without errors", "On branch main", "test result: ok. 12 passed; 0 failed; 0 ignored"),
    ],
)
def test_reports_of_success_are_no_errors(line: str) -> None:
    assert error_lines(f"Starting up\n{line}\n") == {}


SOURCE = """\
     1→import logging
     2→
     3→class ConfigError(Exception):
     4→    pass
     5→
     6→def load(path):
     7→    try:
     8→        return read(path)
     9→    except OSError as error:
    10→        logging.error("cannot read %s", path)
    11→        raise ConfigError("invalid path") from error
"""


def test_source_that_was_read_reports_no_errors() -> None:
    assert error_lines(SOURCE, strict=True) == {}


def test_a_log_that_was_read_still_does() -> None:
    log = "     1→INFO start\n     2→ERROR disk full\n"
    assert list(error_lines(log, strict=True)) == ["2→ERROR disk full"]


def test_lines_that_differ_in_numbers_and_ids_count_as_one() -> None:
    log = "".join(f"ERROR request {n:08x} failed after {n} ms\n" for n in range(7, 50)) + "ERROR disk full\n"
    assert error_lines(log) == {"ERROR request 00000007 failed after 7 ms": 43, "ERROR disk full": 1}


def test_a_long_line_is_cut_around_its_error() -> None:
    line = "{" + '"ok": 1, ' * 500 + '"message": "Error: disk full"' + ', "ok": 1' * 500 + "}"
    (told,) = error_lines(line)
    assert "Error: disk full" in told
    assert len(told) <= LONGEST + 2


def test_errors_come_in_the_order_of_the_text() -> None:
    lines = ["fatal: one", "ERROR two", "bash: three: command not found", "a.c:1:2: error: four"]
    assert list(error_lines("\n".join(lines))) == lines
