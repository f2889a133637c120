"""The rows of a session's tree, each at its path, with what every branch comes to."""

from __future__ import annotations

from dataclasses import dataclass

from prune_mcp.engine.answers import TreeAnswer, TreeRow
from prune_mcp.engine.catalog import Catalog
from prune_mcp.engine.masked import masked
from prune_mcp.engine.prune.document import Segment, load_document
from prune_mcp.engine.prune.words import counting, own_segments, words
from prune_mcp.engine.recovery.fence import counted, inline, quoted
from prune_mcp.engine.recovery.originals import KINDS
from prune_mcp.engine.recovery.refs import fold
from prune_mcp.engine.recovery.slices import count_lines
from prune_mcp.sessions.tokens import text_tokens, tokens
from prune_mcp.storage.errors import BodyDamaged
from prune_mcp.storage.records import ChainBlock, Flush, Output

# Ranges of refs named: of a block, and of what was not replaced.
NAMED, FEW = 30, 12

# Where a row stands: the flush, then in it stubs before blocks by number, then in a block the same again. Rows
# are in the order of their paths, and a path stays what it is while later flushes add rows.
Path = tuple[int, ...]
STUB, BLOCK = 0, 1


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
    """The rows of a session's tree by path. Savings are raw tokens minus the tokens of what stands for them; of
    blocks for the same thinking only the one that stands for it now goes into the sums."""

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
        self._counting = {block.number for block in counting(self._blocks.values())}
        self._total = Sum()
        flushes = {flush.number: flush for flush in catalog.store.flushes(session)}
        stubs: dict[int, list[Output]] = {}
        for output in self._outputs.values():
            if output.state != "whole" and output.ref not in self._covered:
                stubs.setdefault(output.flush, []).append(output)
        blocks: dict[int, list[ChainBlock]] = {}
        for block in self._blocks.values():
            if block.number not in self._inner:
                blocks.setdefault(block.flush, []).append(block)
        for number in sorted({*flushes, *stubs, *blocks}):
            self._flush(number, flushes.get(number), stubs.get(number, []), blocks.get(number, []))

    def answer(self, rows: list[TreeRow]) -> TreeAnswer:
        """These rows, under the totals of the whole session."""
        record = self._catalog.store.session(self._session)
        whole = [ref for ref, output in self._outputs.items() if not self._pruned(output)]
        notes = []
        if whole:
            # The store cannot tell them apart: what the host took out of the context is archived all the same.
            notes.append(
                f"not replaced: {counted(len(whole), 'output')}, {_named(whole, FEW)}: "
                "whole in the context, or no longer in it"
            )
        if not self.rows:
            notes.append("nothing was pruned here yet")
        return TreeAnswer(
            session=self._session,
            title=masked(record.title) if record else "",
            rows=rows,
            outputs=len(self._outputs),
            pruned=len(self._outputs) - len(whole),
            saved=self._total.saved,
            notes=notes,
        )

    def _pruned(self, output: Output) -> bool:
        return output.state != "whole" or output.ref in self._covered

    def _flush(self, number: int, flush: Flush | None, stubs: list[Output], blocks: list[ChainBlock]) -> None:
        """The row of one flush, and all below it."""
        total = Sum()
        for output in stubs:
            total.add(self._stub((number, STUB, output.ref), output, text_tokens(output.stub)))
        for block in blocks:
            branch = self._block((number, BLOCK, block.number), block, text_tokens(block.text), set())
            if block.number in self._counting:
                total.add(branch)
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
        self.rows[path] = TreeRow(
            depth=len(path) // 2,
            ref=f"b{block.number}",
            label=KINDS[block.kind] + (f": {_named(block.refs, NAMED)}" if block.refs else ""),
            status=counted(total.outputs, "output") + (", damaged" if damaged else ""),
            chars=total.chars,
            lines=total.lines,
            saved=total.saved,
        )
        return total

    def _words(self, block: ChainBlock) -> tuple[Sum, bool]:
        """What the block replaced beside outputs (prompts, answers, calls) and the blocks it took in, and whether
        that is damaged."""
        damaged: set[int] = set()

        def load(each: ChainBlock) -> list[Segment]:
            try:
                return load_document(self._catalog.store.body(each.document))
            except BodyDamaged:
                damaged.add(each.number)
                return []

        segments = own_segments(load, self._blocks, block)
        texts = [segment.text for segment in segments if segment.text]
        lines = sum(map(count_lines, texts))
        # What it saved is known also where its document was given up.
        saved = block.words if block.words >= 0 else words(segments)
        return Sum(0, sum(map(len, texts)), lines, saved), block.number in damaged

    def _stub(self, path: Path, output: Output, stands: int) -> Sum:
        """The row of an output that `stands` tokens stand for."""
        saved = tokens(output.size, output.images) - stands
        images = f" ({counted(output.images, 'image')})" if output.images else ""
        self.rows[path] = TreeRow(
            depth=len(path) // 2,
            ref=f"t{output.ref}",
            label=f"{inline(output.tool, 60)} {quoted(masked(output.key))}{images}".strip(),
            status=_status(output),
            chars=output.chars,
            lines=output.lines,
            saved=saved,
        )
        return Sum(1, output.chars, output.lines, saved)


def _named(numbers: list[int], most: int) -> str:
    """Outputs by ref, as ranges; of more than `most` ranges the rest is counted."""
    refs = fold("t", numbers)
    more = f" and {counted(len(refs) - most, 'more range')}" if len(refs) > most else ""
    return ", ".join(refs[:most]) + more


def _status(output: Output) -> str:
    about = f" t{output.other}" if output.other else ""
    return f"{output.state}{about}" + (", error" if output.error else "")


def _flush_status(total: Sum, flush: Flush | None) -> str:
    note = f", note {quoted(masked(flush.note))}" if flush is not None and flush.note else ""
    return f"{counted(total.outputs, 'output')}{note}"
