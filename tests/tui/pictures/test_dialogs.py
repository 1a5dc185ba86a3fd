"""Forms and questions as text."""

from __future__ import annotations

import json

import pytest
from msgspec.structs import replace

from rpcexplorer.client.probe import Proposal
from rpcexplorer.client.report import Check, Report
from rpcexplorer.explorer import Explorer
from rpcexplorer.model.destination import Change, DestinationChanged, ProcessCommand
from rpcexplorer.model.mcp import ELICITATION
from rpcexplorer.secrets.destination import DISPUTED, NOT_ALLOWED
from rpcexplorer.tui.answers import AnswerDialog, ElicitationScreen
from rpcexplorer.tui.connection_test import ConnectionTest
from rpcexplorer.tui.dialogs import Credentials, may_allow
from rpcexplorer.tui.profile_form import ProfileForm
from rpcexplorer.tui.widgets.dialog import Confirm
from tests.tui.pictures import scenes
from tests.tui.pictures.drawing import SMALL, USUAL, Compare, in_sizes
from tests.tui.program import Program, open_program

pytestmark = pytest.mark.thorough


async def test_credentials_are_asked_for_and_masked(explorer: Explorer, compare: Compare) -> None:
    explorer.use("shop")
    async with open_program(explorer) as program:
        await program.press("f8")
        await program.on(Credentials)
        await program.press(*"ada", "tab", *"correct-horse")
        await compare(program, "user name ada", f"password {'•' * 13}")


async def test_profile_form(explorer: Explorer, compare: Compare) -> None:
    async with open_program(explorer) as program:
        await program.profiles("prod")
        await program.press("e")
        await program.on(ProfileForm)
        await compare(program, "Edit prod", "description The real thing", "empty params")


async def test_profile_form_with_problems(explorer: Explorer, compare: Compare) -> None:
    async with open_program(explorer, size=SMALL) as program:
        await program.profiles("staging")
        await program.press("a")
        await program.on(ProfileForm)
        await program.press(*"rpc.example.com", "tab", *"production", "ctrl+s")
        await compare(program, "Add a profile", "✗ A URL begins with https:// or http://")


async def test_preset_fills_the_profile_form(explorer: Explorer, compare: Compare) -> None:
    async with open_program(explorer, size=SMALL) as program:
        await program.profiles("staging")
        await program.press("a")
        form = await program.on(ProfileForm)
        await program.type_in("http://127.0.0.1:6800")
        form.show_extra()
        form.input_of("preset").focus()
        await program.press(*"aria", "enter")
        shows = ("Calls go to http://127.0.0.1:6800/jsonrpc", "is the value of --rpc-secret", "token:{token}")
        await compare(program, *shows)


CHECKS = (
    Check("Name", "well", "The host name was resolved.", 0.0012),
    Check("TCP", "well", "Connected.", 0.0131),
    Check("TLS", "well", "Encrypted. The certificate is valid.", 0.0208),
    Check("HTTP", "well", "Status 401 from Transmission", 0.0093),
    Check("Address", "failed", "No JSON-RPC at /api/v2/: HTTP 401. /transmission/rpc asks for credentials.", code=5),
    Check("Content type", "well", "Preset transmission uses application/json."),
    Check("Empty params", "well", "Preset transmission uses {}."),
    Check("Handshake", "unknown", "Unknown before a login."),
    Check("JSON-RPC", "unknown", "Unknown before a login."),
    Check(
        "Server", "well", "The server looks like Transmission before 4.1, the BitTorrent client (preset transmission)."
    ),
    Check("Login", "failed", "The server asks for Basic auth.", code=3),
)


@in_sizes(SMALL, USUAL)
async def test_connection_test_result(explorer: Explorer, compare: Compare, size: tuple[int, int]) -> None:
    async def tested(*_: object, **__: object) -> Report:
        return Report(CHECKS, Proposal((("preset", "transmission"), ("auth.kind", "basic"))), requests=2)

    explorer.__dict__["test"] = tested
    async with open_program(explorer, size=size) as program:
        await program.profiles("prod")
        await program.press("alt+t")
        dialog: ConnectionTest = await program.on(ConnectionTest)
        await program.press("enter")
        await program.until(lambda: bool(dialog.report.checks))
        await compare(program, "Connection test: prod", "not set → transmission", "Save")


SAVED = """
[call.users]
method = "user.list"
expect = { outcome = "error", code = -1 }
[call.one]
method = "user.get"
expect = { within = 500 }
"""


async def test_expectations_to_choose_from(explorer: Explorer, compare: Compare) -> None:
    file = explorer.profiles.files[-1]
    file.write_text(file.read_text() + SAVED)
    explorer.reload()
    async with open_program(explorer) as program:
        screen = program.calls
        for name, call in explorer.saved_calls().items():
            screen.all_verdicts["staging", call] = "failed" if name == "users" else "passed"
        screen.explorer_changed()
        await scenes.show(program, replace(scenes.RESULT, params="[]"))
        screen.drafts.choose("@users")
        await program.pause()
        screen.check_remark = [("✗ check failed: outcome: expected error, got result", "wrong")]
        await program.press("f4", "down", "down", "e")
        await compare(program, "Expect in @users", "replaces outcome, code", "✗ failed")


async def test_request_of_the_server_is_answered(explorer: Explorer, compare: Compare) -> None:
    scenes.connect(explorer)
    async with open_program(explorer, size=SMALL) as program:
        await scenes.open_events(program, scenes.WAITING)
        await program.sees("? roots/list waits")
        await program.press("a")
        await program.on(AnswerDialog)
        await program.press("end", "ctrl+u", *'{"roots": []')
        await compare(program, "Answer roots/list?", "answer", "refuse", '"roots"')


FORM = {
    "message": "Where do you want to go? I found 12 trains and 3 flights.",
    "requestedSchema": {
        "properties": {
            "city": {"type": "string", "title": "City", "description": "The nearest station is chosen"},
            "nights": {"type": "integer", "title": "Nights", "default": 2, "minimum": 1, "maximum": 30},
            "room": {"type": "string", "oneOf": [{"const": "s", "title": "Single"}, {"const": "d", "title": "Double"}]},
            "meals": {"type": "array", "items": {"enum": ["breakfast", "lunch", "dinner"]}, "default": ["breakfast"]},
            "api_key": {"type": "string", "title": "Key", "description": "Of your travel account"},
        },
        "required": ["city"],
    },
}
PAGE = {
    "mode": "url",
    "url": "https://pay.example.com@evil.example.net/checkout?order=17",
    "message": "Please pay for order 17.",
    "elicitationId": "e1",
}


async def ask(program: Program, params: object) -> None:
    """Let the server ask, and wait for its question."""
    text = json.dumps({"jsonrpc": "2.0", "id": 7, "method": ELICITATION, "params": params}).encode()
    program.calls.drafts.choose("eth_subscribe")
    await program.press("f3")
    scenes.arrive(program.app.explorer, scenes.event(13.5, "request", text, ELICITATION, b"7"))
    await program.sees("elicitation/create waits for your answer")
    await program.press("f4")


@in_sizes(SMALL, USUAL)
async def test_server_asks_in_place_of_the_response(
    explorer: Explorer, compare: Compare, size: tuple[int, int]
) -> None:
    scenes.connect(explorer)
    async with open_program(explorer, size=size) as program:
        await ask(program, FORM)
        await compare(program, "Where do you want to go?", "5 fields, 1 required", "Enter answer")


@in_sizes(SMALL, USUAL)
async def test_form_of_the_server_is_filled_in(explorer: Explorer, compare: Compare, size: tuple[int, int]) -> None:
    scenes.connect(explorer)
    async with open_program(explorer, size=size) as program:
        await ask(program, FORM)
        await program.press("enter")
        await program.on(ElicitationScreen)
        await program.press("enter", *"Lisbon", "enter", "end", "enter", *"k-12345", "enter", "up")
        await compare(program, "Form node asks", "✓ no problems", "•••", "d decline")


async def test_page_of_the_server_is_agreed_to(explorer: Explorer, compare: Compare) -> None:
    scenes.connect(explorer)
    async with open_program(explorer) as program:
        await ask(program, PAGE)
        await program.press("enter")
        await program.on(Confirm)
        await compare(program, "Open a page at evil.example.net", "The text before @ is not the host", "Copy URL")


PROCESS = ProcessCommand(("pylsp", "--check-parent-process", "-v"), "~/shop", "/usr/local/bin/pylsp")
QUESTIONS = {
    "process": (
        DestinationChanged(
            "process",
            NOT_ALLOWED,
            (
                Change("folder", "", PROCESS.folder),
                Change("words", "pylsp", "pylsp --check-parent-process -v", "~/shop/sessions.toml:12"),
                Change("program", "", PROCESS.program),
            ),
            process=PROCESS,
        ),
        ("Start this process for node?", "→ pylsp --check", "Don't start"),
    ),
    "profile": (
        DestinationChanged(
            "destination",
            DISPUTED,
            (
                Change("origin", "https://notes.example.com", "https://evil.example.net", "~/shop/sessions.toml:4"),
                Change("login.method", "not set", "eth_sendTransaction", "~/shop/sessions.toml:5"),
            ),
        ),
        ("Send calls and secrets of node there?", "→ https://evil", "Don't send"),
    ),
}


@pytest.mark.parametrize("name", QUESTIONS)
async def test_destination_has_changed(explorer: Explorer, compare: Compare, name: str) -> None:
    changed, texts = QUESTIONS[name]
    async with open_program(explorer, size=SMALL) as program:
        program.app.push_screen(may_allow("node", changed))
        await program.on(Confirm)
        await compare(program, *texts)
