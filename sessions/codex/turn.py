"""The turn of a Codex rollout that is being read: what it said, so that an event's twin is known for one."""

from __future__ import annotations

from base64 import b85decode, b85encode
from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from itertools import dropwhile
from typing import Any

from prune_mcp.sessions.codex.events import REVIEW, is_beside
from prune_mcp.sessions.codex.lines import type_of
from prune_mcp.sessions.codex.prompts import own_start
from prune_mcp.sessions.content import compact_json, parts
from prune_mcp.sessions.jsontext import holds_float, loads_exactly
from prune_mcp.sessions.lately import Lately
from prune_mcp.sessions.messages.wire import RawEntry, string
from prune_mcp.sessions.model import Place

# Events without a twin wait for the end of their turn; more than so many bytes of them wait no longer.
WAITING_BYTES = 4 << 20
# How the host begins when it tells the model what a review found.
REVIEWED = "<user_action>"
Keys = frozenset[bytes]
# Bytes of a key, and of how many the latest are kept for a later reading.
KEY = 8
KEPT = 256
# A twin stands a few lines away; turns may have as many lines as there are.
LATELY = 4096
# So many commands may run on behind the turn that began them.
RUNNING = 64


@dataclass(slots=True)
class Heard:
    """An event whose twin may still come: where its line stands, the line, and what tells a twin of each item.

    `call`: the id of the call that it is about, "" for none. `asks`: whether it says a prompt. `beside`: whether
    it is told beside the entries, and only where no other event says it.
    """

    offset: int
    length: int
    raw: dict[str, Any]
    call: str
    asks: bool
    keys: list[Keys]
    beside: bool = False

    def alone(self, said: Container[bytes]) -> list[int]:
        """The numbers of its items that nothing else says."""
        return [number for number, keys in enumerate(self.keys) if not any(key in said for key in keys)]


# An event, and the numbers of its items that nothing else says.
Alone = tuple[Heard, list[int]]


class Turn:
    """What was said since the turn began. The host writes an event before or after its twin, and a prompt's also
    before the line that begins its turn.

    `id`: the turn's, "" where it has none. `results`: where the output of each call stands. `failing`: the calls
    that failed as an event tells. `running`: those of earlier turns too that go on though they have an output.
    """

    def __init__(self) -> None:
        self.id = ""
        self.results = Lately[str, Place](LATELY)
        self.failing: set[str] = set()
        self.running: dict[str, None] = {}
        self._said = Lately[bytes, None](LATELY)
        self._asked: set[bytes] = set()
        self._waiting: list[Heard] = []
        # What would tell a twin of any event that waits.
        self._wanted: set[bytes] = set()
        self._fresh = 0
        self._size = 0

    @property
    def waiting(self) -> Sequence[Heard]:
        """The events that wait for a twin, in order."""
        return self._waiting

    def say(self, item: RawEntry, texts: Sequence[str]) -> None:
        """An item was read; `texts`: those of a message."""
        said = keys_of(item, texts)
        self._say(said)
        self._fresh = 0
        if item.get("role") == "user":
            self._asked |= said
        else:
            self._asked.clear()
        if not self._wanted.isdisjoint(said):
            self._keep([event for event in self._waiting if event.alone(self._said)])

    def runs(self, call: str) -> None:
        """A call has an output, and goes on."""
        self.running[call] = None
        if len(self.running) > RUNNING:
            del self.running[next(iter(self.running))]

    def hear(self, event: Heard) -> list[Alone]:
        """An event was read, which waits unless its twins are known; returns those that wait no longer."""
        if not event.alone(self._said) or event.call in self.running or self._repeats(event):
            return []
        said = frozenset[bytes]().union(*event.keys)
        if not self._wanted.isdisjoint(said):
            self._keep([one for one in self._waiting if not one.beside or one.alone(said)])
        self._waiting.append(event)
        self._wanted.update(said)
        self._fresh += 1
        self._size += event.length
        return self._drop(1) if self._size > WAITING_BYTES and len(self._waiting) > 1 else []

    def flush(self) -> list[Alone]:
        """Nothing more comes: the events without a twin."""
        return self._drop(len(self._waiting))

    def state(self) -> dict[str, Any]:
        """What is known of the turn, as JSON; of what was said the latest."""
        said = b"".join(list(self._said)[-KEPT:])
        return {
            "id": self.id,
            "said": b85encode(said).decode(),
            "running": [*self.running],
            "failing": [*self.failing],
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Begin with what another reading knew."""
        said = b85decode(state["said"])
        self.id = state["id"]
        self._say(said[at : at + KEY] for at in range(0, len(said), KEY))
        self.running, self.failing = dict.fromkeys(state["running"]), set(state["failing"])

    def end(self, begun: bool = False) -> list[Alone]:
        """The turn ended: its events without a twin. The latest may be the prompt of one that has `begun`, with
        what came behind that."""
        latest = self._waiting[len(self._waiting) - self._fresh :] if begun else []
        own = [*dropwhile(lambda event: not event.asks, latest)]
        gone = self._drop(len(self._waiting) - len(own))
        self._said.clear()
        self._say(self._asked)
        self._asked.clear()
        self.results.clear()
        self.failing.clear()
        return gone

    def _drop(self, count: int) -> list[Alone]:
        gone = [(event, event.alone(self._said)) for event in self._waiting[:count]]
        self._keep(self._waiting[count:])
        return gone

    def _repeats(self, event: Heard) -> bool:
        """Whether an event says again what the model said in one that waits: the end of a turn tells its last
        words."""
        return not (event.asks or event.call or event.alone(self._wanted))

    def _say(self, keys: Iterable[bytes]) -> None:
        for key in keys:
            self._said.put(key, None)

    def _keep(self, events: list[Heard]) -> None:
        self._waiting = events
        self._wanted = {key for event in events for keys in event.keys for key in keys}
        self._fresh = min(self._fresh, len(events))
        self._size = sum(event.length for event in events)


def heard(offset: int, line: bytes, raw: dict[str, Any], items: Sequence[RawEntry], keys: list[Keys]) -> Heard:
    """An event of which these are the items, and what tells a twin of each."""
    exact = loads_exactly(line) if holds_float(raw.get("payload")) else raw
    beside = is_beside(raw["payload"])
    asks = items[0].get("role") == "user" and not beside
    return Heard(offset, len(line), exact, string(items[0].get("call_id")), asks, keys, beside)


def told_failure(item: RawEntry) -> str:
    """The id of the call that an event's item says failed, "" for none."""
    call, output = item.get("call_id"), item.get("output")
    failed = isinstance(output, dict) and output.get("success") is False
    return call if failed and isinstance(call, str) else ""


def keys_of(item: RawEntry, texts: Sequence[str]) -> Keys:
    """What an item and its twin have in common: a text somebody says, or the id of a call or of its output.

    `texts`: those of a message.
    """
    kind = type_of(item)
    if kind == "message" or "role" in item:
        return frozenset(_message_keys(item, texts))
    if kind == "reasoning":
        inner = [part for field in ("summary", "content") for part in parts(item.get(field))]
        return _keys("thinking", (part.get("text") for part in inner if isinstance(part, dict)))
    if kind == "web_search_call":
        action = item.get("action")
        return _of_call("call", item.get("id")) | _of_call("search", compact_json(action) if action else "")
    if kind.endswith("_call"):
        return _of_call("call", item.get("call_id", item.get("id")))
    if kind.endswith("_call_output"):
        return _of_call("output", item.get("call_id"))
    return frozenset()


def _message_keys(item: RawEntry, texts: Sequence[str]) -> Iterable[bytes]:
    role = str(item.get("role"))
    own = [text[own_start(text) :] for text in texts] if role == "user" else []
    yield from _keys(role, [*texts, *own, "".join(texts), "\n".join(texts), "".join(own)])
    if item.get(REVIEW) or any(text.startswith(REVIEWED) for text in texts):
        yield from _keys(REVIEW, ["found"])


def _keys(kind: str, texts: Iterable[Any]) -> Keys:
    said = {text.strip() for text in texts if isinstance(text, str)} - {""}
    return frozenset(_key(kind, text) for text in said)


def _key(kind: str, text: str) -> bytes:
    return blake2b(f"{kind}\0{text}".encode("utf-8", "surrogatepass"), digest_size=KEY).digest()


def _of_call(kind: str, id: Any) -> Keys:
    return frozenset((_key(kind, id),)) if isinstance(id, str) and id else frozenset()
