"""Damaged lines cost only themselves."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prune_mcp.sessions.reader import Reader
from prune_mcp.sessions.transcript import open_transcript
from prune_mcp.sessions.view import View
from tests.sessions.transcripts.reading import outputs, said
from tests.sessions.transcripts.writing import ClaudeFile, PiFile

pytestmark = pytest.mark.requirement("SES-DAMAGE")


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        (b"null", "null"),
        (b"12", "number"),
        (b"1.5e3", "number"),
        (b"true", "boolean"),
        (b'"words"', "string"),
        (b'["a", {"type": "user"}]', "list"),
        (b'{"type":"user","message":{"role":"us', "torn"),
        (b"[REDACTED]", "torn"),
        (b'{"type": "user", "x": "\\[bad escape"}', "torn"),
        (b"\xff\xfe\x00", "nul"),
        (b"\0" * 4096, "nul"),
        (b"[" * 100_000, "torn"),
        (b'{"a":' * 100_000, "torn"),
    ],
)
def test_each_kind_of_damage_is_counted_and_the_rest_is_read(claude: ClaudeFile, line: bytes, kind: str) -> None:
    claude.prompt("before")
    claude.write(line + b"\n")
    claude.says("after")
    transcript = open_transcript(claude.path)

    assert said(transcript) == [("user", ["before"]), ("assistant", ["after"])]
    assert transcript.skipped[kind] == 1
    assert list(transcript.render(View())) == [transcript.raw(0), transcript.raw(1)]


def test_blank_lines_are_no_damage(claude: ClaudeFile) -> None:
    claude.write(b"\n  \n\r\n")
    claude.prompt("go")
    claude.write(b"\n\t\n")
    transcript = open_transcript(claude.path)
    assert said(transcript) == [("user", ["go"])]
    assert transcript.skipped == {}


def test_a_byte_order_mark_and_windows_line_ends_are_read_over(claude: ClaudeFile) -> None:
    claude.prompt("go")
    claude.says("answer")
    data = claude.path.read_bytes().replace(b"\n", b"\r\n")
    claude.path.write_bytes(b"\xef\xbb\xbf" + data)
    transcript = open_transcript(claude.path, cache=0)

    assert said(transcript) == [("user", ["go"]), ("assistant", ["answer"])]
    assert transcript.skipped == {}
    assert transcript.raw(0)["message"]["content"] == "go"


def test_a_nul_run_before_an_entry_costs_only_itself(claude: ClaudeFile) -> None:
    claude.prompt("go")
    claude.write(b"\0" * 100)
    claude.says("answer")
    transcript = open_transcript(claude.path, cache=0)

    assert said(transcript) == [("user", ["go"]), ("assistant", ["answer"])]
    assert transcript.skipped == {"nul": 1}


def test_entries_run_together_on_one_line_are_all_read(claude: ClaudeFile) -> None:
    claude.prompt("one")
    claude.write(claude.path.read_bytes()[:150])
    claude.says("two")
    transcript = open_transcript(claude.path, cache=0)
    assert said(transcript) == [("user", ["one"]), ("assistant", ["two"])]
    assert transcript.skipped == {"torn": 1}

    claude.path.write_bytes(claude.path.read_bytes().replace(b"}\n{", b"}{"))
    transcript = open_transcript(claude.path, cache=0)
    assert said(transcript) == [("user", ["one"]), ("assistant", ["two"])]


def test_what_is_quoted_inside_a_torn_line_is_no_entry(claude: ClaudeFile) -> None:
    claude.prompt("go")
    inner = {"type": "user", "uuid": "x", "message": {"role": "user", "content": "of a subagent"}}
    line = json.dumps({"type": "progress", "sessionId": "s", "data": {"message": inner}}).encode()
    for cut in range(1, len(line)):
        claude.write(line[:cut] + b"\n")
    transcript = open_transcript(claude.path)
    assert said(transcript) == [("user", ["go"])]


def test_text_that_is_no_unicode_is_read_and_keeps_its_bytes(claude: ClaudeFile) -> None:
    claude.prompt("broken \ud83d emoji")
    claude.turn("t1", "half \udcb2 byte")
    claude.prompt("XX\u2028next\u2029and\u0085line")
    claude.path.write_bytes(claude.path.read_bytes().replace(b"XX", b"\xff\xfe"))
    raw = json.loads(claude.path.read_bytes().splitlines()[3].decode("utf-8", "surrogateescape"))
    transcript = open_transcript(claude.path)

    assert said(transcript)[0] == ("user", ["broken \ud83d emoji"])
    assert outputs(transcript) == ["half \udcb2 byte"]
    assert said(transcript)[3] == ("user", ["\udcff\udcfe\u2028next\u2029and\u0085line"])
    assert list(transcript.render(View()))[3] == raw
    assert transcript.messages[0].blocks[0].chars == len("broken \ud83d emoji")
    assert transcript.skipped == {}


def test_a_line_separator_as_it_is_splits_no_line(claude: ClaudeFile) -> None:
    message = {"role": "user", "content": "a\u2028b\u2029c\u0085d"}
    entry = {"type": "user", "uuid": "u", "parentUuid": None, "sessionId": "s", "message": message}
    line = json.dumps(entry, ensure_ascii=False)
    claude.write(line.encode() + b"\n")
    assert said(open_transcript(claude.path)) == [("user", ["a\u2028b\u2029c\u0085d"])]


def test_a_line_of_20_mb_is_read(claude: ClaudeFile) -> None:
    claude.prompt("go")
    claude.turn("t1", "x" * (20 << 20))
    claude.says("after")
    transcript = open_transcript(claude.path)

    assert [len(output) for output in outputs(transcript)] == [20 << 20]
    assert said(transcript)[-1] == ("assistant", ["after"])


def strange(kind: str, content: Any, **fields: Any) -> dict[str, Any]:
    """An entry with this content."""
    return {"type": kind, "uuid": "x", "message": {"content": content}, **fields}


@pytest.mark.parametrize(
    "entry",
    [
        {"type": "user", "uuid": "x"},
        {"type": "user", "uuid": "x", "message": None},
        {"type": "user", "uuid": "x", "message": "words"},
        {"type": "user", "uuid": 5, "parentUuid": 7, "timestamp": 9, "sessionId": [], "cwd": {}, "message": {}},
        strange("user", None),
        strange("user", {"a": 1}),
        strange("user", [None, 3, [], {"type": 5}, {"text": 1}]),
        strange("user", [{"type": "tool_result", "content": {"type": "text"}}]),
        strange("user", [{"type": "image", "source": "x"}], toolUseResult=3),
        strange("assistant", [{"type": "tool_use"}]),
        strange("assistant", [{"type": "tool_use", "id": 1, "name": [], "input": 5}]),
        {"type": "assistant", "uuid": "x", "message": {"id": 4, "content": "x", "stop_reason": 1}},
        {"type": "attachment", "uuid": "x"},
        {"type": "attachment", "uuid": "x", "attachment": {"type": "queued_command", "prompt": {"a": 1}}},
        {"type": "attachment", "uuid": "x", "attachment": {"type": ["file"], "content": 1}},
        {"type": "system", "uuid": "x", "subtype": "local_command", "content": {"a": 1}},
        {"type": "summary", "summary": 5, "leafUuid": None},
        {"type": None},
        {"uuid": "x"},
        {},
    ],
)
def test_entries_with_strange_values_cost_only_themselves(claude: ClaudeFile, entry: dict[str, Any]) -> None:
    claude.prompt("before")
    claude.line({"parentUuid": claude.tip, "sessionId": claude.session, **entry})
    claude.says("after")
    transcript = open_transcript(claude.path)

    texts = [transcript.text(block) for fragment in transcript.fragments() for block in fragment.blocks]
    assert (texts[0], texts[-1]) == ("before", "after")
    assert said(transcript)[-1] == ("assistant", ["after"])
    assert [transcript.images(block) for message in transcript.messages for block in message.blocks]
    assert list(transcript.render(View()))


def damage(line: bytes) -> st.SearchStrategy[bytes]:
    """What may stand between or before good lines: rubbish, stray values, and starts of a good line."""
    rubbish = st.binary(max_size=60).map(lambda data: data.replace(b"\n", b""))
    stray = st.sampled_from([b"null", b"0", b"[]", b'"x"', b"\0\0\0", b"\xef\xbb\xbf", b"{}", b"\r", b""])
    torn = st.integers(1, len(line) - 2).map(lambda cut: line[:cut])
    return st.one_of(rubbish, stray, torn)


LINE = json.dumps(
    {"parentUuid": None, "isSidechain": False, "sessionId": "s", "type": "user", "uuid": "torn",
     "message": {"role": "user", "content": [{"type": "text", "text": "torn {\"type\":"}]}}
).encode()  # fmt: skip


@given(
    between=st.lists(damage(LINE), min_size=6, max_size=6),
    ends=st.sampled_from([b"\n", b"\r\n"]),
    glued=st.booleans(),
)
def test_no_damage_between_good_lines_loses_one(
    tmp_path_factory: pytest.TempPathFactory, between: list[bytes], ends: bytes, glued: bool
) -> None:
    path = tmp_path_factory.mktemp("damage") / "s.jsonl"
    file = ClaudeFile(path)
    for number in range(3):
        file.prompt(f"prompt {number}")
        file.says(f"answer {number}")
    good = path.read_bytes().splitlines()
    torn = [piece if glued and piece.startswith(b"{") and piece != b"{}" else piece + ends for piece in between]
    path.write_bytes(b"".join(bad + line + ends for bad, line in zip(torn, good, strict=True)))

    assert good_texts(open_transcript(path)) == [f"{kind} {n}" for n in range(3) for kind in ("prompt", "answer")]


def good_texts(transcript: Reader) -> list[str]:
    return [transcript.text(block) for fragment in transcript.fragments() for block in fragment.blocks]


def test_a_damaged_line_of_pi_costs_only_itself(pi: PiFile) -> None:
    pi.prompt("one")
    pi.write(b'{"type":"message","id":"gone","parentId":"00000001","message":{"role":"assist\nnull\n')
    pi.prompt("two", parent="gone")
    transcript = open_transcript(pi.path)

    assert said(transcript) == [("user", ["one"]), ("user", ["two"])]
    assert transcript.skipped == {"torn": 1, "null": 1}


def test_an_entry_taken_for_damage_elsewhere_is_never_written_to(claude: ClaudeFile, tmp_path: Path) -> None:
    claude.prompt("go")
    claude.write(b'{"torn')
    before = claude.path.read_bytes()
    transcript = open_transcript(claude.path)
    list(transcript.render(View()))
    assert claude.path.read_bytes() == before
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == [claude.path]
