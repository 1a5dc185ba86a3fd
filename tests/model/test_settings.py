from __future__ import annotations

import pytest

from rpcexplorer.model.settings import LIGHT, NATIVE, colour, completed


@pytest.mark.parametrize(
    ("written", "read"),
    [("#82aaf7", "#82aaf7"), ("#82AAF7", "#82aaf7"), ("#8Af", "#88aaff"), (" #000 ", "#000000"),
     ("ansi_bright_red", "ansi_bright_red"), ("ANSI_BLUE", "ansi_blue"), ("default", "ansi_default"),
     ("ansi_default", "ansi_default")],
)  # fmt: skip
def test_colour_has_one_spelling(written: str, read: str) -> None:
    assert colour(written) == read


@pytest.mark.parametrize(
    "text", ["", "#", "#12", "#1234", "#12345g", "82aaf7", "red", "ansi_pink", "#82aaf7ff", "#٣٣٣"]
)
def test_other_text_is_not_a_colour(text: str) -> None:
    assert colour(text) is None


def test_terminal_theme_allows_16_colours_and_default() -> None:
    assert len(NATIVE) == len(set(NATIVE)) == 17


def test_light_theme_uses_colours_readable_on_its_background() -> None:
    theme = completed("mine", False, {"background": "#ffffff"}, {"key": "#000000"})
    assert theme.colours["text"] == LIGHT.colours["text"]
    assert theme.json == {**LIGHT.json, "key": "#000000"}


@pytest.mark.parametrize(
    ("background", "dark"), [("#ffffff", False), ("#101010", True), ("ansi_default", True), (None, True)]
)
def test_theme_without_dark_follows_its_background(background: str | None, dark: bool) -> None:
    assert completed("mine", None, {"background": background} if background else {}, {}).dark is dark
