"""Dialogs and their parts: forms, questions, input lines, choices."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any

import pytest
from textual.widgets import Static

from rpcexplorer.tui.app import PersonOnScreen
from rpcexplorer.tui.dialogs import AskSecret
from rpcexplorer.tui.widgets.dialog import Answer, Answers, Ask, Caution, Choice, Confirm, Dialog, Field, Form, Wrong
from rpcexplorer.tui.widgets.inputs import Cycle, Entry
from tests.tui.program import running
from tests.tui.stage import OneScreen, Stage, showing, staged, text_of

HOSTILE = "[@click=app.quit]x[/] oops [/] \x1b]52;c;?\x07 \u202e [true]"
CHOICES = [Choice("go", "Go on"), Choice("later", "Later")]


@asynccontextmanager
async def opened(dialog: Dialog[Any], size: tuple[int, int] = (120, 40)) -> AsyncIterator[OneScreen]:
    """Open a dialog, and wait for its answer at the end."""
    async with showing(OneScreen, dialog, size) as program:
        yield program
        await program.until(lambda: bool(program.answers))
        await program.pause()


async def answers_to(dialog: Dialog[Any], *keys: str) -> list[Any]:
    """Press keys in a dialog, and return its answers."""
    async with opened(dialog) as program:
        await program.press(*keys)
    return program.answers


def form(save: Callable[[Mapping[str, str]], Wrong | None] = lambda _: None) -> Form:
    fields = [Field("name", "name", "ada"), Field("badge", "badge", "b", choices=("a", "b")), Field("x.y", "last", "z")]
    return Form("A form", "It is about something.", fields, save)


@pytest.mark.parametrize(
    ("keys", "answer"),
    [
        (("enter",), "go"),
        (("space",), "go"),
        (("escape",), None),
        (("y", "enter"), "go"),
        (("right", "enter"), "later"),
        (("tab", "tab", "enter"), None),
        (("down", "up", "enter"), "go"),
        (("right", "escape"), None),
    ],
)
async def test_enter_confirms_what_was_asked_for(keys: tuple[str, ...], answer: str | None) -> None:
    assert await answers_to(Confirm("Go on?", "Really.", CHOICES), *keys) == [answer]


@pytest.mark.parametrize("caution", Caution)
async def test_question_with_caution_begins_on_cancel(caution: Caution) -> None:
    async with opened(Confirm("Go on?", "Really.", CHOICES, caution=caution, cancel="Keep")) as program:
        assert f"{caution}, so the question begins on “Keep”." in program.words
        await program.press("enter")
        assert program.screen.was_cancelled  # What is typed next was meant for the action.
    assert program.answers == [None]
    assert await answers_to(Confirm("Go on?", "Really.", CHOICES, caution=caution), "right", "enter") == ["go"]


async def test_escape_leaves_a_question_on_purpose() -> None:
    async with opened(Confirm("Go on?", "Really.", CHOICES)) as program:
        await program.press("escape")
        assert not program.screen.was_cancelled
    assert program.answers == [None]


async def test_click_on_an_answer_gives_it() -> None:
    async with opened(Confirm("Go on?", [("host", "x")], CHOICES)) as program:
        await program.click("#go")
    assert program.answers == ["go"]


@pytest.mark.thorough
@pytest.mark.parametrize(
    "dialog", [Confirm(HOSTILE, HOSTILE, [Choice("a", HOSTILE)]), Ask(HOSTILE, words=HOSTILE, done="save")]
)
async def test_hostile_words_are_shown_and_do_nothing(dialog: Dialog[Any]) -> None:
    async with opened(dialog) as program:
        picture = program.app.export_screenshot()
        assert not {"\x1b", "\x07", "\u202e"} & set(picture)
        assert "[true]" in program.words
        title = program.screen.query(Static).first().region
        await program.click(offset=(title.x + 4, title.y))
        await program.press("escape")
    assert program.answers == [None]


@pytest.mark.thorough
async def test_long_answers_are_stacked() -> None:
    long = [Choice("b", "Send, and don't ask for user.delete today")]
    async with opened(Confirm("Send?", "x", long), size=(50, 20)) as program:
        answers = program.screen.query_one(Answers)
        assert answers.size.height == 2
        await program.resize_terminal(120, 40)
        await program.until(lambda: answers.size.height == 1)
        await program.press("escape")


@pytest.mark.thorough
async def test_focused_answer_is_visible_in_five_lines() -> None:
    rows = [(f"row {number}", "words") for number in range(20)]
    async with opened(Confirm("Go on?", rows, CHOICES), size=(30, 5)) as program:
        first = program.screen.query_one("#go", Answer)
        await program.until(lambda: program.screen.region.contains_region(first.region))
        await program.press("enter")
    assert program.answers == ["go"]


@pytest.mark.parametrize(
    ("field", "shown"), [("username", "user name ada"), ("token", "token •••"), ("session", "session id •••")]
)
async def test_question_names_its_field_and_masks_secrets(field: str, shown: str) -> None:
    async with opened(AskSecret("What for shop", field, store="")) as program:
        await program.type_in("ada")
        assert shown in program.words
        await program.press("escape")


async def test_masked_text_is_neither_shown_nor_copied() -> None:
    async with opened(AskSecret("Password", "password", store="")) as program:
        await program.type_in("hunter2x")
        entry = program.screen.query_one(Entry)
        entry.select_all()
        await program.press("ctrl+c")
        assert program.app.clipboard == ""
        assert "hunter2x" not in program.app.export_screenshot()
        await program.press("ctrl+x")
        assert (program.app.clipboard, entry.value) == ("", "")
        await program.press("escape")


async def test_unmasked_text_is_copied() -> None:
    async with opened(Ask("Name", value="ada", done="save")) as program:
        program.screen.query_one(Entry).select_all()
        await program.press("ctrl+x")
        assert program.app.clipboard == "ada"
        await program.press("escape")


async def test_enter_moves_down_and_saves_in_last_line() -> None:
    seen: list[dict[str, str]] = []

    def save(typed: Mapping[str, str]) -> None:
        seen.append(dict(typed))

    typed = {"name": "x", "badge": "a", "x.y": "z"}
    async with opened(form(save)) as program:
        await program.press("x", "enter")
        await program.until(lambda: program.screen.focused is program.screen.input_of("badge"))
        assert [row.has_class("-here") for row in program.screen.query(".field")] == [False, True, False]
        await program.press("right", "enter")
        await program.until(lambda: program.screen.focused is program.screen.input_of("x.y"))
        assert seen == []
        await program.press("enter")
    assert program.answers == [typed]
    assert seen == [typed]


@pytest.mark.parametrize(
    ("dialog", "keys", "answer"),
    [
        (lambda: Ask("Name?", value="old", done="save"), ("n", "enter"), "n"),
        (lambda: Ask("Name?", value="old", done="save"), ("end", "n", "enter"), "oldn"),
        (form, ("b", "o", "tab", "tab", "c", "shift+tab", "shift+tab", "b", "ctrl+s"), {"name": "bob", "x.y": "c"}),
    ],
)
async def test_typing_replaces_only_what_was_filled_in(
    dialog: Callable[[], Any], keys: Sequence[str], answer: Any
) -> None:
    found = await answers_to(dialog(), *keys)
    assert found == [answer if isinstance(answer, str) else {"badge": "b", **answer}]


@pytest.mark.thorough
@pytest.mark.parametrize("keys", [("escape",), ("x", "tab", "right", "escape"), ("up", "enter")])
async def test_cancelled_form_saves_nothing(keys: tuple[str, ...]) -> None:
    seen: list[Mapping[str, str]] = []
    assert await answers_to(form(seen.append), *keys) == [None]
    assert seen == []


@pytest.mark.parametrize("keys", [("ctrl+s",), ("f5",), ("up", "up", "enter")])
async def test_form_can_be_saved_from_any_line(keys: tuple[str, ...]) -> None:
    assert await answers_to(form(), *keys) == [{"name": "ada", "badge": "b", "x.y": "z"}]


@pytest.mark.thorough
async def test_problem_moves_with_field_and_keeps_text() -> None:
    wrongs = iter([Wrong("no such name", "name"), Wrong("the file is read-only"), None])
    async with opened(form(lambda _: next(wrongs))) as program:
        await program.type_in("bob")
        await program.press("tab", "ctrl+s")
        await program.sees("✗ no such name")
        assert program.screen.focused is program.screen.input_of("name")
        assert program.screen.values["name"] == "bob"
        await program.press("ctrl+s")
        await program.sees("✗ the file is read-only")
        assert "no such name" not in program.words
        await program.press("ctrl+s")
    assert program.answers == [{"name": "bob", "badge": "b", "x.y": "z"}]


@pytest.mark.thorough
async def test_click_chooses_the_word_under_it() -> None:
    cycle = Cycle(("", "dev", "prod"), "dev")
    async with staged(cycle, size=(60, 5)) as program:
        assert text_of(cycle).split() == ["none", "›", "dev", "prod"]  # noqa: RUF001 - the sign is meant
        await program.click(Cycle, offset=(text_of(cycle).index("prod"), 0))
        assert cycle.value == "prod"
        await program.click(Cycle, offset=(55, 0))
        await program.press("right")
        assert cycle.value == ""
        assert [message.value for message in program.of(Cycle.Changed)] == ["prod", ""]


async def test_chosen_word_of_a_long_row_is_visible() -> None:
    words = ("alpha", "beta", "gamma", "delta", "epsilon")
    cycle = Cycle(words, "alpha")
    async with staged(cycle, size=(30, 5)) as program:
        cycle.focus()
        seen = []
        for _ in words:
            await program.pause()
            seen.append(text_of(cycle).strip())
            await program.press("right")
        shown_lines = [line.replace("›", ">") for line in seen]  # noqa: RUF001 - the sign is meant
        assert shown_lines == [
            "> alpha    beta    gamma    d…",
            "alpha  > beta    gamma    d…",
            "alpha    beta  > gamma    d…",
            "…   beta    gamma  > delta   …",
            "…   delta  > epsilon",
        ]
        await program.press("e")
        await program.pause()
        await program.click(Cycle, offset=(text_of(cycle).index("delta"), 0))
        assert cycle.value == "delta"
        await program.click(Cycle, offset=(0, 0))
        assert cycle.value == "delta"


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("keys", "word"),
    [("m", "monero"), ("mm", "mopidy"), ("mmm", "mcp"), ("o", "odoo"), ("O", "odoo"), ("x", "mcp"), ("!", "mcp")],
)
async def test_letter_moves_to_next_word_that_begins_so(keys: str, word: str) -> None:
    field = Field("b", "b", "mcp", choices=("", "mcp", "monero", "mopidy", "odoo"))
    assert await answers_to(Form("F", "", [field], lambda _: None), *keys, "ctrl+s") == [{"b": word}]


async def test_unknown_word_of_a_file_can_be_kept() -> None:
    field = Field("b", "b", "qa", choices=("dev", "prod"))
    assert await answers_to(Form("F", "", [field], lambda _: None), "ctrl+s") == [{"b": "qa"}]


async def test_person_without_a_screen_answers_nothing() -> None:
    person = PersonOnScreen()
    assert await person.secret("password?") is None
    assert await person.agrees("really?") is False


@pytest.mark.parametrize(("keys", "agreed"), [(("enter",), False), (("escape",), False), (("right", "enter"), True)])
async def test_plain_http_is_never_the_default(keys: tuple[str, ...], agreed: bool) -> None:
    person, heard = PersonOnScreen(), list[bool]()

    stage = Stage(Static("below"))
    async with running(stage, (100, 30)) as program:
        person.open = stage.push_screen_wait

        async def question() -> None:
            heard.append(await person.agrees("http://x is not encrypted. Send them all the same?"))

        stage.run_worker(question())
        dialog = await program.on(Confirm)
        assert dialog.has_class("-grave")
        await program.press(*keys)
        await program.until(lambda: bool(heard))
    assert heard == [agreed]


@pytest.mark.parametrize(
    ("pressed", "answer"),
    [
        (["x", "enter"], [{"name": "x", "doc": ""}]),
        (["x", "tab", "y", "enter"], [{"name": "x", "doc": "y"}]),
        (["tab", "y", "enter", "x", "enter"], [{"name": "x", "doc": "y"}]),
    ],
)
async def test_enter_saves_once_required_fields_are_filled(pressed: list[str], answer: list[object]) -> None:
    fields = [Field("name", "name", required=True), Field("doc", "about")]
    save = Form("A form", "It is about something.", fields, lambda typed: None if typed["name"] else Wrong("Name it."))
    assert await answers_to(save, *pressed) == answer


async def test_enter_without_required_value_shows_why() -> None:
    fields = [Field("name", "name", required=True), Field("doc", "about")]
    async with opened(Form("A form", "Words.", fields, lambda typed: Wrong("Name it.", "name"))) as program:
        await program.press("enter")
        await program.sees("Name it.")
        await program.press("escape")
    assert program.answers == [None]
