"""A value of a reply is taken to another call, with one key and a choice."""

from __future__ import annotations

from typing import Any

import pytest
from textual.pilot import Pilot

from rpcexplorer.explorer import Explorer
from rpcexplorer.rpc.messages import ErrorObject
from rpcexplorer.tui.app import ExplorerApp
from rpcexplorer.tui.call.screen import CallScreen
from rpcexplorer.tui.widgets.picker import Picker
from tests.storage.recording import exchange
from tests.tui.visiting import on, visit
from tests.tui.waiting import until


@pytest.mark.thorough
def test_one_key_takes_the_value_under_the_cursor_to_the_call_that_is_chosen(explorer: Explorer) -> None:
    async def what(app: ExplorerApp, pilot: Pilot[Any], screen: CallScreen) -> None:
        screen.choose("demo.echo")
        screen.params.replace('{"key": "abc", "n": 1.10}')
        await pilot.press("f5")
        await until(pilot, lambda: screen.exchange is not None and not screen.what)
        await pilot.press("f4", "down", "down", "u", *"ping")
        await on(pilot, Picker)
        await pilot.press("enter")
        await until(pilot, lambda: app.screen is screen and screen.method == "ping")
        assert screen.params.text == '["{{last.demo.echo#/n:json}}"]'
        await pilot.press("f4", "up", "u")
        picker = await on(pilot, Picker)
        assert picker.list.items[0].pick.id == "ping", "the one used last comes first"
        await pilot.press(*"echo", "enter")
        await until(pilot, lambda: screen.method == "demo.echo")
        assert screen.params.text == '{"key": "{{last.demo.echo#/key}}", "n": 1.10}'
        assert screen.params.problem is None
        assert screen.response.check_action("use", ())
        for other in ({"kind": "batch"}, {"outcome": ErrorObject(1, "no", None, b"{}")}):
            screen.exchange = exchange(0, **other)
            await pilot.pause()
            assert not screen.response.check_action("use", ()), "there is no newest result that it could be a part of"

    visit(explorer, what)
