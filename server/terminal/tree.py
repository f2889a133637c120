"""The tree widget of the browser: rows of the session's tree as nodes that fold, each one line of the screen."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from rich.segment import Segment
from rich.style import Style
from rich.text import Text
from textual import events
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.strip import Strip
from textual.widgets import Tree
from textual.widgets.tree import TreeNode

from prune_mcp.engine.answers import TreeRow
from prune_mcp.server.terminal.rows import Columns, label, measured, titles, what

Node = TreeNode[TreeRow]


class PrunedTree(Tree[TreeRow]):
    """Flushes, open; the blocks in them, folded; outputs. `rows` are in the order of the tree."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "select_cursor", "Original", key_display="Enter"),
        Binding("space", "toggle_node", "Fold", key_display="Space"),
        Binding("a", "fold_all", "All"),
        Binding("right", "unfold", show=False),
        Binding("left", "fold", show=False),
    ]

    class Measured(Message):
        """The widths of the columns changed; `columns` names them in their places."""

        def __init__(self, columns: str) -> None:
            super().__init__()
            self.columns = columns

    def __init__(self, rows: Sequence[TreeRow]) -> None:
        super().__init__("")
        self._rows = rows
        self._columns = Columns(0, (), 0)
        self.show_root = False
        self.guide_depth = 2
        self.auto_expand = False
        self._planted = self._plant()

    def _plant(self) -> list[Node]:
        """A node for each row, each below the last one that is less deep."""
        self.root.expand()
        above: list[Node] = [self.root]
        nodes: list[Node] = []
        deeper = [*(row.depth for row in self._rows[1:]), 0]
        for row, next_depth in zip(self._rows, deeper, strict=True):
            del above[row.depth + 1 :]
            node = above[-1].add("", row, expand=not row.ref, allow_expand=next_depth > row.depth)
            above.append(node)
            nodes.append(node)
        return nodes

    def on_mount(self) -> None:
        """Begin at the first row."""
        self.cursor_line = 0

    def on_resize(self, event: events.Resize) -> None:
        """Fit the columns to the screen."""
        self._measure()

    def _measure(self) -> None:
        # A blank stands between the numbers and the scroll bar.
        width = self.scrollable_content_region.width - 1
        if width > 0 and width != self._columns.width:
            self._columns = measured(self._rows, width)
            self.post_message(self.Measured(titles(self._columns)))

    def render_line(self, y: int) -> Strip:
        """A line of the screen; what has no style gets an empty one: textual's filter for `NO_COLOR` needs it."""
        strip = super().render_line(y)
        return Strip([Segment(text, style or Style.null(), control) for text, style, control in strip])

    def render_label(self, node: Node, base_style: Style, style: Style) -> Text:
        """The line of a node, in exactly the cells that its indentation leaves."""
        if node.data is None or not self._columns.width:
            return Text("")
        mark = "" if not node.allow_expand else self.ICON_NODE_EXPANDED if node.is_expanded else self.ICON_NODE
        taken = self.guide_depth * node.data.depth + len(mark)
        text = label(node.data, self._columns, taken)
        text.stylize(style)
        return Text.assemble((mark, base_style + Style(meta={"toggle": True})), text)

    def get_label_width(self, node: Node) -> int:
        """The cells of a label; all lines are as wide as the screen, so that none has to be drawn for it."""
        # The base class counts an indentation for the hidden root, too.
        depth = node.data.depth + 1 if node.data else 0
        return max(0, self._columns.width - self.guide_depth * depth)

    def find(self, words: str, step: int) -> tuple[int, int]:
        """Put the cursor on the next row that has `words`, going round; which of how many, counted from 1.

        `step`: 1 forwards, -1 backwards. (0, 0): no row has them, and the cursor stays.
        """
        wanted = words.casefold()
        found = [at for at, row in enumerate(self._rows) if wanted in f"{what(row)} {row.status}".casefold()]
        if not found:
            return 0, 0
        here = self._planted.index(self.cursor_node) if self.cursor_node in self._planted else -1
        if step > 0:
            place = next((place for place, at in enumerate(found) if at > here), 0)
        else:
            place = next((place for place in reversed(range(len(found))) if found[place] < here), len(found) - 1)
        self._go_to(self._planted[found[place]])
        return place + 1, len(found)

    def _go_to(self, node: Node) -> None:
        """Put the cursor on a node, unfolding what it is in."""
        above = node.parent
        while above is not None:
            above.expand()
            above = above.parent
        # A node has its line only once the unfolded tree was built.
        self.call_after_refresh(self.move_cursor, node)

    def action_fold_all(self) -> None:
        """Unfold every row, or fold all below the flushes where none is folded."""
        foldable = [node for node in self._planted if node.allow_expand]
        if any(node.is_collapsed for node in foldable):
            for node in foldable:
                node.expand()
        else:
            for node in foldable:
                if node.data and node.data.ref:
                    node.collapse()

    def action_unfold(self) -> None:
        """Unfold the row of the cursor."""
        if self.cursor_node is not None:
            self.cursor_node.expand()

    def action_fold(self) -> None:
        """Fold the row of the cursor, or go to the one that it is in."""
        node = self.cursor_node
        if node is None:
            return
        if node.allow_expand and node.is_expanded:
            node.collapse()
        elif node.parent is not None and not node.parent.is_root:
            self.move_cursor(node.parent)
