"""What claude.ai keeps beside conversations: the documents of a project, and what it remembers of the person."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from prune_mcp.sessions.content import compact_json
from prune_mcp.sessions.document import Record, Share
from prune_mcp.sessions.exports.document import About, ExportDocument
from prune_mcp.sessions.exports.kinds import kept_as
from prune_mcp.sessions.exports.parts import Part
from prune_mcp.sessions.model import Block, BlockKind

if TYPE_CHECKING:
    from prune_mcp.sessions.document_rendering import Edits

# Fields of a project that the person wrote, beside its documents.
WRITTEN = ("description", "prompt_template")
MEMORIES = "conversations_memory"


class ClaudeAiKnowledge(ExportDocument):
    """Read as a session: what the person wrote for a project as their words, its documents as the machine's, each
    memory as a summary."""

    format = "claude.ai"
    host = "claude.ai"

    def _introduce(self, value: dict[str, Any]) -> About:
        self.session = kept_as(value, "").id
        named = value.get("name") if "docs" in value or "uuid" in value else "Memories of claude.ai"
        return About(named, None, value.get("created_at"))

    def _listed(self, value: dict[str, Any]) -> Iterator[Record]:
        for field in (*WRITTEN, MEMORIES):
            if isinstance(text := value.get(field), str) and text:
                about = "memory" if field == MEMORIES else "written"
                yield Record({"uuid": f"{self.session}-{field}", "content": text, about: True})
        memories = value.get("project_memories")
        for project, text in memories.items() if isinstance(memories, dict) else ():
            yield Record({"uuid": f"memory-{project}", "content": text, "memory": True})
        for doc in value.get("docs") or ():
            if isinstance(doc, dict):
                yield Record(doc)
            else:
                self.skipped["message"] += 1

    def _shares(self, raw: dict[str, Any]) -> list[Share]:
        id = str(raw.get("uuid") or raw.get("filename") or "document")
        time, written = raw.get("created_at"), raw.get("written") is True
        shares = [self._share(id, "user", parts, time, prompt=written) for parts in self._groups(raw)]
        for share in shares:
            share.fragment.summary = raw.get("memory") is True
        return shares

    def _groups(self, raw: dict[str, Any]) -> list[list[Part]]:
        said = [raw.get("filename"), raw.get("content")]
        text = "\n".join(text for text in said if isinstance(text, str) and text)
        return [[Part("text", text, ("content",))]] if text else []

    def _said(self, kind: BlockKind, value: Any) -> str:
        return value if isinstance(value, str) else compact_json(value)

    def _piece_arguments(self, piece: Any) -> Any:
        return None

    def _piece_images(self, block: Block, piece: Any) -> list[tuple[str, str]]:
        return []

    def _edits(self) -> Edits:
        from prune_mcp.sessions.exports.claude_ai_edits import ClaudeAiEdits

        return ClaudeAiEdits()
