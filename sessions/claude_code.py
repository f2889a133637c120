"""Claude Code's transcripts: `projects/<folder>/<session>.jsonl` and the files of its subagents."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from prune_mcp.sessions import claude_blocks, claude_prompts
from prune_mcp.sessions.branch import Branch
from prune_mcp.sessions.claude_branch import ClaudeBranch
from prune_mcp.sessions.claude_pieces import boundary_of, content_of, piece_of, same_shape
from prune_mcp.sessions.claude_rendering import ClaudeRendering
from prune_mcp.sessions.jsontext import holds_float, loads_exactly
from prune_mcp.sessions.model import Block, Entry
from prune_mcp.sessions.persisted import read_saved, saved_name
from prune_mcp.sessions.piece import Piece
from prune_mcp.sessions.session_file import is_uuid
from prune_mcp.sessions.titles import Titles
from prune_mcp.sessions.transcript import CACHE_BYTES, Transcript

if TYPE_CHECKING:
    from prune_mcp.sessions.rendering import Rendering
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
        self._saved: dict[int, str] = {}

    def _new_branch(self) -> Branch:
        return ClaudeBranch(self.text)

    def _take(self, offset: int, line: bytes, entry: dict[str, Any]) -> None:
        kind = entry.get("type")
        id = entry.get("uuid")
        if type(id) is not str:
            if kind != "user" and kind != "assistant":
                self._titles.take(entry)
                return
            id = f"entry-{len(self.entries)}"
        parent = entry.get("parentUuid", "")
        if type(parent) is not str:
            parent = None
        if kind == "progress":
            # A third of all lines; they say nothing, yet others hang on them.
            self._branch.silent(id, parent)
            return
        if kind == "assistant" and holds_float(claude_blocks.inputs(content_of(entry))):
            entry = loads_exactly(line)
        if not self._repeats(id, offset, len(line), entry, parent):
            self._add(len(self.entries), id, offset, len(line), entry, parent)

    def _add(
        self, index: int, id: str, offset: int, length: int, entry: dict[str, Any], parent: str | None
    ) -> None:
        self._introduce(entry)
        content = content_of(entry)
        piece = piece_of(index, id, entry, content)
        if piece is None:
            self._branch.silent(id, parent)
            return
        self._note(index, piece, entry, content)
        time = entry.get("timestamp")
        time = time if type(time) is str else None
        self.entries.append(Entry(index, id, offset, length, self._known(parent), time))
        self._keep(index, content)
        self._archive.take(piece.blocks)
        self._branch.add(id, parent, piece)

    def _known(self, id: str | None) -> str | None:
        """The id as the entry itself holds it, so that a long transcript holds it once."""
        index = self._branch.find(id) if id else None
        return id if index is None else self.entries[index].id

    def _introduce(self, entry: dict[str, Any]) -> None:
        """Learn the session's id and folder from the first entries that tell them."""
        if not self.session and type(session := entry.get("sessionId")) is str:
            self.session = self._session_id(session)
        if not self.cwd and type(cwd := entry.get("cwd")) is str:
            self.cwd = cwd

    def _session_id(self, session: str) -> str:
        if self._stem.startswith("agent-"):
            return f"{session}/{self._stem}"
        # A file that was resumed or forked from another holds that one's entries first.
        return self._stem if is_uuid(self._stem) else session

    def _note(self, index: int, piece: Piece, entry: dict[str, Any], content: Any) -> None:
        """Keep what an entry says beside its blocks."""
        if piece.barrier:
            self._branch.boundaries[index] = boundary_of(entry)
        elif piece.role == "user":
            outcome = entry.get("toolUseResult")
            if type(outcome) is dict and type(path := outcome.get("persistedOutputPath")) is str:
                self._saved[index] = path
            if outcome is None:
                self._ask(piece, content)

    def _ask(self, piece: Piece, content: Any) -> None:
        """Follow slash commands, and find the first prompt."""
        texts = claude_prompts.texts_of(content)
        text = texts[0] if texts else ""
        if self._command and claude_prompts.is_command_output(text):
            self._command.prompt = False
            self._branch.changed()
        self._command = piece if piece.prompt and claude_prompts.is_command(text) else None
        if self._command:
            self._titles.command(text)
        elif piece.prompt and not piece.summary:
            self._titles.prompt(texts, piece.side)

    def _repeats(self, id: str, offset: int, length: int, entry: dict[str, Any], parent: str | None) -> bool:
        """Whether the entry is a further copy of one taken in, which then counts in that one's place."""
        if not self._branch.knows(id):
            return False
        index = self._branch.find(id)
        if index is None:
            self._branch.silent(id, parent)
            return True
        old = self._branch.pieces[index]
        content = content_of(entry)
        piece = piece_of(index, id, entry, content)
        if piece is None or not same_shape(old, piece):
            return False
        changed = piece.blocks != old.blocks or content != self._content(index)
        self.entries[index].offset, self.entries[index].length = offset, length
        if changed:
            self._replace(old, piece)
            self._keep(index, content)
        else:
            piece = old
        self._branch.replace(parent, piece)
        return True

    def _replace(self, old: Piece, new: Piece) -> None:
        """A copy says something else than the entry it repeats: whoever read that must read again."""
        if self._archive.replace(old.blocks, new.blocks) and old.entry < self._settled:
            self.generation += 1

    def _settle(self) -> None:
        self.title = self._titles.best(self._branch.knows)
        self.session = self.session or self._stem

    def _stands_alone(self, found: dict[str, Any]) -> bool:
        return "sessionId" in found and "type" in found

    def _is_entry(self, raw: dict[str, Any], entry: Entry) -> bool:
        return bool(raw.get("uuid", entry.id) == entry.id)

    def _content_of(self, raw: dict[str, Any]) -> Any:
        return content_of(raw)

    def _text(self, block: Block, content: Any) -> str:
        return claude_blocks.part_text(claude_blocks.part_at(content, block.place.at))

    def _arguments(self, block: Block, content: Any) -> Any:
        return claude_blocks.part_at(content, block.place.at).get("input")

    def _images(self, block: Block, content: Any) -> list[tuple[str, str]]:
        return claude_blocks.part_images(claude_blocks.part_at(content, block.place.at))

    def persisted(self, block: Block) -> str | None:
        """The whole output where the host moved it to a file of this session, else None."""
        if block.kind != "result":
            return None
        path = saved_name(self.text(block)) or self._saved.get(block.place.entry, "")
        return read_saved(Path(self.path), self.session, path) if path else None

    def _rendering(self, view: View, raw: Callable[[int], Any]) -> Rendering:
        return ClaudeRendering(self._branch, view, raw)
