"""The line under the editor: that the params are valid and what they are, or the first problem and what mends it.

A text that can be sent may still be not what the method takes: then that is said, as a warning.
"""

from __future__ import annotations

from typing import ClassVar

from textual import events
from textual.message import Message
from textual.reactive import reactive
from textual.strip import Strip
from textual.widget import Widget

from rpcexplorer.importing.pasted import Pasted
from rpcexplorer.jsontext.params import Params, Problem
from rpcexplorer.model.problem import SchemaProblem
from rpcexplorer.text.printable import columns, printable
from rpcexplorer.text.problems import warning
from rpcexplorer.tui.commands import COMMANDS, Command, spelled
from rpcexplorer.tui.messages import message
from rpcexplorer.tui.theming import Pieces, ThemeStyles, line, width_of

FIX, NEXT = (next(each for each in COMMANDS if each.id == f"params.{name}") for name in ("fix", "problem-next"))


class ProblemLine(Widget):
    """One line; two where the sentence needs them. It gives way where there is too little room, the fix does not."""

    DEFAULT_CSS = "ProblemLine { height: 1; background: $background; }"

    INDENT: ClassVar[int] = 3

    read: reactive[Params | Problem | None] = reactive[Params | Problem | None](None)
    """What the text is, or what is wrong with it; None before anybody looked."""
    remark: reactive[str] = reactive("")
    """What is odd about a text that can be sent all the same."""
    typed: reactive[bool] = reactive(False)
    """There is something in the editor."""
    empty: reactive[str] = reactive("[]")
    """What is sent where nothing is typed."""
    refused: reactive[str] = reactive("")
    """What did not become of it when somebody tried, as it is: ``not sent``."""
    pasted: reactive[Pasted | None] = reactive[Pasted | None](None)
    """More than params stands there, and can be taken apart."""
    warnings: reactive[tuple[SchemaProblem, ...]] = reactive[tuple[SchemaProblem, ...]](())
    """What the schema has against a text that can be sent all the same."""
    unchecked: reactive[str] = reactive("")
    """Why nobody knows what the schema has against it, or against all of it."""
    at: reactive[int] = reactive(0)
    """Which of them is told."""
    unsure: reactive[bool] = reactive(False)
    """The text has changed since they were said; whoever checks has not answered yet."""
    stale: reactive[bool] = reactive(False)
    """The text has changed since; a longer one is looked at when the typing rests."""

    @message
    class Pressed(Message):
        """A problem or a warning was clicked: its fix, or the sentence by somebody who wants to see the place."""

        line: ProblemLine
        fix: bool

    def watch_read(self) -> None:
        self._fit()

    def watch_refused(self) -> None:
        self._fit()

    def watch_pasted(self) -> None:
        self._fit()

    def watch_remark(self) -> None:
        self._fit()

    def watch_warnings(self) -> None:
        self._fit()

    def watch_unchecked(self) -> None:
        self._fit()

    def watch_at(self) -> None:
        self._fit()

    def watch_typed(self) -> None:
        self._fit()

    def on_resize(self) -> None:
        self._fit()

    @property
    def warning(self) -> SchemaProblem | None:
        """The one that is told, where there is nothing worse to tell."""
        is_well = isinstance(self.read, Params) and self.pasted is None
        return self.warnings[self.at] if is_well and self.at < len(self.warnings) else None

    @property
    def sent(self) -> str:
        """What is sent where nothing is typed; empty where the params are left out."""
        return "" if self.empty == "omit" else self.empty

    def _fit(self) -> None:
        wanted = width_of(self._words()) + width_of(self._fix()) + self.INDENT
        self.styles.height = 2 if self.read is not None and wanted > self.size.width > 0 else 1

    def render_line(self, y: int) -> Strip:
        words, right, indent = self._words(), self._fix(), (" " * self.INDENT, "text")
        if self.stale:
            words, right = [[(text, "dim") for text, _ in each] for each in (words, right)]
        if self.size.height > 1:
            first, rest = _broken(words, self.size.width - self.INDENT)
            words, right = (first, ()) if y == 0 else ([("  ", "text"), *rest], right)
        return line([indent, *words], self.size.width, ThemeStyles.of(self), right=right)

    def on_click(self, event: events.Click) -> None:
        """The fix is a button, the sentence leads to the place."""
        if isinstance(self.read, Problem) or self.pasted is not None or self.warning is not None:
            on_fix = event.x >= self.size.width - width_of(self._fix())
            self.post_message(self.Pressed(self, on_fix))

    def _words(self) -> Pieces:
        if self.pasted is not None:
            return [*self._refused("! ", "careful bold"), (f"{self.pasted.what}", "careful")]
        if isinstance(self.read, Problem):
            where = f"line {self.read.line}, column {self.read.column}"
            told = f"{where}: {self.read.what}." if self.read.fix else f"{self.read}."
            return [*self._refused("✗ ", "wrong bold"), (told, "wrong bold" if self.refused else "wrong")]
        if self.read is None:
            return []
        if self.warning is not None:
            told = "  ".join(
                filter(None, (warning(self.warning, self.at, len(self.warnings), self._key(NEXT)), self.unchecked))
            )
            sign = ("! ", "dim" if self.unsure else "careful bold")
            return [sign, (told, "dim" if self.unsure else "careful")]
        unchecked = [(f"  {self.unchecked}", "dim")] if self.unchecked else []
        if self.typed:
            odd = [("  ! ", "careful bold"), (self.remark, "careful")] if self.remark else []
            return [("✓ valid", "well"), (f"  {self.read.remark}", "middle"), *odd, *unchecked]
        sent = f"{self.sent} will be sent" if self.sent else "params will be left out"
        return [("✓ nothing typed", "well"), (f"  {sent}", "middle"), *unchecked]

    def _refused(self, sign: str, role: str) -> Pieces:
        """That nothing became of it, else a sign."""
        return [(f" {self.refused} ", "wrong bold reverse"), ("  ", "text")] if self.refused else [(sign, role)]

    def _fix(self) -> Pieces:
        about = self.read if isinstance(self.read, Problem) else self.warning
        fix = about.fix if about is not None else None
        label = self.pasted.label if self.pasted is not None else fix.label if fix is not None else ""
        roles = ("dim", "dim") if self.unsure and about is self.warning else ("bold", "text")
        return [("  ", "text"), (self._key(FIX), roles[0]), (f" {printable(label)}  ", roles[1])] if label else []

    def _key(self, command: Command) -> str:
        """The key of a command, also where a person chose another one."""
        active = (each.binding for each in self.screen.active_bindings.values())
        return spelled(next((each.key for each in active if each.id == command.id), command.keys))


def _broken(words: Pieces, room: int) -> tuple[Pieces, Pieces]:
    """Pieces in two lines; the last of them is broken between words where the first line is full."""
    *before, (text, role) = words
    left = room - width_of(before)
    if columns(text) <= left:
        return words, ()
    at = text.rfind(" ", 0, max(left, 0))
    return [*before, (text[: max(at, 0)], role)], [(text[at + 1 :], role)]
