"""Prune one transcript in a process of its own and print the peak of its memory in kB: TRANSCRIPT FOLDER."""

from __future__ import annotations

import sys
from pathlib import Path

import ours


def peak_kb() -> int:
    """The peak resident memory of this process in kB."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM"))


def main() -> None:
    """Prune and print."""
    transcript, folder = map(Path, sys.argv[1:])
    engine = ours.engine(folder)
    engine.prune_transcript(transcript, render=False)
    engine.close()
    print(peak_kb())


if __name__ == "__main__":
    main()
