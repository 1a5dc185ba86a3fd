"""Answers on screen: the question in place of the response, the form, pages, and other requests."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from rpcexplorer.explorer import Explorer
from rpcexplorer.model.profile import Profile
from rpcexplorer.rpc.messages import Result
from rpcexplorer.tui.answers import AnswerDialog, ElicitationScreen
from rpcexplorer.tui.call.screen import CallScreen
from rpcexplorer.tui.widgets.dialog import Confirm
from rpcexplorer.tui.widgets.picker import Picker
from tests.fakes.mcp_server import PROGRAM
from tests.tui.program import Program, open_program
from tests.tui.test_events import event, receive

FISH = [{"const": "f1", "title": "Tuna"}, {"const": "f2", "title": "Trout"}]
FORM = {
    "message": "Who are you?",
    "requestedSchema": {
        "type": "object",
        "properties": {
            "name": {"type": "string", "description": "Your name"},
            "token": {"type": "string", "minLength": 4},
            "age": {"type": "integer", "default": 30, "maximum": 150},
            "fish": {
                "type": "array",
                "items": {"anyOf": [{"const": "f1", "title": "Tuna"}, {"const": "f2", "title": "Trout"}]},
            },
        },
        "required": ["name"],
    },
}
PAGE = {"mode": "url", "url": "https://bank.example/pay", "message": "Please pay.", "elicitationId": "e1"}


@asynccontextmanager
async def asked(
    explorer: Explorer, params: dict[str, Any], size: tuple[int, int] = (120, 40)
) -> AsyncIterator[Program]:
    """Call the tool ``ask`` of a server with these arguments, and wait for its question."""
    keys = (("url", "stdio:"), ("command", PROGRAM), ("preset", "mcp"), ("timeout", 2))
    profile = explorer.profiles.typed(keys)
    assert isinstance(profile, Profile), profile
    explorer.use(profile)
    async with open_program(explorer, size=size) as program:
        await program.write("ask", json.dumps(params))
        await program.press("f5")
        await program.sees("waits for your answer")
        yield program
        await explorer.close_connection()


async def answer_of(program: Program) -> Any:
    """Return what the server got, which it returns as a text."""
    await program.until(lambda: program.calls.exchange is not None and program.calls.running is None)
    exchange = program.calls.exchange
    assert exchange is not None
    assert isinstance(exchange.outcome, Result), exchange.outcome
    return json.loads(json.loads(bytes(exchange.outcome.value))["content"][0]["text"])


async def test_form_is_filled_in_and_accepted(explorer: Explorer) -> None:
    async with asked(explorer, FORM) as program:
        assert "Who are you?" in program.text
        assert "4 fields, 1 required" in program.text
        await program.press("enter")
        await program.on(ElicitationScreen)
        await program.press("f5")
        await program.sees("name: required")
        await program.press("enter", *"Ada", "enter", "down", "enter", *"abc", "enter", "f5")
        await program.sees("token: does not match the schema of the field")
        assert "abc" not in program.text
        await program.press("enter", *"defg", "enter", "end", "enter")
        await program.on(Picker)
        assert "Trout" in program.text
        await program.press("down", "enter", "escape", "f5")
        content = {"name": "Ada", "token": "«not recorded»", "age": 30, "fish": ["f2"]}
        assert await answer_of(program) == {"action": "accept", "content": content}


async def test_secret_of_a_form_is_recorded_nowhere(explorer: Explorer) -> None:
    async with asked(explorer, FORM) as program:
        await program.press("enter")
        await program.on(ElicitationScreen)
        await program.press("enter", *"Ada", "enter", "down", "enter", *"pass-words-9", "enter")
        assert "pass-words" not in program.text
        await program.press("f5")
        await program.until(lambda: program.calls.exchange is not None and program.calls.running is None)
        assert "pass-words" not in program.text
        await program.sees("the response contained a secret")
        await program.press("alt+v")
        await program.sees("answered")
        assert "pass-words" not in program.text
    assert explorer.journal.flush_events() == ""
    files = [path.read_text() for path in explorer.paths.history.rglob("*.toml")]
    assert any("Ada" in text for text in files)
    assert not any("pass-words" in text for text in files)


@pytest.mark.parametrize(("key", "action"), [("alt+d", "decline"), ("alt+c", "cancel")])
async def test_form_is_declined_or_cancelled(explorer: Explorer, key: str, action: str) -> None:
    async with asked(explorer, FORM) as program:
        await program.press("enter")
        await program.on(ElicitationScreen)
        await program.press(key)
        assert await answer_of(program) == {"action": action}


async def test_form_that_is_left_waits_with_its_values(explorer: Explorer) -> None:
    async with asked(explorer, FORM) as program:
        await program.press("enter")
        await program.on(ElicitationScreen)
        await program.press("enter", *"Ada", "enter", "escape")
        await program.sees("waits for your answer")
        await program.press("enter")
        await program.sees('"Ada"')
        await program.press("f5")
        assert (await answer_of(program))["content"] == {"name": "Ada", "age": 30}


async def test_question_does_not_take_the_focus_from_typing(explorer: Explorer) -> None:
    async with open_program(explorer, profile="demo") as program:
        await program.write("demo.echo", "[1]")
        receive(explorer, event("ask", kind="request", id=b"1"))
        await program.sees("ask waits for your answer")
        await program.press("f3", *"2")
        assert "F4 then Enter answer" in program.text
        await program.press("f4", "enter")
        await program.on(AnswerDialog)


@pytest.mark.parametrize(("keys", "action"), [(("right", "enter"), "accept"), (("right", "right", "enter"), "decline")])
async def test_page_is_agreed_to_and_never_opened(explorer: Explorer, keys: tuple[str, ...], action: str) -> None:
    async with asked(explorer, PAGE) as program:
        assert "page at bank.example" in program.text
        await program.press("enter")
        await program.on(Confirm)
        await program.press("enter")
        await program.until(lambda: program.app.clipboard == "https://bank.example/pay")
        await program.on(Confirm)
        await program.press(*keys)
        assert await answer_of(program) == {"action": action}


@pytest.mark.parametrize(
    ("fields", "shown", "why"),
    [
        (300, "The form has 300 fields", "more than the 200 that fit. The answer is JSON."),
        (10_000, "waits for your answer", "The form is larger than 256 kB. The answer is JSON."),
    ],
)
async def test_form_that_is_too_large_is_answered_as_json(
    explorer: Explorer, fields: int, shown: str, why: str
) -> None:
    schema = {"properties": {f"f{number}": {"type": "string"} for number in range(fields)}}
    async with asked(explorer, {"message": "All of it", "requestedSchema": schema}) as program:
        assert shown in program.text
        await program.press("enter")
        await program.on(AnswerDialog)
        assert why in program.text
        await program.press("f5")
        assert await answer_of(program) == {"action": "accept", "content": {}}


async def test_answer_after_the_call_is_no_success(explorer: Explorer) -> None:
    async with asked(explorer, FORM) as program:
        await program.press("enter")
        await program.on(ElicitationScreen)
        await program.press("enter", *"Ada", "enter")
        program.calls.action_cancel()
        await program.until(lambda: program.calls.running is None)
        await program.press("f5")
        await program.sees("Not answered: the call has ended.")
        await program.misses("waits for your answer")


async def test_cancelled_call_closes_its_question(explorer: Explorer) -> None:
    async with asked(explorer, PAGE) as program:
        await program.press("enter")
        await program.on(Confirm)
        await program.press("ctrl+c")
        await program.on(CallScreen)
        await program.sees("cancelled")


async def test_deadline_of_the_call_stands_still_while_it_waits(
    explorer: Explorer, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with asked(explorer, FORM) as program:
        loop = asyncio.get_running_loop()
        now = loop.time
        monkeypatch.setattr(loop, "time", lambda: now() + 60)
        await program.pause()
        assert "waits for your answer" in program.text
        await program.press("enter")
        await program.on(ElicitationScreen)
        await program.press("alt+d")
        assert await answer_of(program) == {"action": "decline"}


async def test_typing_replaces_the_start_of_an_answer(explorer: Explorer) -> None:
    async with open_program(explorer, profile="demo") as program:
        receive(explorer, event("ask", "{}", kind="request", id=b"1"))
        await program.sees("ask waits for your answer")
        await program.press("f4", "enter")
        dialog: AnswerDialog = await program.on(AnswerDialog)
        await program.press("7")
        assert dialog.texts["answer"] == "7"


async def test_hostile_question_is_shown_as_text(explorer: Explorer) -> None:
    evil = "\x1b]52;c;aGk=\x07 [@click=app.quit]x[/] \u202e"
    schema = {"properties": {evil: {"type": "string", "title": evil, "description": evil, "enum": [evil, "x"]}}}
    async with asked(explorer, {"message": f"{evil}\nrpcexplorer: type", "requestedSchema": schema}) as program:
        assert "␛]52;c;aGk=" in program.text
        assert "[@click=app.quit]x[/]" in program.text
        await program.press("enter")
        await program.on(ElicitationScreen)
        await program.press("enter")
        await program.on(Picker)
        assert "\x1b" not in program.text
        assert "\u202e" not in program.text
        await program.press("enter", "f5")
        assert (await answer_of(program))["content"] == {evil: evil}


async def test_request_says_that_the_user_can_be_asked(explorer: Explorer) -> None:
    profile = Profile("mcp", "http://127.0.0.1:9", handshake="mcp", mcp="2026-07-28", empty_params="{}")
    explorer.profiles.profiles["mcp"] = profile
    async with open_program(explorer, profile="mcp", size=(500, 40)) as program:
        await program.write("add", "{}")
        program.calls.params.show_tab("Request")
        await program.sees('"elicitation":{')
