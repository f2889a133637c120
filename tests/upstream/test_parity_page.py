"""The page that sets us beside the extensions for pi: what it names is there, none of their tests is missing."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "upstream-parity.md").read_text(encoding="utf-8")
PI_CONDENSE = (
    "batch-capture", "block-refs", "budget", "chain-compressor", "chain-detector", "chain-range-prune",
    "commands", "config", "context-metrics", "diagnostics", "error-purge", "error-purge.transport", "frontier",
    "id-collision.integration", "image-cap", "indexer", "nested-placeholders", "occurrence-key", "orphan-sweep",
    "oversized-spill.integration", "protected", "pruner", "query-tool", "range-compression.integration",
    "recovery-grace", "reload-rearm.integration", "spill", "stats", "summarizer", "summarizer-fallback",
    "summarizer-wiring", "summary-refs",
)  # fmt: skip
PI_CONTEXT_PRUNE = ("tokens", "prune-threshold", "flush-delivery", "phantom-turn", "test-usage")
PI = (
    "build-context", "file-operations", "labels", "migration", "save-entry", "tree-traversal",
    "custom-session-id", "compaction", "compaction-serialization",
)  # fmt: skip
THEIRS = PI_CONDENSE + PI_CONTEXT_PRUNE + PI


def rows() -> list[list[str]]:
    """The cells of every row of every table, without the heads."""
    lines = [
        line
        for line in PAGE.splitlines()
        if line.startswith("| ") and not line.startswith(("| feature |", "| theirs |"))
    ]
    return [[cell.strip() for cell in re.split(r" \|(?: |$)", line.removeprefix("| "))] for line in lines]


def named(text: str) -> list[str]:
    """The modules and test files that a text names."""
    return re.findall(r"`([\w./-]+\.py)`", text)


def test_every_module_and_test_file_that_is_named_is_there() -> None:
    assert len(named(PAGE)) > 100
    assert [path for path in named(PAGE) if not (ROOT / path).is_file()] == []


def test_every_test_file_that_is_named_holds_tests() -> None:
    tests = {path for path in named(PAGE) if path.startswith("tests/")}
    holds = re.compile(r"def test_|^Test\w+ = ", re.MULTILINE)
    assert [path for path in sorted(tests) if not holds.search((ROOT / path).read_text(encoding="utf-8"))] == []


def test_each_test_file_of_theirs_has_one_row_with_tests_of_ours() -> None:
    beside = {row[0]: named(row[1]) for row in rows() if row[0] in THEIRS}
    assert sorted(beside) == sorted(THEIRS)
    assert [theirs for theirs, ours in beside.items() if not ours] == []
    assert [path for ours in beside.values() for path in ours if not path.startswith("tests/")] == []


def test_each_feature_is_the_same_better_left_out_or_said_to_be_in_part() -> None:
    features = [row for row in rows() if row[0] not in THEIRS]
    told = re.compile(r"same|better|left out|in part|added")
    assert len(features) > 50
    assert [row[0] for row in features if not told.match(row[1]) or not named(row[2])] == []
