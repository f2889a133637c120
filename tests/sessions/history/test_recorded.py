"""Recorded sessions, told against counts that know nothing of how they are read."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import astuple
from pathlib import Path
from typing import Any

import pytest

from prune_mcp.sessions.discover import discover
from tests.sessions.history.test_growing import at_once, grown
from tests.sessions.history.told import passages
from tests.sessions.transcripts.writing import SESSION

pytestmark = pytest.mark.requirement("SES-CLAUDE", "SES-PI", "HIS-FIND")


@pytest.fixture(scope="module")
def recorded(shared_sessions: Path) -> list[Path]:
    """Every recorded session of Claude Code and pi."""
    found = discover({}, shared_sessions / "home")
    return sorted(file.path for file in found if file.host in ("claude-code", "pi"))


def said(path: Path) -> Iterator[str]:
    """Every text of a message of the file: what is typed, answered, thought, and put out by tools."""
    for line in path.read_bytes().split(b"\n"):
        try:
            message = json.loads(line).get("message")
        except (ValueError, AttributeError):
            continue
        content = message.get("content") if isinstance(message, dict) else None
        for part in content if isinstance(content, list) else [content]:
            yield from texts(part)


def texts(part: Any) -> Iterator[str]:
    """The texts in a part of a message."""
    if isinstance(part, str):
        yield part
    elif isinstance(part, dict):
        kind = part.get("type")
        inner = (
            part.get("content")
            if kind == "tool_result"
            else part.get(kind)
            if kind in ("text", "thinking")
            else None
        )
        for item in inner if isinstance(inner, list) else [inner]:
            yield from texts(item)


def test_every_text_of_every_message_is_told(recorded: list[Path]) -> None:
    checked = 0
    for path in recorded:
        if path.name == "small.jsonl":
            continue
        told = "\n".join(passage.text for passage in passages(path))
        for text in said(path):
            if "<command-" not in text and "<persisted-output>" not in text:
                assert text.strip() in told, (path, text[:200])
                checked += 1
    assert checked > 2000


def test_no_place_is_told_twice_and_few_texts_are(recorded: list[Path]) -> None:
    for path in recorded:
        found = passages(path)
        assert len({(passage.entry, passage.at) for passage in found}) == len(found), path
        answers = Counter(
            p.text for p in found if p.role in ("user", "assistant", "thinking") and len(p.text) > 200
        )
        assert not [text for text, count in answers.items() if count > 1], path


def test_every_passage_has_its_time_and_every_call_and_result_its_tool(recorded: list[Path]) -> None:
    for path in recorded:
        for passage in passages(path):
            assert 1_700_000_000 < passage.time < 1_900_000_000, path
            assert passage.tool or passage.role not in ("call", "result") or path.name == "small.jsonl", path


@pytest.mark.requirement("SES-STREAM")
def test_texts_that_are_read_again_are_the_same(recorded: list[Path], monkeypatch: pytest.MonkeyPatch) -> None:
    for path in recorded:
        held = passages(path)
        with monkeypatch.context() as patch:
            patch.setattr("prune_mcp.sessions.stretches.HELD", 1000)
            assert passages(path) == held, path


@pytest.mark.requirement("SES-LIVE")
def test_told_as_they_grew_they_tell_the_same(recorded: list[Path], tmp_path: Path) -> None:
    pick = random.Random(7)
    for path in recorded:
        data = path.read_bytes()
        copy = tmp_path / path.parent.name / path.name
        copy.parent.mkdir(exist_ok=True)
        for _ in range(3):
            cuts = [pick.random() for _ in range(pick.randint(1, 4))]
            assert grown(copy, data, cuts).known() == at_once(copy).known(), (path, cuts)


@pytest.mark.requirement("SES-LIVE")
def test_a_session_that_grew_by_a_turn_is_followed(shared_sessions: Path, tmp_path: Path) -> None:
    growing = shared_sessions / "growing" / "claude-code"
    data = (growing / "turn-2.jsonl").read_bytes()
    path = tmp_path / f"{SESSION}.jsonl"
    first = (growing / "turn-1.jsonl").stat().st_size
    assert grown(path, data, [first / len(data)]).known() == at_once(path).known()
    assert [astuple(passage) for passage in passages(path)] == at_once(path).known()["told"]
