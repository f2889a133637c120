"""Whatever becomes of sessions and of the index's own files, index and pending together tell what there is."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from prune_mcp.search.indexing.progress import Progress
from prune_mcp.search.indexing.slice import Slice
from tests.search.indexing.machine import Machine, Told, assert_complete, by_index, rest
from tests.sessions.transcripts.writing import ClaudeFile

PROJECTS = ("-home-user-app", "-home-user-other")
SLICES = (1, 500, 3000, 1 << 20)


class Killed(BaseException):
    """As when the process is killed: nothing after it runs."""


class AnyLife(RuleBasedStateMachine):
    """A machine on which anything happens. `gone`: what vanished sessions said to the index, by path."""

    @initialize()
    def begin(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="prune-mcp-life-"))
        self.machine = Machine(self.folder)
        self.sessions: list[ClaudeFile] = []
        self.hidden: dict[str, Path] = {}
        self.gone: dict[str, list[Told]] = {}
        self.word = 0

    def teardown(self) -> None:
        self.machine.close()
        shutil.rmtree(self.folder)

    def says(self) -> str:
        self.word += 1
        return f"word{self.word} " * (self.word % 7 + 1)

    def one(self, which: int) -> ClaudeFile:
        return self.sessions[which % len(self.sessions)]

    @rule(number=st.integers(1, 3), project=st.sampled_from(PROJECTS))
    def a_session_begins(self, number: int, project: str) -> None:
        session = self.machine.session(number, project)
        if not session.path.stat().st_size and str(session.path) not in self.gone:
            self.sessions.append(session)
            session.prompt(self.says())
        elif not session.path.stat().st_size:
            session.path.unlink()

    @precondition(lambda self: self.sessions)
    @rule(which=st.integers(0, 9), exchanges=st.integers(1, 4))
    def a_session_grows(self, which: int, exchanges: int) -> None:
        session = self.one(which)
        for _ in range(exchanges):
            session.turn(f"call-{self.word}", self.says() * 20)
            session.says(self.says())
            session.prompt(self.says())

    @precondition(lambda self: self.sessions)
    @rule(which=st.integers(0, 9), back=st.integers(1, 5))
    def a_session_is_rewound(self, which: int, back: int) -> None:
        session = self.one(which)
        session.prompt(self.says(), parent=f"{max(1, session.count - back):08x}-0000-4000-8000-000000000000")

    @precondition(lambda self: self.sessions)
    @rule(which=st.integers(0, 9))
    def a_session_is_written_anew(self, which: int) -> None:
        session = self.one(which)
        session.path.write_bytes(b"")
        session.count, session.tip = 0, None
        session.prompt(self.says())
        session.says(self.says())

    @precondition(lambda self: self.sessions)
    @rule(which=st.integers(0, 9))
    def a_session_is_cut(self, which: int) -> None:
        session = self.one(which)
        lines = session.path.read_bytes().splitlines(keepends=True)
        session.path.write_bytes(b"".join(lines[: max(1, len(lines) // 2)]))

    @precondition(lambda self: self.sessions)
    @rule(which=st.integers(0, 9))
    def a_session_comes_to_rest(self, which: int) -> None:
        rest(self.one(which).path)

    @precondition(lambda self: self.sessions)
    @rule(which=st.integers(0, 9))
    def a_session_vanishes(self, which: int) -> None:
        session = self.one(which)
        self.sessions.remove(session)
        path = str(session.path)
        self.machine.update()
        self.hidden[path] = session.path.rename(self.folder / f"hidden-{self.word}")
        self.word += 1
        self.machine.update()
        self.gone[path] = by_index(self.machine.index, self.machine.files()).get((path, ""), [])

    @precondition(lambda self: self.gone)
    @rule(which=st.integers(0, 9))
    def a_session_comes_back(self, which: int) -> None:
        path = sorted(self.gone)[which % len(self.gone)]
        self.hidden[path].rename(path)
        del self.gone[path]
        session = ClaudeFile(Path(path), Path(path).stem)
        session.count = 1000 + self.word
        self.sessions.append(session)

    @precondition(lambda self: self.sessions)
    @rule(which=st.integers(0, 9), project=st.sampled_from(PROJECTS))
    def a_session_moves(self, which: int, project: str) -> None:
        session = self.one(which)
        target = session.path.parent.parent / project / session.path.name
        if not target.exists() and str(target) not in self.gone:
            self.machine.update()
            target.parent.mkdir(exist_ok=True)
            session.path = session.path.rename(target)
            self.machine.update()

    @rule(slice_bytes=st.sampled_from(SLICES), steps=st.integers(0, 9))
    def it_is_indexed(self, slice_bytes: int, steps: int) -> None:
        left = iter(range(steps))
        self.machine.update(slice_bytes=slice_bytes, stop=(lambda: next(left, None) is None) if steps else None)

    @rule(slice_bytes=st.sampled_from(SLICES), steps=st.integers(1, 9))
    def indexing_is_killed(self, slice_bytes: int, steps: int) -> None:
        left = iter(range(steps))

        def kill(progress: Progress) -> None:
            if next(left, None) is None:
                raise Killed

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(Slice, "drop", Slice._close)
            try:
                self.machine.update(slice_bytes=slice_bytes, progress=kill)
            except Killed:
                self.machine.index.close()

    @rule()
    def the_cache_is_cleared(self) -> None:
        shutil.rmtree(self.machine.home.cache, ignore_errors=True)
        self.machine.index.close()
        self.machine.update()

    @rule(byte=st.integers(0, 1 << 20), which=st.integers(0, 9))
    def a_segment_is_cut(self, byte: int, which: int) -> None:
        segments = sorted(self.machine.home.cache.rglob("*.seg"))
        if segments:
            data = segments[which % len(segments)].read_bytes()
            self.machine.index.close()
            segments[which % len(segments)].write_bytes(data[: byte % len(data)])
            self.machine.update()

    @rule()
    def the_catalog_is_lost(self) -> None:
        self.machine.lose_catalog()
        self.machine.update()

    @rule(page=st.integers(0, 40))
    def a_page_of_the_catalog_is_damaged(self, page: int) -> None:
        path = self.machine.index.paths.catalog
        self.machine.index.close()
        if path.exists():
            data = bytearray(path.read_bytes())
            at = page * 4096 % len(data)
            data[at : at + 100] = b"\xa5" * 100
            path.write_bytes(data)
            path.with_name(path.name + "-wal").unlink(missing_ok=True)
            path.with_name(path.name + "-shm").unlink(missing_ok=True)
        self.machine.update()

    @invariant()
    def index_and_pending_tell_everything(self) -> None:
        assert_complete(self.machine.index, self.machine.files(), self.gone)


AnyLife.TestCase.settings = settings(
    max_examples=25, stateful_step_count=25, deadline=None, report_multiple_bugs=False
)
TestAnyLife = pytest.mark.requirement("HIS-FRESH", "HIS-GONE", "HIS-MANY")(AnyLife.TestCase)
