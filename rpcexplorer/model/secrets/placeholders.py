r"""What stands for a secret in texts that people read, share and send again.

- ``«staging.password»`` names a field of a profile. Sent with that profile, as a whole JSON string, it is opened.
- ``«RPCEXPLORER_OLD_PASSWORD»`` names a variable that belongs to no profile. It can be read and never sent.
- ``«not recorded»`` stands where a value was hidden for its place alone, or in a spelling that cannot be put back. No
  profile can have that name, for it has a space. It can be read and never sent, not even as a part of a text.

Whoever wants to send these very letters writes ``\u00ab`` for the first: an escape is never opened.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from rpcexplorer.jsontext.scan import elements, members
from rpcexplorer.model.profile import PROFILE_NAME
from rpcexplorer.model.secrets.secret import FIELDS

UNRECORDED: Final = "«not recorded»"
"""The mark of a value that was not written down."""

PLACEHOLDER: Final = re.compile(rf"«(?P<profile>{PROFILE_NAME.pattern})\.(?P<field>{'|'.join(FIELDS)})»", re.ASCII)
"""A field of a profile."""

HIDDEN: Final = re.compile(rf"{PLACEHOLDER.pattern}|«(?:RPCEXPLORER_\w+|not recorded)»", re.ASCII)
"""Whatever may stand in a secret's place already."""

DEEPEST: Final = 20
"""Levels of JSON that are looked into one by one to tell where something stands."""

_UNSENDABLE = re.compile(r"(?:«|\\u00[aA][bB])not recorded(?:»|\\u00[bB][bB])|«RPCEXPLORER_\w+»")


def unsendable(text: str) -> str:
    """What in a text stands for a value that nobody can put back; empty where nothing does."""
    found = _UNSENDABLE.search(text)
    return found[0].replace("\\u00ab", "«").replace("\\u00bb", "»") if found else ""


def named(texts: Iterable[str]) -> str:
    """The first placeholder in texts of which none should have one; empty where none has."""
    found = next(filter(None, map(PLACEHOLDER.search, texts)), None)
    return found[0] if found else ""


def of_another(text: str, profile: str) -> str:
    """The first placeholder of another profile than this; empty where there is none."""
    return next((found[0] for found in PLACEHOLDER.finditer(text) if found["profile"] != profile), "")


def of_this(text: str, profile: str) -> bool:
    return any(found["profile"] == profile for found in PLACEHOLDER.finditer(text))


def standing(text: str, profile: str) -> list[tuple[str, str]]:
    """Where placeholders of a profile stand in JSON text, as pointers, each with the field it opens."""
    found: list[tuple[str, str]] = []
    parts = [("", text)]
    while parts:
        pointer, part = parts.pop()
        if not of_this(part, profile):
            continue
        named = members(part) or () if pointer.count("/") < DEEPEST else ()
        inside = [(f"{pointer}/{each.name}", part[slice(*each.value)]) for each in named]
        if not named and pointer.count("/") < DEEPEST:
            inside = [(f"{pointer}/{at}", part[slice(*span)]) for at, span in enumerate(elements(part) or ())]
        parts += reversed(inside)
        alone = "".join(each.name for each in named) if inside else part
        marks = PLACEHOLDER.finditer(alone)
        found += [(pointer or "/", mark["field"]) for mark in marks if mark["profile"] == profile]
    return found


def without(text: str, profile: str) -> str:
    """A text of somebody else, in which nothing stands for a secret of this profile."""
    return PLACEHOLDER.sub(lambda found: UNRECORDED if found["profile"] == profile else found[0], text)


def defused(text: str) -> str:
    """JSON text in which nothing is opened: the same value, its placeholders spelled with an escape."""
    return PLACEHOLDER.sub(lambda found: "\\u00ab" + found[0][1:], text)
