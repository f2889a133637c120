"""Signed thinking is never left with a changed prefix."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from prune_mcp.engine.engine import Engine
from tests.pruning.build import Talk, call, log, texts

HELD_BACK = "Nothing is edited while the open exchange holds signed thinking"


def closed_then_open(open_thinking: str) -> Talk:
    talk = Talk().prompt("first").turn(call("Bash", log(60), command="a"), thinking="closed one")
    talk.turns(3).answer("done", thinking="closed two")
    talk.prompt("second").turn(call("Bash", "ok", command="b"), thinking=open_thinking)
    return talk


@pytest.mark.requirement("PRU-THINK", "PRU-VALID")
def test_nothing_before_the_signed_thinking_of_an_open_exchange_is_edited(engine: Engine) -> None:
    talk = closed_then_open("still thinking")
    told = engine.prune_messages(talk.messages, keep_turns=1, dry_run=True)
    assert (told.why, told.summary.partition(":")[0]) == ("dry-run", HELD_BACK)
    answer = engine.prune_messages(talk.messages, keep_turns=1)
    assert answer.summary.startswith(HELD_BACK)
    assert answer.messages == talk.messages
    assert (answer.effect, answer.why) == ("advisory", "thinking-bound")
    assert answer.tokens_after == answer.tokens_before
    talk.answer("all done")
    later = engine.prune_messages(talk.messages, keep_turns=1)
    assert (later.effect, later.why) == ("applied", "messages-returned")
    assert later.tokens_after < later.tokens_before


@pytest.mark.requirement("PRU-THINK", "PRU-RECOVER")
def test_closed_exchanges_lose_thinking_behind_an_edit_and_a_ref_brings_it_back(engine: Engine) -> None:
    talk = closed_then_open("")
    answer = engine.prune_messages(talk.messages, keep_turns=1)
    assert "signature" not in texts(answer.messages)
    block = next(ref for ref in answer.refs if ref.startswith("b"))
    whole = engine.recover([block], session=answer.session).items[0].text
    assert "closed one" in whole
    assert "closed two" in whole
    assert engine.prune_messages(answer.messages, keep_turns=1).messages == answer.messages


@pytest.mark.requirement("PRU-THINK")
def test_thinking_before_the_first_edit_stays(engine: Engine) -> None:
    talk = Talk().prompt("zero").answer("nothing to do", thinking="early")
    talk.messages += closed_then_open("").messages
    answer = engine.prune_messages(talk.messages, keep_turns=1)
    assert texts(answer.messages).count("signature") == 1
    assert "sig-early" in texts(answer.messages)


@pytest.mark.requirement("PRU-THINK")
@pytest.mark.parametrize(("setting", "left"), [("strip", 0), ("ignore", 3)])
def test_the_setting_strips_or_ignores_thinking(
    make_engine: Callable[..., Engine], setting: str, left: int
) -> None:
    answer = make_engine(thinking=setting).prune_messages(closed_then_open("open").messages, keep_turns=1)
    assert answer.tokens_after < answer.tokens_before
    assert texts(answer.messages).count("signature") == left
