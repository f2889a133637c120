"""The MCP server: its tools, its instructions, and serving them over stdio."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.metadata import version
from types import ModuleType
from typing import TYPE_CHECKING, cast

from prune_mcp.server.exit_codes import DONE, FAILED, PIPE_CLOSED
from prune_mcp.server.late_offers import LateOffers
from prune_mcp.server.streams import complain_no_more, give_up_broken
from prune_mcp.server.tools.collapse_tool import collapse_tool
from prune_mcp.server.tools.history_tool import read_tool, search_tool
from prune_mcp.server.tools.prune_tool import prune_tool
from prune_mcp.server.tools.tree_tool import tree_tool
from prune_mcp.server.tools.usage_tool import usage_tool
from prune_mcp.server.worker import Worker, open_engine

if TYPE_CHECKING:
    from prune_mcp.engine.engine import Engine

INSTRUCTIONS = (
    "prune_context shrinks a full context without losing anything; context_tree_query brings back, exactly, what "
    "a stub or digest marked with a ref such as t5 or b2 stands for. history_search finds what was said or done "
    "before, here or in any past session. Prefer both to running a tool again."
)


def make_server(open: Callable[[], Engine] = open_engine) -> LateOffers:
    """A server whose first tool call opens the engine with `open`; all its connections share that."""
    worker = Worker(open)
    with plain_log():
        return LateOffers(
            "prune-mcp",
            worker,
            instructions=INSTRUCTIONS,
            version=version("prune-mcp"),
            tools=[prune_tool(), tree_tool(), collapse_tool(), usage_tool(), search_tool(), read_tool()],
            log_level="WARNING",
            subscriptions=False,
        )


@contextmanager
def plain_log() -> Iterator[None]:
    """Keep the SDK from loading rich just to color its log, which costs 7 % of the start-up."""
    loaded = "rich.console" in sys.modules
    if not loaded:
        sys.modules["rich.console"] = cast(ModuleType, None)
    try:
        yield
    finally:
        if not loaded:
            del sys.modules["rich.console"]


def serve() -> int:
    """Serve MCP over stdio until the client closes it; returns 0, or 141 where answers went unread."""
    if sys.stdin.isatty():
        print("prune-mcp serves MCP on stdin and stdout; `prune-mcp --help` lists its commands.", file=sys.stderr)
    code = DONE
    try:
        make_server().run()
    except* BrokenPipeError:
        code = PIPE_CLOSED
    except* OSError as failed:
        code = _failed(failed)
    if code:
        complain_no_more()
    give_up_broken()
    return code


def _failed(group: BaseExceptionGroup[OSError]) -> int:
    from prune_mcp.server.commands.console import say
    from prune_mcp.storage.ways_out import in_words

    say(f"prune-mcp: {in_words(next(_leaves(group)), 'The answer')}")
    return FAILED


def _leaves(group: BaseExceptionGroup[OSError]) -> Iterator[OSError]:
    """The errors of a group and of those inside of it."""
    for each in group.exceptions:
        if isinstance(each, BaseExceptionGroup):
            yield from _leaves(each)
        else:
            yield each
