"""What a transcript tells of the model and of what the provider counted."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from prune_mcp.sessions.jsontext import loads
from prune_mcp.sessions.model import Conversation, Message
from prune_mcp.sessions.tail import Tail

# Lines of a Codex rollout that tell of tokens, models and windows; others need not be parsed.
_TELLING = (b'"token_count"', b'"turn_context"', b'"model_context_window"', b'"compacted"')
# Formats whose answers stand beside what the provider counted.
_COUNTING = frozenset({"claude-code", "gemini", "mini-swe-agent", "opencode", "pi"})
# Claude Code does not write down which of a model's two windows it fills. Where it compacted by itself with no
# more than this in the context, it was the small one.
_SMALL_WINDOW = 200_000
# Entries between the boundary of a compaction and its summary, at most.
_BETWEEN = 4
# What a client says in the model's name.
_SYNTHETIC = "<synthetic>"


class Response(NamedTuple):
    """What the provider counted at one response: the prompt, what of it came from the cache, and what the model
    said. `message`: the index of the message that is the response."""

    message: int
    prompt: int
    cached: int
    output: int


@dataclass(slots=True)
class Reported:
    """`first` and `last`: the oldest and the newest response of this context, None where the transcript tells of
    none. `window`: tokens, as the host says or shows, 0 for unknown."""

    model: str = ""
    window: int = 0
    first: Response | None = None
    last: Response | None = None


def reported(conversation: Conversation) -> Reported:
    """What the transcript tells of the context as it is now; what was counted before a compaction is not of it."""
    if conversation.format == "codex" and conversation.path:
        found, told = _of_rollout(conversation)
        if told:
            found.first, found.last = (_response(conversation, *one) for one in (told[0], told[-1]))
        return found
    found = Reported(model=_model(conversation))
    count = len(conversation.messages)
    found.first = next(_counted(conversation, range(count)), None)
    if found.first:
        found.last = next(_counted(conversation, range(count - 1, found.first.message, -1)), found.first)
    if _filled_up_small(conversation) and (found.last is None or found.last.prompt <= _SMALL_WINDOW):
        found.window = _SMALL_WINDOW
    return found


def responses(conversation: Conversation) -> list[Response]:
    """Every response of the context that the provider counted, in order."""
    if conversation.format == "codex" and conversation.path:
        return [_response(conversation, *one) for one in _of_rollout(conversation)[1]]
    return list(_counted(conversation, range(len(conversation.messages))))


def _counted(conversation: Conversation, indexes: Iterable[int]) -> Iterator[Response]:
    """The responses among the messages with these indexes that the provider counted after the last compaction."""
    if conversation.format not in _COUNTING:
        return
    since = _compacted(conversation)
    for index in indexes:
        message = conversation.messages[index]
        if message.role == "assistant" and message.blocks and message.blocks[-1].place.entry > since:
            for entry in _entries(message):
                usage = _usage(conversation, entry)
                if usage and usage[0]:
                    yield Response(index, *usage)
                    break


def _model(conversation: Conversation) -> str:
    """The model of the newest response that names one."""
    for message in reversed(conversation.messages):
        if message.role == "assistant":
            for entry in _entries(message):
                name = _named(conversation.format, conversation.raw(entry))
                if name and name != _SYNTHETIC:
                    return name
    return ""


def _entries(message: Message) -> list[int]:
    """The entries of a message, the newest first."""
    return list(dict.fromkeys(block.place.entry for block in reversed(message.blocks)))


def _compacted(conversation: Conversation) -> int:
    """The entry of the newest summary in the context, -1 for none: kept messages of before may stand behind it."""
    entries = (b.place.entry for message in conversation.messages if message.summary for b in message.blocks)
    return max(entries, default=-1)


def _filled_up_small(conversation: Conversation) -> bool:
    """Whether Claude Code compacted this context by itself when it held no more than the small window takes."""
    summary = _compacted(conversation)
    if conversation.format != "claude-code" or summary < 0:
        return False
    for entry in range(summary - 1, max(summary - 2 - _BETWEEN, -1), -1):
        raw = conversation.raw(entry)
        if _at(raw, "subtype") == "compact_boundary":
            held = _count(raw, "compactMetadata", "preTokens")
            return _at(raw, "compactMetadata", "trigger") == "auto" and 0 < held <= _SMALL_WINDOW
    return False


def _usage(conversation: Conversation, entry: int) -> tuple[int, int, int] | None:
    """Prompt, cached share of it, and output, as an entry of an answer tells them."""
    format, raw = conversation.format, conversation.raw(entry)
    if format == "claude-code":
        used = _at(raw, "message", "usage")
        cached = _count(used, "cache_read_input_tokens")
        fresh = _count(used, "input_tokens") + _count(used, "cache_creation_input_tokens")
        return fresh + cached, cached, _count(used, "output_tokens")
    if format == "pi":
        used = _at(raw, "message", "usage")
        cached = _count(used, "cacheRead")
        return _count(used, "input") + _count(used, "cacheWrite") + cached, cached, _count(used, "output")
    if format == "gemini":
        used = _at(raw, "tokens")
        return _count(used, "input"), _count(used, "cached"), _count(used, "output")
    if format == "opencode":
        _, _, step = conversation.entries[entry].id.partition("/")
        return _of_opencode(raw, int(step) if step.isdecimal() else 1)
    if format == "mini-swe-agent":
        return _of_api(_at(raw, "extra", "response", "usage"))
    return None


def _of_opencode(raw: Any, step: int) -> tuple[int, int, int]:
    """Of one step, each of which is a request of its own; some messages tell only of the newest."""
    parts = _at(raw, "parts")
    ends = [part for part in parts if _at(part, "type") == "step-finish"] if isinstance(parts, list) else []
    whole = _at(raw, "info", "tokens") or _at(raw, "tokens")
    used = _at(ends[min(step, len(ends)) - 1], "tokens") if ends else whole
    cached = _count(used, "cache", "read")
    prompt = _count(used, "input") + _count(used, "cache", "write") + cached
    return prompt, cached, _count(used, "output") + _count(used, "reasoning")


def _of_api(used: Any) -> tuple[int, int, int]:
    """As OpenAI's interfaces tell it, of which there are two."""
    prompt = _count(used, "prompt_tokens") or _count(used, "input_tokens")
    details = "prompt_tokens_details" if _count(used, "prompt_tokens") else "input_tokens_details"
    output = _count(used, "completion_tokens") or _count(used, "output_tokens")
    return prompt, _count(used, details, "cached_tokens"), output


def _named(format: str, raw: Any) -> str:
    """The model that an entry of an answer names."""
    if format == "mini-swe-agent":
        found = _at(raw, "extra", "response", "model")
    elif format == "opencode":
        found = _at(raw, "info", "modelID") or _at(raw, "model", "id")
    elif format == "chatgpt":
        found = _at(raw, "message", "metadata", "model_slug") or _at(raw, "metadata", "model_slug")
    else:
        found = _at(raw, "message", "model") or _at(raw, "model")
    return found if isinstance(found, str) else ""


def _of_rollout(conversation: Conversation) -> tuple[Reported, list[tuple[int, Any]]]:
    """What the lines of a Codex rollout tell that are no entries, and what was counted since the last compaction
    with where that is told."""
    found = Reported()
    told: list[tuple[int, Any]] = []
    for offset, line in _lines(conversation.path):
        payload = line.get("payload")
        kind = line.get("type")
        if kind == "compacted":
            told = []
        elif kind == "turn_context" and isinstance(name := _at(payload, "model"), str):
            found.model = name
        window = _count(payload, "info", "model_context_window") or _count(payload, "model_context_window")
        found.window = window or found.window
        if _at(payload, "type") == "token_count" and _count(payload, "info", "last_token_usage", "input_tokens"):
            told.append((offset, _at(payload, "info", "last_token_usage")))
    return found, told


def _response(conversation: Conversation, offset: int, used: Any) -> Response:
    index = len(conversation.messages) - 1
    while index >= 0 and not _said_before(conversation, index, offset):
        index -= 1
    prompt, output = _count(used, "input_tokens"), _count(used, "output_tokens")
    return Response(index, prompt, _count(used, "cached_input_tokens"), output)


def _said_before(conversation: Conversation, index: int, offset: int) -> bool:
    """Whether a message is of the model, and stands before a place of the file."""
    message = conversation.messages[index]
    if message.role != "assistant" or not message.blocks:
        return False
    return conversation.entries[message.blocks[0].place.entry].offset < offset


def _lines(path: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """The lines that tell, with where they stand; damaged ones are counted by who reads the conversation."""
    tail = Tail(Path(path))
    with tail.open() as file:
        for offset, line in tail.lines(file):
            if any(mark in line for mark in _TELLING):
                try:
                    value = loads(line)
                except ValueError:
                    continue
                if isinstance(value, dict):
                    yield offset, value


def _at(value: Any, *keys: str) -> Any:
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def _count(value: Any, *keys: str) -> int:
    """A count of tokens; what is none counts as none."""
    found = _at(value, *keys)
    return found if type(found) is int and found > 0 else 0
