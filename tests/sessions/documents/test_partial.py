"""JSON that is cut off or damaged: what came before is read, and what stands whole behind is found."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prune_mcp.sessions.partial import partial, standing

pytestmark = pytest.mark.requirement("SES-DAMAGE")

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


@given(VALUES, st.sampled_from([None, 2]), st.text(alphabet=" \n\t", max_size=3))
def test_what_is_whole_is_read_as_it_is(value: Any, indent: int | None, blank: str) -> None:
    assert partial(blank + json.dumps(value, indent=indent)) == value


@given(st.dictionaries(st.text(), VALUES, min_size=1), st.integers(0), st.booleans())
def test_of_what_is_cut_off_every_whole_member_is_read(value: dict[str, Any], cut: int, plain: bool) -> None:
    text = json.dumps(value, ensure_ascii=plain)
    read = partial(text[: cut % len(text)])
    if read is None:
        assert cut % len(text) == 0
        return
    names = list(read)
    assert names == list(value)[: len(names)]
    assert all(read[name] == value[name] for name in names[:-1])


@given(st.text())
def test_any_text_is_read_somehow(text: str) -> None:
    partial(text)
    list(standing(text, re.compile(r"\{"), lambda found: True))


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a": 1, "b": {"c": [1, {"d": "x', {"a": 1, "b": {"c": [1, {}]}}),
        ('{"a": [1, x, 3], "b": 2}', {"a": [1]}),
        ('{"a": tru', {}),
        ("[" * 9000, [[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]),
        ("", None),
    ],
)
def test_damage_ends_what_it_stands_in(text: str, value: Any) -> None:
    assert partial(text) == value


def test_what_stands_whole_behind_damage_is_found_once() -> None:
    text = '[{"id": 1, "in": {"id": 2}}, {"id": 3, "x": "torn}, {"id": 4}, {"id": 5'
    found = standing(text, re.compile(r'\{\s*"id"'), lambda value: value["id"] != 2)
    assert [value["id"] for value in found] == [1, 4]


def test_beginnings_that_lead_nowhere_end_the_search() -> None:
    text = '{"id": "' * 10_000 + '", "id": 1}'
    assert list(standing(text, re.compile(r'\{"id"'), lambda found: True)) == []
