"""Ids of calls: short strings that sort by the time they were made.

The clock and the dice are the caller's, so that this wing stays pure.
"""

from __future__ import annotations

ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
"""Crockford's base 32: no letter looks like a digit, and the order of the text is the order of the numbers."""

TIME_DIGITS = 9
CHANCE_DIGITS = 6
CHANCE_LIMIT = 32**CHANCE_DIGITS
"""The caller's dice roll from 0 up to here: two calls of one millisecond meet once in a billion."""


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
