"""How well a search ranks: questions about recorded sessions whose right entries are known.

    python benchmarks/ranking.py [FOLDER]

Two sets of questions, written from reading the sessions, as somebody would ask weeks later; with each stand the
entries that answer it. `ranking_questions.json` is the set that the ranking was tuned on; its answers are those
that were read, and what of the first three hits of all rankings compared was judged to answer as well.
`ranking_held_out.json` was written later, and nothing was tuned on it; its answers are only those that were read.
Our ranking stands beside plain BM25 over the same passages, by their words alone and by the terms that we index.
"""

from __future__ import annotations

import argparse
import json
import re
import tempfile
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bm25 import Plain
from corpus import session_folder
from report import Table, publish
from running import OURS, environment, run

from prune_mcp.search import words
from prune_mcp.sessions.discover import discover
from prune_mcp.sessions.history import read_history
from prune_mcp.sessions.passage import Passage

COMMAND = "python benchmarks/ranking.py FOLDER"
SETS = {"tuned on": "ranking_questions.json", "held out": "ranking_held_out.json"}
MOST = 50
WORD = re.compile(r"\w+")


@dataclass(frozen=True)
class Question:
    """A question and the ids of the entries that answer it; `session` is the one they stand in."""

    question: str
    session: str
    entries: frozenset[str]


def questions(name: str) -> list[Question]:
    """The questions of a set of `SETS`."""
    known = json.loads((Path(__file__).parent / SETS[name]).read_bytes())
    return [Question(one["question"], one["session"], frozenset(one["entries"])) for one in known]


def home_of(folder: Path) -> Path:
    """The home folder in a folder of recorded sessions.

    Raises:
        SystemExit: there is none.
    """
    found = next(iter(sorted(folder.rglob(".claude"))), None)
    if found is None:
        raise SystemExit(f"No home folder with sessions under {folder}.")
    return found.parent


def passages(home: Path) -> list[Passage]:
    """Every passage of a home's sessions, as search knows them."""
    found: list[Passage] = []
    for file in discover({"HOME": str(home)}, home):
        history = read_history(file)
        found += history.passages()
        found += history.rest()
    return found


def ours(home: Path, asked: Sequence[Question]) -> list[list[str]]:
    """The entries that our search finds for each question, best first."""
    with tempfile.TemporaryDirectory(prefix="prune-mcp-ranking-") as folder:
        env = environment(home, Path(folder))
        run((*OURS, "index"), env)
        return [_hits(env, one.question) for one in asked]


def _hits(env: dict[str, str], question: str) -> list[str]:
    found = run((*OURS, "search", "--json", "--limit", str(MOST), "--", question), env, (0, 1))
    return [str(hit["entry"]) for hit in json.loads(found.out)["hits"]]


def plain(
    found: Sequence[Passage], asked: Sequence[Question], count: Callable[[str], dict[str, int]]
) -> list[list[str]]:
    """The entries that BM25 finds for each question, best first."""
    index = Plain([passage.text for passage in found], count)
    return [[found[at].entry for at in index.best(one.question, MOST)] for one in asked]


def by_word(text: str) -> dict[str, int]:
    """How often each word stands in a text."""
    return Counter(WORD.findall(text.lower()))


@dataclass(frozen=True)
class Quality:
    """Shares of the questions that the first or one of five hits answers, and the mean reciprocal rank."""

    first: float
    five: float
    reciprocal: float


def quality(ranked: Sequence[Sequence[str]], asked: Sequence[Question]) -> Quality:
    """How well the rankings answer the questions."""
    ranks = [rank(entries, one) for entries, one in zip(ranked, asked, strict=True)]
    count = len(asked)
    return Quality(
        first=sum(one == 1 for one in ranks) / count,
        five=sum(0 < one <= 5 for one in ranks) / count,
        reciprocal=sum(1 / one for one in ranks if one) / count,
    )


def rank(entries: Sequence[str], asked: Question) -> int:
    """The place of the first right entry, from 1; 0 where there is none."""
    return next((place for place, entry in enumerate(entries, 1) if entry in asked.entries), 0)


def rankings(home: Path, found: Sequence[Passage], asked: Sequence[Question]) -> dict[str, list[list[str]]]:
    """The entries that each ranking finds for each question, best first."""
    return {
        "ours": ours(home, asked),
        "plain BM25, words": plain(found, asked, by_word),
        "plain BM25, our terms": plain(found, asked, words.counts),
    }


def table(name: str, known: dict[str, Quality], questions: int, found: int) -> Table:
    """How well each ranking answers the questions of a set."""
    rows = [(each, 100 * one.first, 100 * one.five, f"{one.reciprocal:.3f}") for each, one in known.items()]
    title = f"{questions} questions, {name}, over {found} passages"
    return Table(title, ("ranking", "hit@1 %", "hit@5 %", "MRR"), rows)


def main() -> None:
    """Measure, print and commit the tables."""
    parser = argparse.ArgumentParser(description="How well a search ranks.")
    parser.add_argument("folder", nargs="?")
    parser.add_argument("--misses", action="store_true", help="Tell what the first five hits miss.")
    arguments = parser.parse_args()
    home = home_of(session_folder(arguments.folder))
    if arguments.misses:
        asked = questions("tuned on")
        for entries, one in zip(ours(home, asked), asked, strict=True):
            if not 0 < rank(entries, one) <= 5:
                print(rank(entries, one), one.question)
        return
    found = passages(home)
    tables: list[Table] = []
    facts: dict[str, dict[str, Any]] = {}
    for name in SETS:
        asked = questions(name)
        known = {each: quality(entries, asked) for each, entries in rankings(home, found, asked).items()}
        tables.append(table(name, known, len(asked), len(found)))
        facts[name] = {"questions": len(asked)} | {each: vars(one) for each, one in known.items()}
    publish("ranking", COMMAND, tables, {"ranking": facts})


if __name__ == "__main__":
    main()
