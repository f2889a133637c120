"""Records that change what was recorded before: last writes, rewinds, lists put in place, patches; and growing."""

from __future__ import annotations

from typing import Any

import pytest

from prune_mcp.sessions.model import SessionError
from prune_mcp.sessions.reader import Reader
from prune_mcp.sessions.transcript import open_transcript
from prune_mcp.sessions.view import View
from tests.sessions.gemini.writing import GeminiFile, asks, call, header, response, says
from tests.sessions.transcripts.reading import outputs, picture, said

pytestmark = pytest.mark.requirement("SES-GEMINI")

FIRST = [asks(1, "one"), says(2, "answer one", call("c1", "first output"))]


def words(session: Reader) -> list[str]:
    """The texts in the context."""
    return [text for _, texts in said(session) for text in texts]


def left(session: Reader) -> set[str]:
    """The ids of what a rewind left behind."""
    return {session.entries[index].id for index in session.abandoned}


def test_the_last_write_of_a_message_counts_in_its_first_place(gemini: GeminiFile) -> None:
    growing = [
        says(2, "an"),
        says(2, "answer"),
        says(2, "answer", call("c1")),
        says(2, "answer", call("c1", "out")),
    ]
    session = open_transcript(gemini.write([header(), asks(1, "go"), *growing[:2], asks(3, "more"), *growing[2:]]))
    assert words(session) == ["go", "answer", "call c1", "result c1", "more"]
    assert [entry.id for entry in session.entries] == ["m1", "m2", "m2/results", "m3"]


def test_what_a_rewind_took_away_stays_readable_and_is_marked(gemini: GeminiFile) -> None:
    taken = [asks(3, "left"), says(4, "lost", call("c2", "lost output"))]
    session = open_transcript(gemini.write([header(), *FIRST, *taken, {"$rewindTo": "m3"}, asks(5, "right")]))
    assert words(session) == ["one", "answer one", "call c1", "result c1", "right"]
    assert left(session) == {"m3", "m4", "m4/results"}
    assert outputs(session) == ["first output", "lost output"]
    assert list(session.render(View())) == [*FIRST, asks(5, "right")]


@pytest.mark.parametrize("target", ["m1", "never-there"])
def test_a_rewind_to_the_first_or_an_unknown_message_takes_everything(gemini: GeminiFile, target: str) -> None:
    session = open_transcript(gemini.write([header(), *FIRST, {"$rewindTo": target}, asks(5, "anew")]))
    assert (words(session), left(session)) == (["anew"], {"m1", "m2", "m2/results"})


def test_what_is_said_again_after_a_rewind_stands_where_it_was_said_again(gemini: GeminiFile) -> None:
    records = [*FIRST, asks(3, "x"), {"$rewindTo": "m2"}, asks(4, "y"), FIRST[1]]
    session = open_transcript(gemini.write([header(), *records]))
    assert (words(session)[:2], left(session)) == (["one", "y"], {"m3"})
    assert words(session)[2:] == ["answer one", "call c1", "result c1"]


def test_a_list_in_place_of_the_messages_is_what_stands(gemini: GeminiFile) -> None:
    masked = says(2, "answer one", call("c1", "[masked]"))
    records = [*FIRST, asks(3, "cancelled"), {"$set": {"messages": [FIRST[0], masked]}}, asks(4, "next")]
    session = open_transcript(gemini.write([header(), *records]))
    assert words(session) == ["one", "answer one", "call c1", "result c1", "next"]
    assert (outputs(session), left(session)) == (["[masked]"], {"m3"})


def test_what_was_compressed_away_is_neither_sent_nor_left_behind(gemini: GeminiFile) -> None:
    snapshot = asks(10, [{"text": "<state_snapshot>what was done</state_snapshot>"}])
    kept = [snapshot, says(11, "Got it."), asks(3, "kept prompt")]
    records = [*FIRST, asks(3, "kept prompt"), {"$set": {"messages": kept}}, says(12, "going on")]
    session = open_transcript(gemini.write([header(), *records]))
    assert [(message.id, message.summary) for message in session.messages] == [
        ("m10", True),
        ("m11", False),
        ("m3", False),
        ("m12", False),
    ]
    assert (left(session), outputs(session)) == (set(), ["first output"])
    assert [entry.id for entry in session.entries][:4] == ["m1", "m2", "m2/results", "m3"]


def test_a_patch_changes_contents_results_and_the_order(gemini: GeminiFile) -> None:
    patch: dict[str, Any] = {
        "updates": [
            {"id": "m1", "content": "one, put otherwise"},
            {"id": "m2", "toolCalls": [{"id": "c1", "result": [response("c1", "masked")]}]},
            {"id": "nobody", "content": "x"},
        ],
        "removeIds": ["m3", 5],
        "orderIds": ["m4", "m1", "m2", None],
    }
    records = [*FIRST, asks(3, "gone"), asks(4, "moved"), {"$patch": patch}]
    session = open_transcript(gemini.write([header(), *records]))
    assert words(session) == ["moved", "one, put otherwise", "answer one", "call c1", "result c1"]
    assert (outputs(session), left(session)) == (["masked"], {"m3"})


def test_a_header_may_carry_the_messages(gemini: GeminiFile) -> None:
    session = open_transcript(gemini.write([{**header(), "messages": FIRST}, asks(3, "more")]))
    assert words(session) == ["one", "answer one", "call c1", "result c1", "more"]


@pytest.mark.requirement("SES-LIVE")
def test_a_growing_file_reads_as_one_read_at_once(gemini: GeminiFile) -> None:
    gemini.write([header(), asks(1, "one")])
    session = open_transcript(gemini.path)
    assert session.refresh() == 0
    for record in (says(2, "part"), says(2, "part", call("c1", "out")), asks(3, "next"), {"$rewindTo": "m3"}):
        gemini.add(record)
        assert session.refresh() > 0
        assert picture(session) == picture(open_transcript(gemini.path))


@pytest.mark.requirement("SES-LIVE")
@pytest.mark.parametrize(
    ("record", "same"),
    [
        (asks(5, "only more"), True),
        ({"$set": {"lastUpdated": "2026-02-04"}}, True),
        (says(2, "answer one", call("c1", "another output")), False),
        ({"$rewindTo": "m2"}, False),
        ({"$set": {"messages": [asks(9, "<state_snapshot>all")]}}, False),
    ],
)
def test_the_generation_goes_up_when_what_was_read_is_no_longer_so(
    gemini: GeminiFile, record: Any, same: bool
) -> None:
    session = open_transcript(gemini.write([header(), *FIRST]))
    before = session.generation
    gemini.add(record)
    session.refresh()
    assert (session.generation == before) == same


def test_what_was_read_stays_when_the_file_is_gone(gemini: GeminiFile) -> None:
    session = open_transcript(gemini.write([header(), *FIRST]))
    before = picture(session)
    gemini.path.unlink()
    with pytest.raises(SessionError, match="There is no file"):
        session.refresh()
    assert picture(session) == before
    assert list(session.render(View())) == FIRST
