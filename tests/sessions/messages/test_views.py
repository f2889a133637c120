"""What a view's edits do to an array, format by format."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from prune_mcp.sessions.messages.open import open_messages
from prune_mcp.sessions.model import Place
from prune_mcp.sessions.view import View
from tests.sessions.messages.test_reading import ANTHROPIC, CHAT, RESPONSES

pytestmark = pytest.mark.requirement("SES-MESSAGES")

JSON = dict[str, Any]
BLOCK = '<compressed-chain id="b1" tools="t1">short</compressed-chain>'
CACHE = {"type": "ephemeral"}


def said(text: str) -> JSON:
    """A text block."""
    return {"type": "text", "text": text}


def used(id: str, **arguments: Any) -> JSON:
    """An Anthropic call block."""
    return {"type": "tool_use", "id": id, "name": "read", "input": arguments}


def got(id: str, content: Any = "out") -> JSON:
    """An Anthropic result block."""
    return {"type": "tool_result", "tool_use_id": id, "content": content}


def asked(id: str, arguments: str = "{}") -> JSON:
    """A Chat call."""
    return {"id": id, "type": "function", "function": {"name": "read", "arguments": arguments}}


def user(*content: Any) -> JSON:
    """An Anthropic user message: a string, or blocks."""
    return {"role": "user", "content": content[0] if isinstance(content[0], str) else list(content)}


def assistant(*content: Any) -> JSON:
    """An Anthropic assistant message."""
    return {"role": "assistant", "content": content[0] if isinstance(content[0], str) else list(content)}


def render(payload: list[Any], view: View, format: str | None = None) -> list[Any]:
    """The rendered entries; what was passed in must not change."""
    before = copy.deepcopy(payload)
    rendered = list(open_messages(payload, format).render(view))
    assert payload == before
    return rendered


@pytest.mark.parametrize("payload", [ANTHROPIC, CHAT, RESPONSES], ids=["anthropic", "chat", "responses"])
def test_entries_without_edits_are_the_very_same_objects(payload: list[Any]) -> None:
    whole = render(payload, View())
    assert len(whole) == len(payload)
    assert all(a is b for a, b in zip(whole, payload, strict=True))
    edited = render(payload, View(inserted={len(open_messages(payload).messages) - 1: [BLOCK]}))
    assert all(a is b for a, b in zip(edited[:-1], payload[: len(edited) - 1], strict=True))


def test_a_result_s_text_is_replaced_in_the_shape_it_had_and_unknown_fields_stay() -> None:
    parts = [said("long"), {"type": "image", "source": {}, "cache_control": CACHE}]
    payload = [
        user("Go."),
        assistant(used("c1"), used("c2")),
        user(got("c1") | {"is_error": True, "x": 1, "cache_control": CACHE}, got("c2", parts)),
    ]
    rendered = render(payload, View(texts={Place(2, 0): "short", Place(2, 1): "brief"}))
    assert rendered[2]["content"] == [
        {
            "type": "tool_result",
            "tool_use_id": "c1",
            "content": "short",
            "is_error": True,
            "x": 1,
            "cache_control": CACHE,
        },
        got("c2", [{"type": "text", "text": "brief", "cache_control": CACHE}]),
    ]
    assert rendered[:2] == payload[:2]


def test_chat_results_are_replaced_as_string_or_parts() -> None:
    rendered = render(CHAT, View(texts={Place(3, -1): "short", Place(5, -1): "brief"}))
    assert rendered[3] == {"role": "tool", "tool_call_id": "c1", "content": "short"}
    assert rendered[5] == {"role": "tool", "tool_call_id": "c2", "content": [said("brief")]}


def test_responses_outputs_are_replaced_as_string_parts_wrapper_or_shell_chunks() -> None:
    shell = {"stdout": "a", "stderr": "b", "outcome": {"type": "exit", "exit_code": 1}}
    payload = [
        *RESPONSES[:6],
        {"type": "function_call_output", "call_id": "c3", "output": {"content": "a", "success": False}},
        {"type": "shell_call_output", "call_id": "c4", "output": [shell, shell]},
    ]
    places = [Place(4, -1), Place(5, -1), Place(6, -1), Place(7, -1)]
    rendered = render(payload, View(texts=dict.fromkeys(places, "short")))
    assert [entry["output"] for entry in rendered[4:]] == [
        "short",
        [{"type": "input_text", "text": "short"}],
        {"content": "short", "success": False},
        [{"stdout": "short", "stderr": "", "outcome": {"type": "exit", "exit_code": 1}}],
    ]


def test_missing_content_becomes_a_string() -> None:
    bare = {"type": "tool_result", "tool_use_id": "c1"}
    rendered = render([user("Go."), assistant(used("c1")), user(bare)], View(texts={Place(2, 0): "short"}))
    assert rendered[2]["content"] == [{**bare, "content": "short"}]


def test_arguments_are_replaced_as_object_or_json_string() -> None:
    payload = [user("Go."), assistant(said("a"), used("c1", path="long") | {"x": 1})]
    rendered = render(payload, View(arguments={Place(1, 1): {"path": "<cut>"}}))
    assert rendered[1]["content"][1] == used("c1", path="<cut>") | {"x": 1}
    chat = render(CHAT, View(arguments={Place(2, 0): {"path": "ä"}, Place(2, 1): "cut"}))
    assert chat[2]["tool_calls"] == [
        asked("c1", '{"path":"ä"}'),
        {"id": "c2", "type": "custom", "custom": {"name": "patch", "input": "cut"}},
    ]
    assert {key: chat[2][key] for key in ("content", "reasoning_content")} == {
        "content": "Reading.",
        "reasoning_content": "First the one.",
    }
    responses = render(RESPONSES, View(arguments={Place(2, -1): {"path": "ä"}, Place(3, -1): "cut"}))
    assert responses[2] == RESPONSES[2] | {"arguments": '{"path":"ä"}'}
    assert responses[3] == RESPONSES[3] | {"input": "cut"}


def test_anthropic_orphans_become_text_behind_the_results_and_keep_their_cache_mark() -> None:
    payload = [
        user("Go."),
        assistant(said("a"), used("c1"), used("c2")),
        user(got("zz") | {"cache_control": CACHE}, got("c1"), said("And?")),
    ]
    view = View(notes={Place(1, 2): "call c2", Place(2, 0): "result zz"})
    assert render(payload, view)[1:] == [
        assistant(said("a"), used("c1"), said("call c2")),
        user(got("c1"), said("result zz") | {"cache_control": CACHE}, said("And?")),
    ]


def test_chat_orphans_become_text_of_the_message_or_a_user_message_behind_the_run() -> None:
    payload = [
        {"role": "user", "content": "Go."},
        {"role": "assistant", "content": None, "tool_calls": [asked("c1"), asked("c2")], "name": "a"},
        {"role": "tool", "tool_call_id": "zz", "content": "stray"},
        {"role": "system", "content": "Be brief."},
        {"role": "tool", "tool_call_id": "c1", "content": "out"},
        {"role": "assistant", "content": [said("Done.")], "tool_calls": [asked("c3")]},
    ]
    view = View(notes={Place(1, 1): "call c2", Place(2, -1): "result zz", Place(5, 1): "call c3"})
    assert render(payload, view) == [
        payload[0],
        {"role": "assistant", "content": "call c2", "tool_calls": [asked("c1")], "name": "a"},
        payload[3],
        payload[4],
        {"role": "user", "content": "result zz"},
        {"role": "assistant", "content": [said("Done."), said("call c3")]},
    ]


def test_a_legacy_function_call_becomes_text_too() -> None:
    payload = [
        {"role": "user", "content": "Go."},
        {"role": "assistant", "content": "Wait.", "function_call": {"name": "add", "arguments": "{}"}},
    ]
    assert render(payload, View(notes={Place(1, 0): "call add"}))[1] == {
        "role": "assistant",
        "content": "Wait.\ncall add",
    }


def test_responses_orphans_become_message_items_behind_their_side() -> None:
    payload = [
        *RESPONSES[:4],
        {"type": "function_call_output", "call_id": "zz", "output": "stray"},
        RESPONSES[5],
        *RESPONSES[6:],
    ]
    view = View(notes={Place(2, -1): "call c1", Place(4, -1): "result zz"})
    assert render(payload, view) == [
        *payload[:2],
        payload[3],
        {"type": "message", "role": "assistant", "content": "call c1"},
        payload[5],
        {"type": "message", "role": "user", "content": "result zz"},
        *payload[6:],
    ]


def test_reasoning_leaves_together_with_the_only_calls_it_led_to() -> None:
    payload = [*RESPONSES[:4], *RESPONSES[6:]]
    view = View(notes={Place(2, -1): "call c1", Place(3, -1): "call c2"})
    assert [entry.get("type", "message") for entry in render(payload, view)] == [
        "message",
        "web_search_call",
        "message",
        "message",
        "message",
    ]


@pytest.mark.parametrize("payload", [ANTHROPIC, CHAT, RESPONSES], ids=["anthropic", "chat", "responses"])
def test_an_empty_orphan_is_left_out(payload: list[Any]) -> None:
    conversation = open_messages(payload)
    gone = conversation.archive()[0]
    rest = open_messages(render(payload, View(stripped={gone.place})))
    assert [b.call_id for b in rest.archive()] == ["c2"]


def test_thinking_is_left_out_and_an_assistant_message_never_becomes_empty() -> None:
    thought = {"type": "thinking", "thinking": "hm", "signature": "s"}
    payload = [user("Go."), assistant(thought, said("a")), user("On."), assistant(thought)]
    rendered = render(payload, View(stripped={Place(1, 0), Place(3, 0)}))
    assert rendered[1] == assistant(said("a"))
    assert rendered[3] == assistant(said("[thinking]"))
    chat = [{"role": "assistant", "content": None, "reasoning_content": "hm"}, CHAT[2]]
    rendered = render(chat, View(stripped={Place(0, 0), Place(1, 2)}))
    assert rendered[0] == {"role": "assistant", "content": "[thinking]"}
    assert rendered[1] == {key: value for key, value in CHAT[2].items() if key != "reasoning_content"}
    parts = [
        {"role": "assistant", "content": [{"type": "thinking", "thinking": "hm"}], "tool_calls": [asked("c1")]}
    ]
    rendered = render(parts, View(stripped={Place(0, 0)}))
    assert rendered == [{"role": "assistant", "content": None, "tool_calls": [asked("c1")]}]
    assert len(render(RESPONSES, View(stripped={Place(1, -1)}))) == len(RESPONSES) - 1


def test_text_after_an_anthropic_user_message_joins_it() -> None:
    payload = [user("Go."), assistant(said("a")), user(said("On.")), assistant("b")]
    assert render(payload, View(inserted={0: [BLOCK, "two"], 2: ["three"]})) == [
        user(said("Go."), said(BLOCK), said("two")),
        payload[1],
        user(said("On."), said("three")),
        payload[3],
    ]


def test_text_after_an_anthropic_assistant_message_joins_the_next_user_message_behind_its_results() -> None:
    payload = [user("Go."), assistant(used("c1")), user(got("c1"), said("On.")), assistant("b")]
    assert render(payload, View(inserted={-1: ["zero"], 1: ["one"], 3: ["three"]})) == [
        user(said("zero"), said("Go.")),
        payload[1],
        user(got("c1"), said("one"), said("On.")),
        payload[3],
        user(said("three")),
    ]


def test_an_empty_string_makes_no_empty_text_block() -> None:
    assert render([user(""), assistant("a")], View(inserted={0: ["one"]}), "anthropic")[0] == user(said("one"))


def test_dropping_joins_anthropic_neighbours_of_one_role_and_only_those() -> None:
    payload = [user("Go."), user("Now."), assistant("a"), user("On."), assistant("b"), assistant("c")]
    assert render(payload, View(dropped={2})) == [
        payload[0],
        user(said("Now."), said("On.")),
        payload[4],
        payload[5],
    ]
    assert render(payload, View(dropped={3})) == [
        payload[0],
        payload[1],
        assistant(said("a"), said("b")),
        payload[5],
    ]


def test_a_dropped_span_leaves_the_prompt_the_block_and_the_answer() -> None:
    span = [assistant(used("c1")), user(got("c1"))]
    payload = [user("Go."), *span, assistant("Done."), user("On.")]
    assert render(payload, View(dropped={1, 2}, inserted={0: [BLOCK]})) == [
        user(said("Go."), said(BLOCK)),
        payload[3],
        payload[4],
    ]
    chat = [*CHAT, {"role": "user", "content": "On."}]
    view = View(dropped={2, 3}, inserted={1: [BLOCK]})
    assert render(chat, view) == [
        CHAT[0],
        CHAT[1],
        {"role": "user", "content": BLOCK},
        CHAT[4],
        *CHAT[6:],
        chat[-1],
    ]
    view = View(dropped={1, 2}, inserted={0: [BLOCK]})
    block = {"type": "message", "role": "user", "content": BLOCK}
    assert render(RESPONSES, view) == [RESPONSES[0], block, *RESPONSES[6:]]


def test_openai_insertions_never_part_a_call_from_its_results() -> None:
    rendered = render(CHAT, View(inserted={-1: ["zero"], 2: ["one"]}))
    assert [entry["role"] for entry in rendered] == [
        "user",
        *("system", "user", "assistant", "tool", "developer", "tool"),
        *("user", "assistant"),
    ]


def test_a_body_comes_back_with_only_its_messages_replaced() -> None:
    body = {"model": "m", "messages": ANTHROPIC, "max_tokens": 5, "x": {"y": 1}}
    conversation = open_messages(body)
    view = View(texts={conversation.archive()[0].place: "short"})
    rebuilt = conversation.rebuild(conversation.render(view))
    assert isinstance(rebuilt, dict)
    assert list(rebuilt) == list(body)
    assert {**rebuilt, "messages": ANTHROPIC} == body
    assert rebuilt["messages"][2]["content"][0]["content"] == "short"


def test_a_string_input_comes_back_as_a_string_unless_something_is_added() -> None:
    body = {"model": "m", "input": "hello"}
    conversation = open_messages(body)
    assert conversation.rebuild(conversation.render(View())) == body
    rebuilt = conversation.rebuild(conversation.render(View(inserted={0: ["more"]})))
    assert rebuilt == {
        "model": "m",
        "input": [{"role": "user", "content": "hello"}, {"type": "message", "role": "user", "content": "more"}],
    }
