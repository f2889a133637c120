"""The browser's screen for one original: a page of its exact text at a time, made safe for the terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.screen import Screen
from textual.widgets import Footer, Static

from prune_mcp.engine.answers import EngineError, Recovered
from prune_mcp.engine.recovery.recover import recover
from prune_mcp.server.commands.console import visible
from prune_mcp.server.terminal.rows import one_line
from prune_mcp.storage.errors import StoreError

if TYPE_CHECKING:
    from prune_mcp.engine.engine import Engine

# Characters of one page.
PAGE = 20_000
TAB = 8

# The page of the original behind a ref that begins at this character, counted from 0; at most PAGE of them.
Read = Callable[[str, int], Recovered]


def page_of(engine: Engine, session: str, ref: str, offset: int) -> Recovered:
    """The page of an original that begins at this character.

    Raises:
        EngineError: the ref is not known.
        StoreError: the store cannot be read.
    """
    # What a person looks at goes into no context, so that it is not charged to the savings.
    answer = recover(
        engine.store, [ref], session=session, offset=offset, limit=PAGE, budget=sys.maxsize, charged=False
    )
    return answer.items[0]


class OriginalScreen(Screen[None]):
    """One original over the tree; `label` says what it is, `page` is its first page, `read` brings the others."""

    CSS = """
    #name, #place, #note { height: 1; text-wrap: nowrap; text-overflow: ellipsis; }
    #name { text-style: bold; }
    #place, #note { color: $text-muted; }
    VerticalScroll { height: 1fr; scrollbar-size-vertical: 1; }
    #text { height: auto; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "dismiss", "Tree", key_display="Esc"),
        Binding("backspace", "dismiss", show=False),
        Binding("n", "turn(1)", "Next page"),
        Binding("p", "turn(-1)", "Page before"),
        Binding("space", "scroll_on", "Scroll", key_display="Space"),
    ]

    def __init__(self, label: str, page: Recovered, read: Read) -> None:
        super().__init__()
        self._label = label
        self._page = page
        self._read = read

    def compose(self) -> ComposeResult:
        """What stands on the screen, from above."""
        yield Static(one_line(f"{self._page.ref} {self._label}"), id="name", markup=False)
        yield Static("", id="place", markup=False)
        yield Static("", id="note", markup=False)
        with VerticalScroll():
            yield Static("", id="text", markup=False)
        yield Footer(show_command_palette=False)

    def on_mount(self) -> None:
        """Show the first page."""
        self.query_one(VerticalScroll).focus()
        self._show()

    def action_turn(self, pages: int) -> None:
        """Show the page so many pages on, if there is one."""
        offset = (self._page.start or 0) + pages * PAGE
        if not 0 <= offset < max(self._page.total, 1):
            return
        try:
            self._page = self._read(self._page.ref, offset)
        except (EngineError, StoreError) as error:
            self._say(str(error))
            return
        self._show()

    def action_scroll_on(self) -> None:
        """Scroll by a screen."""
        self.query_one(VerticalScroll).scroll_page_down(animate=False)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer to turn pages only where there are several."""
        return action != "turn" or self._page.total > PAGE

    def _show(self) -> None:
        text = visible(self._page.text).expandtabs(TAB)
        self.query_one("#text", Static).update(Text(text, overflow="fold"))
        self.query_one(VerticalScroll).scroll_home(animate=False)
        self.query_one("#place", Static).update(self._place())
        self._say(self._page.note)

    def _place(self) -> str:
        """Which characters of how many are shown, and what became of the original."""
        page = self._page
        status = f"{one_line(page.status)}; " if page.status != "ok" else ""
        start = page.start or 0
        if not page.text:
            return f"{status}nothing to show of {page.total:,} characters"
        pages = f"page {start // PAGE + 1:,} of {-(-page.total // PAGE):,}, " if page.total > PAGE else ""
        return f"{status}{pages}characters {start + 1:,} to {start + len(page.text):,} of {page.total:,}"

    def _say(self, note: str) -> None:
        line = self.query_one("#note", Static)
        line.display = bool(note)
        line.update(one_line(note))
