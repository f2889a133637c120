"""What is known of models: windows and prices by name, and what settings change of it."""

from __future__ import annotations

import pytest

from prune_mcp.engine.usage.options import UsageOptions
from prune_mcp.engine.usage.windows import Prices, models

KNOWN = models(UsageOptions())


@pytest.mark.parametrize(
    ("name", "window"),
    [
        ("claude-opus-4-5-20251101", 200_000),
        ("claude-opus-4-20250514", 200_000),
        ("anthropic/claude-opus-4.6", 1_000_000),
        ("us.anthropic.claude-haiku-4-5-20251001-v1:0", 200_000),
        ("claude-sonnet-4-5[1m]", 1_000_000),
        ("gpt-5.1-codex", 400_000),
        ("gpt-5.5", 1_050_000),
        ("google/gemini-3-pro-preview", 1_048_576),
    ],
)
def test_a_model_is_known_by_the_beginning_of_its_name(name: str, window: int) -> None:
    assert KNOWN.find(name).window == window


@pytest.mark.parametrize("name", ["", "gpt-5.9", "gpt-5-nano", "claude-opus-4-9", "claude-opus-7", "o3-mini", "x"])
def test_another_version_or_size_of_a_known_model_is_not_taken_for_it(name: str) -> None:
    model = KNOWN.find(name)
    assert (model.window, model.prices) == (0, None)


def test_no_name_of_the_table_is_hidden_by_a_shorter_one() -> None:
    assert KNOWN.find("gpt-5-mini").prices == Prices(0.25, 0.025, 0.25)
    assert KNOWN.find("gpt-5-mini-2026-01-01").prices == Prices(0.25, 0.025, 0.25)
    assert KNOWN.find("claude-opus-5-5").prices == Prices(4, 0.2, 5)
    assert KNOWN.find("claude-opus-5-20260724").prices == Prices(5, 0.5, 6.25)


def test_settings_override_the_window_of_one_model_or_of_all() -> None:
    options = UsageOptions(model_windows=("claude-opus-4.5 = 300_000", "mine=9000"))
    assert models(options).find("claude-opus-4-5-20251101").window == 300_000
    assert models(options).find("mine-v2").window == 9000
    assert models(options).find("gpt-5").window == 400_000
    assert models(UsageOptions(context_window=50_000, model_windows=("mine=9000",))).find("mine").window == 50_000


def test_settings_override_prices() -> None:
    known = models(UsageOptions(model_prices=("gpt-5=2/0.5/2.5", "mine=1/0.1/1")))
    assert known.find("gpt-5").prices == Prices(2, 0.5, 2.5)
    assert known.find("gpt-5").window == 400_000
    assert known.find("mine").prices == Prices(1, 0.1, 1)


@pytest.mark.parametrize("entry", ["gpt-5", "=5", "gpt-5=many", "gpt-5=0", "gpt-5=-1", "gpt-5=1/2"])
def test_a_window_that_is_none_is_named_and_does_not_count(entry: str) -> None:
    known = models(UsageOptions(model_windows=(entry, "mine=9000")))
    assert known.find("gpt-5").window == 400_000
    assert known.find("mine").window == 9000
    assert [(key, repr(entry) in fault and "MODEL=TOKENS" in fault) for key, fault in known.wrong] == [
        ("usage.model_windows", True)
    ]


@pytest.mark.parametrize(
    "entry", ["gpt-5=1", "gpt-5=1/2", "gpt-5=1/x/3", "gpt-5=1/0/3", "gpt-5=nan/1/1", "=1/1/1"]
)
def test_prices_that_are_none_are_named_and_do_not_count(entry: str) -> None:
    known = models(UsageOptions(model_prices=(entry,)))
    assert known.find("gpt-5").prices == Prices(1.25, 0.125, 1.25)
    assert [(key, repr(entry) in fault) for key, fault in known.wrong] == [("usage.model_prices", True)]
