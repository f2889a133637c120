"""Calls, commands and checks by a short name, on one line."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from prune_mcp.pruning.activity.shell import Simple
from prune_mcp.pruning.activity.tools import command_of, deed_of
from prune_mcp.pruning.plain import plain
from prune_mcp.pruning.stub import key_argument

LONGEST, LINE_LONGEST = 100, 160
_CHANGED_FOLDER = re.compile(r"^cd [^&;|\n]+(?:&&|;)\s*(?=\S)")
_COMMENT = re.compile(r"^\s*#[^\n]*(?:\n|$)")


def one_line(text: str, longest: int = LINE_LONGEST) -> str:
    """The text on one line, cut where it is longer."""
    line = " ".join(plain(text[: 4 * longest]).split())
    return line if len(line) <= longest else line[: longest - 3] + "..."


def command_label(line: str) -> str:
    """A command by its first line, without the change of folder in front."""
    said = line.strip()
    while found := _COMMENT.match(said):
        said = said[found.end() :].lstrip()
    said = _CHANGED_FOLDER.sub("", said, count=1)
    first, _, rest = said.partition("\n")
    return one_line(f"{first} ..." if rest.strip() else first, LONGEST)


def checks_label(parts: Iterable[Simple]) -> str:
    """A check by the commands that make it up, without what they are redirected to."""
    return one_line("; ".join(" ".join(map(_quoted, part.words)) for part in parts), LONGEST)


def _quoted(word: str) -> str:
    return f'"{word}"' if not word or re.search(r"\s", word) else word


def call_label(tool: str, arguments: Any) -> str:
    """A call by its tool and its telling argument; one of a shell by its command."""
    if deed_of(tool, arguments) == "run":
        return command_label(command_of(arguments)) or tool
    return f"{tool} {key_argument(tool, arguments)}".rstrip()
