"""What a model was asked comes to: tokens, as the provider counts them or else estimated, and their price."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from prune_mcp.engine.summaries.options import ModelOptions
from prune_mcp.sessions.tokens import text_tokens
from prune_mcp.storage.protocol import Store
from prune_mcp.storage.records import ModelUsage

MILLION = 1_000_000
# Usage of the model that an MCP client asks on our behalf: the client does not tell what it costs.
CLIENT = "client"


@dataclass(slots=True)
class Counted:
    """One request as far as it got: `text` is what came of the answer, `began` whether any of it did."""

    prompt: str
    text: str = ""
    began: bool = False
    input_tokens: int | None = None
    output_tokens: int | None = None

    def take(self, usage: Any) -> None:
        """Take in a piece of the answer, with what the provider counted so far, if it tells."""
        self.began = True
        if usage is not None:
            self.input_tokens = _whole(getattr(usage, "prompt_tokens", None))
            self.output_tokens = _whole(getattr(usage, "completion_tokens", None))


def usage_of(options: ModelOptions, counted: Counted) -> ModelUsage:
    """One request as usage. What the provider did not count of an answer that began is estimated; one that was
    turned away cost nothing."""
    read, wrote = counted.input_tokens or 0, counted.output_tokens or 0
    if counted.began and counted.input_tokens is None:
        read = text_tokens(counted.prompt)
    if counted.began and counted.output_tokens is None:
        wrote = text_tokens(counted.text)
    cost = (read * options.input_price + wrote * options.output_price) / MILLION
    return ModelUsage(options.model, 1, read, wrote, cost)


def together(usages: list[ModelUsage]) -> list[ModelUsage]:
    """Usages with those of one model added up."""
    sums: dict[str, ModelUsage] = {}
    for usage in usages:
        known = sums.get(usage.model, ModelUsage(usage.model, 0))
        sums[usage.model] = replace(
            known,
            calls=known.calls + usage.calls,
            input_tokens=known.input_tokens + usage.input_tokens,
            output_tokens=known.output_tokens + usage.output_tokens,
            cost=known.cost + usage.cost,
        )
    return list(sums.values())


def told(usage: ModelUsage) -> dict[str, object]:
    """What a model was asked, as an outcome of the prune."""
    outcome: dict[str, object] = {"step": "summary", "reason": f"asked {usage.model}", "requests": usage.calls}
    if usage.input_tokens or usage.output_tokens:
        outcome |= {"input_tokens": usage.input_tokens, "output_tokens": usage.output_tokens}
    return outcome | ({"cost_usd": round(usage.cost, 6)} if usage.cost else {})


def charge(store: Store, session: str, usages: list[ModelUsage]) -> None:
    """Charge usages to a session, in one transaction.

    Raises:
        StoreError: the store cannot be written.
    """
    if usages:
        with store.write() as writer:
            for usage in together(usages):
                writer.charge_model(session, usage)


def _whole(number: Any) -> int | None:
    """A count as the provider gives it, if it is one."""
    return number if isinstance(number, int) and number >= 0 else None
