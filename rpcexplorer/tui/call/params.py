"""The params pane."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import ClassVar, Final, TypeAlias

from textual import on, work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.message import Message
from textual.reactive import reactive
from textual.widget import Widget
from textual.widgets.text_area import Location

from rpcexplorer.importing.pasted import Pasted
from rpcexplorer.jsontext.params import Params, Problem
from rpcexplorer.model.exchange import Preview, Refused
from rpcexplorer.model.method import Described, Method
from rpcexplorer.model.problem import Checked, SchemaProblem
from rpcexplorer.text.exchange import request_lines
from rpcexplorer.text.problems import unchecked_words
from rpcexplorer.tui.call.completion import AskForNames, Complete, CompletionList, incomplete
from rpcexplorer.tui.commands import Scope, bindings
from rpcexplorer.tui.messages import message
from rpcexplorer.tui.widgets.bars import Bar
from rpcexplorer.tui.widgets.editor import Editor, offset_of
from rpcexplorer.tui.widgets.rows import Sheet
from rpcexplorer.tui.widgets.verdict import AT_ONCE, JudgedEditor, ProblemLine

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


TABS: Final = ("Params", "Request")
HintAt: TypeAlias = Callable[[str, int], str]
"""What belongs at an offset of a text of params, and what comes next; empty where nobody knows."""


def unhinted(text: str, offset: int) -> str:  # noqa: ARG001
    """Nobody knows."""
    return ""


class ParamsPane(CheckedEditor):
    """The draft's params, and the request that they would make."""

    DEFAULT_CSS = """
    ParamsPane { background: $background; }
    ParamsPane > Editor, ParamsPane > Sheet { height: 1fr; }
    """
    scope: ClassVar[Scope] = "params"
    BINDINGS: ClassVar[list[BindingType]] = bindings("params")

    method: reactive[Method | None] = reactive[Method | None](None)
    """The method at hand."""
    preview: reactive[Preview | Refused | None] = reactive[Preview | Refused | None](None)
    """The request to come, or why there would be none."""
    empty: reactive[str] = reactive("[]")
    """What is sent where nothing is typed, as the profile says it."""
    tab: reactive[str] = reactive("Params")

    @message
    class ParamsMessage(Message):
        """Something that the pane has to say."""

        pane: ParamsPane

    @message
    class TextChanged(ParamsMessage):
        """The text has changed."""

        text: str

    @message
    class EditorWanted(ParamsMessage):
        """The text should be changed in the person's own editor, and then put back with ``replace``."""

        text: str

    @message
    class TakeApartWanted(ParamsMessage):
        """The text is more than params, and should become a method and its params."""

        text: str
        pasted: Pasted

    class ResetWanted(ParamsMessage):
        """The method's starting point should be put back."""

    class PreviewWanted(ParamsMessage):
        """The request to come is on view and out of date."""

    def __init__(
        self,
        id: str | None = None,
        *,
        key: str = "F3",
        names: AskForNames = tuple,
        complete: Complete = incomplete,
        hint: HintAt = unhinted,
        check: CheckParams = unchecked,
    ) -> None:
        """``key`` goes here; the others know what could stand between braces or elsewhere, and what a schema says."""
        super().__init__(id=id, check=check)
        self._key = key
        self._bar = Bar()
        self._hint = hint
        self._completion = CompletionList(self._editor, names, complete)
        self._editor.first = self._completion.key
        self._request = Sheet()
        self._bodies = (self._editor, self._request)
        """In the order of the tabs, each there from the first time that it is on view."""
        self._known = ""
        """The text that everybody has been told of."""
        self._loaded = ("", (0, 0))
        """The text that came with the method, and where the cursor stood in it."""
        self._is_written = False
        """Somebody has begun to write: a key has changed one or the other."""
        self._hinted: tuple[tuple[str, Location] | None, str] = None, ""
        """What is told of what belongs at the cursor, and where that was."""

    def compose(self) -> ComposeResult:
        self._bar.tabs, self._bar.key = TABS, self._key
        yield self._bar
        yield self._editor
        yield self._line
        yield self._completion

    def on_mount(self) -> None:
        self._arrange()
        self._judge()

    def load(self, method: Method | None, text: str) -> None:
        """Another method with its text; nothing of the one before can be taken back."""
        self.method = method
        self._completion.forget()
        self._editor.load(text)
        self._editor.to_first_value()
        self._known = self.text
        self._loaded, self._is_written = (self._known, self._editor.cursor_location), False
        self._hinted = None, ""
        self._changed()

    def describe(self, method: Method) -> None:
        """More became known of the method at hand."""
        self.method = method

    def offer_anew(self) -> None:
        """More became known of what could stand at the cursor."""
        self._completion.look_again()

    def show_tab(self, name: str) -> None:
        inside = self.has_focus_within
        self.tab = name
        if inside:
            self.focus_inside()

    def next_tab(self, by: int = 1) -> None:
        """The tab beside the open one, round the corner."""
        self.show_tab(self._bar.next_tab(by))

    def focus_inside(self) -> None:
        self.screen.set_focus(self._bodies[TABS.index(self.tab)])

    @property
    def is_on_view(self) -> bool:
        return all(each.display for each in self.ancestors_with_self if isinstance(each, Widget))

    def refuse(self, what: str = "not sent") -> None:
        """Somebody tried to send what cannot be sent: say so where the reason stands, and show the place."""
        self.show_tab("Params")
        if self.problem is not None:
            self._line.refused = what
            self._show_place()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:  # noqa: ARG002
        """What can be done now; the keys for the text work where the text is."""
        history, read = self._editor.history, self._line.read
        if action not in {"fix", "format", "editor", "undo", "redo", "problem_next", "complete"}:
            return True
        if self.tab != "Params":
            return False
        possible = {
            "fix": self._line.pasted is not None or self._has_fix,
            "problem_next": not isinstance(read, Params) or bool(self.warnings),
            "format": isinstance(read, Params) and read.size > 0,
            "undo": bool(history.undo_stack),
            "redo": bool(history.redo_stack),
        }
        return possible.get(action, True) or None

    def _tell_bar(self) -> None:
        """The method, and what it does; whoever writes its params is told what belongs at the cursor instead."""
        if self.method is None:
            self._bar.words = [("No method", "middle"), ("  F2 shows them", "dim")]
            return
        here = self._editor.text, self._editor.cursor_location
        self._is_written = self._is_written or here != self._loaded
        if not (self._is_written and self._editor.has_focus):
            self._hinted = None, ""
        elif self._hinted[0] != here:
            self._hinted = here, self._hint(here[0], offset_of(self._editor.document.lines, here[1]))
        self._bar.words = [(self.method.name, "accent bold"), (f"  {self._hinted[1] or self.method.doc}", "dim")]

    def watch_method(self) -> None:
        self._tell_bar()

    def watch_preview(self) -> None:
        self._request.lines = request_lines(self.preview)

    def watch_empty(self) -> None:
        self._line.empty = self.empty

    def watch_tab(self) -> None:
        self._bar.open = self.tab
        self._line.display = self.tab == "Params"
        self._arrange()
        if self.tab == "Request":
            self.post_message(self.PreviewWanted(self))
        self.refresh_bindings()

    def _arrange(self) -> None:
        """The page of the tab."""
        for name, body in zip(TABS, self._bodies, strict=True):
            body.display = name == self.tab
            if body.display and body.parent is None and self.is_attached:  # a key can come before the first frame
                self.mount(body, after=self._editor)

    def on_descendant_focus(self) -> None:
        self._bar.here = any(each.has_focus for each in self._bodies)
        self._tell_bar()

    def on_descendant_blur(self) -> None:
        self._bar.here = any(each.has_focus for each in self._bodies)
        self._tell_bar()
        self._completion.forget()

    @on(Editor.Changed)
    def _text_changed(self, event: Editor.Changed) -> None:
        event.stop()
        if self.text != self._known:
            self._known = self.text
            self._changed()
            self.post_message(self.TextChanged(self, self._known))
            self._completion.follow()
            self._tell_bar()

    @on(Editor.SelectionChanged)
    def _cursor_moved(self, event: Editor.SelectionChanged) -> None:
        event.stop()
        self._completion.follow()
        self._tell_nearest()
        self._tell_bar()

    @on(Bar.TabClicked)
    def _tab_clicked(self, event: Bar.TabClicked) -> None:
        event.stop()
        self.show_tab(event.tab)
        self.focus_inside()

    @on(ProblemLine.Pressed)
    def _verdict_clicked(self, event: ProblemLine.Pressed) -> None:
        event.stop()
        self.action_fix() if event.fix else self._show_place()
        self.focus_inside()

    def action_tab_next(self) -> None:
        self.next_tab()

    def action_fix(self) -> None:
        """Fix the text, or take it apart: then the method changes as well."""
        self._when_judged(self._fix)

    def _fix(self) -> None:
        problem = self.problem
        if self._line.pasted is not None:
            self.post_message(self.TakeApartWanted(self, self.text, self._line.pasted))
        elif problem is not None or self.warning is not None:
            super().action_fix()

    def action_complete(self) -> None:
        """What could stand at the cursor."""
        if not self._completion.want():
            self.notify("Nothing is known that could stand here.", markup=False, timeout=3)

    def action_editor(self) -> None:
        self.post_message(self.EditorWanted(self, self.text))

    def action_reset(self) -> None:
        self.post_message(self.ResetWanted(self))

    def _changed(self) -> None:
        """What hangs on the text is out of date."""
        self._judge()
        if self.tab == "Request":
            self.post_message(self.PreviewWanted(self))
