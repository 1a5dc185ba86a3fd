"""The formats that can be imported, and how they are recognised."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

import msgspec
from msgspec import Raw, Struct, field

from rpcexplorer.importing import curl
from rpcexplorer.importing.request import (
    CredentialWay,
    FoundCredential,
    Imported,
    RequestRead,
    convert_variables,
    credential,
    filled,
    imported_from,
    lines_of,
    notes,
    user_password,
)
from rpcexplorer.importing.shell import Private
from rpcexplorer.jsontext.scan import elements, is_value, members
from rpcexplorer.patterns import regex

HAR_FORM: Final = "HAR"


class HarHeader(Private):
    name: str = ""
    value: str = ""


class HarBody(Private):
    text: str | None = None
    encoding: str | None = None


class HarRequest(Private, rename="camel"):
    method: str = "GET"
    url: str = ""
    headers: list[HarHeader] = field(default_factory=list)
    post_data: HarBody | None = None


class HarEntry(Struct):
    request: HarRequest


class HarLog(Struct):
    entries: list[Raw] = field(default_factory=list)


class Har(Struct):
    log: HarLog


def read_har(text: str) -> Imported:
    try:
        found = msgspec.json.decode(text, type=Har)
    except (msgspec.DecodeError, RecursionError):
        return Imported(HAR_FORM, notes=("Invalid HAR: log.entries is missing or damaged.",))
    return imported_from(HAR_FORM, _requests(found.log.entries), ("Responses are not imported, only requests.",))


def _requests(entries: list[Raw]) -> Iterator[RequestRead]:
    for entry in entries:
        try:
            request = msgspec.json.decode(entry, type=HarEntry).request
        except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
            yield RequestRead(problem="the entry is damaged")
            continue
        body = request.post_data
        headers = [(header.name, header.value) for header in request.headers]
        problem = "the body is in base64" if body and body.encoding else ""
        yield RequestRead(request.method, request.url, headers, body.text if body else None, problem=problem)


ENVELOPES_FORM: Final = "JSON-RPC requests"


def read_json_lines(text: str) -> Imported:
    """Read JSON-RPC requests, one in each line; an array is a batch."""
    if elements(text) is not None or is_value(text):
        return imported_from(ENVELOPES_FORM, [RequestRead("POST", body=text)])
    lines = (RequestRead("POST", body=line, number=number) for number, line in lines_of(text))
    return imported_from(f"{ENVELOPES_FORM}, one per line", lines)


POSTMAN_FORM: Final = "Postman collection"
OTHER: Final = "This Postman collection is not version 2.1. In Postman, choose Export and “Collection v2.1”."
AUTH_NOT_IMPORTED: Final = "the auth type {} cannot be imported"


class PostmanItem(Private):
    name: str = ""
    item: list[Raw] | None = None
    request: dict[str, Any] | str | None = None
    auth: dict[str, Any] | None = None


class PostmanInfo(Struct):
    schema: str = ""


class PostmanCollection(Private):
    info: PostmanInfo
    item: list[Raw] = field(default_factory=list)
    variable: list[dict[str, Any]] = field(default_factory=list)
    auth: dict[str, Any] | None = None


def read_postman(text: str) -> Imported:
    try:
        found = msgspec.json.decode(text, type=PostmanCollection)
    except (msgspec.DecodeError, RecursionError):
        other = '"requests"' in text and '"order"' in text
        return Imported(POSTMAN_FORM, notes=(OTHER if other else "Invalid Postman collection.",))
    if "/v2.1" not in found.info.schema:
        return Imported(POSTMAN_FORM, notes=(OTHER,))
    values = {str(variable.get("key")): str(variable.get("value") or "") for variable in found.variable}
    all_notes = ["Scripts of a collection are not run."] if "exec" in text else []
    return imported_from(POSTMAN_FORM, _postman_requests(found, values), all_notes)


def _postman_requests(collection: PostmanCollection, values: Mapping[str, str]) -> Iterator[RequestRead]:
    waiting = [(child, "", collection.auth) for child in reversed(collection.item)]
    while waiting:
        raw, folder, auth = waiting.pop()
        try:
            item = msgspec.json.decode(raw, type=PostmanItem)
        except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
            yield RequestRead(problem="the entry is damaged")
            continue
        name = f"{folder} / {item.name}" if folder else item.name
        auth = item.auth or auth
        if item.item is not None:
            waiting += [(child, name, auth) for child in reversed(item.item)]
        elif isinstance(item.request, dict):
            yield _postman_request(item.request, name, auth, values)
        else:
            yield RequestRead(problem="GET without a body")


def _postman_request(
    request: Mapping[str, Any], name: str, auth: Mapping[str, Any] | None, values: Mapping[str, str]
) -> RequestRead:
    body, problem = _body(request.get("body"))
    request_notes: list[str] = []
    if body:
        body, names, kept = convert_variables(body)
        request_notes = notes(names, kept)
    credentials, unknown = _auth(_table(request.get("auth")) or auth or {}, values)
    address = filled(_address(request.get("url")), values)
    request_notes += unknown
    if "{{" in address:
        request_notes.append("the URL has variables that the collection does not define")
    headers = []
    for header in _rows(request.get("header")):
        value = filled(str(header.get("value") or ""), values)
        if not header.get("disabled") and "{{" not in value:
            headers.append((str(header.get("key", "")), value))
    return RequestRead(
        str(request.get("method") or "GET"), address, headers, body, name[:200], credentials, tuple(request_notes),
        problem, has_variables=True,
    )  # fmt: skip


def _body(body: object) -> tuple[str | None, str]:
    found = _table(body)
    mode = found.get("mode")
    if not found or found.get("disabled") or mode is None:
        return None, ""
    if mode == "raw":
        return str(found.get("raw") or ""), ""
    if mode == "file":
        return None, "rpcexplorer does not read the body from a file"
    if mode in {"formdata", "urlencoded"}:
        return None, "the body is a form"
    return None, f"the body has the type {str(mode)[:40]}"


def _address(url: object) -> str:
    """Return the URL as typed, or built from its parts.

    Some converters store only the parts.
    """
    if isinstance(url, str):
        return url
    found = _table(url)
    raw = found.get("raw")
    if raw and isinstance(raw, str):
        return raw
    address = ".".join(_words(found.get("host")))
    if found.get("protocol"):
        address = f"{found['protocol']}://{address}"
    if found.get("port"):
        address += f":{found['port']}"
    path = "/".join(_words(found.get("path"))).removeprefix("/")
    if found.get("path"):
        address += f"/{path}"
    rows = [row for row in _rows(found.get("query")) if not row.get("disabled")]
    query = [f"{row.get('key')}={row.get('value') or ''}" for row in rows]
    return f"{address}?{'&'.join(query)}" if query else address


def _words(value: object) -> list[str]:
    """Return the words of a host or path, which some converters write as one text."""
    if isinstance(value, list):
        return [str(word) for word in value]
    return [str(value or "")]


def _auth(auth: Mapping[str, Any], values: Mapping[str, str]) -> tuple[tuple[FoundCredential, ...], list[str]]:
    kind = str(auth.get("type", ""))
    rows = {str(row.get("key")): filled(str(row.get("value") or ""), values) for row in _rows(auth.get(kind))}
    if any("{{" in text for text in rows.values()):
        return (), ["the credentials are variables that the collection does not define"]
    if kind in {"basic", "digest"}:
        return (*user_password(f"{rows.get('username', '')}:{rows.get('password', '')}", kind.capitalize()),), []
    if kind == "bearer" and rows.get("token"):
        return (credential("token", "scheme", "Bearer", rows["token"]),), []
    if kind == "apikey" and rows.get("value"):
        way: CredentialWay = "query" if rows.get("in") == "query" else "header"
        return (credential("token", way, rows.get("key", ""), rows["value"]),), []
    if kind in {"", "noauth", "bearer", "apikey"}:
        return (), []
    return (), [AUTH_NOT_IMPORTED.format(kind[:40])]


def _table(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _rows(value: object) -> list[dict[str, Any]]:
    if not isinstance(value, list):
        return []
    return [row for row in value if isinstance(row, dict)]


OTHERS: Final = (
    (
        regex(r"Invoke-(?:WebRequest|RestMethod)\b|New-Object Microsoft\.PowerShell", re.IGNORECASE),
        "PowerShell cannot be imported. In the browser, choose “Copy as cURL”.",
    ),
    (
        regex(r"(?:await\s+)?fetch\("),
        "JavaScript (fetch) cannot be imported. In the browser, choose “Copy as cURL”.",
    ),
    (regex(r"\s*case\s*=\s*1\b", re.MULTILINE), "This is a case. To import it, run:\nrpcexplorer history import FILE"),
    (regex(r'\{[^{]*"openrpc"'), "This is an OpenRPC document. To use it, set `discovery` in a profile."),
    (
        regex(r"https?(?:ie)?\s+(?:-|[A-Z]+\s|https?:)|wget\s"),
        "This command cannot be imported. rpcexplorer imports only curl commands.",
    ),
)
"""Formats that users try, with advice on what to do instead."""
EMPTY: Final = "The text is empty."
UNKNOWN: Final = (
    "Unknown format. Import a curl command, a HAR, a Postman collection, JSON-RPC requests (one per line), "
    "or MCP servers (mcp.json)."
)


def imported(text: str) -> Imported:
    """Read the calls in a text in any of the known formats."""
    text = text.removeprefix("\ufeff").strip()
    if not text:
        return Imported("", notes=(EMPTY,))
    if text[0] == "[":
        return read_json_lines(text)
    if text[0] == "{":
        names = _names(text)
        if "log" in names:
            return read_har(text)
        if {"info", "item"} <= names or {"requests", "order"} <= names:
            return read_postman(text)
        if "openrpc" not in names:
            return read_json_lines(text)
    if curl.STARTS.search(text, 0, curl.RECOGNITION_CHARACTERS):
        return curl.read(text)
    advice = next((sentence for other, sentence in OTHERS if other.match(text)), UNKNOWN)
    return Imported("", notes=(advice,))


def _names(text: str) -> set[str]:
    """Return the member names of a JSON object; empty for other values."""
    try:
        return {*msgspec.json.decode(text, type=dict[str, Raw])}
    except (msgspec.DecodeError, RecursionError, UnicodeEncodeError):
        return {member.name for member in members(text) or ()}  # for JSON that is nested too deeply
