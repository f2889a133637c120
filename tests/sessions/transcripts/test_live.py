"""Transcripts that grow, are cut, or are replaced while they are read."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prune_mcp.sessions.model import SessionError, SourceChanged
from prune_mcp.sessions.tail import WINDOW
from prune_mcp.sessions.transcript import open_transcript
from tests.sessions.conftest import rewrite
from tests.sessions.transcripts.reading import outputs, picture, said
from tests.sessions.transcripts.writing import ClaudeFile, PiFile, text, thinking, tool_use

pytestmark = pytest.mark.requirement("SES-LIVE")


def test_a_growing_file_costs_the_bytes_appended(claude: ClaudeFile, bytes_read: list[int]) -> None:
    claude.prompt("go")
    for number in range(50):
        claude.turn(f"t{number}", "x" * 10_000)
    transcript = open_transcript(claude.path)
    size = claude.path.stat().st_size
    claude.turn("last", "y" * 5_000)
    appended = claude.path.stat().st_size - size
    bytes_read.clear()

    assert transcript.refresh() == appended
    assert sum(bytes_read) <= appended + 2 * WINDOW
    assert outputs(transcript)[-1] == "y" * 5_000
    assert picture(transcript) == picture(open_transcript(claude.path))
    assert transcript.refresh() == 0
    assert transcript.generation == 0


def test_messages_that_only_grow_are_not_made_anew(claude: ClaudeFile) -> None:
    claude.prompt("go")
    claude.turn("t1")
    transcript = open_transcript(claude.path)
    before = transcript.messages
    first = before[0]
    claude.turn("t2")
    transcript.refresh()

    assert transcript.messages is before
    assert transcript.messages[0] is first
    assert len(before) == 5


def test_a_half_written_last_line_waits(claude: ClaudeFile) -> None:
    claude.prompt("go")
    transcript = open_transcript(claude.path)
    start = claude.path.read_bytes()
    claude.says("caf\u00e9 {braces} in the text}")
    line = claude.path.read_bytes()[len(start) :]
    for cut in range(1, len(line) - 1, 7):
        claude.path.write_bytes(start + line[:cut])
        transcript.refresh()
        assert len(transcript.messages) == 1
        assert transcript.skipped == {}
    claude.path.write_bytes(start + line)
    transcript.refresh()
    assert said(transcript)[1] == ("assistant", ["caf\u00e9 {braces} in the text}"])
    assert transcript.skipped == {}


def test_a_last_line_without_newline_is_read_once_it_is_whole(claude: ClaudeFile) -> None:
    claude.prompt("go")
    claude.path.write_bytes(claude.path.read_bytes().rstrip(b"\n"))
    transcript = open_transcript(claude.path)
    assert said(transcript) == [("user", ["go"])]
    claude.write(b"\n")
    claude.says("answer")
    transcript.refresh()
    assert said(transcript) == [("user", ["go"]), ("assistant", ["answer"])]
    assert (transcript.skipped, transcript.generation) == ({}, 0)


@pytest.mark.parametrize("how", ["cut", "regrown", "same size", "replaced", "same size and name"])
def test_a_file_that_is_no_longer_the_one_read_is_read_again(claude: ClaudeFile, tmp_path: Path, how: str) -> None:
    claude.prompt("go")
    for number in range(3):
        claude.turn(f"t{number}", f"old output {number}" * 500)
    transcript = open_transcript(claude.path)
    old = claude.path.read_bytes()
    other = ClaudeFile(tmp_path / "other.jsonl")
    other.prompt("no")
    other.turn("t0", "new output 0" * 500)
    new = other.path.read_bytes()
    if how == "cut":
        rewrite(claude.path, new)
    elif how == "regrown":
        rewrite(claude.path, old[: len(old) // 2].rpartition(b"\n")[0] + b"\n" + new * 3)
    elif how == "same size":
        rewrite(claude.path, old.replace(b"old output 2", b"new output 2"))
    elif how == "replaced":
        other.path.replace(claude.path)
    else:
        other.path.write_bytes(old.replace(b"old output 1", b"new output 1"))
        os.utime(other.path, ns=(claude.path.stat().st_atime_ns, claude.path.stat().st_mtime_ns))
        other.path.replace(claude.path)
    transcript.refresh()

    assert transcript.generation == 1
    assert picture(transcript) == picture(open_transcript(claude.path))
    assert any("new output" in output for output in outputs(transcript))


def test_an_entry_that_is_gone_is_reported(claude: ClaudeFile) -> None:
    claude.prompt("go")
    claude.says("answer")
    transcript = open_transcript(claude.path, cache=0)
    block = transcript.messages[1].blocks[0]
    claude.path.write_bytes(claude.path.read_bytes()[10:])
    with pytest.raises(SourceChanged, match="read the session again"):
        transcript.text(block)
    with pytest.raises(SourceChanged):
        transcript.raw(1)


def test_a_missing_file_leaves_what_was_read(claude: ClaudeFile) -> None:
    claude.prompt("go")
    transcript = open_transcript(claude.path)
    claude.path.unlink()
    with pytest.raises(SessionError, match="There is no file"):
        transcript.refresh()
    assert said(transcript) == [("user", ["go"])]


def everything(file: ClaudeFile) -> None:
    """A transcript with all that moves the tip: splits, parallel calls, snapshots, copies, rewinds, compaction."""
    file.prompt("Warmup", isSidechain=True)
    start = file.prompt("go \u2028 on", parent=None)
    file.says(thinking("hm"), id="m1")
    calls = [file.says(tool_use(f"t{n}"), id="m1") for n in range(3)]
    for number, parent in enumerate(calls):
        file.entry("progress", data={"type": "hook_progress"})
        file.result(f"t{number}", f"caf\u00e9 {number}", parent=parent)
    file.says("Do", id="m2")
    file.says("Done.", id="m2")
    file.prompt("wrong")
    file.turn("t9", "left")
    file.prompt("again", parent=start)
    file.write(b'{"torn\nnull\n')
    copied = file.turn("t3", [text("x")])
    file.result("t3", [text("x")], uuid=copied, gitBranch="b", parent=calls[0])
    file.compact()
    file.entry("system", subtype="local_command", content="<local-command-stdout>x</local-command-stdout>")
    file.entry("attachment", attachment={"type": "queued_command", "prompt": "and this"})
    file.turn("t4")
    file.line({"type": "custom-title", "customTitle": "Named"})


@given(cuts=st.lists(st.integers(0, 12_000), max_size=30))
def test_appended_in_any_pieces_it_reads_as_read_at_once(
    tmp_path_factory: pytest.TempPathFactory, cuts: list[int]
) -> None:
    folder = tmp_path_factory.mktemp("grown")
    whole = ClaudeFile(folder / "whole" / "s.jsonl")
    everything(whole)
    data = whole.path.read_bytes()
    grown = folder / "grown" / "s.jsonl"
    grown.parent.mkdir()
    first = data.index(b"\n") + 1
    bounds = sorted({min(max(cut, first), len(data)) for cut in cuts} | {len(data)})
    grown.write_bytes(data[:first])
    transcript = open_transcript(grown)
    for start, end in zip([first, *bounds], bounds, strict=False):
        with grown.open("ab") as file:
            file.write(data[start:end])
        transcript.refresh()

    assert picture(transcript) == picture(open_transcript(whole.path))


def test_line_by_line_pi_reads_as_read_at_once(pi: PiFile) -> None:
    transcript = open_transcript(pi.path)
    kept = pi.prompt("go")
    steps: list[Callable[[], object]] = [
        lambda: pi.turn("c1"),
        lambda: pi.entry("context_edit", targetId=pi.tip, replacement={"content": "[stub]"}),
        lambda: pi.prompt("wrong"),
        lambda: pi.entry("model_change", parent=kept, modelId="m"),
        lambda: pi.turn("c2"),
        lambda: pi.entry("compaction", summary="s", firstKeptEntryId=kept, tokensBefore=1),
        lambda: pi.says("Done."),
    ]
    for step in steps:
        step()
        transcript.refresh()
        assert picture(transcript) == picture(open_transcript(pi.path))
    assert transcript.generation == 0
