"""What a dialog is made of."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar, Generic, TypeVar

from msgspec import Struct
from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.app import ComposeResult
from textual.await_complete import AwaitComplete
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, VerticalScroll
from textual.content import Content
from textual.geometry import Region, Size
from textual.message import Message
from textual.renderables.background_screen import BackgroundScreen
from textual.screen import ModalScreen, Screen
from textual.strip import Strip
from textual.widget import Widget
from textual.widgets import Input, Static

from rpcexplorer.text.printable import printable
from rpcexplorer.tui.messages import message
from rpcexplorer.tui.theme import ThemeStyles, line, width_of
from rpcexplorer.tui.widgets.inputs import Cycle, Entry

ResultT = TypeVar("ResultT")
if TYPE_CHECKING:

    class _Base(Screen[ResultT]):
        """What it stands before."""
else:
    # Textual looks for styles along the first base that is a screen, and that has to be its own class
    _Base = Generic


class AnswersOnce(_Base[ResultT]):
    """Stands before Textual's class among the bases of a screen that is dismissed with an answer.

    Textual closes whatever is on top, so that a second answer would take the screen below along.
    """

    def on_compose(self) -> None:
        """Take the classes for the size of the terminal before there is anything inside that has to be styled anew.

        Textual would draw the screen once without them.
        """
        size = self.app.size
        for breakpoints, room in (
            (self.HORIZONTAL_BREAKPOINTS, size.width),
            (self.VERTICAL_BREAKPOINTS, size.height),
        ):
            fitting = [name for least, name in breakpoints or () if least <= room]
            self.add_class(*fitting[-1:])

    def dismiss(self, result: ResultT | None = None) -> AwaitComplete:
        """Answer; only while it is on top."""
        return super().dismiss(result) if self.is_active else AwaitComplete()


class Answer(Widget, can_focus=True):
    """Enter, space or a click gives it. The one with the focus stands on a ground of its own, underlined."""

    DEFAULT_CSS = "Answer { height: 1; width: auto; margin-right: 1; }"
    BINDINGS: ClassVar[list[BindingType]] = [Binding("enter,space", "give", show=False)]

    @message
    class Given(Message):
        """An answer was chosen."""

        answer: Answer

    def __init__(self, label: str, *, grave: bool = False, id: str | None = None) -> None:
        """``grave``: what follows cannot be taken back, and the colour says so."""
        super().__init__(id=id)
        self._label, self._grave = label, grave

    def get_content_width(self, container: Size, viewport: Size) -> int:  # noqa: ARG002 - Textual's signature
        """The words and a blank at each side."""
        return width_of([(f" {self._label} ", "text")])

    def render_line(self, y: int) -> Strip:  # noqa: ARG002 - there is one line
        here = f"{'wrong' if self._grave else 'accent'} reverse bold underline"
        role = here if self.has_focus else "text" if self.mouse_hover else "middle"
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
    """Answers side by side; one below the other where they are too long for that."""

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


class Backdrop(BackgroundScreen):
    """The screen behind a dialog: dimmed, and without the words that the dialog would cut at its edges."""

    def __init__(self, behind: BackgroundScreen, block: Region) -> None:
        super().__init__(behind.screen, behind.color)
        self._block = block

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        behind = (each for each in super().__rich_console__(console, options) if isinstance(each, Segment))
        for y, pieces in enumerate(Segment.split_lines(behind)):
            if y:
                yield Segment.line()
            strip = Strip(piece for piece in pieces if not piece.control)
            if self._block.y <= y < self._block.bottom:
                strip = without_cut_words(strip, self._block.x, self._block.right)
            yield from map(_dimmed, strip) if self.color.a == 0 else strip


def _dimmed(piece: Segment) -> Segment:
    """Let the terminal dim its own colours, which nobody can mix, and leave out those of grounds."""
    return Segment(piece.text, Style(color=piece.style.color if piece.style else None, dim=True))


def without_cut_words(strip: Strip, left: int, right: int) -> Strip:
    """Return a line that is blank between two columns, and where words go on beyond them.

    Words that belong together have one blank between them; two blanks, or the line between two panes, end them.
    """
    cells = "".join(letter + "\0" * (cell_len(letter) - 1) for letter in strip.text)

    def is_between_words(at: int) -> bool:
        return "  " in cells[max(at - 2, 0) : at + 2] or "│" in cells[at - 1 : at + 1]

    while 0 < left < len(cells) and not is_between_words(left):
        left -= 1
    while 0 < right < len(cells) and not is_between_words(right):
        right += 1
    before, between, after = strip.crop(0, left), strip.crop(left, right), strip.crop(right)
    blank = [Segment(" " * piece.cell_length, piece.style) for piece in between]
    return Strip([*before, *blank, *after])


class Dialog(AnswersOnce[ResultT | None], ModalScreen[ResultT | None], Generic[ResultT]):
    """A block in the middle of the screen. A subclass composes its ``content``; leaving it answers None.

    What has no room in a low terminal is scrolled to, so that the line with the focus is always on view.
    """

    manual_pane: str = ""
    """Which page of the manual is about it, in the words of `rpcexplorer.manual.page_of_pane`."""
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
    Dialog .title { text-style: bold; color: $accent; margin-bottom: 1; width: 1fr; height: auto; }
    Dialog.-low .title { margin-bottom: 0; }
    Dialog.-grave .title { color: $wrong; }
    Dialog .words { color: $middle; width: 1fr; height: auto; }
    Dialog .named { height: auto; }
    Dialog .named > Static { width: 1fr; height: auto; }
    Dialog .label { color: $dim; }
    Dialog .hint { color: $dim; width: 1fr; height: auto; margin-top: 1; }
    Dialog .problem { color: $wrong; width: 1fr; height: auto; display: none; }
    Dialog .problem.-told { display: block; }
    Dialog .alone, Dialog .alone:focus { margin-top: 1; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "leave", "close", show=True)]
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (92, "-wide")]  # noqa: RUF012 - Textual's own declaration
    VERTICAL_BREAKPOINTS = [(0, "-low"), (26, "-tall")]  # noqa: RUF012 - Textual's own declaration

    def __init__(self, title: str, *, grave: bool = False) -> None:
        """``grave``: the answer may do harm, and the dialog is red where others have the accent."""
        super().__init__(classes="-grave" if grave else None)
        self._title = title
        self._covered = Region()
        """What the block covers."""

    def compose(self) -> ComposeResult:
        with VerticalScroll(classes="block", can_focus=False):
            yield Static(plain(self._title), classes="title")
            yield from self.content()

    def on_mount(self) -> None:
        self.screen_layout_refresh_signal.subscribe(self, self._look_behind)

    def _look_behind(self, _: Screen[object]) -> None:
        """A block of another height cuts other words."""
        block = self.query_one(".block").region
        if block != self._covered:
            self._covered = block
            self.refresh()

    def render(self) -> RenderableType:
        behind = super().render()
        return Backdrop(behind, self._covered) if isinstance(behind, BackgroundScreen) else behind

    def content(self) -> ComposeResult:
        """What stands under the title."""
        yield from ()

    def action_leave(self) -> None:
        self.dismiss(None)


class Ask(Dialog[str]):
    """A line of text is wanted; the answer is the text, or None where it was left."""

    def __init__(self, title: str, *, value: str = "", words: str = "", hint: str = "", done: str) -> None:
        """``done``: the verb of Enter."""
        super().__init__(title)
        self._value, self._words, self._hint, self._done = value, words, hint, done

    def content(self) -> ComposeResult:
        if self._words:
            yield Static(plain(self._words), classes="words")
        yield Entry(self._value, hint=self._hint, classes="alone")
        yield Static(keys("Enter", self._done, "Esc", "cancel"), classes="hint")

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self.dismiss(event.value)


class Choice(Struct, frozen=True):
    """One answer to a question."""

    id: str
    label: str


class Confirm(Dialog[str]):
    """One of a few answers is wanted; the first of them is the safe one and has the focus."""

    def __init__(
        self, title: str, words: Sequence[tuple[str, str]] | str, choices: Sequence[Choice], *, grave: bool = False
    ) -> None:
        """``words`` is a sentence, or rows of a label and what it names."""
        super().__init__(title, grave=grave)
        self._words, self._choices = words, choices

    def content(self) -> ComposeResult:
        """What is asked, then the answers in a row."""
        yield from self.asked()
        with Answers():
            for at, choice in enumerate(self._choices):
                yield Answer(choice.label, grave=self.has_class("-grave") and at > 0, id=choice.id)

    def asked(self) -> ComposeResult:
        """What is asked about."""
        if isinstance(self._words, str):
            yield Static(plain(self._words), classes="words")
        else:
            yield from named(self._words)

    def on_mount(self) -> None:
        """The safe answer has the focus: an impatient Enter does no harm."""
        self.set_focus(next(iter(self.query(Answer)), None))

    def on_answer_given(self, event: Answer.Given) -> None:
        event.stop()
        self.dismiss(event.answer.id)


def plain(text: str) -> Content:
    """Text from anywhere as content in which nothing is markup and nothing is invisible."""
    return Content(printable(text, lines=True))


def named(rows: Sequence[tuple[str, str]]) -> Iterator[Horizontal]:
    """Rows of a label and what it names, set on one grid; what is long goes on below itself."""
    width = max((len(label) for label, _ in rows), default=0) + 2
    for label, text in rows:
        name = Static(plain(label), classes="label")
        name.styles.width = width
        yield Horizontal(name, Static(plain(text)), classes="named")


def keys(*told: str) -> Content:
    """Keys and what they do, in turn: what a dialog says of itself in its last line."""
    pairs = [told[at : at + 2] for at in range(0, len(told), 2)]
    return Content("   ").join(Content.assemble((key, "bold $middle"), f" {words}") for key, words in pairs)


class Field(Struct, frozen=True):
    """One line of a form."""

    key: str
    label: str
    value: str = ""
    hint: str = ""
    choices: Sequence[str] = ()
    """One of these words; anything where there are none."""
    nothing: str = "none"
    """How an empty choice is shown."""
    masked: bool = False
    """Nobody may read it over a shoulder."""
    meaning: Callable[[str], str] | None = None
    """What a value comes to: told below the line while it is typed or chosen."""
    required: bool = False
    """Enter in any line saves the form once this one has a value."""


class Wrong(Struct, frozen=True):
    """Why a form cannot be saved as it is."""

    sentence: str
    key: str = ""
    """The field at fault; empty where it is none of them."""


Save = Callable[[Mapping[str, str]], Wrong | None]
"""Does what the form is for, or says what is wrong; then the form stays."""


class Form(Dialog[dict[str, str]]):
    """Fields one below the other; the answer is what was typed.

    Enter saves if the form names required fields and all of them have a value. In other forms it goes on to the next
    field, and saves at the last one.
    """

    DEFAULT_CSS = """
    Form .field { height: 1; }
    Form .field > .label { width: 14; }
    Form .field.-here > .label { color: $text; text-style: bold; }
    Form .field > Input { width: 1fr; background: $surface; padding: 0 2; }
    Form .field > Input:focus { background: $background; }
    Form #about { margin-bottom: 1; }
    Form .problem { padding: 0 0 0 14; }
    Form .meaning { height: auto; min-height: 1; padding: 0 0 0 16; color: $middle; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        # before anything else hears of them, so that what is typed right after goes to the next line
        Binding("down,tab", "app.focus_next", show=False, priority=True),
        Binding("up,shift+tab", "app.focus_previous", show=False, priority=True),
        Binding("enter", "next", show=False, priority=True),
        Binding("ctrl+s,f5", "save", show=False, priority=True),
    ]

    def __init__(self, title: str, words: str, fields: Sequence[Field], save: Save, *, done: str = "Save") -> None:
        """``done`` is what the answer is called that needs what was typed."""
        super().__init__(title)
        self._words, self._fields, self._save, self._done = words, fields, save, done

    def content(self) -> ComposeResult:
        yield Static(plain(self._words), classes="words", id="about")
        for field in self._fields:
            with Horizontal(classes="field"):
                yield Static(plain(field.label), classes="label")
                yield self._line(field)
            if field.meaning is not None:
                yield Static(plain(field.meaning(field.value)), classes="meaning", id=f"{_id(field.key)}-meaning")
            yield Static(classes="problem", id=f"{_id(field.key)}-problem")
        yield Static(classes="problem", id="field--problem")
        yield Answers(*self.answers())
        save = "Enter" if self._required else "^S"
        hint = keys("Tab", "next field", save, self._done.lower(), "Esc", "cancel")
        yield Static(hint, classes="hint")

    def answers(self) -> Iterator[Answer]:
        """What can be done with what was typed; ``save`` is the one that needs it."""
        yield Answer(self._done, id="save")
        yield Answer("Cancel", id="leave")

    @staticmethod
    def _line(field: Field) -> Widget:
        if field.choices:
            return Cycle(field.choices, field.value, nothing=field.nothing, id=_id(field.key))
        return Entry(field.value, hint=field.hint, masked=field.masked, id=_id(field.key))

    def on_mount(self) -> None:
        self.set_focus(self.first)

    @property
    def first(self) -> Widget | None:
        """The line to begin with. Textual calls the ``on_mount`` of every base, so that it is not for that to say."""
        return next(iter(self.query("Input, Cycle")), None)

    def on_descendant_focus(self) -> None:
        """The label of the line at hand tells it, also where a terminal has no colours."""
        for row in self.query(".field"):
            row.set_class(row.has_focus_within, "-here")

    def of(self, key: str) -> Input | Cycle:
        found = self.query_one(f"#{_id(key)}")
        assert isinstance(found, Input | Cycle)
        return found

    def key_of(self, line: Widget) -> str:
        return next(field.key for field in self._fields if self.of(field.key) is line)

    @property
    def values(self) -> dict[str, str]:
        return {field.key: self.of(field.key).value for field in self._fields}

    def on_input_changed(self, event: Input.Changed) -> None:
        event.stop()
        self._look_again()

    def on_cycle_changed(self, event: Cycle.Changed) -> None:
        event.stop()
        self._look_again()

    def _look_again(self) -> None:
        """Tell what it means now. What was wrong may not be any more: it is looked at again when it is saved."""
        self.tell_meanings()
        for problem in self.query(".problem"):
            problem.remove_class("-told")

    def tell_meanings(self) -> None:
        """Say below the lines what their values come to now."""
        for field in self._fields:
            if field.meaning is not None:
                told = plain(field.meaning(self.of(field.key).value))
                self.query_one(f"#{_id(field.key)}-meaning", Static).update(told)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:  # noqa: ARG002
        """On an answer, Enter is the answer's."""
        return action != "next" or isinstance(self.focused, Input | Cycle)

    def on_answer_given(self, event: Answer.Given) -> None:
        event.stop()
        self.answered(event.answer.id or "")

    def answered(self, answer: str) -> None:
        if answer == "save":
            self.action_save()
        else:
            self.dismiss(None)

    @property
    def _required(self) -> list[str]:
        return [field.key for field in self._fields if field.required]

    def action_next(self) -> None:
        lines = [self.of(field.key) for field in self._fields]
        lacking = [key for key in self._required if not self.of(key).value.strip()]
        if lacking and self.focused is not self.of(lacking[0]):
            self.set_focus(self.of(lacking[0]))
        elif self._required or self.focused is lines[-1]:
            self.action_save()
        else:
            self.app.action_focus_next()

    def action_save(self) -> None:
        """Do it, with every letter that was typed before the key."""
        (self.focused or self).call_later(self._save_typed)

    def _save_typed(self) -> None:
        """Where it cannot be done, say why below the field at fault, and stay."""
        wrong = self._save(self.values)
        for problem in self.query(".problem").results(Static):
            problem.remove_class("-told")
        if wrong is None:
            self.dismiss(self.values)
            return
        key = wrong.key if wrong.key in self.values else ""
        place = self.query_one(f"#{_id(key)}-problem", Static)
        place.update(plain(f"✗ {wrong.sentence}"))
        place.add_class("-told")
        if key:
            self.set_focus(self.of(key))
        self.call_after_refresh(place.scroll_visible, animate=False)


def _id(key: str) -> str:
    return "field-" + key.replace(".", "-")
