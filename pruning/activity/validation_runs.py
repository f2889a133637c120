"""Which programs check the work: tests, linters, type checkers, builds, by language.

A new tool is one more word in `ALWAYS`, or one more row of `WITH` where only some of its uses check anything; one
that runs others is a row of `RUNNERS` in `runners.py`.
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
# Programs that check with certain arguments, any one of these: words without a hyphen are the first operands (`*`
# stands for any characters), one with a hyphen may stand anywhere, `alone` is no operand at all.
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
        "uv": "build",
        "poetry": "build | check",
        "python": "-m build",
    },
    "javascript": {
        "npm": "t | tst",
        "karma": "start | run",
        "cypress": "run",
        "playwright": "test",
        "biome": "check | lint | ci",
        "prettier": "--check | -c | --list-different | -l",
        "node": "--test | --check | -c",
        "deno": "test | lint | check | fmt --check",
        "bun": "test",
        "next": "build | lint",
        "vite": "build",
        "astro": "check | build",
        "ng": "test | lint | build | e2e",
        "nx": "test | lint | build | e2e | typecheck | affected | run-many",
    },
    "rust": {
        "cargo": "test | t | nextest | check | c | clippy | build | b | fmt --check | miri | deny | audit | doc"
        " | bench | llvm-cov | tarpaulin | hack | udeps | machete",
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
        "mvn": "test | verify | compile | test-compile | package | install | *:check",
        "mvnw": "test | verify | compile | test-compile | package | install | *:check",
        "gradle": "test* | *Test | *Tests | check | *Check | build | assemble* | compile* | lint* | detekt*",
        "gradlew": "test* | *Test | *Tests | check | *Check | build | assemble* | compile* | lint* | detekt*",
        "ant": "test | compile | build",
        "sbt": "test | testOnly | testQuick | compile | scalafmtCheck*",
        "scalafmt": "--check | --test",
        "lein": "test | check",
        "clojure": "-X:test | -M:test",
        "clj": "-X:test | -M:test",
    },
    "dotnet": {"dotnet": "test | build | format --verify-no-changes"},
    "ruby": {"rake": "alone | rubocop", "ruby": "-c | -wc", "srb": "tc", "steep": "check"},
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
        "make": "alone | all",
        "gmake": "alone | all",
        "bash": "-n",
        "sh": "-n",
        "zsh": "-n",
        "perl": "-c | -wc",
        "r": "CMD check",
        "nix": "build | flake check",
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
# Programs all of whose operands are goals, any of which may check, with what stands between project and goal.
GOALS = {"ant": "", "gradle": ":", "gradlew": ":", "mvn": "", "mvnw": "", "sbt": "/"}
# Arguments with which a program of the tables only tells something, or makes its own settings.
NO_CHECK = {
    "cargo": "--list --open",
    "eslint": "--init --print-config",
    "gcc": "-dumpversion -dumpmachine",
    "gradle": "--dry-run -m",
    "jest": "--init --listTests --showConfig",
    "make": "-n -v -p -q --dry-run --just-print",
    "mvn": "-v",
    "nox": "-l --list",
    "playwright": "--list",
    "pytest": "--co --collect-only --fixtures --markers",
    "rake": "-T -D -P",
    "tox": "-l list l --listenvs config --showconfig",
    "tsc": "-v --init --showConfig",
    "xcodebuild": "-list -showBuildSettings -showdestinations -showsdks -version",
}
# Package managers and task runners run scripts of the project, whose names tell what they do; here with the words
# that may stand before the name. Some run several at once.
SCRIPT_RUNNERS = {
    **dict.fromkeys(("bun", "npm", "pnpm", "yarn"), "run run-script workspaces foreach"),
    **dict.fromkeys(("devbox", "hatch", "lerna", "mise", "nx", "pdm", "pixi", "rye", "turbo"), "run"),
    "composer": "run run-script",
    "deno": "task",
    "rush": "",
    "poe": "",
    "rails": "",
    "just": "",
    **dict.fromkeys(("earthly", "gmake", "inv", "invoke", "mage", "make", "rake", "task"), ""),
}
RUN_SEVERAL = frozenset({"earthly", "gmake", "inv", "invoke", "mage", "make", "rake", "task", "turbo"})
# What package managers do by themselves, though a script might be called so.
INSTALLS = {"bun": "ci", "npm": "ci", "pnpm": "ci", "yarn": "ci"}
_WORDS = (
    r"(?:tests?|specs?|lint|type-?check|types|tsc|check|build|compile|e2e|verify|validate|unit|integration|coverage|ci"
    r"|vet)"
)
_OTHER = (
    "start|dev|serve|watch|clean|deploy|release|publish|db|install|generate|gen|create|new|setup|seed|docker|run"
)
SCRIPT = re.compile(
    rf"(?!(?:{_OTHER})[:_.\-])(?:(?:.*:)?{_WORDS}(?:$|[:_.\-])|.*[-_](?:tests?|lint|type-?check)$)"
)
# Programs that run a file of the project, which is a check where its name says so.
INTERPRETERS = frozenset(
    {
        "bash", "bun", "deno", "elixir", "julia", "lua", "node", "perl", "php", "py", "python", "rscript", "ruby",
        "sh", "ts-node", "tsx", "zsh",
    }
)  # fmt: skip
TEST_FILE = re.compile(r"(?:run[-_]?)?tests?(?:[-_.]|$)|.*[-_.]tests?\.\w+$")


@cache
def programs() -> dict[str, tuple[tuple[str, ...], ...]]:
    """Every program with the alternatives of what its arguments must hold, word by word; none: all uses check."""
    found: dict[str, tuple[tuple[str, ...], ...]] = {name: () for row in ALWAYS.values() for name in row.split()}
    for rows in WITH.values():
        for name, uses in rows.items():
            found[name] = tuple(tuple(use.split()) for use in uses.split("|"))
    return found
