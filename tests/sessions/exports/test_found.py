"""Imported conversations are sessions like any other: listed, named by their id, pruned and looked into."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from prune_mcp.sessions.discover import discover
from prune_mcp.sessions.exports.bring import import_export
from prune_mcp.sessions.exports.imported import IMPORTS, imported
from prune_mcp.sessions.model import SessionError
from prune_mcp.sessions.transcript import open_transcript
from prune_mcp.sessions.which import locate
from tests.acceptance.product import Product
from tests.sessions.exports.build import Imports, chat, thread, uuid, write, zipped
from tests.sessions.exports.test_pruning import long_thread
from tests.sessions.opencode import writing as opencode
from tests.sessions.opencode.writing import Database, asks, export
from tests.sessions.trajectories.build import acts, observed, run

pytestmark = pytest.mark.requirement("SES-EXPORTS", "SES-TRAJ")


def test_each_imported_session_is_discovered_with_its_agent(imports: Imports, tmp_path: Path) -> None:
    imports.take([chat(1), thread(2)])
    imports.take(run(acts("ls"), observed("x")), "org__repo-17.traj.json")
    found = list(discover({}, tmp_path / "nobody", imports=imports.folder))
    assert sorted((file.host, file.title) for file in found) == [
        ("chatgpt", "Thread 2"),
        ("claude.ai", "Chat 1"),
        ("mini-swe-agent", "org__repo-17: Parsing of dates fails"),
    ]


def test_a_beginning_of_its_id_names_an_imported_session(imports: Imports, tmp_path: Path) -> None:
    imports.take([chat(1), thread(2)])
    assert locate(uuid(2)[:8], {}, tmp_path, imports.folder).host == "chatgpt"


def test_a_session_that_its_host_still_has_goes_before_what_was_imported_of_it(
    imports: Imports, tmp_path: Path
) -> None:
    host = Database(tmp_path)
    address = host.session(opencode.SESSION, asks(1, "where is it?"), opencode.says(2, "there"))
    host.close()
    import_export(export(tmp_path / "export.json", asks(1, "where is it?")), imports.folder)
    for word in (opencode.SESSION, opencode.SESSION[:6]):
        assert locate(word, {}, tmp_path, imports.folder).address == address
    address.parent.unlink()
    assert locate(opencode.SESSION, {}, tmp_path, imports.folder).path == imports.files()[0].path


def test_what_is_half_written_or_something_else_is_no_session(imports: Imports) -> None:
    imports.take([chat(1)])
    folder = imports.files()[0].path.parent
    write(folder / ".tmp-abc", b"{")
    write(folder / "notes.txt", b"hello")
    (folder / "empty.json").touch()
    counts: Counter[str] = Counter()
    assert [file.id for file in imported(imports.folder, counts)] == [uuid(1)]
    assert counts == {"empty": 1}


def test_nothing_imported_is_nothing_found(tmp_path: Path) -> None:
    counts: Counter[str] = Counter()
    assert list(imported(tmp_path / "none", counts)) == []
    assert not counts


@pytest.mark.parametrize("name", ["conversations.json", "export.zip"])
def test_an_export_named_as_a_session_is_to_be_imported(tmp_path: Path, name: str) -> None:
    if name.endswith(".zip"):
        path = zipped(tmp_path / name, {"conversations.json": [chat(1)]})
    else:
        path = write(tmp_path / name, [chat(1)])
    with pytest.raises(SessionError, match="bring an export in with `prune-mcp import`"):
        open_transcript(path)


def test_commands_take_an_imported_session_by_its_id(tmp_path: Path) -> None:
    product = Product(tmp_path)
    export = json.dumps([long_thread() | {"title": "Runs"}]).encode()
    import_export(write(tmp_path / "conversations.json", export), product.store.parent / IMPORTS)
    rows = product.json("sessions")
    assert [(row["host"], row["title"]) for row in rows] == [("chatgpt", "Runs")]
    answer = product.json("prune", uuid(1)[:8])
    assert answer["refs"]
    shown = product.json("show", answer["refs"][0], "--session", uuid(1))
    assert "nightly run" in str(shown)
