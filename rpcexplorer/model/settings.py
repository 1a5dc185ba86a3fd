"""Settings and themes as values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal

from msgspec import Struct, field

from rpcexplorer.patterns import regex

MIB = 1024 * 1024


class HistorySettings(Struct, frozen=True):
    record: bool = True
    folder: str | None = None
    body_limit: int = MIB
    """Bytes of a response to record; a longer one is cut and marked."""
    events: int = 64 * MIB
    """Bytes of all recorded events; with 0 none are recorded."""


class Settings(Struct, frozen=True):
    theme: str = ""
    keymap: Mapping[str, str] = field(default_factory=dict)
    history: HistorySettings = HistorySettings()
    secret_store: Literal["file", "keyring"] = "file"  # noqa: S105 - where, not what
    reply_limit: int = 256 * MIB
    """Bytes of a response to receive; the rest is not read."""


_SHORT = regex(r"#[0-9a-f]{3}")
_LONG = regex(r"#[0-9a-f]{6}")
_EIGHT = ("black", "red", "green", "yellow", "blue", "magenta", "cyan", "white")
NATIVE: Final = (
    "ansi_default",
    *(f"ansi_{name}" for name in _EIGHT),
    *(f"ansi_bright_{name}" for name in _EIGHT),
)


class Theme(Struct, frozen=True):
    """A colour for each role: ``#rrggbb``, or one of the terminal's."""

    name: str
    dark: bool
    colours: Mapping[str, str]
    json: Mapping[str, str]
    style: str = ""
    """The Pygments style that JSON has its colours of; empty for none."""


DARK: Final = Theme(
    "night",
    dark=True,
    colours={
        "background": "#16181d",
        "surface": "#20242d",
        "text": "#d3d7e0",
        "middle": "#a7afbf",
        "dim": "#818b9e",
        "accent": "#82aaf7",
        "well": "#98c97b",
        "careful": "#e2b566",
        "wrong": "#f2858f",
        "prod": "#f2555a",
        "selection": "#2b3a5c",
        "line": "#2d323d",
    },
    json={
        "key": "#7fc4e8",
        "string": "#98c97b",
        "number": "#f0a875",
        "literal": "#c3a1f0",
        "punctuation": "#818b9e",
        "error": "#f2858f",
    },
)
"""The default theme, also in code, in case its file is missing."""
LIGHT: Final = Theme(
    "paper",
    dark=False,
    colours={
        "background": "#fbfaf6",
        "surface": "#efede4",
        "text": "#25272b",
        "middle": "#4a4e56",
        "dim": "#676b72",
        "accent": "#1f57b8",
        "well": "#2a6a2f",
        "careful": "#875300",
        "wrong": "#b3202f",
        "prod": "#b3202f",
        "selection": "#d4e1f7",
        "line": "#d9d6ca",
    },
    json={
        "key": "#17618a",
        "string": "#2a6a2f",
        "number": "#a04410",
        "literal": "#7a35a8",
        "punctuation": "#676b72",
        "error": "#b3202f",
    },
)
"""Colours that a light theme uses where it sets none."""


def completed(name: str, dark: bool | None, colours: Mapping[str, str], json: Mapping[str, str]) -> Theme:
    """Complete a theme with the default colours, dark or light."""
    background = colours.get("background", "")
    if dark is None:
        dark = not background.startswith("#") or luminance(background) < 0.18
    base = DARK if dark else LIGHT
    return Theme(name, dark, {**base.colours, **colours}, {**base.json, **json})


def colour(text: str) -> str | None:
    """Return a colour in one spelling, or None if it is not one."""
    text = text.strip().lower()
    if _LONG.fullmatch(text):
        return text
    if _SHORT.fullmatch(text):
        return "#" + "".join(digit * 2 for digit in text[1:])
    if text == "default":
        return "ansi_default"
    return text if text in NATIVE else None


def contrast(one: str, other: str) -> float:
    """Return the contrast of two ``#rrggbb`` from 1 to 21, as in WCAG 2."""
    darker, lighter = sorted((luminance(one), luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


def luminance(colour: str) -> float:
    """Return the luminance of a ``#rrggbb`` from 0 to 1, as in WCAG 2."""
    total = 0.0
    for at, weight in ((1, 0.2126), (3, 0.7152), (5, 0.0722)):
        channel = int(colour[at : at + 2], 16) / 255
        linear = channel / 12.92 if channel <= 0.04045 else ((channel + 0.055) / 1.055) ** 2.4
        total += weight * linear
    return total
