"""What is written comes back as it was, in order, and counts up."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from prune_mcp.storage.codec import digest
from prune_mcp.storage.errors import StoreError
from prune_mcp.storage.home import Home
from prune_mcp.storage.protocol import Store
from prune_mcp.storage.records import ChainBlock, Diagnostic, Flush, Output, SessionRecord
from prune_mcp.storage.sqlite import open_store
from tests.storage.examples import SESSION, archive, draft

Reopen = Callable[[], Store]


@pytest.mark.requirement("REC-LAST")
def test_an_output_is_there_after_a_restart_with_every_field(store: Store, reopened: Reopen) -> None:
    body = b"the text"
    full = Output(
        99, "call", "entry", digest(body), "norm", "Read", "/a/b", True, 8, 9, 2, 1, "alias", "stub", 5, 3
    )
    with store.write() as writer:
        writer.session(SessionRecord(SESSION))
        kept = writer.archive(SESSION, [(full, body)])
    store.close()
    assert kept == [replace(full, ref=1)]
    (again,) = reopened().outputs(SESSION)
    assert again == kept[0]
    assert again.error is True
    assert reopened().body(kept[0].sha) == body


def test_the_store_names_a_body_itself(store: Store) -> None:
    with store.write() as writer:
        writer.session(SessionRecord(SESSION))
        (output,) = writer.archive(SESSION, [(Output(0, "call", "entry", "wrong"), b"right")])
    assert output.sha == digest(b"right")


def test_the_drafts_are_not_changed(store: Store) -> None:
    output, data = draft("call", "text")
    before = replace(output)
    with store.write() as writer:
        writer.session(SessionRecord(SESSION))
        writer.archive(SESSION, [(output, data)])
    assert output == before


def test_refs_count_up_in_each_session_from_one(store: Store) -> None:
    assert [o.ref for o in archive(store, "a", "b")] == [1, 2]
    assert [o.ref for o in archive(store, "c")] == [3]
    assert [o.ref for o in archive(store, "a", session="other")] == [1]


def test_a_known_identity_comes_back_as_it_is_also_within_one_call(store: Store) -> None:
    first = archive(store, "a", "b", "a")
    assert [o.ref for o in first] == [1, 2, 1]
    decided = replace(first[1], state="stub", stub="[t2]", flush=1)
    with store.write() as writer:
        writer.decide(SESSION, [decided])
    assert archive(store, "c", "b") == [replace(first[0], ref=3, call_id="call-c", sha=digest(b"c")), decided]


def test_a_reused_call_id_in_another_entry_or_with_other_text_is_another_output(store: Store) -> None:
    with store.write() as writer:
        writer.session(SessionRecord(SESSION))
        drafts = [draft("call", "a", "one"), draft("call", "a", "two"), draft("call", "b", "one")]
        assert [o.ref for o in writer.archive(SESSION, drafts)] == [1, 2, 3]


def test_occurrences_are_found_in_every_session_by_session_and_ref(store: Store) -> None:
    archive(store, "a", "b", session="two")
    archive(store, "b", "a", session="one")
    found = store.occurrences(["call-b", "call-a", "call-b", "unknown"])
    assert [(session, o.ref, o.call_id) for session, o in found] == [
        ("one", 1, "call-b"),
        ("one", 2, "call-a"),
        ("two", 1, "call-a"),
        ("two", 2, "call-b"),
    ]
    assert len(store.occurrences(["call-a", *(f"no-{n}" for n in range(2000)), "call-a"])) == 2


def test_what_is_known_of_a_session_is_refreshed_and_never_emptied(place: Home) -> None:
    times = iter(["first", "second"])
    store = open_store(place, clock=lambda: next(times))
    with store.write() as writer:
        known = writer.session(
            SessionRecord(SESSION, "pi", "pi", "/p", "/c", "title", parent="p", next_ref=9, updated="now")
        )
        assert known == SessionRecord(SESSION, "pi", "pi", "/p", "/c", "title", updated="first")
    with store.write() as writer:
        writer.session(SessionRecord(SESSION, path="/q"))
    assert store.session(SESSION) == SessionRecord(SESSION, "pi", "pi", "/q", "/c", "title", updated="second")
    store.close()


def test_sessions_come_with_the_latest_written_first(store: Store) -> None:
    for session in ("a", "b", "c"):
        archive(store, "text", session=session)
    with store.write() as writer:
        writer.flush("b", Flush(0))
        writer.diagnose("a", [Diagnostic("kind", "key", "detail")])
    assert [record.id for record in store.sessions()] == ["a", "b", "c"]


def test_a_flush_takes_the_next_number_and_the_frontier_only_moves_forward(store: Store) -> None:
    archive(store, "a")
    flush = Flush(0, [{"ref": 1, "why": "prune\ud800d"}], "note", 5, 100, 50, "time")
    with store.write() as writer:
        assert writer.flush(SESSION, flush) == replace(flush, number=1)
        writer.flush(SESSION, Flush(0, frontier=3))
    assert store.flushes(SESSION) == [replace(flush, number=1), Flush(2, frontier=3)]
    record = store.session(SESSION)
    assert record
    assert (record.flushes, record.frontier) == (2, 5)


def test_a_block_takes_the_next_number_and_keeps_its_lists(store: Store) -> None:
    archive(store, "a")
    with store.write() as writer:
        document = writer.body(b"all of it")
        block = ChainBlock(0, "chain", "m1", "m9", "text", document, [1, 2], [], 1)
        first = writer.block(SESSION, block)
        second = writer.block(SESSION, replace(block, kind="open", blocks=[1], document=""))
    assert (first.number, second.number) == (1, 2)
    assert store.blocks(SESSION) == [first, second]
    assert store.body(first.document) == b"all of it"


def test_facets_stand_beside_an_output_by_name(store: Store) -> None:
    archive(store, "a", "b")
    with store.write() as writer:
        writer.facet(SESSION, 2, "args", b"{}")
        writer.facet(SESSION, 1, "image1", b"old")
        writer.facet(SESSION, 1, "image1", b"new")
    assert store.facets(SESSION) == {(1, "image1"): digest(b"new"), (2, "args"): digest(b"{}")}
    assert store.body(digest(b"{}")) == b"{}"


@pytest.mark.requirement("PRU-DIAG")
def test_a_diagnostic_is_counted_once_for_its_kind_and_key(store: Store) -> None:
    archive(store, "a")
    with store.write() as writer:
        writer.diagnose(SESSION, [Diagnostic("torn", "1", "first"), Diagnostic("torn", "1", "again", 2)])
        writer.diagnose(SESSION, [Diagnostic("null", "2", "other")])
    assert store.diagnostics(SESSION) == [Diagnostic("null", "2", "other"), Diagnostic("torn", "1", "first", 3)]


def test_a_copy_inherits_refs_decisions_facets_and_counts_on(store: Store) -> None:
    outputs = archive(store, "a", "b", "c")
    with store.write() as writer:
        writer.decide(SESSION, [replace(outputs[0], state="stub", stub="[t1]", flush=1)])
        writer.facet(SESSION, 1, "args", b"{}")
        writer.facet(SESSION, 3, "args", b"{3}")
        writer.block(SESSION, ChainBlock(0, "open", "m1", "", "text", ""))
        writer.flush(SESSION, Flush(0, frontier=2))
        writer.session(SessionRecord("copy"))
        writer.inherit("copy", SESSION, [1, 2])
    assert store.outputs("copy") == store.outputs(SESSION)[:2]
    assert store.facets("copy") == {(1, "args"): digest(b"{}")}
    assert [o.ref for o in archive(store, "d", session="copy")] == [4]
    record = store.session("copy")
    assert record
    assert (record.parent, record.next_block, record.flushes, record.frontier) == (SESSION, 2, 1, 2)
    assert len(store.outputs(SESSION)) == 3


def test_a_copy_that_has_inherited_stays_as_it_is(store: Store) -> None:
    archive(store, "a", "b")
    with store.write() as writer:
        writer.session(SessionRecord("copy"))
        writer.inherit("copy", SESSION, [1])
        writer.inherit("copy", SESSION, [1, 2])
    assert [o.ref for o in store.outputs("copy")] == [1]


@pytest.mark.parametrize("refs", [[1, 9], [9]])
def test_outputs_that_the_source_lacks_are_not_inherited(store: Store, refs: list[int]) -> None:
    archive(store, "a")
    with store.write() as writer:
        writer.session(SessionRecord("copy"))
    with pytest.raises(StoreError, match="lacks some"), store.write() as writer:
        writer.inherit("copy", SESSION, refs)
    assert store.outputs("copy") == []
    assert store.session("copy") == replace(store.sessions()[0], parent="")


def test_a_session_with_outputs_of_its_own_inherits_nothing(store: Store) -> None:
    archive(store, "a")
    archive(store, "b", session="other")
    with pytest.raises(StoreError, match="numbers of its own"), store.write() as writer:
        writer.inherit("other", SESSION, [1])


def test_an_unknown_session_or_ref_or_body_is_refused_by_name(store: Store) -> None:
    archive(store, "a")
    with pytest.raises(StoreError, match="no session nowhere"), store.write() as writer:
        writer.archive("nowhere", [draft("call", "text")])
    with pytest.raises(StoreError, match="lacks some"), store.write() as writer:
        writer.decide(SESSION, [Output(7, "call", "entry", "")])
    with pytest.raises(StoreError, match="names something"), store.write() as writer:
        writer.facet(SESSION, 7, "args", b"{}")
    with pytest.raises(StoreError, match="names something"), store.write() as writer:
        writer.block(SESSION, ChainBlock(0, "chain", "a", "b", "text", "0" * 64))
