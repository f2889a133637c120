"""Damaged opencode sessions: what is whole is read, the rest is counted, nothing crashes."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prune_mcp.sessions.transcript import open_transcript
from tests.sessions.damage import CHANGES, change, read_everything
from tests.sessions.opencode.writing import (
    SESSION,
    Database,
    asks,
    export,
    failed,
    id_of,
    info_of,
    says,
    step,
    text,
    thought,
    tool,
    tree,
)
from tests.sessions.transcripts.reading import outputs, said

pytestmark = pytest.mark.requirement("SES-OPENCODE", "SES-DAMAGE")

TALK = [asks(1, "one"), says(2, "a", tool("c1", "out")), asks(3, "two"), says(4, "b", to=3)]


@pytest.mark.parametrize(
    ("data", "kind"),
    [("{torn", "torn"), ("null", "null"), ("[1]", "list"), ("", "torn"), (b"\xff\xfe", "torn"), (5, "number")],
)
def test_a_damaged_row_costs_only_itself(database: Database, data: Any, kind: str) -> None:
    address = database.session(SESSION, *TALK)
    database.connection.execute("UPDATE message SET data = ? WHERE id = ?", (data, id_of(3)))
    database.connection.execute("UPDATE part SET data = ? WHERE id = 'prt_0002_00'", (data,))
    session = open_transcript(address)
    assert said(session) == [
        ("user", ["one"]),
        ("assistant", ["call c1"]),
        ("user", ["result c1"]),
        ("assistant", ["b"]),
    ]
    assert session.skipped == Counter({kind: 2})


def test_text_that_is_no_unicode_is_kept(database: Database) -> None:
    address = database.session(SESSION, asks(1, "go"))
    data = (
        b'{"type": "tool", "callID": "c", "tool": "", "state": {"status": "completed", "output": "a \xff byte"}}'
    )
    database.add({**says(2), "parts": []})
    database.connection.execute(
        "INSERT INTO part VALUES ('p', ?, ?, 1, 1, CAST(? AS TEXT))", (id_of(2), SESSION, data)
    )
    assert outputs(open_transcript(address)) == ["a \udcff byte"]


def test_a_damaged_file_of_the_tree_costs_only_itself(tmp_path: Path) -> None:
    path = tree(tmp_path, *TALK)
    storage = path.parents[2]
    (storage / "part" / id_of(2) / "prt_0002_00.json").write_text("{torn")
    (storage / "message" / SESSION / f"{id_of(3)}.json").write_text("null")
    (storage / "message" / SESSION / ".tmp").write_text("{}")
    session = open_transcript(path)
    assert said(session) == [
        ("user", ["one"]),
        ("assistant", ["call c1"]),
        ("user", ["result c1"]),
        ("assistant", ["b"]),
    ]
    assert session.skipped == Counter(torn=1, null=1)


@pytest.mark.parametrize("indent", [None, 2])
def test_of_a_damaged_export_every_whole_message_is_read(tmp_path: Path, indent: int | None) -> None:
    path = export(tmp_path / "x.json", *TALK, indent=indent)
    path.write_bytes(path.read_bytes().replace(b'"two"', b'"two\x00" 2'))
    session = open_transcript(path)
    assert [message.id for message in session.messages] == [id_of(1), id_of(2), f"{id_of(2)}/results", id_of(4)]
    assert (session.session, session.skipped) == (SESSION, Counter(torn=1))
    path.write_bytes(path.read_bytes()[: path.read_bytes().index(id_of(4).encode())])
    assert open_transcript(path).messages[-1].id == f"{id_of(2)}/results"


def test_odd_members_of_an_export_are_counted(tmp_path: Path) -> None:
    odd: list[Any] = [None, 5, {"info": {"id": 5}, "parts": []}, {"info": {"id": "x"}}]
    path = tmp_path / "x.json"
    path.write_text(json.dumps({"info": info_of(), "messages": [*TALK[:2], *odd, *TALK[2:]]}))
    session = open_transcript(path)
    assert (len(session.messages), session.skipped) == (5, Counter(null=1, number=1, unknown=2))


@given(st.binary(max_size=30), st.integers(0), st.integers(0, 60), st.sampled_from([None, 2]))
def test_no_damage_to_an_export_stops_its_reading(
    tmp_path_factory: pytest.TempPathFactory, junk: bytes, at: int, cut: int, indent: int | None
) -> None:
    path = export(tmp_path_factory.mktemp("damage") / "x.json", *TALK, indent=indent)
    data = path.read_bytes()
    at %= len(data)
    path.write_bytes(data[:at] + junk + data[at + cut :])
    read_everything(path)


@given(st.binary(min_size=1, max_size=200), st.integers(0))
def test_no_damage_to_a_database_stops_more_than_its_reading(
    tmp_path_factory: pytest.TempPathFactory, junk: bytes, at: int
) -> None:
    database = Database(tmp_path_factory.mktemp("damage"))
    address = database.session(SESSION, *TALK)
    database.close()
    data = database.path.read_bytes()
    at %= len(data)
    database.path.write_bytes(data[:at] + junk + data[at + len(junk) :])
    read_everything(address)


@given(CHANGES)
def test_no_value_in_place_of_another_stops_the_reading(
    tmp_path_factory: pytest.TempPathFactory, changes: list[tuple[int, Any]]
) -> None:
    image = {"type": "file", "mime": "image/png", "url": "data:image/png;base64,AA"}
    cleared = tool("c3", "x", attachments=[image], time={"start": 1, "end": 2, "compacted": 3})
    talk: list[Any] = [
        asks(1, "one", text("x", synthetic=True), image),
        says(2, step(), thought("t", metadata={"a": {"signature": "s"}}), failed("c1", "no"), step(), cleared),
        asks(3, {"type": "compaction", "tail_start_id": id_of(1)}),
        says(4, "b", to=3, summary=True, error=None),
    ]
    value = json.loads(json.dumps({"info": info_of(revert={"messageID": id_of(4)}), "messages": talk}))
    change(value, changes)
    path = tmp_path_factory.mktemp("values") / "x.json"
    path.write_text(json.dumps(value))
    read_everything(path)
