"""A shell command line as the simple commands in it: their words, what they write to, how they are joined.

Only what is sure is told: a line whose quotes do not close gives nothing.
"""

from __future__ import annotations

import posixpath
import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass, field

_HEREDOC = re.compile(r"<<-?[ \t]*(['\"]?)\\?([A-Za-z_]\w*)\1([^\n]*)\n(?:[^\n]*\n)*?[ \t]*\2[ \t]*(?=\n|$|\))")
_COMMENT = re.compile(r"^[ \t]*#[^\n]*", re.MULTILINE)
# The number of what is redirected, which is no word of the command.
_DESCRIPTOR = re.compile(r"(?<=[ \t])\d(?=[<>])")
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=.*", re.DOTALL)
_DURATION = re.compile(r"\d+(?:\.\d+)?[smhd]?")
_VERSIONED = re.compile(r"(python|pypy|pip|ruby|node|perl|php|lua|gcc|g\+\+|clang|clang\+\+)-?[\d.]+")
_SUFFIX = re.compile(r"\.(?:exe|cmd|bat)$", re.IGNORECASE)
# What a package runner may have behind a program's name.
_VERSION = re.compile(r"(?<=.)@[\w.^~-]+$")
# What may be a path as Windows writes it, and what is one.
_WINDOWS = re.compile(r"(?<![^\s\"'])[\w.:-]++(?:\\[\w.-]++)+")
_WINDOWS_PATH = re.compile(r"\.{1,2}\\|[A-Za-z]:\\|.*\.(?:exe|cmd|bat)$")
# Options of `set` by which a script stops at a command that fails.
_STOPS = re.compile(r"(?:^|\s)-[a-z]*e|\berrexit\b")
# The characters of the shell's operators.
_SIGNS = "();<>|&\n`"
# What stands in front of the program proper.
_CONDITIONS = frozenset({"!", "elif", "if", "until", "while"})
_KEYWORDS = _CONDITIONS | {"do", "else", "then", "{", "}"}
# Programs that run the command behind them here, with their options that take a value.
_WRAPPERS = {
    **dict.fromkeys(("builtin", "caffeinate", "chronic", "command", "nohup", "setsid", "unbuffer"), ""),
    **dict.fromkeys(("timeout", "gtimeout"), "-k -s"),
    "env": "-u -C -S",
    "exec": "-a",
    "ionice": "-c -n",
    "nice": "-n",
    "stdbuf": "-i -o -e",
    "time": "-f -o",
    **dict.fromkeys(("doas", "sudo"), "-u -g -h -p -C -D -R -T"),
}
_SHELLS = frozenset({"bash", "dash", "ksh", "sh", "zsh"})
# Others that run a line, and the option in front of it.
_LINES = {
    **dict.fromkeys(("powershell", "pwsh"), frozenset({"-c", "-command"})),
    "cmd": frozenset({"/c"}),
    "nix-shell": frozenset({"--run"}),
    "su": frozenset({"-c"}),
}


@dataclass(slots=True)
class Simple:
    """One simple command: its words from the program on, the files that it is redirected to, and the folder that
    the line went to before it ("" for where it began).

    `joint`: the operator behind it. `piped`: its output goes into another command. `condition`: its status only
    decides what comes next. `tells`: the whole line's exit status is 0 only if its own is.
    """

    words: list[str]
    writes: list[str] = field(default_factory=list)
    folder: str = ""
    joint: str = ""
    condition: bool = False
    tells: bool = True

    @property
    def program(self) -> str:
        """The program's name without its folder, version and suffix."""
        return program_of(self.words[0])

    @property
    def arguments(self) -> list[str]:
        """The words behind the program."""
        return self.words[1:]

    @property
    def piped(self) -> bool:
        """Whether its output goes into another command."""
        return self.joint in ("|", "|&")


def program_of(word: str) -> str:
    """A program's name without its folder, version and suffix, in lower case."""
    name = _VERSION.sub("", posixpath.basename(word.replace("\\", "/")))
    name = _SUFFIX.sub("", name).lower()
    versioned = _VERSIONED.fullmatch(name)
    return versioned[1] if versioned else name


def simple_commands(line: str) -> list[Simple]:
    """The simple commands of a command line in order, those within `bash -c` among them; none where it cannot be
    taken apart for sure."""
    text = _COMMENT.sub("", _HEREDOC.sub(r"\3\n", line.replace("\\\n", " ")))
    text = _WINDOWS.sub(_slashed, _DESCRIPTOR.sub("", text))
    lexer = shlex.shlex(text, posix=True, punctuation_chars=_SIGNS)
    lexer.whitespace, lexer.whitespace_split, lexer.commenters = " \t\r", True, ""
    try:
        found = _Line().take(list(lexer))
    except ValueError:
        return []
    _tell(found)
    return found


def _tell(found: Sequence[Simple]) -> None:
    """Note of each command whether the line's exit status tells of it."""
    stops = pipes = False
    strict = []
    for simple in found:
        strict.append((stops, pipes))
        if simple.program == "set":
            options = " ".join(simple.arguments)
            stops = (stops or _STOPS.search(options) is not None) and "+e" not in options
            pipes = pipes or "pipefail" in options
    passed_on = True
    for at, (simple, (stops, pipes)) in enumerate(zip(reversed(found), reversed(strict), strict=True)):
        passed_on = passed_on and (at == 0 or _passes_on(simple, stops))
        lost = simple.condition or simple.joint == "&" or (simple.piped and not pipes)
        simple.tells = passed_on and not lost


def _slashed(path: re.Match[str]) -> str:
    """A path of Windows with slashes; in other shells a backslash takes the meaning of what is behind it."""
    return path[0].replace("\\", "/") if _WINDOWS_PATH.match(path[0]) else path[0]


def _passes_on(simple: Simple, stops: bool) -> bool:
    """Whether what comes behind a command fails if that fails, or is part of the same pipe."""
    return simple.joint == "&&" or simple.piped or (stops and simple.joint == ";" and not simple.condition)


class _Line:
    """The tokens of a line as they are taken in."""

    def __init__(self) -> None:
        self.found: list[Simple] = []
        self.folder = ""
        self.words: list[str] = []
        self.writes: list[str] = []
        # Of each open bracket whether it stands in the words of a command, which loses its status; and whether one
        # closed just now that does not.
        self.opened: list[bool] = []
        self.closed = False

    def take(self, tokens: Sequence[str]) -> list[Simple]:
        """The commands of these tokens."""
        redirect = ""
        for token in tokens:
            sign = _is_sign(token)
            if redirect and not sign:
                self._redirect(redirect, token)
                redirect = ""
            elif sign and _is_redirect(token):
                redirect = token
            elif sign:
                lost = self._brackets(token)
                self._end(";" if lost else token.replace("\n", ";").strip(";()`") or ";")
                self.closed = ")" in token and not lost and bool(self.found)
                redirect = ""
            else:
                self.words.append(token)
                self.closed = False
        self._end("")
        return self.found

    def _brackets(self, sign: str) -> bool:
        """Take in the brackets of a sign; whether what the last one closes is but a word of a command."""
        lost = False
        for char in sign:
            if char == "(":
                self.opened.append(bool(unwrapped(self.words)))
            elif char == ")":
                lost = not self.opened or self.opened.pop()
        return lost

    def _redirect(self, sign: str, target: str) -> None:
        copies = sign.endswith("&") and (target.isdigit() or target == "-")
        if ">" in sign and not copies:
            self.writes.append(target)

    def _end(self, joint: str) -> None:
        words, writes = unwrapped(self.words), self.writes
        condition = not _CONDITIONS.isdisjoint(self.words[: len(self.words) - len(words)])
        self.words, self.writes = [], []
        if not words:
            if self.closed and joint != ";":
                # Behind a bracket stands the operator of all that is in it.
                self.found[-1].joint = joint
            return
        inside = simple_commands(inner) if (inner := line_of_shell(words)) else []
        for simple in inside:
            simple.folder = posixpath.join(self.folder, simple.folder)
        self.found += inside or [Simple(words, writes, self.folder)]
        last = self.found[-1]
        last.joint, last.condition = joint, condition
        if last.program == "cd" and len(last.words) == 2:
            self.folder = posixpath.join(self.folder, last.words[1])


def _is_sign(token: str) -> bool:
    return bool(token) and all(char in _SIGNS for char in token)


def _is_redirect(token: str) -> bool:
    return ("<" in token or ">" in token) and "(" not in token and "\n" not in token


def unwrapped(words: list[str]) -> list[str]:
    """The words from the program proper on, without assignments and what only runs it."""
    at = 0
    wrapped, valued = False, ""
    while at < len(words):
        word = words[at]
        name = posixpath.basename(word)
        optional = wrapped and (word.startswith("-") or _DURATION.fullmatch(word) is not None)
        if name in _WRAPPERS and not (name == "command" and words[at + 1 : at + 2] in (["-v"], ["-V"])):
            wrapped, valued = True, _WRAPPERS[name]
        elif wrapped and word in valued.split():
            at += 1
        elif not (word in _KEYWORDS or optional or _ASSIGNMENT.fullmatch(word)):
            break
        at += 1
    return words[at:]


def line_of_shell(words: list[str]) -> str:
    """The command line that a shell in front is told to run, "" for none."""
    program = program_of(words[0])
    for at, word in enumerate(words[1:-1], 1):
        if program in _SHELLS and word.startswith("-") and word.endswith("c"):
            return words[at + 1]
        if word.lower() in _LINES.get(program, ()):
            return " ".join(words[at + 1 :])
    return ""
