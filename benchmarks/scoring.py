"""Later-use recall: how much a pruned view saves, and what it still shows of what the session goes on to use.

A session is cut in two; the first part is pruned. Its *facts* are the identifiers (paths, names, numbers)
that stood in tool results of the first part and that the assistant uses in the second. The facts *only*
results told stand nowhere else in the first part. A fact is in view when the view shows it whole, or shows
its folder and its name in one block, so that grouped lists count. The saving is over the UTF-8 bytes of all
that the model sees (texts, arguments, results), and whatever the view adds counts against it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from corpus import Block, Message, blocks_of

SHORTEST_FACT = 6
CUTS = 3

PATTERNS = {
    "identifiers": re.compile(
        r"[A-Za-z_][A-Za-z0-9_]*(?:[./:-][A-Za-z0-9_]+)+"
        r"|[A-Za-z]+(?:_[A-Za-z0-9]+)+"
        r"|[a-z]+(?:[A-Z][a-z0-9]+)+"
        r"|[0-9a-f]{7,40}"
        r"|\d{4,}"
    ),
    "wide": re.compile(
        r"(?:~|\.{1,2})?/?[\w.@+-]+(?:/[\w.@+-]+)+"
        r"|[A-Za-z_]\w*(?:(?:\.|::|->)[A-Za-z_]\w*)+"
        r"|[A-Z][a-z0-9]+(?:[A-Z][a-z0-9]*)+"
        r"|[A-Z][A-Z0-9]+(?:[_-][A-Z0-9]+)+"
        r"|\w+(?:[_-]\w+)+"
        r"|v?\d+(?:[.,:]\d+)+"
        r"|\d{3,}"
    ),
    "words": re.compile(r"[A-Za-z0-9_$]*(?:[a-z][A-Z]|[A-Za-z]\d|\d[A-Za-z]|_)[A-Za-z0-9_$]*|\d{4,}"),
}


@dataclass(frozen=True)
class Score:
    """Facts used later and kept in view, those that only results told, and bytes before and after."""

    used: int = 0
    kept: int = 0
    only: int = 0
    kept_only: int = 0
    full: int = 0
    view: int = 0

    def __add__(self, other: Score) -> Score:
        """Both scores counted together."""
        pairs = zip(self.__dict__.values(), other.__dict__.values(), strict=True)
        return Score(*(mine + theirs for mine, theirs in pairs))

    @property
    def saving(self) -> float:
        """The saved share of the bytes, in percent."""
        return 100 * (1 - self.view / self.full) if self.full else 0.0

    @property
    def all_in_view(self) -> float:
        """The share of all used facts that the view shows, in percent."""
        return 100 * self.kept / max(1, self.used)

    @property
    def only_in_view(self) -> float:
        """The share of the facts told only by results that the view shows, in percent."""
        return 100 * self.kept_only / max(1, self.only)


def total(scores: Iterable[Score]) -> Score:
    """All scores counted together."""
    return sum(scores, Score())


def cut_points(messages: list[Message], cuts: int = CUTS) -> list[int]:
    """Evenly spread indexes, each of an assistant message that follows a user message."""
    fit = [
        index
        for index in range(1, len(messages))
        if messages[index]["role"] == "assistant" and messages[index - 1]["role"] == "user"
    ]
    wanted = [len(messages) * part // (cuts + 1) for part in range(1, cuts + 1)]
    return sorted({min(fit, key=lambda index: abs(index - want)) for want in wanted}) if fit else []


def visible(message: Message) -> Iterator[tuple[str, str]]:
    """What the model sees of a message, thinking aside, as (`text`, `args` or `result`, the text)."""
    for block in blocks_of(message):
        match block.get("type"):
            case "text":
                yield "text", block["text"]
            case "tool_use":
                yield "args", json.dumps(block.get("input", {}), ensure_ascii=False)
            case "tool_result":
                yield "result", result_text(block)


def result_text(block: Block) -> str:
    """The text of a tool result."""
    content = block.get("content") or ""
    if isinstance(content, str):
        return content
    return "\n".join(part.get("text", "") for part in content if isinstance(part, dict))


def size(messages: list[Message]) -> int:
    """The UTF-8 bytes of everything visible."""
    return sum(len(text.encode("utf-8", "replace")) for message in messages for _, text in visible(message))


def facts(text: str, pattern: re.Pattern[str]) -> set[str]:
    """The identifiers in a text."""
    return {found.group(0) for found in pattern.finditer(text) if len(found.group(0)) >= SHORTEST_FACT}


def _gather(messages: list[Message], kinds: tuple[str, ...], pattern: re.Pattern[str]) -> set[str]:
    found: set[str] = set()
    for message in messages:
        for kind, text in visible(message):
            if kind in kinds:
                found |= facts(text, pattern)
    return found


def score(full: list[Message], future: list[Message], view: list[Message], pattern: re.Pattern[str]) -> Score:
    """Score `view`, which stands for `full`, by what the assistant uses in `future`."""
    told = _gather(full, ("result",), pattern)
    spoken = [message for message in future if message["role"] == "assistant"]
    used = _gather(spoken, ("text", "args"), pattern) & told
    only = used - _gather(full, ("text", "args"), pattern)
    shown = _gather(view, ("text", "args", "result"), pattern)
    parts = [text for message in view for _, text in visible(message)]
    kept = {fact for fact in used if fact in shown or _grouped(fact, parts)}
    return Score(len(used), len(kept), len(only), len(kept & only), size(full), size(view))


def _grouped(fact: str, parts: list[str]) -> bool:
    folder, slash, name = fact.rpartition("/")
    return bool(slash) and any(folder in part and name in part for part in parts)
