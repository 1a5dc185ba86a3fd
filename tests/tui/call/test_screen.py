"""The call screen over the running demo service, for every user action."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from rpcexplorer.explorer import Explorer
from rpcexplorer.model.exchange import Exchange, Preview, Refused
from rpcexplorer.rpc.messages import ErrorObject, Result
from rpcexplorer.tui.app import ExplorerApp, PersonOnScreen
from rpcexplorer.tui.call.screen import CallScreen
from rpcexplorer.tui.dialogs import AskSecret
from rpcexplorer.tui.profiles import ProfilesScreen
from rpcexplorer.tui.widgets.bars import Footer, Header
from rpcexplorer.tui.widgets.dialog import Confirm
from rpcexplorer.tui.widgets.editor import Editor
from rpcexplorer.tui.widgets.reader import Reader
from tests.fakes.wire import RawServer, http_reply
from tests.history.recording import exchange as recorded
from tests.tui.conftest import PROFILES
from tests.tui.visiting import drawn, on_view, rest
from tests.tui.waiting import until

Visit = Callable[[ExplorerApp, Pilot[Any], CallScreen], Awaitable[None]]


def visit(
    explorer: Explorer,
    person: PersonOnScreen,
    scene: Visit,
    *,
    profile: str = "demo",
    size: tuple[int, int] = (120, 40),
) -> None:
    """Open the program, wait for the call screen, and run a scene."""

    async def run() -> None:
        app = ExplorerApp(explorer, person, profile)
        app.keys.clock = lambda: 0.0  # A story types faster than people: no text is too early after a dialog.
        async with app.run_test(size=size, notifications=True) as pilot:
            await until(pilot, lambda: isinstance(app.screen, CallScreen) and app.screen.is_mounted)
            screen = app.screen
            assert isinstance(screen, CallScreen)
            await until(pilot, lambda: bool(screen.method))
            await scene(app, pilot, screen)

    asyncio.run(run())


async def write(pilot: Pilot[Any], screen: CallScreen, method: str, text: str) -> None:
    """Choose a method and put text into the editor, as a paste does."""
    screen.drafts.choose(method)
    screen.params.replace(text)
    await pilot.pause()


async def sent(pilot: Pilot[Any], screen: CallScreen, key: str = "f5") -> Exchange:
    """Press a key that sends, and wait for the exchange."""
    before = screen.exchange
    await pilot.press(key)
    await until(pilot, lambda: screen.exchange is not before and not screen.running)
    assert screen.exchange is not None
    return screen.exchange


@pytest.mark.thorough
def test_sending_never_moves_the_focus(explorer: Explorer, person: PersonOnScreen) -> None:
    async def scene(app: ExplorerApp, pilot: Pilot[Any], screen: CallScreen) -> None:
        await write(pilot, screen, "demo.echo", "[1]")
        focused = screen.focused
        assert isinstance(focused, Editor)
        await sent(pilot, screen)
        assert screen.focused is focused

    visit(explorer, person, scene)


def test_previewed_request_is_sent(explorer: Explorer, person: PersonOnScreen) -> None:
    async def scene(app: ExplorerApp, pilot: Pilot[Any], screen: CallScreen) -> None:
        await write(pilot, screen, "demo.echo", "[1]")
        screen.params.show_tab("Request")
        await pilot.pause()
        previewed, preview = on_view(app), screen.advice.preview(screen.params.text, screen.params.loaded)
        assert isinstance(preview, Preview)
        exchange = await sent(pilot, screen)
        assert f'"id":"{exchange.id}"' in previewed.replace(": ", ":")
        assert len(preview.body) == exchange.sent

    visit(explorer, person, scene)


def test_preview_follows_a_call_that_is_loaded(explorer: Explorer, person: PersonOnScreen) -> None:
    async def scene(app: ExplorerApp, pilot: Pilot[Any], screen: CallScreen) -> None:
        await write(pilot, screen, "demo.echo", "[1]")
        screen.params.show_tab("Request")
        screen.load(recorded(0), ours=True)
        await pilot.pause()
        assert screen.params.tab == "Request"
        assert '"method":"ping"' in on_view(app)

    visit(explorer, person, scene)


def test_invalid_text_is_not_sent_and_explained(explorer: Explorer, person: PersonOnScreen) -> None:
    async def scene(app: ExplorerApp, pilot: Pilot[Any], screen: CallScreen) -> None:
        await write(pilot, screen, "arg_test", '["username": "ada"]')
        assert "square brackets" in str(screen.params.problem)
        await pilot.press("f5")
        await pilot.pause()
        assert screen.exchange is None
        assert not screen.running
        await pilot.press("ctrl+r")
        await pilot.pause()
        assert str(screen.params.problem) == "None"
        assert screen.params.text == '{"username": "ada"}'

    visit(explorer, person, scene)


def test_draft_survives_another_method_and_a_restart(
    explorer: Explorer, make_explorer: Callable[..., Explorer], person: PersonOnScreen
) -> None:
    async def typing(app: ExplorerApp, pilot: Pilot[Any], screen: CallScreen) -> None:
        screen.drafts.choose("demo.echo")
        screen.params.replace('{"half": ')
        await pilot.pause()
        screen.drafts.choose("ping")
        assert screen.params.text != '{"half": '
        screen.drafts.choose("demo.echo")
        assert screen.params.text == '{"half": '
        await pilot.press("ctrl+q")

    async def later(app: ExplorerApp, pilot: Pilot[Any], screen: CallScreen) -> None:
        assert screen.method == "demo.echo"
        assert screen.params.text == '{"half": '

    visit(explorer, person, typing)
    visit(make_explorer(""), person, later)


def test_prod_confirms_and_quick_enter_sends_nothing(explorer: Explorer, person: PersonOnScreen) -> None:
    async def scene(app: ExplorerApp, pilot: Pilot[Any], screen: CallScreen) -> None:
        assert screen.has_class("-prod")
        await write(pilot, screen, "demo.echo", '{"id": 42}')
        await pilot.press("f5")
        await until(pilot, lambda: isinstance(app.screen, Confirm))
        await pilot.press("enter")
        await until(pilot, lambda: app.screen is screen)
        assert screen.response.exchange is None
        assert explorer.history.newest(1) == []

        await pilot.press("f5")
        await until(pilot, lambda: isinstance(app.screen, Confirm))
        await pilot.press("right", "enter")
        await until(pilot, lambda: screen.exchange is not None)
        assert screen.exchange is not None
        assert isinstance(screen.exchange.outcome, Result)

    visit(explorer, person, scene, profile="prod")


@pytest.mark.thorough
def test_safe_method_on_prod_is_sent_at_once(explorer: Explorer, person: PersonOnScreen) -> None:
    async def scene(app: ExplorerApp, pilot: Pilot[Any], screen: CallScreen) -> None:
        await write(pilot, screen, "ping", "[]")
        exchange = await sent(pilot, screen)
        assert isinstance(exchange.outcome, ErrorObject)  # without a session the demo rejects the call

    visit(explorer, person, scene, profile="prod")


@pytest.mark.thorough
def test_no_confirmation_today_holds_for_today_and_method(explorer: Explorer, person: PersonOnScreen) -> None:
    async def scene(app: ExplorerApp, pilot: Pilot[Any], screen: CallScreen) -> None:
        await write(pilot, screen, "demo.echo", "[]")
        await pilot.press("f5")
        await until(pilot, lambda: isinstance(app.screen, Confirm))
        await pilot.press("right", "right", "enter")
        await until(pilot, lambda: screen.exchange is not None)
        await sent(pilot, screen)
        await write(pilot, screen, "demo.numbers", "[]")
        await pilot.press("f5")
        await until(pilot, lambda: isinstance(app.screen, Confirm))

    visit(explorer, person, scene, profile="prod")


def test_call_without_password_asks_for_it_masked(
    make_explorer: Callable[..., Explorer], service: str, person: PersonOnScreen
) -> None:
    explorer = make_explorer(PROFILES.format(url=service, user="demo"))

    async def scene(app: ExplorerApp, pilot: Pilot[Any], screen: CallScreen) -> None:
        await write(pilot, screen, "arg_test", '{"page": 1}')
        await pilot.press("f5")
        await until(pilot, lambda: isinstance(app.screen, AskSecret))
        await pilot.press(*"demo-password", "enter")
        await until(pilot, lambda: screen.exchange is not None)
        assert screen.exchange is not None
        assert isinstance(screen.exchange.outcome, Result)
        assert "demo-password" not in app.export_screenshot()

    visit(explorer, person, scene, profile="inline")


@pytest.mark.thorough
def test_profile_change_replaces_methods_drafts_and_calls(explorer: Explorer, person: PersonOnScreen) -> None:
    async def scene(app: ExplorerApp, pilot: Pilot[Any], screen: CallScreen) -> None:
        await write(pilot, screen, "demo.echo", '["on demo"]')
        await sent(pilot, screen)
        await pilot.press("f7")
        await until(pilot, lambda: isinstance(app.screen, ProfilesScreen))
        await pilot.press("down", "down", "down", "enter")
        await until(pilot, lambda: app.screen is screen)
        assert explorer.profile is not None
        assert explorer.profile.name != "demo"
        assert screen.query_one(Header).profile == explorer.profile
        assert screen.exchange is None
        assert list(screen.methods.recent) == []
        screen.drafts.choose("demo.echo")
        assert "on demo" not in screen.params.text

    visit(explorer, person, scene)


def test_long_history_read_late_shows_no_other_profile(
    explorer: Explorer, person: PersonOnScreen, monkeypatch: pytest.MonkeyPatch
) -> None:
    started, go_on, read = threading.Event(), threading.Event(), threading.Event()

    def read_slowly(*_: object) -> list[Exchange]:
        started.set()
        go_on.wait(10)
        read.set()
        return [recorded(profile="demo")]

    async def scene(_: ExplorerApp, pilot: Pilot[Any], screen: CallScreen) -> None:
        await until(pilot, started.is_set)
        explorer.use("prod")
        screen.show_profile()
        await rest(pilot)
        go_on.set()
        await until(pilot, read.is_set)
        await rest(pilot)
        assert not screen.methods.recent

    monkeypatch.setattr(explorer.journal, "is_long", lambda profile: profile.name == "demo")
    monkeypatch.setattr(explorer.journal, "recent", read_slowly)
    monkeypatch.setattr(explorer, "recent", lambda limit: [])
    visit(explorer, person, scene)


@pytest.mark.thorough
def test_resent_call_in_narrow_terminal_shows_its_response(explorer: Explorer, person: PersonOnScreen) -> None:
    async def scene(app: ExplorerApp, pilot: Pilot[Any], screen: CallScreen) -> None:
        await write(pilot, screen, "demo.echo", "[1]")
        await sent(pilot, screen)
        await pilot.press("f2", "tab")
        assert screen.methods.size.width == 80
        await sent(pilot, screen, "r")
        assert screen.response.size.width == 80
        assert screen.response.has_focus_within

    visit(explorer, person, scene, size=(80, 24))


@pytest.mark.thorough
@pytest.mark.drawn
def test_footer_shows_only_usable_keys(explorer: Explorer, person: PersonOnScreen) -> None:
    async def scene(app: ExplorerApp, pilot: Pilot[Any], screen: CallScreen) -> None:
        def footer() -> set[str]:
            return {command.words for _, command in screen.query_one(Footer)._possible()}

        await pilot.pause()
        assert {"send", "history", "palette", "help"} <= footer()
        assert not {"log in", "search", "cancel"} & footer()  # no auth, no response, nothing runs
        await write(pilot, screen, "demo.echo", "[1]")
        await sent(pilot, screen)
        await pilot.press("f4")
        await until(pilot, lambda: "search" in footer())

    visit(explorer, person, scene)


@pytest.mark.thorough
def test_click_on_a_footer_key_presses_it(explorer: Explorer, person: PersonOnScreen) -> None:
    async def scene(app: ExplorerApp, pilot: Pilot[Any], screen: CallScreen) -> None:
        await pilot.pause()
        await pilot.click(Footer, offset=(2, 0))
        await until(pilot, lambda: screen.exchange is not None)

    visit(explorer, person, scene)


@pytest.mark.parametrize("broken", ["full disk"])
def test_unwritable_history_is_reported_with_the_response(
    broken: str, explorer: Explorer, person: PersonOnScreen, tmp_path: Path
) -> None:
    (tmp_path / "home" / "state").mkdir(parents=True, exist_ok=True)
    explorer.history.folder.parent.mkdir(parents=True, exist_ok=True)
    explorer.history.folder.write_text("a file stands where the folder should be")

    async def scene(app: ExplorerApp, pilot: Pilot[Any], screen: CallScreen) -> None:
        await write(pilot, screen, "demo.echo", "[1]")
        exchange = await sent(pilot, screen)
        assert isinstance(exchange.outcome, Result)
        assert screen.query_one(Header).problem
        assert [record.id for record in screen.methods.recent] == [exchange.id]

    visit(explorer, person, scene)


@pytest.mark.thorough
def test_hostile_response_is_inert_in_the_terminal(
    make_explorer: Callable[..., Explorer], person: PersonOnScreen
) -> None:
    evil = "\\u001b]52;c;eA==\\u0007 [@click=app.quit]x[/] oops [/]"
    body = f'{{"jsonrpc": "2.0", "id": "1", "error": {{"code": 1, "message": "{evil}"}}}}'.encode()
    with RawServer(http_reply(body)) as server:
        explorer = make_explorer(f'version = 1\n[profile.evil]\nurl = "{server.origin}"\n')

        async def scene(app: ExplorerApp, pilot: Pilot[Any], screen: CallScreen) -> None:
            await sent(pilot, screen)
            assert isinstance(screen.query_one(Reader), Reader)
            await until(pilot, lambda: "@click" in app.export_screenshot())
            assert "\x1b" not in app.export_screenshot()

        visit(explorer, person, scene, profile="evil")


def write_settings(explorer: Explorer, text: str) -> None:
    explorer.paths.settings.parent.mkdir(parents=True, exist_ok=True)
    explorer.paths.settings.write_text(text)


@pytest.mark.thorough
@pytest.mark.drawn
def test_mapped_key_runs_command_and_is_shown(
    explorer: Explorer, make_explorer: Callable[..., Explorer], person: PersonOnScreen
) -> None:
    write_settings(explorer, '[keymap]\nsend = "f12"\nsned = "f11"\n')

    async def scene(app: ExplorerApp, pilot: Pilot[Any], screen: CallScreen) -> None:
        await pilot.pause()
        assert "F12 send" in drawn(screen.query_one(Footer))
        assert any("Did you mean `send`?" in note.message for note in app._notifications)
        await sent(pilot, screen, "f12")

    visit(make_explorer(""), person, scene)


def test_chosen_call_is_shown_from_its_first_line(explorer: Explorer, person: PersonOnScreen) -> None:
    explorer.drafts.keep("demo", "ping", '{\n  "a": 1,\n  "b": [' + "\n5," * 30 + "5]\n}")

    async def scene(app: ExplorerApp, pilot: Pilot[Any], screen: CallScreen) -> None:
        assert "F9 discover the methods of the server" in on_view(app)
        screen.drafts.choose("auth")
        await pilot.press("f2", *"ping", "enter")
        editor = screen.query_one(Editor)
        await until(pilot, lambda: editor.has_focus and editor.cursor_location == (1, 8))
        await pilot.pause()
        assert editor.scroll_offset.y == 0

    visit(explorer, person, scene, size=(80, 24))


@pytest.mark.drawn
def test_command_without_keys_has_none(
    explorer: Explorer, make_explorer: Callable[..., Explorer], person: PersonOnScreen
) -> None:
    write_settings(explorer, '[keymap]\nhistory = ""\n')

    async def scene(app: ExplorerApp, pilot: Pilot[Any], screen: CallScreen) -> None:
        await pilot.press("f6")
        await pilot.pause()
        assert app.screen is screen
        words = [command.words for _, command in screen.query_one(Footer)._possible()]
        assert "send" in words
        assert "history" not in words

    visit(make_explorer(""), person, scene)


@pytest.mark.thorough
def test_lone_surrogate_can_be_copied(explorer: Explorer, person: PersonOnScreen) -> None:
    async def scene(app: ExplorerApp, pilot: Pilot[Any], screen: CallScreen) -> None:
        app.copy_to_clipboard("a\ud800b")
        assert app.clipboard == "a?b"

    visit(explorer, person, scene)


@pytest.mark.thorough
def test_reason_of_unsent_call_is_shown_whole(make_explorer: Callable[..., Explorer], person: PersonOnScreen) -> None:
    made = make_explorer('version = 1\n[profile.demo]\nurl = "http://127.0.0.1:9"\n')

    async def scene(app: ExplorerApp, pilot: Pilot[Any], screen: CallScreen) -> None:
        long = " ".join(f"word{number}" for number in range(60))
        body = Exchange("1", datetime.now(UTC), "demo", "http://h", "ping", "[]", "call", Refused("credentials", long))
        screen.exchange = body
        await until(pilot, lambda: "word59" in on_view(app))

    visit(made, person, scene, size=(80, 24))


@pytest.mark.thorough
def test_long_text_in_a_line_shows_its_end(explorer: Explorer, person: PersonOnScreen) -> None:
    async def scene(app: ExplorerApp, pilot: Pilot[Any], screen: CallScreen) -> None:
        await pilot.press("f2", *("abcdefghij" * 6))
        await pilot.pause()
        assert "cdefghijabcdefghij " in on_view(app)

    visit(explorer, person, scene)


def test_first_frame_has_methods_empty_panes_and_footer(
    explorer: Explorer, person: PersonOnScreen, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def never(_: CallScreen) -> None:
        """Keep the first frame."""

    monkeypatch.setattr(CallScreen, "_complete", never)

    async def run() -> None:
        app = ExplorerApp(explorer, person, "demo")
        async with app.run_test(size=(120, 40)) as pilot:
            await until(pilot, lambda: "ping" in on_view(app))
            lines = on_view(app).splitlines()
            assert "demo" in lines[0]
            assert [line for line in lines if "Params" in line] == [lines[1]]
            assert [line for line in lines if "Response" in line] == [lines[13]]
            assert "F6 history" in lines[-1]
            assert "cancel" not in lines[-1]
            app.exit("")

    asyncio.run(run())
