"""Calls without a result and results without a call: neither leaves us; plain text with a ref stands for them."""

from __future__ import annotations

from prune_mcp.sessions.model import Block
from prune_mcp.sessions.tokens import text_tokens
from prune_mcp.storage.records import Output


def note(block: Block, output: Output, text: str) -> str:
    """The text that stands for an orphan whose own text is `text` (of a call: its arguments).

    `t<ref>` brings back a result, `t<ref>:args` the arguments of a call. What is shorter than such a note stands
    there itself; an empty text (an empty result) means that the block can go without loss.
    """
    what = " ".join(part for part in (output.tool or block.tool, output.key) if part)
    if block.kind == "call":
        own = f"{block.tool} {text}"
        shown = f"[left out t{output.ref}: call {what} has no result | arguments: t{output.ref}:args]"
    else:
        own = text
        shown = f"[left out t{output.ref}: result {what} has no call | {output.chars} chars]"
    return own if not block.images and text_tokens(own) <= text_tokens(shown) else shown
