"""Collecting garbage: what nothing refers to, and on request the oldest sessions' bodies, told before it goes.

A body is given up for the asking only while its session's transcript holds it, so that pruning the session brings
it back; what is nowhere else goes only when that was said too.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from prune_mcp.engine.care.litter import Litter, litter, remove
from prune_mcp.engine.care.space import Space, space
from prune_mcp.engine.masked import masked
from prune_mcp.engine.recovery.regain import texts
from prune_mcp.storage.care_records import Garbage, KeptBody
from prune_mcp.storage.codec import digest
from prune_mcp.storage.errors import StoreBusy, StoreFull
from prune_mcp.storage.home import Home
from prune_mcp.storage.protocol import Store
from prune_mcp.storage.records import SessionRecord

# A session written to within so many seconds gives nothing up to the quota.
YOUNG = 86_400.0

# Sessions looked through, how many there are, and what is being read.
Progress = Callable[[float, float, str], None]


@dataclass(frozen=True, slots=True)
class Request:
    """What to collect. `before`: bodies of sessions last written to before this time (seconds since the epoch)
    are given up; `to_quota`: the oldest ones, until all fits the quota of so many bytes. `lost_too`: also bodies
    that no transcript holds."""

    quota: int = 0
    before: float | None = None
    to_quota: bool = False
    lost_too: bool = False


@dataclass(slots=True)
class Aged:
    """A session whose bodies are given up: those its transcript holds (`held`) and those that it does not."""

    session: str
    host: str
    title: str
    updated: str
    path: str
    held: list[KeptBody] = field(default_factory=list)
    lost: list[KeptBody] = field(default_factory=list)

    @property
    def held_bytes(self) -> int:
        """What those take on disk that come back."""
        return sum(body.kept for body in self.held)

    @property
    def lost_bytes(self) -> int:
        """What those take on disk that are nowhere else."""
        return sum(body.kept for body in self.lost)


@dataclass(slots=True)
class Plan:
    """What would go: garbage of the store, litter beside it, and bodies of `sessions`, the oldest first.

    `space`: what is kept now. `old`: all sessions that are old enough, or as many of the oldest as it takes.
    `short`: by how many bytes the quota stays exceeded.
    """

    request: Request
    space: Space
    garbage: Garbage
    litter: list[Litter]
    sessions: list[Aged] = field(default_factory=list)
    old: list[str] = field(default_factory=list)
    short: int = 0

    @property
    def freed(self) -> int:
        """The bytes that it frees."""
        bodies = sum(one.held_bytes + (one.lost_bytes if self.request.lost_too else 0) for one in self.sessions)
        return self.garbage.bytes + sum(each.size for each in self.litter) + bodies

    @property
    def spared(self) -> int:
        """The bytes that stay since no transcript holds them."""
        return 0 if self.request.lost_too else sum(one.lost_bytes for one in self.sessions)


@dataclass(slots=True)
class Collected:
    """What was done: the garbage that went, bytes given up with sessions' bodies, what is kept now, and what could
    not be done and why."""

    garbage: Garbage
    released: int
    space: Space
    notes: list[str] = field(default_factory=list)


def plan(
    store: Store, home: Home, request: Request, now: float | None = None, progress: Progress | None = None
) -> Plan:
    """What collecting would take away; takes nothing. `now`: seconds since the epoch.

    Raises:
        StoreError: the store cannot be read.
    """
    moment = time.time() if now is None else now
    made = Plan(request, space(home, request.quota), store.care.garbage(), litter(home, moment))
    if request.before is None and not request.to_quota:
        return made
    goal = made.space.over - made.freed if request.to_quota else None
    latest = store.care.latest()
    old = [record for record in reversed(store.sessions()) if _old(record, request, moment)]
    for number, record in enumerate(old):
        if goal is not None and goal <= 0:
            break
        if progress is not None:
            progress(number, len(old), masked(record.title) or record.id)
        made.old.append(record.id)
        aged = _aged(record, latest.get(record.id, []))
        if aged.held or aged.lost:
            made.sessions.append(aged)
        if goal is not None:
            goal -= aged.held_bytes + (aged.lost_bytes if request.lost_too else 0)
    made.short = max(0, goal or 0)
    return made


def collect(store: Store, home: Home, plan: Plan) -> Collected:
    """Do what a plan says. Killed at any moment it leaves a whole store, and doing it again goes on.

    Raises:
        StoreBusy: another process writes for too long.
        StoreError, OSError: something cannot be written.
    """
    care = store.care
    care.resume()
    released = 0
    if plan.sessions:
        lost_too = plan.request.lost_too
        going = [body for one in plan.sessions for body in (*one.held, *(one.lost if lost_too else ()))]
        released = care.release(plan.old, {body.sha for body in going})
    garbage = care.collect()
    remove(plan.litter)
    done = Collected(garbage, released, plan.space)
    try:
        if released or garbage.bytes or care.size().free:
            care.tidy()
    except (StoreBusy, StoreFull) as error:
        done.notes.append(f"Free pages of the database could not be given back yet: {error}")
    if garbage.foreign:
        done.notes.append(_foreign(garbage.foreign, home.data / "bodies"))
    done.space = space(home, plan.request.quota)
    return done


def _foreign(files: int, folder: Path) -> str:
    return (
        f"{files:,} files in {folder} belong to another store than the one that stands there now, and were left "
        f"alone. If that one will not come back, delete {folder / 'owner'} and collect again."
    )


def _old(record: SessionRecord, request: Request, now: float) -> bool:
    """Whether a session is old enough for what is asked."""
    before = now - YOUNG if request.before is None else request.before
    return record.updated < time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(before))


def _aged(record: SessionRecord, bodies: list[KeptBody]) -> Aged:
    aged = Aged(record.id, record.host or record.format, masked(record.title), record.updated, record.path)
    there = {digest(text) for text in texts(record)} if bodies else set()
    for body in bodies:
        (aged.held if body.sha in there else aged.lost).append(body)
    return aged
