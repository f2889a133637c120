"""What a search did not cover, and why, in sentences for those who read its answer."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence

from prune_mcp.search.find.kept_scan import KeptScan
from prune_mcp.search.find.scan import Scan
from prune_mcp.search.indexing.pending import Pending
from prune_mcp.search.rows import IndexView

_NAMED = 3


def coverage(view: IndexView, scan: Scan, kept: KeptScan) -> Iterator[str]:
    """Sentences on what was not searched, or not by the index."""
    if scan.missed:
        yield _missed(scan.missed)
    if not view.sources and scan.covered and view.catalog == "read":
        yield f"There is no index yet: {_sessions(scan.covered)} read from disk instead."
    if scan.unreadable:
        named = "; ".join(f"{path}: {reason}" for path, reason in scan.unreadable[:_NAMED])
        more = len(scan.unreadable) - _NAMED
        others = f"; and {more} more" if more > 0 else ""
        yield f"{_sessions(len(scan.unreadable))} not readable ({named}{others})."
    if kept.months:
        yield _lacking(kept)
    elif not view.lacking:
        yield from view.damaged


def _lacking(kept: KeptScan) -> str:
    count = len(kept.months)
    months = kept.months[0] if count == 1 else f"{count} months"
    left = sum(frame.size for frame in kept.left)
    but = f", the newest first, but there was no time for {_megabytes(left)} of them" if left else ""
    return (
        f"The index lacks words of {months}: the texts that are kept were read instead{but}. The next indexing "
        "builds it anew (prune-mcp index)."
    )


def _missed(missed: Sequence[Pending]) -> str:
    times = [each.file.mtime for each in missed]
    size = sum(each.size for each in missed)
    what = f"{_megabytes(size)}, last written {_day(min(times))} to {_day(max(times))}"
    return f"{_sessions(len(missed))} not searched ({what}): not indexed yet, and no time was left."


def _sessions(count: int) -> str:
    return "1 session was" if count == 1 else f"{count} sessions were"


def _megabytes(size: int) -> str:
    return f"{size / 1e6:.0f} MB" if size >= 1e6 else f"{size / 1e3:.0f} kB"


def _day(seconds: float) -> str:
    return time.strftime("%Y-%m-%d", time.gmtime(seconds))
