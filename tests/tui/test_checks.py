"""Checks on screen: expecting, judging a sent call, running all of them."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from rpcexplorer.explorer import Explorer
from rpcexplorer.model.exchange import Cancelled, Exchange, Unreached
from rpcexplorer.model.method import Described
from rpcexplorer.rpc.messages import ErrorObject, Result
from rpcexplorer.tui.call.methods import MethodList
from rpcexplorer.tui.call.response import ResponsePane
from rpcexplorer.tui.call.screen import CallScreen
from rpcexplorer.tui.checks import ChecksScreen
from rpcexplorer.tui.widgets.bars import WarningLines
from rpcexplorer.tui.widgets.dialog import Confirm
from rpcexplorer.tui.widgets.picker import Picker
from tests.fakes.wire import HOLD, RawServer
from tests.text.exchanges import exchange
from tests.tui.conftest import PROFILES
from tests.tui.program import open_program
from tests.tui.stage import text_of
from tests.tui.visiting import on, rest
from tests.tui.waiting import until

CALLS = """
# First, but not safe.
[call.late]
method = "demo.echo"
params_json = '{"total": 4}'   # four
[call.late.expect]
values = { "/total" = 3, "/items" = [1] }

[call.early]
method = "demo.echo"
params_json = '{"total": 3}'
expect = { values = { "/total" = 3 } }

[call.plain]
method = "demo.echo"
params_json = '{"name": "ada", "none": null, "long": 0.12345678901234567891, "note": "hunter2-hunter2"}'
"""
Make = Callable[..., Explorer]


@pytest.fixture
def explorer(make_explorer: Make, service: str) -> Explorer:
    profiles = PROFILES.format(url=service, user="demo") + CALLS
    return make_explorer(profiles, RPCEXPLORER_COOKIE_PASSWORD="hunter2-hunter2")


def team(explorer: Explorer) -> Path:
    return explorer.profiles.files[-1]


def expectations(explorer: Explorer, name: str) -> dict[str, Any]:
    values: dict[str, Any] = tomllib.loads(team(explorer).read_text())["call"][name]["expect"]
    return values


def signs(screen: CallScreen) -> dict[str, str]:
    """Return the last sign of each listed saved call."""
    rows = (row.split() for row in text_of(screen.query_one(MethodList)).splitlines())
    return {name: row[-1] for row in rows for name in row[:2] if name.startswith("@")}


def remarks(screen: CallScreen) -> str:
    lines = screen.query_one(ResponsePane).query_one(WarningLines)
    return "".join(text for text, _ in lines.pieces)


async def send(pilot: Pilot[Any], screen: CallScreen, name: str) -> None:
    """Send a saved call, and wait for its verdict if it is a check."""
    screen.open_method(f"@{name}")
    screen.exchange = None
    await pilot.press("f5")
    await until(pilot, lambda: screen.exchange is not None and not screen.running)
    await screen.workers.wait_for_complete([worker for worker in screen.workers if worker.group == "check"])
    await rest(pilot)


async def offered(pilot: Pilot[Any], screen: CallScreen) -> list[str]:
    """Press the key of the response, and return the choices."""
    screen.response.focus_inside()
    await pilot.press("e")
    picker = await on(pilot, Picker)
    return [f"{shown.pick.label}  {shown.pick.words}".rstrip() for shown in picker.list.items]


async def test_outcome_and_value_become_expectations(explorer: Explorer) -> None:
    before = team(explorer).read_text()
    async with open_program(explorer, profile="demo") as program:
        screen = program.calls
        await send(program, screen, "plain")
        assert signs(screen) == {"@late": "○", "@early": "○", "@plain": "@plain"}
        assert "check" not in remarks(screen)
        assert (await offered(program, screen))[0] == "any result"
        await program.press("escape", "down")
        assert (await offered(program, screen))[:2] == ["any result", '/name = "ada"']
        await program.press("enter")  # The value under the cursor is the first choice then.
        await program.until(lambda: signs(screen)["@plain"] == "✓")
        assert remarks(screen).startswith("✓ check passed")
        assert program.notices == f'Saved in {team(explorer)}: @plain expects /name = "ada".'
    assert team(explorer).read_text() == f'{before}\n[call.plain.expect]\nvalues = {{ "/name" = "ada" }}\n'


@pytest.mark.parametrize(
    ("line", "why_not"),
    [
        (2, "TOML has no null, so the value cannot be expected. Write a jq expression instead."),
        (3, "TOML cannot hold this value exactly. Expect another value."),
        (4, "the value contains a secret. Expect another value."),
    ],
)
@pytest.mark.everyday(1)
async def test_value_that_cannot_be_written_is_refused(explorer: Explorer, line: int, why_not: str) -> None:
    before = team(explorer).read_text()
    async with open_program(explorer, profile="demo") as program:
        screen = program.calls
        await send(program, screen, "plain")
        screen.response.focus_inside()
        await program.press(*["down"] * line)
        await offered(program, screen)
        await program.press("enter")
        await program.until(lambda: bool(program.app._notifications))
        assert program.notices == f"! Not saved: {why_not}"
    assert team(explorer).read_text() == before


async def test_value_of_too_large_response_is_refused(explorer: Explorer, monkeypatch: pytest.MonkeyPatch) -> None:
    before = team(explorer).read_text()
    monkeypatch.setattr("rpcexplorer.tui.checks.MAX_COMPARED_BYTES", 60)
    async with open_program(explorer, profile="demo") as program:
        screen = program.calls
        await send(program, screen, "plain")
        screen.response.focus_inside()
        await program.press("down")
        await offered(program, screen)
        await program.press("enter")
        await program.until(lambda: bool(program.app._notifications))
        assert program.notices == "! Not saved: the response is too large to expect a part of it."
    assert team(explorer).read_text() == before


CODE = ErrorObject(-32601, "Method not found", None, b'{"code": -32601}')


@pytest.mark.parametrize(
    ("outcome", "described", "choices"),
    [
        (CODE, None, ["error -32601  replaces values"]),
        (Result(b'{"total": 4}', message="failed"), None, ["any error  replaces values"]),
        (Result(b"[]"), {"type": "array"}, ["any result", "result = []", 'schema = "service"']),
        (Unreached("connect", "refused"), None, []),
    ],
)
async def test_choices_fit_the_response(
    explorer: Explorer, monkeypatch: pytest.MonkeyPatch, outcome: Any, described: Any, choices: list[str]
) -> None:
    monkeypatch.setattr(explorer, "described", lambda _: Described(result=described) if described else None)
    async with open_program(explorer, profile="demo") as program:
        screen = program.calls
        screen.open_method("@late")
        screen.exchange = exchange(outcome, method="demo.echo", profile="demo", params='{"total": 4}')
        await program.pause()
        if choices:
            assert await offered(program, screen) == choices
        else:
            screen.response.action_expect()
            await program.until(lambda: bool(program.app._notifications))
            assert program.notices == "There is no response that could be expected."


@pytest.mark.parametrize(
    ("expect", "outcome", "choice"),
    [
        ('schema = { type = "array" }', Result(b"{}"), 'schema = "service"  replaces schema'),
        ('schema = "service"', Result(b"{}"), 'schema = "service"'),
        ("code = -1", CODE, "error -32601  replaces code"),
        ("code = -32601", CODE, "error -32601"),
        ("code = -1", Result(b"{}"), "any result  replaces outcome, code"),
    ],
)
@pytest.mark.everyday(1)
async def test_choice_names_each_key_it_replaces(
    explorer: Explorer, monkeypatch: pytest.MonkeyPatch, expect: str, outcome: Any, choice: str
) -> None:
    monkeypatch.setattr(explorer, "described", lambda _: Described(result={"type": "object"}))
    file = team(explorer)
    file.write_text(file.read_text() + f"expect = {{ {expect} }}\n")
    explorer.reload()
    async with open_program(explorer, profile="demo") as program:
        screen = program.calls
        screen.open_method("@plain")
        screen.exchange = exchange(outcome, method="demo.echo", profile="demo", params=screen.params.text)
        await program.pause()
        assert choice in await offered(program, screen)


async def test_expected_error_replaces_expected_values(explorer: Explorer) -> None:
    async with open_program(explorer, profile="demo") as program:
        screen = program.calls
        screen.open_method("@late")
        screen.exchange = exchange(CODE, method="demo.echo", profile="demo", params='{"total": 4}')
        await program.pause()
        await offered(program, screen)
        await program.press("enter")
        await program.until(lambda: signs(screen)["@late"] == "✓")
    assert expectations(explorer, "late") == {"outcome": "error", "code": -32601}


@pytest.mark.parametrize(
    ("method", "sentence"),
    [
        ("demo.echo", "Only a saved call can be a check. To save this call, press Alt+k."),
        ("@plain", "This is the response of another call. To send @plain, press F5."),
        ("@late", "These are not the params of @late. To save these params, press Alt+k."),
    ],
)
async def test_response_of_no_saved_call_becomes_no_check(explorer: Explorer, method: str, sentence: str) -> None:
    async with open_program(explorer, profile="demo") as program:
        screen = program.calls
        screen.open_method(method)
        screen.exchange = exchange(Result(b"1"), method="demo.echo" if method == "@late" else "ping")
        screen.response.focus_inside()
        await program.press("e")
        await program.until(lambda: bool(program.app._notifications))
        assert program.notices == sentence


async def test_sent_check_is_judged_until_it_changes(explorer: Explorer) -> None:
    async with open_program(explorer, profile="demo") as program:
        screen = program.calls
        await send(program, screen, "late")
        assert remarks(screen) == "✗ check failed: /total: wanted 3, got 4 (and 1 more)"
        await send(program, screen, "early")
        assert (signs(screen)["@late"], signs(screen)["@early"]) == ("✗", "✓")
        screen.drafts.choose("@early")
        screen.params.replace('{"total": 5}')  # This is not the saved call any more.
        screen.exchange = None
        await program.press("f5")
        await program.until(lambda: screen.exchange is not None and not screen.running)
        await program.rest()
        assert (signs(screen)["@early"], remarks(screen)) == ("✓", "")
        file = team(explorer)
        file.write_text(file.read_text().replace("= 3, ", "= 4, "))
        explorer.reload()
        screen.explorer_changed()
        await program.pause()
        assert (signs(screen)["@late"], signs(screen)["@early"]) == ("○", "✓")


async def test_cancelled_check_gets_no_verdict(explorer: Explorer, monkeypatch: pytest.MonkeyPatch) -> None:
    async def call(*_: Any, **__: Any) -> Exchange:
        return exchange(Cancelled(), method="demo.echo", params='{"total": 4}')

    monkeypatch.setattr(explorer, "call", call)
    async with open_program(explorer, profile="demo") as program:
        await send(program, program.calls, "late")
        assert signs(program.calls)["@late"] == "○"


async def test_all_checks_are_shown_and_one_is_opened(explorer: Explorer) -> None:
    async with open_program(explorer, profile="demo") as program:
        screen = program.calls
        await program.press("alt+r")
        opened = await program.on(ChecksScreen)
        await program.until(lambda: opened.stop is None and len(opened.results) == 2)
        await program.pause()
        _, title, *lines = program.words.splitlines()
        assert title == "▌Checks 2 ✓ 1 passed ✗ 1 failed"
        assert [" ".join(row.split()[:-2]) for row in lines[:2]] == [
            "✗ late failed /total: wanted 3, got 4",
            "✓ early passed",
        ]
        reasons = lines[lines.index("late demo.echo") + 1 :]
        assert reasons[:3] == [
            "/total: wanted 3, got 4",
            "/items: wanted [1], got nothing: the result has no such place",
            "",
        ]
        assert any(reason.endswith("sessions.toml:29") for reason in reasons)
        await program.press("enter")
        await program.until(lambda: program.app.screen is screen)
        await program.rest()
        assert (screen.method, screen.params.text) == ("@late", '{"total": 4}')
        assert remarks(screen) == "✗ check failed: /total: wanted 3, got 4 (and 1 more)"
        assert (signs(screen)["@late"], signs(screen)["@early"]) == ("✗", "✓")


async def test_opened_passed_check_shows_no_other_response(explorer: Explorer) -> None:
    async with open_program(explorer, profile="demo") as program:
        screen = program.calls
        await send(program, screen, "late")
        assert remarks(screen).startswith("✗ check failed")
        await program.press("alt+r")
        opened = await program.on(ChecksScreen)
        await program.until(lambda: opened.stop is None and len(opened.results) == 2)
        await program.press("down", "enter")
        await program.until(lambda: program.app.screen is screen)
        await program.rest()
        assert (screen.method, screen.exchange, screen.check_remark, remarks(screen)) == ("@early", None, [], "")


HELD = """\
version = 1
default = "held"
[profile.held]
url = "{url}"
auth = {{ kind = "none" }}
[call.a]
method = "a"
expect = {{ outcome = "result" }}
[call.b]
method = "b"
expect = {{ outcome = "result" }}
"""


async def test_escape_stops_the_checks_then_closes(make_explorer: Make) -> None:
    with RawServer([HOLD]) as server:
        async with open_program(make_explorer(HELD.format(url=server.origin)), profile="held") as program:
            await program.press("alt+r")
            opened = await program.on(ChecksScreen)
            await program.until(lambda: bool(server.requests))
            await program.click(opened.list, offset=(3, 0))  # Nothing can be opened yet, not even by a click.
            await program.press("enter")
            await program.press("escape")
            await program.until(lambda: opened.stop is None)
            assert program.app.screen is opened
            assert "\n· a not run\n· b not run\n" in program.words
            await program.press("escape")
            await program.until(lambda: program.app.screen is program.calls)


async def test_no_checks_run_during_a_call(make_explorer: Make) -> None:
    with RawServer([HOLD]) as server:
        async with open_program(make_explorer(HELD.format(url=server.origin)), profile="held") as program:
            screen = program.calls
            screen.open_method("@a")
            await program.press("f5")
            await program.until(lambda: bool(server.requests))
            await program.press("alt+r")
            await program.until(lambda: bool(program.app._notifications))
            assert program.notices == "Nothing was sent: a was still running. Esc cancels a running call."
            assert program.app.screen is screen
            await program.press("escape")
            await program.until(lambda: not screen.running)


async def test_one_question_comes_before_unsafe_checks(explorer: Explorer, monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[str] = []

    async def call(draft: Any, **_: Any) -> Exchange:
        sent.append(draft.text)
        return exchange(Result(b"1"), method="demo.echo", params=draft.text)

    monkeypatch.setattr(explorer, "call", call)
    async with open_program(explorer, profile="prod") as program:
        await program.press("alt+r")
        question = await program.on(Confirm)
        assert question._title == "Send to PROD?  2 of 2 calls are unsafe."
        await program.press("escape")
        await program.until(lambda: program.app.screen is program.calls)
        assert sent == []
        explorer.remembered.quiet("prod", f"demo.echo at {explorer.profiles.profiles['prod'].origin}")
        await program.press("alt+r")  # The user wanted no more questions about the method today.
        opened = await program.on(ChecksScreen)
        await program.until(lambda: opened.stop is None and len(opened.results) == 2)


async def test_profile_without_checks_says_how_to_make_one(make_explorer: Make, service: str) -> None:
    async with open_program(make_explorer(PROFILES.format(url=service, user="demo")), profile="demo") as program:
        await program.press("alt+r")
        await program.until(lambda: bool(program.app._notifications))
        assert program.notices == "There are no checks yet. Press e in the response of a saved call."
        assert program.app.screen is program.calls
