"""The call screen as text: outcomes, ways to read a response, hints, and what a schema says about params."""

from __future__ import annotations

import json

import pytest
from msgspec.structs import replace

from rpcexplorer.demo.declaration import document
from rpcexplorer.demo.methods import TABLE
from rpcexplorer.discovery.interview import discovery_of
from rpcexplorer.discovery.openrpc import read_openrpc
from rpcexplorer.explorer import Explorer
from rpcexplorer.model.method import Method
from rpcexplorer.rpc.messages import Malformed, Result
from rpcexplorer.transport.port import Progress
from rpcexplorer.tui.call.completion import CompletionList
from rpcexplorer.tui.call.response import Transform
from rpcexplorer.tui.call.state import Running
from rpcexplorer.tui.dialogs import ChangesDialog
from tests.tui.pictures import scenes
from tests.tui.pictures.drawing import LARGE, SMALL, USUAL, Compare, in_sizes
from tests.tui.program import open_program

HTML = b"<html>\n<h1>502 Bad Gateway</h1>\n</html>\n"
MALFORMED = scenes.made(
    "user.list", Malformed("The response is not JSON."), 40, status=(502, "Bad Gateway"), reply=HTML
)
REFUSED = scenes.made(
    "user.list",
    Malformed('HTTP 401 Unauthorized: the server asks for credentials (Basic realm="shop"). The response has no body.'),
    status=(401, "Unauthorized"),
    headers=(("WWW-Authenticate", 'Basic realm="shop"'),),
    reply=b"",
)
OUTCOMES = {
    "error": (
        scenes.ERROR,
        ("✗ error -32602", "the method does not accept these params", '"id": "must be an integer"'),
    ),
    "unreached": (scenes.UNREACHED, ("no response 34 ms", "Nothing answers at staging.example.com:443")),
    "malformed": (MALFORMED, ("! malformed", "The response is not JSON.", "<h1>502 Bad Gateway</h1>")),
    "cancelled": (scenes.CANCELLED, ("◌ cancelled", "The server may have run it")),
    "sent": (scenes.NOTIFICATION, ("→ sent", "sends no response")),
}


@pytest.mark.everyday(1)
@pytest.mark.parametrize("name", OUTCOMES)
async def test_outcome(explorer: Explorer, compare: Compare, name: str) -> None:
    exchange, texts = OUTCOMES[name]
    async with open_program(explorer) as program:
        await scenes.show(program, exchange)
        await compare(program, *texts)


READING = {
    "table": ("t", "id name balance active manager", "2 Alan Turing"),
    "search": ("/true", "/ true", "1 of 2"),
    "raw": ("]", '1 {"jsonrpc": "2.0", "id": "1m7ypmkv7qa7kfj", "result": {"items"'),
    "headers": ("]]", "HTTP/1.1 200 OK", "Content-Type application/json"),
    "timing": ("]]]", "name lookup", "TLS", "▆ 34 ms"),
}
"""Keys in the response, and what they show."""


@pytest.mark.thorough
@pytest.mark.parametrize("name", READING)
async def test_response_is_read(explorer: Explorer, compare: Compare, name: str) -> None:
    keys, *texts = READING[name]
    async with open_program(explorer) as program:
        await scenes.show(program)
        await program.press("f4", *keys)
        await compare(program, *texts)


TEXTS = {
    "content": [
        {
            "type": "text",
            "text": "## Weather in Berlin\n\nSunny, **24 °C**.\n\n| day | high |\n|---|---|\n| Mon | 27 |\n\n"
            "```python\nimport weather\n\nprint(weather.today('Berlin'))  # 24\n```",
        },
        {"type": "text", "text": '{"city": "Berlin", "high": 24.0, "sunny": true}'},
        {"type": "image", "mimeType": "image/png", "data": "A" * 2000},
        {
            "type": "resource",
            "resource": {"uri": "file:///a.txt", "text": "One line.\n\x1b]52;c;eA==\x07 another."},
        },
    ]
}


@pytest.mark.thorough
@in_sizes(SMALL, USUAL)
async def test_texts_of_a_tool(explorer: Explorer, compare: Compare, size: tuple[int, int]) -> None:
    async with open_program(explorer, size=size) as program:
        await scenes.show(program, scenes.made("user.get", Result(json.dumps(TEXTS).encode())))
        await program.press("f4", "]", "z")
        await compare(program, "$.content[0].text Markdown", "Weather in Berlin")


@pytest.mark.thorough
async def test_filtered_response(explorer: Explorer, compare: Compare) -> None:
    async with open_program(explorer) as program:
        await scenes.show(program)
        await program.press("f4")
        response = program.calls.response
        response.body.made = b'"Ada Lovelace"\n"Alan Turing"'  # as if jq ran
        label, sentence = ".items[].name", "formatted by jq, not by the server"
        response.transform = Transform(label, label, is_running=False, sentence=sentence)
        await compare(program, "FILTERED .items[].name", '1 "Ada Lovelace"')


@pytest.mark.thorough
async def test_response_beside_the_params(explorer: Explorer, compare: Compare) -> None:
    async with open_program(explorer, size=LARGE) as program:
        await scenes.show(program)
        await program.press("alt+s", "f4", "2")
        await compare(program, "✓ result", "5 members }")


@pytest.mark.thorough
async def test_notices_over_a_response(explorer: Explorer, compare: Compare) -> None:
    async with open_program(explorer, size=SMALL) as program:
        await scenes.show(program)
        program.app.notify("Saved the result, 1.2 kB, in /home/ada/user.list.json.", timeout=60)
        program.app.notify("What must not be overlooked begins with a sign.", severity="warning", timeout=60)
        await compare(program, "What must not be overlooked", "Alt+w 1 more")


EDITING = {
    "filter": (["f2", *"usr"], USUAL, "usr", "4 of 8"),
    "unknown": (["f2", *"user.rename"], USUAL, 'call "user.rename"', "no matches"),
    "methods": (["f2"], SMALL, "▌Methods", "Lists users, newest first"),
    "request": (["f3", "ctrl+o"], USUAL, "POST /api/v2/ HTTP/1.1", '"method":"user.list"'),
}
"""Keys before a call, the size of the terminal, and what they show."""


@pytest.mark.thorough
@pytest.mark.parametrize("name", EDITING)
async def test_before_a_call(explorer: Explorer, compare: Compare, name: str) -> None:
    keys, size, *texts = EDITING[name]
    async with open_program(explorer, size=size) as program:
        await program.press(*keys)
        await compare(program, *texts)


@pytest.mark.thorough
async def test_params_with_a_problem(explorer: Explorer, compare: Compare) -> None:
    async with open_program(explorer) as program:
        program.calls.drafts.choose("arg_test")
        program.calls.params.replace('["username": "ada"]')
        await compare(program, "✗ line 1, column 12", "^R make it an object")


@pytest.mark.thorough
async def test_large_response_arrives(explorer: Explorer, compare: Compare, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Running, "seconds", 1.4)
    async with open_program(explorer) as program:
        running = Running(explorer, "sending")
        running.progress = Progress("receiving", 38_000_000, 100_000_000, 1.4)
        program.calls.running = running
        await program.until(lambda: program.calls.response.has_class("-old"))
        await compare(program, "◐ receiving", "38 MB of 100 MB")


@pytest.mark.thorough
async def test_hint_in_a_small_terminal(explorer: Explorer, compare: Compare) -> None:
    assert explorer.profile is not None
    async with open_program(explorer, size=SMALL) as program:
        await scenes.show(program, REFUSED)
        program.calls.advice.offer(REFUSED, explorer.profile, program.calls.action_send)
        await compare(program, "! Unauthorized", "^R set auth.kind to basic in staging and resend")


@pytest.mark.thorough
@in_sizes(SMALL, USUAL)
async def test_open_connection(explorer: Explorer, compare: Compare, size: tuple[int, int]) -> None:
    scenes.connect(explorer)
    async with open_program(explorer, size=size) as program:
        await scenes.show(program, scenes.SUBSCRIBED)
        await program.press("f3")
        scenes.arrive(explorer)
        await compare(program, "● open 2 min · 4 events", "✓ result")


@pytest.mark.thorough
@in_sizes(SMALL, LARGE)
async def test_name_is_completed(explorer: Explorer, compare: Compare, size: tuple[int, int]) -> None:
    scenes.describe(explorer)
    async with open_program(explorer, size=size) as program:
        screen = program.calls
        screen.params.replace('{\n  "name": "Ada",\n  \n}')
        screen.params.focus_inside()
        screen.params.editor.move_cursor((2, 2))
        await program.press('"', "ctrl+@", "down")
        await program.until(lambda: screen.query_one(CompletionList).display)
        await compare(program, "address", "object", "Where parcels go.")


@pytest.mark.thorough
@in_sizes(SMALL, USUAL)
async def test_params_do_not_match_the_schema(explorer: Explorer, compare: Compare, size: tuple[int, int]) -> None:
    scenes.describe(explorer)
    async with open_program(explorer, size=size) as program:
        program.calls.params.replace(scenes.FILLED)
        program.calls.params.focus_inside()
        await compare(program, "! line")


@pytest.mark.thorough
@in_sizes(SMALL, LARGE)
async def test_changes_of_a_refresh(explorer: Explorer, compare: Compare, size: tuple[int, int]) -> None:
    scenes.describe(explorer)
    name, born, *_, manager = scenes.DESCRIBED.params
    params = (name, replace(born, required=True), replace(manager, schema={"type": "string"}))
    merge = Method("user.merge", "Makes one of two", source="discovered")
    scenes.describe(explorer, replace(scenes.DESCRIBED, params=params, deprecated=True), merge)
    async with open_program(explorer, size=size) as program:
        await program.press("f3", "down")  # There no bracket is marked, which the dialog may leave or not.
        await program.rest()
        await program.press("alt+n")
        await program.on(ChangesDialog)
        await compare(program, "+ user.merge new", "deprecated")


PLACE = "demo.orders.place"
DOCUMENTED = ("demo.orders.find", PLACE, "demo.orders.search", "demo.tree", "demo.misdescribed")


@pytest.mark.thorough
@in_sizes(SMALL, USUAL, LARGE)
async def test_docs(explorer: Explorer, compare: Compare, size: tuple[int, int]) -> None:
    assert explorer.profile is not None
    listing = read_openrpc(document(TABLE[name] for name in DOCUMENTED))
    explorer.method_lists.settle(explorer.profile, discovery_of(scenes.NOW, listing, ()))
    async with open_program(explorer, size=size) as program:
        if size == LARGE:  # The docs are beside the params.
            program.calls.drafts.choose(PLACE)
            program.calls.params.focus_inside()
            await program.rest()
            await program.press(*["alt+down"] * 4)
            await compare(program, "Docs", "Customer who places")
        else:
            program.calls.drafts.choose("demo.orders.find")
            await program.press("alt+m", "n")
            await compare(program, "Docs", "▸ Open orders")
