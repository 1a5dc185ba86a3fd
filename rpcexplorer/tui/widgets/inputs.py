"""Lines to type into or to choose from."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, ClassVar, Final, Literal

from rich.text import Text
from textual import events
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.message import Message
from textual.reactive import reactive
from textual.strip import Strip
from textual.widget import Widget
from textual.widgets import Input, Static

from rpcexplorer.text.printable import columns, printable
from rpcexplorer.tui.messages import message
from rpcexplorer.tui.theme import ThemeStyles, line, width_of

if TYPE_CHECKING:
    from textual.widget import Widget as _Base
else:
    # Textual looks for styles along the first base that is a widget, and that has to be its own class
    _Base = object
INHERITED = ("scroll", "page_")
"""What a line has from its bases, and no use for."""


class InOrder(_Base):
    """Stands before Textual's class among the bases of a widget that is typed into."""

    takes_lines: ClassVar[bool] = False
    """Enter and a pasted line break are text."""
    if TYPE_CHECKING:
        selected_text: str

        def select_all(self) -> None: ...

    async def _on_key(self, event: events.Key) -> None:
        for binding in self._bindings.key_to_bindings.get(event.key, ()):
            if not binding.action.startswith(INHERITED):
                event.stop()
                event.prevent_default()
                await self.run_action(binding.action)
                return


class Entry(InOrder, Input):
    """Textual's line with our manners. What it hints at may come from anywhere; what is masked is never copied."""

    DEFAULT_CSS = """
    Entry, Entry:focus, Entry:ansi, Entry:ansi:focus {
        border: none; height: 1; padding: 0 1; background: $background; color: $text; background-tint: transparent;
    }
    Entry > .input--placeholder { color: $dim; }
    Entry:ansi > .input--placeholder { color: $dim; text-style: none; }
    """

    def __init__(
        self,
        value: str = "",
        *,
        hint: str = "",
        masked: bool = False,
        take: Callable[[str], object] | None = None,
        id: str | None = None,
        classes: str | None = None,
    ) -> None:
        """The cursor stands at the end of the value: whoever types on does not replace it.

        ``take`` gets the value at Enter, in the order of the keys: letters that follow at once are no part of it. By
        itself the line posts ``Submitted``.
        """
        super().__init__(
            value, placeholder=printable(hint), password=masked, select_on_focus=False, id=id, classes=classes
        )
        self.cursor_blink = False
        self._take = take

    @property
    def _value(self) -> Text:
        """What is drawn of the value: one sign for each character, as the cursor counts them."""
        shown = super()._value
        shown.plain = "".join(map(_sign, shown.plain))
        return shown

    def action_copy(self) -> None:
        """Copy what is selected, unless it is masked."""
        if not self.password:
            super().action_copy()

    def action_cut(self) -> None:
        """Cut what is selected; what is masked is taken out only."""
        if self.password:
            self.delete_selection()
        else:
            super().action_cut()

    async def action_submit(self) -> None:
        if self._take is not None:
            self._take(self.value)
        else:
            self.post_message(self.Submitted(self, self.value))


def _sign(char: str) -> str:
    """The character, its picture, or a sign that something without a shape stands there."""
    shown = printable(char)
    return shown if len(shown) == 1 else "\N{REPLACEMENT CHARACTER}"


Purpose = Literal["search", "filter", "pipe", "goto"]
SIGNS: dict[Purpose, str] = {"search": "/", "filter": "jq", "pipe": "|", "goto": ":"}
HINTS: dict[Purpose, str] = {
    "search": "text to find (lower case matches any case)",
    "filter": ".items[] | select(.active)",
    "pipe": "shell command that reads the response from stdin",
    "goto": "line number",
}
COUNT: Final = 22
"""Columns that a search has for its numbers; the stylesheet says the same, with what is blank around them."""


class Prompt(Horizontal):
    """Sign, what is typed, and how it is going. Up and down bring back what was typed before."""

    DEFAULT_CSS = """
    Prompt { height: 1; display: none; background: $surface; }
    Prompt > .sign { width: 6; padding: 0 0 0 2; color: $accent; text-style: bold; background: $surface; }
    Prompt > Input, Prompt > Input:focus { border: none; height: 1; padding: 0; width: 1fr; background: $surface; }
    Prompt > .state { width: auto; max-width: 50%; padding: 0 2; color: $middle; background: $surface; height: 1; }
    Prompt > .state.-wrong { color: $wrong; }
    Prompt.-search > .state { min-width: 26; text-align: right; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "close", show=True),
        Binding("up", "earlier(1)", show=False),
        Binding("down", "earlier(-1)", show=False),
    ]

    @message
    class TextTyped(Message):
        """The text changed."""

        purpose: Purpose
        text: str

    @message
    class Taken(Message):
        """Enter: this is it."""

        purpose: Purpose
        text: str

    class Left(Message):
        """Escape: never mind."""

    def __init__(self) -> None:
        super().__init__()
        self.purpose: Purpose = "search"
        self._sign, self._line, self._state = Static(classes="sign"), Entry(take=self._take), Static(classes="state")
        self.listens = False
        """What is typed counts: it was opened, and not taken yet."""
        self._wide = 0
        """Columns of what is said."""
        self._before: Sequence[str] = ()
        self._at = -1

    @property
    def is_open(self) -> bool:
        return bool(self.display)

    @property
    def text(self) -> str:
        return self._line.value

    def ask(self, purpose: Purpose, text: str = "", before: Sequence[str] = ()) -> None:
        """Open for a purpose, with what was typed last selected, so that typing replaces it."""
        if self._line.parent is None:
            self.mount(self._sign, self._line, self._state)
        self.purpose, self._before, self._at, self.listens = purpose, before, -1, True
        self.set_class(purpose == "search", "-search")
        self._sign.update(Content(SIGNS[purpose]))
        line = self._line
        line.placeholder = HINTS[purpose]
        with line.prevent(Input.Changed):
            line.value = text
        self.tell("")
        self.display = True  # on the widget itself, so that the focus can follow in the same breath
        self.screen.set_focus(line)
        line.action_select_all()

    def tell(self, state: str, *, wrong: bool = False) -> None:
        """How it is going, at the right."""
        state = printable(state)
        wide = max(columns(state), COUNT if self.purpose == "search" else 0)
        self._state.update(Content(state), layout=wide != self._wide)  # the numbers of a search stay where they are
        self._wide = wide
        self._state.set_class(wrong, "-wrong")

    def close(self) -> None:
        """Take it off the screen."""
        self.display = False

    def on_input_changed(self, event: Input.Changed) -> None:
        event.stop()
        if self.listens:
            self.post_message(self.TextTyped(self.purpose, event.value))

    def _take(self, text: str) -> None:
        """Enter takes it, as it stands at that moment: letters that follow at once are for others."""
        if self.listens:
            self.listens = False
            self.post_message(self.Taken(self.purpose, text))
            self.call_later(self._put_back, text)

    def _put_back(self, text: str) -> None:
        with self._line.prevent(Input.Changed):
            self._line.value = text

    def on_descendant_blur(self) -> None:
        """Whoever comes back to it types again."""
        self.listens = True

    def on_click(self, event: events.Click) -> None:
        event.stop()
        self.screen.set_focus(self._line)

    def action_leave(self) -> None:
        self.post_message(self.Left())

    def action_earlier(self, by: int) -> None:
        at = min(max(self._at + by, -1), len(self._before) - 1)
        if at != self._at:
            self._at = at
            line = self._line
            line.value = self._before[at] if at >= 0 else ""
            line.cursor_position = len(line.value)


BEFORE: Final = [("… ", "dim")]
"""There are words before those on view."""


class Cycle(Widget, can_focus=True):
    """The chosen word is told by a sign and underline, with the focus by a ground of its own.

    All words are on view where they fit, else as many as do around the chosen one.
    """

    DEFAULT_CSS = "Cycle { height: 1; width: 1fr; }"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left", "turn(-1)", show=False),
        Binding("right,space", "turn(1)", show=False),
    ]

    value: reactive[str] = reactive("")

    @message
    class Changed(Message):
        """A person chose another word."""

        cycle: Cycle
        value: str

    def __init__(self, words: Sequence[str], value: str, *, nothing: str = "none", id: str | None = None) -> None:
        """A value that is none of the words comes before them; the empty word is shown as ``nothing``."""
        super().__init__(id=id)
        self._nothing = nothing
        self._words = [*words] if value in words else [value, *words]
        self.set_reactive(Cycle.value, value)

    def render_line(self, y: int) -> Strip:  # noqa: ARG002 - there is one line
        pieces = [piece for _, each in self._on_view() for piece in each]
        ground = "background" if self.has_focus else "surface"
        return line(pieces, self.size.width, ThemeStyles.of(self), ground=ground)

    def on_click(self, event: events.Click) -> None:
        self.focus()
        x = 0
        for word, pieces in self._on_view():
            if x <= event.x < (x := x + width_of(pieces)) and word is not None:
                self._take(word)

    def on_key(self, event: events.Key) -> None:
        """A letter goes on to the next word that begins with it."""
        letter = (event.character or "").lower()
        if not letter.isalnum():
            return
        event.stop()
        at = self._words.index(self.value) + 1
        after = [*self._words[at:], *self._words[:at]]
        self._take(next((word for word in after if word.lower().startswith(letter)), self.value))

    def action_turn(self, by: int) -> None:
        self._take(self._words[(self._words.index(self.value) + by) % len(self._words)])

    def _take(self, word: str) -> None:
        if word != self.value:
            self.value = word
            self.post_message(self.Changed(self, word))

    def _on_view(self) -> list[tuple[str | None, list[tuple[str, str]]]]:
        """The words that fit, the chosen one among them; None stands for those before. The line cuts what is behind."""
        pieces: list[tuple[str | None, list[tuple[str, str]]]] = [*self._pieces()]
        widths = [width_of(each) for _, each in pieces]
        until = self._words.index(self.value) + 1
        first, room = 0, self.size.width
        while sum(widths) > room and first + 1 < until and sum(widths[first:until]) > room - (width_of(BEFORE) + 1):
            first += 1
        return [(None, BEFORE), *pieces[first:]] if first else pieces

    def _pieces(self) -> Iterator[tuple[str, list[tuple[str, str]]]]:
        """Each word with its sign. They start where the text of an ``Entry`` does."""
        for word in self._words:
            chosen = word == self.value
            role = ("accent reverse bold" if self.has_focus else "text bold underline") if chosen else "middle"
            mark = "› "  # noqa: RUF001 - the sign is meant
            yield word, [(mark if chosen else "  ", "accent"), (word or self._nothing, role), ("  ", "text")]
