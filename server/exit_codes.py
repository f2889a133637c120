"""What the program ends with, for scripts: the README tells them too."""

from __future__ import annotations

DONE = 0
FAILED = 1
# Wrong usage, as typer has it as well.
WRONG = 2
# By Ctrl-C, and by a closed pipe: 128 and the number of the signal that ends other programs there.
STOPPED, PIPE_CLOSED = 130, 141
