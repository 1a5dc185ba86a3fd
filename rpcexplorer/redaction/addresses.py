"""Secrets in addresses, and names of members that hold secrets."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from heapq import merge
from typing import Final, NamedTuple

from rpcexplorer.model.secret import PASSWORDS, UNRECORDED, squashed
from rpcexplorer.patterns import regex

_TOKENS = "access|refresh|auth|api|bearer|id|session|secret|private|user|client|bot|oauth|personal"
WHOLE: Final = regex(rf"{PASSWORDS.pattern}|.*session(?:id|key)")
"""Names whose values are secret: text, numbers, lists."""
TEXT: Final = regex(rf"jwt|(?:.*(?:{_TOKENS}))?token|(?:proxy)?authorization|(?:set)?cookie")
"""Names whose values are secret if they are text; a number is a count."""
ADDRESSED: Final = regex(
    r"key|.*(?:access|account|app|auth|license|subscription)key|sig|signature|xamz.*|auth|sid|session|ticket|hmac"
)
"""More names in addresses, if their values look like a secret."""
_STAND_IN: Final = regex(r"""(?ix)
      [*.•…_\s-]* | x{3,}                                               # nothing at all, or drawn over
      | .* (?: « | \\u00ab ) (?: [\w.-]+ \. (?:password|username|session|token) | RPCEXPLORER_\w+ | not\ recorded )
           Â? (?: » | \\u00bb ) .*                                  # also where UTF-8 was read as Latin-1
      | \{ [\w.]+ \} | < [\w\s.-]+ > | \$ \w+ | \$ \{ \w+ \} | % \w+ %    # filled in from elsewhere
    """)
_WORD: Final = regex(r"""(?ix)
      string | str | text | password | passwd | secret | token | session | sessionid | cookie | hidden | redacted
      | none | null | true | false | yes | no | required | optional | basic | bearer | inline | api[-_]?key | header
    """)
STEMS: Final = (
    *("pass", "pwd", "secret", "api", "private", "credential", "session"),
    *("jwt", "token", "authorization", "cookie"),
)
"""Each such name contains one of these, even in separate words."""


def means_secret(name: str) -> bool:
    """Return whether a squashed name means a secret wherever it stands."""
    return bool(WHOLE.fullmatch(name) or TEXT.fullmatch(name))


def stands_in(value: str, *, words: bool = True) -> bool:
    """Return whether a value is a variable, or a word such as ``password``.

    Without ``words`` only a variable counts, because some passwords are such words.
    """
    return bool(_STAND_IN.fullmatch(value) or (words and _WORD.fullmatch(value)))


LONG: Final = 32
"""Characters of a part of a path without a name."""
SHORT: Final = 12
"""Characters of a value whose name has other meanings, too."""
CHANGES: Final = 3
"""Changes between letters and digits from which a word looks random; words and versions have fewer."""
_SLASH = r"(?:\\*+/)"
"""Not the first slash: a search starts at another character."""
_JWT = r"eyJ[\w-]{5,}\.[\w-]{5,}\.[\w-]{5,}"
_USER = regex(
    rf"""/{_SLASH}[^\s/?\#"'\\@:\[]{{0,256}}+:(?!\d{{1,5}}(?:[/?\#]|\\/))""",
    re.VERBOSE,
)
"""A user name before a password; digits of a port begin a path."""
_NO_PASSWORD = regex(r"""[\s"'<>]|\\(?!/)""")
"""The end of a password, which may contain unquoted characters."""
_LONGEST: Final = 512
"""Characters of a password."""
_MEMBER = r"""([A-Za-z][\w.-]{0,63})=(?!Â?«not recorded)([^\s"'<>&#\\]+)"""
"""Bytes read as Latin-1 have another character before the mark."""
_QUERIES = tuple(regex(sign + _MEMBER) for sign in ("[?&](?:amp;)?", r"\\u0026"))
_PATH = regex(rf"/([A-Za-z][\w-]{{0,63}}){_SLASH}({_JWT}|[\w~-]{{{SHORT},512}}+)(?![\w.:@%])")
"""A name and its value in two parts of a path, such as ``/token/a1b2…``."""
_BOT = regex(r"/bot(\d{5,}:[\w-]{20,})")
"""A token in a path of Telegram: ``/bot123456:ABC…/getMe``."""
_SEGMENT = regex(rf"(?<=/)[\w~-]{{{LONG},512}}+(?![^/?#])")
_USERINFO_IN_PATH = regex(r"(?<=[^/:]/)([^/:@?#]+:[^/@?#]+)@")
_OF_URL = regex(r"//(?:[^/?#@:\[]*:(?!\d{1,5}[/?#])\S*|[^/?#]*)@")
"""User name and password of an address, as typed; it is refused."""
_ORIGIN = regex(r"[^/?#]*//[^/?#]*")
_UUID = regex(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
"""It looks random, but is usually an id, so it is not taken for a secret."""
_CHANGE = regex(r"(?<=[A-Za-z])(?=\d)|(?<=\d)(?=[A-Za-z])")
_VERSION = regex(r"v\d+")
"""A part such as ``/v2/``, which some services put before a key: ``/v2/KEY``."""


class AddressSecret(NamedTuple):
    """The place of a secret in an address."""

    start: int
    end: int
    name: str
    """The name before it; empty for a password before a host."""


def places(text: str, *, words: bool = False) -> Iterator[AddressSecret]:
    """Yield the secrets of all addresses in a text by their start.

    Some may overlap. With ``words``, words like ``password`` are examples, as in an explanation, and not secrets.
    """
    members = (_members(text, query, words=words) for query in _QUERIES)
    return merge(_passwords(text, words=words), *members, _parts(text), _bots(text))


def places_in_address(url: str) -> Iterator[AddressSecret]:
    """Yield secrets in the path of an address, beyond those of ``places``."""
    origin = _ORIGIN.match(url)
    start = origin.end() if origin else 0
    end = start + len(re.split("[?#]", url[start:], maxsplit=1)[0])
    for found in _SEGMENT.finditer(url, start, end):
        if _looks_random(found[0], LONG):
            yield AddressSecret(*found.span(), "address")
    for found in _USERINFO_IN_PATH.finditer(url, max(start - 1, 0), end):
        if not stands_in(found[1].partition(":")[2], words=False):
            yield AddressSecret(*found.span(1), "address")


@lru_cache(64)
def redacted_address(url: str) -> str:
    """Return an address to store: without user, with marks for secrets."""
    url = _OF_URL.sub("//", url)
    for start, end in sorted(_spans(url), reverse=True):
        url = url[:start] + UNRECORDED + url[end:]
    return url


def secrets_in(url: str) -> list[str]:
    """Return the secrets of an address, which may be repeated elsewhere.

    Words that can have another meaning there are left out.
    """
    found = (url[start:end] for start, end in _spans(url))
    return [value for value in found if _looks_random(value, SHORT, anything=True)]


def _spans(url: str) -> set[tuple[int, int]]:
    found = [*places(url), *places_in_address(url)]
    return {(place.start, place.end) for place in found}


def _passwords(text: str, *, words: bool) -> Iterator[AddressSecret]:
    """Yield passwords up to the last ``@`` that can end one.

    The search is backwards: many passwords may seem to begin where none ends.
    """
    last = text.rfind("@")
    ends = at = 0
    while at < last and (user := _USER.search(text, at, last)):
        at = user.end()
        if ends <= at:
            stop = _NO_PASSWORD.search(text, at)
            ends = stop.start() if stop else len(text)
        end = text.rfind("@", at + 1, min(ends, at + _LONGEST + 1))
        if end >= 0:
            if not stands_in(text[at:end], words=words):
                yield AddressSecret(at, end, "")
            at = end


def _members(text: str, query: re.Pattern[str], *, words: bool) -> Iterator[AddressSecret]:
    for found in query.finditer(text):
        small = squashed(found[1])
        value = found[2]
        may_be_named = ADDRESSED.fullmatch(small) and _looks_random(value, SHORT, anything=True)
        if (means_secret(small) or may_be_named) and not stands_in(value, words=words):
            yield AddressSecret(*found.span(2), found[1])


def _parts(text: str) -> Iterator[AddressSecret]:
    at = 0
    while found := _PATH.search(text, at):
        at = found.start(2) - 1  # The value of one part may be the name of the next.
        small = squashed(found[1])
        is_named = means_secret(small) or ADDRESSED.fullmatch(small)
        least = SHORT if is_named else LONG
        if (is_named or _VERSION.fullmatch(small)) and _looks_random(found[2], least):
            yield AddressSecret(*found.span(2), found[1])


def _bots(text: str) -> Iterator[AddressSecret]:
    return (AddressSecret(*found.span(1), "bot") for found in _BOT.finditer(text))


def _looks_random(word: str, least: int, *, anything: bool = False) -> bool:
    """Return whether a word looks random.

    ``anything``: it may contain characters that no part of a path has.
    """
    if re.fullmatch(_JWT, word):
        return True
    if len(word) < least or word.startswith("0x") or _UUID.fullmatch(word):
        return False
    return (anything or word.isascii()) and len(_CHANGE.findall(word)) >= CHANGES
