"""Damaged exports: what is wrong costs only itself, and is told with where and why."""

from __future__ import annotations

import io
import json
import re
import tracemalloc
import zipfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prune_mcp.sessions.exports import stream as export_stream
from prune_mcp.sessions.exports.bring import ImportReport, import_export
from prune_mcp.sessions.exports.stream import Values
from prune_mcp.sessions.history import read_history
from prune_mcp.sessions.model import SessionError
from prune_mcp.sessions.transcript import open_transcript
from prune_mcp.sessions.view import View
from tests.sessions.damage import places
from tests.sessions.exports.build import Imports, chat, said, says, thread, uuid, write, zipped

pytestmark = pytest.mark.requirement("SES-EXPORTS")


def told(report: ImportReport) -> list[tuple[str, str]]:
    return [(fault.where, fault.why) for fault in report.bad]


@pytest.mark.parametrize(
    ("bad", "why"),
    [
        (thread(9, mapping=None), "its `mapping` is null, so it holds no messages"),
        (thread(9, mapping=[1]), "its `mapping` is a list, so it holds no messages"),
        (chat(9, chat_messages=None), "its `chat_messages` is null, not a list"),
        (None, "is null, not an object"),
        (17, "is a number, not an object"),
        ({"x": 1}, "is no conversation of a known kind (its keys: x)"),
    ],
)
def test_one_bad_conversation_costs_only_itself(imports: Imports, bad: Any, why: str) -> None:
    report = imports.take([chat(1), bad, thread(2)])
    assert report.added == 2
    assert told(report) == [("conversations.json, conversation 2", why)]


def test_invalid_json_inside_one_conversation_spares_its_neighbours(imports: Imports) -> None:
    parts = [json.dumps(chat(n)).encode() for n in (1, 2, 3)]
    parts[1] = parts[1].replace(b'"human"', b"human")
    report = imports.take(b"[" + b",".join(parts) + b"]")
    assert report.added == 2
    [(where, why)] = told(report)
    assert where == "conversations.json, conversation 2"
    assert why.startswith("is no valid JSON")


def test_a_torn_conversation_gives_back_those_it_swallowed(imports: Imports) -> None:
    whole = json.dumps([chat(n) for n in (1, 2, 3, 4)]).encode()
    at = whole.index(uuid(2).encode())
    report = imports.take(whole[: at + 40] + whole[at + 200 :])
    assert [file.id for file in imports.files()] == [uuid(1), uuid(3), uuid(4)]
    assert report.bad[0].where == "conversations.json, conversation 2"


@pytest.mark.parametrize(("cut", "kept", "why"), [(90, 2, "is cut off"), (1, 3, "ends before its end")])
def test_a_truncated_export_keeps_what_was_complete(imports: Imports, cut: int, kept: int, why: str) -> None:
    whole = json.dumps([chat(1), chat(2), chat(3)]).encode()
    report = imports.take(whole[:-cut])
    assert report.added == kept
    assert why in report.bad[0].why


@pytest.mark.parametrize("time", ["/dev/null", "yesterday", {"a": 1}, -5, 1e300, "0000-00-00T00:00:00Z"])
def test_a_bad_date_costs_the_date_alone(imports: Imports, time: Any) -> None:
    report = imports.take([chat(1, updated_at=time), thread(2, update_time=time)])
    assert (report.added, report.bad) == (2, [])
    assert [fault.where for fault in report.flawed] == [f"conversations.json, conversation {n}" for n in (1, 2)]
    assert "is no time" in report.flawed[0].why


def test_dates_that_are_missing_or_null_or_zero_are_no_flaw(imports: Imports) -> None:
    message = says("user", "Hello", create_time=0)
    report = imports.take([chat(1, updated_at=None), thread(2, message, create_time=None, update_time=0)])
    assert (report.added, report.flawed) == (2, [])


def test_missing_metadata_is_no_flaw(imports: Imports) -> None:
    message = {key: value for key, value in says("user", "Hello").items() if key != "metadata"}
    session = imports.read([thread(1, message)])
    assert session.text(session.messages[0].blocks[0]) == "Hello"


def test_a_conversation_nested_too_deeply_costs_only_itself(imports: Imports) -> None:
    deep = b'{"uuid":"%s","chat_messages":' % uuid(2).encode() + b"[" * 200_000 + b"]" * 200_000 + b"}"
    report = imports.take(b"[" + json.dumps(chat(1)).encode() + b"," + deep + b"]")
    assert report.added == 1
    assert len(report.bad) == 1


def test_a_run_nested_too_deeply_to_be_known_costs_only_itself(imports: Imports, tmp_path: Path) -> None:
    deep = b'{"info":{},"messages":[' + b"[" * 950 + b"]" * 950 + b"]}"
    write(tmp_path / "runs" / "deep.traj.json", deep)
    write(tmp_path / "runs" / "fine.json", [chat(1)])
    report = import_export(tmp_path / "runs", imports.folder)
    assert report.added + len(report.bad) == 2


def test_a_truncated_member_of_a_zip_keeps_what_came_before(imports: Imports, tmp_path: Path) -> None:
    export = zipped(tmp_path / "e.zip", {"conversations.json": [chat(n) for n in range(3000)]})
    data = bytearray(export.read_bytes())
    middle = len(data) // 2
    data[middle : middle + 64] = bytes(64)
    report = import_export(write(tmp_path / "bad.zip", bytes(data)), imports.folder)
    assert 0 < report.added < 3000
    assert any("conversations.json" in fault.where for fault in report.bad)


def test_half_a_zip_is_refused_in_words(imports: Imports, tmp_path: Path) -> None:
    export = zipped(tmp_path / "e.zip", {"conversations.json": [chat(1)]}).read_bytes()
    with pytest.raises(SessionError, match=r"is no whole zip .*download the export again"):
        import_export(write(tmp_path / "half.zip", export[: len(export) // 2]), imports.folder)


def test_a_broken_zip_in_a_folder_spares_the_other_files(imports: Imports, tmp_path: Path) -> None:
    write(tmp_path / "all" / "a.zip", b"PK\x03\x04 nonsense")
    write(tmp_path / "all" / "b.json", [chat(1)])
    report = import_export(tmp_path / "all", imports.folder)
    assert report.added == 1
    assert report.bad[0].where == "a.zip"


def test_a_zip_bomb_is_left_alone(imports: Imports, tmp_path: Path) -> None:
    bomb = zipped(tmp_path / "bomb.zip", {"conversations.json": b"[" + b" " * (80 << 20)})
    with pytest.raises(SessionError, match="as no export does"):
        import_export(bomb, imports.folder)
    assert imports.files() == []


def test_members_of_a_zip_that_need_a_password_are_told(imports: Imports, tmp_path: Path) -> None:
    export = zipped(tmp_path / "e.zip", {"conversations.json": [chat(1)], "more.json": [chat(2)]})
    data = bytearray(export.read_bytes())
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        start = archive.start_dir
    data[start + 8] |= 1
    report = import_export(write(tmp_path / "locked.zip", bytes(data)), imports.folder)
    assert report.added == 1
    assert told(report)[0][0] == "conversations.json"
    assert "password" in told(report)[0][1]


def test_a_value_without_end_is_passed_over_in_bounded_memory() -> None:
    chunks = [b'[{"a":"', *[b"x" * 1000] * 500, b'"},{"b":1}]']
    values = list(Values(largest=50_000).split(chunks))
    assert [(value.number, value.data) for value in values] == [(1, b""), (2, b'{"b":1}')]
    assert "larger than" in values[0].damage


def test_a_large_export_is_never_held_whole(imports: Imports, tmp_path: Path) -> None:
    message = said("human", "word " * 20_000)
    export = tmp_path / "conversations.json"
    with export.open("w") as file:
        file.write("[" + ",".join(json.dumps(chat(n, message)) for n in range(300)) + "]")
    size = export.stat().st_size
    import_export(export, tmp_path / "warm")
    tracemalloc.start()
    try:
        report = import_export(export, imports.folder)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert report.added == 300
    assert size > 60_000_000
    # One conversation some times over, and one chunk.
    assert peak < 4_000_000


@pytest.mark.parametrize("size", [1, 2, 3, 7, 64])
def test_where_chunks_end_makes_no_difference(size: int) -> None:
    data = b'\xef\xbb\xbf [{"a":"]}\\"{\\\\"},\n null ,[{"b":[1,{"c":"\xc3\xa9"}]}], 4]'
    chunks = [data[at : at + size] for at in range(0, len(data), size)]
    found = [value.data for value in Values().split(chunks)]
    assert found == [b'{"a":"]}\\"{\\\\"}', b"null", b'[{"b":[1,{"c":"\xc3\xa9"}]}]', b"4"]


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


@given(st.lists(st.dictionaries(st.text(), json_values), max_size=6), st.integers(1, 40), st.booleans())
def test_any_array_of_objects_is_split_into_its_elements(values: list[Any], size: int, ascii: bool) -> None:
    data = json.dumps(values, ensure_ascii=ascii).encode("utf-8", "surrogatepass")
    chunks = [data[at : at + size] for at in range(0, len(data), size)]
    found = [json.loads(value.data.decode("utf-8", "surrogatepass")) for value in Values().split(chunks)]
    assert found == values


def awkward() -> list[Any]:
    """Conversations that have something of everything; each message has a needle of its own."""
    call = says("assistant", {"content_type": "code", "text": '{"q": "needle-10"}'}, "python")
    output = says("tool", {"content_type": "execution_output", "text": "needle-11"}, name="python")
    thoughts = {"content_type": "thoughts", "thoughts": [{"summary": "s", "content": "needle-12"}]}
    blocks = [
        {"type": "thinking", "thinking": "needle-1"},
        {"type": "tool_use", "id": "c", "name": "search", "input": {"q": 1}},
        {"type": "tool_result", "tool_use_id": "c", "name": "search", "content": [{"type": "text", "text": "r"}]},
    ]
    pasted = said("human", "", "m-2", "m-1", attachments=[{"file_name": "a", "extracted_content": "needle-2"}])
    return [
        chat(1, said("human", "needle-0", "m-0"), said("assistant", "", "m-1", "m-0", content=blocks), pasted),
        thread(2, says("user", "needle-9"), call, output, says("assistant", thoughts)),
        {
            "uuid": uuid(3),
            "docs": [{"uuid": "d", "filename": "f", "content": "needle-20"}],
            "prompt_template": "p",
        },
        {"conversations_memory": "needle-30", "project_memories": {"p": "t"}, "account_uuid": uuid(4)},
    ]


def found(imports: Imports) -> str:
    """All that is found in what is kept; every session is rendered on the way, and read back the same."""
    words = []
    for file in imports.files():
        session = open_transcript(file.path)
        texts = [session.text(block) for message in session.messages for block in message.blocks]
        again = open_transcript(file.path)
        assert [again.text(block) for message in again.messages for block in message.blocks] == texts
        rendered = list(session.render(View()))
        owners = {block.place.entry for message in session.messages for block in message.blocks}
        assert all(session.raw(entry) in rendered for entry in owners)
        words += [passage.text for passage in read_history(file).passages()]
    return "\n".join(words)


@given(data=st.data())
def test_no_damage_is_fatal(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    export = bytearray(json.dumps(awkward()).encode())
    scraps = [b"", b"null", b"7", b'"', b"{}", b"[]", b"\xff", b"\0", b"\\ud800", b"true", b",", b"1e400"]
    for _ in range(data.draw(st.integers(1, 6))):
        at = data.draw(st.integers(0, len(export) - 1))
        export[at : at + data.draw(st.integers(0, 9))] = data.draw(st.sampled_from(scraps))
    imports = Imports(tmp_path_factory.mktemp("fuzz"))
    try:
        report = imports.take(bytes(export))
    except SessionError:
        # Damage where the array begins leaves nothing that could be told from another file.
        return
    assert report.bad or report.kept
    assert found(imports) or not report.kept


@given(number=st.integers(0, 1), value=json_values, data=st.data())
def test_any_value_in_any_place_of_a_message_spares_the_others(
    tmp_path_factory: pytest.TempPathFactory, number: int, value: Any, data: st.DataObject
) -> None:
    conversation = awkward()[number]
    messages = conversation.get("chat_messages") or list(conversation["mapping"].values())
    at = data.draw(st.integers(0, len(messages) - 1))
    others = re.findall(r"needle-\d+", json.dumps([m for m in messages if m is not messages[at]]))
    holder, key = data.draw(st.sampled_from(list(places(messages[at]))))
    holder[key] = value
    imports = Imports(tmp_path_factory.mktemp("fuzz"))
    assert imports.take([conversation]).added == 1
    words = found(imports)
    assert [word for word in others if word not in words] == []


def test_the_largest_value_is_far_larger_than_a_conversation() -> None:
    assert export_stream.LARGEST >= 100 << 20
