"""Values of cookies: of all that a `Cookie:` or `Set-Cookie:` header, or an option for one, holds."""

from __future__ import annotations

import re
from collections.abc import Sequence

from prune_mcp.search.secrets.looks import looks_random
from prune_mcp.search.secrets.rules import QUOTE

COOKIE_NEAR = r"[kK](?:ie|IE)s?(?:[\\\"'`]{1,5})?[ \t]*[:= ]"
_LEAD = 3
_HEADER = re.compile(
    rf"(?:[cC]ookie|COOKIE)s?(?:{QUOTE})?[ \t]*(?::[ \t]*(?:[bf]?{QUOTE})?|=?[ \t]*[bf]?{QUOTE})"
    r"(?P<pairs>[\w.%-]{1,64}=[^\n\"'`\\]{8,1024})"
)
_PAIR = re.compile(r"(?:^|;[ ]*)[\w.%-]{1,64}=([^;\s]{8,1024})")


def cookies(text: str, at: int) -> Sequence[tuple[int, int, str]]:
    """The values (start, end, kind) of the cookies that are given to the name around `at`."""
    found = _HEADER.match(text, at - _LEAD) if at >= _LEAD else None
    if found is None:
        return ()
    start = found.start("pairs")
    pairs = _PAIR.finditer(found["pairs"])
    return [(start + pair.start(1), start + pair.end(1), "cookie") for pair in pairs if looks_random(pair[1])]
