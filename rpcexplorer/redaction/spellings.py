"""The spellings of a secret, and the search for them in a text."""

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
"""Characters; shorter values are common, so they are not searched."""
FEW_CHARACTERS: Final = 16 * 1024
"""Length up to which searching each literal is faster than a pattern."""
MAX_CACHED: Final = 256
_SAME_EVERYWHERE = regex(r"[A-Za-z0-9_.~-]+")
"""Characters that neither JSON nor a URL nor HTML escapes."""
_SMALL_ESCAPE = regex(r"(?<!\\)((?:\\\\)*\\u)([0-9a-f]{4})")
_PERCENT = regex(r"%[0-9A-F]{2}")
_OTHER_ALPHABET: Final = str.maketrans("+/", "-_")


@lru_cache(MAX_CACHED)
def spellings(value: str) -> frozenset[str]:
    """Return the value raw and as servers, logs and URLs write it.

    Nested spellings are included.
    """
    raw = value.encode("utf-8", "surrogatepass")
    found = {value, raw.hex(), raw.hex().upper()}
    in_json = {value}
    if not _SAME_EVERYWHERE.fullmatch(value):
        in_json |= set(_in_json(value))
        once = in_json | set(_in_pages(value))
        twice: set[str] = set()
        for text in once:
            twice.update(_in_json(text), _in_pages(text))
        found |= once | twice
        for _ in range(2):  # JSON in JSON in JSON, and that in TOML.
            twice = {json.dumps(text)[1:-1] for text in twice if "\\" in text}
            found |= twice
        found.add(raw.decode("utf-8", "surrogateescape"))
        if max(value) <= "\xff":  # In a body that is not UTF-8.
            found.add(value.encode("latin-1").decode("utf-8", "surrogateescape"))
    for text in in_json:
        for digits in _base64_digits(text.encode("utf-8", "surrogatepass")):
            found |= {digits, digits.translate(_OTHER_ALPHABET), digits.replace("/", "\\/")}
            found |= {quote(digits), quote(digits, safe="")}
    return frozenset(spelled for spelled in found if len(spelled) >= SHORTEST)


def _in_json(text: str) -> Iterator[str]:
    """Yield the text in a JSON string, as the usual libraries write it."""
    ascii_only, unicode = json.dumps(text)[1:-1], json.dumps(text, ensure_ascii=False)[1:-1]
    for spelled in (ascii_only, unicode):
        yield spelled
        yield spelled.replace("/", "\\/")
    large = _SMALL_ESCAPE.sub(lambda found: found[1] + found[2].upper(), ascii_only)
    yield large
    yield _unicode_escapes("[<>&\u2028\u2029]", "\\u{:04x}", unicode)  # Go.
    yield _unicode_escapes(r"""\\"|[<>&'+`]""", "\\u{:04X}", large)  # .NET.


def _unicode_escapes(pattern: str, form: str, text: str) -> str:
    return re.sub(pattern, lambda found: form.format(ord(found[0][-1])), text)


def _in_pages(text: str) -> Iterator[str]:
    """Yield the text in HTML, in a URL, in a form and in Python's ``repr``."""
    yield from (repr(text)[1:-1], ascii(text)[1:-1], repr(text.encode("utf-8", "surrogatepass"))[2:-1])
    page = escape(text, quote=False)
    yield page
    if not page.isascii():
        from html.entities import codepoint2name  # A large table that few secrets need.

        yield page.encode("ascii", "xmlcharrefreplace").decode()
        entities = {code: f"&{name};" for code, name in codepoint2name.items() if code > 127}
        yield page.translate(entities)
    for double, single in (("&quot;", "&#x27;"), ("&#34;", "&#39;"), ("&quot;", "&#039;"), ("&quot;", "'")):
        yield page.replace('"', double).replace("'", single)
    unquoted = ("", "/", "!'()*")  # Browsers leave the last ones.
    in_url = [quote(text, safe, errors="surrogatepass") for safe in unquoted]
    for quoted in (quote_plus(text, errors="surrogatepass"), *in_url):
        yield quoted
        yield _PERCENT.sub(lambda found: found[0].lower(), quoted)


def _base64_digits(text: bytes) -> Iterator[str]:
    """Yield Base64 for each of three offsets, without digits of neighbours."""
    for before in range(3):
        bits = 8 * (before + len(text))
        encoded = b64encode(bytes(before) + text + bytes(2)).decode("ascii")
        yield encoded[-(-8 * before // 6) : bits // 6]


class Found(NamedTuple):
    """A literal that was found in a text."""

    start: int
    end: int
    put: str


class Literals:
    """Finds any of many literals of at least ``SHORTEST`` characters."""

    def __init__(self, puts: Mapping[str, str]) -> None:
        """``puts``: the replacement of each literal."""
        self._puts = puts
        self.longest = max(map(len, puts), default=0)

    def are_in(self, text: str) -> bool:
        """Return whether the text contains any of them."""
        if len(text) <= FEW_CHARACTERS and "_beginning" not in self.__dict__:  # The pattern is faster once it is made.
            return any(map(text.__contains__, self._puts))
        return any(True for _ in self.find(text))

    def find(self, text: str) -> Iterator[Found]:
        """Yield each place in order, with the longest literal there."""
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
    """Return a pattern for any of the texts.

    Common prefixes are in it once, or a thousand texts would take long.
    """
    branches: dict[str, list[str]] = {}
    for text in texts:
        if not text:
            return ""
        branches.setdefault(text[0], []).append(text[1:])
    return f"(?:{'|'.join(re.escape(first) + _any_of(rests) for first, rests in branches.items())})"
