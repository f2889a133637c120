"""Who said what in a text of role `user` in Claude Code: the person, or the host in their place."""

from __future__ import annotations

import re
from typing import NamedTuple

from prune_mcp.sessions.claude_prompts import MACHINE, WRAPPERS, command_line, is_command, own_words

# What is typed with a sign before it: a command for the shell, a note for the memory.
_TYPED = {"<bash-input>": "!", "<user-memory-input>": "#"}
_COMMAND_PARTS = re.compile(r"<command-(name|message|args)>.*?</command-\1>", re.DOTALL)
_END = "</system-reminder>"


class Words(NamedTuple):
    """A text taken apart: the person's own words as they typed them, and what the host put there."""

    own: str = ""
    machine: str = ""


def words_in(text: str) -> Words:
    """Who said what in a text."""
    start = text.lstrip()
    if not start.startswith(("<", *MACHINE)):
        return _before_reminders(text)
    if is_command(start):
        return Words(command_line(start), _COMMAND_PARTS.sub("", start).strip())
    for tag, sign in _TYPED.items():
        if start.startswith(tag):
            return Words(sign + start.removeprefix(tag).rstrip().removesuffix(tag.replace("<", "</")))
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
