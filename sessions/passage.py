"""A passage: one piece of a session's text, as history knows it, whatever host wrote it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

Speaker = Literal["user", "assistant", "thinking", "call", "result", "summary", "title", "machine"]
SPEAKERS: tuple[Speaker, ...] = get_args(Speaker)


@dataclass(slots=True)
class Passage:
    """One block of one entry: a prompt, an answer's text, a thought, a call's arguments, a tool's output.

    `role`: who speaks; `machine` is what a host put into the user's or the system's place, `summary` what a
    compaction or a left branch was summarized to, `title` what a session is called. `entry` with `at` is unique in
    its session: the entry's id, and the place of the block in it. `time`: seconds since the epoch, 0.0 unknown.
    `abandoned`: a rewind left it behind. `side`: an inline subagent's. `echo`: what our own search or recovery
    brought, or the call that asked for it. `error`: a tool's failure.
    """

    entry: str
    at: int
    role: Speaker
    text: str
    tool: str = ""
    time: float = 0.0
    abandoned: bool = False
    side: bool = False
    echo: bool = False
    error: bool = False
