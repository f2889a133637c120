"""What raw entries and messages say, piece by piece, in the words of no format.

Independent of the product: its answers are judged by what stands here.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Literal, NamedTuple

Kind = Literal["asked", "said", "thought", "call", "result"]


class Piece(NamedTuple):
    """One thing said. `text`: of a call its name and arguments as JSON; of a result its text parts, one on a line.

    `images`: the base64 data of a result's images. `signed`: thinking that the provider checks.
    """

    kind: Kind
    id: str
    text: str
    images: tuple[str, ...] = ()
    signed: bool = False


def pieces(format: str, entries: Sequence[Any]) -> list[Piece]:
    """The pieces of all entries, in order; `format` as the product names them."""
    read = READERS[format]
    return [piece for entry in entries if isinstance(entry, dict) for piece in read(entry)]


def arguments_of(call: Piece) -> Any:
    """The arguments of a call."""
    return json.loads(call.text)["arguments"]


def _anthropic(message: dict[str, Any]) -> Iterator[Piece]:
    spoken: Kind = "said" if message.get("role") == "assistant" else "asked"
    for part in _parts(message.get("content")):
        kind = part.get("type")
        if kind == "text":
            yield Piece(spoken, "", part["text"])
        elif kind == "tool_use":
            yield _call(part.get("id", ""), part["name"], part["input"])
        elif kind == "tool_result":
            yield _result(part.get("tool_use_id", ""), part.get("content"))
        elif kind == "thinking":
            yield Piece("thought", "", part["thinking"], signed=bool(part.get("signature")))
        elif kind == "redacted_thinking":
            yield Piece("thought", "", "", signed=True)


def _claude_code(entry: dict[str, Any]) -> Iterator[Piece]:
    if entry.get("type") in ("user", "assistant") and isinstance(entry.get("message"), dict):
        yield from _anthropic(entry["message"])


def _pi(entry: dict[str, Any]) -> Iterator[Piece]:
    message = entry.get("message") if entry.get("type") == "message" else None
    if not isinstance(message, dict):
        return
    if message.get("role") == "toolResult":
        yield _result(message["toolCallId"], message.get("content"))
        return
    spoken: Kind = "said" if message.get("role") == "assistant" else "asked"
    for part in _parts(message.get("content")):
        kind = part.get("type")
        if kind == "text":
            yield Piece(spoken, "", part["text"])
        elif kind == "toolCall":
            yield _call(part["id"], part["name"], part["arguments"])
        elif kind == "thinking":
            yield Piece("thought", "", part.get("thinking", ""), signed=bool(part.get("thinkingSignature")))


def _openai_chat(message: dict[str, Any]) -> Iterator[Piece]:
    if message.get("role") == "tool":
        yield _result(message["tool_call_id"], message.get("content"))
        return
    if message.get("reasoning_content"):
        yield Piece("thought", "", message["reasoning_content"])
    spoken: Kind = "said" if message.get("role") == "assistant" else "asked"
    for part in _parts(message.get("content")):
        if part.get("type") == "text":
            yield Piece(spoken, "", part["text"])
    for call in message.get("tool_calls") or ():
        function = call["function"]
        yield _call(call["id"], function["name"], json.loads(function["arguments"]))


def _openai_responses(item: dict[str, Any]) -> Iterator[Piece]:
    kind = item.get("type", "message")
    if kind == "function_call":
        yield _call(item["call_id"], item["name"], json.loads(item["arguments"]))
    elif kind == "function_call_output":
        yield _result(item["call_id"], item.get("output"))
    elif kind == "reasoning":
        text = "\n".join(part["text"] for part in item.get("summary") or ())
        yield Piece("thought", "", text)
    elif kind == "message":
        spoken: Kind = "said" if item.get("role") == "assistant" else "asked"
        for part in _parts(item.get("content")):
            if part.get("type") in ("text", "input_text", "output_text"):
                yield Piece(spoken, "", part["text"])


def _codex(line: dict[str, Any]) -> Iterator[Piece]:
    payload = line.get("payload", line)
    if line.get("type") == "compacted":
        for item in payload.get("replacement_history") or ():
            yield from _codex_item(item)
    elif line.get("type") == "response_item" or payload is line:
        yield from _codex_item(payload)


def _codex_item(item: dict[str, Any]) -> Iterator[Piece]:
    kind = item.get("type", "")
    if kind == "function_call":
        yield _call(item["call_id"], item["name"], json.loads(item["arguments"] or "null"))
    elif kind == "custom_tool_call":
        yield _call(item["call_id"], item["name"], item["input"])
    elif kind.endswith("_call_output"):
        output = item.get("output")
        yield _result(item["call_id"], [output] if isinstance(output, dict) else output)
    elif kind in ("message", "reasoning"):
        yield from _openai_responses(item)


READERS: dict[str, Callable[[dict[str, Any]], Iterator[Piece]]] = {
    "claude-code": _claude_code,
    "codex": _codex,
    "pi": _pi,
    "anthropic": _anthropic,
    "openai-chat": _openai_chat,
    "openai-responses": _openai_responses,
}


def _call(id: str, name: str, arguments: Any) -> Piece:
    return Piece("call", id, json.dumps({"name": name, "arguments": arguments}, sort_keys=True))


def _result(id: str, content: Any) -> Piece:
    parts = _parts(content)
    texts = [part["text"] if "text" in part else _compact(part) for part in parts if not _is_image(part)]
    return Piece("result", id, "\n".join(texts), tuple(_image_data(part) for part in parts if _is_image(part)))


def _parts(content: Any) -> list[dict[str, Any]]:
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return [part for part in content or () if isinstance(part, dict)]


def _is_image(part: dict[str, Any]) -> bool:
    """Whether a part is an image; one that is not at hand is told like any other part."""
    if part.get("type") == "input_image":
        return "base64," in str(part["image_url"])
    return part.get("type") in ("image", "image_url")


def _image_data(part: dict[str, Any]) -> str:
    if part["type"] == "input_image":
        return str(part["image_url"]).partition("base64,")[2]
    return str(part.get("source", part).get("data"))


def _compact(part: dict[str, Any]) -> str:
    return json.dumps(part, ensure_ascii=False, separators=(",", ":"))
