"""Bringing in exports: every conversation is kept once, as it is, for its owner alone."""

from __future__ import annotations

import json
import stat
from pathlib import Path
from typing import Any

import pytest

from prune_mcp.sessions.exports.bring import import_export
from prune_mcp.sessions.model import SessionError
from tests.sessions.exports.build import Imports, chat, said, thread, uuid, write, zipped

pytestmark = pytest.mark.requirement("SES-EXPORTS")


def counts(report: Any) -> tuple[int, int, int, int]:
    return report.added, report.updated, report.unchanged, len(report.bad)


def test_every_conversation_of_a_zip_with_shards_is_kept(imports: Imports, tmp_path: Path) -> None:
    export = zipped(
        tmp_path / "data.zip",
        {
            "conversations-000.json": [thread(1), thread(2)],
            "nested/conversations-001.json": [thread(3)],
            "chat.html": b"<html>",
            "user.json": {"id": "user-1", "email": "me@example.org"},
            "file-abc.png": b"\x89PNG",
        },
    )
    report = import_export(export, imports.folder)
    assert counts(report) == (3, 0, 0, 0)
    assert [fault.where for fault in report.passed_over] == ["user.json"]
    assert [(file.host, file.id) for file in imports.files()] == [("chatgpt", uuid(n)) for n in (1, 2, 3)]


@pytest.mark.parametrize("name", ["conversations.json", "conversations-000.json", "anything.json"])
def test_a_json_file_is_known_by_what_it_holds(imports: Imports, name: str) -> None:
    assert counts(imports.take([chat(1), thread(2)], name)) == (2, 0, 0, 0)
    assert [file.host for file in imports.files()] == ["claude.ai", "chatgpt"]


def test_a_single_conversation_is_kept_as_well(imports: Imports) -> None:
    assert counts(imports.take(chat(7), "one.json")) == (1, 0, 0, 0)


def test_a_folder_is_searched_for_whatever_can_be_imported(imports: Imports, tmp_path: Path) -> None:
    folder = tmp_path / "unpacked"
    write(folder / "conversations.json", [chat(1)])
    write(folder / "projects" / "p.json", {"uuid": uuid(9), "name": "Plans", "docs": []})
    write(folder / "memories.json", [{"conversations_memory": "Likes tea.", "account_uuid": uuid(8)}])
    write(folder / "users.json", [{"uuid": uuid(8), "full_name": "Me"}])
    zipped(folder / "older.zip", {"conversations.json": [chat(2)]})
    report = import_export(folder, imports.folder)
    assert counts(report) == (4, 0, 0, 0)
    assert [file.id for file in imports.files()] == [uuid(1), uuid(2), uuid(9), f"memories-{uuid(8)}"]


def test_a_conversation_is_kept_as_the_bytes_it_is(imports: Imports) -> None:
    kept = b'{ "uuid":"%s", "chat_messages" : [], "n":123456789012345678901234567890, "x":"\\ud83d \xff" }'
    kept = kept.replace(b"%s", uuid(1).encode())
    assert counts(imports.take(b"[\n" + kept + b"\n]")) == (1, 0, 0, 0)
    assert imports.files()[0].path.read_bytes() == kept


def test_what_is_kept_is_for_its_owner_alone(imports: Imports) -> None:
    imports.take([chat(1)])
    path = imports.files()[0].path
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert list(path.parent.iterdir()) == [path]


def test_a_kept_conversation_is_as_old_as_its_last_change(imports: Imports) -> None:
    imports.take([chat(1), thread(2)])
    assert [file.mtime for file in imports.files()] == [1741151167.0, 1741064999.0]


def test_importing_again_refreshes_what_changed_and_adds_nothing_twice(imports: Imports) -> None:
    imports.take([chat(1), chat(2)])
    changed = chat(2, said("human", "A new question"), updated_at="2025-04-01T00:00:00Z")
    assert counts(imports.take([chat(1), changed, chat(3)])) == (1, 1, 1, 0)
    assert json.loads(imports.files()[1].path.read_bytes()) == changed
    assert len(imports.files()) == 3


def test_an_older_export_takes_nothing_back(imports: Imports) -> None:
    newer = chat(1, said("human", "New"), updated_at="2025-06-01T00:00:00Z")
    imports.take([newer])
    assert counts(imports.take([chat(1, updated_at="2025-05-01T00:00:00Z")])) == (0, 0, 1, 0)
    assert json.loads(imports.files()[0].path.read_bytes()) == newer


def test_one_conversation_in_two_shards_is_kept_once(imports: Imports, tmp_path: Path) -> None:
    shards = {"conversations-000.json": [thread(1)], "conversations-001.json": [thread(1), thread(2)]}
    assert counts(import_export(zipped(tmp_path / "e.zip", shards), imports.folder)) == (2, 0, 1, 0)


@pytest.mark.parametrize("id", ["../../../etc/passwd", "/abs", "CON", "a" * 300, "Ünï/cödé", "..", "\0"])
def test_an_id_that_is_no_file_name_leads_nowhere_else(imports: Imports, id: str) -> None:
    assert counts(imports.take([chat(1, uuid=id)])) == (1, 0, 0, 0)
    [file] = imports.files()
    assert file.path.parent == imports.folder / "claude.ai"
    assert counts(imports.take([chat(1, uuid=id)])) == (0, 0, 1, 0)


def test_names_of_members_are_no_paths(imports: Imports, tmp_path: Path) -> None:
    export = zipped(tmp_path / "e.zip", {"../../../conversations.json": [chat(1)], "/tmp/x.json": [chat(2)]})
    assert counts(import_export(export, imports.folder)) == (2, 0, 0, 0)
    assert {file.path.parent for file in imports.files()} == {imports.folder / "claude.ai"}


def test_conversations_without_an_id_are_told_apart_and_known_again(imports: Imports) -> None:
    nameless = [{key: value for key, value in chat(n).items() if key != "uuid"} for n in (1, 2)]
    assert counts(imports.take(nameless)) == (2, 0, 0, 0)
    assert counts(imports.take(nameless)) == (0, 0, 2, 0)


def test_progress_tells_bytes_and_the_file(imports: Imports, tmp_path: Path) -> None:
    told: list[tuple[float, float, str]] = []
    export = zipped(tmp_path / "e.zip", {"a.json": [chat(n) for n in range(99)], "b.json": [chat(100)]})
    import_export(export, imports.folder, lambda *step: told.append(step))
    assert [done for done, _, _ in told] == sorted(done for done, _, _ in told)
    assert (
        told[-1][0] == told[-1][1] == len(json.dumps([chat(n) for n in range(99)])) + len(json.dumps([chat(100)]))
    )
    assert {name for _, _, name in told} == {"a.json", "b.json"}


@pytest.mark.parametrize(
    ("content", "seen"),
    [
        (b"hello", "is no JSON"),
        (b"", "is empty"),
        (b"[]", "is empty"),
        ({"a": 1, "b": 2}, "its keys: a, b"),
        ([1, 2], "is a number"),
        ([{"x": 1}], "its keys: x"),
    ],
)
def test_a_file_of_another_kind_is_refused_with_what_was_seen(imports: Imports, content: Any, seen: str) -> None:
    with pytest.raises(SessionError) as refused:
        imports.take(content, "file.json")
    assert seen in str(refused.value)
    assert "What can be:" in str(refused.value)
    assert "claude.ai or ChatGPT" in str(refused.value)


def test_a_missing_file_is_named(imports: Imports, tmp_path: Path) -> None:
    with pytest.raises(SessionError, match=r"There is no file .*gone\.zip"):
        import_export(tmp_path / "gone.zip", imports.folder)


def test_an_empty_folder_is_refused(imports: Imports, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(SessionError, match="holds no json file"):
        import_export(tmp_path / "empty", imports.folder)


def test_the_source_stays_as_it_is(imports: Imports) -> None:
    imports.take([chat(1)])
    export = imports.export / "conversations.json"
    before = export.read_bytes(), export.stat().st_mtime_ns
    import_export(export, imports.folder)
    assert (export.read_bytes(), export.stat().st_mtime_ns) == before


def test_an_opencode_export_is_kept_as_it_is(imports: Imports) -> None:
    id = "ses_0123456789abcDEF"
    session = {"info": {"id": id, "title": "Fix"}, "messages": []}
    assert counts(imports.take(session, "export.json")) == (1, 0, 0, 0)
    [file] = imports.files()
    assert (file.host, file.id, json.loads(file.path.read_bytes())) == ("opencode", id, session)
