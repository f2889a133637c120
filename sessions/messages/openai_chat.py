"""OpenAI Chat Completions: calls stand beside the content of an assistant message, each result is a message."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar, NamedTuple

from prune_mcp.sessions.content import compact_json
from prune_mcp.sessions.messages.assembly import Assembly
from prune_mcp.sessions.messages.openai_fields import dumped, parsed, reports_error
from prune_mcp.sessions.messages.openai_render import Edited, render
from prune_mcp.sessions.messages.wire import EMPTIED, Piece, RawEntry, Side, Wire, part_kind, replaced, string
from prune_mcp.sessions.model import BlockKind, Format, Place
from prune_mcp.sessions.view import View

SIDES: dict[str, Side] = {
    "user": "user",
    "assistant": "assistant",
    "system": "system",
    "developer": "system",
    "tool": "result",
    "function": "result",
}
# Reasoning that gateways put beside the content, each under its own name.
REASONING = ("reasoning_content", "reasoning", "reasoning_details", "thinking_blocks")
BESIDE = ("refusal", "audio")
# Fields that hold several pieces.
LISTS = ("content", "tool_calls")


class Slot(NamedTuple):
    """A piece and the field it stands in."""

    field: str
    piece: Piece


class Chat(Wire):
    """The Chat Completions API, with legacy functions and the reasoning fields of gateways."""

    format: ClassVar[Format] = "openai-chat"

    def side(self, entry: RawEntry) -> Side | None:
        """The role's side; an entry without a known role is no message."""
        role = entry.get("role")
        return SIDES.get(role) if isinstance(role, str) else None

    def pieces(self, entry: RawEntry) -> Iterator[Piece]:
        """Content parts (a string: one, at -1), then calls, then reasoning and what else stands beside."""
        return (slot.piece for slot in slots(entry))

    def call(self, value: Any) -> tuple[str, str]:
        """Id and name; a legacy function has no id and goes by its name."""
        body = _body(value)
        name = string(body.get("name"))
        id = value.get("tool_call_id") if "role" in value else value.get("id")
        return (name if id is None else string(id)), name

    def recorded_arguments(self, value: Any) -> Any:
        """The arguments, a JSON string; of a custom tool its free text."""
        return _body(value).get(_arguments_key(value))

    def arguments(self, value: Any) -> Any:
        """The arguments as a JSON value; of a custom tool its free text."""
        recorded = self.recorded_arguments(value)
        return recorded if "custom" in value else parsed(recorded)

    def output(self, value: Any) -> Any:
        """The content of a tool message."""
        return value.get("content")

    def thinking(self, value: Any) -> str:
        """The text; what gateways keep as objects stands as compact JSON."""
        text = value.get("thinking") if isinstance(value, dict) else value
        return text if isinstance(text, str) else compact_json(value)

    def failed(self, value: Any, text: str) -> bool:
        """By what the result says on its face: the format has no flag."""
        return reports_error(text)

    def signed(self, value: Any) -> bool:
        """Whether a gateway carries a provider's signature along."""
        inner = value if isinstance(value, list) else [value]
        return any(isinstance(part, dict) and (part.get("signature") or part.get("data")) for part in inner)

    def render(self, assembly: Assembly, view: View) -> Iterator[Any]:
        """See `openai_render`."""
        return render(assembly, view, lambda index: _edited(assembly.raw[index], index, view), _user_message)


def slots(entry: RawEntry) -> Iterator[Slot]:
    """The pieces of an entry with their fields; positions count through all of them."""
    if entry["role"] in ("tool", "function"):
        yield Slot("content", Piece(-1, "result", entry))
        return
    content = entry.get("content")
    inner = content if isinstance(content, list) else []
    if content and content is not inner:
        yield Slot("content", Piece(-1, part_kind(content), content))
    for at, part in enumerate(inner):
        yield Slot("content", Piece(at, _kind(part), part))
    if entry["role"] == "assistant":
        yield from _beside(entry, len(inner))


def _beside(entry: RawEntry, at: int) -> Iterator[Slot]:
    calls = entry.get("tool_calls")
    fields: list[tuple[str, BlockKind, Any]] = []
    for call in calls if isinstance(calls, list) else []:
        fields.append(("tool_calls", "call" if isinstance(call, dict) else "other", call))
    if isinstance(entry.get("function_call"), dict):
        fields.append(("function_call", "call", entry["function_call"]))
    fields += [(key, "thinking", entry[key]) for key in REASONING if entry.get(key)]
    fields += [(key, "other", entry[key]) for key in BESIDE if entry.get(key)]
    for position, (field, kind, value) in enumerate(fields, at):
        yield Slot(field, Piece(position, kind, value))


def _kind(part: Any) -> BlockKind:
    return "thinking" if isinstance(part, dict) and part.get("type") == "thinking" else part_kind(part)


def _body(value: Any) -> Any:
    """Where a call has its name and arguments, or a result its name."""
    for key in ("function", "custom"):
        if isinstance(value.get(key), dict):
            return value[key]
    return value


def _arguments_key(value: Any) -> str:
    return "input" if "custom" in value else "arguments"


def _edited(entry: RawEntry, index: int, view: View) -> Edited:
    if entry["role"] == "assistant":
        return Edited([_edited_assistant(entry, index, view)], [])
    place = Place(index, -1)
    if place in view.notes:
        return Edited([], [_user_message(view.notes[place])])
    if place in view.stripped:
        return Edited([], [])
    if place in view.texts:
        return Edited([{**entry, "content": replaced(entry.get("content"), view.texts[place], "text")}], [])
    return Edited([entry], [])


def _edited_assistant(entry: RawEntry, index: int, view: View) -> dict[str, Any]:
    """The message with its edits: notes go behind its content, and it never becomes empty."""
    kept: dict[str, list[Any]] = {}
    notes = []
    for field, piece in slots(entry):
        place = Place(index, piece.at)
        values = kept.setdefault(field, [])
        if place in view.notes:
            notes.append(view.notes[place])
        elif place in view.arguments:
            values.append(_with_arguments(piece.value, view.arguments[place]))
        elif place not in view.stripped:
            values.append(piece.value)
    changed = dict(entry)
    for field, values in kept.items():
        _refill(changed, field, values)
    if notes or not _says(changed):
        changed["content"] = _appended(changed.get("content"), notes or [EMPTIED])
    return changed


def _refill(entry: dict[str, Any], field: str, values: list[Any]) -> None:
    """Put what is kept of a field in its place: a list, a single value, or nothing (content: null)."""
    if field in LISTS and isinstance(entry[field], list):
        entry[field] = values or None
    else:
        entry[field] = values[0] if values else None
    if entry[field] is None and field != "content":
        del entry[field]


def _says(entry: RawEntry) -> bool:
    return any(entry.get(key) for key in ("content", "tool_calls", "function_call", *BESIDE))


def _with_arguments(value: Any, arguments: Any) -> Any:
    key = _arguments_key(value)
    if "custom" in value and isinstance(arguments, str):
        changed = {**value["custom"], key: arguments}
    else:
        changed = {**_body(value), key: dumped(_body(value).get(key), arguments)}
    for field in ("function", "custom"):
        if field in value:
            return {**value, field: changed}
    return changed


def _appended(content: Any, notes: list[str]) -> Any:
    if isinstance(content, list):
        return [*content, *({"type": "text", "text": note} for note in notes)]
    return "\n".join([content, *notes] if isinstance(content, str) and content else notes)


def _user_message(text: str) -> dict[str, Any]:
    return {"role": "user", "content": text}
