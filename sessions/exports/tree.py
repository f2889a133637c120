"""Which messages of an exported conversation are on the branch that the host shows, and which were left behind."""

from __future__ import annotations

from collections.abc import Iterator, Mapping


def standing(parents: Mapping[str, str | None], leaf: str | None) -> set[str]:
    """The ids from a leaf up to its root; `parents` names each id's parent, None for a root."""
    path: set[str] = set()
    while leaf is not None and leaf in parents and leaf not in path:
        path.add(leaf)
        leaf = parents[leaf]
    return path


def newest_leaf(parents: Mapping[str, str | None], times: Mapping[str, float]) -> str | None:
    """The latest of the ids that nobody is a child of; one without a time is as old as the one before it."""
    inner = set(parents.values())
    leaf, newest, time = None, -1.0, 0.0
    for id in parents:
        time = times.get(id) or time
        if id not in inner and time >= newest:
            leaf, newest = id, time
    return leaf


def in_order(parents: Mapping[str, str | None]) -> Iterator[str]:
    """Every id once: parents before their children, branches one after the other."""
    children: dict[str | None, list[str]] = {}
    for id, parent in parents.items():
        children.setdefault(parent if parent in parents else None, []).append(id)
    seen: set[str] = set()
    # Ids in a circle have no root; each is a start where nothing led to it.
    for start in (*children.get(None, ()), *parents):
        waiting = [start]
        while waiting:
            id = waiting.pop()
            if id not in seen:
                seen.add(id)
                yield id
                waiting += reversed(children.get(id, ()))
