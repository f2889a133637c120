"""Views of rollouts: edits go out in the rollout's own form, everything else as it was."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings

from prune_mcp.engine import Engine, Settings
from prune_mcp.pruning.options import PruneOptions
from prune_mcp.sessions.model import Place
from prune_mcp.sessions.transcript import open_transcript
from prune_mcp.sessions.view import View
from tests.sessions.codex.stories import stories, write
from tests.sessions.codex.writing import Rollout, message
from tests.validity import check_codex

pytestmark = pytest.mark.requirement("SES-CODEX", "PRU-VALID", "PRU-RECOVER")


def context(rollout: Rollout) -> list[dict[str, Any]]:
    """The lines that say something to the model, in a rollout that was never compacted."""
    return [line for line in rollout.lines() if line.get("type") == "response_item" or "payload" not in line][1:]


@pytest.fixture
def told(rollout: Rollout) -> Rollout:
    """A rollout of one turn with fields that nobody knows."""
    rollout.line("response_item", {**message("user", "go"), "future": {"x": 1}}, ordinal=7, metadata={"y": 2})
    rollout.item({"type": "reasoning", "summary": [], "encrypted_content": "gAAAA", "id": "rs_1"})
    rollout.call("c1")
    rollout.line(
        "response_item", {"type": "function_call_output", "call_id": "c1", "output": "long", "id": "o1"}, ordinal=9
    )
    rollout.says("Done.")
    return rollout


def test_an_empty_view_gives_back_the_lines(told: Rollout) -> None:
    assert list(open_transcript(told.path).render(View())) == [
        line for line in told.lines() if line["type"] == "response_item"
    ]


def test_edits_stand_in_their_lines_and_nothing_else_changes(told: Rollout) -> None:
    conversation = open_transcript(told.path)
    call, result = conversation.messages[1].calls[0].place, conversation.messages[2].results[0].place
    before = list(conversation.render(View()))
    after = list(conversation.render(View(texts={result: "[stub]"}, arguments={call: {"cmd": "..."}})))
    assert after[3] == {**before[3], "payload": {**before[3]["payload"], "output": "[stub]"}}
    assert after[2]["payload"] == {**before[2]["payload"], "arguments": '{"cmd":"..."}'}
    assert [after[at] for at in (0, 1, 4)] == [before[at] for at in (0, 1, 4)]


OUTPUTS: list[tuple[Any, Any]] = [
    ([{"type": "input_text", "text": "a"}], [{"type": "input_text", "text": "[stub]"}]),
    ({"content": "a", "success": True}, {"content": "[stub]", "success": True}),
    ({"content": [{"type": "input_text", "text": "a"}]}, {"content": [{"type": "input_text", "text": "[stub]"}]}),
    ("a", "[stub]"),
    (None, "[stub]"),
]


@pytest.mark.parametrize(("output", "edited"), OUTPUTS)
@pytest.mark.parametrize("fixture", ["rollout", "flat"])
def test_an_output_keeps_its_shape(request: pytest.FixtureRequest, fixture: str, output: Any, edited: Any) -> None:
    rollout: Rollout = request.getfixturevalue(fixture)
    rollout.call("c1")
    rollout.output("c1", output)
    conversation = open_transcript(rollout.path)
    line = list(conversation.render(View(texts={conversation.archive()[0].place: "[stub]"})))[1]
    assert line.get("payload", line)["output"] == edited


def test_notes_stand_in_messages_and_reasoning_goes_with_its_calls(told: Rollout) -> None:
    conversation = open_transcript(told.path)
    call, result = conversation.messages[1].calls[0].place, conversation.messages[2].results[0].place
    rendered = list(conversation.render(View(notes={call: "called", result: "answered"})))
    assert [line["payload"] for line in rendered[1:3]] == [
        message("assistant", "called"),
        message("user", "answered"),
    ]
    assert check_codex(rendered) == []


def test_texts_are_put_between_in_the_rollouts_own_form(told: Rollout, flat: Rollout) -> None:
    flat.prompt("go")
    flat.says("Done.")
    for path in (told.path, flat.path):
        conversation = open_transcript(path)
        rendered = list(conversation.render(View(inserted={-1: ["before"], 0: ["one", "two"]}, dropped={1, 2})))
        texts = [line.get("payload", line)["content"][0]["text"] for line in rendered[:4]]
        assert texts == ["before", "go", "one", "two"]
        assert ("payload" in rendered[0]) == (path == told.path)
        assert check_codex(rendered) == []


def test_what_a_compaction_left_is_edited_in_its_line(rollout: Rollout) -> None:
    left = [
        message("user", "first"),
        {"type": "function_call", "name": "shell", "arguments": "{}", "call_id": "c9"},
        {"type": "function_call_output", "call_id": "c9", "output": "long", "future": 1},
        {"type": "message", "role": "user", "content": []},
        message("user", "summary"),
    ]
    rollout.line("compacted", {"message": "summary", "replacement_history": left, "window_id": "w"}, ordinal=3)
    rollout.prompt("go")
    conversation = open_transcript(rollout.path)
    whole = rollout.lines()[1]
    view = View(texts={conversation.archive()[0].place: "[stub]"}, inserted={0: ["after the first"]})
    edited, prompt = conversation.render(view)
    history = [left[0], message("user", "after the first"), left[1], {**left[2], "output": "[stub]"}, *left[3:]]
    assert edited == {**whole, "payload": {**whole["payload"], "replacement_history": history}}
    assert prompt == rollout.lines()[2]
    without = next(conversation.render(View(dropped={1, 2})))
    assert without["payload"]["replacement_history"] == [left[0], *left[3:]]
    assert list(conversation.render(View())) == rollout.lines()[1:3]
    assert next(conversation.render(View(dropped=set(range(4)))))["payload"]["replacement_history"] == [left[3]]


def test_images_go_with_an_output_and_parts_of_a_message_alone(rollout: Rollout) -> None:
    picture = {"type": "input_image", "image_url": "data:image/png;base64,aGk="}
    rollout.item({"type": "message", "role": "user", "content": [picture, {"type": "input_text", "text": "this"}]})
    conversation = open_transcript(rollout.path)
    (line,) = conversation.render(View(stripped={Place(0, 0)}))
    assert line["payload"]["content"] == [{"type": "input_text", "text": "this"}]
    assert list(conversation.render(View(stripped={Place(0, 0), Place(0, 1)}))) == []


@settings(max_examples=60)
@given(stories)
def test_every_pruned_rollout_is_valid_and_every_output_comes_back(
    tmp_path_factory: pytest.TempPathFactory, story: list[int]
) -> None:
    folder = tmp_path_factory.mktemp("story")
    rollout = write(folder / "rollout-story.jsonl", story)
    conversation = open_transcript(rollout.path)
    known = rollout.path.read_bytes()
    engine = Engine({"PRUNE_MCP_HOME": str(folder)}, settings=Settings(prune=PruneOptions(min_batch_chars=0)))
    answer = engine.prune_transcript(rollout.path, keep_turns=0, render=True)
    rendered = list(answer.messages)
    whole = list(conversation.render(View()))
    problems = set(check_codex(rendered))
    assert not [problem for problem in problems if problem.startswith("pairing")]
    assert {problem.partition(":")[0] for problem in problems} <= {
        problem.partition(":")[0] for problem in check_codex(whole)
    }
    results = conversation.archive()
    bodies = {engine.store.body(output.sha) for output in engine.store.outputs(conversation.session)}
    assert {conversation.text(block).encode() for block in results} <= bodies
    assert rollout.path.read_bytes() == known
    assert list(engine.prune_transcript(rollout.path, keep_turns=0, render=True).messages) == rendered
    engine.close()


def test_old_outputs_of_a_rollout_give_way_to_stubs(rollout: Rollout, make_engine: Callable[..., Engine]) -> None:
    for number in range(6):
        rollout.exchange(f"prompt {number}", "Answer.", calls=2, size=5000)
    answer = make_engine().prune_transcript(rollout.path, render=True)
    rendered = list(answer.messages)
    assert answer.tokens_after < answer.tokens_before / 2
    assert check_codex(rendered) == []
