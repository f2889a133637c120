"""What lists of sessions say of each is what its tree comes to, though the tree is not built for it."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from prune_mcp.engine import Engine
from prune_mcp.engine.answers import EngineError
from prune_mcp.engine.totals import totals
from prune_mcp.pruning.options import ChainOptions
from tests.ledger.test_ledger import story

pytestmark = pytest.mark.requirement("SRV-STORE")
Make = Callable[..., Engine]


def assert_told(engine: Engine) -> None:
    for record in engine.store.sessions():
        tree = engine.tree(record.id)
        assert totals(engine.store, record.id) == (tree.outputs, tree.pruned, tree.saved), record.id


@pytest.mark.parametrize("window", [0, 1, 3])
def test_totals_are_those_of_the_tree(make_engine: Make, window: int) -> None:
    engine = make_engine(chain_compression=ChainOptions(rolling_window=window))
    talk = story()
    for number in range(4):
        talk.prompt(f"and {number}?").answer(f"so {number}")
        engine.prune_messages(talk.messages, session="s", keep_turns=number % 2)
        assert_told(engine)


def test_totals_of_recorded_sessions_are_those_of_their_trees(shared_sessions: Path, make_engine: Make) -> None:
    engine = make_engine()
    for path in sorted(shared_sessions.glob("home/.claude/projects/*/*.jsonl")):
        engine.prune_transcript(path)
        with suppress(EngineError):
            # One with no finished exchange has nothing to collapse.
            engine.collapse_transcript(path, turns=2)
    assert len(engine.store.sessions()) > 10
    assert_told(engine)
