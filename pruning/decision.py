"""What a flush decides, and why."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from prune_mcp.sessions.model import Block
from prune_mcp.sessions.tokens import text_tokens, tokens
from prune_mcp.storage.records import Diagnostic, Output, OutputState


@dataclass(slots=True)
class Candidate:
    """A result that a flush may decide on: its message index, block, archived output, and exchange number."""

    index: int
    block: Block
    output: Output
    exchange: int

    def worth(self, stub: str) -> bool:
        """Whether the stub is smaller, in tokens, than the output."""
        return text_tokens(stub) < tokens(self.output.size, self.output.images)


@dataclass(slots=True)
class Decision:
    """The outcome of flush `number`: outputs with their new state and stub, the frontier, each step's reasons.

    `outcomes`: one dict per reason, with `step`, `reason`, `outputs` (count) and `chars`, and more numbers.
    """

    number: int
    frontier: int = 0
    outputs: list[Output] = field(default_factory=list)
    outcomes: list[dict[str, Any]] = field(default_factory=list)
    diagnostics: list[Diagnostic] = field(default_factory=list)

    def replace(self, candidate: Candidate, state: OutputState, stub: str, other: int = 0) -> None:
        """Decide that `stub` stands for the candidate's output from now on."""
        decided = replace(candidate.output, state=state, stub=stub, flush=self.number, other=other)
        self.outputs.append(decided)

    def tell(self, step: str, reason: str, candidates: list[Candidate], **numbers: Any) -> None:
        """Record why a step did what it did to these candidates."""
        if candidates:
            chars = sum(candidate.output.chars for candidate in candidates)
            outcome = {"step": step, "reason": reason, "outputs": len(candidates), "chars": chars, **numbers}
            self.outcomes.append(outcome)
