"""The connection test on the screen: of a profile, and of what is typed there."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from rpcexplorer.client.probe import Proposal
from rpcexplorer.explorer import Explorer
from rpcexplorer.model.profile import ad_hoc
from rpcexplorer.tui.call.screen import CallScreen
from rpcexplorer.tui.connection_test import ConnectionTest
from rpcexplorer.tui.profiles import ProfilesScreen, Welcome
from rpcexplorer.tui.widgets.dialog import Confirm
from tests.fakes.certificates import self_signed
from tests.fakes.wire import RawServer, http_reply
from tests.tui.program import open_program

Make = Callable[..., Explorer]
PONG = http_reply(b'{"jsonrpc": "2.0", "id": "1", "result": "pong"}')


@pytest.mark.thorough
async def test_certificate_is_shown_and_pinned_after_confirmation(make_explorer: Make, tmp_path: Path) -> None:
    box = self_signed()

    with RawServer(PONG, tls=box.server(tmp_path)) as server:
        made = make_explorer(f'[profile.box]\nurl = "{server.origin}"\n')
        local = tmp_path / "work" / "sessions.local.toml"
        async with open_program(made, profile="box", size=(160, 50)) as program:
            await program.profiles()
            await program.test_connection("alt+t")
            await program.press("enter")  # the first answer closes it
            await program.on(ProfilesScreen)
            assert "✗ TLS" in program.page
            await program.test_connection("alt+t")
            await program.press("right", "enter")
            await program.on(Confirm)
            await program.sees("a box in the cellar", "self-signed", "hosts none")
            assert box.fingerprint in program.unbroken
            assert "sessions.local.toml(localfile)" in program.unbroken
            await program.press("enter")  # the first answer changes nothing
            await program.on(ProfilesScreen)
            assert not local.exists()
            await program.test_connection("alt+t")
            await program.press("right", "enter")
            await program.on(Confirm)
            await program.press("right", "enter")
            await program.test_connection()
            await program.press("escape")
            await program.on(ProfilesScreen)
            assert "✓ HTTP" in program.page
            assert "The server has the pinned certificate." in program.page
    assert box.fingerprint in local.read_text()


async def test_secret_in_typed_url_is_not_drawn(make_explorer: Make) -> None:
    with RawServer(PONG) as server:
        made = make_explorer("")
        made.use(ad_hoc(f"{server.origin}/rpc?apikey=hunter2"))
        async with open_program(made, profile="", size=(160, 50)) as program:
            await program.on(CallScreen)
            seen = [program.text]
            await program.test_connection("alt+t")
            seen.append(program.text)
            assert ["apikey=«not recorded»" in text for text in seen] == [True, True]
            assert not [text for text in seen if "hunter2" in text]


async def test_secret_in_url_is_not_drawn_to_be_corrected(make_explorer: Make) -> None:
    with RawServer(http_reply(b"Not Found", 404)) as server:
        made = make_explorer("")
        made.use(ad_hoc(f"{server.origin}/rpc?apikey=hunter2"))
        async with open_program(made, profile="", size=(160, 50)) as program:
            await program.on(CallScreen)
            await program.test_connection("alt+t")
            await program.sees("✗ Address", "Enter test this URL")
            assert "hunter2" not in program.text


async def test_stored_secret_goes_to_a_typed_url_only_after_a_question(make_explorer: Make) -> None:
    with RawServer(http_reply(b"Not Found", 404)) as old, RawServer(PONG) as new:
        made = make_explorer(f'[profile.moved]\nurl = "{old.origin}"\nauth = {{ kind = "bearer" }}\n')
        assert made.credentials.hold(made.profiles.profiles["moved"], "token", "t0ken-t0ken", keep=True) == ""
        async with open_program(made, profile="moved", size=(120, 40)) as program:
            await program.test_connection("alt+t")
            await program.sees("✗ Address", "Enter test this URL")
            await program.type_in(f"{new.origin}/")
            await program.press("enter")
            await program.sees("Send the token of moved to a changed destination?", new.origin)
            await program.press("enter")
            await program.sees("✗ Credentials", "The token of profile moved is blocked")
        assert not any(request.header("Authorization") for request in new.requests)


async def test_url_typed_at_the_start_becomes_a_profile(make_explorer: Make, tmp_path: Path) -> None:
    with RawServer(lambda request: request.reply(result=["ping"])) as server:
        async with open_program(make_explorer(""), size=(80, 24)) as program:
            await program.on(Welcome)
            await program.paste(f"{server.origin}/rpc")
            await program.press("alt+t")
            await program.sees("The test sends at most 16 requests", f"{server.origin}/rpc", "Enter test this URL")
            assert server.requests == []
            await program.press("enter")
            await program.sees("✓ JSON-RPC", "Suggested profile:", 'path = "/rpc"')
            await program.press("enter")
            await program.sees("Save as a profile", "name localhost-")
            await program.press("enter")
            await program.on(CallScreen)
    saved = (tmp_path / "home" / "config" / "sessions.toml").read_text()
    assert f'url = "{server.origin}"\npath = "/rpc"' in saved


@pytest.mark.parametrize(
    ("key", "steps"),
    [
        ("alt+t", ["The test sends at most", "Suggested profile:", "Save as a profile"]),
        ("f7", ["Profiles", "Add a profile"]),
    ],
)
async def test_drafts_stay_when_a_typed_url_is_saved(make_explorer: Make, key: str, steps: Sequence[str]) -> None:
    with RawServer(lambda request: request.reply(result=["ping"])) as server:
        made = make_explorer("")
        made.use(ad_hoc(f"{server.origin}/rpc"))
        async with open_program(made, profile="", size=(120, 40)) as program:
            await program.write("shop.add", '["tea"]')
            await program.press("alt+p")
            await program.write("shop.order", '{"count": 3}')
            await program.press(key)
            for step in steps:
                await program.sees(step)
                await program.press("a" if step == "Profiles" else "enter")
            await program.sees("Discover the methods of")
            await program.press("escape")
            await program.sees("shop.order", '{"count": 3}')
    again = make_explorer("")
    profile = again.use()
    assert again.drafts.find(profile.name, "shop.add") == '["tea"]'
    assert [row.draft.method for row in again.batches.of(profile).rows] == ["shop.add"]


async def test_url_typed_in_the_profiles_is_tested_until_it_is_right(make_explorer: Make) -> None:
    with RawServer(lambda request: request.reply(result=["ping"])) as server:
        made = make_explorer('[profile.other]\nurl = "http://127.0.0.1:9"\n')
        async with open_program(made, profile="other", size=(120, 40)) as program:
            await program.profiles()
            await program.press("t")
            await program.sees("Type the URL of a server, or stdio: and a command.")
            await program.paste("clangd")
            await program.press("enter")
            await program.sees("The URL must begin with http:// or https://. Or ws://", "stdio:COMMAND")
            await program.type_in("stdio:nothing-like-this")
            await program.sees("The test starts the process")
            await program.press("enter")
            await program.sees("✗ Start", "Check the command, then test again.")
            await program.type_in(server.origin)
            await program.press("enter")
            await program.sees("Suggested profile:", f'url = "{server.origin}"')
            await program.press("right", "enter")
            await program.on(ProfilesScreen)
            assert [*made.profiles.profiles] == ["other"]


@pytest.mark.parametrize(("change", "asks"), [("content_type", True), ("certificate", False)])
def test_proposal_says_that_a_call_asks_for_secrets(make_explorer: Make, change: str, asks: bool) -> None:
    """After a certificate was pinned, the test goes on and makes another proposal."""
    made = make_explorer('[profile.box]\nurl = "https://127.0.0.1:9"\nauth = { kind = "bearer" }\n')
    dialog = ConnectionTest(made, made.profiles.profiles["box"])
    lines = dialog._proposed(Proposal(((change, "x"),), secrets=("token",)))
    words = "".join(text for line in lines for text, _ in line)
    assert ("Save, then send a call: rpcexplorer asks for the token." in words) == asks
