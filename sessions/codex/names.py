"""What Codex sessions are called: the names that the host keeps in an index beside them."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from prune_mcp.sessions.codex.places import home_of
from prune_mcp.sessions.jsontext import loads

INDEX = "session_index.jsonl"


def name_of(path: Path, session: str) -> str:
    """The name that the host's index has for the session of a rollout, "" for none. The index tells nothing else:
    it names sessions that are gone, and not all that are there."""
    home = home_of(path)
    if home is None:
        return ""
    index = home / INDEX
    try:
        status = index.stat()
    except OSError:
        return ""
    return _names(index, status.st_mtime_ns, status.st_size).get(session, "")


@lru_cache(maxsize=4)
def _names(index: Path, changed: int, size: int) -> dict[str, str]:
    """The names by session as the index had them then; the line written last counts."""
    try:
        lines = index.read_bytes().split(b"\n")
    except OSError:
        return {}
    names: dict[str, str] = {}
    for line in lines:
        try:
            value = loads(line)
        except ValueError:
            continue
        if isinstance(value, dict) and isinstance(value.get("id"), str):
            name = value.get("thread_name")
            names[value["id"]] = name if isinstance(name, str) else ""
    return names
