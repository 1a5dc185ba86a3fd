"""Pictures of the screen as text: what is written, and in which role.

A picture is drawn in a theme in which no two roles share a colour, so that each cell tells its role. Its file has the
text, then the roles of the text and of the grounds, one letter per cell. Another colour in a theme changes no picture;
another role does, and a colour that is no role's fails.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Sequence
from difflib import unified_diff
from functools import cache
from typing import Any, Final, NamedTuple, TypeAlias

import pytest
from rich.cells import cell_len
from rich.color import Color as RichColor
from rich.style import Style
from syrupy.extensions.single_file import SingleFileSnapshotExtension, WriteMode
from textual.color import Color
from textual.strip import Strip

from rpcexplorer.model.settings import DARK, Theme
from rpcexplorer.tui.theme import textual_theme
from tests.tui.program import Program

SMALL, USUAL, LARGE = (80, 24), (120, 40), (200, 60)
Scene: TypeAlias = Callable[[Program], Awaitable[None]]
"""What happens before a picture."""
Compare: TypeAlias = Callable[..., Awaitable[None]]
CompareSvg: TypeAlias = Callable[..., None]
Rgb: TypeAlias = tuple[int, int, int]
ROLES: Final = {
    "text": "t",
    "middle": "m",
    "dim": "d",
    "accent": "a",
    "well": "w",
    "careful": "c",
    "wrong": "x",
    "prod": "p",
    "background": "b",
    "surface": "s",
    "prod-surface": "q",
    "selection": "e",
    "focus": "f",
    "scrollbar": "v",
    "line": "l",
    "json-key": "k",
    "json-string": "g",
    "json-number": "n",
    "json-literal": "i",
    "json-punctuation": "j",
    "json-error": "r",
}
"""The letter of each role, a capital where the text is bold."""
ATTRIBUTES: Final = {"underline": "u", "italic": "i", "strike": "s"}
FADED: Final = "."
"""What is behind a dialog, or belongs to an old response, whatever its role is."""


def in_sizes(*sizes: tuple[int, int]) -> pytest.MarkDecorator:
    """Run a test in terminals of these sizes."""
    return pytest.mark.parametrize("size", sizes, ids=[f"{width}x{height}" for width, height in sizes])


def theme_of_roles() -> Theme:
    """Return a theme in which each role has a colour of its own."""
    names = [*DARK.colours, *(f"json-{name}" for name in DARK.json)]
    colours = {name: Color.from_hsl(number / len(names), 0.9, 0.6).hex.lower() for number, name in enumerate(names)}
    colours["background"] = "#101010"
    json = {name: colours.pop(f"json-{name}") for name in DARK.json}
    return Theme("roles", dark=True, colours=colours, json=json)


THEME: Final = textual_theme(theme_of_roles())


def letters_of_colours() -> dict[Rgb, str]:
    """Return the letter of each colour that the theme of roles has, plain or faded."""
    colours = {role: Color.parse(THEME.variables[role]) for role in ROLES}
    ground = colours["background"]
    faded = {colour.blend(ground, percent / 100).rgb: FADED for colour in colours.values() for percent in range(100)}
    plain = {colours[role].rgb: letter for role, letter in ROLES.items()}
    return faded | plain


CLOSE: Final = 2
"""Distance of two colours that differ by rounding only."""
LETTERS: Final = letters_of_colours()


class Cell(NamedTuple):
    """The letters of one column, blank where it is plain."""

    role: str
    ground: str
    attribute: str


class TextPicture(SingleFileSnapshotExtension):
    """One text file per picture, written by ``--snapshot-update``."""

    _file_extension = "txt"
    _write_mode = WriteMode.TEXT

    def diff_lines(self, drawn: Any, kept: Any) -> Iterator[str]:
        """Yield the rows that differ, which tell their numbers themselves."""
        rows = unified_diff(str(kept).splitlines(), str(drawn).splitlines(), "kept", "drawn", n=0, lineterm="")
        return (row for row in rows if not row.startswith("@@"))


def picture_of(strips: Sequence[Strip]) -> str:
    """Return the text and the roles of lines of the screen."""
    text = [f"{number:2}  {strip.text}".rstrip() for number, strip in enumerate(strips, 1)]
    cells = [[*_cells(strip)] for strip in strips]
    roles = ["".join(cell.role for cell in row) for row in cells]
    grounds = ["".join(cell.ground for cell in row) for row in cells]
    attributes = ["".join(cell.attribute for cell in row) for row in cells]
    blocks = [
        text,
        [f"Roles: {_legend(ROLES, roles + grounds)}", *_rows("r", roles)],
        ["Grounds:", *_rows("g", grounds)],
        [f"Attributes: {_legend(ATTRIBUTES, attributes)}", *_rows("a", attributes)],
    ]
    return "\n\n".join("\n".join(block) for block in blocks) + "\n"


def _rows(mark: str, rows: Sequence[str]) -> list[str]:
    """Return the numbered rows that have letters; the mark tells them apart in a diff."""
    return [f"{number:2}{mark} {row}".rstrip() for number, row in enumerate(rows, 1) if row.strip()]


def _legend(letters: dict[str, str], rows: Sequence[str]) -> str:
    """Return the letters that are in some rows, with their names."""
    used = {letter.lower() for row in rows for letter in row}
    names = [f"{letter} {name}" for name, letter in letters.items() if letter in used]
    if FADED in used:
        names.append(f"{FADED} faded")
    return ", ".join(names)


def _cells(strip: Strip) -> Iterator[Cell]:
    for text, style, control in strip:
        if control is None:
            cell = _cell(style or Style(), text)
            for character in text:
                is_seen = cell.attribute != " " or not character.isspace()
                yield from [cell if is_seen else cell._replace(role=" ")] * cell_len(character)


def _cell(style: Style, text: str) -> Cell:
    role = _letter(style.color, "text", text)
    ground = _letter(style.bgcolor, "background", text)
    if style.reverse:
        role, ground = ground, role
    if style.bold:
        role = role.upper()
    elif role == ROLES["text"]:
        role = " "
    if ground == ROLES["background"]:
        ground = " "
    attribute = next((letter for name, letter in ATTRIBUTES.items() if getattr(style, name)), " ")
    return Cell(role, ground, attribute)


def _letter(colour: RichColor | None, default: str, text: str) -> str:
    if colour is None or colour.triplet is None:
        return ROLES[default]
    nearest, distance = _nearest(tuple(colour.triplet))
    assert distance <= CLOSE, f"{text!r} has the colour {colour.triplet.hex}, which is no role's"
    return LETTERS[nearest]


@cache
def _nearest(colour: Rgb) -> tuple[Rgb, int]:
    """Return the nearest colour of a role, and how far it is away."""
    distances = {known: max(abs(a - b) for a, b in zip(known, colour, strict=True)) for known in LETTERS}
    nearest = min(distances, key=distances.__getitem__)
    return nearest, distances[nearest]
