"""Rules that the judges of several formats share: each tells what is wrong with one entry."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any


def shapes(messages: Sequence[Any], roles: Sequence[str]) -> Iterator[str]:
    """Every entry is a message of a known role with content or calls."""
    for index, message in enumerate(messages):
        if not isinstance(message, dict):
            yield f"shape: entry {index}: {type(message).__name__} is no message"
        elif message.get("role") not in roles:
            yield f"role: entry {index}: unknown role {message.get('role')!r}"
        elif "content" not in message and not (message.get("tool_calls") or message.get("function_call")):
            yield f"shape: entry {index}: no content"


def contents(index: int, content: Any) -> Iterator[str]:
    """Content is a text, or a list of parts, and says something."""
    if not isinstance(content, str | list):
        yield f"content: entry {index}: {type(content).__name__} is no content"
    elif not content or (isinstance(content, str) and not content.strip()):
        yield f"content: entry {index}: empty content"
    for part in content if isinstance(content, list) else ():
        if not isinstance(part, dict) or not isinstance(part.get("type"), str):
            yield f"content: entry {index}: a part that is no object with a type"
        elif part["type"] == "text" and not (isinstance(part.get("text"), str) and part["text"].strip()):
            yield f"content: entry {index}: an empty text part"


def parts(message: Any, kind: str) -> list[Any]:
    """The content parts of one type."""
    content = message.get("content")
    return (
        [p for p in content if isinstance(p, dict) and p.get("type") == kind] if isinstance(content, list) else []
    )


def call_faults(
    index: int, calls: Sequence[tuple[Any, Any, Any]], type: type, known: Sequence[Any] = ()
) -> Iterator[str]:
    """Calls have an id of their own within the message, a name, and arguments of the right type."""
    seen = [*known]
    for id, name, arguments in calls:
        if not isinstance(id, str) or not id or not isinstance(name, str) or not name:
            yield f"ids: entry {index}: a call without id or name"
        if id in seen:
            yield f"ids: entry {index}: call id {id!r} twice in one message"
        if not isinstance(arguments, type):
            yield f"arguments: entry {index}: arguments of {id!r} are no {type.__name__}"
        seen.append(id)


def answer(index: int, id: Any, waiting: list[Any]) -> list[str]:
    """A result answers a call that waits for it; the call then waits no longer."""
    if id not in waiting:
        return [f"pairing: entry {index}: result {id!r} answers no open call"]
    waiting.remove(id)
    return []


def json_arguments(index: int, arguments: Any) -> Iterator[str]:
    """Arguments passed as a string hold JSON."""
    try:
        json.loads(arguments)
    except (TypeError, ValueError):
        yield f"arguments: entry {index}: arguments are no JSON"


def transcript_messages(entries: Sequence[Any], roles: Sequence[str]) -> Iterator[tuple[int, Any]]:
    """The messages inside transcript entries, with the index of their entry."""
    for index, entry in enumerate(entries):
        message = entry.get("message") if isinstance(entry, dict) else None
        if isinstance(message, dict) and message.get("role") in roles:
            yield index, message


def repeated(ids: Sequence[tuple[int, Any]]) -> list[str]:
    """Ids of entries are used once."""
    seen: set[Any] = set()
    problems = []
    for index, id in ids:
        if id in seen:
            problems.append(f"ids: entry {index}: id {id!r} is used before")
        seen.add(id)
    return problems
