"""Where a model is, and the key to it: out of the environment, else out of the system's keyring."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import SplitResult, urlsplit

from prune_mcp.engine.summaries.failure import NotSet
from prune_mcp.engine.summaries.options import ModelOptions

# The service under which the keyring has keys, by the endpoint's host (and port).
SERVICE = "prune-mcp"
# What is sent where no key is needed: the client library insists on one.
NO_KEY = "none"


def host_of(options: ModelOptions) -> str:
    """The host of a model's endpoint, with the port where one is named.

    Raises:
        NotSet: the address is none, or holds a password.
    """
    address = _split(options.base_url)
    if fault := address_fault(options.base_url):
        raise NotSet(f"summaries: {fault}")
    return address.netloc if address else ""


def address_fault(base_url: str) -> str:
    """What is wrong with the address of an endpoint, in a sentence that tells no password; "" for nothing."""
    address = _split(base_url)
    if address is None or address.scheme not in ("http", "https") or not address.hostname:
        return f"{base_url!r} is no address of an endpoint; give one such as https://HOST/v1."
    if address.username or address.password:
        return (
            "the endpoint's base_url holds a password; put the key into the environment variable of key_variable "
            "instead."
        )
    return ""


def key_for(options: ModelOptions, env: Mapping[str, str]) -> str:
    """The key to a model; an endpoint on this machine may do without.

    Raises:
        NotSet: there is none.
    """
    host = host_of(options)
    key, trouble = env.get(options.key_variable, "").strip(), ""
    if not key:
        key, trouble = _from_keyring(host)
    if key and not (key.isascii() and key.isprintable()):
        raise NotSet(f"summaries: what {options.key_variable} or the keyring holds for {host} cannot be a key.")
    if not key and not _is_here(host):
        raise NotSet(
            f"summaries: {host} needs a key. Set {options.key_variable}, or keep it in the system's keyring: "
            f"`keyring set {SERVICE} {host}`.{trouble}"
        )
    return key or NO_KEY


def _split(base_url: str) -> SplitResult | None:
    try:
        address = urlsplit(base_url)
        _ = address.port
    except ValueError:
        return None
    return address


def _is_here(host: str) -> bool:
    name = urlsplit(f"//{host}").hostname or ""
    return name == "localhost" or name.endswith(".localhost") or name == "::1" or name.startswith("127.")


def _from_keyring(host: str) -> tuple[str, str]:
    """The key that the system's keyring holds, "" for none, and a sentence where it could not be looked into."""
    try:
        import keyring
    except ImportError:
        return "", ""
    try:
        return (keyring.get_password(SERVICE, host) or "").strip(), ""
    except Exception as error:
        # Backends are programs of other people that fail in ways of their own. One that is locked, broken or not
        # there is as good as none, and no reason to end a prune that can do without a model.
        return "", f" The keyring could not be read ({type(error).__name__}: {error})."
