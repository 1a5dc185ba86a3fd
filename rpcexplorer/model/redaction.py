"""Redaction: text in which every known secret has become its placeholder, by position and by value.

By position: the value of any member with a given name, whatever it is, in JSON, in JSON inside JSON, in JSON that
was cut. By value: every spelling of a secret (`spellings.py`), wherever it stands. Valid JSON stays valid JSON.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Final, NamedTuple

from rpcexplorer.model.glance import Glance
from rpcexplorer.model.member_values import keys, value_after
from rpcexplorer.model.secret import Secret
from rpcexplorer.model.sightings import Lookout, Sighting, Sought
from rpcexplorer.model.spellings import spellings, written
from rpcexplorer.protocol.scan import is_value

SHORTEST: Final = 6
"""Characters; what is shorter turns up by chance, so that it is hidden by position only."""

MARGIN: Final = 4 * 1024
"""Characters that the key of a member takes at most, with what stands between it and its value."""

LONGEST_CHARACTER: Final = 24
"""Characters in which one of a secret is spelled at most, escaped and quoted a few times."""

_PLACEHOLDER = re.compile(r"«[\w.-]+»")
_JSON_TOKEN = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"|[^\s\[\]{}",:]++', re.DOTALL)
_ESCAPE = re.compile(r"\\(?:u[0-9a-fA-F]{4}|.)", re.DOTALL)


class Edit(NamedTuple):
    """A stretch of a text, and what is put in its place."""

    start: int
    end: int
    put: str


def edited(text: str, edits: Iterable[Edit]) -> str:
    """The text with all of that done, in order."""
    at, parts = 0, []
    for start, end, put in edits:
        parts += [text[at:start], put]
        at = end
    return "".join([*parts, text[at:]])


class Redactor:
    """Knows everything that is to be hidden; made once for many texts."""

    def __init__(self, secrets: Iterable[Secret], members: Mapping[str, str] | None = None) -> None:
        """Hide `secrets` by value, and by position the `members`: their names, with the placeholder of each."""
        given = [secret for secret in secrets if secret]
        self._short = [secret.label for secret in given if len(secret.reveal()) < SHORTEST]
        values = {secret.reveal(): secret.placeholder for secret in given if len(secret.reveal()) >= SHORTEST}
        named = {name: put for name, put in (members or {}).items() if name}
        self._values, self._members = values, named
        self._glance = Glance(values, named)

    @cached_property
    def _lookout(self) -> Lookout:
        """Made when something may be there: most texts hold nothing, and it takes milliseconds."""
        return Lookout(_sought(self._values, self._members))

    @property
    def short(self) -> tuple[str, ...]:
        """Labels of the secrets that are too short to be hidden by value."""
        return tuple(dict.fromkeys(self._short))

    def text(self, text: str) -> str:
        """JSON or any text without the secrets. Doing it twice changes nothing more."""
        if not self._glance.sees(text.encode("utf-8", "surrogatepass")):
            return text
        return edited(text, self.edits(text))

    def edits(self, text: str) -> list[Edit]:
        """What has to be changed in a text, in order."""
        settled, secrets = self._found(text)
        pieces = list(_outside(settled, secrets))
        if pieces and is_value(text):
            pieces = list(_inside_tokens(text, pieces))
        return sorted([*settled, *pieces])

    def body(self, body: bytes) -> bytes:
        """The same for bytes, which need not be UTF-8."""
        if not self.may_be_in(body):
            return body
        text = body.decode("utf-8", "surrogateescape")
        return self.text(text).encode("utf-8", "surrogateescape")

    def may_be_in(self, body: bytes) -> bool:
        """Whether there could be anything to hide; takes a fraction of the time."""
        return self._glance.sees(body)

    def looks(self, body: bytes) -> Iterator[bool]:
        """The same in steps."""
        return self._glance.looks(body)

    @cached_property
    def margin(self) -> int:
        """Characters on either side of a place in a text that tell what goes across it."""
        return MARGIN + LONGEST_CHARACTER * max(map(len, self._values), default=0)

    def goes_across(self, text: str, at: int) -> bool:
        """Whether a secret or a member that is to be hidden begins before a place in a text and ends behind it."""
        for seen in self._lookout.sightings(text):
            edit = None if seen.kind == "secret" else _settled(text, seen)
            if seen.start < at < max(seen.end, edit.end if edit else 0):
                return True
        return False

    def places(self, text: str) -> Iterator[tuple[int, str]]:
        """Where something would be hidden, and the placeholder that would be put there."""
        settled, secrets = self._found(text)
        hidden = (edit for edit in settled if text[edit.start : edit.end] != edit.put)
        yield from ((edit.start, edit.put) for edit in sorted([*hidden, *_outside(settled, secrets)]))

    def _found(self, text: str) -> tuple[list[Edit], list[Edit]]:
        """What is settled by position, and the secrets as they overlap; each in order."""
        settled: list[Edit] = []
        secrets: list[Edit] = []
        for sighting in self._lookout.sightings(text):
            start, end, kind, put = sighting
            if kind == "secret":
                if secrets and start < secrets[-1].end:
                    start, before_end, put = secrets.pop()
                    end = max(end, before_end)
                secrets.append(Edit(start, end, put))
            elif (not settled or start >= settled[-1].end) and (edit := _settled(text, sighting)):
                settled.append(edit)
        return settled, secrets


def _sought(values: Mapping[str, str], members: Mapping[str, str]) -> Iterator[Sought]:
    for name, put in members.items():
        yield from (Sought("key", put, spelling) for spelling in keys(name))
    for put in {*values.values(), *members.values()}:
        yield from (Sought("placeholder", put, spelling) for spelling in written(put))
    for value, put in values.items():
        yield from (Sought("secret", put, spelling) for spelling in spellings(value))


def _settled(text: str, seen: Sighting) -> Edit | None:
    """A placeholder kept, or the value of a member hidden; None where neither is called for."""
    if seen.kind == "placeholder":
        return Edit(seen.start, seen.end, text[seen.start : seen.end])
    value = value_after(text, seen.start, seen.end)
    if value is None or (value.inner and _PLACEHOLDER.fullmatch(value.inner)):
        return None
    return Edit(value.start, value.end, value.quote + seen.placeholder + value.quote)


def _outside(settled: Sequence[Edit], secrets: Iterable[Edit]) -> Iterator[Edit]:
    """The parts of the secrets that lie in nothing that is settled."""
    first = 0
    for start, end, put in secrets:
        at = start
        first, inside = _touching(settled, first, start, end)
        for edit in inside:
            if at < edit.start:
                yield Edit(at, edit.start, put)
            at = edit.end
        if at < end:
            yield Edit(at, end, put)


def _inside_tokens(text: str, pieces: Sequence[Edit]) -> Iterator[Edit]:
    """The edits that leave JSON valid: within strings up to whole escapes, numbers as a whole, punctuation never."""
    first = 0
    for token in _JSON_TOKEN.finditer(text):
        first, touching = _touching(pieces, first, *token.span())
        if touching and token[0][0] != '"':
            yield Edit(*token.span(), f'"{touching[0].put}"')
        elif touching:
            yield from _inside_string(text, token.start() + 1, token.end() - 1, touching)


def _touching(edits: Sequence[Edit], first: int, start: int, end: int) -> tuple[int, list[Edit]]:
    """The edits from the number `first` on that overlap with a stretch, after the number of the first of them."""
    while first < len(edits) and edits[first].end <= start:
        first += 1
    after = first
    while after < len(edits) and edits[after].start < end:
        after += 1
    return first, list(edits[first:after])


def _inside_string(text: str, start: int, end: int, pieces: Iterable[Edit]) -> Iterator[Edit]:
    escapes = [escape.span() for escape in _ESCAPE.finditer(text, start, end)]
    at = start
    for piece in pieces:
        first = _escape_around(escapes, max(piece.start, at))[0]
        last = _escape_around(escapes, min(piece.end, end))[1]
        if first < last:
            yield Edit(first, last, piece.put)
            at = last


def _escape_around(escapes: Sequence[tuple[int, int]], at: int) -> tuple[int, int]:
    """The escape that `at` is inside of; `at` itself where there is none."""
    number = bisect_left(escapes, (at, 0)) - 1
    return escapes[number] if number >= 0 and escapes[number][1] > at else (at, at)
