"""Warnings of a schema are about the current text and block nothing."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from textual.pilot import Pilot
from textual.screen import Screen

from rpcexplorer.jsontext.params import Fix
from rpcexplorer.model.method import Described, DescribedParam
from rpcexplorer.model.problem import Checked, SchemaProblem
from rpcexplorer.tui.call.params import ParamsPane, nearest
from rpcexplorer.tui.widgets.editor import Editor
from rpcexplorer.tui.widgets.verdict import ProblemLine
from tests.tui.stage import FakeAdvice, Stage, text_of
from tests.tui.waiting import until

COUNT = Described((DescribedParam("count", {"type": "integer"}), DescribedParam("kind", {"enum": ["a", "b"]})))
OTHER = Described((DescribedParam("since", {"type": "string"}),))


class SlowChecker:
    """A checker that answers on demand, and rejects ``cuont`` and strings."""

    def __init__(self) -> None:
        self.asked: list[tuple[Described, str]] = []
        self.go = asyncio.Event()
        self.go.set()
        self.meanwhile: Callable[[], object] = lambda: None
        self.needed = self.why_not = ""

    async def __call__(self, described: Described, text: str) -> Checked:
        self.asked.append((described, text))
        await self.go.wait()
        self.meanwhile()
        problems = [_problem(text, 0, len(text), self.needed)] if self.needed else []
        if (at := text.find('"cuont"')) >= 0:
            fix = Fix('write "count"', text.replace("cuont", "count"))
            problems.append(_problem(text, at, at + 7, "“cuont” is not one of the params: count, kind", fix))
        if (at := text.find('"cuont", "')) >= 0:
            problems.append(_problem(text, at, at + 7, "number 2 of the same place"))
        if (at := text.find('"x')) >= 0:
            problems.append(_problem(text, at, text.index('"', at + 1) + 1, "kind must be one of a, b"))
        return Checked(tuple(problems), self.why_not)


def _problem(text: str, start: int, end: int, sentence: str, fix: Fix | None = None) -> SchemaProblem:
    line, column = text.count("\n", 0, start) + 1, start - text.rfind("\n", 0, start)
    return SchemaProblem(("x",), "type", sentence, start, end, line, column, fix)


Play = Callable[[ParamsPane, Pilot[None], SlowChecker], Awaitable[None]]


def play(text: str, scene: Play) -> None:
    async def run() -> None:
        checker = SlowChecker()
        pane = ParamsPane(FakeAdvice(check=checker))
        async with Stage(pane).run_test(size=(110, 12)) as pilot:
            pane.load(text)
            pane.described = COUNT
            pane.focus_inside()
            await settled(pane, pilot)
            await scene(pane, pilot, checker)

    asyncio.run(run())


async def settled(pane: ParamsPane, pilot: Pilot[None]) -> None:
    await pilot.pause()
    await pilot.app.workers.wait_for_complete()
    await pilot.pause()


def status(pane: ParamsPane) -> str:
    return text_of(pane.query_one(ProblemLine))


def test_warning_shows_its_place_and_one_key_fixes() -> None:
    async def scene(pane: ParamsPane, pilot: Pilot[None], checker: SlowChecker) -> None:
        assert status(pane).startswith(
            "   ! line 2, column 3: “cuont” is not one of the params: count, kind. (1 of 2, "
        )
        assert "next: F12)" in status(pane)
        assert status(pane).endswith('^R write "count"')
        assert pane.problem is None, "it can be sent"
        editor = pane.query_one(Editor)
        assert editor.warned == ((4, 11), (26, 29))
        await pilot.click(ProblemLine, offset=(8, 0))
        assert editor.cursor_location == (1, 2)
        await pilot.press("f12")
        assert editor.cursor_location == (2, 10)
        assert "kind must be one of a, b. (2 of 2, " in status(pane), "the warning at the cursor is shown"
        await pilot.click(ProblemLine, offset=(8, 0))
        await pilot.press("ctrl+r")
        await settled(pane, pilot)
        assert pane.text == '{\n  "count": 5,\n  "kind": "x"\n}'
        assert status(pane).startswith("   ! line 3, column 11: kind must be one of a, b.")
        assert "^R" not in status(pane)
        await pilot.press("ctrl+r")
        assert pane.text.endswith('"x"\n}'), "there is nothing to fix"
        pane.described = None
        assert status(pane) == "   ✓ valid JSON  object with 2 members"

    play('{\n  "cuont": 5,\n  "kind": "x"\n}', scene)


def test_opened_method_is_shown_before_its_schema_check(monkeypatch: pytest.MonkeyPatch) -> None:
    async def scene(pane: ParamsPane, pilot: Pilot[None], checker: SlowChecker) -> None:
        display, drawn, shown = pilot.app._display, [""], list[bool]()

        def displayed(screen: Screen[Any], renderable: Any) -> None:
            drawn.append(pane.text)
            display(screen, renderable)

        monkeypatch.setattr(pilot.app, "_display", displayed)
        checker.meanwhile = lambda: shown.append(drawn[-1] == pane.text)
        pane.load('["opened"]')
        pane.described = OTHER
        await settled(pane, pilot)
        assert shown == [True]

    play("[]", scene)


def test_warning_at_the_cursor_is_shown() -> None:
    spans = [(0, 1), (0, 1), (1, 2), (5, 5)]
    assert [nearest(spans, cursor, 0) for cursor in (0, 1, 2, 3, 5)] == [0, 2, 2, 0, 3]
    assert [nearest(spans, 0, told) for told in (1, 2, 9)] == [1, 0, 0], "the shown warning stays if it can"
    assert [nearest(spans, cursor, 0, 2) for cursor in (0, 3)] == [0, 2], "outside of all: the one with a fix"
    assert nearest([(0, 1), (1, 1)], 1, 0) == 1
    assert nearest([], 3, 2) == 0


def test_one_key_cycles_through_warnings() -> None:
    async def scene(pane: ParamsPane, pilot: Pilot[None], checker: SlowChecker) -> None:
        checker.needed = "since is missing"
        pane.replace('["cuont", "x"]')
        await settled(pane, pilot)
        told = []
        for _ in range(4):
            pane.action_problem_next()
            await pilot.pause()
            told.append((status(pane).partition("column ")[2][:12], pane.editor.cursor_offset))
        assert told == [("2: “cuont” i", 1), ("2: number 2 ", 1), ("11: kind mus", 10), ("1: since is ", 0)]

    play('["cuont"]', scene)


def test_late_answer_does_not_apply_to_another_text() -> None:
    async def scene(pane: ParamsPane, pilot: Pilot[None], checker: SlowChecker) -> None:
        editor = pane.query_one(Editor)
        checker.go.clear()
        await pilot.press("end", "left", "2")
        assert (pane.warnings.problems, editor.warned) == ((), ()), "this text is not checked yet"
        assert "“cuont”" in status(pane), "the old warning stays, dim, so that nothing jumps"
        await pilot.press("ctrl+r")
        assert pane.text == '["cuont", 12]', "and fixes nothing"
        pane.described = OTHER
        assert "“cuont”" not in status(pane)
        checker.go.set()
        await settled(pane, pilot)
        assert checker.asked[-1] == (OTHER, '["cuont", 12]')
        assert len(pane.warnings.problems) == 1
        told: list[object] = []

        def type_on() -> None:
            editor.insert("3")
            told.append(pane.warnings.problems)

        checker.meanwhile = type_on
        pane.replace('["cuont", 1]')
        await until(pilot, lambda: bool(told))
        assert (told[0], editor.warned) == ((), ()), "a letter was typed, and is not checked yet"

    play('["cuont", 1]', scene)


@pytest.mark.thorough
def test_json_problem_comes_first_and_defaults_are_checked() -> None:
    async def scene(pane: ParamsPane, pilot: Pilot[None], checker: SlowChecker) -> None:
        assert len(pane.warnings.problems) == 1
        await pilot.press("end", "left", ",")
        await settled(pane, pilot)
        assert status(pane).startswith("   ✗ line 1")
        pane.replace(" ")
        await settled(pane, pilot)
        assert "no params" in status(pane)
        assert checker.asked[-1] == (COUNT, "[]")
        checker.needed = "count is missing"
        pane.replace("")
        await settled(pane, pilot)
        assert status(pane).startswith("   ! line 1, column 1: count is missing.")
        assert pane.query_one(Editor).warned == ((0, 0),)
        checker.why_not, checker.needed = "the check took too long", ""
        pane.replace("[]")
        await settled(pane, pilot)
        assert status(pane).rstrip() == "   ✓ valid JSON  empty array  not checked: the check took too long"
        pane.described = None
        assert status(pane).rstrip() == "   ✓ valid JSON  empty array"

    play('["x"]', scene)
