"""A call that is kept under a name, in a file of profiles."""

from __future__ import annotations

from typing import Final

from msgspec import Struct

from rpcexplorer.model.draft import Draft

SIGN: Final = "@"
"""Stands before the name of a saved call wherever a method's could stand."""


class SavedCall(Struct, frozen=True):
    """A method and the text of its params, with references in it perhaps."""

    name: str
    method: str
    text: str = ""
    """As in a draft."""
    doc: str = ""
    """One line."""
    file: str = ""
    """Where it stands."""
    profile: str = ""
    """The profile in whose table it stands; empty where it is for all profiles."""

    @property
    def listed_as(self) -> str:
        """How it is named among methods."""
        return SIGN + self.name

    def draft(self, *, notification: bool = False) -> Draft:
        return Draft(self.method, self.text, notification)
