"""The block that stands for collapsed exchanges: what was done in them, in short lists, without a model."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

from prune_mcp.pruning.activity.activity import Activity, Check
from prune_mcp.pruning.activity.failures import Failure, telling
from prune_mcp.pruning.activity.labels import one_line
from prune_mcp.pruning.plain import counted, plain, unmarked

T = TypeVar("T")

# Items of a list that are told; of more the newest, and the rest is counted.
MOST = 12
TEXT_LONGEST = 400
# What stands for the folder that most files are in.
HERE = "…"
# Characters that telling it once must spare.
LEAST_SPARED = 40


@dataclass(frozen=True, slots=True)
class Usage:
    """What the provider counted: requests, tokens of their prompts, those of them that came from its cache, and
    tokens that the model wrote."""

    requests: int
    prompt: int
    cached: int
    output: int


@dataclass(frozen=True, slots=True)
class Collapsed:
    """What a collapse tells: how many exchanges, what was done in them, what the assistant said last, whether that
    stands in the view as the answer (`closed`), and what it used (None: the source does not tell)."""

    exchanges: int
    activity: Activity
    said: str
    closed: bool
    usage: Usage | None = None


def newest(items: Sequence[T]) -> list[T]:
    """The items of a list that are told."""
    return list(items[-MOST:])


def collapse_text(number: int, tools: str, told: Collapsed, moved: Iterable[str]) -> str:
    """The text of block b`number`; `tools`: the refs of its outputs, `moved`: protected outputs that follow it."""
    lines = [unmarked(plain(line)) for line in _lines(told)]
    block = [f'<compressed-chain id="b{number}" tools="{tools}">', *lines, "</compressed-chain>"]
    return "\n".join([*block, *moved])


def usage_line(usage: Usage) -> str:
    """What was used, in words."""
    cached = f" ({usage.cached:,} from the cache)" if usage.cached else ""
    return f"{counted(usage.requests, 'request')}, {usage.prompt:,} tokens in{cached}, {usage.output:,} out"


def check_line(check: Check) -> str:
    """The runs of one check, in words."""
    failed = f"{check.failed} failed, last " if check.failed and check.runs > 1 else ""
    said = f": {check.line}" if check.line else ""
    ref = f" (t{check.ref})" if check.ref else ""
    return f"{times(check.label, check.runs)}: {failed}{check.outcome}{ref}{said}"


def failure_line(failure: Failure) -> str:
    """A failed call, in words."""
    said = f": {failure.line}" if failure.line else ""
    return f"t{failure.ref} {failure.call}{said}"


def times(label: str, count: int) -> str:
    """What was done more than once, with how often."""
    return f"{label} ×{count}" if count > 1 else label


def _lines(told: Collapsed) -> Iterator[str]:
    done = told.activity
    failed = f", {len(done.failures)} failed" if done.failures else ""
    yield f"collapsed: {counted(told.exchanges, 'finished exchange')}, {counted(done.calls, 'call')}{failed}"
    yield from _files(done)
    ran = [times(label, count) for label, count in done.ran.items()]
    looked = f", {done.looked} only looked" if done.looked else ""
    yield from _listed("commands", ran, f"{done.commands}{looked}" if done.commands else "")
    yield from _listed("other calls", [times(tool, count) for tool, count in done.others.items()])
    yield from _each("checks", done.checks, map(check_line, newest(done.checks)))
    yield from _failures(done.failures)
    yield from _each("commits", done.commits, (f"{c.id} {c.subject}".strip() for c in newest(done.commits)))
    if told.said and not told.closed:
        yield f"left off: {one_line(told.said, TEXT_LONGEST)}"
    if told.usage:
        yield f"used: {usage_line(told.usage)}"


def _failures(failures: Sequence[Failure]) -> Iterator[str]:
    told = telling(failures, MOST)
    lines = map(failure_line, told)
    if told == newest(failures):
        yield from _each("failed", failures, lines)
    else:
        yield f"failed ({len(failures)}, {len(told)} of them):"
        yield from (f"- {line}" for line in lines)


def _files(done: Activity) -> Iterator[str]:
    """The files; the folder that most of them stand in is told once."""
    folder = _folder([*newest(done.modified), *newest(done.read)])
    if folder:
        yield f"{HERE} is {folder}"
    for name, paths in (("modified", done.modified), ("only read", done.read)):
        inside = f"{folder}/"
        told = [HERE + path[len(folder) :] if folder and path.startswith(inside) else path for path in paths]
        yield from _listed(name, told)


def _folder(paths: Sequence[str]) -> str:
    """The folder that is worth telling once: the one that spares the most characters, "" for none."""
    spared: dict[str, int] = {}
    for path in paths:
        parts = path.split("/")
        for end in range(2, len(parts)):
            folder = "/".join(parts[:end])
            spared[folder] = spared.get(folder, -len(folder)) + len(folder) - len(HERE)
    best = max(spared, key=lambda folder: spared[folder], default="")
    return best if spared.get(best, 0) >= LEAST_SPARED else ""


def _listed(name: str, items: Sequence[str], count: str = "") -> Iterator[str]:
    """A list on one line; `count`: how many there are in all, where these are but some of them."""
    if items or count:
        shown = newest(items)
        more = f", the last {len(shown)}" if len(shown) < len(items) else ""
        of = f" of {len(items)}" if more and count else ""
        told = f"{name} ({count or len(items)}{more}{of})"
        yield f"{told}: {'; '.join(shown)}" if shown else told


def _each(name: str, items: Sequence[object], lines: Iterable[str]) -> Iterator[str]:
    """A list with a line for each item."""
    if items:
        more = f", the last {MOST}" if len(items) > MOST else ""
        yield f"{name} ({len(items)}{more}):"
        yield from (f"- {line}" for line in lines)
