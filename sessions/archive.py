"""Every tool result of a transcript in file order, each with the name of the tool that was called."""

from __future__ import annotations

from sys import intern

from prune_mcp.sessions.model import Block


class Archive:
    """Results by order of reading; a result that comes before its call is named when the call arrives."""

    def __init__(self) -> None:
        self.results: list[Block] = []
        self._calls: dict[str, Block] = {}
        self._unnamed: dict[str, list[Block]] = {}

    def take(self, blocks: list[Block]) -> None:
        """Take in the calls and results among the blocks of one entry."""
        for block in blocks:
            if block.kind == "call":
                self._call(block)
            elif block.kind == "result":
                self._result(block)

    def _call(self, call: Block) -> None:
        call.tool = intern(call.tool)
        self._calls[call.call_id] = call
        for result in self._unnamed.pop(call.call_id, ()):
            result.tool = call.tool

    def _result(self, result: Block) -> None:
        call = self._calls.get(result.call_id)
        if call:
            # One string for both: ids are a tenth of what a long transcript takes.
            result.call_id = call.call_id
            result.tool = result.tool or call.tool
        if not result.tool:
            self._unnamed.setdefault(result.call_id, []).append(result)
        self.results.append(result)

    def replace(self, old: list[Block], new: list[Block]) -> bool:
        """Put the results of a changed entry in place of its earlier ones; whether there were any."""
        pairs = [(a, b) for a, b in zip(old, new, strict=True) if a.kind == "result"]
        for before, after in pairs:
            after.tool = after.tool or before.tool
            self.results[next(at for at, block in enumerate(self.results) if block is before)] = after
        return bool(pairs)
