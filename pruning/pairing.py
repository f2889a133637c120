"""Which result answers which call, by the rules of each wire format, and what is left over."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from prune_mcp.sessions.model import Block, Format, Message, Place

# Hosts that put queued prompts between a call and its result merge them when they send the request.
PROMPT_IS_NO_BARRIER: frozenset[Format] = frozenset({"claude-code", "codex", "openai-responses"})
# The Responses API pairs by id wherever the output stands later.
ASSISTANT_IS_NO_BARRIER: frozenset[Format] = frozenset({"codex", "openai-responses"})
# Exports of chats keep calls that nothing answers, several outputs of one call, and outputs nobody called for.
UNPAIRED: frozenset[Format] = frozenset({"claude.ai", "chatgpt"})


@dataclass(slots=True)
class Pairing:
    """`call_of`: the call's block by the place of its result, `result_of` the other way round (places only);
    `calls` and `results` are what has no partner.
    `waiting`: calls that may stay without a result, since theirs is still to come."""

    call_of: dict[Place, Block] = field(default_factory=dict)
    result_of: dict[Place, Place] = field(default_factory=dict)
    calls: list[tuple[int, Block]] = field(default_factory=list)
    results: list[tuple[int, Block]] = field(default_factory=list)
    waiting: set[Place] = field(default_factory=set)

    def wait(self, messages: Sequence[Message]) -> None:
        """Let calls of the newest turn wait for their results, as long as nothing but results came after it."""
        newest = len(messages) - 1
        while newest >= 0 and messages[newest].role != "assistant" and not messages[newest].prompt:
            newest -= 1
        self.waiting.update(block.place for index, block in self.calls if index == newest)
        self.calls = [item for item in self.calls if item[1].place not in self.waiting]


def pair(messages: Sequence[Message], format: Format, skip: frozenset[int] | set[int] = frozenset()) -> Pairing:
    """Pair calls with results over `messages`, leaving out the indexes in `skip`.

    A call id used twice in one message counts once; a second result of one call is left over. Messages of role
    `system` are transparent: providers hold them until the results are out.
    """
    pairing = Pairing()
    open_calls: dict[str, tuple[int, Block]] = {}
    for index, message in enumerate(messages):
        if index in skip or message.role == "system":
            continue
        if message.role == "assistant":
            if format not in ASSISTANT_IS_NO_BARRIER:
                _close(open_calls, pairing)
            _open(index, message, open_calls, pairing)
        else:
            _answer(index, message, open_calls, pairing)
            if not _still_open(message, format):
                _close(open_calls, pairing)
    _close(open_calls, pairing)
    if format in UNPAIRED:
        _leave_nothing_over(messages, pairing)
    return pairing


def _open(index: int, message: Message, open_calls: dict[str, tuple[int, Block]], pairing: Pairing) -> None:
    for block in message.blocks:
        if block.kind != "call":
            continue
        before = open_calls.get(block.call_id)
        if before is not None and before[0] == index:
            pairing.calls.append((index, block))
            continue
        if before is not None:
            # A later call under the same id takes the answers; the earlier one never got its own.
            pairing.calls.append(before)
        open_calls[block.call_id] = (index, block)


def _answer(index: int, message: Message, open_calls: dict[str, tuple[int, Block]], pairing: Pairing) -> None:
    for block in message.blocks:
        if block.kind != "result":
            continue
        call = open_calls.pop(block.call_id, None)
        if call is None:
            pairing.results.append((index, block))
        else:
            pairing.call_of[block.place] = call[1]
            pairing.result_of[call[1].place] = block.place


def _still_open(message: Message, format: Format) -> bool:
    if format == "anthropic":
        return False
    return format in PROMPT_IS_NO_BARRIER or any(block.kind == "result" for block in message.blocks)


def _close(open_calls: dict[str, tuple[int, Block]], pairing: Pairing) -> None:
    pairing.calls.extend(open_calls.values())
    open_calls.clear()


def _leave_nothing_over(messages: Sequence[Message], pairing: Pairing) -> None:
    """Give every further output to its call, and let whatever has no partner stand as it is."""
    calls = {block.call_id: block for message in messages for block in message.calls}
    for _, result in pairing.results:
        if result.call_id in calls:
            pairing.call_of[result.place] = calls[result.call_id]
    pairing.calls.clear()
    pairing.results.clear()
