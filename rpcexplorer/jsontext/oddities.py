"""What is odd about JSON text that can be read all the same: less than strict, or more than most parsers take."""

from __future__ import annotations

import re

from rpcexplorer.jsontext.scan import LOOSE_STRING, STRICT_STRING, depth

_DEEP = 500  # many parsers give up somewhere above
_LONG = 4300  # digits; Python's own parser refuses longer integers

_PAIR = r"u(?:(?![dD][89a-fA-F])[0-9a-fA-F]{4}|[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2})"
_CLEAN = re.compile(rf'(?:[^"NI]++|{STRICT_STRING.replace("u[0-9a-fA-F]{4}", _PAIR)}|[NI](?!aN|nfinity))*+')
_ODD = re.compile(rf"NaN|Infinity|{LOOSE_STRING}|.", re.DOTALL)
_HALF = re.compile(r"\\(?:u[dD][89abAB]..\\u[dD][c-fC-F]..|(u[dD][89a-fA-F]..)|.)|([\ud800-\udfff])", re.DOTALL)
_FIGURES = b"0123456789"
_DIGITS = re.compile(rf"{LOOSE_STRING}|([0-9]+)".encode(), re.DOTALL)


def oddities(text: str) -> tuple[str, ...]:
    """What makes readable text less than strict, or more than most parsers take; each kind once, as a remark."""
    remarks: dict[str, str] = {}
    at = 0
    while (clean := _CLEAN.match(text, at)) and (odd := _ODD.match(text, clean.end())):
        at = odd.end()
        for kind, remark in _remarks(odd[0]):
            remarks.setdefault(kind, remark)
    if digits := long_number(text.encode("utf-8", "surrogatepass")):
        remarks["digits"] = digits
    if (deepest := depth(text)) > _DEEP:
        remarks["depth"] = f"nested {deepest:,} deep"
    return tuple(remarks.values())


def long_number(text: bytes) -> str:
    """A remark if a number has more digits than most parsers take, else nothing; quick where there is none."""
    # So long a run of digits covers a multiple of its length: nothing else needs to be looked at.
    stride = _LONG + 1
    if not any(byte in _FIGURES and _run(text, at * stride) > _LONG for at, byte in enumerate(text[::stride])):
        return ""
    longest = max(len(found[1] or "") for found in _DIGITS.finditer(text))
    return f"a number of {longest:,} digits" if longest > _LONG else ""


def _run(text: bytes, at: int) -> int:
    """How many digits stand in a row around one of them, counted no further than need be."""
    before, after = text[max(at - _LONG, 0) : at], text[at : at + _LONG + 1]
    return len(before) - len(before.rstrip(_FIGURES)) + len(after) - len(after.lstrip(_FIGURES))


def _remarks(odd: str) -> list[tuple[str, str]]:
    """Kind and words of what is odd about one token."""
    if not odd.startswith('"'):
        return [(odd, f"{odd} is not JSON")] if len(odd) > 1 else []
    found: list[tuple[str, str]] = []
    if control := re.search(r"[\x00-\x1f]", odd):
        found.append(("control", f"raw control character U+{ord(control[0]):04X} in a string"))
    for half in _HALF.finditer(odd):
        if half[1]:
            found.append(("half", f"lone surrogate \\{half[1]} in a string"))
            break
        if half[2]:
            found.append(("raw half", f"half a character, U+{ord(half[2]):04X}, in a string"))
            break
    return found
