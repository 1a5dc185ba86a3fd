"""The form on screen: each key changes the text of the editor."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from msgspec.structs import replace
from textual.pilot import Pilot

from rpcexplorer.explorer import Explorer
from rpcexplorer.jsontext.edit import span_of
from rpcexplorer.model.method import Described, DescribedParam
from rpcexplorer.model.problem import Checked, SchemaProblem
from rpcexplorer.tui.form import FormModel, FormScreen, FormSource
from rpcexplorer.tui.form_rows import FormList
from rpcexplorer.tui.key_queue import PendingKeys
from rpcexplorer.tui.widgets.bars import Bar, Frame
from rpcexplorer.tui.widgets.dialog import Ask
from rpcexplorer.tui.widgets.picker import Picker
from rpcexplorer.tui.widgets.verdict import ProblemLine
from tests.fakes.explorer import open_explorer
from tests.tui.stage import Stage, text_of
from tests.tui.visiting import on

CIRCLE = {"title": "circle", "type": "object", "required": ["r"], "properties": {"r": {"type": "number"}}}
SQUARE = {"title": "square", "type": "object", "required": ["s"], "properties": {"s": {"type": "number"}}}
DESCRIBED = Described(
    (
        DescribedParam("name", {"type": "string"}, required=True, doc="In full.\n\x1b[2J"),
        DescribedParam("age", {"type": ["integer", "null"]}),
        DescribedParam("role", {"enum": ["user", "admin"]}),
        DescribedParam("shape", {"oneOf": [CIRCLE, SQUARE]}),
        DescribedParam("any"),
    )
)

Act = Callable[[Pilot[None], FormScreen], Awaitable[None]]


class Text:
    """A text with undo."""

    def __init__(self, text: str) -> None:
        self.now, self.before = text, list[str]()

    def put(self, text: str) -> None:
        self.before.append(self.now)
        self.now = text

    def undo(self) -> None:
        self.now = self.before.pop()

    def source(self, described: Described = DESCRIBED) -> FormSource:
        own = self.put, self.undo, lambda: None, lambda: True, lambda: None
        return FormSource("user.add", described, None, lambda: self.now, *own, self.check)

    async def check(self, text: str) -> Checked:
        """Report that all names are too long, and that an array is not accepted."""
        if text.startswith("[1"):
            return Checked((SchemaProblem((), "type", "the method needs params by name", 0, len(text)),))
        if text == "{}":
            return Checked(why_not="required params are not known", in_part=True)
        span = span_of(text, ("name",))
        return Checked((SchemaProblem(("name",), "maxLength", "a name is short", *span),) if span else ())


@pytest.fixture
def explorer(tmp_path: Path) -> Explorer:
    return open_explorer(tmp_path)


def test_form_of_partly_checked_params_says_so() -> None:
    model = FormModel(Text("{}").source())
    assert asyncio.run(model.check())
    assert model.unchecked == "only partly checked: required params are not known"


def test_form_row_at_cursor_is_the_innermost() -> None:
    text = '{ "name" : "a" ,\n"x": 1.0, "shape": {"r": 2}}'
    model = FormModel(Text(text).source())
    names = [model.rows[model.index_around(text.index(part))].name for part in ('"a"', "1.0", "2")]
    assert names == ["name", "x", "r"]
    assert model.index_around(len(text)) == 0


def test_row_of_a_folded_path_is_its_container() -> None:
    model = FormModel(Text('{"shape": {"r": 2}}').source())
    model.fold(("shape",), unfold=False)
    assert model.rows[model.index_of(("shape", "r"), 0)].name == "shape"
    assert model.index_of(("gone",), 7) == 7


def test_form_value_returns_after_it_was_null() -> None:
    text = Text('{"age": 31}')
    model = FormModel(text.source())

    def cycle() -> str:
        assert model.cycle(model.rows[1])
        return text.now

    assert [cycle() for _ in range(3)] == ['{"age": null}', "{}", '{"age": 31}']


def test_form_alternative_of_another_element_is_not_restored() -> None:
    described = Described((DescribedParam("many", {"type": "array", "items": {"oneOf": [CIRCLE, SQUARE]}}),))
    text = Text('{"many": [{"r": 1}, {"s": 2}]}')
    model = FormModel(text.source(described))
    model.choose(model.rows[1], 1)
    model.remove(model.rows[1])
    assert text.now == '{"many": [{"s": 2}]}'
    model.choose(model.rows[1], 0)
    assert text.now == '{"many": [{"r": 0}]}', "not the 1 of the removed element"


def test_form_check_of_a_changed_text_is_dropped() -> None:
    text = Text('{"name": "A"}')
    source = text.source()

    async def change_while_checking(checked: str) -> Checked:
        text.now = "{}"
        return await text.check(checked)

    assert asyncio.run(FormModel(source).check())
    model = FormModel(replace(source, check=change_while_checking))
    assert not asyncio.run(model.check())
    assert [row.wrong for row in model.rows[:1]] == [""]


def on_screen(explorer: Explorer, source: FormSource, act: Act, size: tuple[int, int] = (80, 24)) -> list[bool | None]:
    """Open the form, act, and return its answers."""
    answers: list[bool | None] = []
    stage = Stage()

    async def run() -> None:
        async with stage.run_test(size=size) as pilot:
            screen = FormScreen(explorer, source, PendingKeys(), Frame())
            stage.push_screen(screen, answers.append)
            await pilot.pause()
            await act(pilot, screen)

    asyncio.run(run())
    return answers


def rows(screen: FormScreen) -> list[str]:
    return [" ".join(row.split()) for row in text_of(screen.query_one(FormList)).splitlines()]


def test_form_changes_the_text_key_by_key(explorer: Explorer) -> None:
    text = Text("")

    async def act(pilot: Pilot[None], screen: FormScreen) -> None:
        assert rows(screen) == [
            "○ name* absent ! required",
            "○ age absent integer or null",
            "○ role absent one of user | admin",
            "▸ ○ shape absent object",
            "○ any absent",
        ]
        await pilot.press("enter", *'A"')
        assert not screen.check_action("edit", ()), "Enter accepts the text, as the footer says"
        await pilot.press("enter")
        assert text.now == '{"name": "A\\""}'
        assert rows(screen)[0] == '● name* "A\\"" ! a name is short'
        await pilot.press("down", "space", "space")
        assert text.now == '{"name": "A\\"", "age": null}'
        await pilot.press("space")
        assert text.now == '{"name": "A\\""}'
        await pilot.press("space", "enter", "x", "enter")
        assert text.now == '{"name": "A\\"", "age": 0}', "0x is not a number, and stays in the input"
        await pilot.press("backspace", "backspace", *"{{age}}", "enter", "down", "space")
        await on(pilot, Picker)
        await pilot.press("down", "enter")
        await pilot.pause()
        assert text.now == '{"name": "A\\"", "age": "{{age}}", "role": "admin"}'
        assert rows(screen)[1] == '● age "{{age}}" integer or null'
        await pilot.press("down", "space", "down", "enter")
        await pilot.pause()
        assert rows(screen)[3:5] == ["▾ ● shape 1 member object", "● s* 0 number"]
        await pilot.press("down", "enter", "backspace", "5", "enter", "up", "space", "up", "enter")
        await pilot.pause()
        assert text.now.endswith('"shape": {"r": 0}}')
        await pilot.press("space", "down", "enter")
        await pilot.pause()
        assert text.now.endswith('"shape": {"s": 5}}'), "the text for a square is restored"
        await pilot.press(*["ctrl+z"] * 4)
        assert "shape" not in text.now
        await pilot.press("end", "enter", *["backspace"] * 4, *"[1,", "enter", "2", "enter")
        assert json.loads(text.now)["any"] == [1, 2], "the first Enter moved down"
        await pilot.press("up", "plus")
        await on(pilot, Ask)
        await pilot.press(*"w h", "enter")
        await pilot.pause()
        assert text.now.endswith('], "shape": {"s": 0, "w h": null}}')
        await pilot.press("home", "enter", "B")
        screen.put_typed()
        assert text.now.startswith('{"name": "A\\"B",'), "quitting loses nothing"
        assert rows(screen)[0].startswith('● name* "A\\"B"'), "continuing shows no older value"
        await pilot.press("f5")

    assert on_screen(explorer, text.source(), act) == [True]
    assert text.now.startswith('{"name": "A\\"B",')


def test_problem_of_all_params_is_in_the_title(explorer: Explorer) -> None:
    async def act(pilot: Pilot[None], screen: FormScreen) -> None:
        await pilot.pause()
        assert "! 1 problem: the method needs params by name" in text_of(screen.query_one(Bar))

    on_screen(explorer, Text("[1]").source(Described((DescribedParam("any", {}),))), act)


def test_opening_a_form_changes_nothing(explorer: Explorer) -> None:
    texts = ' { "name" : "a\\u0062" ,\n"x": 1.0}', "[]"

    async def act(pilot: Pilot[None], screen: FormScreen) -> None:
        await pilot.press("enter", "enter", "end", "enter", "escape", "right", "left", "alt+e")

    for written, described in zip(texts, (DESCRIBED, Described()), strict=True):
        text = Text(written)

        async def look(pilot: Pilot[None], screen: FormScreen, written: str = written) -> None:
            assert ("The params of this method are unknown" in "".join(rows(screen))) == (written == "[]")
            assert "\x1b" not in "".join(rows(screen))
            await act(pilot, screen)

        assert on_screen(explorer, text.source(described), look) == [False]
        assert (text.now, text.before) == (written, [])


def below(screen: FormScreen) -> str:
    """Return the line under a value that is typed as JSON, or ""."""
    line = screen.query_one(ProblemLine)
    return " ".join(text_of(line).split()) if line.display else ""


@pytest.mark.parametrize("is_checked", [True, False])
def test_title_says_no_problems_only_after_a_check(explorer: Explorer, is_checked: bool) -> None:
    async def act(pilot: Pilot[None], screen: FormScreen) -> None:
        await pilot.pause()
        assert ("✓ no problems" in text_of(screen.query_one(Bar))) == is_checked

    described = Described((DescribedParam("any", {} if is_checked else True),))
    on_screen(explorer, Text('{"any": 1}').source(described), act)


def test_wrong_json_in_place_shows_line_column_fix(explorer: Explorer) -> None:
    text = Text("{}")

    async def act(pilot: Pilot[None], screen: FormScreen) -> None:
        await pilot.press("end", "enter", "ctrl+u", *"{'a': 1}")
        await pilot.pause()
        assert below(screen) == "✗ line 1, column 2: text needs double quotes, not single ones. ^R use double quotes"
        await pilot.press("enter")
        await pilot.pause()
        assert below(screen).startswith("not applied line 1, column 2:"), "Enter at the end adds no line"
        assert text.now == "{}"
        await pilot.press("ctrl+r")
        await pilot.pause()
        assert below(screen) == ""
        await pilot.press("enter")
        assert text.now == '{"any": {"a": 1}}'
        await pilot.press("enter", "ctrl+u", *"[1,", "alt+e")
        await pilot.pause()
        assert below(screen).startswith("not applied line 1, column 3: there is a comma after the last item")
        await pilot.press("f5")
        await pilot.pause()
        assert below(screen).startswith("not sent line 1, column 3: there is a comma after the last item")
        await pilot.press("f12", "ctrl+r", "f5")

    assert on_screen(explorer, text.source(), act) == [True]
    assert text.now == '{"any": [1]}'


@pytest.mark.parametrize(
    ("typed", "message", "fixed"),
    [
        ("1,5", "line 1, column 3: there is more than one value. ^R put it in square brackets", "[1, 5]"),
        ("True", "line 1, column 1: True is not JSON. ^R write null, true and false", "true"),
    ],
)
def test_wrong_number_in_place_shows_fix(explorer: Explorer, typed: str, message: str, fixed: str) -> None:
    text = Text("{}")

    async def act(pilot: Pilot[None], screen: FormScreen) -> None:
        await pilot.press("down", "enter", "ctrl+u", *typed, "enter")
        await pilot.pause()
        assert below(screen) == f"not applied {message}"
        await pilot.press("ctrl+r", "end", "enter", "escape")

    assert on_screen(explorer, text.source(), act) == [False]
    assert text.now == f'{{"age": {fixed}}}'


def test_enter_on_absent_object_shows_its_members(explorer: Explorer) -> None:
    described = Described(tuple(DescribedParam(f"p{at}", CIRCLE) for at in range(30)))
    text = Text("{}")

    async def act(pilot: Pilot[None], screen: FormScreen) -> None:
        await pilot.press("end", "enter")
        await pilot.pause()
        assert text.now == '{"p29": {"r": 0}}'
        assert rows(screen)[-2:] == ["▾ ● p29 1 member object", "● r* 0 number"], "also below the last line"

    on_screen(explorer, text.source(described), act)


def test_enter_on_absent_object_without_members_types_json(explorer: Explorer) -> None:
    text = Text("")

    async def act(pilot: Pilot[None], screen: FormScreen) -> None:
        await pilot.press("enter", *'"a":1', "enter", "escape")

    on_screen(explorer, text.source(Described((DescribedParam("options", {"type": "object"}),))), act)
    assert text.now == '{"options": {"a": 1}}'
