"""An editor for params and the verdict on what stands in it: at once where it is short, else when the typing rests."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final

from textual import work
from textual.containers import Vertical

from rpcexplorer.importing.pasted import Pasted, pasted
from rpcexplorer.jsontext.params import Params, Problem
from rpcexplorer.model.draft import judged
from rpcexplorer.text.json_text import laid_out
from rpcexplorer.tui.editor.editor import Editor
from rpcexplorer.tui.editor.page import offset_of, place_of
from rpcexplorer.tui.editor.problem import ProblemLine

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
