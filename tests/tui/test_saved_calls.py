"""Saving, filling, sending, replacing and removing named calls on screen."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from textual.screen import Screen
from textual.widgets import Static

from rpcexplorer.explorer import Explorer
from rpcexplorer.model.draft import Draft, draft_of
from rpcexplorer.model.method import SavedCall
from rpcexplorer.tui.app import PersonOnScreen
from rpcexplorer.tui.call.screen import CallScreen
from rpcexplorer.tui.replay import SeveralProfiles
from rpcexplorer.tui.widgets.dialog import Confirm, Form
from rpcexplorer.tui.widgets.inputs import Cycle
from rpcexplorer.tui.widgets.rows import Sheet
from tests.history.recording import exchange as recorded
from tests.tui.program import Program, open_program
from tests.tui.stage import text_of

KEEP = "alt+k"


def preview(screen: CallScreen) -> str:
    """Return the text of the tab with the next request."""
    return "\n".join("".join(text for text, _ in line) for line in screen.params.query_one(Sheet).lines)


async def answered(program: Program, *keys: str) -> None:
    """Press keys in an open dialog until it has closed."""
    await program.burst(*keys)
    await program.until(lambda: program.app.screen is program.calls)
    await program.rest()


def choices(form: Screen[Any]) -> tuple[str, str]:
    """Return the visible choices, and the text of the chosen one."""
    chosen = form.query_one(Cycle)
    words = [word for word in text_of(chosen).split() if word.strip(",").isalpha() or "…" in word]
    return " ".join(words), str(form.query_one(".meaning", Static).render())


def team(explorer: Explorer) -> Path:
    return explorer.profiles.files[-1]


def add(explorer: Explorer, name: str, params: str = "") -> None:
    """Save a call of demo.echo in the project file."""
    file = team(explorer)
    more = f"params_json = '{params}'\n" if params else ""
    file.write_text(file.read_text() + f'\n[call.{name}]\nmethod = "demo.echo"\n{more}')
    explorer.reload()


async def test_project_call_is_saved_sent_replaced_and_removed(explorer: Explorer) -> None:  # noqa: PLR0915 - one story
    before = team(explorer).read_text()
    async with open_program(explorer, profile="demo", size=(80, 24)) as program:
        screen = program.calls
        text = '{"n": 1.10, "who": "{{who}}", "id": "{{uuid}}"}'
        await program.write("demo.echo", text)
        await program.burst(KEEP, *"who is", "tab", *"Asks", "tab")  # typed ahead: the keys wait for the dialog
        await program.on(Form)
        await program.press("right", "right")
        assert choices(program.app.screen) == (
            "local user, all project project, all",
            f"for demo, in {team(explorer)}",
        )
        await answered(program, "enter")
        assert (screen.method, screen.called, screen.params.text) == ("@who is", "demo.echo", text)
        assert (
            f'[profile.demo.call."who is"]\nmethod = "demo.echo"\ndoc = "Asks"\nparams_json = \'{text}\'\n'
            in team(explorer).read_text()
        )
        await program.sees(f"Saved @who is in {team(explorer)}.")
        screen.params.show_tab("Request")
        await program.sees("{{who}} has no value. rpcexplorer asks for it when you press F5.")
        await program.press("f5")
        await program.on(Form)
        await answered(program, *'A"da', "enter")
        await program.until(lambda: screen.exchange is not None and not screen.running)
        exchange = screen.exchange
        assert exchange is not None
        assert (exchange.method, exchange.params) == ("demo.echo", text)
        assert exchange.params_sent is not None
        assert exchange.params_sent.startswith('{"n": 1.10, "who": "A\\"da", "id": "')
        assert explorer.recent(1)[0].params == text
        await program.press("alt+d")
        await program.on(SeveralProfiles)
        await program.press("down", "down", "space", "enter")
        form = await program.on(Form)  # without its value it is not sent to two profiles either
        assert form._title == "Send demo.echo on demo with these values?"
        await answered(program, "escape")
        assert len(explorer.history.newest(9)) == 1
        screen.params.show_tab("Params")
        await program.write("@who is", "[2]")
        await program.press(KEEP)
        await program.on(Confirm)
        await answered(program, "right", "enter")
        assert explorer.saved_calls()["who is"].text == "[2]"
        await program.write("demo.echo", "[3]")
        await program.write("@who is", "[2]")
        await program.press(KEEP)  # it is unchanged: there is nothing to replace
        await program.on(Confirm)
        sent = len(explorer.history.newest(9))
        await program.burst("right", "enter", "f5")  # the shown call is sent
        await program.until(lambda: len(explorer.history.newest(9)) > sent)
        assert explorer.saved_calls() == {}
        assert (screen.method, "@who is" in screen.known) == ("demo.echo", False)
        assert explorer.recent(1)[0].params == screen.params.text == "[2]"
        assert explorer.drafts.find("demo", "demo.echo") == "[2]"
        screen.action_replaced_params()  # restores the replaced draft of the method
        assert screen.params.text == "[3]"
        screen.action_replaced_params()
        assert screen.params.text == "[2]"
    assert team(explorer).read_text() == before


async def test_recorded_call_sent_again_asks_for_its_values(explorer: Explorer) -> None:
    add(explorer, "x", '["{{who}}"]')
    async with open_program(explorer, profile="demo") as program:
        screen = program.calls
        screen.drafts.choose("@x")
        await program.press("f5")
        await program.on(Form)
        await answered(program, *"Ada", "enter")
        await program.until(lambda: screen.exchange is not None and not screen.running)
        first = screen.exchange
        assert first is not None
        screen.again(first, ours=True)
        await program.on(Form)
        await answered(program, "enter")
        await program.until(lambda: screen.exchange is not first and not screen.running)
        await program.write("demo.echo", '["{{who}}"]')
        await program.press("f5")  # a typed call is sent unchanged
        await program.until(lambda: len(explorer.recent(9)) == 3 and not screen.running)
        screen.again(explorer.recent(1)[0], ours=True)
        await program.until(lambda: len(explorer.recent(9)) == 4)
    sent = [record.params_sent for record in reversed(explorer.recent(9))]
    assert sent == ['["Ada"]', '["Ada"]', None, None]


@pytest.mark.thorough
async def test_shown_request_is_the_sent_request(explorer: Explorer) -> None:
    add(explorer, "x", '["{{uuid}}"]')
    async with open_program(explorer, profile="demo") as program:
        screen = program.calls
        await program.write("@x", '["{{uuid}}"]')
        screen.params.show_tab("Request")
        await program.until(lambda: bool(preview(screen)))
        shown = preview(screen)
        await program.sent()
        assert screen.exchange is not None
        assert screen.exchange.params_sent is not None
        sent = screen.exchange.params_sent.strip("[]")
        assert sent in shown
        screen.params.show_tab("Request")
        await program.until(lambda: bool(preview(screen)))
        assert sent not in preview(screen)  # the next one differs


@pytest.mark.parametrize(
    ("params", "advice"),
    [
        ('["{{a}}"]', "rpcexplorer asks for it when you press F5."),
        ('["{{a}}", "{{b}}"]', "rpcexplorer asks for them when you press F5."),
        ('["{{a}}", "{{last.ping#}}"]', ""),
    ],
)
async def test_preview_names_the_question_for_missing_values(explorer: Explorer, params: str, advice: str) -> None:
    add(explorer, "x")
    async with open_program(explorer, profile="demo") as program:
        screen = program.calls
        await program.write("@x", params)
        screen.params.show_tab("Request")
        await program.until(lambda: "{{a}} has no value." in preview(screen))
        assert advice in preview(screen)
        assert ("rpcexplorer asks" in preview(screen)) == bool(advice)


@pytest.mark.thorough
async def test_saved_call_hides_no_method_and_separates_drafts(
    make_explorer: Callable[..., Explorer], explorer: Explorer
) -> None:
    add(explorer, "ping")
    async with open_program(explorer, profile="demo") as program:
        screen = program.calls
        assert {"ping", "@ping"} <= screen.known.keys()
        await program.write("@ping", "[1]")
        assert (screen.drafts.draft.method, screen.drafts.draft.text) == ("demo.echo", "[1]")
        screen.drafts.choose("ping")
        assert (screen.drafts.draft.method, screen.params.text) == ("ping", "[]")
        screen.drafts.choose("demo.echo")
        assert screen.params.text == "[]"
        screen.drafts.choose("@ping")
        assert screen.params.text == "[1]"
    assert explorer.remembered.method("demo") == "@ping"
    file = team(explorer)
    file.write_text(file.read_text().replace("[call.ping]", "[call.pong]"))
    async with open_program(make_explorer(""), profile="demo") as program:
        await program.pause()
        assert program.calls.method == "ping"  # a removed call is not a method


async def test_name_with_invalid_sign_is_refused(explorer: Explorer) -> None:
    add(explorer, "name")
    sentence = "There is no saved call nmae for profile demo. Did you mean @name?"
    async with open_program(explorer, profile="demo") as program:
        screen = program.calls
        await program.burst("f2", *"@nmae", "enter", "f5")
        await program.rest()
        assert (screen.method, screen.exchange, screen.running) == ("@nmae", None, None)
        assert sentence in program.notices
        screen.params.show_tab("Request")
        await program.until(lambda: sentence in program.text)
        await program.burst("f2", *"@name", "enter", "f5")
        await program.until(lambda: screen.exchange is not None and not screen.running)
    assert [record.method for record in explorer.recent(9)] == ["demo.echo"]


@pytest.mark.thorough
async def test_unsaved_call_is_reported_and_keeps_its_draft(
    make_explorer: Callable[..., Explorer], explorer: Explorer, person: PersonOnScreen
) -> None:
    own = explorer.paths.user_sessions
    own.parent.mkdir(parents=True)
    own.write_text(team(explorer).read_text().replace("default", "# default") + '\n[call.x]\nmethod = "demo.echo"\n')
    (team(explorer)).unlink()
    explorer.reload()
    async with open_program(explorer, profile="demo") as program:
        screen = program.calls
        await program.write("demo.echo", "[1,")
        await program.press(KEEP)
        await program.sees("Not saved: the params are invalid at line 1")
        await program.write("@x", "[1,")
        await program.press(KEEP)
        await program.on(Confirm)
        await answered(program, "right", "enter")
        assert explorer.saved_calls()["x"].text == ""
        await program.press(KEEP)
        await program.on(Confirm)
        await answered(program, "right", "right", "enter")  # an unsendable call can be removed
        assert (explorer.saved_calls(), screen.method, screen.params.text) == ({}, "demo.echo", "[1,")
        await program.write("demo.echo", '["demo-password"]')
        explorer.credentials.hold(explorer.profiles.profiles["inline"], "password", "demo-password", keep=False)
        await program.press(KEEP)
        form: Form = await program.on(Form)
        assert form.input_of("home").value == "user"
        await program.burst(*"x", "enter")
        await program.sees("contains a secret")
        await answered(program, "escape")
        assert screen.params.text == '["demo-password"]'
        assert "demo-password" not in own.read_text()
    assert make_explorer("").profiles.problems == []


@pytest.mark.thorough
async def test_recorded_method_named_like_saved_call_is_unchanged(explorer: Explorer) -> None:
    """Another user wrote the record, and knows the names of the saved calls."""
    mine = str(explorer.paths.user_sessions)
    async with open_program(explorer, profile="demo") as program:
        screen = program.calls
        assert explorer.save_call(SavedCall("own", "user.delete", file=mine)) is None
        screen.explorer_changed()
        assert "@own" in screen.known
        record = recorded(method="@own", params="[666]", profile="demo", foreign=True)

        screen.load(record, ours=False)
        assert (screen.method, screen.called, screen.saved_call) == ("@@own", "@own", None)
        exchange = await program.sent()
        assert (exchange.method, exchange.params) == ("@own", "[666]")
        screen.again(record, ours=False)
        await program.until(lambda: screen.exchange is not record and not screen.running)
        draft = draft_of(record)
        assert isinstance(draft, Draft)
        screen.transfer.put_back(draft, None)
        exchange = await program.sent()
        assert (exchange.method, exchange.params) == ("@own", "[666]")
        await program.write("@own", "[1]")  # the saved one has a draft of its own
        assert (screen.called, screen.explorer.draft_of("@@own")) == ("user.delete", "[666]")
        assert {each.method for each in explorer.recent(9)} == {"@own"}
        screen.drafts.choose("@gone")  # typed, and not a saved call
        assert screen.unknown_call.startswith("There is no saved call gone")


async def test_save_call_with_broken_file_keeps_the_profile(explorer: Explorer) -> None:
    async with open_program(explorer, profile="demo") as program:
        await program.press(KEEP)
        await program.on(Form)
        team(explorer).write_text("[profile.")
        await program.type_in("mine")
        await program.press("ctrl+s")
        await program.on(CallScreen)
        await program.until(lambda: program.calls.method == "@mine")
        assert program.calls.header.profile == explorer.profile is not None
