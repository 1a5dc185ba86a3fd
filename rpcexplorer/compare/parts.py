"""The values of a text in a canonical form, by their place."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeAlias

import msgspec

from rpcexplorer.jsontext.pointers import ANY, names_of
from rpcexplorer.jsontext.scan import Span, decoded, elements, members
from rpcexplorer.jsontext.slices import LEVELS, faults, slices
from rpcexplorer.jsontext.steps import Steps
from rpcexplorer.model.secret import HIDDEN

if TYPE_CHECKING:
    import json

TURN: Final = 4096
"""Parts that are looked at in one step."""
COMMA, BLANK = b", "
NamedSpan: TypeAlias = tuple[str, Span]
"""A member: its name with the escapes read, and where its value stands."""
_GAP = re.compile(rb"[ \t\n\r,]*+")
_NAME: Final = re.compile(rb'[ \t\n\r,]*+("[^"\\]*+(?:\\.[^"\\]*+)*+")[ \t\n\r]*+:[ \t\n\r]*+', re.DOTALL)
_SPELLINGS: Final = ((b'":', 1), (b'": ', 2))
"""How most servers write: a colon, and how many bytes a comma takes, without blanks or with one."""
REFUSED: Final = (msgspec.DecodeError, RecursionError)
_CONSTANTS: Final = (
    (re.compile(rb"NaN(?<=[:,\[ \t\n\r]NaN)(?=[,\]} \t\n\r])"), b"111"),  # letters first: so they are found fast
    (re.compile(rb"Infinity(?<=[-:,\[ \t\n\r]Infinity)(?=[,\]} \t\n\r])"), b"11111111"),
)
_ELEMENTS = msgspec.json.Decoder(list[msgspec.Raw])
_MEMBERS = msgspec.json.Decoder(dict[str, msgspec.Raw])
_RAW = msgspec.json.Decoder(msgspec.Raw)


class Parts(Protocol):
    """One text, and what stands where in it."""

    text: bytes

    def elements(self, span: Span) -> Steps[list[Span]]:
        """Where the elements of the array stand that is there."""

    def members(self, span: Span) -> Steps[list[NamedSpan]]:
        """The members of the object that is there, in order; a name that stands twice comes twice."""

    def fields(self, span: Span) -> dict[str, bytes]:
        """The members of a small object, as they are written; of a name that stands twice, the last."""

    def first(self, span: Span, most: int) -> list[bytes]:
        """The first elements of a small array, as they are written."""


class LevelParts:
    """A text that is taken apart level by level: by msgspec, or by us where it refuses what stands in a container."""

    def __init__(self, text: bytes) -> None:
        self.text = text
        self._readable = readable(text)
        self._view = memoryview(self._readable)
        self._spelling = _SPELLINGS[0]
        """How it is written, as far as that is known: most texts are written alike from end to end."""

    def elements(self, span: Span) -> Steps[list[Span]]:
        """Where the elements of the array stand that is there."""
        text, start = self.text, span[0] + 1
        found: list[Span] = []
        try:
            raws = _ELEMENTS.decode(self._view[slice(*span)])
        except REFUSED:
            return [(span[0] + begin, span[0] + end) for begin, end in elements(self._characters(span)) or ()]
        for number, raw in enumerate(raws, start=1):
            if text[start] == COMMA:  # with a blank or none behind it: no need to search for more
                start += 1 + (text[start + 1] == BLANK)
            if text[start] <= BLANK:
                start = _past(_GAP, text, start)
            end = start + memoryview(raw).nbytes
            found.append((start, end))
            start = end
            if start < span[1] and text[start] <= BLANK:
                start = _past(_GAP, text, start)
            if number % TURN == 0:
                yield
        return found

    def members(self, span: Span) -> Steps[list[NamedSpan]]:
        """The members of the object that is there, in order; a name that stands twice comes twice."""
        yield from ()
        try:
            raws = _MEMBERS.decode(self._view[slice(*span)])
        except REFUSED:
            return self._slowly(span)
        for spelling in (self._spelling, *_SPELLINGS):
            if (found := self._written(raws, span, *spelling)) is not None:
                self._spelling = spelling
                return found
        return self._spaced(raws, span) or self._slowly(span)

    def _written(self, raws: Mapping[str, msgspec.Raw], span: Span, colon: bytes, comma: int) -> list[NamedSpan] | None:
        """Where the members stand if they are written so, and have no escape in a name and no name twice; else None."""
        text, at = self.text, span[0] + 1
        found: list[NamedSpan] = []
        for name, raw in raws.items():
            key, value = b'"' + name.encode() + colon, bytes(raw)
            start = at + len(key)
            if not (text.startswith(key, at) and self._readable.startswith(value, start)):
                return None
            end = start + len(value)
            found.append((name, (start, end)))
            at = end + comma
        return found if at - comma == span[1] - 1 else None

    def _spaced(self, raws: Mapping[str, msgspec.Raw], span: Span) -> list[NamedSpan] | None:
        """Where the members stand, whatever blanks there are, if no name stands twice; else None."""
        at = span[0] + 1
        found: list[NamedSpan] = []
        for name, raw in raws.items():
            key, value = _NAME.match(self.text, at), bytes(raw)
            if key is None or name_of(key[1]) != name or not self._readable.startswith(value, key.end()):
                return None
            at = key.end() + len(value)
            found.append((name, (key.end(), at)))
        return found if self.text[at : span[1]].strip() == b"}" else None

    def fields(self, span: Span) -> dict[str, bytes]:
        """The members of a small object, as they are written; of a name that stands twice, the last."""
        try:
            return {name: bytes(raw) for name, raw in _MEMBERS.decode(self._view[slice(*span)]).items()}
        except REFUSED:
            return {name: self.text[start:end] for name, (start, end) in self._slowly(span)}

    def first(self, span: Span, most: int) -> list[bytes]:
        """The first elements of a small array, as they are written."""
        try:
            return list(map(bytes, _ELEMENTS.decode(self._view[slice(*span)])[:most]))
        except REFUSED:
            characters = self._characters(span)
            return [characters[slice(*each)].encode("latin-1") for each in (elements(characters) or ())[:most]]

    def _slowly(self, span: Span) -> list[NamedSpan]:
        return [
            (name_of(self.text[span[0] + key[0] : span[0] + key[1]]), (span[0] + value[0], span[0] + value[1]))
            for _, key, value in members(self._characters(span)) or ()
        ]

    def _characters(self, span: Span) -> str:
        """As characters whose places are those of the bytes: nothing beside ASCII has a meaning outside of strings."""
        return self.text[slice(*span)].decode("latin-1")


def _past(pattern: re.Pattern[bytes], text: bytes, at: int) -> int:
    found = pattern.match(text, at)
    return found.end() if found else at


def name_of(string: bytes) -> str:
    """The text that a JSON string stands for; bytes that are no UTF-8 and half characters stay what they are."""
    return decoded(string.decode("utf-8", "surrogateescape"))


def readable(text: bytes) -> bytes:
    """The text with numbers where it has NaN and the like: what stands in it stands there as well.

    It is for those who ask where that is. In a string, too, something may be another letter.
    """
    for constant, number in _CONSTANTS:
        text = constant.sub(number, text)
    return text


def is_native(text: bytes) -> Steps[bool]:
    """Whether msgspec reads the text, but for NaN and the like. It cannot be asked: its exceptions end here."""
    for fault in faults(text):
        if fault is not None:
            return False
        yield
    try:
        _RAW.decode(readable(text))
    except REFUSED:
        return False
    return True


def is_flat(text: bytes) -> Steps[bool]:
    """Whether it is UTF-8 that nests so little that one level after the other can be looked through."""
    for fault in faults(text):
        if fault is not None:
            return False
        yield
    for part in slices(text):
        if part.depth > LEVELS:
            return False
        yield
    return True


PointerPattern: TypeAlias = tuple[str, ...]
"""What is left of a pointer below the place that was reached."""
MAX_COMPARED_LEVELS: Final = 200
"""Deeper than this a value is one: the same or not. A pointer to something in it would be longer than the thing."""
NONE: Final[tuple[PointerPattern, ...]] = ()


def patterns_of(pointers: Iterable[str]) -> tuple[PointerPattern, ...]:
    """Pointers taken apart. What does not begin with a slash is none, and leaves out nothing; nor does one so deep."""
    every = (names_of(each) for each in pointers if each.startswith("/"))
    return tuple(each for each in every if len(each) <= MAX_COMPARED_LEVELS)


def below(patterns: Sequence[PointerPattern], *names: str) -> tuple[PointerPattern, ...]:
    """What is left of the patterns one level down, where a value has these names (an index on either side)."""
    return tuple(each[1:] for each in patterns if each and (each[0] == ANY or each[0] in names)) if patterns else NONE


def left_out(patterns: Sequence[PointerPattern]) -> bool:
    """Whether one of them ends here."""
    return () in patterns


def escaped(name: str) -> str:
    """A member's name as a part of a pointer."""
    return name.replace("~", "~0").replace("/", "~1") if "~" in name or "/" in name else name


LARGE: Final = 128 * 1024
"""Bytes of a value that is read part by part: to do it in one go would hold up everybody else."""
MAX_CANONICAL_LEVELS: Final = 50
"""What nests deeper is read in one go, however large it is."""
STEP: Final = 64 * 1024
"""Bytes that are read in one step."""
MASK: Final = "«»"
"""What all strings become that hide a secret: so that an element is known whatever its secret is called."""
_HALF: Final = re.compile("[\ud800-\udfff]")


def canonical(value: bytes, patterns: Sequence[PointerPattern], *, marks: bool) -> bytes:
    """Members sorted, blanks gone, strings spelled in one way, numbers as they are spelled.

    Without what is left out by ``patterns``. What nests deeper than Python reads is known by its letters alone.
    """
    try:
        taken = _decoder().decode(value.decode("utf-8"))
        if patterns:
            taken = _without(taken, patterns)
        if marks:
            taken = _masked(taken)
        try:
            return _ENCODER.encode(taken)
        except UnicodeEncodeError:
            return _ENCODER.encode(_whole(taken))
    except (ValueError, RecursionError):
        return value


def canonical_part(
    parts: Parts, span: Span, patterns: Sequence[PointerPattern], level: int = 0, *, marks: bool
) -> Steps[bytes]:
    """What a value of any size is, where it stands in its text."""
    start, end = span
    kind = parts.text[start : start + 1]
    if end - start <= LARGE or level == MAX_CANONICAL_LEVELS or kind not in {b"[", b"{"}:
        return canonical(parts.text[start:end], patterns, marks=marks)
    yield
    done, found, names = 0, [], []
    if kind == b"{":
        inside = yield from parts.members(span)
    else:
        inside = [(str(at), each) for at, each in enumerate((yield from parts.elements(span)))]
    for name, each in inside:
        rest = below(patterns, name)
        if left_out(rest) or (marks and kind == b"{" and HIDDEN.search(name)):
            continue
        found.append((yield from canonical_part(parts, each, rest, level + 1, marks=marks)))
        names.append(name)
        done += each[1] - each[0]
        if done > STEP:
            done = 0
            yield
    return _object_of(list(zip(names, found, strict=True))) if kind == b"{" else b"[" + b",".join(found) + b"]"


class Twice:
    """An object in which a name stands twice, or one that is half a character."""

    def __init__(self, pairs: Sequence[tuple[str, Any]]) -> None:
        self.pairs = pairs


def _object_of(members: Sequence[tuple[str, bytes]]) -> bytes:
    """An object whose values are spelled already. Of a name that stands twice the order counts."""
    ordered = sorted(members, key=lambda member: member[0])
    return b"{" + b",".join(_string(name) + b":" + value for name, value in ordered) + b"}"


def _string(text: str) -> bytes:
    if not _HALF.search(text):
        return _ENCODER.encode(text)
    import json

    return json.dumps(text).encode()


def _of_twice(value: Any) -> msgspec.Raw:
    if not isinstance(value, Twice):
        raise NotImplementedError
    return msgspec.Raw(_object_of([(name, _ENCODER.encode(each)) for name, each in value.pairs]))


_ENCODER: Final = msgspec.json.Encoder(order="sorted", enc_hook=_of_twice)


@cache
def _decoder() -> json.JSONDecoder:
    import json  # only it leaves the spelling of numbers to others

    raw = msgspec.Raw
    return json.JSONDecoder(parse_int=raw, parse_float=raw, parse_constant=raw, object_pairs_hook=_object, strict=False)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any] | Twice:
    found = dict(pairs)
    return found if len(found) == len(pairs) else Twice(pairs)


def _without(value: Any, patterns: Sequence[PointerPattern]) -> Any:
    """The value without what the patterns mean; ``value`` is below the place that they have reached."""
    if isinstance(value, dict | Twice):
        inside = ((name, each, below(patterns, name)) for name, each in _pairs(value))
        kept = [(name, _without(each, rest) if rest else each) for name, each, rest in inside if not left_out(rest)]
        return _object(kept)
    if isinstance(value, list):
        parts = ((each, below(patterns, str(at))) for at, each in enumerate(value))
        return [_without(each, rest) if rest else each for each, rest in parts if not left_out(rest)]
    return value


def _masked(value: Any) -> Any:
    """The value in which all secrets are the same; a member is gone of which nobody can say what its name is."""
    if isinstance(value, str):
        return MASK if HIDDEN.search(value) else value
    if isinstance(value, dict | Twice):
        return _object([(name, _masked(each)) for name, each in _pairs(value) if not HIDDEN.search(name)])
    return [_masked(each) for each in value] if isinstance(value, list) else value


def _whole(value: Any) -> Any:
    """The value in which strings that have half characters are spelled already."""
    if isinstance(value, str):
        return msgspec.Raw(_string(value)) if _HALF.search(value) else value
    if isinstance(value, dict | Twice):
        return Twice([(name, _whole(each)) for name, each in _pairs(value)])
    return list(map(_whole, value)) if isinstance(value, list) else value


def _pairs(value: dict[str, Any] | Twice) -> Sequence[tuple[str, Any]]:
    return value.pairs if isinstance(value, Twice) else list(value.items())


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
TOKENS_PER_STEP: Final = 2048
"""Tokens that are read in one step."""
_TOKEN = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"?|[\[\]{}]|[^ \t\n\r\[\]{},:"]++', re.DOTALL)


def _scalar(token: bytes) -> str | bytes:
    """What it has in common with all that are the same."""
    if token[:1] != b'"':
        return token
    return MASK if hides(token) else name_of(token)


class Numbering:
    """Gives the same number to what is the same, on both sides of a comparison."""

    def __init__(self) -> None:
        self._numbers: dict[Hashable, int] = {}

    def of(self, value: Hashable) -> int:
        return self._numbers.setdefault(value, len(self._numbers))


class _Open:
    """A container whose end has not come yet."""

    __slots__ = ("name", "names", "numbers", "spans", "start")

    def __init__(self, start: int, *, named: bool) -> None:
        self.start = start
        self.names: list[str] | None = [] if named else None
        self.spans: list[Span] = []
        self.numbers: list[int] = []
        self.name: str | None = None
        """The name whose value is next."""


class IndexedParts:
    """A text of which it is known where everything stands."""

    def __init__(self, text: bytes, numbering: Numbering) -> None:
        self.text = text
        self._numbering = numbering
        self._spans: dict[int, list[Span]] = {}
        self._names: dict[int, list[str]] = {}
        self._numbers: dict[int, int] = {}

    @classmethod
    def of(cls, text: bytes, numbering: Numbering) -> Steps[IndexedParts]:
        """Read the text. What closes too early or not at all is no JSON: then there is nothing inside of it."""
        parts, inside = cls(text, numbering), [_Open(0, named=False)]
        for count, token in enumerate(_TOKEN.finditer(text), start=1):
            if count % TOKENS_PER_STEP == 0:
                yield
            sign, start, end = text[token.start()], token.start(), token.end()
            if sign in b"[{":
                inside.append(_Open(start, named=sign == ord("{")))
                continue
            top = inside[-1]
            if sign in b"]}":
                if len(inside) == 1:
                    break
                number = parts._close(inside.pop())
                start, top = top.start, inside[-1]
            elif top.names is not None and top.name is None:
                top.name = name_of(token[0])
                continue
            else:
                number = numbering.of(_scalar(token[0]))
                parts._numbers[start] = number
            top.spans.append((start, end))
            top.numbers.append(number)
            if top.names is not None and top.name is not None:
                top.names.append(top.name)
                top.name = None
        return parts

    def _close(self, closed: _Open) -> int:
        self._spans[closed.start] = closed.spans
        if closed.names is not None:
            self._names[closed.start] = closed.names
        number = self._number(closed.names, closed.numbers)
        self._numbers[closed.start] = number
        return number

    def _number(self, names: Sequence[str] | None, numbers: Sequence[int]) -> int:
        if names is None:
            return self._numbering.of(("[", *numbers))
        pairs = [pair for pair in zip(names, numbers, strict=True) if not HIDDEN.search(pair[0])]
        # by name alone: of one that stands twice, the order counts
        return self._numbering.of(("{", *sorted(pairs, key=lambda pair: pair[0])))

    def number(self, span: Span, patterns: Sequence[PointerPattern] = NONE) -> int:
        """What the value there has in common with all that are the same; for what is no JSON, nothing.

        All secrets are the same, and what the patterns leave out of the value is not looked at.
        """
        spans = self._spans.get(span[0])
        if not patterns or spans is None:
            return self._numbers.get(span[0], -1)
        names = self._names.get(span[0])
        steps = names if names is not None else map(str, range(len(spans)))
        inside = [(step, each, below(patterns, step)) for step, each in zip(steps, spans, strict=True)]
        kept = [(step, self.number(each, rest)) for step, each, rest in inside if not left_out(rest)]
        return self._number(names and [step for step, _ in kept], [number for _, number in kept])

    def elements(self, span: Span) -> Steps[list[Span]]:
        """Where the elements of the array stand that is there."""
        yield
        return self._spans.get(span[0], [])

    def members(self, span: Span) -> Steps[list[NamedSpan]]:
        """The members of the object that is there, in order; a name that stands twice comes twice."""
        yield
        return list(zip(self._names.get(span[0], ()), self._spans.get(span[0], ()), strict=True))

    def fields(self, span: Span) -> dict[str, bytes]:
        """The members of an object, as they are written; of a name that stands twice, the last."""
        parts = zip(self._names.get(span[0], ()), self._spans.get(span[0], ()), strict=True)
        return {name: self.text[start:end] for name, (start, end) in parts}

    def first(self, span: Span, most: int) -> list[bytes]:
        """The first elements of an array, as they are written."""
        return [self.text[start:end] for start, end in self._spans.get(span[0], ())[:most]]
