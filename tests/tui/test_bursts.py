"""Keys in one burst: each acts on the row that the keys before it chose.

Every test names the screens and widgets that get its keys. The last test fails for a new list without a burst.
Dangerous actions (remove, delete, send) come first.
"""

from __future__ import annotations

import asyncio
import importlib
import json
import pkgutil
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from typing import Any, TypeVar

import pytest
from msgspec.structs import replace
from textual.binding import Binding
from textual.screen import Screen
from textual.widget import Widget

import rpcexplorer.tui
from rpcexplorer.discovery.methods import Discovery
from rpcexplorer.explorer import Explorer
from rpcexplorer.model.draft import Draft
from rpcexplorer.model.method import Method
from rpcexplorer.model.profile import Answer as ServerAnswer
from rpcexplorer.model.profile import Profile
from rpcexplorer.model.secret import Secret
from rpcexplorer.rpc.messages import Result
from rpcexplorer.tui.answers import AnswerDialog, ElicitationScreen
from rpcexplorer.tui.app import ExplorerApp
from rpcexplorer.tui.batch import BatchList, BatchScreen
from rpcexplorer.tui.browser import Browser, DetailPane, FilterLine
from rpcexplorer.tui.call.completion import CompletionList
from rpcexplorer.tui.call.copying import CopyPicker
from rpcexplorer.tui.call.docs import DocsSheet
from rpcexplorer.tui.call.methods import MethodList, MethodsPane, RecentList, name_of
from rpcexplorer.tui.call.response import QuestionView, ResponsePane
from rpcexplorer.tui.call.screen import CallScreen
from rpcexplorer.tui.call.state import CallState
from rpcexplorer.tui.checks import ChecksScreen
from rpcexplorer.tui.compare import ComparedText, ComparisonScreen
from rpcexplorer.tui.connection_test import ConnectionTest
from rpcexplorer.tui.dialogs import (
    AskSecret,
    ChangesDialog,
    ChangesList,
    Credentials,
    Files,
    Help,
    LogInElsewhere,
    PageDialog,
    secrets,
)
from rpcexplorer.tui.events import EventList, EventsScreen
from rpcexplorer.tui.form import FormScreen
from rpcexplorer.tui.form_rows import FormList, JsonInPlace, LineInPlace
from rpcexplorer.tui.generated import GeneratedScreen
from rpcexplorer.tui.history import HistoryList, HistoryScreen
from rpcexplorer.tui.manual import ContentsList, ManualScreen, PageView
from rpcexplorer.tui.profile_form import ProfileForm
from rpcexplorer.tui.profiles import ProfileList, ProfilesScreen, Ways, Welcome
from rpcexplorer.tui.replay import ReplayScreen, SeveralProfiles, Ticked
from rpcexplorer.tui.statistics import StatisticsScreen
from rpcexplorer.tui.widgets.dialog import Answer, Answers, Ask, Confirm, Dialog, Form
from rpcexplorer.tui.widgets.editor import Editor
from rpcexplorer.tui.widgets.full_screen import FullScreen
from rpcexplorer.tui.widgets.grid import Grid
from rpcexplorer.tui.widgets.inputs import Cycle, Listed, Prompt
from rpcexplorer.tui.widgets.picker import Picker, PickList, Several
from rpcexplorer.tui.widgets.reader import Reader
from rpcexplorer.tui.widgets.rows import ItemList, LineView, RowList, Sheet
from tests.fakes.oauth import Issuer, Resource
from tests.fakes.peers import Peer, framed, peer
from tests.tui.program import PATIENCE, Program, open_program

Test = TypeVar("Test", bound=Callable[..., object])
COVERED: dict[type[Any], set[str]] = {}
"""Screens and widgets, and the tests whose bursts use them."""


def through(*kinds: type[Any]) -> Callable[[Test], Test]:
    """Note the screens and widgets that get the keys of a test."""

    def noted(test: Test) -> Test:
        for kind in kinds:
            COVERED.setdefault(kind, set()).add(test.__name__)
        return test

    return noted


async def recorded(explorer: Explorer, *methods: str) -> None:
    """Record calls of the profile ``demo``, oldest first."""
    explorer.use("demo")
    for method in methods:
        await explorer.call(Draft(method, f'{{"named": "{method}"}}'))


async def play(program: Program, *keys: str) -> None:
    """Send keys in one burst, and wait until all are handled.

    A pilot's pause would keep every widget busy meanwhile.
    """
    app, come = program.app, asyncio.Event()
    last = time.monotonic() + PATIENCE
    program.post(*keys)
    app.call_later(come.set)  # after the keys
    while not come.is_set() or not app.keys.is_idle or app.pending.is_waiting:
        assert time.monotonic() < last, f"{app.keys._queue} still wait; on screen: {app.screen!r}"
        await asyncio.sleep(0.002)


async def discovered(explorer: Explorer) -> None:
    """Discover the methods of the demo service."""
    explorer.use("demo")
    await explorer.discover()


def called(explorer: Explorer) -> list[str]:
    """Return the methods of the history, newest first."""
    return [record.method for record in explorer.recent(50)]


def opened(app: ExplorerApp) -> list[str]:
    """Return the titles and methods of all dialogs opened from now on."""
    titles: list[str] = []

    def changed(screen: Screen[Any]) -> None:
        if isinstance(screen, Dialog):
            words = screen._words if isinstance(screen, Ask | Confirm) else ""
            about = words if isinstance(words, str) else dict(words).get("call", "")
            titles.append(" ".join([screen._title, *about.split()[:1]]))

    app.screen_change_signal.subscribe(app, changed, immediate=True)
    return titles


@pytest.mark.thorough
@through(ProfilesScreen, ProfileList, Confirm, ProfileForm, Form, Credentials)
async def test_profile_keys_of_a_burst_use_current_row(explorer: Explorer) -> None:
    keys_and_titles = [
        ("delete down escape", "Remove demo?"),  # the arrow moves between the answers
        ("s", ""),  # it needs no secret, like prod
        ("down s down escape", "Save secrets for inline?"),
        ("down s up f8 escape", "Save secrets for inline?"),
        ("down delete up escape", "Remove prod?"),
        ("home down e down escape", "Edit dead"),
        ("j d k escape", "Duplicate demo"),
        ("k k s escape", "Save secrets for cookie?"),
    ]
    async with open_program(explorer, profile="demo") as program:
        await program.profiles()
        titles = opened(program.app)
        await play(program, *(key for keys, _ in keys_and_titles for key in keys.split()), "escape")
        assert titles == [title for _, title in keys_and_titles if title]
        assert explorer.profile is not None
        assert not await secrets(program.app.screen, explorer, explorer.profile), "it needs no secrets"
        assert program.app.screen is program.calls


@pytest.mark.thorough
@through(ProfilesScreen, ProfileList, Picker, PickList, ConnectionTest)
async def test_chosen_tested_copied_profile_is_the_current_row(explorer: Explorer) -> None:
    async with open_program(explorer, profile="demo") as program:
        for keys, used in ("enter down", "demo"), ("down enter up", "inline"), ("up up enter up", "dead"):
            await play(program, "f7", *keys.split())
            assert explorer.profile is not None
            assert explorer.profile.name == used
        screen = await program.profiles()
        await play(program, "y", "down", "alt+t", "up", "enter", "down")
        dialog: ConnectionTest = await program.on(ConnectionTest)
        await program.until(lambda: bool(dialog.report.checks) and not dialog.report.under_way)
        await play(program, "escape", "up")
        await program.until(lambda: bool(screen._tested))
        assert program.app.clipboard.startswith("http://127.0.0.1:9/")
        assert list(screen._tested) == ["demo"]
        await play(program, "slash", *"in", "down", "up", "enter", "enter")
        assert explorer.profile is not None
        assert explorer.profile.name == "inline"


@through(HistoryScreen, HistoryList, DetailPane, Confirm, Ask)
async def test_history_keys_of_a_burst_use_current_row(explorer: Explorer) -> None:
    await recorded(explorer, "one", "two", "three", "four", "five")
    keys_and_titles = [
        ("delete down escape", "Delete this call from the history? five"),
        ("down delete down escape", "Delete this call from the history? four"),
        ("down t x down escape", "Save a name for this call? three"),
        ("end a up escape", "Save a note about this call? one"),
        ("tab down shift+tab up delete escape", "Delete this call from the history? two"),
        ("down y down home r a w enter", "Copy"),
    ]
    async with open_program(explorer, profile="demo") as program:
        titles = opened(program.app)
        await play(program, "f6", *(key for keys, _ in keys_and_titles for key in keys.split()), "escape")
        await program.until(lambda: bool(program.app.clipboard))
        assert titles == [title for _, title in keys_and_titles]
        assert program.app.clipboard.encode() == explorer.recent(9)[-1].response.body
        assert len(called(explorer)) == 5


@pytest.mark.thorough
@through(HistoryScreen, HistoryList, Confirm, Answers, Answer)
async def test_two_deletions_in_a_burst_delete_named_calls(explorer: Explorer) -> None:
    await recorded(explorer, "one", "two", "three", "four", "five")
    async with open_program(explorer, profile="demo") as program:
        yes = "delete", "right", "enter"
        await play(program, "f6", "down", *yes, *yes, "enter", "enter")  # the row below is loaded at last
        await program.until(lambda: program.calls.method == "two")
        assert called(explorer) == ["five", "two", "one"]


@pytest.mark.thorough
async def test_keys_wait_for_the_action_of_an_answer(explorer: Explorer, monkeypatch: pytest.MonkeyPatch) -> None:
    await recorded(explorer, "one", "two")
    started, go_on, forget = threading.Event(), threading.Event(), explorer.journal.delete

    def slowly(profile: Profile | None, id: str) -> str:
        started.set()
        assert go_on.wait(10)
        return forget(profile, id)

    monkeypatch.setattr(explorer.journal, "delete", slowly)
    async with open_program(explorer, profile="demo") as program:
        await program.burst("f6", "delete", "right", "enter", "enter")
        await program.until(started.is_set)
        await program.rest()
        assert isinstance(program.app.screen, HistoryScreen)
        go_on.set()
        await program.until(lambda: program.calls.method == "one")


@pytest.mark.thorough
@through(HistoryScreen, HistoryList, FilterLine)
async def test_loaded_or_resent_call_is_the_current_row(explorer: Explorer) -> None:
    await recorded(explorer, "one", "two", "three")
    keys_and_methods = [
        (["down", "enter", "up", "f5"], "two"),
        (["end", "f5", "up"], "one"),
        (["slash", *"method:t", "down", "down", "enter", "down", "f5"], "three"),
        (["slash", *"method:two", "enter", "enter", "down", "f5"], "two"),
    ]
    async with open_program(explorer, profile="demo") as program:
        for keys, method in keys_and_methods:
            before = len(called(explorer))
            await play(program, "f6", *keys)
            await program.until(lambda before=before: len(called(explorer)) > before and not program.calls.running)  # type: ignore[misc]
            assert program.calls.method == method, keys
            assert called(explorer)[0] == method, keys


@pytest.mark.thorough
@through(CallScreen, MethodsPane, MethodList)
async def test_sent_method_is_the_current_row(explorer: Explorer) -> None:
    await discovered(explorer)
    keys_and_rows = [
        ("", ["down", "enter"], 1),
        ("", ["down", "down", "up", "enter"], 1),
        ("notes.", ["down", "enter", "down"], 1),
        ("notes.", ["enter", "down"], 0),
    ]
    async with open_program(explorer, profile="demo") as program:
        calls = program.calls
        for typed, keys, row in keys_and_rows:
            calls.drafts.choose("demo.notes.delete")
            await program.rest()
            listing, before = calls.query_one(MethodList), calls.exchange
            # Without a filter, groups are folded but that of the current method.
            wanted = calls.methods._rows.listed(typed)[row] if typed else listing.items[listing.cursor + row]
            await play(program, "f2", *typed, *keys, "f5")
            await program.until(lambda before=before: calls.exchange is not before)  # type: ignore[misc]
            assert calls.exchange is not None
            assert calls.exchange.method == name_of(wanted), (typed, keys)


@pytest.mark.thorough
@through(CallScreen, RecentList)
async def test_recent_call_is_the_current_row(explorer: Explorer) -> None:
    await recorded(explorer, "one", "two", "three")
    async with open_program(explorer, profile="demo") as program:
        calls = program.calls
        listing = calls.query_one(RecentList)
        await program.until(lambda: len(listing.items) == 3)
        calls.set_focus(listing)
        await play(program, "down", "enter", "up")
        await program.until(lambda: calls.method == "two")
        calls.set_focus(listing)
        await play(program, "down", "f5", "up")
        await program.until(lambda: len(called(explorer)) == 4)
        assert called(explorer)[0] == "one"


@pytest.mark.thorough
@through(CallScreen, ResponsePane, Grid, Reader, Prompt)
async def test_copied_part_of_response_is_the_current_row(explorer: Explorer) -> None:
    async with open_program(explorer, profile="demo") as program:
        calls = program.calls
        text = b'[{"n": 10}, {"n": 20}, {"n": 30}]'
        calls.exchange = replace(await program.sent(), outcome=Result(text))
        await program.press("f4")
        await program.rest()
        copies: Sequence[tuple[list[str], str]] = [
            (["t", "down", "c", "down"], "20"),
            (["home", "down", "enter", "down", "c"], "20"),  # that row as JSON, and its member
            (["slash", *"30", "enter", "c", "home"], "30"),
            (["colon", *"6", "enter", "c", "end"], "20"),
            (["home", "down", "space", "c"], '{\n  "n": 10\n}'),
            (["home", "y", *"under", "down", "up", "enter"], text.decode()),
        ]
        for keys, copied in copies:
            program.app.copy_to_clipboard("")
            await play(program, *keys)
            await program.until(lambda: bool(program.app.clipboard))
            await program.rest()
            assert "".join(program.app.clipboard.split()) == "".join(copied.split()), keys


@pytest.mark.thorough
@through(Picker, PickList, CopyPicker)
async def test_picker_chooses_the_current_row(explorer: Explorer) -> None:
    async with open_program(explorer, profile="demo") as program:
        themes = list(explorer.themes.files())
        at = themes.index(program.app.theme)
        await play(program, "ctrl+p", *"choose theme", "enter", "down", "enter")
        await program.until(
            lambda: program.app.screen is program.calls and program.app.theme == themes[(at + 1) % len(themes)]
        )
        await play(program, "ctrl+p", "down", "down", "up", "pagedown", "home", *"theme", "down", "up", "enter")
        await program.until(lambda: isinstance(program.app.screen, Picker) and program.app.screen._title == "Themes")
        await play(program, "up", "escape", "f10", "down", "enter")  # the second format to copy in
        await program.until(lambda: bool(program.app.clipboard))
        assert "httpx" in program.app.clipboard
        assert program.app.theme == themes[(at + 1) % len(themes)]


@pytest.mark.thorough
@through(Help, Sheet)
async def test_keys_after_f1_go_to_the_open_help(explorer: Explorer) -> None:
    async with open_program(explorer, profile="demo") as program:
        await play(program, "f1", "down", "x", "escape", "7")
        assert program.app.screen is program.calls
        assert program.calls.params.text == "[7]"


@through(ManualScreen, PageView, ContentsList, Files)
@pytest.mark.thorough
async def test_keys_of_a_burst_read_the_manual(explorer: Explorer) -> None:
    async with open_program(explorer, profile="demo") as program:
        await play(program, "f1", "m", "c", "down", "down", "enter")
        screen = program.app.screen
        assert isinstance(screen, ManualScreen)
        assert screen.view.section == screen.view.page.headings[1].anchor
        await play(program, "escape", "escape", "f1", "p", "down", "escape", "7")
        assert program.app.screen is program.calls
        assert program.calls.params.text == "[7]"


@pytest.mark.thorough
@through(ProfileForm, Form, Cycle, Listed, Picker, Answers, Answer)
async def test_form_gets_each_key_in_the_current_line(explorer: Explorer) -> None:
    async with open_program(explorer, profile="demo") as program:
        await program.profiles()
        keys = ["a", *"http://x.example", "tab", *"new", "down", "enter", *"xapi", "enter", "down", "down"]
        await play(program, *keys, "right", "right", "right", "tab", "left", "left", "right", "left", "f5", "escape")
        await program.until(lambda: "new" in explorer.profiles.profiles)
        made = explorer.profiles.profiles["new"]
        assert (made.url, made.preset) == ("http://x.example", "xapi")
        assert (made.badge, made.confirm) == ("prod", "always")
        assert made is explorer.profile
        await play(
            program, "f7", "e", "tab", "tab", "tab", *"what", "shift+tab", "up", "escape", "d", "end", *"er", "enter"
        )
        await program.until(lambda: "new-copyer" in explorer.profiles.profiles)
        assert explorer.profiles.profiles["new"].description == ""


@pytest.mark.thorough
@through(Credentials, Ask, HistoryScreen)
async def test_text_of_a_dialog_is_complete_at_enter(explorer: Explorer) -> None:
    await recorded(explorer, "one", "two")
    async with open_program(explorer, profile="demo") as program:
        await play(program, "f6", "down", "t", *"first", "enter", "up", "a", *"second", "enter", "escape")
        assert [(record.name, record.note) for record in explorer.recent(9)] == [("", "second"), ("first", "")]
        await play(program, "f7", "up", "up", "s", "down", *"abc", "f5", "down", "escape")
        held = explorer.credentials.state(explorer.profiles.profiles["cookie"])["session"]
        assert isinstance(held, Secret)
        assert held.reveal() == "abc"


@pytest.mark.thorough
@through(AskSecret)
async def test_secret_that_is_typed_ahead_is_stored(make_explorer: Callable[..., Explorer]) -> None:
    auth = 'auth = { kind = "inline", username = "ada" }'
    explorer = make_explorer(f'version = 1\n[profile.held]\nurl = "http://127.0.0.1:9"\n{auth}\n')
    async with open_program(explorer, profile="held") as program:
        await play(program, "f5", *"abcdef", "tab", "right", "enter")
        await program.until(lambda: program.calls.exchange is not None and not program.calls.running)
        held = explorer.credentials.state(explorer.profiles.profiles["held"])["password"]
        assert isinstance(held, Secret)
        assert (held.reveal(), held.source) == ("abcdef", "secrets.toml")


@pytest.mark.thorough
@through(LogInElsewhere, Answers, Answer)
async def test_redirect_is_pasted_into_its_field(make_explorer: Callable[..., Explorer]) -> None:
    with Issuer() as issuer, Resource(issuer) as resource:
        auth = 'auth = { kind = "oauth" }'
        explorer = make_explorer(f'[profile.tools]\nurl = "{resource.origin}"\npath = "/rpc"\n{auth}\n')
        async with open_program(explorer, profile="tools") as program:
            await play(program, "f8")
            await program.on(Confirm)
            await play(program, "right", "enter")
            await program.on(LogInElsewhere)
            await play(program, "tab", "tab", "tab", *"https://x.example/", "enter")
            await program.sees("The login ended at another address, https://x.example/")


@pytest.mark.thorough
@through(Welcome, Ways)
async def test_welcome_screen_chooses_the_current_row(make_explorer: Callable[..., Explorer]) -> None:
    explorer = make_explorer("")
    async with open_program(explorer) as program:
        keys = ["down", "down", "enter", *"http://127.0.0.1:9", "tab", *"mine", "f5", "escape", *"[8"]
        await play(program, *keys)
        await program.until(lambda: program.app.calls is not None and program.app.screen is program.app.calls)
        await program.rest()
        assert explorer.profile is not None
        assert explorer.profile.name == "mine"


@pytest.mark.thorough
@through(BatchScreen, BatchList, DetailPane, CompletionList, Editor)
async def test_batch_keys_order_calls_and_take_a_name(explorer: Explorer) -> None:
    async with open_program(explorer, profile="demo") as program:
        calls = program.calls
        await program.write("demo.echo", "[1]")
        await program.press("f3")
        await play(
            program, "alt+p", "alt+p", "alt+l", "tab", "space", "escape", "down", "n", "K", "delete", "down", "enter"
        )
        await program.until(lambda: program.app.screen is calls)
        assert explorer.profile is not None
        (row,) = explorer.batches.of(explorer.profile).rows
        assert not row.draft.notification, "the call below became a notification, moved up and was removed"
        calls.params.replace("")
        calls.params.focus_inside()
        await play(program, "[", '"', "{", "{", "u", "u", "enter", "right", ",", "1")
        assert calls.params.text == '["{{uuid}}",1]'


@pytest.mark.thorough
@through(FormScreen, FormList, LineInPlace, JsonInPlace)
async def test_field_is_typed_in_current_row_and_sent(explorer: Explorer) -> None:
    await discovered(explorer)
    async with open_program(explorer, profile="demo") as program:
        calls = program.calls
        await program.write("demo.orders.place", '{"customer": 7, "items": []}')
        await program.press("f3")
        await play(
            program, "alt+e", "enter", "backspace", *"42", "enter", "down", "plus", "down", "enter", "ctrl+u", *"x-1"
        )
        await play(program, "enter", "down", "space", "end", "up", "space", "space", "down", "space", "space", "alt+e")
        await program.until(lambda: program.app.screen is calls)
        item = '{"sku": "x-1", "quantity": 1}'
        assert calls.params.text == f'{{"customer": 42, "items": [{item}], "gift": false, "note": null}}'
        await play(program, "alt+e", "home", "down", "enter", *"x", "enter", "backspace", "escape", "delete")
        assert calls.params.text == '{"customer": 42, "gift": false, "note": null}'


def compared(app: ExplorerApp) -> list[tuple[str, str]]:
    """Return the methods on both sides of each comparison opened from now on."""
    sides: list[tuple[str, str]] = []

    def changed(screen: Screen[Any]) -> None:
        if isinstance(screen, ComparisonScreen) and (not sides or screen is not last[-1]):
            sides.append((screen.left.method, screen.right.method))
            last.append(screen)

    last: list[Screen[Any]] = []
    app.screen_change_signal.subscribe(app, changed, immediate=True)
    return sides


@through(HistoryScreen, HistoryList, ComparisonScreen, ComparedText)
@pytest.mark.thorough
async def test_marked_calls_of_a_burst_are_compared(explorer: Explorer) -> None:
    await recorded(explorer, "one", "two", "three", "four", "five")
    async with open_program(explorer, profile="demo") as program:
        sides = compared(program.app)
        await play(program, "f6", "m", "down", "down", "d", "n", "down", "N", "escape", "down", "d", "up", "escape")
        assert sides == [("three", "five"), ("two", "five")]
        await play(program, "home", "m", "down", "down", "x", "escape", "down", "d", "escape", "escape", "escape")
        await program.until(lambda: program.app.screen is program.calls)
        assert sides[2:] == []


@pytest.mark.thorough
@through(HistoryScreen, ReplayScreen, ItemList, Picker, PickList, ComparisonScreen)
async def test_replayed_and_opened_call_is_the_current_row(explorer: Explorer) -> None:
    await recorded(explorer, "one", "two", "three", "four")
    async with open_program(explorer, profile="demo") as program:
        sides = compared(program.app)
        await play(program, "f6", "down", "m", "down", "m", "alt+r", *"demo", "enter")
        replay: ReplayScreen = await program.on(ReplayScreen)
        await program.until(lambda: len(replay.done) == 2 and replay.stop is None)
        assert [result.recorded.method for result in replay.done] == ["two", "three"]
        await play(program, "down", "enter", "down", "escape", "up", "enter", "escape", "escape", "escape")
        assert sides == [("three", "three"), ("two", "two")]


@pytest.mark.thorough
@through(Confirm, Answers, Answer, Picker, PickList)
async def test_answer_before_a_replay_is_the_current_word(explorer: Explorer) -> None:
    await recorded(explorer, "one", "two")
    async with open_program(explorer, profile="demo") as program:
        words = "right", "left", "enter", "down", "escape", "escape"
        await play(program, "f6", "m", "down", "m", "alt+r", *"prod", "enter", *words)
        await program.until(lambda: program.app.screen is program.calls)
        assert called(explorer) == ["two", "one"], "nothing was sent"


@pytest.mark.thorough
@through(SeveralProfiles, Ticked, ReplayScreen, ItemList)
async def test_call_goes_to_ticked_profiles_of_a_burst(explorer: Explorer) -> None:
    async with open_program(explorer, profile="demo") as program:
        program.calls.drafts.choose("demo.echo")
        await play(program, "alt+d")
        chosen: SeveralProfiles = await program.on(SeveralProfiles)
        ticked = chosen._list.ticked
        await play(program, "down", "space", "up", "space", "escape", "8")  # a tick moves to the next row
        assert chosen._list.ticked == ticked
        assert program.app.screen is program.calls


@pytest.mark.thorough
@through(ChecksScreen, ItemList)
async def test_opened_check_is_the_current_row(explorer: Explorer) -> None:
    file = explorer.profiles.files[-1]
    saved = (f'[call.{name}]\nmethod = "ping"\nexpect = {{ outcome = "error" }}\n' for name in ("one", "two", "three"))
    file.write_text(file.read_text() + "".join(saved))
    async with open_program(explorer, profile="demo") as program:
        calls = program.calls
        await play(program, "alt+r", "down", "down", "up")
        checks: ChecksScreen = await program.on(ChecksScreen)
        await program.until(lambda: len(checks.results) == 3 and checks.stop is None)
        await play(program, "enter", "8")  # The key after Enter goes to the editor.
        await program.until(lambda: program.app.screen is calls)
        assert (calls.method, calls.params.text) == ("@two", "[8]")


@pytest.mark.thorough
@through(GeneratedScreen, ItemList)
async def test_loaded_finding_is_the_current_row(explorer: Explorer) -> None:
    await discovered(explorer)
    async with open_program(explorer, profile="demo") as program:
        calls = program.calls
        calls.drafts.choose("demo.faults.discount")
        await program.rest()
        await play(program, "ctrl+p", *"generate", "enter")
        await program.on(Confirm)
        await play(program, "enter", "down", "up")
        found: GeneratedScreen = await program.on(GeneratedScreen)
        await program.until(lambda: found.stop is None and len(found.list.items) == 2)
        await play(program, "down", "up", "enter", "f3")
        await program.until(lambda: program.app.screen is calls)
        assert '"percent"' in calls.params.text


@pytest.mark.thorough
@through(StatisticsScreen, Browser)
async def test_row_of_statistics_leads_to_its_calls(explorer: Explorer) -> None:
    await recorded(explorer, "one", "two", "two", "three", "three", "three")
    async with open_program(explorer, profile="demo") as program:
        await play(program, "f6", "s", "down", "enter", "down")
        history: HistoryScreen = await program.on(HistoryScreen)
        await program.until(lambda: "two" in history.filter.value)


@pytest.mark.thorough
@through(ChangesDialog, ChangesList)
async def test_changed_method_opens_and_next_key_edits_params(explorer: Explorer) -> None:
    await discovered(explorer)
    profile = explorer.profile
    assert profile is not None
    explorer.method_lists.settle(profile, Discovery(datetime.now(UTC), (Method("ping"),)))
    await discovered(explorer)
    found = explorer.method_lists.changes(profile)
    assert found is not None
    async with open_program(explorer, profile="demo") as program:
        calls = program.calls
        calls.drafts.choose("ping")
        await play(program, "alt+n", "down", "down", "up", "enter", "end", "8")
        await program.until(lambda: "8" in calls.params.text)
        assert calls.method == found.methods[1].name
        await play(program, "alt+n", "down", "q", "end", "9")
        await program.until(lambda: "9" in calls.params.text)
        assert calls.method == found.methods[1].name
        assert program.app.screen is calls


@pytest.mark.thorough
@through(DocsSheet)
async def test_example_of_closed_docs_is_the_current_one(explorer: Explorer) -> None:
    await discovered(explorer)
    async with open_program(explorer, profile="demo") as program:
        calls = program.calls
        calls.drafts.choose("demo.orders.place")
        before = calls.params.text
        await play(program, "alt+m", "n", "n", "enter", "end", "8")
        await program.until(lambda: "Ines" in calls.params.text and "8" in calls.params.text)
        assert calls.exchange is None
        await play(program, "ctrl+z", "ctrl+z")
        assert calls.params.text == before


@through(EventsScreen, EventList, DetailPane, AnswerDialog)
@pytest.mark.thorough
async def test_request_under_the_cursor_is_answered(explorer: Explorer) -> None:
    answers: list[bytes] = []

    async def ask(peer: Peer) -> None:
        for id, method in enumerate(("ask.one", "ask.two", "ask.three")):
            await peer.send(peer.frame(f'{{"jsonrpc":"2.0","id":{id},"method":"{method}"}}'.encode()))
        while answer := await peer.receive():
            answers.append(answer)

    async with open_program(explorer, profile="demo") as program:
        calls = program.calls
        async with peer(framed(ask, "lines")) as port:
            profile = Profile("live", f"tcp://127.0.0.1:{port}", answers={"*": ServerAnswer(ask=True)})
            explorer.use(profile)
            calls.show_profile()
            await explorer.open_connection()
            await program.until(lambda: len(calls.connections.asked(profile.name)) == 3)
            await play(program, "alt+v", "down", "a", "alt+a", *"12", "f5")
            await play(program, "slash", *"ask.th", "enter", "a", "shift+tab", "right", "f5")
            await play(program, "tab", "space", "escape", "escape", "escape", "escape")
            await program.until(lambda: program.app.screen is calls and len(answers) == 2)
            await explorer.close_connection()
        assert json.loads(answers[0]) == {"jsonrpc": "2.0", "id": 1, "result": 12}
        assert (json.loads(answers[1])["id"], json.loads(answers[1])["error"]["code"]) == (2, -32000)


@through(QuestionView, ElicitationScreen, Several)
async def test_form_of_the_server_is_filled_in_at_once(explorer: Explorer) -> None:
    answers: list[bytes] = []
    fish = {"type": "array", "items": {"enum": ["tuna", "trout", "eel"]}}
    schema = {"properties": {"name": {"type": "string"}, "sure": {"type": "boolean"}, "fish": fish}}

    async def ask(peer: Peer) -> None:
        params = {"message": "Who?", "requestedSchema": schema}
        request = {"jsonrpc": "2.0", "id": 1, "method": "elicitation/create", "params": params}
        await peer.send(peer.frame(json.dumps(request).encode()))
        answers.append(await peer.receive())
        await peer.receive()

    async with open_program(explorer, profile="demo") as program:
        async with peer(framed(ask, "lines")) as port:
            explorer.use(Profile("live", f"tcp://127.0.0.1:{port}"))
            program.calls.show_profile()
            await explorer.open_connection()
            await program.sees("waits for your answer")
            name = ("enter", *"Ada", "enter")
            picks = ("enter", "down", "enter", "down", "enter", "escape")
            await play(program, "f4", "enter", *name, "down", "space", "end", *picks, "f5")
            await program.until(lambda: bool(answers))
            await explorer.close_connection()
        content = {"name": "Ada", "sure": True, "fish": ["trout", "eel"]}
        assert json.loads(answers[0])["result"] == {"action": "accept", "content": content}


BASES = {
    CallState,
    FullScreen,
    LineView,
    RowList,
    Dialog,
    PageDialog,
    Form,
}
"""Base classes, which are never on screen themselves."""
LEADING = {"up", "down", "left", "right", "enter", "space", "tab"}
"""Keys that move to a row, or take it."""


def kinds() -> Iterator[type[Any]]:
    """Yield every screen and widget of ours with rows or movement keys."""
    for found in pkgutil.walk_packages(rpcexplorer.tui.__path__, "rpcexplorer.tui."):
        for kind in vars(importlib.import_module(found.name)).values():
            if isinstance(kind, type) and kind.__module__ == found.name and issubclass(kind, Widget):
                own = {binding.key for binding in kind.__dict__.get("BINDINGS", ()) if isinstance(binding, Binding)}
                keys = {key for bound in own for key in bound.split(",")}
                if issubclass(kind, Screen | RowList) or keys & LEADING:
                    yield kind


def test_every_list_menu_dialog_form_has_a_burst() -> None:
    assert {kind.__name__ for kind in kinds()} - {kind.__name__ for kind in BASES | COVERED.keys()} == set()
