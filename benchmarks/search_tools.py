"""Tools that search past sessions by commands: ours, two of the kind, and ripgrep."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from environments import Peer
from environments import environment as python_of
from queries import Query
from running import OURS

RIPGREP = Peer("ripgrep", ("ripgrep==14.1.0",), "")
MNEMO = Peer("mnemo-search", ("mnemo-search==0.7.0",), "")
FAST_RESUME = Peer("fast-resume", ("fast-resume==2.14.0",), "")


@dataclass(frozen=True)
class Tool:
    """A tool with commands: how it indexes, how it takes up changes, and how it is asked."""

    name: str
    covers: str
    index: Sequence[str]
    refresh: Sequence[str]
    search: Callable[[Query], Sequence[str]]
    # Where it keeps what it indexed, beside the home or in it.
    kept: Sequence[str]
    # Whether its searches find what was not indexed yet.
    fresh: bool = False


def ours() -> Tool:
    """Our own command line."""
    return Tool("prune-mcp", "all", (*OURS, "index"), (*OURS, "index"),
                lambda query: (*OURS, "search", "--json", "--", query.text),
                ("state/prune-mcp",), fresh=True)  # fmt: skip


def mnemo() -> Tool:
    """mnemo-search: SQLite's FTS5, and a copy of each transcript."""
    command = str(python_of(MNEMO).with_name("mnemo"))
    flags = ("--json", "--no-sync", "--all-kinds", "--limit", "10")
    return Tool("mnemo-search 0.7.0", "all", (command, "index"), (command, "index"),
                lambda query: (command, "search", plain(query), *flags), ("home/.mnemo",))  # fmt: skip


def fast_resume() -> Tool:
    """fast-resume: Tantivy, sessions as documents, of prompts and answers alone."""
    command = str(python_of(FAST_RESUME).with_name("fr"))
    return Tool("fast-resume 2.14.0", "prompts and answers", (command, "--rebuild", "--json", "--limit", "1", "x"),
                (command, "--json", "--limit", "1", "x"),
                lambda query: (command, "--json", "--no-refresh", "--limit", "10", " ".join(query.words)),
                ("state/cache", "state/data"))  # fmt: skip


def ripgrep() -> Tool:
    """ripgrep over the files as they are."""
    command = str(python_of(RIPGREP).with_name("rg"))
    return Tool("ripgrep 14.1.0", "bytes of files, not ranked", (), (),
                lambda query: (command, "-uu", "-i", "-F", "-l", *_patterns(query), "."), ())  # fmt: skip


def plain(query: Query) -> str:
    return f'"{" ".join(query.words)}"' if query.kind == "phrase" else query.text


def _patterns(query: Query) -> list[str]:
    if query.kind == "phrase":
        return ["-e", " ".join(query.words)]
    return [part for word in query.words for part in ("-e", word)]
