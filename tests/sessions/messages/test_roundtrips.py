"""Random and recorded arrays: nothing changes without an edit, and edits leave valid arrays."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from prune_mcp.pruning.exchanges import exchanges
from prune_mcp.pruning.pairing import pair
from prune_mcp.sessions.messages.open import MessageConversation, open_messages
from prune_mcp.sessions.view import View
from tests.arrays import FORMATS, array
from tests.conversations import conversations
from tests.validity import check_anthropic, check_openai_chat, check_openai_responses

pytestmark = pytest.mark.requirement("SES-MESSAGES")

CHECKS = {
    "anthropic": check_anthropic,
    "openai-chat": check_openai_chat,
    "openai-responses": check_openai_responses,
}
each_format = pytest.mark.parametrize("format", list(FORMATS))


@st.composite
def views(draw: st.DrawFn, conversation: MessageConversation) -> View:
    """A view as pruning makes them: closed spans dropped, orphans noted, stubs, purged arguments, no thinking."""
    view = View()
    for number, exchange in enumerate(exchanges(conversation.messages)):
        if exchange.final is not None and draw(st.booleans()):
            inside = range(exchange.start + 1, exchange.final)
            view.dropped |= {i for i in inside if conversation.messages[i].role != "system"}
            view.inserted[exchange.start] = [f'<compressed-chain id="b9{number}" tools="t1">x</compressed-chain>']
    pairing = pair(conversation.messages, conversation.format, view.dropped)
    view.notes = {block.place: f"[left out t9: {block.kind}]" for _, block in [*pairing.calls, *pairing.results]}
    for place, call in pairing.call_of.items():
        if draw(st.booleans()):
            view.texts[place] = "[pruned t1]"
        if draw(st.integers(0, 3)) == 0:
            view.arguments[call.place] = {"path": "<cut>"}
    if draw(st.booleans()):
        view.stripped = {b.place for m in conversation.messages for b in m.blocks if b.kind == "thinking"}
    return view


@each_format
@settings(max_examples=50)
@given(data=st.data())
def test_a_view_without_edits_gives_the_very_same_objects(format: str, data: st.DataObject) -> None:
    messages = data.draw(conversations(format, valid_only=False))
    conversation = open_messages(messages, format)
    rendered = list(conversation.render(View()))
    assert all(a is b for a, b in zip(rendered, messages, strict=True))
    assert conversation.rebuild(rendered) == messages


@each_format
@settings(max_examples=50)
@given(data=st.data())
def test_edits_leave_a_valid_array_a_valid_array(format: str, data: st.DataObject) -> None:
    messages = data.draw(conversations(format, valid_only=True))
    before = copy.deepcopy(messages)
    conversation = open_messages(messages, format)
    pruned = list(conversation.render(data.draw(views(conversation))))
    assert messages == before
    assert CHECKS[format](pruned) == []
    assert open_messages(pruned, format).session == conversation.session


@each_format
@settings(max_examples=50)
@given(data=st.data())
def test_notes_make_calls_and_results_pair_up(format: str, data: st.DataObject) -> None:
    messages = data.draw(conversations(format, valid_only=False))
    conversation = open_messages(messages, format)
    pruned = list(conversation.render(data.draw(views(conversation))))
    assert [p for p in CHECKS[format](pruned) if not p.startswith(("content", "shape"))] == []


@each_format
@settings(max_examples=50)
@given(data=st.data())
def test_every_block_is_measured_as_it_reads(format: str, data: st.DataObject) -> None:
    conversation = open_messages(data.draw(conversations(format, valid_only=False)), format)
    for message in conversation.messages:
        for block in message.blocks:
            text = conversation.text(block) + block.tool * (block.kind == "call")
            assert (block.size, block.chars) == (len(text.encode("utf-8", "surrogatepass")), len(text))
            assert len(conversation.images(block)) == block.images


@each_format
def test_recorded_sessions_come_back_equal_from_each_format(format: str, shared_sessions: Path) -> None:
    for path in sorted(shared_sessions.glob("home/.*/**/*.jsonl")):
        if ".codex" not in path.parts:
            messages = array(path, format)
            assert CHECKS[format](messages) == []
            conversation = open_messages(messages)
            assert conversation.rebuild(conversation.render(View())) == messages
            assert conversation.format in (format, "anthropic")


def test_recorded_request_bodies_come_back_equal_but_for_the_edits(shared_sessions: Path) -> None:
    bodies = sorted(shared_sessions.glob("messages/anthropic/*.json"))
    assert bodies
    for path in bodies:
        body: Any = json.loads(path.read_bytes())
        conversation = open_messages(body)
        assert conversation.format == "anthropic"
        assert conversation.rebuild(conversation.render(View())) == body
        results = conversation.archive()
        view = View(texts={block.place: "short" for block in results})
        pruned: Any = conversation.rebuild(conversation.render(view))
        assert check_anthropic(pruned["messages"]) == []
        assert {**pruned, "messages": body["messages"]} == body
        assert [open_messages(pruned).text(b) for b in open_messages(pruned).archive()] == ["short"] * len(results)
