"""Compactions and rollbacks: what is in the context after them, and what stays readable."""

from __future__ import annotations

import pytest

from prune_mcp.sessions.transcript import open_transcript
from prune_mcp.sessions.view import View
from tests.sessions.codex.telling import said
from tests.sessions.codex.writing import Rollout, message
from tests.sessions.history.told import passages
from tests.sessions.transcripts.reading import outputs
from tests.sessions.transcripts.reading import said as spoken

pytestmark = pytest.mark.requirement("SES-CODEX", "SES-COMPACT", "SES-TREE")


def test_the_context_is_what_the_compaction_left_and_what_came_after(rollout: Rollout) -> None:
    rollout.exchange("first", "One.")
    rollout.compacted("Summed up.", "first")
    rollout.exchange("second", "Two.", calls=0)
    conversation = open_transcript(rollout.path)
    assert spoken(conversation) == [
        ("user", ["first"]), ("user", ["Summed up."]), ("user", ["second"]), ("assistant", ["Two."]),
    ]  # fmt: skip
    assert [(entry.prompt, entry.summary) for entry in conversation.messages[:3]] == [
        (True, False), (True, True), (True, False),
    ]  # fmt: skip
    assert len({entry.id for entry in conversation.messages}) == 4
    assert len(outputs(conversation)) == 1, "what was compacted away stays readable"
    assert conversation.abandoned == set()


def test_a_compactions_history_is_told_by_what_it_replaces(rollout: Rollout) -> None:
    rollout.exchange("needle one", "One.")
    rollout.compacted("Summed up needle two.", "needle one", "needle three")
    rollout.exchange("second", "Two.", calls=0)
    assert said(rollout.path, "needle one") == ["user"]
    assert said(rollout.path, "needle two") == ["summary"]
    assert said(rollout.path, "needle three") == []


def test_an_old_compaction_left_its_summary_behind_the_newest_prompts(rollout: Rollout) -> None:
    rollout.exchange("the oldest " + "x" * 90_000, "Zero.")
    rollout.exchange("first", "One.")
    rollout.item(message("user", "<environment_context></environment_context>"))
    rollout.exchange("second", "Two.")
    rollout.compacted("Summed up.", history=False)
    rollout.exchange("third", "Three.", calls=0)
    conversation = open_transcript(rollout.path)
    texts = [parts[0][:10] for _, parts in spoken(conversation)]
    assert texts == ["the oldest", "first", "second", "Summed up.", "third", "Three."]
    rollout.exchange("much more " + "x" * 90_000, "Four.")
    rollout.compacted("Once more.", history=False)
    assert [parts[0][:10] for _, parts in spoken(open_transcript(rollout.path))] == ["much more ", "Once more."]
    assert said(rollout.path, "Summed up.") == ["summary"]


def test_a_compaction_may_leave_nothing(rollout: Rollout) -> None:
    rollout.exchange("first", "One.")
    rollout.line("compacted", {"message": "Gone.", "replacement_history": []})
    rollout.exchange("second", "Two.", calls=0)
    conversation = open_transcript(rollout.path)
    assert spoken(conversation) == [("user", ["second"]), ("assistant", ["Two."])]
    assert len(list(conversation.render(View()))) == 2
    assert said(rollout.path, "Gone.") == ["summary"]


def test_a_compactions_items_of_the_model_are_messages_of_it(rollout: Rollout) -> None:
    rollout.exchange("first", "One.")
    left = [
        message("user", "first"),
        {"type": "reasoning", "summary": [], "encrypted_content": "gAAAA"},
        {"type": "function_call", "name": "shell", "arguments": "{}", "call_id": "c9"},
        {"type": "function_call_output", "call_id": "c9", "output": "kept"},
        {"type": "compaction", "encrypted_content": "gAAAA"},
    ]
    rollout.line("compacted", {"message": "", "replacement_history": left})
    rollout.exchange("second", "Two.", calls=0)
    conversation = open_transcript(rollout.path)
    assert spoken(conversation)[:4] == [
        ("user", ["first"]),
        ("assistant", ["thinking ", "call c9"]),
        ("user", ["result c9"]),
        ("assistant", ["other "]),
    ]
    assert outputs(conversation)[-1] == "kept"
    assert [each for each in passages(rollout.path) if each.role == "summary"] == []


def test_rolled_back_turns_are_abandoned_and_told_so(rollout: Rollout) -> None:
    rollout.exchange("first", "One.")
    rollout.exchange("second needle", "Two.")
    rollout.exchange("third needle", "Three.")
    rollout.event("thread_rolled_back", num_turns=2)
    rollout.exchange("fourth", "Four.", calls=0)
    conversation = open_transcript(rollout.path)
    assert [parts[0] for role, parts in spoken(conversation) if role == "user" and "result" not in parts[0]] == [
        "first", "fourth",
    ]  # fmt: skip
    told = {each.text: each.abandoned for each in passages(rollout.path)}
    assert {text for text, abandoned in told.items() if abandoned} == {
        "second needle", "third needle", "Two.", "Three.", "cmd: run call_2_0", "cmd: run call_3_0",
        "output of call_2_0 ", "output of call_3_0 ",
    }  # fmt: skip
    assert len(conversation.archive()) == 3


def test_an_answer_that_only_an_event_says_is_of_its_turn_also_where_that_was_cut_short(rollout: Rollout) -> None:
    rollout.exchange("first", "One.")
    rollout.event("agent_message", message="The last words before the host was killed.")
    rollout.exchange("second", "Two.", calls=0)
    rollout.event("thread_rolled_back", num_turns=1)
    told = {each.text: each.abandoned for each in passages(rollout.path)}
    assert {text for text, abandoned in told.items() if abandoned} == {"second", "Two."}


def test_a_rollback_takes_back_a_compaction_of_the_turns_it_takes_out(rollout: Rollout) -> None:
    rollout.exchange("first", "One.")
    rollout.exchange("second", "Two.")
    rollout.compacted("Summed up.", "first", "second")
    rollout.exchange("third", "Three.", calls=0)
    rollout.event("thread_rolled_back", num_turns=1)
    assert spoken(open_transcript(rollout.path))[-1] == ("user", ["Summed up."])
    rollout.event("thread_rolled_back", num_turns=1)
    assert spoken(open_transcript(rollout.path))[-1] == ("assistant", ["One."])
    rollout.event("thread_rolled_back", num_turns=5)
    assert spoken(open_transcript(rollout.path)) == []


@pytest.mark.parametrize("turns", [0, -1, None, "x"])
def test_a_rollback_of_no_number_takes_out_one_turn_or_none(rollout: Rollout, turns: object) -> None:
    rollout.exchange("first", "One.", calls=0)
    rollout.exchange("second", "Two.", calls=0)
    rollout.event("thread_rolled_back", num_turns=turns)
    assert len(open_transcript(rollout.path).messages) == (4 if isinstance(turns, int) else 2)
