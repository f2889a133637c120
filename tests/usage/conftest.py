"""What the tests of usage share: a folder with a session, weighing a session or messages on a scratch store."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from prune_mcp.engine import Engine
from prune_mcp.engine.usage.answer import UsageAnswer
from prune_mcp.engine.usage.options import UsageOptions
from prune_mcp.engine.usage.usage import UsageRequest, usage
from prune_mcp.sessions.messages.open import open_messages
from prune_mcp.sessions.transcript import open_transcript
from tests.server.transcripts import write_session
from tests.usage.showcase import showcase
from tests.usage.writing import SESSION

Weigh = Callable[..., UsageAnswer]


@pytest.fixture
def folder(home: Path, tmp_path: Path) -> Path:
    """A project folder with the showcase for its session."""
    folder = tmp_path / "project"
    folder.mkdir()
    write_session(home, SESSION, folder)
    (path,) = home.rglob(f"{SESSION}.jsonl")
    showcase().write(path.parent)
    return folder


@pytest.fixture
def weigh(make_engine: Callable[..., Engine]) -> Weigh:
    """Weighs a session's file, a message array or a request body; options are fields of UsageOptions."""
    engine = make_engine()

    def weigh(subject: Any, format: str | None = None, **options: Any) -> UsageAnswer:
        request = UsageRequest(options=UsageOptions(**options))
        if isinstance(subject, Path):
            return usage(engine.store, open_transcript(subject), None, request)[0]
        request.payload = subject
        return usage(engine.store, open_messages(subject, format), None, request)[0]

    return weigh


def tokens_of(answer: UsageAnswer) -> dict[str, int]:
    """The tokens of each category."""
    return {row.category: row.tokens for row in answer.rows}


def parts_of(answer: UsageAnswer, category: str) -> dict[str, int]:
    """The tokens of each part of a category."""
    return {part.name: part.tokens for row in answer.rows if row.category == category for part in row.parts}
