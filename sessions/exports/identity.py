"""The ids of conversations and trajectories, which are the names of the files that keep them as well."""

from __future__ import annotations

import re
from typing import Any

from prune_mcp.sessions.content import compact_json
from prune_mcp.sessions.identity import digest

# What can be an id and a file's name everywhere; shorter ones may be the names of devices.
_PLAIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{5,99}")
_NO_NAME = re.compile(r"[^A-Za-z0-9._-]+")
NAME_CHARS = 80
# The first messages tell runs of one task apart: instructions, the task, and the first answer.
TELLING_MESSAGES = 3
HASH_CHARS = 8


def plain_id(value: dict[str, Any], *keys: str) -> str:
    """The id under the first of these keys that holds one, "" where none does.

    Whatever could not be a file's name stands as a hash of itself.
    """
    id = next((value[key] for key in keys if isinstance(value.get(key), str) and value[key]), "")
    return id if not id or _PLAIN.fullmatch(id) else digest([id])


def made_id(*telling: Any) -> str:
    """An id for what has none, from what tells it apart."""
    return digest(map(compact_json, telling))


def trajectory_id(name: str, messages: list[Any]) -> str:
    """A trajectory's id: a hash of its first messages, then the name of its task or file.

    The hash comes first, since runs of related tasks have names that begin alike.
    """
    begins = digest(compact_json(_said(message)) for message in messages[:TELLING_MESSAGES])[:HASH_CHARS]
    plain = _NO_NAME.sub("-", name).strip("-.")[:NAME_CHARS]
    if plain == begins or plain.startswith(f"{begins}-"):
        return plain
    return f"{begins}-{plain}" if plain else begins


def _said(message: Any) -> Any:
    return [message.get("role"), message.get("content")] if isinstance(message, dict) else message
