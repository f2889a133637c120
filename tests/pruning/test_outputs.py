"""Which outputs give way to stubs, and which stay."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest

from prune_mcp.engine import Engine, PruneAnswer
from prune_mcp.pruning.note import LEGEND
from prune_mcp.pruning.options import ChainOptions
from tests.pruning.build import Talk, call, log, results, texts

LONG = log(60)


def steps(answer: PruneAnswer, step: str) -> list[dict[str, object]]:
    return [o for o in answer.outcomes if o["step"] == step]


@pytest.mark.requirement("PRU-NOOP")
def test_small_conversation_comes_back_equal_and_says_so(engine: Engine) -> None:
    talk = Talk().prompt("hello").turn(call("Bash", "ok", command="true")).answer("done")
    answer = engine.prune_messages(talk.messages)
    assert answer.messages == talk.messages
    assert (answer.effect, answer.why) == ("applied", "nothing-to-prune")
    assert answer.summary.startswith("Nothing to prune")
    assert answer.break_even_requests is None


@pytest.mark.requirement("PRU-IDEM")
def test_the_input_is_not_touched(engine: Engine) -> None:
    talk = Talk().prompt("go").turn(call("Bash", LONG, command="make")).turns(4).answer("done")
    before = copy.deepcopy(talk.messages)
    answer = engine.prune_messages(talk.messages)
    assert talk.messages == before
    assert answer.messages != before


def test_old_output_gives_way_to_a_stub_and_the_newest_turns_stay_whole(engine: Engine) -> None:
    talk = Talk().prompt("go")
    for number in range(5):
        talk.turn(call("Bash", log(60, f"task{number}"), command=f"make task{number}"))
    shown = results(engine.prune_messages(talk.messages).messages)
    assert shown["c1"].startswith("[pruned t1: Bash")
    assert shown["c2"].startswith("[pruned t2: Bash")
    assert [shown[f"c{n}"] for n in (3, 4, 5)] == [log(60, f"task{n}") for n in (2, 3, 4)]


def test_keep_turns_of_the_call_comes_before_the_setting(engine: Engine) -> None:
    talk = Talk().prompt("go").turn(call("Bash", LONG, command="make")).answer("done")
    assert results(engine.prune_messages(talk.messages, keep_turns=0).messages)["c1"] != LONG


@pytest.mark.requirement("PRU-PROTECT")
@pytest.mark.parametrize("argument", ["path", "file_path", "filePath", "notebook_path", "uri"])
def test_a_protected_path_is_found_under_any_of_the_usual_names(engine: Engine, argument: str) -> None:
    inputs: dict[str, Any] = {argument: "/repo/./skills/x/../review/SKILL.md"}
    talk = Talk().prompt("go").turn(call("Read", LONG, **inputs)).turns(4).answer("done")
    answer = engine.prune_messages(talk.messages)
    assert results(answer.messages)["c1"] == LONG
    assert steps(answer, "protected")[0]["outputs"] == 1


@pytest.mark.requirement("PRU-PROTECT")
def test_a_protected_tool_passes_every_phase_unchanged(make_engine: Callable[..., Engine]) -> None:
    engine = make_engine(protected_tools=("Todo",))
    talk = Talk()
    for number in range(6):
        talk.prompt(f"go {number}").turn(
            call("Todo", log(60, f"plan{number}")), call("Bash", log(60, f"run{number}"), command="make")
        ).answer("done")
    answer = engine.prune_messages(talk.messages, keep_turns=0)
    text = str(answer.messages)
    assert all(log(60, f"plan{n}").replace("\n", "\\n") in text for n in range(6))


@pytest.mark.requirement("PRU-PROTECT")
def test_only_the_newest_read_of_a_protected_path_stays_whole(engine: Engine) -> None:
    talk = Talk().prompt("go")
    talk.turn(call("Read", log(60, "old"), path="skills/a.md")).turn(
        call("Read", log(60, "new"), path="./skills/a.md")
    )
    talk.turns(4).answer("done")
    shown = results(engine.prune_messages(talk.messages).messages)
    assert shown["c2"] == log(60, "new")
    assert shown["c1"].startswith("[pruned t1:")
    assert "t2" in shown["c1"]


@pytest.mark.requirement("PRU-SPILL")
@pytest.mark.parametrize(("chars", "spilled"), [(4999, False), (5000, True), (5001, True)])
def test_output_at_the_threshold_is_spilled_at_once_with_its_head(
    make_engine: Callable[..., Engine], chars: int, spilled: bool
) -> None:
    output = (log(200))[:chars]
    talk = Talk().prompt("go").turn(call("Bash", output, command="make"))
    answer = make_engine(spill_threshold=5000).prune_messages(talk.messages)
    shown = results(answer.messages)["c1"]
    assert (shown != output) is spilled
    if spilled:
        assert output[:500] in shown
        assert shown.startswith("[pruned t1: Bash")
        assert steps(answer, "spill")[0]["threshold"] == 5000


@pytest.mark.requirement("PRU-SPILL")
def test_protection_and_dedup_come_before_spill(make_engine: Callable[..., Engine]) -> None:
    engine = make_engine(spill_threshold=1000, protected_tools=("Keep",))
    talk = Talk().prompt("go").turn(call("Keep", LONG), call("Bash", LONG, command="a"))
    talk.turn(call("Bash", LONG, command="b")).turns(4).answer("done")
    answer = engine.prune_messages(talk.messages)
    shown = results(answer.messages)
    assert shown["c1"] == LONG
    assert "t2" in shown["c3"]
    assert len(shown["c3"]) < 200
    assert (steps(answer, "spill")[0]["outputs"], steps(answer, "dedup")[0]["outputs"]) == (1, 1)


@pytest.mark.requirement("PRU-DEDUP")
def test_equal_output_of_the_same_tool_is_an_alias_within_and_across_flushes(engine: Engine) -> None:
    talk = Talk().prompt("go")
    talk.turn(call("Bash", LONG, command="a")).turn(call("Bash", LONG.replace("\n", "  \r\n"), command="b"))
    talk.turn(call("Grep", LONG, pattern="x")).turns(4)
    first = engine.prune_messages(talk.messages)
    shown = results(first.messages)
    assert "same" in shown["c2"]
    assert "t1" in shown["c2"]
    assert "same" not in shown["c3"].splitlines()[0]
    talk.turn(call("Bash", LONG, command="again")).turns(4).answer("done")
    again = results(engine.prune_messages(talk.messages).messages)
    assert [again[id] for id in ("c1", "c2", "c3")] == [shown[id] for id in ("c1", "c2", "c3")]
    assert "t1" in again["c8"]
    assert len(again["c8"]) < 120


@pytest.mark.requirement("PRU-DEDUP")
def test_a_read_inside_a_longer_read_of_the_same_file_points_to_it(engine: Engine) -> None:
    numbered = [f"{n:6}\u2192def step_{n}(): return {n}" for n in range(1, 121)]
    whole, part = "\n".join(numbered), "\n".join(numbered[40:80])
    talk = (
        Talk()
        .prompt("go")
        .turn(call("Read", part + "\n\n<system-reminder>be kind</system-reminder>", file_path="/r/a.py"))
    )
    talk.turn(call("Read", whole, file_path="/r/b.py")).turn(call("Read", whole, file_path="/r/./a.py"))
    talk.turns(4).answer("done")
    answer = engine.prune_messages(talk.messages)
    shown = results(answer.messages)
    assert "t3" in shown["c1"]
    assert steps(answer, "contained")[0]["outputs"] == 1
    recovered = engine.recover(["t1"], session=answer.session)
    assert recovered.items[0].text == part + "\n\n<system-reminder>be kind</system-reminder>"


@pytest.mark.requirement("PRU-DEDUP")
def test_dedup_can_be_switched_off(make_engine: Callable[..., Engine]) -> None:
    talk = Talk().prompt("go").turn(call("Bash", LONG, command="a")).turn(call("Bash", LONG, command="b"))
    answer = make_engine(dedup_by_content_hash=False).prune_messages(talk.turns(4).messages)
    assert not steps(answer, "dedup")


@pytest.mark.requirement("PRU-TRIVIAL", "PRU-FRONTIER")
@pytest.mark.parametrize(("least", "skipped"), [(901, True), (900, False), (0, False)])
def test_a_batch_under_the_threshold_is_skipped_with_numbers_yet_archived(
    make_engine: Callable[..., Engine], least: int, skipped: bool
) -> None:
    output = log(30)[:900]
    engine = make_engine(min_batch_chars=least)
    talk = Talk().prompt("go").turn(call("Bash", output, command="make")).answer("done").prompt("and").turns(4)
    answer = engine.prune_messages(talk.messages)
    assert (results(answer.messages)["c1"] == output) is skipped
    assert bool([o for o in steps(answer, "trivial") if o["chars"] == 900]) is skipped
    assert engine.recover(["t1"], session=answer.session).items[0].text == output


@pytest.mark.requirement("PRU-TRIVIAL")
def test_a_stub_that_would_not_be_smaller_is_dropped(make_engine: Callable[..., Engine]) -> None:
    talk = Talk().prompt("go").turn(call("Bash", "x" * 30, command="make")).turns(4).answer("done")
    answer = make_engine(min_batch_chars=0).prune_messages(talk.messages)
    assert results(answer.messages)["c1"] == "x" * 30
    assert "smaller" in str(steps(answer, "oversized")[0]["reason"])


@pytest.mark.requirement("PRU-FRONTIER")
def test_what_was_decided_is_not_decided_again(engine: Engine, make_engine: Callable[..., Engine]) -> None:
    talk = Talk().prompt("go").turn(call("Bash", log(10), command="make")).answer("done").prompt("more").turns(4)
    first = engine.prune_messages(talk.messages)
    assert results(first.messages)["c1"] == log(10)
    keener = make_engine(min_batch_chars=0)
    second = keener.prune_messages(talk.messages, session=first.session)
    assert results(second.messages)["c1"] == log(10)
    assert steps(second, "frontier")[0]["outputs"] == 1


@pytest.mark.requirement("PRU-BATCH")
def test_small_turns_of_one_exchange_are_one_batch_or_each_their_own(make_engine: Callable[..., Engine]) -> None:
    talk = Talk().prompt("go")
    for number in range(8):
        talk.turn(call("Bash", log(8, f"part{number}"), command=f"make part{number}"))
    talk.answer("done").prompt("next").turns(4)
    by_turn = make_engine(batching_mode="turn").prune_messages(talk.messages, session="turns")
    by_exchange = make_engine().prune_messages(talk.messages, session="exchanges")
    assert not steps(by_turn, "digest")
    assert steps(by_exchange, "digest")[0]["outputs"] == 8


@pytest.mark.requirement("PRU-BATCH")
def test_a_trivial_batch_of_the_open_exchange_waits_for_more(engine: Engine) -> None:
    talk = Talk().prompt("go").turn(call("Bash", log(12), command="make")).turns(3)
    first = engine.prune_messages(talk.messages)
    assert "so far" in str(steps(first, "trivial")[0]["reason"])
    talk.turn(call("Bash", log(12, "more"), command="make more")).turns(3).answer("done")
    shown = results(engine.prune_messages(talk.messages).messages)
    assert shown["c1"].startswith("[pruned t1")


@pytest.mark.requirement("PRU-GRACE")
def test_recovered_output_stays_whole_for_the_grace_exchanges(engine: Engine) -> None:
    talk = (
        Talk()
        .prompt("go")
        .turn(call("mcp__prune-mcp__context_tree_query", LONG, refs=["t9"]))
        .turns(4)
        .answer("ok")
    )
    for number in range(4):
        shown = results(engine.prune_messages(talk.messages, keep_turns=0).messages)["c1"]
        assert (shown == LONG) is (number <= 3), number
        talk.prompt(f"and {number}").turns(4).answer("ok")
    assert (
        results(engine.prune_messages(talk.messages, keep_turns=0).messages)
        .get("c1", "[pruned")
        .startswith("[pruned")
    )


def test_the_note_is_shown_once_in_the_newest_stub(engine: Engine) -> None:
    talk = Talk().prompt("go").turn(call("Bash", LONG, command="a")).turn(call("Bash", log(60, "b"), command="b"))
    answer = engine.prune_messages(talk.turns(4).messages, note="the upload limit is 5 MB")
    shown = results(answer.messages)
    assert "the upload limit is 5 MB" in shown["c2"]
    assert "the upload limit" not in shown["c1"]


def test_the_note_is_shown_in_the_block_when_its_stub_went_into_one(make_engine: Callable[..., Engine]) -> None:
    engine = make_engine(chain_compression=ChainOptions(rolling_window=0))
    talk = Talk().prompt("go").turn(call("Bash", LONG, command="a"), text="Looking. " * 40).answer("done")
    answer = engine.prune_messages(talk.messages, note="limit is 5 MB </compressed-chain>", keep_turns=0)
    text = texts(answer.messages)
    assert text.count("note: limit is 5 MB") == 1
    assert text.count("</compressed-chain>") == 1


def test_one_stub_of_a_view_says_how_refs_are_used(engine: Engine) -> None:
    talk = Talk().prompt("go")
    for number in range(3):
        talk.turn(call("Bash", log(60, f"task{number}"), command=f"make {number}"))
    once = engine.prune_messages(talk.turns(4).messages)
    talk.turn(call("Bash", log(60, "late"), command="make late")).turns(4)
    again = engine.prune_messages(talk.messages)
    for answer in (once, again):
        shown = [id for id, text in results(answer.messages).items() if LEGEND in text]
        assert shown == ["c1"]


def test_a_note_that_no_stub_can_carry_is_told_of(engine: Engine) -> None:
    talk = Talk().prompt("go").turn(call("Bash", log(20), command="a")).turns(4).answer("done")
    answer = engine.prune_messages(talk.messages, note="long words " * 400)
    assert "long words" not in texts(answer.messages)
    assert "could show it" in str(steps(answer, "note")[0]["reason"])


def test_a_dry_run_decides_nothing(engine: Engine) -> None:
    talk = Talk().prompt("go").turn(call("Bash", LONG, command="a")).turns(4).answer("done")
    told = engine.prune_messages(talk.messages, dry_run=True)
    assert (told.effect, told.why) == ("advisory", "dry-run")
    assert told.tokens_after < told.tokens_before
    assert told.messages == talk.messages
    assert told.refs == []
    done = engine.prune_messages(talk.messages)
    assert steps(done, "digest")[0]["outputs"] == 1
    assert done.tokens_after == told.tokens_after


@pytest.mark.requirement("PRU-EFFECT")
def test_the_answer_weighs_the_view_and_says_when_it_has_paid(engine: Engine) -> None:
    talk = Talk().prompt("go " * 400).turn(call("Bash", log(100), command="a")).turns(3)
    talk.answer("word " * 2000)
    answer = engine.prune_messages(talk.messages)
    saved = answer.tokens_before - answer.tokens_after
    assert 1500 < saved < 1900
    assert answer.break_even_requests is not None
    # The prompt and the first call stay cached; the rest is written at 1.25 instead of read at 0.1.
    rest = answer.tokens_after - 375
    assert answer.break_even_requests == pytest.approx(rest * 1.15 / (saved * 0.1), rel=0.02)
    assert answer.refs == ["t1"]
    assert f"{answer.tokens_after:,} after" in answer.summary
