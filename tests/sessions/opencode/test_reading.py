"""What opencode's sessions hold, wherever they stand."""

from __future__ import annotations

from typing import Any

import pytest

from prune_mcp.sessions.reader import Reader
from prune_mcp.sessions.transcript import open_transcript
from prune_mcp.sessions.view import View
from tests.sessions.opencode.conftest import Place
from tests.sessions.opencode.writing import SESSION, TITLE, asks, failed, id_of, says, step, text, thought, tool
from tests.sessions.transcripts.reading import outputs, prompts, said

pytestmark = pytest.mark.requirement("SES-OPENCODE")

PIXEL = {"type": "file", "mime": "image/png", "filename": "a.png", "url": "data:image/png;base64,iVBORw0KGgo="}
PDF = {"type": "file", "mime": "application/pdf", "filename": "a.pdf", "url": "data:application/pdf;base64,AAAA"}
TALK = [
    asks(1, "Where is it?"),
    says(2, step(), thought("hm"), "I look.", tool("c1", "a.py\nb.py"), failed("c2", "EROFS"), step("finish")),
    says(3, step(), "In a.py.", step("finish")),
]
READ = [
    ("user", ["Where is it?"]),
    ("assistant", ["thinking hm", "I look.", "call c1", "call c2"]),
    ("user", ["result c1", "result c2"]),
    ("assistant", ["In a.py."]),
]


def left(session: Reader) -> set[str]:
    """The ids of what a rewind left behind."""
    return {session.entries[index].id for index in session.abandoned}


def test_a_session_reads_the_same_wherever_it_stands(place: Place) -> None:
    session = open_transcript(place(*TALK))
    assert said(session) == READ
    assert (session.session, session.host, session.format) == (SESSION, "opencode", "opencode")
    assert (session.cwd, session.title, session.parent) == ("/home/user/app", TITLE, "")
    assert outputs(session) == ["a.py\nb.py", "EROFS"]
    assert [(block.tool, block.error) for block in session.archive()] == [("bash", False), ("bash", True)]
    assert list(session.render(View())) == TALK
    assert [entry.time for entry in session.entries][1:3] == [
        "2026-02-03T08:00:02.000+00:00",
        "2026-02-03T08:00:00.500+00:00",
    ]


def test_a_call_and_its_result_know_each_other(place: Place) -> None:
    session = open_transcript(place(*TALK))
    result = session.archive()[0]
    asked = session.called(result)
    assert asked is not None
    assert session.arguments(asked) == {"command": "run c1"}
    assert session.raw(asked.place.entry) == session.raw(result.place.entry) == TALK[1]


def test_a_call_that_still_runs_is_one_without_a_result(place: Place) -> None:
    session = open_transcript(place(asks(1, "go"), says(2, tool("c1"), tool("c2", status="pending"))))
    assert said(session)[1:] == [("assistant", ["call c1", "call c2"])]
    assert session.archive() == []


def test_each_request_of_one_answer_is_a_message_of_its_own(place: Place) -> None:
    answer = says(2, step(), "first", tool("c1", "one"), step("finish"), step(), tool("c2", "two"), step(), "last")
    session = open_transcript(place(asks(1, "go"), answer))
    assert said(session)[1:] == [
        ("assistant", ["first", "call c1"]),
        ("user", ["result c1"]),
        ("assistant", ["call c2"]),
        ("user", ["result c2"]),
        ("assistant", ["last"]),
    ]
    assert len({entry.id for entry in session.entries}) == len(session.entries)
    assert list(session.render(View())) == [asks(1, "go"), answer]


@pytest.mark.parametrize(
    ("part", "text", "images", "error"),
    [
        (tool("c1", "half \ud83d emoji"), "half \ud83d emoji", 0, False),
        (tool("c1", "see", attachments=[PIXEL]), "see", 1, False),
        (
            tool("c1", "see", attachments=[PDF]),
            'see\n{"type":"file","mime":"application/pdf","filename":"a.pdf"}',
            0,
            False,
        ),
        (tool("c1", output=None, status="completed"), "", 0, False),
        (failed("c1", "no", metadata={"interrupted": True, "output": "so far"}), "so far", 0, True),
        (failed("c1", "no", metadata={"interrupted": True}), "no", 0, True),
        (
            tool("c1", "x", time={"start": 1, "end": 2, "compacted": 3}),
            "[Old tool result content cleared]",
            0,
            False,
        ),
    ],
)
def test_every_form_of_a_result_is_read(
    place: Place, part: dict[str, Any], text: str, images: int, error: bool
) -> None:
    session = open_transcript(place(asks(1, "go"), says(2, part)))
    block = session.archive()[0]
    assert session.text(block) == text
    assert (block.chars, block.images, len(session.images(block)), block.error) == (
        len(text),
        images,
        images,
        error,
    )


def test_an_output_that_the_host_cleared_is_still_there(place: Place) -> None:
    cleared = tool("c1", "the old output", time={"start": 1, "end": 2, "compacted": 3})
    session = open_transcript(place(asks(1, "go"), says(2, cleared, tool("c2", "new"))))
    assert [session.persisted(block) for block in session.archive()] == ["the old output", None]


@pytest.mark.requirement("SES-PERSISTED")
@pytest.mark.parametrize("name", ["tool_1", "../secret", "missing", "", 5])
def test_an_output_that_was_moved_is_read_from_its_file_alone(place: Place, name: Any) -> None:
    moved = tool("c1", "begins...", metadata={"truncated": True, "outputPath": name})
    path = place(asks(1, "go"), says(2, moved))
    data = next(folder for folder in path.parents if folder.name == "opencode" or folder == path.parents[-1])
    if data == path.parents[-1]:
        data = path.parent
    (data / "tool-output").mkdir()
    (data / "secret").write_text("secret")
    (data / "tool-output" / "tool_1").write_text("the whole output")
    session = open_transcript(path)
    assert session.persisted(session.archive()[0]) == ("the whole output" if name == "tool_1" else None)


@pytest.mark.parametrize(
    ("parts", "prompt", "words"),
    [
        (["mine"], True, ["mine"]),
        (["mine", text("theirs", synthetic=True)], True, ["mine", "theirs"]),
        ([text("theirs", synthetic=True)], False, ["theirs"]),
        (["mine", text("only shown", ignored=True)], True, ["mine"]),
        ([PIXEL], True, ["image "]),
        ([PDF], True, ['other {"type":"file"']),
        (
            ["see", {"type": "file", "mime": "text/plain", "url": "file:///a"}, {"type": "agent", "name": "x"}],
            True,
            ["see"],
        ),
        ([{"type": "subtask", "prompt": "do it", "description": "d", "agent": "a"}], True, ["other do it"]),
    ],
)
def test_what_the_person_asked_is_told_from_what_the_host_added(
    place: Place, parts: list[Any], prompt: bool, words: list[str]
) -> None:
    session = open_transcript(place(asks(1, *parts), says(2, "ok")))
    assert session.messages[0].prompt == prompt
    shown = said(session)[0][1]
    assert len(shown) == len(words)
    assert all(found.startswith(word) for found, word in zip(shown, words, strict=True))


def test_what_says_nothing_is_no_message(place: Place) -> None:
    nothing = [asks(1, text("x", ignored=True)), says(2, step(), {"type": "patch", "hash": "h", "files": []})]
    assert said(open_transcript(place(*nothing, asks(3, "go")))) == [("user", ["go"])]


@pytest.mark.parametrize(
    ("error", "parts", "sent"),
    [
        ({"name": "APIError", "data": {"message": "overloaded"}}, ["half"], False),
        ({"name": "MessageAbortedError"}, ["half"], True),
        ({"name": "MessageAbortedError"}, [thought("hm")], False),
        ({}, ["half"], False),
    ],
)
def test_answers_that_failed_are_not_sent(
    place: Place, error: dict[str, Any], parts: list[Any], sent: bool
) -> None:
    session = open_transcript(place(asks(1, "go"), says(2, *parts, error=error), asks(3, "again")))
    assert [message.id for message in session.messages] == [id_of(n) for n in ((1, 2, 3) if sent else (1, 3))]


def test_signed_thoughts_are_known(place: Place) -> None:
    signed = thought("hm", metadata={"anthropic": {"signature": "abc"}})
    session = open_transcript(place(asks(1, "go"), says(2, signed, thought("x", metadata={"a": {"b": 1}}), "ok")))
    assert [block.signed for block in session.messages[1].blocks] == [True, False, False]


def test_a_revert_leaves_the_message_and_all_later_ones_behind(place: Place) -> None:
    talk = [asks(1, "one"), says(2, "a"), asks(3, "two"), says(4, tool("c1", "lost")), asks(5, "three")]
    session = open_transcript(place(*talk, revert={"messageID": id_of(3), "snapshot": "x"}))
    assert prompts(session) == ["one"]
    assert left(session) == {id_of(3), id_of(4), f"{id_of(4)}/results", id_of(5)}
    assert outputs(session) == ["lost"]
    assert list(session.render(View())) == talk[:2]


def test_a_revert_to_a_part_leaves_what_comes_after_it(place: Place) -> None:
    talk = [asks(1, "one"), says(2, "kept", tool("c1", "kept output"), tool("c2", "lost"), "gone"), asks(3, "two")]
    session = open_transcript(place(*talk, revert={"messageID": id_of(2), "partID": "prt_0002_02"}))
    assert said(session) == [("user", ["one"]), ("assistant", ["kept", "call c1"]), ("user", ["result c1"])]
    assert (outputs(session), len(left(session))) == (["kept output", "lost"], 3)
    assert list(session.render(View())) == [talk[0], {**talk[1], "parts": talk[1]["parts"][:2]}]


def compacting(number: int, kept: int | None = None) -> list[dict[str, Any]]:
    """A compaction: what asks for it, and its summary."""
    part = {"type": "compaction", "auto": True, **({"tail_start_id": id_of(kept)} if kept else {})}
    return [asks(number, part), says(number + 1, f"summary {number}", to=number, summary=True)]


@pytest.mark.parametrize(
    ("more", "sent"),
    [
        (compacting(5), [5, 6]),
        (compacting(5, kept=3), [5, 6, 3, 4]),
        (compacting(5, kept=3)[:1], [1, 2, 3, 4, 5]),
        ([compacting(5)[0], says(6, "half", to=5, summary=True, finish=None)], [1, 2, 3, 4, 5, 6]),
        ([compacting(5)[0], says(6, "x", to=5, summary=True, error={"name": "APIError"})], [1, 2, 3, 4, 5]),
        ([*compacting(5), asks(7, "on"), *compacting(8), asks(10, "end")], [8, 9, 10]),
        ([*compacting(5), asks(7, "on"), *compacting(8, kept=7), asks(10, "end")], [8, 9, 7, 10]),
        (compacting(5, kept=77), [1, 2, 3, 4, 5, 6]),
    ],
)
def test_after_a_compaction_its_summary_and_what_it_kept_are_sent(
    place: Place, more: list[dict[str, Any]], sent: list[int]
) -> None:
    talk = [asks(1, "one"), says(2, "a", to=1), asks(3, "two"), says(4, "b", to=3)]
    session = open_transcript(place(*talk, *more))
    assert [message.id for message in session.messages] == [id_of(number) for number in sent]
    assert session.abandoned == set()
    whole = [*talk, *more]
    assert list(session.render(View())) == [
        next(found for found in whole if found["info"]["id"] == id_of(number)) for number in sent
    ]
    assert [message.summary for message in session.messages if message.summary] == [True] * any(
        n == 6 or n == 9 for n in sent
    )


@pytest.mark.parametrize(
    ("given", "title"),
    [
        ("New session - 2026-02-03T08:00:00.000Z", "First asked here"),
        ("Child session - 2026-02-03T08:00:00.000Z", "First asked here"),
        ("New Session - 2025-07-01T08:00:00.000Z", "First asked here"),
        ("New session - about sessions", "New session - about sessions"),
    ],
)
def test_the_hosts_own_titles_are_none(place: Place, given: str, title: str) -> None:
    first = asks(1, text("<synthetic>", synthetic=True), "First  asked\nhere")
    assert open_transcript(place(first, title=given)).title == title


def test_a_subagents_session_names_its_parent(place: Place) -> None:
    session = open_transcript(place(asks(1, "look"), parentID="ses_parent"))
    assert (session.session, session.parent) == (SESSION, "ses_parent")


def test_fields_nobody_knows_stay_as_they_are(place: Place) -> None:
    odd = says(
        2, tool("c1", "y", later=[2**70]), {"type": "new-part", "x": 1.5}, structured={"a": None}, tokens={}
    )
    talk = [asks(1, "go", tools={"bash": True}, system="s"), odd]
    assert list(open_transcript(place(*talk)).render(View())) == talk
