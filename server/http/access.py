"""Who may reach a server over HTTP: under which names, and whether a token is needed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from prune_mcp.server.http.address import Address, CannotServe, is_host, is_loopback, is_number, split_authority

if TYPE_CHECKING:
    from prune_mcp.server.http.token import Tokens


@dataclass(frozen=True, slots=True)
class Access:
    """`hosts`: the names beside those of this machine under which clients may call. `token_needed`: by everyone;
    else only by who comes through a proxy."""

    hosts: frozenset[str] = frozenset()
    token_needed: bool = False

    def allows_host(self, authority: str) -> bool:
        """Whether a Host header names this server."""
        return self._allows(split_authority(authority.strip())[0])

    def allows_origin(self, origin: str) -> bool:
        """Whether a page of this origin may call; without one it is no page of a browser that calls."""
        try:
            parts = urlsplit(origin)
        except ValueError:
            return False
        return parts.scheme in ("http", "https") and self._allows(parts.hostname or "")

    def _allows(self, host: str) -> bool:
        return is_loopback(host) or host in self.hosts


def access(address: Address, hosts: Iterable[str], token_needed: bool, tokens: Tokens) -> Access:
    """Who may reach a server at this address: this machine alone, or under `hosts` whoever has a token.

    Raises:
        CannotServe: that is not said, or no token was made.
    """
    names = frozenset(_name(host) for host in hosts)
    if not address.loopback and not names:
        raise CannotServe(
            f"At {address.host} other machines reach the server: name the hosts under which they call it, "
            "such as `--allow-host build.example.org`."
        )
    needed = token_needed or bool(names)
    if needed and not tokens.all():
        raise CannotServe("Clients would need a token, and none was made: make one with `prune-mcp token make`.")
    return Access(names, needed)


def _name(host: str) -> str:
    name, port = split_authority(host.strip())
    if not is_host(name) or (port and not is_number(port)):
        raise CannotServe(f"--allow-host takes the name or address of one host, not '{host}'.")
    return name
