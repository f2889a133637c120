"""What an opencode message says: for each step the model's words and calls, then the results of these."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from prune_mcp.sessions.content import string
from prune_mcp.sessions.document import Share
from prune_mcp.sessions.fragment import Fragment
from prune_mcp.sessions.model import Block, Role
from prune_mcp.sessions.opencode.notes import notes_of
from prune_mcp.sessions.opencode.parts import Piece, block_of, ended, is_own, iso, pieces_of

Raw = dict[str, Any]


def shares_of(message: Raw, cut: str = "") -> list[Share]:
    """What a message says, share by share. `cut`: the part from which on a rewind left it behind."""
    info, time = message["info"], created(message)
    if info.get("role") == "user":
        pieces = [piece for at, part in enumerate(message["parts"]) for piece in pieces_of(at, part)]
        share = Share(_user(info["id"], pieces, info.get("summary") is True), pieces, time)
        return [share] if pieces else _noted(message, time)
    shares: list[Share] = []
    said = 0
    for left, step in steps_of(message, cut):
        if pieces := [piece for at in step for piece in pieces_of(at, message["parts"][at])]:
            said += 1
            id = info["id"] if said == 1 else f"{info['id']}/{said}"
            shares += _step(id, info, pieces, time, left)
    return shares or _noted(message, time)


def steps_of(message: Raw, cut: str = "") -> list[tuple[bool, list[int]]]:
    """The positions of the parts of each step, and whether a rewind left that behind.

    A step is one request to the model: another one begins once there are results to send.
    """
    steps: list[tuple[bool, list[int]]] = [(False, [])]
    called = left = False
    for at, part in enumerate(message["parts"]):
        kind, id = (part.get("type"), part.get("id")) if isinstance(part, dict) else (None, None)
        if cut and id == cut:
            left = True
            steps.append((True, []))
        elif kind == "step-start" and called:
            steps.append((left, []))
            called = False
        called = called or kind == "tool"
        steps[-1][1].append(at)
    return steps


def created(message: Raw) -> str | None:
    """When a message was begun."""
    time = message["info"].get("time")
    return iso(time.get("created")) if isinstance(time, dict) else None


def failed(info: dict[str, Any], pieces: list[Piece]) -> bool:
    """Whether the host leaves an answer out of what it sends: the request failed, or ended before its words."""
    name = error_name(info)
    return bool(name) and not (name == "MessageAbortedError" and any(piece.kind != "thinking" for piece in pieces))


def error_name(info: dict[str, Any]) -> str:
    """What kind of error ended an answer, "" for none."""
    error = info.get("error")
    return (string(error.get("name")) or "error") if isinstance(error, dict) else ""


def _noted(message: Raw, time: str | None) -> list[Share]:
    """A share without pieces for a message of which nothing is sent, where it tells anything."""
    if next(notes_of(message), None) is None:
        return []
    role: Role = "user" if message["info"].get("role") == "user" else "assistant"
    return [Share(Fragment(role, message["info"]["id"], hidden=True), [], time)]


def _user(id: str, pieces: list[Piece], summary: bool) -> Fragment:
    fragment = Fragment("user", id, _blocks(pieces))
    # Whatever opens an exchange in the person's place counts as well: a compaction, a subtask.
    fragment.prompt = summary or any(is_own(piece.part) or piece.kind == "other" for piece in pieces)
    fragment.summary = summary
    return fragment


def _step(id: str, info: Raw, pieces: list[Piece], time: str | None, left: bool) -> Iterator[Share]:
    said = [piece for piece in pieces if piece.kind != "result"]
    results = [piece for piece in pieces if piece.kind == "result"]
    fragment = Fragment("assistant", id, _blocks(said), hidden=failed(info, said))
    fragment.summary = info.get("summary") is True
    name = error_name(info)
    fragment.stop = {"": string(info.get("finish")), "MessageAbortedError": "aborted"}.get(name, "error")
    yield Share(fragment, said, time, left)
    if results:
        answers = Fragment("user", f"{id}/results", _blocks(results), hidden=fragment.hidden)
        yield Share(answers, results, iso(ended(results[-1].part)) or time, left)


def _blocks(pieces: list[Piece]) -> list[Block]:
    return [block_of(number, piece) for number, piece in enumerate(pieces)]
