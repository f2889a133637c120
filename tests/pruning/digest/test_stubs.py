"""What stands for an output, and the argument it is known by."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prune_mcp.pruning.note import with_note
from prune_mcp.pruning.stub import (
    KEY_LONGEST,
    alias_stub,
    inside_stub,
    key_argument,
    spill_stub,
    stub,
    superseded_stub,
)
from tests.pruning.digest.strategies import HARM, OURS


def test_a_stub_says_what_it_stands_for() -> None:
    told = stub(5, "Bash", "npm test", True, 56_789, 1234, 0, "TypeError: x is undefined\nnames: a_b")
    assert told == (
        '[pruned t5: Bash "npm test" | error | 1234 lines, 56k chars]\nTypeError: x is undefined\nnames: a_b'
    )


def test_a_header_says_lines_where_they_are_many_and_as_much_of_the_key_as_tells_the_call() -> None:
    told = stub(5, "Read", "/home/me/projects/src/app/main.py:100+50", False, 3000, 99, 0, "")
    assert told == '[pruned t5: Read ".../app/main.py:100+50" | 3000 chars]'
    told = stub(6, "Bash", "npm run build -- --production", False, 3000, 100, 0, "")
    assert told == '[pruned t6: Bash "npm run build -- --pr..." | 100 lines, 3000 chars]'


def test_a_stub_without_anything_to_add_is_one_line() -> None:
    assert stub(7, "think", "", False, 120, 1, 0, "") == "[pruned t7: think | 120 chars]"
    assert stub(8, "shot", "", False, 0, 0, 2, "") == "[pruned t8: shot | 0 chars, 2 images]"


def test_a_note_follows_the_header() -> None:
    told = with_note(stub(5, "Bash", "ls", False, 10, 1, 0, "names: a_b"), "the cause was\nthe cache")
    assert told.split("\n")[1:] == ["note: the cause was the cache", "names: a_b"]


def test_stubs_that_point_elsewhere_name_the_other_ref() -> None:
    assert alias_stub(9, "Bash", "ls", 3) == '[pruned t9: Bash "ls" | same output as t3]'
    assert inside_stub(9, "Read", "a.py", 3) == '[pruned t9: Read "a.py" | contained in t3]'
    assert superseded_stub(3, "Read", "a.md", 9) == '[pruned t3: Read "a.md" | superseded by the newer read t9]'


def test_an_oversized_output_shows_its_head() -> None:
    told = spill_stub(4, "Bash", "cat x", True, 90_000, 2000, "first\nsecond\n", "ERROR disk full")
    assert told.split("\n") == [
        '[pruned t4: Bash "cat x" | error | 2000 lines, 90k chars, too large]',
        *("ERROR disk full", "head:", "first", "second"),
    ]


@pytest.mark.requirement("PRU-FENCE")
@given(*[st.lists(HARM).map("".join)] * 4)
def test_nothing_foreign_in_a_stub_passes_for_ours(tool: str, key: str, note: str, preview: str) -> None:
    header = stub(1, tool, key, False, 1, 1, 0, "")
    assert header.startswith("[pruned t1: ")
    assert "\n" not in header
    for told in (
        with_note(stub(1, tool, key, False, 1, 1, 0, ""), note),
        spill_stub(1, tool, key, False, 1, 1, preview),
    ):
        assert len(OURS.findall(told)) == 1
        told.encode("utf-8")


@pytest.mark.parametrize(
    ("arguments", "key"),
    [
        ({"command": "npm test", "description": "Run the tests"}, "npm test"),
        ({"command": "cd /home/me/work && npm run build"}, "npm run build"),
        ({"description": "x", "file_path": "/src/app.py"}, "/src/app.py"),
        ({"path": "a.py", "offset": 100, "limit": 50}, "a.py:100+50"),
        ({"path": "a.py", "start_line": 3, "end_line": 9}, "a.py:3-9"),
        ({"path": "a.py", "view_range": [3, 9]}, "a.py:3-9"),
        ({"pattern": "def main", "path": "src"}, "def main in src"),
        ({"url": "https://example.org", "prompt": "What?"}, "https://example.org"),
        ({"todos": [{"content": "x"}]}, "[{'content':'x'}]"),
        ({"say": 'a "b"\n c'}, "a 'b' c"),
        ({"flag": True}, ""),
        ({}, ""),
        ("ls -l", "ls -l"),
        (None, ""),
        ({"paths": ["a", "b"]}, "['a','b']"),
    ],
)
def test_the_telling_argument_is_the_key(arguments: Any, key: str) -> None:
    assert key_argument("tool", arguments) == key


def test_a_long_path_keeps_its_end_and_a_long_command_its_beginning() -> None:
    path = key_argument(
        "Read", {"file_path": "/home/me/projects/deep/down/in/the/tree/of/src/app/main.py", "offset": 9}
    )
    assert path == ".../in/the/tree/of/src/app/main.py:9"
    command = key_argument("Bash", {"command": "grep -rn something " + "x" * 100})
    assert command.startswith("grep -rn something xxx")
    assert command.endswith("...")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.lists(HARM).map("".join),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=9), inner, max_size=3),
    max_leaves=6,
)


@given(st.dictionaries(st.sampled_from(["command", "path", "offset", "limit", "view_range", "x"]), JSON) | JSON)
def test_any_arguments_have_a_short_key_of_one_line(arguments: Any) -> None:
    key = key_argument("tool", arguments)
    assert len(key) <= KEY_LONGEST
    assert "\n" not in key
    assert '"' not in key
