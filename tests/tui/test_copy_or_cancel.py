"""``^C`` copies a selection, cancels a call, or names the key to quit."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from textual.pilot import Pilot

from rpcexplorer.demo import PASSWORD
from rpcexplorer.explorer import Explorer
from rpcexplorer.tui.app import ExplorerApp
from rpcexplorer.tui.call.screen import CallScreen
from rpcexplorer.tui.connection_test import ConnectionTest
from rpcexplorer.tui.dialogs import AskSecret, Credentials
from rpcexplorer.tui.history import HistoryScreen
from rpcexplorer.tui.profile_form import ProfileForm
from rpcexplorer.tui.profiles import ProfilesScreen
from rpcexplorer.tui.widgets.dialog import Confirm
from rpcexplorer.tui.widgets.inputs import Prompt
from rpcexplorer.tui.widgets.picker import Picker
from tests.fakes.wire import HOLD, RawServer
from tests.tui.visiting import notices, on, tell, type_in, visit
from tests.tui.waiting import until

NOTHING = "Nothing to copy or cancel."
KEPT = "quits rpcexplorer. Your drafts are saved, except in the demo."
HELD = """\
version = 1
default = "held"

[profile.held]
url = "{url}"
auth = {{ kind = "cookie", username = "ada" }}
"""


@pytest.fixture
def held(make_explorer: Callable[..., Explorer]) -> Iterator[Explorer]:
    """Yield an explorer whose server never answers."""
    with RawServer([HOLD]) as server:
        yield make_explorer(HELD.format(url=server.origin), RPCEXPLORER_HELD_PASSWORD="correct-horse")


def test_selection_is_copied_while_a_call_goes_on(held: Explorer) -> None:
    async def scene(app: ExplorerApp, pilot: Pilot[Any], calls: CallScreen) -> None:
        await pilot.press("f5")
        await until(pilot, lambda: bool(calls.running))
        await pilot.press("f2", *"ping", "shift+home", "ctrl+c")
        await until(pilot, lambda: app.clipboard == "ping")
        assert calls.running
        await pilot.press("end", "ctrl+c")
        await until(pilot, lambda: not calls.running)

    visit(held, scene, profile="held")


@pytest.mark.thorough
def test_selection_in_a_dialog_is_copied_unless_masked(explorer: Explorer) -> None:
    async def scene(app: ExplorerApp, pilot: Pilot[Any], calls: CallScreen) -> None:
        await pilot.press("f7", "a")
        await on(pilot, ProfileForm)
        await type_in(pilot, "mine")
        await pilot.press("alt+a", "ctrl+c")
        await until(pilot, lambda: app.clipboard == "mine")
        app.push_screen(AskSecret("Password", masked=True, store=""))
        await on(pilot, AskSecret)
        await type_in(pilot, "correct-horse")
        await pilot.press("alt+a", "ctrl+c")
        await until(pilot, lambda: "Masked text is not copied." in notices(app))
        assert app.clipboard == "mine"

    visit(explorer, scene)


@pytest.mark.thorough
def test_mouse_selection_on_screen_is_copied(explorer: Explorer) -> None:
    async def scene(app: ExplorerApp, pilot: Pilot[Any], calls: CallScreen) -> None:
        app.push_screen(Confirm("Really?", "These are the words of a question.", []))
        screen = await on(pilot, Confirm)
        words = screen.query_one(".words")
        await pilot.mouse_down(words, offset=(0, 0))
        await pilot.hover(words, offset=(5, 0))
        await pilot.mouse_up(words, offset=(5, 0))
        await pilot.press("ctrl+c")
        await until(pilot, lambda: app.clipboard.startswith("These"))

    visit(explorer, scene)


@pytest.mark.thorough
def test_widget_without_visible_selection_has_none(explorer: Explorer) -> None:
    async def scene(app: ExplorerApp, pilot: Pilot[Any], calls: CallScreen) -> None:
        await pilot.mouse_down(calls, offset=(2, 0))
        await pilot.hover(calls, offset=(60, 20))
        await pilot.mouse_up(calls, offset=(60, 20))
        await pilot.press("f4", "ctrl+c")
        await until(pilot, lambda: NOTHING in notices(app))
        assert app.clipboard == ""

    visit(explorer, scene)


def test_selected_secret_is_copied_as_its_reference(explorer: Explorer) -> None:
    async def scene(app: ExplorerApp, pilot: Pilot[Any], calls: CallScreen) -> None:
        await pilot.press("f5")
        await until(pilot, lambda: calls.exchange is not None)
        calls.params.replace(f'{{"password": "{PASSWORD}"}}')
        await pilot.press("alt+a", "ctrl+c")
        await until(pilot, lambda: bool(app.clipboard))
        assert PASSWORD not in app.clipboard
        assert "«inline.password»" in app.clipboard

    visit(explorer, scene, profile="inline")


@pytest.mark.everyday(1)
@pytest.mark.parametrize("start", ["f5", "f8", "f9"], ids=["a call", "a login", "a discovery"])
def test_running_work_is_cancelled(held: Explorer, start: str) -> None:
    async def scene(app: ExplorerApp, pilot: Pilot[Any], calls: CallScreen) -> None:
        await pilot.press(start)
        await until(pilot, lambda: bool(calls.running))
        await pilot.press("ctrl+c")
        await until(pilot, lambda: not calls.running)
        assert NOTHING not in notices(app)
        await pilot.press("ctrl+c")
        await until(pilot, lambda: NOTHING in notices(app))

    visit(held, scene, profile="held")


@pytest.mark.thorough
@pytest.mark.parametrize(("key", "kind"), [("f6", HistoryScreen), ("ctrl+p", Picker)])
def test_call_is_cancelled_from_other_screens_and_dialogs(held: Explorer, key: str, kind: type[Any]) -> None:
    async def scene(app: ExplorerApp, pilot: Pilot[Any], calls: CallScreen) -> None:
        await pilot.press("f5")
        await until(pilot, lambda: bool(calls.running))
        await pilot.press(key)
        screen = await on(pilot, kind)
        await pilot.press("ctrl+c")
        await until(pilot, lambda: not calls.running)
        assert app.screen is screen

    visit(held, scene, profile="held")


@pytest.mark.thorough
def test_search_filter_and_command_of_response_are_cancelled(explorer: Explorer) -> None:
    async def scene(app: ExplorerApp, pilot: Pilot[Any], calls: CallScreen) -> None:
        await pilot.press("f5")
        await until(pilot, lambda: calls.exchange is not None)
        await pilot.press("f4", "slash", *"pong")
        await pilot.press("ctrl+c")
        await until(pilot, lambda: not calls.query_one(Prompt).is_open)
        assert calls.response.body.reader.find.needle == ""
        await pilot.press("vertical_line", *"exec sleep 60", "enter")
        await until(pilot, lambda: bool(calls.response.transform and calls.response.transform.is_running))
        await pilot.press("ctrl+c")
        await until(pilot, lambda: not (calls.response.transform and calls.response.transform.is_running))
        assert NOTHING not in notices(app)

    visit(explorer, scene)


@pytest.mark.thorough
def test_history_filter_is_cleared(explorer: Explorer) -> None:
    async def scene(app: ExplorerApp, pilot: Pilot[Any], calls: CallScreen) -> None:
        await pilot.press("f6")
        screen = await on(pilot, HistoryScreen)
        await pilot.press("slash", *"some", "ctrl+c")
        await until(pilot, lambda: screen.filter.value == "")
        assert app.screen is screen

    visit(explorer, scene)


@pytest.mark.thorough
def test_connection_test_is_cancelled(held: Explorer) -> None:
    async def scene(app: ExplorerApp, pilot: Pilot[Any], calls: CallScreen) -> None:
        await pilot.press("f7")
        await on(pilot, ProfilesScreen)
        await pilot.press("t")
        dialog: ConnectionTest = await on(pilot, ConnectionTest)
        await pilot.press("enter")
        await until(pilot, lambda: bool(dialog.report.under_way))
        await pilot.press("ctrl+c")
        await until(pilot, lambda: not dialog.report.under_way)
        assert app.screen is dialog, "with its results"

    visit(held, scene, profile="held")


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("keys", "kind", "message"),
    [
        ([], CallScreen, f"{NOTHING} ^Q {KEPT}"),
        (["f6"], HistoryScreen, f"{NOTHING} Esc goes back. ^Q {KEPT}"),
        (["f8"], Credentials, f"{NOTHING} Esc closes this dialog. ^Q {KEPT}"),
    ],
    ids=lambda value: getattr(value, "__name__", None),
)
def test_keys_to_quit_are_named(
    make_explorer: Callable[..., Explorer], keys: list[str], kind: type[Any], message: str
) -> None:
    async def scene(app: ExplorerApp, pilot: Pilot[Any], calls: CallScreen) -> None:
        await pilot.press(*keys)
        screen = await on(pilot, kind)
        await pilot.press("ctrl+c")
        await until(pilot, lambda: bool(notices(app)))
        assert (notices(app), app.screen) == (message, screen)

    visit(make_explorer(HELD.format(url="http://127.0.0.1:9")), scene, profile="held")


@pytest.mark.thorough
def test_welcome_screen_mentions_no_drafts(make_explorer: Callable[..., Explorer]) -> None:
    async def story(app: ExplorerApp, pilot: Pilot[Any]) -> None:
        await pilot.press("ctrl+c")
        await until(pilot, lambda: notices(app) == f"{NOTHING} ^Q quits rpcexplorer.")

    tell(make_explorer(""), story)


@pytest.mark.thorough
def test_profile_choice_names_no_way_back(explorer: Explorer) -> None:
    async def scene(app: ExplorerApp, pilot: Pilot[Any], calls: CallScreen) -> None:
        await pilot.press("f7")
        await on(pilot, ProfilesScreen)
        explorer.profile = None
        await pilot.press("ctrl+c")
        await until(pilot, lambda: notices(app) == f"{NOTHING} ^Q {KEPT}")

    visit(explorer, scene)


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("keymap", "message"),
    [
        ('quit = "f12"\nhistory.close = "f11"\n', "Esc closes this dialog. F12 quits"),
        ('quit = ""\n', "Esc closes this dialog. Quit with the command palette: ^P."),
    ],
)
def test_mapped_key_is_named(
    explorer: Explorer, make_explorer: Callable[..., Explorer], keymap: str, message: str
) -> None:
    explorer.paths.settings.parent.mkdir(parents=True, exist_ok=True)
    explorer.paths.settings.write_text(f"[keymap]\n{keymap}".replace("history.close", '"history.close"'))

    async def scene(app: ExplorerApp, pilot: Pilot[Any], calls: CallScreen) -> None:
        app.push_screen(Confirm("Really?", "Words.", []))
        await on(pilot, Confirm)
        await pilot.press("ctrl+c")
        await until(pilot, lambda: message in notices(app))
        assert "[b]" not in notices(app)

    visit(make_explorer(""), scene)


def test_mapped_cancel_key_replaces_message_of_textual(
    explorer: Explorer, make_explorer: Callable[..., Explorer]
) -> None:
    explorer.paths.settings.parent.mkdir(parents=True, exist_ok=True)
    explorer.paths.settings.write_text('[keymap]\ncopy-or-cancel = "f12"\n')

    async def scene(app: ExplorerApp, pilot: Pilot[Any], calls: CallScreen) -> None:
        await pilot.press("ctrl+c", "f12")
        await until(pilot, lambda: bool(notices(app)))
        assert notices(app) == f"{NOTHING} ^Q {KEPT}"
        assert "help_quit" not in str(app._bindings.key_to_bindings)

    visit(make_explorer(""), scene)


@pytest.mark.thorough
def test_prompt_of_a_cancelled_call_closes(make_explorer: Callable[..., Explorer]) -> None:
    async def scene(app: ExplorerApp, pilot: Pilot[Any], calls: CallScreen) -> None:
        await pilot.press("f5")
        await on(pilot, AskSecret)
        await pilot.press("ctrl+c")
        await until(pilot, lambda: app.screen is calls and not calls.running)
        await pilot.press("f5")
        await on(pilot, AskSecret)
        await pilot.press("escape")
        await until(pilot, lambda: app.screen is calls and not calls.running)

    visit(make_explorer(HELD.format(url="http://127.0.0.1:9")), scene, profile="held")
