"""Lists in columns, and the detail beside them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import pytest

from rpcexplorer.settings import load_theme
from rpcexplorer.text.columns import Cell, Column, arranged, shared
from rpcexplorer.tui.browser import Browser, Detail
from rpcexplorer.tui.commands import Scope
from rpcexplorer.tui.key_queue import PendingKeys
from rpcexplorer.tui.theme import ThemeStyles, line, textual_theme
from rpcexplorer.tui.widgets.bars import Frame
from rpcexplorer.tui.widgets.rows import ItemList
from tests.tui.stage import THEMES, OneScreen, showing

THEME, _ = load_theme(THEMES / "night.toml")
assert THEME is not None
STYLES = ThemeStyles(textual_theme(THEME))
Row = tuple[str, ...]


def cell(at: int) -> Any:
    return lambda row: [(row[at], "text")]


def drawn(columns: Sequence[Column[Row]], width: int, *rows: Row) -> list[str]:
    """Return the text of rows, with a bar after the last column of the list."""
    shown = shared(columns, rows, width)
    parts = [arranged(shown, row, width) for row in rows]
    return [line(left, width, STYLES, right=right).text + "|" for left, right in parts]


NAME, ROLE = Column[Row](cell(0), gap=1), Column[Row](cell(1), fills=True)
PEOPLE = [("Ada", "mathematics", "7 s"), ("Grace Hopper", "compilers", "12 s")]


@pytest.mark.parametrize(
    ("columns", "width", "texts"),
    [
        pytest.param(
            [NAME, ROLE], 30, [" Ada           mathematics    |", " Grace Hopper  compilers      |"], id="widest"
        ),
        pytest.param([NAME, ROLE], 22, [" Ada           mathem…|", " Grace Hopper  compil…|"], id="fills is cut"),
        pytest.param(
            [Column(cell(0), width=5, gap=0), ROLE], 16, ["Ada    mathemat…|", "Grac…  compilers|"], id="fixed width"
        ),
        pytest.param(
            [Column(cell(0), share=4, gap=0), ROLE], 20, ["Ada    mathematics  |", "Grac…  compilers    |"], id="share"
        ),
        pytest.param(
            [Column(cell(0), share=4, least=8, gap=0), ROLE],
            16,
            ["Ada       mathe…|", "Grace H…  compi…|"],
            id="share has a least",
        ),
        pytest.param(
            [Column(cell(0), least=4, gap=0), Column(cell(1), width=11)],
            20,
            ["Ada      mathematics|", "Grace …  compilers  |"],
            id="shrinks to its least",
        ),
        pytest.param(
            [NAME, Column(cell(1), fills=True, least=8)],
            22,
            [" Ada                  |", " Grace Hopper         |"],
            id="fills is left out below its least",
        ),
        pytest.param([NAME, Column(cell(1), drop=40)], 39, [f" {'Ada':38}|", f" {'Grace Hopper':38}|"], id="dropped"),
        pytest.param(
            [NAME, Column(cell(2), width=6, right=True)],
            21,
            [" Ada              7 s|", " Grace Hopper    12 s|"],
            id="right",
        ),
        pytest.param(
            [Column(cell(0), width=5, gap=0), ROLE, Column(cell(2), right=True, gap=1)],
            20,
            ["Ada    mathemat… 7 s|", "Grac…  compile… 12 s|"],
            id="right edge needs other room in each row",
        ),
        pytest.param([NAME, ROLE], 9, [" Ada    …|", " Grace H…|"], id="too narrow for all"),
    ],
)
def test_columns_share_the_width(columns: Sequence[Column[Row]], width: int, texts: list[str]) -> None:
    assert drawn(columns, width, *PEOPLE) == texts


def test_cell_is_made_for_the_room_that_is_left() -> None:
    def name_and_room(row: Row, room: int) -> Cell:
        return [(f"{row[0]} {room}", "text")]

    def seconds_and_room(row: Row, room: int) -> Cell:
        return [(f"{row[2]} of {room}", "text")]

    columns = [Column(fit=name_and_room, fills=True, gap=0), Column(fit=seconds_and_room, right=True, gap=1)]
    assert drawn(columns, 30, *PEOPLE) == [
        "Ada 20" + " " * 15 + "7 s of 29|",
        "Grace Hopper 19" + " " * 5 + "12 s of 29|",
    ]


def test_foreign_text_in_a_cell_is_made_visible() -> None:
    (text,) = drawn([Column(cell(0), width=8, gap=0)], 10, ("\x1b]52;c;eA==",))
    assert text == "␛]52;c;…  |"


class People(Browser[Row, Row]):
    """A screen with people, which are chosen with Enter."""

    scope: ClassVar[Scope] = "statistics"
    BINDINGS = [("enter", "open", ""), ("escape", "close", ""), ("slash", "search", ""), ("n", "tab_next", "")]  # noqa: RUF012
    FILTER = "name"

    def has(self, state: str) -> bool:
        return self.row is not None

    def __init__(self) -> None:
        columns = [Column(cell(0), "name", gap=1), Column(cell(1), "role", fills=True)]
        super().__init__(ItemList(columns, lambda row: row[0]), PendingKeys(), Frame())
        self.steps = ["marks"]

    def on_mount(self) -> None:
        self.list.empty = [[("   Nobody.", "dim")]]
        self.filter_changed()

    def filter_changed(self) -> None:
        self.list.show([row for row in PEOPLE if self.filter.value in row[0]])
        self.show_detail()

    def tabs_of(self, row: Row) -> Sequence[str]:
        return ("Role", "Time") if row[0] == "Ada" else ("Role",)

    def detail(self, row: Row | None) -> Detail:
        if row is None:
            return Detail(nothing="Nothing is here.")
        shown = Detail([(row[0], "bold")], [("  a person", "dim")], outcome=lambda room: [("well", "well")][:room])
        if self.tab == "Time":
            return Detail(shown.title, page=[[(f"took {row[2]}", "text")]])
        return Detail(shown.title, shown.after, shown.outcome, text=f'["{row[1]}"]'.encode())

    def choose(self, row: Row) -> None:
        self.dismiss(row)

    def step_back(self) -> bool:
        return bool(self.steps and self.steps.pop())


async def visit(*keys: str, size: tuple[int, int] = (120, 20)) -> tuple[list[str], list[Row | None]]:
    """Press keys on the screen; return what is seen before each, and at the end, and the answers."""
    views = list[str]()
    async with showing(OneScreen, People(), size) as program:
        for key in keys:
            views.append(program.words)
            await program.press(key)
        views.append(program.words)
    return views, program.answers


async def test_detail_follows_the_cursor_and_its_tab() -> None:
    (first, second, last), _ = await visit("n", "down")
    assert "▌" in first
    assert "name role" in first
    for words in ("Ada a person", "Role Time [ ]", "well", '"mathematics"'):
        assert words in first
    assert "took 7 s" in second
    assert "a person" not in second
    assert '"compilers"' in last, "Grace has no tab for the time"


async def test_escape_leaves_the_smallest_thing_first() -> None:
    views, answers = await visit("slash", "x", "escape", "escape", "tab", "tab", "escape", "escape", "escape")
    nobody, cleared = views[2], views[3]
    assert "Nobody." in nobody
    assert "Nothing is here." in nobody
    assert "Ada" in cleared
    assert "Ada" in views[-2], "the screen is open until the last key: text, filter, detail and marks come first"
    assert answers == [None]


@pytest.mark.parametrize(("keys", "row"), [(["down"], 0), (["down", "down"], 1), (["pagedown"], 1)])
async def test_arrow_in_the_filter_goes_to_the_row_at_the_cursor(keys: list[str], row: int) -> None:
    _, answers = await visit("slash", "a", *keys, "enter")
    assert answers == [PEOPLE[row]]


async def test_cursor_stays_on_its_row_through_a_filter() -> None:
    _, answers = await visit("down", "slash", "x", "backspace", "enter", "enter")
    assert answers == [PEOPLE[1]]


@pytest.mark.parametrize(("size", "is_seen"), [((80, 24), True), ((80, 14), False)])
async def test_detail_in_a_low_and_narrow_terminal_is_left_out(size: tuple[int, int], is_seen: bool) -> None:
    (view,), _ = await visit(size=size)
    assert ("a person" in view) is is_seen
    assert "\nGrace Hopper compilers\n" in view, "the detail is below the list, if it is there"


async def test_detail_in_a_wide_terminal_is_beside_the_list() -> None:
    (view,), _ = await visit(size=(120, 14))
    assert "│ Ada a person" in view
