"""Replace secrets in text, bodies and headers."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property, lru_cache
from io import BytesIO
from typing import Final, Literal, NamedTuple

from rpcexplorer.jsontext.scan import decoded, is_value
from rpcexplorer.jsontext.slices import closing, in_string, opening, slices
from rpcexplorer.jsontext.steps import Steps
from rpcexplorer.model.secret import FIELDS, HIDDEN, UNRECORDED, Secret, squashed
from rpcexplorer.patterns import regex
from rpcexplorer.redaction.addresses import ADDRESSED, STEMS, TEXT, WHOLE, means_secret, places
from rpcexplorer.redaction.spellings import SHORTEST, Literals, spellings

_JSON_TOKEN = regex(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"|[^\s\[\]{}",:]++', re.DOTALL)
_WHOLE_TOKENS = regex(
    r"""(?: [\s\[\]{},:]++ | "[^"\\]*+(?:\\.[^"\\]*+)*+" | [^\s\[\]{}",:]++(?=[\s\[\]{}",:]) )*+""",
    re.DOTALL | re.VERBOSE,
)
"""Many tokens in one match, up to the next edit: thousands of single matches would take long."""


class Edit(NamedTuple):
    """A span of a text and its replacement."""

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
    """Yield the parts of the secrets outside of settled edits.

    Both are in order and do not overlap.
    """
    number = 0
    for start, end, put in secrets:
        at = start
        while number < len(settled) and settled[number].end <= at:
            number += 1
        for other in settled[number:]:
            if other.start >= end:
                break
            if at < other.start:
                yield Edit(at, other.start, put)
            at = other.end
        if at < end:
            yield Edit(at, end, put)


def inside_tokens(text: str, edits: Sequence[Edit], *, names: bool = True) -> Iterator[Edit]:
    """Yield edits that leave JSON valid.

    In strings they cover whole escapes. Numbers are replaced as a whole, punctuation never. Without ``names``, names of
    members stay.
    """
    number = at = 0
    while number < len(edits):
        before = _WHOLE_TOKENS.match(text, at, max(at, edits[number].start))
        token = _JSON_TOKEN.search(text, before.end() if before else at)
        if token is None:
            return
        at = token.end()
        is_string = token[0].startswith('"')
        stays = is_string and not names and _COLON.match(text, at)
        done = token.start()  # Up to here, this token is replaced.
        while number < len(edits) and edits[number].start < at:
            start, end, put = edits[number]
            if is_string and not stays:
                inner = max(done, token.start() + 1)
                first, _ = _around_escape(text, inner, max(start, inner))
                _, last = _around_escape(text, inner, min(end, at - 1))
                if first < last:
                    yield Edit(first, last, put)
                    done = last
            elif not is_string and end > done:
                yield Edit(token.start(), at, f'"{put}"')
                done = at
            if end > at:  # It goes on in the next token.
                break
            number += 1


def _around_escape(text: str, first: int, at: int) -> tuple[int, int]:
    """Return the span of the escape around `at`, or an empty one.

    At `first` no escape is open.
    """
    start = run = text.rfind("\\", max(first, at - 5), at)
    while run > first and text[run - 1] == "\\":
        run -= 1
    if start < 0 or (start - run) % 2:
        return at, at
    end = start + (6 if text.startswith("u", start + 1) else 2)
    return (start, end) if end > at else (at, at)


_WORDS = regex(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_SECRET = regex(
    r".*(?:token|cookie|jwt|csrf|xsrf|secret|signature|sessionid)|x?(?:auth|session|ticket|key)"
    r"|(?:access|api|app|auth|private|session|subscription)key|auth(?:entication|orization)"
)
"""A lower-case word of a name."""
_HARMLESS = regex(
    r"access control .*|sec web ?socket key|(?:x )?(?:idempotency|cache|surrogate|partition|object|sort) key"
    r"|public key pins.*|(?:.* )?(?:next|page|continuation) token|authentication results"
    r"|.* (?:count|expires|expiry|length|limit|policy|remaining|reset|timeout|ttl|type)"
)
"""A whole name of something that is public, or only about a secret."""
_JWT = regex(r"eyJ[\w-]{5,1024}+\.[\w-]{5,}+\.[\w.-]*")
"""A JSON web token: ``{"`` is ``eyJ`` in Base64."""
_MEMBER = regex(r"""[?&#;](?:amp;)?([A-Za-z][\w.-]{0,63})=([^\s"'<>&#;,\\«]+)""")
"""A member of a query or fragment, or after a path."""
_ADDRESSED: Final = regex(r"code|assertion|saml(?:response|art)|\w*sess(?:ion)?id")
"""More names in addresses that a browser is sent to."""
_STATUS = regex(r"\d{1,3}")
"""A value of ``code=`` that is an HTTP status, not the code of a login."""


def words_of(name: str) -> list[str]:
    """Return the words of a name in lower case; signs, digits and case separate them."""
    return [word.lower() for word in _WORDS.findall(name)]


@lru_cache(256)
def holds_secret(name: str) -> bool:
    """Return whether the name of a header means a secret."""
    small = squashed(name)
    if means_secret(small) or means_secret(small.removeprefix("x")):
        return True
    words = words_of(name)
    return any(map(_SECRET.fullmatch, words)) and not _HARMLESS.fullmatch(" ".join(words))


def header_secrets(value: str) -> Iterator[Edit]:
    """Yield edits for tokens in a header's value, and secrets in addresses."""
    found = [token.span() for token in _JWT.finditer(value)]
    for member in _MEMBER.finditer(value):
        small = squashed(member[1])
        is_named = means_secret(small) or ADDRESSED.fullmatch(small) or _ADDRESSED.fullmatch(small)
        if is_named and not _STATUS.fullmatch(member[2]):
            found.append(member.span(2))
    end = 0
    for start, stop in sorted(found):
        if start >= end:
            yield Edit(start, stop, UNRECORDED)
            end = stop


QUOTE: Final = r'(?:\\*+"|\\++u0022)'
"""A quote with its backslashes."""
_QUOTE = regex(rf"(?<!\\){QUOTE}")
_SPACE = r"(?:[ \t\r\n]|\\++[nrt])*+"
_COLON = regex(f"{_SPACE}:{_SPACE}")
_KEY = regex(rf'(?<!\\){QUOTE}((?:[^"\\\r\n]|\\++u(?!0022)[0-9a-fA-F]{{4}}){{1,100}}+)(?={QUOTE}{_SPACE}:)')
_CODED = regex(r"\\+u([0-9a-fA-F]{4})")
_BRACKET_OR_QUOTE = regex(rf"[\[\]{{}}]|(?<!\\){QUOTE}")
_BARE = regex(r'[^\s,\[\]{}"]++')
_BARE_IN_STRING = regex(r'[^\s,\[\]{}"\\]++')


class Value(NamedTuple):
    start: int
    end: int
    """End of the value, or of the text if the value is cut."""
    quote: str
    """The quote of a string here, with its backslashes."""
    inner: str | None
    """The text between the quotes, as spelled; None if it is not a string."""

    def decoded_text(self, text: str) -> str | None:
        """Return the decoded text or number; None for a list or an object."""
        if self.inner is None:
            is_container = text.startswith(("{", "["), self.start)
            return None if is_container else text[self.start : self.end]
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
    """Yield every key of a few words, also inside strings."""
    for found in _KEY.finditer(text):
        name = found[1]
        if "\\" in name:
            name = _CODED.sub(lambda code: chr(int(code[1], 16)), name)
        yield MemberKey(found.start(), found.end(), name)


def value_after(text: str, key_start: int, name_end: int, *, containers: bool = False) -> Value | None:
    """Return the value of the member with this key, or None.

    Without ``containers`` lists and objects give None, too: looking for their ends again and again takes long.
    """
    opening, closing = _QUOTE.match(text, key_start), _QUOTE.match(text, name_end)
    colon = _COLON.match(text, closing.end()) if closing else None
    if not opening or not closing or not colon or _level(opening[0]) != _level(closing[0]):
        return None
    start = colon.end()
    quote = opening[0]
    level = _level(quote)
    string = _QUOTE.match(text, start)
    if string:
        if _level(string[0]) < level:
            return None  # The text around it ends here.
        inner_end, end = _string_end(text, string.end(), string[0])
        return Value(start, end, string[0], text[string.end() : inner_end])
    if text.startswith(("{", "["), start):
        if not containers:
            return None
        return Value(start, _container_end(text, start, level), quote, None)
    pattern = _BARE_IN_STRING if level else _BARE
    bare = pattern.match(text, start)
    return Value(start, bare.end(), quote, None) if bare else None


def _level(quote: str) -> int:
    """Return how many strings are around the quote."""
    backslashes = quote.count("\\")
    spelled_out = not quote.endswith('"')
    level = 0
    while spelled_out or backslashes % 2:
        spelled_out = spelled_out and backslashes % 2 == 0
        backslashes //= 2
        level += 1
    return level


def _string_end(text: str, start: int, quote: str) -> tuple[int, int]:
    """Return the end of a string's text, and of its closing quote."""
    level = _level(quote)
    for found in _QUOTE.finditer(text, start):
        its_level = _level(found[0])
        if its_level == level:  # Escaped backslashes before it are part of the string.
            return max(found.start(), found.end() - len(quote)), found.end()
        if its_level < level:
            return found.start(), found.start()
    return len(text), len(text)


def _container_end(text: str, start: int, level: int) -> int:
    """Return the end of a list or an object whose strings have this level."""
    depth = 0
    in_string = False
    for mark in _BRACKET_OR_QUOTE.finditer(text, start):
        if mark[0] not in "[]{}":
            its_level = _level(mark[0])
            if its_level < level:  # The string that contains all of this ends.
                return mark.start()
            if its_level == level:
                in_string = not in_string
        elif not in_string:
            depth += 1 if mark[0] in "[{" else -1
            if depth == 0:
                return mark.end()
    return len(text)


WORDS: Final = frozenset({"jsonrpc", "json-rpc", "method", "params", "result", "message", "version", *FIELDS})
"""Words of the protocol, of our sentences and of secret references."""
MARGIN: Final = 4 * 1024
"""Longest key with the text before its value, in characters."""
_RUN = regex(r"[a-z0-9]+")
_ESCAPED_LETTER = regex(r"\\u00[4-7]")
r"""An ASCII letter as ``\u0061``, which could hide the name of a secret."""
_GUILLEMETS = regex("«[^«»]*»")
_RESULT_REFERENCE = regex(r'"\{\{(?:last|open)\.[^{}"\\]+#[^{}"\\]*\}\}"')
_NO_SECRET = regex(r"null|true|false|[\[{]\s*+[\]}]")
"""Values that hold nothing, whatever their name is."""


def is_common(value: str) -> bool:
    """Return whether a value is too common to search."""
    return len(value) < SHORTEST or value.lower() in WORDS


_NAME: Final = regex(r"[\w .:$@\[\]-]+")
"""A name; ``/etc/passwd`` or ``{password}`` is not one."""


@lru_cache(1024)
def kind_of(name: str) -> Literal["", "whole", "text"]:
    """Return how much of the value of this name is a secret."""
    if not _NAME.fullmatch(name):
        return ""
    small = squashed(name)
    if WHOLE.fullmatch(small):
        return "whole"
    return "text" if TEXT.fullmatch(small) else ""


@lru_cache(8)
def _literals_of(values: tuple[tuple[str, str], ...]) -> Literals:
    """Return the literals with their pattern, made once for equal secrets."""
    puts: dict[str, str] = {}
    for value, put in values:
        puts |= dict.fromkeys(spellings(value), put)
    return Literals(puts)


class Redactor:
    """Finds and replaces secrets; made once for many texts."""

    def __init__(
        self,
        secrets: Iterable[Secret],
        *,
        profile: str = "",
        places: Iterable[str] = (),
        username_places: Iterable[str] = (),
        guesses: bool = False,
        names: bool = True,
    ) -> None:
        """Redact ``secrets`` by value, or by position if they are common.

        By position means: after ``places`` and keys with a name like a secret for short or public ones, after
        ``username_places`` for user names, and with ``guesses`` for anything after keys with a name like a secret. Of
        secrets with one label, the last one gets the reference. If several have the same value, the label of
        ``profile`` is used. Without ``names``, names of JSON members stay.
        """
        self.guesses = guesses
        self._names = names
        given = [secret for secret in secrets if secret]
        user_names = [secret for secret in given if secret.is_username]
        others = [secret for secret in given if not secret.is_username]
        # The values of the references that can be sent again.
        self._opens = {secret.placeholder: secret.reveal() for secret in given if secret.profile == profile}
        self._user_names = self._placeholders(user_names)
        self._named = self._placeholders(others)
        searched = {secret.reveal() for secret in others if not _is_public(secret)}
        self._values = {value: put for value, put in self._named.items() if value in searched}
        self._public = {secret.reveal(): secret.label for secret in others if secret.reveal() not in searched}
        self._literals = _literals_of(tuple(self._values.items()))
        if not self._public:
            places = ()
        if not self._user_names:
            username_places = ()
        self._places = {name.lower() for name in places}
        self._username_places = {name.lower() for name in username_places}
        # A text with a secret after a name contains one of these.
        self._stems = [_longest_word(name).encode() for name in (*self._places, *self._username_places)]
        if guesses or self._public:
            self._stems += [stem.encode() for stem in STEMS]

    @cached_property
    def _kept(self) -> re.Pattern[str]:
        """The references, raw and as in JSON that has only ASCII."""
        puts = {*self._named.values(), *self._user_names.values(), UNRECORDED}
        puts |= {json.dumps(put)[1:-1] for put in puts}
        return re.compile("|".join(map(re.escape, puts)))

    def _placeholders(self, secrets: Iterable[Secret]) -> dict[str, str]:
        """Return the reference for each value.

        References that can be sent again win, then those of a profile.
        """

        def rank(secret: Secret) -> tuple[bool, bool, bool]:
            opened = self._opens.get(secret.placeholder)
            return opened == secret.reveal(), opened is not None, "." in secret.label

        return {secret.reveal(): secret.placeholder for secret in sorted(secrets, key=rank)}

    @property
    def by_position(self) -> tuple[str, ...]:
        """Return labels of the secrets that are redacted by position only.

        User names are left out.
        """
        return tuple(dict.fromkeys(self._public.values()))

    def text(self, text: str) -> str:
        """Redact JSON or any other text; redacting it twice changes nothing."""
        return edited(text, self.edits(text))

    def params(self, text: str) -> str:
        """Redact params that can be sent again.

        A secret reference replaces only the value that it resolves to. Other redacted values get the mark. A result
        reference stays, whatever the name of its member is.
        """
        found = [edit for edit in self.edits(text) if not _RESULT_REFERENCE.fullmatch(text, edit.start, edit.end)]
        return edited(text, [Edit(at, end, self._sendable(text[at:end], put)) for at, end, put in found])

    def header(self, name: str, value: str) -> str:
        """Redact an HTTP header; more names of headers mean a secret."""
        if value in self._named and holds_secret(name):
            return self._named[value]
        if not self.guesses:
            return self.text(value)
        if value and not HIDDEN.fullmatch(value) and holds_secret(name):
            return UNRECORDED
        value = self.text(value)
        return edited(value, header_secrets(value))

    def _sendable(self, was: str, put: str) -> str:
        """Return the replacement, or a mark if it would not restore the value."""
        placeholder = _GUILLEMETS.search(put)
        if placeholder is None or put == was:
            return put
        unrestored = put.replace(placeholder[0], UNRECORDED)
        is_quoted = was.startswith('"')
        if put.startswith('"') and not is_quoted:  # It was a number, which would be sent as a string.
            return unrestored
        meant = decoded(was if is_quoted else f'"{was}"')
        value = self._opens.get(placeholder[0])
        return put if value is not None and value in {was, meant} else unrestored

    def edits(self, text: str) -> list[Edit]:
        settled, pieces = self._found(text)
        if pieces and is_value(text):
            pieces = list(inside_tokens(text, pieces, names=self._names))
        return sorted([*settled, *pieces])

    def body(self, body: bytes) -> bytes:
        """Redact bytes, which need not be UTF-8."""
        text = body.decode("utf-8", "surrogateescape")
        edits = self.edits(text)
        return edited(text, edits).encode("utf-8", "surrogateescape") if edits else body

    def bodies(self, bodies: Sequence[bytes]) -> list[bytes]:
        """Redact many short bodies, of which few contain anything: they are searched together.

        It takes a fifth of the time.
        """
        if not self.finds(_text(b"\n".join(bodies))):  # Nothing that is redacted goes across a line end.
            return list(bodies)
        if len(bodies) <= TOGETHER:
            return [self.body(body) for body in bodies]
        redacted: list[bytes] = []
        for at in range(0, len(bodies), TOGETHER):
            redacted += self.bodies(bodies[at : at + TOGETHER])
        return redacted

    def finds(self, text: str) -> bool:
        """Return whether there is anything to redact, or nearly: a name is enough, whatever its value is."""
        if self._literals.are_in(text) or (self.guesses and any(places(text))):
            return True
        return self._has_names(text) and any(self._is_secret(key.name.lower()) for key in plain_keys(text))

    def may_be_in(self, text: str) -> bool:
        """Return whether the text may contain anything to redact."""
        return self._literals.are_in(text) or self._has_names(text) or (self.guesses and any(places(text)))

    @property
    def margin(self) -> int:
        """Return how many characters around an offset can affect it."""
        return MARGIN + self._literals.longest

    def goes_across(self, text: str, at: int) -> bool:
        """Return whether something to redact crosses an offset."""
        if any(name_start < at < edit.end for name_start, edit in self._by_position(text)):
            return True
        return any(edit.start < at < edit.end for edit in self._by_value(text))

    def places(self, text: str) -> Iterator[tuple[int, str]]:
        """Yield the offsets of what would be redacted, with the references."""
        settled, secrets = self._found(text)
        for start, end, put in sorted([*settled, *secrets]):
            if text[start:end] != put:
                yield start, put

    def _found(self, text: str) -> tuple[list[Edit], list[Edit]]:
        """Return edits by position, and secrets outside of them, in order."""
        by_position, secrets = self._by_position(text), self._by_value(text)
        if secrets:  # A secret reference stays, even if a part of it is a secret.
            by_position += [(match.start(), Edit(*match.span(), match[0])) for match in self._kept.finditer(text)]
        settled: list[Edit] = []
        for start, edit in sorted(by_position):
            if not settled or start >= settled[-1].end:
                settled.append(edit)
        return settled, list(outside(settled, secrets))

    def _by_value(self, text: str) -> list[Edit]:
        """Return the secrets; those that overlap are one edit."""
        found: list[Edit] = []
        for start, end, put in self._literals.find(text):
            if found and start < found[-1].end:
                start, before_end, put = found.pop()  # noqa: PLW2901 - the two together
                end = max(end, before_end)  # noqa: PLW2901
            found.append(Edit(start, end, put))
        return found

    def _by_position(self, text: str) -> list[tuple[int, Edit]]:
        """Return edits by name and in addresses, with the offset of the name."""
        found: list[tuple[int, Edit]] = []
        if self._has_names(text):
            found += self._by_name(text)
        if self.guesses:
            for start, end, _ in places(text):
                if text[start:end] not in self._values:
                    found.append((start, Edit(start, end, UNRECORDED)))
        return found

    def _by_name(self, text: str) -> Iterator[tuple[int, Edit]]:
        end = 0
        for key in plain_keys(text):
            name = key.name.lower()
            if key.start < end or not self._is_secret(name):
                continue
            containers = self.guesses and kind_of(name) == "whole"
            value = value_after(text, key.start, key.end, containers=containers)
            put = self._replacement(text, value, name) if value else ""
            if value and put:
                yield key.start, Edit(value.start, value.end, value.quote + put + value.quote)
                end = value.end

    def _is_secret(self, name: str) -> bool:
        """Return whether the value of a member with this name may be redacted; the name is in lower case."""
        return bool(kind_of(name)) or name in self._places or name in self._username_places

    def _has_names(self, text: str) -> bool:
        """Return whether there may be a name of a secret; this is quick."""
        if not self._stems:
            return False
        small = text.encode("utf-8", "surrogatepass").lower()
        return any(map(small.__contains__, self._stems)) or _ESCAPED_LETTER.search(text) is not None

    def _replacement(self, text: str, value: Value, name: str) -> str:
        """Return the replacement of a member's value.

        Empty if the value stays, or is redacted by value.
        """
        if value.inner and HIDDEN.fullmatch(value.inner):
            return ""
        inside = value.decoded_text(text)
        if inside in self._public and (name in self._places or kind_of(name)):
            return self._named[inside]
        if inside in self._user_names and name in self._username_places:
            return self._user_names[inside]
        kind = kind_of(name)
        if not self.guesses or not kind:
            return ""
        if inside in self._values:
            # Spelled as it is, the value is found anyway.
            return "" if inside in {value.inner, text[value.start : value.end]} else self._values[inside]
        if value.inner is not None:
            return UNRECORDED if value.inner else ""
        held = text[value.start : value.end]
        return UNRECORDED if kind == "whole" and not _NO_SECRET.fullmatch(held) else ""


def _longest_word(name: str) -> str:
    return max(_RUN.findall(name), key=len, default="")


def _is_public(secret: Secret) -> bool:
    """Return whether the value is public, so that it is redacted by position."""
    value = secret.reveal()
    return secret.is_public or is_common(value) or value in secret.profile


TOGETHER: Final = 8
"""Bodies that are searched together if a larger group contains something."""
WINDOW: Final = 512 * 1024
"""Bytes to search at a time, for some milliseconds."""
PIECE: Final = 32 * 1024
"""Bytes to redact at a time, for some milliseconds."""


def redacted_in_pieces(body: bytes, hide: Redactor) -> Steps[bytes]:
    for start in range(0, len(body), WINDOW):
        if hide.may_be_in(_text(body[max(start - hide.margin, 0) : start + WINDOW])):
            return (yield from _in_pieces(body, hide))
        yield
    return body


def _text(body: bytes) -> str:
    return body.decode("utf-8", "surrogateescape")


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
    """Return whether something to redact may be on both sides of a cut."""
    first = max(cut - hide.margin, 0)
    text = _text(body[first : cut + hide.margin])
    return hide.may_be_in(text) and hide.goes_across(text, len(_text(body[first:cut])))


def _redacted_piece(piece: bytes, before: bytes, after: bytes, hide: Redactor) -> bytes | None:
    """Redact a piece; None if a secret may continue after it."""
    if not hide.may_be_in(_text(piece)):
        return piece
    lead, trail = opening(before), closing(after)
    text = (lead + piece + trail).decode("utf-8", "surrogateescape")
    edits = hide.edits(text)
    end = len(text) - len(trail)
    if any(edit.start < len(lead) or (after and edit.end >= end) for edit in edits):
        return None
    changed = edited(text, edits)
    return changed[len(lead) : len(changed) - len(trail)].encode("utf-8", "surrogateescape")
