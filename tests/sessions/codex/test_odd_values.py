"""Whatever stands where, a rollout is read: a field of another type costs at most itself."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from prune_mcp.sessions.transcript import open_transcript
from prune_mcp.sessions.view import View
from tests.sessions.codex.telling import spoken
from tests.sessions.codex.writing import Rollout

pytestmark = pytest.mark.requirement("SES-CODEX", "SES-DAMAGE")

KINDS = [
    "session_meta",
    "turn_context",
    "response_item",
    "event_msg",
    "compacted",
    "inter_agent_communication",
    "new",
]
TYPES = [
    "message", "reasoning", "function_call", "function_call_output", "custom_tool_call", "custom_tool_call_output",
    "local_shell_call", "web_search_call", "tool_search_call", "tool_search_output", "image_generation_call",
    "agent_message", "compaction", "ghost_snapshot", "additional_tools", "user_message", "agent_reasoning",
    "exec_command_end", "patch_apply_end", "mcp_tool_call_end", "web_search_end", "dynamic_tool_call_response",
    "item_completed", "exited_review_mode", "thread_goal_updated", "thread_name_updated", "thread_rolled_back",
    "task_started", "task_complete", "turn_aborted", "error", "image_generation_end",
]  # fmt: skip
FIELDS = [
    "id", "role", "content", "summary", "name", "namespace", "arguments", "input", "call_id", "output",
    "action", "tools", "message", "text", "item", "turn_id", "num_turns", "goal", "review_output",
    "invocation", "result", "changes", "command", "aggregated_output", "exit_code", "success",
    "replacement_history", "history_base", "source", "forked_from_id", "parent_thread_id", "thread_name",
    "query", "results", "content_items", "encrypted_content", "cwd", "status", "revised_prompt",
    "last_agent_message",
]  # fmt: skip

scalars = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | st.sampled_from(["", "x", "{}", *TYPES])
)
values = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["type", *FIELDS]), inner, max_size=4)
    ),
    max_leaves=8,
)
payloads = st.dictionaries(st.sampled_from(FIELDS), values, max_size=6).flatmap(
    lambda fields: (st.sampled_from(TYPES) | values).map(lambda kind: {**fields, "type": kind})
)
lines = st.lists(st.tuples(st.sampled_from(KINDS), payloads, values), min_size=1, max_size=6)


@settings(max_examples=200)
@given(lines, st.booleans())
def test_every_rollout_is_read_and_told(
    tmp_path_factory: pytest.TempPathFactory, lines: list[tuple[str, dict[str, Any], Any]], bare: bool
) -> None:
    rollout = Rollout(tmp_path_factory.mktemp("odd") / "rollout-odd.jsonl", bare=bare)
    for kind, payload, time in lines:
        rollout.raw(payload if bare else {"timestamp": time, "type": kind, "payload": payload})
    rollout.event("task_complete")
    rollout.prompt("a needle at the end")
    assert [text for _, text in spoken(rollout.path) if "needle" in text] == ["a needle at the end"]
    conversation = open_transcript(rollout.path)
    for message in conversation.messages:
        for block in message.blocks:
            conversation.text(block)
            conversation.images(block)
            if block.kind == "call":
                conversation.arguments(block)
    assert conversation.text(conversation.messages[-1].blocks[0]) == "a needle at the end"
    places = {block.place: "[stub]" for block in conversation.archive()}
    assert list(conversation.render(View(texts=places)))
    assert list(conversation.render(View(dropped={0}, inserted={0: ["between"]})))
