"""`prune-mcp index`: bring all sessions into the index, or tell how it stands."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from prune_mcp.server.commands.console import out, out_json, progress, say, table
from prune_mcp.server.sizes import size
from prune_mcp.server.target import command_engine
from prune_mcp.server.tools.history_text import utc

if TYPE_CHECKING:
    from collections.abc import Callable

    from prune_mcp.engine.past import IndexReport, IndexStatus, PastSessions, Progress

SKIPPED_SHOWN = 10


def index(
    rebuild: Annotated[
        bool, typer.Option("--rebuild", help="Read all sessions again and build the index anew.")
    ] = False,
    status: Annotated[bool, typer.Option("--status", help="Index nothing, tell how the index stands.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="The outcome as JSON.")] = False,
) -> int:
    """Index every session that is new or has changed.

    Searching works without it, as far as there is time to look through what is not indexed.
    """
    with command_engine() as engine:
        if status:
            _tell(engine.past.status(), as_json)
            return 0
        with progress() as report:
            done = _indexed(engine.past, rebuild, _shown(report))
    if as_json:
        out_json(asdict(done))
    else:
        _report(done, rebuild)
    return 1 if done.busy else 0


def _indexed(past: PastSessions, rebuild: bool, report: Callable[[Progress], None]) -> IndexReport:
    return past.rebuild(report) if rebuild else past.update(report)


def _shown(report: Callable[[float, float, str], None]) -> Callable[[Progress], None]:
    """The progress of an indexing as a bar takes it."""

    def show(done: Progress) -> None:
        report(done.done, done.total, f"indexing, {size(int(done.rate))}/s")

    return show


def _report(done: IndexReport, rebuilt: bool) -> None:
    from prune_mcp.engine.recovery.fence import counted

    if done.busy:
        say(f"prune-mcp: {done.busy}")
        return
    if done.files:
        files, passages = counted(done.files, "file"), counted(done.passages, "passage")
        took = f"in {done.seconds:.1f} s"
        # What was in the index already is no new passage.
        again = f"{files} read again {took}; new in them: {passages}"
        out(again if rebuilt else f"{files} with {passages} indexed {took}")
    else:
        out("Everything was indexed already.")
    for note in done.notes:
        say(note)
    for path, reason in done.skipped[:SKIPPED_SHOWN]:
        say(f"skipped: {path}: {reason}")
    if len(done.skipped) > SKIPPED_SHOWN:
        say(f"skipped: {len(done.skipped) - SKIPPED_SHOWN:,} more; --status --json names them")


def _tell(status: IndexStatus, as_json: bool) -> None:
    from prune_mcp.engine.recovery.fence import counted

    if as_json:
        out_json(status_json(status))
        return
    rows = [
        (name, agent.sources, agent.passages, size(agent.bytes), agent.gone)
        for name, agent in (*status.agents.items(), ("in all", status.total))
    ]
    table(("agent", "sessions", "passages", "text", "gone"), rows, ("sessions", "passages", "text", "gone"))
    if status.first:
        out(f"from {utc(status.first)[:10]} to {utc(status.last)[:10]}, {counted(len(status.segments), 'month')}")
    sizes = size(status.segment_bytes), size(status.pack_bytes), size(status.catalog_bytes)
    out("index {}, kept text {}, catalog {}".format(*sizes))
    out(f"not indexed: {counted(status.pending, 'file')}, {size(status.pending_bytes)}")
    _exceptions(status)


def _exceptions(status: IndexStatus) -> None:
    """What is out of the ordinary."""
    from prune_mcp.engine.recovery.fence import counted

    for skipped in status.skipped[:SKIPPED_SHOWN]:
        out(f"skipped: {skipped.path}: {skipped.reason}")
    if len(status.skipped) > SKIPPED_SHOWN:
        out(f"skipped: {len(status.skipped) - SKIPPED_SHOWN:,} more")
    for damage in status.left_out[:SKIPPED_SHOWN]:
        where = f"{damage.path}: {damage.inside}" if damage.inside else damage.path
        out(f"left out: {where}: {damage.told}")
    if len(status.left_out) > SKIPPED_SHOWN:
        out(f"left out: of {len(status.left_out) - SKIPPED_SHOWN:,} more; --json names them")
    if status.forgotten:
        out(f"forgotten on request: {status.forgotten:,}")
    if status.lost:
        out(f"lost by damage to the kept text: {counted(status.lost, 'passage')}")
    for sentence in (*status.damaged, *filter(None, (status.busy,))):
        out(sentence)


def status_json(status: IndexStatus) -> dict[str, object]:
    """How the index stands, as programs take it; times in UTC."""
    told = asdict(status)
    return {**told, "total": asdict(status.total), "first": utc(status.first), "last": utc(status.last)}
