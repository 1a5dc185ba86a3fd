"""The docs of a method."""

from __future__ import annotations

import asyncio
from datetime import datetime
from typing import TYPE_CHECKING, Final

from textual import events
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.message import Message
from textual.strip import Strip

from rpcexplorer.model.method import Described, ExampleCall, Method
from rpcexplorer.model.profile import Profile
from rpcexplorer.tui.messages import message
from rpcexplorer.tui.theme import ThemeStyles, line
from rpcexplorer.tui.widgets.bars import Bar
from rpcexplorer.tui.widgets.rows import Sheet

if TYPE_CHECKING:
    from rpcexplorer.text.docs import ShownExample

MAX_FRAMES: Final = 20
"""Frames to wait for a page to get room; then it is hidden."""
MARK: Final = ("▸ ", "text bold")


class DocsSheet(Sheet, scope="docs"):
    """The docs of a method, with a cursor for examples."""

    @message
    class ExampleTaken(Message):
        """The params of an example should be loaded into the editor."""

        method: Method
        example: ExampleCall

    def __init__(self) -> None:
        super().__init__()
        self._about: tuple[Method | None, Described | None, datetime | None, Profile | None] = (None, None, None, None)
        self._examples: tuple[ShownExample, ...] = ()
        self._chosen = -1
        """The index of the example under the cursor."""
        self._chosen_scroll = -1
        """The scroll offset when the cursor was put there."""

    @property
    def method(self) -> Method | None:
        return self._about[0]

    def show(
        self, method: Method | None, described: Described | None, asked: datetime | None, profile: Profile | None = None
    ) -> None:
        """Show the docs of a method.

        Another method is shown from the top; the same one stays scrolled.
        """
        method_before, described_before, *others = self._about
        if method == method_before and described is described_before and [asked, profile] == others:
            return
        is_other = method is None or method_before is None or method.name != method_before.name
        self._about = (method, described, asked, profile)
        if is_other:
            self._chosen = -1
            self.scroll_to(y=0, animate=False, immediate=True)
        self.lay_out()

    async def laid_out(self) -> None:
        """Wait until the page has room and is laid out."""
        for _ in range(MAX_FRAMES):
            drawn = asyncio.Event()
            self.call_after_refresh(drawn.set)
            await drawn.wait()
            if self.scrollable_content_region.width > 0:
                break
        self.lay_out()

    def draw_row(self, row: int, width: int, styles: ThemeStyles) -> Strip:
        example = self._examples[self._chosen] if self._chosen >= 0 else None
        if example is None or not example.first <= row < example.end:
            return super().draw_row(row, width, styles)
        words = self._rows[row]
        if row == example.first:
            (blanks, role), *rest = words
            words = [MARK, (blanks[len(MARK[0]) :], role), *rest]
        return line(words, width, styles, ground="selection" if self.has_focus else "surface")

    def click_row(self, row: int, event: events.Click) -> None:  # noqa: ARG002
        for number, example in enumerate(self._examples):
            if example.first <= row < example.end:
                self._choose(number)
                self.action_take()

    def has(self, state: str) -> bool:
        return bool(self._examples) if state == "examples" else super().has(state)

    def action_next(self) -> None:
        self._choose((self._chosen + 1) % len(self._examples))

    def action_previous(self) -> None:
        self._choose((max(self._chosen, 0) - 1) % len(self._examples))

    def action_take(self) -> None:
        """Load the example under the cursor, or first bring it into view."""
        example, top = self._examples[max(self._chosen, 0)], self.scroll_offset.y
        is_in_view = top == self._chosen_scroll or 0 <= example.first - top < self.size.height
        if self._chosen < 0 or not is_in_view:
            self._choose(max(self._chosen, 0))
        elif self.method is not None:
            self.post_message(self.ExampleTaken(self.method, example.call))

    def _choose(self, number: int) -> None:
        """Put the cursor on an example, and bring it into view."""
        self._chosen = number
        example, top, height = self._examples[number], self.scroll_offset.y, max(self.size.height, 1)
        if example.first < top or example.end > top + height:
            below = max(example.end - height, 0)
            self.scroll_to(y=min(example.first, below), animate=False, immediate=True, force=True)
        self._chosen_scroll = self.scroll_offset.y
        self.refresh()

    def lay_out(self) -> None:
        width = self.scrollable_content_region.width
        if width <= 0:
            return
        from rpcexplorer.text.docs import docs_page  # only needed if docs are open

        page = docs_page(*self._about, width=width - 1, on_screen=True)
        self._rows, self._examples = page.rows, page.examples
        self._chosen = min(self._chosen, len(self._examples) - 1)
        self.rows_changed()
        self.refresh_bindings()


class DocsPane(Vertical):
    """The docs of a method below their bar."""

    DEFAULT_CSS = """
    DocsPane { width: 1fr; height: 1fr; background: $background; }
    DocsPane.-beside { border-left: solid $line; }
    """

    def __init__(self, key: str) -> None:
        """``key`` focuses the pane."""
        super().__init__()
        self.bar, self.page = Bar(self), DocsSheet()
        self.bar.key = key

    def compose(self) -> ComposeResult:
        yield self.bar
        yield self.page

    def show(
        self, method: Method | None, described: Described | None, asked: datetime | None, profile: Profile | None = None
    ) -> None:
        self.bar.words = [("Docs", "middle"), (f"  {method.name}" if method else "", "text bold")]
        self.bar.after = [("  ! deprecated", "careful")] if method is not None and method.deprecated else []
        self.page.show(method, described, asked, profile)
