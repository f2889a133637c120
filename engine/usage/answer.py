"""What `context_usage` answers; `server/` shapes it for MCP and the terminal."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from prune_mcp.engine.usage.windows import WindowSource

Source = Literal["estimated", "provider"]


@dataclass(slots=True)
class Part:
    """What one tool, type or the like has of a row. `count`: in how many pieces."""

    name: str
    tokens: int
    count: int = 0


@dataclass(slots=True)
class Row:
    """One category: its parts, the largest first; `more` further ones hold `more_tokens`.

    `tokens` is the sum of all parts, shown or not. `source`: `provider` is its count less all that is estimated.
    """

    category: str
    label: str
    tokens: int
    count: int
    source: Source = "estimated"
    parts: list[Part] = field(default_factory=list)
    more: int = 0
    more_tokens: int = 0


@dataclass(slots=True)
class Item:
    """One piece that costs much. `ref` brings it back (`t5`) or names it (`ENTRY@SESSION`, `messages[4]`); `key`
    is the argument or the beginning of the text that tells it from others."""

    ref: str
    category: str
    tool: str
    key: str
    tokens: int


@dataclass(slots=True)
class Counted:
    """What the provider counted at the newest response: the prompt (with what of it came from the cache) and the
    response itself (0: not told). `since`: estimated tokens that came after. `above`: how much all estimates are
    above it."""

    prompt: int
    cached: int
    output: int
    since: int
    above: int = 0


@dataclass(slots=True)
class Waste:
    """What could go without loss: `count` pieces of `tokens` in all; `names` tells which, the largest first."""

    count: int = 0
    tokens: int = 0
    names: list[str] = field(default_factory=list)


@dataclass(slots=True)
class Saving:
    """What pruning now would leave, by estimate, of the messages.

    `break_even_cached`: later requests until it has paid for writing the rest into the cache anew (None: it saves
    nothing); `break_even_uncached`: the same where nothing is cached, or the cache is cold. `per_request_*`: US
    dollars that each later request costs less, None where the model's prices are not known. `held_back`: edits
    that signed thinking of the open exchange holds back for now.
    """

    before: int
    after: int
    break_even_cached: float | None
    break_even_uncached: float | None
    per_request_cached: float | None = None
    per_request_uncached: float | None = None
    held_back: int = 0


@dataclass(slots=True)
class UsageAnswer:
    """What fills the context now. Tokens are estimates by the one estimator unless they say `provider`.

    `total` is the sum of the rows; `free` what is left of the `window` (None: the window is not known, or less
    than the total). `stale`: reads of files that were changed later; `repeated`: instruction blocks sent twice.
    `forgotten`: tokens of thinking that the transcript holds and the model is not sent again; they are in no row.
    `due`: why the triggers of the settings would have it pruned now, "" where none would.
    """

    session: str
    host: str
    format: str
    model: str
    window: int | None
    window_source: WindowSource
    total: int
    free: int | None
    rows: list[Row]
    counted: Counted | None
    items: list[Item]
    stale: Waste
    repeated: Waste
    saving: Saving
    forgotten: int = 0
    due: str = ""
    notes: list[str] = field(default_factory=list)
