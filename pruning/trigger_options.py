"""What the settings say about when a caller on the host's side should prune."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class TriggerOptions:
    """`auto_budget_threshold`: share of the model's window from which to prune. `budget_turn_delta`: share by
    which the context must have grown since the turn before. `frontier_gap_threshold_tokens`: tokens of outputs
    that no prune has decided on. Shares count in (0, 1], tokens from 1; anything else switches the trigger off.

    `prune_on`: whether the end of an exchange is a reason by itself. `remind_unpruned_count`: whether the model is
    reminded of outputs that can be pruned.
    """

    auto_budget_threshold: float = 0.735
    budget_turn_delta: float = 0.04
    frontier_gap_threshold_tokens: int = 0
    prune_on: Literal["agent-message", "on-demand"] = "agent-message"
    remind_unpruned_count: bool = True
