"""What the schema of the method has against the params: found out beside the typing, and said as a warning.

Whoever checks may take long and may be wrong. What it says counts for the very text and method that it was asked about,
and sending never waits for it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Final, TypeAlias

from textual import work
from textual.reactive import reactive

from rpcexplorer.importing.pasted import Pasted
from rpcexplorer.jsontext.params import Params, Problem
from rpcexplorer.model.method import Described
from rpcexplorer.model.problem import Checked, SchemaProblem
from rpcexplorer.text.problems import unchecked_words
from rpcexplorer.tui.editor.judging import AT_ONCE, JudgedEditor

LONGEST: Final = 1_000_000
"""Characters; a longer text is not checked."""
PAUSE: Final = 0.2
"""Seconds without a key before a text of more than ``AT_ONCE`` characters is checked."""
CheckParams: TypeAlias = Callable[[Described, str], Awaitable[Checked]]
"""Says what the schemas of a method have against a text of params. It may be cancelled."""


async def unchecked(described: Described, text: str) -> Checked:  # noqa: ARG001
    """Nobody checks."""
    return Checked()


class CheckedEditor(JudgedEditor):
    """The text, its verdict, and beneath a verdict that all is well what its schema says."""

    described: reactive[Described | None] = reactive[Described | None](None, always_update=True)
    """All that is known of the method at hand."""

    def __init__(self, id: str | None = None, *, check: CheckParams = unchecked) -> None:
        super().__init__(id=id)
        self._check_params = check
        self._checked: str | None = None
        """The text that the warnings are about."""

    @property
    def warnings(self) -> Sequence[SchemaProblem]:
        """Those of the text as it stands there now; none before it was checked."""
        return self._line.warnings if self._checked == self.text else ()

    @property
    def warning(self) -> SchemaProblem | None:
        """The one that is told."""
        return self._line.warning if self.warnings else None

    @property
    def _has_fix(self) -> bool:
        """Whether one key mends what is told now."""
        told = self._line.read if isinstance(self._line.read, Problem) else self.warning
        return told is not None and told.fix is not None

    def watch_described(self) -> None:
        """What was said is about another method."""
        self._line.warnings, self._line.unchecked, self._editor.warned = (), "", ()
        if self._judged == self.text:
            self._check()

    def action_fix(self) -> None:
        """Mend what is told: what is no JSON first."""
        told = self.warning
        if self.problem is not None:
            super().action_fix()
        elif told is not None and told.fix is not None:
            self.replace(told.fix.text)

    def _judge(self) -> None:
        self._editor.warned = ()
        self._line.unsure = True
        super()._judge()

    def _say(self, text: str, read: Params | Problem | None, remark: str, more: Pasted | None) -> None:
        super()._say(text, read, remark, more)
        self._check()

    def _check(self) -> None:
        """Ask what the schema has against the text, where it can be sent and there is a schema."""
        text, is_params = self.text, isinstance(self._line.read, Params) and self._line.pasted is None
        is_checked = self.described is not None and self.described.is_checked
        if is_checked and is_params and len(text) <= LONGEST:
            self._check_later()
        else:
            self.workers.cancel_group(self, "check")
            self._warn(text, ())

    @work(exclusive=True, group="check")
    async def _check_later(self) -> None:
        await self._drawn()  # a large schema takes a while to be made ready, and a method that is opened is shown first
        if len(self.text) > AT_ONCE:
            await asyncio.sleep(PAUSE)
        text, described = self.text, self.described
        if described is None:
            return
        checked = await self._check_params(described, text if self._line.typed else self._line.sent or "[]")
        if text == self.text:
            self._warn(text, checked.problems, unchecked_words(checked))

    async def _drawn(self) -> None:
        drawn = asyncio.Event()
        self._editor.call_after_refresh(drawn.set)
        await drawn.wait()

    def _warn(self, text: str, problems: Sequence[SchemaProblem], unchecked: str = "") -> None:
        """Every warning is about this text, and this text alone."""
        self._checked = text
        self._line.warnings, self._line.unchecked, self._line.unsure = tuple(problems), unchecked, False
        self._editor.warned = tuple(_marked(text, each) for each in problems)
        self._tell_nearest()
        self._follow()

    def _tell_nearest(self) -> None:
        """Of several the one is told that the cursor stands in, else the first that one key mends, else the first."""
        cursor = self.cursor_offset if len(self.warnings) > 1 else 0
        first = next((at for at, each in enumerate(self.warnings) if each.fix), 0)
        several = len(self.warnings) > 1
        self._line.at = nearest(self._editor.warned, cursor, self._line.at, first) if several else 0

    def _show_place(self) -> None:
        """The cursor goes to the problem, or to the next of several warnings."""
        if self.problem is not None or not self.warnings:
            super()._show_place()
            return
        if self.cursor_offset == self.warnings[self._line.at].offset:  # several may begin there
            self._line.at = (self._line.at + 1) % len(self.warnings)
        self.go_to(self.warnings[self._line.at].offset)


def nearest(spans: Sequence[tuple[int, int]], cursor: int, told: int, first: int = 0) -> int:
    """The place in which the cursor stands, or behind it: of several the one that is told; in none: ``first``."""
    inside = [at for at, (start, end) in enumerate(spans) if start <= cursor < max(end, start + 1)]
    inside = inside or [at for at, (_, end) in enumerate(spans) if cursor == end]
    return told if told in inside else next(iter(inside), first)


def _marked(text: str, problem: SchemaProblem) -> tuple[int, int]:
    """What is marked of the place: of an object or an array its bracket, and never more than a line."""
    if text[problem.offset : problem.offset + 1] in {"{", "["}:
        return problem.offset, problem.offset + 1
    line_end = text.find("\n", problem.offset, problem.end)
    return problem.offset, min(problem.end, len(text)) if line_end < 0 else line_end
