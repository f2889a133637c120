"""A transcript of items: what they say, and the files that their lines stand in."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO
from weakref import finalize

from prune_mcp.sessions.codex.branch import CodexBranch
from prune_mcp.sessions.codex.fragments import items_of
from prune_mcp.sessions.codex.items import ITEMS, Said, said_by
from prune_mcp.sessions.codex.lines import is_line, line_of
from prune_mcp.sessions.codex.rendering import CodexRendering
from prune_mcp.sessions.codex.sources import Sources
from prune_mcp.sessions.messages.wire import RawEntry
from prune_mcp.sessions.model import Block, Entry
from prune_mcp.sessions.seam import Seam
from prune_mcp.sessions.tail import Tail
from prune_mcp.sessions.transcript import Transcript
from prune_mcp.sessions.unpacked import is_packed

if TYPE_CHECKING:
    from prune_mcp.sessions.branch import Branch
    from prune_mcp.sessions.rendering import Rendering
    from prune_mcp.sessions.view import View


class CodexTranscript(Transcript):
    """Lines as entries, whose content is what their items say, piece by piece. Lines have no ids: an entry's is a
    hash over it and all before it, so that a fork that repeats its parent has the same ones."""

    _branch: CodexBranch

    def _forget(self) -> None:
        super()._forget()
        self._sources = Sources(self.entries)
        # The items of a line that are in its entry, where that is not all of them.
        self._some: dict[int, list[int]] = {}
        self._files: dict[Path, BinaryIO] = {}

    def _new_branch(self) -> Branch:
        return CodexBranch(self.text)

    def _items(self, index: int, raw: dict[str, Any]) -> Sequence[RawEntry]:
        """What an entry says."""
        line = line_of(raw)
        items = items_of(line) if line else []
        some = self._some.get(index)
        return items if some is None else [items[number] for number in some]

    def _read_entry(self, file: BinaryIO, entry: Entry) -> Any:
        path = self._sources.path(entry.index)
        if path is None:
            return super()._read_entry(file, entry)
        if is_packed(path):
            return super()._read_entry(self._held(path), entry)
        with Tail(path).open() as other:
            return super()._read_entry(other, entry)

    def raw(self, entry: int) -> Any:
        """See `Transcript.raw`."""
        if not self._packed:
            return super().raw(entry)
        return self._read_entry(self._held(Path(self.path)), self.entries[entry])

    def reread(self, entry: Entry) -> tuple[dict[str, Any], Any]:
        """See `Reader.reread`."""
        raw = self.raw(entry.index)
        return raw, said_by(self._items(entry.index, raw))

    @property
    def _packed(self) -> bool:
        return is_packed(Path(self.path))

    def _held(self, path: Path) -> BinaryIO:
        """A compressed file, kept open: it need not be unpacked for each entry."""
        if path not in self._files:
            self._files[path] = file = Tail(path).open()
            finalize(self, file.close)
        return self._files[path]

    def seam(self, position: int) -> Seam | None:
        """See `Reader.seam`; a compressed file never grows."""
        return None if self._packed else super().seam(position)

    def stands(self, seam: Seam) -> bool:
        """See `Reader.stands`."""
        return not self._packed and super().stands(seam)

    def _is_entry(self, raw: dict[str, Any], entry: Entry) -> bool:
        line = line_of(raw)
        return line is not None and self._sources.id(entry.index, line.payload) == entry.id

    def _stands_alone(self, found: dict[str, Any]) -> bool:
        return is_line(found)

    def _fetch(self, index: int) -> list[Said]:
        return said_by(self._items(index, self.raw(index)))

    def _content_of(self, raw: dict[str, Any]) -> list[Said]:
        return said_by(self._items(-1, raw))

    def _text(self, block: Block, content: Any) -> str:
        text: str = content[block.place.at].text
        return text

    def _arguments(self, block: Block, content: Any) -> Any:
        return ITEMS.arguments(content[block.place.at].value)

    def _images(self, block: Block, content: Any) -> list[tuple[str, str]]:
        said = content[block.place.at]
        return ITEMS.images(said.kind, said.value)

    def _rendering(self, view: View, raw: Callable[[int], Any]) -> Rendering:
        return CodexRendering(self._branch, view, raw)
