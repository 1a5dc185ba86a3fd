"""The destination of a secret, and the certificates that belong to it."""

from __future__ import annotations

import os
import re
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Final, Protocol, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from rpcexplorer.model.problem import cut
from rpcexplorer.model.profile import FORM_OF_REQUEST
from rpcexplorer.patterns import regex

Destination = Mapping[str, str]
"""Dotted keys and their values as text, mostly without defaults."""
PARTS: Final = ("destination", "Unix socket", "login", "key file")
"""What a file of others can decide of a profile, besides its process. No call is sent before that is allowed."""
NOT_SET = "not set"
PLAIN_HTTP: Final = "Send credentials over plain HTTP?"
"""The title of the most frequent question about credentials."""
OTHER_SERVER: Final = "Log in at another server?"
LONGEST = 120


class Change(Struct, frozen=True):
    key: str
    old: str
    new: str
    place: str = ""
    """File and line of the new value; empty if it is in no file."""

    def __str__(self) -> str:
        """Return a part of a sentence, in which long values are cut."""
        text = f"{self.key}: "
        if self.old:
            text += f"{cut(self.old, LONGEST)} → "
        text += cut(self.new, LONGEST)
        if self.place:
            text += f" ({self.place})"
        return text


class ProcessCommand(Struct, frozen=True):
    """The process of a profile."""

    words: tuple[str, ...]
    folder: str
    """The folder in which it runs."""
    program: str
    """The absolute path of its program; empty if it was not found in PATH."""
    environment: tuple[tuple[str, str], ...] = ()
    """Variables that it gets besides those of rpcexplorer."""
    environment_secrets: tuple[str, ...] = ()
    """Variables whose values are secrets."""
    place: str = ""
    """File and line of the words; empty if they were typed in this command."""


class DestinationChanged(Struct, frozen=True):
    """A secret that is not sent, or a profile that is not used, until the user allows its destination."""

    field: str
    """The secret, or the part of the profile that another file has decided."""
    why: str
    """A clause such as "it was stored for a different destination"."""
    changes: tuple[Change, ...] = ()
    advice: str = ""
    """The next step if agreeing does not help, else empty."""
    label: str = "Changed"
    """The word before ``changes``; another one if nothing was changed."""
    destination: Destination | None = None
    """What the user allows by agreeing, exactly as ``changes`` were computed from it."""
    process: ProcessCommand | None = None
    """The process that the user allows by agreeing."""
    runs: bool = False
    """Whether agreeing allows a command that prints a secret, too."""

    def hidden(self, hide: Callable[[str], str]) -> DestinationChanged:
        """Return it without secrets, to be shown."""
        shown = (replace(change, old=hide(change.old), new=hide(change.new)) for change in self.changes)
        return replace(self, why=hide(self.why), changes=tuple(shown))

    def sentence(self, profile: str) -> str:
        subject = "it" if self.process or self.runs else "the new destination"
        advice = self.advice or f"If {subject} is right, run `rpcexplorer profiles allow {profile}`"
        sentences = f"The {self.field} of profile {profile} is blocked: {self.why}."
        if self.changes:
            sentences += f" {self.label}: {', '.join(map(str, self.changes))}."
        return f"{sentences} {advice}."


def find_program(word: str, folder: Path, environment: Mapping[str, str]) -> str:
    """Return the path of the program that a command begins with; empty if it is not found.

    A word with ``/`` is in ``folder``, whether there is a file or not. Any other is found only in absolute entries of
    PATH: a relative entry may be in a folder of others.
    """
    import shutil  # Start-up does not need it.

    if "/" in word:
        return str(folder.absolute() / word)
    entries = environment.get("PATH", os.defpath).split(os.pathsep)
    return shutil.which(word, path=os.pathsep.join(filter(os.path.isabs, entries))) or ""


def changes(old: Destination, new: Destination) -> tuple[Change, ...]:
    unbound = () if FORM_OF_REQUEST[0] in old else FORM_OF_REQUEST
    keys = [key for key in dict.fromkeys([*new, *old]) if key not in unbound and old.get(key) != new.get(key)]
    return tuple(Change(key, old.get(key, NOT_SET), new.get(key, NOT_SET)) for key in keys)


_FINGERPRINT = regex(r"(?:sha256:)?((?:[0-9a-f]{2}:?){31}[0-9a-f]{2})", re.IGNORECASE)


def as_fingerprint(text: str) -> str | None:
    """Normalise a SHA-256 as browsers and openssl print it, or return None."""
    found = _FINGERPRINT.fullmatch(text)
    return f"sha256:{found[1].replace(':', '').lower()}" if found else None


Entered: TypeAlias = tuple[str, bool]


class Store(Struct, frozen=True):
    place: str
    command: str


class Person(Protocol):
    """The user, who answers questions on the screen or on a terminal."""

    is_there: bool

    async def secret(self, question: str, *, field: str = "password", store: Store | None = None) -> Entered | None:
        """Ask for the value of a field of an auth type, and whether to save it in `store`.

        None if there is no terminal, or nothing was entered.
        """

    async def agrees(self, question: str, title: str = PLAIN_HTTP) -> bool:
        """Ask a yes-or-no question; everything but yes means no."""

    async def visits(self, profile: str, url: str, code: str, redirect: Awaitable[str]) -> str | None:
        """Show a URL where to log in, and the ``code`` to type there, if any.

        Return the redirect that followed or that was pasted; None if there is no terminal, or the user cancels.
        """

    async def opens(self, file: str) -> bool:
        """Ask whether to send a file to a language server: a call names it, but the user did not type that name."""

    async def allows(self, profile: str, moved: DestinationChanged) -> bool:
        """Show what a file has decided or changed, and ask whether to allow it.

        The command line does not ask: it names the command that allows it.
        """


class Nobody:
    """The user of a script, who never answers."""

    is_there = False

    async def secret(self, question: str, *, field: str = "password", store: Store | None = None) -> Entered | None:  # noqa: ARG002
        return None

    async def agrees(self, question: str, title: str = PLAIN_HTTP) -> bool:  # noqa: ARG002
        return False

    async def visits(self, profile: str, url: str, code: str, redirect: Awaitable[str]) -> str | None:  # noqa: ARG002
        return None

    async def opens(self, file: str) -> bool:  # noqa: ARG002
        return False

    async def allows(self, profile: str, moved: DestinationChanged) -> bool:  # noqa: ARG002
        return False
