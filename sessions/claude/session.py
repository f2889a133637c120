"""Claude Code's transcripts: `projects/<folder>/<session>.jsonl` and the files of its subagents."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from prune_mcp.sessions.branch import Branch
from prune_mcp.sessions.claude import blocks as claude_blocks
from prune_mcp.sessions.claude import prompts as claude_prompts
from prune_mcp.sessions.claude.branch import ClaudeBranch
from prune_mcp.sessions.claude.fragments import boundary_of, content_of, fragment_of, same_shape
from prune_mcp.sessions.claude.passages import ClaudeSpeech
from prune_mcp.sessions.claude.places import has_subagent
from prune_mcp.sessions.claude.progress import TELLING
from prune_mcp.sessions.claude.rendering import ClaudeRendering
from prune_mcp.sessions.claude.summaries import summaries_beside, summarized
from prune_mcp.sessions.fragment import Fragment
from prune_mcp.sessions.jsontext import holds_float, loads_exactly
from prune_mcp.sessions.model import Block, Entry
from prune_mcp.sessions.persisted import read_saved, saved_name
from prune_mcp.sessions.reader import CACHE_BYTES
from prune_mcp.sessions.session_file import is_uuid
from prune_mcp.sessions.titles import Titles
from prune_mcp.sessions.transcript import Transcript

if TYPE_CHECKING:
    from prune_mcp.sessions.rendering import Rendering
    from prune_mcp.sessions.view import View


class ClaudeCode(Transcript):
    """A Claude Code transcript. A subagent's session is `<session>/agent-<id>`."""

    format = "claude-code"
    host = "claude-code"
    resumable = True
    _branch: ClaudeBranch

    def __init__(self, path: Path, *, cache: int = CACHE_BYTES) -> None:
        self._stem = path.name.removesuffix(".jsonl")
        super().__init__(path, cache=cache)

    def _forget(self) -> None:
        super()._forget()
        self._titles = Titles()
        self._command: int | None = None
        self._saved: dict[int, str] = {}

    def _new_branch(self) -> Branch:
        return ClaudeBranch(self.text)

    @property
    def told_title(self) -> str:
        """See `Reader.told_title`: early versions wrote a session's summary into files of later ones."""
        if self._titles.given or self._stem.startswith("agent-"):
            return self.title
        return self._titles.best(self._branch.knows, summaries_beside(Path(self.path)))

    def speech(self) -> ClaudeSpeech:
        """See `Reader.speech`."""
        return ClaudeSpeech(
            self._text, self._arguments, self._whole_output, self._has_file, partial(summarized, Path(self.path))
        )

    def state(self) -> dict[str, Any]:
        """See `Reader.state`."""
        return super().state() | {"titles": self._titles.state()}

    def restore(self, state: dict[str, Any]) -> None:
        """See `Reader.restore`."""
        super().restore(state)
        self._titles.restore(state["titles"])

    def _take(self, offset: int, line: bytes, raw: dict[str, Any]) -> None:
        kind = raw.get("type")
        id = raw.get("uuid")
        if type(id) is not str:
            if kind != "user" and kind != "assistant":
                self._titles.take(raw)
                self._aside(offset, raw)
                return
            id = f"entry-{self._earlier + len(self.entries)}"
        parent = raw.get("parentUuid", "")
        if type(parent) is not str:
            parent = None
        if kind == "progress":
            # A third of all lines; they say nothing to the model, yet others hang on them.
            self._branch.silent(id, parent)
            data = raw.get("data")
            if type(data) is dict and data.get("type") in TELLING:
                self._aside(offset, raw)
            return
        if kind == "assistant" and holds_float(claude_blocks.inputs(content_of(raw))):
            raw = loads_exactly(line)
        time = raw.get("timestamp")
        entry = Entry(len(self.entries), id, offset, len(line), parent, time if type(time) is str else None)
        if not self._repeats(entry, raw):
            self._add(entry, raw)

    def _add(self, entry: Entry, raw: dict[str, Any]) -> None:
        self._introduce(raw)
        content = content_of(raw)
        fragment = fragment_of(entry.index, entry.id, raw, content)
        if fragment is None:
            self._branch.silent(entry.id, entry.parent)
            self._aside(entry.offset, raw)
            return
        self._note(fragment, raw, content)
        parent, entry.parent = entry.parent, entry.parent or None
        self._add_entry(entry, parent, fragment, content, raw)

    def _introduce(self, raw: dict[str, Any]) -> None:
        """Learn the session's id and folder from the first entries that tell them."""
        if not self.session and type(session := raw.get("sessionId")) is str:
            self.session = self._session_id(session)
            self.parent = session if session != self.session else ""
        if not self.cwd and type(cwd := raw.get("cwd")) is str:
            self.cwd = cwd

    def _session_id(self, session: str) -> str:
        if self._stem.startswith("agent-"):
            return f"{session}/{self._stem}"
        # A file that was resumed or forked from another holds that one's entries first.
        return self._stem if is_uuid(self._stem) else session

    def _note(self, fragment: Fragment, raw: dict[str, Any], content: Any) -> None:
        """Keep what an entry says beside its blocks."""
        if fragment.barrier:
            self._branch.boundaries[fragment.entry] = boundary_of(raw)
        elif fragment.role == "user":
            outcome = raw.get("toolUseResult")
            if type(outcome) is dict and type(path := outcome.get("persistedOutputPath")) is str:
                self._saved[fragment.entry] = path
            if outcome is None:
                self._ask(fragment, content)

    def _ask(self, fragment: Fragment, content: Any) -> None:
        """Follow slash commands, and find the first prompt."""
        texts = claude_prompts.texts_of(content)
        text = texts[0] if texts else ""
        if self._command is not None and claude_prompts.is_command_output(text):
            command = self._branch.fragments[self._command]
            command.prompt = False
            self._branch.fragments[self._command] = command
            self._branch.changed()
        self._command = fragment.entry if fragment.prompt and claude_prompts.is_command(text) else None
        if self._command is not None:
            self._titles.command(text)
        elif fragment.prompt and not fragment.summary:
            self._titles.prompt(texts, fragment.side)

    def _repeats(self, entry: Entry, raw: dict[str, Any]) -> bool:
        """Whether the entry is a further copy of one taken in, which then counts in that one's place."""
        if not self._branch.knows(entry.id):
            return False
        index, parent = self._branch.find(entry.id), entry.parent
        if index is None:
            self._branch.silent(entry.id, parent)
            return True
        old = self._branch.fragments[index]
        content = content_of(raw)
        fragment = fragment_of(index, entry.id, raw, content)
        if fragment is None or not same_shape(old, fragment):
            return False
        changed = fragment.blocks != old.blocks or content != self._content(index)
        if changed:
            self._note_said(entry.id)
        self.entries[index] = entry = replace(self.entries[index], offset=entry.offset, length=entry.length)
        if changed:
            self._replace(old, fragment)
            self._keep(entry, content)
            self._tell(entry, fragment, content, raw, copies=True)
        self._branch.replace(parent, fragment if changed else old)
        return True

    def _replace(self, old: Fragment, new: Fragment) -> None:
        """A copy says something else than the entry it repeats: whoever read that must read again."""
        for before, after in zip(old.blocks, new.blocks, strict=True):
            after.tool = after.tool or before.tool
        if old.results and old.entry < self._settled:
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

    def _whole_output(self, text: str, raw: dict[str, Any]) -> str:
        """The output that a preview stands for, else the text itself."""
        outcome = raw.get("toolUseResult")
        outcome = outcome if type(outcome) is dict else {}
        path = saved_name(text) or outcome.get("persistedOutputPath")
        if type(path) is not str or not path:
            return text
        whole = read_saved(Path(self.path), self.session, path)
        if whole is not None:
            return whole
        # The host keeps moved outputs no longer than it must.
        kept = outcome.get("stdout")
        return kept if type(kept) is str and len(kept) > len(text) else text

    def _has_file(self, agent: str) -> bool:
        """Whether a subagent's own file stands where the host puts it."""
        return has_subagent(Path(self.path), agent)

    def _rendering(self, view: View, raw: Callable[[int], Any]) -> Rendering:
        return ClaudeRendering(self._branch, view, raw)
