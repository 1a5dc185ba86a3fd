"""A hint changes the profile after a confirmation, and resends the call."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from rpcexplorer.discovery.methods import Discovery
from rpcexplorer.explorer import Explorer
from rpcexplorer.model.exchange import Exchange
from rpcexplorer.model.method import Method
from rpcexplorer.model.profile import ad_hoc
from rpcexplorer.rpc.messages import Result
from rpcexplorer.secrets.leaks import Git
from rpcexplorer.tui.widgets.dialog import Confirm, Form
from tests.fakes.wire import RawServer, Received, Script, http_reply
from tests.history.recording import exchange as recorded
from tests.tui.program import Program, open_program

OWN = "home/config/sessions.toml"
WRONG_TYPE = http_reply(b"", 415)
PONG = http_reply(b'{"jsonrpc":"2.0","id":null,"result":"pong"}')
ELSEWHERE = http_reply(b"", 307, {"Location": "http://127.0.0.1:9/rpc"})
Make = Callable[..., Explorer]
Called = Callable[..., AbstractAsyncContextManager[tuple[Program, RawServer]]]


@pytest.fixture
def called(tmp_path: Path, make_explorer: Make) -> Called:
    """Return a block that calls ``ping`` with a profile of the user file."""

    @asynccontextmanager
    async def call(
        *scripts: Script, auth: str = "none", team: str = "", more: str = "", **variables: str
    ) -> AsyncIterator[tuple[Program, RawServer]]:
        with RawServer(*scripts) as server:
            own = tmp_path / OWN
            own.parent.mkdir(parents=True)
            own.write_text(
                f'version = 1\n\n[profile.node]\nurl = "{server.origin}"\nauth = {{ kind = "{auth}" }}\n{more}'
            )
            explorer = make_explorer(team, RPCEXPLORER_NODE_USERNAME="ada", **variables)
            async with open_program(explorer, profile="node") as program:
                calls = program.calls
                calls.drafts.choose("ping")
                await program.press("f5")
                await program.until(
                    lambda: program.app.screen is not calls or (calls.exchange is not None and not calls.running)
                )
                await program.pause()
                yield program, server

    return call


async def asked(program: Program) -> str:
    """Accept the hint; return the text of the dialog, without blanks."""
    await program.press("ctrl+r")
    await program.on(Confirm)
    return program.unbroken


async def test_hint_shows_change_and_file_writes_and_resends(called: Called, tmp_path: Path) -> None:
    file = tmp_path / OWN
    async with called(WRONG_TYPE, PONG) as (program, server):
        calls = program.calls
        assert "^R set content_type to application/json in node and resend" in program.words
        question = await asked(program)
        assert "application/json-rpc→application/json" in question
        assert str(file) in question
        await program.press("escape")
        await program.until(lambda: program.app.screen is calls)
        assert "content_type" not in file.read_text(), "it was cancelled"
        await asked(program)
        assert calls.header.profile is not None
        known = Method("ping", doc="Answers.", source="discovered")
        calls.explorer.method_lists.settle(
            calls.header.profile, Discovery(datetime(2026, 1, 2, tzinfo=UTC), (known,), ("said",))
        )
        assert isinstance((await program.sent("enter")).outcome, Result)
        assert calls.params.method == calls.explorer.methods()["ping"], "the method list can depend on the change"
        assert calls.described is not None, "so can the docs and the checks"
        assert "^R" not in program.words
    assert 'content_type = "application/json"\n' in file.read_text()
    first, second = server.requests
    assert first.header("Content-Type") == "application/json-rpc"
    assert second.header("Content-Type") == "application/json"
    assert first.body.partition(b'"method"')[2] == second.body.partition(b'"method"')[2]


async def test_hint_for_request_form_confirms_only_once(called: Called) -> None:
    async with called(WRONG_TYPE, PONG, auth="bearer", RPCEXPLORER_NODE_TOKEN="t0ken-t0ken") as (program, server):
        await program.play("ctrl+r | Change the profile node?\n sent enter | ✓ result")
    headers = [(request.header("Content-Type"), request.header("Authorization")) for request in server.requests]
    assert headers == [("application/json-rpc", "Bearer t0ken-t0ken"), ("application/json", "Bearer t0ken-t0ken")]


async def test_enter_confirms_no_hint_for_another_server(called: Called, tmp_path: Path) -> None:
    async with called(ELSEWHERE) as (program, server):
        await program.sees("redirects to another server")
        await program.play("ctrl+r | Change the profile node?\n enter | not Change the profile")
    assert len(server.requests) == 1
    assert "rpc" not in (tmp_path / OWN).read_text()


async def test_hint_after_a_saved_call_sends_its_values(tmp_path: Path, make_explorer: Make) -> None:
    own = tmp_path / OWN
    own.parent.mkdir(parents=True)

    with RawServer(WRONG_TYPE, PONG) as server:
        own.write_text(
            f'version = 1\n[profile.node]\nurl = "{server.origin}"\nauth = {{ kind = "none" }}\n'
            '[call.who]\nmethod = "ping"\nparams_json = \'["{{who}}"]\'\n'
        )
        async with open_program(make_explorer(""), profile="node") as program:
            calls = program.calls
            calls.drafts.choose("@who")
            await program.press("f5")
            await program.on(Form)
            await program.sent(*"Ada", "enter")
            calls.params.replace('["{{who}}", 2]')  # the edited text is sent
            await asked(program)
            await program.press("enter")
            await program.on(Form)
            assert isinstance((await program.sent("enter")).outcome, Result)
    assert [request.json["params"] for request in server.requests] == [["Ada"], ["Ada", 2]]


@pytest.mark.thorough
async def test_hint_on_a_confirming_profile_confirms_again(called: Called) -> None:
    async with called(WRONG_TYPE, PONG, more='confirm = "always"\n') as (program, server):
        await program.play("""
            | Send to node?
            right
            sent enter | ^R set content_type
            ctrl+r | Change the profile node?
            enter | Send to node?
        """)
    assert len(server.requests) == 1


TEAM = """\
version = 1

[profile.node]
description = "The team's"
"""


@pytest.mark.parametrize(("keys", "name"), [(("enter",), "sessions.local.toml"), (("right", "enter"), "sessions.toml")])
@pytest.mark.everyday(1)
async def test_hint_changes_the_local_or_the_project_file(
    called: Called, tmp_path: Path, keys: tuple[str, ...], name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Git, "may_commit", lambda _, file: file == "sessions.local.toml")

    async with called(WRONG_TYPE, PONG, team=TEAM) as (program, _):
        question = await asked(program)
        assert "sessions.local.toml" in question
        assert "(projectfile)" in question
        await program.sent(*keys)
        assert ("Git does not ignore" in program.notices) == (name == "sessions.local.toml")
    files = {path.name for path in tmp_path.rglob("sessions*.toml") if "application/json" in path.read_text()}
    assert files == {name}


async def test_hint_leaves_a_meanwhile_changed_profile_alone(called: Called, tmp_path: Path) -> None:
    file = tmp_path / OWN
    async with called(WRONG_TYPE) as (program, _):
        calls = program.calls
        file.write_text(f"{file.read_text()}timeout = 5\n")
        await program.press("ctrl+r")
        await program.until(lambda: "has changed. Resend the call" in program.notices)
        assert program.app.screen is calls
        assert "content_type" not in file.read_text()
        assert calls.header.profile is not None
        assert (calls.header.profile.timeout, calls.offered) == (5.0, None)


async def test_late_response_shows_no_hint_for_another_profile(called: Called) -> None:
    async with called(WRONG_TYPE) as (program, _):
        calls = program.calls
        assert "^R set" in program.words
        explorer = calls.explorer
        send = explorer.call

        async def late(*given: Any, **named: Any) -> Exchange:
            exchange = await send(*given, **named)
            explorer.use(ad_hoc("http://127.0.0.1:9"))
            return exchange

        explorer.call = late  # type: ignore[method-assign]
        await program.sent()
        await program.pause()
        assert "^R set" not in program.words
        assert not calls.check_action("apply_hint", ())


async def test_hint_disappears_with_its_exchange(called: Called) -> None:
    async with called(WRONG_TYPE) as (program, _):
        calls = program.calls
        assert "^R set" in program.words
        calls.load(recorded(0, profile="node"), ours=True)
        await program.pause()
        assert "^R set" not in program.words
        await program.press("ctrl+r")
        assert program.app.screen is calls


@pytest.mark.thorough
async def test_fixes_of_an_address_are_saved_with_it(make_explorer: Make) -> None:
    explorer = make_explorer("")
    with RawServer(http_reply(b"", 406), WRONG_TYPE, PONG) as server:
        explorer.use(ad_hoc(f"{server.origin}/rpc"))
        async with open_program(explorer, profile="") as program:
            await program.play("""
                write ping []
                sent f5 | ^R set
                ctrl+r | Change the settings
                sent enter | ^R set
                ctrl+r | Change the settings
                sent enter | ✓ result | The change lasts until you quit. To save the URL as a profile, press F7
                f7 a | Add a profile
                tab
                replace saved
                ctrl+s | not Add a profile
            """)
    saved = explorer.profiles.profiles["saved"]
    assert (saved.endpoint, saved.content_type) == (f"{server.origin}/rpc", "application/json-rpc")
    assert saved.accept == "application/json, text/event-stream"


UNAUTHORIZED = http_reply(b"", 401, {"WWW-Authenticate": 'Basic realm="x"'})


@pytest.mark.parametrize("key", ["f9", "f8"])
@pytest.mark.everyday(1)
async def test_keys_without_a_call_offer_the_fix_too(make_explorer: Make, key: str) -> None:
    with RawServer(*[UNAUTHORIZED] * 20) as server:
        explorer = make_explorer(f'version = 1\n[profile.node]\nurl = "{server.origin}"\nauth = {{ kind = "none" }}\n')

        async with open_program(explorer, profile="node") as program:
            if key == "f8":
                await program.press(key)
                await program.until(lambda: "To test whether the server needs them, press Alt+t." in program.notices)
                assert not server.requests
            await program.press("f9")
            await program.sees("^R set auth.kind to basic")
            await program.press("f8" if key == "f8" else "ctrl+r")
            await program.on(Confirm)
            await program.sees("auth.kind")


@pytest.mark.parametrize(("listed", "is_similar"), [("pingg", True), ("shutdown", False)])
async def test_unknown_method_suggests_a_similar_one(called: Called, listed: str, is_similar: bool) -> None:
    def missing(request: Received) -> bytes:
        return request.reply(error={"code": -32601, "message": "no"})

    async with called(missing, more=f'[profile.node.method."{listed}"]\n') as (program, _):
        assert ("Did you mean pingg?" in program.words) is is_similar


async def test_header_shows_rejected_until_the_password_changes(called: Called, tmp_path: Path) -> None:
    async with called(UNAUTHORIZED, PONG, auth="basic") as (program, _):
        await program.play("""
            replace wrong-password
            sent enter | ✗ password rejected
            f8 | The server rejected the credentials. Empty fields stay unchanged. | Enter resend
            replace right-password
            sent enter | ✓ result | ● password entered
        """)
