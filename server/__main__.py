"""`prune-mcp`: without arguments it serves MCP over stdio at once, with arguments it is the command line."""

from __future__ import annotations

import gc
import sys
from contextlib import suppress

from prune_mcp.server.exit_codes import STOPPED
from prune_mcp.server.streams import give_up_broken, open_missing

# A command makes many objects that it needs to its end, so that looking for garbage among them often only costs.
OBJECTS_BETWEEN_COLLECTIONS = 10_000
# More than this macOS gives to no process.
MOST_FILES = 10_240


def main() -> int:
    """Run the program; returns its exit code: 0 done, 1 failed, 2 wrong usage, 130 stopped, 141 not read."""
    open_missing()
    _allow_files()
    try:
        if len(sys.argv) > 1:
            gc.set_threshold(OBJECTS_BETWEEN_COLLECTIONS)
            from prune_mcp.server.cli import run

            return run(sys.argv[1:])
        from prune_mcp.server.app import serve

        return serve()
    except KeyboardInterrupt:
        return STOPPED
    finally:
        give_up_broken()


def _allow_files() -> None:
    """Let this process have as many files open as it may: each part of an index is one, and some systems begin
    with 256."""
    try:
        import resource
    except ImportError:
        # Windows has no such limit.
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MOST_FILES if hard == resource.RLIM_INFINITY else min(hard, MOST_FILES)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        with suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


if __name__ == "__main__":
    sys.exit(main())
