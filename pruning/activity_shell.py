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
# The characters of the shell's operators.
_SIGNS = "();<>|&\n"
# What stands in front of the program proper.
_KEYWORDS = frozenset({"!", "do", "elif", "else", "if", "then", "until", "while", "{", "}"})
_WRAPPERS = frozenset({"builtin", "command", "env", "exec", "nice", "nohup", "sudo", "time", "timeout"})
_SHELLS = frozenset({"bash", "sh", "zsh", "dash"})


@dataclass(slots=True)
class Simple:
    """One simple command: its words from the program on, the files that it is redirected to, and the folder that
    the line went to before it ("" for where it began).

    `joint`: the operator behind it. `piped`: its output goes into another command. `tells`: the whole line's exit
    status is 0 only if its own is.
    """

    words: list[str]
    writes: list[str] = field(default_factory=list)
    folder: str = ""
    joint: str = ""
    tells: bool = True

    @property
    def program(self) -> str:
        """The program's name without its folder, version and suffix."""
        name = posixpath.basename(self.words[0].replace("\\", "/"))
        name = _SUFFIX.sub("", name).lower()
        versioned = _VERSIONED.fullmatch(name)
        return versioned[1] if versioned else name

    @property
    def arguments(self) -> list[str]:
        """The words behind the program."""
        return self.words[1:]

    @property
    def piped(self) -> bool:
        """Whether its output goes into another command."""
        return self.joint in ("|", "|&")


def simple_commands(line: str) -> list[Simple]:
    """The simple commands of a command line in order, those within `bash -c` among them; none where it cannot be
    taken apart for sure."""
    text = _COMMENT.sub("", _HEREDOC.sub(r"\3\n", line.replace("\\\n", " ")))
    lexer = shlex.shlex(_DESCRIPTOR.sub("", text), posix=True, punctuation_chars=_SIGNS)
    lexer.whitespace, lexer.whitespace_split, lexer.commenters = " \t\r", True, ""
    try:
        found = _Line().take(list(lexer))
    except ValueError:
        return []
    for at, simple in enumerate(found):
        simple.tells = not simple.piped and all(_passes_on(other) for other in found[at:-1])
    return found


def _passes_on(simple: Simple) -> bool:
    """Whether what comes behind a command fails if that fails, or is part of the same pipe."""
    return simple.joint == "&&" or simple.piped


class _Line:
    """The tokens of a line as they are taken in."""

    def __init__(self) -> None:
        self.found: list[Simple] = []
        self.folder = ""
        self.words: list[str] = []
        self.writes: list[str] = []

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
                self._end(token.replace("\n", ";").strip(";()") or ";")
                redirect = ""
            else:
                self.words.append(token)
        self._end("")
        return self.found

    def _redirect(self, sign: str, target: str) -> None:
        copies = sign.endswith("&") and (target.isdigit() or target == "-")
        if ">" in sign and not copies:
            self.writes.append(target)

    def _end(self, joint: str) -> None:
        words, writes = _unwrapped(self.words), self.writes
        self.words, self.writes = [], []
        if not words:
            return
        inside = simple_commands(inner) if (inner := _line_of_shell(words)) else []
        for simple in inside:
            simple.folder = posixpath.join(self.folder, simple.folder)
        self.found += inside or [Simple(words, writes, self.folder)]
        last = self.found[-1]
        last.joint = joint
        if last.program == "cd" and len(last.words) == 2:
            self.folder = posixpath.join(self.folder, last.words[1])


def _is_sign(token: str) -> bool:
    return bool(token) and all(char in _SIGNS for char in token)


def _is_redirect(token: str) -> bool:
    return ("<" in token or ">" in token) and "(" not in token and "\n" not in token


def _unwrapped(words: list[str]) -> list[str]:
    """The words from the program proper on."""
    at = 0
    wrapped = False
    while at < len(words):
        word = words[at]
        optional = wrapped and (word.startswith("-") or _DURATION.fullmatch(word) is not None)
        if posixpath.basename(word) in _WRAPPERS:
            wrapped = True
        elif not (word in _KEYWORDS or optional or _ASSIGNMENT.fullmatch(word)):
            break
        at += 1
    return words[at:]


def _line_of_shell(words: list[str]) -> str:
    """The command line that a shell in front is told to run, "" for none."""
    if posixpath.basename(words[0]) not in _SHELLS:
        return ""
    at = next((at for at, word in enumerate(words) if word.startswith("-") and word.endswith("c")), -1)
    return words[at + 1] if 0 < at < len(words) - 1 else ""
