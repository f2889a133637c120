"""opencode's database, read while the host writes: nothing of it changes, nobody waits, everything is seen."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from prune_mcp.sessions.discover import discover
from prune_mcp.sessions.history import read_history
from prune_mcp.sessions.hosts import reader_for
from prune_mcp.sessions.model import Entry, SessionError
from prune_mcp.sessions.own_call import ending, holds_call
from prune_mcp.sessions.session_file import SessionFile
from prune_mcp.sessions.transcript import open_transcript
from prune_mcp.sessions.which import locate, newest
from tests.sessions.opencode.writing import EPOCH, SESSION, TITLE, Database, asks, id_of, says, tool, tree
from tests.sessions.transcripts.reading import outputs, picture, said

pytestmark = pytest.mark.requirement("SES-OPENCODE")

TALK = [asks(1, "go"), says(2, tool("c1", "out"))]


def files_of(folder: Path) -> dict[str, tuple[bytes, int]]:
    """Every file below a folder, with its bytes and its time of change."""
    found = (path for path in folder.rglob("*") if path.is_file())
    return {str(path): (path.read_bytes(), path.stat().st_mtime_ns) for path in found}


def found(home: Path, env: dict[str, str] | None = None) -> dict[str, SessionFile]:
    return {file.id: file for file in discover(env or {}, home)}


HOST = """
import sys
from pathlib import Path
from tests.sessions.opencode.writing import SESSION, Database, asks, says, tool

database = Database(Path(sys.argv[1]))
database.session(SESSION, asks(1, "go"), says(2, tool("c1", "out")))
if sys.argv[2] == "in a transaction":
    database.connection.execute("BEGIN IMMEDIATE")
    database.add(asks(9, "not yet"))
print("written", flush=True)
sys.stdin.read()
if sys.argv[2] == "in a transaction":
    database.connection.execute("COMMIT")
"""


@contextmanager
def host(home: Path, state: str) -> Iterator[subprocess.Popen[bytes]]:
    """The host in a process of its own, which holds its database open."""
    root = Path(__file__).parents[3]
    command = [sys.executable, "-c", HOST, str(home), state]
    with subprocess.Popen(command, cwd=root, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"written\n"
        yield process


@pytest.mark.requirement("SES-READONLY")
@pytest.mark.parametrize("state", ["in use", "in a transaction"])
def test_reading_beside_the_host_changes_nothing_and_takes_no_lock(tmp_path: Path, state: str) -> None:
    address = tmp_path / ".local" / "share" / "opencode" / "opencode.db" / SESSION
    with host(tmp_path, state) as process:
        before = files_of(tmp_path)
        assert len(before) == 3
        session = open_transcript(address)
        assert said(session) == [("user", ["go"]), ("assistant", ["call c1"]), ("user", ["result c1"])]
        list(read_history(found(tmp_path)[SESSION]).passages())
        assert files_of(tmp_path) == before
        process.communicate()
    session.refresh()
    assert session.messages[-1].id == (id_of(9) if state == "in a transaction" else f"{id_of(2)}/results")


@pytest.mark.requirement("SES-READONLY")
@pytest.mark.parametrize("mode", [0o700, 0o500])
def test_reading_after_the_host_has_ended_makes_no_file(tmp_path: Path, database: Database, mode: int) -> None:
    address = database.session(SESSION, *TALK)
    database.close()
    database.path.parent.chmod(mode)
    before = files_of(tmp_path)
    assert outputs(open_transcript(address)) == ["out"]
    assert list(found(tmp_path)) == [SESSION]
    database.path.parent.chmod(0o700)
    assert files_of(tmp_path) == before
    assert len(before) == 1


class Writer:
    """Writes to the database as soon as somebody has begun to read it."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self.heard: list[str] = []

    def entry(self, entry: Entry, *rest: Any) -> None:
        """An entry was read."""
        if not self.heard:
            self.database.add(asks(3, "while it is read"))
            self.database.connection.execute("PRAGMA wal_checkpoint(PASSIVE)")
        self.heard.append(entry.id)

    def aside(self, *rest: Any) -> None:
        """Something else was read."""


@pytest.mark.requirement("SES-READONLY")
def test_a_reader_in_the_middle_keeps_no_writer_waiting_and_sees_one_state(database: Database) -> None:
    address = database.session(SESSION, *TALK)
    session, writer = reader_for(address)(address), Writer(database)
    session.listener = writer
    session.refresh()
    assert writer.heard == [id_of(1), id_of(2), f"{id_of(2)}/results"]
    session.refresh()
    assert session.messages[-1].id == id_of(3)


@pytest.mark.requirement("SES-READONLY")
def test_a_missing_database_is_not_made(tmp_path: Path) -> None:
    missing = tmp_path / ".local" / "share" / "opencode" / "opencode.db"
    for address in (missing, missing / SESSION):
        with pytest.raises(SessionError, match="There is no file"):
            open_transcript(address)
    assert found(tmp_path) == {}
    assert list(tmp_path.iterdir()) == []


def test_what_stands_in_the_log_alone_is_read(tmp_path: Path, database: Database) -> None:
    address = database.session(SESSION, *TALK)
    with closing(sqlite3.connect(f"file:{database.path}?immutable=1", uri=True)) as without_log:
        assert without_log.execute("SELECT count(*) FROM sqlite_master").fetchone() == (0,)
    assert outputs(open_transcript(address)) == ["out"]


@pytest.mark.parametrize("index", [True, False])
def test_what_a_writer_left_that_was_killed_is_read(tmp_path: Path, index: bool) -> None:
    made = tmp_path / "made"
    script = (
        "import os, sys; from pathlib import Path; from tests.sessions.opencode.writing import *\n"
        "database = Database(Path(sys.argv[1])); database.session(SESSION, asks(1, 'kept'))\n"
        "os._exit(0)"
    )
    subprocess.run(
        [sys.executable, "-c", script, str(made)], check=True, cwd=Path(__file__).parents[3], timeout=60
    )
    path = made / ".local" / "share" / "opencode" / "opencode.db"
    assert path.with_name("opencode.db-wal").stat().st_size
    if not index:
        path.with_name("opencode.db-shm").unlink()
    before = files_of(made)
    assert said(open_transcript(path / SESSION)) == [("user", ["kept"])]
    assert files_of(made) == before


def test_each_session_is_found_with_its_title_folder_and_parent(tmp_path: Path, database: Database) -> None:
    database.session(SESSION, *TALK)
    database.session(
        "ses_child",
        asks(5, "look"),
        parent_id=SESSION,
        directory="/elsewhere",
        title="Child session - 2026-01-01T00",
    )
    files = found(tmp_path)
    assert sorted(files) == [SESSION, "ses_child"]
    main, child = files[SESSION], files["ses_child"]
    assert (main.host, main.path, main.inside, main.address) == (
        "opencode",
        database.path,
        SESSION,
        database.path / SESSION,
    )
    assert (main.title, main.cwd, main.parent, main.subagent) == (TITLE, "/home/user/app", "", False)
    assert (child.title, child.cwd, child.parent, child.subagent) == ("look", "/elsewhere", SESSION, True)
    assert main.mtime == pytest.approx((EPOCH + 2000) / 1000)
    assert main.size > child.size > 0
    assert open_transcript(main.address).session == SESSION


@pytest.mark.requirement("SES-LIVE")
@pytest.mark.parametrize(
    "change",
    [
        f"UPDATE session SET time_updated = time_updated + 1 WHERE id = '{SESSION}'",
        f"UPDATE message SET time_updated = time_updated + 9999 WHERE id = '{id_of(1)}'",
        "UPDATE part SET time_updated = time_updated + 9999 WHERE id = 'prt_0001_00'",
        f"DELETE FROM message WHERE id = '{id_of(2)}'",
        "DELETE FROM part WHERE id = 'prt_0002_00'",
    ],
)
def test_whatever_changes_a_session_changes_its_stamp_and_no_other(
    tmp_path: Path, database: Database, change: str
) -> None:
    address = database.session(SESSION, *TALK)
    database.session("ses_other", asks(8, "x"))
    session = open_transcript(address)
    before = found(tmp_path)
    assert session.refresh() == 0
    database.connection.execute(change)
    after = found(tmp_path)
    assert before[SESSION].stamp != after[SESSION].stamp
    assert before["ses_other"].stamp == after["ses_other"].stamp
    assert session.refresh() > 0


@pytest.mark.requirement("SES-LIVE")
def test_a_growing_session_reads_as_one_read_at_once(database: Database) -> None:
    address = database.session(SESSION, asks(1, "go"))
    session = open_transcript(address)
    generation = session.generation
    database.add(says(2, "I look.", tool("c1")))
    session.refresh()
    assert session.generation == generation
    done = says(2, "I look.", tool("c1", "out"))
    database.part(done["parts"][1], id_of(2), at=EPOCH + 9999)
    session.refresh()
    assert session.generation > generation
    assert picture(session) == picture(open_transcript(address))
    database.connection.execute(
        "UPDATE session SET revert = ?, time_updated = 2", (f'{{"messageID": "{id_of(2)}"}}',)
    )
    session.refresh()
    assert picture(session) == picture(open_transcript(address))
    assert [message.id for message in session.messages] == [id_of(1)]


def test_the_environment_says_where_the_host_keeps_it(tmp_path: Path) -> None:
    for name, session in (("opencode.db", "ses_main"), ("opencode-dev.db", "ses_dev"), ("other.db", "ses_other")):
        made = Database(tmp_path, name)
        made.session(session, asks(1, "go"))
        made.close()
    assert sorted(found(tmp_path)) == ["ses_dev", "ses_main"]
    assert sorted(found(tmp_path, {"OPENCODE_DB": "other.db"})) == ["ses_other"]
    assert sorted(found(tmp_path, {"OPENCODE_DB": str(made.path)})) == ["ses_other"]
    shutil.move(tmp_path / ".local" / "share", tmp_path / "data")
    assert found(tmp_path) == {}
    assert sorted(found(tmp_path, {"XDG_DATA_HOME": str(tmp_path / "data")})) == ["ses_dev", "ses_main"]


def test_what_was_taken_over_from_the_tree_is_found_once(tmp_path: Path, database: Database) -> None:
    database.session(SESSION, *TALK)
    tree(tmp_path, asks(1, "old"))
    path = tree(tmp_path, asks(3, "only there"), id="ses_old", parentID=SESSION)
    files = found(tmp_path)
    assert sorted(files) == [SESSION, "ses_old"]
    assert files[SESSION].path == database.path
    assert (files["ses_old"].address, files["ses_old"].cwd, files["ses_old"].parent) == (
        path,
        "/home/user/app",
        SESSION,
    )


@pytest.mark.requirement("SES-LIVE")
def test_a_session_in_the_tree_that_grew_has_another_stamp(tmp_path: Path) -> None:
    path = tree(tmp_path, asks(1, "go"))
    session, before = open_transcript(path), found(tmp_path)[SESSION].stamp
    tree(tmp_path, asks(1, "go"), says(2, tool("c1", "out")))
    os.utime(path, ns=(1, 1))
    assert found(tmp_path)[SESSION].stamp != before
    session.refresh()
    assert outputs(session) == ["out"]


@pytest.mark.parametrize("content", [b"", b"no database", b"SQLite format 3\0" + b"\0" * 500, None])
def test_what_is_no_database_of_the_host_is_counted(tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / ".local" / "share" / "opencode" / "opencode.db"
    path.parent.mkdir(parents=True)
    if content is None:
        other = sqlite3.connect(path)
        other.execute("CREATE TABLE session (something)")
        other.close()
    else:
        path.write_bytes(content)
    counts: Counter[str] = Counter()
    assert list(discover({}, tmp_path, counts)) == []
    assert counts == Counter(database=1)
    with pytest.raises(SessionError):
        open_transcript(path / SESSION)


@pytest.mark.requirement("SES-WHICH")
def test_sessions_are_named_by_id_and_by_address(tmp_path: Path, database: Database) -> None:
    database.session(SESSION, *TALK)
    database.session("ses_zzz", asks(5, "x"), directory=str(tmp_path))
    assert locate(SESSION[:10], {}, tmp_path).address == database.path / SESSION
    assert locate(str(database.path / "ses_zzz"), {}, tmp_path).id == "ses_zzz"
    assert newest(tmp_path, {}, tmp_path).id == "ses_zzz"
    with pytest.raises(SessionError, match="There is no session 'ses_no' in"):
        locate(str(database.path / "ses_no"), {}, tmp_path)
    with pytest.raises(SessionError, match=f"sessions of all projects; name a session in it, such as .*{SESSION}"):
        locate(str(database.path), {}, tmp_path)


@pytest.mark.requirement("SES-WHICH")
def test_a_call_that_still_runs_is_known_for_the_callers_own(tmp_path: Path, database: Database) -> None:
    arguments: dict[str, Any] = {"note": "x"}
    running = tool("c1", name="prune-mcp_prune_context", input=arguments)
    database.session(SESSION, asks(1, "go"), says(2, tool("c0", "out"), running))
    file = found(tmp_path)[SESSION]
    assert holds_call(ending(file), "prune_context", arguments)
    assert not holds_call(ending(file), "prune_context", {"note": "y"})
    done = tool("c1", "done", name="prune-mcp_prune_context", input=arguments)
    database.part({**done, "id": "prt_0002_01"}, id_of(2))
    assert not holds_call(ending(file), "prune_context", arguments)
    database.close()
    database.path.unlink()
    assert ending(file) == b""


def test_messages_of_one_moment_stand_by_their_ids(database: Database) -> None:
    same = [asks(number, f"{number}") for number in (3, 1, 2)]
    for said_then in same:
        said_then["info"]["time"]["created"] = EPOCH
    session = open_transcript(database.session(SESSION, *same))
    assert [message.id for message in session.messages] == [id_of(1), id_of(2), id_of(3)]
