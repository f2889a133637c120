"""The answer of a prune stays short however long the session is, and says the same as text and as data."""

from __future__ import annotations

from typing import Any

import pytest

from prune_mcp.engine.answers import Effect, PruneAnswer
from prune_mcp.server.tools.prune_text import added, ranges, structured, text

CHAIN = {"step": "chain", "reason": "old", "messages": 4, "tokens_before": 100, "tokens_after": 10, "block": "b1"}


@pytest.mark.parametrize(
    ("refs", "told"),
    [
        (["t1", "t2", "t3", "b1", "t5"], "t1-t3, t5, b1"),
        (["b2", "t9", "b1", "t9"], "t9, b1-b2"),
        (["t9:args", "t9", "t10", "b1", "t10:args", "t12:image1"], "t9-t10, t9-t10:args, t12:image1, b1"),
        ([], ""),
    ],
)
def test_refs_are_told_as_ranges(refs: list[str], told: str) -> None:
    assert ranges(refs) == told


def test_outcomes_of_the_same_step_and_reason_are_added_up() -> None:
    kept = {"step": "kept", "reason": "new", "outputs": 3, "keep_turns": 3}
    assert added([kept, CHAIN, CHAIN]) == [
        kept,
        {"step": "chain", "reason": "old", "times": 2, "messages": 8, "tokens_before": 200, "tokens_after": 20},
    ]


def answer(**more: Any) -> PruneAnswer:
    return PruneAnswer("advisory", "no-lever", "claude-code", "s1", 9000, 3000, 4.25, summary="6,000 less", **more)


def bound(effect: Effect, after: int) -> str:
    """The text of a prune of 9,000 tokens in which signed thinking held edits back."""
    return text(PruneAnswer(effect, "thinking-bound", "claude-code", "s1", 9000, after, None, summary="so it is"))


def test_thinking_that_holds_back_all_edits_or_only_some_is_told_truly() -> None:
    assert "advisory (thinking-bound): nothing is edited before signed thinking" in bound("advisory", 9000)
    for partly in (bound("advisory", 4000), bound("applied", 4000)):
        assert "(thinking-bound): edits before signed thinking of the open exchange are held back" in partly
        assert "nothing" not in partly


def test_a_huge_session_has_a_short_text() -> None:
    refs = [f"{kind}{number}" for number in range(1, 9001, 2) for kind in "tb"]
    diagnostics = [{"kind": "skipped", "key": str(n), "detail": f"line {n}", "count": n} for n in range(500)]
    told = text(answer(refs=refs, outcomes=added([CHAIN] * 5000), diagnostics=diagnostics, next_steps=["do this"]))
    assert len(told) < 5000
    assert "and 4460 more" in told
    assert "messages 20,000" in told
    assert "next: do this" in told


def test_the_structure_holds_messages_only_where_there_are_some() -> None:
    assert "messages" not in structured(answer())
    assert structured(answer(messages=[]))["messages"] == []
