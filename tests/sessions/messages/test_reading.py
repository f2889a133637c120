"""What the messages and blocks of an array are."""

from __future__ import annotations

from typing import Any

import pytest

from prune_mcp.sessions.messages.open import MessageConversation, open_messages
from prune_mcp.sessions.model import Block, SessionError

pytestmark = pytest.mark.requirement("SES-MESSAGES")

ANTHROPIC: list[Any] = [
    {"role": "user", "content": "Read both."},
    {
        "role": "assistant",
        "content": [
            {"type": "thinking", "thinking": "First the one.", "signature": "sig"},
            {"type": "redacted_thinking", "data": "ZGF0YQ=="},
            {"type": "text", "text": "Reading."},
            {"type": "tool_use", "id": "c1", "name": "read", "input": {"path": "ä.py"}},
            {"type": "tool_use", "id": "c2", "name": "shot", "input": {}},
        ],
    },
    {
        "role": "user",
        "content": [
            {"type": "tool_result", "tool_use_id": "c1", "content": "body", "is_error": True},
            {
                "type": "tool_result",
                "tool_use_id": "c2",
                "content": [
                    {"type": "text", "text": "one"},
                    {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "QUJD"}},
                    {"type": "text", "text": "two"},
                    {"type": "image", "source": {"type": "url", "url": "https://example.com/a.png"}},
                ],
            },
            {"type": "text", "text": "And now?"},
        ],
    },
]
CHAT: list[Any] = [
    {"role": "system", "content": "Be brief."},
    {
        "role": "user",
        "content": [{"type": "text", "text": "Read both."}, {"type": "input_audio", "input_audio": {}}],
    },
    {
        "role": "assistant",
        "content": "Reading.",
        "reasoning_content": "First the one.",
        "tool_calls": [
            {"id": "c1", "type": "function", "function": {"name": "read", "arguments": '{"path": "ä.py"}'}},
            {"id": "c2", "type": "custom", "custom": {"name": "patch", "input": "*** Begin"}},
        ],
    },
    {"role": "tool", "tool_call_id": "c1", "content": "body"},
    {"role": "developer", "content": "Stay in the folder."},
    {
        "role": "tool",
        "tool_call_id": "c2",
        "content": [{"type": "text", "text": "one"}, {"type": "text", "text": "2"}],
    },
    {"role": "assistant", "content": "Both read.", "refusal": "No more."},
]
RESPONSES: list[Any] = [
    {"role": "user", "content": "Read both."},
    {"type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": "First the one."}]},
    {"type": "function_call", "id": "fc_1", "call_id": "c1", "name": "read", "arguments": '{"path": "ä.py"}'},
    {"type": "custom_tool_call", "call_id": "c2", "name": "patch", "input": "*** Begin"},
    {"type": "function_call_output", "call_id": "c1", "output": "body"},
    {
        "type": "custom_tool_call_output",
        "call_id": "c2",
        "output": [
            {"type": "input_text", "text": "one"},
            {"type": "input_image", "image_url": "data:image/png;base64,QUJD"},
        ],
    },
    {"type": "web_search_call", "id": "ws_1", "status": "completed"},
    {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Both read."}]},
]


def shape(conversation: MessageConversation) -> list[tuple[str, bool, list[str]]]:
    """Role, whether it is a prompt, and the kinds of the blocks, message by message."""
    return [(m.role, m.prompt, [b.kind for b in m.blocks]) for m in conversation.messages]


def first(conversation: MessageConversation, kind: str) -> Block:
    """The first block of a kind."""
    return next(b for m in conversation.messages for b in m.blocks if b.kind == kind)


def test_anthropic_content_becomes_blocks_in_order() -> None:
    conversation = open_messages(ANTHROPIC)
    assert shape(conversation) == [
        ("user", True, ["text"]),
        ("assistant", False, ["thinking", "thinking", "text", "call", "call"]),
        ("user", False, ["result", "result", "text"]),
    ]
    thoughts = conversation.messages[1].blocks[:2]
    assert [block.signed for block in thoughts] == [True, True]
    assert [conversation.text(block) for block in thoughts] == ["First the one.", "ZGF0YQ=="]


def test_chat_calls_and_reasoning_stand_beside_the_content_and_tool_messages_are_one_user_message() -> None:
    conversation = open_messages(CHAT)
    assert shape(conversation) == [
        ("system", False, ["text"]),
        ("user", True, ["text", "other"]),
        ("assistant", False, ["text", "call", "call", "thinking"]),
        ("user", False, ["result", "result"]),
        ("system", False, ["text"]),
        ("assistant", False, ["text", "other"]),
    ]
    assert not first(conversation, "thinking").signed


def test_consecutive_responses_items_of_one_side_are_one_message() -> None:
    conversation = open_messages(RESPONSES)
    assert shape(conversation) == [
        ("user", True, ["text"]),
        ("assistant", False, ["thinking", "call", "call"]),
        ("user", False, ["result", "result"]),
        ("assistant", False, ["other", "text"]),
    ]
    assert conversation.text(first(conversation, "thinking")) == "First the one."
    assert not first(conversation, "thinking").signed


@pytest.mark.parametrize("messages", [ANTHROPIC, CHAT, RESPONSES], ids=["anthropic", "chat", "responses"])
def test_calls_and_results_know_their_id_their_tool_and_their_size(messages: list[Any]) -> None:
    conversation = open_messages(messages)
    call = first(conversation, "call")
    assert (call.call_id, call.tool) == ("c1", "read")
    assert conversation.arguments(call) == {"path": "ä.py"}
    assert call.chars == len("read") + len(conversation.text(call))
    assert call.size == call.chars + 1
    results = conversation.archive()
    assert (results[0].call_id, conversation.text(results[0])) == ("c1", "body")
    assert results[0].tool == "read"
    assert results == [b for m in conversation.messages for b in m.results]
    assert conversation.archive(1) == results[1:]


def test_a_result_is_its_texts_by_line_and_images_at_hand_come_apart_from_those_behind_a_url() -> None:
    conversation = open_messages(ANTHROPIC)
    failed, mixed = conversation.archive()
    assert (failed.error, mixed.error) == (True, False)
    assert conversation.text(mixed).split("\n") == [
        "one",
        "two",
        '{"type":"image","source":{"type":"url","url":"https://example.com/a.png"}}',
    ]
    assert mixed.images == 2
    assert conversation.images(mixed) == [("image/png", "QUJD")]
    assert mixed.size == len(conversation.text(mixed).encode())


def test_images_are_found_in_data_urls() -> None:
    url = "data:image/png;base64,QUJD"
    chat = open_messages([{"role": "user", "content": [{"type": "image_url", "image_url": {"url": url}}]}])
    assert chat.images(first(chat, "image")) == [("image/png", "QUJD")]
    responses = open_messages(RESPONSES)
    assert responses.images(responses.archive()[1]) == [("image/png", "QUJD")]


def test_arguments_that_are_no_json_come_as_the_text_they_are() -> None:
    function = {"name": "read", "arguments": '{"path": "cut o'}
    messages = [{"role": "assistant", "tool_calls": [{"id": "c1", "type": "function", "function": function}]}]
    conversation = open_messages(messages)
    assert conversation.arguments(first(conversation, "call")) == '{"path": "cut o'
    custom = open_messages(CHAT)
    assert custom.arguments(custom.messages[2].calls[1]) == "*** Begin"


def test_arguments_with_lone_surrogates_and_huge_integers_are_read() -> None:
    function = {"name": "read", "arguments": '{"path": "\\ud83d", "line": 99999999999999999999}'}
    messages = [{"role": "assistant", "tool_calls": [{"id": "c1", "type": "function", "function": function}]}]
    conversation = open_messages(messages)
    assert conversation.arguments(first(conversation, "call")) == {"path": "\ud83d", "line": 99999999999999999999}
    anthropic = [
        {"role": "assistant", "content": [{"type": "tool_use", "id": "c", "name": "r", "input": {"a": "\ud83d"}}]}
    ]
    conversation = open_messages(anthropic)
    assert conversation.text(first(conversation, "call")) == '{"a":"\ud83d"}'


@pytest.mark.parametrize("content", [None, "", []], ids=["null", "empty", "no parts"])
def test_a_result_without_content_is_empty_text(content: Any) -> None:
    conversation = open_messages([{"role": "tool", "tool_call_id": "c1", "content": content}])
    assert conversation.text(conversation.archive()[0]) == ""
    missing = open_messages([{"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c1"}]}])
    assert missing.text(missing.archive()[0]) == ""


def test_what_is_no_text_in_a_result_stands_as_compact_json() -> None:
    document = {"type": "document", "source": {"type": "text", "data": "x"}}
    content = [{"type": "text", "text": "see"}, document, "bare"]
    conversation = open_messages(
        [{"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c1", "content": content}]}]
    )
    text = conversation.text(conversation.archive()[0])
    assert text == 'see\n{"type":"document","source":{"type":"text","data":"x"}}\nbare'


@pytest.mark.parametrize(
    ("output", "error"),
    [
        ("Error: no such file", True),
        ("Exit code 2\nmake failed", True),
        ("Exit code 0\nfine", False),
        ('{"success": false, "output": ""}', True),
        ('{"error": "denied"}', True),
        ('{"error": null, "success": true}', False),
        ('{"log": "\\"error\\": 1"}', False),
        ('{"error": broken', False),
        ("12 tests, no Error: here", False),
    ],
)
def test_openai_results_are_errors_only_on_their_face(output: str, error: bool) -> None:
    chat = open_messages([{"role": "tool", "tool_call_id": "c1", "content": output}])
    assert chat.archive()[0].error is error
    responses = open_messages([{"type": "function_call_output", "call_id": "c1", "output": output}])
    assert responses.archive()[0].error is error


def test_legacy_functions_pair_by_name() -> None:
    conversation = open_messages(
        [
            {"role": "user", "content": "Sum."},
            {"role": "assistant", "content": None, "function_call": {"name": "add", "arguments": "[1, 2]"}},
            {"role": "function", "name": "add", "content": "3"},
        ]
    )
    call, result = first(conversation, "call"), first(conversation, "result")
    assert (call.call_id, call.tool, conversation.arguments(call)) == ("add", "add", [1, 2])
    assert (result.call_id, result.tool) == ("add", "add")
    assert not conversation.messages[2].prompt


def test_a_reused_call_id_belongs_to_the_call_before_it() -> None:
    messages: list[Any] = [{"role": "user", "content": "Go."}]
    for tool in ("read", "bash"):
        call = {"id": "call_0", "type": "function", "function": {"name": tool, "arguments": "{}"}}
        messages += [{"role": "assistant", "tool_calls": [call]}]
        messages += [{"role": "tool", "tool_call_id": "call_0", "content": tool}]
    assert [block.tool for block in open_messages(messages).archive()] == ["read", "bash"]


def test_a_result_that_answers_no_open_call_is_a_message_of_its_own_behind_the_others() -> None:
    conversation = open_messages([*CHAT[:4], {"role": "tool", "tool_call_id": "zz", "content": "late"}, *CHAT[5:]])
    assert [(m.role, m.prompt, [b.call_id for b in m.results]) for m in conversation.messages[3:5]] == [
        ("user", False, ["c1", "c2"]),
        ("user", True, ["zz"]),
    ]


def test_computer_and_shell_items_stand_on_their_sides() -> None:
    conversation = open_messages(
        [
            {"type": "computer_call", "call_id": "c1", "action": {"type": "screenshot"}},
            {"type": "computer_call_output", "call_id": "c1", "output": {"type": "computer_screenshot"}},
            {"type": "shell_call", "call_id": "c2", "action": {"commands": ["ls"]}},
            {"type": "shell_call_output", "call_id": "c2", "output": [{"stdout": "a.py", "stderr": ""}]},
            {"type": "local_shell_call", "call_id": "c3", "action": {"command": ["ls"]}},
            {"type": "local_shell_call_output", "id": "c3", "output": "b.py"},
        ]
    )
    assert shape(conversation) == [
        ("assistant", False, ["other"]),
        ("user", False, ["other"]),
        ("assistant", False, ["call"]),
        ("user", False, ["result"]),
        ("assistant", False, ["call"]),
        ("user", False, ["result"]),
    ]
    assert [b.tool for b in conversation.archive()] == ["shell", "local_shell"]
    assert conversation.arguments(conversation.messages[2].calls[0]) == {"commands": ["ls"]}


def test_wrapped_outputs_are_read_inside() -> None:
    output = {"content": "no such file", "success": False}
    conversation = open_messages([{"type": "function_call_output", "call_id": "c1", "output": output}])
    block = conversation.archive()[0]
    assert (conversation.text(block), block.error) == ("no such file", True)


def test_the_raw_entry_is_the_very_object_and_a_string_input_is_a_user_message() -> None:
    conversation = open_messages(CHAT)
    assert all(conversation.raw(entry.index) is CHAT[entry.index] for entry in conversation.entries)
    body = {"model": "m", "input": "hello"}
    conversation = open_messages(body)
    assert conversation.raw(0) == {"role": "user", "content": "hello"}
    assert shape(conversation) == [("user", True, ["text"])]


@pytest.mark.parametrize(
    "odd", [5, True, {"text": 3}, [None], [3, "x", {"type": 7}], [[]], {"type": "text", "text": None}]
)
@pytest.mark.parametrize("role", ["user", "assistant", "tool", "system"])
@pytest.mark.parametrize("format", ["anthropic", "openai-chat", "openai-responses"])
def test_odd_content_never_ends_the_reading(odd: Any, role: str, format: str) -> None:
    messages = [{"role": role, "content": odd, "tool_calls": [None, {"function": None}], "tool_call_id": 5}]
    conversation = open_messages(messages, format)
    for message in conversation.messages:
        for block in message.blocks:
            assert block.size == len((conversation.text(block) + block.tool * (block.kind == "call")).encode())


def test_what_is_nested_too_deeply_is_refused_in_clear_words() -> None:
    value: Any = "\ud83d"
    for _ in range(100_000):
        value = [value]
    with pytest.raises(SessionError, match="nested too deeply"):
        open_messages(
            [{"role": "assistant", "content": [{"type": "tool_use", "id": "c", "name": "r", "input": value}]}]
        )
