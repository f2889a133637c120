"""`prune-mcp token`: the tokens with which clients on other machines call a server over HTTP."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING, Annotated

import typer

from prune_mcp.server.console import out, say, table

if TYPE_CHECKING:
    from prune_mcp.server.http_token import Token, Tokens

ALL = "all"


def token(
    name: Annotated[
        str,
        typer.Argument(
            help="What a new one is for; with --revoke a name, an id, or all.",
            show_default=False,
        ),
    ] = "",
    new: Annotated[bool, typer.Option("--new", help="Make another token.")] = False,
    revoke: Annotated[bool, typer.Option("--revoke", help="Take tokens back, at once.")] = False,
    listed: Annotated[bool, typer.Option("--list", help="Tell which tokens there are.")] = False,
) -> int:
    """Make a token for a server over HTTP; it is shown this once and kept as a hash.

    Without an option the first one is made, or those there are are listed.
    """
    from prune_mcp.server.http_token import Tokens
    from prune_mcp.storage.home import home

    if new + revoke + listed > 1:
        raise typer.BadParameter("--new, --revoke and --list go one at a time")
    tokens = Tokens(home(os.environ))
    if revoke:
        return _revoke(tokens, name)
    if new or (not listed and not tokens.all()):
        return _make(tokens, name)
    return _list(tokens.all())


def _make(tokens: Tokens, name: str) -> int:
    if any(name in (known.name, known.id) for known in tokens.all() if name):
        say(f"prune-mcp: there is a token called {name} already: give another name, or revoke that one.")
        return 1
    out(tokens.make(name, time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())))
    say("Keep it now: it is not shown again. Clients send it as `Authorization: Bearer TOKEN`.")
    return 0


def _list(known: list[Token]) -> int:
    if not known:
        say("There is no token; `prune-mcp token` makes one.")
        return 1
    table(("id", "name", "made"), [(each.id, each.name, each.made) for each in known])
    return 0


def _revoke(tokens: Tokens, word: str) -> int:
    """Revoke those that a word means; without one the only one there is."""
    known = tokens.all()
    meant = [each for each in known if word in (each.name, each.id, ALL)] if word else known
    if not meant or (not word and len(known) > 1):
        say("prune-mcp: name one of these tokens, or all." if known else "prune-mcp: there is no token to revoke.")
        if known:
            _list(known)
        return 1
    for each in meant:
        tokens.revoke(each)
        say(f"Revoked {each.id} {each.name}".rstrip() + ".")
    return 0
