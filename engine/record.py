"""The record after a compaction, read from a session: what the person wrote before it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from prune_mcp.engine.answers import EngineError
from prune_mcp.engine.recovery.fence import counted
from prune_mcp.pruning.activity.tools import plain_name
from prune_mcp.pruning.record import LIMIT, Input, Record, record
from prune_mcp.sessions.fragment import Fragment
from prune_mcp.sessions.passage import Passage
from prune_mcp.sessions.reader import Reader

# Tools by which an agent asks the person, whatever its host calls them; underscores aside.
QUESTIONS = frozenset(
    {
        "ask", "askfollowupquestion", "askhuman", "askquestion", "askquestions", "askuser", "askuserquestion",
        "asktheuser", "clarify", "elicit", "getuserinput", "humaninput", "question", "requestuserinput",
        "userinput",
    }
)  # fmt: skip
# What the person says where they refuse a call stands in its result, behind this.
REFUSED = "To tell you how to proceed, the user said:\n"


@dataclass(frozen=True, slots=True)
class SessionRecord:
    """The record of a session before one of its compactions.

    `number`: the compaction's, from 1, of `compactions` in all; 0 where there was none, so that the record is of
    all there is. `entry`: the compaction's own, "" for none.
    """

    session: str
    host: str
    number: int
    compactions: int
    entry: str
    record: Record


def session_record(path: Path, at: int | None = None, limit: int = LIMIT) -> SessionRecord:
    """What the person wrote before the compaction number `at` of a session, by default before the latest.

    Raises:
        EngineError: the session has no such compaction.
        SessionError: it is missing, unreadable, or no session.
    """
    from prune_mcp.sessions.hosts import reader_for
    from prune_mcp.sessions.transcript_history import history_of
    from prune_mcp.sessions.which import session_at

    file = session_at(path)
    reader = reader_for(path)(path)
    history = history_of(lambda: reader, file, None)
    passages = [*history.passages(), *history.rest()]
    points = list(compactions(reader))
    number = len(points) if at is None else at
    if at is not None and not 1 <= at <= len(points):
        there = f"has {counted(len(points), 'compaction')}" + (
            ", the first is 1" if points else "; leave it out for all there is"
        )
        raise EngineError(f"at={at}: session {history.session} {there}.")
    point = points[number - 1] if number else None
    inputs = list(_inputs(passages, reader, point, history.session))
    entry = reader.entries[point].id if point is not None else ""
    before = f"before compaction {number} of {len(points)}" if number else "so far (no compaction yet)"
    head = f"What the person wrote in session {history.session} {before}, word for word:"
    told = record(inputs, head, limit)
    return SessionRecord(history.session, history.host, number, len(points), entry, told)


def compactions(reader: Reader) -> Iterator[int]:
    """The entries from which on nothing earlier is in the context, in order; abandoned ones aside."""
    passed = reader.abandoned | reader.sidechain
    last: Fragment | None = None
    for fragment in reader.fragments():
        if fragment.entry in passed or not (fragment.barrier or _sums_up(fragment)):
            last = fragment if fragment.entry not in passed and fragment.prompt else last
            continue
        # A host that draws a line writes the summary behind it.
        if not (last and last.barrier and not fragment.barrier):
            yield fragment.entry
        last = fragment


def _sums_up(fragment: Fragment) -> bool:
    """Whether an entry is what a compaction left: other summaries do not ask or answer anything."""
    return fragment.summary and (fragment.prompt or fragment.role == "assistant")


def _inputs(passages: list[Passage], reader: Reader, point: int | None, session: str) -> Iterator[Input]:
    """What the person wrote before entry number `point`, each entry once, in order."""
    numbers = {entry.id: entry.index for entry in reader.entries}
    offset = reader.entries[point].offset if point is not None else 0
    found: dict[tuple[str, str], Input] = {}
    for passage in passages:
        said = _said(passage)
        if said is None or (point is not None and not _is_before(passage.entry, numbers, point, offset)):
            continue
        key = passage.entry, said[0]
        known = found.get(key)
        text = f"{known.text}\n{said[1]}" if known else said[1]
        found[key] = Input(said[0], _ref(passage.entry, session), text, _time(passage.time))
    yield from found.values()


def _said(passage: Passage) -> tuple[Literal["ask", "answer"], str] | None:
    """What the person says in a passage: their own words, an answer to a question, or why they refuse a call."""
    if passage.abandoned or passage.side or passage.echo:
        return None
    if passage.role == "user":
        return "ask", passage.text
    if passage.role != "result":
        return None
    if REFUSED in passage.text:
        return "answer", passage.text.partition(REFUSED)[2]
    asked = plain_name(passage.tool).replace("_", "") in QUESTIONS and not passage.error
    return ("answer", passage.text) if asked else None


def _is_before(entry: str, numbers: dict[str, int], point: int, offset: int) -> bool:
    """Whether an entry stands before the one with number `point`; what is no entry is named by its place."""
    if entry.startswith("@"):
        return int(entry[1:]) < offset
    # A second entry under the id of another has a number behind it.
    return numbers.get(entry, numbers.get(entry.rpartition("#")[0], point)) < point


def _ref(entry: str, session: str) -> str:
    from prune_mcp.search.entries.entry_ref import EntryRef, short

    return str(EntryRef(short(entry), short(session)))


def _time(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%MZ") if seconds else ""
