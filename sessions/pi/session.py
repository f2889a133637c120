"""pi's session files, versions 1 to 3; older ones are read as the host would migrate them."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from prune_mcp.sessions.branch import Branch
from prune_mcp.sessions.content import string
from prune_mcp.sessions.fragment import Fragment
from prune_mcp.sessions.jsontext import holds_float, loads_exactly
from prune_mcp.sessions.model import Block, Entry
from prune_mcp.sessions.pi import content as pi_content
from prune_mcp.sessions.pi.branch import Edit, PiBranch
from prune_mcp.sessions.pi.passages import PiSpeech
from prune_mcp.sessions.pi.rendering import PiRendering
from prune_mcp.sessions.titles import shortened
from prune_mcp.sessions.transcript import Transcript

if TYPE_CHECKING:
    from prune_mcp.sessions.rendering import Rendering
    from prune_mcp.sessions.view import View


class Pi(Transcript):
    """A pi session. Version 1 has no entry ids; there an entry's id is its line's number."""

    format = "pi"
    host = "pi"
    resumable = True
    _branch: PiBranch

    def _forget(self) -> None:
        super()._forget()
        self._lines = 0
        self._previous: str | None = None
        self._before: tuple[int, str | None] = (0, None)
        self._named = ""
        self._asked = ""

    def _new_branch(self) -> Branch:
        return PiBranch(self.text)

    def speech(self) -> PiSpeech:
        """See `Reader.speech`."""
        return PiSpeech(self._text, self._arguments)

    def state(self) -> dict[str, Any]:
        """See `Reader.state`."""
        return super().state() | {"before": self._before, "titles": [self._named, self._asked]}

    def restore(self, state: dict[str, Any]) -> None:
        """See `Reader.restore`."""
        super().restore(state)
        self._lines, self._previous = state["before"]
        self._named, self._asked = state["titles"]

    def _take(self, offset: int, line: bytes, raw: dict[str, Any]) -> None:
        self._before = self._lines, self._previous
        number, self._lines = self._lines, self._lines + 1
        if raw.get("type") == "session":
            self._open(raw)
            return
        if holds_float(pi_content.call_arguments(raw)):
            raw = loads_exactly(line)
        id, parent = self._identity(number, raw)
        fragment = self._fragment(len(self.entries), id, raw)
        if fragment is None:
            self._branch.silent(id, parent)
            self._aside(offset, raw)
            return
        time = raw.get("timestamp")
        entry = Entry(fragment.entry, id, offset, len(line), parent, time if isinstance(time, str) else None)
        self._add_entry(entry, parent, fragment, pi_content.content_of(raw), raw)

    def _open(self, header: dict[str, Any]) -> None:
        """The header, which names the session; a copied one later in the file does not."""
        if self.session:
            return
        self.session = str(header.get("id") or "")
        self.cwd = str(header.get("cwd") or "")
        self.parent = _session_in(string(header.get("parentSession") or header.get("branchedFrom")))

    def _identity(self, line: int, entry: dict[str, Any]) -> tuple[str, str | None]:
        """The entry's id and its parent's; version 1 tells neither, and is a plain sequence."""
        id = entry["id"] if isinstance(entry.get("id"), str) else _line_id(line)
        parent = entry.get("parentId", self._previous)
        self._previous = id
        return id, parent if isinstance(parent, str) else None

    def _fragment(self, index: int, id: str, raw: dict[str, Any]) -> Fragment | None:
        """The entry's fragment, or None for an entry that says nothing to the model."""
        kind = raw.get("type")
        content = pi_content.content_of(raw)
        if kind == "message" and isinstance(message := raw.get("message"), dict):
            return self._message(index, id, message, content)
        if kind == "context_edit":
            return self._edit(index, id, raw, content)
        if kind == "session_info" and isinstance(raw.get("name"), str):
            self._named = shortened(raw["name"])
        if kind not in ("compaction", "branch_summary", "custom_message"):
            return None
        fragment = Fragment("user", id, pi_content.blocks_of(index, content), entry=index)
        fragment.summary = kind != "custom_message"
        if kind == "compaction":
            fragment.prompt = True
            self._branch.kept_from[index] = _first_kept(raw)
        return fragment

    def _message(self, index: int, id: str, message: dict[str, Any], content: Any) -> Fragment:
        role = message.get("role")
        if role == "toolResult":
            call, tool = string(message.get("toolCallId")), string(message.get("toolName"))
            block = pi_content.result_block(index, content, call, tool, bool(message.get("isError")))
            return Fragment("user", id, [block], entry=index)
        fragment = Fragment("user", id, pi_content.blocks_of(index, content), entry=index)
        if role == "assistant":
            fragment.role = "assistant"
            fragment.stop = message["stopReason"] if isinstance(message.get("stopReason"), str) else ""
            # pi leaves responses that failed or were aborted out of what it sends.
            fragment.hidden = fragment.stop in ("error", "aborted")
        elif role == "system":
            fragment.role = "system"
        elif role == "user":
            self._ask(fragment, content)
        else:
            known = role in ("custom", "hookMessage", "bashExecution")
            fragment.hidden = not known or message.get("excludeFromContext") is True
        return fragment

    def _ask(self, fragment: Fragment, content: Any) -> None:
        """Tell whether a user message asks anything; the first that does may be the title."""
        fragment.prompt = any(block.size or block.images for block in fragment.blocks)
        if not self._asked:
            parts = content if isinstance(content, list) else [content]
            self._asked = shortened(" ".join(map(pi_content.part_text, parts)))

    def _edit(self, index: int, id: str, entry: dict[str, Any], content: Any) -> Fragment:
        """A `context_edit`: its replacement stands in this entry, as a fragment of its target."""
        fragment = Fragment("user", id, pi_content.blocks_of(index, content), entry=index, hidden=True)
        target = self._branch.find(string(entry.get("targetId")))
        if target is None:
            return fragment
        edited = self._branch.fragments[target]
        if entry.get("replacement") is None:
            self._branch.edits[index] = Edit(edited.id, None)
            return fragment
        if old := next(iter(edited.results), None):
            fragment.blocks = [pi_content.result_block(index, content, old.call_id, old.tool, old.error)]
        self._branch.edits[index] = Edit(edited.id, fragment.blocks)
        return fragment

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


def _session_in(path: str) -> str:
    """The id of the session in a file, as its name tells it; what is no path is an id."""
    stem = re.split(r"[\\/]", path)[-1].removesuffix(".jsonl")
    return stem.partition("_")[2] or stem


def _line_id(line: int) -> str:
    return f"line-{line}"


def _first_kept(entry: dict[str, Any]) -> str:
    first = entry.get("firstKeptEntryId")
    if isinstance(first, str):
        return first
    index = entry.get("firstKeptEntryIndex")
    return _line_id(index) if type(index) is int else ""
