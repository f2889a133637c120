"""Which programs check the work: tests, linters, type checkers, builds, by language.

A new tool is one more word in `ALWAYS`, or one more row of `WITH` where only some of its uses check anything.
"""

from __future__ import annotations

import re
from functools import cache

# Programs whose every use is a check.
ALWAYS = {
    "python": "pytest py.test tox nox unittest nose2 nosetests trial doctest behave mypy dmypy pyright "
    "basedpyright pyre pytype flake8 pylint bandit pycodestyle pydocstyle vulture "
    "compileall py_compile",
    "javascript": "jest vitest mocha ava tap jasmine tsc vue-tsc tsd eslint xo oxlint standard stylelint jshint "
    "knip webpack rollup svelte-check publint attw",
    "rust": "rustc",
    "go": "gotestsum staticcheck govulncheck revive ginkgo",
    "jvm": "javac kotlinc scalac ktlint detekt mill clj-kondo",
    "dotnet": "msbuild vstest.console",
    "ruby": "rspec minitest rubocop standardrb cucumber brakeman reek",
    "php": "phpunit pest paratest phpstan psalm phpcs",
    "c": "ctest ninja gcc g++ clang clang++ cc clang-tidy cppcheck valgrind scons nvcc",
    "apple": "xcodebuild swiftlint",
    "functional": "ghc hlint elm-test elm-review",
    "other": "act shellcheck bats hadolint yamllint markdownlint markdownlint-cli2 actionlint vale codespell "
    "typos tflint ansible-lint kubeconform prove perlcritic busted luacheck ameba semgrep",
}
# Programs that check with certain arguments, any one of these: a word without a hyphen is the first operand, one
# with a hyphen may stand anywhere, `alone` is no operand at all.
ALONE = "alone"
WITH = {
    "python": {
        "ruff": "check | format --check | format --diff",
        "ty": "check",
        "black": "--check | --diff",
        "isort": "--check | --check-only | -c",
        "coverage": "run | report",
        "manage.py": "test | check",
        "setup.py": "test | build",
        "pre-commit": "run",
        "prek": "run",
        "hatch": "test | fmt --check | build",
    },
    "javascript": {
        "karma": "start | run",
        "cypress": "run",
        "playwright": "test",
        "biome": "check | lint | ci",
        "prettier": "--check | -c | --list-different | -l",
        "node": "--test",
        "deno": "test | lint | check | fmt --check",
        "bun": "test",
        "next": "build | lint",
        "vite": "build",
        "astro": "check | build",
        "ng": "test | lint | build | e2e",
        "nx": "test | lint | build | affected",
        "turbo": "test | lint | build | typecheck | run",
    },
    "rust": {
        "cargo": "test | nextest | check | clippy | build | fmt --check | miri | deny | audit | doc",
        "rustfmt": "--check",
        "trunk": "build",
    },
    "go": {
        "go": "test | vet | build",
        "golangci-lint": "run",
        "gofmt": "-l | -d",
        "gofumpt": "-l | -d",
    },
    "jvm": {
        "mvn": "test | verify | compile | test-compile | package | install | checkstyle:check | spotless:check",
        "mvnw": "test | verify | compile | test-compile | package | install",
        "gradle": "test | check | build | assemble | lint | compileJava | compileKotlin | detekt | spotlessCheck",
        "gradlew": "test | check | build | assemble | lint | compileJava | compileKotlin | detekt | spotlessCheck",
        "ant": "test | compile | build",
        "sbt": "test | testOnly | compile | scalafmtCheck",
        "scalafmt": "--check | --test",
        "lein": "test | check",
        "clojure": "-X:test | -M:test",
    },
    "dotnet": {"dotnet": "test | build | format --verify-no-changes"},
    "ruby": {"rake": "alone | test | spec | rubocop", "rails": "test | spec", "srb": "tc", "steep": "check"},
    "php": {"artisan": "test", "php-cs-fixer": "check | --dry-run", "pint": "--test", "php": "-l"},
    "beam": {
        "mix": "test | compile | credo | dialyzer | sobelow | format --check-formatted | check | precommit",
        "rebar3": "eunit | ct | compile | dialyzer | xref | proper",
        "gleam": "test | check | build",
    },
    "c": {
        "cmake": "--build",
        "meson": "test | compile",
        "clang-format": "--dry-run | -n",
        "bazel": "test | build",
        "bazelisk": "test | build",
        "buck2": "test | build",
        "zig": "test | build",
    },
    "apple": {"swift": "test | build", "swiftformat": "--lint", "fastlane": "test"},
    "dart": {"dart": "test | analyze | format --set-exit-if-changed", "flutter": "test | analyze | build"},
    "functional": {
        "stack": "test | build",
        "cabal": "test | build | check",
        "dune": "test | runtest | build",
        "elm": "make",
        "spago": "test | build",
    },
    "other": {
        "make": "alone | test | tests | check | lint | build | all | typecheck | unit | e2e | verify | ci",
        "just": "test | tests | check | lint | build | typecheck | verify | ci",
        "task": "test | tests | check | lint | build | verify | ci",
        "mage": "test | check | lint | build",
        "earthly": "+test | +lint | +build",
        "shfmt": "-d | -l",
        "terraform": "validate | fmt -check | plan",
        "tofu": "validate | fmt -check | plan",
        "helm": "lint | template",
        "sqlfluff": "lint",
        "buf": "lint | build | breaking",
        "crystal": "spec | build",
        "nim": "c | check",
        "nimble": "test",
        "forge": "test | build",
        "hardhat": "test | compile",
        "gitleaks": "detect | protect",
    },
}
# Package managers run scripts of the project, whose names tell what they do.
SCRIPT_RUNNERS = frozenset(
    {"bun", "composer", "deno", "invoke", "lerna", "npm", "pdm", "pnpm", "poe", "rush", "yarn"}
)
SCRIPT = re.compile(
    r"(?:.*:)?(?:tests?|specs?|lint|type-?check|types|tsc|check|build|compile|e2e|verify|validate|unit|integration"
    r"|coverage|ci)(?:$|[:_.\-])"
)
# Words in front of the program proper: what runs it in the project's own surroundings.
RUNNERS = (
    *("uv run", "poetry run", "pipenv run", "pdm run", "hatch run", "rye run", "pixi run", "pipx run", "uvx"),
    *("npx", "bunx", "pnpx", "bun x", "npm exec", "pnpm exec", "pnpm dlx", "yarn exec", "yarn dlx"),
    *("python -m", "py -m", "coverage run -m", "bundle exec", "mise exec", "nix develop -c", "xvfb-run"),
)
# Programs that run a file of the project, which is a check where its name says so.
INTERPRETERS = frozenset(
    {"bash", "bun", "deno", "node", "perl", "php", "py", "python", "ruby", "sh", "ts-node", "tsx"}
)
TEST_FILE = re.compile(r"(?:run[-_]?)?tests?(?:[-_.]|$)|.*[-_.]tests?\.\w+$")


@cache
def programs() -> dict[str, tuple[tuple[str, ...], ...]]:
    """Every program with the alternatives of what its arguments must hold, word by word; none: all uses check."""
    found: dict[str, tuple[tuple[str, ...], ...]] = {name: () for row in ALWAYS.values() for name in row.split()}
    for rows in WITH.values():
        for name, uses in rows.items():
            found[name] = tuple(tuple(use.split()) for use in uses.split("|"))
    return found
