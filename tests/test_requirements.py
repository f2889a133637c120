"""The list of promises and the tests that name them stay complete in both directions."""

from __future__ import annotations

import pytest

from tests.requirements import REQUIREMENTS


def test_no_test_names_an_unknown_requirement(proven: dict[str, list[str]]) -> None:
    unknown = {id: tests for id, tests in proven.items() if id not in REQUIREMENTS}
    assert unknown == {}


def test_every_requirement_is_named_by_a_test(proven: dict[str, list[str]], whole_suite: bool) -> None:
    if not whole_suite:
        pytest.skip("only a run of all tests can tell")
    assert [id for id in REQUIREMENTS if id not in proven] == []
