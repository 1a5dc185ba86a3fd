"""Text can be read in every theme and on every ground, as the code draws it."""

from __future__ import annotations

from itertools import chain
from pathlib import Path
from typing import Any, Final

import pytest
from textual.app import App

from rpcexplorer.model.settings import Theme, contrast, luminance
from rpcexplorer.settings import READABLE, load_theme
from rpcexplorer.tui.theme import ThemeStyles, textual_theme
from rpcexplorer.tui.widgets.editor import Editor
from rpcexplorer.tui.widgets.inputs import Entry
from tests.tui.contrast import PALETTES, Palette, contrast_of
from tests.tui.stage import Stage

FILES: Final = sorted((Path(__file__).parents[2] / "themes").glob("*.toml"))
COLOURED: Final = [path.stem for path in FILES if path.stem != "terminal"]
GROUNDS: Final = ("background", "surface", "selection", "focus", "prod-surface")
NO_TEXT: Final = {"background", "surface", "selection", "line", "prod"}
"""Roles that are never the colour of text."""
DRAWN: Final = [
    *((path.stem, palette) for path in FILES for palette in PALETTES if path.stem == "terminal" or palette == "dark")
]


def theme_of(name: str) -> Theme:
    theme, _ = load_theme(FILES[0].parent / f"{name}.toml")
    assert theme is not None
    return theme


def styles_of(name: str) -> ThemeStyles:
    return ThemeStyles(textual_theme(theme_of(name)))


def roles_of(theme: Theme) -> list[str]:
    """Return the roles of text, and the badges, which are drawn on a colour of their own."""
    words = [role for role in theme.colours if role not in NO_TEXT]
    badges = [f"on:{role}" for role in ("well", "careful", "prod", "accent")]
    return [*words, *(f"json-{token}" for token in theme.json), *badges]


@pytest.mark.parametrize(("name", "palette"), DRAWN)
def test_each_role_is_readable_on_each_ground(name: str, palette: str) -> None:
    least = 7 if name == "contrast" else READABLE
    styles, colours = styles_of(name), PALETTES[palette]
    for role in roles_of(theme_of(name)):
        for ground in GROUNDS:
            for drawn in (role, f"{role} reverse"):
                assert contrast_of(styles.style(drawn, ground), colours) >= least, (drawn, ground)


@pytest.mark.parametrize("name", COLOURED)
def test_words_of_less_weight_differ(name: str) -> None:
    styles = styles_of(name)
    text, middle, dim = (contrast_of(styles.style(role)) for role in ("text", "middle", "dim"))
    assert text > middle * 1.2
    assert middle > dim * 1.2
    assert contrast_of(styles.style("json-punctuation")) == dim


@pytest.mark.parametrize("name", COLOURED)
def test_scrollbar_can_be_seen(name: str) -> None:
    colours = textual_theme(theme_of(name)).variables
    assert contrast(colours["scrollbar"], colours["background"]) >= 3


@pytest.mark.parametrize("name", COLOURED)
def test_prod_bar_is_red_and_no_harder_to_read(name: str) -> None:
    theme = theme_of(name)
    bar = textual_theme(theme).variables["prod-surface"]
    red, green = int(bar[1:3], 16), int(bar[3:5], 16)
    assert red > green
    is_darker = luminance(bar) <= luminance(theme.colours["surface"])
    assert is_darker == theme.dark


@pytest.mark.parametrize("palette", PALETTES.values(), ids=PALETTES)
def test_selected_row_of_the_terminal_is_reversed(palette: Palette) -> None:
    styles = styles_of("terminal")
    for role in ("text", "wrong", "dim bold"):
        assert styles.style(role, "selection").reverse
        assert styles.style(role, "focus") != styles.style(role, "selection")
    assert not styles.style("accent reverse", "selection").reverse, "reversed within a reversed row"
    assert contrast_of(styles.style("wrong", "selection"), palette) == contrast_of(styles.style("text"), palette)


def reversed_text(app: App[Any]) -> str:
    pieces = chain.from_iterable(app.screen._compositor.render_strips(app.size))
    return "".join(piece.text for piece in pieces if piece.style is not None and piece.style.reverse)


async def test_cursor_and_selected_text_of_the_terminal_are_reversed() -> None:
    editor, entry = Editor(), Entry()
    app = Stage(editor, entry, theme="terminal")
    async with app.run_test() as pilot:
        editor.focus()
        await pilot.press("a", "b", "home")
        assert reversed_text(app) == "a"
        await pilot.press("shift+end")
        assert reversed_text(app) == "ab "
        await pilot.press("home")
        entry.focus()
        await pilot.press(*"word", "shift+home")
        assert reversed_text(app) == "word"


@pytest.mark.parametrize("name", COLOURED)
@pytest.mark.parametrize("ground", ["selection", "focus"])
def test_track_of_a_picture_can_be_seen_on_a_selected_row(name: str, ground: str) -> None:
    assert contrast_of(styles_of(name).style("line", ground)) > 2
