"""A screen that is answered: as it is drawn first, it fits the terminal."""

from __future__ import annotations

import asyncio

from textual import events
from textual.app import App, ComposeResult
from textual.screen import Screen
from textual.widget import Widget

from rpcexplorer.tui.widgets.dialog import AnswersOnce


class Measured(Widget):
    """Knows how wide it ever was."""

    def __init__(self) -> None:
        super().__init__()
        self.sizes: list[tuple[int, int]] = []

    def on_resize(self, event: events.Resize) -> None:
        self.sizes.append((event.size.width, event.size.height))


class Fitting(AnswersOnce[None], Screen[None]):
    CSS = "Measured { width: 50; } Fitting.-narrow Measured { width: 10; } Fitting.-low Measured { height: 3; }"
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (100, "-wide")]  # noqa: RUF012 - Textual's own declaration
    VERTICAL_BREAKPOINTS = [(0, "-low"), (30, "-tall")]  # noqa: RUF012 - Textual's own declaration

    def compose(self) -> ComposeResult:
        yield Measured()


def test_it_has_its_size_from_the_first_frame_on() -> None:
    async def seen() -> list[tuple[int, int]]:
        app: App[None] = App()
        async with app.run_test(size=(80, 24)) as pilot:
            await app.push_screen(Fitting())
            await pilot.pause()
            return app.screen.query_one(Measured).sizes

    assert set(asyncio.run(seen())) == {(10, 3)}
