"""The tree of what was pruned in a session: flushes, their stubs, and blocks with their outputs below them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate

from prune_mcp.engine.answers import AmbiguousRef, EngineError, TreeAnswer, TreeRow
from prune_mcp.engine.catalog import Catalog
from prune_mcp.engine.cursor import DAMAGED, BadCursor, read_cursor, write_cursor
from prune_mcp.engine.document import load_document
from prune_mcp.engine.fence import inline, quoted
from prune_mcp.engine.originals import KINDS
from prune_mcp.engine.refs import fold
from prune_mcp.engine.slices import count_lines
from prune_mcp.sessions.tokens import text_tokens, tokens
from prune_mcp.storage.errors import BodyDamaged
from prune_mcp.storage.protocol import Store
from prune_mcp.storage.records import ChainBlock, Flush, Output

# Characters of one answer's rows, whatever the limit.
ROOM = 17_000
NAMED = 30

# Where a row stands: the flush, then in it stubs before blocks by number, then in a block the same again. Rows
# are in the order of their paths, and a path stays what it is while later flushes add rows.
Path = tuple[int, ...]
STUB, BLOCK = 0, 1


def tree(store: Store, session: str | None, *, limit: int | None = None, cursor: str | None = None) -> TreeAnswer:
    """What was pruned in a session, the newest last; what is more than `limit` rows or one answer by cursor.

    `session`: an id or its beginning; None: the only one there is.

    Raises:
        AmbiguousRef, EngineError: the session cannot be told.
        BadCursor: the cursor is damaged, or not one of this session.
    """
    if limit is not None and limit < 1:
        raise EngineError(f"limit={limit}: a page of the tree has at least one row.")
    catalog = Catalog(store)
    where = catalog.session(session) if session else _only(catalog)
    start = _start(cursor, where) if cursor else ()
    forest = Forest(catalog, where)
    paths = sorted(path for path in forest.rows if path >= start)
    rows = _fitting([forest.rows[path] for path in paths[:limit]])
    answer = forest.answer(rows)
    if len(paths) > len(rows):
        answer.cursor = write_cursor("tree", {"session": where, "at": paths[len(rows)]})
        answer.notes.append(f"{len(paths) - len(rows)} rows follow; ask again with the cursor")
    return answer


@dataclass(slots=True)
class Sum:
    """What a branch comes to: outputs, characters and lines of the originals, tokens saved."""

    outputs: int = 0
    chars: int = 0
    lines: int = 0
    saved: int = 0

    def add(self, other: Sum) -> None:
        """Add another branch."""
        self.outputs += other.outputs
        self.chars += other.chars
        self.lines += other.lines
        self.saved += other.saved


class Forest:
    """The rows of a session's tree by path. Savings are raw tokens minus the tokens of what stands for them."""

    def __init__(self, catalog: Catalog, session: str) -> None:
        self.rows: dict[Path, TreeRow] = {}
        self._catalog = catalog
        self._session = session
        self._outputs = catalog.outputs(session)
        self._blocks = catalog.blocks(session)
        self._inner = {
            number for block in self._blocks.values() for number in block.blocks if number != block.number
        }
        self._covered = {ref for block in self._blocks.values() for ref in block.refs}
        self._total = Sum()
        flushes = {flush.number: flush for flush in catalog.store.flushes(session)}
        for number in sorted({0, *flushes, *self._decided()}):
            self._flush(number, flushes.get(number))

    def answer(self, rows: list[TreeRow]) -> TreeAnswer:
        """These rows, under the totals of the whole session."""
        record = self._catalog.store.session(self._session)
        whole = [ref for ref, output in self._outputs.items() if not self._pruned(output)]
        notes = []
        if whole:
            refs = fold("t", whole)
            more = f" and {len(refs) - NAMED} more ranges" if len(refs) > NAMED else ""
            notes.append(f"{len(whole)} outputs stand whole: {', '.join(refs[:NAMED])}{more}")
        if not self.rows:
            notes.append("nothing was pruned here yet")
        return TreeAnswer(
            session=self._session,
            title=record.title if record else "",
            rows=rows,
            outputs=len(self._outputs),
            pruned=len(self._outputs) - len(whole),
            saved=self._total.saved,
            notes=notes,
        )

    def _pruned(self, output: Output) -> bool:
        return output.state != "whole" or output.ref in self._covered

    def _decided(self) -> Iterator[int]:
        """The flushes that something of the tree belongs to."""
        yield from (output.flush for output in self._outputs.values() if output.state != "whole")
        yield from (block.flush for block in self._blocks.values())

    def _flush(self, number: int, flush: Flush | None) -> None:
        """The row of one flush, and all below it."""
        total = Sum()
        for output in self._outputs.values():
            if output.state != "whole" and output.flush == number and output.ref not in self._covered:
                total.add(self._stub((number, STUB, output.ref), output, text_tokens(output.stub)))
        for block in self._blocks.values():
            if block.flush == number and block.number not in self._inner:
                total.add(self._block((number, BLOCK, block.number), block, text_tokens(block.text), set()))
        if not total.outputs and not any(path[:1] == (number,) for path in self.rows) and flush is None:
            return
        self.rows[(number,)] = TreeRow(
            depth=0,
            ref="",
            label=f"flush {number}" if number else "apart from flushes",
            status=_flush_status(total, flush),
            chars=total.chars,
            lines=total.lines,
            saved=total.saved,
        )
        self._total.add(total)

    def _block(self, path: Path, block: ChainBlock, stands: int, seen: set[int]) -> Sum:
        """The row of a block that `stands` tokens stand for, and all below it."""
        seen.add(block.number)
        total, damaged = self._words(block)
        inner = [self._blocks[n] for n in block.blocks if n in self._blocks and n not in seen]
        elsewhere = {ref for each in inner for ref in each.refs}
        for ref in block.refs:
            if ref in self._outputs and ref not in elsewhere:
                total.add(self._stub((*path, STUB, ref), self._outputs[ref], 0))
        for each in inner:
            total.add(self._block((*path, BLOCK, each.number), each, 0, seen))
        total.saved -= stands
        refs = fold("t", block.refs)
        more = f" and {len(refs) - NAMED} more ranges" if len(refs) > NAMED else ""
        self.rows[path] = TreeRow(
            depth=len(path) // 2,
            ref=f"b{block.number}",
            label=KINDS[block.kind] + (f": {', '.join(refs[:NAMED])}{more}" if refs else ""),
            status=f"{total.outputs} outputs" + (", damaged" if damaged else ""),
            chars=total.chars,
            lines=total.lines,
            saved=total.saved,
        )
        return total

    def _words(self, block: ChainBlock) -> tuple[Sum, bool]:
        """What the block replaced beside outputs (prompts, answers, calls), and whether that is damaged."""
        try:
            segments = load_document(self._catalog.store.body(block.document))
        except BodyDamaged:
            return Sum(), True
        texts = [segment.text for segment in segments if segment.text]
        lines = sum(map(count_lines, texts))
        return Sum(0, sum(map(len, texts)), lines, sum(map(text_tokens, texts))), False

    def _stub(self, path: Path, output: Output, stands: int) -> Sum:
        """The row of an output that `stands` tokens stand for."""
        saved = tokens(output.size, output.images) - stands
        images = f" ({output.images} images)" if output.images else ""
        self.rows[path] = TreeRow(
            depth=len(path) // 2,
            ref=f"t{output.ref}",
            label=f"{inline(output.tool, 60)} {quoted(output.key)}{images}".strip(),
            status=_status(output),
            chars=output.chars,
            lines=output.lines,
            saved=saved,
        )
        return Sum(1, output.chars, output.lines, saved)


def shape(answer: TreeAnswer) -> str:
    """The tree as text: a line of totals, a line for each row, notes, how to recover, and last the cursor."""
    title = f" {quoted(answer.title)}" if answer.title else ""
    lines = [
        f"session {inline(answer.session, 200)}{title}: {answer.outputs} outputs, {answer.pruned} of them pruned; "
        f"about {answer.saved:,} tokens saved"
    ]
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
    size = f"{row.chars:,} characters, {row.lines:,} lines, {row.saved:,} tokens saved"
    return f"{'  ' * row.depth}{name}: {row.status}; {size}"


def _status(output: Output) -> str:
    about = f" t{output.other}" if output.other else ""
    return f"{output.state}{about}" + (", error" if output.error else "")


def _flush_status(total: Sum, flush: Flush | None) -> str:
    note = f", note {quoted(flush.note)}" if flush is not None and flush.note else ""
    return f"{total.outputs} outputs{note}"


def _only(catalog: Catalog) -> str:
    """The only session of the store."""
    records = catalog.records
    if len(records) == 1:
        return records[0].id
    if not records:
        raise EngineError("Nothing has been archived here yet, so there is no tree: prune first.")
    named = ", ".join(catalog.label(record.id) for record in records[:NAMED])
    raise AmbiguousRef(f"Name a session: the store has {len(records)}, the newest first {inline(named, 1000)}.")


def _start(cursor: str, session: str) -> Path:
    state = read_cursor("tree", cursor)
    try:
        where, path = state["session"], tuple(int(number) for number in state["at"])
    except (KeyError, TypeError, ValueError) as error:
        raise BadCursor(DAMAGED) from error
    if where != session:
        raise BadCursor("This cursor belongs to another session's tree: name that session, or leave it out.")
    return path
