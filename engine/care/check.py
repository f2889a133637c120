"""Checking all that is kept: what is damaged, whose it is, what can be got back, and getting that back."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from prune_mcp.engine.care.forget import cut_short, resume
from prune_mcp.engine.recovery.regain import bodies
from prune_mcp.storage.care_records import Fault, Holder
from prune_mcp.storage.codec import digest
from prune_mcp.storage.protocol import Store
from prune_mcp.storage.records import SessionRecord

if TYPE_CHECKING:
    from prune_mcp.engine.care.history_check import HistoryFault
    from prune_mcp.engine.past import PastSessions

# Done, in all, and what is being read.
Progress = Callable[[float, float, str], None]


@dataclass(slots=True)
class Damage:
    """One fault of the store. `refs`: what recovers through a damaged body (`t5@SESSION`, `b2@SESSION`).
    `transcript`: the session file that still holds it, "" for none. `repaired`: it was got back from there."""

    what: str
    sha: str = ""
    refs: list[str] = field(default_factory=list)
    transcript: str = ""
    repaired: bool = False


@dataclass(slots=True)
class Checked:
    """What a check found. `bodies`: how many were read. `rebuilt`: the history was indexed anew."""

    bodies: int = 0
    damages: list[Damage] = field(default_factory=list)
    history: list[HistoryFault] = field(default_factory=list)
    rebuilt: bool = False
    notes: list[str] = field(default_factory=list)

    @property
    def sound(self) -> bool:
        """Whether nothing is damaged, or nothing any more."""
        return all(damage.repaired for damage in self.damages) and not self.history


def check(store: Store, past: PastSessions, *, repair: bool = False, progress: Progress | None = None) -> Checked:
    """Read every body, record and piece of the history; with `repair`, get back what can be got back.

    Raises:
        StoreNewer: a newer version of prune-mcp wrote the store or the history.
        StoreError: a repair cannot be written.
    """
    report = progress or (lambda done, total, message: None)
    checked = Checked()
    home = past.index.paths.home
    if repair:
        resume(store, past, home)
    elif cut_short(store, home):
        checked.notes.append("A forgetting was cut short; --repair, or any `prune-mcp gc`, brings it to its end.")

    def read(done: int, total: int) -> None:
        checked.bodies = done + 1
        report(done, total, "reading archived outputs")

    faults = list(store.care.faults(read))
    holders = {fault.sha: store.care.holders(fault.sha) for fault in faults if fault.sha}
    checked.damages = [_damage(fault, holders.get(fault.sha, ())) for fault in faults]
    _look_for(store, checked.damages, holders, repair)
    checked.history = _history(past, report)
    if repair and checked.history:
        _rebuild(past, checked, report)
    lost = sum(passages for (passages,) in past.index.rows("SELECT passages FROM lost"))
    if lost:
        checked.notes.append(f"{lost:,} passages of sessions that are gone were lost to damage in the history.")
    return checked


def _rebuild(past: PastSessions, checked: Checked, report: Progress) -> None:
    """Index the history anew; what nothing brings back stays told."""
    from prune_mcp.search.indexing.lock import WriterBusy

    try:
        past.rebuild()
    except WriterBusy as busy:
        checked.notes.append(f"The history was not mended: {busy}")
        return
    checked.rebuilt = True
    checked.history = [*_history(past, report), *(fault for fault in checked.history if fault.lost)]


def _damage(fault: Fault, holders: Iterable[Holder]) -> Damage:
    return Damage(fault.what, fault.sha, [_ref(holder) for holder in holders])


def _ref(holder: Holder) -> str:
    if holder.name == "document":
        return f"b{holder.number}@{holder.session}"
    facet = "" if holder.name == "text" else f":{holder.name}"
    return f"t{holder.number}{facet}@{holder.session}"


def _look_for(
    store: Store, damages: Iterable[Damage], holders: Mapping[str, Sequence[Holder]], repair: bool
) -> None:
    """Look for damaged bodies in the transcripts of the sessions that name them, and mend them if asked to."""
    wanted = {damage.sha: damage for damage in damages if damage.sha}
    records = {record.id: record for record in store.sessions()} if wanted else {}
    sessions = {holder.session for found in holders.values() for holder in found}
    for session in sorted(sessions & records.keys()):
        _look_in(store, records[session], wanted, repair)


def _look_in(store: Store, record: SessionRecord, wanted: dict[str, Damage], repair: bool) -> None:
    for data in bodies(record):
        damage = wanted.get(digest(data))
        if damage is None or damage.transcript:
            continue
        damage.transcript = record.path
        if repair:
            store.care.mend(damage.sha, data)
            damage.repaired = True


def _history(past: PastSessions, report: Progress) -> list[HistoryFault]:
    from prune_mcp.engine.care.history_check import history_faults

    def read(done: int, total: int) -> None:
        report(done, total, "reading the history")

    return list(history_faults(past.index, read))
