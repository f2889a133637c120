"""Sizes at their exact boundaries: previews of oversized outputs, arguments of failed calls."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from prune_mcp.engine import Engine
from prune_mcp.pruning.options import ErrorOptions
from prune_mcp.sessions.content import compact_json
from tests.pruning.build import Talk, call, log, results


def head(engine: Engine, output: str) -> str:
    """The head that the stub of an oversized output shows, without the digest above it."""
    talk = Talk().prompt("go").turn(call("Bash", output, command="make"))
    answer = engine.prune_messages(talk.messages)
    shown = results(answer.messages)["c1"]
    assert engine.recover(["t1"], session=answer.session, budget=10**6).items[0].text == output
    return str(shown.partition("\nhead:\n")[2])


@pytest.mark.requirement("PRU-SPILL")
@pytest.mark.parametrize(
    ("unit", "size", "expected"),
    [
        ("é", 100, "é" * 50),
        ("é", 101, "é" * 50),
        ("日", 100, "日" * 33),
        ("🔥", 103, "🔥" * 25),
        ("one line\n", 100, "\n".join(["one line"] * 11)),
        ("one line\n", 99, "\n".join(["one line"] * 11)),
        ("one line\n", 98, "\n".join(["one line"] * 10)),
    ],
)
def test_a_preview_is_cut_between_characters_and_after_the_last_whole_line(
    make_engine: Callable[..., Engine], unit: str, size: int, expected: str
) -> None:
    engine = make_engine(spill_threshold=1000, spill_preview_bytes=size)
    assert head(engine, unit * 4000) == expected


@pytest.mark.requirement("PRU-SPILL")
def test_a_preview_of_no_bytes_is_none(make_engine: Callable[..., Engine]) -> None:
    assert head(make_engine(spill_threshold=1000, spill_preview_bytes=0), log(400)) == ""


@pytest.mark.requirement("PRU-SPILL")
def test_outputs_of_a_reused_id_are_spilled_each_under_its_own_ref(make_engine: Callable[..., Engine]) -> None:
    engine = make_engine(spill_threshold=1000)
    talk = Talk().prompt("go")
    for number in range(2):
        talk.turn(call("Bash", log(60, f"run{number}"), id="same", command="make"))
    answer = engine.prune_messages(talk.messages)
    items = engine.recover(["same"], session=answer.session).items
    assert [(item.ref, item.text) for item in items] == [("t1", log(60, "run0")), ("t2", log(60, "run1"))]


def shown_arguments(engine: Engine, arguments: dict[str, Any], error: bool = True) -> dict[str, Any]:
    """The arguments of a call as they stand in view once it is old; a good call stands beside it."""
    talk = Talk().prompt("go").turn(call("Edit", "no", error=error, **arguments), call("Edit", "ok", **arguments))
    view: list[Any] = engine.prune_messages(talk.turns(4).answer("done").messages).messages
    failed, fine = (block["input"] for block in view[1]["content"])
    assert fine == arguments
    return dict(failed)


@pytest.mark.requirement("PRU-ERRORS")
@pytest.mark.parametrize(("size", "purged"), [(499, False), (500, True), (501, True)])
def test_arguments_are_purged_from_their_least_size_on(
    make_engine: Callable[..., Engine], size: int, purged: bool
) -> None:
    arguments = {"text": "x" * (size - len(compact_json({"text": ""})))}
    assert len(compact_json(arguments)) == size
    assert (shown_arguments(make_engine(), arguments) != arguments) is purged


@pytest.mark.requirement("PRU-ERRORS")
def test_only_strings_over_their_limit_are_replaced_and_every_key_and_type_stays(
    make_engine: Callable[..., Engine],
) -> None:
    arguments = {"at": "a" * 200, "over": "b" * 201, "list": ["c" * 300, 7, None, True], "deep": {"d": "d" * 400}}
    shown = shown_arguments(make_engine(), arguments)
    assert shown["at"] == arguments["at"]
    assert shown["over"] == '<purged-errored-args size="201" ref="t1:args"/>'
    assert shown["list"] == ['<purged-errored-args size="300" ref="t1:args"/>', 7, None, True]
    assert list(shown) == list(arguments)
    assert shown["deep"] == {"d": '<purged-errored-args size="400" ref="t1:args"/>'}


@pytest.mark.requirement("PRU-ERRORS")
@pytest.mark.parametrize("error", [True, False])
def test_only_a_call_that_failed_is_purged_whatever_the_limits(
    make_engine: Callable[..., Engine], error: bool
) -> None:
    keen = make_engine(purge_errors=ErrorOptions(cooldown_turns=0, min_arg_chars=0, max_string_chars=0))
    assert (shown_arguments(keen, {"text": "x" * 900}, error) != {"text": "x" * 900}) is error


@pytest.mark.requirement("PRU-ERRORS")
@pytest.mark.parametrize(("cooldown", "purged"), [(0, True), (1, False)])
def test_a_cooldown_of_nothing_purges_at_once(
    make_engine: Callable[..., Engine], cooldown: int, purged: bool
) -> None:
    engine = make_engine(purge_errors=ErrorOptions(cooldown_turns=cooldown))
    talk = Talk().prompt("go").turn(call("Edit", "no", error=True, text="x" * 900))
    view: list[Any] = engine.prune_messages(talk.messages).messages
    assert (view[1]["content"][0]["input"] != {"text": "x" * 900}) is purged
