"""Postman's collections, version 2.1: requests in folders. No script is run, no file read, no variable opened."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

import msgspec
from msgspec import Raw, Struct, field

from rpcexplorer.model.importing.imported import CredentialWay, FoundCredential, Imported
from rpcexplorer.model.importing.requests import RequestRead, credential, imported_from, user_password
from rpcexplorer.model.importing.variables import as_ours, filled, notes

FORM: Final = "Postman collection"
MOST: Final = 5_000
"""Items of one collection, folders among them."""
OTHER: Final = (
    "It is a Postman collection of another version than 2.1: in Postman, choose Export and “Collection v2.1”."
)
SENT_OTHERWISE: Final = "its auth is {}, which is not imported"


class PostmanItem(Struct):
    name: str = ""
    item: list[Raw] | None = None
    request: dict[str, Any] | str | None = None
    auth: dict[str, Any] | None = None

    def __repr__(self) -> str:
        """Not its request, which may hold a secret."""
        return f"PostmanItem(name={self.name!r})"


class PostmanInfo(Struct):
    schema: str = ""


class PostmanCollection(Struct):
    info: PostmanInfo
    item: list[Raw] = field(default_factory=list)
    variable: list[dict[str, Any]] = field(default_factory=list)
    auth: dict[str, Any] | None = None

    def __repr__(self) -> str:
        return "PostmanCollection()"


def is_collection(named: Mapping[str, Raw]) -> bool:
    return {"info", "item"} <= named.keys() or {"requests", "order"} <= named.keys()


def read(text: str) -> Imported:
    """The requests of a collection, each named after its folders."""
    try:
        found = msgspec.json.decode(text, type=PostmanCollection)
    except (msgspec.DecodeError, RecursionError):
        other = '"requests"' in text and '"order"' in text
        return Imported(FORM, notes=(OTHER if other else "It is no Postman collection as Postman writes it.",))
    if "/v2.1" not in found.info.schema:
        return Imported(FORM, notes=(OTHER,))
    values = {str(each.get("key")): str(each.get("value") or "") for each in found.variable}
    return imported_from(FORM, _requests(found, values), ("Scripts of a collection are not run.",) * ("exec" in text))


def _requests(collection: PostmanCollection, values: Mapping[str, str]) -> Iterator[RequestRead]:
    waiting = [(each, "", collection.auth) for each in reversed(collection.item)]
    looked_at = 0
    while waiting and looked_at < MOST:
        raw, folder, auth = waiting.pop()
        looked_at += 1
        try:
            item = msgspec.json.decode(raw, type=PostmanItem)
        except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
            yield RequestRead(wrong="its record is damaged")
            continue
        name = f"{folder} / {item.name}" if folder else item.name
        auth = item.auth or auth
        if item.item is not None:
            waiting += [(each, name, auth) for each in reversed(item.item)]
        elif isinstance(item.request, dict):
            yield _request(item.request, name, auth, values)
        else:
            yield RequestRead(wrong="it is a GET without a body")


def _request(
    request: Mapping[str, Any], name: str, auth: Mapping[str, Any] | None, values: Mapping[str, str]
) -> RequestRead:
    body, wrong = _body(request.get("body"))
    text, names, kept = as_ours(body) if body else (body, [], [])
    said = notes(names, kept)
    credentials, unknown = _auth(_table(request.get("auth")) or auth or {}, values)
    address = filled(_address(request.get("url")), values)
    said += unknown
    if "{{" in address:
        said.append("its address has variables that the collection does not know")
    headers = [
        (str(each.get("key", "")), filled(str(each.get("value") or ""), values))
        for each in _rows(request.get("header"))
        if not each.get("disabled")
    ]
    headers = [each for each in headers if "{{" not in each[1]]
    method = str(request.get("method") or "GET")
    return RequestRead(method, address, headers, text, name[:200], credentials, tuple(said), wrong, opens=True)


def _body(body: object) -> tuple[str | None, str]:
    """The text of a body; or why it has none that could be JSON-RPC."""
    found = _table(body)
    mode = found.get("mode")
    if not found or found.get("disabled") or mode is None:
        return None, ""
    if mode == "raw":
        return str(found.get("raw") or ""), ""
    if mode == "file":
        return None, "its body would come from a file, which is not read"
    return None, f"it sends {'a form' if mode in {'formdata', 'urlencoded'} else str(mode)[:40]}"


def _address(url: object) -> str:
    """As it was typed; else put together from its parts."""
    if isinstance(url, str):
        return url
    found = _table(url)
    if isinstance(raw := found.get("raw"), str) and raw:
        return raw
    host, path = (found.get(part) for part in ("host", "path"))
    base = ".".join(map(str, host)) if isinstance(host, list) else str(host or "")
    protocol = f"{found['protocol']}://" if found.get("protocol") else ""
    port = f":{found['port']}" if found.get("port") else ""
    rest = "/".join(map(str, path)) if isinstance(path, list) else str(path or "").lstrip("/")
    query = [
        f"{each.get('key')}={each.get('value') or ''}" for each in _rows(found.get("query")) if not each.get("disabled")
    ]
    return f"{protocol}{base}{port}{'/' * bool(rest or path)}{rest}{'?' * bool(query)}{'&'.join(query)}"


def _auth(auth: Mapping[str, Any], values: Mapping[str, str]) -> tuple[tuple[FoundCredential, ...], list[str]]:
    """The credentials of an auth block, and what is to be said of it."""
    kind = str(auth.get("type", ""))
    rows = {str(each.get("key")): filled(str(each.get("value") or ""), values) for each in _rows(auth.get(kind))}
    if any("{{" in each for each in rows.values()):
        return (), ["its credentials are variables that the collection does not know"]
    if kind in {"basic", "digest"}:
        return (*user_password(f"{rows.get('username', '')}:{rows.get('password', '')}", kind.capitalize()),), []
    if kind == "bearer" and rows.get("token"):
        return (credential("token", "scheme", "Bearer", rows["token"]),), []
    if kind == "apikey" and rows.get("value"):
        way: CredentialWay = "query" if rows.get("in") == "query" else "header"
        return (credential("token", way, rows.get("key", ""), rows["value"]),), []
    return (), [SENT_OTHERWISE.format(kind[:40])] if kind not in {"", "noauth", "bearer", "apikey"} else []


def _table(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _rows(value: object) -> list[dict[str, Any]]:
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []
