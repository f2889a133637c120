"""Pruning sessions on disk while they grow."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from prune_mcp.engine import Engine
from prune_mcp.sessions.transcript import Transcript
from tests.pruning.build import log
from tests.sessions.transcripts.writing import ClaudeFile, tool_use

Make = Callable[..., Engine]


def work(session: ClaudeFile, first: int, count: int) -> None:
    """That many turns with a log each; their names tell them apart."""
    for number in range(first, first + count):
        session.says(tool_use(f"call-{number}", command=f"make {number}"))
        session.result(f"call-{number}", log(40, f"part_{number}.py"))


def view(engine: Engine, path: Path, **more: Any) -> list[dict[str, object]]:
    return list(engine.prune_transcript(path, render=True, **more).messages)


@pytest.mark.requirement("PRU-EFFECT", "SES-READONLY")
def test_a_session_on_disk_is_advised_on_and_its_plan_is_recorded(make_engine: Make, session: ClaudeFile) -> None:
    session.prompt("go")
    work(session, 0, 6)
    before = session.path.read_bytes()
    answer = make_engine().prune_transcript(session.path)
    assert (answer.effect, answer.why, answer.host) == ("advisory", "no-lever", "claude-code")
    assert answer.messages is None
    assert answer.refs == ["t1", "t2", "t3"]
    assert session.path.read_bytes() == before
    assert make_engine().recover(["t2"]).items[0].text == log(40, "part_1.py")


@pytest.mark.requirement("PRU-IDEM", "SES-LIVE")
def test_a_growing_session_renders_as_one_read_at_once(
    make_engine: Make, session: ClaudeFile, tmp_path: Path
) -> None:
    live = make_engine()
    session.prompt("go")
    for first in range(0, 12, 3):
        work(session, first, 3)
        live.prune_transcript(session.path)
    session.says("All done.")
    assert view(live, session.path) == view(make_engine(), session.path)


@pytest.mark.requirement("SES-LIVE")
def test_a_second_prune_reads_the_appended_bytes_only(
    make_engine: Make, session: ClaudeFile, monkeypatch: pytest.MonkeyPatch
) -> None:
    session.prompt("go")
    work(session, 0, 60)
    engine = make_engine()
    engine.prune_transcript(session.path)
    size = session.path.stat().st_size
    work(session, 60, 1)
    read: list[int] = []
    refresh = Transcript.refresh

    def counted(transcript: Transcript) -> int:
        read.append(refresh(transcript))
        return read[-1]

    monkeypatch.setattr(Transcript, "refresh", counted)
    engine.prune_transcript(session.path)
    assert sum(read) == session.path.stat().st_size - size


@pytest.mark.requirement("PRU-IDEM", "REC-LAST")
def test_another_process_renders_the_same_bytes(
    make_engine: Make, session: ClaudeFile, env: dict[str, str]
) -> None:
    session.prompt("go")
    work(session, 0, 8)
    session.says("done")
    here = json.dumps(view(make_engine(), session.path))
    program = (
        "import json, os, sys; from pathlib import Path; from prune_mcp.engine import Engine;"
        "print(json.dumps(list(Engine(os.environ).prune_transcript(Path(sys.argv[1]), render=True).messages)))"
    )
    for seed in ("1", "2"):
        run = subprocess.run(
            [sys.executable, "-c", program, str(session.path)],
            env={**env, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        )
        assert run.stdout.strip() == here


@pytest.mark.requirement("SES-COMPACT", "PRU-RECOVER")
def test_what_was_compacted_away_is_archived_but_not_decided_on(make_engine: Make, session: ClaudeFile) -> None:
    session.prompt("go")
    work(session, 0, 5)
    session.compact()
    session.turn("late", "ok")
    engine = make_engine()
    answer = engine.prune_transcript(session.path)
    assert answer.why == "nothing-to-prune"
    assert engine.recover(["call-3"]).items[0].text == log(40, "part_3.py")
    keys = [output.key for output in engine.store.outputs(answer.session)]
    assert keys[:5] == [f"make {number}" for number in range(5)]


@pytest.mark.requirement("REC-LAST")
def test_refs_come_back_after_the_transcript_is_gone(make_engine: Make, session: ClaudeFile) -> None:
    session.prompt("go")
    work(session, 0, 6)
    answer = make_engine().prune_transcript(session.path)
    session.path.unlink()
    for item, ref in zip(make_engine().recover(answer.refs).items, range(3), strict=True):
        assert item.text == log(40, f"part_{ref}.py")


@pytest.mark.requirement("SES-PERSISTED")
def test_output_that_the_host_moved_to_a_file_comes_back_whole(make_engine: Make, session: ClaudeFile) -> None:
    moved = session.path.with_suffix("") / "tool-results" / "out.txt"
    moved.parent.mkdir(parents=True)
    moved.write_text(log(5000))
    session.prompt("go")
    saved = f"Output too large. Full output saved to: {moved}"
    preview = f"<persisted-output>\n{saved}\n\nPreview:\n{log(30)}\n</persisted-output>"
    session.turn("big", preview)
    work(session, 0, 4)
    engine = make_engine()
    engine.prune_transcript(session.path)
    assert engine.recover(["t1"]).items[0].text == preview
    assert engine.recover(["t1:full"], budget=10**6).items[0].text == log(5000)
