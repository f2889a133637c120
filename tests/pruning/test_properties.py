"""What holds for any conversation: valid, idempotent, nothing lost, nothing passed off as ours."""

from __future__ import annotations

import copy
import json
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from prune_mcp.engine.answers import PruneAnswer
from prune_mcp.engine.engine import Engine
from prune_mcp.engine.settings import Settings
from prune_mcp.pruning.options import ChainOptions, ErrorOptions, OpenChainOptions, PruneOptions
from tests import validity
from tests.conversations import conversations

FORMATS = ("anthropic", "openai-chat", "openai-responses")
CHECKS: dict[str, Callable[[Any], list[str]]] = {
    "anthropic": validity.check_anthropic,
    "openai-chat": validity.check_openai_chat,
    "openai-responses": validity.check_openai_responses,
}
Array = list[dict[str, Any]]


def options() -> st.SearchStrategy[PruneOptions]:
    """Settings that make every phase bite on small conversations."""
    return st.builds(
        PruneOptions,
        keep_turns=st.integers(0, 3),
        min_batch_chars=st.sampled_from([0, 300, 1000]),
        batching_mode=st.sampled_from(["turn", "agent-message"]),
        recovery_grace_turns=st.integers(0, 2),
        protected_tools=st.sampled_from([(), ("Read",), ("Bash",)]),
        spill_threshold=st.sampled_from([500, 3000, 65_536]),
        thinking=st.sampled_from(["keep", "strip"]),
        chain_compression=st.builds(ChainOptions, rolling_window=st.integers(0, 2)),
        open_chain=st.builds(
            OpenChainOptions, keep_turns=st.integers(1, 3), min_tokens=st.sampled_from([50, 500])
        ),
        purge_errors=st.builds(
            ErrorOptions, cooldown_turns=st.integers(0, 2), min_arg_chars=st.sampled_from([50, 500])
        ),
    )


@contextmanager
def engines(chosen: PruneOptions) -> Iterator[Callable[[], Engine]]:
    """Engines on one scratch store: each call gives a new one, as after a restart."""
    made: list[Engine] = []
    with tempfile.TemporaryDirectory() as folder:

        def make() -> Engine:
            made.append(Engine({"PRUNE_MCP_HOME": folder}, settings=Settings(prune=chosen)))
            return made[-1]

        yield make
        for engine in made:
            engine.close()


def case(format: str, valid_only: bool) -> st.SearchStrategy[tuple[Array, PruneOptions]]:
    return st.tuples(conversations(format, valid_only=valid_only), options())


@pytest.mark.requirement("PRU-VALID", "PRU-IDEM", "PRU-ORPHAN")
@pytest.mark.parametrize("format", FORMATS)
@settings(max_examples=30)
@given(data=st.data())
def test_a_valid_array_stays_valid_and_pruning_twice_is_pruning_once(format: str, data: st.DataObject) -> None:
    messages, chosen = data.draw(case(format, True))
    before = copy.deepcopy(messages)
    assert CHECKS[format](messages) == []
    with engines(chosen) as make:
        once = make().prune_messages(messages, format=format)
        assert messages == before
        assert CHECKS[format](once.messages) == []
        assert once.tokens_after <= once.tokens_before
        again = make().prune_messages(messages, format=format)
        assert dumped(again.messages) == dumped(once.messages)
        twice = make().prune_messages(once.messages, format=format)
        assert twice.session == once.session
        assert dumped(twice.messages) == dumped(once.messages)


@pytest.mark.requirement("PRU-ORPHAN", "PRU-VALID")
@pytest.mark.parametrize("format", FORMATS)
@settings(max_examples=30)
@given(data=st.data())
def test_no_orphan_leaves_us_whatever_comes_in(format: str, data: st.DataObject) -> None:
    messages, chosen = data.draw(case(format, False))
    with engines(chosen) as make:
        once = make().prune_messages(messages, format=format)
        sent = answered(format, once.messages)
        assert [p for p in CHECKS[format](sent) if p.startswith("pairing")] == []
        twice = make().prune_messages(once.messages, format=format)
        assert dumped(twice.messages) == dumped(once.messages)


@pytest.mark.requirement("PRU-RECOVER", "PRU-FENCE")
@pytest.mark.parametrize("format", FORMATS)
@settings(max_examples=30)
@given(data=st.data())
def test_whatever_a_view_leaves_out_its_refs_bring_back(format: str, data: st.DataObject) -> None:
    messages, chosen = data.draw(case(format, False))
    with engines(chosen) as make:
        engine = make()
        answer = engine.prune_messages(messages, format=format)
        view = dumped(answer.messages)
        missing = [text for text in said(messages) if inner(text) not in view]
        kept = recovered(make(), answer)
        assert [text for text in missing if not any(text in whole for whole in kept)] == []


def answered(format: str, messages: Array) -> Array:
    """The messages as they are sent once the calls of the newest turn that still wait have their results."""
    if format == "openai-responses":
        return messages + _waiting_items(messages)
    start = max((i for i, m in enumerate(messages) if m["role"] == "assistant"), default=0)
    tail = messages[start + 1 :]
    if any(m["role"] == "user" and not _results(m) for m in tail):
        return messages
    done = {id for m in tail for id in _results(m)}
    missing = [id for id in _asked(messages[start]) if id not in done] if messages else []
    if format == "openai-chat":
        return messages + [{"role": "tool", "tool_call_id": id, "content": "ok"} for id in missing]
    parts = [{"type": "tool_result", "tool_use_id": id, "content": "ok"} for id in missing]
    if not parts:
        return messages
    if tail and tail[-1]["role"] == "user":
        return [*messages[:-1], {**tail[-1], "content": [*tail[-1]["content"], *parts]}]
    return [*messages, {"role": "user", "content": parts}]


def _waiting_items(items: Array) -> Array:
    start = max((i for i, item in enumerate(items) if item.get("role") == "user"), default=-1) + 1
    done = [item["call_id"] for item in items[start:] if str(item.get("type")).endswith("_output")]
    asked = [item["call_id"] for item in items[start:] if item.get("type") == "function_call"]
    missing = list(asked)
    for id in done:
        if id in missing:
            missing.remove(id)
    return [{"type": "function_call_output", "call_id": id, "output": "ok"} for id in missing]


def _asked(message: dict[str, Any]) -> list[str]:
    parts = message["content"] if isinstance(message.get("content"), list) else []
    return [call["id"] for call in message.get("tool_calls") or []] + [
        part["id"] for part in parts if part["type"] == "tool_use"
    ]


def _results(message: dict[str, Any]) -> list[str]:
    if message["role"] == "tool":
        return [message["tool_call_id"]]
    parts = message["content"] if isinstance(message.get("content"), list) else []
    return [part["tool_use_id"] for part in parts if part["type"] == "tool_result"]


def recovered(engine: Engine, answer: PruneAnswer) -> list[str]:
    """The texts behind every ref of the view; of arguments also each string in them."""
    found: list[str] = []
    for ref in answer.refs:
        for item in engine.recover([ref], session=answer.session, budget=10**9).items:
            found.append(item.text)
            if ref.endswith(":args") or ref.startswith("b"):
                found.extend(strings_in_lines(item.text))
    return found


def strings_in_lines(text: str) -> list[str]:
    """Strings of JSON values that stand on lines of their own, and the text itself."""
    found = []
    for line in text.split("\n"):
        if line.startswith(("{", "[", '"')):
            try:
                found.extend(strings(json.loads(line)))
            except ValueError:
                continue
    return found


def said(messages: Array) -> list[str]:
    """Every string that the model sees: texts, thinking, arguments, results; structure and ids aside."""
    return [text for message in messages for text in _said(message)]


def _said(message: dict[str, Any]) -> list[str]:
    if message.get("type") in ("function_call", "custom_tool_call"):
        return [message.get("arguments") or message.get("input") or ""]
    found = _content(message.get("content", message.get("output")))
    for call in message.get("tool_calls") or []:
        found.append(call["function"]["arguments"])
    return found


def _content(content: Any) -> list[str]:
    if isinstance(content, str):
        return [content]
    found: list[str] = []
    for part in content if isinstance(content, list) else []:
        if part.get("type") == "tool_use":
            found.extend(strings(part["input"]))
        elif part.get("type") == "tool_result":
            found.extend(_content(part.get("content")))
        elif part.get("type") in ("text", "input_text", "output_text", "thinking"):
            found.append(part.get("text") or part.get("thinking") or "")
    return found


def strings(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    if isinstance(value, dict):
        return [text for item in value.values() for text in strings(item)]
    if isinstance(value, list):
        return [text for item in value for text in strings(item)]
    return []


def dumped(value: Any) -> str:
    return json.dumps(value, sort_keys=True)


def inner(text: str) -> str:
    """A text as it stands inside JSON."""
    return json.dumps(text)[1:-1]
