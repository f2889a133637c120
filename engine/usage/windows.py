"""What is known of models: how much context each takes, and what an input token costs, cached and not.

Windows and list prices as their makers published them in November 2026, the first tier where there are several.
Settings override both.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite
from typing import Literal

from prune_mcp.engine.usage.options import UsageOptions

WindowSource = Literal["settings", "transcript", "table", ""]

# How entries of the settings are written.
FORMS = {"model_windows": "MODEL=TOKENS", "model_prices": "MODEL=UNCACHED/CACHED/WRITTEN"}
# What comes behind the name of a model that is another one; a date or a word such as `preview` is none.
_OTHER_VERSION = re.compile(r"[0-9a-z.]|-\d{1,2}(?!\d)|-(?:fast|lite|mini|nano|pro)(?![a-z])")
# Models whose provider takes the thinking of earlier exchanges out of what they are sent.
_FORGETTING = dict.fromkeys(
    (
        "claude-3-7-sonnet",
        "claude-haiku-4-5",
        "claude-opus-4",
        "claude-opus-4-1",
        "claude-sonnet-4",
        "claude-sonnet-4-5",
    )
)
# How a host marks that it takes the large window of a model that has two.
_LONG = "[1m]"


@dataclass(frozen=True, slots=True)
class Prices:
    """US dollars for a million input tokens: sent anew, read from the cache, and written into it."""

    uncached: float
    cached: float
    written: float


@dataclass(frozen=True, slots=True)
class Model:
    """A model's window in tokens (0: unknown) and its prices (None: unknown)."""

    window: int = 0
    prices: Prices | None = None


@dataclass(slots=True)
class Models:
    """The models as the settings have them; `wrong` holds, for each entry that does not count, its key and what is
    wrong with it."""

    windows: dict[str, int] = field(default_factory=dict)
    prices: dict[str, Prices] = field(default_factory=dict)
    every: int = 0
    wrong: list[tuple[str, str]] = field(default_factory=list)

    def find(self, name: str) -> Model:
        """What is known of the model with this name."""
        known = _longest(name, MODELS)
        listed = MODELS[known] if known else Model()
        window, prices = _longest(name, self.windows), _longest(name, self.prices)
        usual = _M if name.endswith(_LONG) else listed.window
        return Model(
            self.every or (self.windows[window] if window else usual),
            self.prices[prices] if prices else listed.prices,
        )

    def window(self, name: str, told: int = 0) -> tuple[int | None, WindowSource]:
        """The window of the model with this name and who says so: the settings, else the host (`told`, 0 where it
        does not), else our table; None where nobody knows."""
        window = self.find(name).window
        if self.every or _longest(name, self.windows):
            return window, "settings"
        if told:
            return told, "transcript"
        return (window, "table") if window else (None, "")


def models(options: UsageOptions) -> Models:
    """The models as these settings have them."""
    found = Models(every=options.context_window)
    for key, entries, read in (
        ("model_windows", options.model_windows, _window),
        ("model_prices", options.model_prices, _prices),
    ):
        for entry in entries:
            name, _, value = entry.partition("=")
            if not (name.strip() and read(found, plain_name(name), value.replace("_", "").split("/"))):
                fault = f"holds {entry!r}, which is none of the form {FORMS[key]}; it does not count."
                found.wrong.append((f"usage.{key}", fault))
    return found


def plain_name(model: str) -> str:
    """A model's name without its provider's, in the form in which the table has it."""
    name = model.strip().lower().rpartition("/")[2].partition(":")[0]
    name = name.rpartition("anthropic.")[2]
    return name.replace(".", "-") if name.startswith("claude") else name


def is_claude(model: str) -> bool:
    """Whether this is the name of one of Anthropic's models."""
    return plain_name(model).startswith("claude")


def keeps_thinking(model: str) -> bool:
    """Whether a model is sent its thinking of earlier exchanges again, as far as is known."""
    return _longest(model, _FORGETTING) == ""


def _window(found: Models, name: str, values: Sequence[str]) -> bool:
    if len(values) == 1 and values[0].strip().isdecimal() and int(values[0]):
        found.windows[name] = int(values[0])
        return True
    return False


def _prices(found: Models, name: str, values: Sequence[str]) -> bool:
    try:
        prices = Prices(*map(float, values))
    except (TypeError, ValueError):
        return False
    if not all(isfinite(price) and price > 0 for price in (prices.uncached, prices.cached, prices.written)):
        return False
    found.prices[name] = prices
    return True


def _longest(name: str, known: Mapping[str, object]) -> str:
    """The longest of the known names that a model's name begins with, "" for none: `gpt-5.9` is no `gpt-5`, and
    `claude-opus-4-9` no `claude-opus-4`."""
    plain = plain_name(name)
    meant = (key for key in known if plain.startswith(key) and not _OTHER_VERSION.match(plain, len(key)))
    return max(meant, key=len, default="")


_K, _M = 1_000, 1_000_000
# Window, then dollars for a million input tokens: uncached, read from the cache, written into it.
_TABLE: dict[str, tuple[int, float, float, float]] = {
    "claude-fable-5-1": (_M, 10, 0.25, 12.5),
    "claude-mythos-5-1": (_M, 10, 0.25, 12.5),
    "claude-fable-5": (_M, 10, 1, 12.5),
    "claude-mythos-5": (_M, 10, 1, 12.5),
    "claude-opus-5-5": (_M, 4, 0.2, 5),
    "claude-opus-5": (_M, 5, 0.5, 6.25),
    "claude-opus-4-8": (_M, 5, 0.5, 6.25),
    "claude-opus-4-7": (_M, 5, 0.5, 6.25),
    "claude-opus-4-6": (_M, 5, 0.5, 6.25),
    "claude-opus-4-5": (200 * _K, 5, 0.5, 6.25),
    "claude-opus-4-1": (200 * _K, 15, 1.5, 18.75),
    "claude-opus-4": (200 * _K, 15, 1.5, 18.75),
    "claude-sonnet-5-5": (_M, 2, 0.1, 2.5),
    "claude-sonnet-5": (_M, 2, 0.2, 2.5),
    "claude-sonnet-4-6": (_M, 3, 0.3, 3.75),
    "claude-sonnet-4-5": (200 * _K, 3, 0.3, 3.75),
    "claude-sonnet-4": (200 * _K, 3, 0.3, 3.75),
    "claude-haiku-5-5": (_M, 0.1, 0.01, 0.125),
    "claude-haiku-4-5": (200 * _K, 1, 0.1, 1.25),
    "claude-3-7-sonnet": (200 * _K, 3, 0.3, 3.75),
    "claude-3-5-sonnet": (200 * _K, 3, 0.3, 3.75),
    "claude-3-5-haiku": (200 * _K, 0.8, 0.08, 1),
    "gpt-6.2-astra": (1_050 * _K, 8, 0.4, 10),
    "gpt-6.2-sol": (1_050 * _K, 2, 0.1, 2.5),
    "gpt-6.1-sol": (1_050 * _K, 2, 0.1, 2.5),
    "gpt-6-astra": (1_050 * _K, 10, 1, 12.5),
    "gpt-6-sol": (1_050 * _K, 2, 0.2, 2.5),
    "gpt-6-luna": (1_050 * _K, 0.1, 0.01, 0.125),
    "gpt-5.6": (1_050 * _K, 4, 0.4, 5),
    "gpt-5.6-terra": (1_050 * _K, 2, 0.2, 2.5),
    "gpt-5.6-luna": (1_050 * _K, 0.2, 0.02, 0.25),
    "gpt-5.5": (1_050 * _K, 5, 0.5, 5),
    "gpt-5.4": (1_050 * _K, 2.5, 0.25, 2.5),
    "gpt-5.4-mini": (400 * _K, 0.75, 0.075, 0.75),
    "gpt-5.3-codex": (400 * _K, 1.75, 0.175, 1.75),
    "gpt-5.2": (400 * _K, 1.75, 0.175, 1.75),
    "gpt-5.1": (400 * _K, 1.25, 0.125, 1.25),
    "gpt-5.1-codex-mini": (400 * _K, 0.25, 0.025, 0.25),
    "gpt-5": (400 * _K, 1.25, 0.125, 1.25),
    "gpt-5-mini": (400 * _K, 0.25, 0.025, 0.25),
    "gpt-4.1": (1_047_576, 2, 0.5, 2),
    "gpt-4o": (128 * _K, 2.5, 1.25, 2.5),
    "gpt-4o-mini": (128 * _K, 0.15, 0.075, 0.15),
    "o3": (200 * _K, 2, 0.5, 2),
    "o4-mini": (200 * _K, 1.1, 0.275, 1.1),
    "gemini-3.5-flash": (1_048_576, 1.5, 0.15, 1.5),
    "gemini-3.1-pro": (1_048_576, 2, 0.2, 2),
    "gemini-3-pro": (1_048_576, 2, 0.2, 2),
    "gemini-3-flash": (1_048_576, 0.5, 0.05, 0.5),
    "gemini-2.5-pro": (1_048_576, 1.25, 0.125, 1.25),
    "gemini-2.5-flash": (1_048_576, 0.3, 0.03, 0.3),
    "gemini-2.5-flash-lite": (1_048_576, 0.1, 0.01, 0.1),
}
MODELS = {name: Model(window, Prices(*prices)) for name, (window, *prices) in _TABLE.items()}
