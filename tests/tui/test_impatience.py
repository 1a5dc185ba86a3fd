"""Keys that come too fast, too often or in the middle of something: none does harm or lands where it should not."""

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
from tests.tui.visiting import Scene, burst, drawn, rest, said, type_in, visit
from tests.tui.waiting import until

Held = tuple[RawServer, Explorer]
"""A server that holds what it is asked first, and an explorer that asks it."""
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


# --- keys for what is about to open ------------------------------------------------------------------------------


def test_a_password_typed_before_its_dialog_is_there_goes_into_the_dialog(
    make_explorer: Callable[..., Explorer], service: str
) -> None:
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
def test_letters_right_before_the_end_are_kept(make_explorer: Callable[..., Explorer], explorer: Explorer) -> None:
    async def scene(app: ExplorerApp, pilot: Pilot[Any], screen: CallScreen) -> None:
        await burst(pilot, *"123", "ctrl+q")
        await until(pilot, lambda: not app._running or app._exit)

    visit(explorer, scene)
    again = make_explorer("")
    again.use("demo")
    assert again.draft_of("ping") == "[123]"


# --- keys that come twice ----------------------------------------------------------------------------------------


def test_two_enters_answer_a_question_once(explorer: Explorer) -> None:
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


# --- while a call runs -------------------------------------------------------------------------------------------


@pytest.fixture
def held(make_explorer: Callable[..., Explorer]) -> Any:
    with RawServer([HOLD, http_reply(b'{"jsonrpc": "2.0", "id": "1", "result": "late"}')]) as server:
        yield server, make_explorer(SLOW.format(url=server.origin))


def while_sending(held: Held, scene: Scene) -> None:
    """The call screen, a call on its way that the server holds."""
    server, explorer = held

    async def story(app: ExplorerApp, pilot: Pilot[Any], screen: CallScreen) -> None:
        await pilot.press("f5")
        await until(pilot, lambda: len(server.requests) == 1)
        await scene(app, pilot, screen)

    visit(explorer, story, profile="slow")


@pytest.mark.thorough
def test_looking_at_other_screens_cancels_nothing(held: Held) -> None:
    server, _ = held

    async def scene(app: ExplorerApp, pilot: Pilot[Any], screen: CallScreen) -> None:
        for key in ("f6", "f7", "f6"):
            await pilot.press(key)
            await rest(pilot)
        assert isinstance(app.screen, HistoryScreen)
        await pilot.press("escape")
        await until(pilot, lambda: app.screen is screen)
        assert screen.what
        server.release()
        await until(pilot, lambda: screen.exchange is not None)
        assert screen.exchange is not None
        assert isinstance(screen.exchange.outcome, Result)

    while_sending(held, scene)


def test_a_change_of_profile_ends_the_call_and_its_record_belongs_to_the_old_one(held: Held) -> None:
    _, explorer = held

    async def scene(app: ExplorerApp, pilot: Pilot[Any], screen: CallScreen) -> None:
        await pilot.press("f7")
        await until(pilot, lambda: isinstance(app.screen, ProfilesScreen))
        await rest(pilot)
        await pilot.press("up", "enter")
        await until(pilot, lambda: app.screen is screen and explorer.profile is not None)
        await until(pilot, lambda: not screen.what)
        assert explorer.profile is not None
        assert explorer.profile.name == "other"
        assert screen.exchange is None
        assert explorer.recent(5) == []
        explorer.use("slow")
        (record,) = explorer.recent(5)
        assert (record.profile, record.outcome_name) == ("slow", "cancelled")

    while_sending(held, scene)


async def cancelled_call(pilot: Pilot[Any], screen: CallScreen) -> Exchange:
    """Cancel the call that runs; what came of it."""
    await pilot.press("escape")
    await until(pilot, lambda: screen.exchange is not None)
    assert screen.exchange is not None
    return screen.exchange


@pytest.mark.thorough
def test_a_late_reply_does_not_take_the_place_of_a_call_that_was_loaded_meanwhile(held: Held) -> None:
    server, _ = held

    async def scene(app: ExplorerApp, pilot: Pilot[Any], screen: CallScreen) -> None:
        cancelled = await cancelled_call(pilot, screen)
        await pilot.press("f5")
        await until(pilot, lambda: len(server.requests) == 2)
        screen.load(cancelled, ours=True)
        server.release()
        await until(pilot, lambda: "ping has ended: result" in said(app))
        assert not screen.what
        assert screen.exchange is cancelled

    while_sending(held, scene)


@pytest.mark.thorough
def test_a_reply_that_is_not_the_editors_says_whose_it_is(explorer: Explorer) -> None:
    async def scene(app: ExplorerApp, pilot: Pilot[Any], screen: CallScreen) -> None:
        await pilot.press("f5")
        await until(pilot, lambda: screen.exchange is not None)
        bar = screen.response.query_one(Bar)
        assert "of ping" not in drawn(bar)
        screen.drafts.choose("arg_test")
        await rest(pilot)
        assert "  of ping   HTTP 200" in drawn(bar)

    visit(explorer, scene)


@pytest.mark.thorough
def test_a_notification_is_sent_again_as_one_and_a_batch_as_a_batch(explorer: Explorer) -> None:
    async def made() -> None:
        explorer.use("demo")
        await explorer.call(Draft("ping", notification=True))
        await explorer.call(Batch('[{"method": "ping"}, {"method": "ping"}]'))

    asyncio.run(made())

    async def scene(app: ExplorerApp, pilot: Pilot[Any], screen: CallScreen) -> None:
        for kind in ("batch", "notification"):
            found = next(each for each in explorer.recent(9) if each.kind == kind)
            before = len(explorer.recent(9))
            screen.again(found, ours=True)
            await until(pilot, lambda before=before: len(explorer.recent(9)) > before and not screen.what)  # type: ignore[misc]
            assert explorer.recent(9)[0].kind == kind

    visit(explorer, scene)


# --- leaving -----------------------------------------------------------------------------------------------------


@pytest.mark.thorough
@pytest.mark.parametrize("way", ["key", "signal"])
def test_leaving_waits_for_no_answer_to_a_question(explorer: Explorer, way: str) -> None:
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
def test_leaving_waits_for_ever_for_nothing_that_keys_wait_for(explorer: Explorer) -> None:
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
def test_leaving_while_a_call_runs_and_a_dialog_is_open_ends_and_records_it(held: Held) -> None:
    _, explorer = held

    async def scene(app: ExplorerApp, pilot: Pilot[Any], screen: CallScreen) -> None:
        await pilot.press("ctrl+p")
        await until(pilot, lambda: isinstance(app.screen, Picker))
        await pilot.press("ctrl+q")
        await until(pilot, lambda: app._exit)

    while_sending(held, scene)
    assert [each.outcome_name for each in explorer.recent(5)] == ["cancelled"]


# --- what could not be kept --------------------------------------------------------------------------------------


@pytest.mark.thorough
def test_a_draft_that_cannot_be_written_is_said_once_and_stands_in_the_header(explorer: Explorer) -> None:
    explorer.paths.drafts.parent.mkdir(parents=True, exist_ok=True)
    explorer.paths.drafts.write_text("a file where the folder should be")

    async def scene(app: ExplorerApp, pilot: Pilot[Any], screen: CallScreen) -> None:
        for text in ("[1]", "[2]", "[3]"):
            screen.params.replace(text)
            await pilot.pause()
            screen.drafts.write_down()
        assert said(app).count("kept only until you quit") == 1
        assert "draft not saved" in drawn(screen.query_one(Header))

    visit(explorer, scene)


def test_a_yes_for_today_holds_for_the_server_it_was_said_of(explorer: Explorer, person: PersonOnScreen) -> None:
    from msgspec.structs import replace

    from rpcexplorer.tui.dialogs import _bound, _is_quiet

    explorer.use("prod")
    profile = explorer.profile
    assert profile is not None
    explorer.remembered.quiet("prod", _bound(profile, "user.delete"))
    assert _is_quiet(explorer, Draft("user.delete"))
    explorer.profile = replace(profile, url="https://elsewhere.example")
    assert not _is_quiet(explorer, Draft("user.delete"))
    explorer.profile = replace(profile, confirm="always")
    assert not _is_quiet(explorer, Draft("user.delete"))


# --- one thing in the middle of another --------------------------------------------------------------------------


@pytest.mark.thorough
def test_a_password_typed_right_after_sending_goes_to_whoever_asks_for_it(
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
def test_letters_after_enter_are_no_part_of_what_was_entered(explorer: Explorer) -> None:
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
def test_a_profile_that_is_removed_while_it_is_asked_for_its_methods_is_no_mistake(held: Held) -> None:
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
        server.release()
        await until(pilot, lambda: not screen.what)
        assert isinstance(app.screen, ProfilesScreen)

    visit(explorer, scene, profile="slow")


@pytest.mark.thorough
def test_a_call_loaded_during_a_discovery_does_not_hide_the_next_reply(held: Held) -> None:
    server, _ = held

    async def scene(app: ExplorerApp, pilot: Pilot[Any], screen: CallScreen) -> None:
        cancelled = await cancelled_call(pilot, screen)
        await pilot.press("f9")
        await until(pilot, lambda: screen.what == "discovering")
        screen.load(cancelled, ours=True)
        server.release()
        await until(pilot, lambda: not screen.what)
        await pilot.press("f5")
        await until(pilot, lambda: screen.exchange is not cancelled)

    while_sending(held, scene)


@pytest.mark.thorough
@pytest.mark.parametrize(("size", "keys"), [((120, 40), ("f4", "z")), ((80, 24), ("f2",))], ids=["zoomed", "narrow"])
def test_why_nothing_was_sent_is_seen_whatever_covers_it(
    explorer: Explorer, size: tuple[int, int], keys: tuple[str, ...]
) -> None:
    async def scene(app: ExplorerApp, pilot: Pilot[Any], screen: CallScreen) -> None:
        await pilot.press("f5")
        await until(pilot, lambda: screen.exchange is not None)
        screen.params.replace("{")
        await pilot.press(*keys, "f5")
        await rest(pilot)
        assert screen.params.is_on_view
        assert "not sent" in drawn(screen.query_one(ProblemLine))

    visit(explorer, scene, size=size)


@pytest.mark.thorough
def test_the_banner_is_about_what_is_on_view_and_a_search_goes_along(explorer: Explorer) -> None:
    async def scene(app: ExplorerApp, pilot: Pilot[Any], screen: CallScreen) -> None:
        await pilot.press("f5")
        await until(pilot, lambda: screen.exchange is not None)
        pane = screen.response
        await pilot.press("f4", "f")
        await type_in(pilot, ".code")  # at once, as a slow machine would try half of it
        await pilot.press("enter")
        await until(pilot, lambda: pane.body.made == b"-32001\n")
        await pilot.press("f", "end", "left_square_bracket")  # never empty: a slow machine tries that
        await pilot.press("enter")
        await until(pilot, lambda: not pane.transform.is_running and pane.transform.label == ".code[")
        told = "".join(text for text, _ in pane.query_one(WarningLines).pieces)
        assert " FILTERED   .code   .code[: jq:" in told
        await pilot.press("right_square_bracket")
        assert "FILTERED" not in "".join(text for text, _ in pane.query_one(WarningLines).pieces)
        await pilot.press("slash", *"message", "enter", "left_square_bracket")
        assert pane.body.reader.find.needle == "message"
        await pilot.press("escape")
        assert not pane.query_one(Prompt).is_open

    visit(explorer, scene)


@pytest.mark.thorough
def test_a_key_that_comes_again_behind_others_is_meant(explorer: Explorer) -> None:
    async def scene(app: ExplorerApp, pilot: Pilot[Any], calls: CallScreen) -> None:
        calls.params.replace("[")
        await burst(pilot, "ctrl+p", *"undo", "enter")  # the palette is closed by Enter
        await until(pilot, lambda: app.screen is calls)
        await burst(pilot, "end", "x", "enter", "y")
        await until(pilot, lambda: calls.params.text.endswith("y"))
        assert "\n" in calls.params.text

    visit(explorer, scene)
