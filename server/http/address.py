"""Where a server over HTTP listens: HOST:PORT as a person writes it, and the socket made of that."""

from __future__ import annotations

import errno
import os
import re
import socket
from dataclasses import dataclass
from ipaddress import ip_address

DEFAULT_HOST, DEFAULT_PORT = "127.0.0.1", 7786
MOST_WAITING = 2048
HOST_NAME = re.compile(r"[a-z0-9_][a-z0-9._-]*")


class CannotServe(Exception):
    """The server cannot be started so; the message says why and what to do."""


@dataclass(frozen=True, slots=True)
class Address:
    """A host, by name or address, and a port; port 0 is whichever the system gives."""

    host: str = DEFAULT_HOST
    port: int = DEFAULT_PORT

    def __str__(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"

    @property
    def loopback(self) -> bool:
        """Whether only this machine reaches it."""
        return is_loopback(self.host)


def parse_address(text: str) -> Address:
    """The address that `HOST:PORT`, `HOST` or `:PORT` names; what it leaves out is the default.

    Raises:
        CannotServe: it is none.
    """
    host, port = split_authority(text)
    if not (is_host(host) or not host) or (port and not (is_number(port) and int(port) <= 65535)):
        raise CannotServe(f"'{text}' is no address to serve at: give HOST:PORT, such as {Address()}.")
    # The name may stand for the IPv6 address as well, and only one is listened at.
    host = DEFAULT_HOST if host in ("", "localhost") else host
    return Address(host, int(port) if port else DEFAULT_PORT)


def split_authority(text: str) -> tuple[str, str]:
    """Host, in small letters and without brackets, and port of `HOST:PORT`; the port may be missing."""
    if text.startswith("[") and "]" in text:
        host, _, rest = text[1:].partition("]")
        return host.lower(), rest.removeprefix(":")
    if text.count(":") > 1:
        return text.lower(), ""
    host, _, port = text.partition(":")
    return host.lower(), port


def is_host(text: str) -> bool:
    """Whether this can be a host's name or address."""
    try:
        return HOST_NAME.fullmatch(text) is not None or bool(ip_address(text))
    except ValueError:
        return False


def is_number(text: str) -> bool:
    """Whether this is a number in plain digits."""
    return text.isascii() and text.isdigit()


def is_loopback(host: str) -> bool:
    """Whether a host's name or address means this machine, whatever a name server says."""
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False


def listen(address: Address) -> socket.socket:
    """A socket that listens there.

    Raises:
        CannotServe: the port is taken or not ours to use, or there is no such host here.
    """
    try:
        family, kind, proto, _, where = socket.getaddrinfo(address.host, address.port, type=socket.SOCK_STREAM)[0]
        listening = socket.socket(family, kind, proto)
    except OSError as error:
        raise CannotServe(f"There is no host {address.host} to serve at ({error.strerror or error}).") from error
    try:
        if os.name == "posix":
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(where)
        listening.listen(MOST_WAITING)
    except OSError as error:
        listening.close()
        raise CannotServe(_why(address, error)) from error
    return listening


def _why(address: Address, error: OSError) -> str:
    if error.errno == errno.EADDRINUSE:
        other = Address(address.host, address.port % 65535 + 1)
        return (
            f"Port {address.port} of {address.host} is taken, perhaps by another prune-mcp: "
            f"use that one, or serve at another port (`prune-mcp serve --http {other}`)."
        )
    if error.errno == errno.EACCES:
        return f"Port {address.port} needs rights that this user has not: choose one from 1024 on."
    return f"The server cannot listen at {address} ({error.strerror or error})."
