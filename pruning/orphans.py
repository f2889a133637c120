"""Calls without a result and results without a call: neither leaves us; plain text with a ref stands for them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from prune_mcp.sessions.model import Block
from prune_mcp.sessions.tokens import text_tokens
from prune_mcp.storage.records import Output

_NOTE = re.compile(r"^\[left out t(\d{1,9}): ", re.MULTILINE)


def orphan_text(block: Block, output: Output, text: str) -> str:
    """The text that stands for an orphan whose own text is `text` (of a call: its arguments).

    A call whose arguments are shorter than a note stands there itself. A result never does: as a message of its
    own it would pass for a prompt. An empty text (an empty result) means that the block can go without loss.
    """
    if block.kind == "result":
        return result_note(output) if text or block.images else ""
    own, shown = f"{block.tool} {text}", call_note(output)
    return own if text_tokens(own) <= text_tokens(shown) else shown


def call_note(output: Output) -> str:
    """What stands for a call without a result; its arguments are kept beside the (empty) output."""
    return f"[left out t{output.ref}: call {_what(output)} has no result | arguments: t{output.ref}:args]"


def result_note(output: Output) -> str:
    """What stands for a result without a call."""
    return f"[left out t{output.ref}: result {_what(output)} has no call | {output.chars} chars]"


def noted_refs(text: str, outputs: Mapping[int, Output]) -> Iterator[str]:
    """The refs that notes of ours in `text` show; a note counts only if it stands there byte for byte.

    Formats whose messages are one text hold several notes on lines of their own.
    """
    for found in _NOTE.finditer(text):
        output = outputs.get(int(found[1]))
        if output is None:
            continue
        if text.startswith(call_note(output), found.start()):
            yield f"t{output.ref}:args"
        elif text.startswith(result_note(output), found.start()):
            yield f"t{output.ref}"


def _what(output: Output) -> str:
    return " ".join(part for part in (output.tool, output.key) if part)
