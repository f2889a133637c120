"""What the settings say about telling what fills a context."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class UsageOptions:
    """`context_window`: the window of every model in tokens, 0 for what is known of each. `model_windows`
    (`MODEL=TOKENS`) and `model_prices` (`MODEL=UNCACHED/CACHED/WRITTEN`, US dollars for a million tokens): what
    is to be known of a model, or of all whose names begin so."""

    context_window: int = 0
    model_windows: tuple[str, ...] = ()
    model_prices: tuple[str, ...] = ()
