"""The theme files that come with the program: all roles in each, and readable by number."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

FOLDER = Path(__file__).parents[2] / "themes"
THEMES: dict[str, dict[str, Any]] = {
    path.stem: tomllib.loads(path.read_text()) for path in sorted(FOLDER.glob("*.toml"))
}
COLOURED = sorted(THEMES.keys() - {"terminal"})

WORDS = ("text", "middle", "accent", "well", "careful", "wrong")
TOKENS = ("key", "string", "number", "literal", "error")
ROLES = {*WORDS, "background", "surface", "dim", "prod", "selection", "line"}


def luminance(colour: str) -> float:
    channels = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    darker, lighter = sorted((luminance(one), luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


def needed(name: str, least: float) -> float:
    return 7 if name == "contrast" else least


def test_there_are_six_or_more_with_light_contrast_and_terminal_among_them() -> None:
    assert len(THEMES) >= 6
    assert {"night", "paper", "contrast", "terminal"} <= THEMES.keys()
    assert any(not theme["dark"] for theme in THEMES.values())


@pytest.mark.parametrize("name", THEMES)
def test_each_has_every_role_and_no_other(name: str) -> None:
    theme = THEMES[name]
    assert theme.keys() == {"name", "dark", "colors", "json"}
    assert theme["name"] == name
    assert theme["colors"].keys() == ROLES
    assert theme["json"].keys() == {*TOKENS, "punctuation"}
    colour = r"ansi_[a-z_]+" if name == "terminal" else r"#[0-9a-f]{6}"
    assert all(re.fullmatch(colour, each) for part in ("colors", "json") for each in theme[part].values())


@pytest.mark.parametrize("name", THEMES)
def test_each_says_in_a_line_or_two_what_the_roles_are(name: str) -> None:
    opening = (FOLDER / f"{name}.toml").read_text().partition("\n\n")[0].splitlines()
    assert 2 <= len(opening) <= 3
    assert all(line.startswith("# ") and len(line) <= 120 for line in opening)


@pytest.mark.parametrize("name", COLOURED)
def test_words_are_readable_on_the_background_and_on_bars(name: str) -> None:
    colours = THEMES[name]["colors"]
    for ground in ("background", "surface"):
        for role in WORDS:
            assert contrast(colours[role], colours[ground]) >= needed(name, 4.5), (role, ground)
        assert contrast(colours["dim"], colours[ground]) >= needed(name, 3), ground


@pytest.mark.parametrize("name", COLOURED)
def test_tokens_are_readable_and_punctuation_is_fainter(name: str) -> None:
    colours, tokens = THEMES[name]["colors"], THEMES[name]["json"]
    for role in TOKENS:
        assert contrast(tokens[role], colours["background"]) >= needed(name, 4.5), role
    assert contrast(tokens["punctuation"], colours["background"]) >= needed(name, 3)
    assert contrast(tokens["punctuation"], colours["background"]) < contrast(colours["text"], colours["background"])


@pytest.mark.parametrize("name", COLOURED)
def test_the_chosen_row_and_the_word_prod_are_readable(name: str) -> None:
    colours = THEMES[name]["colors"]
    assert contrast(colours["text"], colours["selection"]) >= needed(name, 4.5)
    assert contrast(colours["accent"], colours["selection"]) >= 3
    assert contrast(colours["background"], colours["prod"]) >= needed(name, 4.5)


@pytest.mark.parametrize("name", COLOURED)
def test_words_weigh_less_from_text_to_dim_and_lines_least(name: str) -> None:
    colours = THEMES[name]["colors"]
    weights = [contrast(colours[role], colours["background"]) for role in ("text", "middle", "dim", "line")]
    assert weights == sorted(weights, reverse=True)
    assert weights[-1] >= 1.2


@pytest.mark.parametrize("name", COLOURED)
def test_dark_means_a_dark_background(name: str) -> None:
    assert (luminance(THEMES[name]["colors"]["background"]) < 0.18) is THEMES[name]["dark"]


@pytest.mark.parametrize("name", THEMES)
def test_the_three_meanings_and_the_accent_differ(name: str) -> None:
    colours = THEMES[name]["colors"]
    assert len({colours[role] for role in ("accent", "well", "careful", "wrong", "text")}) == 5
