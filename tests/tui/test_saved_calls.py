"""Saving, filling, sending, replacing and removing named calls on screen."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot
from textual.screen import Screen
from textual.widgets import Static

from rpcexplorer.explorer import Explorer
from rpcexplorer.model.draft import Draft, draft_of
from rpcexplorer.model.method import SavedCall
from rpcexplorer.tui.app import ExplorerApp, PersonOnScreen
from rpcexplorer.tui.call.screen import CallScreen
from rpcexplorer.tui.replay import SeveralProfiles
from rpcexplorer.tui.widgets.dialog import Confirm, Form
from rpcexplorer.tui.widgets.inputs import Cycle
from rpcexplorer.tui.widgets.rows import Sheet
from tests.history.recording import exchange as recorded
from tests.tui.stage import text_of
from tests.tui.visiting import burst, notices, on, on_view, rest, type_in, visit
from tests.tui.waiting import until

KEEP = "alt+k"


def preview(screen: CallScreen) -> str:
    """Return the text of the tab with the next request."""
    return "\n".join("".join(text for text, _ in line) for line in screen.params.query_one(Sheet).lines)


async def edit_call(pilot: Pilot[Any], screen: CallScreen, method: str, text: str) -> None:
    """Put a call into the editor, and focus it."""
    screen.drafts.choose(method)
    screen.params.replace(text)
    screen.params.focus_inside()
    await pilot.pause()


async def answered(pilot: Pilot[Any], screen: CallScreen, *keys: str) -> None:
    """Press keys in an open dialog until it has closed."""
    await burst(pilot, *keys)
    await until(pilot, lambda: pilot.app.screen is screen)
    await rest(pilot)


def choices(form: Screen[Any]) -> tuple[str, str]:
    """Return the visible choices, and the text of the chosen one."""
    chosen = form.query_one(Cycle)
    words = [word for word in text_of(chosen).split() if word.strip(",").isalpha() or "…" in word]
    return " ".join(words), str(form.query_one(".meaning", Static).render())


def team(explorer: Explorer) -> Path:
    return explorer.profiles.files[-1]


def test_project_call_is_saved_sent_replaced_and_removed(explorer: Explorer) -> None:  # noqa: PLR0915 - one story
    before = team(explorer).read_text()

    async def scene(app: ExplorerApp, pilot: Pilot[Any], screen: CallScreen) -> None:
        text = '{"n": 1.10, "who": "{{who}}", "id": "{{uuid}}"}'
        await edit_call(pilot, screen, "demo.echo", text)
        await burst(pilot, KEEP, *"who is", "tab", *"Asks", "tab")  # typed ahead: the keys wait for the dialog
        await on(pilot, Form)
        await pilot.press("right", "right")
        assert choices(app.screen) == (
            "local user, all project project, all",
            f"for demo, in {team(explorer)}",
        )
        await answered(pilot, screen, "enter")
        assert (screen.method, screen.called, screen.params.text) == ("@who is", "demo.echo", text)
        assert (
            f'[profile.demo.call."who is"]\nmethod = "demo.echo"\ndoc = "Asks"\nparams_json = \'{text}\'\n'
            in team(explorer).read_text()
        )
        assert f"Saved @who is in {team(explorer)}." in notices(app)
        screen.params.show_tab("Request")
        await until(pilot, lambda: "{{who}} has no value. rpcexplorer asks for it when you press F5." in on_view(app))
        await pilot.press("f5")
        await on(pilot, Form)
        await answered(pilot, screen, *'A"da', "enter")
        await until(pilot, lambda: screen.exchange is not None and not screen.running)
        exchange = screen.exchange
        assert exchange is not None
        assert (exchange.method, exchange.params) == ("demo.echo", text)
        assert exchange.params_sent is not None
        assert exchange.params_sent.startswith('{"n": 1.10, "who": "A\\"da", "id": "')
        assert explorer.recent(1)[0].params == text
        await pilot.press("alt+d")
        await on(pilot, SeveralProfiles)
        await pilot.press("down", "down", "space", "enter")
        form = await on(pilot, Form)  # without its value it is not sent to two profiles either
        assert form._title == "Send demo.echo on demo with these values?"
        await answered(pilot, screen, "escape")
        assert len(explorer.history.newest(9)) == 1
        screen.params.show_tab("Params")
        await edit_call(pilot, screen, "@who is", "[2]")
        await pilot.press(KEEP)
        await on(pilot, Confirm)
        await answered(pilot, screen, "right", "enter")
        assert explorer.saved_calls()["who is"].text == "[2]"
        await edit_call(pilot, screen, "demo.echo", "[3]")
        await edit_call(pilot, screen, "@who is", "[2]")
        await pilot.press(KEEP)  # it is unchanged: there is nothing to replace
        await on(pilot, Confirm)
        before = len(explorer.history.newest(9))
        await burst(pilot, "right", "enter", "f5")  # the shown call is sent
        await until(pilot, lambda: len(explorer.history.newest(9)) > before)
        assert explorer.saved_calls() == {}
        assert (screen.method, "@who is" in screen.known) == ("demo.echo", False)
        assert explorer.recent(1)[0].params == screen.params.text == "[2]"
        assert explorer.drafts.find("demo", "demo.echo") == "[2]"
        screen.action_replaced_params()  # restores the replaced draft of the method
        assert screen.params.text == "[3]"
        screen.action_replaced_params()
        assert screen.params.text == "[2]"

    visit(explorer, scene, size=(80, 24))
    assert team(explorer).read_text() == before


def test_recorded_call_sent_again_asks_for_its_values(explorer: Explorer) -> None:
    file = team(explorer)
    file.write_text(file.read_text() + '\n[call.x]\nmethod = "demo.echo"\nparams_json = \'["{{who}}"]\'\n')
    explorer.reload()

    async def scene(app: ExplorerApp, pilot: Pilot[Any], screen: CallScreen) -> None:
        screen.drafts.choose("@x")
        await pilot.press("f5")
        await on(pilot, Form)
        await answered(pilot, screen, *"Ada", "enter")
        await until(pilot, lambda: screen.exchange is not None and not screen.running)
        first = screen.exchange
        assert first is not None
        screen.again(first, ours=True)
        await on(pilot, Form)
        await answered(pilot, screen, "enter")
        await until(pilot, lambda: screen.exchange is not first and not screen.running)
        await edit_call(pilot, screen, "demo.echo", '["{{who}}"]')
        await pilot.press("f5")  # a typed call is sent unchanged
        await until(pilot, lambda: len(explorer.recent(9)) == 3 and not screen.running)
        screen.again(explorer.recent(1)[0], ours=True)
        await until(pilot, lambda: len(explorer.recent(9)) == 4)

    visit(explorer, scene)
    sent = [record.params_sent for record in reversed(explorer.recent(9))]
    assert sent == ['["Ada"]', '["Ada"]', None, None]


@pytest.mark.thorough
def test_shown_request_is_the_sent_request(explorer: Explorer) -> None:
    file = team(explorer)
    file.write_text(file.read_text() + '\n[call.x]\nmethod = "demo.echo"\nparams_json = \'["{{uuid}}"]\'\n')
    explorer.reload()

    async def scene(_: ExplorerApp, pilot: Pilot[Any], screen: CallScreen) -> None:
        await edit_call(pilot, screen, "@x", '["{{uuid}}"]')
        screen.params.show_tab("Request")
        await until(pilot, lambda: bool(preview(screen)))
        shown = preview(screen)
        await pilot.press("f5")
        await until(pilot, lambda: screen.exchange is not None and not screen.running)
        assert screen.exchange is not None
        assert screen.exchange.params_sent is not None
        sent = screen.exchange.params_sent.strip("[]")
        assert sent in shown
        screen.params.show_tab("Request")
        await until(pilot, lambda: bool(preview(screen)))
        assert sent not in preview(screen)  # the next one differs

    visit(explorer, scene)


@pytest.mark.parametrize(
    ("params", "advice"),
    [
        ('["{{a}}"]', "rpcexplorer asks for it when you press F5."),
        ('["{{a}}", "{{b}}"]', "rpcexplorer asks for them when you press F5."),
        ('["{{a}}", "{{last.ping#}}"]', ""),
    ],
)
def test_preview_names_the_question_for_missing_values(explorer: Explorer, params: str, advice: str) -> None:
    file = team(explorer)
    file.write_text(file.read_text() + '\n[call.x]\nmethod = "demo.echo"\n')
    explorer.reload()

    async def scene(_: ExplorerApp, pilot: Pilot[Any], screen: CallScreen) -> None:
        await edit_call(pilot, screen, "@x", params)
        screen.params.show_tab("Request")
        await until(pilot, lambda: "{{a}} has no value." in preview(screen))
        assert advice in preview(screen)
        assert ("rpcexplorer asks" in preview(screen)) == bool(advice)

    visit(explorer, scene)


@pytest.mark.thorough
def test_saved_call_hides_no_method_and_separates_drafts(
    make_explorer: Callable[..., Explorer], explorer: Explorer
) -> None:
    file = team(explorer)
    file.write_text(file.read_text() + '\n[call.ping]\nmethod = "demo.echo"\n')
    explorer.reload()

    async def scene(_: ExplorerApp, pilot: Pilot[Any], screen: CallScreen) -> None:
        assert {"ping", "@ping"} <= screen.known.keys()
        await edit_call(pilot, screen, "@ping", "[1]")
        assert (screen.drafts.draft.method, screen.drafts.draft.text) == ("demo.echo", "[1]")
        screen.drafts.choose("ping")
        assert (screen.drafts.draft.method, screen.params.text) == ("ping", "[]")
        screen.drafts.choose("demo.echo")
        assert screen.params.text == "[]"
        screen.drafts.choose("@ping")
        assert screen.params.text == "[1]"

    visit(explorer, scene)
    assert explorer.remembered.method("demo") == "@ping"
    file.write_text(file.read_text().replace("[call.ping]", "[call.pong]"))

    async def gone(_: ExplorerApp, pilot: Pilot[Any], screen: CallScreen) -> None:
        await pilot.pause()
        assert screen.method == "ping"  # a removed call is not a method

    visit(make_explorer(""), gone)


def test_name_with_invalid_sign_is_refused(explorer: Explorer) -> None:
    file = team(explorer)
    file.write_text(file.read_text() + '\n[call.name]\nmethod = "demo.echo"\n')
    explorer.reload()
    sentence = "There is no saved call nmae for profile demo. Did you mean @name?"

    async def scene(app: ExplorerApp, pilot: Pilot[Any], screen: CallScreen) -> None:
        await burst(pilot, "f2", *"@nmae", "enter", "f5")
        await rest(pilot)
        assert (screen.method, screen.exchange, screen.running) == ("@nmae", None, None)
        assert sentence in notices(app)
        screen.params.show_tab("Request")
        await until(pilot, lambda: sentence in on_view(app))
        await burst(pilot, "f2", *"@name", "enter", "f5")
        await until(pilot, lambda: screen.exchange is not None and not screen.running)

    visit(explorer, scene)
    assert [record.method for record in explorer.recent(9)] == ["demo.echo"]


@pytest.mark.thorough
def test_unsaved_call_is_reported_and_keeps_its_draft(
    make_explorer: Callable[..., Explorer], explorer: Explorer, person: PersonOnScreen
) -> None:
    own = explorer.paths.user_sessions
    own.parent.mkdir(parents=True)
    own.write_text(team(explorer).read_text().replace("default", "# default") + '\n[call.x]\nmethod = "demo.echo"\n')
    (team(explorer)).unlink()
    explorer.reload()

    async def scene(app: ExplorerApp, pilot: Pilot[Any], screen: CallScreen) -> None:
        await edit_call(pilot, screen, "demo.echo", "[1,")
        await pilot.press(KEEP)
        await until(pilot, lambda: "Not saved: the params are invalid at line 1" in notices(app))
        await edit_call(pilot, screen, "@x", "[1,")
        await pilot.press(KEEP)
        await on(pilot, Confirm)
        await answered(pilot, screen, "right", "enter")
        assert explorer.saved_calls()["x"].text == ""
        await pilot.press(KEEP)
        await on(pilot, Confirm)
        await answered(pilot, screen, "right", "right", "enter")  # an unsendable call can be removed
        assert (explorer.saved_calls(), screen.method, screen.params.text) == ({}, "demo.echo", "[1,")
        await edit_call(pilot, screen, "demo.echo", '["demo-password"]')
        explorer.credentials.hold(explorer.profiles.profiles["inline"], "password", "demo-password", keep=False)
        await pilot.press(KEEP)
        form: Form = await on(pilot, Form)
        assert form.input_of("home").value == "user"
        await burst(pilot, *"x", "enter")
        problems = ".problem"
        await until(
            pilot, lambda: "contains a secret" in "".join(str(widget.render()) for widget in form.query(problems))
        )
        await answered(pilot, screen, "escape")
        assert screen.params.text == '["demo-password"]'
        assert "demo-password" not in own.read_text()

    visit(explorer, scene)
    assert make_explorer("").profiles.problems == []


@pytest.mark.thorough
def test_recorded_method_named_like_saved_call_is_unchanged(explorer: Explorer) -> None:
    """Another user wrote the record, and knows the names of the saved calls."""
    mine = str(explorer.paths.user_sessions)

    async def scene(app: ExplorerApp, pilot: Pilot[Any], screen: CallScreen) -> None:
        assert explorer.save_call(SavedCall("own", "user.delete", file=mine)) is None
        screen.explorer_changed()
        assert "@own" in screen.known
        record = recorded(method="@own", params="[666]", profile="demo", foreign=True)

        async def sent(*keys: str) -> None:
            before = screen.exchange
            await pilot.press(*keys)
            await until(pilot, lambda: screen.exchange is not before and not screen.running)
            assert screen.exchange is not None
            assert (screen.exchange.method, screen.exchange.params) == ("@own", "[666]")

        screen.load(record, ours=False)
        assert (screen.method, screen.called, screen.saved_call) == ("@@own", "@own", None)
        await sent("f5")
        screen.again(record, ours=False)
        await until(pilot, lambda: screen.exchange is not record and not screen.running)
        draft = draft_of(record)
        assert isinstance(draft, Draft)
        screen.transfer.put_back(draft, None)
        await sent("f5")
        await edit_call(pilot, screen, "@own", "[1]")  # the saved one has a draft of its own
        assert (screen.called, screen.explorer.draft_of("@@own")) == ("user.delete", "[666]")
        assert {each.method for each in explorer.recent(9)} == {"@own"}
        screen.drafts.choose("@gone")  # typed, and not a saved call
        assert screen.unknown_call.startswith("There is no saved call gone")

    visit(explorer, scene, profile="demo")


def test_save_call_with_broken_file_keeps_the_profile(explorer: Explorer) -> None:
    async def scene(app: ExplorerApp, pilot: Pilot[Any], screen: CallScreen) -> None:
        await pilot.press(KEEP)
        await on(pilot, Form)
        team(explorer).write_text("[profile.")
        await type_in(pilot, "mine")
        await pilot.press("ctrl+s")
        await on(pilot, CallScreen)
        await until(pilot, lambda: screen.method == "@mine")
        assert screen.header.profile == explorer.profile is not None

    visit(explorer, scene)
