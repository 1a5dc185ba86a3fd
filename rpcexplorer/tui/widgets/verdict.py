"""The verdict on the text of an editor, and the line that shows it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial
from typing import ClassVar, Final, TypeAlias

from textual import events
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
from rpcexplorer.tui.widgets.editor import Editor

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


MAX_IMMEDIATE: Final = 4_000
"""Characters; a longer text is judged after a pause and in a thread, so that no key waits."""
PAUSE: Final = 0.1
"""Seconds without a key before a longer text is judged."""
Judgement: TypeAlias = tuple[Params | Problem | None, str, Pasted | None]
"""Params or their problem, a remark about params that can be sent, and a command or call that was pasted."""


def judge_params(text: str) -> Judgement:
    return (*judged(text), pasted(text))


class Verdict:
    """Whether the text of an editor can be used, shown on its problem line.

    ``on_verdict`` is called after each judgement.
    """

    def __init__(
        self,
        editor: Editor,
        line: ProblemLine,
        on_verdict: Callable[[], object],
        judge: Callable[[str], Judgement] = judge_params,
    ) -> None:
        self._editor, self._line = editor, line
        self._on_verdict, self._judge = on_verdict, judge
        self._text: str | None = None
        """The text that was judged."""

    @property
    def is_current(self) -> bool:
        return self._text == self._editor.text

    @property
    def problem(self) -> Problem | None:
        """The problem of the text as it is now, judged at once if need be."""
        if not self.is_current:
            self._show(self._editor.text, self._judge(self._editor.text))
        return self._line.read if isinstance(self._line.read, Problem) else None

    def update(self) -> None:
        """Judge a changed text, a long one later."""
        text = self._editor.text
        self._line.refused = ""
        if len(text) <= MAX_IMMEDIATE:
            self._show(text, self._judge(text))
        else:
            self._editor.mark = None
            self._line.stale = True
            self._run(self._judge_after_pause, "verdict")

    def when_current(self, then: Callable[[], object]) -> None:
        """Do something with the verdict; a long text is judged in a thread first."""
        if self.is_current or len(self._editor.text) <= MAX_IMMEDIATE:
            then()
        else:
            self._run(partial(self._judge_before, then), "judged", exclusive=False)

    def format(self) -> None:
        """Lay out the text, a long one in a thread; one that has changed meanwhile stays as it is."""
        if self.problem is not None:
            return
        if len(self._editor.text) <= MAX_IMMEDIATE:
            self._editor.put(laid_out(self._editor.text))
        else:
            self._run(self._format_in_thread, "format")

    def _run(self, work: Callable[[], Awaitable[None]], group: str, *, exclusive: bool = True) -> None:
        self._editor.run_worker(work, group=group, exclusive=exclusive)

    async def _format_in_thread(self) -> None:
        text = self._editor.text
        formatted = await asyncio.to_thread(laid_out, text)
        if text == self._editor.text:
            self._editor.put(formatted)

    async def _judge_after_pause(self) -> None:
        await asyncio.sleep(PAUSE)
        await self._judge_in_thread()

    async def _judge_before(self, then: Callable[[], object]) -> None:
        while not self.is_current:
            await self._judge_in_thread()
        then()

    async def _judge_in_thread(self) -> None:
        text = self._editor.text
        judgement = await asyncio.to_thread(self._judge, text)
        if text == self._editor.text:
            self._show(text, judgement)

    def _show(self, text: str, judgement: Judgement) -> None:
        self._text, line = text, self._line
        line.read, line.remark, line.pasted = judgement
        line.typed, line.stale = bool(text.strip()), False
        self._editor.mark = (line.read.offset, line.read.end) if isinstance(line.read, Problem) else None
        self._on_verdict()
