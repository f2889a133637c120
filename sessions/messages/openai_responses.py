"""OpenAI Responses: a flat list of items, of which consecutive ones make up one message."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator
from dataclasses import replace
from itertools import chain
from typing import Any, ClassVar

from prune_mcp.sessions.content import compact_json
from prune_mcp.sessions.messages.assembly import Assembly
from prune_mcp.sessions.messages.openai_fields import dumped, parsed, reports_error
from prune_mcp.sessions.messages.openai_render import Edited, render
from prune_mcp.sessions.messages.wire import Piece, RawEntry, Side, Wire, part_kind, replaced, string
from prune_mcp.sessions.model import BlockKind, Format, Place
from prune_mcp.sessions.view import View

ROLES: dict[str, Side] = {"user": "user", "assistant": "assistant", "system": "system", "developer": "system"}
# The field of each call's arguments. Other calls (computer use, hosted tools) have results that are no text
# or stand inside the call itself: they are never edited.
CALLS = {
    "function_call": "arguments",
    "custom_tool_call": "input",
    "local_shell_call": "action",
    "shell_call": "action",
    "apply_patch_call": "operation",
}
OUTPUTS = frozenset(f"{call}_output" for call in CALLS)
OUTPUT_ENDINGS = ("_output", "_response")


class Responses(Wire):
    """The Responses API."""

    format: ClassVar[Format] = "openai-responses"
    key = "input"
    grouped = True
    patient = True

    def side(self, entry: RawEntry) -> Side | None:
        """A message's role, or whether the item answers calls; other items come from the model."""
        kind = _type(entry)
        if kind == "message":
            role = entry.get("role")
            return ROLES.get(role) if isinstance(role, str) else None
        if not kind:
            return None
        return "result" if kind in OUTPUTS or kind.endswith(OUTPUT_ENDINGS) else "assistant"

    def pieces(self, entry: RawEntry) -> Iterator[Piece]:
        """A message's content parts; any other item is one piece."""
        if _type(entry) != "message":
            yield Piece(-1, _kind(entry), entry)
            return
        content = entry.get("content")
        if isinstance(content, list):
            for at, part in enumerate(content):
                yield Piece(at, part_kind(part), part)
        elif content:
            yield Piece(-1, part_kind(content), content)

    def call(self, value: Any) -> tuple[str, str]:
        """Call id and name; the shells and the patcher go by their type."""
        id = value.get("call_id")
        kind = _type(value).removesuffix("_output").removesuffix("_call")
        name = value.get("name")
        if name is None and kind not in ("function", "custom_tool"):
            name = kind
        return string(value.get("id") if id is None else id), string(name)

    def recorded_arguments(self, value: Any) -> Any:
        """A JSON string, the free text of a custom tool, or an action object."""
        return value.get(CALLS[_type(value)])

    def arguments(self, value: Any) -> Any:
        """The arguments as a JSON value; of a custom tool its free text."""
        recorded = self.recorded_arguments(value)
        return parsed(recorded) if _type(value) == "function_call" else recorded

    def output(self, value: Any) -> Any:
        """The output; some clients wrap it into an object with `content` and `success`."""
        output = value.get("output")
        return output["content"] if _wrapped(output) else output

    def thinking(self, value: Any) -> str:
        """The reasoning's summaries and texts; where there are none, what is encrypted."""
        texts = []
        for key in ("summary", "content"):
            inner = value.get(key)
            texts += [_said(part) for part in inner] if isinstance(inner, list) else []
        return "\n".join(texts) or string(value.get("encrypted_content"))

    def failed(self, value: Any, text: str) -> bool:
        """By what the result says on its face: the format has no flag."""
        output = value.get("output")
        return reports_error(text) or (_wrapped(output) and output.get("success") is False)

    def render(self, assembly: Assembly, view: View) -> Iterator[Any]:
        """See `openai_render`; reasoning leaves together with its calls."""
        view = _without_lone_reasoning(assembly, view) if view.notes else view
        return render(
            assembly, view, lambda index: _edited(assembly, index, view), lambda text: _message("user", text)
        )


def _type(entry: RawEntry) -> str:
    kind = entry.get("type", "message" if "role" in entry else "")
    return kind if isinstance(kind, str) else ""


def _kind(entry: RawEntry) -> BlockKind:
    kind = _type(entry)
    if kind in CALLS:
        return "call"
    if kind in OUTPUTS:
        return "result"
    return "thinking" if kind == "reasoning" else "other"


def _wrapped(output: Any) -> bool:
    return isinstance(output, dict) and "content" in output


def _said(part: Any) -> str:
    text = part.get("text") if isinstance(part, dict) else part
    return text if isinstance(text, str) else compact_json(part)


def _edited(assembly: Assembly, index: int, view: View) -> Edited:
    entry = assembly.raw[index]
    place = Place(index, -1)
    if place in view.notes:
        role = "assistant" if assembly.sides[index] == "assistant" else "user"
        return Edited([], [_message(role, view.notes[place])])
    if place in view.stripped:
        return Edited([], [])
    if place in view.texts:
        return Edited([with_output(entry, view.texts[place])], [])
    if place in view.arguments:
        return Edited([with_arguments(entry, view.arguments[place])], [])
    return Edited([entry], [])


def with_output(entry: RawEntry, text: str) -> dict[str, Any]:
    """A result's item with `text` for its output, in the shape that this had."""
    return {**entry, "output": _output(entry.get("output"), text)}


def _output(output: Any, text: str) -> Any:
    if _wrapped(output):
        return {**output, "content": replaced(output["content"], text, "input_text")}
    if isinstance(output, list) and output and isinstance(output[-1], dict) and "stdout" in output[-1]:
        return [{**output[-1], "stdout": text, "stderr": ""}]
    return replaced(output, text, "input_text")


def with_arguments(entry: RawEntry, value: Any) -> dict[str, Any]:
    """A call's item with other arguments, recorded as its own were."""
    field = CALLS[_type(entry)]
    if _type(entry) == "custom_tool_call" and isinstance(value, str):
        return {**entry, field: value}
    return {**entry, field: dumped(entry.get(field), value)}


def _without_lone_reasoning(assembly: Assembly, view: View) -> View:
    """Strip reasoning too whose calls all become notes."""
    kinds = (
        (Place(index, -1), _type(raw) if side == "assistant" else "")
        for index, (raw, side) in enumerate(zip(assembly.raw, assembly.sides, strict=True))
    )
    return replace(view, stripped=view.stripped | lone_reasoning(kinds, view.notes))


def lone_reasoning(kinds: Iterable[tuple[Place, str]], notes: Container[Place]) -> set[Place]:
    """The reasoning whose calls all become notes: providers refuse it without what it led to.

    `kinds`: the place and type of each item in order, no type for one that is not the model's.
    """
    lone: set[Place] = set()
    run: list[Place] = []
    kept = led = False
    for place, kind in chain(kinds, [(Place(-1, -1), "")]):
        if kind == "reasoning" and not led:
            run.append(place)
        elif kind in CALLS:
            led, kept = True, kept or place not in notes
        else:
            lone.update(run if led and not kept else [])
            run, led, kept = ([place] if kind == "reasoning" else []), False, False
    return lone


def _message(role: str, text: str) -> dict[str, Any]:
    return {"type": "message", "role": role, "content": text}
