"""Sessions that grow as hosts write them: appended to line by torn line, begun, rewound, rewritten, deleted.

Each gets prompts with a word of its own, a needle, so that whoever searches can be held to what was written.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random

from anyio import sleep
from claude_lines import ClaudeSession
from codex_lines import CodexSession
from vocabulary import Project, hexadecimal

FIRST = datetime(2026, 1, 20, 8, tzinfo=UTC)
PROJECTS = 3
# Seconds between two writes of one writer, and between the two halves of a torn one.
PACE, TORN = 0.25, 0.02
# How many steps one session gets before the next is begun.
STEPS = 12


class Needles:
    """Which needles stand in which file now; `written` counts all there ever were."""

    def __init__(self) -> None:
        self.written = 0
        self._standing: dict[str, Path] = {}

    def make(self) -> str:
        """A word that nobody wrote before."""
        self.written += 1
        return f"zyxq{self.written:06d}"

    def add(self, needle: str, path: Path) -> None:
        """A needle stands in a file from now on."""
        self._standing[needle] = path

    def drop(self, path: Path) -> list[str]:
        """The file is about to lose its needles; returns them."""
        lost = [needle for needle, where in self._standing.items() if where == path]
        for needle in lost:
            del self._standing[needle]
        return lost

    def __contains__(self, needle: str) -> bool:
        return needle in self._standing

    @property
    def all(self) -> Sequence[str]:
        """Those that stand now, in the order they were written."""
        return [*self._standing]


class Claude(ClaudeSession):
    """A session of Claude Code's that grows."""

    before: str | None = None

    def begin(self) -> list[bytes]:
        """What stands first in the transcript."""
        return [*self.lines(0)]

    def exchange(self) -> list[bytes]:
        """A prompt, the work on it, the answer."""
        self.before = self.parent
        return [*self._exchange()]

    def prompt(self, text: str) -> list[bytes]:
        """A prompt alone."""
        return [self._line("user", {"role": "user", "content": text})]

    def rewind(self) -> list[bytes]:
        """Go back to before the newest exchange; the next line tells."""
        self.parent = self.before
        return []

    def path(self, home: Path) -> Path:
        """The transcript."""
        return home / ".claude" / "projects" / self.project.cwd.replace("/", "-") / f"{self.id}.jsonl"


class Codex(CodexSession):
    """A session of Codex's that grows."""

    def begin(self) -> list[bytes]:
        """What stands first in the rollout."""
        return [*self.lines(0)]

    def exchange(self) -> list[bytes]:
        """A prompt, the work on it, the answer."""
        return [*self._exchange()]

    def prompt(self, text: str) -> list[bytes]:
        """A prompt alone, in both ways that Codex writes it."""
        return [self._message("user", "input_text", text), self._event("user_message", message=text, images=[])]

    def rewind(self) -> list[bytes]:
        """Take the newest turn back."""
        return [self._event("thread_rolled_back", num_turns=1)]

    def path(self, home: Path) -> Path:
        """The rollout."""
        folder = home / ".codex" / "sessions" / f"{self.time:%Y}" / f"{self.time:%m}" / f"{self.time:%d}"
        return folder / f"rollout-{self.time:%Y-%m-%dT%H-%M-%S}-{self.id}.jsonl"


Session = Claude | Codex


class Hosts:
    """Writes sessions into the folders of a home."""

    def __init__(self, home: Path, seed: int = 7) -> None:
        self.needles = Needles()
        self._home = home
        self._random = Random(seed)
        self._projects = [Project(number, seed) for number in range(PROJECTS)]
        self._begun = 0

    async def write(self, kind: type[Session], over: Callable[[], bool]) -> None:
        """Let sessions of a host grow, one after the other, each rewound now and then, until it is over."""
        while not over():
            session, path = self._new(kind)
            for step in range(STEPS):
                lines = session.rewind() if step % 4 == 3 else []
                await self.say(session, path, [*lines, *session.exchange()])
                await sleep(PACE)
                if over():
                    return

    async def rewrite(self, over: Callable[[], bool]) -> None:
        """Let one session grow, and write it anew again and again, its needles replaced."""
        session, path = self._new(Claude)
        while not over():
            await self.say(session, path, session.exchange())
            await sleep(PACE)
            self._replace(path)
            await sleep(4 * PACE)

    def write_whole(self, kind: type[Session], exchanges: int) -> Path:
        """Write a session at once; returns where."""
        session, path = self._new(kind)
        for _ in range(exchanges):
            needle = self.needles.make()
            with path.open("ab") as file:
                file.write(b"".join([*session.exchange(), *session.prompt(f"Please look at {needle} again")]))
            self.needles.add(needle, path)
        return path

    async def say(self, session: Session, path: Path, lines: Sequence[bytes]) -> None:
        """Append lines, and a prompt with a needle behind them, in two pieces."""
        needle = self.needles.make()
        data = b"".join([*lines, *session.prompt(f"Please look at {needle} again")])
        cut = self._random.randrange(len(data))
        with path.open("ab", buffering=0) as file:
            file.write(data[:cut])
            await sleep(TORN)
            file.write(data[cut:])
        self.needles.add(needle, path)

    def _replace(self, path: Path) -> None:
        data = path.read_bytes()
        changed: list[str] = []
        for old in self.needles.drop(path):
            changed.append(self.needles.make())
            data = data.replace(old.encode(), changed[-1].encode())
        beside = path.with_suffix(".new")
        beside.write_bytes(data)
        beside.replace(path)
        for needle in changed:
            self.needles.add(needle, path)

    def _new(self, kind: type[Session]) -> tuple[Session, Path]:
        self._begun += 1
        digits = hexadecimal(self._random, 32)
        id = f"{digits[:8]}-{digits[8:12]}-4{digits[13:16]}-a{digits[17:20]}-{digits[20:]}"
        project = self._random.choice(self._projects)
        session = kind(project, id, FIRST + timedelta(days=5 * self._begun), self._random)
        path = session.path(self._home)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"".join(session.begin()))
        return session, path
