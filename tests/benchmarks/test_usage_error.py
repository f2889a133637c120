"""How the error of a context's estimate is measured."""

from __future__ import annotations

from pathlib import Path

import pytest
import usage_error
import usage_steps

from prune_mcp.sessions.transcript import open_transcript
from tests.usage.whole import CALL, size
from tests.usage.writing import Claude, lines, text

pytestmark = pytest.mark.requirement("USE-ROWS")


def steps_of(session: Claude, folder: Path) -> usage_steps.Session:
    path = session.write(folder)
    found = usage_steps.session(path, open_transcript(path))
    assert found is not None
    return found


def test_each_step_is_held_against_what_came_in_and_what_stands_beside_it_is_told_apart(tmp_path: Path) -> None:
    session = Claude().asks("Hello there, you.").says(text("Yes?"), prompt=10_000, output=1)
    session.asks(lines("more", 90)).says(text("Done."), prompt=11_000, output=1)
    session.runs("Bash", {"command": "ls"}, lines("file", 9)).says(text("So."), prompt=11_200, output=1)
    found = steps_of(session, tmp_path)
    assert found.beside == 10_000 - size("Hello there, you.")
    call = size('Bash{"command":"ls"}') + CALL
    assert [(step.counted, step.calls, step.estimate) for step in found.steps] == [
        (1000, 0, size("Yes?") + size(lines("more", 90))),
        (200, 1, size("Done.") + call + size(lines("file", 9))),
    ]
    assert (found.newest, found.estimate) == (11_200, 10_000 - found.beside + sum(s.estimate for s in found.steps))
    assert list(usage_error.errors(found.steps)) == [
        pytest.approx(100 * (step.estimate / step.counted - 1)) for step in found.steps
    ]


def test_what_the_transcript_does_not_hold_is_no_error_of_the_estimate(tmp_path: Path) -> None:
    session = Claude().asks("Hi.").says(text("Yes?"), prompt=10_000, output=1)
    session.asks("And now?").says(text("Done."), prompt=15_000, output=1)
    session.asks("Go on.").says(text("On."), prompt=14_000, output=1)
    found = steps_of(session, tmp_path)
    assert found.held == []
    assert found.unlisted == 5000 - size("Yes?") - size("And now?")
    assert list(usage_error.session_errors([found])) == []
    assert usage_error.held_row("claude-code", [found]) == ()


@pytest.mark.parametrize(("model", "kept"), [("claude-sonnet-4-5", False), ("claude-opus-4-6", True)])
def test_thinking_that_is_not_sent_again_is_not_waited_for(tmp_path: Path, model: str, kept: bool) -> None:
    thought = {"type": "thinking", "thinking": lines("hm", 40), "signature": "c2ln"}
    session = Claude().asks("Hi.").says(thought, text("Yes?"), prompt=10_000, output=1, model=model)
    session.asks("And now?").says(text("Done."), prompt=10_100, output=1, model=model)
    (step,) = steps_of(session, tmp_path).steps
    assert step.estimate == size("Yes?") + size("And now?") + kept * size(lines("hm", 40))


def test_the_numbers_are_found_again_in_steps_that_follow_them() -> None:
    steps = [
        usage_steps.Step(round(n * 97 / 3 + 50 * (n % 4)), n * 97, n % 4, 100 * n, False) for n in range(3, 60)
    ]
    odd = [usage_steps.Step(9000, 100, 0, 5000, False), usage_steps.Step(7000, 200, 1, 4000, False)]
    per_token, per_call = usage_steps.fitted([*steps, *odd])
    assert per_token == pytest.approx(3, rel=0.02)
    assert per_call == pytest.approx(50, rel=0.03)


def test_a_session_that_tells_no_counts_is_none(tmp_path: Path) -> None:
    path = Claude().asks("Hi.").says(text("Yes?")).write(tmp_path)
    assert usage_steps.session(path, open_transcript(path)) is None


def test_recorded_sessions_of_several_hosts_are_measured(shared_sessions: Path) -> None:
    found = usage_error.measured(shared_sessions)
    assert {one.format for one in found} == {"claude-code", "codex", "gemini", "mini-swe-agent", "pi"}
    assert any(usage_error.fitted_rows("Claude", [one for one in found if one.family == "Claude"]))
