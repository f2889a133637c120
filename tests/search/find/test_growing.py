"""While a session grows, and is indexed now and then, whatever was said in it is found once."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.search.find.past import Past
from tests.search.indexing.machine import Machine, rest
from tests.sessions.transcripts.writing import TIP, ClaudeFile

pytestmark = pytest.mark.requirement("HIS-FRESH")

STEPS = ("exchange", "answer", "rewind", "torn", "index", "index at rest", "another session")


class Growing:
    """A session that grows, each prompt and answer with a word of its own; others go on from a copy of it."""

    def __init__(self, machine: Machine) -> None:
        self.past = Past(machine, indexed=False)
        self.file = machine.session(1)
        self.words: list[str] = []
        self.prompts: list[str] = []
        self._torn = b""
        self._sessions = 1

    def take(self, step: str) -> None:
        """Do what a step says; a torn line is ended before anything else is written."""
        if "index" in step:
            if step == "index at rest":
                rest(self.file.path)
            self.past.machine.update()
            return
        self.file.write(self._torn)
        self._torn = b""
        match step:
            case "exchange":
                self._prompt()
                self.file.says(self._word())
            case "answer" if self.prompts:
                self.file.says(self._word())
            case "rewind" if self.prompts:
                self._prompt(self.prompts[-1])
            case "torn":
                self._tear()
            case "another session":
                self._sessions += 1
                self.file = self._go_on()

    def _word(self) -> str:
        self.words.append(f"needle{len(self.words):03d}")
        return f"look at {self.words[-1]} again"

    def _prompt(self, parent: str | None = TIP) -> None:
        self.prompts.append(self.file.prompt(self._word(), parent=parent))

    def _tear(self) -> None:
        """Write the first half of a line; the rest comes with the next step."""
        size = self.file.path.stat().st_size
        self.file.says("something else")
        data = self.file.path.read_bytes()
        cut = (size + len(data)) // 2
        self.file.path.write_bytes(data[:cut])
        self._torn = data[cut:]

    def _go_on(self) -> ClaudeFile:
        """A session resumed into a file of its own, which begins with all that was in the other."""
        other = self.past.machine.session(self._sessions)
        other.write(self.file.path.read_bytes())
        other.count, other.tip = self.file.count, self.file.tip
        return other


@given(st.lists(st.sampled_from(STEPS), min_size=3, max_size=14))
def test_every_word_is_found_once_after_every_step(steps: list[str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        machine = Machine(Path(folder))
        growing = Growing(machine)
        try:
            for step in steps:
                growing.take(step)
                for word in growing.words:
                    for how in ({}, {"newest": True}):
                        hits = growing.past.ask(word, **how).hits
                        assert [word in hit.snippet for hit in hits] == [True], (word, how)
        finally:
            machine.close()
