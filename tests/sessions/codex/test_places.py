"""Finding rollouts: every folder, both forms, each session once."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path
from typing import BinaryIO

import pytest
import zstandard

from prune_mcp.sessions.discover import discover
from prune_mcp.sessions.model import SessionError
from prune_mcp.sessions.session_file import SessionFile
from prune_mcp.sessions.transcript import open_transcript
from prune_mcp.sessions.unpacked import unpacked
from prune_mcp.sessions.which import current, locate, newest
from tests.sessions.codex.writing import PARENT, SESSION, Rollout, rollout_path
from tests.sessions.history.told import passages
from tests.sessions.transcripts.reading import outputs, picture

pytestmark = pytest.mark.requirement("SES-CODEX", "SES-WHICH")


def found(home: Path, env: dict[str, str] | None = None) -> list[SessionFile]:
    """Every session of a home folder."""
    return list(discover(env or {}, home))


def test_sessions_are_found_in_every_folder_and_form(codex_home: Path) -> None:
    folders = ("sessions/2026/01/02", "sessions", "archived_sessions")
    for number, folder in enumerate(folders):
        for packed in (False, True):
            session = SESSION[:-2] + f"{number}{int(packed)}"
            rollout = Rollout(rollout_path(codex_home, session, folder), session)
            rollout.prompt(f"in {folder}")
            if packed:
                rollout.packed()
    (codex_home / "sessions" / "rollout-notes.txt").write_text("none")
    (codex_home / "sessions" / "other.jsonl").write_text("{}")
    files = found(codex_home.parent)
    assert sorted((file.host, file.id[-2:], file.title) for file in files) == [
        ("codex", f"{number}{packed}", f"in {folder}")
        for number, folder in enumerate(folders)
        for packed in (0, 1)
    ]
    assert {file.cwd for file in files} == {"/home/user/app"}


def test_the_variable_moves_all_of_it(tmp_path: Path) -> None:
    Rollout(rollout_path(tmp_path / "elsewhere")).prompt("go")
    assert found(tmp_path) == []
    assert [file.id for file in found(tmp_path, {"CODEX_HOME": str(tmp_path / "elsewhere")})] == [SESSION]


def test_where_both_forms_are_there_the_plain_one_counts(rollout: Rollout) -> None:
    rollout.prompt("old")
    data = rollout.path.read_bytes()
    rollout.packed()
    rollout.path.write_bytes(data)
    rollout.prompt("new")
    files = found(rollout.path.parents[5])
    assert [file.path for file in files] == [rollout.path]


def test_a_session_that_is_moved_or_compressed_is_the_same(rollout: Rollout, codex_home: Path) -> None:
    rollout.exchange("first", "One.")
    rollout.exchange("second", "Two.")
    before, told = picture(open_transcript(rollout.path)), passages(rollout.path)
    (codex_home / "archived_sessions").mkdir()
    rollout.path = rollout.path.rename(codex_home / "archived_sessions" / rollout.path.name)
    packed = rollout.packed()
    (file,) = found(codex_home.parent)
    assert (file.path, file.id) == (packed, SESSION)
    assert picture(open_transcript(packed)) == before
    assert passages(packed) == told


def test_an_empty_file_hides_no_compressed_one(rollout: Rollout) -> None:
    rollout.prompt("go")
    packed = rollout.packed()
    rollout.path.touch()
    counts = Counter[str]()
    assert [file.path for file in discover({}, rollout.path.parents[5], counts)] == [packed]
    assert counts == {"empty": 1}


def test_a_damaged_compressed_file_gives_what_is_whole_in_it(rollout: Rollout) -> None:
    for number in range(40):
        rollout.prompt(os.urandom(3000).hex() + f" number {number}")
    whole = len(open_transcript(rollout.path).entries)
    packed = rollout.packed()
    packed.write_bytes(packed.read_bytes()[:-20_000])
    conversation = open_transcript(packed)
    assert 20 < len(conversation.entries) < whole
    assert conversation.skipped == {"torn": 1}


def test_a_file_that_only_seems_compressed_is_told(codex_home: Path) -> None:
    path = rollout_path(codex_home, folder="sessions").with_suffix(".jsonl.zst")
    path.parent.mkdir()
    path.write_bytes(b"this was never compressed" * 10)
    with pytest.raises(SessionError, match="damaged and cannot be unpacked"):
        open_transcript(path)
    path.write_bytes(zstandard.compress(b"this was compressed once" * 10)[:12])
    with pytest.raises(SessionError, match="is cut off: nothing can be unpacked"):
        open_transcript(path)
    assert [file.title for file in found(codex_home.parent)] == [""]


def test_compressed_entries_are_read_in_any_order_and_unpacked_once(
    rollout: Rollout, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(60):
        rollout.exchange(f"prompt {number}", "Answer.", calls=2, size=50_000)
    before = outputs(open_transcript(rollout.path))
    conversation = open_transcript(rollout.packed(), cache=0)
    blocks = conversation.archive()
    opened: list[Path] = []

    def counted(path: Path) -> BinaryIO:
        opened.append(path)
        return unpacked(path)

    monkeypatch.setattr("prune_mcp.sessions.tail.unpacked", counted)
    order = sorted(range(len(blocks)), key=lambda number: (number * 37) % 101)
    assert {number: conversation.text(blocks[number]) for number in order} == dict(enumerate(before))
    assert len(opened) == 1


def test_a_compressed_beginning_is_unpacked_once_for_all_its_entries(
    codex_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    parent = Rollout(rollout_path(codex_home, PARENT), PARENT)
    parent.exchange("first", "One.", calls=8)
    base = {"thread_id": PARENT, "end_byte_offset": parent.path.stat().st_size}
    before = outputs(open_transcript(parent.path))
    parent.packed()
    child = Rollout(rollout_path(codex_home), history_base=base)
    conversation = open_transcript(child.path, cache=0)
    opened: list[Path] = []

    def counted(path: Path) -> BinaryIO:
        opened.append(path)
        return unpacked(path)

    monkeypatch.setattr("prune_mcp.sessions.tail.unpacked", counted)
    assert outputs(conversation) == before
    assert len(opened) == 1


def test_a_subagents_session_is_never_taken_for_the_persons(codex_home: Path) -> None:
    person = Rollout(rollout_path(codex_home, PARENT), PARENT)
    person.prompt("go")
    child = Rollout(rollout_path(codex_home), source={"subagent": {"thread_spawn": {"parent_thread_id": PARENT}}})
    child.prompt("read")
    os.utime(person.path, (1000, 1000))
    os.utime(child.path, (1100, 1100))
    folder = Path("/home/user/app")
    assert newest(folder, {}, codex_home.parent).id == PARENT
    assert current({}, folder, found(codex_home.parent), 1200.0).id == PARENT
    assert locate(SESSION, {}, codex_home.parent).id == SESSION


@pytest.mark.parametrize("meta", [{"threadId": SESSION}, {"x-codex/thread_id": SESSION}, {"session_id": SESSION}])
def test_the_host_names_the_thread_of_a_call(codex_home: Path, meta: dict[str, str]) -> None:
    for session in (SESSION, PARENT):
        Rollout(rollout_path(codex_home, session), session).prompt("go")
    assert current({}, Path("/nowhere"), found(codex_home.parent), 0.0, meta).id == SESSION
    assert current({"CODEX_THREAD_ID": PARENT}, Path("/nowhere"), found(codex_home.parent), 0.0).id == PARENT
