"""The scenes that are kept as text: what is pressed to come to each, and at which sizes it is drawn."""

from __future__ import annotations

from itertools import product
from pathlib import Path

from prune_mcp.engine import Engine
from prune_mcp.engine.answers import TreeAnswer
from prune_mcp.server.terminal.browse import browser
from tests.browse.drawing import screen

SCREENS = Path(__file__).parent / "screens"
SIZES = {f"{columns}x{rows}": (columns, rows) for columns, rows in product((60, 86, 120), (10, 24, 50))}
KEYS = {
    "tree": (),
    "unfolded": ("a",),
    "found": ("slash", *"run 0", "enter"),
    "asking": ("slash", *"lo"),
    "hostile": ("down", "enter"),
    "huge": ("slash", *"run 0", "enter", "enter", "n"),
}
NAMES = [f"{scene}-{size}" for scene, size in product(KEYS, SIZES)]


async def drawn(engine: Engine, answer: TreeAnswer, name: str) -> list[str]:
    """The lines of the scene and size that are named."""
    scene, size = name.split("-")
    app = browser(engine, answer)
    async with app.run_test(size=SIZES[size]) as pilot:
        await pilot.press(*KEYS[scene])
        await pilot.pause()
        return screen(app)
