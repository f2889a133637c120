"""When a caller should prune: every trigger, its guards, and its exact boundary."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prune_mcp.pruning.trigger_options import TriggerOptions
from prune_mcp.pruning.triggers import CEILING, Label, TriggerState, Usage, reminder, should_flush, why_not

pytestmark = pytest.mark.requirement("PRU-BATCH")

OFF = TriggerOptions(auto_budget_threshold=0, budget_turn_delta=0, prune_on="on-demand")
ORDER: tuple[Label, ...] = ("manual", "message-end", "budget", "delta", "frontier-gap")


def label(usage: Usage, options: TriggerOptions, state: TriggerState | None = None) -> Label | None:
    trigger = should_flush(usage, state or TriggerState(), options)
    return trigger.label if trigger else None


def budget(share: float) -> TriggerOptions:
    return TriggerOptions(auto_budget_threshold=share, budget_turn_delta=0, prune_on="on-demand")


def delta(share: float) -> TriggerOptions:
    return TriggerOptions(auto_budget_threshold=0, budget_turn_delta=share, prune_on="on-demand")


def gap(tokens: int) -> TriggerOptions:
    return TriggerOptions(0, 0, tokens, "on-demand")


def after(tokens: int, window: int) -> TriggerState:
    return TriggerState().passed(Usage(tokens, window, new_results=1))


@pytest.mark.parametrize(
    ("share", "window", "level"),
    [
        (0.8, 200_000, 160_000),
        (0.7, 10, 7),
        (0.735, 200_000, 147_000),
        (1.0, 200_000, 200_000),
        (0.9, 256_000, 230_400),
        (1.0, 300_000, 300_000),
        (0.75, 400_000, 300_000),
        (0.9, 1_000_000, CEILING),
        (0.4, 1_000_000, CEILING),
        (0.1, 1_000_000, 100_000),
    ],
)
def test_the_budget_is_a_share_of_the_window_and_never_over_the_ceiling(
    share: float, window: int, level: int
) -> None:
    assert label(Usage(level - 1, window, new_results=1), budget(share)) is None
    assert label(Usage(level, window, new_results=1), budget(share)) == "budget"
    assert label(Usage(level + 1, window, new_results=1), budget(share)) == "budget"


@pytest.mark.parametrize("share", [0.0, -0.5, 1.01, 80.0, float("nan"), float("inf")])
def test_a_share_that_is_none_switches_its_trigger_off(share: float) -> None:
    full = Usage(10**9, 200_000, new_results=1)
    assert label(full, budget(share)) is None
    assert label(full, delta(share), after(0, 200_000)) is None


@pytest.mark.parametrize(("tokens", "window"), [(None, 200_000), (190_000, 0), (190_000, -1), (None, 0)])
def test_what_is_not_known_triggers_nothing_and_is_no_turn_to_compare_with(
    tokens: int | None, window: int
) -> None:
    unknown = Usage(tokens, window, new_results=1)
    before = after(100_000, 200_000)
    assert label(unknown, TriggerOptions(prune_on="on-demand"), before) is None
    assert before.passed(unknown) == before
    assert label(Usage(108_000, 200_000, new_results=1), delta(0.04), before.passed(unknown)) == "delta"


@pytest.mark.parametrize(
    ("before", "window", "least"),
    [
        (40_000, 200_000, 8_000),
        (100_000, 200_000, 8_000),
        (0, 200_000, 8_000),
        (100_000, 300_000, 12_000),
        (100_000, 1_000_000, 12_000),
        (600_000, 1_000_000, 12_000),
    ],
)
def test_a_jump_is_measured_against_the_window_or_the_ceiling_and_goes_on_above_it(
    before: int, window: int, least: int
) -> None:
    state = after(before, window)
    assert label(Usage(before + least - 1, window, new_results=1), delta(0.04), state) is None
    assert label(Usage(before + least, window, new_results=1), delta(0.04), state) == "delta"


def test_a_jump_needs_a_turn_before_it_and_a_context_that_shrank_is_none() -> None:
    assert label(Usage(190_000, 200_000, new_results=1), delta(0.04)) is None
    assert label(Usage(10_000, 200_000, new_results=1), delta(0.04), after(190_000, 200_000)) is None
    assert label(Usage(190_000, 200_000, new_results=1), delta(0.04), TriggerState.reloaded(3)) is None


def test_a_turn_without_results_is_no_turn_to_compare_with() -> None:
    state = after(100_000, 200_000)
    talked = state.passed(Usage(104_000, 200_000))
    assert label(Usage(108_000, 200_000, new_results=1), delta(0.04), talked) == "delta"
    worked = state.passed(Usage(104_000, 200_000, new_results=1))
    assert label(Usage(108_000, 200_000, new_results=1), delta(0.04), worked) is None


def test_each_jump_is_told_once() -> None:
    state = after(100_000, 200_000)
    jumped = Usage(150_000, 200_000, new_results=1)
    assert label(jumped, delta(0.04), state) == "delta"
    assert label(jumped, delta(0.04), state.passed(jumped).flushed()) is None


@pytest.mark.parametrize(("tokens", "fires"), [(19_999, None), (20_000, "frontier-gap"), (20_001, "frontier-gap")])
def test_the_gap_behind_the_frontier_needs_no_window(tokens: int, fires: Label | None) -> None:
    assert label(Usage(new_results=1, gap_tokens=tokens), gap(20_000)) == fires
    assert label(Usage(new_results=1, gap_tokens=tokens), gap(0)) is None
    assert label(Usage(new_results=1, gap_tokens=tokens), gap(-1)) is None


@pytest.mark.parametrize("options", [budget(0.5), delta(0.04), gap(20_000)])
def test_a_turn_that_brought_nothing_to_prune_triggers_nothing_by_usage(options: TriggerOptions) -> None:
    state = after(0, 200_000)
    brought = Usage(150_000, 200_000, new_results=1, gap_tokens=30_000)
    nothing = Usage(150_000, 200_000, unpruned_results=5, gap_tokens=30_000)
    assert label(brought, options, state) is not None
    assert label(nothing, options, state) is None


def test_the_end_of_an_exchange_is_a_reason_unless_pruning_is_left_to_demand() -> None:
    ended = Usage(moment="exchange", unpruned_results=2)
    assert label(ended, TriggerOptions()) == "message-end"
    assert label(ended, TriggerOptions(prune_on="on-demand")) is None
    assert label(Usage(moment="exchange"), TriggerOptions()) is None
    assert label(Usage(moment="turn", unpruned_results=2), TriggerOptions()) is None


def test_an_exchange_has_not_ended_while_a_call_waits_for_its_result() -> None:
    waiting = Usage(190_000, 200_000, "exchange", 1, 2, waiting_calls=1)
    assert label(waiting, TriggerOptions(0, 0)) is None
    assert label(replace(waiting, waiting_calls=0), TriggerOptions(0, 0)) == "message-end"
    assert label(waiting, TriggerOptions()) == "budget"
    assert label(replace(waiting, moment="demand"), TriggerOptions()) == "manual"


def test_a_budget_that_was_met_can_be_met_again_once_the_context_has_shrunk() -> None:
    state, options = TriggerState(), budget(0.5)
    met = []
    for tokens in (99_999, 100_000, 60_000, 99_999, 100_000):
        usage = Usage(tokens, 200_000, new_results=1)
        met.append(label(usage, options, state))
        state = state.passed(usage).flushed() if met[-1] else state.passed(usage)
    assert met == [None, "budget", None, None, "budget"]


def test_after_a_prune_a_context_that_stays_full_triggers_nothing_until_something_new_came() -> None:
    full = Usage(190_000, 200_000, new_results=1)
    state = TriggerState.reloaded(3).passed(full).flushed()
    assert label(replace(full, new_results=0), budget(0.5), state) is None
    assert label(full, budget(0.5), state) == "budget"


def test_a_demand_is_always_a_reason() -> None:
    assert label(Usage(moment="demand"), OFF) == "manual"
    assert after(1000, 200_000).passed(Usage(9000, 200_000, "demand", 1)) == after(1000, 200_000)


@pytest.mark.parametrize("moment", ["turn", "exchange"])
def test_after_a_reload_with_results_left_usage_counts_without_new_ones(
    moment: Literal["turn", "exchange"],
) -> None:
    full = Usage(190_000, 200_000, moment)
    assert label(full, budget(0.8), TriggerState.reloaded(0)) is None
    assert label(full, budget(0.8), TriggerState.reloaded(1)) == "rearmed"
    assert label(Usage(gap_tokens=20_000), gap(20_000), TriggerState.reloaded(1)) == "rearmed"


def test_being_rearmed_triggers_nothing_by_itself_and_ends_with_the_next_prune() -> None:
    state = TriggerState.reloaded(4)
    assert label(Usage(100_000, 200_000), budget(0.8), state) is None
    full = Usage(190_000, 200_000)
    assert label(full, budget(0.8), state.passed(Usage(100_000, 200_000))) == "rearmed"
    assert label(full, budget(0.8), state.flushed()) is None
    assert state.flushed() == TriggerState()


def test_a_rearmed_turn_with_results_of_its_own_is_told_by_what_triggered() -> None:
    full = Usage(190_000, 200_000, new_results=1)
    assert label(full, budget(0.8), TriggerState.reloaded(1)) == "budget"
    rearmed = TriggerState(share=Fraction(1, 2), rearmed=True)
    assert label(Usage(190_000, 200_000, "exchange", 0, 3), TriggerOptions(), rearmed) == "message-end"


def test_a_reload_forgets_the_turn_before() -> None:
    assert TriggerState.reloaded(0) == TriggerState()
    assert after(100_000, 200_000).share == Fraction(1, 2)


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (TriggerOptions(0.5, 0.04, 1, "agent-message"), "message-end"),
        (TriggerOptions(0.5, 0.04, 1, "on-demand"), "budget"),
        (TriggerOptions(0, 0.04, 1, "on-demand"), "delta"),
        (TriggerOptions(0, 0, 1, "on-demand"), "frontier-gap"),
        (OFF, None),
    ],
)
def test_where_all_is_met_the_first_in_order_is_told(options: TriggerOptions, expected: Label | None) -> None:
    everything = Usage(190_000, 200_000, "exchange", new_results=1, unpruned_results=1, gap_tokens=1)
    assert label(everything, options, after(0, 200_000)) == expected
    assert label(replace(everything, moment="demand"), options, after(0, 200_000)) == "manual"


USAGES = st.builds(
    Usage,
    tokens=st.none() | st.integers(0, 1_200_000),
    window=st.sampled_from([0, 32_000, 200_000, 300_000, 1_000_000]),
    moment=st.sampled_from(["turn", "exchange", "demand"]),
    new_results=st.integers(0, 2),
    unpruned_results=st.integers(0, 3),
    gap_tokens=st.integers(0, 50_000),
    waiting_calls=st.integers(0, 1),
)
STATES = st.builds(TriggerState, share=st.none() | st.fractions(min_value=0, max_value=1), rearmed=st.booleans())
OPTIONS = st.builds(
    TriggerOptions,
    auto_budget_threshold=st.sampled_from([0.0, 0.1, 0.735, 1.0]),
    budget_turn_delta=st.sampled_from([0.0, 0.04, 1.0]),
    frontier_gap_threshold_tokens=st.sampled_from([0, 1, 20_000]),
    prune_on=st.sampled_from(["agent-message", "on-demand"]),
)


@given(USAGES, STATES, OPTIONS)
def test_of_several_reasons_the_first_in_order_is_told(
    usage: Usage, state: TriggerState, options: TriggerOptions
) -> None:
    alone = [
        label(usage, one, state)
        for one in (
            TriggerOptions(0, 0, 0, options.prune_on),
            budget(options.auto_budget_threshold),
            delta(options.budget_turn_delta),
            gap(options.frontier_gap_threshold_tokens),
        )
    ]
    assert label(usage, options, state) == next((found for found in alone if found), None)
    assert alone[0] in (None, "manual", "message-end")
    if usage.new_results and usage.moment != "demand":
        assert [found for found in alone if found] == [found for found in ORDER if found in alone]


@given(USAGES, STATES, OPTIONS)
def test_asking_twice_gives_the_same_answer_with_its_numbers(
    usage: Usage, state: TriggerState, options: TriggerOptions
) -> None:
    trigger = should_flush(usage, state, options)
    assert trigger == should_flush(usage, state, options)
    if trigger and trigger.label == "budget":
        assert f"{usage.tokens:,} tokens" in trigger.reason
    if trigger and trigger.label == "frontier-gap":
        assert f"{usage.gap_tokens:,} tokens" in trigger.reason


@given(USAGES, STATES, OPTIONS)
def test_where_nothing_is_met_the_reason_is_told(
    usage: Usage, state: TriggerState, options: TriggerOptions
) -> None:
    if should_flush(usage, state, options) is None:
        assert why_not(usage, state, options)


@pytest.mark.parametrize(
    ("usage", "options", "told"),
    [
        (Usage(9, 200_000), TriggerOptions(), "no tool result is left that a prune would decide on"),
        (Usage(9, 200_000, unpruned_results=2), OFF, "the settings leave pruning to demand"),
        (
            Usage(9, 200_000, unpruned_results=2),
            budget(0.5),
            "nothing that a prune would decide on has come since the last time",
        ),
        (Usage(99_999, 200_000, "turn", 1), budget(0.5), "the context holds 99,999 tokens, under 100,000"),
        (Usage(400_000, 0, "turn", 1), budget(0.5), "how much of the window is used is not known"),
        (Usage(1000, 200_000, "turn", 1), delta(0.04), "there is no turn before to have grown from"),
        (
            Usage(gap_tokens=19_999, new_results=1),
            gap(20_000),
            "results past the frontier hold 19,999 tokens, under 20,000",
        ),
        (
            Usage(9, 200_000, "exchange", 1, 2, waiting_calls=2),
            TriggerOptions(0, 0),
            "the exchange goes on, 2 calls without a result",
        ),
        (
            Usage(9, 200_000, "turn", 1, 2),
            TriggerOptions(0.5, 0),
            "the exchange goes on; the context holds 9 tokens, under 100,000",
        ),
    ],
)
def test_why_nothing_is_met_is_told_with_the_numbers(usage: Usage, options: TriggerOptions, told: str) -> None:
    assert should_flush(usage, TriggerState(), options) is None
    assert why_not(usage, TriggerState(), options) == told


def test_a_context_that_shrank_has_not_grown() -> None:
    told = why_not(Usage(10_000, 200_000, new_results=1), after(190_000, 200_000), delta(0.04))
    assert told == "it grew by 0.0% since the turn before, under 4.0%"


def test_a_model_is_reminded_of_how_many_results_it_could_prune() -> None:
    assert reminder(1).startswith("1 unpruned tool result in this context.")
    assert reminder(1200).startswith("1,200 unpruned tool results in this context.")
    assert "prune_context" in reminder(9)
    assert reminder(0) == reminder(-1) == ""
    assert reminder(9, TriggerOptions(remind_unpruned_count=False)) == ""
