"""The part of a JSON text that a JSON pointer names."""

from __future__ import annotations

from typing import Final

from rpcexplorer.jsontext.scan import elements, members

DIGITS: Final = 9
"""Of a place in an array; no reply has so many elements."""


def at_pointer(text: str, pointer: str) -> str | None:
    """The part that is named; None where there is none.

    Read from the text, as whoever answers may say what no parser takes.
    """
    for part in pointer.split("/")[1:]:
        name = part.replace("~1", "/").replace("~0", "~")
        values = [member.value for member in members(text) or () if member.name == name]
        if name.isdecimal():
            values += (elements(text) or [])[int(name[:DIGITS]) :][:1]
        if not values:
            return None
        text = text[slice(*values[-1])]
    return text.strip()
