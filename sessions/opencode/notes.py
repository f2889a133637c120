"""What an opencode message tells beside what the host sends of it: why it failed, what it was summed up to."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from prune_mcp.sessions.content import string
from prune_mcp.sessions.opencode.parts import IDS, state_of
from prune_mcp.sessions.passage import Speaker
from prune_mcp.sessions.readable import SILENT, strings_in
from prune_mcp.sessions.speech import beside

# Parts that say nothing more than their pieces do, or nothing at all.
PLAIN = frozenset({"reasoning", "tool", "file", "step-start", "step-finish", "snapshot", "agent", "compaction"})
UNTOLD = SILENT | IDS | {"url", "hash", "snapshot"}
# Where what stands in no part is told.
FAILED, SUMMED = beside(-1), beside(0)


class Note(NamedTuple):
    """A text, its place in the message (see `Passage`), and whose it is."""

    at: int
    role: Speaker
    text: str
    error: bool = False


def notes_of(message: dict[str, Any]) -> Iterator[Note]:
    """What a message tells so: of its parts in their order, then of itself; each error once."""
    info, parts = message["info"], message["parts"]
    failures: set[str] = set()
    for at, part in enumerate(parts):
        if isinstance(part, dict) and (text := _told(part, parts)):
            failed = part.get("type") == "retry"
            if not (failed and text in failures):
                yield Note(len(parts) + at, "machine", text, failed)
            failures.update([text] if failed else ())
    if (text := error_text(info.get("error"))) and text not in failures:
        yield Note(FAILED, "machine", text, True)
    summary = info.get("summary")
    if isinstance(summary, dict):
        texts = (string(summary.get(name)) for name in ("title", "body"))
        if text := "\n".join(filter(str.strip, texts)):
            yield Note(SUMMED, "summary", text)


def error_text(error: Any) -> str:
    """What an error says, "" for none."""
    told = error.get("data") if isinstance(error, dict) else None
    return string(told.get("message")) if isinstance(told, dict) else ""


def _told(part: dict[str, Any], parts: list[Any]) -> str:
    kind = string(part.get("type"))
    if kind == "text":
        return string(part.get("text")) if part.get("ignored") is True else ""
    if kind == "retry":
        return error_text(part.get("error"))
    if kind == "subtask":
        return string(part.get("description"))
    if kind == "patch":
        return "\n".join(_changed(part, parts))
    return "" if kind in PLAIN else "\n".join(strings_in(part, UNTOLD))


def _changed(patch: dict[str, Any], parts: list[Any]) -> list[str]:
    """The files of a patch that no call of the message names."""
    inputs = [state_of(part).get("input") for part in parts if isinstance(part, dict)]
    named = strings_in(inputs, ())
    return [file for file in strings_in(patch.get("files")) if not any(_names(text, file) for text in named)]


def _names(text: str, file: str) -> bool:
    return file in text or file.endswith(f"/{text}")
