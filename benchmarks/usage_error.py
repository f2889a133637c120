"""The estimate of what fills a context against what the provider counted, where transcripts tell that.

    python benchmarks/usage_error.py [FOLDER]

FOLDER holds sessions laid out like a home folder, trajectories beside it (default: PRUNE_MCP_TEST_SESSIONS). The
provider's count holds the system prompt and the tools, which no transcript tells, and what hosts send and do not
write down. So the estimate is held against what the count grew by from one response to the next, and what the
transcript does not hold is told apart. The estimator's numbers are fitted on every other session, and checked on
those left.
"""

from __future__ import annotations

import argparse
import statistics
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from corpus import session_folder
from report import Cell, Table, publish
from usage_steps import LEAST_STEP, Session, Step, fitted, session

from prune_mcp.engine.usage.model import CALL_TOKENS
from prune_mcp.sessions.model import SessionError
from prune_mcp.sessions.tokens import BYTES, TOKENS
from prune_mcp.sessions.transcript import open_transcript

COMMAND = "python benchmarks/usage_error.py FOLDER"
GLOBS = (
    ".claude/projects/**/*.jsonl",
    ".codex/sessions/**/*.jsonl*",
    ".gemini/tmp/*/chats/*.json*",
    ".pi/agent/sessions/*/*.jsonl",
    "mini-swe-agent/*.traj.json",
)
# Counted tokens of a session's steps below which its error says little.
LEAST_SESSION = 2_000
HELD = (
    "format",
    "steps",
    "median error %",
    "10th %",
    "90th %",
    "sessions",
    "median error of a session %",
    "worst, either way %",
)
BESIDE = (
    "format",
    "sessions",
    "beside the messages, median",
    "least",
    "most",
    "came in later, median %",
    "most %",
)
FITTED = (
    "model",
    "fitted on",
    "bytes a token",
    "tokens a call",
    "checked on",
    "median error of these %",
    "the estimator's own %",
)


def main() -> None:
    """Measure, print and commit the tables."""
    parser = argparse.ArgumentParser(description="The estimate of a context against the provider's count.")
    parser.add_argument("folder", nargs="?", help="sessions, laid out like a home folder")
    found = measured(session_folder(parser.parse_args().folder))
    formats = by(found, "format")
    held = Table(
        "What the transcript holds: estimated against counted, from one response to the next",
        HELD,
        [row for name, sessions in formats if (row := held_row(name, sessions))],
        [
            f"Steps of at least {LEAST_STEP} counted tokens of which the transcript holds all, as far as can be "
            f"seen; sessions with at least {LEAST_SESSION:,} in such steps, all of these together."
        ],
    )
    beside = Table(
        "What the transcript does not hold, in tokens by the provider's count",
        BESIDE,
        [beside_row(name, sessions) for name, sessions in formats],
        [
            "Beside the messages: system prompt and tools at the first response of the context, with what else "
            "the host sent. Came in later: steps that grew by more than three times the estimate, in percent of "
            "the newest count."
        ],
    )
    fits = Table(
        "The estimator's numbers, fitted on every other session and checked on the rest",
        FITTED,
        [row for name, sessions in by(found, "family") for row in fitted_rows(name, sessions)],
        [f"The estimator has {BYTES / TOKENS} bytes a token, and {CALL_TOKENS} tokens a call for Claude."],
    )
    facts = {row[0]: {"steps": row[1], "median": row[2], "session": row[6], "worst": row[7]} for row in held.rows}
    publish("usage_error", COMMAND, [held, beside, fits], {"usage_error": facts})


def measured(folder: Path) -> list[Session]:
    """All sessions under a folder in which counts are told, by name."""
    found = []
    for path in sorted({path for glob in GLOBS for path in folder.rglob(glob)}):
        try:
            one = session(path, open_transcript(path))
        except SessionError:
            continue
        if one:
            found.append(one)
    return found


def by(sessions: Iterable[Session], field: str) -> list[tuple[str, list[Session]]]:
    """The sessions by what they have in a field."""
    found: dict[str, list[Session]] = defaultdict(list)
    for one in sessions:
        found[getattr(one, field)].append(one)
    return sorted(found.items())


def errors(steps: Iterable[Step]) -> list[float]:
    """The errors of the estimate at steps large enough, in percent of the count."""
    return [100 * (step.estimate / step.counted - 1) for step in steps if step.counted >= LEAST_STEP]


def session_errors(sessions: Iterable[Session]) -> Iterator[float]:
    """The errors of whole sessions in percent: all their steps together."""
    for one in sessions:
        counted = sum(step.counted for step in one.held)
        if counted >= LEAST_SESSION:
            yield 100 * (sum(step.estimate for step in one.held) / counted - 1)


def held_row(name: str, sessions: Sequence[Session]) -> tuple[Cell, ...]:
    """The figures of one format; none where no session has enough in it."""
    steps = errors(step for one in sessions for step in one.held)
    whole = list(session_errors(sessions))
    if not steps or not whole:
        return ()
    tenths = statistics.quantiles(steps, n=10) if len(steps) > 1 else steps * 9
    figures = (statistics.median(steps), tenths[0], tenths[-1])
    worst = max(whole, key=abs)
    return (
        name,
        len(steps),
        *(round(figure, 1) for figure in figures),
        len(whole),
        round(statistics.median(whole), 1),
        round(worst, 1),
    )


def beside_row(name: str, sessions: Sequence[Session]) -> tuple[Cell, ...]:
    """The figures of one format."""
    first = [one.beside for one in sessions]
    later = [100 * one.unlisted / one.newest for one in sessions]
    return (
        name,
        len(sessions),
        round(statistics.median(first)),
        min(first),
        max(first),
        round(statistics.median(later), 1),
        round(max(later), 1),
    )


def fitted_rows(name: str, sessions: Sequence[Session]) -> Iterator[tuple[Cell, ...]]:
    """The figures of one maker's models: fitted on each half and checked on the other."""
    enough = [one for one in sessions if sum(step.counted for step in one.held) >= LEAST_SESSION]
    halves = enough[::2], enough[1::2]
    for fit, check in (halves, halves[::-1]):
        if fit and check:
            per_token, per_call = fitted([step for one in fit for step in one.held])
            own = list(session_errors(check))
            told = [_error(one.held, per_token, per_call) for one in check]
            yield (
                name,
                f"{len(fit)} sessions",
                f"{per_token:.2f}",
                round(per_call),
                f"{len(check)} sessions",
                round(statistics.median(told), 1),
                round(statistics.median(own), 1),
            )


def _error(steps: Sequence[Step], per_token: float, per_call: float) -> float:
    estimate = sum(step.size / per_token + per_call * step.calls for step in steps)
    return 100 * (estimate / sum(step.counted for step in steps) - 1)


if __name__ == "__main__":
    main()
