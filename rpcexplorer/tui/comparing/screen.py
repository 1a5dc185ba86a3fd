"""The comparison screen: two replies, the summary first, and from difference to difference by a key."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from datetime import date, datetime, tzinfo
from functools import partial
from typing import ClassVar, Final

from msgspec import Struct
from textual import on, work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.screen import Screen
from textual.widget import Widget

from rpcexplorer.compare.compare import Comparison, compared
from rpcexplorer.model.exchange import Exchange
from rpcexplorer.text.compare import ComparedLine, compared_lines, names_of, reasons, side, summary
from rpcexplorer.text.printable import clipped
from rpcexplorer.tui.commands import Scope, bindings
from rpcexplorer.tui.comparing.sides import Sides
from rpcexplorer.tui.comparing.text import ComparedText
from rpcexplorer.tui.dialogs.answer_once import AnswersOnce
from rpcexplorer.tui.messages import ExportWanted, TicketWanted
from rpcexplorer.tui.pacing import in_turns
from rpcexplorer.tui.pending_keys import PendingKeys
from rpcexplorer.tui.widgets.bar import Bar
from rpcexplorer.tui.widgets.remarks import Remarks

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
