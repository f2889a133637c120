"""The outputs of tools in rollouts: every shape of them, and which tell of a failure."""

from __future__ import annotations

import json
from typing import Any

import pytest

from prune_mcp.sessions.transcript import open_transcript
from tests.sessions.codex.writing import Rollout, shell
from tests.sessions.transcripts.reading import outputs

pytestmark = pytest.mark.requirement("SES-CODEX")

SHAPES: list[tuple[Any, str]] = [
    ("plain", "plain"),
    ([{"type": "input_text", "text": "a"}, {"type": "input_text", "text": "b"}], "a\nb"),
    ({"content": "wrapped", "success": True}, "wrapped"),
    ({"content": [{"type": "input_text", "text": "deep"}], "success": True}, "deep"),
    ({"type": "input_text", "text": "alone"}, "alone"),
    (None, ""),
]


@pytest.mark.parametrize("kind", ["function_call_output", "custom_tool_call_output"])
@pytest.mark.parametrize(("output", "text"), SHAPES)
def test_every_shape_of_an_output_is_read(either: Rollout, kind: str, output: Any, text: str) -> None:
    either.prompt("go")
    either.item(
        {"type": kind.removesuffix("_output"), "name": "tool", "call_id": "c1", "arguments": "{}", "input": ""}
    )
    either.item({"type": kind, "call_id": "c1", "output": output})
    conversation = open_transcript(either.path)
    assert outputs(conversation) == [text]
    assert conversation.archive()[0].tool == "tool"


FAILURES: list[tuple[Any, bool]] = [
    (shell("boom", 2), True),
    (shell("fine"), False),
    ("Exit code: 1\nWall time: 0.1 seconds\nOutput:\nno such file", True),
    ("Exit code: 0\nWall time: 0.1 seconds\nTotal output lines: 3\nOutput:\nExit code: 1", False),
    (json.dumps({"output": "x", "metadata": {"exit_code": 127, "duration_seconds": 0.1}}), True),
    (json.dumps({"output": "exit_code 1", "metadata": {"exit_code": 0, "duration_seconds": 0.1}}), False),
    ({"content": "no", "success": False}, True),
    ({"content": "Error: not really", "success": True}, False),
    ("apply_patch verification failed: no such hunk", True),
    ("aborted by user after 3.0s", True),
    ("failed to parse function arguments: missing field", True),
    ("Chunk ID: 1\nWall time: 1.0 seconds\nProcess running with session ID 7\nOutput:\nError: later", False),
    ("Plan updated", False),
    ("errors.py and failed.py are here", False),
]


@pytest.mark.parametrize(("output", "error"), FAILURES)
def test_an_output_tells_whether_its_command_failed(either: Rollout, output: Any, error: bool) -> None:
    either.prompt("go")
    either.call("c1")
    either.output("c1", output)
    assert [block.error for block in open_transcript(either.path).archive()] == [error]


@pytest.mark.parametrize("first", [True, False])
def test_an_event_tells_of_a_failure_that_the_output_does_not(rollout: Rollout, first: bool) -> None:
    failure = {"call_id": "c1", "invocation": {"server": "s", "tool": "t"}, "result": {"Err": "no connection"}}
    rollout.turn()
    rollout.prompt("go")
    rollout.call("c1", "mcp__s__t")
    if first:
        rollout.event("mcp_tool_call_end", **failure)
    rollout.output("c1", "nothing came back")
    if not first:
        rollout.event("mcp_tool_call_end", **failure)
    conversation = open_transcript(rollout.path)
    assert [block.error for block in conversation.archive()] == [True]
    assert conversation.messages[-1].results[0].error
