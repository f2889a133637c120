"""Answers too large for one event: as a JSON body where there is still a choice, else leaner, else an error."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

# The SDK's client for Python gives up a stream at a larger event, and over SSE the connection with it.
MOST_EVENT_BYTES = 1 << 20
EVENTS, JSON = b"text/event-stream", b"application/json"
DATA = b"data: "
# JSON-RPC: the server cannot answer as it is.
INTERNAL_ERROR = -32603


class Events:
    """Lets no event above `most` bytes out of an application.

    An answer that is the first to come of a POST goes as JSON. One that must be an event comes without the copies
    in text of what its structure holds. Where that is still too much, an error says how to get it.
    """

    def __init__(self, app: ASGIApp, most: int = MOST_EVENT_BYTES) -> None:
        self._app = app
        self._most = most

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer the request."""
        held: Message | None = None

        async def fitting(message: Message) -> None:
            nonlocal held
            if message["type"] == "http.response.start" and _type(message).startswith(EVENTS):
                events.begin()
                # A stream that is only listened to has no answer to wait for.
                if scope["method"] == "POST":
                    held = message
                    return
            elif events.begun and message["type"] == "http.response.body":
                start, held = held, None
                message, as_json = events.fit(message, can_be_json=start is not None)
                if start is not None:
                    await send(_typed(start, JSON) if as_json else start)
            await send(message)

        events = _Fitting(self._most)
        await self._app(scope, receive, fitting)
        if held is not None:
            await send(held)


class _Fitting:
    """One answer's events."""

    def __init__(self, most: int) -> None:
        self.begun = False
        self._most = most

    def begin(self) -> None:
        """From now on bodies are events."""
        self.begun = True

    def fit(self, message: Message, can_be_json: bool) -> tuple[Message, bool]:
        """The message with an event that fits, and whether it is a JSON body instead."""
        event: bytes = message.get("body", b"")
        if len(event) <= self._most:
            return message, False
        head, _, rest = event.partition(DATA)
        data = rest.rstrip()
        if can_be_json:
            self.begun = False
            return {**message, "body": data}, True
        answer = json.loads(data)
        for smaller in (_lean, _refused):
            smaller(answer, self._most)
            event = (
                head + DATA + json.dumps(answer, ensure_ascii=False, separators=(",", ":")).encode() + b"\r\n\r\n"
            )
            if len(event) <= self._most:
                break
        return {**message, "body": event}, False


def _lean(answer: dict[str, Any], most: int) -> None:
    """Leave out the texts behind the first one, which say what the structure says."""
    result = answer.get("result", {})
    if "structuredContent" in result and len(result.get("content", ())) > 1:
        told = f"Left out here, since clients read at most {most:,} bytes at once: it is in structuredContent."
        result["content"] = [result["content"][0], {"type": "text", "text": told}]


def _refused(answer: dict[str, Any], most: int) -> None:
    """An error in the answer's place."""
    answer.pop("result", None)
    answer["error"] = {
        "code": INTERNAL_ERROR,
        "message": (
            f"The answer is larger than the {most:,} bytes that clients read in one event. Ask again at /mcp, "
            "without progress: there it comes as one JSON body. Or use stdio. What was decided is kept."
        ),
    }


def _type(start: Message) -> bytes:
    return next((value for name, value in start["headers"] if name.lower() == b"content-type"), b"")


def _typed(start: Message, type: bytes) -> Message:
    """The beginning of an answer of another type."""
    others = [pair for pair in start["headers"] if pair[0].lower() != b"content-type"]
    return {**start, "headers": [*others, (b"content-type", type)]}
