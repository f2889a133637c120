"""The tree of what was pruned in a session: flushes, their stubs, and blocks with their outputs below them."""

from __future__ import annotations

from itertools import accumulate
from typing import NamedTuple

from prune_mcp.engine.answers import AmbiguousRef, EngineError, TreeAnswer, TreeRow
from prune_mcp.engine.catalog import Catalog
from prune_mcp.engine.recovery.cursor import DAMAGED, BadCursor, read_cursor, write_cursor
from prune_mcp.engine.recovery.fence import counted, inline, quoted
from prune_mcp.engine.recovery.forest import Forest, Path
from prune_mcp.storage.protocol import Store

# Characters of one answer's rows, whatever the limit.
ROOM = 17_000
NAMED = 30


class Place(NamedTuple):
    """Where a cursor goes on: at the row with this path, in this session's tree."""

    session: str
    path: Path


def tree(store: Store, session: str | None, *, limit: int | None = None, cursor: str | None = None) -> TreeAnswer:
    """What was pruned in a session, the newest last; what is more than `limit` rows or one answer by cursor.

    `session`: an id or its beginning; None: that of the cursor, or the only one there is.

    Raises:
        AmbiguousRef, EngineError: the session cannot be told.
        BadCursor: the cursor is damaged, or not one of this session.
    """
    if limit is not None and limit < 1:
        raise EngineError(f"limit={limit}: a page of the tree has at least one row.")
    catalog = Catalog(store)
    place = _place(cursor) if cursor else None
    named = session or (place.session if place else None)
    where = catalog.session(named) if named else _only(catalog)
    if place and place.session != where:
        raise BadCursor("This cursor belongs to another session's tree: name that session, or leave it out.")
    start = place.path if place else ()
    forest = Forest(catalog, where)
    paths = sorted(path for path in forest.rows if path >= start)
    rows = _fitting([forest.rows[path] for path in paths[:limit]])
    answer = forest.answer(rows)
    if len(paths) > len(rows):
        answer.cursor = write_cursor("tree", {"session": where, "at": paths[len(rows)]})
        answer.notes.append(f"{counted(len(paths) - len(rows), 'more row')}; ask again with the cursor")
    return answer


def shape(answer: TreeAnswer) -> str:
    """The tree as text: a line of totals, a line for each row, notes, how to recover, and last the cursor."""
    title = f" {quoted(answer.title)}" if answer.title else ""
    lines = [
        f"session {inline(answer.session, 200)}{title}: {counted(answer.outputs, 'output')}, "
        f"{answer.pruned} of them pruned, about {answer.saved:,} tokens saved"
    ]
    if answer.rows:
        lines.append("each row: what it is; characters / lines / tokens saved")
    lines += [_line(row) for row in answer.rows]
    lines += [f"note: {inline(note, 2000)}" for note in answer.notes]
    if answer.outputs:
        lines.append('recover: context_tree_query(refs=["t1"]), a part of it with lines="1:40" or pattern="error"')
    if answer.cursor:
        lines.append(f"cursor: {answer.cursor}")
    return "\n".join(lines)


def _fitting(rows: list[TreeRow]) -> list[TreeRow]:
    """The first rows, as many as fit one answer, at least one."""
    sizes = accumulate(len(_line(row)) + 1 for row in rows)
    return rows[: max(1, sum(size <= ROOM for size in sizes))]


def _line(row: TreeRow) -> str:
    name = f"{row.ref} {inline(row.label, 140)}" if row.ref else row.label
    return f"{'  ' * row.depth}{name}: {row.status}; {row.chars:,} / {row.lines:,} / {row.saved:,}"


def _only(catalog: Catalog) -> str:
    """The only session of the store."""
    records = catalog.records
    if len(records) == 1:
        return records[0].id
    if not records:
        raise EngineError("Nothing has been archived here yet, so there is no tree: prune first.")
    named = ", ".join(catalog.label(record.id) for record in records[:NAMED])
    raise AmbiguousRef(f"Name a session: the store has {len(records)}, the newest first {inline(named, 1000)}.")


def _place(cursor: str) -> Place:
    state = read_cursor("tree", cursor)
    try:
        return Place(str(state["session"]), tuple(int(number) for number in state["at"]))
    except (KeyError, TypeError, ValueError) as error:
        raise BadCursor(DAMAGED) from error
