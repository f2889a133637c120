"""Finding the transcript that holds the very call being answered."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from prune_mcp.sessions.own_call import holds_call
from tests.sessions.codex.writing import Rollout
from tests.sessions.transcripts.writing import ClaudeFile, PiFile, text, tool_call, tool_use

pytestmark = pytest.mark.requirement("SES-WHICH")
ARGUMENTS = {"note": "caf\u00e9", "keep_turns": 3}


def test_an_open_call_with_these_arguments_is_our_own(claude: ClaudeFile) -> None:
    claude.prompt("prune")
    claude.says(tool_use("t0", "Bash"), tool_use("t1", "mcp__prune-mcp__prune_context", **ARGUMENTS))
    claude.result("t0")
    tail = claude.path.read_bytes()

    assert holds_call(tail, "prune_context", ARGUMENTS)
    assert holds_call(tail[40:], "prune_context", ARGUMENTS)
    assert not holds_call(tail, "prune_context", {})
    assert not holds_call(tail, "prune_context", {**ARGUMENTS, "keep_turns": 4})
    assert not holds_call(tail, "collapse_turns", ARGUMENTS)


def test_a_call_that_has_its_result_is_not(claude: ClaudeFile) -> None:
    claude.prompt("prune")
    claude.says(tool_use("t1", "mcp__prune-mcp__prune_context"))
    claude.result("t1", "pruned")
    assert not holds_call(claude.path.read_bytes(), "prune_context", {})
    claude.says(tool_use("t2", "mcp__prune-mcp__prune_context"))
    assert holds_call(claude.path.read_bytes(), "prune_context", {})


def test_text_that_names_the_tool_is_no_call(claude: ClaudeFile) -> None:
    claude.prompt('call {"type": "tool_use", "name": "prune_context", "input": {}}')
    claude.says("I will call prune_context.")
    claude.write(b'{"torn prune_context\nnull\n"prune_context"\n')
    assert not holds_call(claude.path.read_bytes(), "prune_context", {})


def test_calls_of_pi_are_known_as_well(pi: PiFile) -> None:
    pi.prompt("prune")
    pi.says(tool_call("c1", "prune_mcp_prune_context"), text("now"), stop="toolUse")
    assert holds_call(pi.path.read_bytes(), "prune_context", {})
    pi.result("c1", "pruned")
    assert not holds_call(pi.path.read_bytes(), "prune_context", {})


@pytest.mark.parametrize(
    "fields", [{"name": "mcp__prune-mcp__prune_context"}, {"name": "prune_context", "namespace": "mcp__x__"}]
)
def test_calls_of_codex_are_known_as_well(tmp_path: Path, fields: dict[str, str]) -> None:
    rollout = Rollout(tmp_path / "rollout-x.jsonl")
    rollout.turn()
    rollout.prompt("prune")
    rollout.call("c0", "exec_command", cmd="prune_context")
    rollout.item({"type": "function_call", "call_id": "c1", "arguments": json.dumps(ARGUMENTS), **fields})
    assert holds_call(rollout.path.read_bytes(), "prune_context", ARGUMENTS)
    assert not holds_call(rollout.path.read_bytes(), "prune_context", {})
    rollout.output("c0", "no answer to it")
    assert holds_call(rollout.path.read_bytes(), "prune_context", ARGUMENTS)
    rollout.output("c1", "pruned")
    assert not holds_call(rollout.path.read_bytes(), "prune_context", ARGUMENTS)
