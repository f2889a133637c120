"""Records of documents, held as they were read, in memory or not."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prune_mcp.sessions import held
from prune_mcp.sessions.held import Held

pytestmark = pytest.mark.requirement("SES-STREAM")

TEXT = st.text(alphabet=st.characters(codec=None))
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | TEXT,
    lambda inner: st.lists(inner) | st.dictionaries(TEXT, inner),
    max_leaves=20,
)


@given(st.lists(VALUES, max_size=5), st.sampled_from([10, 1 << 20]))
def test_records_come_back_as_they_were_and_equal_ones_are_told(values: list[Any], memory: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(held, "IN_MEMORY", memory)
        first, second = Held(), Held()
        for value in values:
            first.add(value)
            second.add(value)
        assert [first[number] for number in reversed(range(len(first)))] == values[::-1]
        assert first.digests == second.digests
        first.add("another")
        assert first[len(values)] == "another"
        assert first.digests[:-1] == second.digests


def test_what_differs_has_another_digest_and_its_size_is_known() -> None:
    records = Held()
    for value in ({"a": 1}, {"a": 1.0}, {"a": "1"}, {"a": True}, {"b": 1}, {"a": "x" * 1000}):
        records.add(value)
    assert len(set(records.digests)) == len(records) == 6
    assert records.size(5) > 1000 > records.size(0)


def test_what_is_nested_too_deeply_is_refused_and_changes_nothing() -> None:
    deep: Any = []
    for _ in range(5000):
        deep = [deep]
    records = Held()
    records.add("before")
    with pytest.raises(ValueError, match="nested"):
        records.add(deep)
    records.add("after")
    assert [records[0], records[1]] == ["before", "after"]
