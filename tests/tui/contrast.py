"""How well drawn text can be read: the contrast of WCAG 2.

The colours of a terminal are unknown, so those of Visual Studio Code stand for them, dark and light.
"""

from __future__ import annotations

from typing import Final

from msgspec import Struct
from rich.color import Color
from rich.style import Style

from rpcexplorer.model.settings import contrast


class Palette(Struct, frozen=True):
    """The colours of a terminal."""

    text: str
    background: str
    colours: tuple[str, ...]
    """The sixteen colours by number."""


PALETTES: Final = {
    "dark": Palette(
        "#cccccc",
        "#1e1e1e",
        (
            *("#000000", "#cd3131", "#0dbc79", "#e5e510", "#2472c8", "#bc3fbc", "#11a8cd", "#e5e5e5"),
            *("#666666", "#f14c4c", "#23d18b", "#f5f543", "#3b8eea", "#d670d6", "#29b8db", "#e5e5e5"),
        ),
    ),
    "light": Palette(
        "#333333",
        "#ffffff",
        (
            *("#000000", "#cd3131", "#00bc00", "#949800", "#0451a5", "#bc05bc", "#0598bc", "#555555"),
            *("#666666", "#cd3131", "#14ce14", "#b5ba00", "#0451a5", "#bc05bc", "#0598bc", "#a5a5a5"),
        ),
    ),
}


def contrast_of(style: Style, palette: Palette = PALETTES["dark"]) -> float:
    """Return the contrast of text to its ground, from 1 to 21."""
    text, ground = _shown(style.color, palette, palette.text), _shown(style.bgcolor, palette, palette.background)
    return contrast(text, ground)


def _shown(colour: Color | None, palette: Palette, default: str) -> str:
    if colour is None or colour.is_default:
        return default
    if colour.triplet is not None:
        return colour.triplet.hex
    assert colour.number is not None
    return palette.colours[colour.number]
