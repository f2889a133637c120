"""Message arrays and whole request bodies, as a caller passes them in, on the conversation model."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from prune_mcp.sessions.identity import digest
from prune_mcp.sessions.messages.assembly import assemble
from prune_mcp.sessions.messages.recognition import FORMATS, recognise
from prune_mcp.sessions.messages.wire import Wire
from prune_mcp.sessions.model import Block, Conversation, SessionError
from prune_mcp.sessions.view import View


def open_messages(payload: object, format: str | None = None, session: str | None = None) -> MessageConversation:
    """Read a message array, or a request body that holds one.

    Without `format` it is recognised by content. Plain text that fits several formats is read as OpenAI Chat
    where a system or developer message stands in it, else as Anthropic; both write such messages back equal.
    Without `session` the session is a hash of the first user message, the same before and after pruning.

    Raises:
        SessionError: no messages, an unknown format, or a format that cannot be told.
    """
    if format is not None and format not in FORMATS:
        raise SessionError(f"Unknown message format {format!r}; name one of: {', '.join(FORMATS)}.")
    if not isinstance(payload, list | dict):
        raise SessionError(
            f"Messages must be an array or a request body, not {type(payload).__name__};"
            " pass the array itself, or the object that holds it under `messages` or `input`."
        )
    return MessageConversation(payload, _wire(format or recognise(payload)), session)


class MessageConversation(Conversation):
    """Messages passed in: each entry is one element of the array, and is never changed."""

    def __init__(self, payload: list[Any] | dict[str, Any], wire: Wire, session: str | None = None) -> None:
        self._payload = payload
        self._wire = wire
        self._key = _key(payload, wire) if isinstance(payload, dict) else ""
        self._assembly = assemble(wire, _raw_entries(payload, self._key))
        self.format = wire.format
        self.entries = self._assembly.entries
        self.messages = self._assembly.messages
        self.skipped = self._assembly.skipped
        self.session = session or f"m-{digest(self._assembly.session_words or self._pictures())}"
        self._results = [block for message in self.messages for block in message.results]

    def archive(self, since: int = 0) -> list[Block]:
        """Every tool result of the array in order, from the `since`-th on."""
        return self._results[since:]

    def raw(self, entry: int) -> Any:
        """The element itself; a string input of Responses stands as the user message that it is."""
        return self._assembly.raw[entry]

    def text(self, block: Block) -> str:
        """The block's visible text; arguments that were passed in as a string stand as they were."""
        return self._wire.text(block.kind, self._value(block))

    def arguments(self, block: Block) -> Any:
        """The arguments of a call as a JSON value; a string where it is no JSON."""
        return self._wire.arguments(self._value(block))

    def images(self, block: Block) -> list[tuple[str, str]]:
        """The images of a block as (media type, base64 data); those behind a URL stand in its text."""
        return self._wire.images(block.kind, self._value(block)) if block.images else []

    def render(self, view: View) -> Iterator[Any]:
        """The entries with the view's edits; entries without any are the very same objects."""
        return self._wire.render(self._assembly, view)

    def rebuild(self, entries: Iterable[Any]) -> list[Any] | dict[str, Any]:
        """Rendered entries in the shape of the payload: an array, or the body with only these replaced."""
        array = list(entries)
        if isinstance(self._payload, list):
            return array
        if isinstance(self._payload[self._key], str) and _same(array, self._assembly.raw):
            return dict(self._payload)
        return {**self._payload, self._key: array}

    def _pictures(self) -> list[str]:
        """The images of the first prompt that has any: what tells conversations without a written prompt apart."""
        prompts = (message for message in self.messages if message.prompt)
        found = ([data for block in prompt.blocks for _, data in self.images(block)] for prompt in prompts)
        return next(filter(None, found), [])

    def _value(self, block: Block) -> Any:
        return self._wire.piece(self._assembly.raw[block.place.entry], block.place.at)


def _same(array: list[Any], raw: Any) -> bool:
    return len(array) == len(raw) and all(a is b for a, b in zip(array, raw, strict=True))


def _raw_entries(payload: list[Any] | dict[str, Any], key: str) -> list[Any]:
    entries = payload[key] if isinstance(payload, dict) else payload
    return [{"role": "user", "content": entries}] if isinstance(entries, str) else entries


def _key(body: Mapping[str, Any], wire: Wire) -> str:
    """Where the body has its entries: in the format's own place, or else in the other formats'."""
    if wire.key == "input" and isinstance(body.get("input"), str):
        return "input"
    for key in (wire.key, "messages", "input"):
        if isinstance(body.get(key), list):
            return key
    keys = ", ".join(map(repr, body)) or "none"
    raise SessionError(
        f"The request body holds no array under `{wire.key}`, where {wire.format} has its messages;"
        f" keys seen: {keys}."
    )


def _wire(format: str) -> Wire:
    if format == "anthropic":
        from prune_mcp.sessions.messages.anthropic import Anthropic

        return Anthropic()
    if format == "openai-chat":
        from prune_mcp.sessions.messages.openai_chat import Chat

        return Chat()
    from prune_mcp.sessions.messages.openai_responses import Responses

    return Responses()
