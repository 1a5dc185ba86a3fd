"""Logging in with OAuth: the address is shown, and the redirect or a pasted one ends the login."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from rpcexplorer.explorer import Explorer
from rpcexplorer.tui.call.screen import CallScreen
from rpcexplorer.tui.dialogs import LogInElsewhere
from rpcexplorer.tui.widgets.dialog import Confirm
from tests.fakes.oauth import Issuer, Resource, browse, json_reply
from tests.tui.program import Program, open_program

Make = Callable[..., Explorer]


def explorer_of(make_explorer: Make, resource: Resource, settings: str = "") -> Explorer:
    auth = f'auth = {{ kind = "oauth"{settings} }}'
    return make_explorer(f'[profile.tools]\nurl = "{resource.origin}"\npath = "/rpc"\n{auth}\n')


async def address(program: Program) -> str:
    """Agree to the server, and copy the address where to log in."""
    await program.press("f8")
    await program.on(Confirm)
    await program.sees("Log in at another server?", "uses the authorization server")
    await program.press("right", "enter")
    await program.on(LogInElsewhere)
    await program.sees("Log in to tools", "Open this URL in a browser:")
    await program.press("enter")
    await program.until(lambda: program.app.clipboard.startswith("http"))
    return program.app.clipboard


async def test_redirect_closes_the_dialog_and_logs_in(make_explorer: Make, resource: Resource) -> None:
    async with open_program(explorer_of(make_explorer, resource), profile="tools") as program:
        visited = await address(program)
        assert visited.partition("?")[0] in "".join(program.unbroken)
        await asyncio.to_thread(browse, visited)
        await program.on(CallScreen)
        await program.sees("● session", "got a token from", '"scope": "read"')
        program.calls.drafts.choose("ping")
        await program.sent("f5")
        await program.sees('"scopes": "read"')


async def test_pasted_redirect_logs_in_and_a_wrong_one_does_not(make_explorer: Make, resource: Resource) -> None:
    async with open_program(explorer_of(make_explorer, resource), profile="tools") as program:
        redirect = await asyncio.to_thread(browse, await address(program), lambda url: f"not visited {url}")
        await program.press("tab", "tab", "tab")
        await program.press("enter")
        await program.sees("Paste the URL, or press Esc to cancel.")
        await program.paste(redirect.removeprefix("not visited "))
        await program.press("enter")
        await program.on(CallScreen)
        await program.sees("● session")
        await program.press("f8")
        await program.on(LogInElsewhere)
        await program.press("tab", "tab", "tab")
        await program.paste("https://evil.example/callback?code=1")
        await program.press("enter")
        await program.on(CallScreen)
        await program.sees("The login ended at another address, https://evil.example/callback")


async def test_escape_ends_a_login(make_explorer: Make, issuer: Issuer, resource: Resource) -> None:
    async with open_program(explorer_of(make_explorer, resource), profile="tools") as program:
        await address(program)
        await program.press("escape")
        await program.on(CallScreen)
        await program.sees("Not logged in at", "○ no session yet")
        assert issuer.forms == []


async def test_code_of_a_device_is_shown_until_it_was_typed(
    make_explorer: Make, issuer: Issuer, resource: Resource
) -> None:
    issuer.answers = [json_reply({"error": "authorization_pending"}, 400)] * 2_000
    explorer = explorer_of(make_explorer, resource, ', grant = "device"')
    async with open_program(explorer, profile="tools") as program:
        await program.press("f8")
        await program.on(Confirm)
        await program.press("right", "enter")
        await program.on(LogInElsewhere)
        await program.sees(f"{issuer.url}/activate", "Type this code there: WDJB-MJHT")
        issuer.answers.clear()
        await program.on(CallScreen)
        await program.sees("● session")
