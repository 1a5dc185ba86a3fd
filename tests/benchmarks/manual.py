"""Time until a page of the manual is drawn.

    python -m tests.benchmarks.manual [RUNS]

Compared are an empty Textual screen and the same page in a MarkdownViewer. The page has 200 lines, the screen 120 by
40. The clock stops when the page is drawn, and for the viewer when all of its blocks are. The first time includes the
imports.
"""

from __future__ import annotations

import asyncio
import sys
import time
from typing import Final

from textual.app import App, ComposeResult
from textual.screen import Screen
from textual.widgets import MarkdownViewer

from rpcexplorer.manual import read_page
from rpcexplorer.model.settings import DARK
from rpcexplorer.tui.theme import textual_theme
from tests.benchmarks.figures import print_median

LINES: Final = 200


def page() -> str:
    lines = (read_page("secrets").text + read_page("share").text).splitlines()
    return "\n".join(lines[:LINES])


class Empty(Screen[None]):
    pass


class Viewer(Screen[None]):
    def compose(self) -> ComposeResult:
        yield MarkdownViewer(page(), show_table_of_contents=True)


def ours() -> Screen[None]:
    from rpcexplorer.tui.key_queue import PendingKeys
    from rpcexplorer.tui.manual import ManualScreen
    from rpcexplorer.tui.widgets.bars import Footer, Frame, Header

    return ManualScreen({"page": "Page"}, lambda _: page(), PendingKeys(), Frame(Header, Footer))


class Measuring(App[None]):
    def __init__(self, runs: int) -> None:
        super().__init__()
        self._runs = runs
        self.taken: dict[str, list[float]] = {}

    def get_theme_variable_defaults(self) -> dict[str, str]:
        return dict(textual_theme(DARK).variables)

    def on_mount(self) -> None:
        self.register_theme(textual_theme(DARK))
        self.theme = DARK.name
        self.run_worker(self._measure())

    async def _measure(self) -> None:
        first, *taken = [await self._seconds(ours()) for _ in range(self._runs + 1)]
        self.taken = {"manual, first time": [first], "manual": taken}
        self.taken["empty screen"] = [await self._seconds(Empty()) for _ in range(self._runs)]
        self.taken["MarkdownViewer"] = [await self._seconds(Viewer()) for _ in range(self._runs)]
        self.exit()

    async def _seconds(self, screen: Screen[None]) -> float:
        began, drawn = time.perf_counter(), asyncio.Event()
        await self.push_screen(screen)
        for viewer in screen.query(MarkdownViewer):
            while not viewer.document.children:  # noqa: ASYNC110 - it has no event
                await asyncio.sleep(0.001)
        screen.call_after_refresh(drawn.set)
        await drawn.wait()
        taken = time.perf_counter() - began
        await self.pop_screen()
        return taken


def main() -> None:
    app = Measuring(int(sys.argv[1]) if len(sys.argv) > 1 else 7)
    app.run(headless=True, size=(120, 40))
    for name, taken in app.taken.items():
        print_median(name, taken)


if __name__ == "__main__":
    main()
