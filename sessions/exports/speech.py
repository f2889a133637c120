"""What exported messages read like: a host's own words under the person's role are told apart."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from prune_mcp.sessions.exports.kinds import seconds_of
from prune_mcp.sessions.fragment import Fragment
from prune_mcp.sessions.model import Block
from prune_mcp.sessions.passage import Passage, Speaker
from prune_mcp.sessions.speech import Speech, aside_id


class ExportSpeech(Speech):
    """A user message that asks nothing is the machine's."""

    def speaker(self, fragment: Fragment, block: Block) -> Speaker | None:
        """See `Speech.speaker`."""
        speaker = super().speaker(fragment, block)
        return "machine" if speaker == "user" and not fragment.prompt else speaker

    def aside(self, offset: int, raw: dict[str, Any]) -> Iterator[Passage]:
        """What the conversation is called, and what it was summarized to."""
        speakers: tuple[Speaker, ...] = ("title", "summary")
        for at, speaker in enumerate(speakers):
            text = raw.get(speaker)
            if isinstance(text, str) and text:
                yield Passage(aside_id(offset), at, speaker, text, time=seconds_of(raw.get("begun")))
