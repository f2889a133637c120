"""The messages of a Gemini CLI session, put together from what its file records of them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

from prune_mcp.sessions.damage import KINDS, objects
from prune_mcp.sessions.gemini.prompts import is_snapshot
from prune_mcp.sessions.jsontext import BLANK, loads_exactly
from prune_mcp.sessions.partial import partial, standing

_BEGINS = re.compile(r'\{\s*"id"\s*:')
_SUMMARY = re.compile(r'"summary"\s*:\s*"(?:[^"\\]|\\.)*+"\s*\}\s*\Z')
# What a session's file tells beside its messages.
_HEADER = ("sessionId", "projectHash")


class GeminiLog:
    """Messages by id, in the order they first came; the last record of an id counts.

    `header`: what the file tells of the session. `sent`: the ids of the messages that stand, in order. `left`: the
    ids of those that a rewind took away; what a compression took away is in neither.
    """

    def __init__(self) -> None:
        self.header: dict[str, Any] = {}
        self.messages: dict[str, dict[str, Any]] = {}
        self.sent: dict[str, None] = {}
        self.left: set[str] = set()
        self.skipped: Counter[str] = Counter()

    def read(self, data: bytes) -> GeminiLog:
        """Take in a file: one whole object, or a record on each line."""
        for record in self._records(data):
            self.take(record)
        return self

    def take(self, record: dict[str, Any]) -> None:
        """Take in one record."""
        if isinstance(target := record.get("$rewindTo"), str):
            self._rewind(target)
        elif isinstance(patch := record.get("$patch"), dict):
            self._patch(patch)
        elif isinstance(changes := record.get("$set"), dict):
            if isinstance(messages := changes.get("messages"), list):
                self._replace(messages)
            self._describe(changes)
        elif is_message(record):
            self._say(record)
        elif any(key in record for key in _HEADER):
            self._describe(record)
            for message in self._each(record.get("messages")):
                self._say(message)
        else:
            self.skipped["unknown"] += 1

    def _describe(self, record: dict[str, Any]) -> None:
        self.header.update((key, value) for key, value in record.items() if key != "messages")

    def _say(self, message: dict[str, Any]) -> None:
        id = message["id"]
        if id in self.left:
            # It was taken away and said again: now it comes where it was said again.
            self.left.discard(id)
            del self.messages[id]
        self.messages[id] = message
        self.sent[id] = None

    def _rewind(self, target: str) -> None:
        """Take the message and all later ones away; the host takes all away when it does not know the message."""
        ids = list(self.sent)
        for id in ids[ids.index(target) if target in self.sent else 0 :]:
            del self.sent[id]
            self.left.add(id)

    def _replace(self, messages: list[Any]) -> None:
        """Other messages stand from now on: what is not among them was summarized, or else taken back."""
        said = list(self._each(messages))
        before, self.sent = self.sent, {}
        compressed = any(is_snapshot(message) for message in said if message["id"] not in self.messages)
        for message in said:
            self._say(message)
        if not compressed:
            self.left.update(id for id in before if id not in self.sent)

    def _patch(self, patch: dict[str, Any]) -> None:
        for change in [patch, *_listed(patch.get("updates"))]:
            if isinstance(change, dict) and (message := self.messages.get(str(change.get("id")))):
                self.messages[message["id"]] = _patched(message, change)
        for id in _listed(patch.get("removeIds")):
            if isinstance(id, str) and id in self.sent:
                del self.sent[id]
                self.left.add(id)
        order = [id for id in _listed(patch.get("orderIds")) if isinstance(id, str) and id in self.sent]
        self.sent = {**{id: None for id in self.sent if id not in order}, **dict.fromkeys(order)}

    def _each(self, messages: Any) -> Iterator[dict[str, Any]]:
        """The messages of a list; anything else in it is counted."""
        for message in _listed(messages):
            if isinstance(message, dict) and is_message(message):
                yield message
            else:
                self.skipped[KINDS.get(type(message), "unknown")] += 1

    def _records(self, data: bytes) -> Iterator[dict[str, Any]]:
        first, _, rest = data.lstrip(BLANK).partition(b"\n")
        lines = rest.split(b"\n")
        if (value := _object(first)) is not None:
            yield value
            yield from self._lines(lines)
        elif (whole := _object(data.strip(BLANK))) is not None:
            yield whole
        elif any(value and is_record(value) for value in map(_object, lines)):
            yield from self._lines([first, *lines])
        else:
            yield from self._salvaged(data)

    def _lines(self, lines: Iterable[bytes]) -> Iterator[dict[str, Any]]:
        for line in lines:
            value = _object(line)
            if value is not None:
                yield value
            else:
                yield from (found for _, _, found in objects(line, self.skipped, is_record))

    def _salvaged(self, data: bytes) -> Iterator[dict[str, Any]]:
        """What stands whole in a damaged object."""
        text = data.strip(BLANK).decode("utf-8", "surrogateescape")
        self.skipped["torn"] += 1
        header = partial(text)
        if isinstance(header, dict):
            yield {key: value for key, value in header.items() if key != "messages"}
        yield from standing(text, _BEGINS, is_message)
        # The summary comes behind all messages.
        ending = _SUMMARY.search(text)
        if ending and (summary := _object(b"{" + ending[0].encode("utf-8", "surrogateescape"))):
            self._describe(summary)


def is_message(record: dict[str, Any]) -> bool:
    """Whether a record is a message."""
    return isinstance(record.get("id"), str) and isinstance(record.get("type"), str)


def is_record(record: dict[str, Any]) -> bool:
    """Whether an object is a record of a session's file, of whatever kind."""
    return is_message(record) or any(key in record for key in ("$set", "$patch", "$rewindTo", *_HEADER))


def _object(data: bytes) -> dict[str, Any] | None:
    try:
        value = loads_exactly(data)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _patched(message: dict[str, Any], change: dict[str, Any]) -> dict[str, Any]:
    """A message with another content, or other results of its calls."""
    results = {
        call.get("id"): call["result"]
        for call in _listed(change.get("toolCalls"))
        if isinstance(call, dict) and "result" in call and isinstance(call.get("id"), str)
    }
    changed = {"content": change["content"]} if change.get("content") is not None else {}
    calls = message.get("toolCalls")
    if results and isinstance(calls, list):
        changed["toolCalls"] = [
            {**call, "result": results[call["id"]]}
            if isinstance(call, dict) and isinstance(call.get("id"), str) and call["id"] in results
            else call
            for call in calls
        ]
    return {**message, **changed}
