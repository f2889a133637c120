"""Sessions found where the hosts keep them."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from pathlib import Path

import pytest

from prune_mcp.sessions.discover import discover
from prune_mcp.sessions.transcript import open_transcript
from tests.sessions.transcripts.writing import SESSION, ClaudeFile, PiFile

OTHER = "0ther000-0000-4000-8000-000000000002"


def claude_session(home: Path, session: str = SESSION, project: str = "-home-user-app") -> ClaudeFile:
    """A Claude Code session with one prompt."""
    file = ClaudeFile(home / ".claude" / "projects" / project / f"{session}.jsonl", session)
    file.prompt("do it")
    return file


def pi_session(folder: Path, cwd: str = "/home/user/app") -> PiFile:
    """A pi session with one prompt."""
    file = PiFile(folder / f"2026-01-01T00-00-00-000Z_{SESSION}.jsonl")
    file.path.write_bytes(file.path.read_bytes().replace(b"/home/user/app", cwd.encode()))
    file.prompt("do it")
    return file


def found(home: Path, **env: str) -> dict[str, Path]:
    """The path of every session found, by host and id."""
    return {f"{file.host} {file.id}": file.path for file in discover(env, home)}


@pytest.mark.requirement("SES-CLAUDE", "SES-PI")
def test_sessions_and_subagents_are_found_at_each_place(tmp_path: Path) -> None:
    claude = claude_session(tmp_path)
    folder = claude.path.parent
    for place in ("agent-a1", f"{SESSION}/subagents/agent-a2", f"{SESSION}/subagents/workflows/r1/agent-a3"):
        ClaudeFile(folder / f"{place}.jsonl").prompt("look", isSidechain=True)
    (folder / SESSION / "subagents" / "workflows" / "r1" / "journal.jsonl").write_text('{"type": "started"}\n')
    (folder / SESSION / "subagents" / "agent-a2.meta.json").write_text("{}")
    (folder / SESSION / "tool-results").mkdir()
    (folder / SESSION / "tool-results" / "x.txt").write_text("output")
    pi = pi_session(tmp_path / ".pi" / "agent" / "sessions" / "--home-user-app--")

    assert found(tmp_path) == {
        f"claude-code {SESSION}": claude.path,
        f"claude-code {SESSION}/agent-a1": folder / "agent-a1.jsonl",
        f"claude-code {SESSION}/agent-a2": folder / SESSION / "subagents" / "agent-a2.jsonl",
        f"claude-code {SESSION}/agent-a3": folder / SESSION / "subagents" / "workflows" / "r1" / "agent-a3.jsonl",
        f"pi {SESSION}": pi.path,
    }
    for file in discover({}, tmp_path):
        assert file.id == open_transcript(file.path).session
        assert file.subagent == ("agent" in file.id)
        assert (file.cwd, file.title) == ("/home/user/app", "look" if file.subagent else "do it")
        assert file.size == file.path.stat().st_size
        assert file.mtime == file.path.stat().st_mtime
        assert file.stands_in(Path("/home/user/app"))
        assert not file.stands_in(Path("/home/user"))


def test_the_hosts_own_variables_and_settings_move_their_folders(tmp_path: Path) -> None:
    moved = tmp_path / "moved"
    claude = claude_session(moved)
    claude_session(tmp_path)
    assert list(found(tmp_path, CLAUDE_CONFIG_DIR=str(moved / ".claude")).values()) == [claude.path]

    shared = pi_session(tmp_path / "shared", "/home/user/b.c")
    assert found(tmp_path / "none", PI_CODING_AGENT_SESSION_DIR=str(tmp_path / "shared")) == {
        f"pi {SESSION}": shared.path
    }
    file = next(discover({"PI_CODING_AGENT_SESSION_DIR": str(tmp_path / "shared")}, tmp_path / "none"))
    assert file.stands_in(Path("/home/user/b.c"))
    assert not file.stands_in(Path("/home/user/b-c"))

    agent = tmp_path / "agent"
    kept = pi_session(agent / "sessions" / "--x--")
    assert list(found(tmp_path / "none", PI_CODING_AGENT_DIR=str(agent)).values()) == [kept.path]
    (agent / "settings.json").write_text(json.dumps({"sessionDir": "~/shared"}))
    own = {"PI_CODING_AGENT_DIR": str(agent)}
    assert [file.path for file in discover(own, tmp_path) if file.host == "pi"] == [shared.path]


def test_folders_are_told_however_the_host_writes_them(tmp_path: Path) -> None:
    claude_session(tmp_path, project="-home-user-my-app-v1-2")
    file = next(discover({}, tmp_path))
    assert file.stands_in(Path("/home/user/my_app/v1.2"))
    assert not file.stands_in(Path("/home/user/my_app/v1"))


def test_titles_written_at_the_end_of_a_long_file_are_seen(tmp_path: Path) -> None:
    claude = claude_session(tmp_path)
    for number in range(40):
        claude.turn(f"t{number}", "x" * 10_000)
    claude.line({"type": "custom-title", "customTitle": "Named at last"})
    file = next(discover({}, tmp_path))
    assert file.title == "Named at last" == open_transcript(file.path).title


@pytest.mark.requirement("SES-CLAUDE", "SES-MERGE")
def test_a_subagent_whose_answer_was_written_while_it_streamed_is_known_by_its_lines(tmp_path: Path) -> None:
    claude = ClaudeFile(tmp_path / ".claude" / "projects" / "-home-user-app" / "agent-a1.jsonl")
    claude.prompt("look", isSidechain=True, agentId="a1")
    for answer in ("It stands", "It stands in the hall"):
        claude.says(answer, id="msg_1", isSidechain=True, agentId="a1")
    file = next(discover({}, tmp_path))
    assert (file.id, file.title, file.cwd) == (f"{SESSION}/agent-a1", "look", "/home/user/app")


def test_a_first_line_of_any_size_is_looked_at(tmp_path: Path) -> None:
    claude = ClaudeFile(tmp_path / ".claude" / "projects" / "-p" / "copy.jsonl")
    claude.prompt("x" * 300_000)
    assert next(discover({}, tmp_path)).id == SESSION


def test_what_cannot_be_looked_at_is_counted(tmp_path: Path) -> None:
    claude = claude_session(tmp_path)
    (claude.path.parent / "empty.jsonl").touch()
    (claude.path.parent / "gone.jsonl").symlink_to(tmp_path / "nowhere")
    (claude.path.parent / "rubbish.jsonl").write_bytes(b"\0\xff rubbish")
    (tmp_path / ".pi" / "agent").mkdir(parents=True)
    (tmp_path / ".pi" / "agent" / "sessions").write_text("no folder")
    skipped: Counter[str] = Counter()
    files = {file.id: file for file in discover({}, tmp_path, skipped)}

    assert set(files) == {SESSION, "rubbish"}
    assert (files["rubbish"].title, files["rubbish"].cwd) == ("", "")
    assert skipped == {"empty": 1, "file": 1, "folder": 2}


LINKS = (
    ".claude/projects/round", ".claude/projects/-home-user-app/round.jsonl",
    ".claude/projects/-home-user-app/round", ".codex/sessions/2026/round",
    ".codex/sessions/rollout-round.jsonl", ".gemini/tmp/round",
    ".gemini/tmp/app/chats/session-round.json", ".gemini/tmp/app/chats/round", ".pi/agent/sessions/round",
    ".pi/agent/sessions/--home--/round.jsonl", ".local/share/opencode/opencode.db",
    ".local/share/opencode/storage/session/round", ".local/share/opencode/storage/session/p1/round.json",
)  # fmt: skip


@pytest.mark.requirement("SES-DAMAGE")
@pytest.mark.parametrize("link", LINKS)
def test_a_link_that_leads_back_to_itself_costs_only_itself(tmp_path: Path, link: str) -> None:
    claude_session(tmp_path)
    path = tmp_path / link
    path.parent.mkdir(parents=True, exist_ok=True)
    path.symlink_to(path)
    assert [file.id for file in discover({}, tmp_path)] == [SESSION]


def test_nothing_to_find_is_no_error(tmp_path: Path) -> None:
    assert list(discover({}, tmp_path / "nowhere")) == []


@pytest.mark.requirement("SES-READONLY")
def test_looking_for_sessions_changes_nothing(tmp_path: Path) -> None:
    claude_session(tmp_path)
    pi_session(tmp_path / ".pi" / "agent" / "sessions" / "--home-user-app--")
    before = fingerprint(tmp_path)
    assert [(file.id, file.title, file.cwd) for file in discover({}, tmp_path)]
    assert fingerprint(tmp_path) == before


def fingerprint(folder: Path) -> dict[str, tuple[str, int]]:
    """Every file below, with its content's hash and the time it was changed."""
    return {
        str(path): (hashlib.sha256(path.read_bytes()).hexdigest(), path.stat().st_mtime_ns)
        for path in folder.rglob("*")
        if path.is_file()
    }
