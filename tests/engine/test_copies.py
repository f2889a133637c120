"""Forks, resumed copies, and several processes on one session."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable

import pytest

from prune_mcp.engine import AmbiguousRef, Engine
from tests.pruning.build import Talk, call, log
from tests.sessions.transcripts.writing import ClaudeFile

Make = Callable[..., Engine]


@pytest.mark.requirement("REC-AMBIG", "PRU-RECOVER")
def test_a_fork_inherits_its_source_s_refs_and_counts_on(make_engine: Make, session: ClaudeFile) -> None:
    session.prompt("go")
    for number in range(6):
        session.turn(f"call-{number}", log(40, f"part_{number}.py"))
    engine = make_engine()
    source = engine.prune_transcript(session.path)
    name = "f0000000-0000-4000-8000-000000000002"
    fork = ClaudeFile(session.path.with_name(f"{name}.jsonl"), name)
    lines = session.path.read_text().splitlines()
    fork.write("".join(line.replace(session.session, fork.session) + "\n" for line in lines[:9]).encode())
    fork.count, fork.tip = 500, str(json.loads(lines[8])["uuid"])
    for number in range(5):
        fork.turn(f"new-{number}", log(40, f"other_{number}.py"))
    answer = engine.prune_transcript(fork.path)
    assert answer.session == fork.session
    record = engine.store.session(fork.session)
    assert record is not None
    assert record.parent == source.session
    refs = {output.call_id: output.ref for output in engine.store.outputs(fork.session)}
    assert refs == {**{f"call-{n}": n + 1 for n in range(4)}, **{f"new-{n}": n + 7 for n in range(5)}}
    assert engine.recover(["t2"], session=fork.session).items[0].text == log(40, "part_1.py")
    assert engine.recover([f"t7@{fork.session[:8]}"]).items[0].text == log(40, "other_0.py")


@pytest.mark.requirement("REC-AMBIG")
def test_a_bare_ref_that_several_sessions_could_mean_names_them_and_returns_nothing(make_engine: Make) -> None:
    engine = make_engine()
    for name in ("first", "second"):
        talk = Talk().prompt(f"go {name}").turn(call("Bash", log(40, name), command=f"make {name}")).turns(4)
        engine.prune_messages(talk.messages, session=name)
    with pytest.raises(AmbiguousRef) as error:
        engine.recover(["t1"])
    assert all(name in str(error.value) for name in ("first", "second", "make first", "make second"))


def test_processes_that_prune_one_session_at_once_agree(env: dict[str, str], session: ClaudeFile) -> None:
    session.prompt("go")
    for number in range(12):
        session.turn(f"call-{number}", log(40, f"part_{number}.py"))
    session.says("done")
    program = (
        "import json, os, sys; from pathlib import Path; from prune_mcp.engine import Engine;"
        "e = Engine(os.environ);"
        "prune = lambda: list(e.prune_transcript(Path(sys.argv[1]), render=True).messages);"
        "views = [json.dumps(prune()) for _ in range(5)];"
        "print(len(set(views)), views[0])"
    )
    running = [
        subprocess.Popen(
            [sys.executable, "-c", program, str(session.path)],
            env=env,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for _ in range(4)
    ]
    said = [process.communicate(timeout=120) for process in running]
    assert [errors for _, errors in said] == [""] * 4
    assert {out for out, _ in said} == {said[0][0]}
    assert said[0][0].startswith("1 ")
    engine = Engine(env)
    refs = [output.ref for output in engine.store.outputs(session.session)]
    assert refs == list(range(1, 13))
    assert len(engine.store.flushes(session.session)) == 1
    engine.close()
