"""Text that came at once and that nothing marked as a paste: one paste where one types, keys everywhere else."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from textual import events
from textual.pilot import Pilot

from rpcexplorer.explorer import Explorer
from rpcexplorer.tui.app import ExplorerApp
from rpcexplorer.tui.call.screen import CallScreen
from rpcexplorer.tui.keys import PendingKeys, TypedText
from rpcexplorer.tui.widgets.inputs import Prompt
from tests.tui.visiting import post, rest, visit
from tests.tui.waiting import until

LONG = "y" * 40


def test_into_the_editor_it_is_put_as_it_is_and_taken_back_as_one_change(explorer: Explorer) -> None:
    async def scene(app: ExplorerApp, pilot: Pilot[Any], calls: CallScreen) -> None:
        await pilot.press("ctrl+a", "ctrl+k")
        app.post_message(TypedText('{\r  "open": [\r    "é",\n    1'))
        await until(pilot, lambda: calls.params.text == '{\n  "open": [\n    "é",\n    1')
        await pilot.press("ctrl+z")
        assert calls.params.text == ""

    visit(explorer, scene)


def test_what_waits_behind_it_is_put_in_with_it_and_a_key_between_two_texts_stays_there() -> None:
    pending = PendingKeys()
    pending.wait("somebody")
    for typed in (TypedText("a"), TypedText("b"), events.Key("f5", None), TypedText("c"), TypedText("d")):
        pending.take(typed)
    pending.go_on("somebody")
    taken = [pending.next(lambda _: True) for _ in range(4)]
    assert [getattr(each, "text", None) or getattr(each, "key", None) for each in taken] == ["ab", "f5", "cd", None]


@pytest.mark.thorough
def test_keys_before_and_behind_it_are_done_in_their_order(explorer: Explorer) -> None:
    async def scene(app: ExplorerApp, pilot: Pilot[Any], calls: CallScreen) -> None:
        post(app, "ctrl+a", "ctrl+k")
        app.post_message(TypedText('{"sent": "all of it"}'))
        post(app, "f5", "f2")
        app.post_message(TypedText("a.method.of.this.name"))
        post(app, "enter", "ctrl+a", "ctrl+k")
        app.post_message(TypedText("[1, 2, 3]"))
        await until(pilot, lambda: calls.exchange is not None and calls.method == "a.method.of.this.name")
        assert calls.exchange is not None
        assert (calls.exchange.method, calls.exchange.params) == ("ping", '{"sent": "all of it"}')
        await until(pilot, lambda: calls.params.text == "[1, 2, 3]")

    visit(explorer, scene)


def test_enter_in_a_line_is_enter_and_what_follows_goes_where_it_leads(explorer: Explorer) -> None:
    async def scene(app: ExplorerApp, pilot: Pilot[Any], calls: CallScreen) -> None:
        await pilot.press("f2")
        app.post_message(TypedText('some.method\r{"a":\r1}'))
        await until(pilot, lambda: '{"a":\n1}' in calls.params.text)
        assert calls.method == "some.method"

    visit(explorer, scene)


@pytest.mark.thorough
def test_where_nobody_types_each_letter_is_a_key_until_one_of_them_opens_a_line(explorer: Explorer) -> None:
    async def scene(app: ExplorerApp, pilot: Pilot[Any], calls: CallScreen) -> None:
        await pilot.press("f5")
        await until(pilot, lambda: calls.exchange is not None)
        await pilot.press("f4")
        app.post_message(TypedText(f"]w/{LONG}"))
        prompt = calls.query_one(Prompt)
        await until(pilot, lambda: prompt.text == LONG)
        assert (calls.response.tab, calls.response.wrapped, prompt.purpose) == ("Raw", True, "search")

    visit(explorer, scene)


@pytest.mark.thorough
def test_a_letter_that_somebody_gave_a_meaning_keeps_it_within_the_text(
    explorer: Explorer, make_explorer: Callable[..., Explorer]
) -> None:
    explorer.paths.settings.parent.mkdir(parents=True, exist_ok=True)
    explorer.paths.settings.write_text('[keymap]\nhelp = "é"\n')

    async def scene(app: ExplorerApp, pilot: Pilot[Any], calls: CallScreen) -> None:
        await pilot.press("ctrl+a", "ctrl+k")
        app.post_message(TypedText(f"{LONG}é{LONG}"))
        await until(pilot, lambda: type(app.screen).__name__ == "Help")
        await rest(pilot)
        assert calls.params.text == LONG

    visit(make_explorer(""), scene)
