"""Reading one entry: in pages that join, and with its neighbours."""

from __future__ import annotations

import pytest

from prune_mcp.search.entries.entry_ref import parse_entry_ref
from prune_mcp.search.entries.read import EntryText, fair_shares
from prune_mcp.search.find.question import SearchError
from tests.search.find.past import Past
from tests.search.find.test_copies import resumed
from tests.sessions.transcripts.writing import thinking, tool_use

pytestmark = pytest.mark.requirement("HIS-PAGE")

LONG = "".join(f"line {n} with \u6570\u636e and \U0001f389\n" for n in range(900_000 // 20))


def test_a_found_entry_is_read_by_its_ref(past: Past) -> None:
    (entry,) = past.says("the whole needle")
    hit = past.only("needle")
    assert hit.ref == f"{entry[:8]}@{hit.session[:8]}"
    for ref in (hit.ref, f"`{hit.ref}`", f"{entry}@{hit.session}", f"{entry}@{hit.session[:13]}"):
        reading = past.read(ref)
        assert (reading.session, reading.agent, reading.project) == (hit.session, "claude-code", "app")
        (page,) = reading.entries
        assert (page.entry, page.ref, page.text) == (entry, hit.ref, "the whole needle")
        assert (page.start, page.end, page.total, page.time) == (0, 16, 16, hit.time)


def test_pages_of_a_huge_entry_join_exactly(past: Past) -> None:
    (entry,) = past.says(LONG)
    ref = past.ask("line").hits[0].ref
    pages: list[EntryText] = []
    at = 0
    while not pages or at < pages[-1].total:
        (page,) = past.read(ref, offset=at, limit=100_000).entries
        assert (page.entry, page.start, page.total) == (entry, at, len(LONG))
        pages.append(page)
        at = page.end
    assert "".join(page.text for page in pages) == LONG


def test_the_blocks_of_an_entry_are_told_apart(past: Past) -> None:
    file = past.session()
    file.prompt("go")
    entry = file.says(thinking("a thought"), "an answer", tool_use("c1", "Bash", command="make needle"))
    file.result("c1", "boom", is_error=True)
    (page,) = past.read(f"{entry}@{file.session}").entries
    assert page.text == "a thought\nan answer\ncommand: make needle"
    shown = [(block.role, block.tool, page.text[block.start : block.end]) for block in page.blocks]
    assert shown == [
        ("thinking", "", "a thought"),
        ("assistant", "", "an answer"),
        ("call", "Bash", "command: make needle"),
    ]


def test_neighbours_come_in_the_sessions_order_and_are_cut_fairly(past: Past) -> None:
    said = past.says("one", "two " * 1000, "the needle", "four", "five " * 1000, "six")
    reading = past.read(past.only("needle").ref, around=2, limit=2000)
    assert [page.entry for page in reading.entries] == said[:5]
    assert reading.focus == 2
    texts = [page.text for page in reading.entries]
    assert (texts[0], texts[2], texts[3]) == ("one", "the needle", "four")
    assert sum(map(len, texts)) == 2000
    assert abs(len(texts[1]) - len(texts[4])) <= 1
    assert [(page.end, page.total) for page in reading.entries][1] == (len(texts[1]), 4000)


def test_the_first_and_the_last_entry_have_fewer_neighbours(past: Past) -> None:
    file = past.session()
    first = file.prompt("first")
    last = file.says("last")
    for entry, focus in ((first, 0), (last, 1)):
        reading = past.read(f"{entry}@{file.session}", around=5)
        assert ([page.text for page in reading.entries], reading.focus) == (["first", "last"], focus)


def test_neighbours_reach_from_what_is_indexed_into_what_is_not(indexed: Past) -> None:
    file = indexed.session()
    entry = file.prompt("one")
    file.says("two")
    indexed.settle()
    indexed.indexed = False
    file.says("three")
    reading = indexed.read(f"{entry}@{file.session}", around=5)
    assert [page.text for page in reading.entries] == ["one", "two", "three"]


def test_an_offset_behind_the_end_is_refused_with_the_size(past: Past) -> None:
    past.says("a needle")
    with pytest.raises(SearchError, match="has 8 characters"):
        past.read(past.only("needle").ref, offset=8)


@pytest.mark.parametrize("ref", ["", "  ", "@", "@x", "a@", "a b@c"])
def test_what_is_no_ref_is_refused_in_words(past: Past, ref: str) -> None:
    with pytest.raises(SearchError, match=r"names no (entry|session)"):
        past.read(ref)


def test_an_unknown_entry_or_session_is_refused(past: Past) -> None:
    (entry,) = past.says("needle")
    session = past.session().session
    with pytest.raises(SearchError, match="has no entry ffffffff"):
        past.read(f"ffffffff@{session}")
    with pytest.raises(SearchError, match="There is no session ffffffff"):
        past.read(f"{entry}@ffffffff")
    with pytest.raises(SearchError, match="names no session"):
        past.read(entry)


def test_a_session_named_by_too_little_is_named_with_what_to_say(past: Past) -> None:
    sessions = [past.session(number) for number in (1, 2)]
    entry, _ = [file.prompt(f"needle of {file.session}") for file in sessions]
    few = sessions[0].session[:4]
    refs = [f"{entry}@{file.session[:8]}" for file in sessions]
    with pytest.raises(SearchError) as refused:
        past.read(f"{entry}@{few}")
    assert str(refused.value) == f"2 sessions begin with {few!r}. Name one by more of its id: {', '.join(refs)}."
    with pytest.raises(SearchError) as refused:
        past.read(f"{entry}@{few[:2]}")
    short = f"{few[:2]!r} is too short to name a session: give 4 characters of its id or more."
    assert str(refused.value) == f"{short} 2 sessions begin so: {', '.join(refs)}."
    assert past.read(refs[0]).entries[0].entry == entry


def test_a_session_named_by_too_few_characters_is_not_guessed_but_offered(past: Past) -> None:
    (entry,) = past.says("needle")
    session = past.session().session
    with pytest.raises(SearchError, match=f"too short .* 1 session begins so: {entry}@{session[:8]}"):
        past.read(f"{entry}@{session[:3]}")
    with pytest.raises(SearchError, match="There is no session zz"):
        past.read(f"{entry}@zz")


def test_a_ref_that_could_mean_several_entries_names_them(past: Past) -> None:
    file = past.session()
    ids = [file.prompt(f"needle {n}", uuid=f"abcdef01-000{n}-4000-8000-000000000000") for n in range(2)]
    with pytest.raises(SearchError, match="could be 2 entries") as refused:
        past.read(f"abcdef01@{file.session}")
    assert all(id in str(refused.value) for id in ids)
    assert past.read(f"{ids[1]}@{file.session}").entries[0].text == "needle 1"


def test_entries_whose_ids_merely_begin_alike_are_told_apart(past: Past) -> None:
    file = past.session()
    ids = [file.prompt(f"needle {id}", uuid=id) for id in ("message-1", "message-10")]
    with pytest.raises(SearchError, match="could be 2 entries"):
        past.read(f"message-@{file.session}")
    assert [past.read(f"{id}@{file.session}").entries[0].text for id in ids] == [f"needle {id}" for id in ids]


def test_an_id_that_others_go_on_from_is_named_by_its_beginning_and_they_in_full(past: Past) -> None:
    file = past.session()
    entry = file.prompt("first needle")
    file.prompt("second thimble", uuid=entry)
    first, second = past.only("needle"), past.only("thimble")
    assert first.ref == f"{entry[:8]}@{file.session[:8]}"
    assert past.read(first.ref).entries[0].text == "first needle"
    assert past.read(second.ref).entries[0].text == "second thimble"


def test_sessions_that_begin_alike_have_longer_names(past: Past) -> None:
    first = past.session(1)
    first.session = "00000001-1111-4000-8000-00000000000b"
    other = type(first)(first.path.with_name(f"{first.session}.jsonl"), first.session)
    entry = other.prompt("needle")
    past.session(1).prompt("hay")
    hit = past.only("needle")
    assert hit.ref == f"{entry[:8]}@{hit.session}"
    assert past.read(hit.ref).entries[0].text == "needle"


def test_a_copys_entry_is_read_in_its_own_session(past: Past) -> None:
    original = past.session()
    entry = original.prompt("needle")
    copy = resumed(past, original, 2)
    for session in (original.session, copy.session):
        assert past.read(f"{entry}@{session}").session == session


@pytest.mark.requirement("HIS-GONE")
def test_an_entry_whose_file_is_gone_is_read_from_what_was_kept(indexed: Past) -> None:
    (entry,) = indexed.says("needle")
    indexed.settle()
    indexed.session().path.unlink()
    indexed.settle()
    hit = indexed.only("needle")
    assert (hit.entry, list(hit.flags)) == (entry, ["gone"])
    (page,) = indexed.read(hit.ref).entries
    assert (page.text, list(page.flags)) == ("needle", ["gone"])


@pytest.mark.parametrize(
    ("sizes", "limit", "shares"),
    [([], 5, []), ([3, 3], 10, [3, 3]), ([100, 2, 100], 12, [5, 2, 5]), ([9], 4, [4]), ([0, 7], 3, [0, 3])],
)
def test_shares_are_fair(sizes: list[int], limit: int, shares: list[int]) -> None:
    assert fair_shares(sizes, limit) == shares


def test_refs_are_parsed_whatever_stands_around_them() -> None:
    assert str(parse_entry_ref(" `3a9d0c12@fe5e1c67`. ".rstrip(". ") + " ")) == "3a9d0c12@fe5e1c67"
    assert parse_entry_ref("@812@fe5e1c67/agent-a1").entry == "@812"
    assert parse_entry_ref("@812@fe5e1c67/agent-a1").session == "fe5e1c67/agent-a1"
