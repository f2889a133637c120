"""Sources whose files are no longer there: they stay, marked as gone, until they come back."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from prune_mcp.search.catalog.schema import LIVE, UNFINISHED
from prune_mcp.search.catalog.writer import CatalogWriter
from prune_mcp.search.rows import PlaceRow
from prune_mcp.sessions.session_file import SessionFile


def mark_gone(catalog: CatalogWriter, places: Iterable[PlaceRow], files: Sequence[SessionFile]) -> None:
    """Mark the sources that are gone, and unmark those that are back; `files` are all that were found now.

    A file that is there but was not found is left as it is: who looked may have looked elsewhere.

    Raises:
        StoreError: the catalog cannot be written.
    """
    found = {file.place for file in files}
    paths = {path for path, _ in found}
    missing: list[PlaceRow] = []
    back = set()
    for place in places:
        if place.place not in found:
            missing.append(place)
        elif place.gone:
            back.add(place.number)
    shown = {place.place for place in missing if place.status == LIVE}
    lost = [place for place in missing if not place.gone and _gone(place, place.path in paths)]
    # Of what was not all in nothing more will come: what was read of it is all there is.
    dead = {place.number for place in lost if place.status == UNFINISHED and place.place in shown}
    gone = {place.number for place in lost} - dead
    changed = catalog.numbered(gone | back)
    for source in changed:
        source.gone = source.number in gone
        source.status = LIVE if source.gone else source.status
    stale = [key for key in catalog.skipped() if key not in found and not Path(key[0]).exists()]
    if changed or dead or stale:
        with catalog.change() as version:
            catalog.put_sources(changed, version)
            catalog.kill(dead, version)
            for path, inside in stale:
                catalog.unskip(path, inside)


def _gone(place: PlaceRow, beside: bool) -> bool:
    """Whether a source that was not found is gone; `beside`: others in the same file were found."""
    return (beside and bool(place.inside)) or not Path(place.path).exists()
