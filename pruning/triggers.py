"""When a caller on the host's side should prune: after a turn, after an exchange, or because it was asked to."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Literal

from prune_mcp.pruning.plain import counted
from prune_mcp.pruning.trigger_options import TriggerOptions

# With the largest windows no session would ever come to a share of them.
CEILING = 300_000

DEFAULTS = TriggerOptions()

Moment = Literal["turn", "exchange", "demand"]
Label = Literal["manual", "message-end", "budget", "delta", "frontier-gap", "rearmed"]


@dataclass(frozen=True, slots=True)
class Usage:
    """What a caller knows at one moment: the end of a turn or of an exchange, or a demand.

    `tokens` in the context, None where they are not known, as right after a compaction; `window` of the model in
    tokens, 0 where it is not known. `new_results` came with this turn and `unpruned_results` stand in the whole
    context; `gap_tokens` stand in results past the frontier. All three leave out what no prune would decide on
    yet: what is protected, and the newest turns.
    `waiting_calls`: calls whose results are still to come, so that neither turn nor exchange has ended.
    """

    tokens: int | None = None
    window: int = 0
    moment: Moment = "turn"
    new_results: int = 0
    unpruned_results: int = 0
    gap_tokens: int = 0
    waiting_calls: int = 0

    @property
    def share(self) -> Fraction | None:
        """The tokens as a share of the window or of the ceiling, whichever is smaller; over 1 above that."""
        if self.tokens is None or self.window <= 0:
            return None
        return Fraction(self.tokens, min(self.window, CEILING))


@dataclass(frozen=True, slots=True)
class TriggerState:
    """What a caller keeps from one moment to the next; a new one knows of no turn before.

    `share`: the share at the last turn that could trigger. `rearmed`: whether results were left unpruned when the
    session was loaded.
    """

    share: Fraction | None = None
    rearmed: bool = False

    @classmethod
    def reloaded(cls, unpruned_results: int) -> TriggerState:
        """The state after a session was started or loaded, or went to another branch."""
        return cls(rearmed=unpruned_results > 0)

    def passed(self, usage: Usage) -> TriggerState:
        """The state once a moment was asked about; what is not known is no turn to compare with."""
        share = usage.share
        return replace(self, share=share) if share is not None and _open(usage, self) else self

    def flushed(self) -> TriggerState:
        """The state after a prune was tried, whatever came of it."""
        return replace(self, rearmed=False)


@dataclass(frozen=True, slots=True)
class Trigger:
    """Why to prune now: a label to count by, and a sentence with the numbers."""

    label: Label
    reason: str


def should_flush(usage: Usage, state: TriggerState, options: TriggerOptions = DEFAULTS) -> Trigger | None:
    """Why to prune at this moment, or None; of several reasons the first in the order of `Label`.

    The caller goes on with `state.passed(usage)`, and with `.flushed()` of that once it has tried to prune.
    """
    if usage.moment == "demand":
        return Trigger("manual", "it was asked for")
    if _ended(usage, options) and usage.unpruned_results > 0:
        return Trigger("message-end", f"the exchange ended with {_results(usage.unpruned_results)}")
    if not _open(usage, state):
        return None
    trigger = _budget(usage, options) or _delta(usage, state, options) or _gap(usage, options)
    if trigger is not None and usage.new_results <= 0:
        return replace(trigger, label="rearmed")
    return trigger


def why_not(usage: Usage, state: TriggerState, options: TriggerOptions = DEFAULTS) -> str:
    """Why no trigger is met at a moment for which `should_flush` tells none, with the numbers."""
    if usage.new_results <= 0 and usage.unpruned_results <= 0:
        return "no tool result is left that a prune would decide on"
    short_of = list(_below(usage, state, options))
    if short_of and not _open(usage, state):
        short_of = ["nothing that a prune would decide on has come since the last time"]
    if unfinished := _unfinished(usage, options):
        short_of.insert(0, unfinished)
    return "; ".join(short_of) or "the settings leave pruning to demand"


def reminder(count: int, options: TriggerOptions = DEFAULTS) -> str:
    """What to tell a model that prunes by itself, of so many results; empty where there is nothing to tell."""
    if count <= 0 or not options.remind_unpruned_count:
        return ""
    them = "it" if count == 1 else "them"
    return (
        f"{_results(count)} in this context. When a piece of work is finished, call prune_context to shorten "
        f"{them}; not after single or trivial calls."
    )


def _ended(usage: Usage, options: TriggerOptions) -> bool:
    """Whether an exchange has ended, and that is a reason by itself."""
    return usage.moment == "exchange" and options.prune_on == "agent-message" and usage.waiting_calls <= 0


def _unfinished(usage: Usage, options: TriggerOptions) -> str:
    if options.prune_on != "agent-message" or _ended(usage, options):
        return ""
    waiting = f", {counted(usage.waiting_calls, 'call')} without a result" if usage.waiting_calls > 0 else ""
    return f"the exchange goes on{waiting}"


def _below(usage: Usage, state: TriggerState, options: TriggerOptions) -> Iterator[str]:
    """What each trigger by usage that is set is still short of."""
    threshold, delta = _share(options.auto_budget_threshold), _share(options.budget_turn_delta)
    if usage.share is None and (threshold or delta):
        yield "how much of the window is used is not known"
    if usage.share is not None and threshold:
        yield f"the context holds {usage.tokens:,} tokens, under {float(_level(threshold, usage)):,.0f}"
    if usage.share is not None and delta:
        yield _grown(usage.share, state.share, delta)
    if options.frontier_gap_threshold_tokens > 0:
        gap, least = usage.gap_tokens, options.frontier_gap_threshold_tokens
        yield f"results past the frontier hold {gap:,} tokens, under {least:,}"


def _grown(share: Fraction, before: Fraction | None, delta: Fraction) -> str:
    if before is None:
        return "there is no turn before to have grown from"
    return f"it grew by {max(0.0, float(share - before)):.1%} since the turn before, under {float(delta):.1%}"


def _open(usage: Usage, state: TriggerState) -> bool:
    """Whether usage can trigger at all: there is something new to prune, or left over from before a reload."""
    return usage.moment != "demand" and (usage.new_results > 0 or state.rearmed)


def _budget(usage: Usage, options: TriggerOptions) -> Trigger | None:
    threshold = _share(options.auto_budget_threshold)
    if threshold is None or usage.tokens is None or usage.window <= 0:
        return None
    level = _level(threshold, usage)
    if usage.tokens < level:
        return None
    return Trigger("budget", f"the context holds {usage.tokens:,} tokens, at or over {float(level):,.0f}")


def _level(threshold: Fraction, usage: Usage) -> Fraction:
    return min(Fraction(CEILING), threshold * usage.window)


def _delta(usage: Usage, state: TriggerState, options: TriggerOptions) -> Trigger | None:
    delta, share = _share(options.budget_turn_delta), usage.share
    if delta is None or share is None or state.share is None or share - state.share < delta:
        return None
    grown = float(share - state.share)
    return Trigger("delta", f"the context grew by {grown:.1%} in one turn, at or over {float(delta):.1%}")


def _gap(usage: Usage, options: TriggerOptions) -> Trigger | None:
    threshold = options.frontier_gap_threshold_tokens
    if threshold <= 0 or usage.gap_tokens < threshold:
        return None
    reason = f"results past the frontier hold {usage.gap_tokens:,} tokens, at or over {threshold:,}"
    return Trigger("frontier-gap", reason)


def _share(setting: float) -> Fraction | None:
    """A setting as the decimal that was written, so that a boundary is met exactly; None where it is off."""
    return Fraction(str(setting)) if 0 < setting <= 1 else None


def _results(count: int) -> str:
    return counted(count, "unpruned tool result")
