"""When two scalars are the same: strings by what they say, numbers by how they are written, the rest by the letter."""

from __future__ import annotations

import re
from typing import Final

from rpcexplorer.model.comparing.parts import name_of
from rpcexplorer.model.secret import HIDDEN

_NUMBER: Final = re.compile(rb"(-?)([0-9]+)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]{1,4000}))?")
_MARK: Final = "«".encode()


def same_string(left: bytes, right: bytes) -> bool:
    r"""Whether two strings say the same, however it is escaped: ``"\u0041"`` and ``"A"`` are one value.

    Numbers are not treated so: what a parser makes of ``1.0`` and ``1.00`` is its own affair (a price, a version, a
    double), but no parser tells one escape of a character from another.
    """
    return left[:1] == right[:1] == b'"' and (b"\\" in left or b"\\" in right) and name_of(left) == name_of(right)


def same_number(left: bytes, right: bytes) -> bool:
    """Whether two numbers are equal, of any length, and however they are written."""
    value = _number(left)
    return value is not None and value == _number(right)


def _number(text: bytes) -> tuple[bytes, bytes, int] | None:
    """Sign, digits without zeros around them, and the power of ten they are counted in."""
    found = _NUMBER.fullmatch(text)
    if found is None:
        return None
    fraction = found[3] or b""
    digits = (found[2] + fraction).lstrip(b"0")
    short = digits.rstrip(b"0")
    if not short:
        return b"", b"", 0  # minus zero is zero
    return found[1], short, int(found[4] or 0) - len(fraction) + len(digits) - len(short)


def has_mark(text: bytes) -> bool:
    """Whether a secret's name can stand in it at all."""
    return _MARK in text


def hides(token: bytes) -> bool:
    """Whether what stands there is a string in which a secret was hidden."""
    return token[:1] == b'"' and has_mark(token) and HIDDEN.search(token.decode("utf-8", "replace")) is not None


def hidden_places(text: bytes) -> int:
    """The strings of a text in which a secret was hidden."""
    return sum(map(hides, _STRINGS.findall(text))) if has_mark(text) else 0


_STRINGS: Final = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"', re.DOTALL)
