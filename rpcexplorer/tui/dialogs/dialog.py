"""Questions that open over a screen: a block with a line of accent down its left edge, and nothing behind it moves.

``Dialog`` is the block; ``Ask`` wants a line of text, ``Confirm`` one of a few answers. Escape is always safe.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar, Generic

from msgspec import Struct
from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.segment import Segment
from rich.style import Style
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, VerticalScroll
from textual.content import Content
from textual.geometry import Region
from textual.renderables.background_screen import BackgroundScreen
from textual.screen import ModalScreen, Screen
from textual.strip import Strip
from textual.widgets import Input, Static

from rpcexplorer.text.printable import printable
from rpcexplorer.tui.dialogs.answer_once import AnswersOnce, ResultT
from rpcexplorer.tui.widgets.answer import Answer, Answers
from rpcexplorer.tui.widgets.entry import Entry


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
    Dialog .trouble { color: $wrong; width: 1fr; height: auto; display: none; }
    Dialog .trouble.-told { display: block; }
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

    def __init__(self, title: str, *, value: str = "", masked: bool = False, words: str = "", hint: str = "") -> None:
        super().__init__(title)
        self._value, self._masked, self._words, self._hint = value, masked, words, hint

    def content(self) -> ComposeResult:
        if self._words:
            yield Static(plain(self._words), classes="words")
        yield Entry(self._value, masked=self._masked, hint=self._hint, classes="alone")
        yield Static(keys("Enter", "takes it", "Esc", "leaves everything as it is"), classes="hint")

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
