"""A question to past sessions, made from what a tool call or a command was given."""

from __future__ import annotations

import time

from prune_mcp.engine.past import Question, SearchError
from prune_mcp.server.since import local_now, point_in_time

NUMBER_OF_HITS = 10


def question(
    text: str,
    *,
    session: str = "",
    project: str = "",
    role: str = "",
    tool: str = "",
    agent: str = "",
    since: str = "",
    until: str = "",
    limit: int = NUMBER_OF_HITS,
    cursor: str = "",
    own_session: str = "",
) -> Question:
    """The question; `since` and `until` in words, as people write them.

    Raises:
        SearchError: a time that is none.
    """
    return Question(
        text,
        session=session,
        project=project,
        role=role,
        tool=tool,
        agent=agent,
        since=_point("since", since, end=False),
        until=_point("until", until, end=True),
        limit=limit,
        cursor=cursor,
        own_session=own_session,
        now=time.time(),
    )


def _point(name: str, text: str, *, end: bool) -> float:
    if not text:
        return 0.0
    try:
        return point_in_time(text, local_now(), end=end)
    except ValueError as error:
        raise SearchError(f"`{name}`: {error}") from None
