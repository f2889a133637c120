"""Arguments and options that several commands take alike: what they mean, and what they refuse, in our words."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

import typer

METAVAR = "NUMBER"
SHOWN_CHARS = 40

# What `target.source` finds.
Source = Annotated[
    str | None,
    typer.Argument(
        metavar="SESSION",
        help="A session's id, the beginning of one, a transcript, or a JSON file with messages or a request "
        "body. Default: the newest session of this folder.",
        show_default=False,
    ),
]


def whole_number(least: int) -> Callable[[str], int]:
    """A parser of whole numbers from `least` on, for the `parser` of an option.

    The parser raises typer.BadParameter, to which typer adds the option's name.
    """

    def parse(text: str) -> int:
        try:
            number = int(text)
        except ValueError:
            number = least - 1
        if number < least:
            raise typer.BadParameter(f"it takes a whole number of at least {least}, not {_shown(text)}")
        return number

    return parse


def _shown(text: str) -> str:
    from prune_mcp.engine.recovery.fence import inline

    return f"'{inline(text, SHOWN_CHARS)}'"
