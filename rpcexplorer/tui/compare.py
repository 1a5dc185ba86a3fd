"""The comparison screen."""

from __future__ import annotations

import asyncio
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from datetime import date, datetime, tzinfo
from functools import partial
from itertools import pairwise
from typing import ClassVar, Final

from msgspec import Struct
from textual import events, on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.geometry import Region, Size
from textual.message import Message
from textual.reactive import reactive
from textual.screen import Screen
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.widget import Widget

from rpcexplorer.compare.compare import Comparison, compared
from rpcexplorer.model.exchange import Exchange
from rpcexplorer.text.compare import (
    ComparedLine,
    compared_lines,
    is_pair,
    names_of,
    own_part,
    reasons,
    side,
    stacked,
    summary,
)
from rpcexplorer.text.printable import clipped
from rpcexplorer.tui.commands import Scope, bindings
from rpcexplorer.tui.keys import PendingKeys, in_turns
from rpcexplorer.tui.messages import ExportWanted, TicketWanted, message
from rpcexplorer.tui.theme import NARROW, Pieces, ThemeStyles, line
from rpcexplorer.tui.widgets.bars import Bar, Remarks
from rpcexplorer.tui.widgets.dialog import AnswersOnce
from rpcexplorer.tui.widgets.rows import SCROLLING

ASIDE: Final = 8
"""Columns that a key scrolls sideways."""
LONGEST: Final = 2_000
"""Columns that one can scroll sideways."""
BEFORE, AFTER = "‹", "›"  # noqa: RUF001 - the signs are meant
"""There is more at this side."""
BETWEEN: Final = " │ "
FOLDED: Final = "▸"
"""There is more behind this line."""
SIGNS: Final = {
    "equal": (" ", "middle"),
    "fold": (" ", "dim"),
    "note": (" ", "dim"),
    "ignored": ("·", "dim"),
    "hidden": ("?", "careful"),
}
"""What is no difference; all else is ``-`` at the left and ``+`` at the right."""


class ComparedText(ScrollView, can_focus=True):
    """One line of it is under the cursor: it may be a difference, a fold, or what is equal around one."""

    DEFAULT_CSS = """
    ComparedText {
        background: $background; overflow-x: hidden; scrollbar-size-vertical: 1; scrollbar-gutter: stable;
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        *SCROLLING,
        Binding("left", "aside(-1)", show=False),
        Binding("right", "aside(1)", show=False),
    ]

    lines: reactive[Sequence[ComparedLine]] = reactive[Sequence[ComparedLine]]((), always_update=True)
    cursor: reactive[int] = reactive(0)
    """The line at hand, from 0."""
    advice: reactive[Sequence[Pieces]] = reactive[Sequence[Pieces]](())
    """What is said where there are no lines."""

    @message
    class Moved(Message):
        """Another line is under the cursor."""

        text: ComparedText

    @message
    class FoldWanted(Message):
        """What is folded under the cursor is to be shown."""

        text: ComparedText

    def __init__(self) -> None:
        super().__init__()
        self._given: Sequence[ComparedLine] = ()
        self._in_pairs = True
        """They were given an order for two columns."""
        self._left = 0
        """How many characters are out of sight at the left, on both sides."""
        self._pairs: list[int] = []
        """Lines that take two rows where the sides stand one below the other."""
        self._starts: list[int] = []
        """The first row of each of these."""
        self._places: list[int] = []
        """The lines on which a difference begins."""

    def show(self, lines: Sequence[ComparedLine]) -> None:
        """Other lines; one below the other, those of the left side of a difference stand together."""
        self._in_pairs, self._given = self.side_by_side, lines
        self.lines = lines if self.side_by_side else list(stacked(lines))

    # --- drawing -----------------------------------------------------------------------------------------------

    @property
    def side_by_side(self) -> bool:
        return self.size.width >= NARROW

    def render_line(self, y: int) -> Strip:
        styles, width = ThemeStyles.of(self), self._width
        row = y + self.scroll_offset.y
        if not self.lines and y < len(self.advice):
            return line(self.advice[y], width, styles)
        if row >= self._rows:
            return Strip.blank(width, styles.style())
        at, second = self._line_of(row)
        shown = self.lines[at]
        ground = "selection" if at == self.cursor and self.has_focus else "background"
        if not self.side_by_side:
            is_right = second or shown.left is None
            pieces = self._side(shown, width, is_right=is_right)
            return line(pieces, width, styles, right=self._note(shown), ground=ground)
        half = self._half
        left = line(self._side(shown, half, is_right=False), half, styles, ground=ground)
        middle = line([(BETWEEN, "line")], len(BETWEEN), styles, ground=ground)
        rest = width - half - len(BETWEEN)
        pieces = self._side(shown, rest, is_right=True)
        right = line(pieces, rest, styles, right=self._note(shown), ground=ground)
        return Strip.join([left, middle, right])

    @property
    def _width(self) -> int:
        return self.scrollable_content_region.width

    @property
    def _half(self) -> int:
        return (self._width - len(BETWEEN)) // 2

    def _side(self, shown: ComparedLine, room: int, *, is_right: bool) -> Pieces:
        """What one side has of a line, behind the sign that says what became of it."""
        text = shown.right if is_right else shown.left
        if text is None:
            return []
        sign, role = SIGNS.get(shown.kind, ("+", "well") if is_right else ("-", "wrong"))
        folded = (FOLDED, "accent") if shown.fold and not is_right else (" ", "dim")
        pieces = [(f" {sign}", role), (BEFORE, "dim") if self._left else folded]
        return [*pieces, *self._marked(shown, text[self._left : self._left + room], role, is_right=is_right)]

    @staticmethod
    def _note(shown: ComparedLine) -> Pieces:
        return [(f"  {shown.note} ", "dim")] if shown.note else []

    def _marked(self, shown: ComparedLine, text: str, role: str, *, is_right: bool) -> Iterator[tuple[str, str]]:
        """The text, what is its own in it bold."""
        if shown.kind not in {"changed", "spelling"} or not is_pair(shown):
            yield text, role
            return
        begin, end = own_part(shown.left or "", shown.right or "", is_right=is_right)
        begin, end = max(begin - self._left, 0), max(end - self._left, 0)
        yield text[:begin], role
        yield text[begin:end], f"{role} bold underline"
        yield text[end:], role

    # --- rows --------------------------------------------------------------------------------------------------

    @property
    def _rows(self) -> int:
        return len(self.lines) + (0 if self.side_by_side else len(self._pairs))

    def _line_of(self, row: int) -> tuple[int, bool]:
        """The line that a row shows, and whether it is the second of its rows."""
        if self.side_by_side:
            return row, False
        before = bisect_right(self._starts, row - 1)
        return row - before, before > 0 and self._starts[before - 1] == row - 1

    def _row_of(self, at: int) -> int:
        return at if self.side_by_side else at + bisect_left(self._pairs, at)

    def _measure(self) -> None:
        self.virtual_size = Size(0, self._rows)
        self._put(self.cursor)
        self.refresh()

    # --- moving ------------------------------------------------------------------------------------------------

    def _put(self, at: int) -> None:
        """The cursor goes to a line, or the nearest there is, and on view with all its rows."""
        before = self.cursor
        self.cursor = at = min(max(at, 0), max(len(self.lines) - 1, 0))
        for each in (before, at):
            self.refresh(Region(0, self._row_of(each) - self.scroll_offset.y, self.size.width, 2))
        if self.lines:
            first = self._row_of(at)
            self._scroll_down_to(min(max(self.scroll_offset.y, self._row_of(at + 1) - self._height), first))

    def reveal(self, at: int) -> None:
        """Go to a line, with some of what stands before it where it was out of sight."""
        first, top = self._row_of(at), self.scroll_offset.y
        if not top <= first < top + self._height:
            self._leave_some_above(first)
        self._put(at)

    def _leave_some_above(self, row: int) -> None:
        self._scroll_down_to(max(row - self._height // 3, 0))

    @property
    def _height(self) -> int:
        return max(self.scrollable_content_region.height, 1)

    def _scroll_down_to(self, y: int) -> None:
        if y != self.scroll_offset.y:
            self.scroll_to(y=y, animate=False, immediate=True, force=True)

    @property
    def difference(self) -> int | None:
        """Which of the differences is under the cursor."""
        return self.lines[self.cursor].difference if self.cursor < len(self.lines) else None

    @property
    def fold(self) -> str:
        """What is folded under the cursor."""
        return self.lines[self.cursor].fold if self.cursor < len(self.lines) else ""

    def first(self, difference: int = 0) -> None:
        """Go to where a difference begins, or the one before it that is on view."""
        shown = [at for at in self._places if (self.lines[at].difference or 0) <= difference]
        self.reveal(shown[-1] if shown else 0)

    @property
    def nearest(self) -> int:
        """The difference under the cursor, or the one before it."""
        at = bisect_right(self._places, self.cursor) - 1
        return self.lines[self._places[at]].difference or 0 if at >= 0 else 0

    def next(self, by: int) -> None:
        """Go to where another difference begins, round the corner."""
        if not self._places:
            return
        here = bisect_right(self._places, self.cursor) - 1 if by > 0 else bisect_left(self._places, self.cursor)
        self.reveal(self._places[(here + by) % len(self._places)])

    # --- watching ----------------------------------------------------------------------------------------------

    def watch_lines(self) -> None:
        """Other lines; whoever gives them says where the cursor goes."""
        self._index()
        self._measure()

    def _index(self) -> None:
        self._pairs = [at for at, each in enumerate(self.lines) if is_pair(each)]
        self._starts = [at + number for number, at in enumerate(self._pairs)]
        found = [None, *(each.difference for each in self.lines)]
        self._places = [at for at, (before, here) in enumerate(pairwise(found)) if here is not None and here != before]

    def watch_cursor(self) -> None:
        self.post_message(self.Moved(self))

    def watch_advice(self) -> None:
        self.refresh()

    def on_resize(self) -> None:
        """Other rows, perhaps; what is under the cursor stays on view with what stands before it."""
        if self._given and self._in_pairs != self.side_by_side:
            nearest = self.nearest
            self.show(self._given)
            self.first(nearest)
        self._measure()
        self._leave_some_above(self._row_of(self.cursor))
        self._put(self.cursor)

    def on_focus(self) -> None:
        self.refresh()

    def on_blur(self) -> None:
        self.refresh()

    def on_click(self, event: events.Click) -> None:
        """A click puts the cursor there; on what is folded it unfolds."""
        row = event.y + self.scroll_offset.y
        if row < self._rows:
            self._put(self._line_of(row)[0])
            if self.fold:
                self.post_message(self.FoldWanted(self))

    def action_move(self, by: int) -> None:
        self._put(self.cursor + by)

    def action_page(self, by: int) -> None:
        self._put(self._line_of(min(max(self._row_of(self.cursor) + by * self._height, 0), self._rows - 1))[0])

    def action_first(self) -> None:
        self._put(0)

    def action_last(self) -> None:
        self._put(len(self.lines))

    def action_aside(self, by: int) -> None:
        self._left = min(max(self._left + by * ASIDE, 0), LONGEST)
        self.refresh()


class Sides(Widget):
    """Side by side like the text below it, or one below the other."""

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
PATIENCE: Final = 0.5
"""Seconds after which keys wait no longer for what comes of it: one of them may be meant to stop it."""
LONG: Final = 200_000
"""Bytes of both sides that are taken apart in a moment."""
ALL: Final = 2_000_000
"""Bytes of both sides that are shown whole at once."""
METHODS: Final = 48
"""Columns of the methods' names in the bar."""


class Frame(Struct, frozen=True):
    """What these screens have in common with all others, made anew for each, and whose clock they go by."""

    header: Callable[[], Widget | None] = lambda: None
    footer: Callable[[], Widget | None] = lambda: None
    zone: tzinfo | None = None
    """Where whoever looks lives; None asks the machine."""
    today: date | None = None

    @property
    def day(self) -> date:
        return self.today or datetime.now(self.zone).date()

    def around(self, *parts: Widget) -> Iterator[Widget]:
        """The parts of a screen between header and footer."""
        yield from (each for each in (self.header(), *parts, self.footer()) if each is not None)


class ComparisonScreen(AnswersOnce[None], Screen[None]):
    """It begins to compare when it opens; to leave it before stops that."""

    DEFAULT_CSS = """
    ComparisonScreen { background: $background; color: $text; layout: vertical; overflow: hidden; }
    ComparisonScreen ComparedText { height: 1fr; }
    """
    scope: ClassVar[Scope] = "comparison"
    BINDINGS: ClassVar[list[BindingType]] = bindings("comparison")

    def __init__(
        self,
        left: Exchange,
        right: Exchange,
        pending: PendingKeys,
        frame: Frame,
        *,
        ignore: Sequence[str] = (),
        made: Comparison | None = None,
    ) -> None:
        """``ignore``: pointers of what is left out. ``made``: it was made already, such as by a replay."""
        super().__init__()
        self.left, self.right = left, right
        self.comparison: Comparison | None = None
        """What came of it; None while it is being made."""
        self.pending = pending
        self._frame, self._ignore, self._made = frame, ignore, made
        self._methods = list(dict.fromkeys((left.method, right.method)))
        self._unfolded: frozenset[str] = frozenset()
        """The folds of lines behind which all is on view."""
        self._full = False
        """Nothing is folded."""
        self._all = False
        """What the profile leaves out is compared as well."""
        self._bar, self._sides, self._remarks, self.text = Bar(), Sides(), Remarks(), ComparedText()

    def compose(self) -> ComposeResult:
        yield from self._frame.around(self._bar, self._sides, self._remarks, self.text)

    def on_mount(self) -> None:
        day, zone = self._frame.day, self._frame.zone
        self._sides.sides = (
            [(" - ", "wrong"), *side(self.left, day, zone, with_method=len(self._methods) > 1)],
            [(" + ", "well"), *side(self.right, day, zone, with_method=len(self._methods) > 1)],
        )
        self._bar.here = True
        self.set_focus(self.text)
        self._begin()

    def on_unmount(self) -> None:
        self.pending.go_on(COMPARING)

    # --- comparing ---------------------------------------------------------------------------------------------

    def _begin(self) -> None:
        """Compare anew; keys wait for what comes of it, but not for long."""
        self.comparison = None
        self.text.lines = ()
        self.text.advice = [[], [("   Comparing …  ", "dim"), ("Esc", "bold"), (" stops it.", "dim")]]
        self._remarks.pieces = []
        self._tell_place()
        self.pending.wait(COMPARING)
        self.set_timer(PATIENCE, lambda: self.pending.go_on(COMPARING))
        self._compare()

    @work(exclusive=True, group=COMPARING, description=COMPARING)
    async def _compare(self) -> None:
        """In turns with the keys and the screen."""
        came = None if self._all else self._made
        if came is None:
            came = await in_turns(compared(self.left, self.right, () if self._all else self._ignore))
        is_text = came.verdict != "not comparable"
        lines = await self._laid_out(came) if is_text else ()  # the remarks say why, and nothing else is there
        self.comparison = came
        whys = reasons(self.left, self.right)
        self._remarks.set_class(bool(whys), "-alone")
        self._remarks.pieces = [
            (summary(came, names_of(self.left, self.right)), "text bold"),
            *((why, "text") for why in whys),
        ]
        if not is_text:
            self.text.advice = []
        self._show(lines, 0)
        self.text.first()
        self.pending.go_on(COMPARING)

    async def _laid_out(self, comparison: Comparison) -> Sequence[ComparedLine]:
        """The lines of it; long texts are taken apart in a thread."""
        make = partial(compared_lines, comparison, self._unfolded, full=self._full)
        if len(comparison.left) + len(comparison.right) < LONG:
            return make()
        return await asyncio.to_thread(make)

    @work(exclusive=True, group=COMPARING, description="unfolding")
    async def _lay_out_anew(self) -> None:
        """All folds are others; the cursor goes to the difference that it was nearest to."""
        if self.comparison is not None:
            nearest = self.text.nearest
            self._show(await self._laid_out(self.comparison), self.text.cursor)
            self.text.first(nearest)

    @work(exclusive=True, group=COMPARING, description="unfolding")
    async def _unfold(self) -> None:
        """The lines before the cursor are the same ones as before."""
        if self.comparison is not None:
            self._show(await self._laid_out(self.comparison), self.text.cursor)

    def _show(self, lines: Sequence[ComparedLine], at: int) -> None:
        self.text.show(lines)
        self.text.reveal(at)
        self._tell_place()
        self.refresh_bindings()

    def _tell_place(self) -> None:
        """The call, and at the right which of the differences is at hand."""
        names = " and ".join(clipped(each, METHODS // len(self._methods)) for each in self._methods)
        self._bar.words = [("Compare", "bold"), (f"  {names}", "middle")]
        count = len(self.comparison.differences) if self.comparison else 0
        at = self.text.difference
        place = f"   difference {at + 1:,} of {count:,}" if at is not None else f"   {count:,} differences"
        self._bar.after = [(place, "middle")] if count else []

    # --- what happened -----------------------------------------------------------------------------------------

    @on(ComparedText.Moved)
    def _moved(self, event: ComparedText.Moved) -> None:
        event.stop()
        self._tell_place()
        self.refresh_bindings()

    @on(ComparedText.FoldWanted)
    def _fold_wanted(self, event: ComparedText.FoldWanted) -> None:
        event.stop()
        self.action_fold()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        can = {
            "next": bool(self.comparison and self.comparison.differences),
            "previous": bool(self.comparison and self.comparison.differences),
            "fold": bool(self.text.fold),
            "unfold_all": self.comparison is not None and not self._full,
            "fold_all": self._full or bool(self._unfolded),
            "ticket": self.comparison is not None,
            "ignored": self._all or bool(self.comparison and self.comparison.ignored),
        }
        return can[action] if action in can else super().check_action(action, parameters)

    def action_next(self) -> None:
        self.text.next(1)

    def action_previous(self) -> None:
        self.text.next(-1)

    def action_fold(self) -> None:
        """Show what is folded under the cursor."""
        if fold := self.text.fold:
            self._unfolded |= {fold}
            self._unfold()

    def action_unfold_all(self) -> None:
        """Not of megabytes: nobody reads a million lines, and to lay them out takes longer than to compare."""
        if self.comparison is None or len(self.comparison.left) + len(self.comparison.right) > ALL:
            self.notify("This is too long to show all of it. Space unfolds a part.", timeout=6)
            return
        self._full = True
        self._lay_out_anew()

    def action_fold_all(self) -> None:
        self._full, self._unfolded = False, frozenset()
        self._lay_out_anew()

    def action_ignored(self) -> None:
        self._all = not self._all
        self._begin()

    def action_ticket(self) -> None:
        ignore = () if self._all else self._ignore
        self.post_message(TicketWanted(self, self.left, self.right, ignore))

    def action_export(self) -> None:
        self.post_message(ExportWanted(self, [self.left, self.right]))

    def action_close(self) -> None:
        """Back; where it is still being compared, that ends with the screen."""
        if self.comparison is None:
            self.notify("Stopped: nothing was compared.")
        self.dismiss(None)
