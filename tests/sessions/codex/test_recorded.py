"""Recorded rollouts, against counts that know nothing of how they are read."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from prune_mcp.engine import Engine
from prune_mcp.sessions.discover import discover
from prune_mcp.sessions.history import Mark
from prune_mcp.sessions.model import SessionError
from prune_mcp.sessions.reader import Reader
from prune_mcp.sessions.transcript import open_transcript
from prune_mcp.sessions.view import View
from tests.sessions.codex.test_growing import picture_of, pieces, told_by
from tests.sessions.history.told import history, passages
from tests.validity import check_codex

pytestmark = pytest.mark.requirement("SES-CODEX", "PRU-RECOVER")

OUTPUTS = ("function_call_output", "custom_tool_call_output")


@pytest.fixture(scope="module")
def recorded(shared_sessions: Path) -> list[Path]:
    """Every recorded rollout."""
    return sorted(file.path for file in discover({}, shared_sessions / "home") if file.host == "codex")


def items(path: Path) -> list[dict[str, Any]]:
    """The items of a rollout that stand in lines of their own."""
    lines = [json.loads(line) for line in path.read_bytes().splitlines()]
    return [line["payload"] for line in lines if line["type"] == "response_item"]


def text_of(output: Any) -> str:
    """The text of an output: its parts, those without text as JSON."""
    if isinstance(output, str) or output is None:
        return output or ""
    parts = output if isinstance(output, list) else [output]
    compact = [json.dumps(part, separators=(",", ":")) for part in parts]
    return "\n".join(part.get("text", whole) for part, whole in zip(parts, compact, strict=True))


def test_every_output_is_archived(recorded: list[Path]) -> None:
    for path in recorded:
        conversation = open_transcript(path)
        found = Counter(conversation.text(block) for block in conversation.archive())
        known = Counter(text_of(item.get("output")) for item in items(path) if item["type"] in OUTPUTS)
        assert known <= found, path
        assert not conversation.skipped


def test_every_output_comes_back_byte_for_byte(recorded: list[Path], make_engine: Callable[..., Engine]) -> None:
    engine = make_engine()
    for path in recorded:
        answer = engine.prune_transcript(path, render=True)
        rendered = list(answer.messages)
        kinds = {problem.partition(":")[0] for problem in check_codex(rendered)}
        assert kinds <= {
            problem.partition(":")[0] for problem in check_codex(list(open_transcript(path).render(View())))
        }
        outputs = engine.store.outputs(answer.session)
        bodies = Counter(engine.store.body(output.sha) for output in outputs)
        conversation = open_transcript(path)
        assert Counter(conversation.text(block).encode() for block in conversation.archive()) == bodies


def test_everything_that_is_said_is_told(recorded: list[Path]) -> None:
    for path in recorded:
        told = Counter(each.text for each in passages(path))
        for item in items(path):
            for part in item.get("content") or () if item["type"] == "message" else ():
                assert told[part["text"]] if "text" in part else True, path
        assert not [text for text in told if text.startswith("gAAAA")]


def test_an_empty_view_gives_back_the_lines(recorded: list[Path]) -> None:
    for path in recorded:
        known = [json.loads(line) for line in path.read_bytes().splitlines()]
        rendered = list(open_transcript(path).render(View()))
        assert rendered == [line for line in known if line in rendered]


def test_read_as_they_grew_they_read_the_same(recorded: list[Path], tmp_path: Path) -> None:
    for path in recorded:
        data = path.read_bytes()
        grown = tmp_path / path.name
        grown.write_bytes(b"")
        transcript: Reader | None = None
        mark: Mark | None = None
        kept: list[str] = []
        for piece in pieces(data, [30_000]):
            with grown.open("ab") as file:
                file.write(piece)
            try:
                part = history(grown, mark)
            except SessionError:
                continue
            settled, rest = told_by(part)
            kept = settled if part.fresh else kept + settled
            mark = part.mark() if part.mark().position else None
            transcript = transcript or open_transcript(grown)
            transcript.refresh()
        assert transcript is not None
        assert picture_of(transcript) == picture_of(open_transcript(path)), path
        assert [*kept, *rest] == [*map(repr, passages(path))], path
