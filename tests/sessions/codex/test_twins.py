"""What stands in a rollout twice, as an item and as an event, is told once; so is what only an event says."""

from __future__ import annotations

from typing import Any

import pytest

from prune_mcp.sessions.model import Conversation
from prune_mcp.sessions.transcript import open_transcript
from tests.sessions.codex.telling import said, spoken
from tests.sessions.codex.writing import Rollout, message, shell

pytestmark = pytest.mark.requirement("SES-CODEX")


def texts(conversation: Conversation) -> list[str]:
    """Every text of the context."""
    return [conversation.text(block) for message in conversation.messages for block in message.blocks]


@pytest.mark.parametrize("order", ["before", "after", "before the turn"])
def test_a_prompt_and_its_event_are_one_in_any_order(rollout: Rollout, order: str) -> None:
    event = {"message": "needle here", "images": []}
    if order == "before the turn":
        rollout.event("user_message", **event)
    rollout.turn()
    if order == "before":
        rollout.event("user_message", **event)
    rollout.item(message("user", "needle here"))
    if order == "after":
        rollout.event("user_message", **event)
    rollout.says("Done.")
    rollout.done("Done.")
    assert spoken(rollout.path) == [("user", "needle here"), ("assistant", "Done.")]


def test_last_words_that_only_events_say_are_told_once_in_each_turn(rollout: Rollout) -> None:
    for turn in ("one", "two"):
        rollout.turn(turn)
        rollout.event("user_message", message="continue")
        answer = {"type": "AgentMessage", "id": "a", "content": [{"type": "Text", "text": "Done."}]}
        rollout.event("item_completed", turn_id=turn, item=answer)
        rollout.done("Done.", turn)
    assert spoken(rollout.path) == [("user", "continue"), ("assistant", "Done.")] * 2


def test_the_same_prompt_in_two_turns_is_told_for_each(rollout: Rollout) -> None:
    for _ in range(2):
        rollout.exchange("continue", "Done.", calls=0)
    assert spoken(rollout.path) == [("user", "continue"), ("assistant", "Done.")] * 2


def test_an_event_of_a_later_turn_is_no_twin_of_an_earlier_item(rollout: Rollout) -> None:
    rollout.exchange("continue", "Done.", calls=0)
    rollout.turn()
    rollout.event("user_message", message="continue")
    rollout.says("Again.")
    rollout.done()
    assert [text for role, text in spoken(rollout.path) if role == "user"] == ["continue", "continue"]
    assert texts(open_transcript(rollout.path)) == ["continue", "Done.", "Again."], "the model never saw the event"


def test_a_prompt_with_images_is_known_by_its_words(rollout: Rollout) -> None:
    rollout.turn()
    rollout.item(message("user", "<image name=[Image #1]>", "</image>", "look at ", "this needle"))
    rollout.event("user_message", message="look at this needle", images=["data:image/png;base64,aGk="])
    rollout.done()
    assert said(rollout.path, "needle") == ["user"]


def test_reasoning_stands_once(rollout: Rollout) -> None:
    rollout.turn()
    rollout.prompt("go")
    rollout.event("agent_reasoning", text="**Thinking of needles**")
    summary = [{"type": "summary_text", "text": "**Thinking of needles**"}]
    rollout.item({"type": "reasoning", "summary": summary, "encrypted_content": "gAAAAA secret"})
    rollout.event("agent_reasoning_raw_content", text="raw needles")
    rollout.item(
        {"type": "reasoning", "summary": [], "content": [{"type": "reasoning_text", "text": "raw needles"}]}
    )
    rollout.done()
    assert spoken(rollout.path, "thinking") == [
        ("thinking", "**Thinking of needles**"),
        ("thinking", "raw needles"),
    ]
    assert said(rollout.path, "gAAAAA") == []


TWINS: list[dict[str, Any]] = [
    {"type": "exec_command_end", "call_id": "c1", "command": ["ls"], "aggregated_output": "needle"},
    {"type": "patch_apply_end", "call_id": "c1", "changes": {}, "stdout": "needle"},
    {"type": "mcp_tool_call_end", "call_id": "c1", "invocation": {}, "result": {"Ok": {"content": []}}},
    {"type": "item_completed", "item": {"type": "CommandExecution", "id": "c1", "aggregated_output": "needle"}},
    {"type": "item_completed", "item": {"type": "McpToolCall", "id": "c1", "server": "s", "tool": "t"}},
]


@pytest.mark.parametrize("event", TWINS)
@pytest.mark.parametrize("place", range(3))
def test_a_call_and_its_event_are_one(rollout: Rollout, event: dict[str, Any], place: int) -> None:
    rollout.turn()
    rollout.prompt("go")
    for step in range(3):
        if step == place:
            rollout.line("event_msg", event)
        if step == 0:
            rollout.call("c1")
        elif step == 1:
            rollout.output("c1", shell("needle"))
    rollout.done()
    assert spoken(rollout.path) == [("user", "go"), ("call", "cmd: run c1"), ("result", "needle")]
    assert len(open_transcript(rollout.path).archive()) == 1


def test_a_command_that_ends_in_a_later_turn_is_known(rollout: Rollout) -> None:
    rollout.turn()
    rollout.prompt("go")
    rollout.call("c1")
    rollout.output("c1", "Wall time: 1.0 seconds\nProcess running with session ID 7\nOutput:\n")
    rollout.done()
    rollout.exchange("wait", "Waiting.", calls=0)
    rollout.event("exec_command_end", call_id="c1", command=["ls"], aggregated_output="", exit_code=0)
    rollout.done()
    assert said(rollout.path, "ls") == []


def test_searches_are_told_once_with_what_they_found(rollout: Rollout) -> None:
    action = {"type": "search", "query": "compaction", "queries": ["compaction"]}
    rollout.turn()
    rollout.prompt("go")
    rollout.event("web_search_end", call_id="ws_1", query="compaction", action=action)
    rollout.item({"type": "web_search_call", "status": "completed", "action": action})
    rollout.item({"type": "tool_search_call", "call_id": "t1", "arguments": {"query": "calendar"}})
    rollout.item(
        {"type": "tool_search_output", "call_id": "t1", "tools": [{"type": "function", "name": "create_event"}]}
    )
    rollout.done()
    assert spoken(rollout.path)[1:] == [
        ("call", "compaction"), ("call", "calendar"), ("result", "create_event"),
    ]  # fmt: skip


def test_what_a_review_found_is_told_once(rollout: Rollout) -> None:
    review = {"findings": [{"title": "needle", "body": "why"}], "overall_explanation": "Not good."}
    rollout.turn()
    rollout.item(message("user", "<user_action>\n<results>needle: why</results>\n</user_action>"))
    rollout.event("exited_review_mode", review_output=review)
    rollout.done()
    assert said(rollout.path, "needle") == ["machine"]
