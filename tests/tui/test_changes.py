"""A long list of method changes in a small terminal."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

import pytest

from rpcexplorer.discovery.changes import MAX_CHANGES
from rpcexplorer.discovery.methods import Discovery, MethodChange, MethodChanges
from rpcexplorer.explorer import Explorer
from rpcexplorer.model.method import Method
from rpcexplorer.model.profile import ad_hoc
from rpcexplorer.text.docs import changes_found
from rpcexplorer.tui.dialogs import ChangesDialog, ChangesList
from rpcexplorer.tui.widgets.dialog import Dialog
from tests.tui.program import open_program
from tests.tui.stage import OneScreen, showing, text_of

WHEN = datetime(2026, 11, 2, 9, 30, tzinfo=UTC)


def changes() -> MethodChanges:
    """Return many changes, one too long for a small terminal, one removal."""
    docs = [f"doc {number} " + "word " * 30 for number in range(9)]
    some = [MethodChange(f"method.{at:03}", "changed", tuple(docs if at == 1 else docs[:1])) for at in range(100)]
    return MethodChanges(WHEN, WHEN, (*some, MethodChange("method.last", "gone")), more=7)


@pytest.mark.thorough
async def test_all_changes_can_be_read() -> None:
    found = changes()
    dialog = ChangesDialog("Methods of demo", changes_found(found), found.methods)
    async with showing(OneScreen, dialog, (60, 16)) as program:
        rows = program.screen.query_one(ChangesList)
        assert "~ method.000  changed" in text_of(rows)
        assert "7 more changes were not saved." in program.words
        read = set[str]()
        while rows.chosen is not None and rows.chosen[1].name != "method.002":
            read |= set(text_of(rows).split())
            await program.press("down")
        assert {f"{number}" for number in range(9)} <= read, "all lines about one method"
        await program.resize_terminal(50, 20)
        await program.until(lambda: 0 < rows.size.width <= 50)
        assert rows.chosen is not None
        assert rows.chosen[1].name == "method.002"
        await program.press("end", "enter")
        assert "- method.last  gone" in text_of(rows)
        assert "method.last cannot be opened: the server" in program.words
        assert max(map(len, text_of(rows).splitlines())) <= 50
        await program.press("up")
        assert "Enter open method" in program.words
        await program.press("enter")
        assert program.answers == ["method.099"]
        assert not isinstance(program.app.screen, Dialog)


async def test_more_differences_than_are_listed_are_counted(explorer: Explorer) -> None:
    profiles, lists = explorer.profiles.profiles, explorer.method_lists
    many = tuple(Method(f"method.{at}") for at in range(MAX_CHANGES + 2))
    lists.settle(profiles["demo"], Discovery(WHEN, many, ("said",)))
    lists.settle(profiles["cookie"], Discovery(WHEN, (Method("ping"),), ("said",)))
    async with open_program(explorer, profile="demo") as program:
        await program.play("""
            command compare methods | Compare the methods with those of which profile?
            choose cookie | cookie → demo | 3 more changes are not shown.
        """)


async def test_typed_url_is_compared_under_its_host(explorer: Explorer) -> None:
    cookie = explorer.profiles.profiles["cookie"]
    explorer.method_lists.settle(cookie, Discovery(WHEN, (Method("ping"),), ("said",)))
    explorer.use(ad_hoc("http://127.0.0.1:9/rpc"))
    async with open_program(explorer, profile="") as program:
        await program.play("""
            command compare methods | Compare the methods with those of which profile?
            choose cookie | The methods of 127.0.0.1:9 have not been discovered yet.
        """)


async def test_methods_in_a_missing_file_are_not_compared(make_explorer: Callable[..., Explorer]) -> None:
    url = 'url = "http://127.0.0.1:9"'
    explorer = make_explorer(f'[profile.one]\n{url}\n[profile.two]\n{url}\ndiscovery = {{ file = "nothing.json" }}\n')
    async with open_program(explorer, profile="one") as program:
        await program.play("""
            command compare methods | Compare the methods with those of which profile?
            choose two | nothing.json
        """)
