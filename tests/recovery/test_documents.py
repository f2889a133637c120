"""PRU-RECOVER, REC-LAST: a block's ref brings back every entry that the block replaced."""

from __future__ import annotations

import hashlib

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from prune_mcp.engine.answers import UnknownRef
from prune_mcp.engine.prune.document import Segment, SegmentKind, load_document, read_document, write_document
from prune_mcp.engine.recovery.cursor import BadCursor
from prune_mcp.engine.recovery.recover import recover
from prune_mcp.storage.home import Home
from tests.recovery.shelf import Shelf, damage, noise

pytestmark = pytest.mark.requirement("PRU-RECOVER")

ANY_TEXT = st.text(st.characters(exclude_categories=[]))
SEGMENTS = st.builds(
    Segment,
    st.sampled_from(["user", "assistant", "thinking", "call", "note"]),
    ANY_TEXT,
    st.none(),
    ANY_TEXT,
    ANY_TEXT,
)


def exchange(shelf: Shelf) -> list[Segment]:
    """A prompt, thinking, two calls with their results, and an answer; the second call failed."""
    good = shelf.put("3 passed\n", key="pytest", call_id="c1")
    bad = shelf.put("no such file", tool="Read", error=True, call_id="c2")
    return [
        Segment("user", "e1", text="run the tests"),
        Segment("thinking", "e2", text="first the tests"),
        Segment("call", "e2", good.ref, "Bash", '{"command":"pytest"}'),
        Segment("call", "e2", bad.ref, "Read", '{"file_path":"a.py"}'),
        Segment("result", "e3", good.ref, "Bash"),
        Segment("result", "e4", bad.ref, "Read"),
        Segment("assistant", "e5", text="All green.\n--- result t9 ok chars=0"),
    ]


EXCHANGE = """\
--- user e1 chars=13
run the tests
--- thinking e2 chars=15
first the tests
--- call t1 Bash chars=20
{"command":"pytest"}
--- call t2 Read chars=20
{"file_path":"a.py"}
--- result t1 Bash ok chars=9
3 passed

--- result t2 Read error chars=12
no such file
--- assistant e5 chars=35
All green.
--- result t9 ok chars=0"""


def test_a_block_reads_as_everything_it_replaced(shelf: Shelf) -> None:
    shelf.block(exchange(shelf), [1, 2])
    (item,) = recover(shelf.store, ["b1"]).items
    assert item.text == EXCHANGE
    assert item.text == read_document(shelf.store, shelf.session, 1)
    assert (item.total, item.sha) == (len(EXCHANGE), hashlib.sha256(EXCHANGE.encode()).hexdigest())
    assert (item.ref, item.key, item.status) == ("b1", "t1-t2", "ok")


def test_a_block_can_be_paged_sliced_and_searched(shelf: Shelf) -> None:
    big = shelf.put(noise(4_000))
    shelf.block([Segment("user", "e1", text="ask"), Segment("result", "e2", big.ref, "Bash")], [big.ref])
    answer = recover(shelf.store, ["b1"])
    read = answer.items[0].text
    while answer.cursor:
        answer = recover(shelf.store, [], cursor=answer.cursor)
        read += answer.items[0].text
    assert noise(4_000) in read
    assert recover(shelf.store, ["b1"], lines="2").items[0].text == "ask"
    assert recover(shelf.store, ["b1"], pattern="^77 ").items[0].text.startswith("81:77 ")


def test_blocks_inside_a_block_are_in_its_text(shelf: Shelf) -> None:
    shelf.block(exchange(shelf), [1, 2])
    shelf.block([Segment("user", "e6", text="second")], [], blocks=[1])
    shelf.block([Segment("user", "e7", text="third")], [], blocks=[2, 1])
    text = read_document(shelf.store, shelf.session, 3)
    assert text.count(EXCHANGE) == 1
    assert text.startswith("--- block b2\n--- block b1\n--- user e1")
    assert text.endswith(
        "--- end of block b1\n--- user e6 chars=6\nsecond\n--- end of block b2\n--- user e7 chars=5\nthird"
    )


def test_an_inner_block_whose_entries_the_outer_holds_is_not_repeated(shelf: Shelf) -> None:
    segments = exchange(shelf)
    shelf.block(segments, [1, 2])
    shelf.block([*segments, Segment("user", "e6", text="second")], [1, 2], blocks=[1])
    assert read_document(shelf.store, shelf.session, 2) == EXCHANGE + "\n--- user e6 chars=6\nsecond"


def test_blocks_that_name_each_other_end(shelf: Shelf) -> None:
    shelf.block([Segment("user", "e1", text="one")], [], blocks=[2, 1])
    shelf.block([Segment("user", "e2", text="two")], [], blocks=[1, 9])
    assert read_document(shelf.store, shelf.session, 2).count("one") == 1


def test_images_and_whole_outputs_beside_a_result_are_named(shelf: Shelf) -> None:
    shelf.put("a picture")
    shelf.image(1, 1, "aGk=")
    shelf.facet(1, "full", "whole")
    shelf.facet(1, "args", "{}")
    shelf.block([Segment("result", "e1", 1, "Read")], [1])
    assert read_document(shelf.store, shelf.session, 1).startswith(
        "--- result t1 Read ok chars=9 also=t1:full,t1:image1\n"
    )


def test_a_block_that_is_not_there_is_said(shelf: Shelf) -> None:
    shelf.put("x")
    with pytest.raises(UnknownRef, match="no block b4"):
        read_document(shelf.store, shelf.session, 4)


@given(st.lists(SEGMENTS))
def test_segments_are_kept_exactly(segments: list[Segment]) -> None:
    assert load_document(write_document(segments)) == segments


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(st.sampled_from(["user", "assistant", "note", "result"]), ANY_TEXT), max_size=8))
def test_every_text_is_found_again_by_the_length_its_line_says(
    shelf: Shelf, parts: list[tuple[SegmentKind, str]]
) -> None:
    segments = []
    for kind, text in parts:
        ref = shelf.put(text).ref if kind == "result" else None
        segments.append(Segment(kind, "e", ref, text=None if ref else text))
    number = shelf.block(segments, []).number
    read = []
    rest = read_document(shelf.store, shelf.session, number)
    while rest:
        line, _, rest = rest.partition("\n")
        size = int(line.rpartition("chars=")[2])
        read.append((line.split()[1], rest[:size]))
        rest = rest[size + 1 :]
    assert read == parts


@pytest.mark.requirement("REC-LAST")
def test_a_damaged_result_costs_a_block_that_result_alone(shelf: Shelf, place: Home) -> None:
    lost = shelf.put(noise(5_000))
    shelf.put("still here")
    shelf.block([Segment("result", "e1", 1, "Bash"), Segment("result", "e2", 2, "Bash")], [1, 2])
    damage(place, lost.sha)
    (item,) = recover(shelf.store, ["b1"]).items
    assert item.text == "--- result t1 Bash damaged chars=0\n\n--- result t2 Bash ok chars=10\nstill here"
    assert item.status == "damaged-in-part"
    assert "t1: The body" in item.note


@pytest.mark.requirement("REC-LAST")
def test_a_block_damaged_between_two_pages_is_not_gone_on_with(shelf: Shelf, place: Home) -> None:
    shelf.put(noise(2_000))
    lost = shelf.put(noise(5_000, 1))
    shelf.block([Segment("result", "e1", 1, "Bash"), Segment("result", "e2", 2, "Bash")], [1, 2])
    cursor = recover(shelf.store, ["b1"]).cursor
    damage(place, lost.sha)
    with pytest.raises(BadCursor, match="b1 recovers has changed"):
        recover(shelf.store, [], cursor=cursor)


@pytest.mark.requirement("REC-LAST")
def test_a_damaged_document_names_the_outputs_that_are_left_and_inner_ones_cost_only_themselves(
    shelf: Shelf, place: Home
) -> None:
    segments = [Segment("user", "e1", text=noise(5_000)), *exchange(shelf)]
    inner = shelf.block(segments, [1, 2])
    shelf.block([Segment("user", "e9", text="outer")], [], blocks=[1])
    damage(place, inner.document)
    first, second, other = recover(shelf.store, ["b1", "b2", "t1"]).items
    assert (first.status, first.text) == ("damaged", "")
    assert "t1-t2" in first.note
    assert second.text == "--- block b1 damaged\n--- user e9 chars=5\nouter"
    assert second.status == "damaged-in-part"
    assert other.text == "3 passed\n"
