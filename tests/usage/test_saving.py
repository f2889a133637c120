"""What costs most with what brings it back, and what pruning now would save."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from prune_mcp.engine import Engine
from prune_mcp.sessions.transcript import open_transcript
from tests.usage.conftest import Weigh
from tests.usage.whole import IMAGE, size
from tests.usage.writing import MODEL, Claude, image, lines, text

pytestmark = pytest.mark.requirement("USE-ROWS")


def long_session() -> Claude:
    """A session with much to prune."""
    session = Claude()
    for number in range(12):
        session.asks(f"Question {number}?").runs("Bash", {"command": f"run {number}"}, lines(f"r{number}", 100))
        session.says(text(f"Answer {number}."), prompt=20_000 + 1000 * number, output=5)
    return session


def test_the_costliest_pieces_come_first_with_what_brings_them_back(
    tmp_path: Path, weigh: Weigh, make_engine: Callable[..., Engine]
) -> None:
    session = Claude().asks(lines("ask", 30)).runs("Read", {"file_path": "/project/a.py"}, lines("a", 90))
    session.runs("Bash", {"command": "make shot"}, [text("shot"), image()])
    session.runs("Write", {"file_path": "/project/b.py", "content": lines("b", 60)}, "written")
    path = session.write(tmp_path)
    answer = weigh(path)
    first, second, third, fourth, *_ = answer.items
    assert (first.ref, first.tool, first.tokens) == ("t2", "Bash", IMAGE + size("shot"))
    assert (second.ref, second.tool, second.key) == ("t1", "Read", "/project/a.py")
    assert (third.category, third.tool, third.key) == ("calls", "Write", "/project/b.py")
    assert (fourth.category, fourth.key[:10]) == ("user", lines("ask", 1)[:10])
    engine = make_engine()
    assert engine.recover([second.ref]).items[0].text == lines("a", 90)
    ids = [entry.id for entry in open_transcript(path).entries]
    assert third.ref.partition("@")[0] in ids
    assert third.ref.partition("@")[2] == answer.session[:8]


def test_pieces_of_messages_passed_in_are_named_by_their_place(weigh: Weigh) -> None:
    messages = [{"role": "user", "content": "Hi."}, {"role": "assistant", "content": lines("said", 50)}]
    assert [item.ref for item in weigh(messages).items] == ["messages[1]", "messages[0]"]


def test_the_saving_is_what_a_dry_run_says_and_nothing_is_pruned(
    tmp_path: Path, weigh: Weigh, make_engine: Callable[..., Engine]
) -> None:
    path = long_session().write(tmp_path)
    answer = weigh(path)
    dry = make_engine().prune_transcript(path, dry_run=True)
    assert (answer.saving.before, answer.saving.after) == (dry.tokens_before, dry.tokens_after)
    assert answer.saving.break_even_cached == dry.break_even_requests
    assert answer.saving.break_even_uncached == 0
    assert make_engine().tree(answer.session).pruned == 0
    assert weigh(path) == answer


def test_break_even_and_dollars_follow_the_model_s_prices(tmp_path: Path, weigh: Weigh) -> None:
    path = long_session().write(tmp_path)
    usual = weigh(path).saving
    saved = usual.before - usual.after
    assert usual.per_request_cached == pytest.approx(saved * 0.5 / 1e6, abs=1e-6)
    assert usual.per_request_uncached == pytest.approx(saved * 5 / 1e6, abs=1e-6)
    cheap = weigh(path, model_prices=(f"{MODEL}=5/2.5/5",)).saving
    assert usual.break_even_cached is not None
    assert cheap.break_even_cached is not None
    # Writing costs one uncached token instead of 1.25, and reading from the cache five times as much.
    assert cheap.break_even_cached == pytest.approx(usual.break_even_cached * (2.5 / 2.5) / (5.75 / 0.5), abs=0.1)


def test_without_prices_the_break_even_is_told_by_usual_shares_and_no_dollars(weigh: Weigh) -> None:
    messages: list[dict[str, Any]] = []
    for number in range(12):
        use = {"type": "tool_use", "id": f"t{number}", "name": "Bash", "input": {"command": f"run {number}"}}
        result = {"type": "tool_result", "tool_use_id": f"t{number}", "content": lines(f"r{number}", 100)}
        messages += [
            {"role": "user", "content": f"Question {number}?"},
            {"role": "assistant", "content": [use]},
            {"role": "user", "content": [result]},
            {"role": "assistant", "content": "Answered."},
        ]
    saving = weigh(messages).saving
    assert saving.after < saving.before
    assert saving.break_even_cached is not None
    assert (saving.per_request_cached, saving.per_request_uncached) == (None, None)


def test_nothing_to_prune_has_no_break_even(weigh: Weigh) -> None:
    saving = weigh([{"role": "user", "content": "Hi."}]).saving
    assert (saving.before, saving.after, saving.break_even_cached) == (1, 1, None)
