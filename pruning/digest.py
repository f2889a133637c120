"""The digest: what a pruned output still says, without a model.

Error lines come first, then how the output begins and ends, then the names that nothing else in view says, in
labelled groups.
"""

from __future__ import annotations

import re

from prune_mcp.pruning.errors.lines import error_lines, is_code
from prune_mcp.pruning.errors.parts import LONGEST
from prune_mcp.pruning.errors.signs import is_bare_exit, is_heading
from prune_mcp.pruning.headline import headline
from prune_mcp.pruning.namegroups import grouped, thinned
from prune_mcp.pruning.names import Seen, names
from prune_mcp.pruning.plain import plain, unmarked
from prune_mcp.pruning.verdict import closing, last_lines, verdicts

# Names take at most this share of the text, but may always take so many characters and never more than so many.
SHARE = 8
LEAST_ROOM, MOST_ROOM = 700, 3400

_READING_TOOL = re.compile(
    r"(?:web_?|mcp__\w*?__)?(?:read|view|cat|open|fetch|glob|grep|search|list|find|ls\b)", re.IGNORECASE
).match
_READING_COMMAND = re.compile(
    r"(?:cd [^&;|]*(?:&&|;)\s*)?"
    r"(?:cat|head|tail|sed -n|nl|less|bat|grep|rg|ag|find|ls|tree|git (?:show|diff|log|grep))\b"
).match
# Numbers that nothing later refers to.
_SEED = re.compile(r"[Ss]eed\W{0,4}$").search
_UNIT = re.compile(r" ?(?:ms|msecs?|milliseconds|s|secs?|seconds|mins?|minutes)\b").match
_MODE = re.compile(r"(?:0|100|120|040|160)[0-7]{3}").fullmatch


def digest(text: str, seen: Seen, *, tool: str = "", key: str = "", error: bool = False) -> str:
    """What `text`, an output of `tool` called with `key`, says that later work may need.

    Names in `seen` are left out, and so are error lines it holds, save the first; what is printed is added to it.
    Lines joined by a newline, no newline at the end; empty when there is nothing to say.
    """
    text = plain(text)
    strict = not error and (reads(tool, key) or _is_read(text))
    lines = _told(_failures(text, strict, error), seen)
    told = "\n".join(lines)
    ending = _ending(text, tool, strict, tallies_only=bool(lines))
    lines += [line for line in ending if line not in told]
    lines += [line for line in (headline(text),) if line]
    printed = set(names("\n".join(lines)))
    fresh = [name for name in seen.missing(names(text)) if name not in printed]
    shown = thinned(fresh, min(max(LEAST_ROOM, len(text) // SHARE), MOST_ROOM))
    told_names = [name for name in shown.names if not (name[0].isdecimal() and _is_idle(name, text))]
    seen.add_names(printed)
    seen.add_names(told_names)
    lines = [*map(unmarked, lines), *grouped(told_names)]
    if shown.omitted:
        lines.append(f"and {shown.omitted} more names")
    return "\n".join(lines)


def first_failure(text: str) -> str:
    """What a failed call's output says first of its failure, be it but an exit code; empty when it is blank."""
    told = list(_failures(plain(text), strict=False, error=True))
    return next((line for line in told if not is_bare_exit(line) and not is_heading(line)), "".join(told[:1]))


def reads(tool: str, key: str) -> bool:
    """Whether this call shows files as they are, so that an error's name in them is no error."""
    return _READING_TOOL(tool) is not None or _READING_COMMAND(key) is not None


def _is_read(text: str) -> bool:
    """Whether the text looks like code or prose, and not like a test run that quotes some."""
    return is_code(text) and not verdicts(text, everywhere=False)


def _ending(text: str, tool: str, strict: bool, *, tallies_only: bool) -> list[str]:
    """How a report ends; of what was read only if a command read it, for that may be a report in a file."""
    if not strict:
        return closing(text, tallies_only=tallies_only)
    return [] if _READING_TOOL(tool) else verdicts(text, everywhere=False)


def _failures(text: str, strict: bool, error: bool) -> dict[str, int]:
    """The error lines with their counts; of a failed call that has none but its exit code, also how it ends, since
    there tools put what they found."""
    counts = error_lines(text, strict=strict)
    if error and all(map(is_bare_exit, counts)):
        counts |= {line: 1 for line in last_lines(text, LONGEST) if line not in counts}
    return counts


def _told(counts: dict[str, int], seen: Seen) -> list[str]:
    """The error lines to print: the first, and those that `seen` does not hold; the rest counted."""
    fresh = [line for at, line in enumerate(counts) if at == 0 or line not in seen]
    seen.add_names(fresh)
    told = [f"{line} (×{counts[line]})" if counts[line] > 1 else line for line in fresh]
    known = len(counts) - len(fresh)
    return [*told, f"and {known} error line{'s' if known > 1 else ''} as before"] if known else told


def _is_idle(name: str, text: str) -> bool:
    """Whether a name is a number that only times or seeds a run or is the mode of a file: nothing refers to it."""
    if not name.replace(".", "").isdecimal():
        return False
    at = text.find(name)
    end = at + len(name)
    return bool(_MODE(name) or _SEED(text[max(at - 24, 0) : at]) or _UNIT(text, end))
