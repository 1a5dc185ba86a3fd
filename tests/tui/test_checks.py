"""Checks on screen: expecting, judging a sent call, running all of them."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from rpcexplorer.explorer import Explorer
from rpcexplorer.model.exchange import Cancelled, Exchange, Unreached
from rpcexplorer.model.method import Described
from rpcexplorer.rpc.messages import ErrorObject, Result
from rpcexplorer.tui.call.methods import MethodList
from rpcexplorer.tui.checks import ChecksScreen
from rpcexplorer.tui.widgets.dialog import Confirm
from rpcexplorer.tui.widgets.picker import Picker
from tests.fakes.wire import HOLD, RawServer
from tests.text.exchanges import exchange
from tests.tui.conftest import PROFILES
from tests.tui.program import Program, open_program
from tests.tui.stage import text_of

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


def signs(program: Program) -> dict[str, str]:
    """Return the sign of each listed saved call."""
    rows = (row.strip("▌ ").split() for row in text_of(program.calls.query_one(MethodList)).splitlines())
    return {f"@{row[1]}": row[-1] if len(row) > 2 else "" for row in rows if row and row[0] == "@"}


async def send(program: Program, name: str) -> None:
    """Send a saved call, and wait for its verdict if it is a check."""
    screen = program.calls
    screen.open_method(f"@{name}")
    screen.exchange = None
    await program.sent()
    await program.until(lambda: not any(worker.description == "judge" for worker in screen.workers))
    await program.rest()


async def offered(program: Program) -> list[str]:
    """Press the key of the response, and return the choices."""
    program.calls.response.focus_inside()
    await program.press("e")
    picker = await program.on(Picker)
    return [f"{shown.pick.label}  {shown.pick.words}".rstrip() for shown in picker.list.items]


async def run_checks(program: Program) -> ChecksScreen:
    """Run both checks of the project file to their end."""
    await program.press("alt+r")
    screen: ChecksScreen = await program.on(ChecksScreen)
    await program.until(lambda: screen.stop is None and len(screen.results) == 2)
    await program.pause()
    return screen


async def test_outcome_and_value_become_expectations(explorer: Explorer) -> None:
    before = team(explorer).read_text()
    async with open_program(explorer, profile="demo") as program:
        await send(program, "plain")
        assert signs(program) == {"@late": "○", "@early": "○", "@plain": ""}
        assert "check " not in program.words
        assert (await offered(program))[0] == "any result"
        await program.press("escape", "down")
        assert (await offered(program))[:2] == ["any result", '/name = "ada"']
        await program.press("enter")  # The value under the cursor is the first choice then.
        await program.until(lambda: signs(program)["@plain"] == "✓")
        await program.sees("✓ check passed")
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
        await send(program, "plain")
        screen.response.focus_inside()
        await program.press(*["down"] * line)
        await offered(program)
        await program.press("enter")
        await program.until(lambda: program.notices == f"! Not saved: {why_not}")
    assert team(explorer).read_text() == before


async def test_value_of_too_large_response_is_refused(explorer: Explorer, monkeypatch: pytest.MonkeyPatch) -> None:
    before = team(explorer).read_text()
    monkeypatch.setattr("rpcexplorer.tui.checks.MAX_COMPARED_BYTES", 60)
    async with open_program(explorer, profile="demo") as program:
        screen = program.calls
        await send(program, "plain")
        screen.response.focus_inside()
        await program.press("down")
        await offered(program)
        await program.press("enter")
        await program.until(lambda: program.notices == "! Not saved: the response is too large to expect a part of it.")
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
            assert await offered(program) == choices
        else:
            screen.response.action_expect()
            await program.until(lambda: program.notices == "There is no response that could be expected.")


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
        assert choice in await offered(program)


async def test_expected_error_replaces_expected_values(explorer: Explorer) -> None:
    async with open_program(explorer, profile="demo") as program:
        screen = program.calls
        screen.open_method("@late")
        screen.exchange = exchange(CODE, method="demo.echo", profile="demo", params='{"total": 4}')
        await program.pause()
        await offered(program)
        await program.press("enter")
        await program.until(lambda: signs(program)["@late"] == "✓")
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
        await program.until(lambda: program.notices == sentence)


async def test_sent_check_is_judged_until_it_changes(explorer: Explorer) -> None:
    async with open_program(explorer, profile="demo") as program:
        screen = program.calls
        await send(program, "late")
        await program.sees("✗ check failed: /total: expected 3, got 4 (and 1 more)")
        await send(program, "early")
        assert (signs(program)["@late"], signs(program)["@early"]) == ("✗", "✓")
        screen.drafts.choose("@early")
        screen.params.replace('{"total": 5}')  # This is not the saved call any more.
        screen.exchange = None
        await program.sent()
        await program.rest()
        assert signs(program)["@early"] == "✓"
        assert "check " not in program.words
        file = team(explorer)
        file.write_text(file.read_text().replace("= 3, ", "= 4, "))
        explorer.reload()
        screen.explorer_changed()
        await program.pause()
        assert (signs(program)["@late"], signs(program)["@early"]) == ("○", "✓")


async def test_cancelled_check_gets_no_verdict(explorer: Explorer, monkeypatch: pytest.MonkeyPatch) -> None:
    async def call(*_: Any, **__: Any) -> Exchange:
        return exchange(Cancelled(), method="demo.echo", params='{"total": 4}')

    monkeypatch.setattr(explorer, "call", call)
    async with open_program(explorer, profile="demo") as program:
        await send(program, "late")
        assert signs(program)["@late"] == "○"


async def test_all_checks_are_shown_and_one_is_opened(explorer: Explorer) -> None:
    async with open_program(explorer, profile="demo") as program:
        screen = program.calls
        await run_checks(program)
        _, title, *lines = program.words.splitlines()
        assert title == "▌Checks 2 ✓ 1 passed ✗ 1 failed"
        assert [" ".join(row.split()[:-2]) for row in lines[:2]] == [
            "✗ late failed /total: expected 3, got 4",
            "✓ early passed",
        ]
        reasons = lines[lines.index("late demo.echo") + 1 :]
        assert reasons[:3] == [
            "/total: expected 3, got 4",
            "/items: expected [1], got nothing: the result has no such place",
            "",
        ]
        assert any(reason.endswith("sessions.toml:29") for reason in reasons)
        await program.press("enter")
        await program.until(lambda: program.app.screen is screen)
        await program.rest()
        assert (screen.method, screen.params.text) == ("@late", '{"total": 4}')
        await program.sees("✗ check failed: /total: expected 3, got 4 (and 1 more)")
        assert (signs(program)["@late"], signs(program)["@early"]) == ("✗", "✓")


async def test_opened_passed_check_shows_no_other_response(explorer: Explorer) -> None:
    async with open_program(explorer, profile="demo") as program:
        screen = program.calls
        await send(program, "late")
        await program.sees("✗ check failed")
        await run_checks(program)
        await program.press("down", "enter")
        await program.until(lambda: program.app.screen is screen)
        await program.rest()
        assert (screen.method, screen.exchange) == ("@early", None)
        assert "check failed" not in program.words


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
            await program.until(
                lambda: program.notices == "Nothing was sent: a was still running. Esc cancels a running call."
            )
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
        await run_checks(program)  # The user wanted no more questions about the method today.


async def test_profile_without_checks_says_how_to_make_one(make_explorer: Make, service: str) -> None:
    async with open_program(make_explorer(PROFILES.format(url=service, user="demo")), profile="demo") as program:
        await program.press("alt+r")
        await program.until(
            lambda: program.notices == "There are no checks yet. Press e in the response of a saved call."
        )
        assert program.app.screen is program.calls
