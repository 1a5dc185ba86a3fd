"""Sentences next to an outcome, in several lines."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from rich.style import Style
from textual.screen import Screen
from textual.strip import Strip

from rpcexplorer.explorer import Explorer
from rpcexplorer.tui.history import HistoryScreen
from rpcexplorer.tui.theme import ThemeStyles, textual_theme
from rpcexplorer.tui.widgets.bars import EDGE, Bar, Footer
from rpcexplorer.tui.widgets.rows import Sheet
from tests.fakes.explorer import open_explorer
from tests.tui.program import open_program
from tests.tui.stage import staged, text_of

THEMES = sorted(path.stem for path in (Path(__file__).parents[3] / "themes").glob("*.toml"))


@pytest.mark.parametrize(
    ("width", "words"),
    [
        (60, "✗ error -32601   HTTP 200 · 11 ms · 149 B"),
        (50, "✗ error -32601   HTTP 200 · 11 ms"),
        (40, "✗ error -32601   HTTP 200"),
        (30, "✗ error -32601"),
    ],
)
async def test_bar_in_little_room_drops_whole_parts(width: int, words: str) -> None:
    bar = Bar()
    bar.words, bar.tabs, bar.key = [("✗ ", "wrong"), ("error -32601", "wrong bold")], ("Raw",), "F4"
    bar.after = [("   HTTP 200 · 11 ms · 149 B", "middle")]

    async with staged(bar, size=(width, 3)) as program:
        await program.pause()
        assert text_of(bar).split() == [*words.split(), "Raw", "F4"]


@pytest.mark.parametrize("name", THEMES)
async def test_bar_of_the_focused_pane_has_edge_ground_and_bold_title(tmp_path: Path, name: str) -> None:
    explorer = open_explorer(tmp_path)
    theme, problems = explorer.themes.load(name)
    assert theme is not None
    assert problems == []
    pane, other = Sheet(), Sheet()
    bar = Bar(pane)
    bar.words, bar.tabs, bar.key = [("Docs", "middle"), ("  user.get", "text")], ("Raw",), "F4"

    def styles() -> list[Style]:
        return [piece.style for piece in bar.render_line(0) if piece.style is not None]

    def title() -> Style:
        return next(piece.style for piece in bar.render_line(0) if piece.text == "Docs" and piece.style is not None)

    async with staged(bar, pane, other, size=(60, 9)) as program:
        program.app.register_theme(textual_theme(theme))
        program.app.theme = name
        accent = ThemeStyles(textual_theme(theme)).style("accent").color
        other.focus()
        await program.pause()
        before, grounds, plain = text_of(bar), {style.bgcolor for style in styles()}, title()
        assert not {style.color for style in styles()} & {accent}, "nothing without the focus has the accent"
        pane.focus()
        await program.pause()
        assert text_of(bar) == "▌" + before[1:], "all words stay in place"
        assert (bool(plain.bold), title().bold) == (False, True), "visible without colours, too"
        edge, *words = styles()
        assert edge.color == accent or edge.reverse
        assert len({style.bgcolor for style in words}) == 1
        assert {style.bgcolor for style in words} != grounds or all(style.reverse for style in words)


@pytest.mark.parametrize(
    ("width", "footer"),
    [
        (80, "Enter load  F5 resend  d compare  m mark         Esc back  ^P palette  F1 help"),
        (92, "Enter load  F5 resend  d compare  m mark  Alt+r replay       Esc back  ^P palette  F1 help"),
    ],
)
@pytest.mark.everyday(1)
async def test_history_footer_shows_what_it_is_opened_for(explorer: Explorer, width: int, footer: str) -> None:
    async with open_program(explorer, profile="demo", size=(width, 24)) as program:
        await program.press("f5")
        await program.until(lambda: bool(explorer.recent(1)))
        await program.press("f6")
        await program.on(HistoryScreen)
        await program.rest()
        assert program.text.splitlines()[-1].strip() == footer


async def test_footer_keeps_keys_of_the_program_in_place(explorer: Explorer) -> None:
    async with open_program(explorer, profile="demo", size=(120, 30)) as program:
        await program.sent("f3", "f5")
        await program.rest()
        in_params = program.text.splitlines()[-1]
        keys = "F5 send   F6 history   F7 profiles   ^P palette   F1 help"
        assert in_params.strip().startswith("^O request")
        assert in_params.strip().endswith(keys)
        await program.press("f4")
        await program.rest()
        in_response = program.text.splitlines()[-1]
        assert in_response.strip().startswith("/ search")
        assert in_response.index(keys) == in_params.index(keys)


async def test_footer_of_narrow_response_keeps_its_keys(explorer: Explorer) -> None:
    async with open_program(explorer, profile="demo", size=(80, 24)) as program:
        await program.sent("f4", "f5")
        await program.rest()
        keys = "/ search  f filter  t table  y copy  d compare    F5 send  ^P palette  F1 help"
        assert program.text.splitlines()[-1].strip() == keys


async def test_footer_drops_discover_once_methods_are_known(explorer: Explorer) -> None:
    async with open_program(explorer, profile="demo", size=(140, 30)) as program:

        def footer() -> str:
            return program.text.splitlines()[-1]

        await program.press("f2")
        await program.rest()
        assert "F9 discover" in footer()
        assert "Esc cancel" not in footer(), "nothing runs"
        await program.press("f9")
        await program.until(lambda: "Found" in program.notices)
        await program.rest()
        assert "F9 discover" not in footer()


@pytest.mark.drawn
async def test_footer_with_the_same_keys_is_drawn_once(explorer: Explorer, monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[str] = []
    draw = Footer.render_line

    def counted(footer: Footer, y: int) -> Strip:
        strip = draw(footer, y)
        drawn.append(strip.text)
        return strip

    async with open_program(explorer, profile="demo", size=(120, 30)) as program:
        await program.rest()
        monkeypatch.setattr(Footer, "render_line", counted)
        program.app.screen.refresh_bindings()
        await program.rest()
        assert drawn == []
        await program.press("f4")
        await program.rest()
        assert len(drawn) == 1


def places_of_words(screen: Screen[Any], colour: object) -> Iterator[tuple[int, int]]:
    """Yield where words are drawn in a colour, or on it."""
    for y, strip in enumerate(screen._compositor.render_strips(screen.size)):
        x = 0
        for piece in strip:
            is_word = piece.text == EDGE or any(map(str.isalnum, piece.text))
            if is_word and piece.style is not None and colour in (piece.style.color, piece.style.bgcolor):
                yield x, y
            x += piece.cell_length


async def test_no_words_outside_the_focused_pane_have_the_accent(explorer: Explorer) -> None:
    async with open_program(explorer, profile="demo", size=(200, 60)) as program:
        await program.press("f9")
        await program.until(lambda: "demo.records" in program.calls.known)
        await program.send("demo.records", "[]")
        accent = ThemeStyles.of(program.calls).style("accent").color
        for key, pane in (("f2", program.calls.methods), ("f3", program.calls.params), ("f4", program.calls.response)):
            await program.press(key)
            places = list(places_of_words(program.app.screen, accent))
            assert places
            assert all(pane.region.contains(*place) for place in places), f"{key}: {places}"
