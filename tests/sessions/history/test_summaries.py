"""Summaries that stand in another session's file: told as what they are, and with the session that they are of."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path

import pytest

from prune_mcp.sessions.claude import summaries
from prune_mcp.sessions.discover import discover
from prune_mcp.sessions.folders import entries
from prune_mcp.sessions.session_file import SessionFile
from tests.search.indexing.machine import LONG_AGO, Machine, rest
from tests.sessions.history.told import history, told
from tests.sessions.transcripts.writing import ClaudeFile

pytestmark = pytest.mark.requirement("SES-CLAUDE", "HIS-FIND")

EARLIER = "5e551014-0000-4000-8000-0000000000aa"
LATER = "5e551014-0000-4000-8000-0000000000bb"


def project(home: Path) -> Path:
    """A project's folder."""
    return home / ".claude" / "projects" / "-home-user-app"


@pytest.fixture
def earlier(tmp_path: Path) -> ClaudeFile:
    """A session that was summed up when a later one began."""
    session = ClaudeFile(project(tmp_path) / f"{EARLIER}.jsonl", EARLIER)
    session.prompt("the crane is stuck")
    leaf = session.says("It moves again.")
    later = ClaudeFile(project(tmp_path) / f"{LATER}.jsonl", LATER)
    later.line({"type": "summary", "summary": "Lost and gone", "leafUuid": "00000000-0000-4000-8000-00000000dead"})
    later.line({"type": "file-history-snapshot", "messageId": "m", "snapshot": {}})
    later.line({"type": "summary", "summary": "Crane mended", "leafUuid": leaf})
    later.prompt("now the winch")
    rest(session.path)
    rest(later.path, LONG_AGO / 2)
    return session


def found(home: Path) -> dict[str, SessionFile]:
    """The sessions of a home folder by their ids."""
    return {file.id: file for file in discover({}, home)}


def test_a_summary_names_the_session_that_it_is_of(tmp_path: Path, earlier: ClaudeFile) -> None:
    assert told(project(tmp_path) / f"{LATER}.jsonl") == [
        ("summary", "Summary of another session: Lost and gone"),
        ("summary", f"Summary of session {EARLIER}: Crane mended"),
        ("user", "now the winch"),
    ]


def test_it_is_that_sessions_title_where_that_was_given_none(tmp_path: Path, earlier: ClaudeFile) -> None:
    assert [found(tmp_path)[id].title for id in (EARLIER, LATER)] == ["Crane mended", "now the winch"]
    assert history(earlier.path).title == "Crane mended"
    earlier.line({"type": "ai-title", "aiTitle": "Stuck crane"})
    assert found(tmp_path)[EARLIER].title == history(earlier.path).title == "Stuck crane"


def test_of_copies_the_earliest_session_is_named(tmp_path: Path, earlier: ClaudeFile) -> None:
    fork = project(tmp_path) / "5e551014-0000-4000-8000-000000000000.jsonl"
    fork.write_bytes(earlier.path.read_bytes())
    assert (
        f"Summary of session {EARLIER}: Crane mended" in dict(told(project(tmp_path) / f"{LATER}.jsonl")).values()
    )


def test_a_file_that_repeats_the_session_has_the_summary_for_its_title(
    tmp_path: Path, earlier: ClaudeFile
) -> None:
    later = project(tmp_path) / f"{LATER}.jsonl"
    later.write_bytes(later.read_bytes() + earlier.path.read_bytes())
    assert ("title", "Crane mended") in told(later)


@pytest.mark.requirement("SES-DAMAGE")
def test_what_stands_beside_it_may_be_anything(tmp_path: Path, earlier: ClaudeFile) -> None:
    folder = project(tmp_path)
    lines = [
        '{"type":"summary","summary":',
        '{"type":"summary","summary":5,"leafUuid":[]}',
        '["type":"summary"]',
        "\0",
    ]
    (folder / "a.jsonl").write_text("\n".join(lines))
    (folder / "b.jsonl").write_bytes(b"")
    (folder / "c.jsonl").mkdir()
    (folder / "d.jsonl").symlink_to(folder / "nowhere")
    os.mkfifo(folder / "e.jsonl")
    (folder / "f.jsonl").symlink_to(folder / "f.jsonl")
    assert history(earlier.path).title == "Crane mended"
    assert f"Summary of session {EARLIER}: Crane mended" in dict(told(folder / f"{LATER}.jsonl")).values()


def test_search_finds_it_and_gives_the_title_to_its_session(tmp_path: Path, earlier: ClaudeFile) -> None:
    from prune_mcp.engine.past import PastSessions, Question

    machine = Machine(tmp_path)
    past = PastSessions(machine.env | {"HOME": str(tmp_path)}, background=False)
    for _ in range(2):
        hits = past.search(Question('"crane mended"')).hits
        assert [(hit.session, hit.role) for hit in hits] == [(LATER, "summary")]
        assert EARLIER in hits[0].snippet
        (hit,) = past.search(Question("moves again")).hits
        assert (hit.session, hit.title) == (EARLIER, "Crane mended")
        past.update()
    past.close()
    machine.close()


def test_folders_are_looked_through_once_however_their_sessions_take_turns(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked: list[str | Path] = []

    def look(folder: str | Path, counts: Counter[str]) -> list[os.DirEntry[str]]:
        looked.append(folder)
        return entries(folder, counts)

    monkeypatch.setattr(summaries, "entries", look)
    machine = Machine(tmp_path)
    for number in range(40):
        session = machine.session(number, f"-home-user-app{number % 10}")
        session.line({"type": "summary", "summary": "Other things", "leafUuid": f"{number:032x}"})
        session.prompt("now the winch")
        rest(session.path, LONG_AGO + number)
    machine.update()
    # For the summaries at the starts of its transcripts, and for the sessions at their ends.
    assert set(Counter(looked).values()) == {2}
    assert len(set(looked)) == 10
