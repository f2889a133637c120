"""Who said what in a text of role `user` in Claude Code: the person, or the host in their place."""

from __future__ import annotations

import re
from typing import NamedTuple

from prune_mcp.sessions.claude.prompts import MACHINE, WRAPPERS, command_line, is_command, own_words

# A note for the memory is typed with a sign before it.
_NOTE, _NOTE_END = "<user-memory-input>", "</user-memory-input>"
_COMMAND_PARTS = re.compile(r"<command-(name|message|args)>.*?</command-\1>", re.DOTALL)
_END = "</system-reminder>"
_STARTS = ("<", *MACHINE)


class Words(NamedTuple):
    """A text taken apart: the person's own words as they typed them, and what the host put there."""

    own: str = ""
    machine: str = ""


def words_in(text: str) -> Words:
    """Who said what in a text."""
    start = text.lstrip()
    if not start.startswith(_STARTS):
        return _before_reminders(text)
    if is_command(start):
        return Words(command_line(start), _COMMAND_PARTS.sub("", start).strip())
    if start.startswith(_NOTE):
        return Words("#" + start.removeprefix(_NOTE).rstrip().removesuffix(_NOTE_END))
    own = own_words(start)
    if own.startswith(MACHINE):
        return Words(machine=text)
    words = _before_reminders(own)
    return Words(words.own, (start[: len(start) - len(own)] + words.machine).strip())


def _before_reminders(text: str) -> Words:
    """The text without the reminders that the host put behind it."""
    own = text.rstrip()
    while own.endswith(_END) and (at := own.rfind(f"<{WRAPPERS[0]}>")) >= 0:
        own = own[:at].rstrip()
    return Words(own, text[len(own) :].strip()) if own != text.rstrip() else Words(text)
