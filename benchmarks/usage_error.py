"""The estimate of what fills a context against what the provider counted, where transcripts tell that.

    python benchmarks/usage_error.py [FOLDER]

FOLDER holds sessions laid out like a home folder, trajectories beside it (default: PRUNE_MCP_TEST_SESSIONS). The
provider's count of a prompt holds the system prompt and the tools, which no transcript tells; so the growth of the
context from the first counted response on is held against the growth of the estimate.
"""

from __future__ import annotations

import argparse
import statistics
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import accumulate
from pathlib import Path

from corpus import session_folder
from report import Cell, Table, publish

from prune_mcp.engine.usage_reported import responses
from prune_mcp.sessions.model import Conversation, SessionError
from prune_mcp.sessions.tokens import tokens
from prune_mcp.sessions.transcript import open_transcript

COMMAND = "python benchmarks/usage_error.py FOLDER"
GLOBS = (
    ".claude/projects/**/*.jsonl",
    ".codex/sessions/**/*.jsonl*",
    ".gemini/tmp/*/chats/*.json*",
    ".pi/agent/sessions/*/*.jsonl",
    "mini-swe-agent/*.traj.json",
)
# Growth in tokens, by the provider's count, below which an error says little.
LEAST = 2_000
GROWTH = (
    "format",
    "sessions",
    "responses",
    "median error %",
    "10th %",
    "90th %",
    "worst, either way %",
)
TOLD = ("format", "sessions", "median %", "least %", "most %")


@dataclass
class Errors:
    """Of one format: the errors of the growth at each response in percent, and what part of the newest count the
    estimate of the messages holds."""

    sessions: int = 0
    growth: list[float] = field(default_factory=list)
    told: list[float] = field(default_factory=list)


def main() -> None:
    """Measure, print and commit the tables."""
    parser = argparse.ArgumentParser(description="The estimate of a context against the provider's count.")
    parser.add_argument("folder", nargs="?", help="sessions, laid out like a home folder")
    found = measured(session_folder(parser.parse_args().folder))
    growth = Table(
        "Growth of the context, estimated against counted",
        GROWTH,
        [growth_row(format, errors) for format, errors in sorted(found.items()) if errors.growth],
        [f"At every response before which the context grew by at least {LEAST:,} tokens since the first one."],
    )
    told = Table(
        "Share of the newest count that the messages' estimate holds",
        TOLD,
        [told_row(format, errors) for format, errors in sorted(found.items())],
        ["The rest is system prompt and tools, and what the estimate misses."],
    )
    facts = {row[0]: {"responses": row[2], "median": row[3], "worst": row[-1]} for row in growth.rows}
    publish("usage_error", COMMAND, [growth, told], {"usage_error": facts})


def measured(folder: Path) -> dict[str, Errors]:
    """The errors by format, over all sessions under a folder."""
    found: dict[str, Errors] = defaultdict(Errors)
    for path in sorted({path for glob in GLOBS for path in folder.rglob(glob)}):
        try:
            conversation = open_transcript(path)
        except SessionError:
            continue
        take(found[conversation.format], conversation)
    return {format: errors for format, errors in found.items() if errors.sessions}


def take(errors: Errors, conversation: Conversation) -> None:
    """Take in one session, if the provider's counts are told in it."""
    counted = responses(conversation)
    if not counted:
        return
    weights = (
        sum(tokens(block.size, block.images) for block in message.blocks) for message in conversation.messages
    )
    before = [0, *accumulate(weights)]
    points = [(before[response.message], response.prompt) for response in counted]
    errors.sessions += 1
    errors.growth += growth_errors(points)
    estimate, prompt = points[-1]
    errors.told.append(100 * estimate / prompt)


def growth_errors(points: list[tuple[int, int]]) -> Iterator[float]:
    """The errors in percent of the estimated growth since the first of these points (estimate, count)."""
    first_estimate, first_count = points[0]
    for estimate, count in points[1:]:
        if count - first_count >= LEAST:
            yield 100 * ((estimate - first_estimate) / (count - first_count) - 1)


def growth_row(format: str, errors: Errors) -> tuple[Cell, ...]:
    """The figures of one format: errors in percent of the provider's count."""
    tenths = statistics.quantiles(errors.growth, n=10) if len(errors.growth) > 1 else errors.growth * 9
    worst = max(max(errors.growth), -min(errors.growth))
    figures = (statistics.median(errors.growth), tenths[0], tenths[-1], worst)
    return (format, errors.sessions, len(errors.growth), *(round(figure, 1) for figure in figures))


def told_row(format: str, errors: Errors) -> tuple[Cell, ...]:
    """The shares of one format in percent."""
    figures = (statistics.median(errors.told), min(errors.told), max(errors.told))
    return (format, errors.sessions, *(round(figure, 1) for figure in figures))


if __name__ == "__main__":
    main()
