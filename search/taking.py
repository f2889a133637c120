"""Taking one file into a slice: only what is new, where what is there already is known to go on."""

from __future__ import annotations

from itertools import chain

from prune_mcp.search.catalog_schema import LIVE
from prune_mcp.search.secrets import mask
from prune_mcp.search.slice import Slice
from prune_mcp.search.source import Source
from prune_mcp.sessions.history import read_history
from prune_mcp.sessions.session_file import SessionFile


def whole(file: SessionFile, number: int, rows: Slice) -> None:
    """Read a file from its start, as a source of this number."""
    history = read_history(file)
    source = Source.of(number, file)
    rows.begin(source, file)
    for passage in chain(history.passages(), history.rest()):
        rows.add(passage)
    source.learn(history, mask(history.title))
    source.mark = history.mark()
    source.status = LIVE
    rows.end()
