"""What older entries are packed into says the same as the objects did."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prune_mcp.sessions import ids, packed
from prune_mcp.sessions.ids import NONE, Ids
from prune_mcp.sessions.strings import Strings
from prune_mcp.sessions.transcript import open_transcript
from prune_mcp.sessions.view import View
from tests.sessions.transcripts.reading import picture
from tests.sessions.transcripts.writing import ClaudeFile, PiFile, text, thinking, tool_use

pytestmark = pytest.mark.requirement("SES-STREAM")

Packing = Callable[[int], None]


@pytest.fixture
def keep(monkeypatch: pytest.MonkeyPatch) -> Packing:
    """Lets so few of the newest records stay objects."""

    def set_kept(count: int) -> None:
        monkeypatch.setattr(packed, "KEPT", count)
        monkeypatch.setattr(ids, "KEPT", count)

    return set_kept


def a_long_claude_session(file: ClaudeFile) -> None:
    """One that has of everything, some of it about entries that were packed long before."""
    file.prompt("Warmup", isSidechain=True)
    start = file.prompt("<command-name>/go</command-name>", parent=None)
    file.result("late", "before its call")
    copied = file.turn("t0", [text("caf\u00e9"), {"type": "image", "source": {"type": "base64", "data": "aa"}}])
    for number in range(1, 20):
        file.says(thinking("hm"), id=f"m{number}")
        file.says("Looking.", id=f"m{number}")
        calls = [file.says(tool_use(f"t{number}{n}", "Read"), id=f"m{number}") for n in "abc"]
        file.entry("progress", data={"type": "hook_progress"})
        for call, n in zip(calls, "abc", strict=True):
            file.result(f"t{number}{n}", f"output {number}{n}", parent=call, is_error=n == "b")
    file.result("t0", [text("changed")], uuid=copied, parent=start)
    file.says(tool_use("late", "Grep"), id="m-late")
    file.entry("system", subtype="api_error", content="\ud800 overloaded")
    file.entry("user", parent="elsewhere", message={"role": "user", "content": "orphan"}, timestamp=None)
    file.compact()
    file.turn("t-last")


def a_long_pi_session(file: PiFile) -> None:
    """One with an edit of a result that was packed long before, and a compaction."""
    kept = file.prompt("go")
    edited = file.turn("c0")
    for number in range(1, 20):
        file.turn(f"c{number}")
    file.entry("context_edit", targetId=edited, replacement={"content": "[stub]"})
    file.prompt("wrong")
    file.entry("model_change", parent=file.turn("c20"), modelId="m")
    file.entry("compaction", summary="s", firstKeptEntryId=kept, tokensBefore=1)
    file.turn("c21")


@pytest.mark.parametrize("kept", [1, 2, 7, 30])
def test_a_packed_claude_session_reads_and_renders_as_one_of_objects(
    claude: ClaudeFile, keep: Packing, kept: int
) -> None:
    a_long_claude_session(claude)
    whole = open_transcript(claude.path)
    keep(kept)
    packed_one = open_transcript(claude.path)

    assert picture(packed_one) == picture(whole)
    assert list(packed_one.fragments()) == list(whole.fragments())
    assert list(packed_one.render(View())) == list(whole.render(View()))
    assert packed_one.messages[-3:] == whole.messages[-3:]


@pytest.mark.parametrize("kept", [1, 2, 7])
def test_a_packed_pi_session_reads_and_renders_as_one_of_objects(pi: PiFile, keep: Packing, kept: int) -> None:
    a_long_pi_session(pi)
    whole = open_transcript(pi.path)
    keep(kept)
    packed_one = open_transcript(pi.path)

    assert picture(packed_one) == picture(whole)
    assert list(packed_one.render(View())) == list(whole.render(View()))


def test_a_packed_session_that_grows_reads_as_read_at_once(tmp_path: Path, keep: Packing) -> None:
    whole = ClaudeFile(tmp_path / "whole" / "s.jsonl")
    a_long_claude_session(whole)
    grown = tmp_path / "grown" / "s.jsonl"
    grown.parent.mkdir()
    keep(2)
    lines = whole.path.read_bytes().splitlines(keepends=True)
    grown.write_bytes(lines[0])
    transcript = open_transcript(grown)
    for line in lines[1:]:
        with grown.open("ab") as file:
            file.write(line)
        transcript.refresh()

    assert picture(transcript) == picture(open_transcript(whole.path))


def test_what_is_not_there_is_no_record(claude: ClaudeFile, keep: Packing) -> None:
    keep(1)
    a_long_claude_session(claude)
    entries = open_transcript(claude.path).entries

    assert entries[-len(entries)] == entries[0]
    for index in (len(entries), -len(entries) - 1):
        with pytest.raises(IndexError):
            entries[index]


@given(st.lists(st.text(st.characters(codec=None))))
def test_strings_come_back_as_they_were_added(texts: list[str]) -> None:
    strings = Strings()
    numbers = [strings.add(text) for text in texts]

    assert [strings[number] for number in numbers] == texts
    assert len(strings) == len(texts)


@given(st.lists(st.text(st.characters(codec=None), max_size=3)), st.integers(1, 5))
def test_an_id_keeps_its_number_however_many_follow(names: list[str], kept: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ids, "KEPT", kept)
        known = Ids()
        numbers = {name: known.add(name) for name in names}

        assert sorted(numbers.values()) == list(range(len(set(names))))
        assert {name: known.add(name) for name in names} == numbers
        assert all(known[number] == name and known.find(name) == number for name, number in numbers.items())
        assert known.find("none of these") == NONE
