"""What happens in generated sessions, whatever host writes it down: prompts, thoughts, answers, calls, results."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from random import Random
from typing import Any

from sizes import length
from vocabulary import Project, hexadecimal

TURNS_PER_EXCHANGE = 10
THOUGHT_SHARE = 0.13
SAID_SHARE = 0.44
PARALLEL_SHARE = 0.1
ERROR_SHARE = 0.05
SECRET_SHARE = 0.0012
LONG_CALL = 330
LONG_RESULT = 1_700


@dataclass
class Call:
    """One tool call and its result. `whole`: the file that it read or changed, as a host keeps it beside."""

    tool: str
    arguments: dict[str, Any]
    result: str
    error: bool = False
    whole: list[str] = field(default_factory=list)


@dataclass
class Turn:
    """One response of the model: what it thought and said ("" for nothing), and its calls."""

    thought: str
    said: str
    calls: list[Call]


class Work:
    """Makes the exchanges of a session about one project."""

    def __init__(self, project: Project, random: Random) -> None:
        self.project = project
        self.random = random

    def prompt(self) -> str:
        """What the person asks; a long prompt has logs or code pasted in."""
        size = length("prompt", self.random)
        if size < 600:
            return self.project.text("sentence", size)
        pasted = self.project.text(self.random.choice(("log", "code")), size)
        return f"{self.project.text('sentence', 300)}\n\n{pasted}"

    def turns(self) -> Iterator[Turn]:
        """The turns of one exchange; the last one calls nothing."""
        for _ in range(1 + self.random.randrange(2 * TURNS_PER_EXCHANGE)):
            calls = 2 + self.random.randrange(3) if self.random.random() < PARALLEL_SHARE else 1
            yield Turn(self._maybe("thinking", THOUGHT_SHARE), self._maybe("answer", SAID_SHARE),
                       [self.call() for _ in range(calls)])  # fmt: skip
        yield Turn("", self._text("answer"), [])

    def summary(self) -> str:
        """What a compaction leaves of a session."""
        told = self.project.text("sentence", 9_000)
        return f"This session is being continued from a previous conversation.\n{told}"

    def call(self) -> Call:
        """A call and its result, of sizes as recorded; the tool is one that such sizes fit."""
        asked, told = length("call", self.random), length("result", self.random)
        if asked > LONG_CALL:
            return self._write(asked, told) if self.random.random() < 0.85 else self._command(asked, told)
        share = self.random.random()
        if share < (0.62 if told > LONG_RESULT else 0.2):
            return self._read(told)
        if share < (0.75 if told > LONG_RESULT else 0.35):
            return self._search(told)
        return self._command(asked, told)

    def _command(self, asked: int, told: int) -> Call:
        path = self.project.path()
        commands = (f"pytest {path} -q", f"cd {self.project.cwd} && git log --oneline", f"cat {path}")
        command = self.random.choice(commands)
        if asked > LONG_CALL:
            command = f"cat > {path} <<'EOF'\n" + "\n".join(self.project.passage(path, asked)) + "\nEOF"
        elif asked > len(command):
            command += " | " + self.project.text("log", asked - len(command))
        error = self.random.random() < ERROR_SHARE
        result = ("Exit code 1\n" if error else "") + self.project.text("log", told)
        if self.random.random() < SECRET_SHARE:
            result = f"export API_KEY=sk-ant-api03-{hexadecimal(self.random, 40)}\n{result}"
        arguments = {"command": command, "description": self.project.text("sentence", 30)}
        return Call("Bash", arguments, result, error)

    def _read(self, told: int) -> Call:
        path = self.project.path()
        lines = self.project.passage(path, told)
        first = self.random.randrange(1, 200)
        return Call("Read", {"file_path": path, "offset": first}, numbered(lines, first)[:told], whole=lines)

    def _search(self, told: int) -> Call:
        pattern = self.project.names.draw(self.random, 1)[0]
        lines: list[str] = []
        room = told
        while room > 0:
            path = self.project.path()
            lines.append(f"{path}:{self.random.randrange(800)}:{self.random.choice(self.project.file(path))}")
            room -= len(lines[-1]) + 1
        return Call("Grep", {"pattern": pattern, "path": self.project.cwd}, "\n".join(lines)[:told])

    def _write(self, asked: int, told: int) -> Call:
        path = self.project.path()
        whole = self.project.file(path)
        if told < 130:
            content = self.project.text("code", asked)
            return Call("Write", {"file_path": path, "content": content}, f"File created successfully at: {path}")
        old = "\n".join(self.project.passage(path, asked // 2))
        arguments = {"file_path": path, "old_string": old, "new_string": self.project.text("code", asked // 2)}
        changed = f"The file {path} has been updated.\n{numbered(self.project.passage(path, told), 40)}"
        return Call("Edit", arguments, changed[: max(told, 60)], whole=whole)

    def _text(self, kind: str) -> str:
        return self.project.text("sentence", length(kind, self.random))

    def _maybe(self, kind: str, share: float) -> str:
        return self._text(kind) if self.random.random() < share else ""


def numbered(lines: list[str], first: int) -> str:
    """Lines as a reading tool shows them."""
    return "\n".join(f"{number:6d}→{line}" for number, line in enumerate(lines, first))
