"""What usage says of recorded sessions, held against a second count: of what a prune then saves, of each piece."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

from prune_mcp.engine import Engine
from prune_mcp.sessions.model import Conversation
from prune_mcp.sessions.transcript import open_transcript
from tests.usage.whole import of_block, of_message, of_session, size

pytestmark = pytest.mark.requirement("USE-ROWS")
Make = Callable[..., Engine]
# What a token costs that is read from the cache, and one that is written into it, beside one sent anew.
READ, WRITTEN = 0.1, 1.25


def sessions(folder: Path) -> list[Path]:
    """The recorded sessions of hosts."""
    return sorted(path for path in folder.glob("home/**/*") if path.suffix in (".json", ".jsonl"))


def test_what_pruning_now_would_save_is_what_a_prune_then_saves(shared_sessions: Path, make_engine: Make) -> None:
    engine, saved = make_engine(), 0
    for path in sessions(shared_sessions):
        answer = engine.usage_transcript(path)
        told = answer.saving
        pruned = engine.prune_transcript(path)
        assert (told.before, told.after) == (pruned.tokens_before, pruned.tokens_after), path.name
        if answer.model.startswith("claude"):
            # A prune knows no model's prices, and takes what Claude's have in common.
            assert told.break_even_cached == pruned.break_even_requests, path.name
        saved += told.before > told.after
    assert saved > 10


def test_the_view_weighs_and_pays_for_itself_as_was_told(
    shared_sessions: Path, make_engine: Make, tmp_path: Path
) -> None:
    engine = make_engine()
    for path in sessions(shared_sessions):
        if path.suffix == ".jsonl" and engine.usage_transcript(path).saving.break_even_cached is not None:
            told = engine.prune_transcript(path, render=True)
            view = reread(told.messages, tmp_path / path.name)
            source = open_transcript(path)
            before, after = of_session(source), of_session(view)
            assert (told.tokens_before, told.tokens_after) == (before, after), path.name
            rest = after - unedited(source, view)
            even = rest * (WRITTEN - READ) / ((before - after) * READ)
            assert told.break_even_requests == pytest.approx(even, abs=0.051), path.name


def reread(entries: Iterable[Any], path: Path) -> Conversation:
    """A view, written as a transcript and read again."""
    path.write_text("".join(json.dumps(entry) + "\n" for entry in entries), encoding="utf-8")
    return open_transcript(path)


def unedited(source: Conversation, view: Conversation) -> int:
    """The tokens of the messages in front that are the same in both."""
    whole = 0
    for one, other in zip(source.messages, view.messages, strict=False):
        said = [[(b.kind, b.images, c.text(b)) for b in m.blocks] for c, m in ((source, one), (view, other))]
        if said[0] != said[1]:
            break
        whole += of_message(source, one)
    return whole


def test_the_costliest_are_the_largest_of_all_and_their_refs_bring_them_back(
    shared_sessions: Path, make_engine: Make
) -> None:
    engine = make_engine()
    for path in sessions(shared_sessions):
        told = engine.usage_transcript(path)
        source = open_transcript(path)
        sizes = sorted((of_block(source, block) for m in source.messages for block in m.blocks), reverse=True)
        assert [item.tokens for item in told.items] == [size for size in sizes[:10] if size], path.name
        for item in told.items:
            if item.category == "results":
                (found,) = engine.recover([item.ref], session=told.session, limit=10, budget=10_000).items
                assert size("x" * found.total) <= item.tokens, item.ref
