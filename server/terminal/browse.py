"""The tree of what was pruned as a full-screen browser: rows that fold, a search, the original on a key.

It is built on textual, which nothing but `prune-mcp tree --browse` loads.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, ClassVar

from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.widgets import Footer, Input, Static, Tree

from prune_mcp.engine.answers import EngineError, TreeAnswer, TreeRow
from prune_mcp.server.commands.console import visible
from prune_mcp.server.terminal.original import OriginalScreen, Read, page_of
from prune_mcp.server.terminal.rows import details, heading
from prune_mcp.server.terminal.tree import PrunedTree
from prune_mcp.storage.errors import StoreError

if TYPE_CHECKING:
    from prune_mcp.engine.engine import Engine


class Words(Input):
    """The line in which words to find are given; out of sight until they are asked for."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "submit", "Find", key_display="Enter"),
        Binding("escape", "app.leave", "Tree", key_display="Esc"),
    ]

    def __init__(self) -> None:
        super().__init__(placeholder="words of a row", compact=True)


class Browser(App[None]):
    """Browse one session's tree; `read` brings a page of an original when it is asked for."""

    CSS = """
    #heading, #columns, #notes { height: 1; text-wrap: nowrap; text-overflow: ellipsis; }
    #heading { text-style: bold; }
    #columns { color: $text-muted; }
    PrunedTree { height: 1fr; padding: 0; scrollbar-size-vertical: 1; background: $background; }
    #bar { height: 1; background: $surface; }
    #details { width: 1fr; height: 1; text-wrap: nowrap; text-overflow: ellipsis; }
    #found { width: auto; height: 1; padding-left: 2; }
    Words { display: none; height: 1; }
    Words.asking { display: block; }
    .-low #notes { display: none; }
    """
    ENABLE_COMMAND_PALETTE = False
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("slash", "ask", "Find", key_display="/"),
        Binding("n", "find(1)", "Next", key_display="n/N"),
        Binding("N", "find(-1)", show=False),
        Binding("q", "quit", "Quit"),
        Binding("ctrl+c", "quit", show=False, priority=True),
    ]

    def __init__(self, answer: TreeAnswer, read: Read) -> None:
        super().__init__()
        self.VERTICAL_BREAKPOINTS = [(0, "-low"), (16, "-high")]
        self._answer = answer
        self._read = read
        self._words = ""

    def compose(self) -> ComposeResult:
        """What stands on the screen, from above."""
        notes = visible("; ".join(self._answer.notes))
        yield Static(heading(self._answer), id="heading", markup=False)
        if notes:
            yield Static(notes, id="notes", markup=False)
        yield Static("", id="columns", markup=False)
        yield PrunedTree(self._answer.rows)
        with Horizontal(id="bar"):
            yield Static("", id="details", markup=False)
            yield Static("", id="found", markup=False)
        yield Words()
        yield Footer(show_command_palette=False)

    def on_mount(self) -> None:
        """Begin in the tree, at its first row."""
        self._tree.focus()

    @property
    def _tree(self) -> PrunedTree:
        return self.screen_stack[0].query_one(PrunedTree)

    def _show(self, place: str, text: str) -> None:
        self.screen_stack[0].query_one(place, Static).update(text)

    def on_pruned_tree_measured(self, event: PrunedTree.Measured) -> None:
        """Write the names of the columns above them."""
        self._show("#columns", event.columns)

    def on_tree_node_highlighted(self, event: Tree.NodeHighlighted[TreeRow]) -> None:
        """Tell all of the row that the cursor is on, since a narrow screen leaves things out."""
        self._show("#details", details(event.node.data) if event.node.data else "")

    def on_tree_node_selected(self, event: Tree.NodeSelected[TreeRow]) -> None:
        """Open the original of a row; a flush has none, so it is folded."""
        row = event.node.data
        if row is None or not row.ref:
            event.node.toggle()
            return
        try:
            first = self._read(row.ref, 0)
        except (EngineError, StoreError) as error:
            self._show("#found", visible(str(error)))
            return
        self.push_screen(OriginalScreen(row.label, first, self._read))

    def action_ask(self) -> None:
        """Ask for words to find."""
        words = self.query_one(Words)
        words.add_class("asking")
        words.value = ""
        words.focus()

    def action_leave(self) -> None:
        """Give up asking."""
        self.query_one(Words).remove_class("asking")
        self._tree.focus()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Find the words that were given, from the row of the cursor on."""
        self._words = event.value.strip()
        self.action_leave()
        self.action_find(1)

    def action_find(self, step: int) -> None:
        """Go to the next row (`step` 1) or the one before (-1) with the words last asked for."""
        if not self._words:
            self._show("#found", "")
            return
        place, total = self._tree.find(self._words, step)
        words = self._words if len(self._words) < 20 else f"{self._words[:19]}\u2026"
        self._show("#found", f"{place} of {total}: {words}" if total else f"no row has {words}")

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Whether a key does something here: what acts on the tree takes that the tree has the keys."""
        return action not in {"ask", "find"} or isinstance(self.focused, PrunedTree)


def browser(engine: Engine, answer: TreeAnswer) -> Browser:
    """The browser of a whole tree, on the originals of its engine."""
    return Browser(answer, partial(page_of, engine, answer.session))
