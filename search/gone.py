"""Sources whose files are no longer there: they stay, marked as gone, until they come back."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from prune_mcp.search.catalog_schema import LIVE, UNFINISHED
from prune_mcp.search.catalog_writer import CatalogWriter, PlaceRow
from prune_mcp.sessions.session_file import SessionFile


def mark_gone(catalog: CatalogWriter, files: Sequence[SessionFile]) -> None:
    """Mark the sources that are gone, and unmark those that are back; `files` are all that were found now.

    A file that is there but was not found is left as it is: who looked may have looked elsewhere.

    Raises:
        StoreError: the catalog cannot be written.
    """
    found = {(str(file.path), file.inside) for file in files}
    paths = {path for path, _ in found}
    known = catalog.places()
    shown = {place.key for place in known if place.status == LIVE}
    gone = {place.number for place in known if place.key not in found and _gone(place, place.path in paths)}
    back = {place.number for place in known if place.gone and place.key in found}
    # Of what was not all in nothing more will come: what was read of it is all there is.
    half = {place.number for place in known if place.status == UNFINISHED} & gone
    dead = {place.number for place in known if place.number in half and place.key in shown}
    changed = catalog.numbered({place.number for place in known if not place.gone} & gone - dead | back)
    for source in changed:
        source.gone = source.number in gone
        source.status = LIVE if source.gone else source.status
    stale = [place for place in catalog.skipped() if place not in found and not Path(place[0]).exists()]
    if changed or dead or stale:
        with catalog.change() as version:
            catalog.put_sources(changed, version)
            catalog.kill(dead, version)
            for place in stale:
                catalog.unskip(*place)


def _gone(place: PlaceRow, beside: bool) -> bool:
    """Whether a source that was not found is gone; `beside`: others in the same file were found."""
    return (beside and bool(place.inside)) or not Path(place.path).exists()
