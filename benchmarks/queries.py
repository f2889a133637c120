"""Queries for a home of sessions: words drawn from its own texts, by how many of them hold each."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from shape import Text, texts, transcripts

WORD = re.compile(r"[a-z]{4,30}")
NAME = re.compile(r"\w+")
CLASSES = ("rare", "selective", "common", "four words", "phrase", "prefix", "filtered")
PER_CLASS = 12
SAMPLED = 2_000


@dataclass(frozen=True)
class Query:
    """One query: its class, its words, whether they are a phrase or a prefix, and the filters it is asked with."""

    kind: str
    words: tuple[str, ...]
    filters: tuple[tuple[str, str], ...] = ()

    @property
    def text(self) -> str:
        """The query as it is written for us."""
        if self.kind == "phrase":
            return f'"{" ".join(self.words)}"'
        return " ".join(self.words) + ("*" if self.kind == "prefix" else "")

    @property
    def arguments(self) -> dict[str, Any]:
        """The arguments of `history_search`."""
        return {"query": self.text, "all": True, **dict(self.filters)}


def queries(home: Path, seed: int = 7) -> list[Query]:
    """The queries of each class, the same for the same home and seed, in random order."""
    random = Random(seed)
    known = Counter[str]()
    sampled: list[str] = []
    projects = Counter[str]()
    count = 0
    for path in transcripts(home):
        projects[_project(path)] += 1
        for text in texts(path):
            count += 1
            words = set(WORD.findall(text.text.lower()))
            known.update(words)
            if random.random() < SAMPLED / (count + SAMPLED):
                sampled.append(text.text.lower())
    drawn = _drawn(known, count, sampled, [name for name, _ in projects.most_common(12) if name], random)
    random.shuffle(drawn)
    return drawn


def _project(path: Path) -> str:
    """The name of the project that a transcript of Claude Code's lies under."""
    parts = path.parts
    return parts[parts.index("projects") + 1].rsplit("-", 1)[-1] if "projects" in parts else ""


def _drawn(
    known: Counter[str], count: int, sampled: Sequence[str], projects: Sequence[str], random: Random
) -> list[Query]:
    bands = {
        "rare": _band(known, 3, 15),
        "selective": _band(known, max(16, count // 2000), max(40, count // 60)),
        "common": _band(known, count // 8, count),
    }
    found = [Query(kind, (word,)) for kind, words in bands.items() for word in _some(words, random)]
    one, middle, often = bands.values()
    for _ in range(PER_CLASS):
        found.append(Query("four words", (*random.sample(middle, 2), random.choice(often), random.choice(one))))
    found += [Query("phrase", phrase) for phrase in _phrases(sampled, random)]
    found += [Query("prefix", (word[:5],)) for word in _some(middle, random)]
    filters = (*(("project", name) for name in projects), ("role", "result"), ("role", "user"))
    words = [*_some(often, random), *_some(middle, random)]
    for word in words[:: max(1, len(words) // PER_CLASS)]:
        found.append(Query("filtered", (word,), (random.choice(filters), ("since", "2026-03-01"))))
    return found


def _band(known: Counter[str], least: int, most: int) -> list[str]:
    words = sorted(word for word, times in known.items() if least <= times <= most)
    if not words:
        raise SystemExit(f"The home is too small: no word stands in {least} to {most} texts.")
    return words


def _some(words: Sequence[str], random: Random) -> list[str]:
    return random.sample(words, min(PER_CLASS, len(words)))


def _phrases(sampled: Sequence[str], random: Random) -> Iterable[tuple[str, ...]]:
    """Three words that follow each other in some text, parted by nothing but a blank."""
    found: list[tuple[str, ...]] = []
    while len(found) < PER_CLASS:
        words = re.findall(r"\b([a-z]+) ([a-z]+) ([a-z]+)\b", random.choice(sampled))
        if words:
            found.append(random.choice(words))
    return found


def extracted(home: Path) -> Iterable[Text]:
    """All that a model saw of a home's sessions, for engines that cannot read transcripts."""
    for path in transcripts(home):
        for text in texts(path):
            if text.text:
                yield text
