"""Damaged Gemini CLI sessions: what is whole is read, the rest is counted, nothing crashes."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prune_mcp.sessions.model import SessionError
from prune_mcp.sessions.transcript import open_transcript
from tests.sessions.damage import CHANGES, change, read_everything
from tests.sessions.gemini.writing import SESSION, GeminiFile, asks, call, header, line, response, says
from tests.sessions.transcripts.reading import outputs, said

pytestmark = pytest.mark.requirement("SES-GEMINI", "SES-DAMAGE")

TALK = [
    asks(number, f"prompt {number}") if number % 2 else says(number, f"answer {number}") for number in range(1, 9)
]


def texts(path: Path) -> list[str]:
    return [text for _, texts in said(open_transcript(path)) for text in texts]


@pytest.mark.parametrize(
    ("between", "skipped"),
    [
        (b'null\n42\n[1]\n"x"\n', {"null": 1, "number": 1, "list": 1, "string": 1}),
        (b'{"id": "torn", "type": "us\n', {"torn": 1}),
        (b"\0\0\0\0\n", {"nul": 1}),
        (b'{"something": "else"}\n', {"unknown": 1}),
        (b"\r\n\n", {}),
    ],
)
def test_a_damaged_line_costs_only_itself(gemini: GeminiFile, between: bytes, skipped: dict[str, int]) -> None:
    lines = [line(record).encode() for record in [header(), *TALK]]
    gemini.path.write_bytes(b"".join([*lines[:4], between, *lines[4:]]))
    session = open_transcript(gemini.path)
    assert (len(session.messages), session.skipped) == (8, Counter(skipped))


def test_a_torn_first_line_costs_the_header_alone(gemini: GeminiFile) -> None:
    data = "".join(map(line, [header(), *TALK])).encode()
    gemini.path.write_bytes(data[20:])
    session = open_transcript(gemini.path)
    assert (len(session.messages), session.skipped["torn"]) == (8, 1)
    assert session.session == gemini.path.stem


def test_a_half_written_last_line_costs_only_itself(gemini: GeminiFile) -> None:
    gemini.write([header(), *TALK])
    gemini.path.write_bytes(gemini.path.read_bytes()[:-30])
    assert texts(gemini.path) == [f"{'prompt' if n % 2 else 'answer'} {n}" for n in range(1, 8)]


@pytest.mark.parametrize("indent", [None, 2])
def test_of_a_damaged_object_every_whole_message_is_read(old: GeminiFile, indent: int | None) -> None:
    data = old.whole(TALK, indent, summary="still known").read_bytes()
    broken = data.replace(b'"prompt 3"', b'"prompt \x00" 3')
    old.path.write_bytes(broken)
    session = open_transcript(old.path)
    assert [message.id for message in session.messages] == ["m1", "m2", "m4", "m5", "m6", "m7", "m8"]
    assert (session.session, session.title) == (SESSION, "still known")
    assert session.skipped == Counter(torn=1)


@pytest.mark.parametrize("indent", [None, 2])
def test_of_a_cut_object_everything_before_the_cut_is_read(old: GeminiFile, indent: int | None) -> None:
    data = old.whole(TALK, indent).read_bytes()
    old.path.write_bytes(data[: data.index(b"answer 6")])
    session = open_transcript(old.path)
    assert [message.id for message in session.messages] == ["m1", "m2", "m3", "m4", "m5"]
    assert session.session == SESSION


@pytest.mark.parametrize("start", [b"\xef\xbb\xbf", b"\0\0", b"\n\n"])
def test_what_stands_before_the_first_object_does_not_matter(old: GeminiFile, start: bytes) -> None:
    old.path.write_bytes(start + old.whole(TALK).read_bytes())
    assert len(open_transcript(old.path).messages) == 8


def test_odd_members_of_a_list_are_counted(old: GeminiFile) -> None:
    odd: list[Any] = [None, 5, "x", {"type": "user"}, {"id": 7, "type": "user", "content": "x"}]
    session = open_transcript(old.whole([*TALK[:2], *odd, *TALK[2:]]))
    assert len(session.messages) == 8
    assert session.skipped == Counter(null=1, number=1, string=1, unknown=2)


def test_text_that_is_no_unicode_is_kept(gemini: GeminiFile) -> None:
    bad = line(says(2, "", call("c1", "marked"))).encode().replace(b"marked", b"bad \xff byte")
    gemini.path.write_bytes(line(header()).encode() + line(asks(1, "go")).encode() + bad)
    assert outputs(open_transcript(gemini.path)) == ["bad \udcff byte"]


def test_a_message_nested_too_deeply_costs_only_itself(gemini: GeminiFile) -> None:
    deep: Any = "x"
    for _ in range(900):
        deep = {"a": deep}
    gemini.write([header(), *TALK[:2]])
    gemini.add(says(20, [{"odd": deep}]), TALK[2])
    assert [message.id for message in open_transcript(gemini.path).messages][:2] == ["m1", "m2"]
    assert open_transcript(gemini.path).messages[-1].id == "m3"


@pytest.mark.parametrize("content", ["", "[]", "{}", "nothing", '{"sessionId": "x", "projectHash": "y"}'])
def test_what_is_no_session_says_so_and_an_empty_one_is_none(old: GeminiFile, content: str) -> None:
    old.path.write_text(content)
    if "sessionId" in content:
        assert list(open_transcript(old.path).messages) == []
    else:
        with pytest.raises(SessionError, match=r"holds no session|no session of a host"):
            open_transcript(old.path)


@given(st.binary(max_size=30), st.integers(0), st.integers(0, 60), st.sampled_from(["json", "jsonl"]))
def test_no_damage_to_a_file_stops_its_reading(
    tmp_path_factory: pytest.TempPathFactory, junk: bytes, at: int, cut: int, form: str
) -> None:
    file = GeminiFile(tmp_path_factory.mktemp("damage"), ending=form)
    talk = [asks(1, "go"), says(2, "", call("c1", "out"), call("c2", [response("c2", {"error": "x"})])), *TALK[2:]]
    data = (
        file.whole(talk) if form == "json" else file.write([header(), *talk, {"$rewindTo": "m7"}])
    ).read_bytes()
    at %= len(data)
    file.path.write_bytes(data[:at] + junk + data[at + cut :])
    read_everything(file.path)


@given(CHANGES)
def test_no_value_in_place_of_another_stops_the_reading(
    tmp_path_factory: pytest.TempPathFactory, changes: list[tuple[int, Any]]
) -> None:
    records: list[Any] = [
        header(summary="s", directories=["/x"]),
        asks(1, [{"text": "go"}], displayContent="go"),
        says(
            2,
            [{"functionCall": {"id": "c0", "name": "n", "args": {}}}],
            call("c1", "out"),
            thoughts=[{"subject": "s"}],
        ),
        asks(3, [response("c0", "x", parts=[{"inlineData": {"mimeType": "image/png", "data": "AA"}}])]),
        {"$set": {"messages": [asks(1, "x")]}},
        {"$patch": {"updates": [{"id": "m1", "content": "y"}], "orderIds": ["m1"]}},
        {"$rewindTo": "m1"},
    ]
    change(records, changes)
    file = GeminiFile(tmp_path_factory.mktemp("values"))
    file.path.write_text("".join(json.dumps(record) + "\n" for record in records))
    read_everything(file.path)
