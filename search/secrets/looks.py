"""What a secret looks like by itself, told from words, paths, identifiers, numbers and placeholders."""

from __future__ import annotations

import re

_PLACEHOLDER = re.compile(
    r"(?:[x*.#?0_-]{3,}|\W+|[$%<{@&\[(].*|.*[}\])>]"
    r"|(?:os|process|env|secrets|settings|config|self|this|vault|op|ref|var|local|data|import)[.:[(/].*"
    r"|.*\.\.\..*|.*\u2026.*)",
    re.IGNORECASE,
)
# What stands in a placeholder, or by chance in a secret.
_STANDS_IN = re.compile(
    r"^your\W?|^my[_-]"
    r"|(?:^|[\W_])(?:example|changeme|change|placeholder|redacted|dummy|sample|todo|insert|replace|null|none"
    r"|undefined|here|your|xxx+|secret:)(?:$|[\W_])",
    re.IGNORECASE,
)
# Looking at more would cost a text of nothing but names and signs its square.
_TELLING = 200
_TEMPLATE = re.compile(r"[$%<{\[*].*|.*[}\]>]|\W+|x{3,}", re.IGNORECASE)
_DOTTED = re.compile(r"[A-Za-z_$][\w$]*(?:(?:\??\.|::|->)[A-Za-z_$][\w$]*)+")
# Words and identifiers: letters, then at most four digits; or dates, versions and other numbers.
_WORDS = re.compile(r"[A-Za-z]*\d{0,4}(?:[\W_]+[A-Za-z]*\d{0,4})*|\d{1,8}(?:[\W_]+\d{1,8})*")
_TURNS = re.compile(r"[a-z][A-Z]|[A-Z]{2}[a-z]|[A-Za-z]\d|\d[A-Za-z]")
_NAMED = re.compile(
    r"(?:(?:the|your|my|db|root|user)?[-_]?)?(?:pass(?:word|wd|phrase)?|secret|pw|pwd)[.,:]?", re.IGNORECASE
)
_SIGNS = frozenset("!@#$%^&*+=?~")
_SAYS_SO = re.compile("passw|pwd|secret|token|string|label|field", re.IGNORECASE)


def looks_random(value: str) -> bool:
    """Whether a value of 12 characters or more seems to be drawn at random; its beginning tells."""
    value = value[:_TELLING]
    signs = set(value)
    if len(value) < 12 or len(signs) < 6 or value.isdigit():
        return False
    if _DOTTED.fullmatch(value) or _is_placeholder(value):
        return False
    turns = len(_TURNS.findall(value))
    if any(map(str.isdigit, signs)) and any(map(str.isalpha, signs)):
        return turns >= 3 or _WORDS.fullmatch(value) is None
    # Camel case turns once in a word, random letters at every second place.
    return 5 * turns > len(value)


def looks_chosen(value: str) -> bool:
    """Whether a value of 6 characters or more could be a password that somebody chose."""
    value = value[:_TELLING]
    if _is_placeholder(value) or _DOTTED.fullmatch(value):
        return False
    if value.isdigit():
        return True
    if value.isalpha():
        return len(value) >= 12 and value.islower() and _SAYS_SO.search(value) is None
    letters = any(sign.isalpha() for sign in value)
    return letters and any(sign.isdigit() or sign in _SIGNS for sign in value)


def looks_mixed(value: str) -> bool:
    """Whether a value of 8 characters or more mixes letters and digits as no word, path or number does."""
    value = value[:_TELLING]
    if len(value) < 8 or _is_placeholder(value) or "/" in value or _WORDS.fullmatch(value):
        return False
    letters = {sign for sign in value if sign.isalpha()}
    cases = any(map(str.islower, letters)) and (any(map(str.isupper, letters)) or not _SIGNS.isdisjoint(value))
    return cases and any(map(str.isdigit, value))


def looks_typed(value: str) -> bool:
    """Whether what follows a command's option for a password is one, no variable, option or word for it."""
    return (
        looks_filled(value) and value[0] != "-" and _NAMED.fullmatch(value) is None and not _is_placeholder(value)
    )


def looks_sent(value: str) -> bool:
    """Whether what stands behind `Authorization: Bearer` is a token, no word about tokens."""
    if _is_placeholder(value):
        return False
    if value.isalpha() and value.islower():
        return len(value) >= 20
    return len(value) >= 16 or looks_chosen(value) or looks_random(value)


def looks_filled(value: str) -> bool:
    """Whether a place for a password holds one, no variable or mark that stands for it."""
    return _TEMPLATE.fullmatch(value) is None


def _is_placeholder(value: str) -> bool:
    if _PLACEHOLDER.fullmatch(value):
        return True
    return _STANDS_IN.search(value) is not None and not _is_drawn(_STANDS_IN.sub("", value))


def _is_drawn(value: str) -> bool:
    """Whether a value turns between small letters, large ones and digits as only one drawn at random does."""
    kinds = all(any(map(of_kind, value)) for of_kind in (str.islower, str.isupper, str.isdigit))
    return kinds and len(value) >= 12 and 5 * len(_TURNS.findall(value)) > len(value)
