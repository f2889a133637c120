"""The record of every recorded session with a compaction, beside what its raw entries say without the product."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from prune_mcp.engine.answers import EngineError
from prune_mcp.engine.record import session_record

COMMAND = re.compile(r"<command-name>(/\S+)</command-name>.*?(?:<command-args>(.*?)</command-args>|$)", re.DOTALL)
NOT_SAID = re.compile(
    r"<(?:local-command|command|task|system-reminder|environment_context|bash-)[\w-]*>|Caveat: |\[Request"
)
# This session lies in side branches and under one id: no compaction stands on its active branch.
NO_BRANCH = "small.jsonl"


def raw_entries(path: Path) -> list[Any]:
    found = []
    for line in path.read_bytes().splitlines():
        try:
            found.append(json.loads(line))
        except ValueError:
            continue
    return found


def compactions(entries: list[Any]) -> list[int]:
    return [
        at
        for at, entry in enumerate(entries)
        if entry.get("type") == "compacted" or entry.get("subtype") == "compact_boundary"
    ]


def said(entries: list[Any]) -> Iterator[str]:
    """What the person typed, in Claude Code's and Codex's own entries."""
    for entry in entries:
        payload = entry.get("payload") or {}
        if entry.get("type") == "event_msg" and payload.get("type") == "user_message":
            yield payload["message"]
        if (
            entry.get("type") != "user"
            or entry.get("isMeta")
            or entry.get("isSidechain")
            or entry.get("isCompactSummary")
        ):
            continue
        content = entry["message"]["content"]
        parts = [{"type": "text", "text": content}] if isinstance(content, str) else content
        for part in parts:
            text = part.get("text", "") if part["type"] == "text" else ""
            if command := COMMAND.search(text):
                yield f"{command[1]} {command[2] or ''}".strip()
            elif text and not NOT_SAID.match(text):
                yield text


@pytest.mark.requirement("COL-RECORD", "SES-READONLY")
def test_it_holds_what_the_person_typed_before_each_compaction_of_every_recorded_session(
    shared_sessions: Path,
) -> None:
    seen = 0
    for path in sorted((shared_sessions / "home").rglob("*.jsonl")):
        entries = raw_entries(path)
        points = compactions(entries) if path.name != NO_BRANCH else []
        raw = path.read_bytes()
        assert session_record(path).compactions == len(points), path
        for number, at in enumerate(points, 1):
            told = session_record(path, number)
            want = list(dict.fromkeys(said(entries[:at])))
            assert [each.input.text for each in told.record.shown if each.input.kind == "ask"] == want, (
                path,
                number,
            )
            assert told.record.omitted == []
            assert len(told.record.text) <= 20_000
            assert all(text in told.record.text for text in want)
            seen += 1
        with pytest.raises(EngineError, match=f"at={len(points) + 1}: session .* has {len(points)} compaction"):
            session_record(path, len(points) + 1)
        assert path.read_bytes() == raw
    assert seen >= 10
