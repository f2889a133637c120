"""Pruning trajectories where they lie: views that the agent could go on from, and every output back."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from prune_mcp.engine import Engine
from prune_mcp.pruning.options import ChainOptions, OpenChainOptions
from prune_mcp.pruning.pairing import pair
from prune_mcp.sessions.exports.bring import import_export
from prune_mcp.sessions.reader import Reader
from prune_mcp.sessions.transcript import open_transcript
from prune_mcp.sessions.view import View
from tests.pruning.build import log
from tests.sessions.trajectories.build import Json, acts, history, message, native, observed, run, save, thinks
from tests.validity_exports import added_faults

pytestmark = pytest.mark.requirement("SES-TRAJ")

Make = Callable[..., Engine]
AGGRESSIVE = {
    "keep_turns": 1,
    "chain_compression": ChainOptions(rolling_window=0),
    "open_chain": OpenChainOptions(keep_turns=1, min_tokens=200),
}
LONG = "cat > big.py <<'EOF'\n" + "x = 1\n" * 400 + "EOF"


def texts() -> Json:
    """Commands in the text; every fourth fails, and every sixth answer has no command."""
    messages = []
    for number in range(16):
        if number % 6 == 5:
            messages += [message("assistant", "I forgot."), message("user", "Please give EXACTLY ONE action.")]
        messages += [acts(LONG if number % 4 == 3 else f"make {number}", f"THOUGHT: step {number}")]
        messages += [observed(log(60, f"part_{number}.py"), int(number % 4 == 3))]
    return run(*messages)


def calls() -> Json:
    """Native calls, two at once; the last one waits for its output."""
    messages = []
    for number in range(10):
        ids = [f"call_{number}_{part}" for part in "ab"]
        messages.append(native((ids[0], f"make {number}"), (ids[1], LONG), text=f"Step {number}."))
        for id in ids:
            failed = {"extra": {"returncode": int(id.endswith("b"))}}
            messages.append(message("tool", log(50, f"{id}.py"), tool_call_id=id, **failed))
    return run(*messages, native(("call_last", "submit")))


def thoughts() -> Json:
    """SWE-agent's thought-and-action form."""
    messages = []
    for number in range(12):
        messages.append(thinks(f"Step {number}.", f"edit 1:{number}\n{'line ' * 300}\nend_of_edit"))
        messages.append(message("user", log(60, f"file_{number}.py"), agent="main"))
    return history(
        *messages, thinks("Done.", "submit"), steps=[{"action": "submit", "observation": log(40, "diff")}]
    )


FORMS = {"run.traj.json": texts, "calls.traj.json": calls, "run.traj": thoughts}


@pytest.fixture(params=FORMS)
def path(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A trajectory with much to prune."""
    return save(tmp_path, FORMS[request.param](), request.param)


@pytest.fixture(params=[{"keep_turns": 1}, AGGRESSIVE], ids=["stubs", "chains"])
def options(request: pytest.FixtureRequest) -> dict[str, Any]:
    """How much is pruned."""
    return dict(request.param)


def again(path: Path, messages: list[Json]) -> Reader:
    """The trajectory with these messages in place of its own, as it is read."""
    value = json.loads(path.read_bytes())
    changed = {"history": messages, "trajectory": []} if "history" in value else {"messages": messages}
    folder = path.parent / "again"
    folder.mkdir()
    return open_transcript(save(folder, value | changed, path.name))


def test_every_output_comes_back_byte_for_byte(path: Path, make_engine: Make, options: dict[str, Any]) -> None:
    session = open_transcript(path)
    originals = [session.text(result) for result in session.archive()]
    assert originals
    make_engine(**options).prune_transcript(path)
    engine = make_engine()
    refs = [f"t{number}" for number in range(1, len(originals) + 1)]
    recovered = [engine.recover([ref], session=session.session, budget=10**6).items[0].text for ref in refs]
    assert recovered == originals


def test_a_view_pairs_each_command_with_its_output(path: Path, make_engine: Make, options: dict[str, Any]) -> None:
    answer = make_engine(**options).prune_transcript(path, render=True)
    view = list(answer.messages)
    session = again(path, view)
    pairing = pair(session.messages, session.format)
    assert (pairing.calls, pairing.results) == ([], [])
    assert answer.tokens_after < answer.tokens_before
    assert session.messages[0].role == "system"
    assert session.messages[1].prompt
    raw = list(open_transcript(path).render(View()))
    assert list(added_faults(session.format, raw, view)) == []


def test_a_call_without_output_says_so_in_words(tmp_path: Path, make_engine: Make) -> None:
    path = save(tmp_path, calls())
    view = list(make_engine().prune_transcript(path, render=True).messages)
    assert view[-1]["role"] == "assistant"
    assert "submit" in view[-1]["content"]
    assert not view[-1].get("tool_calls")


def test_a_command_that_failed_gives_its_text_back(tmp_path: Path, make_engine: Make) -> None:
    path = save(tmp_path, texts())
    engine = make_engine(keep_turns=1)
    answer = engine.prune_transcript(path, render=True)
    view = list(answer.messages)
    purged = [m["content"] for m in view if m["role"] == "assistant" and ":args" in m["content"]]
    assert purged
    assert all(text.startswith("THOUGHT: step") and "```bash" in text for text in purged)
    ref = next(ref for ref in answer.refs if ref.endswith(":args"))
    recovered = engine.recover([ref], session=answer.session, budget=10**6).items[0].text
    assert json.loads(recovered) == {"command": LONG}


def test_a_copy_that_was_imported_is_the_same_session(path: Path, tmp_path: Path, make_engine: Make) -> None:
    import_export(path, tmp_path / "imports")
    [copy] = [file for file in (tmp_path / "imports").rglob("*") if file.is_file()]
    assert open_transcript(copy).session == open_transcript(path).session
    assert copy.read_bytes() == path.read_bytes()
    engine = make_engine(keep_turns=1)
    assert engine.prune_transcript(copy).refs == engine.prune_transcript(path).refs


def recorded(shared: Path) -> list[Path]:
    folders = [shared / "messages" / agent for agent in ("mini-swe-agent", "swe-agent")]
    return sorted(path for folder in folders for path in folder.iterdir())


def test_recorded_trajectories_prune_and_come_back(shared_sessions: Path, make_engine: Make) -> None:
    engine = make_engine(**AGGRESSIVE)
    for path in recorded(shared_sessions):
        session = open_transcript(path)
        pairing = pair(session.messages, session.format)
        assert (pairing.calls, pairing.results) == ([], [])
        answer = engine.prune_transcript(path, render=True)
        view = list(answer.messages)
        assert list(added_faults(session.format, list(session.render(View())), view)) == []
        assert len(view) < len(session.messages)
        assert answer.tokens_after < answer.tokens_before
        assert answer.diagnostics == []
        for number, result in enumerate(session.archive(), 1):
            ref = engine.recover([f"t{number}"], session=session.session, budget=10**7)
            assert ref.items[0].text == session.text(result)
