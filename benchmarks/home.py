"""A home full of sessions, the same bytes for the same size and seed.

    python benchmarks/home.py FOLDER [--megabytes 675] [--seed 7]

Some dozens of projects over 14 months, worked on in Claude Code and Codex: sessions with subagents, forks and
compactions. What a model sees of them is about a fifth of their bytes, as in recorded sessions: `shape.py` tells.
"""

from __future__ import annotations

import argparse
import math
import os
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random

from claude_lines import ClaudeSession
from codex_lines import CodexSession
from vocabulary import Project

FIRST = datetime(2025, 9, 1, 8, tzinfo=UTC)
DAYS = 425
WHOLE_BYTES = 675_000_000
PROJECTS = 42
FEWEST_PROJECTS = 6
MEDIAN_BYTES = 95_000
SIGMA = 1.45
LEAST_BYTES, MOST_BYTES = 4_000, 24_000_000
CODEX_SHARE = 0.14
SUBAGENT_SHARE = 0.22
FORK_SHARE = 0.05


class Home:
    """Writes sessions one after the other, from the oldest to the newest, until there is enough of them."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.folder = folder
        self.seed = seed
        self.random = Random(seed)
        self.projects: dict[int, Project] = {}
        self.written = 0
        self.most_projects = PROJECTS

    def write(self, size: int) -> None:
        """Write sessions of `size` bytes together, the last one whole."""
        self.most_projects = max(FEWEST_PROJECTS, round(PROJECTS * math.sqrt(size / WHOLE_BYTES)))
        while self.written < size:
            start = FIRST + timedelta(days=DAYS * self.written / size, minutes=self.random.randrange(600))
            target = self._target(size)
            if self.random.random() < CODEX_SHARE:
                self._codex(start, target)
            else:
                self._claude(start, target)

    def _target(self, size: int) -> int:
        drawn = MEDIAN_BYTES * self.random.lognormvariate(0, SIGMA)
        return int(min(max(drawn, LEAST_BYTES), MOST_BYTES, max(size // 12, LEAST_BYTES)))

    def _project(self) -> Project:
        """A project: the first ones are worked on most."""
        number = min(int(self.random.expovariate(5 / self.most_projects)), self.most_projects - 1)
        if number not in self.projects:
            self.projects[number] = Project(number, self.seed)
        return self.projects[number]

    def _claude(self, start: datetime, target: int) -> None:
        session = ClaudeSession(self._project(), self._id(), start, self.random)
        folder = self.folder / ".claude" / "projects" / session.project.cwd.replace("/", "-")
        path = folder / f"{session.id}.jsonl"
        lines = self._save(path, session.lines(target), session)
        if self.random.random() < SUBAGENT_SHARE:
            for _ in range(self.random.randrange(1, 5)):
                agent = session.subagent()
                size = min(target, int(60_000 * self.random.lognormvariate(0, 0.8)))
                name = f"agent-{agent.agent}.jsonl"
                self._save(folder / session.id / "subagents" / name, agent.lines(size), agent)
        if self.random.random() < FORK_SHARE:
            fork = session.fork(self._id())
            shared = lines[: self.random.randrange(1, len(lines) + 1)]
            self._save(folder / f"{fork.id}.jsonl", fork.resumed(shared, target // 3), fork)

    def _codex(self, start: datetime, target: int) -> None:
        session = CodexSession(self._project(), self._id(), start, self.random)
        name = f"rollout-{start:%Y-%m-%dT%H-%M-%S}-{session.id}.jsonl"
        folder = self.folder / ".codex" / "sessions" / f"{start:%Y}" / f"{start:%m}" / f"{start:%d}"
        self._save(folder / name, session.lines(target // 2), session)

    def _save(self, path: Path, lines: Iterable[bytes], session: ClaudeSession | CodexSession) -> list[bytes]:
        path.parent.mkdir(parents=True, exist_ok=True)
        kept = list(lines)
        path.write_bytes(b"".join(kept))
        self.written += path.stat().st_size
        os.utime(path, (session.time.timestamp(),) * 2)
        return kept

    def _id(self) -> str:
        digits = f"{self.random.getrandbits(128):032x}"
        return f"{digits[:8]}-{digits[8:12]}-4{digits[13:16]}-a{digits[17:20]}-{digits[20:]}"


def write_home(folder: Path, megabytes: float, seed: int = 7) -> None:
    """Write a home of about so many megabytes (millions of bytes) of sessions into an empty or new folder."""
    Home(folder, seed).write(int(megabytes * 1_000_000))


def main() -> None:
    """Write the home that the arguments name."""
    parser = argparse.ArgumentParser(description="Write a home full of sessions.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--megabytes", type=float, default=675)
    parser.add_argument("--seed", type=int, default=7)
    arguments = parser.parse_args()
    write_home(arguments.folder, arguments.megabytes, arguments.seed)


if __name__ == "__main__":
    main()
