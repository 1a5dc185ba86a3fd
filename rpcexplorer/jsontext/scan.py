"""Find where each value of a JSON text begins and ends."""

from __future__ import annotations

import re
from functools import cache
from itertools import accumulate
from typing import Final, NamedTuple, TypeAlias

from rpcexplorer.patterns import regex

Span: TypeAlias = tuple[int, int]
SPACE: Final = r"[ \t\n\r]*+"
"""JSON's whitespace."""
STRING: Final = r'"[^"\\]*+(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\]*+)*+"'
"""A string as servers write it, raw control characters included."""
NUMBER: Final = r"-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?(?:[eE][+-]?[0-9]++)?"
"""A number of standard JSON."""
MAX_INTEGER: Final = 2**53
"""Larger numbers do not survive every JSON reader."""
LOOSE_STRING: Final = r'"[^"\\]*+(?:\\.[^"\\]*+)*+"?'
"""A string with any escapes, closed by the end of the text if need be."""
STRICT_STRING: Final = STRING.replace(r'[^"\\]', r'[^"\\\x00-\x1f\ud800-\udfff]')
"""A string of standard JSON: no raw control characters or surrogates."""


class Member(NamedTuple):
    """The places of an object's member."""

    name: str
    """The decoded key, perhaps with lone surrogates."""
    key: Span
    """Start and end of the key with its quotes."""
    value: Span


class _Grammar:
    """The patterns of strict or lenient JSON.

    `runs` has a pattern for each kind of container. It matches all scalar items that end in a comma, then a last one
    without a comma. Its groups: the items with a comma, the key of the next item (empty in an array), the next scalar.
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
    """Return the grammar of JSON as servers write it.

    Its patterns are made when first used: no start needs them.
    """
    return _Grammar(STRING, "true|false|null|NaN|-?Infinity")


@cache
def _strict() -> _Grammar:
    """Return the grammar of standard JSON."""
    return _Grammar(STRICT_STRING, "true|false|null")


@cache
def _plain(opener: str) -> re.Pattern[str]:
    """Return a pattern for an item with a scalar value and what follows."""
    return re.compile(f"{_KEY[opener].pattern}({_lenient().scalar.pattern}){_AFTER.pattern}")


_CLOSER = {"[": "]", "{": "}"}
_SPACE = regex(SPACE)
_AFTER = regex(rf"{SPACE}([,\]}}]){SPACE}")
_KEY = {"[": regex("()"), "{": regex(rf"({STRING}){SPACE}:{SPACE}")}
_NO_BRACKET = regex(rf'[^\[\]{{}}"]++|{LOOSE_STRING}', re.DOTALL)
_STEP = {"[": 1, "{": 1, "]": -1, "}": -1}


def is_value(text: str, *, strict: bool = False) -> bool:
    """Return whether the text is one JSON value, lenient unless ``strict``."""
    return error_at(text, strict=strict) is None


def error_at(text: str, *, strict: bool = True) -> int | None:
    """Return where the text stops being one JSON value; None if it is one."""
    end = _value_end(text, _space(text, 0), _strict() if strict else _lenient())
    if end < 0:
        return ~end
    rest = _space(text, end)
    return None if rest == len(text) else rest


def members(text: str) -> list[Member] | None:
    """Return the members of an object, duplicates included, or None."""
    parts = _parts(text, 0, "{")
    if parts is None:
        return None
    return [Member(decoded(text[key[0] : key[1]]), key, value) for key, value in parts]


def elements(text: str, start: int = 0) -> list[Span] | None:
    """Return the spans of the elements of the only array, or None."""
    parts = _parts(text, start, "[")
    if parts is None:
        return None
    return [value for _, value in parts]


def _parts(text: str, start: int, opener: str) -> list[tuple[Span, Span]] | None:
    """Return spans of keys and values of the only container, or None."""
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
    """Return end of the value, the comma or closer after it, next start."""
    end = _value_end(text, at, _lenient())
    if end <= at:
        return None
    after = _AFTER.match(text, end)
    if after is None:
        return None
    return end, after[1], after.end()


def _space(text: str, at: int) -> int:
    """Return the end of the whitespace at `at`."""
    space = _SPACE.match(text, at)
    return space.end() if space else at


def _value_end(text: str, at: int, grammar: _Grammar) -> int:
    """Return the end of the value at `at`, or `~` of the error's offset."""
    if scalar := grammar.scalar.match(text, at):
        return scalar.end()
    opened = text[at : at + 1]
    if opened not in _CLOSER:
        return ~at
    inside = [opened]
    due = False  # True after a comma: an item has to follow.
    at += 1
    while True:
        run = grammar.runs[inside[-1]].match(text, at)
        assert run is not None  # Every part of the pattern can be empty.
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
    """Close containers up to the next comma; `~` of the offset of an error."""
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
    """Return the text of a string token; lone surrogates stay."""
    inner = string[1:-1]
    if "\\" not in inner:
        return inner
    return _ESCAPE.sub(_character, inner).encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")


def _character(escape: re.Match[str]) -> str:
    if escape[1]:
        return chr(int(escape[1], 16))
    return _SHORT.get(escape[2], escape[2])


def depth(text: str) -> int:
    """Return how deep the brackets nest; 0 for a scalar."""
    brackets = _NO_BRACKET.sub("", text)
    return max(accumulate(map(_STEP.__getitem__, brackets), initial=0))


_TOKEN = regex(rf"({LOOSE_STRING})(?:{SPACE}(:))?|[{{}}]", re.DOTALL)


def repeated_name(text: str) -> str | None:
    """Return the first name that an object has twice, or None."""
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


_DEEP = 500  # Many parsers refuse somewhat deeper text.
_LONG = 4300  # Digits; Python's own parser refuses longer integers.
_PAIR = r"u(?:(?![dD][89a-fA-F])[0-9a-fA-F]{4}|[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2})"
r"""A ``\u`` escape of one character: not of a surrogate, or of both."""
_CLEAN = regex(rf'(?:[^"NI]++|{STRICT_STRING.replace("u[0-9a-fA-F]{4}", _PAIR)}|[NI](?!aN|nfinity))*+')
"""Text without oddities, in one match. It is possessive, so that a long text is read only once."""
_ODD = regex(rf"NaN|Infinity|{LOOSE_STRING}|.", re.DOTALL)
_HALF = regex(r"\\(?:u[dD][89abAB]..\\u[dD][c-fC-F]..|(u[dD][89a-fA-F]..)|.)|([\ud800-\udfff])", re.DOTALL)
"""Pairs and other escapes match without a group, so only a lone surrogate has one."""
_FIGURES = b"0123456789"
_DIGITS = regex(rf"{LOOSE_STRING}|([0-9]+)".encode(), re.DOTALL)


def oddities(text: str) -> tuple[str, ...]:
    """Return warnings for text that is not strict JSON, or too long or deep."""
    remarks: dict[str, str] = {}
    at = 0
    while clean := _CLEAN.match(text, at):
        odd = _ODD.match(text, clean.end())
        if odd is None:
            break
        at = odd.end()
        for kind, remark in _remarks(odd[0]):
            remarks.setdefault(kind, remark)
    if digits := long_number(text.encode("utf-8", "surrogatepass")):
        remarks["digits"] = digits
    deepest = depth(text)
    if deepest > _DEEP:
        remarks["depth"] = f"nested {deepest:,} levels deep"
    return tuple(remarks.values())


def long_number(text: bytes) -> str:
    """Return a warning for a number with too many digits, else nothing."""
    # So many digits in a row cover a multiple of that number, so other offsets need no look.
    stride = _LONG + 1
    if not any(byte in _FIGURES and _run(text, at * stride) > _LONG for at, byte in enumerate(text[::stride])):
        return ""
    longest = max(len(found[1] or "") for found in _DIGITS.finditer(text))
    if longest <= _LONG:
        return ""
    return f"a number with {longest:,} digits"


def _run(text: bytes, at: int) -> int:
    """Return how many digits are around one, counted up to the limit."""
    before, after = text[max(at - _LONG, 0) : at], text[at : at + _LONG + 1]
    return len(before) - len(before.rstrip(_FIGURES)) + len(after) - len(after.lstrip(_FIGURES))


def _remarks(odd: str) -> list[tuple[str, str]]:
    """Return kind and warning of each oddity of a token."""
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
            found.append(("raw half", f"lone surrogate U+{ord(half[2]):04X} in a string"))
            break
    return found
