"""What is compared with what: a line for each side, with its sign, profile, moment and outcome."""

from __future__ import annotations

from typing import ClassVar

from textual.reactive import reactive
from textual.strip import Strip
from textual.widget import Widget

from rpcexplorer.tui.sizes import NARROW
from rpcexplorer.tui.theming import Pieces, ThemeStyles, line


class Sides(Widget):
    """Side by side like the text below it, or one below the other."""

    DEFAULT_CSS = """
    Sides { height: 1; background: $surface; }
    """
    BETWEEN: ClassVar[int] = 3

    sides: reactive[tuple[Pieces, Pieces]] = reactive[tuple[Pieces, Pieces]](((), ()))

    def on_resize(self) -> None:
        self.styles.height = 1 if self.side_by_side else 2

    @property
    def side_by_side(self) -> bool:
        return self.size.width >= NARROW

    def render_line(self, y: int) -> Strip:
        styles, width = ThemeStyles.of(self), self.size.width
        if not self.side_by_side:
            return line(self.sides[min(y, 1)], width, styles, ground="surface")
        half = (width - 1 - self.BETWEEN) // 2
        left = line(self.sides[0], half, styles, ground="surface")
        right = line([(" " * self.BETWEEN, "text"), *self.sides[1]], width - half, styles, ground="surface")
        return Strip.join([left, right])
