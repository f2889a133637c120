"""Which session is meant."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from prune_mcp.sessions.discover import discover
from prune_mcp.sessions.model import SessionError
from prune_mcp.sessions.session_file import SessionFile
from prune_mcp.sessions.which import current, locate, newest, session_at
from tests.sessions.transcripts.writing import ClaudeFile, PiFile

pytestmark = pytest.mark.requirement("SES-WHICH")
NOW = 1_800_000_000.0
APP = Path("/home/user/app")


def uuid(letter: str) -> str:
    return f"{letter * 8}-0000-4000-8000-000000000000"


def session(home: Path, id: str, age: float, project: str = "-home-user-app", place: str = "") -> Path:
    """A Claude Code session that was written `age` seconds ago."""
    file = ClaudeFile(home / ".claude" / "projects" / project / (place or f"{id}.jsonl"), id)
    file.prompt("do it")
    os.utime(file.path, (NOW - age, NOW - age))
    return file.path


def told(env: dict[str, str], home: Path, now: float, meta: dict[str, object] | None = None) -> SessionFile:
    """The current session of a server that was started in `APP`."""
    return current(env, APP, list(discover(env, home)), now, meta)


@pytest.fixture
def sessions(tmp_path: Path) -> Path:
    """A home with sessions of several folders, the first of them live."""
    session(tmp_path, uuid("a"), 10)
    session(tmp_path, uuid("b"), 5000)
    session(tmp_path, uuid("c"), 20, "-home-user-other")
    session(tmp_path, uuid("a"), 5, place=f"{uuid('a')}/subagents/agent-x1.jsonl")
    pi = PiFile(tmp_path / ".pi" / "agent" / "sessions" / "--home-user-app--" / "2026-01-01_deadbeef.jsonl")
    pi.prompt("do it")
    os.utime(pi.path, (NOW - 9000, NOW - 9000))
    return tmp_path


def test_sessions_with_the_same_id_are_told_apart_by_their_paths(sessions: Path) -> None:
    copy = session(sessions, uuid("b"), 30, "-home-user-copied")
    with pytest.raises(SessionError, match="Several sessions") as caught:
        locate(uuid("b"), {}, sessions)
    assert str(copy) in str(caught.value)
    assert locate(str(copy), {}, sessions).path == copy


def test_a_session_in_a_folder_with_a_second_name_is_one_session(sessions: Path) -> None:
    projects = sessions / ".claude" / "projects"
    (projects / "-home-user-renamed").symlink_to(projects / "-home-user-app", target_is_directory=True)
    assert locate(uuid("b"), {}, sessions).id == uuid("b")
    assert told({}, sessions, NOW).id == uuid("a")


@pytest.mark.parametrize("word", [uuid("b"), "bbbb", "b"])
def test_a_session_is_found_by_its_id_or_the_ids_beginning(sessions: Path, word: str) -> None:
    assert locate(word, {}, sessions).id == uuid("b")


def test_a_subagents_session_is_found_by_its_id_or_the_beginnings_of_both_parts(sessions: Path) -> None:
    assert locate(uuid("a"), {}, sessions).id == uuid("a")
    assert locate(f"{uuid('a')}/agent-x1", {}, sessions).subagent
    assert locate(f"{uuid('a')}/agent-", {}, sessions).subagent
    assert locate("aaaa/agent-x", {}, sessions).subagent
    assert not locate("aaaa", {}, sessions).subagent


def test_a_session_is_found_by_its_path(sessions: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = next((sessions / ".claude").rglob(f"{uuid('b')}.jsonl"))
    assert locate(str(path), {}, sessions).id == uuid("b")
    monkeypatch.chdir(path.parent)
    assert locate(path.name, {}, sessions).path == Path(path.name)
    named = session_at(path)
    assert named.host == "claude-code"
    assert named.stamp == next(file.stamp for file in discover({}, sessions) if file.path == path)


@pytest.mark.parametrize("word", ["x" * 100_000, "/" + "x" * 5_000, "~nobody-of-this-name", "a\0b.jsonl"])
def test_a_word_that_can_be_no_path_is_no_session_either(sessions: Path, word: str) -> None:
    with pytest.raises(SessionError, match="There is no session") as caught:
        locate(word, {}, sessions)
    assert len(str(caught.value)) < 1_000


def test_a_beginning_that_fits_several_names_them_all(sessions: Path) -> None:
    session(sessions, uuid("b")[:-1] + "1", 1)
    with pytest.raises(SessionError, match="Several sessions") as caught:
        locate("bbbb", {}, sessions)
    assert uuid("b") in str(caught.value)
    assert uuid("b")[:-1] + "1" in str(caught.value)


@pytest.mark.parametrize("word", ["zzz", "", "agent-x1", uuid("b") + "0"])
def test_an_unknown_session_names_the_three_newest(sessions: Path, word: str) -> None:
    with pytest.raises(SessionError) as caught:
        locate(word, {}, sessions)
    message = str(caught.value)
    assert f"no session {word!r}" in message
    offered = message.partition("the newest are ")[2]
    assert offered.index(uuid("a")) < offered.index(uuid("c")) < offered.index(uuid("b"))
    assert "agent-x1" not in offered
    assert "pi," not in message


def test_a_home_without_sessions_asks_for_a_path(tmp_path: Path) -> None:
    with pytest.raises(SessionError, match="give a session file's path"):
        locate("x", {}, tmp_path)
    with pytest.raises(SessionError, match="give a session file's path"):
        newest(APP, {}, tmp_path)


def test_a_missing_path_a_folder_and_a_file_that_is_no_session_say_so(sessions: Path) -> None:
    (sessions / "notes.jsonl").write_text("words\n")
    for word, reason in (("gone.jsonl", "no file"), (".", "is a folder"), ("notes.jsonl", "no session of")):
        with pytest.raises(SessionError, match=reason):
            locate(str(sessions / word), {}, sessions)


def test_the_hosts_own_word_comes_first(sessions: Path) -> None:
    env = {"CLAUDE_CODE_SESSION_ID": uuid("b")}
    assert told(env, sessions, NOW).id == uuid("b")
    for key in ("sessionId", "session_id", "claude/session-id"):
        assert told(env, sessions, NOW, {key: uuid("c")}).id == uuid("c")
    assert told(env, sessions, NOW, {"sessionId": "of a transport", "progressToken": 3}).id == uuid("b")


def test_a_session_that_the_host_names_and_that_is_not_there_is_an_error(sessions: Path) -> None:
    with pytest.raises(SessionError, match="The host names session 'new'"):
        told({"CLAUDE_CODE_SESSION_ID": "new"}, sessions, NOW)


def test_else_it_is_the_only_live_session_of_the_folder(sessions: Path) -> None:
    assert told({}, sessions, NOW).id == uuid("a")
    assert told({"CLAUDE_PROJECT_DIR": "/home/user/other"}, sessions, NOW).id == uuid("c")


def test_two_live_sessions_are_both_named(sessions: Path) -> None:
    session(sessions, uuid("d"), 600)
    session(sessions, uuid("e"), 601)
    with pytest.raises(SessionError, match="Several sessions are live") as caught:
        told({}, sessions, NOW)
    assert [id in str(caught.value) for id in map(uuid, "abcde")] == [True, False, False, True, False]


def test_no_live_session_names_the_three_newest(sessions: Path) -> None:
    with pytest.raises(SessionError, match="No session is live in /home/user/app") as caught:
        told({}, sessions, NOW + 3600)
    assert all(id in str(caught.value) for id in map(uuid, "abc"))


def test_on_the_command_line_it_is_the_newest_of_the_folder(sessions: Path) -> None:
    assert newest(APP, {}, sessions).id == uuid("a")
    assert newest(Path("/home/user/other"), {}, sessions).id == uuid("c")
    with pytest.raises(SessionError, match="There is no session of /home/nobody"):
        newest(Path("/home/nobody"), {}, sessions)


def test_a_linked_folder_is_the_folder_it_leads_to(tmp_path: Path) -> None:
    real = tmp_path / "real"
    real.mkdir()
    (tmp_path / "link").symlink_to(real)
    session(tmp_path, uuid("a"), 1, str(real).replace("/", "-").replace("_", "-"))
    assert newest(tmp_path / "link", {}, tmp_path).id == uuid("a")
