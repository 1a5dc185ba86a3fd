"""The screen behind a dialog."""

from __future__ import annotations

import re

import pytest
from rich.segment import Segment
from textual import events
from textual.app import App, ComposeResult
from textual.screen import Screen
from textual.strip import Strip
from textual.widget import Widget

from rpcexplorer.explorer import Explorer
from rpcexplorer.tui.widgets.dialog import without_cut_words
from rpcexplorer.tui.widgets.full_screen import AnswersOnce
from rpcexplorer.tui.widgets.picker import Picker
from tests.tui.program import open_program, running


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a list  some words to read  the rest", "a list                      the rest"),
        ("a list  some words│more of them  more", "a list            │more of them  more"),
        ("a 語語語語語語語語語  語 b", "                      語 b"),
        ("▌ a list some words, more of it ▐", "▌                               ▐"),
        ("short", "short"),
    ],
)
def test_backdrop_shows_no_words_that_a_dialog_cuts(text: str, shown: str) -> None:
    """The dialog covers columns 10 to 17."""
    strip = Strip([Segment(text)])
    found = without_cut_words(strip, 10, 18)
    assert (found.text, found.cell_length) == (shown, strip.cell_length)


@pytest.mark.drawn
@pytest.mark.parametrize("theme", ["night", "paper", "contrast", "terminal"])
@pytest.mark.everyday(1)
async def test_backdrop_is_dimmed_in_every_theme(explorer: Explorer, theme: str) -> None:
    async with open_program(explorer, profile="demo", size=(120, 60)) as program:

        def style() -> str:
            svg = program.app.export_screenshot()
            names = re.findall(r'class="([\w-]+)"[^>]*>[^<]*Methods', svg)
            found: list[str] = re.findall(rf"\.{names[0]} {{(.*?)}}", svg)
            return found[0]

        program.app.use_theme(theme)
        await program.rest()
        before = style()
        await program.press("ctrl+p")
        await program.on(Picker)
        await program.rest()
        assert style() != before


class Measured(Widget):
    """A widget that records its widths."""

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


async def test_dialog_has_final_size_in_first_frame() -> None:
    async with running(App(), (80, 24)) as program:
        await program.app.push_screen(Fitting())
        await program.pause()
        assert set(program.app.screen.query_one(Measured).sizes) == {(10, 3)}
