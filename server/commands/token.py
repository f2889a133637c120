"""`prune-mcp token`: the tokens with which clients on other machines call a server over HTTP."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING, Annotated

import typer

from prune_mcp.server.commands.console import out, say, table

if TYPE_CHECKING:
    from prune_mcp.server.http.token import Token, Tokens

ALL = "all"
VERBS = ("make", "list", "revoke")
NAME_LONGEST = 60


def token(
    verb: Annotated[
        str,
        typer.Argument(
            metavar="make|list|revoke",
            help="Without one: makes the first token, or lists those there are.",
            show_default=False,
        ),
    ] = "",
    name: Annotated[
        str,
        typer.Argument(
            metavar="NAME",
            help="What a new one is for; for revoke a name, an id, or all.",
            show_default=False,
        ),
    ] = "",
) -> int:
    """Make, list or revoke tokens for clients over HTTP.

    A new token is shown this once and kept as a hash; one that is revoked counts no more at once.
    """
    from prune_mcp.server.http.token import Tokens
    from prune_mcp.storage.home import home

    tokens = Tokens(home(os.environ))
    known = tokens.all()
    if not verb:
        return _list(known) if known else _make(tokens, name)
    if verb == "make":
        return _make(tokens, name)
    if verb == "revoke":
        return _revoke(tokens, name)
    if verb == "list" and not name:
        return _list(known)
    raise typer.BadParameter(_usage(verb))


def _usage(verb: str) -> str:
    if verb in VERBS:
        return "`list` takes no name"
    return f"'{verb}' is none of {', '.join(VERBS)}; `prune-mcp token make {verb}` makes a token of that name"


def _make(tokens: Tokens, name: str) -> int:
    if name == ALL or len(name) > NAME_LONGEST or not name.isprintable():
        say(f"prune-mcp: a token's name is up to {NAME_LONGEST} printable characters, and not `{ALL}`.")
        return 1
    if any(name in (known.name, known.id) for known in tokens.all() if name):
        say(f"prune-mcp: there is a token called {name} already: give another name, or revoke that one.")
        return 1
    out(tokens.make(name, time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())))
    say("Keep it now: it is not shown again. Clients send it as `Authorization: Bearer TOKEN`.")
    return 0


def _list(known: list[Token]) -> int:
    if not known:
        say("There is no token; `prune-mcp token make` makes one.")
        return 0
    table(("id", "name", "made"), [(each.id, each.name, each.made) for each in known])
    say("`prune-mcp token make NAME` makes another, `prune-mcp token revoke NAME` takes one back.")
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
