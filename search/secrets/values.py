"""Values given to a name that says it is secret: `PASSWORD=...`, `"api_key": "..."`, `--token ...`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from prune_mcp.search.secrets.looks import looks_chosen, looks_mixed, looks_random
from prune_mcp.search.secrets.rules import QUOTE

# Where such a name may stand, by a rare character of it, and what has to follow for a value to be given.
_BESIDE = r"[\\\"'`]{0,5},?(?:\s|\\{1,4}[nrt]){0,40}[\\\"'`]{0,5}[vV]alue[\\\"'`]{0,5}[ \t]*[:=][ \t]*"
_GIVEN = r"[\w-]{0,48}(?:[\\\"'`\]:=!>(*]| {0,4}(?:[:=!|-]|is )| {1,8}[^\s\d]{0,64}\d|\r?\n[ \t]{0,40}value)"
_GIVEN_WORD = r"[\w-]{0,48}(?:[\t|]| {1,4}[\"'`\\])"
_NAMES = ("[kK]en", "KEN", "[kK]ey", "KEY", "cret", "CRET", "[pP]ass", "PASS", "[pP]wd", "PWD")
_WORD_NAMES = ("[pP]ass", "PASS", "[pP]wd", "PWD")
_OTHER_NAMES = ("pw[ ]?[:=]", r"psk[ ]?[\"']?[:=]", "[cC]ontrase")
NEAR = (*(name + _GIVEN for name in _NAMES), *(name + _GIVEN_WORD for name in _WORD_NAMES), *_OTHER_NAMES)
_LONGEST_NAME = 64
_REST = re.compile(r"[\w-]{0,48}")
# A value may follow its name without a sign in options and in netrc files.
_LOGIN = re.compile(r"login\s{1,8}\S{1,128}\s{1,8}$")
ASSIGNED = re.compile(
    rf"(?P<rest>[\w-]{{0,48}})(?P<closed>{QUOTE})?(?:\s?\])?"
    rf"(?:(?P<sep>{_BESIDE}|:\*\*[ \t]*|\*\*[ \t]*:[ \t]*"
    r"|(?::[ \t]*[A-Za-z][\w\[\]., |]{0,40}?)?[ \t]*(?:[:=!]?={1,2}>?|->|:[ \t]*[|>][+-]?\d?[ \t]*\r?\n|:)[ \t]*"
    r"|[ \t]*,[ \t]*|\([ \t]*|>|[ \t]*\|[ \t]*|\t[ \t]*|[ \t]+is[ \t]+)"
    rf"(?:[bfru]{{1,2}}(?=[\"']))?(?P<open>{QUOTE})?|(?P<flag> +)(?P<quote>{QUOTE})?)"
)
_BARE = re.compile(r"[^\s\"'`\\,;()<>{}\[\]&|]{6,4096}")
# In settings and in a shell's words more signs belong to the value.
_WIDE = re.compile(r"[^\s\x00-\x1f\"'`\\<>]{6,4096}")
_CODE = re.compile(r"[A-Za-z_$][\w$.]*[(\[{]")

_PASSWORD = re.compile(r"(?:password|passwd|passphrase|passcode|passwort|kennwort|contraseña|pwd)$|[_-]pass$")
_PASS_CAMEL = re.compile(r"[a-z]Pass$")
# Names that say less: what is given to them has to look the more like a password.
_PASS_SHORT = re.compile(r"(?:pass|passe|pw|psk|requirepass|masterauth)$")
_SETTING = re.compile("requirepass|masterauth|psk")
_SECRET = re.compile(
    r"(?:password|passwd|passphrase|pwd|secret|token"
    r"|(?:api|access|private|secret|signing|encryption|auth|account|master|shared|service|storage|jwt|hmac|aes|license|subscription"
    r"|role|session|admin|webhook|app|client)[_-]?key)"
    r"(?P<more>[\w-]*)$"
)
_NO_VALUE = re.compile(
    r"^s(?:$|[_-])|count|name|type|ur[il]|path|file|len|size|limit|usage|expir|i(?:d|ds|ndex)$|field|i[sz]e|policy|hint|label"
    r"|error|message|budget|max|min|total|cache|ttl|time|date|version|prefix|manager|arn$|class|color|public"
)


class Says(NamedTuple):
    """What a name says of the value that is given to it: that it is a password, surely or perhaps, or a secret."""

    password: bool
    perhaps: bool
    secret: bool


def assigned(text: str, at: int) -> Sequence[tuple[int, int, str]]:
    """The secret (start, end, kind) that is given to the name around `at`, if there is one."""
    name = _name(text, at)
    says = _says(name)
    found = ASSIGNED.match(text, at) if any(says) else None
    if found is None:
        return ()
    value = _value(text, found, name)
    if value is None or not _is_secret(text, at, found, name, value):
        return ()
    return ((found.end(), found.end() + len(value), "password" if says.password else "value"),)


def _is_secret(text: str, at: int, found: re.Match[str], name: str, value: str) -> bool:
    """Whether the value is one, by how sure its name and the sign before it make that one is given at all."""
    says = _says(name)
    sign = (found["sep"] or "").strip(" \t*")
    if found["flag"] and not _may_follow(text, at):
        if says.password and found["quote"]:
            return looks_chosen(value) and not value.isalpha()
        if says.secret and (name.isupper() or "_" in name):
            return looks_random(value) and any(map(str.isdigit, value))
        return looks_mixed(value) and (says.password or _SETTING.fullmatch(name) is not None)
    if says.perhaps:
        return looks_mixed(value)
    if sign == "|" or (not sign and not found["flag"]):
        return says.password and looks_mixed(value)
    if sign in ("(", ","):
        return looks_mixed(value) if says.password else looks_random(value)
    if looks_random(value):
        return True
    return says.password and looks_chosen(value) and (sign != "is" or (len(value) >= 8 and not value.islower()))


def _name(text: str, at: int) -> str:
    """The name around `at`."""
    start, least = at, max(0, at - _LONGEST_NAME)
    while start > least and (text[start - 1].isalnum() or text[start - 1] in "_-"):
        start -= 1
    behind = _REST.match(text, at)
    return text[start : behind.end() if behind else at]


@lru_cache(maxsize=4096)
def _says(name: str) -> Says:
    low = name.lower()
    password = _PASSWORD.search(low) is not None or _PASS_CAMEL.search(name) is not None
    return Says(password, _PASS_SHORT.fullmatch(low) is not None, _names_secret(name))


def _may_follow(text: str, at: int) -> bool:
    """Whether a value may follow the name at `at` after nothing but a blank."""
    before = text[max(0, at - _LONGEST_NAME) : at]
    return ("--" in before and _name(text, at).startswith("--")) or _LOGIN.search(before) is not None


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
    quote = found["open"] or found["quote"]
    if quote:
        quoted = _quoted(quote).match(text, end)
        return quoted.group() if quoted else None
    if sign in (",", "("):
        return None
    wide = sign[:1] in (":", "*") or sign == "is" or (found["sep"] == "=" and name.isupper())
    bare = (_WIDE if wide else _BARE).match(text, end)
    if bare is None or _CODE.match(text, end, bare.end() + 1):
        return None
    return bare.group().rstrip(".,:;)}]")


@lru_cache(maxsize=64)
def _quoted(quote: str) -> re.Pattern[str]:
    """What stands behind an opening quote, to the one that closes it: inside another string both are escaped, and
    the quotes within the value are once more."""
    sign, depth = quote[-1], len(quote) - 1
    if not depth:
        return re.compile(rf"(?:\\.|[^\s{sign}\\]){{6,4096}}")
    return re.compile(rf"(?:\\{{{depth + 1},}}{sign}|\\+(?![\\nrt\"'`])|[^\s{sign}\\]){{6,4096}}")
