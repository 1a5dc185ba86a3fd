"""HAR: what a browser or a proxy has recorded. Only the requests are looked at; replies are passed over unread."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

import msgspec
from msgspec import Raw, Struct, field

from rpcexplorer.model.importing.imported import Imported
from rpcexplorer.model.importing.requests import RequestRead, imported_from

FORM: Final = "HAR"


class HarHeader(Struct):
    name: str = ""
    value: str = ""

    def __repr__(self) -> str:
        """Not its value."""
        return f"HarHeader(name={self.name!r})"


class HarBody(Struct):
    text: str | None = None
    encoding: str | None = None

    def __repr__(self) -> str:
        """Not what it holds."""
        return "HarBody()"


class HarRequest(Struct, rename="camel"):
    method: str = "GET"
    url: str = ""
    headers: list[HarHeader] = field(default_factory=list)
    post_data: HarBody | None = None

    def __repr__(self) -> str:
        """Not its address and headers."""
        return f"HarRequest(method={self.method!r})"


class HarEntry(Struct):
    request: HarRequest


class HarLog(Struct):
    entries: list[Raw] = field(default_factory=list)


class Har(Struct):
    log: HarLog


def is_har(named: Mapping[str, Raw]) -> bool:
    return "log" in named


def read(text: str) -> Imported:
    """The requests of a recording that have a body of JSON-RPC."""
    try:
        found = msgspec.json.decode(text, type=Har)
    except (msgspec.DecodeError, RecursionError):
        return Imported(FORM, notes=("It is no HAR as programs write it: log.entries is missing, or damaged.",))
    return imported_from(FORM, _requests(found.log.entries), ("Replies in it are not imported: only requests are.",))


def _requests(entries: list[Raw]) -> Iterator[RequestRead]:
    for each in entries:
        try:
            request = msgspec.json.decode(each, type=HarEntry).request
        except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
            yield RequestRead(wrong="its record is damaged")
            continue
        body = request.post_data
        headers = [(header.name, header.value) for header in request.headers]
        wrong = "its body is kept as base64" if body and body.encoding else ""
        yield RequestRead(request.method, request.url, headers, body.text if body else None, wrong=wrong)
