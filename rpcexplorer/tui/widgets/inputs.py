"""Input lines: text, prompts, and a choice of words."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
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
    # Textual looks for styles along the first base that is a widget, which must be its own class.
    _Base = object
INHERITED = ("scroll", "page_")
"""Actions of inherited bindings that a line does not use."""


class InOrder(_Base):
    """A mixin that runs the bindings of an input in the order of the keys.

    It comes before Textual's class among the bases.
    """

    if TYPE_CHECKING:
        selected_text: str

        def select_all(self) -> None: ...

    async def _on_key(self, event: events.Key) -> None:
        for binding in self._bindings.key_to_bindings.get(event.key, ()):
            if not binding.action.startswith(INHERITED) and self.check_action(binding.action, ()):
                event.stop()
                event.prevent_default()
                await self.run_action(binding.action)
                return


class Entry(InOrder, Input):
    """A line of text.

    Its hint may be foreign text. A masked value is never copied.
    """

    DEFAULT_CSS = """
    Entry, Entry:focus, Entry:ansi, Entry:ansi:focus {
        border: none; height: 1; padding: 0 1; background: $background; color: $text; background-tint: transparent;
    }
    Entry > .input--placeholder { color: $dim; }
    Entry:ansi > .input--placeholder { color: $dim; text-style: italic; }
    Entry:ansi > .input--cursor, Entry:ansi > .input--selection {
        background: ansi_default; color: ansi_default; text-style: reverse;
    }
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
        """Start with the cursor at the end of the value.

        ``take`` gets the value at Enter, without letters that are typed right after it. Without ``take``, ``Submitted``
        is posted.
        """
        super().__init__(
            value, placeholder=printable(hint), password=masked, select_on_focus=False, id=id, classes=classes
        )
        self.cursor_blink = False
        self._take = take

    @property
    def _value(self) -> Text:
        """The drawn value: one character for each, as the cursor counts."""
        shown = super()._value
        shown.plain = "".join(map(_sign, shown.plain))
        return shown

    def action_copy(self) -> None:
        """Copy the selection, unless the value is masked."""
        if not self.password:
            super().action_copy()

    def action_cut(self) -> None:
        """Cut the selection; if the value is masked, only delete it."""
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
    """Return the one character that is drawn for a character."""
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
"""Columns for the count of a search; the stylesheet adds the padding."""


class Prompt(Horizontal):
    """A prompt: sign, input and state; up and down show earlier inputs."""

    DEFAULT_CSS = """
    Prompt { height: 1; display: none; background: $surface; }
    Prompt > .sign { width: 6; padding: 0 0 0 2; color: $middle; text-style: bold; background: $surface; }
    Prompt:focus-within > .sign { color: $accent; }
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
        """The text was entered."""

        purpose: Purpose
        text: str

    class Left(Message):
        """The prompt was left with Escape."""

    def __init__(self) -> None:
        super().__init__()
        self.purpose: Purpose = "search"
        self._sign, self._line, self._state = Static(classes="sign"), Entry(take=self._take), Static(classes="state")
        self.listens = False
        """The prompt was opened, and Enter was not pressed yet."""
        self._wide = 0
        """Columns of the state."""
        self._before: Sequence[str] = ()
        self._at = -1

    @property
    def is_open(self) -> bool:
        return bool(self.display)

    @property
    def text(self) -> str:
        return self._line.value

    def ask(self, purpose: Purpose, text: str = "", before: Sequence[str] = ()) -> None:
        """Open for a purpose; the earlier text is selected."""
        if self._line.parent is None:
            self.mount(self._sign, self._line, self._state)
        self.purpose, self._before, self._at, self.listens = purpose, before, -1, True
        self.set_class(purpose == "search", "-search")
        self._sign.update(Content(SIGNS[purpose]))
        line = self._line
        line.placeholder = HINTS[purpose]
        with line.prevent(Input.Changed):
            line.value = text
        self.show_state("")
        self.display = True  # set on the widget itself, so that it can get the focus at once
        self.screen.set_focus(line)
        line.action_select_all()

    def show_state(self, state: str, *, wrong: bool = False) -> None:
        """Show the state at the right."""
        state = printable(state)
        wide = max(columns(state), COUNT if self.purpose == "search" else 0)
        self._state.update(Content(state), layout=wide != self._wide)  # so that the count of a search does not move
        self._wide = wide
        self._state.set_class(wrong, "-wrong")

    def close(self) -> None:
        self.display = False

    def on_input_changed(self, event: Input.Changed) -> None:
        event.stop()
        if self.listens:
            self.post_message(self.TextTyped(self.purpose, event.value))

    def _take(self, text: str) -> None:
        """Take the text at the moment of Enter; later letters are for others."""
        if self.listens:
            self.listens = False
            self.post_message(self.Taken(self.purpose, text))
            self.call_later(self._put_back, text)

    def _put_back(self, text: str) -> None:
        with self._line.prevent(Input.Changed):
            self._line.value = text

    def on_descendant_blur(self) -> None:
        """Listen again: the user may come back and type."""
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
"""More words are hidden before these."""


class Cycle(Widget, can_focus=True):
    """A choice of words in one line; arrows or a letter choose another.

    The chosen word has a sign and an underline. If not all words fit, those around the chosen one are shown.
    """

    DEFAULT_CSS = "Cycle { height: 1; width: 1fr; }"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left", "turn(-1)", show=False),
        Binding("right,space", "turn(1)", show=False),
    ]

    value: reactive[str] = reactive("")

    @message
    class Changed(Message):
        """The user chose another word."""

        cycle: Cycle
        value: str

    def __init__(self, words: Sequence[str], value: str, *, nothing: str = "none", id: str | None = None) -> None:
        """Put an unknown value before the words; show "" as ``nothing``."""
        super().__init__(id=id)
        self._nothing = nothing
        self._words = [*words] if value in words else [value, *words]
        self.set_reactive(Cycle.value, value)

    def render_line(self, y: int) -> Strip:  # noqa: ARG002 - there is one line
        pieces = [piece for _, pieces in self._on_view() for piece in pieces]
        ground = "background" if self.has_focus else "surface"
        return line(pieces, self.size.width, ThemeStyles.of(self), ground=ground)

    def on_click(self, event: events.Click) -> None:
        self.focus()
        x = 0
        for word, pieces in self._on_view():
            end = x + width_of(pieces)
            if x <= event.x < end and word is not None:
                self._take(word)
            x = end

    def on_key(self, event: events.Key) -> None:
        """Choose the next word that begins with the letter."""
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
        """Return the words that fit, with the chosen one.

        None is for the mark of hidden words. The line cuts the last one.
        """
        pieces: list[tuple[str | None, list[tuple[str, str]]]] = [*self._pieces()]
        widths = [width_of(word_pieces) for _, word_pieces in pieces]
        until = self._words.index(self.value) + 1
        first, room = 0, self.size.width
        while sum(widths) > room and first + 1 < until and sum(widths[first:until]) > room - (width_of(BEFORE) + 1):
            first += 1
        return [(None, BEFORE), *pieces[first:]] if first else pieces

    def _pieces(self) -> Iterator[tuple[str, list[tuple[str, str]]]]:
        """Yield each word with its styled text; the mark of the choice is as wide as that of an ``Entry``."""
        for word in self._words:
            mark, role = "  ", "middle"
            if word == self.value:
                mark = "› "  # noqa: RUF001 - the sign is meant
                role = "accent reverse bold" if self.has_focus else "text bold underline"
            yield word, [(mark, "middle"), (word or self._nothing, role), ("  ", "text")]


class Listed(Cycle):
    """A choice of many words in one line; Enter asks for their list, and so does a letter, which searches it."""

    @message
    class ListWanted(Message):
        """The list should open, with the beginning of its search."""

        listed: Listed
        typed: str

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter,space,right,left", "list", show=False),
    ]

    def __init__(self, words: Mapping[str, str], value: str, *, title: str, nothing: str = "none") -> None:
        """``words``: the words with their descriptions."""
        super().__init__([*words], value, nothing=nothing)
        self.words, self.title, self.nothing = words, title, nothing

    def render_line(self, y: int) -> Strip:  # noqa: ARG002 - there is one line
        role = "accent reverse bold" if self.has_focus else "text"
        pieces = [("  ", "text"), (self.value or self._nothing, role)]
        if self.has_focus:
            pieces += [("   Enter", "bold"), (" lists all, letters search", "middle")]
        ground = "background" if self.has_focus else "surface"
        return line(pieces, self.size.width, ThemeStyles.of(self), ground=ground)

    def on_click(self, event: events.Click) -> None:
        event.prevent_default()
        self.focus()
        self.action_list()

    def on_key(self, event: events.Key) -> None:
        event.prevent_default()
        letter = event.character or ""
        if letter.isalnum():
            event.stop()
            self.action_list(letter)

    def action_list(self, typed: str = "") -> None:
        self.post_message(self.ListWanted(self, typed))

    def choose(self, word: str | None) -> None:
        """Take a word of the list; None if it was closed."""
        if word is not None:
            self._take(word)
