"""The shape of a home's sessions: what a generated one has to have in common with recorded ones.

    python benchmarks/shape.py FOLDER

These readers are the benchmarks' own, for Claude Code and Codex: a measure must not lean on the code that it
measures.
"""

from __future__ import annotations

import argparse
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

WORD = re.compile(r"\w+")
QUANTILES = (0.25, 0.5, 0.75, 0.9, 0.99)


@dataclass(frozen=True)
class Text:
    """A piece of what a model sees: one block of one entry. `kind`: prompt, answer, thinking, call or result."""

    kind: str
    text: str


@dataclass(frozen=True)
class Shape:
    """What generated and recorded sessions are compared by.

    `visible`: bytes of text per byte of transcript. `terms`: different words in lower case per MB of text, in
    samples of equal size. `texts` and `results`: characters at the quantiles. `results_share`: of all text.
    """

    files: int
    lines: int
    megabytes: float
    visible: float
    terms: float
    texts: dict[float, int]
    results: dict[float, int]
    results_share: float
    kinds: dict[str, float]


def transcripts(folder: Path) -> list[Path]:
    """Claude Code's and Codex's transcripts under `folder`, subagents included, by path."""
    return sorted([*folder.rglob(".claude/projects/**/*.jsonl"), *folder.rglob(".codex/sessions/**/*.jsonl")])


def texts(path: Path) -> Iterator[Text]:
    """What a model sees of one transcript, each entry once."""
    seen: set[str] = set()
    with path.open("rb") as lines:
        for line in lines:
            try:
                entry = json.loads(line)
            except ValueError:
                continue
            if isinstance(entry, dict):
                uuid = entry.get("uuid")
                if uuid is None or uuid not in seen:
                    yield from (codex if "payload" in entry else claude)(entry)
                seen.add(str(uuid))


def claude(entry: dict[str, Any]) -> Iterator[Text]:
    """The blocks of a line of Claude Code's."""
    message = entry.get("message")
    if entry.get("type") not in ("user", "assistant") or not isinstance(message, dict):
        return
    content = message.get("content")
    said = "prompt" if entry["type"] == "user" else "answer"
    for block in [{"type": "text", "text": content}] if isinstance(content, str) else content or ():
        match block.get("type"):
            case "text":
                yield Text(said, block["text"])
            case "thinking":
                yield Text("thinking", block["thinking"])
            case "tool_use":
                yield Text("call", arguments(block["input"]))
            case "tool_result":
                yield Text("result", joined(block.get("content")))


def codex(entry: dict[str, Any]) -> Iterator[Text]:
    """The item of a line of Codex's; its events repeat items."""
    item = entry["payload"]
    if entry.get("type") != "response_item" or not isinstance(item, dict):
        return
    match item.get("type"):
        case "message":
            yield Text("answer" if item.get("role") == "assistant" else "prompt", joined(item.get("content")))
        case "reasoning":
            yield Text("thinking", joined(item.get("summary")))
        case "function_call" | "custom_tool_call":
            yield Text("call", item.get("arguments") or item.get("input") or "")
        case "function_call_output" | "custom_tool_call_output":
            yield Text("result", joined(item.get("output")))


def joined(content: Any) -> str:
    """Content as text, its blocks joined by newlines."""
    if isinstance(content, str):
        return content
    return "\n".join(part.get("text") or "" for part in content or () if isinstance(part, dict))


def arguments(given: Any) -> str:
    """A call's arguments as their values stand, without the JSON around them."""
    if isinstance(given, dict):
        return "\n".join(arguments(value) for value in given.values())
    return given if isinstance(given, str) else json.dumps(given)


def shape(folder: Path, sample: int = 1_000_000) -> Shape:
    """Read all transcripts under a folder; `sample`: characters of text that words are counted in.

    Raises:
        SystemExit: there are none.
    """
    paths = transcripts(folder)
    if not paths:
        raise SystemExit(f"No sessions of Claude Code or Codex under {folder}.")
    found = [text for path in paths for text in texts(path) if text.text]
    sizes = Counter[str]()
    for text in found:
        sizes[text.kind] += len(text.text.encode(errors="replace"))
    visible, total = sizes.total(), sum(path.stat().st_size for path in paths)
    return Shape(
        files=len(paths),
        lines=sum(path.read_bytes().count(b"\n") for path in paths),
        megabytes=total / 1e6,
        visible=visible / total,
        terms=terms(found, sample),
        texts=quantiles(len(text.text) for text in found),
        results=quantiles(len(text.text) for text in found if text.kind == "result"),
        results_share=sizes["result"] / visible,
        kinds={kind: size / visible for kind, size in sizes.items()},
    )


def terms(found: Iterable[Text], sample: int) -> float:
    """Different words per MB, the mean over runs of texts of about `sample` characters each.

    Vocabularies grow slower than texts, so that only samples of one size can be compared.
    """
    counts: list[float] = []
    words: set[str] = set()
    size = 0
    for text in found:
        words.update(WORD.findall(text.text.lower()))
        size += len(text.text)
        if size >= sample:
            counts.append(len(words) / size * 1e6)
            words, size = set(), 0
    return sum(counts) / len(counts) if counts else len(words) / max(size, 1) * 1e6


def quantiles(sizes: Iterable[int]) -> dict[float, int]:
    """The sizes at each of `QUANTILES`."""
    ordered = sorted(sizes)
    return {share: ordered[int(share * (len(ordered) - 1))] for share in QUANTILES}


def main() -> None:
    """Print the shape of the folder that the argument names."""
    parser = argparse.ArgumentParser(description="The shape of a home's sessions.")
    parser.add_argument("folder", type=Path)
    print(json.dumps(shape(parser.parse_args().folder).__dict__, indent=1))


if __name__ == "__main__":
    main()
