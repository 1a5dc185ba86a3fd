"""A text that only we can read, taken apart whole and in one go: any depth, NaN, half characters, in linear time.

Each value also gets a number that it shares with every value that is the same, so that two of them are compared in
no time, however deep they nest.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Sequence
from typing import Final

from rpcexplorer.jsontext.scan import Span
from rpcexplorer.jsontext.steps import Steps
from rpcexplorer.model.comparing.canonical import MASK
from rpcexplorer.model.comparing.ignoring import NONE, PointerPattern, below, left_out
from rpcexplorer.model.comparing.parts import NamedSpan, name_of
from rpcexplorer.model.comparing.scalars import hides
from rpcexplorer.model.secret import HIDDEN

TURN: Final = 2048
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
            if count % TURN == 0:
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
