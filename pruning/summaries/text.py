"""Summaries as they stand in stubs and blocks."""

from __future__ import annotations

from collections.abc import Iterable

from prune_mcp.pruning.note import bare
from prune_mcp.storage.records import Output


def summary_of(output: Output) -> str:
    """The words of a model that stand for an output, empty where none do."""
    return bare(output.stub).partition("\n")[2] if output.state == "summary" else ""


def joined(summaries: Iterable[tuple[int, str]]) -> list[str]:
    """The summaries of outputs, one after the other, each under its ref."""
    return [f"t{ref}: {text.removeprefix('- ')}" for ref, text in summaries]
