"""Awkward secrets, all their spellings, and a server that repeats them.

The spellings are made by the encoders of the standard library, not by the code that hides them.
"""

from __future__ import annotations

import html
import json
import re
from base64 import b64encode, urlsafe_b64encode
from collections.abc import Iterable, Iterator, Mapping
from html.entities import codepoint2name as names
from itertools import islice
from typing import Any
from urllib.parse import quote, quote_plus

from tests.fakes.wire import RESET, Parts, Received, http_reply

AWKWARD = {
    "six characters": "q7Zr2x",
    "quotes and backslashes": 'p"a\\\\s\'s\\"w0rd{}[]',
    "unicode": "pässwörd-№-пароль-😀",
    "spaces and signs": "two words & 100%41+<more>/?=",
    "guillemets": "«cookie.password»-or-«x»-77",
    "line breaks": "first line\nsecond\tline\r\nthird",
    "hex digits": "0x9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "like base64": "c2VjcmV0LXRoYXQtbG9va3MtZW5jb2RlZA+/w8Lm/9Q==" * 3,
}


def _written(value: str) -> Iterator[str]:
    """Yield the value in text, in JSON, and in JSON inside JSON."""
    ascii_only, unicode = json.dumps(value)[1:-1], json.dumps(value, ensure_ascii=False)[1:-1]
    yield value
    for once in (
        ascii_only,
        unicode,
        ascii_only.replace("/", "\\/"),
    ):
        yield once
        yield json.dumps(once)[1:-1]
        yield json.dumps(json.dumps(once)[1:-1])[1:-1]


def _encoded(value: str) -> Iterator[str]:
    """Yield the value in URLs, as hex, and as base64 at three offsets."""
    plain = value.encode()
    yield from (quote(value), quote(value, safe=""), quote_plus(value), quote(quote(value)))
    yield re.sub("%..", lambda found: found[0].lower(), quote(value))
    yield from (plain.hex(), plain.hex().upper())
    for encode in (b64encode, urlsafe_b64encode):
        for before in range(3):
            digits = encode(bytes(before) + plain + bytes(2)).decode()
            yield digits[-(-8 * before // 6) : 8 * (before + len(plain)) // 6]


def _in_error_pages(value: str) -> Iterator[str]:
    """Yield the value in HTML, a ``repr``, and JSON inside HTML or a URL."""
    in_json = json.dumps(value)[1:-1]
    yield from (
        html.escape(value),
        html.escape(value, quote=False),
        html.escape(in_json),
        html.escape(html.escape(value)),
    )
    yield "".join(f"&{names[ord(char)]};" if ord(char) in names else char for char in value)
    yield from (repr(value)[1:-1], ascii(value)[1:-1], repr(value.encode())[2:-1], repr(repr(value))[2:-2])
    yield from (
        quote(in_json),
        quote(html.escape(value)),
        html.escape(quote(value)),
    )


def _in_tokens(value: str) -> Iterator[str]:
    """Yield the base64 digits of the value in encoded JSON, such as a JWT."""
    for in_json in (json.dumps(value)[1:-1], json.dumps(value, ensure_ascii=False)[1:-1]):
        plain = in_json.encode()
        for before in range(3):
            digits = urlsafe_b64encode(bytes(before) + plain + bytes(2)).decode()
            yield digits[-(-8 * before // 6) : 8 * (before + len(plain)) // 6]


def spellings(value: str) -> tuple[str, ...]:
    """Return all spellings without duplicates."""
    return tuple(dict.fromkeys([*_written(value), *_encoded(value), *_in_error_pages(value), *_in_tokens(value)]))


def leaks(sinks: Mapping[str, str], secrets: Iterable[str]) -> list[str]:
    """Return where a secret is readable, and how; references do not count."""
    found = []
    for secret in secrets:
        for spelled in spellings(secret):
            found += [f"{name}: {spelled!r}" for name, text in sinks.items() if spelled in text]
    return found


class Parrot:
    """A server that repeats the secrets, in every spelling and everywhere."""

    def __init__(self, *secrets: str, session: str) -> None:
        self.session = session
        self.spelled = [spelling for secret in (*secrets, session) for spelling in spellings(secret)]
        self.heard: list[bytes] = []
        """All bytes from the socket, the one place for secrets."""

    def __call__(self, request: Received) -> Parts:
        self.heard.append(request.head + request.body)
        if request.line.startswith("GET "):  # A connection test asks for a document.
            return http_reply(self._values(), 404)
        return self.answered(request.json)

    def answered(self, body: Any) -> Parts:
        if isinstance(body, list):
            replies = [self._reply(call["id"], "result", self._values()) for call in body]
            return http_reply(b"[" + b",".join(replies) + b"]")
        answer = getattr(self, f"_{re.sub('[./]', '_', body['method'])}", self._echo_result)
        parts: Parts = answer(body.get("id"))
        return parts

    def _values(self) -> bytes:
        """Return a list of every spelling, as strings and as JSON if it is JSON."""
        texts = [json.dumps(spelling) for spelling in self.spelled]
        texts += [f'"{spelling}"' for spelling in self.spelled if _is_json(f'"{spelling}"')]
        return f'[{", ".join(texts)}, {{"password": {texts[0]}, "n": 1.10}}]'.encode()

    def _reply(self, id: object, kind: str, value: bytes) -> bytes:
        return b'{"jsonrpc": "2.0", "id": %s, "%s": %s}' % (json.dumps(id).encode(), kind.encode(), value)

    def _headers(self) -> list[tuple[str, str]]:
        fit = (
            spelling
            for spelling in self.spelled
            if spelling.isascii() and spelling.isprintable() and len(spelling) < 400
        )
        return [(f"X-Echo-{number}", value) for number, value in enumerate(islice(fit, 60))]

    def _auth(self, id: object) -> Parts:
        value = json.dumps({"sessionid": self.session, "for": self.spelled[0]}).encode()
        headers = [("Set-Cookie", f"sessionid={self.session}; Path=/"), *self._headers()]
        return http_reply(self._reply(id, "result", value), headers=headers)

    def _echo_result(self, id: object) -> Parts:
        return http_reply(self._reply(id, "result", self._values()), headers=self._headers())

    def _echo_error(self, id: object) -> Parts:
        text = json.dumps(" and ".join(self.spelled))
        error = f'{{"code": 7, "message": {text}, "data": {self._values().decode()}}}'
        return http_reply(self._reply(id, "error", error.encode()))

    def _echo_reason(self, id: object) -> Parts:
        text = " ".join(value for _, value in self._headers())
        return http_reply("\n".join(self.spelled).encode(), 500, self._headers(), reason=text)

    def _echo_redirect(self, id: object) -> Parts:
        target = "&".join(quote(spelling) for spelling in self.spelled if len(spelling) < 400)
        return http_reply(b"", 307, {"Location": f"https://elsewhere.example/?{target}"})

    def _echo_page(self, id: object) -> Parts:
        rows = "".join(f"<li>{html.escape(spelling)} {spelling}</li>" for spelling in self.spelled)
        return http_reply(f"<ul>{rows}</ul>".encode(), 502, {"Content-Type": "text/html"}, reason="Bad Gateway")

    def _echo_stream(self, id: object) -> Parts:
        """Return events whose bytes come in pieces of arbitrary length."""
        event = b'{"jsonrpc": "2.0", "method": "told", "params": %s}' % self._values()
        events = b"".join(
            b"event: message\ndata: %s\n\n" % message for message in (event, self._reply(id, "result", self._values()))
        )
        pieces = (events[at : at + 61] for at in range(0, len(events), 61))
        body = b"".join(b"%x\r\n%s\r\n" % (len(piece), piece) for piece in pieces)
        return http_reply(
            body + b"0\r\n\r\n", headers={"Content-Type": "text/event-stream", "Transfer-Encoding": "chunked"}
        )

    def _echo_cut(self, id: object) -> Parts:
        return [http_reply(self._values(), headers={"Content-Length": "9999999"}), RESET]

    def _echo_over(self, id: object) -> Parts:
        headers = [("Set-Cookie", f"sessionid={self.session}; Max-Age=0")]
        return http_reply(self._reply(id, "result", self._values()), headers=headers)

    def _rpc_discover(self, id: object) -> Parts:
        text = " ".join(self.spelled[:3])
        method = {"name": "told", "summary": text, "description": text, "params": [{"name": "p", "description": text}]}
        named = [{"name": spelling, "params": []} for spelling in self.spelled[:3]]
        document = {"openrpc": "1.2.6", "info": {"title": text, "version": text}, "methods": [method, *named]}
        return http_reply(self._reply(id, "result", json.dumps(document).encode()))

    def _tools_list(self, id: object) -> Parts:
        text = " ".join(self.spelled[:3])
        tools = [{"name": name, "description": text} for name in ("told", *self.spelled[:3])]
        return http_reply(self._reply(id, "result", json.dumps({"tools": tools}).encode()))

    def _system_listMethods(self, id: object) -> Parts:  # noqa: N802 - named like the method
        return self._echo_error(id)


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True
