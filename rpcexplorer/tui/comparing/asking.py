"""The one question before calls are sent again, or one call to several profiles: all that is not marked safe."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import starmap
from typing import Any, ClassVar, Final

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.screen import Screen
from textual.widgets import Static

from rpcexplorer.explorer import Explorer
from rpcexplorer.model.draft import Batch, Draft
from rpcexplorer.model.profile import Profile
from rpcexplorer.text.exchange import times
from rpcexplorer.text.printable import clipped
from rpcexplorer.tui.dialogs.dialog import Choice, Confirm, keys, named

LONGEST: Final = 200
"""Columns of a method's name; a longer one is not told whole."""


class SendQuestion(Confirm):
    """Whatever has no room is scrolled, so that nothing that is said yes to stays unseen."""

    DEFAULT_CSS = """
    SendQuestion .all { height: auto; max-height: 10; background: $surface; scrollbar-background: $surface; }
    SendQuestion .hint { display: none; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("pagedown", "page(1)", show=False),
        Binding("pageup", "page(-1)", show=False),
    ]

    def __init__(
        self, title: str, rows: Sequence[tuple[str, str]], choices: Sequence[Choice], *, grave: bool = False
    ) -> None:
        super().__init__(title, rows, choices, grave=grave)
        self._all = VerticalScroll(*named(rows), classes="all", can_focus=False)
        self._more = Static(keys("PgDn", "shows more", "PgUp", "goes back"), classes="hint")

    def asked(self) -> ComposeResult:
        yield self._all
        yield self._more

    def on_resize(self) -> None:
        self.call_after_refresh(self._tell)

    def _tell(self) -> None:
        """That there is more, where there is."""
        self._more.display = self._all.max_scroll_y > 0

    def action_page(self, by: int) -> None:
        self._all.scroll_relative(y=by * self._all.size.height, animate=False)


async def may_send_all(
    screen: Screen[Any], explorer: Explorer, drafts: Sequence[tuple[Draft | Batch, Profile]], come_from: str = ""
) -> bool:
    """One question for all that a profile wants one for, and where they come from if that is elsewhere."""
    asked = [(found, profile) for draft, profile in drafts if (found := explorer.to_ask_about([draft], profile))]
    if not asked:
        return True
    methods = Counter[str]()
    for found, _ in asked:
        methods.update(found)
    profiles = {profile.name: profile for _, profile in asked}
    named_once = starmap(times, ((clipped(name, LONGEST), count) for name, count in methods.items()))
    rows = [
        *(("profile", f"{each.name}  {each.origin}  {each.badge_word}".rstrip()) for each in profiles.values()),
        *([("recorded", come_from)] if come_from else []),
        ("method", "\n".join(named_once)),
    ]
    calls = f"{len(asked)} of {len(drafts)} calls are" if len(drafts) > 1 else "The call is"
    is_prod = any(each.badge == "prod" for each in profiles.values())
    where = " and ".join(each.badge_word if each.badge == "prod" else each.name for each in profiles.values())
    choices = [Choice("keep", "Send nothing"), Choice("send", "Send them" if len(drafts) > 1 else "Send it")]
    always = all(profile.confirm == "always" for _, profile in asked)
    title = f"Send to {where}?" + ("" if always else f"  {calls} not marked safe.")
    return await screen.app.push_screen_wait(SendQuestion(title, rows, choices, grave=is_prod)) == "send"
