"""What the core must ask of the person at the other end of a front: a secret, or a yes.

A front that cannot ask (no terminal) answers None and False; the core then says which command or variable
would have answered.
"""

from __future__ import annotations

from typing import Protocol, TypeAlias

from msgspec import Struct

from rpcexplorer.model.secrets.route import RouteChanged

Entered: TypeAlias = tuple[str, bool]
"""A value that was entered, and whether to store it."""


class Store(Struct, frozen=True):
    """Where a value can be kept, and the command that does it."""

    place: str
    command: str


class Person(Protocol):
    """Somebody who can be asked, through whichever front is open."""

    async def secret(self, question: str, *, masked: bool = True, store: Store | None = None) -> Entered | None:
        """Ask for a value, `masked` while it is typed, and whether to keep it in `store`, if there is one.

        None if there is no terminal, or nothing was entered.
        """

    async def agrees(self, question: str) -> bool:
        """Ask for a yes; anything else is a no."""

    async def allows(self, profile: str, moved: RouteChanged) -> bool:
        """Show how the route of a secret has changed, and ask whether it may go the new one.

        Only where all of it can be seen at leisure: on a command line there is a command for it.
        """


class Nobody:
    """The person of a script: never answers."""

    async def secret(
        self,
        question: str,  # noqa: ARG002
        *,
        masked: bool = True,  # noqa: ARG002
        store: Store | None = None,  # noqa: ARG002
    ) -> Entered | None:
        """Nobody knows."""
        return None

    async def agrees(self, question: str) -> bool:  # noqa: ARG002
        """Nobody agrees."""
        return False

    async def allows(self, profile: str, moved: RouteChanged) -> bool:  # noqa: ARG002
        """Nobody allows anything."""
        return False
