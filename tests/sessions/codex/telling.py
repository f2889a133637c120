"""What a rollout's history tells, in short forms that tests compare."""

from __future__ import annotations

from pathlib import Path

from tests.sessions.history.told import passages


def spoken(path: Path, *roles: str) -> list[tuple[str, str]]:
    """Everything that a rollout tells as (role, text), if roles are given only theirs."""
    return [(each.role, each.text) for each in passages(path) if not roles or each.role in roles]


def said(path: Path, words: str) -> list[str]:
    """Who says these words, each time they are told."""
    return [each.role for each in passages(path) if words in each.text]
