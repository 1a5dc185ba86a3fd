"""A dialog with a line for each value. What is wrong is said below the line it is about, and nothing typed is lost."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import ClassVar

from msgspec import Struct
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.widget import Widget
from textual.widgets import Input, Static

from rpcexplorer.tui.dialogs.dialog import Dialog, keys, plain
from rpcexplorer.tui.widgets.answer import Answer, Answers
from rpcexplorer.tui.widgets.cycle import Cycle
from rpcexplorer.tui.widgets.entry import Entry


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
    Form .trouble { padding: 0 0 0 14; }
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
            yield Static(classes="trouble", id=f"{_id(field.key)}-trouble")
        yield Static(classes="trouble", id="field--trouble")
        yield Answers(*self.answers())
        save = "Enter" if self._required else "^S"
        hint = keys("Tab", "next line", save, self._done.lower(), "Esc", "change nothing")
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
        for trouble in self.query(".trouble"):
            trouble.remove_class("-told")

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
        for trouble in self.query(".trouble").results(Static):
            trouble.remove_class("-told")
        if wrong is None:
            self.dismiss(self.values)
            return
        key = wrong.key if wrong.key in self.values else ""
        place = self.query_one(f"#{_id(key)}-trouble", Static)
        place.update(plain(f"✗ {wrong.sentence}"))
        place.add_class("-told")
        if key:
            self.set_focus(self.of(key))
        self.call_after_refresh(place.scroll_visible, animate=False)


def _id(key: str) -> str:
    return "field-" + key.replace(".", "-")
