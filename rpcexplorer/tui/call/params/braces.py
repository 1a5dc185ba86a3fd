"""What could stand between the double braces that are being typed.

Pure: a line and a place in it go in, choices come out.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from msgspec import Struct

from rpcexplorer.tui.editor.strokes import in_string
from rpcexplorer.variables.references import OPENING, Offered

CLOSING: Final = "}}"
LOOKED_AT: Final = 300
"""Characters before the cursor that are looked at: no name is longer."""
_BEGUN: Final = re.compile(r"(?<!\{)\{\{(?P<typed>[^{}]*)$")


class Begun(Struct, frozen=True):
    """A reference that is being typed."""

    typed: str
    """What stands behind its braces so far."""
    quoted: bool
    """It stands in a string."""


def begun(before: str) -> Begun | None:
    """The reference that is open at the end of what stands before the cursor on its line."""
    if OPENING not in before[-LOOKED_AT:] or (found := _BEGUN.search(before[-LOOKED_AT:])) is None:
        return None
    return Begun(found["typed"], in_string(before[: len(before) - len(found[0])]))


def fitting(names: Sequence[Offered], typed: str) -> list[Offered]:
    """Those that begin like it, then those that have it somewhere inside."""
    word = typed.strip().lower()
    first = [each for each in names if each.inside.lower().startswith(word)]
    return [*first, *(each for each in names if word in each.inside.lower() and each not in first)]


def taken(offered: Offered, open_one: Begun) -> tuple[str, int]:
    """What takes the place of the braces and what was typed, and where in it the cursor stands then.

    Outside of a string it becomes one. Of a result a part can be named behind it.
    """
    reference = f"{OPENING}{offered.inside}{CLOSING}"
    text = reference if open_one.quoted else f'"{reference}"'
    after = len(CLOSING) + (not open_one.quoted) if offered.inside.endswith("#") else 0
    return text, len(text) - after
