"""Moving a call to another profile: nothing is sent, and no draft is lost."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from rpcexplorer.explorer import Explorer
from rpcexplorer.model.exchange import Refused
from rpcexplorer.rpc.messages import ErrorObject
from rpcexplorer.tui.history import HistoryScreen
from rpcexplorer.tui.widgets.editor import Editor
from rpcexplorer.tui.widgets.picker import Picker
from tests.fakes.editor import type_in
from tests.fakes.wire import RawServer, http_reply
from tests.history.recording import exchange
from tests.tui.program import Program, open_program

KEY = "ctrl+n"
BACK = "replaced_params"
Make = Callable[..., Explorer]


async def move_to(program: Program, name: str) -> None:
    """Choose a profile for the current call."""
    await program.press(KEY)
    await program.choose(name)
    await program.rest()


def current_call(program: Program) -> tuple[str, str, str]:
    """Return profile, method and params."""
    calls = program.calls
    assert calls.explorer.profile is not None
    return calls.explorer.profile.name, calls.method, calls.params.text


async def test_method_and_params_are_moved_and_nothing_sent(explorer: Explorer) -> None:
    async with open_program(explorer, profile="demo") as program:
        await program.write("demo.echo", '{"n": 1.10}')
        await move_to(program, "prod")
        assert current_call(program) == ("prod", "demo.echo", '{"n": 1.10}')
        assert program.calls.has_class("-prod")
        assert isinstance(program.app.focused, Editor)
        assert program.notices == "Loaded demo.echo for profile prod. Nothing was sent."
        assert explorer.recent(9) == []
    assert explorer.last_used == "prod"
    explorer.use("demo")
    assert explorer.draft_of("demo.echo") == '{"n": 1.10}'  # the draft of that profile is kept there


@pytest.mark.thorough
async def test_replaced_draft_can_be_restored_also_after_a_restart(make_explorer: Make, explorer: Explorer) -> None:
    ours, moved = ("prod", "demo.echo", '{"mine": true}'), ("prod", "demo.echo", "[2]")
    explorer.use("prod")
    type_in(explorer, "demo.echo", '{"mine": true}')
    explorer.use("demo")

    async with open_program(explorer, profile="demo") as program:
        calls = program.calls
        await program.write("demo.echo", "[2]")
        assert not calls.check_action(BACK, ())
        await move_to(program, "prod")
        assert current_call(program) == moved
        assert "^Z restores your draft." in program.notices
        assert "To restore your draft later, use “restore draft” in the command palette." in program.notices
        await program.press("ctrl+z")
        assert current_call(program) == ours
        await program.press("ctrl+y")
        assert current_call(program) == moved
        calls.drafts.choose("ping")
        assert not calls.check_action(BACK, ())

    async with open_program(make_explorer(""), profile="prod") as program:
        calls = program.calls
        calls.drafts.choose("demo.echo")
        assert current_call(program) == moved
        for restored in (ours, moved, ours):
            assert calls.check_action(BACK, ())
            await calls.run_action(BACK)
            assert current_call(program) == restored
        calls.drafts.write_down()
        assert calls.explorer.draft_of("demo.echo") == '{"mine": true}'


@pytest.mark.thorough
async def test_loading_a_recorded_call_keeps_replaced_draft(explorer: Explorer) -> None:
    async with open_program(explorer, profile="demo") as program:
        calls = program.calls
        await program.write("demo.echo", "[1]")
        for number in range(2, 30):
            calls.load(exchange(method="demo.echo", params=f"[{number}]"), ours=True)
        calls.drafts.choose("ping")
        calls.drafts.choose("demo.echo")
        assert current_call(program) == ("demo", "demo.echo", "[29]")
        await calls.run_action(BACK)
        assert current_call(program) == ("demo", "demo.echo", "[1]")
        assert not calls.check_action(BACK, ())  # the history has the others


@pytest.mark.thorough
async def test_unusable_profile_says_why_and_keeps_the_call(make_explorer: Make) -> None:
    explorer = make_explorer(
        '[profile.a]\nurl = "http://127.0.0.1:9"\n[profile.broken]\ndescription = "no URL yet"\n'
        '[profile.usable]\nurl = "http://127.0.0.1:9"\n'
    )

    async with open_program(explorer, profile="a") as program:
        await program.write("demo.echo", "[1]")
        await program.press(KEY)
        picker = await program.on(Picker)
        offered = [(item.pick.id, item.pick.words) for item in picker.list.items]
        assert offered == [("usable", "http://127.0.0.1:9/api/v2/"), ("broken", "cannot be used")]
        await program.press("escape")
        await move_to(program, "broken")
        assert current_call(program) == ("a", "demo.echo", "[1]")
        assert "The call was not loaded: broken cannot be used." in program.notices
        assert "url" in program.notices


@pytest.mark.thorough
async def test_list_does_not_open_without_another_profile(make_explorer: Make) -> None:
    async with open_program(make_explorer('[profile.a]\nurl = "http://127.0.0.1:9"\n'), profile="a") as program:
        await program.play("ctrl+n | There is no other profile for this call. Add one first.\n f3 end space 1 | [] 1")


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
async def test_secret_reference_is_not_sent_as_text(make_explorer: Make, value: str) -> None:
    with RawServer(http_reply(b"{}")) as server:
        async with open_program(make_explorer(TWO.format(url=server.origin)), profile="one") as program:
            await program.write("demo.echo", json.dumps({"q": value}, ensure_ascii=False))
            await move_to(program, "two")
            assert current_call(program) == ("two", "demo.echo", f'{{"q": "{value}"}}')
            if value == "«one.password»":
                assert "«one.password» does not work with two: replace it with a value." in program.notices
            assert isinstance((await program.sent()).outcome, Refused)
    assert server.requests == []


@pytest.mark.thorough
async def test_reference_to_the_other_profile_is_removed(make_explorer: Make) -> None:
    async with open_program(make_explorer(TWO.format(url="http://127.0.0.1:9")), profile="one") as program:
        await program.write("demo.echo", '{"note": "«two.password»"}')
        await move_to(program, "two")
        assert program.calls.params.text == '{"note": "«not recorded»"}'
        assert "Removed the secret references of two" in program.notices


async def history(program: Program) -> HistoryScreen:
    await program.press("f6")
    screen: HistoryScreen = await program.on(HistoryScreen)
    await program.until(lambda: screen.record is not None)
    return screen


@pytest.mark.thorough
async def test_foreign_record_uses_no_secret_of_target_profile(make_explorer: Make) -> None:
    explorer = make_explorer(TWO.format(url="http://127.0.0.1:9"))
    explorer.history.append(exchange(0, method="note.write", params='{"text": "«two.password»"}', profile="one"))

    async with open_program(explorer, profile="one") as program:
        await history(program)
        await move_to(program, "two")
        await program.until(lambda: current_call(program) == ("two", "note.write", '{"text": "«not recorded»"}'))


@pytest.mark.thorough
async def test_batch_of_the_history_is_not_moved(explorer: Explorer) -> None:
    explorer.history.append(exchange(0, method="a, b", params="[]", profile="demo", kind="batch"))

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
        await program.write("ping", "[]")
        await move_to(program, "prod")
        await program.until(lambda: bool(program.calls.methods.recent))
        await program.rest()
        assert current_call(program) == ("prod", "ping", "[]")


@pytest.mark.thorough
async def test_one_key_moves_value_to_the_chosen_call(explorer: Explorer) -> None:
    async with open_program(explorer, profile="demo") as program:
        calls = program.calls
        await program.play("""
            send demo.echo {"key": "abc", "n": 1.10}
            down down u
            choose ping | 1 ["{{last.demo.echo#/n:json}}"]
            f4 up u
        """)
        picker = await program.on(Picker)
        assert picker.list.items[0].pick.id == "ping", "the one used last comes first"
        await program.choose("echo")
        await program.until(lambda: calls.method == "demo.echo")
        assert calls.params.text == '{"key": "{{last.demo.echo#/key}}", "n": 1.10}'
        assert calls.params.problem is None
        assert calls.response.check_action("use", ())
        for other in ({"kind": "batch"}, {"outcome": ErrorObject(1, "no", None, b"{}")}):
            calls.exchange = exchange(0, **other)
            await program.pause()
            assert not calls.response.check_action("use", ()), "no newest result has this value"
