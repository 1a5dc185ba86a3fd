"""The replay screen: calls are sent one after the other, and each reply is compared with another as it comes."""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator, Callable, Sequence
from typing import ClassVar, Final, TypeAlias

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.screen import Screen

from rpcexplorer.client.replay import Replayed
from rpcexplorer.model.exchange import Stop
from rpcexplorer.tui.commands import Scope, bindings
from rpcexplorer.tui.comparing.list import ROLES, ReplayList, ReplayRow, WaitingCall
from rpcexplorer.tui.comparing.screen import ComparisonScreen, Frame
from rpcexplorer.tui.dialogs.answer_once import AnswersOnce
from rpcexplorer.tui.pending_keys import PendingKeys, opens
from rpcexplorer.tui.widgets.bar import Bar
from rpcexplorer.tui.widgets.remarks import Remarks
from rpcexplorer.tui.widgets.row_list import RowList

Run: TypeAlias = Callable[[Stop], AsyncIterator[Replayed]]
"""Sends what there is to send, one after the other, until it is stopped."""
COUNTED: Final = {"differs": "differ"}
"""A verdict of several, where that is another word."""


class ReplayScreen(AnswersOnce[None], Screen[None]):
    """It begins when it opens. Escape stops it first, then leaves; what was sent by then is in the history."""

    DEFAULT_CSS = """
    ReplayScreen { background: $background; color: $text; layout: vertical; overflow: hidden; }
    ReplayScreen.-prod { border-left: outer $prod; border-right: outer $prod; }
    """
    scope: ClassVar[Scope] = "replay"
    BINDINGS: ClassVar[list[BindingType]] = [
        each for each in bindings("replay") if isinstance(each, Binding) and each.id != "replay.open"
    ]

    def __init__(
        self,
        title: str,
        waiting: Sequence[str],
        run: Run,
        pending: PendingKeys,
        frame: Frame,
        *,
        remarks: Sequence[tuple[str, str]] = (),
        by_profile: bool = False,
        on_several: bool = False,
    ) -> None:
        """``waiting``: what each row is called until its reply comes. ``by_profile``: it is one call on several.

        On two profiles there is one comparison, which opens as soon as it is made. ``on_several``: it is several calls
        on several profiles.
        """
        super().__init__()
        self.pending = pending
        self.done: list[Replayed] = []
        self.stop: Stop | None = None
        """Ends what is under way; None where nothing is."""
        self._title, self._waiting, self._run, self._told = title, list(waiting), run, remarks
        self._frame, self._is_one_comparison = frame, by_profile and len(waiting) == 1
        self._bar, self._remarks, self.list = Bar(), Remarks(), ReplayList()
        self.list.set_reactive(ReplayList.by_profile, by_profile)
        self.list.set_reactive(ReplayList.on_several, on_several)

    def compose(self) -> ComposeResult:
        yield from self._frame.around(self._bar, self._remarks, self.list)

    def on_mount(self) -> None:
        self._bar.here = True
        self._remarks.pieces = self._told
        self.set_focus(self.list)
        self._send_all()

    @work(exclusive=True, group="replaying", description="replaying")
    async def _send_all(self) -> None:
        self.stop = Stop()
        self._show()
        async for replayed in self._run(self.stop):
            self.done.append(replayed)
            self._show()
        is_stopped, self.stop = self.stop.pressed, None
        self._show()
        if self._is_one_comparison and self.done and not is_stopped:
            self._open_and_leave(self.done[0])

    def _show(self) -> None:
        """What has come, then what still waits; the cursor stays where it is."""
        left: list[ReplayRow] = [
            WaitingCall(name, "was not sent" if self.stop is None else "waits" if at else "sending")
            for at, name in enumerate(self._waiting[len(self.done) :])
        ]
        self.list.items = [*self.done, *left]
        counts = Counter(each.verdict for each in self.done)
        words = [
            (f"{'  · ' if at else '  '}{count} {name if count == 1 else COUNTED.get(name, name)}", ROLES[name])
            for at, (name, count) in enumerate(counts.items())
        ]
        how_far = [(f"   {len(self.done)} of {len(self.list.items)}", "middle")] if self.stop else []
        self._bar.words = [(self._title, "bold"), *how_far, *words]
        self.refresh_bindings()

    # --- what happened -----------------------------------------------------------------------------------------

    def interrupt(self) -> bool:
        """End what runs; whether anything did."""
        if self.stop is not None:
            self.stop.press()
        return self.stop is not None

    @on(RowList.CursorMoved)
    def _moved(self, event: RowList.CursorMoved) -> None:
        event.stop()
        self.refresh_bindings()

    @on(RowList.RowChosen)
    def _chosen(self, event: RowList.RowChosen) -> None:
        event.stop()
        if isinstance(event.item, Replayed):
            self._open(event.item)

    @opens("comparison")
    async def _open(self, replayed: Replayed) -> None:
        await self._compare(replayed)

    @opens("comparison")
    async def _open_and_leave(self, replayed: Replayed) -> None:
        await self._compare(replayed)
        self.dismiss(None)

    async def _compare(self, replayed: Replayed) -> None:
        if replayed.live is not None:
            left, right, ignore = replayed.recorded, replayed.live, replayed.ignore
            opened = ComparisonScreen(left, right, self.pending, self._frame, ignore=ignore, made=replayed.comparison)
            await self.app.push_screen_wait(opened)

    def action_stop(self) -> None:
        """What runs, and what still waits with it; else back."""
        if not self.interrupt():
            self.dismiss(None)
