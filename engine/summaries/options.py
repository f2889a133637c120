"""What can be set about model summaries, with the defaults."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Literal

Thinking = Literal["default", "off", "minimal", "low", "medium", "high", "xhigh", "max"]

OPENAI = "https://api.openai.com/v1"
OPENAI_KEY = "OPENAI_API_KEY"


@dataclass(frozen=True, slots=True)
class ModelOptions:
    """One model behind an OpenAI-compatible endpoint.

    `key_variable`: the environment variable that holds the key; the key itself is no setting. `thinking`: how much
    the model reasons (`default` sends nothing of it). Prices in US dollars for a million tokens.
    """

    base_url: str = ""
    model: str = ""
    key_variable: str = ""
    thinking: Thinking = "default"
    input_price: float = 0.0
    output_price: float = 0.0


@dataclass(frozen=True, slots=True)
class SummaryOptions:
    """All settings of model summaries.

    `fallback`: the model to ask while `endpoint` does not answer; what it leaves empty is as in `endpoint`.
    `idle_timeout_ms` runs between two signs of life of an answer, `max_timeout_ms` over the whole of it (0: no
    such limit). `cooldown_ms`: how long the fallback is asked before the endpoint is tried again. `retries`: how
    often a request is sent again that was turned away for now. `parallel`: questions at once (1: one by one).
    `input_chars`: characters of outputs and arguments in one question. `fuse_range_summary`: whether several
    summaries of one compressed span are made one.
    """

    endpoint: ModelOptions = field(default_factory=ModelOptions)
    fallback: ModelOptions = field(default_factory=ModelOptions)
    idle_timeout_ms: int = 20_000
    max_timeout_ms: int = 180_000
    cooldown_ms: int = 600_000
    retries: int = 1
    parallel: int = 4
    input_chars: int = 48_000
    fuse_range_summary: bool = True

    @property
    def primary(self) -> ModelOptions:
        """The model to ask, with every default filled in."""
        return replace(
            self.endpoint,
            base_url=self.endpoint.base_url or OPENAI,
            key_variable=self.endpoint.key_variable or OPENAI_KEY,
        )

    @property
    def second(self) -> ModelOptions | None:
        """The fallback, if there is one that is not the primary model itself."""
        if not self.fallback.model and not self.fallback.base_url:
            return None
        first = self.primary
        filled = replace(
            self.fallback,
            base_url=self.fallback.base_url or first.base_url,
            model=self.fallback.model or first.model,
            key_variable=self.fallback.key_variable or first.key_variable,
        )
        return None if (filled.base_url, filled.model) == (first.base_url, first.model) else filled
