"""The words of generated sessions: prose that all projects share, and names, paths, code and logs of each project.

Words come as often as in real text, by Zipf's law, and new ones keep coming: numbers, hashes, ids, names.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import accumulate
from pathlib import Path
from random import Random

WORDS = Path(__file__).parent / "words.txt"
ENDINGS = ("s", "ed", "ing")
ONSETS: tuple[str, ...] = (*"bcdfghklmnprstvz", "br", "ch", "dr", "fl", "gr", "qu")
CORES: tuple[str, ...] = (*"aeiou", "ai", "ea", "io", "oo")
CODAS: tuple[str, ...] = ("", *"lmnrstx", "rk", "sh", "st")
LANGUAGES = ("py", "ts", "go", "ex", "rs", "java")
NOUNS_PER_PROJECT = 260
NAMES_PER_PROJECT = 2600
FILES_PER_PROJECT = 240


class Zipf:
    """Draws items, the n-th in proportion to `1 / (n + shift) ** power`."""

    def __init__(self, items: Sequence[str], shift: float, power: float) -> None:
        self.items = items
        self.weights = list(accumulate((n + shift) ** -power for n in range(1, len(items) + 1)))

    def draw(self, random: Random, count: int) -> list[str]:
        """Some items, repetitions included."""
        return random.choices(self.items, cum_weights=self.weights, k=count)


@cache
def english() -> Zipf:
    """The words of prose, common ones first, most in several forms."""
    small, nouns, verbs, *others = (line.split() for line in WORDS.read_text(encoding="utf-8").splitlines())
    stems = [*nouns, *verbs, *(word for words in others for word in words)]
    inflected = [*(noun + "s" for noun in nouns), *(verb + ending for verb in verbs for ending in ENDINGS)]
    Random(1).shuffle(stems)
    Random(1).shuffle(inflected)
    return Zipf(list(dict.fromkeys([*small, *stems, *inflected])), 4, 1.3)


def pseudo_word(random: Random) -> str:
    """A word that no dictionary has, as projects and their parts are called."""
    syllables = random.choice((2, 2, 3))
    parts = [random.choice(ONSETS) + random.choice(CORES) for _ in range(syllables)]
    return "".join(parts) + random.choice(CODAS)


def hexadecimal(random: Random, digits: int) -> str:
    """A hash, or the beginning of one."""
    return f"{random.getrandbits(4 * digits):0{digits}x}"


class Project:
    """One project: its folder, its names, its files. All text about it is made here, from one seeded generator."""

    def __init__(self, number: int, seed: int) -> None:
        self.random = random = Random(f"{seed}/{number}")
        self.name = pseudo_word(random)
        self.cwd = f"/home/dev/{random.choice(('work', 'src', 'code'))}/{self.name}"
        self.language = random.choice(LANGUAGES)
        words = english().items[60:900]
        self.nouns = [*random.sample(words, NOUNS_PER_PROJECT), *(pseudo_word(random) for _ in range(40))]
        random.shuffle(self.nouns)
        self.names = Zipf([self._name() for _ in range(NAMES_PER_PROJECT)], 6, 1.42)
        self.paths = Zipf([self._path() for _ in range(FILES_PER_PROJECT)], 3, 1.3)
        self.files: dict[str, list[str]] = {}

    def _name(self) -> str:
        parts = self.random.choices(self.nouns, k=self.random.choice((1, 2, 2, 2, 3)))
        if self.language in ("ts", "go", "java") or self.random.random() < 0.15:
            return parts[0] + "".join(part.capitalize() for part in parts[1:])
        return "_".join(parts)

    def _path(self) -> str:
        folder = "/".join(self.random.choices(self.nouns[:40], k=self.random.choice((1, 2, 2, 3))))
        stem = "_".join(self.random.choices(self.nouns, k=self.random.choice((1, 2))))
        top = self.random.choice(("src", "src", "lib", "tests", "docs"))
        return f"{self.cwd}/{top}/{folder}/{stem}.{self.language if top != 'docs' else 'md'}"

    def path(self) -> str:
        """One of the project's files, some much more often than others."""
        return self.paths.draw(self.random, 1)[0]

    def file(self, path: str) -> list[str]:
        """The lines of a file, the same each time it is read."""
        if path not in self.files:
            count = int(self.random.lognormvariate(6.0, 0.7))
            make = self.sentence if path.endswith(".md") else self.code
            self.files[path] = [make() for _ in range(min(count, 2000))]
        return self.files[path]

    def sentence(self) -> str:
        """Prose as people and models write it about code: words, and a name or a path now and then."""
        random = self.random
        words = english().draw(random, random.randrange(5, 19))
        if random.random() < 0.45:
            words[random.randrange(len(words))] = f"`{self.names.draw(random, 1)[0]}`"
        if random.random() < 0.12:
            words.append(self.path().removeprefix(self.cwd + "/"))
        return " ".join(words).capitalize() + random.choice((".", ".", ".", ":", "?", ";"))

    def code(self) -> str:
        """One line of source."""
        random = self.random
        one, two, three, four = self.names.draw(random, 4)
        indent = "    " * random.choice((0, 1, 1, 2, 2, 3))
        match random.randrange(12):
            case 0:
                return f"{indent}# {self.sentence()}"
            case 1:
                return ""
            case 2:
                return f"{indent}def {one}({two}, {three}=None):"
            case 3:
                return f"{indent}if {one}.{two} is not None and {three} > {random.randrange(100)}:"
            case 4:
                return f'{indent}raise ValueError(f"{" ".join(english().draw(random, 5))}: {{{one}}}")'
            case 5:
                return f"{indent}return {one}({two}, {three})"
            case 6:
                return f"from {self.name}.{one} import {two}, {three}"
            case 7:
                return f'{indent}"{one}": {random.choice((two, random.randrange(4000)))},'
            case _:
                return f"{indent}{one} = {two}.{three}({four})"

    def log(self) -> str:
        """One line that a program printed, with what comes but once: times, ids, numbers."""
        random = self.random
        one, two = self.names.draw(random, 2)
        path = self.path()
        short = path.removeprefix(self.cwd + "/")
        match random.randrange(9):
            case 0:
                level = random.choice(("INFO", "INFO", "DEBUG", "WARN", "ERROR"))
                return f"{self._moment()} {level} {one}: {' '.join(english().draw(random, 6))}"
            case 1:
                return f"{hexadecimal(random, 7)} {self.sentence()}"
            case 2:
                return f"{short}::test_{one} PASSED [{random.randrange(101):3d}%]"
            case 3:
                size, day = random.randrange(90, 60_000), random.randrange(1, 29)
                return f"-rw-r--r--  1 dev  staff  {size:6d} Mar {day:2d} {one}.{self.language}"
            case 4:
                return f'  File "{path}", line {random.randrange(900)}, in {one}'
            case 5:
                return f"  at {one} ({path}:{random.randrange(900)}:{random.randrange(80)})"
            case 6:
                return f"{two}: {one} took {random.randrange(1, 5000)} ms"
            case 7:
                return f"E   AssertionError: {one} == {random.randrange(1000)}"
            case _:
                return short

    def _moment(self) -> str:
        seconds = self.random.randrange(86_400)
        day = f"2026-{self.random.randrange(1, 10):02d}-{self.random.randrange(1, 29):02d}"
        return f"{day}T{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}"

    def text(self, line: str, size: int) -> str:
        """Lines of one kind (`sentence`, `code` or `log`) up to a size in characters."""
        make = {"sentence": self.sentence, "code": self.code, "log": self.log}[line]
        lines: list[str] = []
        room = size
        while room > 0:
            lines.append(make())
            room -= len(lines[-1]) + 1
        return (" " if line == "sentence" and size < 400 else "\n").join(lines)[:size]

    def passage(self, path: str, size: int) -> list[str]:
        """Lines of a file from somewhere on, up to a size; of further files where it is too short."""
        lines: list[str] = []
        source = self.file(path)
        at = self.random.randrange(len(source) // 2 + 1)
        while size > 0:
            if at >= len(source):
                source, at = self.file(self.path()), 0
            lines.append(source[at])
            size -= len(source[at]) + 8
            at += 1
        return lines
