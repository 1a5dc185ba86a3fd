"""The page of keys shows the command table with mapped keys."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest
from textual.widgets import Static

from rpcexplorer.explorer import Explorer
from rpcexplorer.tui.call.methods import _CURRENT, _MARKS
from rpcexplorer.tui.commands import COMMANDS, SCOPES, Scope
from rpcexplorer.tui.dialogs import Help
from rpcexplorer.tui.widgets.rows import Sheet
from tests.tui.program import open_program, running
from tests.tui.stage import Stage


async def lines(scopes: Sequence[Scope], keymap: Mapping[str, str] | None = None) -> list[str]:
    """Return the lines of the page."""
    stage = Stage(Static("below"))
    async with running(stage, (100, 30)) as program:
        stage.push_screen(Help(scopes, keymap or {}))
        sheet = (await program.on(Help)).focused
        assert isinstance(sheet, Sheet)
        return ["".join(text for text, _ in line) for line in sheet.lines]


async def test_every_command_of_a_scope_is_listed() -> None:
    page = "\n".join(await lines(list(SCOPES)))
    for command in COMMANDS:
        assert (command.help in page) == bool(command.keys)
        assert command.id in page
    assert "F5 ^Enter" in page
    assert "Press ^P to find all other commands by name." in page
    assert "1 … 9" in page


async def test_signs_of_methods_have_a_legend() -> None:
    listed = [line.split(maxsplit=1) for line in await lines(["methods"])]
    signs = [_CURRENT[0], *(mark for mark, _ in _MARKS.values() if mark.strip()), "!"]
    for sign in signs:
        assert [sign for line in listed if line[:1] == [sign] and len(line) == 2], sign
    assert "Called before." in dict(line for line in listed if len(line) == 2)["·"]


async def test_mapped_key_is_shown_on_the_page() -> None:
    listed = await lines(["call"], {"send": "f12", "discover": ""})
    assert any(line.split()[:2] == ["F12", "Send"] for line in listed)
    assert not any("Discover" in line for line in listed)


@pytest.mark.parametrize(
    ("keys", "page"),
    [
        (("f2",), "Calls, params and responses"),
        (("f7",), "Profiles: name your servers"),
        (("f6",), "History: search, filter, count"),
        (("alt+t",), "Connect to a server"),
        (("alt+k",), "Saved calls and variables"),
        (("ctrl+p", *"choose a theme", "enter"), "Settings, themes, files"),
    ],
    ids=lambda value: value[0] if isinstance(value, tuple) else None,
)
@pytest.mark.everyday(1)
async def test_f1_names_the_page_of_the_pane(keys: tuple[str, ...], page: str, explorer: Explorer) -> None:
    async with open_program(explorer, profile="demo", size=(80, 24)) as program:
        program.calls.drafts.choose("ping")
        await program.press(*keys)
        await program.press("f1")
        await program.sees(f"m manual: {page} p files Esc close")


async def test_m_in_the_help_opens_the_section_of_the_pane(explorer: Explorer) -> None:
    async with open_program(explorer, profile="demo", size=(80, 24)) as program:
        await program.press("f4", "f1", "m")
        await program.until(lambda: "Read the response" in "\n".join(program.words.splitlines()[:4]))
        await program.press("escape", "f2", "f1", "m")
        await program.until(lambda: "Choose a method" in "\n".join(program.words.splitlines()[:4]))
