"""The one estimator of tokens, and what a saving is."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from prune_mcp.engine import Engine
from prune_mcp.sessions.tokens import text_tokens, tokens
from tests.pruning.build import Talk, call, log

pytestmark = pytest.mark.requirement("PRU-EFFECT")


@pytest.mark.parametrize(
    ("text", "estimate"),
    [
        ("", 0),
        ("a", 1),
        ("abc", 1),
        ("abcd", 2),
        ("é" * 4, 3),
        ("日本語", 3),
        ("🔥", 2),
        ("\ud83d", 1),
        ("x" * 320, 100),
        ("x" * 321, 101),
    ],
)
def test_a_token_is_3_2_bytes_rounded_up(text: str, estimate: int) -> None:
    assert text_tokens(text) == estimate


def test_an_image_costs_the_same_whatever_its_size() -> None:
    assert tokens(0, 1) == 1600
    assert tokens(9, 2) == 3 + 3200


@pytest.mark.parametrize("lines", [0, 1, 5, 20, 60, 200])
def test_a_view_never_weighs_more_than_what_came_in(make_engine: Callable[..., Engine], lines: int) -> None:
    talk = Talk().prompt("go")
    for number in range(6):
        talk.turn(call("Bash", log(lines, f"run{number}"), command=f"make {number}"))
    answer = make_engine(min_batch_chars=0).prune_messages(talk.answer("done").messages, keep_turns=0)
    assert 0 < answer.tokens_after <= answer.tokens_before
    assert (answer.tokens_after < answer.tokens_before) is (lines >= 1)
