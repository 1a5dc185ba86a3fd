"""Dialogs and their parts: forms, questions, input lines, choices."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

import pytest
from textual.pilot import Pilot
from textual.widgets import Static

from rpcexplorer.tui.app import PersonOnScreen
from rpcexplorer.tui.dialogs import AskSecret
from rpcexplorer.tui.widgets.dialog import Answer, Answers, Ask, Caution, Choice, Confirm, Dialog, Field, Form, Wrong
from rpcexplorer.tui.widgets.inputs import Cycle, Entry
from tests.tui.stage import Stage, text_of
from tests.tui.visiting import on, shown, type_in
from tests.tui.waiting import until

Act = Callable[[Pilot[None], Any], Awaitable[None]]
HOSTILE = "[@click=app.quit]x[/] oops [/] \x1b]52;c;?\x07 \u202e [true]"
CHOICES = [Choice("go", "Go on"), Choice("later", "Later")]


def ask(dialog: Dialog[Any], act: Act, *, size: tuple[int, int] = (120, 40)) -> list[Any]:
    """Open a dialog, act in it, and return all its answers."""
    answers: list[Any] = []

    async def run() -> None:
        stage = Stage(Static("below"))
        async with stage.run_test(size=size) as pilot:
            stage.push_screen(dialog, answers.append)
            await on(pilot, type(dialog))
            await act(pilot, dialog)
            await until(pilot, lambda: bool(answers))
            await pilot.pause()

    asyncio.run(run())
    return answers


def press(*keys: str) -> Act:
    async def act(pilot: Pilot[None], _: Any) -> None:
        await pilot.press(*keys)

    return act


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
def test_enter_confirms_what_was_asked_for(keys: tuple[str, ...], answer: str | None) -> None:
    assert ask(Confirm("Go on?", "Really.", CHOICES), press(*keys)) == [answer]


@pytest.mark.parametrize("caution", Caution)
def test_question_with_caution_begins_on_cancel(caution: Caution) -> None:
    async def act(pilot: Pilot[None], opened: Confirm) -> None:
        assert f"{caution}, so the question begins on “Keep”." in shown(opened)
        await pilot.press("enter")
        assert opened.was_cancelled  # What is typed next was meant for the action.

    assert ask(Confirm("Go on?", "Really.", CHOICES, caution=caution, cancel="Keep"), act) == [None]
    assert ask(Confirm("Go on?", "Really.", CHOICES, caution=caution), press("right", "enter")) == ["go"]


def test_escape_leaves_a_question_on_purpose() -> None:
    async def act(pilot: Pilot[None], opened: Confirm) -> None:
        await pilot.press("escape")
        assert not opened.was_cancelled

    assert ask(Confirm("Go on?", "Really.", CHOICES), act) == [None]


def test_click_on_an_answer_gives_it() -> None:
    async def act(pilot: Pilot[None], _: Any) -> None:
        await pilot.click("#go")

    assert ask(Confirm("Go on?", [("host", "x")], CHOICES), act) == ["go"]


@pytest.mark.thorough
@pytest.mark.parametrize(
    "dialog", [Confirm(HOSTILE, HOSTILE, [Choice("a", HOSTILE)]), Ask(HOSTILE, words=HOSTILE, done="save")]
)
def test_hostile_words_are_shown_and_do_nothing(dialog: Dialog[Any]) -> None:
    async def act(pilot: Pilot[None], opened: Dialog[Any]) -> None:
        picture = pilot.app.export_screenshot()
        assert not {"\x1b", "\x07", "\u202e"} & set(picture)
        assert "[true]" in shown(opened)
        await pilot.click(offset=(opened.query(Static).first().region.x + 4, opened.query(Static).first().region.y))
        await pilot.press("escape")

    assert ask(dialog, act) == [None]


@pytest.mark.thorough
def test_long_answers_are_stacked() -> None:
    long = [Choice("b", "Send, and don't ask for user.delete today")]

    async def act(pilot: Pilot[None], opened: Confirm) -> None:
        answers = opened.query_one(Answers)
        assert answers.size.height == 2
        await pilot.resize_terminal(120, 40)
        await until(pilot, lambda: answers.size.height == 1)
        await pilot.press("escape")

    ask(Confirm("Send?", "x", long), act, size=(50, 20))


@pytest.mark.thorough
def test_focused_answer_is_visible_in_five_lines() -> None:
    rows = [(f"row {number}", "words") for number in range(20)]

    async def act(pilot: Pilot[None], opened: Confirm) -> None:
        first = opened.query_one("#go", Answer)
        await until(pilot, lambda: opened.region.contains_region(first.region))
        await pilot.press("enter")

    assert ask(Confirm("Go on?", rows, CHOICES), act, size=(30, 5)) == ["go"]


def test_masked_text_is_neither_shown_nor_copied() -> None:
    async def act(pilot: Pilot[None], opened: AskSecret) -> None:
        await type_in(pilot, "hunter2x")
        entry = opened.query_one(Entry)
        entry.select_all()
        await pilot.press("ctrl+c")
        assert pilot.app.clipboard == ""
        assert "hunter2x" not in pilot.app.export_screenshot()
        await pilot.press("ctrl+x")
        assert (pilot.app.clipboard, entry.value) == ("", "")
        await pilot.press("escape")

    ask(AskSecret("Password", masked=True, store=""), act)


def test_unmasked_text_is_copied() -> None:
    async def act(pilot: Pilot[None], opened: Ask) -> None:
        opened.query_one(Entry).select_all()
        await pilot.press("ctrl+x")
        assert pilot.app.clipboard == "ada"
        await pilot.press("escape")

    ask(Ask("Name", value="ada", done="save"), act)


def test_enter_moves_down_and_saves_in_last_line() -> None:
    seen: list[dict[str, str]] = []

    def save(typed: Mapping[str, str]) -> None:
        seen.append(dict(typed))

    async def act(pilot: Pilot[None], opened: Form) -> None:
        await pilot.press("x", "enter")
        await until(pilot, lambda: opened.focused is opened.input_of("badge"))
        assert [row.has_class("-here") for row in opened.query(".field")] == [False, True, False]
        await pilot.press("right", "enter")
        await until(pilot, lambda: opened.focused is opened.input_of("x.y"))
        assert seen == []
        await pilot.press("enter")

    typed = {"name": "x", "badge": "a", "x.y": "z"}
    assert ask(form(save), act) == [typed]
    assert seen == [typed]


@pytest.mark.parametrize(
    ("dialog", "keys", "answer"),
    [
        (lambda: Ask("Name?", value="old", done="save"), ("n", "enter"), "n"),
        (lambda: Ask("Name?", value="old", done="save"), ("end", "n", "enter"), "oldn"),
        (form, ("b", "o", "tab", "tab", "c", "shift+tab", "shift+tab", "b", "ctrl+s"), {"name": "bob", "x.y": "c"}),
    ],
)
def test_typing_replaces_only_what_was_filled_in(dialog: Callable[[], Any], keys: Sequence[str], answer: Any) -> None:
    found = ask(dialog(), press(*keys))
    assert found == [answer if isinstance(answer, str) else {"badge": "b", **answer}]


@pytest.mark.thorough
@pytest.mark.parametrize("keys", [("escape",), ("x", "tab", "right", "escape"), ("up", "enter")])
def test_cancelled_form_saves_nothing(keys: tuple[str, ...]) -> None:
    seen: list[Mapping[str, str]] = []
    assert ask(form(seen.append), press(*keys)) == [None]
    assert seen == []


@pytest.mark.parametrize("keys", [("ctrl+s",), ("f5",), ("up", "up", "enter")])
def test_form_can_be_saved_from_any_line(keys: tuple[str, ...]) -> None:
    assert ask(form(), press(*keys)) == [{"name": "ada", "badge": "b", "x.y": "z"}]


@pytest.mark.thorough
def test_problem_moves_with_field_and_keeps_text() -> None:
    wrongs = iter([Wrong("no such name", "name"), Wrong("the file is read-only"), None])

    async def act(pilot: Pilot[None], opened: Form) -> None:
        await type_in(pilot, "bob")
        await pilot.press("tab", "ctrl+s")
        place = opened.query(".problem").first(Static)
        await until(pilot, lambda: place.display)
        assert opened.focused is opened.input_of("name")
        assert opened.values["name"] == "bob"
        await pilot.press("ctrl+s")
        await until(pilot, lambda: not place.display)
        assert "✗ the file is read-only" in shown(opened)
        await pilot.press("ctrl+s")

    assert ask(form(lambda _: next(wrongs)), act) == [{"name": "bob", "badge": "b", "x.y": "z"}]


@pytest.mark.thorough
def test_click_chooses_the_word_under_it() -> None:
    cycle = Cycle(("", "dev", "prod"), "dev")
    stage = Stage(cycle)

    async def run() -> None:
        async with stage.run_test(size=(60, 5)) as pilot:
            assert text_of(cycle).split() == ["none", "›", "dev", "prod"]  # noqa: RUF001 - the sign is meant
            await pilot.click(Cycle, offset=(text_of(cycle).index("prod"), 0))
            assert cycle.value == "prod"
            await pilot.click(Cycle, offset=(55, 0))
            await pilot.press("right")
            assert cycle.value == ""

    asyncio.run(run())
    assert [message.value for message in stage.of(Cycle.Changed)] == ["prod", ""]


def test_chosen_word_of_a_long_row_is_visible() -> None:
    words = ("alpha", "beta", "gamma", "delta", "epsilon")
    cycle = Cycle(words, "alpha")
    stage = Stage(cycle)

    async def run() -> None:
        async with stage.run_test(size=(30, 5)) as pilot:
            cycle.focus()
            seen = []
            for _ in words:
                await pilot.pause()
                seen.append(text_of(cycle).strip())
                await pilot.press("right")
            shown_lines = [line.replace("›", ">") for line in seen]  # noqa: RUF001 - the sign is meant
            assert shown_lines == [
                "> alpha    beta    gamma    d…",
                "alpha  > beta    gamma    d…",
                "alpha    beta  > gamma    d…",
                "…   beta    gamma  > delta   …",
                "…   delta  > epsilon",
            ]
            await pilot.press("e")
            await pilot.pause()
            await pilot.click(Cycle, offset=(text_of(cycle).index("delta"), 0))
            assert cycle.value == "delta"
            await pilot.click(Cycle, offset=(0, 0))
            assert cycle.value == "delta"

    asyncio.run(run())


@pytest.mark.thorough
def test_letter_moves_to_next_word_that_begins_so() -> None:
    def typed(*keys: str) -> str:
        words = ("", "mcp", "monero", "mopidy", "odoo")
        answers = ask(Form("F", "", [Field("b", "b", "mcp", choices=words)], lambda _: None), press(*keys, "ctrl+s"))
        return str(answers[0]["b"])

    assert [typed("m"), typed("m", "m"), typed("m", "m", "m"), typed("o"), typed("O"), typed("x"), typed("!")] == [
        "monero", "mopidy", "mcp", "odoo", "odoo", "mcp", "mcp",
    ]  # fmt: skip


def test_unknown_word_of_a_file_can_be_kept() -> None:
    assert ask(Form("F", "", [Field("b", "b", "qa", choices=("dev", "prod"))], lambda _: None), press("ctrl+s")) == [
        {"b": "qa"}
    ]


def test_person_without_a_screen_answers_nothing() -> None:
    person = PersonOnScreen()
    assert asyncio.run(person.secret("password?")) is None
    assert asyncio.run(person.agrees("really?")) is False


@pytest.mark.parametrize(("keys", "agreed"), [(("enter",), False), (("escape",), False), (("right", "enter"), True)])
def test_plain_http_is_never_the_default(keys: tuple[str, ...], agreed: bool) -> None:
    person, heard = PersonOnScreen(), list[bool]()

    async def run() -> None:
        stage = Stage(Static("below"))
        async with stage.run_test(size=(100, 30)) as pilot:
            person.open = stage.push_screen_wait

            async def question() -> None:
                heard.append(await person.agrees("http://x is not encrypted. Send them all the same?"))

            stage.run_worker(question())
            dialog = await on(pilot, Confirm)
            assert dialog.has_class("-grave")
            await pilot.press(*keys)
            await until(pilot, lambda: bool(heard))

    asyncio.run(run())
    assert heard == [agreed]


@pytest.mark.parametrize(
    ("pressed", "answer"),
    [
        (["x", "enter"], [{"name": "x", "doc": ""}]),
        (["x", "tab", "y", "enter"], [{"name": "x", "doc": "y"}]),
        (["tab", "y", "enter", "x", "enter"], [{"name": "x", "doc": "y"}]),
    ],
)
def test_enter_saves_once_required_fields_are_filled(pressed: list[str], answer: list[object]) -> None:
    fields = [Field("name", "name", required=True), Field("doc", "about")]
    save = Form("A form", "It is about something.", fields, lambda typed: None if typed["name"] else Wrong("Name it."))
    assert ask(save, press(*pressed)) == answer


def test_enter_without_required_value_shows_why() -> None:
    fields = [Field("name", "name", required=True), Field("doc", "about")]

    async def act(pilot: Pilot[None], opened: Form) -> None:
        await pilot.press("enter")
        await until(pilot, lambda: "Name it." in shown(opened))
        await pilot.press("escape")

    assert ask(Form("A form", "Words.", fields, lambda typed: Wrong("Name it.", "name")), act) == [None]
