"""What a rollout tells: who says what, in which order, and nothing that is not said."""

from __future__ import annotations

import pytest

from tests.sessions.codex.telling import said, spoken
from tests.sessions.codex.writing import Rollout, message, shell
from tests.sessions.history.told import history, passages

pytestmark = pytest.mark.requirement("SES-CODEX", "HIS-FIND")


def test_everything_that_is_said_is_told_once_and_in_order(rollout: Rollout) -> None:
    rollout.turn()
    rollout.item(message("developer", "Be brief."))
    rollout.item(message("user", "<environment_context>cwd</environment_context>"))
    rollout.prompt("Fix it.")
    rollout.call("c1", "shell", command=["ls"])
    rollout.output("c1", shell("a.txt", 2))
    rollout.item({"type": "custom_tool_call", "name": "apply_patch", "call_id": "c2", "input": "*** Begin Patch"})
    rollout.says("Done.")
    rollout.done("Done.")
    told = passages(rollout.path)
    assert [(each.role, each.text, each.tool, each.error) for each in told] == [
        ("machine", "Be brief.", "", False),
        ("machine", "<environment_context>cwd</environment_context>", "", False),
        ("user", "Fix it.", "", False),
        ("call", "command: ls", "shell", False),
        ("result", "a.txt", "shell", True),
        ("call", "*** Begin Patch", "apply_patch", False),
        ("assistant", "Done.", "", False),
    ]
    assert len({(each.entry, each.at) for each in told}) == len(told)
    assert [each.time for each in told] == sorted(each.time for each in told)
    assert all(len(each.entry) == 16 for each in told)


def test_own_words_are_told_apart_from_what_the_editor_puts_before_them(rollout: Rollout) -> None:
    rollout.prompt(
        "# Context from my IDE setup:\n\n## Active file: a.py\n\n## My request for Codex:\nFix the needle."
    )
    assert spoken(rollout.path) == [
        ("user", "Fix the needle."),
        ("machine", "# Context from my IDE setup:\n\n## Active file: a.py\n\n## My request for Codex:\n"),
    ]


def test_settings_instructions_and_counters_say_nothing(rollout: Rollout) -> None:
    rollout.meta({"id": rollout.session, "base_instructions": {"text": "needle"}})
    rollout.line(
        "turn_context", {"turn_id": "t", "user_instructions": "needle", "developer_instructions": "needle"}
    )
    rollout.line("world_state", {"full": True, "state": {"agents_md": {"text": "needle"}}})
    rollout.item({"type": "ghost_snapshot", "ghost_commit": {"id": "needle"}})
    rollout.item({"type": "additional_tools", "tools": [{"description": "needle"}]})
    rollout.item({"type": "compaction", "encrypted_content": "needle"})
    rollout.event("token_count", info={"needle": 1})
    rollout.raw({"timestamp": "", "type": "future_line", "payload": {"text": "needle"}})
    rollout.prompt("go")
    assert spoken(rollout.path) == [("user", "go")]


def test_items_of_types_we_do_not_know_are_told(rollout: Rollout) -> None:
    rollout.prompt("go")
    rollout.item({"type": "future_item", "id": "x", "words": ["some needle"], "encrypted_content": "gAAAA"})
    assert spoken(rollout.path) == [("user", "go"), ("machine", "some needle")]


def test_agents_talk_to_each_other_as_machines(rollout: Rollout) -> None:
    rollout.prompt("go")
    rollout.item({"type": "agent_message", "content": [{"type": "input_text", "text": "found a needle"}]})
    rollout.line(
        "inter_agent_communication", {"author": "child", "content": "and another needle", "trigger_turn": True}
    )
    rollout.item(
        {"type": "agent_message", "content": [{"type": "encrypted_content", "encrypted_content": "plain needle"}]}
    )
    rollout.item(
        {"type": "agent_message", "content": [{"type": "encrypted_content", "encrypted_content": "gAAAAAB"}]}
    )
    assert [role for role, text in spoken(rollout.path) if "needle" in text] == ["machine"] * 3
    assert said(rollout.path, "gAAAA") == []


def test_what_we_ourselves_told_is_an_echo(rollout: Rollout) -> None:
    rollout.prompt("where was it?")
    rollout.item(
        {"type": "function_call", "name": "history_search", "namespace": "mcp__prune_mcp__", "call_id": "c1",
         "arguments": '{"query": "needle"}'}
    )  # fmt: skip
    rollout.output("c1", [{"type": "input_text", "text": "a hit with needle"}])
    rollout.call("c2", cmd="prune-mcp search needle")
    rollout.output("c2", shell("a hit with needle"))
    echoes = {each.role: each.echo for each in passages(rollout.path)}
    assert echoes == {"user": False, "call": True, "result": True}


def test_a_session_is_called_what_the_host_calls_it(rollout: Rollout) -> None:
    index = rollout.path.parents[4] / "session_index.jsonl"
    index.write_text(
        '{"id": "gone", "thread_name": "Stale"}\nnot json\n'
        f'{{"id": "{rollout.session}", "thread_name": "First"}}\n'
        f'{{"id": "{rollout.session}", "thread_name": "Flaky uploads"}}\n'
    )
    other = Rollout(rollout.path.with_name("rollout-other.jsonl"), "other")
    other.prompt("Nobody named this.")
    rollout.prompt("go")
    rollout.event("thread_name_updated", thread_name="Uploads")
    told = history(rollout.path)
    assert (told.title, history(other.path).title) == ("Flaky uploads", "Nobody named this.")
    assert [each.text for each in passages(rollout.path) if each.role == "title"] == ["Flaky uploads", "Uploads"]
    index.unlink()
    assert history(rollout.path).title == "Uploads"
