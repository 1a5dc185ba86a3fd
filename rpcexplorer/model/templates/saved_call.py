"""A call that is kept under a name, in a file of profiles."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from msgspec import Struct

from rpcexplorer.model.complaint import nearest
from rpcexplorer.model.draft import Draft

SIGN: Final = "@"
"""Stands before the name of a saved call wherever a method's could stand."""


def as_named(method: str) -> str:
    """How a method is named where a saved call could be: the sign is doubled, for none has a name that begins with it.

    Whoever writes a record, a case or a listing so chooses no call that this person has saved.
    """
    return SIGN + method if method.startswith(SIGN) else method


def method_of(name: str) -> str:
    """The method that is meant by a name which is no saved call's."""
    return name[len(SIGN) :] if name.startswith(SIGN * 2) else name


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


def no_such_call(listed_as: str, calls: Iterable[str], profile: str) -> str:
    """Why nothing is sent for a name with the sign before it that no saved call has."""
    name = listed_as.removeprefix(SIGN)
    guess = nearest(name, calls)
    advice = f"did you mean {SIGN}{guess}?" if guess else "`rpcexplorer methods` lists those that there are."
    return f"There is no saved call {name or SIGN} for profile {profile}; {advice}"
