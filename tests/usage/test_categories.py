"""What each piece of a context counts as, in transcripts and in requests."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.usage.conftest import Weigh, parts_of, tokens_of
from tests.usage.whole import CALL, IMAGE, assert_sums, size
from tests.usage.writing import Claude, codex, image, lines, text

pytestmark = pytest.mark.requirement("USE-ROWS")


def test_each_piece_of_a_transcript_counts_under_what_it_is(tmp_path: Path, weigh: Weigh) -> None:
    thought = {"type": "thinking", "thinking": "Let me look at it first.", "signature": "c2ln"}
    session = Claude().asks("Please fix the upload test.").says(thought, text("I will read it."))
    session.runs("Read", {"file_path": "/project/a.py"}, lines("a", 30))
    session.runs("Bash", {"command": "make"}, [text("built"), image()])
    session.attaches({"type": "nested_memory", "content": {"content": "Always write tests first."}})
    session.says(text("Done."))
    answer = weigh(session.write(tmp_path))
    assert_sums(answer)
    assert tokens_of(answer) == {
        "images": IMAGE,
        "results": size(lines("a", 30)) + size("built"),
        "framing": 2 * CALL,
        "calls": size('Read{"file_path":"/project/a.py"}') + size('Bash{"command":"make"}'),
        "user": size("Please fix the upload test."),
        "host": size("Always write tests first."),
        "thinking": size("Let me look at it first."),
        "assistant": size("I will read it.") + size("Done."),
    }
    assert parts_of(answer, "results") == {"Read": size(lines("a", 30)), "Bash": size("built")}
    assert parts_of(answer, "images") == {"Bash": IMAGE}
    assert parts_of(answer, "host") == {"nested_memory": size("Always write tests first.")}


def test_a_host_s_words_in_the_person_s_text_are_told_apart_from_theirs(tmp_path: Path, weigh: Weigh) -> None:
    reminder = f"<system-reminder>\n{lines('rule', 20)}\n</system-reminder>\n"
    answer = weigh(Claude().asks(f"{reminder}Go on.").says(text("Yes.")).write(tmp_path))
    held = tokens_of(answer)
    assert held["user"] + held["host"] == size(f"{reminder}Go on.")
    assert 0 < held["user"] <= 5
    assert parts_of(answer, "host") == {"system-reminder": held["host"]}


def test_a_compaction_leaves_its_summary_and_what_came_after(tmp_path: Path, weigh: Weigh) -> None:
    session = Claude().asks("Begin.").runs("Bash", {"command": "x"}, lines("old", 50)).says(text("So far."))
    session.compacts("This session continues: " + lines("fact", 10)).says(text("Going on."))
    answer = weigh(session.write(tmp_path))
    assert set(tokens_of(answer)) == {"summaries", "assistant"}
    assert parts_of(answer, "summaries") == {"compaction": size("This session continues: " + lines("fact", 10))}


def test_a_rollout_tells_its_system_prompt_and_some_of_its_tools(tmp_path: Path, weigh: Weigh) -> None:
    tool = {"type": "function", "name": "lookup", "description": "Look up.", "parameters": {}}
    path = codex(
        tmp_path,
        [
            (
                "session_meta",
                {
                    "id": "s",
                    "timestamp": "t",
                    "base_instructions": {"text": lines("rule", 9)},
                    "dynamic_tools": [tool],
                },
            ),
            (
                "response_item",
                _message("developer", "<permissions instructions>\nAsk.\n</permissions instructions>"),
            ),
            ("response_item", _message("user", "<environment_context>\nlinux\n</environment_context>")),
            ("response_item", _message("user", "Fix it.")),
            ("response_item", _message("assistant", "Fixed.")),
        ],
    )
    answer = weigh(path)
    assert_sums(answer)
    dumped = json.dumps(tool, separators=(",", ":"))
    assert parts_of(answer, "tools") == {"lookup": size(dumped)}
    assert parts_of(answer, "system")["instructions"] == size(lines("rule", 9))
    assert parts_of(answer, "system")["permissions"] > 0
    assert set(parts_of(answer, "host")) == {"environment_context"}
    assert tokens_of(answer)["user"] == size("Fix it.")


BODIES: dict[str, dict[str, Any]] = {
    "anthropic": {
        "model": "claude-opus-4-5",
        "system": [{"type": "text", "text": lines("rule", 9)}],
        "tools": [{"name": "read", "input_schema": {"type": "object"}}],
        "messages": [{"role": "user", "content": "Hello."}],
    },
    "openai-chat": {
        "model": "gpt-5",
        "messages": [{"role": "system", "content": lines("rule", 9)}, {"role": "user", "content": "Hello."}],
        "tools": [{"type": "function", "function": {"name": "read", "parameters": {"type": "object"}}}],
    },
    "openai-responses": {
        "model": "gpt-5",
        "instructions": lines("rule", 9),
        "input": "Hello.",
        "tools": [{"type": "function", "name": "read", "parameters": {"type": "object"}}],
    },
}


@pytest.mark.parametrize("format", BODIES)
def test_a_request_body_tells_system_prompt_tools_and_model(format: str, weigh: Weigh) -> None:
    body = BODIES[format]
    answer = weigh(body)
    assert_sums(answer)
    dumped = json.dumps(body["tools"][0], separators=(",", ":"))
    assert tokens_of(answer) == {
        "system": size(lines("rule", 9)),
        "tools": size(dumped),
        "user": size("Hello."),
    }
    assert parts_of(answer, "tools") == {"read": size(dumped)}
    assert (answer.format, answer.model) == (format, body["model"])
    assert answer.window_source == "table"
    assert answer.notes == []


def test_what_pruning_left_among_messages_counts_as_summary_and_stub(weigh: Weigh, make_engine: Any) -> None:
    turns: list[dict[str, Any]] = []
    for number in range(12):
        use = {"type": "tool_use", "id": f"t{number}", "name": "Bash", "input": {"command": f"run {number}"}}
        result = {"type": "tool_result", "tool_use_id": f"t{number}", "content": lines(f"r{number}", 60)}
        turns += [
            {"role": "user", "content": f"Question {number}?"},
            {"role": "assistant", "content": [use]},
            {"role": "user", "content": [result]},
            {"role": "assistant", "content": [text(f"Answer {number}.")]},
        ]
    pruned = make_engine().prune_messages(turns)
    answer = weigh(pruned.messages)
    assert_sums(answer)
    assert parts_of(answer, "summaries").keys() == {"pruned before"}
    assert answer.total - tokens_of(answer)["framing"] == pruned.tokens_after


def test_thirty_parts_are_shown_and_the_rest_is_counted(weigh: Weigh) -> None:
    messages: list[dict[str, Any]] = [{"role": "user", "content": "Try all tools."}]
    for number in range(34):
        use = {"type": "tool_use", "id": f"t{number}", "name": f"tool_{number}", "input": {}}
        messages.append({"role": "assistant", "content": [use]})
        result = {"type": "tool_result", "tool_use_id": f"t{number}", "content": "x" * 16 * (number + 1)}
        messages.append({"role": "user", "content": [result]})
    (row,) = (row for row in weigh(messages).rows if row.category == "results")
    assert [part.name for part in row.parts] == [f"tool_{number}" for number in range(33, 3, -1)]
    assert (row.more, row.more_tokens) == (4, 5 * (1 + 2 + 3 + 4))
    assert row.tokens == 5 * sum(range(1, 35))


def test_what_was_skipped_and_what_is_not_told_is_said(tmp_path: Path, weigh: Weigh) -> None:
    path = Claude().asks("Hi.").says(text("Hello."), model="mystery-1").write(tmp_path)
    path.write_bytes(path.read_bytes() + b'{"torn\n')
    answer = weigh(path)
    assert (answer.window, answer.free, answer.counted) == (None, None, None)
    assert any("mystery-1" in note for note in answer.notes)
    assert any("System prompt and tools" in note for note in answer.notes)
    assert "Skipped in the source: torn (1)." in answer.notes


def _message(role: str, words: str) -> dict[str, Any]:
    kind = "output_text" if role == "assistant" else "input_text"
    return {"type": "message", "role": role, "content": [{"type": kind, "text": words}]}
