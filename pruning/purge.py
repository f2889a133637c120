"""Purge of failed calls' arguments: long strings become markers, keys and shapes stay, the error text stays."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from prune_mcp.pruning.situation import Situation
from prune_mcp.sessions.content import compact_json
from prune_mcp.sessions.model import Block, Place
from prune_mcp.sessions.tokens import utf8_size
from prune_mcp.storage.records import Output


def purges(situation: Situation, dropped: set[int]) -> dict[Place, tuple[Output, Any]]:
    """The calls to purge, by place: the failed output, and the arguments as they are shown.

    A call is purged when its own result failed, at least `cooldown_turns` assistant messages came since, and
    its arguments hold at least `min_arg_chars` characters.
    """
    options = situation.options.purge_errors
    found: dict[Place, tuple[Output, Any]] = {}
    if not options.enabled:
        return found
    for index, block, output in situation.results():
        call = situation.pairing.call_of[block.place]
        if not output.error or index in dropped or call.chars < options.min_arg_chars:
            continue
        if situation.answers[index] < options.cooldown_turns or situation.protected(block):
            continue
        before = situation.conversation.arguments(call)
        # A call's own size counts its name too, and spares reading the arguments of most calls.
        if len(compact_json(before)) < options.min_arg_chars:
            continue
        after = shrink(before, options.max_string_chars, f"t{output.ref}:args")
        if after != before:
            found[call.place] = (output, after)
    return found


def shrink(value: Any, longest: int, ref: str) -> Any:
    """`value` with each string over `longest` characters replaced by a marker that names the ref."""
    if isinstance(value, str):
        marker = f'<purged-errored-args size="{len(value)}" ref="{ref}"/>'
        return marker if len(value) > max(longest, len(marker)) else value
    if isinstance(value, Mapping):
        return {key: shrink(item, longest, ref) for key, item in value.items()}
    if isinstance(value, list):
        return [shrink(item, longest, ref) for item in value]
    return value


def purged_ref(arguments: str, ref: str) -> bool:
    """Whether arguments, as compact JSON, hold a marker of ours that names the ref."""
    return f'ref=\\"{ref}\\"/>' in arguments


def purged_size(call: Block, before: str, after: Any) -> int:
    """The size of a purged call in UTF-8 bytes: its name and the shown arguments."""
    return call.size - utf8_size(before) + utf8_size(compact_json(after))
