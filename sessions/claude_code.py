"""Claude Code's transcripts: `projects/<folder>/<session>.jsonl` and the files of its subagents."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from prune_mcp.sessions import claude_blocks, claude_prompts
from prune_mcp.sessions.branch import Branch
from prune_mcp.sessions.claude_branch import Boundary, ClaudeBranch
from prune_mcp.sessions.model import Block, Entry
from prune_mcp.sessions.piece import Piece
from prune_mcp.sessions.titles import Titles
from prune_mcp.sessions.transcript import CACHE_BYTES, Transcript

if TYPE_CHECKING:
    from prune_mcp.sessions.view import View


class ClaudeCode(Transcript):
    """A Claude Code transcript. A subagent's session is `<session>/agent-<id>`."""

    format = "claude-code"
    host = "claude-code"
    _branch: ClaudeBranch

    def __init__(self, path: Path, *, cache: int = CACHE_BYTES) -> None:
        self._stem = path.name.removesuffix(".jsonl")
        super().__init__(path, cache=cache)

    def _forget(self) -> None:
        super()._forget()
        self._titles = Titles()
        self._command: Piece | None = None

    def _new_branch(self) -> Branch:
        return ClaudeBranch(self.text)

    def _take(self, offset: int, length: int, entry: dict[str, Any]) -> None:
        kind = entry.get("type")
        id = entry.get("uuid")
        parent = entry.get("parentUuid")
        if type(id) is not str:
            self._titles.take(entry)
            return
        if type(parent) is not str:
            parent = None
        if kind == "progress":
            # A third of all lines; they carry no text, yet others hang on them.
            self._branch.silent(id, parent)
            return
        if self._branch.find(id) is not None and self._repeats(id, entry):
            return
        self._introduce(entry)
        index = len(self.entries)
        if parent is not None and (above := self._branch.find(parent)) is not None:
            parent = self.entries[above].id
        self.entries.append(Entry(index, id, offset, length, parent, entry.get("timestamp")))
        piece = self._piece(index, id, kind, entry, length)
        if piece is None:
            self._branch.skip(id, parent)
        else:
            self._archive.take(piece.blocks)
            self._branch.add(id, parent, piece)

    def _introduce(self, entry: dict[str, Any]) -> None:
        """Learn the session's id and folder from its first entries."""
        if not self.session and type(session := entry.get("sessionId")) is str:
            self.session = self._session_id(session)
        if not self.cwd and type(cwd := entry.get("cwd")) is str:
            self.cwd = cwd

    def _session_id(self, session: str) -> str:
        if self._stem.startswith("agent-"):
            return f"{session}/{self._stem}"
        # A file that was resumed or forked from another holds that one's entries first.
        return self._stem if len(self._stem) == 36 and self._stem.count("-") == 4 else session

    def _repeats(self, id: str, entry: dict[str, Any]) -> bool:
        return True

    def _piece(self, index: int, id: str, kind: Any, entry: dict[str, Any], length: int) -> Piece | None:
        content = self._content_of(entry)
        if kind == "assistant":
            piece = self._assistant(index, id, entry, content)
        elif kind == "user":
            piece = self._user(index, id, entry, content)
        elif kind == "attachment":
            if content is None:
                return None
            queued = entry["attachment"].get("type") == "queued_command"
            piece = Piece("user", id, claude_blocks.blocks_of(index, content), queued, entry=index)
        elif kind == "system" and entry.get("subtype") == "compact_boundary":
            self._branch.boundaries[index] = _boundary(entry)
            piece = Piece("system", id, entry=index, hidden=True, barrier=True)
        elif kind == "system" and entry.get("subtype") == "local_command" and content:
            piece = Piece("user", id, claude_blocks.blocks_of(index, content), entry=index)
        else:
            return None
        piece.side = entry.get("isSidechain") is True
        self._recent.put(index, content, length)
        return piece

    def _assistant(self, index: int, id: str, entry: dict[str, Any], content: Any) -> Piece:
        message = _mapping(entry.get("message"))
        group = message.get("id")
        stop = message.get("stop_reason")
        piece = Piece("assistant", id, claude_blocks.blocks_of(index, content), entry=index)
        piece.group = group if type(group) is str else ""
        piece.stop = stop if type(stop) is str else ""
        # The host keeps the API's failures for the person to see, and leaves them out of what it sends. Its
        # other synthetic messages ("No response requested.") are sent, to keep the roles in turn.
        piece.hidden = entry.get("isApiErrorMessage") is True
        return piece

    def _user(self, index: int, id: str, entry: dict[str, Any], content: Any) -> Piece:
        piece = Piece("user", id, claude_blocks.blocks_of(index, content), entry=index)
        if entry.get("isCompactSummary") is True:
            piece.summary = piece.prompt = True
        elif entry.get("isMeta") is not True and not any(block.kind == "result" for block in piece.blocks):
            self._ask(piece, content)
        return piece

    def _ask(self, piece: Piece, content: Any) -> None:
        """Tell whether a user message without results was asked."""
        texts = claude_prompts.texts_of(content)
        piece.prompt = any(map(claude_prompts.is_asked, texts)) or claude_prompts.has_image(content)
        text = texts[0] if texts else ""
        if self._command and claude_prompts.is_command_output(text):
            self._command.prompt = False
        self._command = piece if claude_prompts.is_command(text) else None
        if piece.prompt and not self._command:
            self._titles.prompt(texts)

    def _settle(self) -> None:
        self.messages = self._branch.layout.messages
        self.title = self._titles.best(self._branch.find)
        if not self.session:
            self.session = self._stem

    def _stands_alone(self, found: dict[str, Any]) -> bool:
        return "sessionId" in found and "type" in found

    def _is_entry(self, raw: dict[str, Any], entry: Entry) -> bool:
        return raw.get("uuid") == entry.id

    def _content_of(self, raw: dict[str, Any]) -> Any:
        kind = raw.get("type")
        if kind == "attachment":
            return claude_prompts.attached(raw.get("attachment"))
        if kind == "system":
            return raw.get("content")
        return _mapping(raw.get("message")).get("content")

    def _text(self, block: Block, content: Any) -> str:
        return claude_blocks.part_text(claude_blocks.part_at(content, block.place.at))

    def _arguments(self, block: Block, content: Any) -> Any:
        return claude_blocks.part_at(content, block.place.at).get("input")

    def _images(self, block: Block, content: Any) -> list[tuple[str, str]]:
        return claude_blocks.part_images(claude_blocks.part_at(content, block.place.at))

    def render(self, view: View) -> Iterator[Any]:
        """The entries of `messages` with the view's edits; see `Conversation.render`."""
        raise NotImplementedError


def _boundary(entry: dict[str, Any]) -> Boundary:
    kept = _mapping(_mapping(entry.get("compactMetadata")).get("preservedSegment"))
    fields = (entry.get("logicalParentUuid"), kept.get("anchorUuid"), kept.get("headUuid"), kept.get("tailUuid"))
    return Boundary(*(field if type(field) is str else None for field in fields))


def _mapping(value: Any) -> dict[str, Any]:
    return value if type(value) is dict else {}
