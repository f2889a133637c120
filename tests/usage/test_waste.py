"""Reads that a later change made stale, and instruction blocks that were sent twice."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from prune_mcp.pruning.stale import DEEPEST, repeats
from tests.usage.conftest import Weigh
from tests.usage.whole import size
from tests.usage.writing import Claude, codex, lines, text

pytestmark = pytest.mark.requirement("USE-ROWS")
A, B = lines("a", 40), lines("b", 30)


def test_a_read_is_stale_once_its_file_is_changed(tmp_path: Path, weigh: Weigh) -> None:
    session = Claude().asks("Fix it.")
    session.runs("Read", {"file_path": "/project/a.py"}, A).runs("Read", {"file_path": "/project/b.py"}, B)
    session.runs("Edit", {"file_path": "a.py", "old_string": "x", "new_string": "y"}, "done")
    answer = weigh(session.write(tmp_path))
    assert (answer.stale.count, answer.stale.tokens, answer.stale.names) == (1, size(A), ["a.py"])


def test_a_read_behind_the_change_and_a_change_that_failed_make_nothing_stale(
    tmp_path: Path, weigh: Weigh
) -> None:
    session = Claude().asks("Fix it.").runs("Read", {"file_path": "/project/b.py"}, B)
    session.runs("Write", {"file_path": "/project/a.py", "content": "x"}, "done")
    session.runs("Read", {"file_path": "/project/a.py"}, A)
    session.runs("Edit", {"file_path": "/project/b.py", "old_string": "x"}, "no such string", error=True)
    assert weigh(session.write(tmp_path)).stale.count == 0


def test_a_read_of_several_files_is_stale_when_all_of_them_changed(tmp_path: Path, weigh: Weigh) -> None:
    session = Claude().asks("Fix it.").runs("Bash", {"command": "cat a.py && head -30 b.py"}, A)
    session.runs("Write", {"file_path": "/project/a.py", "content": "x"}, "done")
    assert weigh(session.write(tmp_path)).stale.count == 0
    session.runs("Bash", {"command": "echo done > b.py"}, "")
    stale = weigh(session.write(tmp_path)).stale
    assert (stale.count, stale.tokens) == (1, size(A))
    assert sorted(stale.names) == ["a.py", "b.py"]


def test_a_command_that_does_more_than_look_is_no_read(tmp_path: Path, weigh: Weigh) -> None:
    session = Claude().asks("Fix it.").runs("Bash", {"command": "cat a.py && make test"}, A)
    session.runs("Write", {"file_path": "/project/a.py", "content": "x"}, "done")
    assert weigh(session.write(tmp_path)).stale.count == 0


def test_a_patch_makes_stale_what_codex_read_with_commands(tmp_path: Path, weigh: Weigh) -> None:
    patch = "*** Begin Patch\n*** Update File: a.py\n@@\n-x\n+y\n*** End Patch"
    path = codex(
        tmp_path,
        [
            ("session_meta", {"id": "s", "timestamp": "t", "cwd": "/project"}),
            ("response_item", _called("1", "exec_command", {"cmd": "sed -n '1,40p' a.py"})),
            ("response_item", _output("1", A)),
            (
                "response_item",
                _called("2", "shell", {"command": ["bash", "-lc", f"apply_patch <<'EOF'\n{patch}\nEOF"]}),
            ),
            ("response_item", _output("2", "Success")),
        ],
    )
    stale = weigh(path).stale
    assert (stale.count, stale.names) == (1, ["a.py"])


def test_what_a_stub_stands_for_is_not_stale_again(make_engine: Any, weigh: Weigh) -> None:
    messages: list[dict[str, Any]] = [{"role": "user", "content": "Fix it."}]
    for number in range(8):
        call = {"type": "tool_use", "id": f"r{number}", "name": "Read", "input": {"file_path": f"/p/{number}.py"}}
        result = {"type": "tool_result", "tool_use_id": f"r{number}", "content": lines(f"f{number}", 60)}
        messages += [{"role": "assistant", "content": [call]}, {"role": "user", "content": [result]}]
    for number in range(8):
        call = {"type": "tool_use", "id": f"w{number}", "name": "Write", "input": {"file_path": f"/p/{number}.py"}}
        result = {"type": "tool_result", "tool_use_id": f"w{number}", "content": "written"}
        messages += [{"role": "assistant", "content": [call]}, {"role": "user", "content": [result]}]
    engine = make_engine(min_batch_chars=0)
    assert weigh(messages).stale.count == 8
    assert weigh(engine.prune_messages(messages).messages).stale.count == 0


def test_instructions_sent_twice_are_found_under_other_attributes_and_in_the_same_text(weigh: Weigh) -> None:
    rules = f"<project_instructions>\n{lines('rule', 20)}\n</project_instructions>"
    again = rules.replace("<project_instructions>", '<project_instructions path="/other/AGENTS.md">')
    body = {
        "model": "claude-opus-4-5",
        "system": f"You are an agent.\n<context>{rules}\n{again}</context>",
        "messages": [{"role": "user", "content": "Hello."}],
    }
    repeated = weigh(body).repeated
    assert (repeated.count, repeated.tokens) == (1, size(lines("rule", 20)))
    assert repeated.names[0].startswith("rule line 0")


def test_a_reminder_that_comes_again_is_counted_each_time_it_does(tmp_path: Path, weigh: Weigh) -> None:
    reminder = {"type": "nested_memory", "content": {"content": lines("memory", 20)}}
    session = Claude().asks("Go.").attaches(reminder).says(text("Ok.")).asks("On.").attaches(reminder)
    session.says(text("Ok.")).asks("On.").attaches(reminder)
    repeated = weigh(session.write(tmp_path)).repeated
    assert (repeated.count, repeated.tokens) == (2, 2 * size(lines("memory", 20)))
    assert len(repeated.names) == 1


def test_short_words_and_what_the_model_and_tools_repeat_are_no_instructions(tmp_path: Path, weigh: Weigh) -> None:
    session = Claude().asks("continue").says(text(A)).asks("continue").says(text(A))
    session.runs("Bash", {"command": "x"}, B).runs("Bash", {"command": "x"}, B)
    assert weigh(session.write(tmp_path)).repeated.count == 0


def test_pieces_within_a_repeated_piece_are_not_counted_again() -> None:
    inner = f"<rules>{lines('rule', 20)}</rules>"
    whole = f"<skills>{lines('skill', 20)}{inner}</skills>"
    found = repeats([whole, whole, inner])
    assert [repeat.text for repeat in found] == [whole, lines("rule", 20)]


def test_tags_that_never_close_hide_nothing() -> None:
    rules = f"<rules>{lines('rule', 20)}</rules>"
    hostile = "<br>" * 20_000 + rules + "</p>" * 20_000
    assert [repeat.text for repeat in repeats([hostile, f"Now: {rules}"])] == [lines("rule", 20)]


@pytest.mark.parametrize(("depth", "found"), [(DEEPEST, 1), (DEEPEST + 1, 0), (30_000, 0)])
def test_elements_are_looked_into_only_so_deep(depth: int, found: int) -> None:
    rules = f"<rules>{lines('rule', 20)}</rules>"
    nested = "<a>" * depth + rules + "</a>" * depth
    assert len(repeats([rules, f"{nested} and more"])) == found


def _called(id: str, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
    return {"type": "function_call", "call_id": id, "name": name, "arguments": json.dumps(arguments)}


def _output(id: str, words: str) -> dict[str, Any]:
    return {"type": "function_call_output", "call_id": id, "output": words}
