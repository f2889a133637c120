"""How the categories of a context look in a terminal: each by a sign of its own, and by a colour where there are
any."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from rich.text import Text


class Look(NamedTuple):
    """The sign of a category, the same where there are but letters, and its colour."""

    sign: str
    letter: str
    style: str


LOOKS = {
    "results": Look("■", "R", "green"),
    "calls": Look("▣", "C", "cyan"),
    "framing": Look("▢", "F", "bright_black"),
    "assistant": Look("●", "A", "blue"),
    "thinking": Look("◍", "T", "magenta"),
    "user": Look("◆", "U", "yellow"),
    "host": Look("◈", "H", "bright_yellow"),
    "system": Look("▲", "S", "red"),
    "tools": Look("▼", "D", "bright_red"),
    "untold": Look("▨", "P", "bright_magenta"),
    "missed": Look("▧", "B", "bright_blue"),
    "images": Look("◐", "I", "bright_cyan"),
    "summaries": Look("◉", "M", "bright_green"),
    "other": Look("◇", "O", "white"),
    "rest": Look("▪", "+", "white"),
    "free": Look("□", ".", "bright_black"),
}
# Terminals that can but print one character after another.
DUMB = ("", "dumb", "unknown")
# What Python puts into LC_CTYPE by itself where the person's locale is C.
_COERCED = "C.UTF-8"
# Columns beyond which lines do not grow: figures too far from their names are hard to read.
WIDEST = 96


def letters_only(env: Mapping[str, str]) -> bool:
    """Whether the terminal of this environment shows but letters: it is dumb, or its locale has no signs."""
    ctype = env.get("LC_CTYPE", "")
    locale = env.get("LC_ALL") or (ctype if ctype != _COERCED else "") or env.get("LANG", "")
    name, _, charset = locale.partition(".")
    plain = charset.lower().replace("-", "") != "utf8" if charset else name in ("C", "POSIX")
    return plain or env.get("TERM", "").lower() in DUMB


@dataclass(frozen=True, slots=True)
class Window:
    """A terminal's window: its size in cells, and whether it shows but letters."""

    columns: int
    rows: int
    letters: bool = False

    @property
    def width(self) -> int:
        """How wide lines are."""
        return min(self.columns, WIDEST)

    @property
    def leader(self) -> str:
        """What leads from a name to its figures."""
        return "." if self.letters else "·"

    def sign(self, category: str, times: int = 1) -> Text:
        """The sign of a category, so many times, with blanks between."""
        look = LOOKS[category]
        if self.letters:
            return Text(" ".join(look.letter * times))
        return Text(" ".join(look.sign * times), look.style)
