"""The parts of an exported message, each with the place in its record where it stands."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from prune_mcp.sessions.model import Block, BlockKind, Place
from prune_mcp.sessions.tokens import utf8_size

Key = tuple[str | int, ...]


class Part(NamedTuple):
    """One part of a record. `key` leads to it in the record; `value` is what its text is made of.

    The other fields are those of `Block`.
    """

    kind: BlockKind
    value: Any
    key: Key = ()
    call_id: str = ""
    tool: str = ""
    error: bool = False
    images: int = 0
    signed: bool = False


def blocks_of(parts: Iterable[Part], text: Callable[[BlockKind, Any], str]) -> list[Block]:
    """The blocks of one share; `text` says a part of a kind."""
    return [_block(at, part, text(part.kind, part.value)) for at, part in enumerate(parts)]


def _block(at: int, part: Part, text: str) -> Block:
    name = part.tool if part.kind == "call" else ""
    size, chars = utf8_size(text) + utf8_size(name), len(text) + len(name)
    return Block(
        part.kind, Place(0, at), size, chars, part.images, part.call_id, part.tool, part.error, part.signed
    )


def grouped(parts: Iterable[Part]) -> list[list[Part]]:
    """The parts by message: results stand in messages of their own, wherever the record has them."""
    groups: list[list[Part]] = []
    for part in parts:
        if not groups or (groups[-1][-1].kind == "result") != (part.kind == "result"):
            groups.append([])
        groups[-1].append(part)
    return groups
