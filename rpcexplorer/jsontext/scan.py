"""JSON text taken apart without decoding it: where each value begins and ends."""

from __future__ import annotations

import re
from functools import cache
from itertools import accumulate
from typing import Final, NamedTuple, TypeAlias

from rpcexplorer.patterns import regex

Span: TypeAlias = tuple[int, int]
SPACE: Final = r"[ \t\n\r]*+"
"""Pattern of the whitespace JSON knows."""
STRING: Final = r'"[^"\\]*+(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\]*+)*+"'
"""Pattern of a string as servers write it."""
NUMBER: Final = r"-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?(?:[eE][+-]?[0-9]++)?"
"""Pattern of a number as the standard has it."""
MAX_INTEGER: Final = 2**53
"""Larger numbers do not survive every JSON reader."""
LOOSE_STRING: Final = r'"[^"\\]*+(?:\\.[^"\\]*+)*+"?'
"""Pattern of a string in which any escape will do, and which the end of the text closes."""
STRICT_STRING: Final = STRING.replace(r'[^"\\]', r'[^"\\\x00-\x1f\ud800-\udfff]')
"""Pattern of a string as the standard has it: no raw control characters, nothing that UTF-8 cannot carry."""


class Member(NamedTuple):
    """One member of an object, by the places where its parts stand in the text."""

    name: str
    """The key with its escapes read; it may hold half a character (a lone surrogate)."""
    key: Span
    """Start and end of the key, quotes included."""
    value: Span
    """Start and end of the value."""


class _Grammar:
    """The patterns of one reading of JSON, strict or lenient.

    `runs` has one pattern for each kind of container. It takes all the scalar items that end in a comma, then a
    last one if no comma follows. Its groups: what ended in a comma; the key of what comes next (always empty in
    an array); the scalar that comes next.
    """

    def __init__(self, string: str, words: str) -> None:
        scalar = rf"(?:{string}|{NUMBER}|{words}|\[{SPACE}\]|\{{{SPACE}\}})"
        key = rf"{string}{SPACE}:{SPACE}"
        comma = rf"{SPACE},{SPACE}"
        self.scalar = re.compile(scalar)
        self.runs = {
            "[": re.compile(rf"{SPACE}((?:{scalar}{comma})*+)()({scalar}{SPACE})?"),
            "{": re.compile(rf"{SPACE}((?:{key}{scalar}{comma})*+)(?:({key})({scalar}{SPACE})?)?"),
        }


@cache
def _lenient() -> _Grammar:
    """As servers write. Its patterns, like the standard's, are made when they are first used: no start needs them."""
    return _Grammar(STRING, "true|false|null|NaN|-?Infinity")


@cache
def _strict() -> _Grammar:
    """The standard's own reading."""
    return _Grammar(STRICT_STRING, "true|false|null")


@cache
def _plain(opener: str) -> re.Pattern[str]:
    """An item whose value is a scalar, with what follows it."""
    return re.compile(f"{_KEY[opener].pattern}({_lenient().scalar.pattern}){_AFTER.pattern}")


_CLOSER = {"[": "]", "{": "}"}
_SPACE = regex(SPACE)
_AFTER = regex(rf"{SPACE}([,\]}}]){SPACE}")
_KEY = {"[": regex("()"), "{": regex(rf"({STRING}){SPACE}:{SPACE}")}
_NO_BRACKET = regex(rf'[^\[\]{{}}"]++|{LOOSE_STRING}', re.DOTALL)
_STEP = {"[": 1, "{": 1, "]": -1, "}": -1}


def is_value(text: str, *, strict: bool = False) -> bool:
    """Whether the text is one JSON value, read as servers write or, if strict, as the standard has it."""
    return error_at(text, strict=strict) is None


def error_at(text: str, *, strict: bool = True) -> int | None:
    """Return where the text stops being one JSON value; None if it is one."""
    end = _value_end(text, _space(text, 0), _strict() if strict else _lenient())
    if end < 0:
        return ~end
    rest = _space(text, end)
    return None if rest == len(text) else rest


def members(text: str, start: int = 0) -> list[Member] | None:
    """The members of the one object that the text holds from `start` on, duplicates in order; else None."""
    parts = _parts(text, start, "{")
    if parts is None:
        return None
    return [Member(decoded(text[key[0] : key[1]]), key, value) for key, value in parts]


def elements(text: str, start: int = 0) -> list[Span] | None:
    """Where the elements stand of the one array that the text holds from `start` on; None for anything else."""
    parts = _parts(text, start, "[")
    return None if parts is None else [value for _, value in parts]


def _parts(text: str, start: int, opener: str) -> list[tuple[Span, Span]] | None:
    """Key and value spans of a container that is alone in the text."""
    at = _space(text, start)
    if text[at : at + 1] != opener:
        return None
    at = _space(text, at + 1)
    found: list[tuple[Span, Span]] = []
    if text[at : at + 1] == _CLOSER[opener]:
        return found if _space(text, at + 1) == len(text) else None
    while True:
        if plain := _plain(opener).match(text, at):
            key, value, closer, at = plain.span(1), plain.span(2), plain[3], plain.end()
        elif (name := _KEY[opener].match(text, at)) and (after := _after_value(text, name.end())):
            key, value, closer, at = name.span(1), (name.end(), after[0]), after[1], after[2]
        else:
            return None
        found.append((key, value))
        if closer == _CLOSER[opener]:
            return found if at == len(text) else None
        if closer != ",":
            return None


def _after_value(text: str, at: int) -> tuple[int, str, int] | None:
    """Where the value that starts at `at` ends, the comma or closer after it, and where the next item starts."""
    end = _value_end(text, at, _lenient())
    after = _AFTER.match(text, end) if end > at else None
    return (end, after[1], after.end()) if after else None


def _space(text: str, at: int) -> int:
    """Where the whitespace that starts at `at` ends."""
    space = _SPACE.match(text, at)
    return space.end() if space else at


def _value_end(text: str, at: int, grammar: _Grammar) -> int:
    """Where the value that starts at `at` ends; if none does, `~` of the place of the error."""
    if scalar := grammar.scalar.match(text, at):
        return scalar.end()
    opened = text[at : at + 1]
    if opened not in _CLOSER:
        return ~at
    inside = [opened]
    due = False  # a comma was read, so an item has to follow
    at += 1
    while True:
        run = grammar.runs[inside[-1]].match(text, at)
        assert run is not None  # every part of the pattern may be empty
        pairs, key, scalar_text = run.span(1), run[2], run[3]
        due = due or pairs[0] < pairs[1]
        at = run.end()
        stop = text[at : at + 1]
        if stop in _CLOSER and key is not None and scalar_text is None:
            inside.append(stop)
            due = False
            at += 1
            continue
        if scalar_text is None and (key or due):
            return ~at
        at = _leave(text, at, inside)
        if not inside or at < 0:
            return at
        due = True


def _leave(text: str, at: int, inside: list[str]) -> int:
    """Close containers from `at` on, up to the comma after one; `~` of the place of a closer that does not fit."""
    while inside:
        if text[at : at + 1] != _CLOSER[inside.pop()]:
            return ~at
        at += 1
        if not inside:
            break
        at = _space(text, at)
        if text[at : at + 1] == ",":
            return at + 1
    return at


_ESCAPE = regex(r"\\(?:u([0-9a-fA-F]{4})|(.))", re.DOTALL)
_SHORT = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}


def decoded(string: str) -> str:
    """The text that a string token stands for; half characters stay halves instead of raising."""
    inner = string[1:-1]
    if "\\" not in inner:
        return inner
    inner = _ESCAPE.sub(lambda found: chr(int(found[1], 16)) if found[1] else _SHORT.get(found[2], found[2]), inner)
    return inner.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")


def depth(text: str) -> int:
    """How deep the brackets nest; 0 for a scalar."""
    brackets = _NO_BRACKET.sub("", text)
    return max(accumulate(map(_STEP.__getitem__, brackets), initial=0))


_TOKEN = regex(rf"({LOOSE_STRING})(?:{SPACE}(:))?|[{{}}]", re.DOTALL)


def repeated_name(text: str) -> str | None:
    """The first name, in reading order, that one object of valid JSON text has twice; None where none does."""
    open_ones: list[set[str]] = []
    for token in _TOKEN.finditer(text):
        if token[2]:
            name = decoded(token[1])
            if name in open_ones[-1]:
                return name
            open_ones[-1].add(name)
        elif token[0] == "{":
            open_ones.append(set())
        elif token[0] == "}":
            open_ones.pop()
    return None


_DEEP = 500  # many parsers give up somewhere above
_LONG = 4300  # digits; Python's own parser refuses longer integers
_PAIR = r"u(?:(?![dD][89a-fA-F])[0-9a-fA-F]{4}|[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2})"
_CLEAN = regex(rf'(?:[^"NI]++|{STRICT_STRING.replace("u[0-9a-fA-F]{4}", _PAIR)}|[NI](?!aN|nfinity))*+')
_ODD = regex(rf"NaN|Infinity|{LOOSE_STRING}|.", re.DOTALL)
_HALF = regex(r"\\(?:u[dD][89abAB]..\\u[dD][c-fC-F]..|(u[dD][89a-fA-F]..)|.)|([\ud800-\udfff])", re.DOTALL)
_FIGURES = b"0123456789"
_DIGITS = regex(rf"{LOOSE_STRING}|([0-9]+)".encode(), re.DOTALL)


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
