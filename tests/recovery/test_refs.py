"""REC-AMBIG: refs as people and models write them, which session they mean, and what is near an unknown one."""

from __future__ import annotations

import pytest

from prune_mcp.engine.answers import AmbiguousRef, EngineError, UnknownRef
from prune_mcp.engine.recovery.fence import shape
from prune_mcp.engine.recovery.recover import recover
from prune_mcp.storage.protocol import Store
from prune_mcp.storage.records import SessionRecord
from tests.recovery.shelf import Shelf

pytestmark = pytest.mark.requirement("REC-AMBIG")

ALPHA = "aaaaaaaa-1111-4000-8000-000000000001"
TWIN = "aaaaaaaa-2222-4000-8000-000000000002"
OTHER = "bbbbbbbb-3333-4000-8000-000000000003"


@pytest.fixture
def shelf(store: Store) -> Shelf:
    """Nine outputs of the session ALPHA."""
    shelf = Shelf(store, ALPHA)
    for number in range(1, 10):
        shelf.put(f"text {number}", key=f"step {number}", call_id=f"toolu_01{number}XyZ")
    return shelf


def texts(store: Store, *refs: str, session: str | None = None) -> list[str]:
    """The texts that these refs bring back."""
    return [item.text for item in recover(store, refs, session=session).items]


@pytest.mark.parametrize(
    "written",
    ["t5", "T5", "`t5`", "[t5]", "(t5),", '"t5"', " t5\n", "t5.", "<t5>", "**t5**", "t5@aaaaaaaa", "T5@AAAAAAAA",
     f"t5@{ALPHA}", "`t5@aaaaaaaa`", "toolu_015XyZ", "`toolu_015XyZ`,", "toolu_015XyZ@aaaa"],
)  # fmt: skip
def test_a_ref_is_known_however_it_is_written(shelf: Shelf, written: str) -> None:
    assert texts(shelf.store, written) == ["text 5"]


@pytest.mark.parametrize(
    "written",
    ["t3-t6", "t3-6", "T3-T6", "t6-t3", "t3..t6", "t3\u2013t6", "t3 - t6", "t3, t4, t5,t6", "`t3` t4;t5\nt6",
     "t3-t6@aaaaaaaa", "[t3], (t4), t5-t6", "t3 t3 t4 t5 t6 t4"],
)  # fmt: skip
def test_several_refs_come_in_the_order_asked_each_once(shelf: Shelf, written: str) -> None:
    assert texts(shelf.store, written) == ["text 3", "text 4", "text 5", "text 6"]


def test_a_range_past_the_end_brings_what_there_is_and_says_so(shelf: Shelf) -> None:
    answer = recover(shelf.store, ["t8-t400000000"])
    assert [item.ref for item in answer.items] == ["t8", "t9"]
    assert answer.notes == ["of t8-t400000000 these are known: t8-t9"]


def test_what_stands_beside_an_output_has_a_ref_of_its_own(shelf: Shelf) -> None:
    shelf.facet(5, "args", '{"command":"make"}')
    shelf.facet(5, "full", "the whole of it")
    assert texts(shelf.store, "t5:args", "T5:FULL", "t5@aaaaaaaa:args", "t5:args@aaaaaaaa") == [
        '{"command":"make"}',
        "the whole of it",
    ]
    assert texts(shelf.store, "toolu_015XyZ:args") == ['{"command":"make"}']
    (item,) = recover(shelf.store, ["t5"]).items
    assert "t5:full" in item.note


def test_what_does_not_stand_beside_an_output_is_unknown_and_what_does_is_named(shelf: Shelf) -> None:
    shelf.facet(5, "args", "{}")
    answer = recover(shelf.store, ["t1", "t5:full", "toolu_015XyZ:image1"])
    assert answer.unknown == {"t5:full": ["t5", "t5:args"], "toolu_015XyZ:image1 (t5:image1)": ["t5", "t5:args"]}


def test_a_tool_call_id_of_any_form_is_found(shelf: Shelf) -> None:
    ids = ["call_1|fc_2", "functions.bash:0", "a b, c", "mail@host", "t5:args", "id:full", "\ud800id", "x" * 400]
    for id in ids:
        shelf.put(f"text of {id}", call_id=id)
    assert texts(shelf.store, *[id for id in ids if id != "t5:args"]) == [
        f"text of {id}" for id in ids if id != "t5:args"
    ]


def test_a_reused_tool_call_id_returns_every_occurrence_labelled(store: Store) -> None:
    first, second = Shelf(store, ALPHA), Shelf(store, OTHER)
    first.put("one", call_id="call_1", key="first try")
    first.put("between")
    first.put("two", call_id="call_1", key="second try")
    second.put("three", call_id="call_1")
    answer = recover(store, ["call_1"])
    assert {(item.session, item.ref, item.text) for item in answer.items} == {
        (ALPHA, "t1", "one"),
        (ALPHA, "t3", "two"),
        (OTHER, "t1", "three"),
    }
    assert sorted(item.note for item in answer.items) == [
        f"occurrence {n} of 3 of tool call call_1" for n in (1, 2, 3)
    ]
    assert f't3@{ALPHA} Bash "second try"' in shape(answer)
    assert texts(store, "call_1", session=ALPHA) == ["one", "two"]
    assert texts(store, "call_1@bbbb") == ["three"]


def test_copies_that_a_fork_inherited_come_once_and_name_each_other(store: Store) -> None:
    Shelf(store, ALPHA).put("one", call_id="call_1")
    with store.write() as writer:
        writer.session(SessionRecord(OTHER, parent=ALPHA))
        writer.inherit(OTHER, ALPHA, [1])
    (item,) = recover(store, ["call_1"]).items
    assert item.text == "one"
    assert "the same as t1@bbbbbbbb" in item.note


def test_a_bare_ref_of_several_sessions_names_them_all_and_returns_nothing(store: Store) -> None:
    Shelf(store, ALPHA).put("a", tool="Read", key="src/a.py")
    Shelf(store, TWIN).put("b", tool="Bash", key="make")
    Shelf(store, OTHER).put("c", tool="Grep", key="todo")
    with pytest.raises(AmbiguousRef) as caught:
        recover(store, ["t1"])
    for part in ('t1@aaaaaaaa-1 (Read "src/a.py")', 't1@aaaaaaaa-2 (Bash "make")', 't1@bbbbbbbb (Grep "todo")'):
        assert part in str(caught.value)
    for ref, text in (("t1@aaaaaaaa-1", "a"), ("t1@aaaaaaaa-2", "b"), ("t1@bbbbbbbb", "c")):
        assert texts(store, ref) == [text]


def test_beside_known_refs_an_ambiguous_one_is_a_note(store: Store) -> None:
    Shelf(store, ALPHA).put("a")
    other = Shelf(store, OTHER)
    other.put("b")
    other.put("c")
    answer = recover(store, ["t1", "t2"])
    assert [item.text for item in answer.items] == ["c"]
    assert any("t1 could mean 2 sessions" in note for note in answer.notes)


def test_a_beginning_that_two_sessions_share_means_the_one_that_has_the_ref(store: Store) -> None:
    Shelf(store, ALPHA).put("a")
    twin = Shelf(store, TWIN)
    twin.put("b")
    twin.put("c")
    assert texts(store, "t2@aaaaaaaa") == ["c"]
    with pytest.raises(AmbiguousRef, match=r"t1@aaaaaaaa-2.*t1@aaaaaaaa-1"):
        recover(store, ["t1@aaaaaaaa"])


def test_the_session_named_for_all_refs_yields_to_the_one_a_ref_names(store: Store) -> None:
    Shelf(store, ALPHA).put("a")
    Shelf(store, OTHER).put("b")
    assert texts(store, "t1", "t1@bbbbbbbb", session="aaaa") == ["a", "b"]
    assert texts(store, "t1", session=OTHER) == ["b"]


def test_a_session_that_is_not_in_the_store_is_named_with_the_newest_there(store: Store) -> None:
    Shelf(store, ALPHA).put("a")
    with pytest.raises(EngineError, match=r"no session 'cccc'.*aaaaaaaa"):
        recover(store, ["t1"], session="cccc")
    answer = recover(store, ["t1@aaaa", "t1"], session="cccc")
    assert [item.text for item in answer.items] == ["a"]
    assert any("no session 'cccc'" in note for note in answer.notes)


def test_nothing_in_the_store_at_all_is_said(store: Store) -> None:
    with pytest.raises(UnknownRef, match="t1"):
        recover(store, ["t1"])
    with pytest.raises(EngineError, match="prune it first"):
        recover(store, ["t1"], session=ALPHA)


def test_some_unknown_refs_are_named_with_near_ones_and_the_known_come(shelf: Shelf) -> None:
    answer = recover(shelf.store, ["t12", "t2", "toolu_019XyW", "b3"])
    assert [item.ref for item in answer.items] == ["t2"]
    assert answer.unknown["t12"] == ["t9", "t8", "t7"]
    assert answer.unknown["toolu_019XyW"][0] == "toolu_019XyZ"
    assert answer.unknown["b3"] == []
    assert "unknown: t12 (near: t9, t8, t7)" in shape(answer)


@pytest.mark.parametrize("text", ["??", " ... ", "()", ", ,"])
def test_a_text_without_any_ref_is_told_as_it_was_written(shelf: Shelf, text: str) -> None:
    shelf.put("text")
    answer = recover(shelf.store, ["t1", text])
    assert [item.ref for item in answer.items] == ["t1"]
    assert answer.unknown == {text.strip(): []}
    with pytest.raises(UnknownRef) as told:
        recover(shelf.store, [text])
    assert str(told.value) == f"None of these refs is known; the tree lists them all.\nunknown: {text.strip()}"


def test_only_unknown_refs_are_an_error_that_names_near_ones(shelf: Shelf) -> None:
    with pytest.raises(UnknownRef, match=r"t11 \(near: t9, t8, t7\)"):
        recover(shelf.store, ["t11"], session=ALPHA)
    with pytest.raises(UnknownRef, match="toolu_017XyZ"):
        recover(shelf.store, ["toolu_017"])


def test_a_ref_that_another_session_has_is_named_as_near(shelf: Shelf) -> None:
    other = Shelf(shelf.store, OTHER)
    other.put("x", call_id="elsewhere")
    with pytest.raises(UnknownRef, match="near: t1, t9@aaaaaaaa"):
        recover(shelf.store, ["t9"], session=OTHER)
    with pytest.raises(UnknownRef, match=r"elsewhere \(near: t1@bbbbbbbb\)"):
        recover(shelf.store, ["elsewhere"], session=ALPHA)


def test_a_ref_of_an_unknown_session_is_near_those_of_the_sessions_that_have_it(shelf: Shelf) -> None:
    Shelf(shelf.store, OTHER).put("x")
    with pytest.raises(UnknownRef, match=r"t9@cccc \(near: t9@aaaaaaaa\)"):
        recover(shelf.store, ["t9@cccc"])


def test_no_ref_at_all_is_refused(shelf: Shelf) -> None:
    for refs in ([], [""], [" "]):
        with pytest.raises(EngineError, match="at least one ref"):
            recover(shelf.store, refs)


@pytest.mark.requirement("REC-SURROGATE")
def test_what_an_error_repeats_is_valid_unicode_on_one_line(shelf: Shelf) -> None:
    with pytest.raises(UnknownRef) as caught:
        recover(shelf.store, ["\ud800oops\u2028next"])
    str(caught.value).encode()
    assert "\u2028" not in str(caught.value)
