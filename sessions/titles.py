"""The title of a Claude Code session: what the person or the host called it, else its first prompt."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from prune_mcp.sessions.claude.prompts import command_line, own_words

TITLE_CHARS = 100


class Titles:
    """Titles as they come along; the last of each kind counts, of the prompts the first."""

    def __init__(self) -> None:
        self._custom = self._generated = self._command = ""
        self._asked = {False: "", True: ""}
        self._summaries: dict[str, str] = {}

    def state(self) -> list[Any]:
        """The titles as JSON; `restore` takes it."""
        return [self._custom, self._generated, self._command, *self._asked.values(), self._summaries.copy()]

    def restore(self, state: list[Any]) -> None:
        """Go on with the titles of another reading."""
        self._custom, self._generated, self._command, asked, asked_aside, self._summaries = state
        self._asked = {False: asked, True: asked_aside}

    def take(self, entry: dict[str, Any]) -> None:
        """Take in a line that is no entry of the tree."""
        kind = entry.get("type")
        if kind == "custom-title":
            self._custom = shortened(entry.get("customTitle"))
        elif kind == "ai-title":
            self._generated = shortened(entry.get("aiTitle"))
        elif kind == "summary":
            self._summaries[str(entry.get("leafUuid"))] = shortened(entry.get("summary"))

    def prompt(self, texts: list[str], side: bool) -> None:
        """Take in a prompt; `side`: it was put to a subagent."""
        if not self._asked[side]:
            self._asked[side] = shortened(" ".join(map(own_words, texts)))

    def command(self, text: str) -> None:
        """Take in a slash command, which names a session only where nothing else was asked."""
        self._command = self._command or shortened(command_line(text))

    def best(self, knows: Callable[[str], bool], beside: Mapping[str, str] | None = None) -> str:
        """The title; summaries count only where `knows` knows their leaf, since files hold those of others.

        `beside`: by their leaf the summaries that other files hold, which count where nothing else was given.
        """
        own = [summary for leaf, summary in self._summaries.items() if summary and knows(leaf)]
        given = self._custom or (own[-1] if own else "") or self._generated
        if not given and beside:
            given = next((shortened(text) for leaf, text in beside.items() if knows(leaf)), "")
        return given or self._asked[False] or self._command or self._asked[True]

    @property
    def given(self) -> bool:
        """Whether the session was called anything, by the person or the host."""
        return bool(self._custom or self._generated)


def shortened(text: Any) -> str:
    """A text on one line, cut at `TITLE_CHARS` characters."""
    if not isinstance(text, str):
        return ""
    line = " ".join(text[: 4 * TITLE_CHARS].split())
    return line if len(line) <= TITLE_CHARS else line[: TITLE_CHARS - 1].rstrip() + "…"
