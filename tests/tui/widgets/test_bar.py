"""The title line of a pane: what shows that the focus is there, in every theme."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from rich.style import Style
from textual.color import Color

from rpcexplorer.explorer import Explorer
from rpcexplorer.tui.theme import textual_theme
from rpcexplorer.tui.widgets.bars import Bar
from tests.tui.stage import Stage, text_of

THEMES = sorted(path.stem for path in (Path(__file__).parents[3] / "themes").glob("*.toml"))


@pytest.mark.parametrize("name", THEMES)
def test_title_of_the_focused_pane_is_inverted(tmp_path: Path, name: str) -> None:
    explorer = Explorer.open(folder=tmp_path, environment={"RPCEXPLORER_HOME": str(tmp_path)})
    theme, complaints = explorer.themes.load(name)
    assert theme is not None
    assert complaints == []
    bar = Bar()
    bar.words, bar.tabs, bar.key = [("✓ ", "well"), ("result", "well bold"), ("  HTTP 200", "text")], ("Raw",), "F4"

    def title() -> Style:
        style = next(piece.style for piece in bar.render_line(0) if piece.text == "result")
        assert style is not None
        return style

    async def run() -> None:
        stage = Stage(bar)
        async with stage.run_test(size=(60, 3)) as pilot:
            stage.register_theme(textual_theme(theme))
            stage.theme = name
            await pilot.pause()
            before, plain = text_of(bar), title()
            bar.here = True
            await pilot.pause()
            assert text_of(bar) == "▍" + before[1:], "no word moves"
            assert (bool(plain.reverse), title().reverse) == (False, True), "also seen without colours"
            if not textual_theme(theme).ansi:  # the terminal's own colours are not known
                colours = [Color.from_rich_color(each) for each in (title().color, title().bgcolor)]
                assert colours[0].get_contrast_text().rgb != colours[1].get_contrast_text().rgb

    asyncio.run(run())
