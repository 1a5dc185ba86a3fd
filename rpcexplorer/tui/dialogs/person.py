"""The person in front of the screen, asked by dialogs that open over whatever is on view."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from textual.screen import Screen

from rpcexplorer.model.destination import Entered, RouteChanged, Store

Open = Callable[[Screen[Any]], Awaitable[Any]]
"""Puts a question on screen and waits for the answer."""


class PersonOnScreen:
    """Answers once a front is there; before that, nobody does."""

    def __init__(self) -> None:
        self.open: Open | None = None
        """Set by the front once it is there."""

    async def secret(self, question: str, *, masked: bool = True, store: Store | None = None) -> Entered | None:
        if self.open is None:
            return None
        from rpcexplorer.tui.dialogs.login import AskSecret

        dialog = AskSecret(question, masked=masked, store=store.place if store else "")
        answer: str | None = await self.open(dialog)
        return (answer, dialog.keeps) if answer else None

    async def agrees(self, question: str) -> bool:
        """Ask for a yes; the first answer is the no."""
        if self.open is None:
            return False
        from rpcexplorer.tui.dialogs.dialog import Choice, Confirm

        choices = [Choice("no", "Cancel"), Choice("yes", "Always send")]
        answer: str | None = await self.open(
            Confirm("Send credentials over plain HTTP?", question, choices, grave=True)
        )
        return answer == "yes"

    async def allows(self, profile: str, moved: RouteChanged) -> bool:
        """Show the old destination beside the new one; the first answer is the no."""
        if self.open is None:
            return False
        from rpcexplorer.tui.dialogs.dialog import Choice, Confirm

        old = {each.key: f"{each.old}\n→ " if each.old else "" for each in moved.changes}
        rows = [(each.key, f"{old[each.key]}{each.new}  {each.place}".rstrip()) for each in moved.changes]
        choices = [Choice("no", "Don't send"), Choice("yes", "Allow and send")]
        title = (
            f"Send the {moved.field} of {profile} to a changed destination?  {moved.why[:1].upper()}{moved.why[1:]}."
        )
        answer: str | None = await self.open(Confirm(title, rows, choices, grave=True))
        return answer == "yes"
