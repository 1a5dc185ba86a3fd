"""Calls that were sent again, as a list: what came of each beside what was recorded."""

from __future__ import annotations

from typing import ClassVar, Final, Literal, TypeAlias

from msgspec import Struct
from textual.binding import Binding, BindingType
from textual.reactive import reactive
from textual.strip import Strip

from rpcexplorer.client.replay import Replayed, ReplayVerdict
from rpcexplorer.text.compare import REPLAY_SIGNS, replayed_words
from rpcexplorer.text.exchange import duration
from rpcexplorer.text.printable import clipped, columns, fitted
from rpcexplorer.tui.commands import bindings
from rpcexplorer.tui.theming import ThemeStyles, line
from rpcexplorer.tui.widgets.row_list import RowList


def on_profile(method: str, profile: str) -> str:
    """Return a name for a call on one of several profiles; the profile comes first, as a method's name may be long."""
    return f"{profile}: {method[:_LONGEST]}"


class WaitingCall(Struct, frozen=True):
    """A call that was not sent yet."""

    name: str
    state: Literal["sending", "waits", "was not sent"] = "waits"


ReplayRow: TypeAlias = Replayed | WaitingCall
ROLES: Final[dict[ReplayVerdict, str]] = {
    "same": "well",
    "differs": "careful",
    "not comparable": "careful",
    "failed": "wrong",
    "stopped": "careful",
    "left out": "middle",
}
"""The colour of a verdict; a sign and a word say the same."""
_NAME: Final = 48
"""Columns that a method or a profile gets at most; in a narrow list a quarter of the width."""
_LONGEST: Final = 200
"""Characters of a name that are looked at; no row shows more."""
_TOOK: Final = len("31.2 s → 31.2 s ")


class ReplayList(RowList[ReplayRow]):
    """In the order in which they are sent."""

    DEFAULT_CSS = "ReplayList { height: 1fr; }"

    BINDINGS: ClassVar[list[BindingType]] = [
        each for each in bindings("replay") if isinstance(each, Binding) and each.id == "replay.open"
    ]

    by_profile: reactive[bool] = reactive(False)
    """It is one call on several profiles: each row names its own."""
    on_several: reactive[bool] = reactive(False)
    """They are calls on several profiles: each row names its own too."""

    def draw(self, item: ReplayRow, width: int, styles: ThemeStyles, *, chosen: bool) -> Strip:
        """Sign, call, verdict in words, and how long it took before and now."""
        ground = "selection" if chosen else "background"
        if isinstance(item, WaitingCall):
            sign, role = (" ◐ ", "careful") if item.state == "sending" else (" · ", "dim")
            words = [(sign, role), (fitted(self._called(item), self._wide), "middle"), (f"  {item.state}", role)]
            return line(words, width, styles, ground=ground)
        sign, role = REPLAY_SIGNS[item.verdict], ROLES[item.verdict]
        live = item.live
        took = f"{duration(item.recorded.seconds)} → {duration(live.seconds)} " if live else ""
        words = [(f" {sign} ", role), (fitted(self._called(item), self._wide), "text")]
        verdict, more = replayed_words(item)
        told = [("  " + fitted(verdict, self._verdicts), f"{role} bold"), (f"  {more}" if more else "", "middle")]
        return line([*words, *told], width, styles, right=[(took.rjust(_TOOK), "dim")], ground=ground)

    def _called(self, row: ReplayRow) -> str:
        """What a row is told apart by."""
        if isinstance(row, WaitingCall):
            return row.name[:_LONGEST]
        profile = row.live.profile if row.live else ""
        if self.on_several and profile:
            return on_profile(row.recorded.method, profile)
        return (profile if self.by_profile and profile else row.recorded.method)[:_LONGEST]

    @property
    def _wide(self) -> int:
        """Columns for that: as many as the longest takes, and not too many."""
        most = min(_NAME, max(self.size.width // 4, 8))
        return max((columns(clipped(name, most)) for name in set(map(self._called, self.items))), default=0)

    @property
    def _verdicts(self) -> int:
        """Columns for the longest verdict."""
        return max((len(item.verdict) for item in self.items if isinstance(item, Replayed)), default=0)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """There is something to compare once a reply has come."""
        if action == "open":
            return isinstance(self.chosen, Replayed) and self.chosen.live is not None
        return super().check_action(action, parameters)

    def action_open(self) -> None:
        self.action_choose()
