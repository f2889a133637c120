"""Values given to a name that says it is secret: `PASSWORD=...`, `"api_key": "..."`, `--token ...`."""

from __future__ import annotations

import re
from collections.abc import Sequence

from prune_mcp.search.secret_looks import looks_chosen, looks_random
from prune_mcp.search.secret_rules import QUOTE

# Where such a name may stand, by a rare character of it, and what has to follow for a value to be given.
_GIVEN = r"[\w-]{0,48}(?:[\\\"'`\]:=!>(]| {0,4}(?:[:=!-]|is )| {1,8}[^\s\d]{0,64}\d)"
_NAMES = ("[kK]en", "KEN", "[kK]ey", "KEY", "cret", "CRET", "[pP]ass", "PASS", "[pP]wd", "PWD")
NEAR = tuple(name + _GIVEN for name in _NAMES)
_LONGEST_NAME = 64
_BEFORE = re.compile(r"[\w-]+$")
# A value may follow its name without a sign in options and in netrc files.
_LOGIN = re.compile(r"login\s{1,8}\S{1,128}\s{1,8}$")
ASSIGNED = re.compile(
    rf"(?P<rest>[\w-]{{0,48}})(?P<closed>{QUOTE})?(?:\s?\])?"
    r"(?:(?P<sep>(?::[ \t]*[A-Za-z][\w\[\]., |]{0,40}?)?[ \t]*(?:[:=!]?={1,2}>?|->|:)[ \t]*"
    r"|[ \t]*,[ \t]*|\([ \t]*|>|[ \t]+is[ \t]+)"
    rf"(?:[bfru]{{1,2}}(?=[\"']))?(?P<open>{QUOTE})?|(?P<flag> +))"
)
# By the quote that opens them. Inside another string that quote is escaped, and a backslash ends the value.
_QUOTED = {
    **{sign: re.compile(rf"(?:\\.|[^\s{sign}\\]){{6,4096}}") for sign in "\"'`"},
    **{f"\\{sign}": re.compile(rf"[^\s{sign}\\]{{6,4096}}") for sign in "\"'`"},
}
_BARE = re.compile(r"[^\s\"'`\\,;()<>{}\[\]&|]{6,4096}")
# In settings and in a shell's words more signs belong to the value.
_WIDE = re.compile(r"[^\s\x00-\x1f\"'`\\<>]{6,4096}")
_CODE = re.compile(r"[A-Za-z_$][\w$.]*[(\[{]")

_PASSWORD = re.compile(r"(?:password|passwd|passphrase|pwd)$|[_-]pass$")
_PASS_CAMEL = re.compile(r"[a-z]Pass$")
_SECRET = re.compile(
    r"(?:password|passwd|passphrase|pwd|secret|token"
    r"|(?:api|access|private|secret|signing|encryption|auth|account|master|shared|service|storage|jwt|hmac|aes|license"
    r"|role|session|admin|webhook|app|client)[_-]?key)"
    r"(?P<more>[\w-]*)$"
)
_NO_VALUE = re.compile(
    r"^s(?:$|[_-])|count|name|type|ur[il]|path|file|len|size|limit|usage|expir|i(?:d|ds|ndex)$|field|i[sz]e|policy|hint|label"
    r"|error|message|budget|max|min|total|cache|ttl|time|date|version|prefix|manager|arn$|class|color|public"
)


def assigned(text: str, at: int) -> Sequence[tuple[int, int, str]]:
    """The secret (start, end, kind) that is given to the name around `at`, if there is one."""
    found = ASSIGNED.match(text, at)
    if found is None:
        return ()
    if found["flag"] and not _may_follow(text, at):
        return ()
    head = _head(text, at)
    name = head + found["rest"]
    password = _PASSWORD.search(name.lower()) is not None or _PASS_CAMEL.search(name) is not None
    if not password and not _names_secret(name):
        return ()
    value = _value(text, found, name)
    if value is None:
        return ()
    if looks_random(value) or (password and _may_be_chosen(value, (found["sep"] or "").strip())):
        return ((found.end(), found.end() + len(value), "password" if password else "value"),)
    return ()


def _may_be_chosen(value: str, sign: str) -> bool:
    """Whether it is a password, by how sure the sign before it makes that one is given at all."""
    if sign in ("(", ","):
        return False
    return looks_chosen(value) and (sign != "is" or (len(value) >= 8 and not value.islower()))


def _head(text: str, at: int) -> str:
    """The part of the name that stands before `at`."""
    before = _BEFORE.search(text[max(0, at - _LONGEST_NAME) : at])
    return before.group() if before else ""


def _may_follow(text: str, at: int) -> bool:
    """Whether a value may follow the name at `at` after nothing but a blank."""
    before = text[max(0, at - _LONGEST_NAME) : at]
    return ("--" in before and _head(text, at).startswith("--")) or _LOGIN.search(before) is not None


def _names_secret(name: str) -> bool:
    low = name.lower()
    if name.isupper() and low.endswith(("_key", "_pass", "_pat")) and "public" not in low:
        return True
    said = _SECRET.search(low)
    return said is not None and not _NO_VALUE.search(said["more"].lstrip("_-")) and "public" not in low


def _value(text: str, found: re.Match[str], name: str) -> str | None:
    """What stands behind the sign, to the closing quote or as far as a bare value goes."""
    end = found.end()
    sign = (found["sep"] or "").strip()
    if found["open"]:
        quoted = _QUOTED[found["open"][-2:]].match(text, end)
        return quoted.group() if quoted else None
    if sign in (",", "("):
        return None
    wide = sign in (":", "is") or (found["sep"] == "=" and name.isupper())
    bare = (_WIDE if wide else _BARE).match(text, end)
    if bare is None or _CODE.match(text, end, bare.end() + 1):
        return None
    return bare.group().rstrip(".,:;)}]")
