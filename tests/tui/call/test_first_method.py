"""The first method of a profile: the last used, a callable one, or none."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from rpcexplorer.discovery.methods import Discovery
from rpcexplorer.explorer import Explorer
from rpcexplorer.model.method import Method
from rpcexplorer.model.profile import ad_hoc
from rpcexplorer.tui.call.screen import CallScreen
from tests.fakes.editor import type_in
from tests.fakes.wire import RawServer, Received
from tests.history.recording import START, exchange
from tests.tui.program import open_program

DEMO = 'version = 1\n[profile.demo]\nurl = "http://127.0.0.1:9"\n'
Make = Callable[..., Explorer]


def record_success(made: Explorer) -> None:
    profile = made.use("demo")
    made.journal.record(exchange(profile="demo", url=profile.endpoint, params="[ 7 ]"), profile)


@pytest.mark.thorough
async def test_profile_without_a_first_method_shows_the_list(make_explorer: Make) -> None:
    made = make_explorer(DEMO)
    found = Discovery(START, (Method("user.get", source="discovered"),), ("said",))
    made.method_lists.settle(made.use("demo"), found)

    for size in ((80, 24), (120, 40)):
        made.remembered.set_method("demo", "")
        async with open_program(made, profile="demo", size=size) as program:
            calls = program.calls
            assert (calls.method, list(calls.methods.methods)) == ("", ["user.get"])
            assert calls.methods.has_focus_within
            assert calls.params.method is None
            await program.press("enter")
            await program.on(CallScreen)
            assert calls.method == "user.get"
            assert calls.params.has_focus_within


async def test_file_of_methods_is_reread_after_changes(
    make_explorer: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rpcexplorer.tui.call.screen.DESCRIPTION_SECONDS", 0.01)
    made = make_explorer(f'{DEMO}discovery = {{ file = "openrpc.json" }}\n')
    document = tmp_path / "work" / "openrpc.json"
    document.write_text('{"openrpc": "1.3.2", "methods": [{"name": "user.get"}]}')

    async with open_program(made, profile="demo") as program:
        screen = program.calls
        await program.until(lambda: "user.get" in screen.methods.methods)
        document.write_text('{"openrpc": "1.3.2", "methods": [{"name": "user.new"}]}')
        await program.until(lambda: "user.new" in screen.methods.methods)
        assert "user.get" not in screen.methods.methods
        await program.until(lambda: "1 new, 1 gone" in program.notices)
        document.write_text("damaged")
        await program.until(lambda: screen.header.problem == "methods not saved")
        assert "user.new" in screen.methods.methods


async def test_first_method_is_the_last_used(make_explorer: Make) -> None:
    made = make_explorer(DEMO)
    made.remembered.set_method("demo", "arg_test")

    async with open_program(made, profile="demo") as program:
        assert program.calls.method == "arg_test"
        assert program.calls.params.has_focus_within


@pytest.mark.thorough
async def test_first_params_are_those_of_last_success(make_explorer: Make) -> None:
    made = make_explorer(DEMO)
    record_success(made)

    async with open_program(made, profile="demo") as program:
        screen = program.calls
        await program.until(lambda: screen.params.text == "[ 7 ]")
        screen.drafts.choose("auth")
        screen.drafts.choose("ping")
        assert screen.params.text == "[ 7 ]"
        assert made.drafts.all("demo") == {}


async def test_method_list_follows_each_response(make_explorer: Make) -> None:
    def answer(request: Received) -> bytes:
        if request.json["method"] == "user.get":
            return request.reply(result=1)
        return request.reply(error={"code": -32601, "message": ""})

    with RawServer(answer) as server:
        made = make_explorer(DEMO.replace("http://127.0.0.1:9", server.origin))
        async with open_program(made, profile="demo") as program:
            screen = program.calls
            await program.press("f5")
            await program.until(lambda: list(screen.methods.methods) == ["arg_test", "auth"])
            screen.drafts.choose("user.get")
            await program.press("f5")
            await program.until(lambda: list(screen.methods.methods) == ["arg_test", "auth", "user.get"])


async def test_text_typed_meanwhile_is_not_replaced(make_explorer: Make) -> None:
    made = make_explorer(DEMO)
    record_success(made)
    type_in(made, "ping", "[typed")

    async with open_program(made, profile="demo") as program:
        await program.until(lambda: bool(program.calls.methods.recent))
        assert program.calls.params.text == "[typed"


@pytest.mark.thorough
async def test_method_of_a_typed_address_is_not_remembered(make_explorer: Make) -> None:
    made = make_explorer("version = 1\n")
    made.use(ad_hoc("http://127.0.0.1:9/rpc"))

    async with open_program(made) as program:
        screen = program.calls
        screen.drafts.choose("arg_test")
        assert screen.header.profile is not None
        assert screen.header.profile.endpoint == "http://127.0.0.1:9/rpc"
    assert made.remembered.method("url") == ""
