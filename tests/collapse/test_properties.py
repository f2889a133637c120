"""What holds for any conversation that is collapsed and pruned in any order: valid, and nothing lost."""

from __future__ import annotations

import copy

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from prune_mcp.engine.answers import EngineError, PruneAnswer
from prune_mcp.engine.engine import Engine
from tests.conversations import conversations
from tests.pruning.test_properties import (
    CHECKS,
    FORMATS,
    Array,
    answered,
    dumped,
    engines,
    inner,
    options,
    recovered,
    said,
)


def step(engine: Engine, what: str, messages: Array, format: str, session: str | None) -> PruneAnswer | None:
    """One prune or collapse; None where nothing is finished yet."""
    if what == "prune":
        return engine.prune_messages(messages, format=format, session=session)
    try:
        return engine.collapse_messages(messages, format=format, session=session, turns=2 if what == "two" else 1)
    except EngineError:
        return None


@pytest.mark.requirement("COL-BUILD", "PRU-VALID", "PRU-IDEM")
@pytest.mark.parametrize("format", FORMATS)
@settings(max_examples=40)
@given(data=st.data())
def test_a_valid_array_stays_valid_however_often_it_is_collapsed_and_pruned(
    format: str, data: st.DataObject
) -> None:
    messages = data.draw(conversations(format))
    before = copy.deepcopy(messages)
    steps = data.draw(st.lists(st.sampled_from(["one", "two", "prune"]), min_size=1, max_size=4))
    with engines(data.draw(options())) as make:
        view, session = messages, None
        for what in steps:
            answer = step(make(), what, view, format, session)
            if answer is None:
                continue
            assert messages == before
            assert CHECKS[format](answer.messages) == []
            assert answer.tokens_after <= answer.tokens_before
            view, session = answer.messages, answer.session
        if session:
            # Whoever sends the history as it was sees what was decided so far.
            again = make().prune_messages(messages, format=format, session=session)
            assert CHECKS[format](again.messages) == []


@pytest.mark.requirement("COL-BUILD", "PRU-RECOVER", "PRU-ORPHAN")
@pytest.mark.parametrize("format", FORMATS)
@settings(max_examples=40)
@given(data=st.data())
def test_whatever_a_collapse_leaves_out_its_refs_bring_back(format: str, data: st.DataObject) -> None:
    messages = data.draw(conversations(format, valid_only=False))
    with engines(data.draw(options())) as make:
        answer = step(make(), data.draw(st.sampled_from(["one", "two"])), messages, format, None)
        if answer is None:
            return
        sent = answered(format, answer.messages)
        assert [p for p in CHECKS[format](sent) if p.startswith("pairing")] == []
        view = dumped(answer.messages)
        missing = [text for text in said(messages) if inner(text) not in view]
        kept = recovered(make(), answer)
        assert [text for text in missing if not any(text in whole for whole in kept)] == []


@pytest.mark.requirement("COL-BUILD", "COL-REFUSE")
@pytest.mark.parametrize("format", FORMATS)
@settings(max_examples=30)
@given(data=st.data())
def test_collapsing_again_and_again_comes_to_an_end(format: str, data: st.DataObject) -> None:
    messages = data.draw(conversations(format))
    with engines(data.draw(options())) as make:
        view, session = messages, None
        for _ in range(10):
            answer = step(make(), "one", view, format, session)
            if answer is None or answer.why in ("nothing-to-collapse", "thinking-bound"):
                break
            view, session = answer.messages, answer.session
        assert answer is None or answer.why in ("nothing-to-collapse", "thinking-bound")
