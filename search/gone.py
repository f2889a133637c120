"""Sources whose files are no longer there: they stay, marked as gone, until they come back."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from prune_mcp.search.catalog_schema import DEAD, LIVE, UNFINISHED
from prune_mcp.search.catalog_writer import CatalogWriter
from prune_mcp.search.source import Source
from prune_mcp.sessions.session_file import SessionFile


def mark_gone(catalog: CatalogWriter, files: Sequence[SessionFile]) -> None:
    """Mark the sources that are gone, and unmark those that are back; `files` are all that were found now.

    A file that is there but was not found is left as it is: who looked may have looked elsewhere.

    Raises:
        StoreError: the catalog cannot be written.
    """
    found = {(str(file.path), file.inside) for file in files}
    paths = {path for path, _ in found}
    changed: list[Source] = []
    dead: list[int] = []
    sources = catalog.sources(f"status != {DEAD}")
    shown = {(source.path, source.inside) for source in sources if source.status == LIVE}
    for source in sources:
        place = source.path, source.inside
        gone = place not in found and _gone(source, source.path in paths)
        if gone and source.status == UNFINISHED:
            # Nothing more will come of it: what was read of it is all there is.
            source.status, source.gone = LIVE, True
            (dead.append(source.number) if place in shown else changed.append(source))
        elif source.gone != gone and (gone or place in found):
            source.gone = gone
            changed.append(source)
    stale = [place for place in catalog.skipped() if place not in found and not Path(place[0]).exists()]
    if changed or dead or stale:
        with catalog.change() as version:
            catalog.put_sources(changed, version)
            catalog.kill(dead, version)
            for place in stale:
                catalog.unskip(*place)


def _gone(source: Source, beside: bool) -> bool:
    """Whether a source that was not found is gone; `beside`: others in the same file were found."""
    return (beside and bool(source.inside)) or not Path(source.path).exists()
