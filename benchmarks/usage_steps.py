"""Steps of a session from one counted response to the next: what the provider's count grew by, and what came in.

A step of which the transcript does not hold all is told apart: there the count grew by more than three times what
came in, or it shrank, since the host took something out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from pathlib import Path

from prune_mcp.engine.usage.model import CALL_TOKENS
from prune_mcp.engine.usage.reported import Response, reported, responses
from prune_mcp.engine.usage.windows import is_claude, keeps_thinking, plain_name
from prune_mcp.sessions.model import Conversation, Message
from prune_mcp.sessions.tokens import tokens

# A step that grew by so many tokens, and so many times the estimate, beyond it holds what no transcript does.
UNLISTED_TOKENS, UNLISTED_TIMES = 500, 3
# Tokens of a step below which an error says little.
LEAST_STEP = 100


@dataclass(frozen=True, slots=True)
class Step:
    """What the count grew by, and what came in: bytes of text, calls, and all as the product estimates it.

    `flat`: something came in that is not estimated by its bytes.
    """

    counted: int
    size: int
    calls: int
    estimate: int
    flat: bool

    @property
    def held(self) -> bool:
        """Whether the transcript holds what the count grew by, as far as can be seen."""
        return 0 < self.counted <= UNLISTED_TIMES * self.estimate + UNLISTED_TOKENS and self.estimate > 0


@dataclass(slots=True)
class Session:
    """One session: whose model it is of, what its first response counted beside the messages, its steps, and the
    newest count with the estimate of the messages before it."""

    name: str
    format: str
    family: str
    beside: int
    steps: list[Step]
    newest: int
    estimate: int

    @property
    def held(self) -> list[Step]:
        """The steps of which the transcript holds all."""
        return [step for step in self.steps if step.held]

    @property
    def unlisted(self) -> int:
        """The tokens that came in later and are not in the transcript, as far as can be seen."""
        return sum(max(0, step.counted - step.estimate) for step in self.steps if not step.held)


def session(path: Path, conversation: Conversation) -> Session | None:
    """A session's steps; None where the transcript tells of no counts."""
    counted = responses(conversation)
    if not counted:
        return None
    model = reported(conversation).model
    estimates = _estimates(conversation, model, counted)
    first, last = counted[0], counted[-1]
    steps = [
        _step(conversation, pair, end - begin)
        for pair, (begin, end) in zip(pairwise(counted), pairwise(estimates), strict=True)
    ]
    family = (
        "Claude" if is_claude(model) else plain_name(model).partition("-")[0].upper().replace("GEMINI", "Gemini")
    )
    return Session(
        path.name, conversation.format, family, first.prompt - estimates[0], steps, last.prompt, estimates[-1]
    )


def _estimates(conversation: Conversation, model: str, counted: Sequence[Response]) -> list[int]:
    """What the product estimates of the messages before each response, less thinking that is not sent again."""
    marks = CALL_TOKENS if is_claude(model) else 0
    before = [0, *accumulate(_weight(message, marks) for message in conversation.messages)]
    thought = [0, *accumulate(_thinking(message) for message in conversation.messages)]
    prompts = (number if message.prompt else 0 for number, message in enumerate(conversation.messages))
    starts = [0, *accumulate(prompts, max)]
    forgets = not keeps_thinking(model)
    return [before[one.message] - (thought[starts[one.message]] if forgets else 0) for one in counted]


def _weight(message: Message, marks: int) -> int:
    return sum(tokens(block.size, block.images) + marks * (block.kind == "call") for block in message.blocks)


def _thinking(message: Message) -> int:
    return sum(tokens(block.size) for block in message.blocks if block.kind == "thinking")


def _step(conversation: Conversation, pair: tuple[Response, Response], estimate: int) -> Step:
    begin, end = pair
    blocks = [b for message in conversation.messages[begin.message : end.message] for b in message.blocks]
    return Step(
        end.prompt - begin.prompt,
        sum(block.size for block in blocks),
        sum(block.kind == "call" for block in blocks),
        estimate,
        any(block.images or block.kind in ("other", "thinking") for block in blocks),
    )


def fitted(steps: Sequence[Step]) -> tuple[float, float]:
    """Bytes for a token and tokens for a call that come closest to these steps, by the least absolute error in
    percent, which steps of which more is not held cannot pull far."""
    kept = [step for step in steps if not step.flat]
    per_byte, per_call = 0.25, 0.0
    for _ in range(60):
        weights = [_closeness(step, per_byte, per_call) for step in kept]
        per_byte, per_call = _least_squares(kept, weights)
    return 1 / per_byte, per_call


def _closeness(step: Step, per_byte: float, per_call: float) -> float:
    return 1 / (step.counted * max(2.0, abs(step.counted - step.size * per_byte - step.calls * per_call)))


def _least_squares(steps: Sequence[Step], weights: Sequence[float]) -> tuple[float, float]:
    """Tokens for a byte and for a call; where nothing was called, for a byte alone."""
    pairs = list(zip(steps, weights, strict=True))
    bytes_twice = sum(w * s.size * s.size for s, w in pairs)
    both = sum(w * s.size * s.calls for s, w in pairs)
    calls_twice = sum(w * s.calls * s.calls for s, w in pairs)
    bytes_seen = sum(w * s.size * s.counted for s, w in pairs)
    calls_seen = sum(w * s.calls * s.counted for s, w in pairs)
    whole = bytes_twice * calls_twice - both * both
    if not whole:
        return bytes_seen / bytes_twice, 0.0
    return (bytes_seen * calls_twice - calls_seen * both) / whole, (
        calls_seen * bytes_twice - bytes_seen * both
    ) / whole
