"""A session that grew is read from its last exchange on, and tells the same as if it were read at once."""

from __future__ import annotations

from dataclasses import astuple
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from prune_mcp.sessions.history import History, Mark
from prune_mcp.sessions.model import SessionError
from tests.sessions.history.sessions import (
    CLAUDE_STEPS,
    CLAUDE_TURNS,
    PI_STEPS,
    PI_TURNS,
    ClaudeWriter,
    PiWriter,
    Step,
    steps,
)
from tests.sessions.history.told import history
from tests.sessions.transcripts.writing import SESSION

CUTS = st.lists(st.floats(0, 1), min_size=1, max_size=4)


class Reader:
    """Someone who keeps what is settled, and the mark of the last reading."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.kept: list[Any] = []
        self.rest: list[Any] = []
        self.mark: Mark | None = None
        self.last: History | None = None

    def read(self) -> History:
        """Read what is new."""
        self.last = read = history(self.path, self.mark)
        if read.fresh:
            self.kept = []
        self.kept += map(astuple, read.passages())
        self.mark = read.mark()
        self.rest = [astuple(passage) for passage in read.rest()]
        return read

    def known(self) -> dict[str, Any]:
        """Everything that is known of the session."""
        assert self.last
        read = self.last
        known = {"session": read.session, "cwd": read.cwd, "title": read.title, "parent": read.parent}
        return known | {"skipped": dict(read.skipped), "told": self.kept + self.rest}


def grown(path: Path, data: bytes, cuts: list[float]) -> Reader:
    """The session read again and again while the file grew to `data`."""
    path.write_bytes(b"")
    reader = Reader(path)
    start = 0
    for end in sorted({1 + int(cut * (len(data) - 1)) for cut in cuts} | {len(data)}):
        with path.open("ab") as file:
            file.write(data[start:end])
        start = end
        try:
            reader.read()
        except SessionError:
            # So far no line says whose session it is.
            assert end < len(data)
    return reader


def at_once(path: Path) -> Reader:
    """The session read once."""
    reader = Reader(path)
    reader.read()
    return reader


@pytest.mark.requirement("SES-LIVE", "HIS-FIND")
@settings(suppress_health_check=[HealthCheck.too_slow])
@given(session=steps(CLAUDE_STEPS, CLAUDE_TURNS), cuts=CUTS)
def test_a_grown_transcript_tells_what_it_tells_at_once(
    tmp_path_factory: pytest.TempPathFactory, session: list[Step], cuts: list[float]
) -> None:
    path = tmp_path_factory.mktemp("claude") / f"{SESSION}.jsonl"
    data = ClaudeWriter(path).write(path, session)
    assert grown(path, data, cuts).known() == at_once(path).known()


@pytest.mark.requirement("SES-LIVE", "SES-PI", "HIS-FIND")
@settings(suppress_health_check=[HealthCheck.too_slow])
@given(session=steps(PI_STEPS, PI_TURNS), version=st.sampled_from((1, 3)), cuts=CUTS)
def test_a_grown_pi_session_tells_what_it_tells_at_once(
    tmp_path_factory: pytest.TempPathFactory, session: list[Step], version: int, cuts: list[float]
) -> None:
    path = tmp_path_factory.mktemp("pi") / f"2026-01-01T00-00-00-000Z_{SESSION}.jsonl"
    data = PiWriter(path, version).write(path, session)
    assert grown(path, data, cuts).known() == at_once(path).known()
