"""Whether a session's file can hold what is sought, told from its bytes alone: much faster than to read it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from prune_mcp.search.find.sought import Sought
from prune_mcp.search.words import fold, visible
from prune_mcp.sessions.persisted import MARK
from prune_mcp.sessions.readable import TEXT_MEDIA

CHUNK = 1 << 22
# Terms are cut to 64 characters; each may be an escape of six bytes, or of twelve beyond 16 bits.
OVERLAP = 1 << 10
# Of any other file the bytes are not those of the text.
PLAIN = (".jsonl", ".json", ".traj")

# A document that is text.
_DOCUMENT = re.compile(rb'"media_type": ?"(?:' + "|".join(map(re.escape, TEXT_MEDIA)).encode() + rb")")
# A terminal's colours may stand inside words; so they are written in JSON, and in sources of programs.
_COLOURS = [re.compile(escape + rb"\[[0-9;:?]*[a-z]") for escape in (rb"\\u001b", rb"\\x1b", rb"\\033", rb"\\e")]
# Where a letter or digit begins that is not ASCII: such a byte, or one of these. Quotes, dashes, lines, arrows,
# ticks and emoji are none. (Several patterns, since each is looked for in a loop of its own.)
_LETTERS = bytes([*range(0xC3, 0xE2), *range(0xE3, 0xEF), *range(0xF1, 0xF5)])
_NO_LETTERS = bytes(set(range(256)) - set(_LETTERS))
_LETTER = re.compile(rb"[\xc3-\xe1\xe3-\xee\xf1-\xf4]")
_RARE_LETTERS = [
    re.compile(rb"\\u(?!00[01]|20[12]|2[5-7])"),
    re.compile(rb"\xc2[\xaa\xad\xb2\xb3\xb5\xb9\xba\xbc-\xbe]"),
    re.compile(rb"\xe2(?:\x80[\x8b-\x8f]|[\x81-\x85\x91-\x93\xa0-\xbf])"),
    re.compile(rb"\xef(?!\xb8\x8f)"),
    re.compile(rb"\xf0(?!\x9f[\x88-\xbf])"),
]
_ESCAPE = re.compile(r"\\u([0-9a-f]{4})")
_ESCAPE_BYTES = 12
# With so many of them in a chunk, to read the file is quicker.
_MANY = 2000


class Prefilter:
    """Skips only what surely does not match: case, accents and JSON's escapes are seen to."""

    def __init__(self, sought: Sequence[Sought]) -> None:
        # Of each alternative the longest term stands for all of them.
        needs = [max(terms, key=len, default="") for each in sought for terms in each.needs or [()]]
        self._terms = list(dict.fromkeys(needs))
        self._bytes = [term.encode() for term in self._terms]
        self._around = _ESCAPE_BYTES * max(map(len, self._terms), default=0)

    def may_hold(self, path: Path) -> bool:
        """Whether the file can hold any of it.

        Raises:
            OSError: the file cannot be read.
        """
        if "" in self._terms or path.suffix not in PLAIN:
            return True
        return any(self._in(chunk) for chunk in _chunks(path))

    def _in(self, chunk: bytes) -> bool:
        lower = chunk.lower()
        # The text behind such a mark stands in another file, and that of such a document in base64.
        if any(term in lower for term in self._bytes) or MARK.encode() in lower or _DOCUMENT.search(lower):
            return True
        plain = lower
        for colour in _COLOURS:
            plain = colour.sub(b"", plain)
        if len(plain) < len(lower) and any(term in plain for term in self._bytes):
            return True
        return self._in_foreign(plain)

    def _in_foreign(self, lower: bytes) -> bool:
        """Whether it may stand around characters that are not ASCII."""
        patterns = [_LETTER, *_RARE_LETTERS] if lower.translate(None, _NO_LETTERS) else _RARE_LETTERS
        for pattern in patterns:
            end = 0
            for count, match in enumerate(pattern.finditer(lower)):
                if count == _MANY:
                    return True
                if match.start() < end:
                    continue
                end = match.end() + self._around
                folded = _folded(lower[max(0, match.start() - self._around) : end + self._around])
                if any(term in folded for term in self._terms):
                    return True
        return False


def _folded(stretch: bytes) -> str:
    text = _ESCAPE.sub(lambda escape: chr(int(escape[1], 16)), stretch.decode("utf-8", "replace"))
    return fold(visible(text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")))


def _chunks(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        before = b""
        while chunk := file.read(CHUNK):
            yield before + chunk
            before = (before + chunk)[-OVERLAP:]
