"""Replaces secrets in text, bodies and headers."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from heapq import merge
from io import BytesIO
from typing import Final, NamedTuple

from rpcexplorer.jsontext.scan import decoded, is_value
from rpcexplorer.jsontext.slices import closing, in_string, opening, slices
from rpcexplorer.jsontext.steps import Steps
from rpcexplorer.model.secret import HIDDEN, UNRECORDED, Secret
from rpcexplorer.redaction.addresses import ADDRESSED, STEMS, TEXT, WHOLE, places, squashed
from rpcexplorer.redaction.spellings import (
    RUN,
    Matcher,
    Occurrence,
    Pattern,
    Prefilter,
    Spelling,
    continued,
    has_escapes,
    spellings,
    unescaped,
    written,
)

_JSON_TOKEN = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"|[^\s\[\]{}",:]++', re.DOTALL)
_ESCAPE = re.compile(r"\\(?:u[0-9a-fA-F]{4}|.)", re.DOTALL)


class Edit(NamedTuple):
    """A stretch of a text, and what is put in its place."""

    start: int
    end: int
    put: str


def edited(text: str, edits: Iterable[Edit]) -> str:
    at, parts = 0, []
    for start, end, put in edits:
        parts += [text[at:start], put]
        at = end
    return "".join([*parts, text[at:]])


def outside(settled: Sequence[Edit], secrets: Iterable[Edit]) -> Iterator[Edit]:
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


def inside_tokens(text: str, pieces: Sequence[Edit]) -> Iterator[Edit]:
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


_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_SECRET = re.compile(
    r".*(?:token|cookie|jwt|csrf|xsrf|secret|signature|sessionid)|x?(?:auth|session|ticket|key)"
    r"|(?:access|api|app|auth|private|session|subscription)key|auth(?:entication|orization)"
)
"""A word of a name, in small letters."""
_HARMLESS = re.compile(
    r"access control .*|sec web ?socket key|(?:x )?(?:idempotency|cache|surrogate|partition|object|sort) key"
    r"|public key pins.*|(?:.* )?(?:next|page|continuation) token|authentication results"
    r"|.* (?:count|expires|expiry|length|limit|policy|remaining|reset|timeout|ttl|type)"
)
"""A whole name in words: what is handed to everybody, or tells of a secret and is none."""
_JWT = re.compile(r"eyJ[\w-]{5,1024}+\.[\w-]{5,}+\.[\w.-]*")
_MEMBER = re.compile(r"""[?&#;](?:amp;)?([A-Za-z][\w.-]{0,63})=([^\s"'<>&#;,\\«]+)""")
"""Of a query or a fragment, or behind a path."""
_ADDRESSED: Final = re.compile(r"code|assertion|saml(?:response|art)|\w*sess(?:ion)?id")
"""What else is called so in an address that a browser is sent to."""
_STATUS = re.compile(r"\d{1,3}")


def holds_secret(name: str) -> bool:
    """Whether a header is named like one that holds a secret."""
    small = squashed(name)
    if any(pattern.fullmatch(each) for each in (small, small.removeprefix("x")) for pattern in (WHOLE, TEXT)):
        return True
    words = [word.lower() for word in _WORDS.findall(name)]
    return any(map(_SECRET.fullmatch, words)) and not _HARMLESS.fullmatch(" ".join(words))


def secrets(value: str) -> Iterator[Edit]:
    """Tokens in the value of any header, and what opens a door in an address, each with what is put there."""
    end = 0
    found = [each.span() for each in _JWT.finditer(value)]
    for member in _MEMBER.finditer(value):
        small = squashed(member[1])
        if any(each.fullmatch(small) for each in (WHOLE, TEXT, ADDRESSED, _ADDRESSED)) and not _STATUS.fullmatch(
            member[2]
        ):
            found.append(member.span(2))
    for start, stop in sorted(found):
        if start >= end:
            yield Edit(start, stop, UNRECORDED)
            end = stop


QUOTE: Final = r'(?:\\*+"|\\++u0022)'
"""Pattern of a quote with its backslashes."""
_QUOTE = re.compile(rf"(?<!\\){QUOTE}")
_SPACE = r"(?:[ \t\r\n]|\\++[nrt])*+"
_COLON = re.compile(f"{_SPACE}:{_SPACE}")
_KEY = re.compile(rf"(?<!\\){QUOTE}([\w .$-]{{1,100}}+)(?={QUOTE}{_SPACE}:)")
_BRACKET_OR_QUOTE = re.compile(rf"[\[\]{{}}]|(?<!\\){QUOTE}")
_BARE = re.compile(r'[^\s,\[\]{}"]++')
_BARE_IN_STRING = re.compile(r'[^\s,\[\]{}"\\]++')


class Value(NamedTuple):
    start: int
    end: int
    """Where the text is cut, if the value does not end before."""
    quote: str
    """How a string in this place is quoted."""
    inner: str | None
    """What stands between the quotes, as it is spelled; None for anything but a string."""

    def said(self, text: str) -> str | None:
        """What it means as text, also of a number; None for a list or a table."""
        if self.inner is None:
            return None if text.startswith(("{", "["), self.start) else text[self.start : self.end]
        inner = self.inner
        for _ in range(_level(self.quote) + 1):
            inner = decoded(f'"{inner}"')
        return inner


class MemberKey(NamedTuple):
    """The key of a member, up to its closing quote."""

    start: int
    end: int
    name: str


def plain_keys(text: str) -> Iterator[MemberKey]:
    """Every key that is a word or a few, at the top or inside strings."""
    for found in _KEY.finditer(text):
        yield MemberKey(*found.span(), found[1])


def keys(name: str) -> Iterator[Spelling]:
    """Patterns of a key of this name, large letters or small, at the top or inside strings; up to its closing quote."""
    rest = [f"(?i:{piece})" for piece in continued(name)] + [f"(?={QUOTE})"]
    yield Spelling('"', (r'(?<!\\")', *rest))
    yield Spelling("\\", (RUN, '(?:"|u0022)', *rest))


def value_after(text: str, key_start: int, name_end: int) -> Value | None:
    """The value of the member whose key opens at `key_start` and closes after `name_end`; None where it is no key."""
    opening, closing = _QUOTE.match(text, key_start), _QUOTE.match(text, name_end)
    colon = _COLON.match(text, closing.end()) if closing else None
    if not opening or not closing or not colon or _level(opening[0]) != _level(closing[0]):
        return None
    start, quote, level = colon.end(), opening[0], _level(opening[0])
    if string := _QUOTE.match(text, start):
        if _level(string[0]) < level:
            return None  # the text around ends here
        inner_end, end = _string_end(text, string.end(), _level(string[0]))
        return Value(start, end, string[0], text[string.end() : inner_end])
    if text.startswith(("{", "["), start):
        return Value(start, _container_end(text, start, level), quote, None)
    bare = (_BARE_IN_STRING if level else _BARE).match(text, start)
    return Value(start, bare.end(), quote, None) if bare else None


def _level(quote: str) -> int:
    """How many strings the quote is inside of."""
    backslashes, spelled_out = quote.count("\\"), not quote.endswith('"')
    level = 0
    while spelled_out or backslashes % 2:
        spelled_out = spelled_out and backslashes % 2 == 0
        backslashes //= 2
        level += 1
    return level


def _string_end(text: str, start: int, level: int) -> tuple[int, int]:
    """Where the inside of a string ends, and where its closing quote does."""
    for quote in _QUOTE.finditer(text, start):
        its_level = _level(quote[0])
        if its_level <= level:
            return quote.start(), quote.end() if its_level == level else quote.start()
    return len(text), len(text)


def _container_end(text: str, start: int, level: int) -> int:
    depth, in_string = 0, False
    for mark in _BRACKET_OR_QUOTE.finditer(text, start):
        if mark[0] in "[]{}":
            depth += 0 if in_string else 1 if mark[0] in "[{" else -1
            if depth == 0:
                return mark.end()
        elif (its_level := _level(mark[0])) < level:
            return mark.start()
        elif its_level == level:
            in_string = not in_string
    return len(text)


SHORTEST: Final = 6
"""Characters; what is shorter turns up by chance, so that it is hidden by position only."""
MARGIN: Final = 4 * 1024
"""Characters that the key of a member takes at most, with what stands between it and its value."""
LONGEST_CHARACTER: Final = 32
"""Characters in which one of a secret is spelled at most, escaped and quoted a few times."""
MATCHERS: Final = 16
"""So many are kept, each for the secrets that may stand in some text."""
_WORD = re.compile(r"[A-Za-z0-9]+")
_GUILLEMETS = re.compile("«[^«»]*»")
_NO_SECRET = re.compile(r"null|true|false|[\[{]\s*+[\]}]|")
"""What holds nothing, whatever it is called."""


def _turns_up(secret: Secret) -> bool:
    """Whether its value stands in texts by chance: it is short, or everybody is told it as the profile's name."""
    return len(secret.reveal()) < SHORTEST or secret.reveal() == secret.label.rpartition(".")[0]


class Redactor:
    """Knows everything that is to be hidden; made once for many texts."""

    def __init__(
        self,
        secrets: Iterable[Secret],
        members: Mapping[str, str] | None = None,
        *,
        profile: str = "",
        places: Iterable[str] = (),
        guesses: bool = False,
    ) -> None:
        """Hide ``secrets`` by value; of those with one label, the last is the one that its placeholder opens.

        By position: whatever stands behind ``members``, each with what is put there; short secrets behind ``places``
        and keys that are named like a secret; and with ``guesses`` anything behind the latter. ``profile`` is the
        one in use, whose label is taken where several have the same value.
        """
        given = [secret for secret in secrets if secret]
        self._opens = {each.placeholder: each.reveal() for each in given if each.label.rpartition(".")[0] == profile}
        """What can be sent again, as a whole JSON string."""
        self._named = self._by_value(given)
        self._short = {secret.reveal(): secret.label for secret in given if _turns_up(secret)}
        self._values = {value: put for value, put in self._named.items() if value not in self._short}
        self.guesses = guesses
        self._by_name = guesses or bool(self._short)
        self._members = {
            name: put
            for name, put in (dict.fromkeys(places if self._short else (), "") | dict(members or {})).items()
            if name
        }
        self._prefilter = Prefilter(self._values, (*self._members, *(STEMS if self._by_name else ())))
        self._matchers: dict[tuple[str, ...], Matcher] = {}

    def _by_value(self, given: Iterable[Secret]) -> dict[str, str]:
        """What is put for each value: rather what can be sent again, and rather a profile's name than a variable's."""

        def rank(secret: Secret) -> tuple[bool, bool, bool]:
            opened = self._opens.get(secret.placeholder)
            return opened == secret.reveal(), opened is not None, "." in secret.label

        return {secret.reveal(): secret.placeholder for secret in sorted(given, key=rank)}

    @property
    def short(self) -> tuple[str, ...]:
        """Labels of the secrets that are too short to be hidden by value."""
        return tuple(dict.fromkeys(self._short.values()))

    def text(self, text: str) -> str:
        """JSON or any text without the secrets. Doing it twice changes nothing more."""
        if not self.may_be_in(text.encode("utf-8", "surrogatepass")):
            return text
        return edited(text, self.edits(text))

    def params(self, text: str) -> str:
        """Like ``text``, of what can be sent again: a placeholder stands for what it opens, a mark for the rest."""
        if not self.may_be_in(text.encode("utf-8", "surrogatepass")):
            return text
        return edited(text, (Edit(at, end, self._sendable(text[at:end], put)) for at, end, put in self.edits(text)))

    def header(self, name: str, value: str) -> str:
        """The value of an HTTP header, of which more names hold a secret than of members (`headers.py`)."""
        if value in self._named and holds_secret(name):
            return self._named[value]
        if not self.guesses:
            return self.text(value)
        if value and not HIDDEN.fullmatch(value) and holds_secret(name):
            return UNRECORDED
        value = self.text(value)
        return edited(value, secrets(value))

    def _sendable(self, was: str, put: str) -> str:
        """What is put in the place of something, where it may be opened again."""
        placeholder = _GUILLEMETS.search(put)
        if placeholder is None or put == was:
            return put
        value = self._opens.get(placeholder[0])
        is_string = was[:1] == '"' or put[:1] != '"'  # else a number, which would come back as a text
        if is_string and value is not None and value in {was, decoded(was if was[:1] == '"' else f'"{was}"')}:
            return put
        return put.replace(placeholder[0], UNRECORDED)

    def edits(self, text: str) -> list[Edit]:
        settled, secrets = self._found(text)
        pieces = list(outside(settled, secrets))
        if pieces and is_value(text):
            pieces = list(inside_tokens(text, pieces))
        return sorted([*settled, *pieces])

    def body(self, body: bytes) -> bytes:
        """Like ``text``, for bytes, which need not be UTF-8."""
        if not self.may_be_in(body):
            return body
        text = body.decode("utf-8", "surrogateescape")
        return self.text(text).encode("utf-8", "surrogateescape")

    def may_be_in(self, body: bytes) -> bool:
        """Whether there could be anything to hide; takes a fraction of the time."""
        return self._prefilter.matches(body) or (self.guesses and any(places(body.decode("latin-1"))))

    def may_be_in_steps(self, body: bytes) -> Iterator[bool]:
        """Like ``may_be_in``, in steps."""
        yield from self._prefilter.matches_in_steps(body)
        if self.guesses:
            yield any(places(body.decode("latin-1")))

    @cached_property
    def margin(self) -> int:
        """Characters on either side of a place in a text that tell what goes across it."""
        return MARGIN + LONGEST_CHARACTER * max(map(len, self._values), default=0)

    def goes_across(self, text: str, at: int) -> bool:
        """Whether a secret or a member that is to be hidden begins before a place in a text and ends behind it."""
        for seen in self._occurrences(text):
            edit = None if seen.kind == "secret" else self._settled(text, seen)
            if seen.start < at < max(seen.end, edit.end if edit else 0):
                return True
        return False

    def places(self, text: str) -> Iterator[tuple[int, str]]:
        """Where something would be hidden, and the placeholder that would be put there."""
        settled, secrets = self._found(text)
        hidden = (edit for edit in settled if text[edit.start : edit.end] != edit.put)
        yield from ((edit.start, edit.put) for edit in sorted([*hidden, *outside(settled, secrets)]))

    def _found(self, text: str) -> tuple[list[Edit], list[Edit]]:
        """What is settled by position, and the secrets as they overlap; each in order."""
        settled: list[Edit] = []
        secrets: list[Edit] = []
        for occurrence in self._occurrences(text):
            start, end, kind, put = occurrence
            if kind == "secret":
                if secrets and start < secrets[-1].end:
                    start, before_end, put = secrets.pop()
                    end = max(end, before_end)
                secrets.append(Edit(start, end, put))
            elif (not settled or start >= settled[-1].end) and (edit := self._settled(text, occurrence)):
                settled.append(edit)
        return settled, secrets

    def _occurrences(self, text: str) -> Iterator[Occurrence]:
        """Whatever is found, in order; also where letters and digits are spelled as escapes."""
        if not has_escapes(text.encode("utf-8", "surrogatepass")):
            return self._seen_in(text)
        others = (map(read.in_original, self._seen_in(read.text)) for read in unescaped(text))
        return merge(self._seen_in(text), *others)

    def _seen_in(self, text: str) -> Iterator[Occurrence]:
        found = self._matcher_for(text).occurrences(text)
        named = self._named_like_secrets(text) if self._by_name else ()
        addressed = (Occurrence(at.start, at.end, "address", "") for at in places(text)) if self.guesses else ()
        return merge(found, named, addressed)

    def _named_like_secrets(self, text: str) -> Iterator[Occurrence]:
        put = UNRECORDED if self.guesses else ""
        for start, end, name in plain_keys(text):
            small = squashed(name)
            if WHOLE.fullmatch(small):
                yield Occurrence(start, end, "whole", put)
            elif TEXT.fullmatch(small):
                yield Occurrence(start, end, "text", put)

    def _matcher_for(self, text: str) -> Matcher:
        """One for what may be in a text: most hold nothing, and to make it takes milliseconds for each secret."""
        among = self._prefilter.among(text.encode("utf-8", "surrogatepass"))
        puts = tuple(put for put, word in self._placeholders.items() if word in text)
        matcher = self._matchers.get((*among, "", *puts))
        if matcher is None:
            if len(self._matchers) == MATCHERS:
                self._matchers.clear()
            matcher = self._matchers[*among, "", *puts] = Matcher(self._patterns(among, puts))
        return matcher

    @cached_property
    def _placeholders(self) -> dict[str, str]:
        """What stays as it is, also where a part of it is a secret, and its longest word, by which it is found."""
        puts = (*self._named.values(), *filter(None, self._members.values()), UNRECORDED)
        return {put: max(_WORD.findall(put), key=len, default="") for put in puts}

    def _patterns(self, values: Iterable[str], puts: Iterable[str]) -> Iterator[Pattern]:
        for name, put in self._members.items():
            yield from (Pattern("key", put, spelling) for spelling in keys(name))
        for put in puts:
            yield from (Pattern("placeholder", put, spelling) for spelling in written(put))
        for value in values:
            yield from (Pattern("secret", self._values[value], spelling) for spelling in spellings(value))

    def _settled(self, text: str, seen: Occurrence) -> Edit | None:
        """A placeholder kept, or the value of a member hidden; None where neither is called for."""
        if seen.kind == "placeholder":
            return Edit(seen.start, seen.end, text[seen.start : seen.end])
        if seen.kind == "address":
            known = text[seen.start : seen.end] in self._values
            return None if known else Edit(seen.start, seen.end, UNRECORDED)
        value = value_after(text, seen.start, seen.end)
        if value is None or (value.inner and HIDDEN.fullmatch(value.inner)):
            return None
        put = self._put_for(text, value, seen)
        return Edit(value.start, value.end, value.quote + put + value.quote) if put else None

    def _put_for(self, text: str, value: Value, seen: Occurrence) -> str:
        """What is put in the place of a member's value; empty where it stays, or is hidden by value."""
        said = value.said(text)
        if said in self._short:
            return self._named[said]
        if seen.kind == "key" or not seen.placeholder:
            return seen.placeholder
        if said in self._named or (value.inner is None and seen.kind == "text"):
            return ""
        held = text[value.start : value.end] if value.inner is None else value.inner
        return "" if _NO_SECRET.fullmatch(held) else seen.placeholder


PIECE: Final = 32 * 1024
"""Bytes: some milliseconds where there is something to hide."""


def redacted_in_pieces(body: bytes, hide: Redactor) -> Steps[bytes]:
    for may_be in hide.may_be_in_steps(body):
        if may_be:
            return (yield from _in_pieces(body, hide))
        yield
    return body


def _in_pieces(body: bytes, hide: Redactor) -> Steps[bytes]:
    kept = BytesIO()
    start, before, least = 0, b"", 0
    for part in slices(body, PIECE):
        yield
        whole = part.end == len(body)
        if not whole and (part.end - start < least or _goes_across(body, part.end, hide)):
            continue
        piece = _redacted_piece(body[start : part.end], before, part.after, hide)
        if piece is None:
            least = 2 * (part.end - start)
            continue
        behind = part.end if whole or in_string(part.after) else part.end + 1
        kept.write(piece + body[part.end : behind])
        start, before, least = behind, part.after, 0
    return kept.getvalue()


def _goes_across(body: bytes, cut: int, hide: Redactor) -> bool:
    """Whether anything that is to be hidden may begin before a cut and end behind it."""
    first = max(cut - hide.margin, 0)
    around = body[first : cut + hide.margin]
    if not hide.may_be_in(around):
        return False
    head, text = (part.decode("utf-8", "surrogateescape") for part in (body[first:cut], around))
    return hide.goes_across(text, len(head))


def _redacted_piece(piece: bytes, before: bytes, after: bytes, hide: Redactor) -> bytes | None:
    """A piece without the secrets; None where one may go on behind it."""
    if not hide.may_be_in(piece):
        return piece
    lead, trail = opening(before), closing(after)
    text = (lead + piece + trail).decode("utf-8", "surrogateescape")
    edits = hide.edits(text)
    end = len(text) - len(trail)
    if any(edit.start < len(lead) or (after and edit.end >= end) for edit in edits):
        return None
    changed = edited(text, edits)
    return changed[len(lead) : len(changed) - len(trail)].encode("utf-8", "surrogateescape")
