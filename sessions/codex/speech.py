"""What the lines of a Codex rollout say, as passages."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from prune_mcp.sessions.codex import prompts as codex_prompts
from prune_mcp.sessions.codex.events import is_beside, items_of_event
from prune_mcp.sessions.codex.fragments import replacement
from prune_mcp.sessions.codex.items import OPAQUE, Said
from prune_mcp.sessions.codex.lines import line_of, type_of
from prune_mcp.sessions.codex.status import printed
from prune_mcp.sessions.fragment import Fragment
from prune_mcp.sessions.messages.wire import string
from prune_mcp.sessions.model import Block, Entry
from prune_mcp.sessions.passage import Passage, Speaker
from prune_mcp.sessions.readable import part_words, readable, strings_in, words_of
from prune_mcp.sessions.speech import Speech, aside_id, beside
from prune_mcp.sessions.times import seconds

# Calls that the provider answers itself, by what they are called here.
HOSTED = {"web_search_call": "web_search", "tool_search_call": "tool_search"}
# The tools that a session has are no more its words than its instructions are.
UNSAID = OPAQUE | {"additional_tools", "encrypted_content"}
SPEAKERS: dict[str, Speaker] = {"user": "user", "assistant": "assistant"}
Told = Callable[[list[Passage]], list[Passage]]


class CodexSpeech(Speech):
    """`told` takes out what a fork only repeats."""

    def __init__(
        self, text: Callable[[Block, Any], str], arguments: Callable[[Block, Any], Any], told: Told
    ) -> None:
        super().__init__(text, arguments)
        self._told = told

    def passages(self, entry: Entry, fragment: Fragment, raw: dict[str, Any], content: Any) -> Iterator[Passage]:
        """See `Speech.passages`."""
        if fragment.barrier:
            yield Passage(entry.id, -1, "summary", _summary(raw["payload"]))
            return
        agents = _is_agents(raw) and not fragment.prompt
        for block in fragment.blocks:
            for passage in self._said(entry.id, fragment, block, content):
                passage.role = "machine" if agents and passage.role == "user" else passage.role
                yield passage

    def aside(self, offset: int, raw: dict[str, Any]) -> Iterator[Passage]:
        """See `Speech.aside`: of the lines that are told so, some say what the session is called."""
        id, payload = aside_id(offset), raw["payload"]
        yield Passage(id, -1, "title", string(payload.get("thread_name")))
        if is_beside(payload):
            time = seconds(raw.get("timestamp"))
            for at, item in enumerate(items_of_event(payload)):
                speaker = SPEAKERS.get(item["role"], "machine")
                yield Passage(id, at, speaker, words_of(item["content"]), time=time)

    def opens(self, fragment: Fragment, raw: dict[str, Any]) -> bool:
        """See `Speech.opens`: an event without a twin is told late."""
        return raw.get("type") != "event_msg"

    def admit(self, raw: dict[str, Any], passages: list[Passage]) -> list[Passage]:
        """See `Speech.admit`."""
        return self._told(super().admit(raw, passages))

    def _said(self, id: str, fragment: Fragment, block: Block, content: list[Said]) -> Iterator[Passage]:
        at = block.place.at
        value = content[at].value
        if block.kind == "call":
            yield Passage(id, at, "call", readable(self.arguments(block, content)) or block.tool, block.tool)
        elif block.kind == "result":
            yield Passage(id, at, "result", printed(_output(value)), block.tool, error=block.error)
        elif block.kind == "text":
            yield from _text(id, fragment, at, self.text(block, content))
        elif block.kind == "thinking":
            yield Passage(id, at, "thinking", self.text(block, content))
        elif type(value) is dict:
            yield from _hosted(id, at, value)


def _is_agents(raw: dict[str, Any]) -> bool:
    """Whether another agent speaks in a line."""
    line = line_of(raw)
    if line is None:
        return False
    return line.kind == "inter_agent_communication" or type_of(line.payload) == "agent_message"


def _summary(payload: dict[str, Any]) -> str:
    """What a compaction was summed up to."""
    if message := string(payload.get("message")):
        return message
    texts = (words_of(item.get("content")) for item in replacement(payload) if item.get("role") == "user")
    return next(filter(codex_prompts.is_summary, texts), "")


def _output(value: Any) -> str:
    output = value.get("output")
    return words_of(output.get("content") if type(output) is dict and "content" in output else output)


def _text(id: str, fragment: Fragment, at: int, text: str) -> Iterator[Passage]:
    if fragment.role == "assistant":
        yield Passage(id, at, "assistant", text)
    elif fragment.role == "system":
        # Of the events only failures speak as the host.
        yield Passage(id, at, "machine", text, error=fragment.hidden)
    elif own := codex_prompts.own_words(text):
        yield Passage(id, at, "user", own)
        yield Passage(id, beside(at), "machine", text[: codex_prompts.own_start(text)])
    else:
        yield Passage(id, at, "machine", text)


def _hosted(id: str, at: int, item: dict[str, Any]) -> Iterator[Passage]:
    """What an item says that is neither a message nor a call with an output of its own."""
    kind = type_of(item)
    if tool := HOSTED.get(kind):
        asked = item.get("action", item.get("arguments"))
        yield Passage(id, at, "call", "\n".join(strings_in(asked)) or tool, tool)
    elif kind == "image_generation_call":
        yield Passage(id, at, "call", string(item.get("revised_prompt")), "image_generation")
    elif kind == "tool_search_output":
        yield Passage(id, at, "result", "\n".join(strings_in(item.get("tools"))), "tool_search")
    elif kind not in UNSAID:
        yield Passage(id, at, "machine", part_words(item))
