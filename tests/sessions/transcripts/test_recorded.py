"""Recorded sessions, against counts that know nothing of how they are read."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from prune_mcp.sessions.discover import discover
from prune_mcp.sessions.transcript import open_transcript
from prune_mcp.sessions.view import View
from tests.sessions.transcripts.reading import outputs, picture

pytestmark = pytest.mark.requirement("SES-CLAUDE", "SES-PI", "SES-READONLY")


@pytest.fixture(scope="module")
def recorded(shared_sessions: Path) -> list[Path]:
    """Every recorded session of Claude Code and pi."""
    found = discover({}, shared_sessions / "home")
    paths = [file.path for file in found if file.host in ("claude-code", "pi")]
    return sorted(paths + list((shared_sessions / "growing").rglob("*.jsonl")))


def plain_lines(path: Path) -> Iterator[dict[str, Any]]:
    """The objects of a file, each uuid once."""
    seen = set()
    for line in path.read_bytes().split(b"\n"):
        try:
            value = json.loads(line)
        except ValueError:
            continue
        key = (value.get("uuid"), json.dumps(value.get("message"))) if value.get("uuid") else None
        if key is None or key not in seen:
            seen.add(key)
            yield value


def plain_results(path: Path) -> list[str]:
    """The call id of every result of a file, counted without any reader."""
    found = []
    for value in plain_lines(path):
        message = value.get("message") or {}
        content = message.get("content")
        if message.get("role") == "toolResult":
            found.append(message["toolCallId"])
        elif value.get("type") == "user" and isinstance(content, list):
            found += [p.get("tool_use_id", "") for p in content if p.get("type") == "tool_result"]
    return found


def test_every_result_of_every_session_is_archived_in_file_order(recorded: list[Path]) -> None:
    for path in recorded:
        transcript = open_transcript(path)
        assert [block.call_id for block in transcript.archive()] == plain_results(path), path
        assert all(block.tool for block in transcript.archive() if block.call_id), path
        assert len(outputs(transcript)) == len(transcript.archive())


def test_every_prompt_of_the_sessions_that_were_never_compacted_is_one(recorded: list[Path]) -> None:
    machine = ("<local-command", "<bash-", "Caveat:", "[Request interrupted", "<task-notification>")
    checked = 0
    for path in recorded:
        lines = list(plain_lines(path))
        if path.name == "small.jsonl" or any(value.get("subtype") == "compact_boundary" for value in lines):
            continue
        transcript = open_transcript(path)
        sides = {bool(value.get("isSidechain")) for value in lines if value.get("type") in ("user", "assistant")}
        asked = Counter[str]()
        for value in lines:
            message = value.get("message") or {}
            content = message.get("content")
            parts = [{"type": "text", "text": content}] if isinstance(content, str) else content or []
            words = "".join(part.get("text", "") for part in parts if part.get("type") == "text")
            own = not value.get("isMeta") and (sides == {True} or not value.get("isSidechain"))
            plain = not any(part.get("type") == "tool_result" for part in parts)
            if message.get("role") == "user" and own and plain and words and not words.startswith(machine):
                asked[words] += 1
            if value.get("type") == "attachment" and value["attachment"]["type"] == "queued_command":
                asked[str(value["attachment"]["prompt"])] += 1
        found = Counter(
            "".join(transcript.text(block) for block in message.blocks if block.kind == "text")
            for message in transcript.messages
            if message.prompt
        )
        local = {words for words in asked - found if words.startswith("<command-")}
        assert set(asked - found) == local, path
        assert found - asked == Counter(), path
        checked += sum(found.values())
    assert checked > 100


def test_every_call_in_context_has_its_result_but_for_the_last(recorded: list[Path]) -> None:
    for path in recorded:
        waiting: list[str] = []
        for message in open_transcript(path).messages:
            for block in message.blocks:
                if block.kind == "call":
                    waiting.append(block.call_id)
                elif block.kind == "result":
                    assert block.call_id in waiting, path
                    waiting.remove(block.call_id)
        assert len(waiting) <= 1, path


def test_an_empty_view_gives_back_the_entries(recorded: list[Path]) -> None:
    for path in recorded:
        known = [json.dumps(value) for value in plain_lines(path)]
        rendered = [json.dumps(entry) for entry in open_transcript(path).render(View())]
        assert set(rendered) <= set(known), path
        if "subagents" not in str(path):
            assert len(set(rendered)) == len(rendered)


def test_read_as_they_grew_they_read_the_same(recorded: list[Path], tmp_path: Path) -> None:
    for path in recorded:
        data = path.read_bytes()
        grown = tmp_path / path.name
        cut = data.index(b"\n", data.index(b'"sessionId"') if b'"sessionId"' in data else 0) + 1
        grown.write_bytes(data[:cut])
        transcript = open_transcript(grown)
        for start in range(cut, len(data), 65_537):
            with grown.open("ab") as file:
                file.write(data[start : start + 65_537])
            transcript.refresh()
        assert transcript.generation == 0
        assert picture(transcript) == picture(open_transcript(grown)), path


@pytest.mark.requirement("SES-LIVE")
def test_a_session_that_grew_by_a_turn_is_followed(shared_sessions: Path, tmp_path: Path) -> None:
    growing = shared_sessions / "growing" / "claude-code"
    first, second = ((growing / f"turn-{number}.jsonl").read_bytes() for number in (1, 2))
    path = tmp_path / "s.jsonl"
    path.write_bytes(first)
    transcript = open_transcript(path)
    path.write_bytes(second)
    transcript.refresh()
    assert picture(transcript) == picture(open_transcript(path))


def test_no_recorded_file_is_changed(shared_sessions: Path, recorded: list[Path]) -> None:
    before = digests(shared_sessions)
    for path in recorded:
        transcript = open_transcript(path)
        list(transcript.render(View()))
        for block in transcript.archive():
            transcript.persisted(block)
    assert digests(shared_sessions) == before


def digests(folder: Path) -> dict[Path, bytes]:
    """The hash of every file below a folder."""
    return {path: hashlib.sha256(path.read_bytes()).digest() for path in folder.rglob("*") if path.is_file()}
