"""Lines of any kind: whatever stands in a file, the good lines are told and nothing fails."""

from __future__ import annotations

import json
from dataclasses import astuple
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prune_mcp.sessions.passage import SPEAKERS
from tests.sessions.history.told import history
from tests.sessions.transcripts.writing import SESSION

pytestmark = pytest.mark.requirement("SES-DAMAGE", "HIS-FIND")

WORDS = st.sampled_from(
    (
        *("user", "assistant", "system", "attachment", "progress", "summary", "queue-operation", "ai-title"),
        *(
            "message",
            "compaction",
            "branch_summary",
            "custom_message",
            "context_edit",
            "session_info",
            "toolResult",
        ),
        *(
            "bashExecution",
            "text",
            "thinking",
            "tool_use",
            "tool_result",
            "toolCall",
            "image",
            "document",
            "other",
        ),
        *("a", "b", "c", "", "\ud800", "compact_boundary", "local_command", "away_summary", "queued_command"),
        *("enqueue", "bash_progress", "agent_progress", "server_tool_use", "web_search_tool_result", "custom"),
        *(
            "<command-name>/x</command-name>",
            "<system-reminder>r</system-reminder> w",
            "<persisted-output> saved to: x",
        ),
        *("2026-01-01T00:00:00Z", "0000-00-00T99:99:99", "../../etc/passwd", "agent-x"),
    )
)
KEYS = st.sampled_from(
    (
        *(
            "type",
            "uuid",
            "parentUuid",
            "message",
            "content",
            "role",
            "id",
            "parentId",
            "text",
            "thinking",
            "input",
        ),
        *("name", "attachment", "prompt", "data", "operation", "subtype", "isMeta", "isSidechain", "timestamp"),
        *(
            "tool_use_id",
            "source",
            "summary",
            "leafUuid",
            "toolUseResult",
            "persistedOutputPath",
            "stdout",
            "origin",
        ),
        *("agentId", "parentToolUseID", "fullOutput", "logicalParentUuid", "compactMetadata", "isCompactSummary"),
        *("arguments", "toolCallId", "command", "output", "replacement", "targetId", "firstKeptEntryId", "error"),
        *("customType", "model", "stop_reason", "hookErrors", "parentSession", "aiTitle", "kind", "cwd", "label"),
    )
)
VALUES = st.recursive(
    st.one_of(WORDS, st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False)),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(KEYS, inner, max_size=5)),
    max_leaves=12,
)
ID = st.sampled_from(("a", "b", "c", "d", 7, None, "\ud800"))
PARTS = st.fixed_dictionaries(
    {"type": WORDS},
    optional={
        **dict.fromkeys(
            ("text", "thinking", "input", "name", "content", "arguments", "source", "is_error"), VALUES
        ),
        **dict.fromkeys(("id", "tool_use_id", "toolCallId"), ID),
    },
)
CONTENTS = st.one_of(VALUES, PARTS, st.lists(PARTS, max_size=3))
MESSAGES = st.fixed_dictionaries(
    {"role": WORDS, "content": CONTENTS},
    optional=dict.fromkeys(
        ("id", "stopReason", "toolCallId", "command", "output", "errorMessage", "model"), WORDS
    ),
)
ENTRIES = st.fixed_dictionaries(
    {"type": WORDS},
    optional={
        **dict.fromkeys(
            ("uuid", "parentUuid", "id", "parentId", "sessionId", "targetId", "logicalParentUuid"), ID
        ),
        **dict.fromkeys(("content", "summary", "replacement", "data", "attachment", "toolUseResult"), CONTENTS),
        **dict.fromkeys(("isMeta", "isSidechain", "isCompactSummary", "subtype", "name", "timestamp"), VALUES),
        "message": st.one_of(MESSAGES, VALUES),
    },
)
LINES = st.one_of(
    ENTRIES.map(lambda line: json.dumps(line).encode()),
    st.dictionaries(KEYS, VALUES, max_size=9).map(lambda line: json.dumps(line).encode()),
    VALUES.map(lambda line: json.dumps(line).encode()),
    st.binary(max_size=40),
)
HEADERS = {
    "claude": {"type": "user", "sessionId": SESSION, "message": {"role": "user", "content": "a needle"}},
    "pi": {"type": "session", "id": SESSION, "cwd": "/home/user"},
}


@pytest.mark.parametrize("host", HEADERS)
@given(lines=st.lists(LINES, max_size=12), cut=st.floats(0, 1))
def test_no_line_stops_a_reading(
    tmp_path_factory: pytest.TempPathFactory, host: str, lines: list[bytes], cut: float
) -> None:
    path = tmp_path_factory.mktemp(host) / "s.jsonl"
    needle = {"type": "message", "id": "n", "message": {"role": "user", "content": "a needle"}}
    head, end = json.dumps(HEADERS[host]).encode(), json.dumps(HEADERS["claude"] if host == "claude" else needle)
    data = b"\n".join([head, *lines, end.encode(), b""])
    start = len(head) + 1 + int(cut * (len(data) - len(head) - 1))
    path.write_bytes(data[:start])
    first = history(path)
    kept = [astuple(passage) for passage in first.passages()]
    path.write_bytes(data)
    second = history(path, first.mark())
    found = [*second.passages(), *second.rest()]
    told: list[tuple[Any, ...]] = ([] if second.fresh else kept) + [astuple(passage) for passage in found]

    whole = history(path)
    assert told == [astuple(passage) for passage in [*whole.passages(), *whole.rest()]]
    assert any(passage.text == "a needle" for passage in found)
    for passage in found:
        assert passage.text.strip()
        assert passage.role in SPEAKERS
        (passage.text + passage.entry + passage.tool).encode()
    assert len({(passage[0], passage[1]) for passage in told}) == len(told)
    (second.title + second.session + second.cwd + second.parent).encode()


def test_nesting_beyond_measure_costs_that_line_alone(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    deep = b'{"a":' * 5000 + b"1" + b"}" * 5000
    call = b'{"type":"assistant","uuid":"u1","message":{"content":[{"type":"tool_use","id":"t","input":'
    needle = json.dumps(HEADERS["claude"]).encode()
    for inner in (deep, b"[" * 990 + b"]" * 990, b'{"a":' * 300 + b'"deep words"' + b"}" * 300):
        path.write_bytes(b"\n".join([needle, call + inner + b"}]}}", needle, b""]))
        found = [*history(path).passages(), *history(path).rest()]
        texts = [passage.text for passage in found]
        assert texts.count("a needle") == 2
    assert any("deep words" in text for text in texts)
