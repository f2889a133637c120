"""Gemini CLI's sessions: `chats/session-*.json`, later `.jsonl`, and the files of subagents in folders beside."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from prune_mcp.sessions.content import string
from prune_mcp.sessions.document import Document, Record, Share
from prune_mcp.sessions.footing import mark_of
from prune_mcp.sessions.gemini import pieces as gemini_pieces
from prune_mcp.sessions.gemini.content import answered_calls, is_answer, shares_of
from prune_mcp.sessions.gemini.log import GeminiLog
from prune_mcp.sessions.gemini.projects import project_of, root_of
from prune_mcp.sessions.gemini.prompts import is_command, typed_text
from prune_mcp.sessions.model import Block
from prune_mcp.sessions.persisted import read_from
from prune_mcp.sessions.titles import shortened

if TYPE_CHECKING:
    from prune_mcp.sessions.gemini.edits import GeminiEdits
    from prune_mcp.sessions.gemini.speech import GeminiSpeech


class Gemini(Document):
    """A Gemini CLI session, whichever form its file has."""

    format = "gemini"
    host = "gemini"
    live = True

    def _forget(self) -> None:
        super()._forget()
        self._answered: frozenset[str] = frozenset()
        self._standing: list[str] = []

    def _records(self) -> Iterator[Record]:
        return self._recorded(GeminiLog().read(self._data()))

    def _glimpsed(self, lines: list[bytes]) -> Iterator[Record]:
        return self._recorded(GeminiLog().read(b"\n".join(lines)))

    def _recorded(self, log: GeminiLog) -> Iterator[Record]:
        self.skipped.update(log.skipped)
        self._introduce(log.header)
        messages = log.messages.values()
        self._answered = frozenset(
            id for message in messages if is_answer(message) for id in answered_calls(message)
        )
        self._standing = list(log.sent)
        for message in messages:
            left = message["id"] in log.left
            self._ask(message, left)
            yield Record(message, left)

    def _introduce(self, header: dict[str, Any]) -> None:
        path = Path(self.path)
        self.session = string(header.get("sessionId"))
        self.cwd = root_of(project_of(path)) or next(iter(_folders(header)), "")
        summary = string(header.get("summary"))
        self._named = shortened(summary)
        if header.get("kind") == "subagent" and path.parent.name != "chats":
            # The folder is named after the session that started it.
            self.parent = path.parent.name
        if summary:
            self._aside(mark_of(summary), header)

    def _ask(self, message: dict[str, Any], left: bool) -> None:
        """The first prompt may be the title."""
        if message["type"] == "user" and not (self._asked or left or is_command(message.get("content"))):
            self._asked = shortened(typed_text(message))

    def _sent(self) -> Iterable[str]:
        return self._standing

    def _shares(self, raw: dict[str, Any]) -> list[Share]:
        return shares_of(raw, self._answered)

    def _piece_text(self, block: Block, piece: Any) -> str:
        return gemini_pieces.piece_text(piece)

    def _piece_arguments(self, piece: Any) -> Any:
        return gemini_pieces.piece_arguments(piece)

    def _piece_images(self, block: Block, piece: Any) -> list[tuple[str, str]]:
        return gemini_pieces.piece_images(piece)

    def persisted(self, block: Block) -> str | None:
        """The whole output where the host moved it to a file of this session, else None."""
        if block.kind != "result" or not (path := gemini_pieces.saved_path(self.text(block))):
            return None
        outputs = project_of(Path(self.path)).resolve() / "tool-outputs"
        return read_from((outputs / f"session-{self.session}", outputs), path)

    def speech(self) -> GeminiSpeech:
        """See `Reader.speech`."""
        from prune_mcp.sessions.gemini.speech import GeminiSpeech

        return GeminiSpeech(self._text, self._arguments)

    def _edits(self) -> GeminiEdits:
        from prune_mcp.sessions.gemini.edits import GeminiEdits

        return GeminiEdits(self._answered)


def _folders(header: dict[str, Any]) -> Iterator[str]:
    """The folders of the workspace, where the header names them."""
    folders = header.get("directories")
    return (folder for folder in folders if isinstance(folder, str)) if isinstance(folders, list) else iter(())
