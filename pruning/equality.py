"""When two outputs are the same, and when one read is contained in another."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence

_TRAILING = re.compile(r"[ \t]+$", re.MULTILINE)
_REMINDER = "<system-reminder>"
MIN_CONTAINED_CHARS = 200


def normalize(text: str) -> str:
    """One form for equal outputs: line ends as LF, no blanks at line ends, trimmed."""
    if "\r" in text:
        text = text.replace("\r\n", "\n")
    if " \n" in text or "\t\n" in text:
        text = _TRAILING.sub("", text)
    return text.strip()


def equality_hash(text: str, sha: str, images: Sequence[tuple[str, str]] = ()) -> str:
    """The hash that decides equality; `sha`, the text's own, where nothing needs normalising.

    `images` are part of what an output says, as (media type, base64 data).
    """
    normal = normalize(text)
    if len(normal) == len(text) and not images:
        return sha
    hasher = hashlib.sha256(normal.encode("utf-8", "surrogatepass"))
    for media_type, data in images:
        hasher.update(f"\n{media_type}\n{data}".encode("utf-8", "surrogatepass"))
    return hasher.hexdigest()


def contained(inner: str, outer: str) -> bool:
    """Whether the read `inner` stands whole, line by line, in `outer`.

    A reminder that the host hangs on the end of a read is left out of the comparison. Short texts are
    never said to be contained: they could stand anywhere by chance.
    """
    core = _core(inner)
    if len(core) < MIN_CONTAINED_CHARS or len(core) > len(outer):
        return False
    return core in outer and f"\n{core}\n" in f"\n{outer}\n"


def _core(text: str) -> str:
    cut = text.rfind(_REMINDER)
    return (text[:cut] if cut > 0 else text).strip("\r\n")
