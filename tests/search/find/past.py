"""Past sessions to be searched, indexed before or read where they stand."""

from __future__ import annotations

import os
import time
from typing import Any

from prune_mcp.search.entries.read import Reading, read
from prune_mcp.search.find.find import find
from prune_mcp.search.find.question import Found, Hit, Question
from tests.search.indexing.machine import LONG_AGO, Machine
from tests.sessions.transcripts.writing import ClaudeFile

# The day after what is written in tests.
NOW = 1_767_355_200.0
PLENTY = 60.0


class Past:
    """The sessions of a machine. `indexed`: they are indexed before anything is asked."""

    def __init__(self, machine: Machine, indexed: bool) -> None:
        self.machine = machine
        self.indexed = indexed

    def session(self, number: int = 1, project: str = "-home-user-app") -> ClaudeFile:
        """A session's transcript, to be written to."""
        return self.machine.session(number, project)

    def says(self, *texts: str, number: int = 1) -> list[str]:
        """Write a session in which the assistant says these; returns the ids of their entries."""
        file = self.session(number)
        file.prompt("go ahead")
        return [file.says(text) for text in texts]

    def ask(self, text: str, seconds: float = PLENTY, **how: Any) -> Found:
        """What is found for a question."""
        self.settle()
        return find(self.machine.index, self.machine.files, Question(text, **{"now": NOW, **how}), seconds)

    def settle(self) -> None:
        """Index everything, as if nobody had written for long; nothing where sessions are not to be indexed."""
        if self.indexed:
            for path in self.machine.user.rglob("*.*"):
                if path.is_file() and (written := path.stat().st_mtime) > time.time() - LONG_AGO / 2:
                    os.utime(path, (written - LONG_AGO, written - LONG_AGO))
            self.machine.update()

    def entries(self, text: str, **how: Any) -> list[str]:
        """The entries that are found for a question, in order."""
        return [hit.entry for hit in self.ask(text, **how).hits]

    def only(self, text: str, **how: Any) -> Hit:
        """The one hit for a question."""
        (hit,) = self.ask(text, **how).hits
        return hit

    def read(self, ref: str, **how: Any) -> Reading:
        """An entry, read."""
        self.settle()
        return read(self.machine.index, self.machine.files, ref, **how)


def marked(hit: Hit) -> list[str]:
    """What a hit's snippet shows as matching."""
    return [hit.snippet[start:end] for start, end in hit.marks]
