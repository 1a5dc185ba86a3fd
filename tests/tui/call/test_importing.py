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
from rpcexplorer.tui.app import ExplorerApp
from rpcexplorer.tui.call.screen import CallScreen
from rpcexplorer.tui.widgets.dialog import Ask, Confirm
from rpcexplorer.tui.widgets.verdict import MAX_IMMEDIATE, ProblemLine
from tests.tui.stage import text_of
from tests.tui.visiting import notices, on, rest, type_in, visit
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


def test_long_pasted_request_is_parsed_in_a_thread(explorer: Explorer, monkeypatch: pytest.MonkeyPatch) -> None:
    threads: list[threading.Thread] = []
    parse = envelopes.whole_requests

    def whole_requests(text: str) -> list[envelopes.WrittenCall]:
        threads.append(threading.current_thread())
        return parse(text)

    monkeypatch.setattr(envelopes, "whole_requests", whole_requests)
    request = ENVELOPE.replace("1.10", f'"{"x" * 2 * MAX_IMMEDIATE}"')

    async def scene(app: ExplorerApp, pilot: Pilot[Any], screen: CallScreen) -> None:
        await paste(pilot, screen, request)
        await until(pilot, lambda: "import method" in offer(screen))
        await pilot.press("ctrl+r")
        await until(pilot, lambda: screen.method == "user.get")
        await rest(pilot)

    visit(explorer, scene)
    assert threads
    assert threading.main_thread() not in threads


def test_pasted_request_is_imported_and_undo_reverts_it(explorer: Explorer) -> None:
    async def scene(app: ExplorerApp, pilot: Pilot[Any], screen: CallScreen) -> None:
        await paste(pilot, screen, ENVELOPE)
        assert "This is a whole request, not params." in offer(screen)
        assert offer(screen).endswith("^R import method user.get")
        await pilot.press("ctrl+r")
        await until(pilot, lambda: screen.method == "user.get")
        await rest(pilot)
        assert screen.params.text == '{"n": 1.10, "n": 2}'
        assert notices(app) == "user.get is in the editor. ^Z restores the pasted text."
        await pilot.press("ctrl+z")
        await rest(pilot)
        assert (screen.method, screen.params.text) == ("user.get", ENVELOPE)
        screen.drafts.choose("ping")
        assert screen.params.text == "[]"

    visit(explorer, scene)
    assert explorer.profile is not None
    assert explorer.replaced.of(explorer.profile, "user.get") == [ENVELOPE]


def test_pasted_credentials_are_stored_after_a_confirmation(explorer: Explorer) -> None:
    async def scene(app: ExplorerApp, pilot: Pilot[Any], screen: CallScreen) -> None:
        assert explorer.profile is not None
        params = f'{{"username": "demo", "password": "{PASSWORD}", "n": 1.10}}'
        body = f'{{"jsonrpc": "2.0", "method": "arg_test", "params": {params}}}'
        await paste(pilot, screen, f"curl '{explorer.profile.endpoint}' \\\r\n  -b 'theme=dark-theme' -d '{body}'")
        assert "This is a curl command, not JSON." in offer(screen)
        await pilot.press("ctrl+r")
        question = await on(pilot, Confirm)
        assert question._title == "Store the imported password?"
        await pilot.press("enter")
        await until(pilot, lambda: app.screen is screen)
        await rest(pilot)
        assert (screen.method, screen.params.text) == ("arg_test", '{"n": 1.10}')
        assert "The call has no id" in "".join(notice.message for notice in app._notifications)
        screen.drafts.write_down()

    visit(explorer, scene, profile="inline")
    assert PASSWORD in explorer.paths.secrets.read_text()
    assert PASSWORD not in texts(explorer.paths.drafts)


@pytest.mark.thorough
def test_first_of_several_requests_is_in_the_editor(explorer: Explorer) -> None:
    async def scene(app: ExplorerApp, pilot: Pilot[Any], screen: CallScreen) -> None:
        others = [ENVELOPE.replace("1.10", "2.20"), ENVELOPE.replace("user.get", "log")]
        await paste(pilot, screen, "\n".join([ENVELOPE, *others]))
        await pilot.press("ctrl+r")
        await until(pilot, lambda: screen.method == "user.get")
        await rest(pilot)
        assert screen.params.text == '{"n": 1.10, "n": 2}'
        assert "The other calls are drafts of user.get, log." in notices(app)

    visit(explorer, scene)
    profile = explorer.profile
    assert profile is not None
    assert '{"n": 2.20, "n": 2}' in explorer.replaced.of(profile, "user.get")
    assert explorer.draft_of("log") == '{"n": 1.10, "n": 2}'


def test_notice_names_the_urls_of_pasted_calls(explorer: Explorer) -> None:
    async def scene(app: ExplorerApp, pilot: Pilot[Any], screen: CallScreen) -> None:
        assert explorer.profile is not None
        commands = (f"curl http://{host}.example.com/rpc -d '{ENVELOPE}'" for host in ("a", "b"))
        await paste(pilot, screen, "\n".join(commands))
        await pilot.press("ctrl+r")
        await until(pilot, lambda: screen.method == "user.get")
        urls = "http://a.example.com/rpc, http://b.example.com/rpc"
        assert f"Calls are sent to {explorer.profile.endpoint}, not to {urls}." in notices(app)

    visit(explorer, scene)


def test_pasted_call_of_the_current_method_is_kept(explorer: Explorer) -> None:
    async def scene(app: ExplorerApp, pilot: Pilot[Any], screen: CallScreen) -> None:
        await paste(pilot, screen, "\n".join([ENVELOPE, ENVELOPE.replace("user.get", "ping")]))
        await pilot.press("ctrl+r")
        await until(pilot, lambda: screen.method == "user.get")
        assert "The other calls are drafts of ping." in notices(app)
        screen.drafts.choose("ping")
        assert screen.params.text == '{"n": 1.10, "n": 2}'

    visit(explorer, scene)


def test_calls_imported_on_full_disk_are_in_editor(explorer: Explorer, tmp_path: Path) -> None:
    file = tmp_path / "calls.jsonl"
    file.write_text(ENVELOPE)

    async def scene(app: ExplorerApp, pilot: Pilot[Any], screen: CallScreen) -> None:
        screen.drafts.choose("user.get")
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(explorer.drafts, "_save", lambda key, text: "no space left on the disk")
            screen.params.replace("[1]")
            await pilot.press("alt+i")
            await on(pilot, Ask)
            await type_in(pilot, str(file))
            await pilot.press("enter")
            await on(pilot, Confirm)
            await pilot.press("enter")
            await until(pilot, lambda: app.screen is screen)
            await until(pilot, lambda: "Imported the call into the editor" in notices(app))
            assert screen.params.text == '{"n": 1.10, "n": 2}'
            screen.action_replaced_params()
            assert screen.params.text == "[1]"

    visit(explorer, scene)


@pytest.mark.thorough
def test_calls_of_a_file_are_shown_before_import(explorer: Explorer, tmp_path: Path) -> None:
    file = tmp_path / "calls.jsonl"
    file.write_text(
        f'{ENVELOPE}\n{{"jsonrpc": "2.0", "method": "log", "params": ["«demo.password»"]}}\n{{"result": 1}}\n'
    )

    async def scene(app: ExplorerApp, pilot: Pilot[Any], screen: CallScreen) -> None:
        await pilot.press("alt+i")
        await on(pilot, Ask)
        await type_in(pilot, str(tmp_path / "nothing.har"))
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, Ask) and "there is no file" in app.screen._words.lower())
        await on(pilot, Ask)
        assert app.screen.query_one(Input).value.endswith("nothing.har")
        await type_in(pilot, "curl http://a.example")
        await pilot.press("enter")
        await until(
            pilot, lambda: isinstance(app.screen, Ask) and "Paste it into the params editor" in app.screen._words
        )
        await on(pilot, Ask)
        await type_in(pilot, str(file))
        await pilot.press("enter")
        question = await on(pilot, Confirm)
        assert ("calls", "2: user.get, log") in question._words
        assert ("warning", "request 3 skipped: the body is a response") in question._words
        await pilot.press("enter")
        await until(pilot, lambda: app.screen is screen and screen.method == "user.get")
        await rest(pilot)
        assert screen.params.text == '{"n": 1.10, "n": 2}'

    visit(explorer, scene)
    explorer.use("demo")
    assert explorer.draft_of("log") == '["\\u00abdemo.password»"]'
