"""What a person who types a session, a ref or a project could mean."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import TYPE_CHECKING

from prune_mcp.engine.catalog import Catalog

if TYPE_CHECKING:
    from prune_mcp.engine.past import PastSessions
    from prune_mcp.storage.protocol import Store

# Sessions whose refs are offered where none is named, and files that are looked into for their folder.
NEWEST = 20


def sessions(store: Store, past: PastSessions, typed: str) -> list[str]:
    """The sessions whose id begins so, subagents aside, the latest written first; then those only archived.

    Raises:
        StoreError: the store cannot be read.
    """
    files = sorted(past.files(), key=lambda file: -file.mtime)
    archived = (record.id for record in store.sessions())
    return _begun(typed, chain((file.id for file in files if not file.parent), archived))


def refs(store: Store, typed: str, session: str = "") -> list[str]:
    """The refs that begin so, the newest first: of a session as `t5`, else of the newest ones as `t5@SESSION`.

    Raises:
        StoreError: the store cannot be read.
    """
    catalog = Catalog(store)
    if session:
        found = catalog.begun(session)[:1]
        return _begun(typed, (ref for one in found for ref in _refs(catalog, one)))
    newest = [record.id for record in catalog.records[:NEWEST]]
    return _begun(typed, (f"{ref}@{catalog.label(one)}" for one in newest for ref in _refs(catalog, one)))


def projects(past: PastSessions, typed: str) -> list[str]:
    """The names of the folders in which sessions were, if they begin so, the latest first.

    Raises:
        StoreError: the index cannot be read.
    """
    from prune_mcp.search.find.filters import project_name

    indexed = sorted(past.index.view().sources.values(), key=lambda source: -source.last)
    newest = sorted(past.files(), key=lambda file: -file.mtime)[:NEWEST]
    recent = (project_name(file.cwd, file.project) for file in newest)
    return _begun(typed, chain(recent, (project_name(source.cwd, source.project) for source in indexed)))


def _refs(catalog: Catalog, session: str) -> Iterator[str]:
    for number in reversed(catalog.numbers(session, "t")):
        yield f"t{number}"
    for number in reversed(catalog.numbers(session, "b")):
        yield f"b{number}"


def _begun(typed: str, words: Iterable[str]) -> list[str]:
    """Each word once that begins as typed, whatever its case."""
    begin = typed.strip().casefold()
    return [word for word in dict.fromkeys(words) if word and word.casefold().startswith(begin)]
