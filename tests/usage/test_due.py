"""Beside what fills the context stands whether a prune is due by the triggers of the settings."""

from __future__ import annotations

from pathlib import Path

import pytest

from prune_mcp.engine import Engine, Settings
from prune_mcp.pruning.trigger_options import TriggerOptions
from prune_mcp.server.tools.usage_text import structured, text
from tests.pruning.build import Talk, call, log
from tests.usage.writing import Claude, lines
from tests.usage.writing import text as words

pytestmark = pytest.mark.requirement("PRU-BATCH", "USE-ROWS")
LINE = "a prune is due: "


@pytest.fixture
def worked(tmp_path: Path) -> Path:
    """A finished exchange of six turns."""
    claude = Claude().asks("build it")
    for number in range(6):
        claude.runs("Bash", {"command": f"make {number}"}, lines(f"unit {number}", 60))
    return claude.says(words("done")).write(tmp_path)


def test_a_prune_that_is_due_is_told_in_one_line_until_it_was_made(env: dict[str, str], worked: Path) -> None:
    engine = Engine(env)
    for _ in range(2):
        answer = engine.usage_transcript(worked)
        assert answer.due == structured(answer)["due"] == "the exchange ended with 3 unpruned tool results"
        assert [line for line in text(answer).splitlines() if LINE in line] == [LINE + answer.due]
    assert engine.due_transcript(worked).usage.new_results == 3
    engine.prune_transcript(worked)
    answer = engine.usage_transcript(worked)
    assert (answer.due, LINE in text(answer)) == ("", False)
    engine.close()


def test_it_goes_by_the_whole_of_what_fills_the_context(env: dict[str, str]) -> None:
    talk = Talk().prompt("build it")
    for number in range(6):
        talk.turn(call("Bash", log(60, f"unit-{number}"), command=f"make {number}"))
    system = "Follow the rules. " * 4000
    body = {"model": "claude-opus-4-5", "system": system, "messages": talk.messages}
    with_window = Settings(triggers=TriggerOptions(auto_budget_threshold=0.1, prune_on="on-demand"))
    engine = Engine(env, settings=with_window)
    answer = engine.usage_messages(body)
    assert answer.total >= 20_000
    assert answer.due == f"the context holds {answer.total:,} tokens, at or over 20,000"
    assert engine.usage_messages({**body, "system": ""}).due == ""
    engine.close()


def test_where_no_trigger_is_set_nothing_is_told(env: dict[str, str], worked: Path) -> None:
    engine = Engine(env, settings=Settings(triggers=TriggerOptions(0, 0, 0, "on-demand")))
    assert engine.usage_transcript(worked).due == ""
    engine.close()
