"""Where a value is typed in place: one line over its row, or a few for what has no simpler form than JSON."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar, Final

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.geometry import Offset, Region

from rpcexplorer.importing.pasted import Pasted
from rpcexplorer.jsontext.params import Params, Problem
from rpcexplorer.schema.form import typed_problem
from rpcexplorer.tui.commands import bindings
from rpcexplorer.tui.editor.editor import Editor
from rpcexplorer.tui.editor.judging import JudgedEditor
from rpcexplorer.tui.editor.problem import ProblemLine
from rpcexplorer.tui.widgets.entry import Taking

MOST_LINES: Final = 10
LEAST_WIDTH: Final = 24
OF_PROBLEMS: Final = frozenset({"params.fix", "params.problem-next"})
EMPTY: Final = frozenset({"[]", "{}"})


class LineInPlace(Taking):
    """A text without its quotes."""

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
        self.screen.set_focus(self)


class JsonInPlace(JudgedEditor):
    """A value as JSON, and the line that says what is wrong with it.

    Enter applies a value. In a text that is not one yet it begins another line, but at its end only if more is missing.
    """

    DEFAULT_CSS = """
    JsonInPlace {
        display: none; overlay: screen; constrain: inside inside; background: $surface; width: 20; height: auto;
        border-left: outer $accent;
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        each for each in bindings("params") if isinstance(each, Binding) and each.id in OF_PROBLEMS
    ]

    def __init__(self, take: Callable[[], object]) -> None:
        super().__init__()
        self._take = take
        self._editor.first = self._key

    def compose(self) -> ComposeResult:
        yield self._editor
        yield self._line

    def open(self, text: str, at: Region) -> None:
        self.display = True
        self._editor.load(text)
        if text not in EMPTY:  # the cursor is inside of those
            self._editor.move_cursor(self._editor.document.end)
        self.styles.width = max(at.width, LEAST_WIDTH)
        self._fit()
        self.absolute_offset = Offset(at.x, at.y)
        self._judge()
        self.screen.set_focus(self._editor)

    def _fit(self) -> None:
        """Give a value a line of its own for each of the text's, and one more where it goes on."""
        lines = self._editor.document.line_count
        self._editor.styles.height = min(lines + (lines > 1), MOST_LINES)

    def refuse(self, what: str) -> None:
        """Say that a wrong text was not used, and show the place if it is on another line."""
        problem, self._line.refused = self.problem, what
        if problem is not None and problem.line != self._editor.cursor_location[0] + 1:
            self._show_place()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:  # noqa: ARG002
        """Return whether there is a problem to go to, or to fix."""
        read = self._line.read
        problem = read if isinstance(read, Problem) else None
        possible = {"problem_next": problem is not None, "fix": problem is not None and problem.fix is not None}
        return possible.get(action, True) or None

    def _verdict(self, text: str) -> tuple[Params | Problem | None, str, Pasted | None]:
        return typed_problem(text), "", None

    def _say(self, text: str, read: Params | Problem | None, remark: str, more: Pasted | None) -> None:
        super()._say(text, read, remark, more)
        self._line.display = read is not None

    @on(Editor.Changed)
    def _text_changed(self, event: Editor.Changed) -> None:
        event.stop()
        if self.display:
            self._fit()
            self._judge()

    @on(ProblemLine.Pressed)
    def _verdict_clicked(self, event: ProblemLine.Pressed) -> None:
        event.stop()
        self.action_fix() if event.fix else self._show_place()
        self.screen.set_focus(self._editor)

    def _key(self, key: str) -> bool:
        if key != "enter":
            return False
        problem, text = self.problem, self.text
        goes_on = problem is not None and (self.cursor_offset < len(text) or 0 < len(text.rstrip()) <= problem.offset)
        if not goes_on:
            self._take()
        return not goes_on
