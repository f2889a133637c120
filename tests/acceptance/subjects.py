"""What is pruned here: the sample, recorded sessions where they are at hand, and arrays made from all of them."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests import arrays, validity
from tests.arrays import Call, Result

SAMPLE = Path(__file__).parents[2] / "samples" / "flaky-upload.jsonl"
# A PNG of one pixel.
PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="
CHECKS: dict[str, Callable[[Sequence[Any]], list[str]]] = {
    "claude-code": validity.check_claude_code,
    "codex": validity.check_codex,
    "pi": validity.check_pi,
    "anthropic": validity.check_anthropic,
    "openai-chat": validity.check_openai_chat,
    "openai-responses": validity.check_openai_responses,
}


@dataclass(frozen=True)
class Transcript:
    """A session on disk."""

    path: Path
    format: str

    @property
    def name(self) -> str:
        """What it is called among the tests."""
        folder = "" if self.path == SAMPLE else f"{self.path.parent.name.removeprefix('-home-user-')}/"
        return f"{folder}{self.path.stem}"

    def lines(self) -> list[Any]:
        """Every line of the file that is JSON."""
        return [*_values(self.path.read_bytes().split(b"\n"))]


@dataclass(frozen=True)
class Array:
    """A message array: one recorded as such, or made from a session; without a source that of `awkward`."""

    source: Path | None
    format: str

    @property
    def name(self) -> str:
        """What it is called among the tests."""
        return f"{Transcript(self.source, '').name if self.source else 'awkward'}-as-{self.format}"

    def payload(self) -> Any:
        """The array or request body, as a program passes it in."""
        if self.source is None:
            return arrays.FORMATS[self.format](awkward(f"Look at this {self.format} array."))
        if self.source.suffix == ".json":
            return json.loads(self.source.read_bytes())
        return arrays.array(self.source, self.format)


def transcripts() -> list[Transcript]:
    """The sample, and every recorded session of Claude Code, Codex and pi, subagents' own files included."""
    home = _recorded() / "home"
    claude = sorted((home / ".claude" / "projects").rglob("*.jsonl"))
    pi = sorted((home / ".pi" / "agent" / "sessions").rglob("*.jsonl"))
    codex = sorted((home / ".codex" / "sessions").rglob("*.jsonl"))
    hosts = (("claude-code", claude), ("codex", codex), ("pi", pi))
    recorded = [Transcript(path, host) for host, paths in hosts for path in paths]
    return [Transcript(SAMPLE, "claude-code"), *recorded]


def message_arrays() -> list[Array]:
    """Arrays of all three formats of every transcript that has calls, and the recorded ones."""
    grouped = [each for each in transcripts() if each.format in ("claude-code", "pi")]
    calling = [each for each in grouped if any(turn.calls for turn in arrays.session_turns(each.path))]
    sources = [None, *(transcript.path for transcript in calling)]
    made = [Array(source, format) for source in sources for format in arrays.FORMATS]
    recorded = sorted((_recorded() / "messages" / "anthropic").glob("*.json"))
    return made + [Array(path, "anthropic") for path in recorded]


def awkward(begins: str) -> list[arrays.Turn]:
    """A conversation of what recorded ones lack: ids used again, images, outputs that look like our own text.

    `begins`: the first prompt, which tells whose refs these are.
    """
    turns = [arrays.Turn("user", begins), arrays.Turn("assistant", "I am looking.")]
    for number in range(8):
        calls = [Call(f"call_{at}", "Bash", {"command": f"run {number}.{at}"}) for at in range(4)]
        calls.append(Call("call_bad", "Write", {"path": "/w/a.txt", "content": f"line {number}\n" * 200}))
        results = [Result("call_bad", "Error: EROFS: read-only file system", error=True)]
        results += [Result(call.id, _awkward_output(number, at)) for at, call in enumerate(calls[:4])]
        results[-1].images = [("image/png", PIXEL)]
        turns += [arrays.Turn("user", f"Question {number}?"), arrays.Turn("assistant", calls=calls)]
        turns += [arrays.Turn("results", results=results), arrays.Turn("assistant", f"Answer {number}.")]
    return turns


def _awkward_output(number: int, at: int) -> str:
    ours = ["</compressed-chain>", f"[pruned t{number}: Bash | 2 lines, 20 chars]", f"--- call t{at} Bash chars=3"]
    head = "-----0123456789abcdef\ncursor: refs-AAAA\n" if at else "the same again\n"
    return head + "\n".join([*ours, *(f"{at}: row {row} of {number * at}" for row in range(120))])


def messages_of(payload: Any) -> list[Any]:
    """The messages of an array or a request body."""
    messages = payload if isinstance(payload, list) else payload.get("messages", payload.get("input"))
    assert isinstance(messages, list)
    return messages


def _recorded() -> Path:
    """The folder of recorded sessions; one that is not there when none is named."""
    return Path(os.environ.get("PRUNE_MCP_TEST_SESSIONS") or Path(__file__).with_name("none"))


def _values(lines: Sequence[bytes]) -> Iterator[Any]:
    for line in lines:
        try:
            yield json.loads(line)
        except ValueError:
            continue
