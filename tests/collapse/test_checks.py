"""Which commands are runs that check the work, in the common languages, and how they are told to have ended."""

from __future__ import annotations

from functools import partial

import pytest

from prune_mcp.pruning.activity import Check, Step, activity
from prune_mcp.pruning.validation_runs import ALWAYS, WITH

CHECKING = """
pytest -q | python -m pytest tests | python3.12 -m unittest | uv run --with x pytest | poetry run mypy .
tox -e py | .venv/bin/ruff check --fix | ruff format --check . | black --check src | python manage.py test app
pre-commit run -a | python tests/runtests.py queries | npm test | npm run lint:fix | npm --prefix web test
pnpm typecheck | yarn build | bun test | npx tsc --noEmit | npx vitest run | node --test | deno task test
npx biome check . | npx prettier --check . | cargo test --all | cargo clippy -- -D warnings | cargo fmt --check
go test ./... | go vet ./... | golangci-lint run | ./gradlew test | mvn -q verify | sbt test | dotnet test
swift build | bundle exec rspec | bin/rails test | rubocop | vendor/bin/phpunit | php artisan test
composer test | mix test | mix format --check-formatted | mix credo --strict | ctest --output-on-failure
cmake --build build | make | make test | bazel test //... | zig build test | flutter analyze | stack test
dune build | terraform validate | shellcheck run.sh | bash ./run_tests.sh | ./test-local.sh | just check
cd app && CI=1 timeout 60 npm run check 2>&1 | env FOO=1 pytest | sudo make check | bash -lc "cd x && pytest"
"""
NOT_CHECKING = """
npm install | npm run dev | npm start | cargo run | cargo fmt | go run . | ruff format . | black src
mix deps.get | python app.py | python -c 'import pytest' | node build.js | make install | docker build .
chmod +x test.sh | ls tests | git commit -m pytest | echo npm test | cat test.py | pytest --version | test -f x
terraform apply | prettier -w .
"""


def check(command: str, said: str = "", error: bool = False) -> Check | None:
    found = activity([Step("Bash", {"command": command}, lambda: said, 5, error)])
    return found.checks[0] if found.checks else None


def commands(lines: str) -> list[str]:
    return [command.strip() for line in lines.strip().splitlines() for command in line.split(" | ")]


@pytest.mark.requirement("COL-BUILD")
@pytest.mark.parametrize("command", commands(CHECKING))
def test_a_run_that_checks_the_work_is_known(command: str) -> None:
    assert check(command) is not None


@pytest.mark.requirement("COL-BUILD")
@pytest.mark.parametrize("command", commands(NOT_CHECKING))
def test_other_commands_are_not_taken_for_one(command: str) -> None:
    assert check(command) is None


@pytest.mark.requirement("COL-BUILD")
def test_every_row_of_the_table_is_recognised() -> None:
    for program in (name for row in ALWAYS.values() for name in row.split()):
        assert check(f"{program} src") is not None, program
    for program, uses in ((name, uses) for rows in WITH.values() for name, uses in rows.items()):
        for use in uses.split("|"):
            arguments = use.replace("alone", "").strip()
            assert check(f"{program} {arguments}") is not None, (program, use)


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
        ("npm test && git push", "rejected", True, "failed", ""),
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
