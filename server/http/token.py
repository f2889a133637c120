"""The tokens with which clients on other machines call, each a file named by its hash: none can be read back."""

from __future__ import annotations

import hmac
import json
import os
import re
import secrets
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from prune_mcp.storage.errors import StoreError
from prune_mcp.storage.home import Home, private_folder
from prune_mcp.storage.ways_out import in_words

FOLDER = "tokens"
# What a token begins with, so that a search for secrets that leaked knows one.
PREFIX = "prune_mcp_"
TOKEN_BYTES = 32
HASH = re.compile(r"[0-9a-f]{64}")
NAMED = 8


@dataclass(frozen=True, slots=True)
class Token:
    """A token as it is kept. `hash`: sha256 of it. `made`: UTC to the second."""

    hash: str
    name: str
    made: str

    @property
    def id(self) -> str:
        """What names it where its name does not."""
        return self.hash[:NAMED]


class Tokens:
    """The tokens of one home. Each question looks at the disk, so that what is revoked counts no more at once."""

    def __init__(self, home: Home) -> None:
        self.folder = home.config / FOLDER

    def make(self, name: str, made: str) -> str:
        """Make a token and return it; it cannot be told again.

        Raises:
            StoreError: the folder cannot be made, or the file not written.
        """
        token = PREFIX + secrets.token_urlsafe(TOKEN_BYTES)
        private_folder(self.folder)
        path = self.folder / _hash(token)
        try:
            with os.fdopen(
                os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8"
            ) as file:
                json.dump({"name": name, "made": made}, file)
        except OSError as error:
            path.unlink(missing_ok=True)
            raise StoreError(in_words(error, str(self.folder))) from error
        return token

    def all(self) -> list[Token]:
        """Every token, the oldest first."""
        kept = [_kept(self.folder / hash) for hash in self._hashes()]
        return sorted(kept, key=lambda token: (token.made, token.name))

    def revoke(self, token: Token) -> None:
        """Let a token count no more."""
        (self.folder / token.hash).unlink(missing_ok=True)

    def id_of(self, token: str) -> str:
        """The hash of a token that counts, "" for one that does not; takes as long for either."""
        given = _hash(token)
        found = ""
        for hash in self._hashes():
            if hmac.compare_digest(hash, given):
                found = hash
        return found

    def _hashes(self) -> Iterator[str]:
        try:
            names = [path.name for path in self.folder.iterdir()]
        except (FileNotFoundError, NotADirectoryError):
            return
        yield from filter(HASH.fullmatch, names)


def _hash(token: str) -> str:
    return sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


def _kept(path: Path) -> Token:
    """A token by its file; one whose file is damaged counts all the same, and has no name."""
    try:
        about = json.loads(path.read_bytes())
        return Token(path.name, str(about["name"]), str(about["made"]))
    except (OSError, ValueError, KeyError, TypeError):
        return Token(path.name, "", "")
