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
from rpcexplorer.jsontext.layout import indented
from rpcexplorer.jsontext.params import Params, Typo
from rpcexplorer.model.draft import judged
from rpcexplorer.model.problem import SchemaProblem
from rpcexplorer.text.printable import printable
from rpcexplorer.text.problems import warning
from rpcexplorer.text.wrapping import limited, wrapped
from rpcexplorer.tui.commands import COMMANDS, Command, spelled
from rpcexplorer.tui.messages import message
from rpcexplorer.tui.theme import ThemeStyles, line, width_of
from rpcexplorer.tui.widgets.editor import Editor

_BY_ID = {command.id: command for command in COMMANDS}
COMPLETION_KEYS: Final = [
    ("↑↓", "bold"), (" choose   ", "middle"), ("Tab", "bold"), (" insert   ", "middle"), ("Esc", "bold"),
    (" close the list", "middle"),
]  # fmt: skip
FIX, NEXT = _BY_ID["params.fix"], _BY_ID["params.problem-next"]


class ProblemLine(Widget):
    """The verdict on a text, in at most two lines.

    The sentence is shortened to leave room for its fix.
    """

    DEFAULT_CSS = "ProblemLine { height: 1; background: $background; }"

    INDENT: ClassVar[int] = 3

    read: reactive[Params | Typo | None] = reactive[Params | Typo | None](None)
    """The params, or their problem; None before the text is judged."""
    remark: reactive[str] = reactive("")
    """A remark about params that can be sent."""
    typed: reactive[bool] = reactive(False)
    """The text is more than blanks."""
    empty: reactive[str] = reactive("[]")
    """The params of an empty text; ``omit`` leaves them out."""
    is_completing: reactive[bool] = reactive(False)
    """The list of completions is open: the text is not meant to be complete."""
    refused: reactive[str] = reactive("")
    """The action that the problem prevented, for example ``not sent``."""
    pasted: reactive[Pasted | None] = reactive[Pasted | None](None)
    """A pasted command or call that can be imported."""
    warnings: reactive[tuple[SchemaProblem, ...]] = reactive[tuple[SchemaProblem, ...]](())
    """The schema warnings about params that can be sent."""
    unchecked: reactive[str] = reactive("")
    """Why the params, or some of them, were not checked."""
    is_checked: reactive[bool] = reactive(False)
    """The params are checked against a schema, too."""
    at: reactive[int] = reactive(0)
    """The index of the warning that is shown."""
    unsure: reactive[bool] = reactive(False)
    """The warnings are about an older text."""
    stale: reactive[bool] = reactive(False)
    """The verdict is about an older text."""

    @message
    class Pressed(Message):
        """A problem or a warning was clicked: its fix, or the sentence."""

        fix: bool

    def watch_read(self) -> None:
        """Use two lines if the words need them."""
        wanted = width_of(self._words()) + width_of(self._fix()) + self.INDENT
        self.styles.height = 2 if self.read is not None and wanted > self.size.width > 0 else 1

    def set_completing(self, is_completing: bool) -> None:
        self.is_completing = is_completing

    watch_remark = watch_typed = watch_is_completing = watch_refused = watch_pasted = watch_read
    watch_warnings = watch_unchecked = watch_is_checked = watch_at = on_resize = watch_read

    @property
    def warning(self) -> SchemaProblem | None:
        """The warning that is shown if there is no problem."""
        if self.pasted is None and isinstance(self.read, Params) and self.at < len(self.warnings):
            return self.warnings[self.at]
        return None

    @property
    def sent(self) -> str:
        """The params of an empty text; empty if they are left out."""
        return "" if self.empty == "omit" else self.empty

    def render_line(self, y: int) -> Strip:
        words, right = self._words(), self._fix()
        if self.stale:
            words = [(text, "dim") for text, _ in words]
            right = [(text, "dim") for text, _ in right]
        if self.size.height > 1:
            room = self.size.width - self.INDENT
            rows = limited(wrapped(words, room, 2, "words"), 2, room)
            words = rows[y] if y < len(rows) else []
            if y == 0:
                right = []
        return line([(" " * self.INDENT, "text"), *words], self.size.width, ThemeStyles.of(self), right=right)

    def on_click(self, event: events.Click) -> None:
        if isinstance(self.read, Typo) or self.pasted is not None or self.warning is not None:
            self.post_message(self.Pressed(event.x >= self.size.width - width_of(self._fix())))

    def _words(self) -> list[tuple[str, str]]:
        refused = [(f" {self.refused} ", "wrong bold reverse"), ("  ", "text")] if self.refused else []
        if self.pasted is not None:
            return [*(refused or [("! ", "careful bold")]), (self.pasted.what, "careful")]
        if self.read is None:
            return []
        if isinstance(self.read, Typo) and self.is_completing and not self.refused:
            return COMPLETION_KEYS
        if isinstance(self.read, Typo):
            sentence, role = f"{self.read}.", "wrong bold" if self.refused else "wrong"
            if self.read.fix:
                sentence = f"line {self.read.line}, column {self.read.column}: {self.read.what}."
            return [*(refused or [("✗ ", "wrong bold")]), (sentence, role)]
        if self.warning is not None:
            sentence = warning(self.warning, self.at, len(self.warnings), self._key(NEXT))
            if self.unchecked:
                sentence += f"  {self.unchecked}"
            if self.unsure:
                return [("! ", "dim"), (sentence, "dim")]
            return [("! ", "careful bold"), (sentence, "careful")]
        if not self.typed:
            sent = f"{self.sent} will be sent" if self.sent else "they will be omitted"
            words = [("✓ no params", "well"), (f"  {sent}", "middle")]
        elif self.read.size == 0:
            words = [("✓ valid", "well"), ("  no params", "middle")]
        else:
            verdict = "✓ valid" if self.is_checked and not self.unchecked else "✓ valid JSON"
            words = [(verdict, "well"), (f"  {self.read.remark}", "middle")]
        if self.typed and self.remark:
            words += [("  ! ", "careful bold"), (self.remark, "careful")]
        if self.unchecked:
            words.append((f"  {self.unchecked}", "dim"))
        return words

    def _fix(self) -> list[tuple[str, str]]:
        """Return the key and the label of the fix, if there is one."""
        problem = self.read if isinstance(self.read, Typo) else self.warning
        label = ""
        if self.is_completing:
            problem = None
        if self.pasted is not None:
            label = self.pasted.label
        elif problem is not None and problem.fix is not None:
            label = problem.fix.label
        if not label:
            return []
        is_old = self.unsure and problem is self.warning
        key_role, role = ("dim", "dim") if is_old else ("bold", "text")
        return [("  ", "text"), (self._key(FIX), key_role), (f" {printable(label)}  ", role)]

    def _key(self, command: Command) -> str:
        """Return the key of a command as the user's keymap has it."""
        active = (binding.binding for binding in self.screen.active_bindings.values())
        return spelled(next((binding.key for binding in active if binding.action == command.action), command.keys))


MAX_IMMEDIATE: Final = 4_000
"""Characters; longer texts are judged in a thread after a pause."""
PAUSE: Final = 0.1
"""Seconds without a key before a longer text is judged."""
Judgement: TypeAlias = tuple[Params | Typo | None, str, Pasted | None]
"""Params or problem, remark, and a pasted command or call."""


def judge_params(text: str) -> Judgement:
    return (*judged(text), pasted(text))


class Verdict:
    """The verdict on the text of an editor, shown on its problem line.

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
    def problem(self) -> Typo | None:
        """The problem of the current text, judged now if necessary."""
        if not self.is_current:
            self._show(self._editor.text, self._judge(self._editor.text))
        return self._line.read if isinstance(self._line.read, Typo) else None

    def update(self) -> None:
        """Judge the changed text, a long one after a pause."""
        text = self._editor.text
        self._line.refused = ""
        if len(text) <= MAX_IMMEDIATE:
            self._show(text, self._judge(text))
        else:
            self._editor.mark = None
            self._line.stale = True
            self._run(self._judge_after_pause, "verdict")

    def when_current(self, then: Callable[[], object]) -> None:
        """Call ``then`` with a current verdict; judge a long text in a thread."""
        if self.is_current or len(self._editor.text) <= MAX_IMMEDIATE:
            then()
        else:
            self._run(partial(self._judge_before, then), "judged", exclusive=False)

    def format(self) -> None:
        """Format the text unless it changes meanwhile; a long one in a thread."""
        if self.problem is not None:
            return
        if len(self._editor.text) <= MAX_IMMEDIATE:
            self._editor.put(indented(self._editor.text))
        else:
            self._run(self._format_in_thread, "format")

    def _run(self, work: Callable[[], Awaitable[None]], group: str, *, exclusive: bool = True) -> None:
        self._editor.run_worker(work, group=group, exclusive=exclusive)

    async def _format_in_thread(self) -> None:
        text = self._editor.text
        formatted = await asyncio.to_thread(indented, text)
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
        self._editor.mark = (line.read.offset, line.read.end) if isinstance(line.read, Typo) else None
        self._on_verdict()
