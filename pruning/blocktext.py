"""Block text: what stands for a compressed span of messages, written without a model.

The calls by tool, each with its ref; what failed and how; what the assistant concluded on the way; and the names
of everything replaced that nothing else in view says.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from prune_mcp.pruning.digest import first_failure
from prune_mcp.pruning.fence import protected_output
from prune_mcp.pruning.namegroups import grouped, thinned
from prune_mcp.pruning.names import Seen, names, stub_names
from prune_mcp.pruning.plain import plain, unmarked
from prune_mcp.pruning.summaries.text import joined

MOST_KEYS = 30
MOST_FAILURES = 12
MOST_CONCLUSIONS = 6
CONCLUSION_SHORTEST, CONCLUSION_LONGEST, CONCLUSION_WITHIN = 25, 160, 2000
# Names take at most this share of what is replaced, but may always take so many characters and never more than so
# many.
SHARE = 4
LEAST_ROOM, MOST_ROOM = 4000, 32_000

# Sentences that only cheer or announce the next step.
_PLAN = re.compile(
    r"^(?:(?:ok|okay|good|great|perfect|excellent|now|so|next|then|first|and|step \d+)\b[,.!: ]*)*"
    r"(?:(?:let me|let's|i'll|i will|i need to|i'm going to|now i)\b[^.!:]*(?:[.!:] ?|$))?",
    re.IGNORECASE,
).sub


@dataclass(frozen=True, slots=True)
class Piece:
    """One replaced piece of the span, in order: an assistant's text, a call (its arguments), or a result.

    Of a call and its result `ref`, `tool` and `key` are the same. `protected` results move out verbatim; of
    `stubbed` ones the text is their stub, which has chosen already what is worth saying. The text is read when it
    is looked at, so that a long span is never held in memory. `summary`: the words of a model in the stub.
    """

    kind: Literal["text", "call", "result"]
    read: Callable[[], str]
    ref: int = 0
    tool: str = ""
    key: str = ""
    error: bool = False
    protected: bool = False
    stubbed: bool = False
    summary: str = ""

    @property
    def text(self) -> str:
        """The piece's text, read anew each time."""
        return self.read()


def block_text(number: int, pieces: Sequence[Piece], seen: Seen, fused: str = "") -> str:
    """The text of block b`number` over `pieces`; names in `seen` are left out. A caller that takes the block adds
    its text to `seen`. `fused` stands for all summaries of the pieces."""
    results = [piece for piece in pieces if piece.kind == "result" and not piece.protected]
    told = [*_calls(results), *_failures(results), *_summaries(results, fused), *_conclusions(pieces)]
    body = [unmarked(line) for line in told]
    body += _names(pieces, "\n".join(told), seen)
    refs = ",".join(f"t{piece.ref}" for piece in results)
    chain = "\n".join([f'<compressed-chain id="b{number}" tools="{refs}">', *body, "</compressed-chain>"])
    moved = [protected_output(p.tool, p.ref, p.text) for p in pieces if p.kind == "result" and p.protected]
    return "\n".join([chain, *moved])


def _calls(results: Sequence[Piece]) -> list[str]:
    """One line a tool, the most used first: each key argument with the refs of its calls."""
    tools: dict[str, dict[str, list[str]]] = {}
    for piece in results:
        refs = tools.setdefault(piece.tool, {}).setdefault(piece.key, [])
        refs.append(f"t{piece.ref}{'!' if piece.error else ''}")
    lines = [f"{len(results)} calls (! failed)"]
    for tool, keys in sorted(tools.items(), key=lambda item: -sum(map(len, item[1].values()))):
        calls = [f"{','.join(refs)} {key}".rstrip() for key, refs in keys.items()]
        more = [f"and {len(calls) - MOST_KEYS} more"] if len(calls) > MOST_KEYS else []
        lines.append(f"{tool}: {'; '.join([*calls[:MOST_KEYS], *more])}")
    return [plain(line) for line in lines]


def _failures(results: Sequence[Piece]) -> list[str]:
    """The failed calls with their first error line."""
    failed = [(piece, line) for piece in results if piece.error and (line := first_failure(_said(piece)))]
    lines = [f"t{piece.ref} failed: {line}" for piece, line in failed[:MOST_FAILURES]]
    if len(failed) > MOST_FAILURES:
        lines.append(f"and {len(failed) - MOST_FAILURES} more failed calls")
    return lines


def _summaries(results: Iterable[Piece], fused: str) -> list[str]:
    """What models wrote about the results."""
    lines = [fused] if fused else joined((piece.ref, piece.summary) for piece in results if piece.summary)
    return ["summary:", *lines] if lines else []


def _said(piece: Piece) -> str:
    return piece.text.partition("\n")[2] if piece.stubbed else piece.text


def _conclusions(pieces: Iterable[Piece]) -> list[str]:
    """How the assistant's texts in between begin, those that only announce a step aside; the newest ones."""
    texts = [plain(piece.text[:CONCLUSION_WITHIN]) for piece in pieces if piece.kind == "text"]
    said = [told for text in texts if (told := next(filter(None, map(_conclusion, text.split("\n"))), ""))]
    kept = said[-MOST_CONCLUSIONS:]
    return ["said:", *kept] if kept else []


def _conclusion(line: str) -> str:
    """The line as a list item, empty when it says too little or only what comes next."""
    line = _PLAN("", line.replace("**", "").strip(" #*-\t")).rstrip()
    return f"- {line[:CONCLUSION_LONGEST]}" if len(line) >= CONCLUSION_SHORTEST else ""


def _names(pieces: Iterable[Piece], told: str, seen: Seen) -> list[str]:
    """The names of the pieces that neither `told` nor anything else in view says, in groups."""
    printed = set(names(told))
    found: dict[str, None] = {}
    chars = 0
    for piece in pieces:
        if not piece.protected:
            text = piece.text
            chars += len(text)
            said = stub_names(text) if piece.stubbed else names(text)
            found.update(dict.fromkeys(seen.missing(said)))
    fresh = [name for name in found if name not in printed]
    shown = thinned(fresh, min(max(LEAST_ROOM, chars // SHARE), MOST_ROOM))
    return grouped(shown.names) + ([f"and {shown.omitted} more names"] if shown.omitted else [])
