"""Moving a call to another profile: nothing is sent, and no draft is lost."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from rpcexplorer.explorer import Explorer
from rpcexplorer.model.exchange import Exchange, Refused
from rpcexplorer.rpc.messages import ErrorObject
from rpcexplorer.tui.app import ExplorerApp
from rpcexplorer.tui.call.screen import CallScreen
from rpcexplorer.tui.history import HistoryScreen
from rpcexplorer.tui.widgets.editor import Editor
from rpcexplorer.tui.widgets.picker import Picker
from tests.fakes.editor import type_in
from tests.fakes.wire import RawServer, http_reply
from tests.history.recording import exchange
from tests.tui.visiting import notices, on, rest, visit
from tests.tui.waiting import until

KEY = "ctrl+n"


async def write(pilot: Pilot[Any], screen: CallScreen, text: str, method: str = "demo.echo") -> None:
    """Put a call into the editor, and focus it."""
    screen.drafts.choose(method)
    screen.params.replace(text)
    screen.params.focus_inside()
    await pilot.pause()


async def to(pilot: Pilot[Any], name: str) -> None:
    """Choose a profile in the open list."""
    await on(pilot, Picker)
    await pilot.press(*name, "enter")
    await until(pilot, lambda: not isinstance(pilot.app.screen, Picker))
    await rest(pilot)


def current_call(screen: CallScreen) -> tuple[str, str, str]:
    """Return profile, method and params."""
    assert screen.explorer.profile is not None
    return screen.explorer.profile.name, screen.method, screen.params.text


def test_method_and_params_are_moved_and_nothing_sent(explorer: Explorer) -> None:
    async def scene(app: ExplorerApp, pilot: Pilot[Any], screen: CallScreen) -> None:
        await write(pilot, screen, '{"n": 1.10}')
        await pilot.press(KEY)
        await to(pilot, "prod")
        assert current_call(screen) == ("prod", "demo.echo", '{"n": 1.10}')
        assert screen.has_class("-prod")
        assert isinstance(app.focused, Editor)
        assert notices(app) == "Loaded demo.echo for profile prod. Nothing was sent."
        assert screen.exchange is None
        assert explorer.recent(9) == []

    visit(explorer, scene)
    assert explorer.last_used == "prod"
    explorer.use("demo")
    assert explorer.draft_of("demo.echo") == '{"n": 1.10}'  # the draft of that profile is kept there


@pytest.mark.thorough
def test_undo_restores_the_replaced_draft(explorer: Explorer) -> None:
    explorer.use("prod")
    type_in(explorer, "demo.echo", '{"mine": true}')
    explorer.use("demo")

    async def scene(app: ExplorerApp, pilot: Pilot[Any], screen: CallScreen) -> None:
        await write(pilot, screen, "[2]")
        await pilot.press(KEY)
        await to(pilot, "prod")
        assert current_call(screen) == ("prod", "demo.echo", "[2]")
        assert "^Z restores your draft." in notices(app)
        await pilot.press("ctrl+z")
        assert current_call(screen) == ("prod", "demo.echo", '{"mine": true}')
        await pilot.press("ctrl+y")
        assert current_call(screen) == ("prod", "demo.echo", "[2]")
        await pilot.press("ctrl+z")
        screen.drafts.write_down()

    visit(explorer, scene)
    assert explorer.draft_of("demo.echo") == '{"mine": true}'


BACK = "replaced_params"


@pytest.mark.thorough
def test_replaced_draft_can_be_restored_after_a_restart(
    make_explorer: Callable[..., Explorer], explorer: Explorer
) -> None:
    explorer.use("prod")
    type_in(explorer, "demo.echo", '{"mine": true}')
    explorer.use("demo")

    async def carried(app: ExplorerApp, pilot: Pilot[Any], screen: CallScreen) -> None:
        await write(pilot, screen, "[2]")
        assert not screen.check_action(BACK, ())
        await pilot.press(KEY)
        await to(pilot, "prod")
        assert "To restore your draft later, use “restore draft” in the command palette." in notices(app)
        screen.drafts.choose("ping")
        assert not screen.check_action(BACK, ())

    visit(explorer, carried)
    again = make_explorer("")

    async def back(_: ExplorerApp, pilot: Pilot[Any], screen: CallScreen) -> None:
        screen.drafts.choose("demo.echo")
        assert current_call(screen) == ("prod", "demo.echo", "[2]")
        assert screen.check_action(BACK, ())
        await screen.run_action(BACK)
        assert current_call(screen) == ("prod", "demo.echo", '{"mine": true}')
        await screen.run_action(BACK)
        assert current_call(screen) == ("prod", "demo.echo", "[2]")

    visit(again, back, profile="prod")


@pytest.mark.thorough
def test_loading_a_recorded_call_keeps_replaced_draft(explorer: Explorer) -> None:
    async def scene(_: ExplorerApp, pilot: Pilot[Any], screen: CallScreen) -> None:
        await write(pilot, screen, "[1]")
        for number in range(2, 30):
            screen.load(exchange(method="demo.echo", params=f"[{number}]"), ours=True)
        screen.drafts.choose("ping")
        screen.drafts.choose("demo.echo")
        assert current_call(screen) == ("demo", "demo.echo", "[29]")
        await screen.run_action(BACK)
        assert current_call(screen) == ("demo", "demo.echo", "[1]")
        assert not screen.check_action(BACK, ())  # the history has the others

    visit(explorer, scene)


@pytest.mark.thorough
def test_unusable_profile_says_why_and_keeps_the_call(make_explorer: Callable[..., Explorer]) -> None:
    explorer = make_explorer(
        '[profile.a]\nurl = "http://127.0.0.1:9"\n[profile.broken]\ndescription = "no URL yet"\n'
        '[profile.usable]\nurl = "http://127.0.0.1:9"\n'
    )

    async def scene(app: ExplorerApp, pilot: Pilot[Any], screen: CallScreen) -> None:
        await write(pilot, screen, "[1]")
        await pilot.press(KEY)
        picker = await on(pilot, Picker)
        said_of = [(item.pick.id, item.pick.words) for item in picker.list.items]
        assert said_of == [("usable", "http://127.0.0.1:9/api/v2/"), ("broken", "cannot be used")]
        await to(pilot, "broken")
        assert current_call(screen) == ("a", "demo.echo", "[1]")
        assert "The call was not loaded: broken cannot be used." in notices(app)
        assert "url" in notices(app)

    visit(explorer, scene, profile="a")


@pytest.mark.thorough
def test_list_does_not_open_without_another_profile(make_explorer: Callable[..., Explorer]) -> None:
    explorer = make_explorer('[profile.a]\nurl = "http://127.0.0.1:9"\n')

    async def scene(app: ExplorerApp, pilot: Pilot[Any], screen: CallScreen) -> None:
        await pilot.press(KEY)
        await until(pilot, lambda: notices(app) == "There is no other profile for this call. Add one first.")
        assert app.screen is screen
        await pilot.press("f3", "end", *" 1")
        assert screen.params.text.endswith(" 1")

    visit(explorer, scene, profile="a")


PLAIN = """\
[profile.one]
url = "{url}"

[profile.two]
url = "{url}"
"""
TWO = """\
[profile.one]
url = "{url}"
auth = {{ kind = "inline", username = "ada" }}

[profile.two]
url = "{url}"
auth = {{ kind = "inline", username = "bob" }}
"""


@pytest.mark.thorough
@pytest.mark.parametrize("value", ["«one.password»", "«not recorded»"])
def test_secret_reference_is_not_sent_as_text(make_explorer: Callable[..., Explorer], value: str) -> None:
    with RawServer(http_reply(b"{}")) as server:
        explorer = make_explorer(TWO.format(url=server.origin))

        async def scene(app: ExplorerApp, pilot: Pilot[Any], screen: CallScreen) -> None:
            await write(pilot, screen, json.dumps({"q": value}, ensure_ascii=False))
            await pilot.press(KEY)
            await to(pilot, "two")
            assert current_call(screen) == ("two", "demo.echo", f'{{"q": "{value}"}}')
            if value == "«one.password»":
                assert "«one.password» does not work with two: replace it with a value." in notices(app)
            await pilot.press("f5")
            await until(pilot, lambda: screen.exchange is not None and not screen.running)
            assert screen.exchange is not None
            assert isinstance(screen.exchange.outcome, Refused)

        visit(explorer, scene, profile="one")
    assert server.requests == []


@pytest.mark.thorough
def test_reference_to_the_other_profile_is_removed(make_explorer: Callable[..., Explorer]) -> None:
    explorer = make_explorer(TWO.format(url="http://127.0.0.1:9"))

    async def scene(app: ExplorerApp, pilot: Pilot[Any], screen: CallScreen) -> None:
        await write(pilot, screen, '{"note": "«two.password»"}')
        await pilot.press(KEY)
        await to(pilot, "two")
        assert screen.params.text == '{"note": "«not recorded»"}'
        assert "Removed the secret references of two" in notices(app)

    visit(explorer, scene, profile="one")


def record(explorer: Explorer, *calls: Exchange) -> None:
    for call in calls:
        explorer.history.append(call)


async def history(pilot: Pilot[Any]) -> HistoryScreen:
    await pilot.press("f6")
    screen: HistoryScreen = await on(pilot, HistoryScreen)
    await until(pilot, lambda: screen.record is not None)
    return screen


@pytest.mark.thorough
def test_foreign_record_uses_no_secret_of_target_profile(
    make_explorer: Callable[..., Explorer], tmp_path: Path
) -> None:
    explorer = make_explorer(TWO.format(url="http://127.0.0.1:9"))
    explorer.use("one")
    record(explorer, exchange(0, method="note.write", params='{"text": "«two.password»"}', profile="one"))

    async def scene(_: ExplorerApp, pilot: Pilot[Any], screen: CallScreen) -> None:
        await history(pilot)
        await pilot.press(KEY)
        await to(pilot, "two")
        await until(pilot, lambda: current_call(screen) == ("two", "note.write", '{"text": "«not recorded»"}'))

    visit(explorer, scene, profile="one")


@pytest.mark.thorough
def test_batch_of_the_history_is_not_moved(explorer: Explorer) -> None:
    explorer.use("demo")
    record(explorer, exchange(0, method="a, b", params="[]", profile="demo", kind="batch"))

    async def scene(app: ExplorerApp, pilot: Pilot[Any], _: CallScreen) -> None:
        screen = await history(pilot)
        assert not screen.check_action("to_profile", ())
        await pilot.press(KEY)
        await rest(pilot)
        assert app.screen is screen

    visit(explorer, scene)


@pytest.mark.thorough
def test_moved_params_are_not_replaced_by_last_call(explorer: Explorer) -> None:
    prod = explorer.profiles.profiles["prod"]
    explorer.journal.record(exchange(0, profile="prod", url=prod.endpoint, method="ping", params="[7]"), prod)

    async def scene(_: ExplorerApp, pilot: Pilot[Any], screen: CallScreen) -> None:
        await write(pilot, screen, "[]", "ping")
        await pilot.press(KEY)
        await to(pilot, "prod")
        await until(pilot, lambda: bool(screen.methods.recent))
        await rest(pilot)
        assert current_call(screen) == ("prod", "ping", "[]")

    visit(explorer, scene)


@pytest.mark.thorough
def test_one_key_moves_value_to_the_chosen_call(explorer: Explorer) -> None:
    async def scene(app: ExplorerApp, pilot: Pilot[Any], screen: CallScreen) -> None:
        screen.drafts.choose("demo.echo")
        screen.params.replace('{"key": "abc", "n": 1.10}')
        await pilot.press("f5")
        await until(pilot, lambda: screen.exchange is not None and not screen.running)
        await pilot.press("f4", "down", "down", "u", *"ping")
        await on(pilot, Picker)
        await pilot.press("enter")
        await until(pilot, lambda: app.screen is screen and screen.method == "ping")
        assert screen.params.text == '["{{last.demo.echo#/n:json}}"]'
        await pilot.press("f4", "up", "u")
        picker = await on(pilot, Picker)
        assert picker.list.items[0].pick.id == "ping", "the one used last comes first"
        await pilot.press(*"echo", "enter")
        await until(pilot, lambda: screen.method == "demo.echo")
        assert screen.params.text == '{"key": "{{last.demo.echo#/key}}", "n": 1.10}'
        assert screen.params.problem is None
        assert screen.response.check_action("use", ())
        for other in ({"kind": "batch"}, {"outcome": ErrorObject(1, "no", None, b"{}")}):
            screen.exchange = exchange(0, **other)
            await pilot.pause()
            assert not screen.response.check_action("use", ()), "no newest result has this value"

    visit(explorer, scene)
