"""The envelope of a large reply, read in steps of a millisecond, so that whoever waits can do something in between.

Only the usual one is read here: an object that is JSON to the letter and has its result near the start. The result is
cut where it was cut before, if the parser agrees, and else where its brackets say (`jsontext/slices.py`).
Of any other text nothing is said but that it is another; `envelope.py` reads it whole.
"""

from __future__ import annotations

import re
from typing import Any, Final

from rpcexplorer.jsontext import slices
from rpcexplorer.jsontext.oddities import long_number
from rpcexplorer.jsontext.slices import closing, in_string, opening
from rpcexplorer.jsontext.steps import Steps
from rpcexplorer.protocol.envelope import Envelope, is_native, native_parts

HEAD: Final = 64 * 1024
"""Bytes within which a large result has to begin."""

GUESSES: Final = 3
"""How many cuts are tried before brackets are counted, which takes as long as four of them."""

_RESULT = re.compile(rb'"result"[ \t\n\r]*+:[ \t\n\r]*+(?=["\[{])')
_ITEM = {ord("["): b"0", ord("{"): b'"":0'}
"""What stands beside a comma at which a text was cut, so that a comma too many is one in every piece."""


def envelope_in_steps(text: bytes) -> Steps[Envelope | None]:
    """The parts of a reply; None where it is not what is read here."""
    found = _RESULT.search(text, 0, HEAD)
    head = native_parts(text[: found.end()] + b"null}") if found else None
    if found is None or head is None:  # it stands deeper, or in a string
        return None
    rest = yield from _rest(text, found.end())
    if rest is None:
        return None
    start, lead = rest
    tail = lead + text[start:]
    whole, others = native_parts(b'{"result":' + tail), native_parts(b'{"":' + tail)
    if whole is None or others is None or "result" in others:
        return None
    end = start + len(bytes(whole["result"])) - len(lead)
    parts: dict[str, Any] = {name: bytes(raw) for name, raw in (head | others).items()}
    parts["result"] = memoryview(text)[found.end() : end]
    return Envelope(**parts, remarks=tuple(filter(None, [long_number(text)])))


def _rest(text: bytes, start: int) -> Steps[tuple[int, bytes] | None]:
    """Where the last piece of a value starts, and what makes it a value; None where a piece before it is no JSON."""
    before, reach = b"", slices.SLICE
    likely: list[bytes] = []
    while start + reach < len(text):
        yield
        piece = text[start : start + reach]
        guessed = _guessed(piece, before, likely)
        cut = guessed or _counted(piece, before)
        if cut is None:
            reach *= 2
            continue
        length, after = cut
        if not guessed and not is_native(_piece(piece, before, length, after)):
            return None
        likely = [after, *(each for each in likely if each != after)][:GUESSES]
        start, before, reach = start + length + (not in_string(after)), after, slices.SLICE
    return start, _lead(before)


def _guessed(piece: bytes, before: bytes, likely: list[bytes]) -> tuple[int, bytes] | None:
    """A cut at which the same is open as at one before: what the parser takes cannot be open otherwise."""
    comma = piece.rfind(b",")
    for after in likely:
        at = len(piece) if in_string(after) else comma
        if at > 0 and is_native(_piece(piece, before, at, after)):
            return at, after
    return None


def _counted(piece: bytes, before: bytes) -> tuple[int, bytes] | None:
    found = slices.cut(piece, before)
    return found and found[:2]


def _piece(piece: bytes, before: bytes, length: int, after: bytes) -> bytes:
    """A piece up to a cut as a value of its own."""
    item = b"" if in_string(after) else b"," + _ITEM[after[-1]]
    return _lead(before) + piece[:length] + item + closing(after)


def _lead(before: bytes) -> bytes:
    """What makes a value of the text behind a cut."""
    if not before or in_string(before):
        return opening(before)
    return opening(before) + _ITEM[before[-1]] + b","
