"""What is forgotten is gone everywhere: no file of ours holds a byte of it, and others keep all of theirs."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from prune_mcp.engine.due.flush_state import FlushStates
from prune_mcp.storage.sqlite import open_store
from tests.care.conftest import LOG, Shell, exact
from tests.care.test_gc import noise
from tests.server.test_history_cli import CONVERSATION
from tests.sessions.transcripts.writing import ClaudeFile

pytestmark = pytest.mark.requirement("SRV-STORE", "HIS-GONE")

MINE, OTHER, FORK = "aa11-mine", "bb22-other", "cc33-fork"
# Words that search finds, in what no compression hides.
SECRET = "walrusfish" + noise(99, 60)


def holding(shell: Shell, needle: str = SECRET) -> list[str]:
    """The files of ours that hold the needle, in their bytes or in their name."""
    return [str(path) for path in files(shell) if needle.encode() in path.read_bytes() or needle in path.name]


def files(shell: Shell) -> list[Path]:
    """Every file of ours."""
    return [path for path in (shell.home / "prune-mcp").rglob("*") if path.is_file()]


def packed(shell: Shell, session: str, *others: str) -> list[bytes]:
    """Some bytes out of each body that only this session names, as they are kept, compressed or not."""
    store = open_store(shell.place)
    own, *rest = ({o.sha for o in store.outputs(name)} for name in (session, *others))
    store.close()
    connection = sqlite3.connect(shell.place.data / "store.db")
    kept = []
    for sha in sorted(own.difference(*rest)):
        ((data,),) = connection.execute("SELECT data FROM bodies WHERE sha = ?", (sha,)).fetchall()
        if data is None:
            (path,) = shell.place.data.glob(f"bodies/*/{sha}*")
            data = path.read_bytes()
        kept.append(data[-60:-20])
    connection.close()
    return kept


def holding_any(shell: Shell, pieces: list[bytes]) -> set[int]:
    """Which of the pieces stand in any file of ours."""
    data = [path.read_bytes() for path in files(shell)]
    return {number for number, piece in enumerate(pieces) if any(piece in each for each in data)}


@pytest.fixture
def sessions(shell: Shell) -> Shell:
    """A session that holds the secret in every place, a fork of it from before that, and another one; all pruned,
    indexed, searched and recovered."""
    first = shell.session(MINE, *(noise(n, 90_000 if n % 2 else 3_000) for n in range(6)))
    fork = ClaudeFile(first.with_name(f"{FORK}.jsonl"), FORK)
    fork.write(first.read_bytes().replace(MINE.encode(), FORK.encode()))
    file = ClaudeFile(first, MINE)
    file.count = 500
    last = json.loads(first.read_text().splitlines()[-1])["uuid"]
    file.prompt(f"look for {SECRET}", parent=last, cwd=str(shell.folder))
    for number in range(6):
        file.turn(f"secret-{number}", f"{SECRET} {number}\n{noise(200 + number, 90_000 if number % 2 else 3_000)}")
    file.says(f"found {SECRET}")
    file.line({"type": "ai-title", "aiTitle": f"about {SECRET}", "sessionId": MINE})
    shell.session(OTHER, noise(1, 90_000), "an output of its own")
    # A fork is known by what the store knows already.
    shell.run("prune", MINE, "--note", f"mind {SECRET}")
    shell.run("prune", FORK)
    shell.run("prune", OTHER)
    shell.run("index")
    shell.run("search", "walrusfish*")
    shell.run("search", f'"{SECRET}"')
    return shell


def test_no_file_of_ours_holds_a_byte_of_it_and_others_keep_all_of_theirs(sessions: Shell) -> None:
    assert {Path(path).name.partition("-")[0] for path in holding(sessions)} & {"store.db", "catalog.sqlite"}
    pieces = packed(sessions, MINE, FORK, OTHER)
    assert holding_any(sessions, pieces) == set(range(6))
    other, fork = exact(sessions, OTHER, "t1-t2"), exact(sessions, FORK, "t1-t6")
    assert [text.partition("\n")[0] for text in fork] == [noise(n, 90_000 if n % 2 else 3_000) for n in range(6)]
    said = sessions.spawn("forget", MINE, "--yes").stdout
    assert "1 session forgotten:" in said
    assert "12 archived outputs" in said
    assert holding(sessions) == []
    assert holding_any(sessions, pieces) == set()
    assert exact(sessions, OTHER, "t1-t2") == other
    assert exact(sessions, FORK, "t1-t6") == fork
    assert sessions.json("check")["sound"]
    assert "no session" in sessions.run("show", "t1", "--session", MINE, code=1).stderr
    assert sessions.json("search", "walrusfish*")["hits"] == []
    assert {each["session"] for each in sessions.json("stats")["sessions"]} == {OTHER, FORK}


def test_what_was_kept_of_asking_whether_it_is_due_goes_as_well(sessions: Shell) -> None:
    states = {name: FlushStates(sessions.place).path(name) for name in (MINE, OTHER)}
    for name in states:
        sessions.run("prune", name, "--when-due")
    assert all(path.exists() for path in states.values())
    sessions.run("forget", MINE, "--yes")
    assert [path.exists() for path in states.values()] == [False, True]


def test_it_stays_gone_while_the_agent_s_file_is_there_and_only_a_prune_archives_it_again(sessions: Shell) -> None:
    sessions.run("forget", MINE, "--yes")
    sessions.run("index")
    assert "Nothing was found" in sessions.run("search", "walrusfish*").stderr
    sessions.run("stats")
    assert holding(sessions) == []
    sessions.run("prune", MINE)
    assert exact(sessions, MINE, "t7")[0].startswith(SECRET)


def test_a_server_that_runs_meanwhile_keeps_nothing_of_it_and_goes_on(sessions: Shell) -> None:
    program = (
        "import os, sys; from pathlib import Path; from prune_mcp.engine import Engine;"
        "engine = Engine(os.environ);"
        "engine.prune_transcript(Path(sys.argv[1])); engine.recover(['t7'], session=sys.argv[2]);"
        "print('ready', flush=True); sys.stdin.readline();"
        "print([r.id for r in engine.store.sessions()]);"
        "print(len(engine.recover(['t1'], session=sys.argv[3]).items))"
    )
    (path,) = (sessions.home / ".claude").rglob(f"{MINE}.jsonl")
    server = subprocess.Popen(
        [sys.executable, "-c", program, str(path), MINE, OTHER],
        env=sessions.env,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    with server:
        assert server.stdout
        assert server.stdout.readline() == "ready\n"
        sessions.run("forget", MINE, "--yes")
        assert holding(sessions) == []
        said, _ = server.communicate("\n")
    assert said.splitlines() == [f"['{OTHER}', '{FORK}']", "1"]
    assert holding(sessions) == []


def test_what_is_meant_is_listed_and_nothing_goes_without_a_yes(sessions: Shell) -> None:
    before = holding(sessions)
    listed = sessions.run("forget", MINE, code=1)
    assert MINE in listed.stdout
    assert "say --yes" in listed.stderr
    for arguments in (("--dry-run",), ("--dry-run", "--yes"), ()):
        told = sessions.json("forget", MINE, *arguments)
        assert told["forgot"] is None
        (chosen,) = told["chosen"]
        assert (chosen["session"], chosen["outputs"], chosen["passages"] > 12) == (MINE, 12, True)
    assert holding(sessions) == before
    assert sessions.json("forget", MINE, "--yes")["forgot"]["outputs"] == 12


def test_what_would_go_is_told_in_bytes_and_is_what_goes(sessions: Shell) -> None:
    told = sessions.run("forget", MINE, "--dry-run").stdout
    would = sessions.json("forget", MINE, "--dry-run")["would"]
    assert (would["sessions"], would["outputs"]) == (1, 12)
    # The fork names six of them too; the history has the texts of all.
    assert 3 * 90_000 < would["bytes"] < 3 * 110_000 < would["text_bytes"]
    assert "1 session to be forgotten: " in told
    assert "12 archived outputs with " in told
    assert "Nothing was forgotten (--dry-run)." in told
    assert sessions.json("forget", MINE, "--yes")["forgot"] == would


def test_a_beginning_of_several_ids_is_forgotten_by_nobody_unasked(sessions: Shell) -> None:
    sessions.session(f"{MINE}-too", "another output")
    before = holding(sessions)
    for _ in range(2):
        assert len(sessions.json("forget", "aa11-m", "--dry-run")["chosen"]) == 2
        said = sessions.run("forget", "aa11-m", "--yes", code=1).stderr
        assert "Say more of one, or 'aa11-m*' for all of them." in said
        assert holding(sessions) == before
    # A whole id is meant whole.
    assert "1 session forgotten" in sessions.run("forget", f"{MINE}-too", "--yes").stdout
    assert "2 sessions forgotten" in sessions.run("forget", "aa11-m*", "--yes").stdout
    assert holding(sessions) == []


def test_trying_an_undo_changes_nothing(sessions: Shell) -> None:
    sessions.run("forget", MINE, "--yes")
    before = {path: path.read_bytes() for path in files(sessions)}
    told = sessions.run("forget", MINE, "--undo", "--dry-run").stdout
    assert told == "To be indexed again: 1 session; nothing was changed (--dry-run).\n"
    assert sessions.json("forget", MINE, "--undo", "--dry-run") == {"would_remember": 1}
    assert {path: path.read_bytes() for path in files(sessions)} == before
    assert sessions.json("forget", MINE, "--undo") == {"remembered": 1}


def test_a_whole_project_is_forgotten_by_its_folder_or_a_pattern(sessions: Shell) -> None:
    names = [each["session"] for each in sessions.json("forget", str(sessions.folder))["chosen"]]
    assert sorted(names) == [MINE, OTHER, FORK]
    assert len(sessions.json("forget", ".")["chosen"]) == 3
    assert sorted(each["session"] for each in sessions.json("forget", "bb22*")["chosen"]) == [OTHER]
    forgot = sessions.json("forget", sessions.folder.name, "--yes")["forgot"]
    assert (forgot["sessions"], forgot["outputs"]) == (3, 12 + 6 + 2)
    assert sessions.json("stats")["sessions"] == []
    assert holding(sessions) == holding(sessions, noise(1, 90_000)) == []


def test_sessions_that_only_the_store_knows_are_forgotten_too(shell: Shell) -> None:
    messages: list[dict[str, Any]] = [{"role": "user", "content": "go"}]
    for number in range(6):
        use = {"type": "tool_use", "id": f"c{number}", "name": "Bash", "input": {}}
        result = {"type": "tool_result", "tool_use_id": f"c{number}", "content": f"{SECRET} {number}\n{LOG}"}
        messages += [{"role": "assistant", "content": [use]}, {"role": "user", "content": [result]}]
    file = shell.folder / "messages.json"
    file.write_text(json.dumps(messages))
    session = shell.json("prune", str(file))["session"]
    assert holding(shell) != []
    assert shell.json("forget", session[:8])["chosen"][0]["host"] == "anthropic"
    shell.run("forget", session[:8], "--yes")
    assert holding(shell) == []
    assert "Nothing is known of" in shell.run("forget", session[:8], "--yes", code=1).stderr


def test_an_imported_conversation_is_deleted_with_what_was_kept_of_it(shell: Shell, tmp_path: Path) -> None:
    said = [
        {"uuid": "m-1", "sender": "human", "text": f"feed {SECRET}", "content": [], "created_at": "2026-02-03"}
    ]
    conversation = {
        "uuid": CONVERSATION,
        "name": "Zoo",
        "created_at": "2026-02-03T08:00:00Z",
        "chat_messages": said,
    }
    export = tmp_path / "conversations.json"
    export.write_text(json.dumps([conversation]))
    shell.run("import", str(export))
    shell.run("index")
    assert shell.json("search", "feed")["hits"] != []
    assert shell.json("forget", CONVERSATION, "--yes")["forgot"]["imports"] == 1
    assert holding(shell) == []
    assert export.exists()
    told = shell.run("forget", CONVERSATION, "--undo", code=1)
    assert "comes back when it is imported again" in told.stderr


def test_what_was_forgotten_is_found_again_when_it_is_imported_again(shell: Shell, tmp_path: Path) -> None:
    export = tmp_path / "conversations.json"
    said = [{"uuid": "m-1", "sender": "human", "text": f"feed {SECRET}", "content": []}]
    names = [CONVERSATION, CONVERSATION[:-1] + "f"]
    export.write_text(json.dumps([{"uuid": name, "name": "Zoo", "chat_messages": said} for name in names]))
    assert shell.json("import", str(export))["remembered"] == 0
    shell.run("forget", names[0], "--yes")

    told = shell.run("import", str(export))

    assert "1 had been forgotten; imported again, they are found again" in told.stderr
    (hit,) = shell.json("search", "feed")["hits"]
    assert len(hit["copies"]) == 1
    assert shell.json("import", str(export))["remembered"] == 0


def test_a_forgetting_that_was_cut_short_is_brought_to_its_end_by_the_next(sessions: Shell) -> None:
    # As a kill in between leaves it: the records are gone, the files are not.
    store = open_store(sessions.place)
    body = store.outputs(MINE)[7].sha
    store.close()
    (path,) = sessions.place.data.glob(f"bodies/*/{body}*")
    data = path.read_bytes()
    sessions.run("forget", MINE, "--yes")
    path.write_bytes(data)
    (sessions.place.data / "forgetting").write_text(json.dumps([body]))
    assert "A forgetting was cut short" in sessions.run("check").stderr
    assert "A forgetting was cut short" in sessions.run("forget", MINE, "--yes").stderr
    assert not path.exists()
    assert not (sessions.place.data / "forgetting").exists()
    assert "cut short" not in sessions.run("check").stderr
