"""The digest: what a pruned output still says, without a model.

Error lines come first, then how the output begins and ends, then the names that nothing else in view says, in
labelled groups.
"""

from __future__ import annotations

import re

from prune_mcp.pruning.errorlines import error_lines, is_code
from prune_mcp.pruning.namegroups import grouped
from prune_mcp.pruning.names import Seen, names
from prune_mcp.pruning.plain import plain, unmarked

_READING_TOOL = re.compile(r"read|view|cat|open|fetch|glob|grep|search|list|find|ls\b", re.IGNORECASE).match
_READING_COMMAND = re.compile(
    r"(?:cd [^&;|]*(?:&&|;)\s*)?"
    r"(?:cat|head|tail|sed -n|nl|less|bat|grep|rg|ag|find|ls|tree|git (?:show|diff|log|grep))\b"
).match


def digest(text: str, seen: Seen, *, tool: str = "", key: str = "", error: bool = False) -> str:
    """What `text`, an output of `tool` called with `key`, says that later work may need.

    Names in `seen` are left out; what is printed is added to it. Lines joined by a newline, no newline at the
    end; empty when there is nothing to say.
    """
    text = plain(text)
    strict = not error and (reads(tool, key) or is_code(text))
    lines = _quoted(text, strict, error)
    printed = set(names("\n".join(lines)))
    fresh = [name for name in names(text) if name not in printed and name not in seen]
    seen.add_names(printed)
    seen.add_names(fresh)
    return "\n".join([*map(unmarked, lines), *grouped(fresh)])


def reads(tool: str, key: str) -> bool:
    """Whether this call shows files as they are, so that an error's name in them is no error."""
    return _READING_TOOL(tool) is not None or _READING_COMMAND(key) is not None


def _quoted(text: str, strict: bool, error: bool) -> list[str]:
    """The lines taken over word for word: error lines with their counts."""
    counts = error_lines(text, strict=strict)
    lines = [f"{line} (\u00d7{count})" if count > 1 else line for line, count in counts.items()]
    if error and not lines:
        lines = [line.strip()[:320] for line in text.split("\n", 40) if line.strip()][:1]
    return lines
