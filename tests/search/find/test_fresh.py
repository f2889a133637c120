"""An answer never waits for the index, and says what it does not cover."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from itertools import count
from pathlib import Path

import pytest

from prune_mcp.search.find.filters import Filters
from prune_mcp.search.find.find import find
from prune_mcp.search.find.query import parse
from prune_mcp.search.find.question import Question
from prune_mcp.search.find.scanner import PACE, Scanner
from prune_mcp.search.find.spelling import spelled
from prune_mcp.search.segments.segment_file import HEADER_BYTES
from tests.search.find.past import NOW, Past
from tests.sessions.transcripts.writing import tool_use

pytestmark = pytest.mark.requirement("HIS-FRESH")


def test_what_is_written_after_indexing_is_found_at_once(indexed: Past) -> None:
    file = indexed.session()
    file.prompt("go")
    file.says("an old needle")
    indexed.settle()
    indexed.indexed = False
    new = file.says("a new needle")
    found = indexed.ask("new needle", seconds=0.0)
    assert new in [hit.entry for hit in found.hits]
    assert len(found.hits) == 2
    assert (found.covered, found.pending, found.notes) == (1, 0, [])


def test_without_an_index_the_answer_says_what_was_read(scanned: Past) -> None:
    scanned.says("needle")
    scanned.says("hay", number=2)
    found = scanned.ask("needle")
    assert len(found.hits) == 1
    assert (found.covered, found.pending) == (2, 0)
    assert any("no index yet" in note and "2 sessions" in note for note in found.notes)


def test_what_there_was_no_time_for_is_said(scanned: Past) -> None:
    for number in range(1, 4):
        scanned.says("needle", number=number)
    found = scanned.ask("needle", seconds=0.0)
    assert found.hits == []
    assert found.pending == 3
    assert any("3 sessions were not searched" in note and "not indexed yet" in note for note in found.notes)


def test_the_newest_files_are_read_first(scanned: Past, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(1, 4):
        scanned.says(f"needle of {number}", number=number)
        os.utime(scanned.session(number).path, (NOW - 100 * number, NOW - 100 * number))
    pending = scanned.machine.index.pending(scanned.machine.files())
    one = pending[0].size / PACE
    scanner = Scanner(spelled(parse("needle"), []), [], (), Filters(Question("needle")))
    clock = count(step=one * 0.3)
    monkeypatch.setattr("prune_mcp.search.find.scanner.time.monotonic", lambda: next(clock))
    scan = scanner.scan(pending, one * 1.5)
    assert [found.origin.session for found in scan.found] == [scanned.session(1).session]
    assert len(scan.missed) == 2


def test_a_file_that_is_slow_to_read_is_given_up_and_said_to_be_missed(
    scanned: Past, monkeypatch: pytest.MonkeyPatch
) -> None:
    scanned.says(*("needle" for _ in range(100)))
    clock = count(step=0.01)
    monkeypatch.setattr("prune_mcp.search.find.scanner.time.monotonic", lambda: next(clock))
    found = scanned.ask("needle", seconds=0.5)
    assert (found.hits, found.pending) == ([], 1)
    assert any("1 session was not searched" in note for note in found.notes)


def test_a_rewritten_session_is_found_as_it_is_now_only(indexed: Past) -> None:
    file = indexed.session()
    file.prompt("the old needle")
    file.says("done")
    indexed.settle()
    indexed.indexed = False
    file.path.unlink()
    file = indexed.session()
    new = file.prompt("the new needle, and more of it than there was before" * 3)
    assert indexed.entries("needle") == [new]


@pytest.mark.parametrize("kept", [0, 1])
@pytest.mark.parametrize("again", [False, True])
def test_a_session_cut_and_grown_past_its_old_size_within_the_same_moment_is_found_as_it_is(
    indexed: Past, kept: int, again: bool
) -> None:
    file = indexed.session()
    first = file.prompt("the start")
    file.says("the old needle")
    indexed.settle()
    before = file.path.stat()
    lines = file.path.read_bytes().splitlines(keepends=True)
    file.path.write_bytes(b"".join(lines[:kept]))
    file.tip = first if kept else None
    new = [file.prompt("other words " * 200), file.says("the new needle"), file.says("the last needle")]
    os.utime(file.path, ns=(before.st_atime_ns, before.st_mtime_ns))
    indexed.indexed = again
    assert sorted(indexed.entries("needle")) == sorted(new[1:])
    assert indexed.entries("old") == []
    assert indexed.entries("start") == ([first] if kept else [])


def test_an_unreadable_file_costs_only_itself_and_is_named(scanned: Past, monkeypatch: pytest.MonkeyPatch) -> None:
    (wanted,) = scanned.says("needle")
    broken = scanned.session(2).path
    broken.write_bytes(b'{"needle": nothing that anyone knows}\n')
    found = scanned.ask("needle")
    assert [hit.entry for hit in found.hits] == [wanted]
    assert any("not readable" in note and str(broken) in note for note in found.notes)


def test_a_file_that_vanishes_costs_only_itself(scanned: Past) -> None:
    (wanted,) = scanned.says("needle")
    scanned.says("needle too", number=2)
    files = scanned.machine.files()
    scanned.session(2).path.unlink()
    found = find(scanned.machine.index, lambda: files, Question("needle", now=NOW), 9.0)
    assert [hit.entry for hit in found.hits] == [wanted]
    assert any("not readable" in note for note in found.notes)


def test_a_damaged_segment_does_not_stop_a_search(indexed: Past) -> None:
    indexed.says("needle")
    indexed.settle()
    (segment,) = indexed.machine.index.paths.index.rglob("*.seg")
    data = segment.read_bytes()
    segment.write_bytes(data[:HEADER_BYTES] + bytes(40) + data[HEADER_BYTES + 40 :])
    indexed.machine.index.close()
    indexed.indexed = False
    found = indexed.ask("needle")
    assert any("index" in note for note in found.notes)
    indexed.indexed = True
    assert len(indexed.ask("needle").hits) == 1


def with_lost_pack(past: Past, lost: str, kept: str) -> str:
    """Write a session that says one thing in a month whose pack is lost, and another in the next; its entry."""
    file = past.session()
    file.prompt("go", timestamp="2025-10-01T00:00:00Z")
    file.says(lost, timestamp="2025-10-01T00:00:01Z")
    entry = file.says(kept, timestamp="2025-11-01T00:00:00Z")
    past.settle()
    past.indexed = False
    (pack,) = past.machine.index.paths.history.glob("2025-10.*.pack")
    pack.write_bytes(b"")
    past.machine.index.close()
    return entry


def test_a_lost_pack_is_told_and_costs_only_its_passages(indexed: Past) -> None:
    kept = with_lost_pack(indexed, "a needle lost", "a needle kept")
    found = indexed.ask("needle")
    assert [hit.entry for hit in found.hits] == [kept]
    assert any("could not be read" in note for note in found.notes)


@pytest.mark.parametrize("cleared", [False, True])
def test_a_lost_pack_is_told_where_texts_are_looked_through_as_they_stand(indexed: Past, cleared: bool) -> None:
    kept = with_lost_pack(indexed, "lost @@>> needle", "kept @@>> needle")
    if cleared:
        shutil.rmtree(indexed.machine.index.paths.index)
    found = indexed.ask("needle" if cleared else "@@>>")
    assert [hit.entry for hit in found.hits] == [kept]
    assert "2 passages are left out: their packs could not be read." in found.notes


ESCAPED = [
    ("caf\u00e9", "cafe"),
    ("CAF\u00c9", "caf\u00e9"),
    ("cafe\u0301", "cafe"),
    ("\uff46\uff55\uff4c\uff4c", "full"),
    ("\u212aelvin", "kelvin"),
    ("\ufb01le", "file"),
    ("\u6570\u636e\u5e93", "\u6570\u636e"),
    ("\U0001f389 party", "\U0001f389"),
    ("\u2192 arrow", "\u2192"),
    ("nee\x1b[31mdle\x1b[0m", "needle"),
    ("UPPER", "upper"),
    ("tab\tneedle\nline", "line"),
]


@pytest.mark.parametrize("escape", [True, False], ids=["escaped", "raw"])
@pytest.mark.parametrize(("text", "query"), ESCAPED, ids=[query for _, query in ESCAPED])
def test_no_file_is_passed_over_for_how_its_text_is_written(
    scanned: Past, text: str, query: str, escape: bool
) -> None:
    file = scanned.session()
    entry = file.prompt("@@")
    written = "".join(f"\\u{ord(c):04x}" if ord(c) < 0x10000 else _pair(c) for c in text) if escape else None
    data = file.path.read_text().replace("@@", written or _plainly(text))
    file.path.write_text(data, encoding="utf-8")
    assert scanned.entries(query) == [entry]


def _pair(char: str) -> str:
    data = char.encode("utf-16-be")
    return f"\\u{data[:2].hex()}\\u{data[2:].hex()}"


def _plainly(text: str) -> str:
    return text.replace("\x1b", "\\u001b").replace("\t", "\\t").replace("\n", "\\n")


def test_a_persisted_output_is_found_though_the_transcript_does_not_hold_it(scanned: Past) -> None:
    file = scanned.session()
    file.prompt("go")
    file.says(tool_use("c1"))
    saved = file.path.with_suffix("") / "tool-results" / "c1.txt"
    saved.parent.mkdir(parents=True)
    saved.write_text("a long output with a needle in it\n" * 50)
    saying = f"Output too large (9KB). Full output saved to: {saved}\n\nPreview:\na lo"
    entry = file.result("c1", f"<persisted-output>\n{saying}\n</persisted-output>")
    assert scanned.entries("needle") == [entry]


def test_searching_creates_nothing_but_kept_results(scanned: Past, tmp_path: Path) -> None:
    scanned.says("needle")
    before = {path for path in tmp_path.rglob("*") if path.is_file()}
    scanned.ask("needle")
    assert {path for path in tmp_path.rglob("*") if path.is_file()} == before


def test_a_session_rewritten_without_a_word_is_no_longer_found_by_it(indexed: Past) -> None:
    file = indexed.session()
    file.prompt("the old needle")
    file.says("done")
    indexed.settle()
    indexed.indexed = False
    file.path.unlink()
    indexed.session().prompt("hay, and more of it than there was before" * 3)
    assert indexed.entries("needle") == []


@pytest.mark.requirement("HIS-GONE")
def test_a_source_is_marked_as_gone_at_once(indexed: Past) -> None:
    (entry,) = indexed.says("needle")
    indexed.settle()
    indexed.indexed = False
    indexed.session().path.unlink()
    hit = indexed.only("needle")
    assert (hit.entry, list(hit.flags)) == (entry, ["gone"])


@pytest.mark.requirement("HIS-GONE")
def test_a_source_that_moved_since_is_not_said_to_be_gone(indexed: Past) -> None:
    (entry,) = indexed.says("needle")
    indexed.settle()
    indexed.indexed = False
    moved = indexed.session(1, "-home-user-elsewhere")
    indexed.session().path.rename(moved.path)
    hit = indexed.only("needle")
    assert (hit.entry, list(hit.flags), list(hit.copies)) == (entry, [], [])
    assert [each.flags for each in indexed.read(hit.ref, around=1).entries] == [[], []]
    assert [each.flags for each in indexed.read(hit.ref).entries] == [[]]
    moved.path.unlink()
    assert list(indexed.only("needle").flags) == ["gone"]


def test_a_search_loads_nothing_that_it_can_do_without(indexed: Past) -> None:
    indexed.says("needle")
    indexed.settle()
    program = (
        "import sys\n"
        "from prune_mcp.search.find.find import find\n"
        "from prune_mcp.search.index import Index\n"
        "from prune_mcp.search.find.question import Question\n"
        "from prune_mcp.storage.home import home\n"
        "index = Index(home({'PRUNE_MCP_HOME': sys.argv[1]}))\n"
        "found = find(index, lambda: [], Question('needle \"a needle\" need*', now=2e9), 1.0)\n"
        "like = find(index, lambda: [], Question('neddle', now=2e9), 1.0)\n"
        "heavy = {'whoosh', 'mcp', 'pydantic', 'typer', 'anyio', 'ijson'}\n"
        "print(len(found.hits), like.notes[0][-7:], sorted(heavy & set(sys.modules)))\n"
    )
    home = indexed.machine.env["PRUNE_MCP_HOME"]
    ran = subprocess.run([sys.executable, "-c", program, home], capture_output=True, text=True, check=True)
    assert ran.stdout == "1 needle. []\n"


def test_what_was_cut_off_the_end_of_a_session_is_not_found_any_more(indexed: Past) -> None:
    file = indexed.session()
    file.prompt("go ahead")
    file.says("gone ahead")
    file.prompt("go on")
    size, tip = file.path.stat().st_size, file.tip
    cut = file.says("the cut needle")
    indexed.settle()
    indexed.indexed = False
    file.path.write_bytes(file.path.read_bytes()[:size])
    kept = file.says("the kept needle, and more of it than there was before" * 3, parent=tip)
    assert indexed.entries("needle") == indexed.entries("needle", newest=True) == [kept]
    assert indexed.ask("cut").hits == []
    assert [each.entry for each in indexed.read(f"{kept}@{file.session}", around=5).entries][-2:] == [tip, kept]
    assert cut != kept
