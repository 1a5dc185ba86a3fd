"""A pasted request becomes a call, and the old draft can be restored."""

from __future__ import annotations

import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from textual import events

from rpcexplorer.explorer import Explorer
from rpcexplorer.importing import request as envelopes
from rpcexplorer.tui.widgets.dialog import Confirm
from rpcexplorer.tui.widgets.verdict import MAX_IMMEDIATE
from tests.tui.program import Program, open_program

ENVELOPE = '{"jsonrpc": "2.0", "id": 7, "method": "user.get", "params": {"n": 1.10, "n": 2}}'
PARAMS = '{"n": 1.10, "n": 2}'
PASSWORD = "pass-word-of-curl"


@asynccontextmanager
async def pasted(explorer: Explorer, *requests: str, profile: str = "demo") -> AsyncIterator[Program]:
    """Paste requests into the empty editor of a method."""
    async with open_program(explorer, profile=profile) as program:
        program.calls.drafts.choose("ping")
        await program.press("f3")
        program.app.post_message(events.Paste("\n".join(requests)))
        await program.rest()
        yield program


async def take(program: Program, method: str = "user.get") -> None:
    """Import what was pasted, and wait for its first call."""
    await program.press("ctrl+r")
    await program.until(lambda: program.calls.method == method)
    await program.rest()


async def test_long_pasted_request_is_parsed_in_a_thread(explorer: Explorer, monkeypatch: pytest.MonkeyPatch) -> None:
    threads: list[threading.Thread] = []
    parse = envelopes.whole_requests

    def whole_requests(text: str) -> list[envelopes.WrittenCall]:
        threads.append(threading.current_thread())
        return parse(text)

    monkeypatch.setattr(envelopes, "whole_requests", whole_requests)
    async with pasted(explorer, ENVELOPE.replace("1.10", f'"{"x" * 2 * MAX_IMMEDIATE}"')) as program:
        await program.sees("import method")
        await take(program)
    assert threads
    assert threading.main_thread() not in threads


async def test_pasted_request_is_imported_and_undo_reverts_it(explorer: Explorer) -> None:
    async with pasted(explorer, ENVELOPE) as program:
        await program.sees("This is a whole request, not params.", "^R import method user.get")
        await program.play('ctrl+r | 1 {"n": 1.10, "n": 2} | user.get is in the editor. ^Z restores the pasted text.')
        await program.press("ctrl+z")
        await program.rest()
        assert (program.calls.method, program.calls.params.text) == ("user.get", ENVELOPE)
        program.calls.drafts.choose("ping")
        assert program.calls.params.text == "[]"
    assert explorer.profile is not None
    assert explorer.replaced.of(explorer.profile, "user.get") == [ENVELOPE]


async def test_pasted_credentials_are_stored_after_a_confirmation(explorer: Explorer) -> None:
    params = f'{{"username": "demo", "password": "{PASSWORD}", "n": 1.10}}'
    body = f'{{"jsonrpc": "2.0", "method": "arg_test", "params": {params}}}'
    command = f"curl '{explorer.use('inline').endpoint}' \\\r\n  -b 'theme=dark-theme' -d '{body}'"
    async with pasted(explorer, command, profile="inline") as program:
        assert "This is a curl command, not JSON." in program.words
        await program.press("ctrl+r")
        await program.on(Confirm)
        assert "Store the imported password?" in program.text
        await program.press("enter")
        await program.until(lambda: program.calls.method == "arg_test")
        await program.rest()
        assert program.calls.params.text == '{"n": 1.10}'
        assert "The call has no id" in program.notices
        program.calls.drafts.write_down()
    assert PASSWORD in explorer.paths.secrets.read_text()
    drafts = [path for path in explorer.paths.drafts.rglob("*") if path.is_file()]
    assert drafts
    assert not any(PASSWORD in path.read_text(errors="replace") for path in drafts)


@pytest.mark.thorough
async def test_first_of_several_requests_is_in_the_editor(explorer: Explorer) -> None:
    others = [
        ENVELOPE.replace("1.10", "2.20"),
        ENVELOPE.replace("user.get", "log"),
        ENVELOPE.replace("user.get", "ping"),
    ]
    async with pasted(explorer, ENVELOPE, *others) as program:
        await take(program)
        assert program.calls.params.text == PARAMS
        assert "The other calls are drafts of user.get, log, ping." in program.notices
        program.calls.drafts.choose("ping")  # the method of the editor
        assert program.calls.params.text == PARAMS
    assert explorer.profile is not None
    assert '{"n": 2.20, "n": 2}' in explorer.replaced.of(explorer.profile, "user.get")
    assert explorer.draft_of("log") == PARAMS


async def test_notice_names_the_urls_of_pasted_calls(explorer: Explorer) -> None:
    commands = [f"curl http://{host}.example.com/rpc -d '{ENVELOPE}'" for host in ("a", "b")]
    async with pasted(explorer, *commands) as program:
        await take(program)
        assert explorer.profile is not None
        urls = "http://a.example.com/rpc, http://b.example.com/rpc"
        assert f"Calls are sent to {explorer.profile.endpoint}, not to {urls}." in program.notices


async def test_calls_imported_on_full_disk_are_in_editor(explorer: Explorer, tmp_path: Path) -> None:
    file = tmp_path / "calls.jsonl"
    file.write_text(ENVELOPE)

    async with open_program(explorer, profile="demo") as program:
        program.calls.drafts.choose("user.get")
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(explorer.drafts, "_save", lambda key, text: "no space left on the disk")
            program.calls.params.replace("[1]")
            await program.play(f"""
                alt+i | Esc cancel
                replace {file}
                enter | calls 1: user.get
                enter | Imported the call into the editor
            """)
            assert program.calls.params.text == PARAMS
            program.calls.action_replaced_params()
            assert program.calls.params.text == "[1]"


@pytest.mark.thorough
async def test_calls_of_a_file_are_shown_before_import(explorer: Explorer, tmp_path: Path) -> None:
    file = tmp_path / "calls.jsonl"
    file.write_text(
        f'{ENVELOPE}\n{{"jsonrpc": "2.0", "method": "log", "params": ["«demo.password»"]}}\n{{"result": 1}}\n'
    )

    async with open_program(explorer, profile="demo") as program:
        await program.play(f"""
            alt+i | Esc cancel
            replace /nowhere/nothing.har
            enter | here is no file | /nowhere/nothing.har
            replace curl http://a.example
            enter | Paste it into the params | curl http://a.example
            replace {file}
            enter | calls 2: user.get, log | warning request 3 skipped: the body is a response
            enter | 1 {{"n": 1.10, "n": 2}}
        """)
    explorer.use("demo")
    assert explorer.draft_of("log") == '["\\u00abdemo.password»"]'


async def test_servers_of_a_file_become_profiles(explorer: Explorer, tmp_path: Path) -> None:
    file = tmp_path / ".mcp.json"
    file.write_text(
        '{"mcpServers": {"tool": {"command": "npx", "args": ["-v"], "env": {"API_KEY": "first-api-key", "A": "b"}},'
        ' "old": {"type": "sse", "url": "https://h"}}}'
    )
    async with open_program(explorer, profile="demo") as program:
        await program.play(f"""
            alt+i | Esc cancel
            replace {file}
            enter | Add these servers as profiles of yours? | npx -v, environment.A b, secret API_KEY in
        """)
        assert "old: rpcexplorer does not support the old transport HTTP+SSE." in program.words
        assert "first-api-key" not in program.text
        assert not explorer.paths.user_sessions.exists() or "tool" not in explorer.paths.user_sessions.read_text()
        await program.play("""
            enter | Store the imported API_KEY? | stdio:npx -v
            enter | Added tool to
        """)
    assert 'environment_secrets = ["API_KEY"]' in explorer.paths.user_sessions.read_text()
    assert "first-api-key" in explorer.paths.secrets.read_text()
