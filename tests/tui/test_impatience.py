"""Keys that come too fast, too often or during other work do no harm."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from textual import events
from textual.pilot import Pilot

from rpcexplorer.demo import PASSWORD
from rpcexplorer.explorer import Explorer
from rpcexplorer.model.draft import Batch, Draft
from rpcexplorer.model.exchange import Exchange
from rpcexplorer.rpc.messages import Result
from rpcexplorer.tui.app import ExplorerApp, PersonOnScreen
from rpcexplorer.tui.call.screen import CallScreen
from rpcexplorer.tui.dialogs import Credentials
from rpcexplorer.tui.history import HistoryScreen
from rpcexplorer.tui.profiles import ProfilesScreen
from rpcexplorer.tui.widgets.bars import Bar, Header, WarningLines
from rpcexplorer.tui.widgets.dialog import Confirm
from rpcexplorer.tui.widgets.inputs import Prompt
from rpcexplorer.tui.widgets.picker import Picker
from rpcexplorer.tui.widgets.verdict import ProblemLine
from tests.fakes.wire import HOLD, RawServer, http_reply
from tests.tui.visiting import Scene, burst, drawn, is_on_view, notices, rest, type_in, visit
from tests.tui.waiting import until

Held = tuple[RawServer, Explorer]
"""A server that holds its first request, and its explorer."""
SLOW = """\
version = 1
default = "slow"

[profile.slow]
url = "{url}"
auth = {{ kind = "none" }}

[profile.other]
url = "{url}"
auth = {{ kind = "none" }}
"""


def test_password_typed_ahead_goes_into_its_dialog(make_explorer: Callable[..., Explorer], service: str) -> None:
    explorer = make_explorer(f'version = 1\n[profile.inline]\nurl = "{service}"\nauth = {{ kind = "inline" }}\n')

    async def scene(app: ExplorerApp, pilot: Pilot[Any], screen: CallScreen) -> None:
        before = screen.params.text
        await burst(pilot, "f8", *"ada", "enter", *"secret")
        await until(pilot, lambda: isinstance(app.screen, Credentials))
        await rest(pilot)
        assert isinstance(app.screen, Credentials)
        assert app.screen.values["username"] == "ada"
        assert app.screen.values["password"] == "secret"
        assert screen.params.text == before

    visit(explorer, scene, profile="inline")


@pytest.mark.thorough
def test_letters_before_quitting_are_saved(make_explorer: Callable[..., Explorer], explorer: Explorer) -> None:
    async def scene(app: ExplorerApp, pilot: Pilot[Any], screen: CallScreen) -> None:
        await burst(pilot, *"123", "ctrl+q")
        await until(pilot, lambda: not app._running or app._exit)

    visit(explorer, scene)
    again = make_explorer("")
    again.use("demo")
    assert again.draft_of("ping") == "[123]"


def test_two_enters_answer_a_dialog_once(explorer: Explorer) -> None:
    async def scene(app: ExplorerApp, pilot: Pilot[Any], screen: CallScreen) -> None:
        screen.drafts.choose("demo.unknown")
        before = screen.params.text
        await pilot.press("f5")
        await until(pilot, lambda: isinstance(app.screen, Confirm))
        await burst(pilot, "enter", "enter")
        await rest(pilot)
        assert app.screen is screen
        assert screen.exchange is None
        assert screen.params.text == before

    visit(explorer, scene, profile="prod")


@pytest.fixture
def held(make_explorer: Callable[..., Explorer]) -> Any:
    with RawServer([HOLD, http_reply(b'{"jsonrpc": "2.0", "id": "1", "result": "late"}')]) as server:
        yield server, make_explorer(SLOW.format(url=server.origin))


def while_sending(held: Held, scene: Scene) -> None:
    """Run a scene on the call screen while the server holds a call."""
    server, explorer = held

    async def story(app: ExplorerApp, pilot: Pilot[Any], screen: CallScreen) -> None:
        await pilot.press("f5")
        await until(pilot, lambda: len(server.requests) == 1)
        await scene(app, pilot, screen)

    visit(explorer, story, profile="slow")


@pytest.mark.thorough
def test_other_screens_cancel_no_call(held: Held) -> None:
    server, _ = held

    async def scene(app: ExplorerApp, pilot: Pilot[Any], screen: CallScreen) -> None:
        for key in ("f6", "f7", "f6"):
            await pilot.press(key)
            await rest(pilot)
        assert isinstance(app.screen, HistoryScreen)
        await pilot.press("escape")
        await until(pilot, lambda: app.screen is screen)
        assert screen.running
        server.release()
        await until(pilot, lambda: screen.exchange is not None)
        assert screen.exchange is not None
        assert isinstance(screen.exchange.outcome, Result)

    while_sending(held, scene)


def test_profile_change_cancels_call_of_the_old_one(held: Held) -> None:
    _, explorer = held

    async def scene(app: ExplorerApp, pilot: Pilot[Any], screen: CallScreen) -> None:
        await pilot.press("f7")
        await until(pilot, lambda: isinstance(app.screen, ProfilesScreen))
        await rest(pilot)
        await pilot.press("up", "enter")
        await until(pilot, lambda: app.screen is screen and explorer.profile is not None)
        await until(pilot, lambda: not screen.running)
        assert explorer.profile is not None
        assert explorer.profile.name == "other"
        assert screen.exchange is None
        assert explorer.recent(5) == []
        explorer.use("slow")
        (record,) = explorer.recent(5)
        assert (record.profile, record.outcome_name) == ("slow", "cancelled")

    while_sending(held, scene)


async def cancelled_call(pilot: Pilot[Any], screen: CallScreen) -> Exchange:
    """Cancel the running call; return its exchange."""
    await pilot.press("escape")
    await until(pilot, lambda: screen.exchange is not None)
    assert screen.exchange is not None
    return screen.exchange


@pytest.mark.thorough
def test_late_response_does_not_replace_a_loaded_call(held: Held) -> None:
    server, _ = held

    async def scene(app: ExplorerApp, pilot: Pilot[Any], screen: CallScreen) -> None:
        cancelled = await cancelled_call(pilot, screen)
        await pilot.press("f5")
        await until(pilot, lambda: len(server.requests) == 2)
        screen.load(cancelled, ours=True)
        server.release()
        await until(pilot, lambda: "ping has finished: result" in notices(app))
        assert not screen.running
        assert screen.exchange is cancelled

    while_sending(held, scene)


@pytest.mark.thorough
def test_response_of_another_method_names_it(explorer: Explorer) -> None:
    async def scene(app: ExplorerApp, pilot: Pilot[Any], screen: CallScreen) -> None:
        await pilot.press("f5")
        await until(pilot, lambda: screen.exchange is not None)
        bar = screen.response.query_one(Bar)
        assert "of ping" not in drawn(bar)
        screen.drafts.choose("arg_test")
        await rest(pilot)
        assert "  of ping   200 · " in drawn(bar)

    visit(explorer, scene)


@pytest.mark.thorough
def test_resent_notification_and_batch_keep_their_kind(explorer: Explorer) -> None:
    async def made() -> None:
        explorer.use("demo")
        await explorer.call(Draft("ping", notification=True))
        await explorer.call(Batch('[{"method": "ping"}, {"method": "ping"}]'))

    asyncio.run(made())

    async def scene(app: ExplorerApp, pilot: Pilot[Any], screen: CallScreen) -> None:
        for kind in ("batch", "notification"):
            found = next(record for record in explorer.recent(9) if record.kind == kind)
            before = len(explorer.recent(9))
            screen.again(found, ours=True)
            await until(pilot, lambda before=before: len(explorer.recent(9)) > before and not screen.running)  # type: ignore[misc]
            assert explorer.recent(9)[0].kind == kind

    visit(explorer, scene)


@pytest.mark.thorough
@pytest.mark.parametrize("way", ["key", "signal"])
def test_quitting_does_not_wait_for_an_answer(explorer: Explorer, way: str) -> None:
    async def scene(app: ExplorerApp, pilot: Pilot[Any], screen: CallScreen) -> None:
        screen.drafts.choose("demo.unknown")
        await pilot.press("f5")
        await until(pilot, lambda: isinstance(app.screen, Confirm))
        if way == "key":
            await pilot.press("ctrl+q")
        else:
            await app.action_quit()
        await until(pilot, lambda: app._exit)
        assert screen.exchange is None

    visit(explorer, scene, profile="prod")


@pytest.mark.thorough
def test_repeated_quit_does_not_wait_for_keys(explorer: Explorer) -> None:
    async def scene(app: ExplorerApp, pilot: Pilot[Any], screen: CallScreen) -> None:
        app.pending.wait("what never comes")
        await burst(pilot, "x", "ctrl+q")
        await rest(pilot)
        assert not app._exit
        later = events.Key("ctrl+q", None)
        later.time += 2
        app.post_message(later)
        await until(pilot, lambda: app._exit)
        assert screen.params.text == "[]"

    visit(explorer, scene)


@pytest.mark.thorough
def test_quitting_records_the_call_behind_a_dialog(held: Held) -> None:
    _, explorer = held

    async def scene(app: ExplorerApp, pilot: Pilot[Any], screen: CallScreen) -> None:
        await pilot.press("ctrl+p")
        await until(pilot, lambda: isinstance(app.screen, Picker))
        await pilot.press("ctrl+q")
        await until(pilot, lambda: app._exit)

    while_sending(held, scene)
    assert [record.outcome_name for record in explorer.recent(5)] == ["cancelled"]


@pytest.mark.thorough
def test_unwritable_draft_is_reported_once_and_in_header(explorer: Explorer) -> None:
    explorer.paths.drafts.parent.mkdir(parents=True, exist_ok=True)
    explorer.paths.drafts.write_text("a file where the folder should be")

    async def scene(app: ExplorerApp, pilot: Pilot[Any], screen: CallScreen) -> None:
        for text in ("[1]", "[2]", "[3]"):
            screen.params.replace(text)
            await pilot.pause()
            screen.drafts.write_down()
        assert notices(app).count("kept only until you quit") == 1
        assert "draft not saved" in drawn(screen.query_one(Header))

    visit(explorer, scene)


def test_permission_for_today_holds_for_its_server(explorer: Explorer, person: PersonOnScreen) -> None:
    from msgspec.structs import replace

    from rpcexplorer.tui.dialogs import _bound, is_quiet

    explorer.use("prod")
    profile = explorer.profile
    assert profile is not None
    explorer.remembered.quiet("prod", _bound(profile, "user.delete"))
    assert is_quiet(explorer, Draft("user.delete"))
    explorer.profile = replace(profile, url="https://elsewhere.example")
    assert not is_quiet(explorer, Draft("user.delete"))
    explorer.profile = replace(profile, confirm="always")
    assert not is_quiet(explorer, Draft("user.delete"))


@pytest.mark.thorough
def test_password_typed_after_sending_goes_to_its_prompt(
    make_explorer: Callable[..., Explorer], service: str, tmp_path: Path
) -> None:
    profile = f'version = 1\n[profile.inline]\nurl = "{service}"\nauth = {{ kind = "inline", username = "demo" }}\n'
    explorer = make_explorer(profile)

    async def scene(app: ExplorerApp, pilot: Pilot[Any], screen: CallScreen) -> None:
        screen.drafts.choose("arg_test")
        await burst(pilot, "f5", *PASSWORD, "enter")
        await until(pilot, lambda: screen.exchange is not None)
        assert screen.params.text == "[]"
        assert screen.exchange is not None
        assert screen.exchange.outcome_name == "result"

    visit(explorer, scene, profile="inline")
    assert not any(PASSWORD.encode() in file.read_bytes() for file in tmp_path.rglob("*") if file.is_file())


@pytest.mark.thorough
def test_letters_after_enter_are_not_in_entered_text(explorer: Explorer) -> None:
    async def scene(app: ExplorerApp, pilot: Pilot[Any], screen: CallScreen) -> None:
        await burst(pilot, "f2", *"arg_test", "enter", "1", "2")
        await until(pilot, lambda: screen.method.startswith("arg_test"))
        await rest(pilot)
        assert screen.method == "arg_test"
        await pilot.press("f5")
        await until(pilot, lambda: screen.exchange is not None)
        await pilot.press("f4")
        await burst(pilot, "slash", *"code", "enter", "x")
        await rest(pilot)
        assert screen.response.body.reader.find.needle == "code"

    visit(explorer, scene)


@pytest.mark.thorough
def test_profile_removed_during_discovery_causes_no_crash(held: Held) -> None:
    server, explorer = held

    async def scene(app: ExplorerApp, pilot: Pilot[Any], screen: CallScreen) -> None:
        await pilot.press("f9")
        await until(pilot, lambda: len(server.requests) == 1)
        await pilot.press("f7")
        await until(pilot, lambda: isinstance(app.screen, ProfilesScreen))
        await rest(pilot)
        await pilot.press("delete")
        await until(pilot, lambda: isinstance(app.screen, Confirm))
        await pilot.press("right", "enter")
        await until(pilot, lambda: explorer.profile is None)
        await pilot.press("f6")
        await until(pilot, lambda: isinstance(app.screen, HistoryScreen))
        server.release()
        await until(pilot, lambda: not screen.running)
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, ProfilesScreen))

    visit(explorer, scene, profile="slow")


@pytest.mark.thorough
def test_call_loaded_during_discovery_shows_next_response(held: Held) -> None:
    server, _ = held

    async def scene(app: ExplorerApp, pilot: Pilot[Any], screen: CallScreen) -> None:
        cancelled = await cancelled_call(pilot, screen)
        await pilot.press("f9")
        await until(pilot, lambda: screen.running is not None and screen.running.words == "discovering")
        screen.load(cancelled, ours=True)
        server.release()
        await until(pilot, lambda: not screen.running)
        await pilot.press("f5")
        await until(pilot, lambda: screen.exchange is not cancelled)

    while_sending(held, scene)


@pytest.mark.thorough
@pytest.mark.parametrize(("size", "keys"), [((120, 40), ("f4", "z")), ((80, 24), ("f2",))], ids=["zoomed", "narrow"])
def test_reason_of_unsent_call_is_visible_behind_covers(
    explorer: Explorer, size: tuple[int, int], keys: tuple[str, ...]
) -> None:
    async def scene(app: ExplorerApp, pilot: Pilot[Any], screen: CallScreen) -> None:
        await pilot.press("f5")
        await until(pilot, lambda: screen.exchange is not None)
        screen.params.replace("{")
        await pilot.press(*keys, "f5")
        await rest(pilot)
        assert is_on_view(screen.params)
        assert "not sent" in drawn(screen.query_one(ProblemLine))

    visit(explorer, scene, size=size)


@pytest.mark.thorough
def test_banner_and_search_follow_the_shown_text(explorer: Explorer) -> None:
    async def scene(app: ExplorerApp, pilot: Pilot[Any], screen: CallScreen) -> None:
        await pilot.press("f5")
        await until(pilot, lambda: screen.exchange is not None)
        pane = screen.response
        await pilot.press("f4", "f")
        await type_in(pilot, ".code")  # in one piece: a slow machine would try half of it
        await pilot.press("enter")
        await until(pilot, lambda: pane.body.made == b"-32001\n")
        await pilot.press("f", "end", "left_square_bracket")  # never empty: a slow machine would try that
        await pilot.press("enter")
        await until(
            pilot,
            lambda: pane.transform is not None and not pane.transform.is_running and pane.transform.label == ".code[",
        )
        text = "".join(text for text, _ in pane.query_one(WarningLines).pieces)
        assert " FILTERED   .code   .code[: jq:" in text
        await pilot.press("right_square_bracket")
        assert "FILTERED" not in "".join(text for text, _ in pane.query_one(WarningLines).pieces)
        await pilot.press("slash", *"message", "enter", "left_square_bracket")
        assert pane.body.reader.find.needle == "message"
        await pilot.press("escape")
        assert not pane.query_one(Prompt).is_open

    visit(explorer, scene)


@pytest.mark.thorough
def test_repeated_key_behind_others_is_not_dropped(explorer: Explorer) -> None:
    async def scene(app: ExplorerApp, pilot: Pilot[Any], calls: CallScreen) -> None:
        calls.params.replace("[")
        await burst(pilot, "ctrl+p", *"undo", "enter")  # Enter closes the palette
        await until(pilot, lambda: app.screen is calls)
        await burst(pilot, "end", "x", "enter", "y")
        await until(pilot, lambda: calls.params.text.endswith("y"))
        assert "\n" in calls.params.text

    visit(explorer, scene)
