"""Each host is told by its client's name or its environment, and gets steps that are true for it."""

from __future__ import annotations

import pytest

from prune_mcp.engine.answers import Effect, PruneAnswer
from prune_mcp.server.hosts import HOSTS, calling_host, next_steps

pytestmark = pytest.mark.requirement("PRU-EFFECT")


@pytest.mark.parametrize(
    ("client", "env", "host"),
    [
        ("claude-code", {}, "claude-code"),
        ("claude-ai", {}, "claude-desktop"),
        ("codex-mcp-client", {}, "codex"),
        ("cursor-vscode", {}, "cursor"),
        ("gemini-cli-mcp-client", {}, "gemini"),
        ("opencode", {}, "opencode"),
        ("pi", {}, "pi"),
        ("pi-mcp-adapter", {}, "pi"),
        ("pipeline", {}, ""),
        ("somebody-else", {"CLAUDECODE": "1"}, ""),
        ("", {"CLAUDECODE": "1"}, "claude-code"),
        ("", {"CURSOR_TRANSCRIPT_PATH": "/x"}, "cursor"),
        ("", {"CLAUDECODE": ""}, ""),
        ("", {}, ""),
    ],
)
def test_a_host_is_known_by_its_name_and_else_by_its_environment(
    client: str, env: dict[str, str], host: str
) -> None:
    assert calling_host(client, env) == host


def steps(effect: Effect, why: str, host: str) -> str:
    return " ".join(next_steps(PruneAnswer(effect, why, host, "s", 10, 5, None)))


@pytest.mark.parametrize("host", HOSTS, ids=lambda host: host.id)
def test_without_a_lever_each_host_is_told_that_nothing_left_and_what_to_do(host: object) -> None:
    known = next(each for each in HOSTS if each is host)
    told = steps("advisory", "no-lever", known.id)
    assert "Nothing has left the live context yet" in told
    assert known.name in told
    assert (known.compact or "new conversation") in told
    assert "context_tree_query" in told


@pytest.mark.parametrize(
    ("effect", "why", "told"),
    [
        ("applied", "messages-returned", "Send the returned messages"),
        ("advisory", "thinking-bound", "when this exchange is finished"),
        ("advisory", "dry-run", "without dry run"),
        ("at_next_compaction", "hook", "Claude Code follows the plan when it compacts next"),
    ],
)
def test_each_effect_has_its_own_step(effect: Effect, why: str, told: str) -> None:
    assert told in steps(effect, why, "claude-code")


def test_where_thinking_holds_back_only_some_edits_the_others_have_their_step_too() -> None:
    answer = PruneAnswer("applied", "thinking-bound", "", "s1", 9000, 4000, None)
    first, last = next_steps(answer)
    assert "Send the returned messages" in first
    assert "when this exchange is finished" in last


def test_with_nothing_to_prune_there_is_nothing_to_do() -> None:
    assert steps("applied", "nothing-to-prune", "") == ""


def test_an_unknown_host_gets_advice_that_holds_anywhere() -> None:
    assert "compact or summarize" in steps("advisory", "no-lever", "")
    assert steps("at_next_compaction", "hook", "") == "The host follows the plan when it compacts next."
