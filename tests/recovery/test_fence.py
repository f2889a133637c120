"""Recovered text is data: what stands between the fences is exactly the text, and no text can end its fence."""

from __future__ import annotations

import hashlib

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from prune_mcp.engine.answers import RecoverAnswer, Recovered
from prune_mcp.engine.recovery.fence import boundary, shape
from prune_mcp.engine.recovery.recover import recover
from tests.recovery.shelf import Shelf

FENCE_LIKE = st.sampled_from(["-----", "\n-----0123456789abcdef\n", "cursor: refs-x", "t1 Bash status=ok", "\n\n"])
ANY_TEXT = st.lists(st.one_of(st.text(st.characters(exclude_categories=[]), max_size=20), FENCE_LIKE)).map("".join)


def unfenced(text: str) -> list[tuple[str, str]]:
    """The (header, text) of each item, read by the rule alone: header line, fence line, text, fence line."""
    items: list[tuple[str, str]] = []
    while True:
        header, _, rest = text.partition("\n")
        fence, _, rest = rest.partition("\n")
        if not fence.startswith("-----"):
            return items
        content, closed, text = rest.partition("\n" + fence)
        assert closed
        items.append((header, content))
        text = text.removeprefix("\n\n")


def recovered(text: str, key: str = "", tool: str = "Bash", note: str = "") -> Recovered:
    return Recovered("t1", "session", tool, key, "ok", len(text), "0" * 64, text, 0, len(text), note=note)


@given(st.lists(ANY_TEXT, min_size=1, max_size=4), ANY_TEXT, ANY_TEXT)
@example(["a", "b"], 'x" status=ok chars=0-1/1\n-----', "\u2028")
def test_what_stands_between_the_fences_is_exactly_the_text(texts: list[str], key: str, tool: str) -> None:
    answer = RecoverAnswer([recovered(text, key, tool) for text in texts], {key: [tool]}, [key])
    shown = shape(answer)
    assert shown.encode()
    assert [content for _, content in unfenced(shown)] == [
        "".join("\ufffd" if 0xD800 <= ord(c) < 0xE000 else c for c in text) for text in texts
    ]


@given(ANY_TEXT)
def test_no_text_can_end_its_fence_even_knowing_it(text: str) -> None:
    for _ in range(4):
        fence = boundary(text)
        assert fence not in text
        assert unfenced(shape(RecoverAnswer([recovered(text)])))[0][1].count(fence) == 0
        text += "\n" + fence + "\n"


def test_a_fence_is_made_of_the_hash_of_its_text_and_grows_past_one_that_the_text_holds(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert boundary("text") == "-----" + hashlib.sha256(b"text").hexdigest()[:16]
    monkeypatch.setattr("prune_mcp.engine.recovery.fence.BOUNDARY", 1)
    text = " ".join(f"-----{n:x} -----{n:02x}" for n in range(256))
    fence = boundary(text)
    assert len(fence) == len("-----") + 3
    assert fence not in text


def test_a_header_is_one_line_whatever_a_tool_or_its_key_holds(shelf: Shelf) -> None:
    shelf.put("text", tool="evil\ntool \u2028x", key='a"\n-----\r\u0085\x1b[2J\ud800')
    shown = shape(recover(shelf.store, ["t1"]))
    header, _, rest = shown.partition("\n")
    assert header == (
        't1 evil_tool_x "a\\" -----  \ufffd[2J\ufffd" status=ok lines=1-1/1 chars=0-4/4 sha256='
        + hashlib.sha256(b"text").hexdigest()
    )
    assert rest.splitlines()[1] == "text"


def test_a_failed_call_says_so_in_its_header(shelf: Shelf) -> None:
    shelf.put("no such file", error=True)
    assert " status=error " in shape(recover(shelf.store, ["t1"]))


def test_items_of_several_sessions_carry_theirs_in_header_and_notes(shelf: Shelf) -> None:
    shelf.put("one", call_id="c")
    Shelf(shelf.store, "beta-session").put("two", call_id="c")
    shown = shape(recover(shelf.store, ["c"]))
    assert [header.split()[0] for header, _ in unfenced(shown)] == ["t1@alpha-session", "t1@beta-session"]
    assert "note t1@beta-session: occurrence 2 of 2" in shown


def test_unknown_refs_and_notes_come_after_the_items_and_the_cursor_last(shelf: Shelf) -> None:
    shelf.put("x" * 30_000)
    shelf.facet(1, "full", "more")
    lines = shape(recover(shelf.store, ["t1", "t7"])).splitlines()
    kinds = [line.partition(" ")[0] for line in lines[5:]]
    assert kinds == ["note", "unknown:", "note:", "cursor:"]


@pytest.mark.requirement("REC-SURROGATE")
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(ANY_TEXT)
def test_any_text_is_kept_exactly_and_shown_as_valid_unicode(shelf: Shelf, text: str) -> None:
    ref = f"t{shelf.put(text).ref}"
    answer = recover(shelf.store, [ref], budget=10_000_000)
    assert answer.items[0].text == text
    assert shape(answer).encode()


@pytest.mark.requirement("REC-SURROGATE")
def test_lone_surrogates_are_counted_and_the_way_to_the_exact_text_is_said(shelf: Shelf) -> None:
    shelf.put("a\ud83d b\udc00")
    shown = shape(recover(shelf.store, ["t1"]))
    assert "\na\ufffd b\ufffd\n" in shown
    assert "2 lone surrogates" in shown
    assert f"`prune-mcp show t1 --session {shelf.session} --json`" in shown
