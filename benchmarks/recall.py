"""Later-use recall of our views beside the provider's own clearing and two packages, on the same inputs.

    python benchmarks/recall.py [FOLDER] [--quick]

FOLDER holds sessions as they lie in a home folder (default: PRUNE_MCP_TEST_SESSIONS). `scoring.py` says what
is measured. `--quick` leaves the packages out.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import ours
from corpus import Message, Session, agent_sessions, blocks_of, session_folder, trajectories
from environments import Peer, PeerFailed
from report import Table, publish
from scoring import PATTERNS, Score, cut_points, score, total

COMMAND = "python benchmarks/recall.py FOLDER"
COLUMNS = ("view", "saving %", "all used facts in view %", "told only by results, in view %")
CLEARING = "provider's clearing (newest 3 results kept)"
PEERS = (
    Peer("lightfoot", ("lightfoot==1.0.0",), "lightfoot_views.py"),
    Peer("headroom-ai", ("headroom-ai[code]==0.42.0", "onnxruntime>=1.24,<2"), "headroom_views.py"),
)


@dataclass(frozen=True)
class Cut:
    """A session cut in two."""

    session: Session
    at: int

    @property
    def past(self) -> list[Message]:
        """The part that is pruned."""
        return self.session.messages[: self.at]

    @property
    def future(self) -> list[Message]:
        """The part that shows what is used later."""
        return self.session.messages[self.at :]


Views = Sequence[list[Message]]


def main() -> None:
    """Measure, print and commit the tables."""
    parser = argparse.ArgumentParser(description="Later-use recall of pruned views.")
    parser.add_argument("folder", nargs="?", help="sessions, laid out like a home folder")
    parser.add_argument("--quick", action="store_true", help="only our views and the provider's clearing")
    arguments = parser.parse_args()
    folder = session_folder(arguments.folder)
    sessions, extra = agent_sessions(folder), trajectories(folder)
    tables, facts = [], {}
    for name, title, group, patterns in (
        ("agents", "Claude Code and pi sessions", sessions, list(PATTERNS)),
        ("trajectories", "mini-swe-agent trajectories", extra, ["identifiers"]),
    ):
        cuts = [Cut(session, at) for session in group for at in cut_points(session.messages)]
        found = dict(views(cuts, arguments.quick))
        for pattern in patterns:
            scores = {label: scored(cuts, made, pattern) for label, made in found.items()}
            tables.append(table(f"{title}, facts by the pattern `{pattern}`", group, scores))
            facts[f"{name}/{pattern}"] = {label: figures(result) for label, result in scores.items()}
    if arguments.quick:
        print("\n".join(made.markdown() for made in tables))
    else:
        publish("recall", COMMAND, tables, {"recall": facts})


def views(cuts: Sequence[Cut], quick: bool) -> Iterator[tuple[str, Views]]:
    """Every measured view of the cuts, by its name in the table."""
    yield CLEARING, [cleared(cut.past) for cut in cuts]
    for label, options in ours.CONFIGURATIONS.items():
        yield label, [ours.view(cut.past, options) for cut in cuts]
    if quick:
        return
    items = [{"host": cut.session.host, "messages": cut.past} for cut in cuts]
    for peer in PEERS:
        try:
            answer = peer.run(items)
        except PeerFailed as failure:
            print(failure, file=sys.stderr)
            continue
        for label, made in answer["views"].items():
            yield f"{peer.name} {answer['version']}, {label}", made


def cleared(messages: list[Message], keep: int = 3) -> list[Message]:
    """The provider's own clearing: every tool result but the newest `keep` becomes a placeholder."""
    ids = [b["tool_use_id"] for m in messages for b in blocks_of(m) if b.get("type") == "tool_result"]
    gone = set(ids[:-keep])
    return [
        {**m, "content": [_emptied(b) if b.get("tool_use_id") in gone else b for b in blocks_of(m)]}
        for m in messages
    ]


def _emptied(block: dict[str, Any]) -> dict[str, Any]:
    return {**block, "content": "[cleared]"}


def scored(cuts: Sequence[Cut], made: Views, pattern: str) -> Score:
    """All cuts' scores together."""
    pairs = zip(cuts, made, strict=True)
    return total(score(cut.past, cut.future, view, PATTERNS[pattern]) for cut, view in pairs)


def figures(result: Score) -> dict[str, float]:
    """A score as the committed figures, in percent."""
    return {
        "saving": round(result.saving, 1),
        "all": round(result.all_in_view, 1),
        "only": round(result.only_in_view, 1),
    }


def table(title: str, group: Sequence[Session], scores: dict[str, Score]) -> Table:
    """One table over a group of sessions."""
    rows = [(label, result.saving, result.all_in_view, result.only_in_view) for label, result in scores.items()]
    some = next(iter(scores.values()))
    count = f"{len(group)} sessions, {some.used} facts used later, {some.only} of them told only by results."
    return Table(title, COLUMNS, rows, (count,))


if __name__ == "__main__":
    main()
