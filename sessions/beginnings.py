"""The beginnings of session ids, which people write in place of the whole."""

from __future__ import annotations

from collections.abc import Iterable

# Characters of each part of an id.
SHORT = 8


def begins(id: str, word: str) -> bool:
    """Whether a session's id begins so.

    A subagent's id, `SESSION/AGENT`, is meant only by a word of two parts, each of which may be cut.
    """
    parts, words = id.split("/"), word.split("/")
    return len(parts) == len(words) and all(map(str.startswith, parts, words))


def shortened(ids: Iterable[str]) -> dict[str, str]:
    """For each id the beginning, at least 8 characters of each part, that no other of the ids has."""
    names: dict[str, str] = {}
    waiting, length = set(ids), SHORT
    while waiting:
        alike: dict[str, list[str]] = {}
        for id in waiting:
            alike.setdefault("/".join(part[:length] for part in id.split("/")), []).append(id)
        names.update((same[0], name) for name, same in alike.items() if len(same) == 1)
        waiting = {id for same in alike.values() if len(same) > 1 for id in same}
        length += 1
    return names
