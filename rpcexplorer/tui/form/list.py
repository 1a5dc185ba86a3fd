"""The rows of a form: a name, what stands there or that nothing does, and in few words what may."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Final

from textual.binding import Binding, BindingType
from textual.message import Message
from textual.strip import Strip

from rpcexplorer.schema.form import FormField
from rpcexplorer.text.printable import clipped, columns, fitted
from rpcexplorer.tui.commands import bindings
from rpcexplorer.tui.messages import message
from rpcexplorer.tui.theming import Pieces, ThemeStyles, line, width_of
from rpcexplorer.tui.widgets.row_list import RowList

INDENT: Final = 2
"""Columns for each level."""
WIDEST: Final = 32
"""Columns of the names."""
KIND: Final = 60
"""Columns for what may stand there; a long value leaves it half of the room."""
SIGNS: Final = {"absent": ("○", "dim"), "null": ("∅", "middle"), "value": ("●", "accent")}
"""What tells the three states apart without any colour."""
OWN: Final = frozenset({"form.edit", "form.fold", "form.unfold"})
"""Commands whose keys mean something to any list."""


class FormList(RowList[FormField]):
    """Each place of the params in a line of its own."""

    DEFAULT_CSS = "FormList { height: 1fr; }"
    BINDINGS: ClassVar[list[BindingType]] = [
        each for each in bindings("form") if isinstance(each, Binding) and each.id in OWN
    ]

    @message
    class RowFolded(Message):
        """What is in a row is to be shown, or hidden."""

        form_list: FormList
        field: FormField
        unfold: bool

    def __init__(self, advice: Sequence[Pieces] = ()) -> None:
        """``advice`` is said where there are no rows."""
        super().__init__()
        self._advice = advice
        self._names = 0

    def watch_items(self) -> None:
        """The column of names is as wide as the longest of them."""
        self._names = min(max((_reach(row) for row in self.items), default=0), WIDEST)
        super().watch_items()

    @property
    def value_column(self) -> int:
        """Where the values begin."""
        width = self.scrollable_content_region.width
        return min(self._names, max(width // 2 - 4, 8)) + 4

    def draw(self, item: FormField, width: int, styles: ThemeStyles, *, chosen: bool) -> Strip:
        """Fold, state, name; the value; what is wrong, or what may stand there."""
        ground = "selection" if chosen else "background"
        room = width - self.value_column
        value = _value(item, room - min(width_of(_told(item, KIND)), room // 2))
        right = _told(item, max(room - width_of(value), 0))
        indent = " " * min(INDENT * item.depth, self.value_column // 2)
        fold = ("▾ " if item.open else "▸ ") if item.folds else "  "
        sign, role = SIGNS[item.state]
        words = [
            (indent + fold, "middle"),
            (sign + " ", role),
            (fitted(item.name + ("*" if item.required else ""), self.value_column - 4 - len(indent)), _name_role(item)),
            *value,
        ]
        return line(words, width, styles, right=right, ground=ground)

    def empty(self, width: int, styles: ThemeStyles) -> Sequence[Strip]:
        return [line(words, width, styles) for words in self._advice]

    def action_edit(self) -> None:
        self.action_choose()

    def action_fold(self) -> None:
        self._want(unfold=False)

    def action_unfold(self) -> None:
        self._want(unfold=True)

    def _want(self, *, unfold: bool) -> None:
        if self.chosen is not None:
            self.post_message(self.RowFolded(self, self.chosen, unfold))


def _reach(row: FormField) -> int:
    return INDENT * row.depth + columns(row.name[:WIDEST]) + 2


def _name_role(row: FormField) -> str:
    if row.state == "absent":
        return "middle"
    return "text bold" if row.known else "careful bold"


def _value(row: FormField, room: int) -> Pieces:
    if row.state == "absent":
        return [("absent", "dim")]
    if row.text[:1] in ("{", "["):
        one = "element" if row.is_array else "member"
        count = f"  {row.items:,} {one}{'s' * (row.items != 1)}"
        text = "" if row.open else clipped(row.line, room - len(count))
        return [(text, "text"), (count if text else count[2:], "dim")]
    roles = {'"': "json-string", "t": "json-literal", "f": "json-literal", "n": "json-literal"}
    return [(clipped(row.line, room), roles.get(row.text[:1], "json-number"))]


def _told(row: FormField, room: int) -> Pieces:
    """What is wrong comes before what may stand there."""
    room = min(room, KIND)
    if row.wrong:
        return [("  ! ", "careful bold"), (clipped(row.wrong, room - 5), "careful"), (" ", "text")]
    if not row.known:
        return [("  not in the schema ", "careful")]
    words = ", ".join(each for each in (row.kind, row.limits, *row.remarks) if each)
    return [(f"  {clipped(words, room - 3)} ", "dim")]
