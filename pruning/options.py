"""What can be set about pruning, with the defaults. Names are the snake_case twins of upstream's keys."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

PROTECTED_PATHS = ("**/skills/**/*.md", "**/gauntlet-overrides.md")
PATH_ARGUMENTS = ("path", "file_path", "filePath", "notebook_path", "paths", "uri", "filename", "file")


@dataclass(frozen=True, slots=True)
class ChainOptions:
    """Compression of closed chains. `rolling_window`: the newest closed chains left alone (chains)."""

    enabled: bool = True
    rolling_window: int = 3
    strip_final_assistant_thinking: bool = True


@dataclass(frozen=True, slots=True)
class OpenChainOptions:
    """Compression inside a long open exchange: turns older than the newest `keep_turns`, once they hold at
    least `min_tokens` (estimated tokens, after stubs)."""

    enabled: bool = True
    keep_turns: int = 12
    min_tokens: int = 12_000


@dataclass(frozen=True, slots=True)
class ErrorOptions:
    """Purge of failed calls' arguments: older than `cooldown_turns` (turns), at least `min_arg_chars`
    (characters of compact JSON); strings over `max_string_chars` become a marker."""

    enabled: bool = True
    cooldown_turns: int = 2
    min_arg_chars: int = 500
    max_string_chars: int = 200


@dataclass(frozen=True, slots=True)
class PruneOptions:
    """All settings of pruning. Sizes in characters unless they say bytes or tokens.

    `keep_turns`: newest turns left whole. `recovery_grace_turns`: exchanges that recovered output stays whole.
    `batching_mode`: what `min_batch_chars` is held against, one turn or one user exchange.
    `thinking`: `keep` edits nothing before signed thinking of an open exchange, `strip` drops that thinking,
    `ignore` leaves it to the provider.
    """

    keep_turns: int = 3
    batching_mode: Literal["turn", "agent-message"] = "agent-message"
    min_batch_chars: int = 1000
    recovery_grace_turns: int = 3
    protected_tools: tuple[str, ...] = ()
    protected_paths: tuple[str, ...] = PROTECTED_PATHS
    path_arguments: tuple[str, ...] = PATH_ARGUMENTS
    dedup_by_content_hash: bool = True
    spill_threshold: int = 65_536
    spill_preview_bytes: int = 2048
    thinking: Literal["keep", "strip", "ignore"] = "keep"
    chain_compression: ChainOptions = field(default_factory=ChainOptions)
    open_chain: OpenChainOptions = field(default_factory=OpenChainOptions)
    purge_errors: ErrorOptions = field(default_factory=ErrorOptions)
