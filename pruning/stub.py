"""Stubs: the text that stands for an output in a view. Each says by itself what it stands for."""

from __future__ import annotations

import json
import re
from typing import Any

from prune_mcp.pruning.plain import plain, unmarked

KEY_LONGEST = 48
PATH_LONGEST = 36
# In a stub, which mostly stands right below its call, less of the key and no small counts of lines will do.
STUB_KEY_LONGEST = 24
LEAST_LINES = 100
# Arguments by how much they tell about a call, the most telling first.
_TELLING = (
    *("command", "cmd", "script", "pattern", "regex", "query", "file_path", "filePath", "path", "notebook_path"),
    *("filename", "file", "paths", "url", "uri", "description", "subject", "title", "prompt", "question", "task"),
    *("skill", "name", "id", "task_id", "code", "text", "message", "content"),
)
_CHANGED_FOLDER = re.compile(r"^cd [^&;|]+(?:&&|;) *(?=\S)").sub
_RANGES = (("offset", "limit", "+"), ("start_line", "end_line", "-"), ("start", "end", "-"))


def stub(ref: int, tool: str, key: str, error: bool, chars: int, lines: int, images: int, digest: str) -> str:
    """The text that stands for output t`ref`: one header line, then the digest.

    Sizes are those of the output, in characters and lines.
    """
    header = _header(ref, tool, key, "error" if error else "", _size(chars, lines, images))
    return f"{header}\n{digest}" if digest else header


def summary_stub(
    ref: int, tool: str, key: str, error: bool, chars: int, lines: int, images: int, words: str
) -> str:
    """The text that stands for output t`ref` with the words of a model, and says so."""
    header = _header(ref, tool, key, "error" if error else "", _size(chars, lines, images), "summary")
    return f"{header}\n{words}"


def alias_stub(ref: int, tool: str, key: str, other: int) -> str:
    """The text that stands for output t`ref`, which says the same as t`other`."""
    return _header(ref, tool, key, f"same output as t{other}")


def inside_stub(ref: int, tool: str, key: str, other: int) -> str:
    """The text that stands for output t`ref`, a read that the longer read t`other` contains."""
    return _header(ref, tool, key, f"contained in t{other}")


def superseded_stub(ref: int, tool: str, key: str, other: int) -> str:
    """The text that stands for output t`ref`, an older protected read than t`other` of the same file."""
    return _header(ref, tool, key, f"superseded by the newer read t{other}")


def spill_stub(
    ref: int, tool: str, key: str, error: bool, chars: int, lines: int, preview: str, digest: str = ""
) -> str:
    """The text that stands for an oversized output t`ref`: header, digest, then the head of the output."""
    header = _header(ref, tool, key, "error" if error else "", f"{_size(chars, lines)}, too large")
    head = f"head:\n{_quoted(preview.rstrip())}" if preview.strip() else ""
    return "\n".join(part for part in (header, digest, head) if part)


def key_argument(tool: str, arguments: Any) -> str:
    """The argument that tells most about a call of `tool`, in one line of at most `KEY_LONGEST` characters.

    A path comes with its line range, a search pattern with where it looks. Empty when nothing tells.
    """
    if not isinstance(arguments, dict):
        return _cut(_one_line(arguments), "")
    told = {name: line for name, value in arguments.items() if (line := _one_line(value))}
    name = next((name for name in _TELLING if name in told), next(iter(told), ""))
    if name not in told:
        return ""
    where = told.get("path", "") if name in ("pattern", "query", "regex") else ""
    telling = _CHANGED_FOLDER("", told[name], 1)
    return _cut(telling, f" in {where}" if where else _range(arguments))


def _range(arguments: dict[str, Any]) -> str:
    """The line range of a read: `:100+50` (from, count) or `:3-9` (from, to)."""
    for first, second, joint in _RANGES:
        if isinstance(arguments.get(first), int):
            end = arguments.get(second)
            return f":{arguments[first]}{joint}{end}" if isinstance(end, int) else f":{arguments[first]}"
    lines = arguments.get("view_range")
    if isinstance(lines, list) and len(lines) == 2 and all(isinstance(line, int) for line in lines):
        return f":{lines[0]}-{lines[1]}"
    return ""


def _one_line(value: Any) -> str:
    """A value as one line without double quotes; empty for what tells nothing."""
    if value is None or isinstance(value, bool | float):
        return ""
    if not isinstance(value, str):
        value = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return " ".join(plain(value[:2000]).split()).replace('"', "'")


def _cut(text: str, tail: str) -> str:
    """The text with its tail, both cut where they are too long."""
    tail = tail if len(tail) <= KEY_LONGEST // 2 else tail[: KEY_LONGEST // 2 - 3] + "..."
    return _shortened(text, (PATH_LONGEST if _is_path(text) else KEY_LONGEST) - len(tail)) + tail


def _is_path(text: str) -> bool:
    return "/" in text and " " not in text and "://" not in text


def _shortened(text: str, room: int) -> str:
    """The text in `room` characters: a path keeps its end, all else its beginning."""
    if len(text) <= room:
        return text
    if _is_path(text):
        end = text[3 - room :]
        return "..." + end[max(end.find("/"), 0) :]
    return text[: room - 3] + "..."


def _size(chars: int, lines: int, images: int = 0) -> str:
    about = f"{chars} chars" if chars < 10_000 else f"{chars // 1000}k chars"
    about = f"{lines} lines, {about}" if lines >= LEAST_LINES else about
    return f"{about}, {images} image{'s' if images > 1 else ''}" if images else about


def _header(ref: int, tool: str, key: str, *parts: str) -> str:
    call = f'{_inline(tool)} "{_inline(_shortened(key, STUB_KEY_LONGEST))}"' if key else _inline(tool)
    return f"[pruned t{ref}: {' | '.join([call, *filter(None, parts)])}]"


def _inline(text: str) -> str:
    """Foreign text made fit to stand in a header."""
    return " ".join(_quoted(text).split()).replace('"', "'")


def _quoted(text: str) -> str:
    """Foreign text made fit to stand in ours."""
    return unmarked(plain(text))
