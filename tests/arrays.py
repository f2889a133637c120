"""Message arrays of three wire formats, made from recorded sessions or from turns that a test spells out.

Independent of the product: its readers are judged by what stands here.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

JsonArray = list[dict[str, Any]]


@dataclass
class Call:
    """A tool call."""

    id: str
    name: str
    arguments: dict[str, Any]


@dataclass
class Result:
    """A tool result; `text` None stands for missing content, `images` are (media type, base64 data)."""

    id: str
    text: str | None
    images: list[tuple[str, str]] = field(default_factory=list)
    error: bool = False


@dataclass
class Turn:
    """A prompt (`user`), a system message, an answer (`assistant`), or the results of an answer's calls.

    `thinking` is (text, signature): no signature: unsigned; no text: redacted.
    """

    role: str
    text: str | None = None
    images: list[tuple[str, str]] = field(default_factory=list)
    thinking: tuple[str, str] | None = None
    calls: list[Call] = field(default_factory=list)
    results: list[Result] = field(default_factory=list)
    response: str = ""


def array(path: Path, format: str) -> JsonArray:
    """A recorded session as a valid array; `format` as the product names them."""
    return FORMATS[format](session_turns(path))


def session_turns(path: Path) -> list[Turn]:
    """The turns of a Claude Code or pi session in file order, each call answered once; subagents in a session
    are left out, a subagent's own file is read."""
    objects = list(_objects(path))
    pi = any(entry.get("type") == "session" for entry in objects[:3])
    return _paired(list(_pi_turns(objects) if pi else _claude_turns(objects)))


def anthropic(turns: Sequence[Turn]) -> JsonArray:
    """An Anthropic Messages array; neighbours of one role share a message, results stand first."""
    messages: JsonArray = []
    for turn in turns:
        if turn.role == "system":
            continue
        role = "assistant" if turn.role == "assistant" else "user"
        content = _anthropic_content(turn)
        if messages and messages[-1]["role"] == role:
            content = [*messages.pop()["content"], *content]
            content.sort(key=lambda part: part["type"] != "tool_result")
        if content:
            messages.append({"role": role, "content": content})
    return messages


def openai_chat(turns: Sequence[Turn]) -> JsonArray:
    """A Chat Completions array."""
    return [message for turn in turns for message in _chat_messages(turn)]


def openai_responses(turns: Sequence[Turn]) -> JsonArray:
    """A Responses input."""
    return [item for turn in turns for item in _responses_items(turn)]


FORMATS: dict[str, Callable[[Sequence[Turn]], JsonArray]] = {
    "anthropic": anthropic,
    "openai-chat": openai_chat,
    "openai-responses": openai_responses,
}


def _objects(path: Path) -> Iterator[dict[str, Any]]:
    for line in path.read_bytes().split(b"\n"):
        try:
            entry = json.loads(line)
        except ValueError:
            continue
        if isinstance(entry, dict):
            yield entry


def _claude_turns(entries: Sequence[dict[str, Any]]) -> Iterator[Turn]:
    seen = set()
    whole = all(entry.get("isSidechain", True) for entry in entries)
    for entry in entries:
        message, uuid = entry.get("message"), entry.get("uuid")
        hidden = entry.get("isMeta") or (entry.get("isSidechain") and not whole) or uuid in seen
        if entry.get("type") not in ("user", "assistant") or hidden or not isinstance(message, dict):
            continue
        seen.add(uuid)
        parts = _parts(message.get("content"))
        texts = [p["text"] for p in parts if p.get("type") == "text" and p.get("text", "").strip()]
        results = [_claude_result(p) for p in parts if p.get("type") == "tool_result"]
        if results:
            yield Turn("results", results=results)
        turn = Turn(entry["type"], "\n".join(texts) or None, response=message.get("id") or str(uuid))
        turn.calls = [Call(p["id"], p["name"], p["input"]) for p in parts if p.get("type") == "tool_use"]
        turn.images = _images(parts) if entry["type"] == "user" else []
        for part in parts:
            if part.get("type") == "thinking":
                turn.thinking = (part.get("thinking", ""), part.get("signature", ""))
        if turn.text or turn.calls or turn.thinking or turn.images:
            yield turn


def _claude_result(part: dict[str, Any]) -> Result:
    inner = _parts(part.get("content"))
    text = "\n".join(p["text"] if p.get("type") == "text" else json.dumps(p) for p in inner if not _is_image(p))
    return Result(part["tool_use_id"], text, _images(inner), bool(part.get("is_error")))


def _pi_turns(entries: Sequence[dict[str, Any]]) -> Iterator[Turn]:
    for number, entry in enumerate(entries):
        message = entry.get("message") if entry.get("type") == "message" else None
        if not isinstance(message, dict):
            continue
        parts = _parts(message.get("content"))
        text = "\n".join(p["text"] for p in parts if p.get("type") == "text")
        if message["role"] == "toolResult":
            result = Result(message["toolCallId"], text, _images(parts), bool(message.get("isError")))
            yield Turn("results", results=[result])
        elif message["role"] in ("user", "assistant"):
            turn = Turn(message["role"], text if text.strip() else None, response=f"pi-{number}")
            turn.calls = [Call(p["id"], p["name"], p["arguments"]) for p in parts if p.get("type") == "toolCall"]
            turn.images = _images(parts) if message["role"] == "user" else []
            if turn.text or turn.calls or turn.images:
                yield turn


def _paired(turns: Sequence[Turn]) -> list[Turn]:
    """The turns with one response in one turn, and without calls or results that have no partner."""
    merged: list[Turn] = []
    asked: dict[str, Turn] = {}
    for turn in turns:
        last = next((t for t in reversed(merged) if t.role == "assistant"), None)
        if turn.role == "results":
            _answer(asked, turn.results, merged)
        elif turn.role == "assistant" and last is not None and last.response == turn.response:
            _extend(last, turn, asked)
        else:
            merged.append(turn)
            asked |= {call.id: turn for call in turn.calls}
    for turn, after in zip(merged, [*merged[1:], Turn("")][: len(merged)], strict=True):
        answered = {result.id for result in after.results}
        turn.calls = [call for call in turn.calls if call.id in answered]
    kept = [turn for turn in merged if turn.role != "assistant" or turn.text or turn.calls]
    return kept if kept and kept[0].role == "user" else [Turn("user", "Go on."), *kept]


def _extend(answer: Turn, more: Turn, asked: dict[str, Turn]) -> None:
    answer.text = "\n".join(filter(None, [answer.text, more.text])) or None
    answer.calls += [call for call in more.calls if call.id not in {c.id for c in answer.calls}]
    answer.thinking = answer.thinking or more.thinking
    asked |= {call.id: answer for call in more.calls}


def _answer(asked: dict[str, Turn], results: Sequence[Result], merged: list[Turn]) -> None:
    """Put results right behind their answer: what was typed or answered in between comes after them."""
    for result in results:
        answer = asked.pop(result.id, None)
        if answer is not None:
            at = next(i for i, turn in enumerate(merged) if turn is answer) + 1
            if at == len(merged) or merged[at].role != "results":
                merged.insert(at, Turn("results"))
            merged[at].results.append(result)


def _anthropic_content(turn: Turn) -> JsonArray:
    content: JsonArray = [_anthropic_result(result) for result in turn.results]
    if turn.thinking is not None and (turn.text or turn.calls):
        text, signature = turn.thinking
        if signature:
            kind = {"type": "thinking", "thinking": text} if text else {"type": "redacted_thinking"}
            content.append(kind | {"signature" if text else "data": signature})
    content += [{"type": "image", "source": _source(image)} for image in turn.images]
    content += [{"type": "text", "text": turn.text}] if turn.text else []
    content += [{"type": "tool_use", "id": c.id, "name": c.name, "input": c.arguments} for c in turn.calls]
    return content


def _anthropic_result(result: Result) -> dict[str, Any]:
    block: dict[str, Any] = {"type": "tool_result", "tool_use_id": result.id}
    if result.images:
        texts = [{"type": "text", "text": result.text}] if result.text and result.text.strip() else []
        block["content"] = [*texts, *({"type": "image", "source": _source(i)} for i in result.images)]
    elif result.text is not None:
        block["content"] = result.text
    return block | ({"is_error": True} if result.error else {})


def _chat_messages(turn: Turn) -> Iterator[dict[str, Any]]:
    for result in turn.results:
        yield {"role": "tool", "tool_call_id": result.id, "content": result.text or ""}
    if turn.role == "results":
        return
    message: dict[str, Any] = {"role": turn.role, "content": turn.text}
    if turn.images:
        texts = [{"type": "text", "text": turn.text}] if turn.text else []
        message["content"] = [*texts, *({"type": "image_url", "image_url": {"url": _url(i)}} for i in turn.images)]
    if turn.thinking is not None and turn.thinking[0]:
        message["reasoning_content"] = turn.thinking[0]
    if turn.calls:
        message["tool_calls"] = [
            {"id": c.id, "type": "function", "function": {"name": c.name, "arguments": _dumped(c.arguments)}}
            for c in turn.calls
        ]
    if turn.text or turn.calls or turn.images:
        yield message


def _responses_items(turn: Turn) -> Iterator[dict[str, Any]]:
    for result in turn.results:
        output: Any = result.text or ""
        if result.images:
            texts = [{"type": "input_text", "text": result.text}] if result.text else []
            output = [*texts, *({"type": "input_image", "image_url": _url(i)} for i in result.images)]
        yield {"type": "function_call_output", "call_id": result.id, "output": output}
    if turn.thinking is not None and (turn.text or turn.calls):
        summary = [{"type": "summary_text", "text": turn.thinking[0]}] if turn.thinking[0] else []
        yield {"type": "reasoning", "summary": summary, "encrypted_content": turn.thinking[1]}
    kind = "output_text" if turn.role == "assistant" else "input_text"
    content: JsonArray = [{"type": kind, "text": turn.text}] if turn.text else []
    content += [{"type": "input_image", "image_url": _url(image)} for image in turn.images]
    if content:
        yield {"type": "message", "role": turn.role, "content": content}
    for call in turn.calls:
        arguments = _dumped(call.arguments)
        yield {"type": "function_call", "call_id": call.id, "name": call.name, "arguments": arguments}


def _parts(content: Any) -> JsonArray:
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return [part for part in content or [] if isinstance(part, dict)]


def _is_image(part: dict[str, Any]) -> bool:
    return part.get("type") == "image"


def _images(parts: Sequence[dict[str, Any]]) -> list[tuple[str, str]]:
    images = []
    for part in filter(_is_image, parts):
        source = part.get("source", part)
        images.append((source.get("media_type") or source.get("mimeType"), source.get("data")))
    return [(kind, data) for kind, data in images if kind and data]


def _source(image: tuple[str, str]) -> dict[str, Any]:
    return {"type": "base64", "media_type": image[0], "data": image[1]}


def _url(image: tuple[str, str]) -> str:
    return f"data:{image[0]};base64,{image[1]}"


def _dumped(arguments: dict[str, Any]) -> str:
    return json.dumps(arguments, ensure_ascii=False)
