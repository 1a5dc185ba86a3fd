"""The comparison screen."""

from __future__ import annotations

import asyncio
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, Final

from rich.color import Color
from rich.segment import Segment, Segments
from rich.style import Style
from textual import events, on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.reactive import reactive
from textual.scrollbar import ScrollBarRender
from textual.strip import Strip
from textual.widget import Widget

from rpcexplorer.client.replay import ignored_pointers
from rpcexplorer.compare.compare import Comparison, compared
from rpcexplorer.explorer import Explorer
from rpcexplorer.jsontext.steps import run_in_turns
from rpcexplorer.model.exchange import Exchange
from rpcexplorer.model.problem import counted
from rpcexplorer.text.columns import MAX_NAME_COLUMNS
from rpcexplorer.text.compare import (
    ComparedLine,
    ComparisonLayout,
    is_pair,
    names_of,
    own_part,
    reasons,
    side,
    stacked,
    summary,
)
from rpcexplorer.text.printable import clipped
from rpcexplorer.tui.key_queue import PAUSE_SECONDS, SLICE, PendingKeys, opens
from rpcexplorer.tui.theme import NARROW, Pieces, ThemeStyles, line
from rpcexplorer.tui.widgets.bars import Bar, Frame, WarningLines
from rpcexplorer.tui.widgets.full_screen import FullScreen
from rpcexplorer.tui.widgets.rows import LineView

ASIDE: Final = 8
"""Columns that a key scrolls sideways."""
LONGEST: Final = 2_000
"""Columns that the text can scroll sideways."""
BEFORE: Final = "‹"  # noqa: RUF001 - the sign is meant
"""Shown if there is text out of view at the left."""
BETWEEN: Final = " │ "
FOLDED: Final = "▸"
SIGNS: Final = {
    "equal": (" ", "middle"),
    "fold": (" ", "dim"),
    "ignored": ("·", "dim"),
    "hidden": ("?", "careful"),
}
"""Signs of lines without a difference."""
LEFT_SIGN: Final = ("-", "wrong")
RIGHT_SIGN: Final = ("+", "well")


MARK: Final = "▐"
MARK_ROLES: Final = {"changed": "careful", "spelling": "careful", "added": "well", "removed": "wrong"}
"""The colours of differences beside the text, by the kind of a line."""


def marks_of(kinds: Mapping[int, str], rows: int, height: int) -> dict[int, str]:
    """Return the role of each line of a scrollbar that stands for rows with a difference.

    ``kinds``: those of the rows that differ. Where rows were added and removed, the line counts as changed.
    """
    marks: dict[int, str] = {}
    for row, kind in kinds.items():
        y, role = row * height // rows, MARK_ROLES[kind]
        marks[y] = role if marks.get(y, role) == role else MARK_ROLES["changed"]
    return marks


def marked(marks: Callable[[int], Mapping[int, Color]]) -> type[ScrollBarRender]:
    """Return how to draw a scrollbar with marks; ``marks`` gets its height."""

    class MarkedScrollBar(ScrollBarRender):
        @classmethod
        def render_bar(cls, size: int = 25, *args: Any, **options: Any) -> Segments:
            bar = super().render_bar(size, *args, **options)
            for y, colour in marks(size).items():
                style = bar.segments[y].style or Style()
                ground = style.color if style.reverse else style.bgcolor
                bar.segments[y] = Segment(MARK, Style(color=colour, bgcolor=ground, meta=style.meta))
            return bar

    return MarkedScrollBar


class ComparedText(LineView):
    """The compared lines, with a cursor on one of them.

    In a narrow view, the sides are shown one below the other: then a pair of lines takes two rows, and the cursor is on
    the first of them.
    """

    DEFAULT_CSS = """
    ComparedText { scrollbar-gutter: stable; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left", "aside(-1)", show=False),
        Binding("right", "aside(1)", show=False),
    ]

    lines: reactive[Sequence[ComparedLine]] = reactive[Sequence[ComparedLine]]((), always_update=True)

    class FoldWanted(Message):
        """The fold under the cursor should open."""

    def __init__(self) -> None:
        super().__init__()
        self.side_by_side = False
        self._shown: Sequence[ComparedLine] = ()
        """The lines, in the order for one or two columns."""
        self._rows: list[int] = []
        """The line that each row shows."""
        self._places: list[int] = []
        """The lines where a difference begins."""
        self._kinds: dict[int, str] = {}
        """The rows that differ, with the kind of their difference."""
        self._left = 0
        """Characters out of view at the left, on both sides."""

    def on_mount(self) -> None:
        self.vertical_scrollbar.renderer = marked(self._marks)  # type: ignore[misc]  # as Textual's docs do it

    def _marks(self, height: int) -> dict[int, Color]:
        styles, marks = ThemeStyles.of(self), marks_of(self._kinds, len(self._rows), height)
        colours = {y: styles.style(role).color for y, role in marks.items()}
        return {y: colour for y, colour in colours.items() if colour is not None}

    @property
    def row_count(self) -> int:
        return len(self._rows)

    def draw_row(self, row: int, width: int, styles: ThemeStyles) -> Strip:
        at = self._rows[row]
        shown = self._shown[at]
        ground = "selection" if self.has_focus and at == self.current_line else "background"
        note = [(f"  {shown.note} ", "dim")] if shown.note else []
        if not self.side_by_side:
            is_second = row > 0 and self._rows[row - 1] == at
            pieces = self._side(shown, width, is_right=is_second or shown.left is None)
            return line(pieces, width, styles, right=note, ground=ground)
        half = (width - len(BETWEEN)) // 2
        rest = width - half - len(BETWEEN)
        left = line(self._side(shown, half, is_right=False), half, styles, ground=ground)
        middle = line([(BETWEEN, "line")], len(BETWEEN), styles, ground=ground)
        right = line(self._side(shown, rest, is_right=True), rest, styles, right=note, ground=ground)
        return Strip.join([left, middle, right])

    def _side(self, shown: ComparedLine, room: int, *, is_right: bool) -> Pieces:
        """Return the text of one side after a sign, its differing part bold."""
        whole, other, own_sign = shown.left, shown.right, LEFT_SIGN
        if is_right:
            whole, other, own_sign = shown.right, shown.left, RIGHT_SIGN
        if whole is None:
            return []
        text = whole[self._left : self._left + room]
        sign, role = SIGNS.get(shown.kind, own_sign)
        pieces = [(f" {sign}", role)]
        if self._left:
            pieces.append((BEFORE, "dim"))
        elif shown.fold and not is_right:
            pieces.append((FOLDED, "middle"))
        else:
            pieces.append((" ", "dim"))
        if other is None or shown.kind not in {"changed", "spelling"}:
            return [*pieces, (text, role)]
        begin, end = own_part(whole, other)
        begin, end = max(begin - self._left, 0), max(end - self._left, 0)
        return [*pieces, (text[:begin], role), (text[begin:end], f"{role} bold underline"), (text[end:], role)]

    def watch_lines(self) -> None:
        self._arrange()

    def _arrange(self) -> None:
        """Arrange the lines in one or two columns.

        In one column, all left lines of a difference come first.
        """
        self.side_by_side = self.size.width >= NARROW
        self._shown = self.lines if self.side_by_side else list(stacked(self.lines))
        self._rows, self._places, self._kinds = [], [], {}
        before = None
        for at, shown in enumerate(self._shown):
            if shown.kind in MARK_ROLES:
                self._kinds[len(self._rows)] = shown.kind
            self._rows.append(at)
            if not self.side_by_side and is_pair(shown):
                self._rows.append(at)
            if shown.difference is not None and shown.difference != before:
                self._places.append(at)
            before = shown.difference
        self.rows_changed()
        self.vertical_scrollbar.refresh()
        self.move_to(self.cursor, -1)

    def nearest(self, row: int, by: int = 1) -> int:
        row = super().nearest(row)
        if row < 0:
            return row
        rows = self.rows_of(row)
        goes_on = by > 0 and row > rows.start and rows.stop < len(self._rows)
        return rows.stop if goes_on else rows.start

    def rows_of(self, row: int) -> range:
        if not 0 <= row < len(self._rows):
            return range(0)
        at = self._rows[row]
        return range(bisect_left(self._rows, at), bisect_right(self._rows, at))

    def on_resize(self) -> None:
        """Fit the columns to the width, with some lines above the cursor."""
        if self.side_by_side != (self.size.width >= NARROW):
            difference = self.nearest_difference
            self._arrange()
            self.go_to_difference(difference)
        self.scroll_above(self.cursor)

    @property
    def current_line(self) -> int:
        return self._rows[self.cursor] if 0 <= self.cursor < len(self._rows) else 0

    @property
    def difference(self) -> int | None:
        return self._shown[self.current_line].difference if self._shown else None

    @property
    def nearest_difference(self) -> int:
        """The number of the difference at the cursor or before it."""
        at = bisect_right(self._places, self.current_line) - 1
        if at < 0:
            return 0
        return self._shown[self._places[at]].difference or 0

    @property
    def fold(self) -> str:
        return self._shown[self.current_line].fold if self._shown else ""

    def go_to(self, at: int) -> None:
        """Put the cursor on a line, with some lines above it in view."""
        self.leap_to(bisect_left(self._rows, at))

    def go_to_difference(self, difference: int = 0) -> None:
        """Go to the start of a difference, or of the last shown before it."""
        begins = [at for at in self._places if (self._shown[at].difference or 0) <= difference]
        self.go_to(begins[-1] if begins else 0)

    def next_difference(self, by: int) -> None:
        """Go to the next difference, or from the last to the first."""
        if not self._places:
            return
        if by > 0:
            at = bisect_right(self._places, self.current_line)
        else:
            at = bisect_left(self._places, self.current_line) - 1
        self.go_to(self._places[at % len(self._places)])

    def click_row(self, row: int, event: events.Click) -> None:  # noqa: ARG002
        self.move_to(row, -1)
        if self.fold:
            self.post_message(self.FoldWanted())

    def action_page(self, by: int) -> None:
        self.move_to(self.cursor + by * self.view_height, -1)

    def action_aside(self, by: int) -> None:
        self._left = min(max(self._left + by * ASIDE, 0), LONGEST)
        self.refresh()


class Sides(Widget):
    """The two calls that are compared, arranged like the text below."""

    DEFAULT_CSS = """
    Sides { height: 1; background: $surface; }
    """
    BETWEEN: ClassVar[int] = 3

    sides: reactive[tuple[Pieces, Pieces]] = reactive[tuple[Pieces, Pieces]](((), ()))

    def on_resize(self) -> None:
        self.styles.height = 1 if self.side_by_side else 2

    @property
    def side_by_side(self) -> bool:
        return self.size.width >= NARROW

    def render_line(self, y: int) -> Strip:
        styles, width = ThemeStyles.of(self), self.size.width
        if not self.side_by_side:
            return line(self.sides[min(y, 1)], width, styles, ground="surface")
        half = (width - 1 - self.BETWEEN) // 2
        left = line(self.sides[0], half, styles, ground="surface")
        right = line([(" " * self.BETWEEN, "text"), *self.sides[1]], width - half, styles, ground="surface")
        return Strip.join([left, right])


COMPARING: Final = "comparing"
PATIENCE_SECONDS: Final = 0.5
"""Keys wait this long for a comparison; after that, Esc can stop it."""
FAST_BYTES: Final = 200_000
"""Up to this many bytes on both sides, the lines are made at once."""
MAX_UNFOLDED_BYTES: Final = 2_000_000
"""Making a million lines takes longer than comparing them."""


class ComparisonScreen(FullScreen[None], scope="comparison"):
    """The comparison of two calls. Closing the screen stops it."""

    DEFAULT_CSS = "ComparisonScreen ComparedText { height: 1fr; }"

    def __init__(
        self,
        explorer: Explorer,
        left: Exchange,
        right: Exchange,
        pending: PendingKeys,
        frame: Frame,
        *,
        ignore: Sequence[str] = (),
        made: Comparison | None = None,
    ) -> None:
        """``ignore``: pointers to skip. ``made``: a finished comparison."""
        super().__init__(pending, frame)
        self.explorer, self.left, self.right = explorer, left, right
        self.comparison: Comparison | None = None
        """None until it is finished."""
        self._layout: ComparisonLayout | None = None
        self._ignore, self._made = ignore, made
        self._methods = [left.method] if left.method == right.method else [left.method, right.method]
        self._unfolded: frozenset[str] = frozenset()
        self._is_unfolded = False
        """All lines are shown, folded or not."""
        self._compares_ignored = False
        self._sides, self._remarks, self.text = Sides(), WarningLines(), ComparedText()
        self._bar = Bar(self.text)

    @property
    def ignore(self) -> Sequence[str]:
        """The pointers that are ignored now."""
        return () if self._compares_ignored else self._ignore

    def compose(self) -> ComposeResult:
        yield from self.frame.around(self._bar, self._sides, self._remarks, self.text)

    def on_mount(self) -> None:
        day, zone, is_named = self.frame.day, self.frame.zone, len(self._methods) > 1
        self._sides.sides = (
            [(" - ", "wrong"), *side(self.left, day, zone, with_method=is_named)],
            [(" + ", "well"), *side(self.right, day, zone, with_method=is_named)],
        )
        self.set_focus(self.text)
        self.watch(self.text, "cursor", self._show_place, init=False)
        self._begin()

    def on_unmount(self) -> None:
        self.pending.go_on(COMPARING)

    def _begin(self) -> None:
        self.comparison = self._layout = None
        self.text.lines = ()
        self.text.empty = [[], [("   Comparing … Press ", "dim"), ("Esc", "bold"), (" to stop.", "dim")]]
        self._remarks.pieces = []
        self._show_place()
        self.pending.wait(COMPARING)
        self.set_timer(PATIENCE_SECONDS, lambda: self.pending.go_on(COMPARING))
        self._compare()

    @work(exclusive=True, group=COMPARING, description=COMPARING)
    async def _compare(self) -> None:
        result = None if self._compares_ignored else self._made
        if result is None:
            result = await run_in_turns(compared(self.left, self.right, self.ignore), SLICE, PAUSE_SECONDS)
        self._layout = ComparisonLayout(result)
        lines = await self._lines(self._layout)
        self.comparison = result
        whys = reasons(self.left, self.right)
        self._remarks.set_class(bool(whys), "-alone")
        self._remarks.pieces = [
            (summary(result, names_of(self.left, self.right)), "text bold"),
            *((why, "text") for why in whys),
        ]
        self.text.empty = []  # If the responses cannot be compared, the warning lines say why.
        self._show(lines, 0)
        self.text.go_to_difference()
        self.pending.go_on(COMPARING)

    async def _lines(self, layout: ComparisonLayout) -> Sequence[ComparedLine]:
        lines = layout.lines(self._unfolded, full=self._is_unfolded)
        if layout.size < FAST_BYTES:
            return list(lines)
        return await asyncio.to_thread(list, lines)

    @work(exclusive=True, group=COMPARING, description="unfolding")
    async def _show_folds(self, *, all_changed: bool = False) -> None:
        """Show the lines again after folds have changed.

        The cursor stays on its line, or on its difference if all folds changed.
        """
        if self._layout is not None:
            nearest = self.text.nearest_difference
            self._show(await self._lines(self._layout), self.text.current_line)
            if all_changed:
                self.text.go_to_difference(nearest)

    def _show(self, lines: Sequence[ComparedLine], at: int) -> None:
        self.text.lines = lines
        self.text.go_to(at)
        self._show_place()

    def _show_place(self) -> None:
        names = " and ".join(clipped(method, MAX_NAME_COLUMNS // len(self._methods)) for method in self._methods)
        self._bar.words = [("Compare", "bold"), (f"  {names}", "middle")]
        self._bar.after = []
        if self.comparison is not None and self.comparison.differences:
            count, at = len(self.comparison.differences), self.text.difference
            place = counted(count, "difference") if at is None else f"difference {at + 1:,} of {count:,}"
            self._bar.after = [(f"   {place}", "middle")]
        self.refresh_bindings()

    @on(ComparedText.FoldWanted)
    def _fold_wanted(self, event: ComparedText.FoldWanted) -> None:
        event.stop()
        self.action_fold()

    def has(self, state: str) -> bool:
        comparison = self.comparison
        match state:
            case "compared":
                return comparison is not None
            case "differences":
                return bool(comparison and comparison.differences)
            case "fold":
                return bool(self.text.fold)
            case "folded":
                return not self._is_unfolded
            case "unfolded":
                return self._is_unfolded or bool(self._unfolded)
            case "ignored":
                return self._compares_ignored or bool(comparison and comparison.ignored)
        return super().has(state)

    def action_next(self) -> None:
        self.text.next_difference(1)

    def action_previous(self) -> None:
        self.text.next_difference(-1)

    def action_fold(self) -> None:
        if fold := self.text.fold:
            self._unfolded |= {fold}
            self._show_folds()

    def action_unfold_all(self) -> None:
        if self._layout is None or self._layout.size > MAX_UNFOLDED_BYTES:
            self.notify("Too much to unfold at once. Press Space to unfold the part under the cursor.", timeout=6)
            return
        self._is_unfolded = True
        self._show_folds(all_changed=True)

    def action_fold_all(self) -> None:
        self._is_unfolded, self._unfolded = False, frozenset()
        self._show_folds(all_changed=True)

    def action_ignored(self) -> None:
        self._compares_ignored = not self._compares_ignored
        self._begin()

    def action_ticket(self) -> None:
        from rpcexplorer.tui.call.copying import copy_comparison_report

        copying = copy_comparison_report(self, self.explorer, self.left, self.right, self.ignore)
        self.app.run_worker(copying, group="copy", description="report")  # The screen may close meanwhile.

    @opens("export")
    async def action_export(self) -> None:
        from rpcexplorer.tui.call.copying import export_case

        await export_case(self, self.explorer, [self.left, self.right])

    def action_close(self) -> None:
        if self.comparison is None:
            self.notify("The comparison was stopped.")
        self.dismiss(None)


NAME: Final = 32
"""Columns of a method's name in a sentence or a title."""


async def compare(screen: FullScreen[Any], one: Exchange, other: Exchange | None = None) -> None:
    """Compare two recorded responses, the older one at the left.

    Without another, the response is compared with the one before.
    """
    explorer = screen.explorer
    if other is None:
        other = await asyncio.to_thread(explorer.journal.before, explorer.profile, one)
    if other is None:
        name = clipped(one.method, NAME)
        mark = "To compare with another call, mark it with m in the history."
        screen.notify(f"No earlier call of {name} has the same params. {mark}")
        return
    left, right = sorted((one, other), key=lambda call: call.when)
    ignore = ignored_pointers(right, explorer.profiles.profiles)
    comparison = ComparisonScreen(explorer, left, right, screen.pending, screen.frame, ignore=ignore)
    await screen.app.push_screen_wait(comparison)
