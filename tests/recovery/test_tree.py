"""REC-TREE: without refs, the tree of what was pruned, with sizes and savings."""

from __future__ import annotations

from typing import Any

import pytest

from prune_mcp.engine.answers import AmbiguousRef, EngineError
from prune_mcp.engine.ledger import ledger
from prune_mcp.engine.prune.document import Segment
from prune_mcp.engine.recovery.cursor import BadCursor
from prune_mcp.engine.recovery.recover import recover
from prune_mcp.engine.recovery.tree import shape, tree
from prune_mcp.sessions.tokens import text_tokens
from prune_mcp.storage.home import Home
from prune_mcp.storage.protocol import Store
from prune_mcp.storage.records import ChainBlock
from tests.recovery.shelf import Shelf, damage, noise

pytestmark = pytest.mark.requirement("REC-TREE")

STUB = "[pruned t1 Bash]"


def saved(text: str, stands: str = "") -> int:
    """The tokens saved where `stands` stands for `text`."""
    return text_tokens(text) - text_tokens(stands)


def rows(shelf: Shelf, **page: Any) -> list[tuple[int, str]]:
    """Depth and ref (or label) of each row."""
    return [(row.depth, row.ref or row.label) for row in tree(shelf.store, shelf.session, **page).rows]


def test_a_flush_stands_above_its_stubs_and_whole_outputs_are_counted(shelf: Shelf) -> None:
    for number in range(1, 7):
        shelf.put(noise(50 * number), key=f"step {number}", error=number == 2)
    shelf.flush({1: STUB, 2: STUB}, note="tests are green")
    shelf.flush({4: STUB})
    answer = tree(shelf.store, "alpha")
    assert rows(shelf) == [(0, "flush 1"), (1, "t1"), (1, "t2"), (0, "flush 2"), (1, "t4")]
    flush, first, second = answer.rows[:3]
    assert (first.label, first.status, first.chars, first.lines) == ('Bash "step 1"', "stub", len(noise(50)), 50)
    assert first.saved == saved(noise(50), STUB)
    assert second.status == "stub, error"
    assert (flush.chars, flush.lines) == (len(noise(50) + noise(100)), 150)
    assert flush.saved == first.saved + second.saved
    assert 'note "tests are green"' in flush.status
    assert (answer.outputs, answer.pruned) == (6, 3)
    assert answer.saved == sum(saved(noise(50 * n), STUB) for n in (1, 2, 4))
    assert answer.notes == ["not replaced: 3 outputs, t3, t5-t6: whole in the context, or no longer in it"]


def test_a_block_stands_above_its_outputs_and_counts_what_it_replaced(shelf: Shelf) -> None:
    for number in range(1, 5):
        shelf.put(noise(100), key=f"step {number}")
    first = shelf.flush({1: STUB, 2: STUB, 4: STUB})
    words = "please run it " * 40
    shelf.block([Segment("user", "e", text=words), Segment("result", "e", 1)], [1, 2, 3], text="<b1>", flush=first)
    assert rows(shelf) == [(0, "flush 1"), (1, "t4"), (1, "b1"), (2, "t1"), (2, "t2"), (2, "t3")]
    answer = tree(shelf.store, "alpha")
    block = answer.rows[2]
    assert block.saved == 3 * saved(noise(100)) + saved(words, "<b1>")
    assert block.chars == 3 * len(noise(100)) + len(words)
    assert answer.pruned == 4
    assert answer.saved == block.saved + saved(noise(100), STUB)


def test_a_block_in_a_block_stands_below_it_and_nothing_counts_twice(shelf: Shelf) -> None:
    for _ in range(3):
        shelf.put(noise(100))
    flush = shelf.flush({1: STUB, 2: STUB, 3: STUB})
    shelf.block([], [1], text="<b1>", flush=flush)
    later = shelf.flush({})
    shelf.block([], [1, 2], blocks=[1], text="<b2>", flush=later)
    assert rows(shelf) == [
        (0, "flush 1"), (1, "t3"), (0, "flush 2"), (1, "b2"), (2, "t2"), (2, "b1"), (3, "t1"),
    ]  # fmt: skip
    assert tree(shelf.store, "alpha").saved == 2 * saved(noise(100)) - text_tokens("<b2>") + saved(
        noise(100), STUB
    )


def test_words_that_a_block_repeats_of_one_it_took_in_count_once(shelf: Shelf, place: Home) -> None:
    said = [Segment("thinking", "e1", text=noise(8000)), Segment("assistant", "e2", text="done " * 50)]
    inner = shelf.block(said[:1], [], text="<b1>")
    shelf.block(said, [], blocks=[1], text="<b2>")
    told = ledger(shelf.store, shelf.session)
    whole = tree(shelf.store, "alpha").saved
    assert whole == told.left_out - told.spent
    assert whole == saved(noise(8000)) + saved("done " * 50, "<b2>")
    damage(place, inner.document)
    answer = tree(shelf.store, "alpha")
    assert answer.saved == whole
    assert [row.status for row in answer.rows[1:]] == ["0 outputs", "0 outputs, damaged"]


def test_thinking_that_was_left_out_has_its_row(shelf: Shelf) -> None:
    shelf.put("x")
    thought = "let me think " * 30
    block = shelf.block([Segment("thinking", "e", text=thought)], [], text="<b1>")
    with shelf.store.write() as writer:
        writer.block(shelf.session, ChainBlock(0, "thinking", "m", "", "<b2>", block.document))
    last = tree(shelf.store, "alpha").rows[-1]
    assert (last.ref, last.label, last.saved) == ("b2", "thinking", saved(thought, "<b2>"))


def test_a_long_tree_comes_in_pages_that_join_also_while_it_grows(shelf: Shelf) -> None:
    for number in range(1, 31):
        shelf.put(noise(20, number))
    shelf.flush(dict.fromkeys(range(1, 13), STUB))
    shelf.flush(dict.fromkeys(range(13, 25), STUB))
    whole = rows(shelf)
    answer = tree(shelf.store, "alpha", limit=7)
    read = list(answer.rows)
    assert "19 more rows" in answer.notes[-1]
    shelf.flush({25: STUB})
    while answer.cursor:
        answer = tree(shelf.store, None, limit=7, cursor=answer.cursor)
        read += answer.rows
    assert [(row.depth, row.ref or row.label) for row in read] == [*whole, (0, "flush 3"), (1, "t25")]


def test_a_tree_of_any_length_fits_an_answer(shelf: Shelf) -> None:
    for number in range(400):
        shelf.put(noise(20, number), tool="mcp__server__tool" * 4, key="k" * 300)
    shelf.flush(dict.fromkeys(range(1, 401, 2), STUB))
    assert len(shape(tree(shelf.store, "alpha"))) <= 20_000


def test_the_tree_as_text_is_indented_and_tells_how_to_recover(shelf: Shelf) -> None:
    shelf.put(noise(100), key="make\nall")
    shelf.put("short")
    shelf.flush({1: STUB})
    lines = shape(tree(shelf.store, "alpha")).splitlines()
    gain = saved(noise(100), STUB)
    size = f"{len(noise(100)):,} / 100 / {gain:,}"
    assert lines == [
        f'session alpha-session "Fix the build": 2 outputs, 1 of them pruned, about {gain:,} tokens saved',
        "each row: what it is; characters / lines / tokens saved",
        f"flush 1: 1 output; {size}",
        f'  t1 Bash "make all": stub; {size}',
        "note: not replaced: 1 output, t2: whole in the context, or no longer in it",
        'recover: context_tree_query(refs=["t1"]), a part of it with lines="1:40" or pattern="error"',
    ]


def test_every_ref_of_the_tree_recovers(shelf: Shelf) -> None:
    for _ in range(4):
        shelf.put(noise(30))
    flush = shelf.flush({1: STUB, 2: STUB})
    shelf.block([Segment("result", "e", 2)], [2, 3], flush=flush)
    refs = [row.ref for row in tree(shelf.store, "alpha").rows if row.ref]
    assert [item.ref for item in recover(shelf.store, refs).items] == refs


def test_a_session_in_which_nothing_was_pruned_says_so(shelf: Shelf) -> None:
    shelf.put("x")
    assert "nothing was pruned here yet" in tree(shelf.store, "alpha").notes


def test_without_a_session_the_only_one_is_meant(store: Store) -> None:
    with pytest.raises(EngineError, match="prune first"):
        tree(store, None)
    Shelf(store, "one").put("x")
    assert tree(store, None).session == "one"
    Shelf(store, "two").put("x")
    with pytest.raises(AmbiguousRef, match="two, one"):
        tree(store, None)
    with pytest.raises(EngineError, match=r"no session 'three': prune it first\. The newest here are two, one\."):
        tree(store, "three")


def test_what_was_not_replaced_is_one_short_line_however_scattered(shelf: Shelf) -> None:
    for number in range(1, 201):
        shelf.put(noise(20, number))
    shelf.flush(dict.fromkeys(range(1, 201, 2), STUB))
    (note,) = (note for note in tree(shelf.store, None).notes if note.startswith("not replaced"))
    assert note.startswith("not replaced: 100 outputs, t2, t4, ")
    assert "and 88 more ranges" in note
    assert len(note) < 200


def test_rubbish_for_a_cursor_is_told_before_any_session_is_asked_for(shelf: Shelf) -> None:
    shelf.put("x")
    Shelf(shelf.store, "other").put("y")
    for where in (None, "alpha"):
        with pytest.raises(BadCursor, match="no cursor of this tool"):
            tree(shelf.store, where, cursor="rubbish")


def test_a_wrong_cursor_or_limit_is_refused(shelf: Shelf) -> None:
    shelf.put(noise(3_000))
    shelf.put("y")
    shelf.flush({1: STUB, 2: STUB})
    other = Shelf(shelf.store, "other")
    other.put("z")
    cursor = tree(shelf.store, "alpha", limit=1).cursor
    assert cursor is not None
    with pytest.raises(BadCursor, match="another session"):
        tree(shelf.store, "other", cursor=cursor)
    with pytest.raises(BadCursor, match="together with the refs"):
        tree(shelf.store, "alpha", cursor=recover(shelf.store, ["t1@alpha"]).cursor)
    with pytest.raises(BadCursor, match="damaged"):
        tree(shelf.store, "alpha", cursor=cursor[:-2])
    with pytest.raises(EngineError, match="limit=0"):
        tree(shelf.store, "alpha", limit=0)
