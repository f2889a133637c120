"""What masking secrets costs: CPU milliseconds per megabyte of the text of sessions, on one core.

    python benchmarks/masking.py [FOLDER]

FOLDER is or holds a home folder with sessions (default: PRUNE_MCP_TEST_SESSIONS). A search for one literal that
is not there is measured beside it: how the machine fares shows in that.
"""

from __future__ import annotations

import argparse
import re
import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

from corpus import session_folder
from ranking import home_of

from prune_mcp.search.secrets.masking import mask
from prune_mcp.search.watch import watch
from prune_mcp.sessions.history import read_history

REPEATS = 5
ABSENT = "zqxjk-nowhere"
MASKED = re.compile(r"\[secret: ([A-Za-z ]+)\]")


def texts_of(folder: Path) -> list[str]:
    """The texts of all passages of the sessions in a home folder."""
    histories = map(read_history, watch({"HOME": str(folder), "PRUNE_MCP_HOME": str(folder / "none")}).files())
    return [passage.text for history in histories for passage in (*history.passages(), *history.rest())]


def cost(act: Callable[[str], object], texts: Sequence[str], megabytes: float) -> float:
    """The CPU milliseconds per megabyte that doing this to every text takes, the best of some."""
    best = float("inf")
    for _ in range(REPEATS):
        began = time.process_time()
        for text in texts:
            act(text)
        best = min(best, time.process_time() - began)
    return 1000 * best / megabytes


def main() -> None:
    """Measure, and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?")
    texts = texts_of(home_of(session_folder(parser.parse_args().folder)))
    megabytes = sum(len(text.encode("utf-8", "surrogatepass")) for text in texts) / 1e6
    print(f"{len(texts):,} texts, {megabytes:.1f} MB")
    print(f"masking: {cost(mask, texts, megabytes):.1f} ms per MB")
    print(f"one search for a literal: {cost(lambda text: ABSENT in text, texts, megabytes):.2f} ms per MB")
    kinds = Counter(kind for text in texts for kind in MASKED.findall(mask(text)))
    print("masked:", dict(kinds - Counter(kind for text in texts for kind in MASKED.findall(text))))


if __name__ == "__main__":
    main()
