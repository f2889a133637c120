"""What simple commands do to files: which they show, which they write, and which only look around."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from prune_mcp.pruning.activity.shell import Simple

# Names that the shell or the program would still have to work out, and what is no file of anybody's.
_NO_FILE = re.compile(r"[*?\[\]{}$`<>|\n!]|^-|^&|^/dev/|^\d+$|^~[^/]")
READERS = frozenset({"bat", "batcat", "cat", "head", "less", "more", "nl", "tac", "tail"})
EDITORS = frozenset({"sed", "gsed", "perl"})
# Of a command line with nothing else in it little needs to be told.
LOOKERS = READERS | {
    "ag", "awk", "basename", "cd", "clear", "command", "cut", "date", "df", "diff", "dirname", "du", "echo",
    "egrep", "env", "false", "fd", "fgrep", "file", "find", "grep", "jq", "ls", "printenv", "printf", "ps",
    "pwd", "read", "realpath", "rg", "sed", "sleep", "sort", "stat", "strings", "test", "tr", "tree", "true",
    "type", "uniq", "wait", "wc", "which", "whoami", "[", "[[",
}  # fmt: skip
GIT_LOOKS = frozenset(
    {
        "blame", "branch", "cat-file", "describe", "diff", "grep", "log", "ls-files", "reflog", "rev-parse",
        "show", "status",
    }
)  # fmt: skip
# Options that take the word behind them along.
_VALUED = {
    "head": "nc",
    "tail": "nc",
    "nl": "bdfhilnsvw",
    "sed": "efl",
    "gsed": "efl",
    "perl": "eIMm",
    "git": "Cc",
}


def read_files(simple: Simple) -> Iterator[str]:
    """The files that a command shows, as far as it is one of the usual ones for that."""
    if simple.program in READERS:
        yield from _known(operands(simple))
    elif simple.program == "sed" and not _in_place(simple):
        yield from _known(_behind_script(simple))


def written_files(simple: Simple) -> Iterator[str]:
    """The files that a command writes: by redirection, with `tee`, or in place."""
    yield from _known(simple.writes)
    if simple.program == "tee":
        yield from _known(operands(simple))
    elif simple.program in EDITORS and _in_place(simple):
        yield from _known(_behind_script(simple))


def looks_only(simple: Simple) -> bool:
    """Whether a command does nothing that is worth telling by itself."""
    if any(written_files(simple)):
        return False
    if simple.program == "git":
        return next(iter(operands(simple)), "") in GIT_LOOKS
    return simple.program in LOOKERS


def operands(simple: Simple) -> list[str]:
    """The arguments that are neither options nor the values of such."""
    found = []
    valued = _VALUED.get(simple.program, "")
    skip = False
    for word in simple.arguments:
        if skip:
            skip = False
        elif word.startswith("-") and len(word) > 1:
            skip = not word.startswith("--") and word[-1] in valued and not word[1:-1].isdigit()
        else:
            found.append(word)
    return found


def _in_place(simple: Simple) -> bool:
    return any(re.match(r"-[a-zA-Z]*i(?:$|\.|[npe])|--in-place", word) for word in simple.arguments)


def _behind_script(simple: Simple) -> list[str]:
    """The files that follow the script, which is the first operand unless an option gives it."""
    given = any(re.match(r"-[a-zA-Z]*[ef]$|--(?:expression|file)", word) for word in simple.arguments)
    # BSD's `-i` takes an ending, which is mostly empty.
    files = [word for word in operands(simple) if word]
    return files if given else files[1:]


def _known(words: Iterable[str]) -> Iterator[str]:
    return (word for word in words if word and not _NO_FILE.search(word))
