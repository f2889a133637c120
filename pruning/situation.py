"""The situation that a prune decides over: a conversation, its archived outputs, and how they belong together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from prune_mcp.pruning.exchanges import Exchange, answer_ages, exchanges, prompt_ages, turn_ages
from prune_mcp.pruning.options import PruneOptions
from prune_mcp.pruning.pairing import Pairing
from prune_mcp.pruning.protect import protection
from prune_mcp.sessions.model import Block, Conversation, Place
from prune_mcp.storage.records import ChainBlock, Output

RECOVERY_TOOL = "context_tree_query"


@dataclass(slots=True)
class Situation:
    """What is known before deciding; nothing in it is changed by a decision.

    `outputs`: the archived output of each result block in the model's context. `ours`: our own inserted texts
    by place, as block numbers; `ours_only` are the messages that hold nothing else. `known_protected`: why
    results are protected, as far as that was asked; a caller may keep it for the same conversation.
    """

    conversation: Conversation
    options: PruneOptions
    outputs: Mapping[Place, Output]
    blocks: Sequence[ChainBlock]
    frontier: int
    pairing: Pairing
    exchanges: list[Exchange]
    ages: list[int]
    answers: list[int]
    prompts: list[int]
    ours: dict[Place, int] = field(default_factory=dict)
    ours_only: set[int] = field(default_factory=set)
    known_protected: dict[Place, str | None] = field(default_factory=dict)

    def results(self) -> Iterator[tuple[int, Block, Output]]:
        """Every answered result in the context, in order: message index, block, archived output."""
        call_of = self.pairing.call_of
        for index, message in enumerate(self.conversation.messages):
            for block in message.blocks:
                if block.kind == "result" and block.place in call_of:
                    yield index, block, self.outputs[block.place]

    def arguments(self, result: Block) -> Any:
        """The arguments of the call that a result answers."""
        return self.conversation.arguments(self.pairing.call_of[result.place])

    def protected(self, result: Block) -> str | None:
        """Why this result is protected, or None."""
        place = result.place
        if place not in self.known_protected:
            call = self.pairing.call_of.get(place)
            self.known_protected[place] = (
                protection(call.tool, self._path_arguments(call), self.options, self.conversation.cwd)
                if call is not None
                else None
            )
        return self.known_protected[place]

    def _path_arguments(self, call: Block) -> Any:
        return self.conversation.arguments(call) if self.options.protected_paths else None

    def shows_stub(self, result: Block, output: Output) -> bool:
        """Whether what came in is the output's stub itself."""
        return result.chars == len(output.stub) and self.conversation.text(result) == output.stub

    def in_grace(self, index: int, result: Block) -> bool:
        """Whether a result is recovered output that must stay whole for now."""
        grace = self.options.recovery_grace_turns
        call = self.pairing.call_of.get(result.place)
        return bool(
            grace and call is not None and call.tool.endswith(RECOVERY_TOOL) and self.prompts[index] <= grace
        )


def survey(
    conversation: Conversation,
    outputs: Mapping[Place, Output],
    blocks: Sequence[ChainBlock],
    frontier: int,
    options: PruneOptions,
    pairing: Pairing,
    known_protected: dict[Place, str | None] | None = None,
) -> Situation:
    """Work out how the messages belong together."""
    messages = conversation.messages
    ours = standing(conversation, blocks)
    ours_only = {
        index
        for index, message in enumerate(messages)
        if message.role == "user" and message.blocks and all(block.place in ours for block in message.blocks)
    }
    return Situation(
        conversation=conversation,
        options=options,
        outputs=outputs,
        blocks=blocks,
        frontier=frontier,
        pairing=pairing,
        exchanges=exchanges(messages, ours_only),
        ages=turn_ages(messages),
        answers=answer_ages(messages),
        prompts=prompt_ages(messages, ours_only),
        ours=ours,
        ours_only=ours_only,
        known_protected={} if known_protected is None else known_protected,
    )


def standing(conversation: Conversation, blocks: Sequence[ChainBlock]) -> dict[Place, int]:
    """Our own texts among the messages: equal, byte for byte, to what this session's store rendered."""
    if not blocks:
        return {}
    numbers = {block.text: block.number for block in blocks}
    sizes = {len(block.text) for block in blocks}
    found: dict[Place, int] = {}
    for message in conversation.messages:
        if message.role != "user":
            continue
        for block in message.blocks:
            if block.kind == "text" and block.chars in sizes:
                number = numbers.get(conversation.text(block))
                if number is not None:
                    found[block.place] = number
    return found
