"""The params pane: editor, problem line, request preview."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from textual import events, on
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.message import Message
from textual.reactive import reactive
from textual.strip import Strip
from textual.widget import Widget
from textual.widgets.text_area import Location

from rpcexplorer.importing.pasted import Pasted
from rpcexplorer.jsontext.params import Params, Typo
from rpcexplorer.model.method import Described, Method
from rpcexplorer.model.problem import SchemaProblem
from rpcexplorer.model.profile import Profile
from rpcexplorer.text.columns import Column, arranged, shared
from rpcexplorer.text.exchange import request_lines, snippet_lines
from rpcexplorer.text.printable import columns
from rpcexplorer.text.problems import unchecked_words
from rpcexplorer.tui.call.completion import CompletionList
from rpcexplorer.tui.commands import Commanded
from rpcexplorer.tui.messages import message
from rpcexplorer.tui.theme import GUTTER, ThemeStyles, line
from rpcexplorer.tui.widgets.bars import Bar
from rpcexplorer.tui.widgets.editor import Editor
from rpcexplorer.tui.widgets.rows import Sheet
from rpcexplorer.tui.widgets.verdict import MAX_IMMEDIATE, ProblemLine, Verdict

if TYPE_CHECKING:
    from rpcexplorer.text.docs import ParamRow
    from rpcexplorer.tui.call.advice import Advice

PAUSE: Final = 0.2
"""Seconds without a key before longer params are checked."""
PATIENCE: Final = 2.0
"""Seconds to wait for keys; no burst of keys takes longer."""


class SchemaWarnings:
    """The schema warnings about params; they never prevent a call.

    They are about one text and are computed in a worker of the editor. ``changed`` is called with each new result.
    """

    def __init__(self, editor: Editor, line: ProblemLine, advice: Advice, changed: Callable[[], object]) -> None:
        self._editor, self._line, self._changed = editor, line, changed
        self._advice = advice
        self._described: Described | None = None
        self._text: str | None = None
        """The text that was checked."""

    @property
    def problems(self) -> Sequence[SchemaProblem]:
        """The warnings about the current text; none before it was checked."""
        return self._line.warnings if self._text == self._editor.text else ()

    @property
    def shown(self) -> SchemaProblem | None:
        """The warning on the problem line."""
        return self._line.warning if self.problems else None

    def describe(self, described: Described | None) -> None:
        """Drop the warnings: they are about another method."""
        self._described = described
        self._line.warnings, self._line.unchecked, self._editor.warned = (), "", ()

    def outdate(self) -> None:
        """Dim the warnings of a text that has changed."""
        self._editor.warned = ()
        self._line.unsure = True

    def check(self) -> None:
        """Check the text if it can be sent and there is a schema."""
        text, is_params = self._editor.text, isinstance(self._line.read, Params) and self._line.pasted is None
        has_schema = self._described is not None and self._described.is_checked
        self._line.is_checked = has_schema and is_params
        if self._line.is_checked:
            work: Callable[[], Awaitable[None]] = self._check
            self._editor.run_worker(work, group="check", exclusive=True)
        else:
            self._editor.workers.cancel_group(self._editor, "check")
            self._show(text, ())

    async def _check(self) -> None:
        drawn = asyncio.Event()  # A large schema takes a while to compile, so the method is shown first.
        self._editor.call_after_refresh(drawn.set)
        await drawn.wait()
        if len(self._editor.text) > MAX_IMMEDIATE:
            await asyncio.sleep(PAUSE)
        text = self._editor.text
        if self._described is not None:
            checked = await self._advice.check(self._described, text if self._line.typed else self._line.sent or "[]")
            if text == self._editor.text:
                self._show(text, checked.problems, unchecked_words(checked))

    def _show(self, text: str, problems: Sequence[SchemaProblem], unchecked: str = "") -> None:
        self._text = text
        self._line.warnings, self._line.unchecked, self._line.unsure = tuple(problems), unchecked, False
        self._editor.warned = tuple(marked_span(text, problem) for problem in problems)
        self.follow_cursor()
        self._changed()

    def follow_cursor(self) -> None:
        """Show the warning at the cursor, or the first, preferably with a fix."""
        if len(self.problems) < 2:
            self._line.at = 0
            return
        first = next((at for at, problem in enumerate(self.problems) if problem.fix), 0)
        self._line.at = nearest(self._editor.warned, self._editor.cursor_offset, self._line.at, first)

    def go_to_next(self) -> None:
        """Move the cursor to the shown warning, or on to the next one."""
        if not self.problems:
            return
        if self._editor.cursor_offset == self.problems[self._line.at].offset:  # several may begin there
            self._line.at = (self._line.at + 1) % len(self.problems)
        self._editor.go_to(self.problems[self._line.at].offset)


def nearest(spans: Sequence[tuple[int, int]], cursor: int, current: int, first: int = 0) -> int:
    """Return the index of the span around or before the cursor.

    If several match, the current one stays. If none does, it is ``first``.
    """
    inside = [at for at, (start, end) in enumerate(spans) if start <= cursor < max(end, start + 1)]
    inside = inside or [at for at, (_, end) in enumerate(spans) if cursor == end]
    return current if current in inside else next(iter(inside), first)


def marked_span(text: str, problem: SchemaProblem) -> tuple[int, int]:
    """Return the part of a value to underline.

    It is the bracket of an object or array, and at most one line.
    """
    if text[problem.offset : problem.offset + 1] in {"{", "["}:
        return problem.offset, problem.offset + 1
    line_end = text.find("\n", problem.offset, problem.end)
    return problem.offset, min(problem.end, len(text)) if line_end < 0 else line_end


TABS: Final = ("Params", "Request")
FORMS: Final = {"curl": ("curl", "sh"), "Python": ("python", "python")}
"""The forms of the request beside HTTP, each a tab: the form of a copy, and its language."""
MAX_LISTED_CHARACTERS: Final = 4_000
"""In a longer text nobody looks for a param, and reading it would delay the keys."""
MIN_LIST_COLUMNS: Final = 79
"""Columns of the pane with room for editor and list: those of a small terminal with the red edge of production."""
GIVEN: Final = ("●", "text")
ABSENT: Final = ("○", "dim")
LIST_COLUMNS: Final[Sequence[Column[ParamRow]]] = (
    Column(lambda row: [(row.name, "text bold" if row.is_required else "text")], share=3, gap=1),
    Column(lambda row: [(row.kind, "middle")], share=2),
    Column(lambda row: [(row.about, "dim")], fills=True, least=12),
    Column(lambda row: [(row.default, "middle")], right=True),
    Column(width=1, gap=0),
)


class ParamList(Widget):
    """The params of the method in the editor, one per row.

    It is shown if the pane has room for it beside the text.
    """

    DEFAULT_CSS = """
    ParamList { width: 1fr; height: 1fr; display: none; background: $background; }
    """

    rows: reactive[Sequence[ParamRow]] = reactive[Sequence["ParamRow"]](())
    given: reactive[frozenset[str | int]] = reactive[frozenset[str | int]](frozenset())
    """The names of the given params, or their places."""
    is_elsewhere: reactive[bool] = reactive(False)
    """The docs of the method are on view."""

    def __init__(self, keys: str) -> None:
        """``keys``: those that lead to more about the params."""
        super().__init__()
        self._keys = keys
        self._text, self._room = "", 0

    def describe(self, described: Described | None) -> None:
        if described is None or not described.params:
            self.rows = ()
            return
        from rpcexplorer.text.docs import param_rows  # Not needed by the start.

        self.rows = param_rows(described)

    def follow(self, text: str, room: int) -> None:
        """Mark the params that a text gives; while it is not valid, the marks stay.

        ``room``: columns for editor and list.
        """
        self._text, self._room = text, room
        self._show()

    def _show(self) -> None:
        """Show the list if neither the pane nor the text needs its room."""
        self.display = bool(self.rows) and not self.is_elsewhere and self._room >= MIN_LIST_COLUMNS and self._is_narrow
        if not self.display:
            return
        try:
            value = json.loads(self._text, strict=False)
        except (ValueError, RecursionError):
            return
        if isinstance(value, list):
            self.given = frozenset(range(len(value)))
        elif isinstance(value, dict):
            self.given = frozenset(value)

    @property
    def _is_narrow(self) -> bool:
        """Half of the room is enough for the text."""
        if len(self._text) > MAX_LISTED_CHARACTERS:
            return False
        widest = max(map(columns, self._text.splitlines()), default=0)
        return GUTTER + widest < self._room // 2

    watch_rows = watch_is_elsewhere = _show

    def render_line(self, y: int) -> Strip:
        styles, width, height = ThemeStyles.of(self), self.size.width, self.size.height
        count = len(self.rows)
        if y < count and (count <= height or y < height - 1):
            row = self.rows[y]
            mark = GIVEN if row.name in self.given or y in self.given else ABSENT
            left, right = arranged(shared(LIST_COLUMNS, self.rows[:height], width - 1), row, width - 1)
            return line([mark, *left], width, styles, right=right)
        more = f"  … {count - y} more" if y < count else ""
        keys = self._keys if y == height - 1 else ""
        return line([(more, "dim")], width, styles, right=[(keys, "dim")])


class ParamsPane(Commanded, Vertical, scope="params"):
    """The params of the draft, and the preview of the request."""

    DEFAULT_CSS = """
    ParamsPane { background: $background; }
    ParamsPane > Horizontal, ParamsPane Editor, ParamsPane > Sheet { height: 1fr; }
    ParamsPane Editor { width: 1fr; }
    """

    method: reactive[Method | None] = reactive[Method | None](None)
    """The entry of the list."""
    described: reactive[Described | None] = reactive[Described | None](None, always_update=True)
    """The description of the method in full."""
    profile: reactive[Profile | None] = reactive[Profile | None](None)
    changes: reactive[int] = reactive(0, init=False)
    """Counts the changes of the explorer, which the preview and suggestions follow from."""
    tab: reactive[str] = reactive("Params")
    text_lines: reactive[int] = reactive(1, init=False, repaint=False)
    """Lines of the text on view, which the height of the pane follows."""

    @message
    class TextChanged(Message):
        """The text has changed."""

        text: str

    @message
    class EditorWanted(Message):
        """The user wants to edit the text in $EDITOR."""

        text: str

    @message
    class TakeApartWanted(Message):
        """The user wants to import the pasted text."""

        text: str
        pasted: Pasted

    class ResetWanted(Message):
        """The user wants the starting params of the method."""

    def __init__(self, advice: Advice) -> None:
        super().__init__(classes="params")
        self.editor = Editor()
        self._line = ProblemLine()
        self.verdict = Verdict(self.editor, self._line, self._judged)
        self.warnings = SchemaWarnings(self.editor, self._line, advice, self._refresh_keys)
        self.completion = CompletionList(self.editor, advice)
        self.editor.intercept = self.completion.key
        self._bar, self._request = Bar(self), Sheet()
        self.list = ParamList(f"{advice.key('docs')} docs   {advice.key('form')} form ")
        """The params of the method, beside the editor."""
        self._side_by_side = Horizontal(self.editor, self.list)
        self._advice = advice
        self._hinted: tuple[tuple[str, Location] | None, str] = None, ""
        """A text, a cursor in it, and the hint for that place."""
        self._last_text = ""
        """The text of the last message."""
        self.loaded: list[str] = []
        """The texts that the program has put into the editor since the method was chosen."""
        self._loaded = ("", (0, 0))
        """The text that was loaded, and its cursor."""
        self._is_edited = False
        """A key has changed the text or the cursor."""
        self._enabled: tuple[bool, ...] = ()
        """The state of the keys in the footer."""

    def compose(self) -> ComposeResult:
        self._bar.tabs, self._bar.key = TABS, self._advice.key("focus.params")
        yield self._bar
        yield self._side_by_side
        yield self._line
        yield self.completion

    def on_mount(self) -> None:
        self.watch(self.completion, "is_open", self._line.set_completing, init=False)
        self._arrange()
        self._update_verdict()

    def on_resize(self) -> None:
        self.list.follow(self.text, self.size.width)

    @property
    def text(self) -> str:
        return self.editor.text

    @property
    def problem(self) -> Typo | None:
        """The problem of the current text."""
        return self.verdict.problem

    def load(self, text: str) -> None:
        """Show the text of another method, without an undo history."""
        self.completion.forget()
        self.loaded = [text]
        self.editor.load(text)
        self.editor.to_first_value()
        self._last_text = self.text
        self._loaded, self._is_edited = (self._last_text, self.editor.cursor_location), False
        self._hinted = None, ""
        self._text_changed()
        self._show_method()

    def replace(self, text: str, *, is_typed: bool = False) -> None:
        """Replace the text as one change that can be undone."""
        if not is_typed:
            self.loaded.append(text)
        self.editor.put(text)

    def put_value(self, place: Callable[[str, int], tuple[str, int]]) -> None:
        """Change the text: ``place`` maps text and cursor to the new ones."""
        text, cursor = place(self.text, self.editor.cursor_offset)
        self.editor.put(text)
        self.editor.go_to(cursor)

    async def settled(self) -> None:
        """Wait for all earlier keys, but not for ever, and for the verdict on their text."""
        done, is_judged = asyncio.Event(), asyncio.Event()
        self.editor.call_later(done.set)
        with suppress(TimeoutError):
            await asyncio.wait_for(done.wait(), PATIENCE)
        self.verdict.when_current(is_judged.set)
        await is_judged.wait()

    def refuse(self, reason: str = "not sent") -> None:
        """Show that the text has a problem, and where."""
        self.show_tab("Params")
        if self.problem is not None:
            self._line.refused = reason
            self.action_problem_next()

    @on(Editor.Changed)
    def _editor_changed(self, event: Editor.Changed) -> None:
        event.stop()
        if self.text != self._last_text:
            self._last_text = self.text
            self._text_changed()
            self.post_message(self.TextChanged(self._last_text))
            self.completion.follow()
            self._show_method()

    @on(Editor.SelectionChanged)
    def _cursor_moved(self, event: Editor.SelectionChanged) -> None:
        event.stop()
        self.completion.follow()
        self.warnings.follow_cursor()
        self._show_method()

    def _text_changed(self) -> None:
        self._update_verdict()
        self._show_request()

    def _update_verdict(self) -> None:
        self.warnings.outdate()
        self.verdict.update()
        self._refresh_keys()

    def _judged(self) -> None:
        self.warnings.check()
        self._refresh_keys()

    def _refresh_keys(self) -> None:
        """Refresh the footer if the state of its keys has changed."""
        enabled = tuple(map(self.has, ("fix", "json", "undo", "redo")))
        if enabled != self._enabled:
            self._enabled = enabled
            self.refresh_bindings()

    @on(ProblemLine.Pressed)
    def _problem_line_pressed(self, event: ProblemLine.Pressed) -> None:
        event.stop()
        self.action_fix() if event.fix else self.action_problem_next()
        self.focus_inside()

    def watch_method(self) -> None:
        self._show_method()

    def watch_described(self) -> None:
        self.warnings.describe(self.described)
        self.list.describe(self.described)
        if self.verdict.is_current:
            self.warnings.check()

    def watch_profile(self) -> None:
        if self.profile is not None:
            self._line.empty = self.profile.empty_params

    def watch_changes(self) -> None:
        self._show_request()
        self.completion.look_again()

    def _show_request(self) -> None:
        """Show the preview of the next request if it is on view."""
        if self.tab == "Params":
            self.text_lines = self.editor.document.line_count
            self.list.follow(self.text, self.size.width)
            return
        if self.tab == "Request":
            self._request.lines = request_lines(self._advice.preview(self.text, self.loaded))
        else:
            form, language = FORMS[self.tab]
            self._request.lines = snippet_lines(self._advice.snippet(form, self.text, self.loaded), language)
        self.text_lines = len(self._request.lines)

    def watch_tab(self) -> None:
        self._bar.tabs = TABS if self.tab == "Params" else (*TABS, *FORMS)
        self._bar.open = self.tab
        self._line.display = self.tab == "Params"
        self._arrange()
        self._show_request()
        self.refresh_bindings()

    def _show_method(self) -> None:
        """Show the method with its summary, or a hint while it is edited."""
        if self.method is None:
            key = self._advice.key("focus.methods")
            self._bar.words = [("No method", "middle"), (f"  Choose one from the list ({key}).", "dim")]
            return
        place = self.editor.text, self.editor.cursor_location
        self._is_edited = self._is_edited or place != self._loaded
        if not (self._is_edited and self.editor.has_focus):
            self._hinted = None, ""
        elif self._hinted[0] != place:
            self._hinted = place, self._advice.signature(place[0], self.editor.cursor_offset)
        self._bar.words = [(self.method.name, "text bold"), (f"  {self._hinted[1] or self.method.doc}", "dim")]

    def show_tab(self, name: str) -> None:
        has_focus = self.has_focus_within
        self.tab = name
        if has_focus:
            self.focus_inside()

    def focus_inside(self) -> None:
        self.screen.set_focus(self._open_body)

    @property
    def _open_body(self) -> Editor | Sheet:
        return self.editor if self.tab == "Params" else self._request

    def _arrange(self) -> None:
        """Show the body of the tab."""
        for body in (self.editor, self._request):
            body.display = body is self._open_body
            if body.display and body.parent is None and self.is_attached:  # a key can come before the first frame
                self.mount(body, after=self._side_by_side)
        self._side_by_side.display = self.editor.display

    @on(events.DescendantFocus)
    def _focused(self) -> None:
        self._show_method()

    @on(events.DescendantBlur)
    def _blurred(self) -> None:
        self._focused()
        self.completion.forget()

    @on(Bar.TabClicked)
    def _tab_clicked(self, event: Bar.TabClicked) -> None:
        event.stop()
        self.show_tab(event.tab)
        self.focus_inside()

    def has(self, state: str) -> bool:
        read = self._line.read
        match state:
            case "editor" | "preview":
                return (self.tab == "Params") is (state == "editor")
            case "fix":
                problem = read if isinstance(read, Typo) else self.warnings.shown
                return self._line.pasted is not None or (problem is not None and problem.fix is not None)
            case "problem":
                return not isinstance(read, Params) or bool(self.warnings.problems)
            case "json":
                return isinstance(read, Params) and read.size > 0
            case "undo":
                return bool(self.editor.history.undo_stack)
            case "redo":
                return bool(self.editor.history.redo_stack)
        return super().has(state)

    def action_tab_next(self) -> None:
        """Switch between the params and the request."""
        self.show_tab("Request" if self.tab == "Params" else "Params")

    def action_form_next(self) -> None:
        """Show the request in the next form."""
        forms = ("Request", *FORMS)
        self.show_tab(forms[(forms.index(self.tab) + 1) % len(forms)])

    def action_fix(self) -> None:
        """Fix the text, or import it, which also changes the method."""
        self.verdict.when_current(self._fix)

    def _fix(self) -> None:
        problem = self.problem or self.warnings.shown
        if self._line.pasted is not None:
            self.post_message(self.TakeApartWanted(self.text, self._line.pasted))
        elif problem is not None and problem.fix is not None:
            self.editor.put(problem.fix.text)

    def action_format(self) -> None:
        self.verdict.when_current(self.verdict.format)

    def action_problem_next(self) -> None:
        """Move the cursor to the problem, or to the next warning."""
        if self.problem is not None:
            self.editor.go_to(self.problem.offset)
        else:
            self.warnings.go_to_next()

    def action_undo(self) -> None:
        self.editor.undo()

    def action_redo(self) -> None:
        self.editor.redo()

    def action_complete(self) -> None:
        """Open the completion list."""
        if not self.completion.want():
            self.notify("No suggestions here.", timeout=3)

    def action_editor(self) -> None:
        self.post_message(self.EditorWanted(self.text))

    def action_reset(self) -> None:
        self.post_message(self.ResetWanted())
