"""Failures and empty views name the next step."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from rpcexplorer.client.report import Check, Report
from rpcexplorer.discovery.methods import Discovery
from rpcexplorer.explorer import Explorer
from rpcexplorer.tui.call.advice import Advice
from tests.tui.program import open_program


@pytest.mark.parametrize("has_hint", [True, False])
async def test_failed_login_names_the_next_step(
    has_hint: bool, make_explorer: Callable[..., Explorer], service: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    explorer = make_explorer(
        f'[profile.c]\nurl = "{service}"\nauth = {{ kind = "cookie", username = "demo" }}\n', RPCEXPLORER_C_PASSWORD="x"
    )
    if not has_hint:
        monkeypatch.setattr(Advice, "offer", lambda *_: None)
    async with open_program(explorer, profile="c") as program:
        await program.sent("f8")
        if has_hint:
            await program.until(lambda: program.calls.offered is not None)
            assert program.calls.offered is not None
            source = "The password comes from the environment variable RPCEXPLORER_C_PASSWORD. Correct or unset it."
            hint = "".join(text for text, _ in program.calls.offered.words)
            assert hint == f"F8 enter the password of c and resend   The server rejected the password. {source}"
            assert program.notices == ""
            await program.press("f8")
            await program.sees("Log in to c?")
        else:
            await program.sees("Login failed. To use other credentials, press ^P and type “switch user”.")


async def test_discovery_without_methods_names_the_next_step(
    explorer: Explorer, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def discover(*_: object, **__: object) -> Discovery:
        sentences = ("rpc.discover: not offered (-32601)", "The server does not list its methods.")
        return Discovery(datetime(2026, 1, 1, tzinfo=UTC), (), sentences)

    monkeypatch.setattr(Explorer, "discover", discover)
    async with open_program(explorer, profile="demo") as program:
        await program.press("f9")
        first = "The server does not list its methods. To test the connection, press Alt+t."
        await program.until(lambda: program.notices == f"{first}\nrpc.discover: not offered (-32601)")


@pytest.mark.parametrize(
    ("discovery", "notice"),
    [
        ('{ file = "api.json" }', "api.json: 0 methods (OpenRPC 1.3.2)."),
        ('"none"', 'Discovery is off: profile c has discovery = "none". You can still type and call any method.'),
    ],
)
async def test_discovery_that_sends_nothing_suggests_no_test(
    make_explorer: Callable[..., Explorer], tmp_path: Path, discovery: str, notice: str
) -> None:
    made = make_explorer(f'[profile.c]\nurl = "http://127.0.0.1:9"\npath = "/rpc"\ndiscovery = {discovery}\n')
    (tmp_path / "work" / "api.json").write_text('{"openrpc": "1.3.2", "methods": []}')
    async with open_program(made, profile="c") as program:
        await program.press("f9")
        await program.until(lambda: bool(program.notices))
        assert program.notices.removeprefix(f"{tmp_path / 'work'}/") == notice
        await program.sees("No methods were found.", "Type a name and press Enter.")
        await program.press("f2", *"ping")
        await program.sees("Not in the list. You can cal…")


@pytest.mark.parametrize(
    ("check", "step"),
    [
        (
            Check("Name", "failed", "the host name was not resolved"),
            "Press Esc, check the URL and the server, then test again.",
        ),
        (Check("Start", "well", "The process runs."), "The profile needs no changes. Press Esc, then F5"),
    ],
)
async def test_connection_test_without_proposal_names_the_next_step(
    explorer: Explorer, check: Check, step: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def test(*_: object, **__: object) -> Report:
        return Report((check,))

    monkeypatch.setattr(Explorer, "test", test)
    async with open_program(explorer, profile="demo") as program:
        await program.test_connection("alt+t")
        assert step in program.page


async def test_list_without_profiles_names_the_next_step(make_explorer: Callable[..., Explorer], service: str) -> None:
    explorer = make_explorer(f'[profile.c]\nurl = "{service}"\n')
    async with open_program(explorer, profile="c") as program:
        await program.profiles("c")
        await program.press("delete")
        await program.sees("Remove c?")
        await program.press("right", "enter")
        await program.sees("No profiles yet. Press a to add one.")
