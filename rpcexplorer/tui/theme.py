"""Roles of text, the styles of a theme, and lines of fixed width."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Any, Final, TypeAlias

from rich.cells import cell_len, set_cell_size
from rich.segment import Segment
from rich.style import Style
from textual.color import BLACK, WHITE, Color
from textual.strip import Strip
from textual.theme import Theme as TextualTheme
from textual.widget import Widget

from rpcexplorer.model.settings import Theme, luminance
from rpcexplorer.text.printable import printable

Pieces: TypeAlias = Iterable[tuple[str, str]]
"""The pieces of a line with their roles."""
ATTRIBUTES: Final = ("bold", "underline", "italic", "reverse", "strike")
STRONG: Final = {"selection": "text", "focus": "accent"}
"""The grounds of the selected row and of the bar of the focused pane.

A theme leaves them to the terminal with ``ansi_default``: then this role and the background are swapped.
"""
ON_STRONG: Final = {"dim": "middle", "json-punctuation": "middle", "line": "dim"}
"""Roles that would be too faint there, and what they are drawn as."""


class ThemeStyles:
    """The styles of a theme by role, made when first needed."""

    def __init__(self, theme: TextualTheme) -> None:
        self.theme = theme
        self._colours = theme.variables
        self._styles: dict[tuple[str, str], Style] = {}

    @staticmethod
    def of(widget: Widget) -> ThemeStyles:
        theme = widget.app.current_theme
        styles = _by_theme.get(theme.name)
        if styles is None or styles.theme is not theme:
            styles = _by_theme[theme.name] = ThemeStyles(theme)
        return styles

    def style(self, role: str = "text", ground: str = "background") -> Style:
        style = self._styles.get((role, ground))
        if style is None:
            style = self._styles[role, ground] = self._made(role, ground)
        return style

    def _made(self, role: str, ground: str) -> Style:
        attributes: dict[str, Any] = {}
        colour = "text"
        for word in role.split():
            if word in ATTRIBUTES:
                attributes[word] = True
            elif not word.startswith("on:"):
                colour = word
            elif self.theme.ansi:  # Colours of the terminal are unknown, so the terminal swaps them itself.
                colour, attributes["reverse"] = word.removeprefix("on:"), True
            else:
                colour, ground = "background", word.removeprefix("on:")
        if ground in STRONG:
            colour = ON_STRONG.get(colour, colour)
            if self._colours[ground] == "ansi_default":
                colour, ground, attributes["reverse"] = STRONG[ground], "background", "reverse" not in attributes
        return Style(color=self._colour(colour), bgcolor=self._colour(ground), **attributes)

    def _colour(self, role: str) -> Any:
        return _rich_colour(self._colours.get(role, self._colours["text"]))


_by_theme: dict[str, ThemeStyles] = {}


@lru_cache(256)
def _rich_colour(value: str) -> Any:
    return Color.parse(value).rich_color


def segments(words: Pieces, styles: ThemeStyles, ground: str = "background") -> list[Segment]:
    return [Segment(_safe(text), styles.style(role, ground)) for text, role in words if text]


def line(words: Pieces, width: int, styles: ThemeStyles, *, right: Pieces = (), ground: str = "background") -> Strip:
    """Return a line of ``width`` columns with text at both ends.

    The left text is clipped if the room is too small.
    """
    after = segments(right, styles, ground)
    room = max(width - columns_of(after), 0)
    before = clipped(segments(words, styles, ground), room, Segment("…", styles.style("dim", ground)))
    gap = room - columns_of(before)
    blank = [Segment(" " * gap, styles.style("text", ground))] if gap else []
    return filled([*before, *blank, *after], width, styles.style("text", ground))


def filled(pieces: list[Segment], width: int, blank: Style) -> Strip:
    """Return pieces as a line of ``width`` columns."""
    return Strip(pieces, columns_of(pieces)).adjust_cell_length(width, blank)


def columns_of(pieces: Iterable[Segment]) -> int:
    return sum(piece.cell_length for piece in pieces)


def clipped(pieces: list[Segment], width: int, more: Segment) -> list[Segment]:
    """Return pieces cut at ``width`` columns, with a sign if text is cut."""
    if columns_of(pieces) <= width:
        return pieces
    kept: list[Segment] = []
    left = width - 1
    for piece in pieces:
        if left <= 0:
            break
        taken = piece if piece.cell_length <= left else Segment(set_cell_size(piece.text, left), piece.style)
        kept.append(taken)
        left -= taken.cell_length
    return [*kept, more] if width > 0 else []


def width_of(words: Pieces) -> int:
    return sum(cell_len(_safe(text)) for text, _ in words)


def _safe(text: str) -> str:
    return text if text.isascii() and text.isprintable() else printable(text)


def textual_theme(theme: Theme) -> TextualTheme:
    """Return one of our themes as a Textual theme.

    Each role is a variable for stylesheets and for ``ThemeStyles``.
    """
    colours = dict(theme.colours) | {f"json-{role}": colour for role, colour in theme.json.items()}
    native = any(colour.startswith("ansi_") for colour in theme.colours.values())
    accent, ground, surface = colours["accent"], colours["background"], colours["surface"]
    if native:  # Colours of the terminal cannot be mixed.
        colours |= {"focus": colours["selection"], "prod-surface": surface, "scrollbar": colours["line"]}
    else:
        colours["focus"] = Color.parse(surface).blend(Color.parse(colours["selection"]), 0.6).hex
        colours["prod-surface"] = _tinted(surface, colours["prod"], dark=theme.dark)
        colours["scrollbar"] = Color.parse(ground).blend(Color.parse(colours["dim"]), 0.75).hex
    return TextualTheme(
        name=theme.name,
        primary=accent,
        secondary=accent,
        accent=accent,
        warning=colours["careful"],
        error=colours["wrong"],
        success=colours["well"],
        foreground=colours["text"],
        background=ground,
        surface=surface,
        panel=surface,
        boost=surface,
        dark=theme.dark,
        ansi=native,
        variables=colours
        | {
            "block-cursor-background": colours["selection"],
            "block-cursor-foreground": colours["text"],
            "input-selection-background": colours["selection"],
            "input-cursor-background": colours["text"],
            "input-cursor-foreground": ground,
            "scrollbar-hover": colours["dim"],
            "scrollbar-active": accent,
            "scrollbar-background": ground,
            "scrollbar-background-hover": ground,
            "scrollbar-background-active": ground,
            "scrollbar-corner-color": ground,
            # Textual's stylesheets use these in themes with colours of the terminal.
            "ansi-background": ground,
            "ansi-foreground": colours["text"],
        },
    )


def _tinted(bar: str, tint: str, *, dark: bool) -> str:
    """Return the colour of a bar with a tint, so that words are as readable as on the bar."""
    mixed = Color.parse(bar).blend(Color.parse(tint), 0.25)
    shade = BLACK if dark else WHITE
    for percent in range(100):
        ground = mixed.blend(shade, percent / 100).hex
        is_lighter = luminance(ground) > luminance(bar)
        if is_lighter != dark:
            return ground
    return bar


GUTTER: Final = 6
"""Columns left of the text, unless line numbers need more."""
AFTER_NUMBER: Final = 3
"""Columns of the gutter between number and text."""
NARROW: Final = 100
"""Narrower screens fold the methods away."""
