"""The digest: what a pruned output still says, without a model.

Error lines come first, then how the output begins and ends, then the names that nothing else in view says, in
labelled groups.
"""

from __future__ import annotations

import re

from prune_mcp.pruning.errorlines import LONGEST, error_lines, is_code
from prune_mcp.pruning.headline import closing, headline
from prune_mcp.pruning.namegroups import grouped, thinned
from prune_mcp.pruning.names import Seen, names
from prune_mcp.pruning.plain import plain, unmarked

# Names take at most this share of the text, but may always take so many characters and never more than so many.
SHARE = 8
LEAST_ROOM, MOST_ROOM = 700, 3400

_READING_TOOL = re.compile(r"read|view|cat|open|fetch|glob|grep|search|list|find|ls\b", re.IGNORECASE).match
_READING_COMMAND = re.compile(
    r"(?:cd [^&;|]*(?:&&|;)\s*)?"
    r"(?:cat|head|tail|sed -n|nl|less|bat|grep|rg|ag|find|ls|tree|git (?:show|diff|log|grep))\b"
).match


def digest(text: str, seen: Seen, *, tool: str = "", key: str = "", error: bool = False) -> str:
    """What `text`, an output of `tool` called with `key`, says that later work may need.

    Names in `seen` are left out, and so are error lines it holds, save the first; what is printed is added to it.
    Lines joined by a newline, no newline at the end; empty when there is nothing to say.
    """
    text = plain(text)
    strict = not error and (reads(tool, key) or is_code(text))
    lines = _told(_failures(text, strict, error), seen)
    if not strict:
        told = "\n".join(lines)
        lines += [line for line in closing(text, tallies_only=bool(lines)) if line not in told]
    lines += [line for line in (headline(text),) if line]
    printed = set(names("\n".join(lines)))
    fresh = [name for name in seen.missing(names(text)) if name not in printed]
    shown = thinned(fresh, min(max(LEAST_ROOM, len(text) // SHARE), MOST_ROOM))
    seen.add_names(printed)
    seen.add_names(shown.names)
    lines = [*map(unmarked, lines), *grouped(shown.names)]
    if shown.omitted:
        lines.append(f"and {shown.omitted} more names")
    return "\n".join(lines)


def first_failure(text: str) -> str:
    """The first error line of a failed call's output, or its first line; empty when it is blank."""
    return next(iter(_failures(plain(text), strict=False, error=True)), "")


def reads(tool: str, key: str) -> bool:
    """Whether this call shows files as they are, so that an error's name in them is no error."""
    return _READING_TOOL(tool) is not None or _READING_COMMAND(key) is not None


def _failures(text: str, strict: bool, error: bool) -> dict[str, int]:
    """The error lines with their counts; of a failed call that has none, its first line."""
    counts = error_lines(text, strict=strict)
    if error and not counts:
        return {line[:LONGEST]: 1 for line in [text.strip().split("\n", 1)[0].rstrip()] if line}
    return counts


def _told(counts: dict[str, int], seen: Seen) -> list[str]:
    """The error lines to print: the first, and those that `seen` does not hold; the rest counted."""
    fresh = [line for at, line in enumerate(counts) if at == 0 or line not in seen]
    seen.add_names(fresh)
    told = [f"{line} (\u00d7{counts[line]})" if counts[line] > 1 else line for line in fresh]
    return told if len(fresh) == len(counts) else [*told, f"and {len(counts) - len(fresh)} error lines as before"]
