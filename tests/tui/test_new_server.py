"""The way to a new server: its URL, a proposed name, its methods, and the first call."""

from __future__ import annotations

import pytest

from rpcexplorer.explorer import Explorer
from rpcexplorer.tui.profile_form import proposed_name
from tests.tui.program import Program, open_program

MAX_KEYS = 14
"""Keys to the first right call; a pasted URL counts as one."""


class Typist:
    """Presses keys, and counts them."""

    def __init__(self, program: Program) -> None:
        self.program, self.count = program, 0

    async def press(self, *keys: str) -> None:
        self.count += len(keys)
        await self.program.press(*keys)

    async def paste(self, text: str) -> None:
        self.count += 1
        await self.program.paste(text)


async def test_new_server_takes_few_keys_to_the_first_call(explorer: Explorer) -> None:
    demo = explorer.profiles.profiles["demo"]
    async with open_program(explorer, profile="dead") as program:
        user = Typist(program)
        await user.press("f7", "a")
        await program.sees("Add a profile")
        await user.paste(demo.endpoint)
        await program.sees("Calls go to", "name localhost-")
        await user.press("enter")
        await program.sees("Discover the methods of localhost-")
        await user.press("enter")
        await program.sees("Found", "methods")
        await user.press("f2", *"echo", "enter", "f5")
        await program.sees("✓ result")
        assert user.count <= MAX_KEYS
    assert explorer.profile is not None
    assert explorer.profile.name.startswith("localhost-")
    assert explorer.profile.origin == demo.origin


async def test_letters_in_the_preset_are_one_search(explorer: Explorer) -> None:
    async with open_program(explorer, profile="demo") as program:
        await program.press("f7", "a", *"http://10.0.0.5:6680", "down", "down", "enter")
        await program.press(*"mop", "enter")
        await program.sees("preset mopidy", "name mopidy", "Calls go to http://10.0.0.5:6680/mopidy/rpc")


async def test_typed_name_stays_when_the_url_changes(explorer: Explorer) -> None:
    async with open_program(explorer, profile="demo") as program:
        await program.press("f7", "a", *"http://a.example", "tab", *"mine", "shift+tab", *"/x")
        await program.sees("URL http://a.example/x", "name mine")


async def test_problem_of_a_hidden_field_shows_all_fields(explorer: Explorer) -> None:
    async with open_program(explorer, profile="demo") as program:
        await program.press("f7", "a", *"http://a.example", "down", "down", "enter")
        await program.sees("timeout 30")
        await program.press("escape")
        await program.press("a", *"http://a.example")
        form = program.app.screen
        form.input_of("timeout").value = "soon"  # type: ignore[attr-defined]
        await program.misses("timeout")
        await program.press("enter")
        await program.sees("timeout soon", "✗ Type a number of seconds")


@pytest.mark.parametrize(
    ("url", "preset", "name"),
    [
        ("https://shop.example.com/rpc", "", "shop"),
        ("https://api.example.com", "", "example"),
        ("http://localhost:8000/rpc", "", "localhost-8000"),
        ("127.0.0.1:8000", "", "localhost-8000"),
        ("http://10.0.0.5:6680", "", "10.0.0.5"),
        ("http://10.0.0.5:6680", "mopidy", "mopidy"),
        ("https://me:secret@shop.example.com", "", "shop"),
        ("http://me:secret", "", "me"),
        ("unix:///run/bitcoin.sock", "", "bitcoin"),
        ("stdio:/usr/bin/pylsp --verbose", "", "pylsp"),
        ("https://demo.example.com", "", "demo-2"),
        ("http://[fe80::1]:80", "", ""),
        ("", "", ""),
    ],
)
def test_name_is_proposed_from_preset_or_host(url: str, preset: str, name: str) -> None:
    assert proposed_name(url, preset, {"demo"}) == name
