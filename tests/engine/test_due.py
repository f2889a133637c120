"""Whether a session is due to be pruned, asked at the end of its turns: on disk and in messages, by one process
or by many."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from prune_mcp.engine import Engine, Settings
from prune_mcp.engine.due.due import Due
from prune_mcp.engine.due.flush_state import FOLDER, FlushStates
from prune_mcp.pruning.options import PruneOptions
from prune_mcp.pruning.trigger_options import TriggerOptions
from prune_mcp.sessions.model import SessionError
from prune_mcp.sessions.tokens import tokens, utf8_size
from prune_mcp.storage.home import home as home_of
from tests.pruning.build import Talk, call, log
from tests.pruning.test_properties import FORMATS, case, engines
from tests.usage.writing import SESSION, Claude, lines, text

pytestmark = pytest.mark.requirement("PRU-BATCH")

# The steps of a prune that decide on outputs.
DECIDING = ("dedup", "contained", "trivial", "digest", "oversized", "spill", "summary")
OFF = {"auto_budget_threshold": 0.0, "budget_turn_delta": 0.0, "prune_on": "on-demand"}
WINDOW = 200_000
Ask = Callable[..., Engine]


@pytest.fixture
def engine_with(env: dict[str, str]) -> Iterator[Ask]:
    """Engines on one home, each as in a process of its own; options are fields of TriggerOptions."""
    made: list[Engine] = []

    def make(prune: PruneOptions | None = None, **triggers: Any) -> Engine:
        chosen = Settings(prune=prune or PruneOptions(), triggers=TriggerOptions(**triggers))
        made.append(Engine(env, settings=chosen))
        return made[-1]

    yield make
    for engine in made:
        engine.close()


class Growing:
    """A session on disk that grows turn by turn."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.claude, self.runs = folder, Claude().asks("begin"), 0
        self.path = self.claude.write(folder)

    def turn(self, size: int = 40, prompt: int = 0, tool: str = "Bash") -> Path:
        """A call and its result, and what the provider counted for the call."""
        self.runs += 1
        arguments = {"command": f"make part-{self.runs}"}
        self.claude.runs(tool, arguments, lines(f"part {self.runs}", size), prompt=prompt)
        return self.claude.write(self.folder)

    def turns(self, count: int) -> Path:
        for _ in range(count):
            self.turn()
        return self.path

    def answer(self, prompt: int = 0) -> Path:
        self.claude.says(text("done"), prompt=prompt)
        return self.claude.write(self.folder)

    def prompt(self) -> Path:
        self.claude.asks("and now?")
        return self.claude.write(self.folder)


@pytest.fixture
def growing(tmp_path: Path) -> Growing:
    folder = tmp_path / "sessions"
    folder.mkdir()
    return Growing(folder)


def label(told: Due) -> str | None:
    return told.trigger.label if told.trigger else None


def counts(told: Due) -> tuple[int, int]:
    return told.usage.new_results, told.usage.unpruned_results


def decided(outcomes: list[dict[str, Any]]) -> int:
    """How many outputs a prune decided on, or left to wait for more."""
    return sum(one["outputs"] for one in outcomes if one["step"] in DECIDING)


def waiting(outcomes: list[dict[str, Any]]) -> int:
    """How many outputs a prune left to wait for more."""
    return sum(one["outputs"] for one in outcomes if "so far" in one["reason"])


def test_an_exchange_that_ends_is_due_until_it_is_pruned_and_then_no_more(
    engine_with: Ask, growing: Growing
) -> None:
    engine = engine_with()
    path = growing.turns(5)
    going_on = engine.due_transcript(path)
    assert (label(going_on), going_on.usage.moment) == (None, "turn")
    growing.answer()
    ended = engine.due_transcript(path)
    assert label(ended) == "message-end"
    assert ended.reason == "the exchange ended with 2 unpruned tool results"
    assert label(engine_with().due_transcript(path)) == "message-end"
    engine.prune_transcript(path)
    again = engine_with().due_transcript(path)
    assert (label(again), counts(again)) == (None, (0, 0))
    assert again.reason == "no tool result is left that a prune would decide on"
    assert again.reminder == ""


def test_only_what_a_prune_would_decide_on_counts(engine_with: Ask, growing: Growing) -> None:
    path = growing.turns(5)
    growing.turn(tool="Skill")
    growing.turns(3)
    assert counts(engine_with().due_transcript(path)) == (6, 6)
    protecting = engine_with(PruneOptions(protected_tools=("Skill",), keep_turns=1))
    told = protecting.due_transcript(path, reloaded=True)
    assert counts(told) == (0, 7)
    assert told.reminder.startswith("7 unpruned tool results in this context.")
    assert counts(protecting.due_transcript(path, keep_turns=0)) == (1, 8)
    assert counts(protecting.due_transcript(path, keep_turns=9)) == (0, 0)


def test_an_output_to_be_spilled_counts_at_once(engine_with: Ask, growing: Growing) -> None:
    engine = engine_with(PruneOptions(spill_threshold=2000))
    path = growing.turn(size=10)
    assert counts(engine.due_transcript(path)) == (0, 0)
    growing.turn(size=100)
    assert counts(engine.due_transcript(path)) == (1, 1)
    engine.prune_transcript(path)
    assert counts(engine.due_transcript(path)) == (0, 0)


def test_each_asking_counts_on_from_the_one_before_also_in_another_process(
    engine_with: Ask, growing: Growing
) -> None:
    path = growing.turns(5)
    assert counts(engine_with(**OFF).due_transcript(path)) == (2, 2)
    assert counts(engine_with(**OFF).due_transcript(path)) == (0, 2)
    growing.turn()
    assert counts(engine_with(**OFF).due_transcript(path)) == (1, 3)
    engine_with().prune_transcript(path)
    growing.turns(2)
    assert counts(engine_with(**OFF).due_transcript(path)) == (2, 2)


@pytest.mark.parametrize(("tokens", "expected"), [(99_999, None), (100_000, "budget"), (100_001, "budget")])
def test_the_budget_is_held_against_the_providers_count(
    engine_with: Ask, growing: Growing, tokens: int, expected: str | None
) -> None:
    engine = engine_with(**OFF | {"auto_budget_threshold": 0.5})
    growing.turns(4)
    path = growing.answer(tokens)
    told = engine.due_transcript(path, moment="turn", window=WINDOW)
    assert (label(told), told.usage.tokens) == (expected, tokens)
    if expected is None:
        assert told.reason == "the context holds 99,999 tokens, under 100,000"


def test_the_budget_fires_again_only_for_what_came_since(engine_with: Ask, growing: Growing) -> None:
    options = OFF | {"auto_budget_threshold": 0.5}
    path = growing.turns(5)

    def ask(tokens: int) -> str | None:
        return label(engine_with(**options).due_transcript(path, tokens=tokens, window=WINDOW))

    assert ask(150_000) == "budget"
    assert ask(150_000) is None
    engine_with().prune_transcript(path)
    assert ask(150_000) is None
    growing.turn()
    assert ask(40_000) is None
    growing.turn()
    assert ask(100_000) == "budget"


def test_a_jump_is_told_once_and_compared_with_the_turn_before(engine_with: Ask, growing: Growing) -> None:
    options = OFF | {"budget_turn_delta": 0.04}
    path = growing.turns(4)

    def ask(tokens: int) -> tuple[str | None, str]:
        growing.turn()
        told = engine_with(**options).due_transcript(path, tokens=tokens, window=WINDOW)
        return label(told), told.reason

    assert ask(100_000) == (None, "there is no turn before to have grown from")
    assert ask(107_999) == (None, "it grew by 4.0% since the turn before, under 4.0%")
    assert ask(115_999)[0] == "delta"
    assert ask(116_000)[0] is None
    assert ask(50_000)[0] is None
    assert ask(58_000)[0] == "delta"


@pytest.mark.parametrize(("more", "expected"), [(1, None), (0, "frontier-gap"), (-1, "frontier-gap")])
def test_the_gap_is_what_the_results_hold_that_no_prune_has_decided_on(
    engine_with: Ask, growing: Growing, more: int, expected: str | None
) -> None:
    path = growing.turns(6)
    gap = engine_with(**OFF).due_transcript(path).usage.gap_tokens
    assert gap > 500
    told = engine_with(**OFF, frontier_gap_threshold_tokens=gap + more).due_transcript(path, reloaded=True)
    assert label(told) == (expected and "rearmed")
    shown = sum(tokens(utf8_size(lines(f"part {number}", 40))) for number in (1, 2, 3))
    assert gap == shown
    engine_with().prune_transcript(path)
    assert engine_with(**OFF).due_transcript(path).usage.gap_tokens == 0


def test_an_exchange_whose_call_still_waits_has_not_ended(engine_with: Ask, growing: Growing) -> None:
    engine = engine_with()
    growing.turns(5)
    waiting = {"type": "tool_use", "id": "toolu_waits", "name": "Bash", "input": {"command": "sleep"}}
    growing.claude.says(waiting)
    path = growing.claude.write(growing.folder)
    told = engine.due_transcript(path, moment="exchange")
    assert (label(told), told.usage.waiting_calls) == (None, 1)
    assert told.reason.startswith("the exchange goes on, 1 call without a result")
    growing.claude.add({"role": "user", "content": [{"type": "tool_result", "tool_use_id": "toolu_waits"}]})
    growing.answer()
    assert label(engine.due_transcript(path, moment="exchange")) == "message-end"


def test_a_turn_in_flight_can_be_due_by_usage(engine_with: Ask, growing: Growing) -> None:
    growing.turns(5)
    growing.claude.says({"type": "tool_use", "id": "toolu_waits", "name": "Bash", "input": {}})
    path = growing.claude.write(growing.folder)
    told = engine_with().due_transcript(path, tokens=199_000, window=WINDOW)
    assert (label(told), told.usage.waiting_calls) == ("budget", 1)


def test_after_a_reload_what_was_left_counts_until_a_prune_was_tried(engine_with: Ask, growing: Growing) -> None:
    options = OFF | {"auto_budget_threshold": 0.5}
    path = growing.turns(5)

    def ask(tokens: int, reloaded: bool = False) -> str | None:
        told = engine_with(**options).due_transcript(path, tokens=tokens, window=WINDOW, reloaded=reloaded)
        return label(told)

    assert ask(40_000) is None
    assert ask(40_000, reloaded=True) is None
    assert ask(120_000) == "rearmed"
    assert ask(120_000) == "rearmed"
    engine_with().prune_transcript(path, dry_run=True)
    assert ask(120_000) == "rearmed"
    engine_with(PruneOptions(keep_turns=9)).prune_transcript(path)
    assert ask(120_000) is None


def test_a_reload_with_nothing_left_rearms_nothing(engine_with: Ask, growing: Growing) -> None:
    engine = engine_with(**OFF | {"auto_budget_threshold": 0.5})
    path = growing.turns(5)
    engine.prune_transcript(path)
    assert label(engine.due_transcript(path, tokens=150_000, window=WINDOW, reloaded=True)) is None


def test_another_branch_is_a_reload(engine_with: Ask, growing: Growing) -> None:
    options = OFF | {"auto_budget_threshold": 0.5, "budget_turn_delta": 0.04}
    growing.turns(4)
    path = growing.answer()
    fork = growing.claude.last
    growing.prompt()
    growing.turns(4)
    assert label(engine_with(**options).due_transcript(path, tokens=20_000, window=WINDOW)) is None
    growing.claude.last = fork
    growing.prompt()
    told = engine_with(**options).due_transcript(path, tokens=120_000, window=WINDOW)
    assert (label(told), counts(told)) == ("rearmed", (0, 1))


def test_right_after_a_compaction_how_full_the_context_is_is_not_known(engine_with: Ask, growing: Growing) -> None:
    engine = engine_with(**OFF | {"auto_budget_threshold": 0.1, "budget_turn_delta": 0.04})
    growing.turns(4)
    path = growing.answer(150_000)
    assert label(engine.due_transcript(path, window=WINDOW)) == "budget"
    growing.claude.compacts("what was done before")
    growing.turns(4)
    told = engine.due_transcript(path, window=WINDOW)
    assert (label(told), told.usage.tokens) == (None, None)
    assert told.reason == "how much of the window is used is not known"
    growing.answer(21_000)
    assert label(engine.due_transcript(path, window=WINDOW)) == "rearmed"


def test_the_window_is_the_models_or_what_the_settings_say(engine_with: Ask, growing: Growing) -> None:
    path = growing.turns(4)
    told = engine_with().due_transcript(path)
    assert told.usage.window == WINDOW
    assert engine_with().due_transcript(path, window=5).usage.window == 5


def test_asking_writes_nothing_but_what_is_kept_of_it(
    engine_with: Ask, growing: Growing, env: dict[str, str]
) -> None:
    growing.turns(5)
    path = growing.answer()
    before = path.read_bytes()
    engine_with().due_transcript(path)
    root = Path(env["PRUNE_MCP_HOME"])
    [file] = [each for each in root.rglob("*") if each.is_file()]
    assert file.parent == root / "cache" / FOLDER
    assert SESSION not in file.name
    assert len(file.read_bytes()) < 200
    assert path.read_bytes() == before


@pytest.mark.parametrize("content", [b"", b"{}", b"[1]", b'{"share": [1, 0], "rearmed": false, "newest": ""}'])
def test_what_was_kept_and_is_no_longer_whole_counts_as_nothing_kept(
    engine_with: Ask, growing: Growing, env: dict[str, str], content: bytes
) -> None:
    path = growing.turns(5)
    engine_with().due_transcript(path)
    FlushStates(home_of(env)).path(SESSION).write_bytes(content)
    assert counts(engine_with().due_transcript(path)) == (2, 2)
    assert counts(engine_with().due_transcript(path)) == (0, 2)


def test_where_the_asking_cannot_be_kept_the_answer_says_so(
    engine_with: Ask, growing: Growing, env: dict[str, str]
) -> None:
    cache = home_of(env).cache
    cache.mkdir(parents=True)
    (cache / FOLDER).write_text("in the way", encoding="utf-8")
    growing.turns(5)
    told = engine_with().due_transcript(growing.answer())
    assert label(told) == "message-end"
    assert [str(cache / FOLDER) in note for note in told.notes] == [True]


def test_what_a_copy_will_inherit_counts_as_decided(engine_with: Ask, growing: Growing, tmp_path: Path) -> None:
    engine = engine_with()
    growing.turns(6)
    path = growing.answer()
    engine.prune_transcript(path)
    growing.prompt()
    growing.turns(2)
    growing.answer()
    copy = tmp_path / "c0b1ed00-1111-4111-8111-111111111111.jsonl"
    copy.write_bytes(path.read_bytes().replace(SESSION.encode(), copy.stem.encode()))
    assert counts(engine.due_transcript(copy)) == (2, 2)
    assert engine.store.session(copy.stem) is None
    engine.prune_transcript(copy)
    assert counts(engine.due_transcript(copy)) == (0, 0)


def harness() -> Talk:
    talk = Talk().prompt("build it")
    for number in range(6):
        talk.turn(call("Bash", log(60, f"unit-{number}"), command=f"make {number}"))
    return talk


def test_a_harness_asks_about_its_messages_and_sends_them_on_pruned(engine_with: Ask) -> None:
    engine = engine_with()
    talk = harness()
    body = {"model": "claude-opus-4-5", "messages": talk.messages, "max_tokens": 10}
    going_on = engine.due_messages(body)
    assert (label(going_on), going_on.usage.window, counts(going_on)) == (None, WINDOW, (3, 3))
    talk.answer("done")
    ended = engine.due_messages(body)
    assert (label(ended), counts(ended)) == ("message-end", (0, 3))
    answer = engine.prune_messages(body, session=ended.session)
    told = engine.due_messages(answer.messages, session=answer.session)
    assert (label(told), counts(told)) == (None, (0, 0))
    more = Talk(6).prompt("and now?").turn(call("Bash", log(60, "more"), command="make more")).answer("done")
    grown = [*answer.messages["messages"], *more.messages]
    told = engine.due_messages(grown, session=answer.session)
    assert (label(told), counts(told)) == ("message-end", (1, 1))


def test_a_demand_is_due_whatever_is_left(engine_with: Ask) -> None:
    told = engine_with(**OFF).due_messages(harness().messages, moment="demand")
    assert label(told) == "manual"


def test_the_settings_can_leave_pruning_to_demand(engine_with: Ask) -> None:
    told = engine_with(**OFF).due_messages(harness().answer("done").messages)
    assert (label(told), told.reason) == (None, "the settings leave pruning to demand")
    assert told.reminder.startswith("3 unpruned tool results")
    silent = engine_with(**OFF, remind_unpruned_count=False)
    assert silent.due_messages(harness().messages).reminder == ""


def test_a_reused_call_id_is_told_apart_by_what_it_said(engine_with: Ask) -> None:
    engine = engine_with()
    talk = Talk().prompt("go")
    for number in range(5):
        talk.turn(call("Bash", log(60, f"unit-{number}"), id="same", command=f"make {number}"))
    session = engine.prune_messages(talk.messages).session
    assert counts(engine.due_messages(talk.messages, session=session)) == (0, 0)
    talk.turn(call("Bash", log(60, "unit-5"), id="same", command="make 5"))
    assert counts(engine.due_messages(talk.messages, session=session))[1] == 1


@pytest.mark.parametrize("format", FORMATS)
@settings(max_examples=20)
@given(data=st.data())
def test_for_any_messages_what_counts_is_what_a_prune_then_decides_on(format: str, data: st.DataObject) -> None:
    messages, chosen = data.draw(case(format, True))
    with engines(replace(chosen, spill_threshold=65_536)) as make:
        told = make().due_messages(messages, format=format)
        assert told.reason
        outcomes = make().prune_messages(messages, format=format, session=told.session).outcomes
        assert told.usage.unpruned_results == decided(outcomes)
        after = make().due_messages(messages, format=format, session=told.session)
        # A block may stand for what waits as well.
        assert after.usage.unpruned_results <= waiting(outcomes)
        assert after.usage.new_results == 0


def test_what_counts_is_what_a_prune_then_decides_on(engine_with: Ask, shared_sessions: Path) -> None:
    checked = 0
    for path in sorted((shared_sessions / "home").rglob("*.jsonl")):
        if path.stat().st_size > 400_000:
            continue
        engine = engine_with()
        try:
            told = engine.due_transcript(path)
        except SessionError:
            continue
        outcomes = engine.prune_transcript(path).outcomes
        assert told.usage.unpruned_results == decided(outcomes), path
        after = engine.due_transcript(path)
        assert after.usage.unpruned_results == waiting(outcomes), path
        checked += decided(outcomes) > 0
        engine.close()
    assert checked > 5
