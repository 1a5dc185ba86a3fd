"""Generated checks on screen: the question, the run, what was found, and the way back into the editor."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from rpcexplorer.explorer import Explorer
from rpcexplorer.tui import generated
from tests.fakes.wire import HOLD, RawServer
from tests.tui.program import open_program

DOCUMENT = {
    "openrpc": "1.3.2",
    "methods": [
        {
            "name": "user.remove",
            "params": [{"name": "id", "required": True, "schema": {"type": "integer"}}],
            "x-safe": False,
        },
        {"name": "user.alone", "params": []},
    ],
}
TOKEN = "t0ken-t0ken"
Make = Callable[..., Explorer]


def of_users(make_explorer: Make, origin: str, more: str = "", **variables: str) -> Explorer:
    profile = f'[profile.users]\nurl = "{origin}/rpc"\ndiscovery = {{ file = "openrpc.json" }}\n{more}'
    explorer = make_explorer(profile, **variables)
    (explorer.profiles.files[-1].parent / "openrpc.json").write_text(json.dumps(DOCUMENT))
    return explorer


async def of_demo(explorer: Explorer) -> Explorer:
    explorer.use("demo")
    await explorer.discover()
    return explorer


async def test_findings_are_listed_and_loaded_into_the_editor(explorer: Explorer) -> None:
    async with open_program(await of_demo(explorer)) as program:
        await program.play("""
            write demo.faults.discount {}
            command generate checks | Send generated calls? | up to 100 with valid params
            enter | 1 finding | ✗ valid params | schema | price must be a number, not a string | ✓ invalid params
            enter | F5 send | 1 {"price": 0, "percent": 91} | nearly free
        """)
    assert explorer.recent(9) == [], "generated calls are not recorded"


async def test_nothing_is_sent_without_a_yes(make_explorer: Make) -> None:
    with RawServer(lambda request: request.reply(result=None)) as server:
        async with open_program(of_users(make_explorer, server.origin)) as program:
            await program.play("""
                write user.remove {}
                command generate checks | Send generated calls of an unsafe method? | user.remove not marked safe
                escape | F5 send
                write user.alone {}
                command generate checks | the schema of user.alone is not known
            """)
        assert server.requests == []


async def test_escape_stops_the_run_and_keeps_what_was_found(make_explorer: Make) -> None:
    with RawServer(lambda _: [HOLD]) as server:
        async with open_program(of_users(make_explorer, server.origin)) as program:
            await program.play("""
                write user.remove {}
                command generate checks | Send generated calls of an unsafe method?
                enter | Generated checks user.remove
            """)
            await program.until(lambda: bool(server.requests))
            await program.play("""
                escape | valid params stopped | 0 calls
                escape | F5 send
            """)
        assert len(server.requests) == 1


async def test_without_the_extra_a_notice_names_it(explorer: Explorer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(generated, "find_spec", lambda _: None)
    async with open_program(await of_demo(explorer)) as program:
        await program.play("""
            write demo.faults.discount {}
            command generate checks | install rpcexplorer with the extra fuzz
        """)


@pytest.mark.parametrize(
    ("response", "row", "detail"),
    [
        (
            {"result": {"text": "x" * 2_000}},
            "✗ invalid params result",
            "expected error -32602 or a declared one | x… | Enter open",
        ),
        (
            {"error": {"code": -1, "message": f"from {TOKEN}"}},
            "✗ invalid params error -1 from «users.token»",
            "expected error -32602 or a declared one | not result",
        ),
    ],
)
async def test_finding_says_once_what_is_wrong(
    make_explorer: Make, response: dict[str, Any], row: str, detail: str
) -> None:
    with RawServer(lambda request: request.reply(**response)) as server:
        auth = 'auth = { kind = "bearer" }\n'
        explorer = of_users(make_explorer, server.origin, auth, RPCEXPLORER_USERS_TOKEN=TOKEN)
        async with open_program(explorer) as program:
            await program.play(f"""
                write user.remove {{}}
                command generate checks | Send generated calls of an unsafe method?
                enter | {row}
                end | {detail}
            """)
            assert TOKEN not in program.text


async def test_only_a_finding_can_be_opened(make_explorer: Make) -> None:
    with RawServer(lambda request: request.reply(result=None)) as server:
        async with open_program(of_users(make_explorer, server.origin)) as program:
            await program.play("""
                write user.remove {}
                command generate checks | Send generated calls of an unsafe method?
                enter | ✓ valid params no finding | ✗ invalid params result
                home | not Enter open
                end | Enter open
            """)
