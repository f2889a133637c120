"""How it all stands, and a session in outline, in words for a model and for a person."""

from __future__ import annotations

from typing import TYPE_CHECKING

from prune_mcp.server.sizes import size
from prune_mcp.server.tools.history_text import local_time

if TYPE_CHECKING:
    from prune_mcp.engine.outline import Outline
    from prune_mcp.engine.overview import Overview


def overview_text(overview: Overview, version: str) -> str:
    """The store and the index, a line for each thing that can be said."""
    from prune_mcp.engine.recovery.fence import counted

    index = overview.index
    agents = ", ".join(f"{name} {agent.sources:,}" for name, agent in index.agents.items())
    lines = [
        f"prune-mcp {version}",
        f"archived: {counted(overview.outputs, 'output')} of {counted(overview.sessions, 'session')}",
        f"indexed: {counted(index.total.sources, 'session')}, {counted(index.total.passages, 'passage')}"
        + (f" ({agents})" if agents else ""),
        f"not indexed: {counted(index.pending, 'file')}, {size(index.pending_bytes)}",
    ]
    if index.skipped:
        lines.append(f"not readable: {counted(len(index.skipped), 'file')}; `prune-mcp index --status` names them")
    if index.forgotten:
        lines.append(f"forgotten on request: {counted(index.forgotten, 'session')}")
    if index.lost:
        lines.append(f"lost by damage to the kept text: {counted(index.lost, 'passage')}")
    return "\n".join([*lines, *index.damaged, *filter(None, (index.busy,))])


def outline_text(outline: Outline) -> str:
    """The session's line, a line for each prompt, notes, and how to read one."""
    from prune_mcp.engine.recovery.fence import counted, inline, quoted

    where = " · ".join(filter(None, (f"session {outline.session}", outline.agent, inline(outline.cwd, 500))))
    lines = [f"{where} {quoted(outline.title)}".strip()]
    if outline.left_out:
        lines.append(f"{counted(outline.left_out, 'older prompt')} left out; history_search finds them")
    for asked in outline.asked:
        calls = f" ({counted(asked.calls, 'call')})" if asked.calls else ""
        lines.append(" · ".join(filter(None, (asked.ref, local_time(asked.time), quoted(asked.text) + calls))))
    lines += [f"note: {inline(note, 2000)}" for note in outline.notes]
    if outline.asked:
        lines.append(f'read one: history_read(entry="{outline.asked[-1].ref}"), with around=5 for what followed')
    return "\n".join(lines)
