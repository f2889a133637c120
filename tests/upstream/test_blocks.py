"""What a compressed exchange stands for, and how blocks are numbered."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from prune_mcp.engine import Engine
from prune_mcp.pruning.options import ChainOptions
from tests.pruning.build import Talk, call, log, texts

NOW = ChainOptions(rolling_window=0)


def exchange(talk: Talk, number: int, output: str = "") -> Talk:
    """One more finished exchange, long enough to be worth a block."""
    return (
        talk.prompt(f"task {number}")
        .turn(call("Bash", output or log(40, f"run{number}"), command=f"make {number}"), text="Looking. " * 40)
        .answer(f"Finished {number}.")
    )


def heads(messages: list[dict[str, object]]) -> list[tuple[str, str]]:
    """The block's ref and its outputs' refs, of every block in view."""
    return re.findall(r'<compressed-chain id=\\"(b\d+)\\" tools=\\"([^"\\]*)', texts(messages))


@pytest.mark.requirement("PRU-CHAIN", "PRU-RECOVER")
def test_small_failed_and_repeated_outputs_in_an_exchange_are_named_and_come_back(
    make_engine: Callable[..., Engine],
) -> None:
    engine = make_engine(chain_compression=NOW, batching_mode="turn")
    outputs = [log(60), "ok", "no such file", log(60), ""]
    talk = Talk().prompt("go")
    for number, output in enumerate(outputs):
        talk.turn(call("Bash", output, error=number == 2, command=f"make {number}"), text="Looking. " * 40)
    answer = engine.prune_messages(talk.answer("done").messages, keep_turns=0)
    assert heads(answer.messages) == [("b1", "t1,t2,t3,t4,t5")]
    refs = ["t1", "t2", "t3", "t4", "t5"]
    assert [item.text for item in engine.recover(refs, session=answer.session).items] == outputs


@pytest.mark.requirement("PRU-CHAIN", "REC-LAST")
def test_outputs_and_blocks_are_numbered_on_after_a_restart_and_leave_no_gap(
    make_engine: Callable[..., Engine],
) -> None:
    talk = Talk()
    for number in range(1, 5):
        answer = make_engine(chain_compression=NOW).prune_messages(exchange(talk, number).messages, keep_turns=0)
        assert heads(answer.messages) == [(f"b{n}", f"t{n}") for n in range(1, number + 1)]


@pytest.mark.requirement("PRU-CHAIN", "PRU-FENCE")
def test_text_that_looks_like_a_placeholder_for_a_block_stays_as_it_was_said(
    make_engine: Callable[..., Engine],
) -> None:
    engine = make_engine(chain_compression=NOW)
    talk = exchange(Talk(), 1)
    talk.prompt("task {b1} and {b9}").turn(call("Bash", log(40), command="echo {b1}"), text="See {b1}. " * 40)
    answer = engine.prune_messages(talk.answer("It is {b2}.").messages, keep_turns=0)
    assert [head[0] for head in heads(answer.messages)] == ["b1", "b2"]
    assert "task {b1} and {b9}" in texts(answer.messages)
    assert "It is {b2}." in texts(answer.messages)
    assert texts(answer.messages).count("Finished 1.") == 1


@pytest.mark.requirement("PRU-CHAIN", "PRU-PROTECT")
def test_an_exchange_of_protected_outputs_alone_is_never_larger_than_it_was(
    make_engine: Callable[..., Engine],
) -> None:
    engine = make_engine(chain_compression=NOW, protected_tools=("Skill",))
    talk = Talk().prompt("go").turn(call("Skill", log(60), name="review")).answer("done")
    answer = engine.prune_messages(talk.messages, keep_turns=0)
    assert answer.tokens_after <= answer.tokens_before
    assert log(60).replace("\n", "\\n") in texts(answer.messages)


@pytest.mark.requirement("PRU-CHAIN")
@pytest.mark.parametrize(("answers", "compressed"), [((), []), (("done",), ["b1"]), (("one", "two"), ["b1"])])
def test_only_an_answer_without_calls_closes_an_exchange(
    make_engine: Callable[..., Engine], answers: tuple[str, ...], compressed: list[str]
) -> None:
    engine = make_engine(chain_compression=NOW)
    talk = Talk().prompt("go").turn(call("Bash", log(40), command="make"), text="Looking. " * 40)
    for text in answers:
        talk.answer(text)
    answer = engine.prune_messages(talk.messages, keep_turns=0)
    assert [head[0] for head in heads(answer.messages)] == compressed
    assert all(text in texts(answer.messages) for text in answers[-1:])


@pytest.mark.requirement("PRU-CHAIN")
def test_an_exchange_without_calls_is_no_chain_and_takes_no_place_in_the_window(
    make_engine: Callable[..., Engine],
) -> None:
    engine = make_engine(chain_compression=ChainOptions(rolling_window=1))
    talk = exchange(exchange(Talk(), 1), 2)
    for number in range(3):
        talk.prompt(f"chat {number}").answer(f"word {number}")
    answer = engine.prune_messages(talk.messages, keep_turns=0)
    assert heads(answer.messages) == [("b1", "t1")]


@pytest.mark.requirement("PRU-CHAIN")
def test_compression_can_be_switched_off(make_engine: Callable[..., Engine]) -> None:
    engine = make_engine(chain_compression=ChainOptions(enabled=False))
    assert heads(engine.prune_messages(exchange(Talk(), 1).messages, keep_turns=0).messages) == []
