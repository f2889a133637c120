"""Secrets in text: told by their kind, and replaced by a word that names it."""

from __future__ import annotations

import re
from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeVar

from prune_mcp.search.secrets.commands import COMMAND_PASSWORD, COMMANDS
from prune_mcp.search.secrets.cookies import COOKIE_NEAR, cookies
from prune_mcp.search.secrets.ink import Inked, plain
from prune_mcp.search.secrets.looks import looks_random
from prune_mcp.search.secrets.rules import PEM, PEM_BODY, PEM_END, PEM_NEAR, RULES, Rule
from prune_mcp.search.secrets.values import NEAR, assigned

T = TypeVar("T")
Span = tuple[int, int, str]
Finder = Callable[[str, int], Sequence[Span]]

_PASSES = 4
_CUT, _CUTS = ".\u2026", ("...", "\u2026")
_GENERAL = (
    "value",
    "password",
    "password of a URL",
    "login of a URL",
    "authorization",
    "cookie",
    COMMAND_PASSWORD,
)
_ALL_RULES = (*RULES, *COMMANDS)
_PEM_LONGEST = 20_000
_PEM_HEAD = 64
_AWS_NEAR = 300
_AWS_SECRET = re.compile(r"(?<![A-Za-z0-9/+=])[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+=])")
_MASKED = re.compile(r"\[secret: [A-Za-z ]{1,40}\]")
_MATERIAL = re.compile(r"[A-Za-z0-9+/=]{16,}")


def mask(text: str) -> str:
    """The text with each secret replaced by `[secret: kind]`; the very same text where there is none.

    What is masked stays as it is when masked again. The words around a secret are left untouched.
    """
    whole = text.rstrip(_CUT) if text.endswith(_CUTS) else text
    masked = _masked(whole)
    # A title may be cut in the middle of a secret: what is left of that is no placeholder.
    return text if masked is whole else masked + text[len(whole) :]


def _masked(text: str) -> str:
    for _ in range(_PASSES):
        spans = _spans(text)
        if not spans:
            break
        text = _replace(text, spans)
    return text


def _signs(near: str) -> tuple[str, str]:
    """The rare characters that a place begins with, and the pattern of what follows."""
    if near.startswith("["):
        return near[1 : near.index("]")], near[near.index("]") + 1 :]
    return near[0], near[1:]


def _by_sign(pairs: Iterable[tuple[str, T]]) -> dict[str, tuple[T, ...]]:
    """What belongs to places, by the character that they begin with."""
    known: dict[str, dict[T, None]] = defaultdict(dict)
    for near, what in pairs:
        for sign in _signs(near)[0]:
            known[sign][what] = None
    return {sign: tuple(what) for sign, what in known.items()}


def _scan() -> re.Pattern[str]:
    """The places of all rules in one pattern: literal first characters let the engine skip what stands between."""
    follow: dict[str, set[str]] = defaultdict(set)
    for signs, behind in map(_signs, (*(rule.near for rule in _ALL_RULES), *NEAR, COOKIE_NEAR, PEM_NEAR)):
        for sign in signs:
            follow[sign].add(behind)
    return re.compile("|".join(f"{re.escape(sign)}(?={'|'.join(sorted(rest))})" for sign, rest in follow.items()))


def _spans(text: str) -> list[Span]:
    """All secrets in order, those that overlap as one; colours may stand around and inside of them."""
    bare = plain(text)
    spans = _found(bare)
    if spans and bare is not text:
        inked = Inked(text)
        spans = [(*inked.where(start, end), kind) for start, end, kind in _joined(bare, spans)]
    return _joined(text, spans) if spans else spans


def _found(text: str) -> list[Span]:
    spans: list[Span] = []
    for place in _SCAN.finditer(text):
        at = place.start()
        sign = text[at]
        for rule in _RULES.get(sign, ()):
            if at >= rule.lead and (found := rule.pattern.match(text, at - rule.lead)):
                spans.extend(_by_rule(text, found, rule))
        for finder in _FINDERS.get(sign, ()):
            spans.extend(finder(text, at))
    return spans


def _by_rule(text: str, found: re.Match[str], rule: Rule) -> Iterator[Span]:
    group = found.re.groups and 1
    if rule.looks and not rule.looks(found.group(group)):
        return
    yield (*found.span(group), rule.kind)
    if rule.kind == "AWS key id":
        yield from _beside(text, *found.span())


def _beside(text: str, start: int, end: int) -> Iterator[Span]:
    """Secret keys that stand close to the AWS key id they belong to."""
    for found in _AWS_SECRET.finditer(text, max(0, start - _AWS_NEAR), min(len(text), end + _AWS_NEAR)):
        if looks_random(found.group()) and not re.fullmatch("[0-9a-f]+", found.group()):
            yield (*found.span(), "AWS secret key")


def _private_key(text: str, at: int) -> Sequence[Span]:
    """A PEM block: to its end, or as far as key material goes where the end was cut off."""
    at = text.rfind("-----BEGIN", max(0, at - _PEM_HEAD), at)
    begin = PEM.match(text, at) if at >= 0 else None
    if begin is None:
        return ()
    end = PEM_END.search(text, begin.end(), begin.end() + _PEM_LONGEST)
    if end:
        body = text[begin.end() : end.start()]
        if 2 * sum(map(len, _MATERIAL.findall(body))) > len(body):
            return ((at, end.end(), "private key"),)
    body_found = PEM_BODY.match(text, begin.end())
    return ((at, body_found.end(), "private key"),) if body_found else ()


def _joined(text: str, spans: list[Span]) -> list[Span]:
    """Spans in order; what overlaps is one secret, of the kind that tells most. What is masked already is none."""
    masked = deque(found.span() for found in _MASKED.finditer(text))
    joined: list[Span] = []
    for start, end, kind in sorted(spans, key=lambda span: (span[0], -span[1])):
        while masked and masked[0][1] <= start:
            masked.popleft()
        if masked and masked[0][0] < end:
            continue
        if joined and start < joined[-1][1]:
            first, last, known = joined[-1]
            joined[-1] = (first, max(last, end), kind if known in _GENERAL else known)
        else:
            joined.append((start, end, kind))
    return joined


def _replace(text: str, spans: list[Span]) -> str:
    parts: list[str] = []
    done = 0
    for start, end, kind in spans:
        parts += (text[done:start], f"[secret: {kind}]")
        done = end
    return "".join((*parts, text[done:]))


_SCAN = _scan()
_RULES = _by_sign((rule.near, rule) for rule in _ALL_RULES)
_FINDERS = _by_sign([*((near, assigned) for near in NEAR), (COOKIE_NEAR, cookies), (PEM_NEAR, _private_key)])
