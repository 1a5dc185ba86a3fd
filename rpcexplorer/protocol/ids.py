"""Ids of calls: short strings that sort by the time they were made, and how they are written on the wire.

The clock and the dice are the caller's, so that this wing stays pure. Where a server wants numbers, each id has one
that follows from it: a record, a preview and a call that is sent again have the same, and nobody need keep it.
"""

from __future__ import annotations

import re

from rpcexplorer.protocol.messages import MessageForm, spelled

ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
"""Crockford's base 32: no letter looks like a digit, and the order of the text is the order of the numbers."""

TIME_DIGITS = 9
CHANCE_DIGITS = 6
CHANCE_LIMIT = 32**CHANCE_DIGITS
"""The caller's dice roll from 0 up to here: two calls of one millisecond meet once in a billion."""

AHEAD = {"login": 1, "initialize": 2}
"""What goes ahead of a call has the call's id with one of these behind it, and a number so much smaller."""

_MADE = re.compile(f"[{ALPHABET}]{{{TIME_DIGITS + CHANCE_DIGITS}}}")
_WHOLE = re.compile(r"0|-?[1-9][0-9]{0,17}")
_LEAST = 1 + max(AHEAD.values())
_PLACE = re.compile(r"[1-9][0-9]{0,8}")


def make_id(milliseconds: int, chance: int) -> str:
    """Spell a moment (milliseconds since 1970) and a random number as fifteen characters."""
    return _digits(milliseconds, TIME_DIGITS) + _digits(chance, CHANCE_DIGITS)


def _digits(number: int, width: int) -> str:
    if not 0 <= number < 32**width:
        raise ValueError(f"{number} does not fit into {width} digits of base 32")
    spelled = ""
    for _ in range(width):
        number, digit = divmod(number, 32)
        spelled = ALPHABET[digit] + spelled
    return spelled


def wire_id(id: str, form: MessageForm) -> str:
    """The JSON text of an id, as it goes out."""
    number = number_of(id) if form.id == "number" or form.envelope == "transmission" else None
    return spelled(id) if number is None else str(number)


def spellings(id: str) -> set[bytes]:
    """Every way in which a server may write an id that it gives back: as a number or as a text, whatever was sent."""
    number = number_of(id)
    texts = [id] if number is None else [id, str(number)]
    return {spelled(text).encode() for text in texts} | ({str(number).encode()} if number is not None else set())


def number_of(id: str) -> int | None:
    """The number that stands for an id: small enough for 32 bits, to which some servers cut it.

    A whole number that somebody typed is that. Any other text that somebody typed has none: it goes out as it is.
    """
    base, _, part = id.partition(".")
    if _WHOLE.fullmatch(base):
        first = int(base)
    elif _MADE.fullmatch(base):
        first = _number(base[TIME_DIGITS:]) + _LEAST
    elif part in AHEAD:
        first = _LEAST
    else:
        return None
    if part in AHEAD:
        return first - AHEAD[part]
    if _PLACE.fullmatch(part):  # a call of a batch
        return first + int(part) - 1
    return None if part else first


def _number(digits: str) -> int:
    number = 0
    for digit in digits:
        number = number * 32 + ALPHABET.index(digit)
    return number
