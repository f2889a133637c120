"""Ids of sessions, messages and entries: the same before and after pruning, cutting and growing."""

from __future__ import annotations

from typing import Any

import pytest

from prune_mcp.sessions.messages.open import open_messages
from prune_mcp.sessions.model import Place
from prune_mcp.sessions.view import View
from tests.sessions.messages.test_reading import ANTHROPIC, CHAT, RESPONSES
from tests.sessions.messages.test_views import BLOCK, assistant, got, said, used, user

pytestmark = pytest.mark.requirement("SES-MESSAGES")


def ids(payload: Any) -> list[str]:
    """The message ids."""
    return [message.id for message in open_messages(payload).messages]


def test_the_session_is_named_after_the_first_prompt_unless_one_is_given() -> None:
    session = open_messages(ANTHROPIC).session
    assert session == open_messages(RESPONSES).session
    assert session.startswith("m-")
    assert len(session) == 18
    assert session != open_messages([user("Something else.")]).session
    assert open_messages(ANTHROPIC, session="mine").session == "mine"


def test_the_session_does_not_change_with_what_we_insert() -> None:
    plain = [user("Go."), assistant("a")]
    session = open_messages(plain).session
    for view in (View(inserted={0: [BLOCK]}), View(inserted={-1: [BLOCK]})):
        conversation = open_messages(plain)
        assert open_messages(conversation.rebuild(conversation.render(view))).session == session


def test_conversations_that_begin_with_an_image_alone_are_told_apart_by_it() -> None:
    def picture(data: str) -> list[Any]:
        return [user({"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": data}})]

    assert open_messages(picture("QUJD")).session == open_messages(picture("QUJD")).session
    assert open_messages(picture("QUJD")).session != open_messages(picture("QUJE")).session


@pytest.mark.parametrize("payload", [ANTHROPIC, CHAT, RESPONSES], ids=["anthropic", "chat", "responses"])
def test_ids_do_not_change_with_stubs_thinking_arguments_and_blocks(payload: list[Any]) -> None:
    conversation = open_messages(payload)
    blocks = [block for message in conversation.messages for block in message.blocks]
    view = View(
        texts={block.place: "short" for block in blocks if block.kind == "result"},
        arguments={block.place: {} for block in blocks if block.kind == "call"},
        stripped={block.place for block in blocks if block.kind == "thinking"},
    )
    pruned = open_messages(conversation.rebuild(conversation.render(view)))
    assert [m.id for m in pruned.messages] == [m.id for m in conversation.messages]


@pytest.mark.parametrize(
    ("payload", "whole_messages"),
    [(ANTHROPIC, (1, 2, 3)), (CHAT, (1, 2, 3, 6, 7)), (RESPONSES, (1, 4, 6, 8))],
    ids=["anthropic", "chat", "responses"],
)
def test_ids_do_not_change_when_the_array_grows(payload: list[Any], whole_messages: tuple[int, ...]) -> None:
    grown = set(ids(payload))
    for length in whole_messages:
        assert set(ids(payload[:length])) <= grown


def test_equal_messages_are_numbered_and_another_exchange_s_are_not_renumbered_by_dropping() -> None:
    def exchange(prompt: str) -> list[Any]:
        turn = [assistant(used("call_0")), user(got("call_0"))]
        return [user(prompt), *turn, *turn, assistant("Done.")]

    payload = [*exchange("Go."), *exchange("On."), user("On.")]
    before = ids(payload)
    assert len(set(before)) == len(before)
    assert before[3] == f"{before[1]}#2"
    assert before[12] == f"{before[6]}#2"
    conversation = open_messages(payload)
    pruned = conversation.rebuild(conversation.render(View(dropped={1, 2, 3, 4}, inserted={0: [BLOCK]})))
    assert ids(pruned) == [before[0], *before[5:]]


def test_a_noted_orphan_changes_no_other_message_s_id_and_no_prompt() -> None:
    payload = [user("Go."), assistant("a"), user(got("zz", "late")), assistant("b"), user("On."), assistant("c")]
    conversation = open_messages(payload)
    pruned = conversation.rebuild(
        conversation.render(View(notes={Place(2, 0): "[left out t1: result has no call]"}))
    )
    noted = open_messages(pruned)
    assert [(m.id, m.prompt) for m in noted.messages] == [(m.id, m.prompt) for m in conversation.messages]


def test_text_of_others_that_looks_like_ours_still_makes_different_ids() -> None:
    payload = [user(BLOCK), assistant("a"), user(BLOCK + "2"), assistant("b"), user(said("[left out t1"))]
    assert len({id.split("#")[0] for id in ids(payload)}) == 5


def test_each_entry_of_a_message_has_an_id_of_its_own() -> None:
    for payload in (CHAT, RESPONSES, [None, *ANTHROPIC, None]):
        entries = open_messages(payload, None).entries
        assert [entry.index for entry in entries] == list(range(len(payload)))
        assert len({entry.id for entry in entries}) == len(entries)
        assert all(entry.offset == -1 for entry in entries)
