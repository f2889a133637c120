"""Transcripts of any kind for property tests: what hosts write, in any order, with rewinds, forks and damage."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from tests.sessions.transcripts.writing import ClaudeFile, PiFile, text, thinking, tool_call, tool_use

DAMAGE = (b"null", b'{"torn": ', b"\0\0\0", b"42", b"", b"\xef\xbb\xbf", b'{"type":"x","sessionId":"s"}')
# What every session is made of, and what may make earlier entries mean something else.
CLAUDE_STEPS = (
    *("prompt", "prompt", "prompt", "says", "turn", "turn", "turn", "large", "parallel", "snapshots", "compact"),
    *("queue", "dequeue", "attach", "side", "title", "silent", "damage", "orphan"),
)
CLAUDE_TURNS = ("rewind", "fork", "repeat", "changed", "late", "root", "same_id", "kept")
PI_STEPS = (
    *("prompt", "prompt", "prompt", "says", "turn", "turn", "large", "edit", "compact", "aborted"),
    *("silent", "name", "damage", "bash", "late", "orphan"),
)
PI_TURNS = ("rewind", "summary", "same_id", "back")
Step = tuple[str, int]


def steps(plain: Sequence[str], turns: Sequence[str], most: int = 40) -> st.SearchStrategy[list[Step]]:
    """Steps of a session: what is done, and a number that picks what it is done to. Of the turns come two at most,
    since each may cost a reading of the whole."""
    numbers = st.integers(0, 1000)
    usual = st.lists(st.tuples(st.sampled_from(plain), numbers), min_size=1, max_size=most)
    rare = st.lists(st.tuples(st.sampled_from(turns), numbers, st.integers(0, most)), max_size=2)
    return st.builds(_with_turns, usual, rare)


def _with_turns(usual: list[Step], rare: list[tuple[str, int, int]]) -> list[Step]:
    session = usual.copy()
    for kind, pick, at in rare:
        session.insert(at % (len(session) + 1), (kind, pick))
    return session


class Writer:
    """Writes a session step by step: each step is a method. `ids`: the entries written so far."""

    ids: list[str]

    def write(self, path: Path, session: list[Step]) -> bytes:
        """Take the steps; the bytes of the file. A step's word makes its text its own."""
        for number, (kind, pick) in enumerate(session):
            step: Callable[[int, str], str | None] = getattr(self, kind)
            if id := step(pick, f"w{number}"):
                self.ids.append(id)
        return path.read_bytes()

    def earlier(self, pick: int) -> str:
        """An entry written before."""
        return self.ids[pick % len(self.ids)]


class ClaudeWriter(Writer):
    """Writes a Claude Code transcript."""

    def __init__(self, path: Path) -> None:
        self.file = ClaudeFile(path)
        self.ids = [self.file.prompt("begin")]

    def prompt(self, pick: int, word: str) -> str:
        return self.file.prompt(f"ask {word}")

    def says(self, pick: int, word: str) -> str:
        return self.file.says(thinking(f"hm {word}"), f"say {word}")

    def turn(self, pick: int, word: str) -> str:
        self.file.says(tool_use(f"c{word}", "Bash" if pick % 3 else "history_search", command=word))
        return self.file.result(f"c{word}", f"out {word}")

    def large(self, pick: int, word: str) -> str:
        return self.file.turn(f"c{word}", f"big {word} " * (20_000 + 100 * pick))

    def parallel(self, pick: int, word: str) -> str:
        calls = [self.file.says(tool_use(f"{word}-{n}", "Read", path=word), id=f"m{word}") for n in range(2)]
        results = [self.file.result(f"{word}-{n}", f"part {n} {word}", parent=up) for n, up in enumerate(calls)]
        return results[-1]

    def snapshots(self, pick: int, word: str) -> str:
        lines = [self.file.says("grow " * n + word * (n > 1), id=f"m{word}") for n in range(1, 3 + pick % 3)]
        return lines[-1]

    def queue(self, pick: int, word: str) -> None:
        self.file.line({"type": "queue-operation", "operation": "enqueue", "content": f"ask w{pick % 50}"})

    def dequeue(self, pick: int, word: str) -> None:
        self.file.line({"type": "queue-operation", "operation": "dequeue", "sessionId": self.file.session})

    def attach(self, pick: int, word: str) -> str:
        return self.file.entry("attachment", attachment={"type": "queued_command", "prompt": f"ask w{pick % 50}"})

    def side(self, pick: int, word: str) -> None:
        tip = self.file.tip
        self.file.prompt(f"explore {word}", parent=None, isSidechain=True)
        self.file.says(f"explored {word}", isSidechain=True)
        self.file.tip = tip

    def title(self, pick: int, word: str) -> None:
        summary = {"type": "summary", "summary": f"sum {pick % 3}", "leafUuid": self.earlier(pick)}
        self.file.line(summary if pick % 2 else {"type": "ai-title", "aiTitle": f"title {pick % 3}"})

    def silent(self, pick: int, word: str) -> None:
        output: dict[str, Any] = {"type": "bash_progress", "fullOutput": f"so far {word}"}
        data = output if pick % 2 else {"type": "hook_progress"}
        self.file.entry("progress", data=data, parentToolUseID=f"c{word}")

    def damage(self, pick: int, word: str) -> None:
        self.file.write(DAMAGE[pick % len(DAMAGE)] + b"\n")

    def compact(self, pick: int, word: str) -> str:
        return self.file.compact(f"summed up {word}")

    def kept(self, pick: int, word: str) -> str:
        segment = {"anchorUuid": self.ids[-1], "headUuid": self.earlier(pick), "tailUuid": self.ids[-1]}
        return self.file.compact(f"kept {word}", preservedSegment=segment)

    def orphan(self, pick: int, word: str) -> str:
        return self.file.prompt(f"orphan {word}", parent=f"lost-{pick % 5}")

    def rewind(self, pick: int, word: str) -> str:
        return self.file.prompt(f"instead {word}", parent=self.earlier(pick))

    def fork(self, pick: int, word: str) -> str:
        return self.file.says(f"forked {word}", parent=self.earlier(pick))

    def repeat(self, pick: int, word: str) -> None:
        lines = self.file.path.read_bytes().splitlines(keepends=True)
        self.file.write(lines[pick % len(lines)])

    def changed(self, pick: int, word: str) -> None:
        self.file.prompt(f"changed {word}", uuid=self.earlier(pick), parent=self.earlier(pick // 7))

    def same_id(self, pick: int, word: str) -> None:
        self.file.says("two", f"parts {word}", uuid=self.earlier(pick))

    def late(self, pick: int, word: str) -> str:
        return self.file.result(f"cw{pick % 40}", f"late {word}")

    def root(self, pick: int, word: str) -> str:
        return self.file.prompt(f"anew {word}", parent=None)


class PiWriter(Writer):
    """Writes a pi session."""

    def __init__(self, path: Path, version: int) -> None:
        self.file = PiFile(path, version)
        self.ids = [self.file.prompt("begin")]

    def prompt(self, pick: int, word: str) -> str:
        return self.file.prompt(f"ask {word}")

    def says(self, pick: int, word: str) -> str:
        return self.file.says({"type": "thinking", "thinking": f"hm {word}"}, f"say {word}")

    def turn(self, pick: int, word: str) -> str:
        return self.file.turn(f"c{word}", f"out {word}")

    def large(self, pick: int, word: str) -> str:
        return self.file.turn(f"c{word}", f"big {word} " * (20_000 + 100 * pick))

    def edit(self, pick: int, word: str) -> str:
        replacement = {"content": f"short {word}"}
        return self.file.entry("context_edit", targetId=self.earlier(pick), replacement=replacement)

    def compact(self, pick: int, word: str) -> str:
        first = self.earlier(pick)
        return self.file.entry("compaction", summary=f"summed up {word}", firstKeptEntryId=first, tokensBefore=1)

    def summary(self, pick: int, word: str) -> str:
        return self.file.entry("branch_summary", parent=self.earlier(pick), fromId="x", summary=f"left {word}")

    def silent(self, pick: int, word: str) -> None:
        self.file.entry("model_change", modelId=word)

    def back(self, pick: int, word: str) -> None:
        self.file.entry("model_change", modelId=word, parent=self.earlier(pick))

    def name(self, pick: int, word: str) -> None:
        self.file.entry("session_info", name=f"name {pick % 3}")

    def damage(self, pick: int, word: str) -> None:
        self.file.write(DAMAGE[pick % len(DAMAGE)] + b"\n")

    def bash(self, pick: int, word: str) -> str:
        message = {"role": "bashExecution", "command": word, "output": f"ran {word}", "exitCode": pick % 2}
        return self.file.entry("message", message=message)

    def aborted(self, pick: int, word: str) -> str:
        return self.file.says(f"half {word}", tool_call(f"d{word}"), stop="aborted")

    def late(self, pick: int, word: str) -> str:
        return self.file.result(f"cw{pick % 40}", f"late {word}")

    def orphan(self, pick: int, word: str) -> str:
        return self.file.prompt(f"orphan {word}", parent=f"lost-{pick % 5}")

    def rewind(self, pick: int, word: str) -> str:
        return self.file.prompt(f"instead {word}", parent=self.earlier(pick))

    def same_id(self, pick: int, word: str) -> None:
        message = {"role": "user", "content": [text(f"same {word}")]}
        self.file.entry("message", id=self.earlier(pick), message=message)
