"""pi's session files, versions 1 to 3; older ones are read as the host would migrate them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from prune_mcp.sessions import pi_content
from prune_mcp.sessions.branch import Branch
from prune_mcp.sessions.jsontext import holds_float, loads_exactly
from prune_mcp.sessions.model import Block, Entry
from prune_mcp.sessions.pi_branch import Edit, PiBranch
from prune_mcp.sessions.pi_rendering import PiRendering
from prune_mcp.sessions.piece import Piece
from prune_mcp.sessions.titles import shortened
from prune_mcp.sessions.transcript import Transcript

if TYPE_CHECKING:
    from prune_mcp.sessions.rendering import Rendering
    from prune_mcp.sessions.view import View


class Pi(Transcript):
    """A pi session. Version 1 has no entry ids; there an entry's id is its line's number."""

    format = "pi"
    host = "pi"
    _branch: PiBranch

    def _forget(self) -> None:
        super()._forget()
        self._lines = 0
        self._previous: str | None = None
        self._named = ""
        self._asked = ""

    def _new_branch(self) -> Branch:
        return PiBranch(self.text)

    def _take(self, offset: int, line: bytes, entry: dict[str, Any]) -> None:
        number, self._lines = self._lines, self._lines + 1
        kind = entry.get("type")
        if kind == "session":
            self._open(entry)
            return
        if holds_float(pi_content.call_arguments(entry)):
            entry = loads_exactly(line)
        id, parent = self._identity(number, entry)
        if kind == "session_info" and isinstance(entry.get("name"), str):
            self._named = shortened(entry["name"])
        index = len(self.entries)
        piece = self._piece(index, id, kind, entry)
        if piece is None:
            self._branch.silent(id, parent)
            return
        if parent is not None and (above := self._branch.find(parent)) is not None:
            parent = self.entries[above].id
        time = entry.get("timestamp")
        time = time if isinstance(time, str) else None
        self.entries.append(Entry(index, id, offset, len(line), parent, time))
        self._keep(index, pi_content.content_of(entry))
        self._archive.take(piece.blocks)
        self._branch.add(id, parent, piece)

    def _open(self, header: dict[str, Any]) -> None:
        """The header, which names the session; a copied one later in the file does not."""
        if self.session:
            return
        self.session = str(header.get("id") or "")
        self.cwd = str(header.get("cwd") or "")

    def _identity(self, line: int, entry: dict[str, Any]) -> tuple[str, str | None]:
        """The entry's id and its parent's; version 1 tells neither, and is a plain sequence."""
        id = entry["id"] if isinstance(entry.get("id"), str) else _line_id(line)
        parent = entry.get("parentId", self._previous)
        self._previous = id
        return id, parent if isinstance(parent, str) else None

    def _piece(self, index: int, id: str, kind: Any, entry: dict[str, Any]) -> Piece | None:
        content = pi_content.content_of(entry)
        if kind == "message" and isinstance(message := entry.get("message"), dict):
            return self._message(index, id, message, content)
        if kind == "context_edit":
            return self._edit(index, id, entry, content)
        if kind not in ("compaction", "branch_summary", "custom_message"):
            return None
        piece = Piece("user", id, pi_content.blocks_of(index, content), entry=index)
        piece.summary = kind != "custom_message"
        if kind == "compaction":
            piece.prompt = True
            self._branch.kept_from[index] = _first_kept(entry)
        return piece

    def _message(self, index: int, id: str, message: dict[str, Any], content: Any) -> Piece:
        role = message.get("role")
        if role == "toolResult":
            call, tool = pi_content.string(message.get("toolCallId")), pi_content.string(message.get("toolName"))
            block = pi_content.result_block(index, content, call, tool, bool(message.get("isError")))
            return Piece("user", id, [block], entry=index)
        piece = Piece("user", id, pi_content.blocks_of(index, content), entry=index)
        if role == "assistant":
            piece.role = "assistant"
            piece.stop = message["stopReason"] if isinstance(message.get("stopReason"), str) else ""
            # pi leaves responses that failed or were aborted out of what it sends.
            piece.hidden = piece.stop in ("error", "aborted")
        elif role == "system":
            piece.role = "system"
        elif role == "user":
            self._ask(piece, content)
        else:
            known = role in ("custom", "hookMessage", "bashExecution")
            piece.hidden = not known or message.get("excludeFromContext") is True
        return piece

    def _ask(self, piece: Piece, content: Any) -> None:
        """Tell whether a user message asks anything; the first that does may be the title."""
        piece.prompt = any(block.size or block.images for block in piece.blocks)
        if not self._asked:
            parts = content if isinstance(content, list) else [content]
            self._asked = shortened(" ".join(map(pi_content.part_text, parts)))

    def _edit(self, index: int, id: str, entry: dict[str, Any], content: Any) -> Piece | None:
        """A `context_edit`: its replacement stands in this entry, as a piece of its target."""
        target = self._branch.find(pi_content.string(entry.get("targetId")))
        edited = None if target is None else self._branch.pieces[target]
        if edited is None:
            return None
        piece = Piece(edited.role, id, entry=index, hidden=True)
        if entry.get("replacement") is None:
            self._branch.edits[index] = Edit(edited.id, None)
            return piece
        old = next(iter(edited.results), None)
        if old is None:
            piece.blocks = pi_content.blocks_of(index, content)
        else:
            piece.blocks = [pi_content.result_block(index, content, old.call_id, old.tool, old.error)]
        self._branch.edits[index] = Edit(edited.id, piece.blocks)
        return piece

    def _settle(self) -> None:
        self.title = self._named or self._asked
        # A damaged header costs the folder; the id stands in the file's name as well.
        stem = Path(self.path).stem
        self.session = self.session or stem.partition("_")[2] or stem

    def _stands_alone(self, found: dict[str, Any]) -> bool:
        return "timestamp" in found and "type" in found

    def _is_entry(self, raw: dict[str, Any], entry: Entry) -> bool:
        return bool(raw.get("id", entry.id) == entry.id and raw.get("timestamp") == entry.time)

    def _content_of(self, raw: dict[str, Any]) -> Any:
        return pi_content.content_of(raw)

    def _text(self, block: Block, content: Any) -> str:
        return pi_content.block_text(block, content)

    def _arguments(self, block: Block, content: Any) -> Any:
        return content[block.place.at].get("arguments")

    def _images(self, block: Block, content: Any) -> list[tuple[str, str]]:
        return pi_content.block_images(block, content)

    def _rendering(self, view: View, raw: Callable[[int], Any]) -> Rendering:
        return PiRendering(self._branch, view, raw)


def _line_id(line: int) -> str:
    return f"line-{line}"


def _first_kept(entry: dict[str, Any]) -> str:
    first = entry.get("firstKeptEntryId")
    if isinstance(first, str):
        return first
    index = entry.get("firstKeptEntryIndex")
    return _line_id(index) if type(index) is int else ""
