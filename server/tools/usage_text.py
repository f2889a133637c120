"""What `context_usage` answers: the structured form, and the same as short text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from prune_mcp.engine.recovery.fence import counted, inline, quoted

if TYPE_CHECKING:
    from prune_mcp.engine.usage.answer import Item, Row, Saving, UsageAnswer, Waste

# Bytes of the whole text, and how many parts of a row it shows where all do not fit.
MOST_BYTES = 4000
FEWER_PARTS = (30, 20, 12, 8, 5, 3, 1, 0)
NAME_CHARS = 60
WINDOWS = {"settings": "set", "transcript": "as the host says", "table": "known of the model"}


def structured(answer: UsageAnswer) -> dict[str, Any]:
    """The answer as a JSON value."""
    return asdict(answer)


def text(answer: UsageAnswer) -> str:
    """The answer as lines, in less than 4,000 bytes: of the parts of each row as many as there is room for."""
    for parts in FEWER_PARTS:
        found = "\n".join(_lines(answer, parts))
        if len(found.encode("utf-8", "replace")) < MOST_BYTES:
            break
    return found


def head(answer: UsageAnswer) -> list[str]:
    """Whose context it is, how full it is, and where the provider counted, what it counted."""
    named = filter(None, (answer.model, answer.host or answer.format, f"session {answer.session}"))
    lines = [" · ".join(inline(name, 200) for name in named), fullness(answer)]
    if answer.counted:
        since = f", ~{answer.counted.since:,} since" if answer.counted.since else ""
        cached = f" ({answer.counted.cached:,} of it cached)" if answer.counted.cached else ""
        output = f", answer {answer.counted.output:,}" if answer.counted.output else ""
        told = f"prompt {answer.counted.prompt:,}{cached}{output}"
        lines.append(f"by the provider's newest count: {told}{since}")
    return lines


def fullness(answer: UsageAnswer) -> str:
    """How much stands in the context, and how much is free, in one line."""
    total = amount(answer.total, answer.counted is None)
    if answer.free is None or not answer.window:
        return f"{total} tokens in the context"
    return f"{total} of {answer.window:,} tokens ({share(answer.total, answer.window)}), {answer.free:,} free"


def amount(tokens: int, estimated: bool) -> str:
    """A number of tokens, marked where it is an estimate."""
    return f"{'~' if estimated else ''}{tokens:,}"


def share(tokens: int, whole: int) -> str:
    """A share of the whole in percent."""
    percent = 100 * tokens / whole if whole else 0.0
    return "<1 %" if 0 < percent < 0.5 else f"{percent:.0f} %"


def item_line(item: Item) -> str:
    """One costly piece: what brings it back, what it is, its size."""
    what = " ".join(filter(None, (inline(item.tool, NAME_CHARS) or item.category, quoted(item.key))))
    return f"{item.ref} {what}"


def endnotes(answer: UsageAnswer, prune: str) -> list[str]:
    """What could go and what that would save, then what must be known of the numbers; `prune` is what prunes."""
    return [
        saving_line(answer.saving, prune),
        *([f"a prune is due: {answer.due}"] if answer.due else []),
        *waste_lines("stale, since changed later", "read", answer.stale, answer.total),
        *waste_lines("instructions sent twice", "block", answer.repeated, answer.total),
        *(f"note: {note}" for note in answer.notes),
    ]


def waste_lines(what: str, noun: str, waste: Waste, total: int) -> list[str]:
    """What stands there for nothing; no line for nothing of it."""
    if not waste.count:
        return []
    names = ", ".join(waste.names)
    told = f"{counted(waste.count, noun)} of ~{waste.tokens:,} tokens ({share(waste.tokens, total)})"
    return [f"{what}: {told}: {names}"]


def saving_line(saving: Saving, prune: str) -> str:
    """What pruning would leave, and after how many requests it has paid for itself."""
    held = f"; {counted(saving.held_back, 'edit')} wait for signed thinking of the open exchange"
    held = held if saving.held_back else ""
    if saving.break_even_cached is None:
        return f"{prune} now would save nothing{held}"
    less = f"~{saving.before:,} tokens of messages would become ~{saving.after:,}"
    even = (
        f"paid for after {saving.break_even_cached:,.1f} more requests at cached prices, at once at uncached ones"
    )
    return f"{prune} now: {less}; {even}{_dollars(saving)}{held}"


def _dollars(saving: Saving) -> str:
    if saving.per_request_cached is None or saving.per_request_uncached is None:
        return ""
    return (
        f"; later requests cost ${saving.per_request_cached:.4f} less each at cached prices, "
        f"${saving.per_request_uncached:.4f} at uncached ones"
    )


def _lines(answer: UsageAnswer, parts: int) -> Iterator[str]:
    yield from head(answer)
    yield "~ marks estimates (3.2 UTF-8 bytes a token, 1,600 an image, 2,250 a page of a PDF); shares are of all:"
    for row in answer.rows:
        estimated = row.source == "estimated"
        pieces = f" in {row.count:,}" if estimated else " (the provider's count less the estimates)"
        yield f"{row.label}: {amount(row.tokens, estimated)} {share(row.tokens, answer.total)}{pieces}"
        if row.parts and parts:
            yield f"  {_parts(row, parts)}"
    if answer.free is not None:
        yield f"free: {answer.free:,} of the window ({WINDOWS[answer.window_source]})"
    if answer.items:
        yield "costliest:"
        yield from (f"  {item_line(item)} ~{item.tokens:,}" for item in answer.items)
    yield from endnotes(answer, "prune_context")


def _parts(row: Row, most: int) -> str:
    told = [f"{inline(part.name, NAME_CHARS)} ~{part.tokens:,} ({part.count:,})" for part in row.parts[:most]]
    hidden = row.parts[most:]
    if rest := len(hidden) + row.more:
        told.append(f"{rest:,} more ~{sum(part.tokens for part in hidden) + row.more_tokens:,}")
    return ", ".join(told)
