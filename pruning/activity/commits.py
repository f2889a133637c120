"""The commits that commands made, told from what git printed, or from the message it was given."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from prune_mcp.pruning.activity.commands import operands
from prune_mcp.pruning.activity.labels import one_line
from prune_mcp.pruning.activity.shell import Simple

MAKERS = frozenset({"am", "cherry-pick", "commit", "merge", "rebase", "revert"})
_PRINTED = re.compile(r"^\[[^\]\n]{1,200} ([0-9a-f]{7,40})\] (.+)$", re.MULTILINE)
_MESSAGE = re.compile(
    r"(?:^|\s)-[a-zA-Z]*m[ =]?(?:(['\"])(?:\$\(cat <<-?\s*['\"]?\w+['\"]?\n)?\s*([^\n]+?)\s*(?:\1|\n)|(\S+))"
)


@dataclass(frozen=True, slots=True)
class Commit:
    """A commit by its abbreviated id ("" where git did not print it) and the first line of its message."""

    id: str
    subject: str


def commits_in(line: str, parts: Iterable[Simple], text: str, failed: bool) -> Iterator[Commit]:
    """The commits of a command line that printed `text`; one that `failed` made only those that it printed."""
    making = [part for part in parts if part.program == "git" and next(iter(operands(part)), "") in MAKERS]
    if not making:
        return
    printed = [Commit(id, one_line(subject)) for id, subject in _PRINTED.findall(text)]
    yield from printed
    silent = not printed and not failed and all("commit" in part.words and part.tells for part in making)
    told = _MESSAGE.search(line) if silent else None
    if told:
        yield Commit("", one_line(told[2] or told[3]))
