"""Names: the tokens of a text that later work refers to by their exact letters.

A name is a path, URL, identifier, constant, flag, version, hash, place (`file:line`) or number, as opposed to a
plain word. Tokens are taken as long as they come, so that any narrower pattern finds its match inside one.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterable
from functools import lru_cache

from prune_mcp.pruning.namegroups import LABEL, ungrouped
from prune_mcp.pruning.plain import plain

LONGEST = 300

# The letters of every script, and the ASCII signs that join the parts of a name; U+1680 among them is a blank.
_LETTERS = "A-Za-z0-9_\u00aa-\u00ba\u00c0-\u024f\u0370-\u167f\u1681-\u1fff\u3040-\ud7af\uf900-\ufdff"
_SIGNS = "./:@~+-"
_TOKENS = re.compile(f"[{_LETTERS}./:@~+-]{{3,}}+").findall
_URLS = re.compile(r"://[^\s\"'<>()\[\]{}|\\^`\x00-\x20]{2,300}").finditer
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*$").search
_CLOSING_TAGS = re.compile(r"</[\w.:-]+").findall
_WINDOWS = re.compile(r"\b[A-Za-z]:\\{1,2}[\w.-]+(?:\\{1,2}[\w.-]+)*")
_HUMP = re.compile(r"[a-z][A-Z]|[A-Z]{2}[a-z]{2}").search
# Dates and times of day, durations, counts such as 3/22: they say when and how much, not what.
_MEASURE = re.compile(
    r"(?:\d{4}[-/.]\d\d?[-/.]\d\d?)?(?:[T:-]?\d{1,2}:\d\d(?::\d\d)?(?:[.:]\d+)?(?:Z|[+-]\d\d:?\d\d)?)?"
    r"|[\d.]+(?:[\u00b5mun]?s|min)|\d+/\d+"
).fullmatch
_KEPT_FRONT = re.compile(r"(?:--|(?:\.\./)+\.?|~/\.?|(?<!\.)/\.?|(?:(?<=\./)|^)\.)?$").search
_FOUND = re.compile(r"^\d{1,3}[:-](?=[A-Za-z_])").sub
_COLUMN = re.compile(r"(?<=:\d)(\d*):\d+$").sub
# A line of a stub that is a folder and its files holds hardly any plain word.
MOSTLY = 0.7
_OURS = ("[pruned t", "<compressed-chain ")
_REMEMBERED = 1 << 15
_COUNTED = re.compile(r" \(\u00d7\d+\)$").sub
_RUN = 8


def names(text: str) -> list[str]:
    """The names in `text`, each once, in order of first occurrence.

    Dates, times and durations are no names; of a run of consecutive numbers (line numbers) only the ends are.
    Takes time linear in the text. The list is shared with later calls: it must not be changed.
    """
    return _memory.recall(text, _found)


class _Memory:
    """What was found in the latest texts, some `_REMEMBERED` names in all: a prune looks at the same texts two or
    three times. Known by their hashes, so that no text is held."""

    def __init__(self) -> None:
        self._found: dict[tuple[Callable[[str], list[str]], int, int], list[str]] = {}
        self._count = 0

    def recall(self, text: str, find: Callable[[str], list[str]]) -> list[str]:
        """What `find` finds in the text."""
        key = (find, hash(text), len(text))
        found = self._found.get(key)
        if found is None:
            found = find(text)
            if self._count > _REMEMBERED:
                self._found, self._count = {}, 0
            self._found[key] = found
            self._count += len(found) + 1
        return found


_memory = _Memory()


def _found(text: str) -> list[str]:
    if "\x1b" in text:
        text = plain(text)
    windows = _WINDOWS.findall(text) if ":\\" in text else []
    spread = _WINDOWS.sub(" ", text) if windows else text
    if "\\" in spread:  # or the letter of an escaped line end would stick to the name after it
        spread = spread.replace("\\n", "\n").replace("\\t", "\t")
    found = dict.fromkeys(map(_name, dict.fromkeys(_TOKENS(spread))))
    found.pop("", None)
    if "</" in text:
        for tag in _CLOSING_TAGS(text):
            found.pop(tag[1:], None)
    if "://" in text:
        found = _with_whole(found, _urls(text), "://")
    found.update(dict.fromkeys(path.replace("\\\\", "\\").rstrip(".") for path in windows))
    return _without_runs(list(found))


@lru_cache(maxsize=1 << 14)
def _name(token: str) -> str:
    """The name in a token, without what only decorates it; empty when there is none."""
    if token.isidentifier() or token.isdecimal():
        return token if _is_telling(token) else ""
    name = token.rstrip(_SIGNS)
    if name[:1] in _SIGNS:
        name = _front(name)
    elif name[0].isdecimal():
        name = _FOUND("", name, 1)
    if ":" in name:
        name = _COLUMN(r"\1", name)
    if name.isidentifier():
        return name if _is_telling(name) else ""
    return name if 3 < len(name) <= LONGEST and not _is_noise(name) else ""


def _is_telling(word: str) -> bool:
    """Whether a word without joints is more than a plain word: a hump, capitals, digits, an underscore."""
    if not 3 < len(word) <= LONGEST:
        return False
    if not word.isalpha():
        return word.strip("_") != "" and not _is_blob(word)
    return not word[1:].islower() and (word.isupper() or _HUMP(word) is not None)


def _is_noise(name: str) -> bool:
    """Whether a token with joints is a measure, the progress of a test run, the mode of a file, or data."""
    if name[0].isdecimal() and _MEASURE(name):
        return True
    return not name.strip(".FEsxPS") or not name.strip("dlrwxsStT-") or _is_blob(name)


def _front(name: str) -> str:
    """The name without what only decorates its front; `--flag`, `.file`, `/path`, `~/path`, `../path` and
    `@scope/package` stay."""
    bare = name.lstrip(_SIGNS)
    front = name[: len(name) - len(bare)]
    if front == "@" and "/" in bare:
        return name
    kept = _KEPT_FRONT(front)
    return kept[0] + bare if kept else bare


def _is_blob(name: str) -> bool:
    """Whether this is a stretch of encoded data rather than a name."""
    if len(name) < 56:
        return False
    longest = max(re.split(r"[/.:@_~-]", name), key=len)
    return len(longest) > 30 and not (longest.islower() or longest.isupper() or longest.isalpha())


def _urls(text: str) -> list[str]:
    """The URLs in `text`."""
    found = []
    for hit in _URLS(text):
        scheme = _SCHEME(text, max(0, hit.start() - 16), hit.start())
        if scheme:
            found.append(scheme[0] + hit[0].rstrip(".,;:!?*'"))
    return found


def _with_whole(found: dict[str, None], whole: list[str], joint: str) -> dict[str, None]:
    """`found` with the pieces of the `whole` names replaced by these."""
    return dict.fromkeys([*(name for name in found if joint not in name), *whole])


def _without_runs(found: list[str]) -> list[str]:
    """`found` without the inner members of runs of consecutive numbers."""
    numbers = [int(name) for name in found if len(name) < 10 and name.isdecimal()]
    if len(numbers) < _RUN:
        return found
    inner: set[str] = set()
    start = 0
    for i in range(1, len(numbers) + 1):
        if i == len(numbers) or numbers[i] != numbers[i - 1] + 1:
            if i - start >= _RUN:
                inner.update(map(str, numbers[start + 1 : i - 1]))
            start = i
    return [name for name in found if name not in inner] if inner else found


class Seen:
    """The names that something in view says.

    Keeps 64-bit hashes: 8 bytes a name beyond the newest `RECENT`. Not for use from several threads at once.
    """

    RECENT = 1 << 16

    def __init__(self) -> None:
        self._recent: set[int] = set()
        self._runs: list[array[int]] = []

    def add(self, text: str) -> None:
        """Take in the names of a text; of a stub or a block, also the grouped ones and its lines."""
        self.add_names(_memory.recall(text, _told) if text.startswith(_OURS) else names(text))

    def add_names(self, found: Iterable[str]) -> None:
        """Take in names."""
        self._recent.update(map(hash, found))
        if len(self._recent) >= self.RECENT:
            self._runs.append(array("q", sorted(self._recent)))
            self._recent = set()

    def __contains__(self, name: str) -> bool:
        return not self.missing((name,))

    def missing(self, found: Iterable[str]) -> list[str]:
        """Those of `found` that nothing in view says, in order."""
        recent = self._recent
        fresh = [name for name in found if hash(name) not in recent]
        for run in self._runs:
            fresh = [name for name in fresh if not _holds(run, hash(name))]
        return fresh


def stub_names(text: str) -> list[str]:
    """The names that a stub says below its header, grouped ones made whole again, in order."""
    found: list[str] = []
    for line in plain(text).split("\n")[1:]:
        label, _, rest = line.partition(": ")
        members = rest.split()
        listed = label == LABEL or (" " not in label and len(names(rest)) > MOSTLY * len(members))
        found += ungrouped(line) if listed and members else names(line)
    return list(dict.fromkeys(found))


def _told(text: str) -> list[str]:
    """What a stub or a block tells: its names, also the grouped ones, and its lines."""
    told: list[str] = []
    rest: list[str] = []
    for line in plain(text).split("\n"):
        told += ungrouped(line)
        if not line.startswith(f"{LABEL}: "):
            told.append(_COUNTED("", line) if line.endswith(")") else line)
            rest.append(line)
    return [*told, *_found("\n".join(rest))]


def _holds(run: array[int], key: int) -> bool:
    """Whether a sorted array holds the key."""
    at = bisect_left(run, key)
    return at < len(run) and run[at] == key
