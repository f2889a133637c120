"""The title of a Claude Code session: what the person or the host called it, else its first prompt."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from prune_mcp.sessions.claude_prompts import own_words

TITLE_CHARS = 100


class Titles:
    """Titles as they come along; the last of each kind counts."""

    def __init__(self) -> None:
        self._custom = self._generated = self._asked = ""
        self._summaries: dict[str, str] = {}

    def take(self, entry: dict[str, Any]) -> None:
        """Take in a line that is no entry of the tree."""
        kind = entry.get("type")
        if kind == "custom-title":
            self._custom = shortened(entry.get("customTitle"))
        elif kind == "ai-title":
            self._generated = shortened(entry.get("aiTitle"))
        elif kind == "summary":
            self._summaries[str(entry.get("leafUuid"))] = shortened(entry.get("summary"))

    def prompt(self, texts: list[str]) -> None:
        """Take in a prompt; the first one counts."""
        if not self._asked:
            self._asked = shortened(" ".join(map(own_words, texts)))

    def best(self, find: Callable[[str], int | None]) -> str:
        """The title; summaries count only where `find` knows their leaf, since files hold those of others."""
        own = [summary for leaf, summary in self._summaries.items() if summary and find(leaf) is not None]
        return self._custom or (own[-1] if own else "") or self._generated or self._asked


def shortened(text: Any) -> str:
    """A text on one line, cut at `TITLE_CHARS` characters."""
    if not isinstance(text, str):
        return ""
    line = " ".join(text[: 4 * TITLE_CHARS].split())
    return line if len(line) <= TITLE_CHARS else line[: TITLE_CHARS - 1].rstrip() + "…"
