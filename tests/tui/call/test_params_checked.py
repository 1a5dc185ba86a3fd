"""Warnings of a schema are about the current text and block nothing."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest
from textual.screen import Screen

from rpcexplorer.jsontext.params import Fix
from rpcexplorer.model.method import Described, DescribedParam
from rpcexplorer.model.problem import Checked, SchemaProblem
from rpcexplorer.tui.call.params import ParamsPane, nearest
from rpcexplorer.tui.widgets.editor import Editor
from rpcexplorer.tui.widgets.verdict import ProblemLine
from tests.tui.stage import FakeAdvice, Staged, staged, text_of

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


@asynccontextmanager
async def checking(text: str) -> AsyncIterator[tuple[ParamsPane, SlowChecker, Staged]]:
    """Show params that a schema describes, and wait for their check."""
    checker = SlowChecker()
    pane = ParamsPane(FakeAdvice(check=checker))
    async with staged(pane, size=(110, 12)) as program:
        pane.load(text)
        pane.described = COUNT
        pane.focus_inside()
        await settled(program)
        yield pane, checker, program


async def settled(program: Staged) -> None:
    await program.pause()
    await program.app.workers.wait_for_complete()
    await program.pause()


def status(pane: ParamsPane) -> str:
    return text_of(pane.query_one(ProblemLine))


async def test_warning_shows_its_place_and_one_key_fixes() -> None:
    async with checking('{\n  "cuont": 5,\n  "kind": "x"\n}') as (pane, _, program):
        assert status(pane).startswith(
            "   ! line 2, column 3: “cuont” is not one of the params: count, kind. (1 of 2, "
        )
        assert "next: F12)" in status(pane)
        assert status(pane).endswith('^R write "count"')
        assert pane.problem is None, "it can be sent"
        editor = pane.query_one(Editor)
        assert editor.warned == ((4, 11), (26, 29))
        await program.click(ProblemLine, offset=(8, 0))
        assert editor.cursor_location == (1, 2)
        await program.press("f12")
        assert editor.cursor_location == (2, 10)
        assert "kind must be one of a, b. (2 of 2, " in status(pane), "the warning at the cursor is shown"
        await program.click(ProblemLine, offset=(8, 0))
        await program.press("ctrl+r")
        await settled(program)
        assert pane.text == '{\n  "count": 5,\n  "kind": "x"\n}'
        assert status(pane).startswith("   ! line 3, column 11: kind must be one of a, b.")
        assert "^R" not in status(pane)
        await program.press("ctrl+r")
        assert pane.text.endswith('"x"\n}'), "there is nothing to fix"
        pane.described = None
        assert status(pane) == "   ✓ valid JSON  object with 2 members"


async def test_opened_method_is_shown_before_its_schema_check(monkeypatch: pytest.MonkeyPatch) -> None:
    async with checking("[]") as (pane, checker, program):
        display, drawn, shown = program.app._display, [""], list[bool]()

        def displayed(screen: Screen[Any], renderable: Any) -> None:
            drawn.append(pane.text)
            display(screen, renderable)

        monkeypatch.setattr(program.app, "_display", displayed)
        checker.meanwhile = lambda: shown.append(drawn[-1] == pane.text)
        pane.load('["opened"]')
        pane.described = OTHER
        await settled(program)
        assert shown == [True]


def test_warning_at_the_cursor_is_shown() -> None:
    spans = [(0, 1), (0, 1), (1, 2), (5, 5)]
    assert [nearest(spans, cursor, 0) for cursor in (0, 1, 2, 3, 5)] == [0, 2, 2, 0, 3]
    assert [nearest(spans, 0, told) for told in (1, 2, 9)] == [1, 0, 0], "the shown warning stays if it can"
    assert [nearest(spans, cursor, 0, 2) for cursor in (0, 3)] == [0, 2], "outside of all: the one with a fix"
    assert nearest([(0, 1), (1, 1)], 1, 0) == 1
    assert nearest([], 3, 2) == 0


async def test_one_key_cycles_through_warnings() -> None:
    async with checking('["cuont"]') as (pane, checker, program):
        checker.needed = "since is missing"
        pane.replace('["cuont", "x"]')
        await settled(program)
        told = []
        for _ in range(4):
            pane.action_problem_next()
            await program.pause()
            told.append((status(pane).partition("column ")[2][:12], pane.editor.cursor_offset))
        assert told == [("2: “cuont” i", 1), ("2: number 2 ", 1), ("11: kind mus", 10), ("1: since is ", 0)]


async def test_late_answer_does_not_apply_to_another_text() -> None:
    async with checking('["cuont", 1]') as (pane, checker, program):
        editor = pane.query_one(Editor)
        checker.go.clear()
        await program.press("end", "left", "2")
        assert (pane.warnings.problems, editor.warned) == ((), ()), "this text is not checked yet"
        assert "“cuont”" in status(pane), "the old warning stays, dim, so that nothing jumps"
        await program.press("ctrl+r")
        assert pane.text == '["cuont", 12]', "and fixes nothing"
        pane.described = OTHER
        assert "“cuont”" not in status(pane)
        checker.go.set()
        await settled(program)
        assert checker.asked[-1] == (OTHER, '["cuont", 12]')
        assert len(pane.warnings.problems) == 1
        told: list[object] = []

        def type_on() -> None:
            editor.insert("3")
            told.append(pane.warnings.problems)

        checker.meanwhile = type_on
        pane.replace('["cuont", 1]')
        await program.until(lambda: bool(told))
        assert (told[0], editor.warned) == ((), ()), "a letter was typed, and is not checked yet"


@pytest.mark.thorough
async def test_json_problem_comes_first_and_defaults_are_checked() -> None:
    async with checking('["x"]') as (pane, checker, program):
        assert len(pane.warnings.problems) == 1
        await program.press("end", "left", ",")
        await settled(program)
        assert status(pane).startswith("   ✗ line 1")
        pane.replace(" ")
        await settled(program)
        assert "no params" in status(pane)
        assert checker.asked[-1] == (COUNT, "[]")
        checker.needed = "count is missing"
        pane.replace("")
        await settled(program)
        assert status(pane).startswith("   ! line 1, column 1: count is missing.")
        assert pane.query_one(Editor).warned == ((0, 0),)
        checker.why_not, checker.needed = "the check took too long", ""
        pane.replace("[]")
        await settled(program)
        assert status(pane).rstrip() == "   ✓ valid  no params  not checked: the check took too long"
        pane.described = None
        assert status(pane).rstrip() == "   ✓ valid  no params"
