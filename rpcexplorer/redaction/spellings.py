"""The spellings of a secret, and how they are found in a text."""

from __future__ import annotations

import json
import re
from base64 import b64encode
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, cached_property, lru_cache
from itertools import accumulate
from typing import Final, Literal, NamedTuple

RUN: Final = r"(?<!\\\\)\\*+"
"""After a first backslash: it has no other before it; then the rest of the run."""
_NEVER_ESCAPED = re.compile(r"[A-Za-z0-9_.~=:-]*")
_SHORT = {"\n": "n", "\r": "r", "\t": "t", "\b": "b", "\f": "f"}
_REQUOTED = "(?:25)*"  # after a percent sign: the text may have been quoted more than once
_QUOTED_BACKSLASH = rf"{_REQUOTED}5[cC]"
_QUOTED_RUN = rf"(?<!5[cC]%){_QUOTED_BACKSLASH}(?:%{_QUOTED_BACKSLASH})*+"
"""After a first percent sign: a run of backslashes as a URL writes them, from where it starts."""
_AGAIN = rf"(?:amp(?:;|%{_REQUOTED}3[bB])){{0,4}}"
"""Behind an ampersand: it may have been escaped more than once."""
_AMPERSAND = rf"(?:\\*+u0026|%{_REQUOTED}26)"
"""One that is not written as itself."""
_HASH = rf"(?:#|%{_REQUOTED}23)"
_SEMICOLON = rf"(?:;|%{_REQUOTED}3[bB])"
_ZEROS = "0{0,4}"
_BACKSLASH_ENTITY = rf"(?:&|{_AMPERSAND}){_AGAIN}{_HASH}(?:{_ZEROS}92|[xX]{_ZEROS}5[cC]){_SEMICOLON}"
_ESCAPING = rf"(?:\\++|(?:%{_QUOTED_BACKSLASH}|{_BACKSLASH_ENTITY}){{1,16}})"
_BACKSLASHES = f"{_ESCAPING}?"
"""Before a character that is escaped, or need not be."""


class Spelling(NamedTuple):
    """A pattern in parts, so that many can be searched for at once by how they begin."""

    first: str
    """The character it begins with, as it is."""
    pieces: tuple[str, ...]
    """Regular expressions for what follows."""


def spellings(value: str) -> Iterator[Spelling]:
    yield from written(value)
    for core in base64_cores(value):
        yield Spelling(core[0], tuple(map(_base64_digit, core[1:])))
    yield from _hex(value.encode("utf-8", "surrogatepass"))


def written(value: str) -> Iterator[Spelling]:
    """The value character by character: each raw, or as JSON, Python, HTML or a URL would escape it."""
    first, *others = _split(value)
    rest = [_anywhere(piece) for piece in others]
    for start in _at_first(first):
        yield Spelling(start.first, (*start.pieces, *rest))


def continued(value: str) -> list[str]:
    """Pieces for a pattern that begins with something else."""
    return [_anywhere(piece) for piece in _split(value)]


def _is_plain(piece: str) -> bool:
    return piece.isascii() and piece.isalnum()


def _split(value: str) -> list[str]:
    return re.findall(r"\\+|[^\\]", value)


@lru_cache(maxsize=1024)
def _anywhere(piece: str) -> str:
    """Pattern of one character, or of a run of backslashes, that is not the first."""
    if _is_plain(piece):
        return piece
    if piece[0] == "\\":
        many = len(piece)
        coded = rf"(?:\\++(?:u00|x)5[cC]){{{many}}}"
        return rf"(?:\\{{{many},}}+|{coded}|(?:%{_QUOTED_BACKSLASH}|{_BACKSLASH_ENTITY}){{{many},{8 * many}}})"
    again = _AGAIN if piece == "&" else ""
    ways = "|".join(re.escape(way.first) + "".join(way.pieces) for way in _quoted(piece))
    entity = rf"(?:&|{_AMPERSAND}){_entity(piece)}"
    return rf"{_BACKSLASHES}(?:(?:{ways}|{re.escape(piece)}|{_escapes(piece)}){again}|{entity})"


def _at_first(piece: str) -> Iterator[Spelling]:
    """Spellings of the first one, by the characters it can begin with."""
    if _is_plain(piece):
        yield Spelling(piece, ())
        return
    entity = _entity(piece[0])
    if piece[0] == "\\":
        more = len(piece) - 1
        coded = rf"\\*+(?:u00|x)5[cC](?:\\++(?:u00|x)5[cC]){{{more}}}"
        yield Spelling("\\", (rf"(?<!\\\\)(?:\\{{{more},}}+|{coded})",))
        yield Spelling("%", (rf"(?<!5[cC]%){_QUOTED_BACKSLASH}(?:%{_QUOTED_BACKSLASH}){{{more},{8 * more + 8}}}",))
        yield Spelling("&", (rf"{entity}(?:&{entity}){{{more},{8 * more + 8}}}",))
        return
    again = _AGAIN if piece == "&" else ""
    escapes = f"(?:{_escapes(piece)})"
    yield Spelling(piece, (again,) if again else ())
    yield Spelling("\\", (RUN, f"(?:{escapes}{again}|u0026{entity})"))
    yield Spelling("%", (_QUOTED_RUN, escapes + again))
    yield Spelling("%", (f"{_REQUOTED}26{entity}",))
    yield Spelling("&", (entity,))
    for way in _quoted(piece):
        yield Spelling(way.first, (*way.pieces, again) if again else way.pieces)


def _escapes(char: str) -> str:
    """What JSON and Python's repr write after the backslash, the latter of text and of bytes."""
    plain = char.encode("utf-8", "surrogatepass")
    units = char.encode("utf-16-be", "surrogatepass")
    ways = [
        _ESCAPING.join("u" + _any_case(units[at : at + 2]) for at in range(0, len(units), 2)),
        _ESCAPING.join("x" + _any_case(plain[at : at + 1]) for at in range(len(plain))),
    ]
    if "\x80" <= char <= "\xff":
        ways.append("x" + _any_case(char.encode("latin-1")))
    if char > "\uffff":
        ways.append("U" + _any_case(ord(char).to_bytes(4, "big")))
    return "|".join([*([_SHORT[char]] if char in _SHORT else []), *ways])


def _entity(char: str) -> str:
    """What HTML writes after the ampersand."""
    from html.entities import codepoint2name  # a large table, and most runs have nothing to hide

    names = [name for name in (codepoint2name.get(ord(char)), "apos" if char == "'" else None) if name]
    digits = f"{ord(char):x}"
    number = rf"{_HASH}(?:{_ZEROS}{ord(char)}|[xX]{_ZEROS}{_digits(digits)})"
    if char == "&":  # escaped once more, it is itself again
        return rf"(?:{_AGAIN}{number}{_SEMICOLON}{_AGAIN}|(?:amp{_SEMICOLON}){{1,5}})"
    return rf"{_AGAIN}(?:{'|'.join([number, *names])}){_SEMICOLON}"


def _quoted(piece: str) -> Iterator[Spelling]:
    """What a URL writes, and what a body holds that is Latin-1 and not UTF-8."""
    yield _percent(piece.encode("utf-8", "surrogatepass"))
    if piece == " ":
        yield Spelling("+", ())
        yield Spelling("%", (f"{_REQUOTED}2[bB]",))
    if "\x80" <= piece <= "\xff":
        yield _percent(piece.encode("latin-1"))
        yield Spelling(chr(0xDC00 + ord(piece)), ())


def _percent(plain: bytes) -> Spelling:
    first, *others = (f"{_REQUOTED}{_any_case(bytes([byte]))}" for byte in plain)
    return Spelling("%", (first, *("%" + other for other in others)))


def _any_case(plain: bytes) -> str:
    return _digits(plain.hex())


def _digits(digits: str) -> str:
    """Hexadecimal digits, large or small."""
    return "".join(f"[{digit}{digit.upper()}]" if digit.isalpha() else digit for digit in digits)


def _hex(plain: bytes) -> Iterator[Spelling]:
    digits = plain.hex()
    pieces = [_digits(digit) for digit in digits[1:]]
    for first in {digits[0], digits[0].upper()}:
        yield Spelling(first, tuple(pieces))


def base64_cores(value: str) -> Iterator[str]:
    """Base64 at each of the three places where a value can stand in a longer text, without what its neighbours decide.

    A sign at the start is left out as well: there are several ways to write one.
    """
    for plain in dict.fromkeys(_in_longer_texts(value)):
        for before in range(3):
            bits = 8 * (before + len(plain))
            encoded = b64encode(bytes(before) + plain + bytes(2)).decode("ascii")
            yield encoded[-(-8 * before // 6) : bits // 6].lstrip("+/")


def _in_longer_texts(value: str) -> Iterator[bytes]:
    """The value as it stands in what is encoded as a whole: plain, or in JSON as the usual libraries write it."""
    if _NEVER_ESCAPED.fullmatch(value):
        yield value.encode()
        return
    ascii_only, unicode = json.dumps(value)[1:-1], json.dumps(value, ensure_ascii=False)[1:-1]
    large = re.sub(r"\\u[0-9a-f]{4}", lambda found: "\\u" + found[0][2:].upper(), ascii_only)
    for text in (value, ascii_only, unicode, large):
        yield text.encode("utf-8", "surrogatepass")
        yield text.replace("/", "\\/").encode("utf-8", "surrogatepass")
    for text, signs in ((unicode, "<>&"), (large, "<>&'+`")):  # those that keep JSON fit for HTML
        yield re.sub(f"[{signs}]", lambda found: f"\\u{ord(found[0]):04x}", text).encode("utf-8", "surrogatepass")
    yield re.sub(r'\\"|[<>&\'+`]', lambda found: f"\\u{ord(found[0][-1]):04X}", large).encode("utf-8", "surrogatepass")
    yield value.encode("latin-1", "ignore") if max(value) <= "\xff" else value.encode("utf-8", "surrogatepass")


def _base64_digit(digit: str) -> str:
    """The two alphabets, and how JSON, HTML and URLs write what stands out in them."""
    if digit == "+":
        return rf"(?:[-+]|\\++u002[bB]|%{_REQUOTED}2[bB]|(?:&|{_AMPERSAND}){_entity(digit)})"
    if digit == "/":
        return rf"(?:_|\\*+(?:/|u002[fF])|%{_REQUOTED}2[fF]|(?:&|{_AMPERSAND}){_entity(digit)})"
    return digit


HEAD: Final = 4
"""Pieces, after the first character, that are looked for in the first place, ..."""
ENOUGH: Final = 48
"""... but no more than have so many characters: they tell enough, and a long pattern takes long to make."""
PatternKind = Literal["secret", "key", "whole", "text", "address", "placeholder"]
"""``whole`` and ``text`` are keys that are named like a secret; of the latter, numbers and tables are none."""


class Occurrence(NamedTuple):
    """A pattern where it stands in a text."""

    start: int
    end: int
    kind: PatternKind
    placeholder: str


class Pattern:
    """One spelling of a secret, of a member's key, or of a placeholder."""

    def __init__(self, kind: PatternKind, placeholder: str, spelling: Spelling) -> None:
        self.kind: PatternKind = kind
        self.placeholder = placeholder
        self.first = spelling.first
        self._pieces = (re.escape(spelling.first), *spelling.pieces)
        sizes = accumulate(map(len, self._pieces))
        self._head = next((number for number, size in enumerate(sizes, 1) if size > ENOUGH), HEAD + 1)

    @property
    def beginning(self) -> Sequence[str]:
        """The pieces of its pattern to look for in the first place."""
        return self._pieces[: min(self._head, HEAD + 1)]

    @cached_property
    def _begins(self) -> re.Pattern[str]:
        return re.compile("".join(self.beginning))

    @cached_property
    def _whole(self) -> re.Pattern[str]:
        return re.compile("".join(self._pieces))

    def at(self, text: str, start: int) -> Occurrence | None:
        if self._begins.match(text, start) and (found := self._whole.match(text, start)):
            return Occurrence(start, found.end(), self.kind, self.placeholder)
        return None


class Matcher:
    """Finds any of many patterns."""

    def __init__(self, patterns: Iterable[Pattern]) -> None:
        self._patterns: dict[str, list[Pattern]] = {}
        for each in patterns:
            self._patterns.setdefault(each.first, []).append(each)
        beginnings = [each.beginning for same_first in self._patterns.values() for each in same_first]
        self._beginning = re.compile(_any_of(beginnings) if beginnings else "(?!)")

    def occurrences(self, text: str) -> Iterator[Occurrence]:
        """Whatever is found, in order, overlapping or not; of those that begin in one place, the longest."""
        at = 0
        while beginning := self._beginning.search(text, at):
            start = beginning.start()
            at = start + 1
            seen = [found for each in self._patterns[text[start]] if (found := each.at(text, start))]
            if seen:
                yield max(seen, key=lambda occurrence: occurrence.end)


def _any_of(sequences: Iterable[Sequence[str]]) -> str:
    """One pattern for any of the sequences of patterns; what they begin with in common stands in it once."""
    branches: dict[str, list[Sequence[str]]] = {}
    for sequence in sequences:
        if not sequence:
            return ""  # this one is complete, so nothing has to follow
        branches.setdefault(sequence[0], []).append(sequence[1:])
    return f"(?:{'|'.join(first + _any_of(rests) for first, rests in branches.items())})"


_PERCENT_REQUOTED = "(?:25)*+"
_HEX = r"(?:3[0-9]|[46][1-9A-Fa-f]|[57][0-9Aa])"
_DECIMAL = r"(?:4[89]|5[0-7]|6[5-9]|[78][0-9]|9[0789]|1[01][0-9]|12[0-2])"
_LETTER = rf"(?:u00|x|U000000)({_HEX})"
_ESCAPED_AMPERSAND = rf"(?:&|\\++u0026|%{_PERCENT_REQUOTED}26)(?:amp(?:;|%{_PERCENT_REQUOTED}3[bB])){{0,4}}+"
_ESCAPED_HASH = rf"(?:#|%{_PERCENT_REQUOTED}23)"
_ESCAPED_SEMICOLON = rf"(?:;|%{_PERCENT_REQUOTED}3[bB])"
_NUMBER_START = _ESCAPED_AMPERSAND + _ESCAPED_HASH
_BACKSLASH = rf"(?:%{_PERCENT_REQUOTED}5[cC]|{_NUMBER_START}(?:0{{0,4}}+92|[xX]0{{0,4}}+5[cC]){_ESCAPED_SEMICOLON})"
_B_LETTER = _LETTER.encode()
_NUMBER = rf"(?:[xX]0*+{_HEX}|0*+{_DECIMAL})(?:;|%)".encode()
_SIGNS: Final = (
    (b"\\", re.compile(rb"\\" + _B_LETTER)),
    (
        b"%",
        re.compile(
            b"%(?:25)*+(?:" + b"|".join([_HEX.encode(), b"(?:5[cC]|3[bB])" + _B_LETTER, b"23" + _NUMBER]) + b")"
        ),
    ),
    (b"#", re.compile(b"#" + _NUMBER)),
    (b";", re.compile(b";" + _B_LETTER)),
)
"""A sign each of them has, and what follows it: to look for the sign alone is much faster."""


def has_escapes(content: bytes) -> bool:
    """Whether there may be any. A "no" is certain."""
    return any(sign in content and after.search(content) for sign, after in _SIGNS)


@cache
def _letters() -> tuple[re.Pattern[str], re.Pattern[str]]:
    """With a backslash and without: the former may also be the end of a secret and what follows it."""
    numbered = rf"{_NUMBER_START}(?:0{{0,4}}+(?P<decimal>{_DECIMAL})|[xX]0{{0,4}}+({_HEX})){_ESCAPED_SEMICOLON}"
    return (
        re.compile(rf"(?<!\\)\\++{_LETTER}|{_BACKSLASH}{{1,16}}+{_LETTER}"),
        re.compile(rf"%{_PERCENT_REQUOTED}({_HEX})|{numbered}"),
    )


def unescaped(text: str) -> Iterator[Unescaped]:
    """The text as it may be read, in each way that is tried."""
    yield from (Unescaped(text, letters) for letters in _letters())


class Unescaped:
    """A text in which they are read, and where everything stands in the text as it was."""

    def __init__(self, text: str, letters: re.Pattern[str]) -> None:
        parts: list[str] = []
        self._read: list[int] = [0]
        """Places in the text as it is read, from each of which on it is the same as ..."""
        self._was: list[int] = [0]
        """... from this place on in the text as it was."""
        at = length = 0
        for found in letters.finditer(text):
            decimal = found["decimal"] if "decimal" in letters.groupindex else None
            parts += [text[at : found.start()], chr(int(decimal) if decimal else int(found[found.lastindex or 0], 16))]
            length += found.start() - at
            self._read += [length, length + 1]
            self._was += [found.start(), found.end()]
            at, length = found.end(), length + 1
        self.text = "".join([*parts, text[at:]])

    def in_original(self, occurrence: Occurrence) -> Occurrence:
        """Something that is seen in the text as it is read."""
        start, end = self._place(occurrence.start), self._place(occurrence.end)
        return occurrence._replace(start=start, end=end)

    def _place(self, at: int) -> int:
        number = bisect_right(self._read, at) - 1
        return self._was[number] + at - self._read[number]


SHORTEST: Final = 3
"""Letters and digits; a shorter run stands everywhere."""
SLICE: Final = 512 * 1024
"""Bytes that are looked at in one go: a millisecond."""
MANY: Final = 400
"""So many runs are looked for one by one, and more than that in ..."""
FEW: Final = 32 * 1024
"""... the first bytes that are looked at; for more, one pattern is made, which takes a while, and finds any number."""
FIRST: Final = 4
"""Letters and digits of each run that stand in that pattern."""
_RUN = re.compile("[A-Za-z0-9]+")
_LEAST_OVERLAP = 24  # bytes of what was looked at before: no shorter than an escape that is quoted a few times


class Runs:
    """What is looked for, and the values that it may be of."""

    def __init__(self) -> None:
        self._values: dict[bytes, set[str]] = {}
        self._looked_at = 0

    def add(self, run: bytes, value: str) -> None:
        self._values.setdefault(run, set()).add(value)

    def __len__(self) -> int:
        return len(self._values)

    def longest(self) -> int:
        return max(map(len, self._values), default=0)

    def values_in(self, content: bytes) -> Iterator[set[str]]:
        """Those of each run that stands in it."""
        self._looked_at += len(content)
        if len(self) <= MANY or self._looked_at <= FEW:
            yield from (values for run, values in self._values.items() if run in content)
            return
        at, seen = 0, set[bytes]()
        while found := self._beginning.search(content, at):
            at = found.start() + 1
            if found[0] not in seen:
                seen.add(found[0])
                yield from (self._values[run] for run in self._begin_with[found[0]] if run in content)

    @cached_property
    def _begin_with(self) -> dict[bytes, list[bytes]]:
        """The runs by how they begin; no beginning begins like another."""
        beginnings: dict[bytes, list[bytes]] = {}
        for run in sorted(self._values, key=len):
            first = next((run[:size] for size in range(1, FIRST) if run[:size] in beginnings), run[:FIRST])
            beginnings.setdefault(first, []).append(run)
        return beginnings

    @cached_property
    def _beginning(self) -> re.Pattern[bytes]:
        return re.compile(_tree(self._begin_with))


class Prefilter:
    """Knows what to look for; made once for many texts."""

    def __init__(self, values: Iterable[str], names: Iterable[str] = ()) -> None:
        """``values`` in any spelling; ``names`` in small letters or large."""
        self._values = tuple(values)
        self._always: set[str] = set()
        """Values of which a run is too short to be looked for."""
        self._exact, self._small = Runs(), Runs()
        for value in self._values:
            self._take(self._exact, value, value, *base64_cores(value))
            self._small.add(value.encode("utf-8", "surrogatepass").hex().encode(), value)
        for name in names:
            self._take(self._small, "", name.lower())
        self._overlap = max(self._exact.longest(), self._small.longest()) + _LEAST_OVERLAP

    def matches(self, content: bytes) -> bool:
        """Whether a real search is worth its time."""
        return any(self.matches_in_steps(content))

    def matches_in_steps(self, content: bytes) -> Iterator[bool]:
        """Like ``matches``, for one slice after the other."""
        if self._always or not (self._exact or self._small):
            yield bool(self._always)
            return
        for start in range(0, max(len(content), 1), SLICE):
            yield self._matches(content[max(start - self._overlap, 0) : start + SLICE])

    def among(self, content: bytes) -> tuple[str, ...]:
        """The values that could be in it, its letters and digits as they are."""
        found = set(self._always)
        found.update(*self._exact.values_in(content), *self._small.values_in(content.lower()))
        return tuple(value for value in self._values if value in found)

    def _matches(self, content: bytes) -> bool:
        if not content[: self._overlap].strip(b"%25"):  # a percent sign quoted so often that its start is out of sight
            return bool(content)
        return (
            has_escapes(content) or any(self._exact.values_in(content)) or any(self._small.values_in(content.lower()))
        )

    def _take(self, runs: Runs, value: str, *texts: str) -> None:
        """The longest run of each text; one that is too short is taken to stand everywhere."""
        for text in texts:
            run = max(_RUN.findall(text), key=len, default="")
            if len(run) < SHORTEST:
                self._always.add(value)
            else:
                runs.add(run.encode(), value)


def _tree(runs: Iterable[bytes]) -> bytes:
    """A pattern for any of the runs; what they begin with in common stands in it once."""
    branches: dict[bytes, list[bytes]] = {}
    for run in runs:
        if not run:
            return b""  # this one is complete, so nothing has to follow
        branches.setdefault(run[:1], []).append(run[1:])
    return b"(?:" + b"|".join(first + _tree(rests) for first, rests in branches.items()) + b")" if branches else b"(?!)"
