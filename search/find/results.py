"""Kept results: what a search found, in order, so that its pages join however the history grows in between."""

from __future__ import annotations

import json
import os
import re
import tempfile
from collections.abc import Sequence
from hashlib import blake2b
from pathlib import Path
from typing import Any, NamedTuple

from prune_mcp.search.find.question import Question, QuestionWrong, SearchError
from prune_mcp.storage.home import private_folder

KEPT = 100
_CURSOR = re.compile(r"search-([0-9a-f]{16})-(\d{1,6})-(\d{1,6})")
_NOISE = " \t\r\n`'\""
# A time such as "a week ago" is another one for each page.
_DAY = 86_400


class Kept(NamedTuple):
    """A kept list. `total`: how much was found in all; `found`: what comes after the first page; `at`: where in
    that to go on; `shown`: how many hits were shown before."""

    name: str
    total: int
    found: Sequence[Any]
    at: int
    shown: int


class Results:
    """The result lists in `folder`, each a file of its own; the oldest beyond `KEPT` go."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def keep(self, question: Question, total: int, found: Sequence[Any]) -> str:
        """Keep what was found (JSON values; `total` in all), and return the list's name.

        Raises:
            OSError: the list cannot be written.
            StoreError: its folder cannot be made.
        """
        span = question.since, question.until
        kept = {"question": _asked(question), "span": span, "total": total, "found": found}
        data = json.dumps(kept, separators=(",", ":")).encode()
        name = blake2b(data, digest_size=8).hexdigest()
        if self._path(name).exists():
            # To replace it with the same would make some file systems wait for the disk.
            os.utime(self._path(name))
            return name
        private_folder(self._folder)
        handle, unfinished = tempfile.mkstemp(dir=self._folder, prefix=".", suffix=".tmp")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(data)
            Path(unfinished).replace(self._path(name))
        except OSError:
            Path(unfinished).unlink(missing_ok=True)
            raise
        self._sweep()
        return name

    def load(self, question: Question) -> Kept:
        """The list that the question's cursor goes on with, and where.

        Raises:
            QuestionWrong: the cursor is none of ours, or belongs to another question.
            SearchError: its list is gone.
        """
        cursor = _CURSOR.fullmatch(question.cursor.strip(_NOISE))
        if not cursor:
            raise QuestionWrong(
                "This is no cursor of a search. Copy the one at the end of its answer, or leave it out."
            )
        try:
            kept = json.loads(self._path(cursor[1]).read_bytes())
        except (OSError, ValueError) as error:
            raise SearchError(
                "What this cursor goes on with is no longer kept. Ask the question again without a cursor."
            ) from error
        moved = (abs(a - b) for a, b in zip(kept["span"], (question.since, question.until), strict=True))
        if kept["question"] != _asked(question) or max(moved) > _DAY:
            raise QuestionWrong(
                "This cursor belongs to another question. Repeat that one with the very same filters, or leave "
                "the cursor out to ask this one from the start."
            )
        return Kept(cursor[1], kept["total"], kept["found"], int(cursor[2]), int(cursor[3]))

    def _path(self, name: str) -> Path:
        return self._folder / f"{name}.json"

    def _sweep(self) -> None:
        """Remove the oldest lists, and what a writer that died left behind."""
        with os.scandir(self._folder) as entries:
            files = [entry.path for entry in entries]
        if len(files) > KEPT:
            for path in sorted(files, key=_written)[: len(files) - KEPT]:
                Path(path).unlink(missing_ok=True)


def cursor_to(name: str, offset: int, shown: int) -> str:
    """The cursor for a kept list, from the `offset`-th of what was found on, when so many hits were shown."""
    return f"search-{name}-{offset}-{shown}"


def _asked(question: Question) -> str:
    """What tells one question from another; how many hits a page has does not."""
    asked = [
        " ".join(question.text.split()),
        *(question.session, question.newest, question.project, question.role, question.tool, question.agent),
    ]
    return blake2b(json.dumps(asked).encode(), digest_size=16).hexdigest()


def _written(path: str) -> float:
    try:
        return Path(path).stat().st_mtime
    except OSError:
        return 0.0
