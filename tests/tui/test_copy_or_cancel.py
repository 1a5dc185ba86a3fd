"""``^C`` copies a selection, cancels a call, or names the key to quit."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from rpcexplorer.demo import PASSWORD
from rpcexplorer.explorer import Explorer
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
from tests.tui.program import open_program

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


async def test_selection_is_copied_while_a_call_goes_on(held: Explorer) -> None:
    async with open_program(held, profile="held") as program:
        calls = program.calls
        await program.press("f5")
        await program.until(lambda: bool(calls.running))
        await program.press("f2", *"ping", "shift+home", "ctrl+c")
        await program.until(lambda: program.app.clipboard == "ping")
        assert calls.running
        await program.press("end", "ctrl+c")
        await program.until(lambda: not calls.running)


@pytest.mark.thorough
async def test_selection_in_a_dialog_is_copied_unless_masked(explorer: Explorer) -> None:
    async with open_program(explorer, profile="demo") as program:
        await program.press("f7", "a")
        await program.on(ProfileForm)
        await program.type_in("mine")
        await program.press("alt+a", "ctrl+c")
        await program.until(lambda: program.app.clipboard == "mine")
        program.app.push_screen(AskSecret("Password", "password", store=""))
        await program.on(AskSecret)
        await program.type_in("correct-horse")
        await program.press("alt+a", "ctrl+c")
        await program.sees("Masked text is not copied.")
        assert program.app.clipboard == "mine"


@pytest.mark.thorough
async def test_mouse_selection_on_screen_is_copied(explorer: Explorer) -> None:
    async with open_program(explorer, profile="demo") as program:
        program.app.push_screen(Confirm("Really?", "These are the words of a question.", []))
        screen = await program.on(Confirm)
        words = screen.query_one(".words")
        await program.mouse_down(words, offset=(0, 0))
        await program.hover(words, offset=(5, 0))
        await program.mouse_up(words, offset=(5, 0))
        await program.press("ctrl+c")
        await program.until(lambda: program.app.clipboard.startswith("These"))


@pytest.mark.thorough
async def test_widget_without_visible_selection_has_none(explorer: Explorer) -> None:
    async with open_program(explorer, profile="demo") as program:
        calls = program.calls
        await program.mouse_down(calls, offset=(2, 0))
        await program.hover(calls, offset=(60, 20))
        await program.mouse_up(calls, offset=(60, 20))
        await program.press("f4", "ctrl+c")
        await program.sees(NOTHING)
        assert program.app.clipboard == ""


async def test_selected_secret_is_copied_as_its_reference(explorer: Explorer) -> None:
    async with open_program(explorer, profile="inline") as program:
        await program.sent()
        program.calls.params.replace(f'{{"password": "{PASSWORD}"}}')
        await program.press("alt+a", "ctrl+c")
        await program.until(lambda: bool(program.app.clipboard))
        assert PASSWORD not in program.app.clipboard
        assert "«inline.password»" in program.app.clipboard


@pytest.mark.everyday(1)
@pytest.mark.parametrize("start", ["f5", "f8", "f9"], ids=["a call", "a login", "a discovery"])
async def test_running_work_is_cancelled(held: Explorer, start: str) -> None:
    async with open_program(held, profile="held") as program:
        await program.press(start)
        await program.until(lambda: bool(program.calls.running))
        await program.press("ctrl+c")
        await program.until(lambda: not program.calls.running)
        assert NOTHING not in program.notices
        await program.press("ctrl+c")
        await program.sees(NOTHING)


@pytest.mark.thorough
@pytest.mark.parametrize(("key", "kind"), [("f6", HistoryScreen), ("ctrl+p", Picker)])
async def test_call_is_cancelled_from_other_screens_and_dialogs(held: Explorer, key: str, kind: type[Any]) -> None:
    async with open_program(held, profile="held") as program:
        await program.press("f5")
        await program.until(lambda: bool(program.calls.running))
        await program.press(key)
        screen = await program.on(kind)
        await program.press("ctrl+c")
        await program.until(lambda: not program.calls.running)
        assert program.app.screen is screen


@pytest.mark.thorough
async def test_search_filter_and_command_of_response_are_cancelled(explorer: Explorer) -> None:
    async with open_program(explorer, profile="demo") as program:
        calls = program.calls
        await program.sent()
        await program.press("f4", "slash", *"pong")
        await program.press("ctrl+c")
        await program.until(lambda: not calls.query_one(Prompt).is_open)
        assert calls.response.body.reader.find.needle == ""
        await program.press("vertical_line", *"exec sleep 60", "enter")
        await program.until(lambda: bool(calls.response.transform and calls.response.transform.is_running))
        await program.press("ctrl+c")
        await program.until(lambda: not (calls.response.transform and calls.response.transform.is_running))
        assert NOTHING not in program.notices


@pytest.mark.thorough
async def test_history_filter_is_cleared(explorer: Explorer) -> None:
    async with open_program(explorer, profile="demo") as program:
        await program.press("f6")
        screen = await program.on(HistoryScreen)
        await program.press("slash", *"some", "ctrl+c")
        await program.until(lambda: screen.filter.value == "")
        assert program.app.screen is screen


@pytest.mark.thorough
async def test_connection_test_is_cancelled(held: Explorer) -> None:
    async with open_program(held, profile="held") as program:
        await program.press("f7")
        await program.on(ProfilesScreen)
        await program.press("alt+t")
        dialog: ConnectionTest = await program.on(ConnectionTest)
        await program.press("enter")
        await program.until(lambda: bool(dialog.report.under_way))
        await program.press("ctrl+c")
        await program.until(lambda: not dialog.report.under_way)
        assert program.app.screen is dialog, "with its results"


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
async def test_keys_to_quit_are_named(
    make_explorer: Callable[..., Explorer], keys: list[str], kind: type[Any], message: str
) -> None:
    async with open_program(make_explorer(HELD.format(url="http://127.0.0.1:9")), profile="held") as program:
        await program.press(*keys)
        screen = await program.on(kind)
        await program.press("ctrl+c")
        await program.until(lambda: program.notices == message)
        assert program.app.screen is screen


@pytest.mark.thorough
async def test_welcome_screen_mentions_no_drafts(make_explorer: Callable[..., Explorer]) -> None:
    async with open_program(make_explorer("")) as program:
        await program.press("ctrl+c")
        await program.until(lambda: program.notices == f"{NOTHING} ^Q quits rpcexplorer.")


@pytest.mark.thorough
async def test_profile_choice_names_no_way_back(explorer: Explorer) -> None:
    async with open_program(explorer, profile="demo") as program:
        await program.press("f7")
        await program.on(ProfilesScreen)
        explorer.profile = None
        await program.press("ctrl+c")
        await program.until(lambda: program.notices == f"{NOTHING} ^Q {KEPT}")


@pytest.fixture
def mapped(explorer: Explorer, make_explorer: Callable[..., Explorer]) -> Callable[[str], Explorer]:
    """Return a function that opens an explorer with a keymap."""

    def make(keymap: str) -> Explorer:
        explorer.paths.settings.parent.mkdir(parents=True, exist_ok=True)
        explorer.paths.settings.write_text(f"[keymap]\n{keymap}\n")
        return make_explorer("")

    return make


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("keymap", "message"),
    [
        ('quit = "f12"\n"history.close" = "f11"', "Esc closes this dialog. F12 quits"),
        ('quit = ""', "Esc closes this dialog. Quit with the command palette: ^P."),
    ],
)
async def test_mapped_key_is_named(mapped: Callable[[str], Explorer], keymap: str, message: str) -> None:
    async with open_program(mapped(keymap), profile="demo") as program:
        program.app.push_screen(Confirm("Really?", "Words.", []))
        await program.on(Confirm)
        await program.press("ctrl+c")
        await program.sees(message)
        assert "[b]" not in program.notices


async def test_mapped_cancel_key_replaces_message_of_textual(mapped: Callable[[str], Explorer]) -> None:
    async with open_program(mapped('copy-or-cancel = "f12"'), profile="demo") as program:
        await program.press("ctrl+c", "f12")
        await program.until(lambda: program.notices == f"{NOTHING} ^Q {KEPT}")
        assert "help_quit" not in str(program.app._bindings.key_to_bindings)


@pytest.mark.thorough
async def test_prompt_of_a_cancelled_call_closes(make_explorer: Callable[..., Explorer]) -> None:
    async with open_program(make_explorer(HELD.format(url="http://127.0.0.1:9")), profile="held") as program:
        calls = program.calls
        await program.press("f5")
        await program.on(AskSecret)
        await program.press("ctrl+c")
        await program.until(lambda: program.app.screen is calls and not calls.running)
        await program.press("f5")
        await program.on(AskSecret)
        await program.press("escape")
        await program.until(lambda: program.app.screen is calls and not calls.running)
