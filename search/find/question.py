"""What is asked of past sessions, and what is found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

MOST_HITS = 50
Flag = Literal["abandoned", "subagent", "gone", "echo", "error"]


class SearchError(Exception):
    """A question that cannot be answered as it was asked; the message says why, and what to ask instead."""


class QuestionWrong(SearchError):
    """A question that would mean nothing whatever the history held, such as an empty one."""


@dataclass(frozen=True, slots=True)
class Question:
    """A question. Filters are "" or 0.0 where nothing is to be filtered.

    `session`: only this session's active branch, newest first; its id, or the beginning of it. `newest`: newest
    first. `project`: a folder, its name or a part of it. `role`: a `Speaker`, or `tool` for calls and results.
    `agent`: a host's name. `since` and `until`: seconds since the epoch. `limit`: hits in one answer, 1 to 50.
    `cursor`: where an earlier answer to the same question ended. `own_session`: the session that asks, whose last
    exchange ranks below everything else. `now`: seconds since the epoch.
    """

    text: str
    session: str = ""
    newest: bool = False
    project: str = ""
    role: str = ""
    tool: str = ""
    agent: str = ""
    since: float = 0.0
    until: float = 0.0
    limit: int = 10
    cursor: str = ""
    own_session: str = ""
    now: float = 0.0


@dataclass(frozen=True, slots=True)
class Copy:
    """Where else a hit's text stands, word for word. `ref`: the entry there, as `Hit.ref`."""

    session: str
    ref: str


@dataclass(frozen=True, slots=True)
class Hit:
    """One passage that was found.

    `session` and `entry` are whole ids, `ref` names the entry in short (`ENTRY@SESSION`). `time`: seconds since
    the epoch, 0.0 unknown. `snippet`: text on one line; `marks`: where in it the question's words stand, as pairs
    of start and end. `copies`: at most five other places of the same text, of `copy_count`.
    """

    session: str
    entry: str
    ref: str
    agent: str
    project: str
    cwd: str
    title: str
    time: float
    role: str
    tool: str
    snippet: str
    marks: Sequence[tuple[int, int]]
    flags: Sequence[Flag] = ()
    copies: Sequence[Copy] = ()
    copy_count: int = 0
    score: float = 0.0


@dataclass(slots=True)
class Found:
    """The answer: `hits` in order, `cursor` for what comes after them ("" at the end).

    `first`: the number of the first of these hits among those of all pages, from 1.
    `notes`: sentences on what was not covered and why, on cut-offs, on filters that match nothing. `total`: at
    least so many hits there are. `covered`: sessions that were searched whole; `pending`: sessions that were not.
    """

    hits: list[Hit] = field(default_factory=list)
    cursor: str = ""
    notes: list[str] = field(default_factory=list)
    total: int = 0
    first: int = 1
    covered: int = 0
    pending: int = 0
