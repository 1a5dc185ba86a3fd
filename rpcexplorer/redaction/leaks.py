"""Secrets in the bytes of a file where none should be: by value in every spelling, and by where they stand.

Nothing in here quotes a value. Which files are searched, and what is said of them, is storage's.
"""

from __future__ import annotations

import json
import re
from base64 import b64decode
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import Final, NamedTuple

from rpcexplorer.model.secret import Secret
from rpcexplorer.redaction.exchange import is_login, passwords, passwords_in_batch, sessions
from rpcexplorer.redaction.redactor import Redactor
from rpcexplorer.redaction.suspects import suspects

WINDOW: Final = 4 * 1024 * 1024
"""Bytes that are searched at a time, and then up to the end of the line."""
OVERLAP: Final = 16 * 1024
"""Bytes that are searched again with what follows them, for a secret that holds a line break."""
_BASE64 = re.compile(rb"_base64 = \"((?:[A-Za-z0-9+/]{4})*+(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?)\"")
"""How a history keeps a text that no TOML can hold."""
_HEADER = re.compile(rb"[ \t]*\[[ \t]*profile[ \t]*\.[ \t]*(?:\"([^\"\r\n]+)\"|([\w-]+))")
_USERNAME = re.compile(r"\.username$|_USERNAME$")
_METHOD = re.compile(rb"^method = \"([^\"\r\n]+)\"", re.MULTILINE)
_IN_BATCH = re.compile(rb"^kind = \"batch\"", re.MULTILINE)
_PARAMS = re.compile(rb"^params = \"([^\r\n]*)\"", re.MULTILINE)
_REPLY = re.compile(rb"^reply = \"([^\r\n]*)\"", re.MULTILINE)
_CALL = re.compile(rb"^id = \"([^\"\r\n]+)\"", re.MULTILINE)


class Leak(NamedTuple):
    line: int
    label: str
    """Whose value it is, such as ``staging.password``; empty where it only looks like a secret."""
    key: str
    """What it stands behind, where that is why it looks like one; empty in a URL."""
    profile: str
    """The profile whose table it stands in, where there is one."""
    call: str
    """The id of the recorded call it stands in, where there is one."""


class LeakSearch:
    """Knows the secrets to look for; made once for many files."""

    def __init__(self, secrets: Iterable[Secret]) -> None:
        """User names are not looked for by value: a profile may name one in a file that is shared."""
        self._redactor = Redactor(secret for secret in secrets if not _USERNAME.search(secret.label))

    @property
    def short(self) -> tuple[str, ...]:
        """Labels of the secrets that are too short to be looked for by value."""
        return self._redactor.short

    def leaks(self, content: bytes) -> list[Leak]:
        """Every line on which a secret stands, once for each secret."""
        found: dict[tuple[int, str, str], Leak] = {}
        starts: list[int] = []
        tables: list[int] = []
        calls: list[int] = []
        for at, label, key in self._everywhere(content):
            if not starts:  # once, however many there are
                starts = [0, *(each.end() for each in re.finditer(b"\n", content))]
                tables, calls = _beginnings(b"\n[", content), _beginnings(b"\n[[call]]", content)
            line = bisect_right(starts, at)
            if (line, label, key) not in found:
                found[line, label, key] = Leak(line, label, key, *_around(content, at, tables, calls))
        known = {leak.line for leak in found.values() if leak.label}
        return sorted(leak for leak in found.values() if leak.label or leak.line not in known)

    def redacted(self, text: str) -> str:
        """A text that is to be told, without the secrets."""
        return self._redactor.text(text)

    def _everywhere(self, content: bytes) -> Iterator[tuple[int, str, str]]:
        for start, window in _windows(content):
            yield from ((start + at, label, key) for at, label, key in self._in(window))
        yield from ((at, "", key) for at, key in _in_logins(content))

    def _in(self, window: bytes) -> Iterator[tuple[int, str, str]]:
        """Where something stands, whose it is, and the key in front of it."""
        yield from ((seen.start, "", seen.key) for seen in suspects(window))
        for found in _BASE64.finditer(window):
            inner = b64decode(found[1]).decode("utf-8", "surrogateescape")
            yield from ((found.start(1), put.strip("«»"), "") for _, put in self._redactor.places(inner))
        if not self._redactor.may_be_in(window):
            return
        text = window.decode("utf-8", "surrogateescape")
        before = bytes_before = 0
        for at, placeholder in self._redactor.places(text):
            bytes_before += len(text[before:at].encode("utf-8", "surrogateescape"))
            before = at
            yield bytes_before, placeholder.strip("«»"), ""


def _in_logins(content: bytes) -> Iterator[tuple[int, str]]:
    """Where a history holds what a login was given and what it answered, and what that is."""
    for method in _METHOD.finditer(content):
        if is_login(_text(method[1])):
            call = content.find(b"\n[[call]]", method.end())
            end = call if call >= 0 else len(content)
            params, reply = (line.search(content, method.end(), end) for line in (_PARAMS, _REPLY))
            begins = max(content.rfind(b"\n[[call]]", 0, method.start()), 0)
            look = passwords_in_batch if _IN_BATCH.search(content, begins, method.start()) else passwords
            if params and any(look(_unquoted(params[1]))):
                yield params.start(1), "password"
            if reply and any(sessions(_text(reply[1]))):
                yield reply.start(1), "session"


def _unquoted(spelled: bytes) -> str:
    """A text as it is spelled in a history; empty where somebody spelled it otherwise."""
    with suppress(ValueError):
        return str(json.loads(b'"' + spelled + b'"'))
    return ""


def _windows(content: bytes) -> Iterator[tuple[int, bytes]]:
    """Stretches of whole lines that overlap, each with where it starts."""
    start = end = 0
    while end < len(content):
        line_ends = content.find(b"\n", end + WINDOW)
        end = len(content) if line_ends < 0 else line_ends + 1
        yield start, content[start:end]
        start = content.rfind(b"\n", 0, max(0, end - OVERLAP)) + 1


def _beginnings(heading: bytes, content: bytes) -> list[int]:
    """Where the lines begin that head something; the first line may always be one."""
    found, at = [0], content.find(heading)
    while at >= 0:
        found.append(at + 1)
        at = content.find(heading, at + 1)
    return found


def _around(content: bytes, at: int, tables: list[int], calls: list[int]) -> tuple[str, str]:
    """The profile and the call that a place belongs to, by the nearest lines above it that name one."""
    header = _HEADER.match(content, tables[bisect_right(tables, at) - 1])
    block = calls[bisect_right(calls, at) - 1]
    call = _CALL.search(content, block, min(at, block + OVERLAP)) if content.startswith(b"[[call]]", block) else None
    return _text(header[1] or header[2]) if header else "", _text(call[1]) if call else ""


def _text(found: bytes) -> str:
    return found.decode("utf-8", "replace")
