"""Forgettings that were begun: kept in the data folder until they have come to their end, so that one that was cut
short is known and goes on."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from prune_mcp.engine.answers import EngineError
from prune_mcp.engine.care.forgetting import Chosen
from prune_mcp.engine.settings import replace_file
from prune_mcp.storage.failures import Failures
from prune_mcp.storage.home import Home, private_folder

NAME = "forgetting-"
NAME_CHARS = 16
# What it takes to go on: neither titles nor folders.
KEPT = ("session", "host", "path", "inside")


@contextmanager
def begun(home: Home, chosen: Sequence[Chosen]) -> Iterator[None]:
    """While sessions are forgotten: that it was begun is known until this ends, also to other processes. An
    `EngineError` in it means that nothing was begun.

    Raises:
        StoreError: that cannot be kept; nothing was begun.
    """
    data = json.dumps([{name: getattr(each, name) for name in KEPT} for each in chosen]).encode()
    path = home.data / f"{NAME}{hashlib.sha256(data).hexdigest()[:NAME_CHARS]}"
    private_folder(home.data)
    with Failures(path):
        replace_file(path, data)
    try:
        yield
    except EngineError:
        path.unlink(missing_ok=True)
        raise
    path.unlink(missing_ok=True)


def unfinished(home: Home) -> list[Path]:
    """What was begun and has not come to its end, a file for each."""
    return sorted(home.data.glob(f"{NAME}*"))


def sessions_of(path: Path) -> list[Chosen]:
    """The sessions of one that was begun; none where it has ended meanwhile, or was not begun whole."""
    try:
        return [Chosen(title="", project="", **values) for values in json.loads(path.read_bytes())]
    except (FileNotFoundError, ValueError, TypeError):
        return []
