"""Messages as opencode 2 writes them, one row each, and how they say in parts what those of version 1 say.

A row is `{id, type, ...}`: what the person said, an answer of the model with all its calls, or what the host did.
"""

from __future__ import annotations

from typing import Any

Raw = dict[str, Any]
# Rows that stand in the user's place, with a text that the host made.
MACHINE = frozenset({"synthetic", "system", "skill"})
# How the fields of a file are called in parts.
NAMES = {"uri": "url", "name": "filename"}
GONE: Any = object()


def is_row(raw: Raw) -> bool:
    """Whether a record is such a row, and not a message with parts."""
    return "info" not in raw


def normal(raw: Raw) -> Raw:
    """A record as a message with parts; of an answer each content is one part."""
    if not is_row(raw):
        return raw
    info: Raw = {"id": raw["id"], "role": "assistant" if raw.get("type") == "assistant" else "user"}
    info |= {key: raw[key] for key in ("time", "finish") if key in raw}
    if isinstance(error := raw.get("error"), dict):
        name = "MessageAbortedError" if error.get("type") == "aborted" else "error"
        info["error"] = {"name": name, "data": {"message": error.get("message")}}
    if raw.get("type") == "compaction":
        info["summary"] = True
    return {"info": info, "parts": _parts(raw)}


def with_parts(raw: Raw, before: list[Any], after: list[Any]) -> Raw | None:
    """The row with parts that were changed, or are `GONE`; None where nothing of it is left."""
    if all(part is GONE for part in after):
        return None
    if raw.get("type") != "assistant":
        return raw
    content = [
        item if part is was else _content(item, part)
        for item, was, part in zip(_listed(raw.get("content")), before, after, strict=True)
        if part is not GONE
    ]
    return {**raw, "content": content}


def _parts(raw: Raw) -> list[Any]:
    kind = raw.get("type")
    if kind == "assistant":
        return [_part(item) for item in _listed(raw.get("content"))]
    if kind == "user":
        return [_text(raw.get("text")), *map(_file, _listed(raw.get("files")))]
    if kind in MACHINE:
        return [_text(raw.get("text"), synthetic=True)]
    if kind == "shell":
        output = raw.get("output")
        said = output.get("output") if isinstance(output, dict) else output
        return [_text(raw.get("command"), synthetic=True), _text(said, synthetic=True)]
    if kind == "compaction":
        done = raw.get("status", "completed") == "completed"
        return [_text(raw.get("summary"), synthetic=True)] if done else []
    # What a row of another type says is told, and not taken for what the host sends.
    return [{"type": "unknown", "text": raw["text"]}] if isinstance(raw.get("text"), str) else []


def _part(item: Any) -> Raw:
    """What an answer's content says, as a part."""
    if not isinstance(item, dict):
        return {}
    if item.get("type") != "tool":
        return item
    state = item["state"] if isinstance(item.get("state"), dict) else {}
    return {"type": "tool", "callID": item.get("id"), "tool": item.get("name"), "state": _state(item, state)}


def _state(item: Raw, state: Raw) -> Raw:
    told = [part for part in _listed(state.get("content")) if isinstance(part, dict)]
    texts = [part["text"] for part in told if part.get("type") == "text" and isinstance(part.get("text"), str)]
    time = item["time"] if isinstance(item.get("time"), dict) else {}
    made: Raw = {"input": state.get("input"), "status": state.get("status"), "metadata": state.get("metadata")}
    if state.get("status") == "error":
        error = state.get("error")
        texts.append(str(error.get("message", "")) if isinstance(error, dict) else str(error or ""))
        return made | {"error": "\n".join(texts), "time": {"end": time.get("completed")}}
    files = [_file(part) for part in told if part.get("type") != "text"]
    times = {"end": time.get("completed"), "compacted": time.get("pruned")}
    return made | {"output": "\n".join(texts), "attachments": files, "time": times}


def _content(item: Raw, part: Raw) -> Raw:
    """An answer's content with what was changed in its part."""
    if part.get("type") != "tool":
        return {"type": "text", "text": part.get("text")}
    state, was = part["state"], _part(item)["state"]
    made = {**item["state"], "input": state.get("input")}
    if state.get("status") == "pending":
        return {**item, "state": {"status": "pending", "input": state.get("input")}}
    if state.get("error") != was.get("error"):
        made.pop("content", None)
        error = made["error"] if isinstance(made.get("error"), dict) else {}
        made["error"] = {**error, "message": state["error"]}
    elif state.get("output") != was.get("output"):
        made["content"] = [{"type": "text", "text": state["output"]}]
        if isinstance(time := item.get("time"), dict):
            item = {**item, "time": {key: value for key, value in time.items() if key != "pruned"}}
    return {**item, "state": made}


def _text(value: Any, **fields: Any) -> Raw:
    """A text part; none for no text."""
    return {"type": "text", "text": value, **fields} if isinstance(value, str) and value else {}


def _file(file: Any) -> Raw:
    if not isinstance(file, dict):
        return {}
    told: Raw = {NAMES.get(str(key), str(key)): value for key, value in file.items()}
    return told | {"type": "file"}


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
