"""The standard streams: there also where whoever started the program closed them, and given up where they fail."""

from __future__ import annotations

import os
import sys

MODES = (("stdin", "r"), ("stdout", "w"), ("stderr", "w"))


def open_missing() -> None:
    """Put nothing in the place of each closed standard stream: else a file of ours would take its number."""
    for number, (name, mode) in enumerate(MODES):
        try:
            os.fstat(number)
        except OSError:
            # The lowest number that is free is this one.
            os.set_inheritable(os.open(os.devnull, os.O_RDWR), True)
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(number, mode, encoding="utf-8", errors="replace", closefd=False))


def give_up_broken() -> bool:
    """Whether what was written to stdout and stderr arrived; what did not is dropped.

    Python would complain about it once more when it ends, and end with a code of its own.
    """
    whole = True
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
            whole = False
    return whole


def complain_no_more() -> None:
    """Let streams that are closed for good not tell again that they could not be written: from 3.13 on Python does
    so for each that holds something when it is thrown away."""
    otherwise = sys.unraisablehook

    def tell(unraisable: sys.UnraisableHookArgs) -> None:
        if not isinstance(unraisable.exc_value, OSError):
            otherwise(unraisable)

    sys.unraisablehook = tell
