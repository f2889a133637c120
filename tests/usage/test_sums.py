"""Usage sums to the whole: no token is counted twice or lost, on recorded sessions and on any array."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from prune_mcp.engine import Engine
from prune_mcp.engine.usage.answer import UsageAnswer
from prune_mcp.engine.usage.usage import UsageRequest, usage
from prune_mcp.sessions.exports.bring import import_export
from prune_mcp.sessions.exports.imported import imported
from prune_mcp.sessions.messages.open import open_messages
from prune_mcp.sessions.transcript import open_transcript
from tests.arrays import FORMATS, array
from tests.conversations import conversations
from tests.usage.conftest import Weigh
from tests.usage.whole import CALL, assert_sums, of_array, of_session

pytestmark = pytest.mark.requirement("USE-ROWS")
BESIDE = ("untold", "missed", "tools", "framing")


def recorded(folder: Path, scratch: Path) -> list[Path]:
    """The recorded sessions of every host; those that stand in exports are imported into a scratch folder."""
    import_export(folder / "exports" / "chatgpt", scratch)
    brought = [file.path for file in imported(scratch, Counter())]
    globs = ("**/*.jsonl", "home/.gemini/**/*.json", "messages/*swe*/*")
    return sorted(path for pattern in globs for path in folder.glob(pattern)) + brought


def by_role(answer: UsageAnswer) -> Counter[str]:
    """The tokens of messages by category, as `of_array` has them."""
    found: Counter[str] = Counter()
    for row in answer.rows:
        if row.category != "framing":
            found["user" if row.category == "host" else row.category] += row.tokens
    return found


def test_every_recorded_session_sums_to_what_its_messages_hold(
    shared_sessions: Path, tmp_path: Path, weigh: Weigh
) -> None:
    formats = set()
    for path in recorded(shared_sessions, tmp_path / "imports"):
        answer = weigh(path)
        assert_sums(answer)
        told = sum(row.tokens for row in answer.rows if row.category not in BESIDE)
        outside = sum(p.tokens for row in answer.rows for p in row.parts if p.name == "instructions")
        conversation = open_transcript(path)
        assert told - outside + answer.forgotten == of_session(conversation), path.name
        calls = sum(block.kind == "call" for message in conversation.messages for block in message.blocks)
        carried = sum(row.tokens for row in answer.rows if row.category == "framing")
        assert carried == (CALL * calls if answer.model.startswith("claude") else 0)
        formats.add(answer.format)
    assert formats >= {"claude-code", "codex", "gemini", "pi", "mini-swe-agent", "swe-agent", "chatgpt"}


@pytest.mark.parametrize("format", FORMATS)
def test_recorded_sessions_as_arrays_sum_to_what_their_parts_hold(
    format: str, shared_sessions: Path, weigh: Weigh
) -> None:
    for path in sorted(shared_sessions.glob("home/.claude/projects/*/*.jsonl")):
        messages = array(path, format)
        answer = weigh(messages, format)
        assert_sums(answer)
        assert by_role(answer) == of_array(messages, format), path.name


@pytest.mark.parametrize("format", FORMATS)
@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(data=st.data(), valid=st.booleans())
def test_any_array_sums_to_what_its_parts_hold(
    format: str, data: st.DataObject, valid: bool, make_engine: Callable[..., Engine]
) -> None:
    messages: list[dict[str, Any]] = data.draw(conversations(format, valid))
    conversation = open_messages(messages, format)
    answer, _ = usage(make_engine().store, conversation, None, UsageRequest(payload=messages))
    assert_sums(answer)
    assert by_role(answer) == of_array(messages, format)
    assert sum(item.tokens for item in answer.items) <= answer.total
