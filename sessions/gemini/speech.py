"""What a Gemini CLI session says, as passages: thoughts, what the person typed, and what the host made of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from prune_mcp.sessions.fragment import Fragment
from prune_mcp.sessions.gemini.content import is_answer
from prune_mcp.sessions.gemini.pieces import Piece
from prune_mcp.sessions.gemini.prompts import is_machine, own_parts, typed_text
from prune_mcp.sessions.model import Entry
from prune_mcp.sessions.passage import Passage, Speaker
from prune_mcp.sessions.speech import Speech, aside_id


class GeminiSpeech(Speech):
    """Of a user message, what the person did not write is the machine's; thoughts stand beside the content."""

    def passages(self, entry: Entry, fragment: Fragment, raw: dict[str, Any], content: Any) -> Iterator[Passage]:
        """See `Speech.passages`; thoughts come behind the blocks, and what was typed (`at` -1) before them."""
        own = _own(raw, content) if raw["type"] == "user" and not fragment.summary else None
        if own is not None and not own and (typed := typed_text(raw)) and not is_machine(typed):
            yield Passage(entry.id, -1, "user", typed)
        for passage in super().passages(entry, fragment, raw, content):
            if own is not None and passage.role == "user" and passage.at not in own:
                passage.role = "machine"
            yield passage
        if is_answer(raw) and fragment.role == "assistant":
            yield from _thoughts(entry, raw, len(fragment.blocks))

    def aside(self, offset: int, raw: dict[str, Any]) -> Iterator[Passage]:
        """The session's summary, which is its title."""
        summary = raw.get("summary")
        if isinstance(summary, str) and summary:
            yield Passage(aside_id(offset), 0, "title", summary)


def _own(raw: dict[str, Any], content: list[Piece]) -> set[int]:
    """The numbers of the blocks that the person wrote."""
    own = own_parts(raw)
    return {at for at, piece in enumerate(content) if max(piece.at, 0) in own}


def _thoughts(entry: Entry, raw: dict[str, Any], at: int) -> Iterator[Passage]:
    thoughts = raw.get("thoughts")
    for number, thought in enumerate(thoughts if isinstance(thoughts, list) else ()):
        if isinstance(thought, dict):
            words = [text for key in ("subject", "description") if isinstance(text := thought.get(key), str)]
            speaker: Speaker = "thinking"
            if text := "\n".join(filter(None, words)):
                yield Passage(entry.id, at + number, speaker, text)
