"""The provider's count: where it is told, and how it stands beside the estimates."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from prune_mcp.engine.usage.answer import Counted
from tests.usage.conftest import Weigh, tokens_of
from tests.usage.whole import assert_sums, size
from tests.usage.writing import Claude, codex, lines, text

pytestmark = pytest.mark.requirement("USE-ROWS")


def test_what_the_first_request_held_beside_its_messages_is_told_apart_from_later_shortfall(
    tmp_path: Path, weigh: Weigh
) -> None:
    session = Claude().asks("Fix it, please!").says(text("I look."), prompt=20_004, output=2)
    session.asks(lines("more", 40)).says(text("Done."), prompt=21_000, cached=20_000, output=2)
    session.asks("Thank you.")
    answer = weigh(session.write(tmp_path))
    assert_sums(answer)
    held = size("Fix it, please!") + size("I look.") + size(lines("more", 40)) + size("Done.")
    assert answer.counted == Counted(21_000, 20_000, 2, size("Thank you."))
    assert tokens_of(answer)["untold"] == 20_004 - size("Fix it, please!")
    assert tokens_of(answer)["missed"] == 21_002 - held - tokens_of(answer)["untold"]
    sources = {row.category: row.source for row in answer.rows}
    assert {category for category, source in sources.items() if source == "provider"} == {"untold", "missed"}
    assert (answer.window, answer.window_source) == (200_000, "table")
    assert answer.free == 200_000 - 21_002 - size("Thank you.")


def test_estimates_above_the_provider_s_count_are_said_to_be_so(tmp_path: Path, weigh: Weigh) -> None:
    answer = weigh(Claude().asks(lines("x", 400)).says(text("Ok."), prompt=1000, output=1).write(tmp_path))
    assert_sums(answer)
    assert answer.counted is not None
    assert answer.counted.above == size(lines("x", 400)) + size("Ok.") - 1001
    assert not {"untold", "missed"} & set(tokens_of(answer))
    assert any(f"{answer.counted.above:,} tokens above" in note for note in answer.notes)


def test_an_answer_whose_count_was_written_down_while_it_streamed_is_estimated(
    tmp_path: Path, weigh: Weigh
) -> None:
    session = Claude().asks("Tell me.").says(text(lines("said", 90)), prompt=20_000, output=1)
    answer = weigh(session.asks("Thank you.").write(tmp_path))
    assert_sums(answer)
    since = size(lines("said", 90)) + size("Thank you.")
    assert answer.counted == Counted(20_000, 0, 0, since)
    assert answer.total == 20_000 + since


def test_what_was_counted_before_a_compaction_is_not_of_this_context(tmp_path: Path, weigh: Weigh) -> None:
    session = Claude().asks("Begin.").says(text("Begun."), prompt=150_000, output=2)
    session.compacts("So far: " + lines("fact", 9))
    answer = weigh(session.write(tmp_path))
    assert answer.counted is None
    assert set(tokens_of(answer)) == {"summaries"}
    session.says(text("On."), prompt=9000, output=1)
    assert weigh(session.write(tmp_path)).counted == Counted(9000, 0, 1, 0)


def test_a_response_in_several_lines_counts_once_and_failures_of_the_api_do_not(
    tmp_path: Path, weigh: Weigh
) -> None:
    session = Claude().asks("Go.").says(text("One."), prompt=500, output=1)
    first = json.loads(session.lines[-1])
    again = {**first, "uuid": "u-again", "parentUuid": first["uuid"]}
    again["message"] = {**first["message"], "content": [text("Two.")]}
    again["message"]["usage"] = {**first["message"]["usage"], "output_tokens": 7}
    session.lines.append(json.dumps(again) + "\n")
    session.last = "u-again"
    session.says(text("API Error"), prompt=0, model="<synthetic>")
    answer = weigh(session.write(tmp_path))
    assert answer.counted is not None
    assert (answer.counted.prompt, answer.counted.output) == (500, 7)
    assert answer.model == "claude-opus-4-5-20251101"


def test_a_rollout_tells_model_window_and_count_in_lines_of_their_own(tmp_path: Path, weigh: Weigh) -> None:
    lines_before = [
        ("session_meta", {"id": "s", "timestamp": "t"}),
        ("turn_context", {"turn_id": "1", "model": "gpt-5.5"}),
        ("response_item", _said("user", "Fix it.")),
        ("response_item", _said("assistant", "Fixed.")),
        ("event_msg", _token_count(12_000, 3)),
    ]
    after = [("response_item", _said("user", "Now the other one."))]
    answer = weigh(codex(tmp_path, [*lines_before, *after]))
    assert_sums(answer)
    assert (answer.model, answer.window, answer.window_source) == ("gpt-5.5", 258_400, "transcript")
    assert answer.counted == Counted(12_000, 11_000, 3, size("Now the other one."))
    assert tokens_of(answer)["untold"] == 12_000 - size("Fix it.")
    compacted = [("compacted", {"message": "All was fixed."})]
    assert weigh(codex(tmp_path, [*lines_before, *compacted])).counted is None


def _said(role: str, words: str) -> dict[str, Any]:
    kind = "output_text" if role == "assistant" else "input_text"
    return {"type": "message", "role": role, "content": [{"type": kind, "text": words}]}


def _token_count(prompt: int, output: int) -> dict[str, Any]:
    used = {"input_tokens": prompt, "cached_input_tokens": prompt - 1000, "output_tokens": output}
    return {"type": "token_count", "info": {"last_token_usage": used, "model_context_window": 258_400}}


def pi(folder: Path) -> Path:
    entries: list[dict[str, Any]] = [
        {"type": "session", "version": 3, "id": "p1", "timestamp": "t", "cwd": "/project"},
        {"type": "message", "id": "1", "parentId": None, "message": {"role": "user", "content": "Fix it."}},
    ]
    used = {"input": 4, "output": 5, "cacheRead": 6000, "cacheWrite": 996}
    answer = {"role": "assistant", "content": [text("Fixed.")], "model": "claude-opus-4-5", "usage": used}
    entries.append({"type": "message", "id": "2", "parentId": "1", "message": answer})
    path = folder / "2026_p1.jsonl"
    path.write_text("".join(json.dumps({"timestamp": "t", **entry}) + "\n" for entry in entries))
    return path


def gemini(folder: Path) -> Path:
    used = {"input": 7000, "output": 5, "cached": 6000, "thoughts": 90, "tool": 0, "total": 7095}
    messages = [
        {"id": "1", "timestamp": "t", "type": "user", "content": "Fix it."},
        {
            "id": "2",
            "timestamp": "t",
            "type": "gemini",
            "content": "Fixed.",
            "model": "gemini-3-pro",
            "tokens": used,
        },
    ]
    path = folder / "session-1.json"
    path.write_text(json.dumps({"sessionId": "g1", "projectHash": "h", "messages": messages}))
    return path


def opencode(folder: Path) -> Path:
    used = {"input": 4, "output": 3, "reasoning": 2, "cache": {"read": 6000, "write": 996}}
    info = {"id": "m2", "role": "assistant", "modelID": "gpt-5", "time": {"created": 2}, "finish": "stop"}
    parts = [
        {"id": "p2", "type": "step-start"},
        {"id": "p3", "type": "text", "text": "Fixed."},
        {"id": "p4", "type": "step-finish", "tokens": used},
    ]
    asked = {"id": "m1", "role": "user", "time": {"created": 1}}
    messages = [
        {"info": asked, "parts": [{"id": "p1", "type": "text", "text": "Fix it."}]},
        {"info": info, "parts": parts},
    ]
    path = folder / "export.json"
    path.write_text(json.dumps({"info": {"id": "ses_1", "directory": "/project"}, "messages": messages}))
    return path


def mini_swe(folder: Path) -> Path:
    used = {"prompt_tokens": 7000, "completion_tokens": 5, "prompt_tokens_details": {"cached_tokens": 6000}}
    messages = [
        {"role": "user", "content": "Fix it."},
        {"role": "assistant", "content": "Fixed.", "extra": {"response": {"model": "gpt-5", "usage": used}}},
    ]
    path = folder / "task.traj.json"
    told = {"info": {"exit_status": "x"}, "trajectory_format": "mini-swe-agent-1", "messages": messages}
    path.write_text(json.dumps(told))
    return path


@pytest.mark.parametrize("write", [pi, gemini, opencode, mini_swe])
def test_each_host_tells_the_provider_s_count_and_the_model_in_its_own_way(
    write: Callable[[Path], Path], tmp_path: Path, weigh: Weigh
) -> None:
    answer = weigh(write(tmp_path))
    assert_sums(answer)
    assert answer.counted == Counted(7000, 6000, 5, 0)
    assert answer.window
    assert tokens_of(answer)["untold"] == 7000 - size("Fix it.")
    assert tokens_of(answer)["assistant"] == size("Fixed.")


@pytest.mark.parametrize(
    ("options", "window", "free"),
    [
        ({"context_window": 30_000}, 30_000, 30_000 - 20_002),
        ({"model_windows": ("claude-opus-4-5=25_000",)}, 25_000, 25_000 - 20_002),
        ({"context_window": 10_000}, 10_000, None),
    ],
)
def test_the_settings_say_how_large_the_window_is(
    tmp_path: Path, weigh: Weigh, options: dict[str, Any], window: int, free: int | None
) -> None:
    path = Claude().asks("Hello there!").says(text("Hi."), prompt=20_000, output=2).write(tmp_path)
    answer = weigh(path, **options)
    assert (answer.window, answer.window_source, answer.free) == (window, "settings", free)
    assert any("context_window" in note for note in answer.notes) == (free is None)


@pytest.mark.parametrize(
    ("trigger", "held", "prompt", "window", "source"),
    [
        ("auto", 167_117, 20_000, 200_000, "transcript"),
        ("auto", 900_000, 20_000, 1_000_000, "table"),
        ("manual", 142_431, 20_000, 1_000_000, "table"),
        ("auto", 167_117, 300_000, 1_000_000, "table"),
        ("auto", 0, 20_000, 1_000_000, "table"),
    ],
)
def test_where_the_host_compacted_by_itself_shows_which_window_of_a_model_it_fills(
    tmp_path: Path, weigh: Weigh, trigger: str, held: int, prompt: int, window: int, source: str
) -> None:
    model = "claude-opus-4-6"
    session = Claude().asks("Hello there!").says(text("Hi."), prompt=150_000, output=2, model=model)
    session.compacts("So far: hello.", trigger=trigger, preTokens=held)
    answer = weigh(session.says(text("On."), prompt=prompt, output=2, model=model).write(tmp_path))
    assert (answer.window, answer.window_source) == (window, source)
    assert answer.free == window - answer.total


def test_a_setting_that_is_none_is_said_and_costs_itself_alone(tmp_path: Path, weigh: Weigh) -> None:
    path = Claude().asks("Hello there!").says(text("Hi."), prompt=20_000, output=2).write(tmp_path)
    answer = weigh(path, model_windows=("nonsense",))
    assert answer.window == 200_000
    assert any("nonsense" in note for note in answer.notes)
