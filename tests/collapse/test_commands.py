"""`prune-mcp collapse` and `prune-mcp record` as people and scripts use them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.pruning.build import Talk, call, log
from tests.server.shell import Shell
from tests.server.transcripts import write_session
from tests.sessions.transcripts.writing import ClaudeFile

REPORT = log(60, "report")


@pytest.fixture
def shell(home: Path, tmp_path: Path) -> Shell:
    return Shell(home, tmp_path)


@pytest.mark.requirement("COL-BUILD")
def test_collapse_takes_the_newest_session_of_the_folder(shell: Shell, home: Path) -> None:
    path = write_session(home, "abcd-1234", shell.folder, outputs=[f"{n}\n{REPORT}" for n in range(3)])
    before = path.read_bytes()
    done = shell.run("collapse", "--turns", "2")
    assert "session abcd-1234 of claude-code, the newest of this folder" in done.stderr
    assert done.stdout.startswith("advisory (no-lever)")
    assert "collapsed: question 1\ncollapsed: question 2\n" in done.stdout
    assert "outcome: answer 2" in done.stdout
    assert "`prune-mcp show REF`" in done.stdout
    assert path.read_bytes() == before
    shown = shell.run("show", "b1", "--session", "abcd-1234")
    assert f"2\n{REPORT}" in shown.stdout
    answer = shell.json("collapse", "abcd")
    assert (answer["prompts"], answer["block"]) == (["question 0"], "b2")
    assert [entry["message"]["content"] for entry in answer["messages"]][2] == answer["text"]


@pytest.mark.requirement("COL-BUILD", "COL-REFUSE")
def test_collapse_reads_messages_from_a_file(shell: Shell) -> None:
    talk = Talk().prompt("Fix it.").turn(call("Bash", REPORT, command="make"))
    (shell.folder / "talk.json").write_text(json.dumps(talk.messages), encoding="utf-8")
    refused = shell.run("collapse", "talk.json", code=1)
    assert refused.stderr.startswith("prune-mcp: There is nothing to collapse: the only exchange is still open.")
    (shell.folder / "talk.json").write_text(json.dumps(talk.answer("Done.").messages), encoding="utf-8")
    answer = shell.json("collapse", "talk.json")
    assert (answer["effect"], len(answer["messages"])) == ("applied", 2)


@pytest.mark.requirement("COL-REFUSE")
def test_a_number_of_exchanges_that_is_none_is_refused(shell: Shell) -> None:
    done = shell.run("collapse", "--turns", "none", code=2)
    assert "it takes a whole number of at least 1, not 'none'" in done.stderr


@pytest.mark.requirement("COL-RECORD")
def test_record_shows_what_the_person_wrote(shell: Shell) -> None:
    session = ClaudeFile(shell.folder / "5e551014-0000-4000-8000-000000000001.jsonl")
    session.prompt("First.")
    session.says("Yes.")
    session.compact()
    session.prompt("Second.")
    told = shell.run("record", str(session.path)).stdout
    assert told.endswith("--- ask 00000001@5e551014 2026-01-01T00:00Z chars=6\nFirst.\n")
    answer = shell.json("record", str(session.path), "--at", "1")
    assert (answer["compaction"], answer["compactions"], answer["omitted"]) == (1, 1, [])
    assert answer["inputs"] == [
        {"kind": "ask", "ref": "00000001@5e551014", "text": "First.", "time": "2026-01-01T00:00Z", "missing": 0}
    ]
    assert answer["text"] == told.rstrip("\n")
    refused = shell.run("record", str(session.path), "--at", "2", code=1)
    assert "has 1 compaction, the first is 1." in refused.stderr
