"""Tests of the shipped theme files: complete roles. `tests/tui/test_contrast.py` has their contrast."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
from pygments.styles import STYLES

from rpcexplorer.model.settings import DARK, LIGHT, Theme, contrast, luminance
from rpcexplorer.settings import Themes, load_theme

FOLDER = Path(__file__).parents[2] / "themes"
NAMES = sorted(path.stem for path in FOLDER.glob("*.toml"))
COLOURED = sorted(set(NAMES) - {"terminal"})
WORDS = {"text", "middle", "dim", "accent", "well", "careful", "wrong"}
TOKENS = {"key", "string", "number", "literal", "punctuation", "error"}
ROLES = {*WORDS, "background", "surface", "prod", "selection", "line"}


def written(name: str) -> dict[str, Any]:
    return tomllib.loads((FOLDER / f"{name}.toml").read_text())


def shipped(name: str) -> Theme:
    theme, problems = load_theme(FOLDER / f"{name}.toml")
    assert theme is not None
    assert problems == []
    return theme


def test_themes_include_light_contrast_and_terminal() -> None:
    assert len(NAMES) >= 6
    assert {"night", "paper", "contrast", "terminal"} <= set(NAMES)
    assert any(not shipped(name).dark for name in NAMES)


def test_they_are_found_wherever_the_program_runs(tmp_path: Path) -> None:
    assert Themes(tmp_path).files() == {name: FOLDER / f"{name}.toml" for name in NAMES}


def test_fallback_themes_equal_their_files() -> None:
    assert shipped("night") == DARK
    assert shipped("paper") == LIGHT


@pytest.mark.parametrize("name", NAMES)
def test_theme_has_exactly_the_known_roles(name: str) -> None:
    theme = written(name)
    assert theme.keys() == {"name", "dark", "colors", "json"}
    assert theme["name"] == name
    assert theme["colors"].keys() == ROLES
    assert theme["json"].keys() == TOKENS
    colour = r"ansi_[a-z_]+" if name == "terminal" else r"#[0-9a-f]{6}"
    assert all(re.fullmatch(colour, each) for part in ("colors", "json") for each in theme[part].values())


@pytest.mark.parametrize("name", NAMES)
def test_theme_file_describes_its_roles(name: str) -> None:
    opening = (FOLDER / f"{name}.toml").read_text().partition("\n\n")[0].splitlines()
    assert 2 <= len(opening) <= 3
    assert all(line.startswith("# ") and len(line) <= 120 for line in opening)


@pytest.mark.parametrize("name", COLOURED)
def test_dark_means_a_dark_background(name: str) -> None:
    assert (luminance(shipped(name).colours["background"]) < 0.18) is shipped(name).dark


NO_COLOUR = 'must be a colour such as "#82aaf7" or "#8af"'
PARAISO = 'there is no such style. Did you mean "paraiso-dark" or "paraiso-light"?'
NO_STYLE = 'must be a style of Pygments, such as "monokai" or "github-dark"'
NATIVE_COLOUR = 'a terminal colour such as "ansi_blue"'


@pytest.fixture
def own(tmp_path: Path) -> Path:
    return tmp_path / "mine.toml"


def test_user_theme_may_be_one_line(own: Path) -> None:
    own.write_text('[colors]\naccent = "#F0a"\n')
    theme, problems = load_theme(own)
    assert theme == Theme("mine", True, {**DARK.colours, "accent": "#ff00aa"}, DARK.json)
    assert problems == []


def test_user_theme_overrides_shipped_theme(tmp_path: Path) -> None:
    (tmp_path / "night.toml").touch()
    assert Themes(tmp_path).files()["night"] == tmp_path / "night.toml"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('[colors]\nacent = "#fff"\n', "2: colors.acent: `acent` is not a key of the colours. Did you mean `accent`?"),
        ('[colours]\naccent = "#fff"\n', "1: colours: `colours` is not a key of a theme. Did you mean `colors`?"),
        ('[json]\nkey = "blue"\n', '2: json.key: must be a colour. Did you mean "ansi_blue"?'),
        ('[json]\nkey = "#12"\n', f"2: json.key: {NO_COLOUR}, or {NATIVE_COLOUR}"),
        ("[json]\nkey = 0\n", f"2: json.key: {NO_COLOUR}, or {NATIVE_COLOUR}"),
        ('[json]\nstyle = "monokia"\n', '2: json.style: there is no such style. Did you mean "monokai"?'),
        ('[json]\nstyle = "paraiso"\n', f"2: json.style: {PARAISO}"),
        ("[json]\nstyle = 0\n", f"2: json.style: {NO_STYLE}"),
        (f'[json]\nstyle = "{"x" * 5_000}"\n', f"2: json.style: {NO_STYLE}"),
        ('dark = "true"\n', "1: dark: must be true or false, without quotes"),
        ("colors = 1\n", "1: colors: must be a table. Write its keys below [colors]"),
    ],
)  # fmt: skip
def test_theme_problem_has_a_place_and_rest_applies(own: Path, text: str, problem: str) -> None:
    own.write_text(text)
    theme, problems = load_theme(own)
    assert [str(each) for each in problems] == [f"{own}:{problem}"]
    assert theme == Theme("mine", True, DARK.colours, DARK.json)


MONOKAI = {"key": "#ff4689", "string": "#e6db74", "number": "#ae81ff", "literal": "#66d9ef", "punctuation": "#f8f8f2"}


@pytest.mark.parametrize(
    ("text", "json"),
    [
        # The red of its errors has less contrast than 4.5:1.
        ('[json]\nstyle = "Monokai"\n', {**MONOKAI, "error": DARK.json["error"]}),
        ('[json]\nstyle = "monokai"\nkey = "#111"\n', {**MONOKAI, "key": "#111111", "error": DARK.json["error"]}),
        ('dark = false\n[json]\nstyle = "monokai"\n', LIGHT.json),
        ('[colors]\nbackground = "ansi_default"\n[json]\nstyle = "monokai"\n', {**MONOKAI, "error": "#ed007e"}),
        ('[json]\nstyle = "bw"\n', DARK.json),
    ],
    ids=["readable on dark", "own role wins", "hard to read on light", "unknown ground", "without colours"],
)
def test_style_gives_json_its_readable_colours(own: Path, text: str, json: dict[str, str]) -> None:
    own.write_text(text)
    theme, problems = load_theme(own)
    assert theme is not None
    assert (theme.json, problems) == (json, [])


@pytest.mark.parametrize("style", [name for _, name, _ in STYLES.values()])
@pytest.mark.parametrize("dark", ["true", "false"])
def test_json_of_every_style_is_readable(own: Path, style: str, dark: str) -> None:
    own.write_text(f'dark = {dark}\n[json]\nstyle = "{style}"\n')
    theme, problems = load_theme(own)
    assert theme is not None
    assert (theme.style, problems) == (style, [])
    assert all(contrast(colour, theme.colours["background"]) >= 4.5 for colour in theme.json.values())


def test_broken_theme_file_is_reported_with_its_line(own: Path) -> None:
    own.write_text("dark = true\n[colors]\naccent = #fff\n")
    theme, (problem,) = load_theme(own)
    assert theme is None
    assert (problem.file, problem.line) == (str(own), 3)
    assert "this is not TOML" in problem.sentence


def test_missing_theme_is_reported(own: Path) -> None:
    theme, (problem,) = load_theme(own)
    assert theme is None
    assert "no such theme" in problem.sentence
