"""The gap behind the frontier: exactly what the results hold that no prune has decided on."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from prune_mcp.engine import Engine
from prune_mcp.engine.due.due import Due
from prune_mcp.engine.due.flush_state import FlushStates
from prune_mcp.sessions.model import SessionError
from prune_mcp.sessions.tokens import tokens, utf8_size
from prune_mcp.storage.home import home as home_of
from tests.pruning.build import Talk, call, log, results
from tests.usage.writing import SESSION, Claude, lines

pytestmark = [pytest.mark.requirement("PRU-BATCH"), pytest.mark.requirement("PRU-FRONTIER")]

Make = Callable[..., Engine]


def weight(*outputs: str) -> int:
    return sum(tokens(utf8_size(output)) for output in outputs)


def label(told: Due) -> str | None:
    return told.trigger.label if told.trigger else None


def gap(engine: Engine, talk: Talk, session: str = "s") -> int:
    return engine.due_messages(talk.messages, session=session, looking=True).usage.gap_tokens


def test_before_the_first_prune_every_result_past_the_newest_turns_is_in_it(make_engine: Make) -> None:
    outputs = [log(30 + number, f"unit-{number}") for number in range(6)]
    talk = Talk().prompt("go")
    for number, output in enumerate(outputs):
        talk.turn(call("Bash", output, command=f"make {number}"))
    assert gap(make_engine(), talk) == weight(*outputs[:3])
    assert gap(make_engine(keep_turns=0), talk) == weight(*outputs)
    assert gap(make_engine(keep_turns=6), talk) == 0


def test_without_a_result_there_is_none(make_engine: Make) -> None:
    assert gap(make_engine(), Talk().prompt("go").answer("done")) == 0


def test_after_a_prune_it_begins_anew_with_what_has_grown_old_since(make_engine: Make) -> None:
    engine = make_engine()
    talk = Talk().prompt("go")
    outputs = [log(30, f"unit-{number}") for number in range(8)]
    for number, output in enumerate(outputs[:6]):
        talk.turn(call("Bash", output, command=f"make {number}"))
    engine.prune_messages(talk.messages, session="s")
    assert gap(engine, talk) == 0
    for number, output in enumerate(outputs[6:], 6):
        talk.turn(call("Bash", output, command=f"make {number}"))
    assert gap(engine, talk) == weight(*outputs[3:5])


def test_a_turn_can_be_decided_in_part(make_engine: Make) -> None:
    engine = make_engine(spill_threshold=5000)
    large, small = log(100, "large"), log(30, "small")
    talk = Talk().prompt("go").turn(call("Bash", large, command="make large"), call("Bash", small, command="make"))
    assert gap(engine, talk) == weight(large)
    engine.prune_messages(talk.messages, session="s")
    assert gap(engine, talk) == 0
    assert gap(engine, talk.turns(3)) == weight(small)


def test_each_occurrence_of_a_reused_id_counts_for_itself(make_engine: Make) -> None:
    engine = make_engine(keep_turns=1)
    talk = Talk().prompt("go")
    outputs = [log(30 + number, f"unit-{number}") for number in range(4)]
    for output in outputs[:3]:
        talk.turn(call("Bash", output, id="same", command="make"))
    assert gap(engine, talk) == weight(*outputs[:2])
    engine.prune_messages(talk.messages, session="s")
    talk.turn(call("Bash", outputs[3], id="same", command="make"))
    assert gap(engine, talk) == weight(outputs[2])


def test_what_is_protected_is_never_in_it(make_engine: Make) -> None:
    engine = make_engine(protected_tools=("Skill",))
    talk = Talk().prompt("go").turn(call("Skill", log(90), name="how"))
    talk.turn(call("Read", log(90), file_path="/a/skills/b.md")).turns(3)
    assert gap(engine, talk) == 0


def test_results_in_blocks_are_not_in_it(make_engine: Make) -> None:
    engine = make_engine()
    talk = Talk()
    for number in range(8):
        talk.prompt(f"part {number}").turn(call("Bash", log(90, f"part-{number}"), command="make")).answer("done")
    pruned = engine.prune_messages(talk.messages, session="s")
    assert "b1" in pruned.refs
    assert gap(engine, talk) == 0
    sent = Talk()
    sent.messages = pruned.messages
    assert gap(engine, sent) == 0
    assert len(results(sent.messages)) < 8


def test_a_turn_that_brings_only_protected_results_triggers_nothing(make_engine: Make) -> None:
    engine = make_engine(protected_tools=("Skill",), keep_turns=0)
    talk = Talk().prompt("go").turn(call("Bash", log(60), command="make"))
    ask = partial(engine.due_messages, session="s", tokens=190_000, window=200_000)
    told = ask(talk.messages)
    assert label(told) == "budget"
    engine.prune_messages(talk.messages, session="s")
    talk.turn(call("Skill", log(90), name="how"))
    assert ask(talk.messages).trigger is None
    assert ask(talk.messages, reloaded=True).trigger is None


def test_of_two_that_find_it_due_at_once_the_second_prunes_nothing_more(make_engine: Make) -> None:
    talk = Talk().prompt("go")
    for number in range(6):
        talk.turn(call("Bash", log(60, f"unit-{number}"), command=f"make {number}"))
    talk.answer("done")
    one, other = make_engine(), make_engine()
    for engine in (one, other):
        told = engine.due_messages(talk.messages, session="s")
        assert label(told) == "message-end"
    first = one.prune_messages(talk.messages, session="s")
    second = other.prune_messages(talk.messages, session="s")
    assert second.messages == first.messages
    assert {one["step"] for one in second.outcomes} <= {"kept", "frontier", "chain"}
    assert len(other.store.flushes("s")) == 1


def test_a_session_that_cannot_be_read_leaves_what_was_kept_of_it(
    make_engine: Make, env: dict[str, str], tmp_path: Path
) -> None:
    claude = Claude().asks("go")
    for number in range(5):
        claude.runs("Bash", {"command": f"make {number}"}, lines(f"unit {number}", 60))
    path = claude.write(tmp_path)
    make_engine().due_transcript(path, reloaded=True)
    before = FlushStates(home_of(env)).read(SESSION)
    assert before is not None
    assert before.trigger.rearmed
    path.rename(tmp_path / "away.jsonl")
    with pytest.raises(SessionError):
        make_engine().due_transcript(path)
    assert FlushStates(home_of(env)).read(SESSION) == before
    (tmp_path / "away.jsonl").rename(path)
    told = make_engine().due_transcript(path, tokens=190_000, window=200_000)
    assert label(told) == "rearmed"
