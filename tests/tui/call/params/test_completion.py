"""What could stand between double braces is offered while they are typed, and typing on is never disturbed."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from rpcexplorer.model.methods.method import Method
from rpcexplorer.model.templates.offered import Offered
from rpcexplorer.tui.call.params.completion import Begun, CompletionList, begun, fitting, taken
from rpcexplorer.tui.call.params.pane import ParamsPane
from tests.tui.stage import Stage

NAMES = (Offered("tenant", "acme"), Offered("uuid", "a new one"), Offered("last.user.get#", "the newest result"))


@pytest.mark.parametrize(
    ("before", "found"),
    [
        ('["{{', Begun("", True)),
        ('["a {{te', Begun("te", True)),
        ("[{{", Begun("", False)),
        ('["{{a}} {{b', Begun("b", True)),
        ('["{{a}}', None),
        ('["{{{{', None),
        ('["{', None),
        ("{" * 3, None),
        ('["{{a}', None),
        ("x" * 400 + '"', None),
    ],
)
def test_a_reference_is_open_behind_two_braces(before: str, found: Begun | None) -> None:
    assert begun(before) == found


def test_names_that_begin_like_it_come_first() -> None:
    assert [each.inside for each in fitting(NAMES, "U")] == ["uuid", "last.user.get#"]
    assert len(fitting(NAMES, "")) == 3
    assert fitting(NAMES, "zz") == []


def test_braces_are_closed_once_and_outside_of_a_string_it_becomes_one() -> None:
    assert taken(NAMES[0], Begun("te", True), '"]') == ("{{tenant}}", 0)
    assert taken(NAMES[0], Begun("te", False), "}}]") == ('"{{tenant}}"', 2)


def test_the_list_opens_filters_takes_and_closes_and_is_asked_for_names_only_then() -> None:
    asked: list[int] = []

    def names() -> Sequence[Offered]:
        asked.append(1)
        return NAMES

    async def run() -> None:
        pane = ParamsPane(names=names)
        stage = Stage(pane)
        async with stage.run_test(size=(80, 24)) as pilot:
            pane.load(Method("m"), "[]")
            pane.focus_inside()
            offers = pane.query_one(CompletionList)

            async def typed(*keys: str) -> tuple[bool, str]:
                await pilot.press(*keys)
                return offers.display, pane.text

            assert await typed('"', "{") == (False, '["{"]')
            assert not asked
            assert await typed("{") == (True, '["{{"]')
            assert await typed("u") == (True, '["{{u"]')
            assert [each.inside for each in offers.items] == ["uuid", "last.user.get#"]
            assert await typed("down", "enter") == (False, '["{{last.user.get#}}"]')
            assert await typed("/", "i") == (False, '["{{last.user.get#/i}}"]'), "a part is named behind"
            assert await typed("right", "right", "space", "{", "{", "t", "tab") == (
                False,
                '["{{last.user.get#/i}} {{tenant}}"]',
            )
            assert len(asked) == 2
            assert await typed("{", "{", "escape", "u", "enter") == (
                False,
                '["{{last.user.get#/i}} {{tenant}}{{u\n"]',
            ), "what was closed stays closed, and Enter is a line's end again"
            pane.load(Method("m"), "[]")
            assert await typed('"', "{", "{", "escape", "backspace", "{") == (True, '["{{"]'), "typed anew"
            pane.load(Method("m"), "[]")
            assert await typed("1", ",", "{", "{", "x", "x") == (False, "[1,{{xx}}]"), "nothing fits"
            assert await typed("backspace", "backspace", "enter") == (False, '[1,"{{tenant}}"]')

    asyncio.run(run())
