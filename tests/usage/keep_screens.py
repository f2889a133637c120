"""Keeps the screens as they are drawn now, to be looked at before they are committed.

python -m tests.usage.keep_screens
"""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

from tests.usage.test_screens import SCREENS, WINDOWS, drawn, weighed

if __name__ == "__main__":
    with TemporaryDirectory() as folder:
        answer = weighed(Path(folder))
    for name, window in WINDOWS.items():
        (SCREENS / f"{name}.txt").write_text("\n".join(drawn(answer, window)) + "\n", encoding="utf-8")
