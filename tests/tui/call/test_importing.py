"""A pasted request becomes a call, and the old draft can be restored."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest
from textual import events
from textual.pilot import Pilot
from textual.widgets import Input

from rpcexplorer.explorer import Explorer
from rpcexplorer.importing import request as envelopes
from rpcexplorer.tui.call.screen import CallScreen
from rpcexplorer.tui.widgets.dialog import Ask, Confirm
from rpcexplorer.tui.widgets.verdict import MAX_IMMEDIATE, ProblemLine
from tests.tui.program import open_program
from tests.tui.stage import text_of
from tests.tui.visiting import rest
from tests.tui.waiting import until

ENVELOPE = '{"jsonrpc": "2.0", "id": 7, "method": "user.get", "params": {"n": 1.10, "n": 2}}'
PASSWORD = "pass-word-of-curl"


async def paste(pilot: Pilot[Any], screen: CallScreen, text: str) -> None:
    """Paste into the empty editor of a method."""
    screen.drafts.choose("ping")
    screen.params.focus_inside()
    await pilot.pause()
    pilot.app.post_message(events.Paste(text))
    await rest(pilot)


def offer(screen: CallScreen) -> str:
    return text_of(screen.query_one(ProblemLine))


def texts(folder: Path) -> str:
    return "".join(path.read_text(errors="replace") for path in folder.rglob("*") if path.is_file())


async def test_long_pasted_request_is_parsed_in_a_thread(explorer: Explorer, monkeypatch: pytest.MonkeyPatch) -> None:
    threads: list[threading.Thread] = []
    parse = envelopes.whole_requests

    def whole_requests(text: str) -> list[envelopes.WrittenCall]:
        threads.append(threading.current_thread())
        return parse(text)

    monkeypatch.setattr(envelopes, "whole_requests", whole_requests)
    request = ENVELOPE.replace("1.10", f'"{"x" * 2 * MAX_IMMEDIATE}"')

    async with open_program(explorer, profile="demo") as program:
        screen = program.calls
        await paste(program, screen, request)
        await program.until(lambda: "import method" in offer(screen))
        await program.press("ctrl+r")
        await program.until(lambda: screen.method == "user.get")
        await program.rest()
    assert threads
    assert threading.main_thread() not in threads


async def test_pasted_request_is_imported_and_undo_reverts_it(explorer: Explorer) -> None:
    async with open_program(explorer, profile="demo") as program:
        screen = program.calls
        await paste(program, screen, ENVELOPE)
        assert "This is a whole request, not params." in offer(screen)
        assert offer(screen).endswith("^R import method user.get")
        await program.press("ctrl+r")
        await program.until(lambda: screen.method == "user.get")
        await program.rest()
        assert screen.params.text == '{"n": 1.10, "n": 2}'
        assert program.notices == "user.get is in the editor. ^Z restores the pasted text."
        await program.press("ctrl+z")
        await program.rest()
        assert (screen.method, screen.params.text) == ("user.get", ENVELOPE)
        screen.drafts.choose("ping")
        assert screen.params.text == "[]"
    assert explorer.profile is not None
    assert explorer.replaced.of(explorer.profile, "user.get") == [ENVELOPE]


async def test_pasted_credentials_are_stored_after_a_confirmation(explorer: Explorer) -> None:
    async with open_program(explorer, profile="inline") as program:
        screen = program.calls
        assert explorer.profile is not None
        params = f'{{"username": "demo", "password": "{PASSWORD}", "n": 1.10}}'
        body = f'{{"jsonrpc": "2.0", "method": "arg_test", "params": {params}}}'
        await paste(program, screen, f"curl '{explorer.profile.endpoint}' \\\r\n  -b 'theme=dark-theme' -d '{body}'")
        assert "This is a curl command, not JSON." in offer(screen)
        await program.press("ctrl+r")
        question = await program.on(Confirm)
        assert question._title == "Store the imported password?"
        await program.press("enter")
        await program.until(lambda: program.app.screen is screen)
        await program.rest()
        assert (screen.method, screen.params.text) == ("arg_test", '{"n": 1.10}')
        assert "The call has no id" in "".join(notice.message for notice in program.app._notifications)
        screen.drafts.write_down()
    assert PASSWORD in explorer.paths.secrets.read_text()
    assert PASSWORD not in texts(explorer.paths.drafts)


@pytest.mark.thorough
async def test_first_of_several_requests_is_in_the_editor(explorer: Explorer) -> None:
    async with open_program(explorer, profile="demo") as program:
        screen = program.calls
        others = [ENVELOPE.replace("1.10", "2.20"), ENVELOPE.replace("user.get", "log")]
        await paste(program, screen, "\n".join([ENVELOPE, *others]))
        await program.press("ctrl+r")
        await program.until(lambda: screen.method == "user.get")
        await program.rest()
        assert screen.params.text == '{"n": 1.10, "n": 2}'
        assert "The other calls are drafts of user.get, log." in program.notices
    profile = explorer.profile
    assert profile is not None
    assert '{"n": 2.20, "n": 2}' in explorer.replaced.of(profile, "user.get")
    assert explorer.draft_of("log") == '{"n": 1.10, "n": 2}'


async def test_notice_names_the_urls_of_pasted_calls(explorer: Explorer) -> None:
    async with open_program(explorer, profile="demo") as program:
        assert explorer.profile is not None
        commands = (f"curl http://{host}.example.com/rpc -d '{ENVELOPE}'" for host in ("a", "b"))
        await paste(program, program.calls, "\n".join(commands))
        await program.press("ctrl+r")
        await program.until(lambda: program.calls.method == "user.get")
        urls = "http://a.example.com/rpc, http://b.example.com/rpc"
        assert f"Calls are sent to {explorer.profile.endpoint}, not to {urls}." in program.notices


async def test_pasted_call_of_the_current_method_is_kept(explorer: Explorer) -> None:
    async with open_program(explorer, profile="demo") as program:
        screen = program.calls
        await paste(program, screen, "\n".join([ENVELOPE, ENVELOPE.replace("user.get", "ping")]))
        await program.press("ctrl+r")
        await program.until(lambda: screen.method == "user.get")
        assert "The other calls are drafts of ping." in program.notices
        screen.drafts.choose("ping")
        assert screen.params.text == '{"n": 1.10, "n": 2}'


async def test_calls_imported_on_full_disk_are_in_editor(explorer: Explorer, tmp_path: Path) -> None:
    file = tmp_path / "calls.jsonl"
    file.write_text(ENVELOPE)

    async with open_program(explorer, profile="demo") as program:
        screen = program.calls
        screen.drafts.choose("user.get")
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(explorer.drafts, "_save", lambda key, text: "no space left on the disk")
            screen.params.replace("[1]")
            await program.press("alt+i")
            await program.on(Ask)
            await program.type_in(str(file))
            await program.press("enter")
            await program.on(Confirm)
            await program.press("enter")
            await program.until(lambda: program.app.screen is screen)
            await program.until(lambda: "Imported the call into the editor" in program.notices)
            assert screen.params.text == '{"n": 1.10, "n": 2}'
            screen.action_replaced_params()
            assert screen.params.text == "[1]"


@pytest.mark.thorough
async def test_calls_of_a_file_are_shown_before_import(explorer: Explorer, tmp_path: Path) -> None:
    file = tmp_path / "calls.jsonl"
    file.write_text(
        f'{ENVELOPE}\n{{"jsonrpc": "2.0", "method": "log", "params": ["«demo.password»"]}}\n{{"result": 1}}\n'
    )

    async with open_program(explorer, profile="demo") as program:
        screen = program.calls
        await program.press("alt+i")
        await program.on(Ask)
        await program.type_in(str(tmp_path / "nothing.har"))
        await program.press("enter")
        await program.until(
            lambda: isinstance(program.app.screen, Ask) and "there is no file" in program.app.screen._words.lower()
        )
        await program.on(Ask)
        assert program.app.screen.query_one(Input).value.endswith("nothing.har")
        await program.type_in("curl http://a.example")
        await program.press("enter")
        await until(
            program,
            lambda: (
                isinstance(program.app.screen, Ask) and "Paste it into the params editor" in program.app.screen._words
            ),
        )
        await program.on(Ask)
        await program.type_in(str(file))
        await program.press("enter")
        question = await program.on(Confirm)
        assert ("calls", "2: user.get, log") in question._words
        assert ("warning", "request 3 skipped: the body is a response") in question._words
        await program.press("enter")
        await program.until(lambda: program.app.screen is screen and screen.method == "user.get")
        await program.rest()
        assert screen.params.text == '{"n": 1.10, "n": 2}'
    explorer.use("demo")
    assert explorer.draft_of("log") == '["\\u00abdemo.password»"]'
