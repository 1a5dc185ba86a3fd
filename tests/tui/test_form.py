"""The form on screen: each key changes the text of the editor."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from rpcexplorer.explorer import Explorer
from rpcexplorer.jsontext.edit import span_of
from rpcexplorer.model.method import Described, DescribedParam
from rpcexplorer.model.problem import Checked, SchemaProblem
from rpcexplorer.tui.form import FormModel, FormScreen, FormSource
from rpcexplorer.tui.form_rows import FormList
from rpcexplorer.tui.key_queue import PendingKeys
from rpcexplorer.tui.widgets.bars import Frame
from rpcexplorer.tui.widgets.dialog import Ask
from rpcexplorer.tui.widgets.picker import Picker
from rpcexplorer.tui.widgets.verdict import ProblemLine
from tests.fakes.explorer import open_explorer
from tests.tui.stage import OneScreen, showing, text_of

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


async def test_form_of_partly_checked_params_says_so() -> None:
    model = FormModel(Text("{}").source())
    assert await model.check()
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


async def test_form_check_of_a_changed_text_is_dropped() -> None:
    text = Text('{"name": "A"}')
    source = text.source()

    async def change_while_checking(checked: str) -> Checked:
        text.now = "{}"
        return await text.check(checked)

    assert await FormModel(source).check()
    model = FormModel(replace(source, check=change_while_checking))
    assert not await model.check()
    assert [row.wrong for row in model.rows[:1]] == [""]


class OpenForm(OneScreen):
    """The form alone."""

    screen: FormScreen
    answers: list[bool | None]

    @property
    def rows(self) -> list[str]:
        return [" ".join(row.split()) for row in text_of(self.screen.query_one(FormList)).splitlines()]

    @property
    def below(self) -> str:
        """The line under a value that is typed as JSON, or ""."""
        line = self.screen.query_one(ProblemLine)
        return " ".join(text_of(line).split()) if line.display else ""


@asynccontextmanager
async def opened(explorer: Explorer, source: FormSource, size: tuple[int, int] = (80, 24)) -> AsyncIterator[OpenForm]:
    """Open the form."""
    async with showing(OpenForm, FormScreen(explorer, source, PendingKeys(), Frame()), size) as form:
        yield form


async def test_types_stand_in_one_column_beside_the_values(explorer: Explorer) -> None:
    text = Text('{"age": 7, "shape": {"r": 12345678901234567890}, "any": "' + "long " * 20 + '"}')
    async with opened(explorer, text.source()) as form:
        rows = text_of(form.screen.query_one(FormList)).splitlines()
        starts = [rows[at].index(kind) for at, kind in ((1, "integer or"), (2, "one of"), (3, "object"))]
        assert len(set(starts)) == 1
        assert starts[0] < 60


async def test_docs_of_values_stand_beside_them_in_a_wide_terminal(explorer: Explorer) -> None:
    described = Described((DescribedParam("city", {"type": "string"}, doc="Where it is.\nNot the country."),))
    async with opened(explorer, Text('{"city": "Lima"}').source(described), (120, 24)) as form:
        assert form.rows[0] == '● city "Lima" string Where it is.'


async def test_form_changes_the_text_key_by_key(explorer: Explorer) -> None:
    text = Text("")
    async with opened(explorer, text.source()) as form:
        assert form.rows == [
            "○ name* absent ! required",
            "○ age absent integer or null",
            "○ role absent one of user | admin",
            "▸ ○ shape absent object",
            "○ any absent",
        ]
        await form.press("enter", *'A"')
        assert not form.screen.check_action("edit", ()), "Enter accepts the text, as the footer says"
        await form.press("enter")
        assert text.now == '{"name": "A\\""}'
        assert form.rows[0] == '● name* "A\\"" ! a name is short'
        await form.press("down", "space", "space")
        assert text.now == '{"name": "A\\"", "age": null}'
        await form.press("space")
        assert text.now == '{"name": "A\\""}'
        await form.press("space", "enter", "x", "enter")
        assert text.now == '{"name": "A\\"", "age": 0}', "0x is not a number, and stays in the input"
        await form.press("backspace", "backspace", *"{{age}}", "enter", "down", "space")
        await form.on(Picker)
        await form.press("down", "enter")
        await form.pause()
        assert text.now == '{"name": "A\\"", "age": "{{age}}", "role": "admin"}'
        assert form.rows[1] == '● age "{{age}}" integer or null'
        await form.press("down", "space", "down", "enter")
        await form.pause()
        assert form.rows[3:5] == ["▾ ● shape 1 member object", "● s* 0 number"]
        await form.press("down", "enter", "backspace", "5", "enter", "up", "space", "up", "enter")
        await form.pause()
        assert text.now.endswith('"shape": {"r": 0}}')
        await form.press("space", "down", "enter")
        await form.pause()
        assert text.now.endswith('"shape": {"s": 5}}'), "the text for a square is restored"
        await form.press(*["ctrl+z"] * 4)
        assert "shape" not in text.now
        await form.press("end", "enter", *["backspace"] * 4, *"[1,", "enter", "2", "enter")
        assert json.loads(text.now)["any"] == [1, 2], "the first Enter moved down"
        await form.press("up", "plus")
        await form.on(Ask)
        await form.press(*"w h", "enter")
        await form.pause()
        assert text.now.endswith('], "shape": {"s": 0, "w h": null}}')
        await form.press("home", "enter", "B")
        form.screen.put_typed()
        assert text.now.startswith('{"name": "A\\"B",'), "quitting loses nothing"
        assert form.rows[0].startswith('● name* "A\\"B"'), "continuing shows no older value"
        await form.press("f5")
    assert form.answers == [True]
    assert text.now.startswith('{"name": "A\\"B",')


@pytest.mark.parametrize(
    ("written", "described"), [(' { "name" : "a\\u0062" ,\n"x": 1.0}', DESCRIBED), ("[]", Described())]
)
async def test_opening_a_form_changes_nothing(explorer: Explorer, written: str, described: Described) -> None:
    text = Text(written)
    async with opened(explorer, text.source(described)) as form:
        assert ("The params of this method are unknown" in form.text) == (written == "[]")
        assert "\x1b" not in form.text
        await form.press("enter", "enter", "end", "enter", "escape", "right", "left", "alt+e")
    assert form.answers == [False]
    assert (text.now, text.before) == (written, [])


@pytest.mark.parametrize(
    ("text", "schema", "title"),
    [
        ("[1]", {}, "! 1 problem: the method needs params by name"),
        ('{"any": 1}', {}, "✓ no problems"),
        ('{"any": 1}', True, "Form user.add"),
    ],
)
@pytest.mark.everyday(3)
async def test_title_shows_the_result_of_the_check(explorer: Explorer, text: str, schema: Any, title: str) -> None:
    async with opened(explorer, Text(text).source(Described((DescribedParam("any", schema),)))) as form:
        await form.sees(title)
        assert ("✓ no problems" in form.words) == ("no problems" in title)


async def test_wrong_json_in_place_shows_line_column_fix(explorer: Explorer) -> None:
    text = Text("{}")
    async with opened(explorer, text.source()) as form:
        await form.press("end", "enter", "ctrl+u", *"{'a': 1}")
        await form.pause()
        assert form.below == "✗ line 1, column 2: text needs double quotes, not single ones. ^R use double quotes"
        await form.press("enter")
        await form.pause()
        assert form.below.startswith("not applied line 1, column 2:"), "Enter at the end adds no line"
        assert text.now == "{}"
        await form.press("ctrl+r")
        await form.pause()
        assert form.below == ""
        await form.press("enter")
        assert text.now == '{"any": {"a": 1}}'
        await form.press("enter", "ctrl+u", *"[1,", "alt+e")
        await form.pause()
        assert form.below.startswith("not applied line 1, column 3: there is a comma after the last element")
        await form.press("f5")
        await form.pause()
        assert form.below.startswith("not sent line 1, column 3: there is a comma after the last element")
        await form.press("f12", "ctrl+r", "f5")
    assert form.answers == [True]
    assert text.now == '{"any": [1]}'


@pytest.mark.parametrize(
    ("typed", "message", "fixed"),
    [
        ("1,5", "line 1, column 3: there is more than one value. ^R put it in square brackets", "[1, 5]"),
        ("True", "line 1, column 1: True is not JSON. ^R write null, true and false", "true"),
    ],
)
async def test_wrong_number_in_place_shows_fix(explorer: Explorer, typed: str, message: str, fixed: str) -> None:
    text = Text("{}")
    async with opened(explorer, text.source()) as form:
        await form.press("down", "enter", "ctrl+u", *typed, "enter")
        await form.pause()
        assert form.below == f"not applied {message}"
        await form.press("ctrl+r", "end", "enter", "escape")
    assert form.answers == [False]
    assert text.now == f'{{"age": {fixed}}}'


@pytest.mark.parametrize(
    ("before", "keys", "after"),
    [
        ("{}", ["enter", "down", "enter", "escape"], ["b"]),
        ('{"tags": ["a"]}', ["enter", "down", "enter", "escape"], ["a", "b"]),
        ('{"tags": ["a", "{{tag}}"]}', ["enter", "end", "left", *',"b"', "enter"], ["a", "{{tag}}", "b"]),
    ],
)
async def test_listed_values_of_an_array_are_chosen(
    explorer: Explorer, before: str, keys: list[str], after: list[str]
) -> None:
    """With another value, which no list could bring back, the array is edited as JSON."""
    text = Text(before)
    described = Described((DescribedParam("tags", {"type": "array", "items": {"enum": ["a", "b"]}}),))
    async with opened(explorer, text.source(described)) as form:
        await form.press(*keys)
        await form.until(lambda: json.loads(text.now) == {"tags": after})


async def test_enter_on_absent_object_shows_its_members(explorer: Explorer) -> None:
    described = Described(tuple(DescribedParam(f"p{at}", CIRCLE) for at in range(30)))
    text = Text("{}")
    async with opened(explorer, text.source(described)) as form:
        await form.press("end", "enter")
        await form.pause()
        assert text.now == '{"p29": {"r": 0}}'
        assert form.rows[-2:] == ["▾ ● p29 1 member object", "● r* 0 number"], "also below the last line"


async def test_enter_on_absent_object_without_members_types_json(explorer: Explorer) -> None:
    text = Text("")
    async with opened(explorer, text.source(Described((DescribedParam("options", {"type": "object"}),)))) as form:
        await form.press("enter", *'"a":1', "enter", "escape")
    assert text.now == '{"options": {"a": 1}}'
