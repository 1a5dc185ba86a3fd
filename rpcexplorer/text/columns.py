"""A list in columns: how they share the width, and the pieces of a row."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final, Generic, TypeAlias, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from rpcexplorer.text.printable import clipped, columns, printable
from rpcexplorer.text.wrapping import text_of

MAX_NAME_COLUMNS: Final = 48
"""Columns of a name in a sentence or a row; less in a narrow list."""
MAX_NAME_CHARACTERS: Final = 200
"""Characters of a name or a description that are drawn at most."""
Item = TypeVar("Item")
Cell: TypeAlias = Sequence[tuple[str, str]]
"""The pieces of a cell with their roles."""


class Column(Struct, Generic[Item], frozen=True):
    """A column of a list. What comes after the one that ``fills`` is at the right edge.

    Only the cell that fills, and those at the right without a width, can need other room in each row.
    """

    cell: Callable[[Item], Cell] = lambda _: ()
    heading: str = ""
    width: int = 0
    """Fixed columns. If it is 0, the column is as wide as its widest cell, within the limits below."""
    most: int = MAX_NAME_COLUMNS
    share: float = 1
    """At most this part of the row, such as 4 for a quarter."""
    least: int = 0
    """It shrinks to this before rows are cut. One that fills is left out if it has less."""
    drop: int = 0
    """It is left out in lists that are narrower than this."""
    fills: bool = False
    """It takes the room that the others leave, and is cut there."""
    right: bool = False
    """Aligned right. Without a width it takes what its cell needs, in each row."""
    gap: int = 2
    """Blanks before it."""
    fit: Callable[[Item, int], Cell] | None = None
    """Makes the cell for the room that is left, of a column that fills or is at the right without a width."""
    axis: Callable[[int], str] | None = None
    """Makes the heading for that room."""

    @property
    def is_measured(self) -> bool:
        return not (self.width or self.fills or self.right)


Shared: TypeAlias = Sequence[tuple[Column[Item], int]]
"""The columns that are shown, with their widths."""


def shared(offered: Sequence[Column[Item]], items: Sequence[Item], width: int) -> Shared[Item]:
    """Share the width of a list between its columns."""
    shown = [column for column in offered if column.drop <= width]
    widths = [_measured(column, items, width) if column.is_measured else column.width for column in shown]
    over = sum(widths) + sum(column.gap for column in shown) - width
    for at, column in enumerate(shown):
        if over > 0 and 0 < column.least < widths[at]:
            cut = min(over, widths[at] - column.least)
            widths[at] -= cut
            over -= cut
    return list(zip(shown, widths, strict=True))


def _measured(column: Column[Item], items: Sequence[Item], width: int) -> int:
    texts = {column.heading}
    for item in items:
        texts.add("".join([text for text, _ in column.cell(item)])[:MAX_NAME_CHARACTERS])
    widest = max(columns(printable(text)) for text in texts)
    return min(widest, column.most, max(int(width // column.share), column.least, 1))


def arranged(shown: Shared[Item], item: Item, width: int) -> tuple[Cell, Cell]:
    """Return the pieces of a row: those at the left, with the cell that fills, and those at the right edge."""
    left, right = list[tuple[str, str]](), list[tuple[str, str]]()
    room = width - sum(column.gap + wide for column, wide in shown)
    side = right if any(column.fills for column, _ in shown) else left
    for column, wide in reversed(shown):  # Those at the right edge first: the one that fills takes what they leave.
        cell = column.fit(item, room) if column.fit else column.cell(item)
        if wide:
            cell = padded(cell, wide, right=column.right)
        elif column.right:
            room -= sum(columns(printable(text)) for text, _ in cell)
        if column.fills:
            side = left
        if not column.fills or room >= column.least:
            (text, role), *others = cell or [("", "text")]
            side[:0] = [(" " * column.gap + text, role), *others]
    return left, right


def padded(cell: Cell, width: int, *, right: bool = False) -> Cell:
    """Return a cell cut or padded to exactly ``width`` columns."""
    shown, left = list[tuple[str, str]](), width
    for text, role in cell or [("", "text")]:
        piece = clipped(text[:MAX_NAME_CHARACTERS], left)
        shown.append((piece, role))
        left -= columns(piece)
    if right:
        text, role = shown[0]
        return [(" " * left + text, role), *shown[1:]]
    text, role = shown[-1]
    return [*shown[:-1], (text + " " * left, role)]


def headings(shown: Shared[Any]) -> Shared[None]:
    """Return columns of the same widths that have the headings in every row."""
    return [(_heading(column), wide) for column, wide in shown]


def _heading(column: Column[Any]) -> Column[None]:
    axis = column.axis
    fit = (lambda _, room: [(axis(room), "dim")]) if axis else None
    return replace(column, cell=lambda _: [(column.heading, "dim")], fit=fit)


def table_lines(offered: Sequence[Column[Item]], items: Sequence[Item], width: int) -> Iterator[str]:
    """Yield a table for a terminal: its headings, and a line for each item."""
    shown = shared(offered, items, width)
    yield text_of(arranged(headings(shown), None, width)[0])
    for item in items:
        yield text_of(arranged(shown, item, width)[0])
