"""An OpenAI-compatible endpoint on loopback that answers, streams, stalls and fails as it is told to."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

JSON = dict[str, Any]
Write = Callable[[str], str]

PATIENCE = 20
LABEL = re.compile(r"^\[\[(\d+):([^\]]+)\]\]$", re.MULTILINE)


@dataclass
class Asked:
    """One request as it came in."""

    path: str
    headers: dict[str, str]
    body: JSON

    @property
    def prompt(self) -> str:
        """What the model is asked."""
        return str(self.body["messages"][0]["content"])

    @property
    def labels(self) -> list[str]:
        """The labels that the prompt gives its items."""
        return [found[0] for found in LABEL.finditer(self.prompt)]


class Wire:
    """The answering side of one request."""

    def __init__(self, handler: BaseHTTPRequestHandler, asked: Asked, released: threading.Event) -> None:
        self.asked = asked
        self._handler = handler
        self._released = released

    def head(self, status: int = 200, type: str = "text/event-stream", **headers: str) -> None:
        """Send the status and the headers."""
        self._handler.send_response(status)
        self._handler.send_header("Content-Type", type)
        for name, value in headers.items():
            self._handler.send_header(name.replace("_", "-"), value)
        self._handler.send_header("Connection", "close")
        self._handler.end_headers()

    def raw(self, text: str) -> None:
        """Send some text as it is."""
        self._handler.wfile.write(text.encode())
        self._handler.wfile.flush()

    def piece(self, text: str = "", finish: str | None = None) -> None:
        """Send a piece of the answer."""
        delta = {"content": text} if text else {}
        self.event({"choices": [{"index": 0, "delta": delta, "finish_reason": finish}]})

    def usage(self, read: int, wrote: int) -> None:
        """Tell what the provider counted."""
        counted = {"prompt_tokens": read, "completion_tokens": wrote, "total_tokens": read + wrote}
        self.event({"choices": [], "usage": counted})

    def done(self) -> None:
        """End the stream."""
        self.raw("data: [DONE]\n\n")

    def event(self, value: Any) -> None:
        """Send one event."""
        if isinstance(value, dict):
            value = {"id": "x", "object": "chat.completion.chunk", "created": 0, "model": "m"} | value
        self.raw(f"data: {json.dumps(value)}\n\n")

    def hang(self) -> None:
        """Keep the connection open without a word until the test is over, or lets go."""
        self._released.wait(PATIENCE)


Behave = Callable[[Wire], None]


@dataclass
class Endpoint:
    """The endpoint: `asked` are the requests so far. They are treated as `by_model` says of their model, else as
    `script` says, one after the other, else as `behave` does. `busiest`: the most that were answered at once;
    `gathered` is set when `gathers` are."""

    url: str = ""
    asked: list[Asked] = field(default_factory=list)
    script: list[Behave] = field(default_factory=list)
    behave: Behave = field(default_factory=lambda: answers())
    by_model: dict[str, Behave] = field(default_factory=dict)
    begun: threading.Event = field(default_factory=threading.Event)
    released: threading.Event = field(default_factory=threading.Event)
    gathered: threading.Event = field(default_factory=threading.Event)
    gathers: int = 0
    busiest: int = 0
    _busy: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def take(self, wire: Wire) -> None:
        """Answer one request."""
        with self._lock:
            self.asked.append(wire.asked)
            self._busy += 1
            self.busiest = max(self.busiest, self._busy)
            if self._busy == self.gathers:
                self.gathered.set()
            model = str(wire.asked.body.get("model"))
            behave = self.by_model.get(model) or (self.script.pop(0) if self.script else self.behave)
        self.begun.set()
        try:
            behave(wire)
        finally:
            with self._lock:
                self._busy -= 1


def serving() -> Iterator[Endpoint]:
    """A running endpoint."""
    endpoint = Endpoint()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            wire = Wire(self, Asked(self.path, dict(self.headers), body), endpoint.released)
            self.close_connection = True
            with suppress(BrokenPipeError, ConnectionResetError):
                endpoint.take(wire)

        def log_message(self, format: str, *args: Any) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    endpoint.url = f"http://127.0.0.1:{server.server_address[1]}/v1"
    try:
        yield endpoint
    finally:
        endpoint.released.set()
        server.shutdown()
        server.server_close()
        thread.join()


def bullet(label: str) -> str:
    """What the endpoint says of an item unless told otherwise."""
    number, name = LABEL.findall(label)[0]
    return f"- {label} came of call {number} to {name}"


def answers(write: Callable[[Asked], str] | str = "", read: int = 1000, wrote: int = 50) -> Behave:
    """Answers with a text, by default a bullet for each label, a few characters at a time."""

    def behave(wire: Wire) -> None:
        text = write(wire.asked) if callable(write) else write
        text = text or "\n".join(map(bullet, wire.asked.labels))
        wire.head()
        for at in range(0, len(text), 40):
            wire.piece(text[at : at + 40])
        wire.piece(finish="stop")
        wire.usage(read, wrote)
        wire.done()

    return behave


def fails(status: int, message: str = "not today", **headers: str) -> Behave:
    """Turns the request away."""

    def behave(wire: Wire) -> None:
        wire.head(status, "application/json", **headers)
        wire.raw(json.dumps({"error": {"message": message, "type": "x", "code": None}}))

    return behave


def stalls(after: str = "") -> Behave:
    """Sends the beginning of an answer, or nothing at all, and no more."""

    def behave(wire: Wire) -> None:
        if after:
            wire.head()
            wire.piece(after)
        wire.hang()

    return behave


def truncates(text: str) -> Behave:
    """Ends its answer for want of room."""

    def behave(wire: Wire) -> None:
        wire.head()
        wire.piece(text)
        wire.piece(finish="length")
        wire.usage(900, 30)
        wire.done()

    return behave


def breaks_off(text: str) -> Behave:
    """Closes the connection in the middle of its answer."""

    def behave(wire: Wire) -> None:
        wire.head()
        wire.piece(text)

    return behave


def sends(text: str, type: str = "text/event-stream", status: int = 200) -> Behave:
    """Sends exactly this."""

    def behave(wire: Wire) -> None:
        wire.head(status, type)
        wire.raw(text)

    return behave
