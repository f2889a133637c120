"""A large Claude Code transcript, the same bytes for the same size and seed.

    python benchmarks/generate.py FILE [--megabytes 250] [--seed 7]

Its shape is that of real ones: a response stands on several lines that share one message id, every result
stands on its line twice (as the model saw it, and as the host keeps it, there with the whole file that an edit
changed), almost half of the lines are progress, parallel calls happen, and result sizes are log-normal with a
median of 170 characters, where the largest tenth holds three quarters of all text. For each result there are
some 10 kB of transcript. There is no compaction in it, so all of it is in the model's context, which is the
hardest case.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import string
from collections.abc import Iterator
from pathlib import Path
from typing import Any

Line = dict[str, Any]

MEDIAN_CHARS = 170
# The share of the largest tenth of a log-normal is Phi(sigma - 1.2816): 0.75 at this sigma.
SIGMA = 1.956
MOST_CHARS = 90_000
LEAST_CHARS = 20
EDITED_MEDIAN_CHARS = 11_000
EDITED_SIGMA = 1.0
PARALLEL_SHARE = 0.12
ERROR_SHARE = 0.05
TURNS_PER_EXCHANGE = 18

LETTERS = string.ascii_letters + string.digits
TOOLS = ("Read", "Bash", "Bash", "Grep", "Edit")
NOUNS = ("session", "reader", "store", "index", "worker", "parser", "cache", "router", "billing", "report")
VERBS = ("load", "merge", "render", "resolve", "archive", "update", "collect", "check", "split", "restore")


class Transcript:
    """Makes the lines of one session in order; all that varies comes from one seeded generator."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.count = 0
        self.parent: str | None = None
        self.session = f"{seed:08x}-0000-4000-8000-000000000000"
        self.file = "\n".join(self.code() for _ in range(3000))

    def exchange(self) -> Iterator[Line]:
        """A prompt, some turns with tools, and a closing answer."""
        yield self.line("user", self.prompt())
        for _ in range(1 + self.random.randrange(2 * TURNS_PER_EXCHANGE)):
            yield from self.turn()
        yield from self.response([{"type": "text", "text": self.prose(6)}], "end_turn")

    def turn(self) -> Iterator[Line]:
        """One response with its calls on lines of their own, progress, and the results."""
        parallel = 2 + self.random.randrange(3) if self.random.random() < PARALLEL_SHARE else 1
        calls = [self.call() for _ in range(parallel)]
        said = [{"type": "text", "text": self.prose(2)}] if self.random.random() < 0.5 else []
        yield from self.response([*said, *calls], "tool_use")
        for call in calls:
            for _ in range(self.random.randrange(5)):
                yield self.progress(call["id"])
            yield self.result(call)

    def response(self, blocks: list[dict[str, Any]], stop: str) -> Iterator[Line]:
        """One response as the host writes it: a line for each block, one message id."""
        response, request = self.id("msg"), self.id("req")
        for number, block in enumerate(blocks):
            message = {
                "model": "claude-sonnet-4-5",
                "id": response,
                "type": "message",
                "role": "assistant",
                "content": [block],
                "stop_reason": stop if number == len(blocks) - 1 else None,
                "stop_sequence": None,
                "usage": {"input_tokens": 3, "cache_read_input_tokens": 17842, "output_tokens": 120},
            }
            yield self.line("assistant", message, requestId=request)

    def call(self) -> dict[str, Any]:
        """A tool call."""
        name = self.random.choice(TOOLS)
        path = self.path()
        arguments = {
            "Read": {"file_path": path},
            "Bash": {"command": f"python -m pytest {path} -q", "description": f"Run the {self.noun()} tests"},
            "Grep": {"pattern": self.identifier(), "path": path},
            "Edit": {"file_path": path, "old_string": self.snippet(), "new_string": self.snippet()},
        }[name]
        return {"type": "tool_use", "id": self.id("toolu"), "name": name, "input": arguments}

    def result(self, call: dict[str, Any]) -> Line:
        """The line of a call's result."""
        text = self.output(call["name"])
        error = self.random.random() < ERROR_SHARE
        if error:
            text = f"Error: {self.identifier()} failed with exit code 1\n{text}"
        block = {"tool_use_id": call["id"], "type": "tool_result", "content": text, "is_error": error}
        kept = {"stdout": text, "stderr": "", "interrupted": False, "isImage": False}
        if call["name"] == "Edit":
            kept["originalFile"] = self.edited()
        return self.line("user", {"role": "user", "content": [block]}, toolUseResult=kept)

    def progress(self, call: str) -> Line:
        """A progress line, which no model sees."""
        data = {"type": "bash_progress", "output": self.prose(1), "fullOutput": self.prose(4), "totalLines": 5}
        line = self.line("progress", None, data=data, toolUseID=call, parentToolUseID=call)
        del line["message"]
        return line

    def line(self, kind: str, message: Any, **more: Any) -> Line:
        """A line with the fields that every line has, chained to the one before."""
        self.count += 1
        parent, self.parent = self.parent, f"{self.count:08x}-0000-4000-8000-{self.count:012x}"
        seconds = self.count % 86_400
        time = f"2026-01-02T{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}.000Z"
        return {
            "parentUuid": parent,
            "isSidechain": False,
            "userType": "external",
            "cwd": "/home/user/project",
            "sessionId": self.session,
            "version": "2.1.39",
            "gitBranch": "main",
            "type": kind,
            "message": message,
            "uuid": self.parent,
            "timestamp": time,
            **more,
        }

    def prompt(self) -> dict[str, Any]:
        """What the person asks."""
        return {
            "role": "user",
            "content": f"Please {self.random.choice(VERBS)} the {self.noun()}. {self.prose(2)}",
        }

    def output(self, tool: str) -> str:
        """An output of log-normal size."""
        drawn = self.random.lognormvariate(math.log(MEDIAN_CHARS), SIGMA)
        size = int(min(MOST_CHARS, max(LEAST_CHARS, drawn)))
        lines: list[str] = []
        room = size
        while room > 0:
            lines.append(self.output_line(tool, len(lines) + 1))
            room -= len(lines[-1]) + 1
        return "\n".join(lines)[:size]

    def output_line(self, tool: str, number: int) -> str:
        """One line as this tool prints it."""
        if tool == "Read":
            return f"{number:6d}\t{self.code()}"
        if tool == "Grep":
            return f"{self.path()}:{number * 7}:{self.code()}"
        if self.random.random() < 0.02:
            return f"E   AssertionError: {self.identifier()} == {self.random.randrange(10_000)}"
        return f"{self.path()}::test_{self.identifier()} PASSED [{number % 100:3d}%]"

    def id(self, kind: str) -> str:
        """An id as the provider makes them."""
        return f"{kind}_01{''.join(self.random.choices(LETTERS, k=22))}"

    def noun(self) -> str:
        """A noun of the project."""
        return self.random.choice(NOUNS)

    def identifier(self) -> str:
        """A name that code would use."""
        return f"{self.random.choice(VERBS)}_{self.noun()}_{self.random.randrange(500)}"

    def path(self) -> str:
        """A path in the project."""
        return f"src/{self.noun()}/{self.noun()}_{self.random.randrange(200)}.py"

    def code(self) -> str:
        """One line of code."""
        return f"    {self.noun()} = {self.identifier()}({self.noun()}, limit={self.random.randrange(1000)})"

    def snippet(self) -> str:
        """Some lines of code."""
        return "\n".join(self.code() for _ in range(1 + self.random.randrange(20)))

    def edited(self) -> str:
        """A whole file, of log-normal size."""
        size = int(self.random.lognormvariate(math.log(EDITED_MEDIAN_CHARS), EDITED_SIGMA))
        start = self.random.randrange(len(self.file) // 2)
        return self.file[start : start + size]

    def prose(self, sentences: int) -> str:
        """Some sentences."""
        said = (
            f"I will {self.random.choice(VERBS)} {self.identifier()} in {self.path()}." for _ in range(sentences)
        )
        return " ".join(said)


def lines(seed: int) -> Iterator[bytes]:
    """The lines of an endless session, newline included."""
    transcript = Transcript(seed)
    while True:
        for line in transcript.exchange():
            yield json.dumps(line, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def write_transcript(path: Path, size: int, seed: int = 7) -> None:
    """Write a transcript of at least `size` bytes (whole lines)."""
    written = 0
    with path.open("wb") as file:
        for line in lines(seed):
            written += file.write(line)
            if written >= size:
                return


def main() -> None:
    """Write the transcript that the arguments name."""
    parser = argparse.ArgumentParser(description="Write a large Claude Code transcript.")
    parser.add_argument("file", type=Path)
    parser.add_argument("--megabytes", type=float, default=250)
    parser.add_argument("--seed", type=int, default=7)
    arguments = parser.parse_args()
    write_transcript(arguments.file, int(arguments.megabytes * 1_000_000), arguments.seed)


if __name__ == "__main__":
    main()
