"""Sessions that are one document are told whole whenever they changed, and not again while they have not."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from prune_mcp.sessions.history import Mark
from tests.sessions.history.told import history, told
from tests.sessions.trajectories.build import acts, observed, run, save

pytestmark = pytest.mark.requirement("SES-LIVE", "SES-TRAJ")


def session(folder: Path, *outputs: str) -> Path:
    """A run of an agent whose commands put this out."""
    turns = [turn for output in outputs for turn in (acts(f"echo {output}"), observed(output))]
    return save(folder, run(*turns))


def test_an_unchanged_document_tells_nothing_new(tmp_path: Path) -> None:
    path = session(tmp_path, "needle")
    first = history(path)
    settled = [passage.text for passage in first.passages()]
    assert len(settled) > 3
    assert list(first.rest()) == []
    mark = first.mark()
    again = history(path, mark)

    assert (again.fresh, list(again.passages()), list(again.rest()), again.mark()) == (False, [], [], mark)
    known = ("host", "session", "cwd", "title", "parent", "skipped")
    assert [getattr(again, name) for name in known] == [getattr(first, name) for name in known]


def test_a_changed_document_is_told_whole(tmp_path: Path) -> None:
    mark = history(session(tmp_path, "one")).mark()
    path = session(tmp_path, "one", "two")
    again = history(path, mark)

    assert again.fresh
    assert [(passage.role, passage.text) for passage in again.passages()] == told(path)


@pytest.mark.parametrize("state", ["", "[]", "\ud800", json.dumps({"known": ["a", "b", "c", "d"]})])
def test_a_mark_that_tells_nothing_has_the_document_told(tmp_path: Path, state: str) -> None:
    path = session(tmp_path, "one")
    mark = history(path).mark()
    assert history(path, Mark(mark.position, mark.stamp, state)).fresh
