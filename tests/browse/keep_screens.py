"""Keeps the screens as they are drawn now, to be looked at before they are committed.

python -m tests.browse.keep_screens
"""

from __future__ import annotations

import asyncio
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.browse.scenes import NAMES, SCREENS, drawn
from tests.browse.showcase import pruned

if __name__ == "__main__":
    with TemporaryDirectory() as folder:
        engine, answer = pruned(Path(folder))
        for name in NAMES:
            lines = asyncio.run(drawn(engine, answer, name))
            (SCREENS / f"{name}.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
        engine.close()
