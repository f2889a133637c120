"""What a message of a Gemini CLI session says: the model's words and calls, then the results of its calls."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterator
from typing import Any

from prune_mcp.sessions.content import string
from prune_mcp.sessions.document import Share
from prune_mcp.sessions.fragment import Fragment
from prune_mcp.sessions.gemini.pieces import Piece, block_of, call_id, content_pieces, named
from prune_mcp.sessions.gemini.prompts import is_command, is_snapshot, own_parts
from prune_mcp.sessions.model import Block

# What only the model's messages have; hosts made from this one give them another type.
ANSWERING = ("toolCalls", "thoughts", "tokens")


def shares_of(message: dict[str, Any], answered: Collection[str]) -> list[Share]:
    """What a message says, share by share.

    `answered`: ids of calls that have their results beside them, so that a further copy of these says nothing new.
    """
    time = message.get("timestamp")
    time = time if isinstance(time, str) else None
    if is_answer(message):
        return list(_answer(message, time, answered))
    pieces = list(_content(message, answered))
    if not pieces:
        return []
    user = message["type"] == "user"
    # Notes to the person, of whatever kind, are not sent.
    fragment = _user(message, pieces) if user else Fragment("system", message["id"], _blocks(pieces), hidden=True)
    return [Share(fragment, pieces, time)]


def is_answer(message: dict[str, Any]) -> bool:
    """Whether the model says this."""
    kind = message["type"]
    return kind in ("gemini", "model") or (kind != "user" and any(key in message for key in ANSWERING))


def answered_calls(message: dict[str, Any]) -> Iterator[str]:
    """The ids of the calls in a message that have their result beside them."""
    return (call_id(piece) for piece in _calls(message) if piece.value.get("result"))


def _answer(message: dict[str, Any], time: str | None, answered: Collection[str]) -> Iterator[Share]:
    calls = list(_calls(message))
    pieces = [*_content(message, answered), *calls]
    # What holds thoughts alone is not sent: the host never sends these.
    fragment = Fragment("assistant", message["id"], _blocks(pieces), hidden=not pieces)
    yield Share(fragment, pieces, time)
    results = [piece._replace(kind="result") for piece in calls if piece.value.get("result")]
    if results:
        last = results[-1].value.get("timestamp")
        answers = Fragment("user", f"{message['id']}/results", _blocks(results))
        yield Share(answers, results, last if isinstance(last, str) else time)


def _user(message: dict[str, Any], pieces: list[Piece]) -> Fragment:
    fragment = Fragment("user", message["id"], _blocks(pieces))
    fragment.hidden = is_command(message.get("content"))
    fragment.summary = is_snapshot(message)
    kinds = {piece.kind for piece in pieces}
    asks = bool(own_parts(message)) or not kinds.isdisjoint(("image", "other"))
    fragment.prompt = fragment.summary or (asks and not fragment.hidden and "result" not in kinds)
    return fragment


def _content(message: dict[str, Any], answered: Collection[str]) -> Iterator[Piece]:
    """The pieces of the content, but for calls and results that stand in `toolCalls` as well."""
    calls = [piece.value for piece in _calls(message)]
    ids = {id for call in calls if (id := string(call.get("id")))}
    same = Counter(map(_sense, calls))
    for piece in content_pieces(message.get("content")):
        if piece.kind == "call":
            id, sense = string(named(piece).get("id")), _sense(named(piece))
            if id in ids or (not id and same[sense] > 0):
                same[sense] -= 1
                continue
        if piece.kind != "result" or string(named(piece).get("id")) not in answered:
            yield piece


def _sense(call: dict[str, Any]) -> str:
    """What a call asks for: two that say the same and have no ids are one."""
    try:
        return json.dumps([call.get("name"), call.get("args")], sort_keys=True)
    except (ValueError, RecursionError):
        return ""


def _calls(message: dict[str, Any]) -> Iterator[Piece]:
    calls = message.get("toolCalls")
    for at, call in enumerate(calls if isinstance(calls, list) else ()):
        if isinstance(call, dict):
            yield Piece("call", "toolCalls", at, call)


def _blocks(pieces: list[Piece]) -> list[Block]:
    return [block_of(at, piece) for at, piece in enumerate(pieces)]
