"""What only an event of a rollout says is told, and never taken for what the model saw."""

from __future__ import annotations

from typing import Any

import pytest

from prune_mcp.sessions.history import Mark
from prune_mcp.sessions.transcript import open_transcript
from tests.sessions.codex.telling import said, spoken
from tests.sessions.codex.writing import Rollout, message
from tests.sessions.history.told import history, passages
from tests.sessions.transcripts.reading import outputs

pytestmark = pytest.mark.requirement("SES-CODEX")

EVENTS: list[tuple[dict[str, Any], list[tuple[str, str]]]] = [
    ({"type": "user_message", "message": "needle"}, [("user", "needle")]),
    ({"type": "agent_message", "message": "needle"}, [("assistant", "needle")]),
    ({"type": "agent_reasoning", "text": "needle"}, [("thinking", "needle")]),
    ({"type": "task_complete", "last_agent_message": "needle"}, [("assistant", "needle")]),
    ({"type": "error", "message": "needle"}, [("machine", "needle")]),
    ({"type": "thread_goal_updated", "goal": {"objective": "needle"}}, [("user", "needle")]),
    (
        {"type": "exec_command_end", "call_id": "c", "command": ["ls", "-l"], "aggregated_output": "needle"},
        [("call", "type: exec\ncommand: ls\ncommand: -l"), ("result", "needle")],
    ),
    (
        {
            "type": "exec_command_end",
            "call_id": "c",
            "command": ["ls"],
            "stdout": "nee",
            "stderr": "dle",
            "exit_code": 1,
        },
        [("call", "type: exec\ncommand: ls"), ("result", "needle")],
    ),
    (
        {
            "type": "mcp_tool_call_end",
            "call_id": "c",
            "invocation": {"server": "s", "tool": "t", "arguments": {"a": 1}},
            "result": {"Ok": {"content": [{"type": "text", "text": "needle"}]}},
        },
        [("call", "a: 1"), ("result", "needle")],
    ),
    (
        {
            "type": "mcp_tool_call_end",
            "call_id": "c",
            "invocation": {"server": "s", "tool": "t"},
            "result": {"Err": "needle"},
        },
        [("call", "mcp__s__t"), ("result", "needle")],
    ),
    (
        {"type": "patch_apply_end", "call_id": "c", "changes": {"a.py": {"type": "add"}}, "stdout": "needle"},
        [("call", "a.py.type: add"), ("result", "needle")],
    ),
    (
        {"type": "web_search_end", "call_id": "w", "query": "q", "results": [{"title": "needle", "url": "u"}]},
        [("call", "q"), ("result", "needle\nu")],
    ),
    (
        {
            "type": "dynamic_tool_call_response",
            "call_id": "c",
            "tool": "t",
            "arguments": {},
            "content_items": [{"type": "inputText", "text": "needle"}],
        },
        [("call", "t"), ("result", "needle")],
    ),
    (
        {"type": "image_generation_end", "call_id": "i", "revised_prompt": "needle", "result": "aGk="},
        [("call", "needle")],
    ),
    (
        {
            "type": "exited_review_mode",
            "review_output": {"findings": [{"title": "needle", "body": "b"}], "overall_explanation": ""},
        },
        [("assistant", "needle\nb")],
    ),
    (
        {
            "type": "entered_review_mode",
            "target": {"type": "custom", "instructions": "needle"},
            "user_facing_hint": "needle",
        },
        [("user", "needle")],
    ),
    (
        {
            "type": "entered_review_mode",
            "target": {"type": "commit", "sha": "0f", "title": "t"},
            "user_facing_hint": "needle",
        },
        [("machine", "needle")],
    ),
    ({"type": "entered_review_mode", "prompt": "needle", "user_facing_hint": "needle"}, [("user", "needle")]),
    (
        {"type": "entered_review_mode", "prompt": "Look at needle.", "user_facing_hint": "needle"},
        [("machine", "needle"), ("machine", "Look at needle.")],
    ),
]
ITEMS: list[tuple[dict[str, Any], list[tuple[str, str]]]] = [
    ({"type": "UserMessage", "content": [{"type": "text", "text": "needle"}]}, [("user", "needle")]),
    ({"type": "AgentMessage", "content": [{"type": "Text", "text": "needle"}]}, [("assistant", "needle")]),
    ({"type": "Plan", "text": "needle"}, [("assistant", "needle")]),
    ({"type": "Reasoning", "summary_text": ["needle"], "raw_content": []}, [("thinking", "needle")]),
    (
        {
            "type": "CommandExecution",
            "id": "c",
            "command": ["ls"],
            "aggregated_output": "needle",
            "status": "failed",
        },
        [("call", "type: exec\ncommand: ls"), ("result", "needle")],
    ),
    (
        {
            "type": "McpToolCall",
            "id": "c",
            "server": "s",
            "tool": "t",
            "arguments": {},
            "error": {"message": "needle"},
        },
        [("call", "mcp__s__t"), ("result", "needle")],
    ),
    (
        {"type": "FileChange", "id": "c", "changes": {"a.py": {"type": "add"}}, "stdout": "needle", "stderr": ""},
        [("call", "a.py.type: add"), ("result", "needle")],
    ),
    ({"type": "Extension", "id": "w", "query": "needle"}, [("call", "needle")]),
    (
        {"type": "EnteredReviewMode", "target": {"type": "custom", "instructions": "needle"}},
        [("user", "needle")],
    ),
    (
        {"type": "ExitedReviewMode", "review_output": {"findings": [], "overall_explanation": "needle"}},
        [("assistant", "needle")],
    ),
]
ALONE = EVENTS + [({"type": "item_completed", "turn_id": "t", "item": item}, told) for item, told in ITEMS]


@pytest.mark.parametrize(("event", "told"), ALONE)
@pytest.mark.parametrize("ended", [True, False])
def test_what_only_an_event_says_is_told_and_not_the_models(
    rollout: Rollout, event: dict[str, Any], told: list[tuple[str, str]], ended: bool
) -> None:
    rollout.turn()
    rollout.prompt("go")
    rollout.line("event_msg", event)
    if ended:
        rollout.done()
    assert spoken(rollout.path) == [("user", "go"), *told]
    conversation = open_transcript(rollout.path)
    assert len(conversation.messages) == 1


def test_the_output_that_only_an_event_holds_is_archived(rollout: Rollout) -> None:
    rollout.turn()
    rollout.prompt("go")
    rollout.call("c1")
    rollout.event("exec_command_end", call_id="c1", command=["ls"], aggregated_output="all of it", exit_code=3)
    rollout.done()
    conversation = open_transcript(rollout.path)
    result = conversation.archive()[0]
    assert (outputs(conversation), result.tool, result.error) == (["all of it"], "exec_command", True)
    call = conversation.called(result)
    assert call
    assert conversation.arguments(call) == {"cmd": "run c1"}, "the call itself is told by its item"
    assert said(rollout.path, "run c1") == ["call"]


def test_many_large_events_without_a_twin_do_not_pile_up(rollout: Rollout) -> None:
    rollout.turn()
    rollout.prompt("go")
    for number in range(12):
        rollout.event("agent_message", message=f"needle{number} " + "x" * (1 << 20))
    conversation = open_transcript(rollout.path)
    assert len(conversation.entries) >= 8, "they are taken in before the turn ends"
    assert [len(said(rollout.path, f"needle{number} ")) for number in range(12)] == [1] * 12


def test_a_goal_is_told_when_it_is_set(rollout: Rollout) -> None:
    rollout.turn()
    rollout.prompt("go")
    for tokens, goal in ((1, "find it"), (2, "find it"), (3, "find another")):
        rollout.event("thread_goal_updated", goal={"objective": goal, "tokensUsed": tokens})
    rollout.done()
    assert spoken(rollout.path)[1:] == [("user", "find it"), ("user", "find another")]


REVIEWS = {"target": {"type": "custom", "instructions": "mind the needle"}, "user_facing_hint": "mind the needle"}


def test_a_review_is_told_once_and_names_entries_as_before(rollout: Rollout) -> None:
    rollout.turn()
    rollout.prompt("go")
    before = [entry.id for entry in open_transcript(rollout.path).entries]
    rollout.event("entered_review_mode", **REVIEWS)
    rollout.event("item_completed", item={"type": "EnteredReviewMode", "id": "r", **REVIEWS})
    rollout.event("user_message", message="mind the needle")
    found = {"findings": [], "overall_explanation": "The needle is fine."}
    rollout.event("exited_review_mode", review_output=found)
    rollout.event("item_completed", item={"type": "ExitedReviewMode", "id": "r", "review_output": found})
    rollout.item(message("user", "<user_action>The needle is fine.</user_action>"))
    rollout.done()
    assert said(rollout.path, "mind the needle") == ["user"]
    assert said(rollout.path, "is fine") == ["machine"]
    review = next(passage for passage in passages(rollout.path) if "mind" in passage.text)
    assert review.time > 0
    assert [entry.id for entry in open_transcript(rollout.path).entries][:1] == before


def test_a_review_is_told_once_where_reading_goes_on(rollout: Rollout) -> None:
    rollout.exchange("first", "One.")
    rollout.turn()
    rollout.event("entered_review_mode", **REVIEWS)
    told, mark = [], None
    for number in range(3):
        reading = history(rollout.path, mark)
        told += [passage.text for passage in reading.passages()]
        mark = reading.mark()
        rollout.done()
        rollout.exchange(f"more {number}", "More.")
    reading = history(rollout.path, mark)
    told += [passage.text for passage in (*reading.passages(), *reading.rest())]
    assert told.count("mind the needle") == 1
    assert isinstance(mark, Mark)
    assert mark.position
