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
from rpcexplorer.tui.call.screen import CallScreen
from rpcexplorer.tui.history import HistoryScreen
from rpcexplorer.tui.widgets.editor import Editor
from rpcexplorer.tui.widgets.picker import Picker
from tests.fakes.editor import type_in
from tests.fakes.wire import RawServer, http_reply
from tests.history.recording import exchange
from tests.tui.program import open_program
from tests.tui.visiting import on, rest
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


async def test_method_and_params_are_moved_and_nothing_sent(explorer: Explorer) -> None:
    async with open_program(explorer, profile="demo") as program:
        screen = program.calls
        await write(program, screen, '{"n": 1.10}')
        await program.press(KEY)
        await to(program, "prod")
        assert current_call(screen) == ("prod", "demo.echo", '{"n": 1.10}')
        assert screen.has_class("-prod")
        assert isinstance(program.app.focused, Editor)
        assert program.notices == "Loaded demo.echo for profile prod. Nothing was sent."
        assert screen.exchange is None
        assert explorer.recent(9) == []
    assert explorer.last_used == "prod"
    explorer.use("demo")
    assert explorer.draft_of("demo.echo") == '{"n": 1.10}'  # the draft of that profile is kept there


@pytest.mark.thorough
async def test_undo_restores_the_replaced_draft(explorer: Explorer) -> None:
    explorer.use("prod")
    type_in(explorer, "demo.echo", '{"mine": true}')
    explorer.use("demo")

    async with open_program(explorer, profile="demo") as program:
        screen = program.calls
        await write(program, screen, "[2]")
        await program.press(KEY)
        await to(program, "prod")
        assert current_call(screen) == ("prod", "demo.echo", "[2]")
        assert "^Z restores your draft." in program.notices
        await program.press("ctrl+z")
        assert current_call(screen) == ("prod", "demo.echo", '{"mine": true}')
        await program.press("ctrl+y")
        assert current_call(screen) == ("prod", "demo.echo", "[2]")
        await program.press("ctrl+z")
        screen.drafts.write_down()
    assert explorer.draft_of("demo.echo") == '{"mine": true}'


BACK = "replaced_params"


@pytest.mark.thorough
async def test_replaced_draft_can_be_restored_after_a_restart(
    make_explorer: Callable[..., Explorer], explorer: Explorer
) -> None:
    explorer.use("prod")
    type_in(explorer, "demo.echo", '{"mine": true}')
    explorer.use("demo")

    async with open_program(explorer, profile="demo") as program:
        screen = program.calls
        await write(program, screen, "[2]")
        assert not screen.check_action(BACK, ())
        await program.press(KEY)
        await to(program, "prod")
        assert "To restore your draft later, use “restore draft” in the command palette." in program.notices
        screen.drafts.choose("ping")
        assert not screen.check_action(BACK, ())
    again = make_explorer("")

    async with open_program(again, profile="prod") as program:
        screen = program.calls
        screen.drafts.choose("demo.echo")
        assert current_call(screen) == ("prod", "demo.echo", "[2]")
        assert screen.check_action(BACK, ())
        await screen.run_action(BACK)
        assert current_call(screen) == ("prod", "demo.echo", '{"mine": true}')
        await screen.run_action(BACK)
        assert current_call(screen) == ("prod", "demo.echo", "[2]")


@pytest.mark.thorough
async def test_loading_a_recorded_call_keeps_replaced_draft(explorer: Explorer) -> None:
    async with open_program(explorer, profile="demo") as program:
        screen = program.calls
        await write(program, screen, "[1]")
        for number in range(2, 30):
            screen.load(exchange(method="demo.echo", params=f"[{number}]"), ours=True)
        screen.drafts.choose("ping")
        screen.drafts.choose("demo.echo")
        assert current_call(screen) == ("demo", "demo.echo", "[29]")
        await screen.run_action(BACK)
        assert current_call(screen) == ("demo", "demo.echo", "[1]")
        assert not screen.check_action(BACK, ())  # the history has the others


@pytest.mark.thorough
async def test_unusable_profile_says_why_and_keeps_the_call(make_explorer: Callable[..., Explorer]) -> None:
    explorer = make_explorer(
        '[profile.a]\nurl = "http://127.0.0.1:9"\n[profile.broken]\ndescription = "no URL yet"\n'
        '[profile.usable]\nurl = "http://127.0.0.1:9"\n'
    )

    async with open_program(explorer, profile="a") as program:
        await write(program, program.calls, "[1]")
        await program.press(KEY)
        picker = await program.on(Picker)
        said_of = [(item.pick.id, item.pick.words) for item in picker.list.items]
        assert said_of == [("usable", "http://127.0.0.1:9/api/v2/"), ("broken", "cannot be used")]
        await to(program, "broken")
        assert current_call(program.calls) == ("a", "demo.echo", "[1]")
        assert "The call was not loaded: broken cannot be used." in program.notices
        assert "url" in program.notices


@pytest.mark.thorough
async def test_list_does_not_open_without_another_profile(make_explorer: Callable[..., Explorer]) -> None:
    explorer = make_explorer('[profile.a]\nurl = "http://127.0.0.1:9"\n')

    async with open_program(explorer, profile="a") as program:
        await program.press(KEY)
        await program.until(lambda: program.notices == "There is no other profile for this call. Add one first.")
        assert program.app.screen is program.calls
        await program.press("f3", "end", *" 1")
        assert program.calls.params.text.endswith(" 1")


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
async def test_secret_reference_is_not_sent_as_text(make_explorer: Callable[..., Explorer], value: str) -> None:
    with RawServer(http_reply(b"{}")) as server:
        explorer = make_explorer(TWO.format(url=server.origin))

        async with open_program(explorer, profile="one") as program:
            screen = program.calls
            await write(program, screen, json.dumps({"q": value}, ensure_ascii=False))
            await program.press(KEY)
            await to(program, "two")
            assert current_call(screen) == ("two", "demo.echo", f'{{"q": "{value}"}}')
            if value == "«one.password»":
                assert "«one.password» does not work with two: replace it with a value." in program.notices
            await program.press("f5")
            await program.until(lambda: screen.exchange is not None and not screen.running)
            assert screen.exchange is not None
            assert isinstance(screen.exchange.outcome, Refused)
    assert server.requests == []


@pytest.mark.thorough
async def test_reference_to_the_other_profile_is_removed(make_explorer: Callable[..., Explorer]) -> None:
    explorer = make_explorer(TWO.format(url="http://127.0.0.1:9"))

    async with open_program(explorer, profile="one") as program:
        await write(program, program.calls, '{"note": "«two.password»"}')
        await program.press(KEY)
        await to(program, "two")
        assert program.calls.params.text == '{"note": "«not recorded»"}'
        assert "Removed the secret references of two" in program.notices


def record(explorer: Explorer, *calls: Exchange) -> None:
    for call in calls:
        explorer.history.append(call)


async def history(pilot: Pilot[Any]) -> HistoryScreen:
    await pilot.press("f6")
    screen: HistoryScreen = await on(pilot, HistoryScreen)
    await until(pilot, lambda: screen.record is not None)
    return screen


@pytest.mark.thorough
async def test_foreign_record_uses_no_secret_of_target_profile(
    make_explorer: Callable[..., Explorer], tmp_path: Path
) -> None:
    explorer = make_explorer(TWO.format(url="http://127.0.0.1:9"))
    explorer.use("one")
    record(explorer, exchange(0, method="note.write", params='{"text": "«two.password»"}', profile="one"))

    async with open_program(explorer, profile="one") as program:
        await history(program)
        await program.press(KEY)
        await to(program, "two")
        await program.until(lambda: current_call(program.calls) == ("two", "note.write", '{"text": "«not recorded»"}'))


@pytest.mark.thorough
async def test_batch_of_the_history_is_not_moved(explorer: Explorer) -> None:
    explorer.use("demo")
    record(explorer, exchange(0, method="a, b", params="[]", profile="demo", kind="batch"))

    async with open_program(explorer, profile="demo") as program:
        screen = await history(program)
        assert not screen.check_action("to_profile", ())
        await program.press(KEY)
        await program.rest()
        assert program.app.screen is screen


@pytest.mark.thorough
async def test_moved_params_are_not_replaced_by_last_call(explorer: Explorer) -> None:
    prod = explorer.profiles.profiles["prod"]
    explorer.journal.record(exchange(0, profile="prod", url=prod.endpoint, method="ping", params="[7]"), prod)

    async with open_program(explorer, profile="demo") as program:
        screen = program.calls
        await write(program, screen, "[]", "ping")
        await program.press(KEY)
        await to(program, "prod")
        await program.until(lambda: bool(screen.methods.recent))
        await program.rest()
        assert current_call(screen) == ("prod", "ping", "[]")


@pytest.mark.thorough
async def test_one_key_moves_value_to_the_chosen_call(explorer: Explorer) -> None:
    async with open_program(explorer, profile="demo") as program:
        screen = program.calls
        screen.drafts.choose("demo.echo")
        screen.params.replace('{"key": "abc", "n": 1.10}')
        await program.press("f5")
        await program.until(lambda: screen.exchange is not None and not screen.running)
        await program.press("f4", "down", "down", "u", *"ping")
        await program.on(Picker)
        await program.press("enter")
        await program.until(lambda: program.app.screen is screen and screen.method == "ping")
        assert screen.params.text == '["{{last.demo.echo#/n:json}}"]'
        await program.press("f4", "up", "u")
        picker = await program.on(Picker)
        assert picker.list.items[0].pick.id == "ping", "the one used last comes first"
        await program.press(*"echo", "enter")
        await program.until(lambda: screen.method == "demo.echo")
        assert screen.params.text == '{"key": "{{last.demo.echo#/key}}", "n": 1.10}'
        assert screen.params.problem is None
        assert screen.response.check_action("use", ())
        for other in ({"kind": "batch"}, {"outcome": ErrorObject(1, "no", None, b"{}")}):
            screen.exchange = exchange(0, **other)
            await program.pause()
            assert not screen.response.check_action("use", ()), "no newest result has this value"
