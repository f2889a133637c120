"""Which lines of an output are error lines."""

from __future__ import annotations

import pytest

from prune_mcp.pruning.digest import digest, reads
from prune_mcp.pruning.errors.lines import error_lines, is_code
from prune_mcp.pruning.errors.parts import LONGEST
from prune_mcp.pruning.names import Seen

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
    "elixir": "** (RuntimeError) no :secret_key_base configuration found in Web.Endpoint.",
    "elixir, mix": '** (Mix) The task "foo" could not be found',
    "elixir, match": "** (MatchError) no match of right hand side value: {:error, :enoent}",
    "ruby, rails": "NoMethodError (undefined method `total' for nil:NilClass)",
    "c": "prog: main.c:12: main: Assertion `x == 3' failed.",
    "lua": "lua: main.lua:3: attempt to index a nil value (global 'x')",
    "rust, borrow": "error[E0382]: borrow of moved value: `v`",
    "msbuild": "Program.cs(12,13): error CS0103: The name 'x' does not exist [/p.csproj]",
    "kotlin": "e: Main.kt:3:5 Unresolved reference: total",
    "linker": "main.o: undefined reference to `total'",
    "zsh": "zsh: command not found: foo",
    "zsh, right": "zsh: permission denied: ./run.sh",
    "sh": "sh: 1: foo: not found",
    "exit of a process": "Process exited with code 137",
    "npm, new": "npm error code ERESOLVE",
    "postgresql": 'ERROR:  relation "users" does not exist',
    "postgresql, in a file": 'psql:q.sql:3: ERROR:  syntax error at or near "FORM"',
    "postgresql, unique": 'duplicate key value violates unique constraint "users_pkey"',
    "mysql": "ERROR 1146 (42S02) at line 1: Table 'app.users' doesn't exist",
    "oracle": "ORA-00942: table or view does not exist",
    "docker": "Error response from daemon: pull access denied for app",
    "docker, build": "#12 ERROR: process \"/bin/sh -c npm ci\" did not complete successfully: exit code: 1",
    "kubernetes": "app-0   0/1   CrashLoopBackOff   7   3m",
    "memory": "runtime: out of memory: cannot allocate 4096-byte block",
    "disk": "write /var/lib/x: no space left on device",
    "german": "Fehler: Datei wurde abgewiesen",
    "german, shell": "bash: foo: Kommando nicht gefunden",
    "french": "erreur : la construction s'est interrompue",
    "french, failure": "Échec de la compilation",
    "french, shell": "bash: foo : commande introuvable",
    "spanish": "Falló la conexión",
    "spanish, shell": "cat: x: No existe el fichero o el directorio",
    "russian": "Ошибка: файл отсутствует",
    "chinese": "错误: 端口被占用",
    "chinese, failure": "构建失败",
    "japanese": "エラー: 接続が切れました",
    "japanese, failure": "ビルドに失敗しました",
}  # fmt: skip


@pytest.mark.requirement("PRU-DIGEST")
@pytest.mark.parametrize("line", REPORTED.values(), ids=REPORTED)
def test_each_tool_reports_errors_in_its_own_way(line: str) -> None:
    report = f"Starting up\n{line}\nLine after\n"
    assert list(error_lines(report)) == [line.strip()]


# What tools say of one failure in several lines.
FAILURES = [
    (
        "exunit",
        "Running ExUnit with seed: 624694, max_cases: 32\n"
        "\n"
        "....\n"
        "\n"
        "  1) test adds (Foo.BarTest)\n"
        "     test/foo_test.exs:728\n"
        "     Assertion with != failed, both sides are exactly equal\n"
        "     code: assert lines != []\n"
        "     left: []\n"
        "     stacktrace:\n"
        "       test/foo_test.exs:734: (test)\n"
        "\n"
        "..\n"
        "Finished in 1.0 seconds\n"
        "58 tests, 1 failure\n"
        "\n"
        "Randomized with seed 624694\n",
        [
            "1) test adds (Foo.BarTest)",
            "Assertion with != failed, both sides are exactly equal",
            "code: assert lines != []",
            "left: []",
            "58 tests, 1 failure",
        ],
    ),
    (
        "jest",
        " FAIL  src/sum.test.js\n"
        "  ✓ ok (2 ms)\n"
        "  ✕ adds numbers (3 ms)\n"
        "\n"
        "  ● sum › adds numbers\n"
        "\n"
        "    expect(received).toBe(expected) // Object.is equality\n"
        "\n"
        "    Expected: 4\n"
        "    Received: 3\n"
        "\n"
        "      3 | test('adds numbers', () => {\n"
        "    > 4 |   expect(sum(1, 2)).toBe(4);\n"
        "        |                     ^\n"
        "      5 | });\n"
        "\n"
        "      at Object.toBe (src/sum.test.js:4:21)\n"
        "\n"
        "Test Suites: 1 failed, 1 total\n"
        "Tests:       1 failed, 3 passed, 4 total\n"
        "Snapshots:   0 total\n"
        "Time:        0.5 s\n",
        [
            "● sum › adds numbers",
            "expect(received).toBe(expected) // Object.is equality",
            "Expected: 4",
            "Received: 3",
        ],
    ),
    (
        "vitest",
        " FAIL  src/sum.test.ts > adds numbers\n"
        "AssertionError: expected 3 to be 4 // Object.is equality\n"
        "\n"
        "- Expected\n"
        "+ Received\n"
        "\n"
        "- 4\n"
        "+ 3\n"
        "\n"
        " ❯ src/sum.test.ts:4:21\n"
        "\n"
        " Test Files  1 failed (1)\n"
        "      Tests  1 failed | 3 passed (4)\n",
        [
            "FAIL  src/sum.test.ts > adds numbers",
            "AssertionError: expected 3 to be 4 // Object.is equality",
        ],
    ),
    (
        "pytest",
        "F\n"
        "=== FAILURES ===\n"
        "___ test_total ___\n"
        "\n"
        "    def test_total():\n"
        ">       assert total([1, 2]) == 4\n"
        "E       assert 3 == 4\n"
        "E        +  where 3 = total([1, 2])\n"
        "\n"
        "tests/test_app.py:5: AssertionError\n"
        "=== short test summary info ===\n"
        "FAILED tests/test_app.py::test_total - assert 3 == 4\n"
        "=== 1 failed, 3 passed in 0.05s ===\n",
        [
            "E       assert 3 == 4",
            "E        +  where 3 = total([1, 2])",
            "FAILED tests/test_app.py::test_total - assert 3 == 4",
        ],
    ),
    (
        "rust, assertion",
        "running 2 tests\n"
        "test tests::adds ... FAILED\n"
        "test tests::ok ... ok\n"
        "\n"
        "failures:\n"
        "\n"
        "---- tests::adds stdout ----\n"
        "thread 'tests::adds' panicked at src/lib.rs:10:9:\n"
        "assertion `left == right` failed\n"
        "  left: 3\n"
        " right: 4\n"
        "note: run with `RUST_BACKTRACE=1`\n"
        "\n"
        "\n"
        "failures:\n"
        "    tests::adds\n"
        "\n"
        "test result: FAILED. 1 passed; 1 failed; 0 ignored\n",
        [
            "thread 'tests::adds' panicked at src/lib.rs:10:9:",
            "assertion `left == right` failed",
            "left: 3",
            "right: 4",
        ],
    ),
    (
        "rust, panic",
        "thread 'main' panicked at src/main.rs:4:5:\nindex out of bounds: the len is 3 but the index is 5\n",
        [
            "thread 'main' panicked at src/main.rs:4:5:",
            "index out of bounds: the len is 3 but the index is 5",
        ],
    ),
    (
        "go",
        "=== RUN   TestUpload\n"
        "    upload_test.go:41: got 3 chunks, want 4\n"
        "--- FAIL: TestUpload (0.00s)\n"
        "FAIL\n"
        "FAIL\texample.org/upload\t0.312s\n"
        "ok  \texample.org/x\t0.3s\n",
        [
            "upload_test.go:41: got 3 chunks, want 4",
            "--- FAIL: TestUpload (0.00s)",
        ],
    ),
    (
        "ruby",
        "app.rb:3:in `foo': undefined method `bar' for nil:NilClass (NoMethodError)\n"
        "\tfrom app.rb:7:in `<main>'\n",
        [
            "app.rb:3:in `foo': undefined method `bar' for nil:NilClass (NoMethodError)",
        ],
    ),
    (
        "rspec",
        "F.\n"
        "\n"
        "Failures:\n"
        "\n"
        "  1) Calculator adds numbers\n"
        "     Failure/Error: expect(sum(1, 2)).to eq(4)\n"
        "\n"
        "       expected: 4\n"
        "            got: 3\n"
        "\n"
        "       (compared using ==)\n"
        "     # ./spec/calc_spec.rb:5:in `block'\n"
        "\n"
        "Finished in 0.01 seconds\n"
        "2 examples, 1 failure\n"
        "\n"
        "Failed examples:\n"
        "\n"
        "rspec ./spec/calc_spec.rb:4 # Calculator adds numbers\n",
        [
            "1) Calculator adds numbers",
            "Failure/Error: expect(sum(1, 2)).to eq(4)",
            "expected: 4",
            "got: 3",
        ],
    ),
    (
        "mocha",
        "  sum\n"
        "    1) adds numbers\n"
        "    ✔ ok\n"
        "\n"
        "  1 passing (5ms)\n"
        "  1 failing\n"
        "\n"
        "  1) sum\n"
        "       adds numbers:\n"
        "\n"
        "      AssertionError [ERR_ASSERTION]: Expected values to be strictly equal:\n"
        "\n"
        "3 !== 4\n"
        "\n"
        "      + expected - actual\n",
        [
            "1) sum",
            "AssertionError [ERR_ASSERTION]: Expected values to be strictly equal:",
            "3 !== 4",
        ],
    ),
    (
        "http with body",
        "HTTP/1.1 503 Service Unavailable\n"
        "Retry-After: 30\n"
        "content-type: text/plain\n"
        "\n"
        "upstream connect failure\n",
        [
            "HTTP/1.1 503 Service Unavailable",
            "Retry-After: 30",
            "upstream connect failure",
        ],
    ),
    (
        "python, exception by name",
        "Traceback (most recent call last):\n"
        '  File "x.py", line 3, in <module>\n'
        "    run()\n"
        "    ^^^\n"
        "subprocess.TimeoutExpired: Command 'ls' timed out after 3 seconds\n",
        [
            "subprocess.TimeoutExpired: Command 'ls' timed out after 3 seconds",
        ],
    ),
    (
        "python, a library's exception",
        "Traceback (most recent call last):\n"
        '  File "x.py", line 3, in <module>\n'
        "    run()\n"
        "jinja2.exceptions.TemplateNotFound: index.html\n",
        [
            "jinja2.exceptions.TemplateNotFound: index.html",
        ],
    ),
    (
        "javac",
        "Main.java:5: error: cannot find symbol\n"
        "    int x = y;\n"
        "            ^\n"
        "  symbol:   variable y\n"
        "  location: class Main\n"
        "1 error\n",
        [
            "Main.java:5: error: cannot find symbol",
        ],
    ),
    (
        "phpunit",
        "There was 1 failure:\n"
        "\n"
        "1) Tests\\FooTest::testBar\n"
        "Failed asserting that 3 matches expected 4.\n"
        "\n"
        "/app/FooTest.php:12\n"
        "\n"
        "FAILURES!\n"
        "Tests: 3, Assertions: 3, Failures: 1.\n",
        [
            "1) Tests\\FooTest::testBar",
            "Failed asserting that 3 matches expected 4.",
        ],
    ),
    (
        "unittest",
        "FAIL: test_x (t.T)\n"
        "----------\n"
        "Traceback (most recent call last):\n"
        '  File "t.py", line 5, in test_x\n'
        "    self.assertEqual(3, 4)\n"
        "AssertionError: 3 != 4\n"
        "\n"
        "----------\n"
        "Ran 1 test in 0.000s\n"
        "\n"
        "FAILED (failures=1)\n",
        [
            "FAIL: test_x (t.T)",
            "AssertionError: 3 != 4",
        ],
    ),
    (
        "tap",
        "TAP version 13\n"
        "ok 1 - a\n"
        "not ok 2 - adds\n"
        "  ---\n"
        "  expected: 4\n"
        "  actual: 3\n"
        "  ...\n"
        "# tests 2\n"
        "# pass 1\n"
        "# fail 1\n",
        [
            "not ok 2 - adds",
            "expected: 4",
            "actual: 3",
        ],
    ),
]


@pytest.mark.requirement("PRU-DIGEST")
@pytest.mark.parametrize(("output", "lines"), [row[1:] for row in FAILURES], ids=[row[0] for row in FAILURES])
def test_the_lines_that_tell_what_failed_and_how_are_told(output: str, lines: list[str]) -> None:
    told = digest(output, Seen(), tool="Bash", key="make test").split("\n")
    assert [line for line in told if line in lines] == lines


def test_a_long_explanation_of_one_failure_is_told_by_its_first_lines() -> None:
    diff = "".join(f"E         - line {chr(97 + n)}\n" for n in range(20))
    told = error_lines(f"F\nE       AssertionError: assert 3 == 4\n{diff}\nE   OSError: disk full\n")
    assert list(told)[:2] == ["E       AssertionError: assert 3 == 4", "E         - line a"]
    assert len(told) < 8
    assert "E   OSError: disk full" in told


def test_a_numbered_list_without_failures_is_no_heading() -> None:
    assert error_lines("  1) fetch the parts\n  2) build them\nerror: disk full\n") == {
        "2) build them": 1,
        "error: disk full": 1,
    }
    assert error_lines("  1) fetch the parts\n  2) build them\ndone\n") == {}


def test_what_go_tests_print_without_failing_is_no_error() -> None:
    assert error_lines("=== RUN   TestUp\n    up_test.go:41: sent 3 chunks\n--- PASS: TestUp (0.00s)\n") == {}


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
        *("HTTP/1.1 200 OK", "HTTP/1.1 301 Moved Permanently", "ok 3 - adds numbers", "Exit code 0", "0 Fehler"),
        *(
            "aucune erreur",
            "没有错误",
            "ошибок нет, 0 ошибок",
            "エラーなし",
            "exit status 0",
            "Process exited with code 0",
        ),
        *("399 mods/funs, found no issues.", "Build succeeded.", "Expected arrival on Monday", "2 files changed"),
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


# Outputs of everyday calls, each with the tool and the key argument.
ORDINARY = {
    "a listing": ("Bash", "ls -l", "-rw-r--r-- 1 me me 812 Jan  2 errors.py\n-rw-r--r-- 1 me 90 Jan  2 fail.go\n"),
    "status": ("Bash", "git status", "On branch main\n  modified:   src/error_page.tsx\nnothing else\n"),
    "a log": ("Bash", "git log --oneline", "3f9a1c2 Fix crash when upload failed\n77aa001 Add error page\n"),
    "hits": ("Grep", "left:", "src/a.css:3:  left: 0;\nsrc/a.css:4:  right: 0;\nsrc/up_test.go:41: func TestUp\n"),
    "code": ("Bash", "make show", "int main(void) {\n  int failed = 0;\n  /* can't be undefined */\n"
             "  if (!x) {\n    return fail(x);\n  }\n  assert(x == 3);\n  expected = got;\n  return 0;\n}\n"),
    "elixir": ("Read", "lib/a.ex", "  @doc \"\"\"\n  Raises an error (see below).\n  \"\"\"\n"
               "  def a(x), do: raise(\"invalid #{x}\")\n"),
    "a test": ("Read", "sum.test.js", "test('adds', () => {\n  expect(received).toBe(expected)\n"
               "  // Expected: 4, but got 3\n})\n"),
    "docs": ("Read", "README.md", "# Uploads\n\nAn upload that failed is tried again; it cannot be lost.\n\n"
             "1. If the server refused it, wait.\n2. Invalid parts are unexpected.\n\nleft: the menu\n"),
    "prose": ("WebFetch", "https://example.org", "The parser found no such rule and could not go on. Expected "
              "results were not found, but were denied.\n"),
    "german prose": ("Read", "liesmich.md", "Ein Fehler wird hier nicht gefunden, und nichts ist ungültig.\n"),
    "styles": ("Read", "a.css", ".error {\n  left: 0;\n  right: 0;\n}\n.failed { color: red; }\n"),
    "a run": ("Bash", "npm run build", "> app@1.0.0 build\n> vite build\n\n✓ 34 modules transformed.\n"
              "dist/index.html  0.45 kB\n✓ built in 612ms\n"),
    "passed tests": ("Bash", "npm test", " PASS  src/error.test.ts\n  ✓ tells that it cannot load (2 ms)\n"
                     "ok 3 - cannot load\ntest load::fails ... ok\n--- PASS: TestNotFound (0.00s)\n"),
    "a request": ("Bash", "curl -i x", "HTTP/1.1 200 OK\ncontent-type: text/plain\n\nleft: 3\nright: 4\n"),
    "an installation": ("Bash", "npm i", "added 34 packages, and audited 35 packages in 2s\n\n"
                        "found 0 vulnerabilities\n"),
    "edited code": ("Edit", "a.py", "The file a.py has been updated:\n     3→    raise ValueError('cannot')\n"
                    "     4→    assert left == right, 'failed'\n"),
}  # fmt: skip


@pytest.mark.parametrize(("tool", "key", "output"), ORDINARY.values(), ids=ORDINARY)
def test_ordinary_output_reports_no_errors(tool: str, key: str, output: str) -> None:
    assert error_lines(output, strict=reads(tool, key) or is_code(output)) == {}


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
    assert len(told) <= LONGEST + 6


def test_errors_come_in_the_order_of_the_text() -> None:
    lines = ["fatal: one", "ERROR two", "bash: three: command not found", "a.c:1:2: error: four"]
    assert list(error_lines("\n".join(lines))) == lines
