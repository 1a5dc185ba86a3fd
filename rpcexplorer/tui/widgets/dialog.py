"""Dialogs: questions, inputs and forms."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from types import MappingProxyType
from typing import ClassVar, Final, Generic

from msgspec import Struct
from rich.console import RenderableType
from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.actions import SkipAction
from textual.app import ComposeResult
from textual.await_complete import AwaitComplete
from textual.binding import Binding, BindingType
from textual.color import Color
from textual.containers import Horizontal, VerticalScroll
from textual.content import Content
from textual.geometry import Size
from textual.message import Message
from textual.renderables.background_screen import BackgroundScreen
from textual.screen import ModalScreen
from textual.strip import Strip
from textual.style import Style as TextStyle
from textual.widget import Widget
from textual.widgets import Input, Static

from rpcexplorer.model.problem import capitalised
from rpcexplorer.text.printable import printable
from rpcexplorer.tui.commands import key_of
from rpcexplorer.tui.messages import message
from rpcexplorer.tui.theme import ThemeStyles, line, width_of
from rpcexplorer.tui.widgets.full_screen import AnswersOnce, ResultT
from rpcexplorer.tui.widgets.inputs import Cycle, Entry, Listed


class Answer(Widget, can_focus=True):
    """A button: Enter, Space or a click chooses it.

    The focused one is inverted and underlined.
    """

    DEFAULT_CSS = "Answer { height: 1; width: auto; margin-right: 1; }"
    BINDINGS: ClassVar[list[BindingType]] = [Binding("enter,space", "give", show=False)]

    @message
    class Given(Message):
        """An answer was chosen."""

        answer: Answer

    def __init__(self, label: str, *, grave: bool = False, id: str | None = None) -> None:
        """``grave``: the action cannot be undone, and the colour shows it."""
        super().__init__(id=id)
        self._label, self._grave = label, grave

    def get_content_width(self, container: Size, viewport: Size) -> int:  # noqa: ARG002 - Textual's signature
        return width_of([(f" {self._label} ", "text")])

    def render_line(self, y: int) -> Strip:  # noqa: ARG002 - there is one line
        role = "text" if self.mouse_hover else "middle"
        if self.has_focus:
            role = "wrong reverse bold underline" if self._grave else "accent reverse bold underline"
        blank = (" ", role.replace(" underline", ""))
        return line([blank, (self._label, role), blank], self.size.width, ThemeStyles.of(self), ground="surface")

    def on_enter(self) -> None:
        self.refresh()

    def on_leave(self) -> None:
        self.refresh()

    def on_click(self, event: events.Click) -> None:
        event.stop()
        self.focus()
        self.action_give()

    def action_give(self) -> None:
        self.post_message(self.Given(self))


class Answers(Horizontal):
    """Buttons side by side, or one below the other if they are too wide."""

    DEFAULT_CSS = """
    Answers { height: auto; margin-top: 1; }
    Answers.-stacked { layout: vertical; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left,up", "app.focus_previous", show=False),
        Binding("right,down", "app.focus_next", show=False),
    ]

    def on_resize(self) -> None:
        wanted = sum(answer.get_content_width(self.size, self.size) + 1 for answer in self.query(Answer)) - 1
        self.set_class(wanted > self.size.width, "-stacked")


class Faint(BackgroundScreen):
    """The screen behind a dialog, which the terminal dims: its own colours cannot be mixed."""

    @classmethod
    def process_segments(cls, segments: Iterable[Segment], color: Color) -> Iterable[Segment]:  # noqa: ARG003
        for text, style, control in segments:
            colour = None if style is None or style.reverse else style.color
            yield Segment(text, Style(color=colour, dim=True), control)


class Dialog(AnswersOnce[ResultT | None], ModalScreen[ResultT | None], Generic[ResultT]):
    """A block in the middle of the screen; Escape answers None.

    A subclass composes ``content``. In a low terminal the block scrolls, so that the focused line is always on view.
    """

    manual_pane: str = ""
    """The pane for `rpcexplorer.manual.page_of_pane`."""
    has_action: ClassVar[bool] = True
    """It does something, unless Escape closes it: no page that is only read."""
    DEFAULT_CSS = """
    Dialog { align: center middle; background: $background 60%; }
    Dialog:ansi { background: transparent; }
    Dialog > .block {
        width: 84; max-width: 94%; height: auto; max-height: 90%; overflow-x: hidden;
        background: $surface; color: $text; border-left: outer $accent; padding: 1 3;
        scrollbar-background: $surface; scrollbar-background-hover: $surface; scrollbar-background-active: $surface;
    }
    Dialog.-low > .block { max-height: 100%; margin-bottom: 1; padding: 0 3; }
    Dialog.-narrow > .block { width: 100%; max-width: 100%; }
    Dialog.-grave > .block { border-left: outer $prod; }
    Dialog:ansi > .block { border: round $accent; }
    Dialog.-grave:ansi > .block { border: round $prod; }
    Dialog LineView { background: $surface; scrollbar-background: $surface; }
    Dialog .title { text-style: bold; color: $accent; margin-bottom: 1; width: 1fr; height: auto; }
    Dialog.-low .title { margin-bottom: 0; }
    Dialog.-grave .title { color: $wrong; }
    Dialog .words { color: $middle; width: 1fr; height: auto; }
    Dialog .named { height: auto; }
    Dialog .named > Static { width: 1fr; height: auto; }
    Dialog .label { color: $dim; }
    Dialog .hint { color: $dim; width: 1fr; height: auto; margin-top: 1; }
    Dialog .problem { color: $wrong; width: 1fr; height: auto; display: none; }
    Dialog .problem.-shown { display: block; }
    Dialog .alone, Dialog .alone:focus { margin-top: 1; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "leave", "close", show=True)]
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (92, "-wide")]  # noqa: RUF012 - Textual's own declaration
    VERTICAL_BREAKPOINTS = [(0, "-low"), (26, "-tall")]  # noqa: RUF012 - Textual's own declaration

    def __init__(self, title: str, *, grave: bool = False) -> None:
        """``grave``: the answer may do harm, so the dialog is red."""
        super().__init__(classes="-grave" if grave else None)
        self._title = title
        self.was_cancelled = False
        """It was closed without its action, and not by Esc."""
        self._is_left = False
        """Esc was pressed."""

    def compose(self) -> ComposeResult:
        with VerticalScroll(classes="block", can_focus=False):
            yield Static(plain(self._title), classes="title")
            yield from self.content()

    def render(self) -> RenderableType:
        behind = super().render()
        if isinstance(behind, BackgroundScreen) and self.app.native_ansi_color and not self.has_class("-preview"):
            return Faint(behind.screen, behind.color)
        return behind

    def content(self) -> ComposeResult:
        """Compose the widgets below the title."""
        yield from ()

    def dismiss(self, result: ResultT | None = None) -> AwaitComplete:
        self.was_cancelled = self.has_action and result is None and not self._is_left
        return super().dismiss(result)

    def action_leave(self) -> None:
        """Close on purpose: the next key is for the screen below."""
        self._is_left = True
        self.dismiss(None)

    def on_answer_given(self, event: Answer.Given) -> None:
        event.stop()
        self.answered(event.answer.id or "")

    @property
    def has_typed_text(self) -> bool:
        """Whether closing would lose what the user has typed."""
        return False

    def on_click(self, event: events.Click) -> None:
        """Press the key of a hint; outside the block, close as Esc does, unless text would be lost."""
        if key := event.style.meta.get(HINT):
            self.app.simulate_key(key)
        elif event.widget is self and not self.has_typed_text:
            self.action_leave()

    def answered(self, answer: str) -> None:  # noqa: ARG002 - for subclasses with more buttons than Cancel
        self.dismiss(None)


class Ask(Dialog[str]):
    """A question for a line of text; Escape answers None."""

    def __init__(self, title: str, *, value: str = "", words: str = "", hint: str = "", done: str) -> None:
        """``done``: the verb for Enter."""
        super().__init__(title)
        self._value, self._words, self._hint, self._done = value, words, hint, done

    def content(self) -> ComposeResult:
        if self._words:
            yield Static(plain(self._words), classes="words")
        entry = Entry(self._value, hint=self._hint, classes="alone")
        entry.select_on_focus = True  # Typing replaces what was filled in.
        yield entry
        yield Static(keys("Enter", self._done, "Esc", "cancel"), classes="hint")

    @property
    def has_typed_text(self) -> bool:
        return self.query_one(Entry).value != self._value

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self.dismiss(event.value)


class Choice(Struct, frozen=True):
    """One answer to a question, but Cancel."""

    id: str
    label: str


class Caution(StrEnum):
    """Why a question begins on Cancel: an accidental Enter would do harm."""

    PRODUCTION = "This is production"
    DELETION = "This cannot be undone"
    OTHERS = "Someone else wrote this"
    EXPOSURE = "This decides who can read your calls"


class Confirm(Dialog[str]):
    """A question with buttons; Escape and Cancel answer None.

    Enter confirms what the user asked for. Only a question with a caution begins on Cancel, and says so. Many words
    scroll, so that title and buttons stay on view.
    """

    DEFAULT_CSS = """
    Confirm .all { height: auto; max-height: 50vh; scrollbar-background: $surface; }
    Confirm .scroll { display: none; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("pagedown", "page(1)", show=False),
        Binding("pageup", "page(-1)", show=False),
    ]

    def __init__(
        self,
        title: str,
        words: Sequence[tuple[str, str]] | str,
        choices: Sequence[Choice],
        *,
        caution: Caution | None = None,
        cancel: str = "Cancel",
    ) -> None:
        """``words``: a sentence, or rows of label and text.

        ``choices``: what the user asked for, then the alternatives. ``cancel``: the label of the answer None.
        """
        super().__init__(title, grave=caution is not None)
        self._words, self._choices, self._caution, self._cancel = words, choices, caution, cancel
        self._all = VerticalScroll(classes="all", can_focus=False)
        self._more = Static(keys("PgDn", "scroll down", "PgUp", "scroll up"), classes="hint scroll")

    def content(self) -> ComposeResult:
        with self._all:
            if isinstance(self._words, str):
                yield Static(plain(self._words), classes="words")
            else:
                yield from named(self._words)
        yield self._more
        answers = [Answer(choice.label, grave=self._caution is not None, id=choice.id) for choice in self._choices]
        cancel = Answer(self._cancel, id="leave")
        if self._caution is None:
            yield Answers(*answers, cancel)
        else:
            yield Static(plain(f"{self._caution}, so the question begins on “{self._cancel}”."), classes="hint")
            yield Answers(cancel, *answers)

    def on_mount(self) -> None:
        self.set_focus(self.query(Answer).first())

    def on_resize(self) -> None:
        self.call_after_refresh(self._show_keys)

    def _show_keys(self) -> None:
        """Show the keys to scroll if there is more, which moves the buttons."""
        self._more.display = self._all.max_scroll_y > 0
        if self.focused is not None:
            self.call_after_refresh(self.focused.scroll_visible, animate=False)

    def action_page(self, by: int) -> None:
        self._all.scroll_relative(y=by * self._all.size.height, animate=False)

    def answered(self, answer: str) -> None:
        self.dismiss(None if answer == "leave" else answer)


def plain(text: str) -> Content:
    """Return foreign text as content, without markup, made printable."""
    return Content(printable(text, lines=True))


def named(rows: Sequence[tuple[str, str]]) -> Iterator[Horizontal]:
    """Yield rows of label and text, aligned; long text is wrapped."""
    width = max((len(label) for label, _ in rows), default=0) + 2
    for label, text in rows:
        name = Static(plain(label), classes="label")
        name.styles.width = width
        yield Horizontal(name, Static(plain(text)), classes="named")


HINT: Final = "key"
"""The name of the key of a hint, in the meta data of its text."""


def keys(*words: str) -> Content:
    """Return alternating keys and labels as the last line of a dialog."""
    hints = []
    for at in range(0, len(words), 2):
        key, label = words[at : at + 2]
        hint = Content.assemble((key, "bold $middle"), f" {label}")
        hints.append(hint.stylize(TextStyle.from_meta({HINT: key_of(key)})))
    return Content("   ").join(hints)


class Field(Struct, frozen=True):
    """One line of a form."""

    key: str
    label: str
    value: str = ""
    hint: str = ""
    choices: Sequence[str] = ()
    """The possible words; empty allows any text."""
    about: Mapping[str, str] = MappingProxyType({})
    """Descriptions of the choices, for a list of them."""
    nothing: str = "none"
    """How an empty choice is shown."""
    masked: bool = False
    """The value is not shown."""
    meaning: Callable[[str], str] | None = None
    """Returns the effect of a value, shown below its line."""
    required: bool = False
    """Enter saves the form once all required fields have a value."""
    is_extra: bool = False
    """It is hidden until the user asks for more fields, or until it has a problem."""


MANY: Final = 8
"""More choices are not shown in one line, but in a list."""


class Wrong(Struct, frozen=True):
    """The problem that prevents saving a form."""

    sentence: str
    key: str = ""
    """The field with the problem; empty if it has none."""


Save = Callable[[Mapping[str, str]], Wrong | None]
"""Saves the values, or returns a problem: then the form stays open."""


class Form(Dialog[dict[str, str]]):
    """Fields one below the other; the answer is their values.

    Enter saves if the form has required fields and all of them have a value. In other forms Enter goes to the next
    field, and saves at the last one.
    """

    DEFAULT_CSS = """
    Form .field { height: 1; }
    Form .field > .label { width: 14; }
    Form .field.-here > .label { color: $text; text-style: bold; }
    Form .field > Input { width: 1fr; background: $surface; padding: 0 2; }
    Form .field > Input:focus { background: $background; }
    Form .about { margin-bottom: 1; }
    Form .problem { padding: 0 0 0 14; }
    Form .meaning { height: auto; min-height: 1; padding: 0 0 0 16; color: $middle; }
    Form #more { margin: 1 0 0 1; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        # Handled with priority, so that the next letters go to the next line.
        Binding("down,tab", "app.focus_next", show=False, priority=True),
        Binding("up,shift+tab", "app.focus_previous", show=False, priority=True),
        Binding("enter", "next", show=False, priority=True),
        Binding("ctrl+s,f5", "save", show=False, priority=True),
    ]

    def __init__(self, title: str, words: str, fields: Sequence[Field], save: Save, *, done: str = "Save") -> None:
        """``done``: the label of the button that saves."""
        super().__init__(title)
        self._words, self._save, self._done = words, save, done
        self._hidden: list[Widget] = []
        """The rows of the extra fields, until they are shown."""
        self._fields = {field.key: field for field in fields}
        self._required = [field.key for field in fields if field.required]

    def content(self) -> ComposeResult:
        self._lines = {key: _line_of(field) for key, field in self._fields.items()}
        self._problems = {key: Static(classes="problem") for key in (*self._fields, "")}
        """The problem of each field; the empty key is for a problem of no field."""
        self._meanings = {key: Static(classes="meaning") for key, field in self._fields.items() if field.meaning}
        self.tell_meanings()
        self.about = Static(plain(self._words), classes="words about")
        yield self.about
        for key, field in self._fields.items():
            row = Horizontal(Static(plain(field.label), classes="label"), self._lines[key], classes="field")
            rows = [row, self._meanings[key]] if key in self._meanings else [row]
            if field.is_extra:
                self._hidden += rows
            yield from rows
            yield self._problems[key]
        for hidden in self._hidden:
            hidden.display = False
        if self._hidden:
            extra = [field.label for field in self._fields.values() if field.is_extra]
            yield Answer(f"▸ More: {', '.join(extra[:4])} …", id="more")
        yield self._problems[""]
        yield Answers(*self.answers())
        save = "Enter" if self.enter_saves else "^S"
        hint = keys("Tab", "next field", save, self._done.lower(), "Esc", "cancel")
        yield Static(hint, classes="hint")

    def answers(self) -> Iterator[Answer]:
        """Yield the buttons; ``save`` needs the values."""
        yield Answer(self._done, id="save")
        yield Answer("Cancel", id="leave")

    def on_mount(self) -> None:
        self.set_focus(self.first)

    @property
    def first(self) -> Widget | None:
        """The line that gets the focus first.

        Textual calls ``on_mount`` of every base class, so a subclass overrides this instead.
        """
        return next(iter(self.query("Input, Cycle")), None)

    def on_descendant_focus(self) -> None:
        """Emphasise the label of the focused line, visible without colours."""
        for row in self.query(".field"):
            row.set_class(row.has_focus_within, "-here")

    def input_of(self, key: str) -> Entry | Cycle:
        return self._lines[key]

    def key_of(self, line: Widget) -> str:
        return next(key for key, known in self._lines.items() if known is line)

    @property
    def has_typed_text(self) -> bool:
        return self.values != {key: field.value for key, field in self._fields.items()}

    @property
    def values(self) -> dict[str, str]:
        return {key: line.value for key, line in self._lines.items()}

    def on_input_changed(self, event: Input.Changed) -> None:
        event.stop()
        event.input.select_on_focus = event.value == self._fields[self.key_of(event.input)].value
        self._look_again()

    def on_cycle_changed(self, event: Cycle.Changed) -> None:
        event.stop()
        self._look_again()

    def _look_again(self) -> None:
        """Update the meanings, and hide problems, which may be fixed now."""
        self.tell_meanings()
        self.query(".problem").remove_class("-shown")

    def tell_meanings(self) -> None:
        """Show the meanings of the current values."""
        for key, field in self._fields.items():
            if field.meaning is not None:
                self._meanings[key].update(plain(field.meaning(self._lines[key].value)))

    def answered(self, answer: str) -> None:
        if answer == "save":
            self.action_save()
        elif answer == "more":
            self.show_extra()
            self.set_focus(next(self._lines[key] for key, field in self._fields.items() if field.is_extra))
        else:
            self.dismiss(None)

    def show_extra(self) -> None:
        """Show all fields."""
        for row in self._hidden:
            row.display = True
        self._hidden.clear()
        self.query("#more").set(display=False)

    @property
    def enter_saves(self) -> bool:
        """Whether Enter saves in each line, or only in the last one."""
        return bool(self._required)

    def action_next(self) -> None:
        if not isinstance(self.focused, Entry | Cycle) or isinstance(self.focused, Listed):
            raise SkipAction  # A focused button or list takes Enter.
        self.go_on()

    def go_on(self) -> None:
        """Go to the next field that needs a value, or save."""
        *_, last = self._lines.values()
        lacking = [self._lines[key] for key in self._required if not self._lines[key].value.strip()]
        if lacking and self.focused is not lacking[0]:
            self.set_focus(lacking[0])
        elif self._required or self.focused is last:
            self.action_save()
        else:
            self.app.action_focus_next()

    def action_save(self) -> None:
        """Save, after all letters that were typed before."""
        (self.focused or self).call_later(self._save_typed)

    def _save_typed(self) -> None:
        """Save, or show the problem below its field."""
        wrong = self._save(self.values)
        self.query(".problem").remove_class("-shown")
        if wrong is None:
            self.dismiss(self.values)
            return
        key = wrong.key if wrong.key in self._fields else ""
        if key and self._fields[key].is_extra:
            self.show_extra()
        place = self._problems[key]
        place.update(plain(f"✗ {wrong.sentence}"))
        place.add_class("-shown")
        if key:
            self.set_focus(self._lines[key])
        self.call_after_refresh(place.scroll_visible, animate=False)


def _line_of(field: Field) -> Entry | Cycle:
    if len(field.choices) > MANY:
        words = {word: field.about.get(word, "") for word in field.choices}
        return Listed(words, field.value, title=capitalised(field.label), nothing=field.nothing)
    if field.choices:
        return Cycle(field.choices, field.value, nothing=field.nothing)
    entry = Entry(field.value, hint=field.hint, masked=field.masked)
    entry.select_on_focus = True  # Typing replaces what was filled in.
    return entry
