"""The spellings of a secret, and how they are found in a text."""

from __future__ import annotations

import json
import re
from base64 import b64encode
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property, lru_cache
from html import escape
from typing import Final, NamedTuple
from urllib.parse import quote, quote_plus

from rpcexplorer.patterns import regex

SHORTEST: Final = 6
"""Characters; what is shorter turns up by chance, so that it is hidden by position only."""
FEW_CHARACTERS: Final = 16 * 1024
"""In a text of so many, looking for one literal after the other takes less time than making a pattern."""
MAX_CACHED: Final = 256
_SAME_EVERYWHERE = regex(r"[A-Za-z0-9_.~-]+")
_SMALL_ESCAPE = regex(r"(?<!\\)((?:\\\\)*\\u)([0-9a-f]{4})")
_PERCENT = regex(r"%[0-9A-F]{2}")
_OTHER_ALPHABET: Final = str.maketrans("+/", "-_")


@lru_cache(MAX_CACHED)
def spellings(value: str) -> frozenset[str]:
    """Return the value raw and as servers, logs and URLs write it, also inside something that is written so."""
    raw = value.encode("utf-8", "surrogatepass")
    found = {value, raw.hex(), raw.hex().upper()}
    in_json = {value}
    if not _SAME_EVERYWHERE.fullmatch(value):
        in_json |= set(_in_json(value))
        once = in_json | set(_in_pages(value))
        twice = {spelled for text in once for spelled in (*_in_json(text), *_in_pages(text))}
        found |= once | twice
        for _ in range(2):  # JSON in JSON in JSON, and that in TOML
            twice = {json.dumps(text)[1:-1] for text in twice if "\\" in text}
            found |= twice
        found.add(raw.decode("utf-8", "surrogateescape"))
        if max(value) <= "\xff":  # a body that is no UTF-8
            found.add(value.encode("latin-1").decode("utf-8", "surrogateescape"))
    for text in in_json:
        for digits in _base64_digits(text.encode("utf-8", "surrogatepass")):
            found |= {digits, digits.translate(_OTHER_ALPHABET), digits.replace("/", "\\/")}
            found |= {quote(digits), quote(digits, safe="")}
    return frozenset(spelled for spelled in found if len(spelled) >= SHORTEST)


def _in_json(text: str) -> Iterator[str]:
    """The text inside a string of JSON, as the usual libraries write it."""
    ascii_only, unicode = json.dumps(text)[1:-1], json.dumps(text, ensure_ascii=False)[1:-1]
    for spelled in (ascii_only, unicode):
        yield spelled
        yield spelled.replace("/", "\\/")
    large = _SMALL_ESCAPE.sub(lambda found: found[1] + found[2].upper(), ascii_only)
    yield large
    yield _unicode_escapes("[<>&\u2028\u2029]", "\\u{:04x}", unicode)  # Go
    yield _unicode_escapes(r"""\\"|[<>&'+`]""", "\\u{:04X}", large)  # .NET


def _unicode_escapes(pattern: str, form: str, text: str) -> str:
    return re.sub(pattern, lambda found: form.format(ord(found[0][-1])), text)


def _in_pages(text: str) -> Iterator[str]:
    """The text in HTML, in a URL, in a form, and in Python's ``repr`` of text and of bytes."""
    yield from (repr(text)[1:-1], ascii(text)[1:-1], repr(text.encode("utf-8", "surrogatepass"))[2:-1])
    page = escape(text, quote=False)
    yield page
    if not page.isascii():
        from html.entities import codepoint2name  # a large table, and few secrets need it

        yield page.encode("ascii", "xmlcharrefreplace").decode()
        yield "".join(
            f"&{codepoint2name[code]};" if (code := ord(char)) > 127 and code in codepoint2name else char
            for char in page
        )
    for double, single in (("&quot;", "&#x27;"), ("&#34;", "&#39;"), ("&quot;", "&#039;"), ("&quot;", "'")):
        yield page.replace('"', double).replace("'", single)
    for quoted in (
        quote_plus(text, errors="surrogatepass"),
        *(quote(text, safe, errors="surrogatepass") for safe in ("", "/", "!'()*")),  # browsers leave the last ones
    ):
        yield quoted
        yield _PERCENT.sub(lambda found: found[0].lower(), quoted)


def _base64_digits(text: bytes) -> Iterator[str]:
    """Base64 at the three places where the text can begin in a longer one, without what its neighbours decide."""
    for before in range(3):
        bits = 8 * (before + len(text))
        encoded = b64encode(bytes(before) + text + bytes(2)).decode("ascii")
        yield encoded[-(-8 * before // 6) : bits // 6]


class Found(NamedTuple):
    """One of the texts where it is in another."""

    start: int
    end: int
    put: str


class Literals:
    """Finds any of many texts, each of at least ``SHORTEST`` characters."""

    def __init__(self, puts: Mapping[str, str]) -> None:
        """``puts``: what to put in the place of each."""
        self._puts = puts
        self.longest = max(map(len, puts), default=0)

    def are_in(self, text: str) -> bool:
        """Return whether any is in a text."""
        if len(text) <= FEW_CHARACTERS and "_beginning" not in self.__dict__:  # the pattern is faster once it is made
            return any(literal in text for literal in self._puts)
        return any(True for _ in self.find(text))

    def find(self, text: str) -> Iterator[Found]:
        """Yield each place, in order, overlapping or not; of those that begin in one place, the longest."""
        at = 0
        while self._puts and (beginning := self._beginning.search(text, at)):
            start = beginning.start()
            at = start + 1
            for literal in self._by_beginning[beginning[0]]:
                if text.startswith(literal, start):
                    yield Found(start, start + len(literal), self._puts[literal])
                    break

    @cached_property
    def _by_beginning(self) -> dict[str, list[str]]:
        literals: dict[str, list[str]] = {}
        for literal in sorted(self._puts, key=len, reverse=True):
            literals.setdefault(literal[:SHORTEST], []).append(literal)
        return literals

    @cached_property
    def _beginning(self) -> re.Pattern[str]:
        return re.compile(_any_of(self._by_beginning))


def _any_of(texts: Iterable[str]) -> str:
    """A pattern for any of the texts; what they begin with in common is in it once, or a thousand would take long."""
    branches: dict[str, list[str]] = {}
    for text in texts:
        if not text:
            return ""
        branches.setdefault(text[0], []).append(text[1:])
    return f"(?:{'|'.join(re.escape(first) + _any_of(rests) for first, rests in branches.items())})"
