"""Rollouts as conversations: both forms, all shapes of outputs, what failed, and what a person asked."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from prune_mcp.sessions.transcript import open_transcript
from tests.sessions.codex.writing import SESSION, Rollout, message
from tests.sessions.transcripts.reading import outputs, prompts, said

pytestmark = pytest.mark.requirement("SES-CODEX")


def test_both_forms_read_alike(either: Rollout) -> None:
    either.prompt("Fix the test.")
    either.item({"type": "reasoning", "summary": [{"type": "summary_text", "text": "Look first."}]})
    either.call("c1", cmd="ls")
    either.output("c1", "a.txt")
    either.says("Done.")
    conversation = open_transcript(either.path)

    assert (conversation.format, conversation.host, conversation.session) == ("codex", "codex", SESSION)
    assert conversation.title == "Fix the test."
    assert said(conversation) == [
        ("user", ["Fix the test."]),
        ("assistant", ["thinking Look first.", "call c1"]),
        ("user", ["result c1"]),
        ("assistant", ["Done."]),
    ]
    assert prompts(conversation) == ["Fix the test."]
    call = conversation.messages[1].calls[0]
    assert (call.tool, conversation.arguments(call), conversation.text(call)) == (
        "exec_command", {"cmd": "ls"}, '{"cmd": "ls"}',
    )  # fmt: skip
    assert not conversation.skipped


def test_the_first_header_with_an_id_names_the_session_of_a_file_whose_name_does_not(tmp_path: Path) -> None:
    rollout = Rollout(tmp_path / "rollout-kept.jsonl")
    rollout.path.write_bytes(b"")
    rollout.meta({"cwd": "/nowhere", "originator": "no id"})
    rollout.meta({"id": "s1", "session_id": "root", "cwd": "/work", "source": {"subagent": "review"}})
    rollout.meta({"id": "s2", "cwd": "/other"})
    rollout.prompt("go")
    conversation = open_transcript(rollout.path)
    assert (conversation.session, conversation.cwd, conversation.subagent) == ("s1", "/work", True)


@pytest.mark.parametrize(
    ("meta", "parent", "subagent"),
    [
        ({"parent_thread_id": "p1", "source": {"subagent": {"thread_spawn": {"depth": 1}}}}, "p1", True),
        ({"source": {"subagent": {"thread_spawn": {"parent_thread_id": "p2"}}}}, "p2", True),
        ({"forked_from_id": "p3"}, "p3", False),
        ({"thread_source": "subagent"}, "", True),
        ({"source": "vscode"}, "", False),
    ],
)
def test_a_header_tells_whose_child_a_session_is(
    rollout: Rollout, meta: dict[str, Any], parent: str, subagent: bool
) -> None:
    Rollout(rollout.path.with_name("rollout-other.jsonl"), "child", **meta).prompt("go")
    conversation = open_transcript(rollout.path.with_name("rollout-other.jsonl"))
    assert (conversation.session, conversation.parent, conversation.subagent) == ("child", parent, subagent)


def test_calls_of_all_kinds_have_their_outputs_by_id_whatever_stands_between(rollout: Rollout) -> None:
    rollout.turn()
    rollout.prompt("go")
    rollout.item({"type": "local_shell_call", "call_id": "c1", "action": {"type": "exec", "command": ["ls"]}})
    rollout.item({"type": "custom_tool_call", "name": "apply_patch", "call_id": "c2", "input": "*** Begin Patch"})
    rollout.item(
        {"type": "function_call", "name": "echo", "namespace": "mcp__s__", "call_id": "c3", "arguments": "{}"}
    )
    rollout.output("c3", "three")
    rollout.says("Still waiting.")
    rollout.prompt("and?")
    rollout.item({"type": "custom_tool_call_output", "call_id": "c2", "output": "two"})
    rollout.output("c1", "one")
    rollout.output("lost", "of nobody")
    conversation = open_transcript(rollout.path)
    assert [(block.call_id, block.tool) for block in conversation.archive()] == [
        ("c3", "mcp__s__echo"), ("c2", "apply_patch"), ("c1", "local_shell"), ("lost", ""),
    ]  # fmt: skip
    calls = [block for entry in conversation.messages for block in entry.calls]
    assert [conversation.arguments(call) for call in calls] == [
        {"type": "exec", "command": ["ls"]}, "*** Begin Patch", {},
    ]  # fmt: skip


def test_integers_of_any_size_stay_exact(rollout: Rollout) -> None:
    rollout.prompt("go")
    rollout.call("c1", number=12345678901234567890123)
    action = {"type": "exec", "command": [], "timeout_ms": 98765432109876543210987}
    rollout.item({"type": "local_shell_call", "call_id": "c2", "action": action})
    conversation = open_transcript(rollout.path)
    first, second = [block for message in conversation.messages for block in message.calls]
    assert conversation.arguments(first) == {"number": 12345678901234567890123}
    assert conversation.arguments(second) == action


def test_images_come_with_what_holds_them(rollout: Rollout) -> None:
    picture = {"type": "input_image", "image_url": "data:image/png;base64,aGk="}
    rollout.item({"type": "message", "role": "user", "content": [{"type": "input_text", "text": "this"}, picture]})
    rollout.call("c1", "view_image")
    rollout.output("c1", [picture, {"type": "input_text", "text": "a picture"}])
    rollout.item({"type": "image_generation_call", "id": "i1", "revised_prompt": "a cat", "result": "Y2F0"})
    conversation = open_transcript(rollout.path)
    blocks = [block for message in conversation.messages for block in message.blocks]
    assert [conversation.images(block) for block in blocks] == [
        [], [("image/png", "aGk=")], [], [("image/png", "aGk=")], [("image/png", "Y2F0")],
    ]  # fmt: skip
    assert outputs(conversation) == ["a picture"]


HOST_WORDS = [
    "# AGENTS.md instructions for /work\n\n<INSTRUCTIONS>\nBe kind.\n</INSTRUCTIONS>",
    "<environment_context>\n  <cwd>/work</cwd>\n</environment_context>",
    "<user_instructions>\nBe kind.\n</user_instructions>",
    "<INSTRUCTIONS>Be kind.</INSTRUCTIONS>",
    "<permissions instructions>\nAsk.\n</permissions instructions>",
    "<turn_aborted>\n  <reason>interrupted</reason>\n</turn_aborted>",
    "<skill>\n<name>x</name>\n</skill>",
    '<subagent_notification>\n{"agent": "x"}\n</subagent_notification>',
    "<goal_context>\nThe goal.\n</goal_context>",
    '<codex_internal_context source="goal">\nThe goal.\n</codex_internal_context>',
    "<recommended_plugins>\nSome.\n</recommended_plugins>",
    "# Context from my IDE setup:\n\n## Active file: a.py",
    "<user_shell_command>\n<command>ls</command>\n</user_shell_command>",
]


@pytest.mark.parametrize("text", HOST_WORDS)
def test_what_the_host_puts_in_the_persons_place_is_no_prompt(either: Rollout, text: str) -> None:
    either.item(message("user", text))
    either.prompt("Fix it.")
    conversation = open_transcript(either.path)
    assert (conversation.title, prompts(conversation)) == ("Fix it.", ["Fix it."])


@pytest.mark.parametrize(
    "text",
    [
        "# Context from my IDE setup:\n\n## Active file: a.py\n\n## My request for Codex:\nFix it.",
        "<recommended_plugins>\nSome.\n</recommended_plugins>\n\nFix it.",
        "<environment_context>\n</environment_context>\n# Tabs\n- a.py\n\n## My request for Codex:\nFix it.\n",
        "Fix it.",
    ],
)
def test_the_persons_own_words_come_behind_the_hosts(either: Rollout, text: str) -> None:
    either.prompt(text)
    conversation = open_transcript(either.path)
    assert conversation.title == "Fix it."
    assert len(prompts(conversation)) == 1


def test_developers_words_are_the_systems(rollout: Rollout) -> None:
    rollout.item(message("developer", "<permissions instructions>Ask.</permissions instructions>", "Be brief."))
    rollout.prompt("go")
    conversation = open_transcript(rollout.path)
    assert [entry.role for entry in conversation.messages] == ["system", "user"]


def test_what_a_subagent_is_asked_by_an_agent_is_its_prompt(rollout: Rollout) -> None:
    content = [
        {"type": "input_text", "text": "Read all tests."},
        {"type": "encrypted_content", "encrypted_content": "gAAAAABx"},
    ]
    rollout.item({"type": "agent_message", "author": "root", "recipient": "child", "content": content})
    rollout.says("Reading.")
    rollout.item({"type": "agent_message", "author": "root", "recipient": "child", "content": content})
    conversation = open_transcript(rollout.path)
    assert conversation.title == "Read all tests."
    assert [message.prompt for message in conversation.messages] == [True, False, False]


def test_items_of_one_response_add_up_though_one_begins_like_another(rollout: Rollout) -> None:
    rollout.prompt("go")
    rollout.says("Done.")
    rollout.says("Done. Really.")
    rollout.call("c1")
    rollout.call("c1")
    conversation = open_transcript(rollout.path)
    assert said(conversation)[1:] == [("assistant", ["Done.", "Done. Really.", "call c1", "call c1"])]


def test_times_are_told_whatever_they_are_written_in(rollout: Rollout) -> None:
    for time in ("2026-01-02T03:04:05.000Z", 1767323045, 1767323045000, 1767323045.0):
        rollout.raw({"timestamp": time, "type": "response_item", "payload": message("user", str(time))})
    rollout.raw({"timestamp": "?", "type": "response_item", "payload": message("user", "none")})
    rollout.raw({"timestamp": 1e300, "type": "response_item", "payload": message("user", "far")})
    times = [entry.time for entry in open_transcript(rollout.path).entries]
    assert times[1:4] == ["2026-01-02T03:04:05+00:00"] * 3
    assert times[4] == "?"
