"""A view of an Anthropic Messages array: edits inside content, and roles that keep alternating."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from prune_mcp.sessions.content import parts
from prune_mcp.sessions.messages.assembly import Assembly
from prune_mcp.sessions.messages.wire import EMPTIED, edited_entries, replaced
from prune_mcp.sessions.model import Place
from prune_mcp.sessions.view import View


def render(assembly: Assembly, view: View) -> Iterator[Any]:
    """The entries with the view's edits."""
    if not view:
        return iter(assembly.raw)
    return iter(_Page(assembly, view).write())


class _Page:
    """The array as it is written: `tail` is the position of the newest message that is not a system one."""

    def __init__(self, assembly: Assembly, view: View) -> None:
        self.assembly = assembly
        self.view = view
        self.edited = edited_entries(view)
        self.out: list[Any] = []
        self.tail: int | None = None
        self.gap = False
        self.waiting: list[str] = []

    def write(self) -> list[Any]:
        """All entries, in order."""
        self._insert(-1)
        for index, entry in enumerate(self.assembly.raw):
            owner = self.assembly.owner[index]
            if owner is None:
                self.out.append(entry)
                continue
            if owner in self.view.dropped:
                self.gap = True
            else:
                self._keep(index, entry)
            self._insert(owner)
        self._settle()
        return self.out

    def _keep(self, index: int, entry: Any) -> None:
        side = self.assembly.sides[index]
        if index in self.edited:
            entry = _edited(entry, index, self.view)
        if side == "system":
            self.out.append(entry)
            return
        if side == "user":
            entry = _with_texts(entry, self.waiting)
            self.waiting = []
        else:
            self._settle()
        if self.gap and self.tail is not None and self.out[self.tail]["role"] == side:
            self.out[self.tail] = _joined(self.out[self.tail], entry)
        else:
            self._append(entry)
        self.gap = False

    def _append(self, entry: Any) -> None:
        self.tail = len(self.out)
        self.out.append(entry)

    def _insert(self, owner: int) -> None:
        """Texts after a user message join it; others wait for the next one."""
        texts = self.view.inserted.get(owner, [])
        if not texts:
            return
        if self.tail is not None and self.out[self.tail]["role"] == "user":
            last = self.out[self.tail]
            self.out[self.tail] = _with_content(last, [*_blocks(last), *map(_text, texts)])
        else:
            self.waiting += texts

    def _settle(self) -> None:
        """Waiting texts become a user message of their own."""
        if self.waiting:
            self._append({"role": "user", "content": [_text(text) for text in self.waiting]})
            self.waiting = []
            self.gap = False


def _edited(entry: Any, index: int, view: View) -> Any:
    """The entry with the edits inside it; results stay before text, and an assistant message says something."""
    content = []
    noted = False
    for at, part in enumerate(parts(entry["content"])):
        place = Place(index, at)
        if place in view.notes:
            noted = True
            content.append(_kept_mark(part, _text(view.notes[place])))
        elif place not in view.stripped:
            content.append(_edited_part(part, place, view))
    if noted and entry["role"] == "user":
        content = _results_first(content)
    return _with_content(entry, content or [_text(EMPTIED)])


def _edited_part(part: Any, place: Place, view: View) -> Any:
    if place in view.texts:
        return {**part, "content": replaced(part.get("content"), view.texts[place], "text")}
    if place in view.arguments:
        return {**part, "input": view.arguments[place]}
    return part


def _with_texts(entry: Any, texts: Sequence[str]) -> Any:
    """A user message with texts before its own, yet after its results."""
    if not texts:
        return entry
    return _with_content(entry, _results_first([*map(_text, texts), *_blocks(entry)]))


def _joined(first: Any, second: Any) -> Any:
    content = [*_blocks(first), *_blocks(second)]
    return _with_content({**second, **first}, _results_first(content) if first["role"] == "user" else content)


def _results_first(content: Sequence[Any]) -> list[Any]:
    results = [part for part in content if _is_result(part)]
    return results + [part for part in content if not _is_result(part)]


def _is_result(part: Any) -> bool:
    return isinstance(part, dict) and part.get("type") == "tool_result"


def _blocks(entry: Any) -> list[Any]:
    """The content as blocks; an empty string is none, since providers refuse empty text."""
    content = entry.get("content")
    if isinstance(content, str):
        return [_text(content)] if content else []
    return parts(content)


def _with_content(entry: Mapping[str, Any], content: list[Any]) -> dict[str, Any]:
    return {**entry, "content": content}


def _kept_mark(part: Any, block: dict[str, Any]) -> dict[str, Any]:
    """A block that stands for another keeps that one's cache mark."""
    return block | {"cache_control": part["cache_control"]} if "cache_control" in part else block


def _text(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}
