"""What looks like a secret by where it stands: a literal behind a key such as ``password``, a secret in a URL.

Works on the bytes of any file, whole or damaged: TOML, JSON inside of TOML, a list of variables. What is found is a
guess, so words that only stand in for a secret are left alone, and so is the name of a cookie or a kind of token.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from rpcexplorer.redaction.addresses import TEXT, WHOLE, places, places_in_address, squashed, stands_in

_STEMS = rb"pass|pwd|secret|api[-_]?key|private[-_]?key|credential|token|session|jwt|authorization|cookie"
_NO_TEXT = rb"[\[{]|(?:null|true|false)\b|-?\d[\d.e+-]*+[ \t]*+[,\]}]"
_KEY = re.compile(rb"(?:%s)[\w-]*+(?:\\*+[\"'])?[ \t]*+[=:][ \t]*+(?!%s)" % (_STEMS, _NO_TEXT))
"""In small letters; to its left the key may go on."""
_KEY_BEGINS = re.compile(rb"[\w-]*\Z")
_IN_QUOTES = re.compile(rb"\"\"\"|'''|\\*+[\"']")
_ALONE = re.compile(rb"(?=[^\s]*\d)[^\s()\[\]{}<>\"',;]{6,}+(?=[ \t]*+(?:\r?\n|\Z))")
"""Without quotes, the last thing on its line, with a digit: a line of variables rather than of a program."""
_LEFT_OF_ALONE = re.compile(rb"(?:\A|\n)[ \t]*+(?:export[ \t]++|set[ \t]++)?\Z")
_ADDRESS = re.compile(r"""(?<![\w-])(?:url|path)["']?[ \t]*=[ \t]*["']([^"'\r\n]{1,4096})["']""")
"""The address of a profile, or of a recorded call."""
_SCHEME = re.compile(r"(?i)(?:basic|bearer|digest|negotiate|token|apikey)\s+")
PART: Final = "address"
"""The key of what stands in an address and is no password before a host: nothing is stored in its place."""
LONGEST: Final = 4096
"""Bytes of a value that are looked at."""


class Suspect(NamedTuple):
    start: int
    """Where the value begins, which is never told."""
    key: str
    """What stands before it, as it is written; ``PART`` in an address, but empty for a password before a host."""


def suspects(content: bytes) -> Iterator[Suspect]:
    """Whatever looks like a secret, in no order."""
    small = content.lower()  # a search without regard to case takes ten times as long
    for found in _KEY.finditer(small):
        begins = _KEY_BEGINS.search(content, max(0, found.start() - 64), found.start())
        start = begins.start() if begins else found.start()
        key = re.match(rb"[\w-]+", content[start : found.end()])
        assert key is not None
        name = key[0].decode("ascii", "replace")
        value = _value(content, start, found.end())
        if value and _is_secret(squashed(name), value):
            yield Suspect(found.end(), name)
    text = content.decode("latin-1")  # in which every byte is a character
    found_at = {at.start: PART if at.name else "" for at in places(text, words=True)}
    for url in _ADDRESS.finditer(text):
        for at in places_in_address(url[1]):
            found_at.setdefault(url.start(1) + at.start, PART)
    yield from (Suspect(start, key) for start, key in found_at.items())


def _value(content: bytes, key: int, at: int) -> str:
    """The literal at a place behind a key; empty where there is something else."""
    opening = _IN_QUOTES.match(content, at)
    if opening is None:
        alone = _LEFT_OF_ALONE.search(content, max(0, key - 16), key) and _ALONE.match(content, at)
        return _text(alone[0]) if alone else ""
    start, end = opening.end(), opening.end() + LONGEST
    closing = re.compile(rb"(?<!\\)" + re.escape(opening[0])).search(content, start, end)
    return _text(content[start : closing.start() if closing else end])


def _text(value: bytes) -> str:
    return value.decode("utf-8", "replace")


def _is_secret(key: str, value: str) -> bool:
    """Whether a value behind a key, in small letters without separators, is more than a word or a stand-in."""
    if not (key == "session" or WHOLE.fullmatch(key) or TEXT.fullmatch(key)):
        return False
    if key.endswith("cookie"):  # the name of a cookie alone is none
        value = value.partition("=")[2].partition(";")[0]
    elif key.endswith("authorization"):
        value = _SCHEME.sub("", value, count=1)
    elif key == "session" and (value.startswith("/") or len(value) < 8 or not value.isalnum()):  # a pointer, or prose
        return False
    return not stands_in(value.strip())
