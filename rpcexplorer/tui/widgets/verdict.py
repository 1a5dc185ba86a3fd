"""The verdict on the text of an editor, and the line that shows it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import ClassVar, Final

from textual import events, work
from textual.containers import Vertical
from textual.message import Message
from textual.reactive import reactive
from textual.strip import Strip
from textual.widget import Widget

from rpcexplorer.importing.pasted import Pasted, pasted
from rpcexplorer.jsontext.params import Params, Problem
from rpcexplorer.model.draft import judged
from rpcexplorer.model.problem import SchemaProblem
from rpcexplorer.text.json_text import laid_out
from rpcexplorer.text.printable import columns, printable
from rpcexplorer.text.problems import warning
from rpcexplorer.tui.commands import COMMANDS, Command, spelled
from rpcexplorer.tui.messages import message
from rpcexplorer.tui.theme import Pieces, ThemeStyles, line, width_of
from rpcexplorer.tui.widgets.editor import Editor, offset_of, place_of

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


AT_ONCE: Final = 4_000
"""Characters; to find what is wrong in a longer text takes longer than a key may: it waits for a pause and a thread."""
PATIENCE: Final = 2.0
"""Seconds; longer than any burst of keys takes."""
PAUSE: Final = 0.1
"""Seconds without a key before a longer text is judged."""


class JudgedEditor(Vertical):
    """The text, the line that says what is wrong with it, and what mends it. Who lays them out is made of this."""

    def __init__(self, id: str | None = None) -> None:
        super().__init__(id=id)
        self._editor = Editor()
        self._line = ProblemLine()
        self._judged: str | None = None
        """The text that the verdict is about."""
        self._can: tuple[bool, ...] = ()
        """Which of the actions below the footer shows."""

    @property
    def text(self) -> str:
        return self._editor.text

    @property
    def problem(self) -> Problem | None:
        """What is wrong with it, and now: sending does not wait for a pause."""
        if self._judged != self.text:
            self._say(self.text, *self._verdict(self.text))
        return self._line.read if isinstance(self._line.read, Problem) else None

    def replace(self, text: str) -> None:
        """Another text for the same method; it can be taken back."""
        self._editor.put(text)

    def put_value(self, place: Callable[[str, int], tuple[str, int]]) -> None:
        """Put something in: ``place`` says what becomes of the text, and of the cursor's offset in it."""
        after, cursor = place(self.text, self.cursor_offset)
        self._editor.put(after)
        self.go_to(cursor)

    @property
    def cursor_offset(self) -> int:
        """Where in the text the cursor stands."""
        return offset_of(self._editor.document.lines, self._editor.cursor_location)

    def go_to(self, offset: int) -> None:
        """The cursor goes to a place in the text."""
        self._editor.move_cursor(place_of(self.text, offset))

    def when_typed(self, then: Callable[[], object]) -> None:
        """Do something once every key pressed before is in the text, and the text is judged."""
        self._editor.call_later(self._when_judged, then)

    def _when_judged(self, then: Callable[[], object]) -> None:
        """Do something with the verdict; a long text is judged beside the screen first."""
        if self._judged == self.text or len(self.text) <= AT_ONCE:
            then()
        else:
            self._judge_first(then)

    @work(group="judged")
    async def _judge_first(self, then: Callable[[], object]) -> None:
        while self._judged != self.text:
            await self._judge_beside()
        then()

    async def settled(self) -> None:
        """Wait until every key that was pressed before has been taken in; but nothing waits for ever to be left."""
        taken_in = asyncio.Event()
        self._editor.call_later(taken_in.set)
        waiting = asyncio.ensure_future(taken_in.wait())
        await asyncio.wait([waiting], timeout=PATIENCE)
        waiting.cancel()

    def action_fix(self) -> None:
        if (problem := self.problem) and problem.fix:
            self.replace(problem.fix.text)

    def action_format(self) -> None:
        self._when_judged(self._format)

    def _format(self) -> None:
        if self.problem is None and len(self.text) <= AT_ONCE:
            self.replace(laid_out(self.text))
        elif self.problem is None:
            self._format_beside()

    @work(exclusive=True, group="format")
    async def _format_beside(self) -> None:
        """Lay out a long text in a thread; a text that has changed since stays as it is."""
        text = self.text
        formatted = await asyncio.to_thread(laid_out, text)
        if text == self.text:
            self.replace(formatted)

    def action_problem_next(self) -> None:
        """The cursor goes to the problem."""
        self._show_place()

    def action_undo(self) -> None:
        self._editor.undo()

    def action_redo(self) -> None:
        self._editor.redo()

    def _verdict(self, text: str) -> tuple[Params | Problem | None, str, Pasted | None]:
        """Return what a text of params is, what is odd about it, and whether it is more than params."""
        return (*judged(text), pasted(text))

    def _judge(self) -> None:
        text = self.text
        self._line.refused = ""
        if len(text) <= AT_ONCE:
            self._say(text, *self._verdict(text))
        else:
            self._editor.mark = None
            self._line.stale = True
            self._judge_later()
        self._follow()

    @work(exclusive=True, group="verdict")
    async def _judge_later(self) -> None:
        await asyncio.sleep(PAUSE)
        await self._judge_beside()

    async def _judge_beside(self) -> None:
        """Judge the text in a thread, as typing goes on."""
        text = self.text
        verdict = await asyncio.to_thread(self._verdict, text)
        if text == self.text:
            self._say(text, *verdict)
            self._follow()

    def _say(self, text: str, read: Params | Problem | None, remark: str, more: Pasted | None) -> None:
        self._judged, self._line.remark, self._line.pasted = text, remark, more
        self._line.read, self._line.typed, self._line.stale = read, bool(text.strip()), False
        self._editor.mark = (read.offset, read.end) if isinstance(read, Problem) else None

    def _show_place(self) -> None:
        """The cursor goes to the problem."""
        if (problem := self.problem) is not None:
            self._editor.move_cursor(place_of(self.text, problem.offset))

    def _follow(self) -> None:
        """The footer shows other keys only if others work."""
        can = tuple(bool(self.check_action(action, ())) for action in ("fix", "format", "undo", "redo"))
        if can != self._can:
            self._can = can
            self.refresh_bindings()
