"""A file that is no longer the one read before is read anew; one that only grew costs its end."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from prune_mcp.sessions.history import Mark, read_history
from prune_mcp.sessions.model import SessionError
from prune_mcp.sessions.tail import WINDOW
from tests.sessions.conftest import rewrite
from tests.sessions.history.told import history, session_file
from tests.sessions.transcripts.writing import ClaudeFile

pytestmark = pytest.mark.requirement("SES-LIVE")


def exchanges(file: ClaudeFile, count: int, word: str = "old") -> None:
    """So many prompts, each with a call and an answer."""
    for number in range(count):
        file.prompt(f"{word} question {number}")
        file.turn(f"{word}{number}", f"{word} output {number} " * 400)
        file.says(f"{word} answer {number}")


def read(path: Path, mark: Mark | None = None) -> tuple[bool, list[str], list[str], Mark]:
    """Whether the history is fresh, what is settled, what is not, and the mark."""
    found = history(path, mark)
    settled = [passage.text for passage in found.passages()]
    return found.fresh, settled, [passage.text for passage in found.rest()], found.mark()


def test_a_grown_session_costs_its_last_exchange_and_what_is_new(
    claude: ClaudeFile, bytes_read: list[int]
) -> None:
    exchanges(claude, 40)
    fresh, settled, rest, mark = read(claude.path)
    assert (fresh, len(settled), len(rest)) == (True, 39 * 4, 4)
    size = claude.path.stat().st_size
    assert mark.position > size * 0.95

    claude.prompt("new question")
    grown = claude.path.stat().st_size
    bytes_read.clear()
    fresh, settled, rest, again = read(claude.path, mark)

    assert (fresh, len(settled), rest) == (False, 4, ["new question"])
    assert again.position == size
    # The kind of host is told from the first chunk, and four windows are compared.
    assert sum(bytes_read) <= (1 << 16) + grown - mark.position + 6 * WINDOW


def test_a_session_that_did_not_grow_tells_the_rest_again(claude: ClaudeFile) -> None:
    exchanges(claude, 3)
    _, _, rest, mark = read(claude.path)
    fresh, settled, again, same = read(claude.path, mark)

    assert (fresh, settled, again, same) == (False, [], rest, mark)


def test_a_long_exchange_is_settled_response_by_response(claude: ClaudeFile) -> None:
    claude.prompt("one long exchange")
    for number in range(12):
        claude.turn(f"t{number}", "x" * 200_000)
    _, settled, rest, mark = read(claude.path)

    assert len(settled) > 8
    assert len(settled) + len(rest) == 25
    claude.turn("last", "the end")
    fresh, _, rest, _ = read(claude.path, mark)
    assert (fresh, rest[-1]) == (False, "the end")


def cut(claude: ClaudeFile, other: ClaudeFile, old: bytes) -> None:
    rewrite(claude.path, old[: len(old) - len(old.splitlines()[-1]) - 1])


def regrown(claude: ClaudeFile, other: ClaudeFile, old: bytes) -> None:
    exchanges(other, 12, "new")
    rewrite(claude.path, old.splitlines(keepends=True)[0] + other.path.read_bytes())


def rewritten(claude: ClaudeFile, other: ClaudeFile, old: bytes) -> None:
    exchanges(other, 12, "new")
    rewrite(claude.path, other.path.read_bytes())


def same_size(claude: ClaudeFile, other: ClaudeFile, old: bytes) -> None:
    rewrite(claude.path, old.replace(b"old output 1", b"new output 1"), keep_times=False)


def replaced(claude: ClaudeFile, other: ClaudeFile, old: bytes) -> None:
    other.path.write_bytes(old.replace(b"old output 1", b"new output 1"))
    os.utime(other.path, ns=(claude.path.stat().st_atime_ns, claude.path.stat().st_mtime_ns))
    other.path.replace(claude.path)


@pytest.mark.parametrize(
    "change", [cut, regrown, rewritten, same_size, replaced], ids=lambda change: change.__name__
)
def test_a_file_that_is_another_now_is_read_anew(
    claude: ClaudeFile, tmp_path: Path, change: Callable[[ClaudeFile, ClaudeFile, bytes], None]
) -> None:
    exchanges(claude, 6)
    *_, mark = read(claude.path)
    change(claude, ClaudeFile(tmp_path / "other.jsonl"), claude.path.read_bytes())
    fresh, settled, rest, _ = read(claude.path, mark)

    assert fresh
    assert (settled, rest) == read(claude.path)[1:3]


def test_what_reaches_back_behind_the_mark_is_read_anew(claude: ClaudeFile) -> None:
    first = claude.prompt("the first question")
    exchanges(claude, 4)
    *_, mark = read(claude.path)
    claude.prompt("back to the start", parent=first)
    found = history(claude.path, mark)

    assert found.fresh
    told = [*found.passages(), *found.rest()]
    assert [p.text for p in told if not p.abandoned] == ["the first question", "back to the start"]


def test_a_prompt_asked_anew_at_the_end_reads_on(claude: ClaudeFile) -> None:
    exchanges(claude, 4)
    before = claude.tip
    claude.prompt("asked badly")
    claude.says("hardly answered")
    *_, mark = read(claude.path)
    claude.prompt("asked well", parent=before)
    found = history(claude.path, mark)

    assert not found.fresh
    assert [(p.text, p.abandoned) for p in found.passages()] == [("asked badly", True), ("hardly answered", True)]
    assert [(p.text, p.abandoned) for p in found.rest()] == [("asked well", False)]


@pytest.mark.parametrize("state", ["", "{}", "null", "[]", '{"version":0}', '{"version":1,"seam":[1]}', "\ud800"])
def test_a_mark_that_tells_nothing_costs_a_whole_reading(claude: ClaudeFile, state: str) -> None:
    exchanges(claude, 3)
    file = session_file(claude.path)
    fresh, settled, _, _ = read(claude.path, Mark(file.size, file.stamp, state))

    assert (fresh, len(settled)) == (True, 8)


def test_a_missing_file_is_an_error_in_words(claude: ClaudeFile) -> None:
    exchanges(claude, 2)
    file = session_file(claude.path)
    *_, mark = read(claude.path)
    claude.path.unlink()
    for known in (None, mark):
        with pytest.raises(SessionError, match="There is no file"):
            read_history(file, known)
