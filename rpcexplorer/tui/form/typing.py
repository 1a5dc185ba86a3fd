"""Where a value is typed in place: one line over its row, or a few for what has no simpler form than JSON."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from textual.geometry import Offset, Region

from rpcexplorer.model.form.typed import typed_json
from rpcexplorer.tui.editor.editor import Editor
from rpcexplorer.tui.widgets.entry import Taking

MOST_LINES: Final = 10
LEAST_WIDTH: Final = 24
NO_NUMBER: Final = "That is no number. A value of another kind is written as JSON; Esc leaves what stood there."
NO_JSON: Final = "That is no JSON yet: Enter goes on below, Esc leaves what stood there."


class LineInPlace(Taking):
    """A text without its quotes, a number, or a name."""

    DEFAULT_CSS = """
    LineInPlace, LineInPlace:focus {
        display: none; overlay: screen; constrain: inside inside; background: $surface; width: 20; padding: 0;
    }
    """

    def __init__(self, take: Callable[[], object]) -> None:
        super().__init__(self._taken)
        self._whose = take

    def _taken(self, _: str) -> None:
        self._whose()

    def open(self, text: str, at: Region) -> None:
        """Over a region of the screen; what is typed goes on behind the text."""
        self.display = True
        self.value = text
        self.cursor_position = len(text)
        self.styles.width = max(at.width, LEAST_WIDTH)
        self.absolute_offset = Offset(at.x, at.y)


class JsonInPlace(Editor):
    """A value as JSON. Enter takes it where it is one, else it begins another line."""

    DEFAULT_CSS = """
    JsonInPlace, JsonInPlace:focus {
        display: none; overlay: screen; constrain: inside inside; background: $surface; width: 20; height: 3;
        border-left: outer $accent;
    }
    """

    def __init__(self, take: Callable[[], object]) -> None:
        super().__init__()
        self._take = take
        self.first = self._key

    def open(self, text: str, at: Region) -> None:
        self.display = True
        self.load(text)
        self.move_cursor(self.document.end)
        self.styles.width = max(at.width, LEAST_WIDTH)
        self.styles.height = min(max(text.count("\n") + 2, 3), MOST_LINES)
        self.absolute_offset = Offset(at.x, at.y)

    def _key(self, key: str) -> bool:
        if key != "enter" or typed_json(self.text) is None:
            return False
        self._take()
        return True
