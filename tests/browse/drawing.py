"""What the browser shows, as text: read out of the picture that textual exports."""

from __future__ import annotations

import re
from xml.etree import ElementTree

from rich.cells import cell_len
from textual.app import App

# The width of a cell in the picture.
CELL = 12.2


def screen(app: App[None]) -> list[str]:
    """The lines on the screen, without colors and blanks at their ends."""
    picture = ElementTree.fromstring(app.export_screenshot())
    lines: dict[int, str] = {}
    for piece in picture.iter("{http://www.w3.org/2000/svg}text"):
        row = re.search(r"line-(\d+)\)", piece.get("clip-path", ""))
        if row is None or piece.text is None:
            continue
        line = lines.get(int(row[1]), "")
        column = round(float(piece.get("x", "0")) / CELL)
        lines[int(row[1])] = line + " " * (column - cell_len(line)) + piece.text.replace("\xa0", " ")
    return [lines.get(row, "").rstrip() for row in range(app.size.height)]
