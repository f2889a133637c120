"""What pruning has come to: the ledger of each session and of all, and what is kept on disk for it."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

from prune_mcp.engine.care.space import Space, space
from prune_mcp.engine.catalog import Catalog
from prune_mcp.engine.ledger import Ledger, ledger
from prune_mcp.engine.masked import masked
from prune_mcp.pruning.options import ErrorOptions
from prune_mcp.storage.home import Home
from prune_mcp.storage.protocol import Store
from prune_mcp.storage.records import SessionRecord


@dataclass(slots=True)
class SessionStats:
    """One session's ledger. `updated`: when it was last archived or pruned, in UTC; `prunes`: how many decided
    something."""

    session: str
    host: str
    cwd: str
    title: str
    updated: str
    prunes: int
    ledger: Ledger


@dataclass(slots=True)
class Stats:
    """The sessions asked for, the latest written first, all of them together, and the space on disk."""

    sessions: list[SessionStats]
    total: Ledger = field(default_factory=Ledger)
    space: Space = field(default_factory=lambda: Space({}))


def stats(
    store: Store, home: Home, session: str | None = None, *, quota: int = 0, purged: ErrorOptions | None = None
) -> Stats:
    """The ledger of one session (an id, or the beginning of one) or, for None, of every session.

    `quota`: bytes, 0 for none. `purged`: how arguments of failed calls are shown.

    Raises:
        EngineError: no session, or several, begin so.
        StoreError: the store cannot be read.
    """
    catalog = Catalog(store)
    wanted = catalog.session(session) if session is not None else None
    records = [record for record in catalog.records if wanted in (None, record.id)]
    told = Stats([_of(store, record, purged) for record in records], space=space(home, quota))
    for each in told.sessions:
        told.total.add(each.ledger)
    return told


def as_values(told: Stats) -> dict[str, Any]:
    """The same as JSON values."""
    return {
        "sessions": [{**asdict(each), "ledger": ledger_values(each.ledger)} for each in told.sessions],
        "total": ledger_values(told.total),
        "space": space_values(told.space),
    }


def ledger_values(told: Ledger) -> dict[str, Any]:
    """A ledger as JSON values, its sums among them."""
    values = asdict(told)
    return {**values, "spent": told.spent, "net": told.net, "usage": list(values["usage"].values())}


def space_values(told: Space) -> dict[str, Any]:
    """Space on disk as JSON values, its sums among them."""
    return {**asdict(told), "total": told.total, "over": told.over, "warning": told.warning}


def _of(store: Store, record: SessionRecord, purged: ErrorOptions | None) -> SessionStats:
    host = record.host or record.format
    return SessionStats(
        record.id,
        host,
        record.cwd,
        masked(record.title),
        record.updated,
        record.flushes,
        ledger(store, record.id, purged),
    )
