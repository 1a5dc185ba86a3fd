"""The newest calls, a line each: how each ended at a glance, when it was, and one key to have it again."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import tzinfo
from typing import ClassVar, Final

from textual.binding import BindingType
from textual.strip import Strip

from rpcexplorer.model.exchange import Exchange
from rpcexplorer.rpc.messages import ErrorObject, Result
from rpcexplorer.text.exchange import ROLES, SIGNS, duration, status_word
from rpcexplorer.tui.commands import Scope, bindings
from rpcexplorer.tui.messages import CopyCallWanted, SendAgainWanted, TicketWanted
from rpcexplorer.tui.theming import ThemeStyles, line
from rpcexplorer.tui.widgets.row_list import RowList

_LONGEST: Final = 200
"""Characters of a method that are looked at; no screen shows more."""
_TELLING: Final = 10**8
"""A longer code takes the room of the method and says no more than that it was an error."""
_WITH_TIME: Final = 28
"""Below this width the time of day is left out."""


class RecentList(RowList[Exchange]):
    """Calls with sign, method, what came of each, and the time of day."""

    scope: ClassVar[Scope] = "recent"
    DEFAULT_CSS = """
    RecentList { height: 1fr; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [*bindings("recent")]

    def __init__(self, zone: tzinfo | None = None) -> None:
        """``zone``: where whoever looks lives; None asks the machine."""
        super().__init__()
        self._zone = zone

    def draw(self, item: Exchange, width: int, styles: ThemeStyles, *, chosen: bool) -> Strip:
        """One call. The cursor is shown only while the keys come here: there is another one in the list above."""
        role = ROLES[item.counts_as]
        words, colour = what_came(item)
        after = [(f"  {words}", colour)]
        if width >= _WITH_TIME:
            after.append((f"  {item.when.astimezone(self._zone):%H:%M}", "dim"))
        after.append((" ", "text"))
        before = [(" ", "text"), (SIGNS[item.counts_as], role), (f" {item.method[:_LONGEST]}", "text")]
        ground = "selection" if chosen and self.has_focus else "background"
        return line(before, width, styles, right=after, ground=ground)

    def show(self, calls: Sequence[Exchange]) -> None:
        """Other calls, the newest first. The cursor stays on its call: who sends it twice must not send another."""
        id = self.chosen.id if self.chosen else ""
        self.items = calls
        self.cursor = next((at for at, call in enumerate(calls) if call.id == id), 0)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """There is something to copy or send again only where a call stands under the cursor."""
        if action in {"again", "copy", "ticket"}:
            return self.chosen is not None
        return super().check_action(action, parameters)

    def action_again(self) -> None:
        if self.chosen is not None:
            self.post_message(SendAgainWanted(self, self.chosen))

    def action_copy(self) -> None:
        if self.chosen is not None:
            self.post_message(CopyCallWanted(self, self.chosen))

    def action_ticket(self) -> None:
        if self.chosen is not None:
            self.post_message(TicketWanted(self, self.chosen))


def what_came(exchange: Exchange) -> tuple[str, str]:
    """What came of a call in a word, with its role: how long a result took, an error's code, else the outcome."""
    match exchange.outcome:
        case Result(message=""):
            return duration(exchange.seconds), "middle"
        case ErrorObject(code=int(code)) if abs(code) < _TELLING:
            return str(code), "wrong"
    word = f"HTTP {exchange.response.status}" if status_word(exchange.outcome) else exchange.counts_as
    return word, ROLES[exchange.counts_as]
