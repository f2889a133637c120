"""Which calls globs and names protect: the grammar of globs at its edges."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from prune_mcp.engine import Engine
from tests.pruning.build import Talk, call, log, results

pytestmark = pytest.mark.requirement("PRU-PROTECT")
LONG = log(60)


def protected(engine: Engine, tool: str = "Read", **arguments: Any) -> bool:
    """Whether the output of such a call stays whole once it is old."""
    talk = Talk().prompt("go").turn(call(tool, LONG, **arguments)).turns(4).answer("done")
    return bool(results(engine.prune_messages(talk.messages).messages)["c1"] == LONG)


@pytest.mark.parametrize(
    ("glob", "path", "expected"),
    [
        ("**/skills/**/*.md", "skills/a.md", True),
        ("**/skills/**/*.md", "/r/skills/x/y/a.md", True),
        ("**/skills/**/*.md", "/r/myskills/a.md", False),
        ("**/skills/**/*.md", "/r/skills/a.mdx", False),
        ("docs/*.md", "docs/a.md", True),
        ("docs/*.md", "docs/x/a.md", False),
        ("docs/**", "docs/x/a.md", True),
        ("a?.md", "ab.md", True),
        ("a?.md", "a/.md", False),
        ("a?.md", "a.md", False),
        ("a.md", "axmd", False),
        ("[ab].md", "a.md", False),
        ("[ab].md", "[ab].md", True),
        ("{a,b}.md", "a.md", False),
        ("README.md", "readme.md", False),
        ("**/a.md", "x\\a.md", True),
        ("x\\*.md", "x/a.md", True),
        ("*.md", "a.md\n", False),
    ],
)
def test_a_glob_means_segments_stars_and_single_characters_and_all_else_itself(
    make_engine: Callable[..., Engine], glob: str, path: str, expected: bool
) -> None:
    assert protected(make_engine(protected_paths=(glob,)), path=path) is expected


@pytest.mark.parametrize("path", [None, 7, True, "", {"deep": 1}, []])
def test_a_path_that_is_no_text_protects_nothing(make_engine: Callable[..., Engine], path: Any) -> None:
    assert not protected(make_engine(protected_paths=("**",)), path=path)


@pytest.mark.parametrize(
    ("tool", "expected"), [("Todo", True), ("todo", False), ("TodoWrite", False), ("To", False)]
)
def test_a_tool_is_protected_by_its_whole_name(
    make_engine: Callable[..., Engine], tool: str, expected: bool
) -> None:
    assert protected(make_engine(protected_tools=("Todo",)), tool) is expected


def test_empty_lists_protect_nothing(make_engine: Callable[..., Engine]) -> None:
    assert not protected(make_engine(protected_paths=()), path="skills/a.md")


def test_a_path_added_to_the_settings_brings_its_output_back_into_view(make_engine: Callable[..., Engine]) -> None:
    talk = Talk().prompt("go").turn(call("Read", LONG, path="notes/plan.md")).turns(4).answer("done")
    first = make_engine().prune_messages(talk.messages)
    assert results(first.messages)["c1"].startswith("[pruned t1")
    again = make_engine(protected_paths=("notes/*.md",)).prune_messages(talk.messages, session=first.session)
    assert results(again.messages)["c1"] == LONG
