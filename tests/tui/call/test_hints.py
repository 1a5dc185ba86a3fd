"""A hint changes the profile after a confirmation, and resends the call."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from rpcexplorer.discovery.methods import Discovery
from rpcexplorer.explorer import Explorer
from rpcexplorer.model.exchange import Exchange
from rpcexplorer.model.method import Method
from rpcexplorer.model.profile import ad_hoc
from rpcexplorer.rpc.messages import Result
from rpcexplorer.secrets.leaks import Git
from rpcexplorer.tui.app import ExplorerApp
from rpcexplorer.tui.call.screen import CallScreen
from rpcexplorer.tui.dialogs import AskSecret, Credentials
from rpcexplorer.tui.profile_form import ProfileForm
from rpcexplorer.tui.profiles import ProfilesScreen
from rpcexplorer.tui.widgets.dialog import Confirm, Form
from tests.fakes.wire import RawServer, Received, Script, http_reply
from tests.history.recording import exchange as recorded
from tests.tui.visiting import notices, on, shown, type_in, visit
from tests.tui.waiting import until

WRONG_TYPE = http_reply(b"", 415)
PONG = http_reply(b'{"jsonrpc":"2.0","id":null,"result":"pong"}')
ELSEWHERE = http_reply(b"", 307, {"Location": "http://127.0.0.1:9/rpc"})
Scene = Callable[[ExplorerApp, Pilot[Any], CallScreen], Any]


@pytest.fixture
def called(tmp_path: Path, make_explorer: Callable[..., Explorer]) -> Callable[..., RawServer]:
    """Call ``ping`` with a profile of the user file, then run a scene."""

    def call(
        scene: Scene, *scripts: Script, auth: str = "none", team: str = "", more: str = "", **variables: str
    ) -> RawServer:
        with RawServer(*scripts) as server:
            filed = f'version = 1\n\n[profile.node]\nurl = "{server.origin}"\nauth = {{ kind = "{auth}" }}\n{more}'
            own = tmp_path / "home" / "config" / "sessions.toml"
            own.parent.mkdir(parents=True)
            own.write_text(filed)
            explorer = make_explorer(team, RPCEXPLORER_NODE_USERNAME="ada", **variables)

            async def story(app: ExplorerApp, pilot: Pilot[Any], calls: CallScreen) -> None:
                calls.drafts.choose("ping")
                await pilot.press("f5")
                await until(
                    pilot, lambda: app.screen is not calls or (calls.exchange is not None and not calls.running)
                )
                await scene(app, pilot, calls)

            visit(explorer, story, profile="node")
        return server

    return call


def hint_text(calls: CallScreen) -> str:
    """Return the hint on screen."""
    return "".join(text for text, _ in (calls.offered.words if calls.offered else ()))


async def asked(pilot: Pilot[Any]) -> str:
    """Accept the hint; return the text of the dialog."""
    await pilot.press("ctrl+r")
    return shown(await on(pilot, Confirm))


async def sent(pilot: Pilot[Any], calls: CallScreen, *keys: str) -> Exchange:
    """Press keys, and wait for the exchange."""
    before = calls.exchange
    await pilot.press(*keys)
    await until(pilot, lambda: calls.exchange is not before and not calls.running)
    assert calls.exchange is not None
    return calls.exchange


Called = Callable[..., RawServer]


def test_hint_shows_change_and_file_writes_and_resends(called: Called, tmp_path: Path) -> None:
    file = tmp_path / "home" / "config" / "sessions.toml"

    async def scene(app: ExplorerApp, pilot: Pilot[Any], calls: CallScreen) -> None:
        assert "^R set content_type to application/json in node and resend" in hint_text(calls)
        question = await asked(pilot)
        assert all(text in question for text in ("application/json-rpc → application/json", str(file)))
        await pilot.press("escape")
        await until(pilot, lambda: app.screen is calls)
        assert "content_type" not in file.read_text(), "it was cancelled"
        await asked(pilot)
        assert calls.header.profile is not None
        known = Method("ping", doc="Answers.", source="discovered")
        calls.explorer.method_lists.settle(
            calls.header.profile, Discovery(datetime(2026, 1, 2, tzinfo=UTC), (known,), ("said",))
        )
        assert isinstance((await sent(pilot, calls, "enter")).outcome, Result)
        assert calls.params.method == calls.explorer.methods()["ping"], "the method list can depend on the change"
        assert calls.described is not None, "so can the docs and the checks"
        assert hint_text(calls) == ""
        assert not calls.check_action("apply_hint", ())

    server = called(scene, WRONG_TYPE, PONG)
    assert 'content_type = "application/json"\n' in file.read_text()
    assert [request.header("Content-Type") for request in server.requests] == [
        "application/json-rpc",
        "application/json",
    ]
    assert server.requests[0].body.partition(b'"method"')[2] == server.requests[1].body.partition(b'"method"')[2]


def test_hint_for_request_form_confirms_only_once(called: Called) -> None:
    async def scene(app: ExplorerApp, pilot: Pilot[Any], calls: CallScreen) -> None:
        await asked(pilot)
        assert isinstance((await sent(pilot, calls, "enter")).outcome, Result)

    server = called(scene, WRONG_TYPE, PONG, auth="bearer", RPCEXPLORER_NODE_TOKEN="t0ken-t0ken")
    headers = [(request.header("Content-Type"), request.header("Authorization")) for request in server.requests]
    assert headers == [("application/json-rpc", "Bearer t0ken-t0ken"), ("application/json", "Bearer t0ken-t0ken")]


def test_enter_confirms_no_hint_for_another_server(called: Called, tmp_path: Path) -> None:
    file = tmp_path / "home" / "config" / "sessions.toml"

    async def scene(app: ExplorerApp, pilot: Pilot[Any], calls: CallScreen) -> None:
        assert "redirects to another server: " in hint_text(calls)
        await asked(pilot)
        await pilot.press("enter")
        await until(pilot, lambda: app.screen is calls)

    before = called(scene, ELSEWHERE)
    assert len(before.requests) == 1
    assert "rpc" not in file.read_text()


def test_hint_after_a_saved_call_sends_its_values(tmp_path: Path, make_explorer: Callable[..., Explorer]) -> None:
    own = tmp_path / "home" / "config" / "sessions.toml"
    own.parent.mkdir(parents=True)

    async def scene(app: ExplorerApp, pilot: Pilot[Any], calls: CallScreen) -> None:
        calls.drafts.choose("@who")
        await pilot.press("f5")
        await on(pilot, Form)
        await sent(pilot, calls, *"Ada", "enter")
        calls.params.replace('["{{who}}", 2]')  # the edited text is sent
        await asked(pilot)
        await pilot.press("enter")
        await on(pilot, Form)
        assert isinstance((await sent(pilot, calls, "enter")).outcome, Result)

    with RawServer(WRONG_TYPE, PONG) as server:
        own.write_text(
            f'version = 1\n[profile.node]\nurl = "{server.origin}"\nauth = {{ kind = "none" }}\n'
            '[call.who]\nmethod = "ping"\nparams_json = \'["{{who}}"]\'\n'
        )
        visit(make_explorer(""), scene, profile="node")
    assert [request.json["params"] for request in server.requests] == [["Ada"], ["Ada", 2]]


@pytest.mark.thorough
def test_hint_on_a_confirming_profile_confirms_again(called: Called) -> None:
    async def scene(app: ExplorerApp, pilot: Pilot[Any], calls: CallScreen) -> None:
        assert "Send to node?" in shown(await on(pilot, Confirm))
        await sent(pilot, calls, "right", "enter")
        await asked(pilot)
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, Confirm) and "Send to node?" in shown(app.screen))
        await pilot.press("escape")

    server = called(scene, WRONG_TYPE, PONG, more='confirm = "always"\n')
    assert len(server.requests) == 1


TEAM = """\
version = 1

[profile.node]
description = "The team's"
"""


@pytest.mark.parametrize(("keys", "name"), [(("enter",), "sessions.local.toml"), (("right", "enter"), "sessions.toml")])
@pytest.mark.everyday(1)
def test_hint_changes_the_local_or_the_project_file(
    called: Called, tmp_path: Path, keys: tuple[str, ...], name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Git, "may_commit", lambda _, file: file == "sessions.local.toml")

    async def scene(app: ExplorerApp, pilot: Pilot[Any], calls: CallScreen) -> None:
        question = await asked(pilot)
        assert "sessions.local.toml" in question
        assert "(project file)" in question
        await sent(pilot, calls, *keys)
        assert ("Git does not ignore" in notices(app)) == (name == "sessions.local.toml")

    called(scene, WRONG_TYPE, PONG, team=TEAM)
    files = {path.name for path in tmp_path.rglob("sessions*.toml") if "application/json" in path.read_text()}
    assert files == {name}


def test_hint_leaves_a_meanwhile_changed_profile_alone(called: Called, tmp_path: Path) -> None:
    file = tmp_path / "home" / "config" / "sessions.toml"

    async def scene(app: ExplorerApp, pilot: Pilot[Any], calls: CallScreen) -> None:
        file.write_text(f"{file.read_text()}timeout = 5\n")
        await pilot.press("ctrl+r")
        await until(pilot, lambda: "has changed. Resend the call" in notices(app))
        assert app.screen is calls
        assert "content_type" not in file.read_text()
        assert calls.header.profile is not None
        assert (calls.header.profile.timeout, calls.offered) == (5.0, None)

    called(scene, WRONG_TYPE)


def test_late_response_shows_no_hint_for_another_profile(called: Called) -> None:
    async def scene(app: ExplorerApp, pilot: Pilot[Any], calls: CallScreen) -> None:
        assert hint_text(calls)
        explorer, before = calls.explorer, calls.exchange
        send = explorer.call

        async def late(*given: Any, **named: Any) -> Exchange:
            exchange = await send(*given, **named)
            explorer.use(ad_hoc("http://127.0.0.1:9"))
            return exchange

        explorer.call = late  # type: ignore[method-assign]
        await pilot.press("f5")
        await until(pilot, lambda: calls.exchange is not before and not calls.running)
        assert hint_text(calls) == ""
        assert not calls.check_action("apply_hint", ())

    called(scene, WRONG_TYPE)


def test_hint_disappears_with_its_exchange(called: Called) -> None:
    async def scene(app: ExplorerApp, pilot: Pilot[Any], calls: CallScreen) -> None:
        assert hint_text(calls)
        calls.load(recorded(0, profile="node"), ours=True)
        await pilot.pause()
        assert hint_text(calls) == ""
        await pilot.press("ctrl+r")
        await pilot.pause()
        assert app.screen is calls

    called(scene, WRONG_TYPE)


@pytest.mark.thorough
def test_fixes_of_an_address_are_saved_with_it(make_explorer: Callable[..., Explorer]) -> None:
    explorer = make_explorer("")

    async def scene(app: ExplorerApp, pilot: Pilot[Any], calls: CallScreen) -> None:
        calls.drafts.choose("ping")
        await sent(pilot, calls, "f5")
        await asked(pilot)
        await sent(pilot, calls, "enter")
        await asked(pilot)
        assert isinstance((await sent(pilot, calls, "enter")).outcome, Result)
        assert "The change lasts until you quit. To save the URL as a profile, press F7" in notices(app)
        await pilot.press("f7")
        await on(pilot, ProfilesScreen)
        await pilot.press("a")
        await on(pilot, ProfileForm)
        await type_in(pilot, "saved")
        await pilot.press("ctrl+s")
        await until(pilot, lambda: "saved" in explorer.profiles.profiles)

    unacceptable = http_reply(b"", 406)
    with RawServer(unacceptable, WRONG_TYPE, PONG) as server:
        explorer.use(ad_hoc(f"{server.origin}/rpc"))
        visit(explorer, scene, profile="")
    saved = explorer.profiles.profiles["saved"]
    assert (saved.endpoint, saved.content_type) == (f"{server.origin}/rpc", "application/json-rpc")
    assert saved.accept == "application/json, text/event-stream"


UNAUTHORIZED = http_reply(b"", 401, {"WWW-Authenticate": 'Basic realm="x"'})


@pytest.mark.parametrize("key", ["f9", "f8"])
@pytest.mark.everyday(1)
def test_keys_without_a_call_offer_the_fix_too(make_explorer: Callable[..., Explorer], key: str) -> None:
    with RawServer(*[UNAUTHORIZED] * 20) as server:
        explorer = make_explorer(f'version = 1\n[profile.node]\nurl = "{server.origin}"\nauth = {{ kind = "none" }}\n')

        async def story(app: ExplorerApp, pilot: Pilot[Any], calls: CallScreen) -> None:
            if key == "f8":
                await pilot.press(key)
                await until(pilot, lambda: "To test whether the server needs them, press Alt+t." in notices(app))
                assert not server.requests
            await pilot.press("f9")
            await until(pilot, lambda: bool(calls.offered))
            assert "^R set auth.kind to basic" in hint_text(calls)
            await pilot.press("f8" if key == "f8" else "ctrl+r")
            assert "auth.kind" in shown(await on(pilot, Confirm))
            await pilot.press("escape")

        visit(explorer, story, profile="node")


@pytest.mark.parametrize(("listed", "hint"), [("pingg", "Did you mean pingg?"), ("shutdown", "")])
def test_unknown_method_suggests_a_similar_one(called: Called, listed: str, hint: str) -> None:
    def missing(request: Received) -> bytes:
        error = {"code": -32601, "message": "no"}
        return request.reply(error=error)

    async def scene(app: ExplorerApp, pilot: Pilot[Any], calls: CallScreen) -> None:
        assert hint_text(calls) == hint

    called(scene, missing, more=f'[profile.node.method."{listed}"]\n')


def test_header_shows_rejected_until_the_password_changes(called: Called, tmp_path: Path) -> None:
    async def scene(app: ExplorerApp, pilot: Pilot[Any], calls: CallScreen) -> None:
        def header() -> str:
            return "".join(text for text, _ in calls.header.auth)

        await on(pilot, AskSecret)
        await type_in(pilot, "wrong-password")
        await pilot.press("enter")
        await until(pilot, lambda: calls.exchange is not None and not calls.running)
        assert header() == "✗ password rejected"
        await pilot.press("f8")  # the same fix as the hint's key
        form = await on(pilot, Credentials)
        assert "The server rejected the credentials. Empty fields stay unchanged." in shown(form)
        assert "Enter resend" in shown(form)
        await type_in(pilot, "right-password")
        await pilot.press("enter")
        await until(pilot, lambda: calls.exchange is not None and isinstance(calls.exchange.outcome, Result))
        assert header() == "● password entered"

    called(scene, UNAUTHORIZED, PONG, auth="basic")
