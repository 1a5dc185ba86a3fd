"""The screen behind a dialog."""

from __future__ import annotations

import re
from typing import Any

import pytest
from textual import events
from textual.app import App, ComposeResult
from textual.screen import Screen
from textual.widget import Widget

from rpcexplorer.explorer import Explorer
from rpcexplorer.tui.dialogs import Help
from rpcexplorer.tui.theme import ThemeStyles
from rpcexplorer.tui.widgets.full_screen import AnswersOnce
from rpcexplorer.tui.widgets.picker import Picker
from tests.tui.program import open_program, running


@pytest.mark.drawn
async def test_words_behind_a_dialog_are_cut_only_by_its_edges(explorer: Explorer) -> None:
    async with open_program(explorer, profile="demo", size=(100, 30)) as program:
        before = program.text.splitlines()
        await program.press("f1")
        await program.on(Help)
        await program.rest()
        block = program.app.screen.query_one(".block").region
        for was, row in zip(before, program.text.splitlines(), strict=True):
            assert (row[: block.x], row[block.right :]) == (was[: block.x], was[block.right :])


@pytest.mark.parametrize(("key", "kind"), [("f1", Help), ("ctrl+p", Picker)])
@pytest.mark.parametrize("theme", ["night", "terminal"])
async def test_dialogs_have_one_ground(explorer: Explorer, theme: str, key: str, kind: type[Any]) -> None:
    async with open_program(explorer, profile="demo", size=(100, 30)) as program:
        program.app.use_theme(theme)
        await program.press(key)
        await program.on(kind)
        await program.rest()
        screen, styles = program.app.screen, ThemeStyles.of(program.app.screen)
        grounds = {styles.style(ground=ground).bgcolor for ground in ("surface", "selection")}
        block, field = screen.query_one(".block"), screen.query("Entry")
        assert block.styles.has_rule("border_right") == (theme == "terminal")
        for y, strip in enumerate(screen._compositor.render_strips(screen.size)):
            if y in block.content_region.line_range and not any(y == entry.region.y for entry in field):
                inside = strip.crop(block.content_region.x, block.content_region.right)
                assert {piece.style.bgcolor for piece in inside if piece.style is not None} <= grounds


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
