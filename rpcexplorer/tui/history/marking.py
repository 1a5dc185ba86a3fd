"""Marked calls, and what is done with several: compare two, replay them, write them into a file for somebody else.

What opens then is the app's business: the history knows no other screen.
"""

from __future__ import annotations

from collections.abc import Sequence

from rpcexplorer.model.exchange import Damaged, Exchange
from rpcexplorer.tui.history.searching import SearchScreen
from rpcexplorer.tui.messages import ComparisonWanted, ExportWanted, ReplayWanted


class MarkingScreen(SearchScreen):
    """Marks are of calls, not of rows: they stay through another filter, and are gone with the screen."""

    _marked: tuple[Exchange, ...] = ()
    """In the order in which they were marked."""

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:  # noqa: ARG002
        call = None if self._stale else self._call
        can = {
            "mark": call is not None,
            "compare": call is not None,
            "replay": call is not None or bool(self._marked),
            "export": call is not None or bool(self._marked),
        }
        return can.get(action, True)

    @property
    def _meant(self) -> Sequence[Exchange]:
        """What is marked, oldest first; else the call under the cursor."""
        if self._marked:
            return sorted(self._marked, key=lambda call: call.when)
        return [self._call] if self._call is not None else []

    def action_mark(self) -> None:
        """Mark the call, or remove its mark. The cursor stays, so that the same key takes it back."""
        call = self._call
        if call is None:
            return
        others = tuple(each for each in self._marked if each.id != call.id)
        self._mark(others if len(others) < len(self._marked) else (*others, call))

    def _mark(self, calls: tuple[Exchange, ...]) -> None:
        self._marked = calls
        self._pane.marked = frozenset(call.id for call in calls)
        self.refresh_bindings()

    def _changed(self, before: Exchange | Damaged, now: Exchange | None = None) -> None:
        """A marked call is meant as it is by now; one that is gone, or may be, is not meant any longer."""
        calls = (now if each.id == before.id else each for each in self._marked)
        self._mark(tuple(each for each in calls if each is not None))

    def _unmark(self) -> bool:
        """Let all go; whether anything was marked."""
        were = bool(self._marked)
        self._mark(())
        return were

    def action_compare(self) -> None:
        """Compare with the call that was marked last, else with the same call of the case, else with the one before."""
        call = self._call
        if call is not None:
            others = [each for each in self._marked if each.id != call.id] or self._same_calls(call)
            self.post_message(ComparisonWanted(self, call, others[-1] if others else None))

    def _same_calls(self, call: Exchange) -> list[Exchange]:
        """Return the other calls of the case with the same method and params."""
        calls = self._case.calls if self._case is not None else ()
        others = [each for each in calls if isinstance(each, Exchange) and each.id != call.id]
        return [each for each in others if (each.method, each.params) == (call.method, call.params)]

    def action_replay(self) -> None:
        """Replay what is marked; if nothing is, the call under the cursor, or all that are shown of a case."""
        meant = self._meant
        if self._case is not None and self._reading is not None and not self._marked:
            calls = (call for call in self._case.calls if isinstance(call, Exchange))
            meant = sorted(filter(self._reading.wanted.matches, calls), key=lambda call: call.when)
        if meant:
            self.post_message(ReplayWanted(self, meant))

    def action_export(self) -> None:
        if meant := self._meant:
            self.post_message(ExportWanted(self, meant))
