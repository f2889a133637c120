"""`prune-mcp stats`: what pruning saved, what that cost, and what is kept on disk for it."""

from __future__ import annotations

import time
from calendar import timegm
from typing import TYPE_CHECKING, Annotated

import typer

from prune_mcp.server.commands.console import out, out_json, say, short_ids, table, width
from prune_mcp.server.commands.option import METAVAR, whole_number
from prune_mcp.server.sizes import age, size
from prune_mcp.server.target import command_engine, session_id

if TYPE_CHECKING:
    from prune_mcp.engine.care.space import Space
    from prune_mcp.engine.ledger import Ledger
    from prune_mcp.engine.stats import SessionStats, Stats

# Columns of a terminal from which all numbers have room.
ROOMY = 80
SHOWN = 20
NUMBERS = ("age", "left out", "spent", "recovered", "net", "calls", "cost")


def stats(
    session: Annotated[
        str | None,
        typer.Argument(
            metavar="SESSION",
            help="A session's id, the beginning of one, or a transcript. Default: every session.",
            show_default=False,
        ),
    ] = None,
    limit: Annotated[
        int, typer.Option(parser=whole_number(1), metavar=METAVAR, help="Sessions to list, the newest first.")
    ] = SHOWN,
    as_json: Annotated[bool, typer.Option("--json", help="All of it, as JSON.")] = False,
) -> int:
    """Tell what pruning saved and cost, and what is kept on disk.

    Estimated tokens: left out, spent on what stands for them, recovered again, net.
    """
    from prune_mcp.engine.stats import as_values

    with command_engine() as engine:
        told = engine.stats(session_id(session) if session else None)
    if as_json:
        out_json(as_values(told))
    elif session:
        _one(told.sessions[0])
    else:
        _all(told, limit)
    return 0


def _one(told: SessionStats) -> None:
    from prune_mcp.engine.recovery.fence import counted

    title = f' "{told.title}"' if told.title else ""
    out(f"session {told.session}{title}: {counted(told.prunes, 'prune')}, the last on {told.updated}")
    _sums(told.ledger)


def _all(told: Stats, limit: int) -> None:
    if told.sessions:
        _list(told, limit)
        print()
        _sums(told.total)
    else:
        say("Nothing was pruned yet.")
    show_space(told.space)


def _list(told: Stats, limit: int) -> None:
    names = short_ids([each.session for each in told.sessions])
    now = time.time()
    rows = [
        {
            "session": names[each.session],
            "age": _age(each.updated, now),
            **_cells(each.ledger),
            "title": each.title,
        }
        for each in told.sessions[:limit]
    ]
    rows.append({"session": "in all", "age": "", **_cells(told.total), "title": ""})
    columns = [name for name in rows[0] if _wanted(name, told.total)]
    table(columns, [[row[name] for name in columns] for row in rows], NUMBERS, cut=("title",))
    if len(told.sessions) > limit:
        out(f"and {len(told.sessions) - limit:,} older sessions; --limit lists more")


def _wanted(column: str, total: Ledger) -> bool:
    if column in ("calls", "cost"):
        return bool(total.usage)
    return width() >= ROOMY or column not in ("left out", "spent", "recovered")


def _cells(told: Ledger) -> dict[str, object]:
    return {
        "left out": told.left_out,
        "spent": told.spent,
        "recovered": told.recovered,
        "net": told.net,
        "calls": sum(usage.calls for usage in told.usage.values()),
        "cost": dollars(sum(usage.cost for usage in told.usage.values())),
    }


def _age(updated: str, now: float) -> str:
    try:
        return age(now - timegm(time.strptime(updated, "%Y-%m-%dT%H:%M:%SZ")))
    except ValueError:
        return "-"


def _sums(told: Ledger) -> None:
    """The ledger line by line, and what models were asked."""
    rows = [
        ("originals left out", told.left_out),
        ("spent on stubs", -told.stubs),
        ("spent on digests", -told.digests),
        ("spent on summaries", -told.summaries),
        ("spent on blocks", -told.blocks),
        (f"recovered again ({told.recoveries:,} times)", -told.recovered),
        ("net", told.net),
    ]
    table(("estimated tokens", ""), rows, ("",))
    if told.uncounted:
        say(f"{told.uncounted:,} damaged pieces could not be counted; `prune-mcp check` tells which.")
    if told.usage:
        print()
        asked = [(u.model, u.calls, u.input_tokens, u.output_tokens, dollars(u.cost)) for u in told.usage.values()]
        table(("model", "calls", "input", "output", "cost"), asked, ("calls", "input", "output", "cost"))


def dollars(cost: float) -> str:
    """A cost in US dollars."""
    return f"${cost:,.4f}" if cost else "-"


def show_space(told: Space) -> None:
    """What is kept on disk, and on stderr that it is too much."""
    quota = f" of {size(told.quota)}" if told.quota else ""
    parts = ", ".join(f"{name} {size(count)}" for name, count in told.parts.items())
    out(f"kept on disk: {size(told.total)}{quota}" + (f" ({parts})" if parts else ""))
    if told.warning:
        say(told.warning)
