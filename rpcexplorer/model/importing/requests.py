"""A request over HTTP, as a program has written it down: the calls in its body, and the credentials around them."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final
from urllib.parse import unquote, unquote_plus

from msgspec import Struct

from rpcexplorer.jsontext.scan import decoded
from rpcexplorer.model.importing.envelopes import WrittenCall, envelopes
from rpcexplorer.model.importing.imported import (
    CredentialWay,
    FoundCredential,
    Imported,
    ImportedCall,
    Skipped,
    literal,
    without_repeats,
)
from rpcexplorer.model.secret import Secret

MOST: Final = 1_000
"""Calls of one import; who has more splits the file."""
REQUESTS: Final = 20_000
LONGEST_ADDRESS: Final = 2_000
SECRETIVE: Final = re.compile(
    r"auth|token|key|secret|session|passw|pwd|credential|signature|sig$|csrf|xsrf|jwt|sid$", re.IGNORECASE
)
"""Headers, parameters and members of these names are taken for credentials: one too many is only left out."""
USUAL: Final = re.compile(
    r"(?i):.*|accept.*|content-.*|host|connection|origin|referer|user-agent|pragma|cache-control|expect|te|dnt|priority"
    r"|proxy-connection|upgrade-insecure-requests|sec-.*|x-requested-with|postman-token|if-.*|trailer|transfer-encoding"
)
"""Headers that a browser or a client adds by itself, or that the program sets as the profile says."""
_USER = re.compile(r"^([a-z][\w+.-]*://)([^/?#]*)@", re.IGNORECASE)


class RequestRead(Struct):
    """One request as it stood in a text, before anything was left out of it."""

    method: str = "GET"
    address: str = ""
    headers: Sequence[tuple[str, str]] = ()
    body: str | None = None
    name: str = ""
    credentials: tuple[FoundCredential, ...] = ()
    notes: tuple[str, ...] = ()
    wrong: str = ""
    """Why it cannot be used, whatever else it is."""
    number: int = 0
    """Its own, such as that of its line; 0: the place among the others."""
    opens: bool = False
    """What its body has in double braces is meant to be filled in."""

    def __repr__(self) -> str:
        """Not its headers and address, which may hold a secret."""
        return f"RequestRead(method={self.method!r})"


def credential(field: str, way: CredentialWay, name: str, value: str) -> FoundCredential:
    return FoundCredential(field, way, name, Secret(value, f"import.{field}"))


def imported_from(form: str, requests: Iterable[RequestRead], notes: Sequence[str] = ()) -> Imported:
    """The calls of requests, and why the others are none."""
    calls: list[ImportedCall] = []
    skipped: list[Skipped] = []
    said = list(notes)
    for at, request in enumerate(requests, 1):
        number = request.number or at
        if len(calls) >= MOST or at > REQUESTS:
            most = f"{MOST:,} calls" if at <= REQUESTS else f"{REQUESTS:,} requests"
            said.append(f"There are more than {most}: request {number} and what comes after it were left out.")
            break
        found = _calls(number, request)
        if isinstance(found, str):
            skipped.append(Skipped(number, found))
        else:
            calls += found
    return Imported(form, without_repeats(calls), tuple(skipped), tuple(dict.fromkeys(said)))


def _calls(number: int, request: RequestRead) -> list[ImportedCall] | str:
    """The calls of a request, or why there are none."""
    if request.wrong:
        return request.wrong
    if not request.body:
        return f"it is a {_word(request.method)} without a body"
    found, why = envelopes(request.body)
    if why:
        return why
    address, in_address = taken_apart(request.address)
    around, notes = _headers(request.headers)
    credentials = (*request.credentials, *in_address, *around)
    if request.opens and any("{{" in each.method for each in found):
        return "its method is a variable of Postman"
    if request.method.upper() != "POST":
        notes.append(f"it was sent by {_word(request.method)}, and goes out by POST here")
    calls = []
    for each in found:
        inside, left_out = _members(each)
        params = each.params if request.opens else literal(each.params)
        calls.append(
            ImportedCall(
                number, each.method, params, address, each.notification, len(found) > 1, request.name,
                (*credentials, *inside), (*request.notes, *notes, *left_out),
            )
        )  # fmt: skip
    return calls


def taken_apart(address: str) -> tuple[str, list[FoundCredential]]:
    """An address without its credentials, and these."""
    found: list[FoundCredential] = []
    address = address.partition("#")[0][:LONGEST_ADDRESS]
    if user := _USER.match(address):
        name, _, password = user[2].partition(":")
        found += _pair("address", "", unquote(name), unquote(password))
        address = user[1] + address[user.end() :]
    base, mark, query = address.partition("?")
    kept = []
    for part in query.split("&") if mark else ():
        name, _, value = part.partition("=")
        if value and SECRETIVE.search(unquote_plus(name)):
            found.append(credential("token", "query", unquote_plus(name), unquote_plus(value)))
        else:
            kept.append(part)
    return base + ("?" + "&".join(kept) if kept else ""), found


def authorization(value: str) -> list[FoundCredential]:
    """What stands in the header ``Authorization``."""
    scheme, _, rest = value.strip().partition(" ")
    rest = rest.strip()
    if scheme.lower() == "basic":
        try:
            name, _, password = base64.b64decode(rest, validate=True).decode().partition(":")
        except (binascii.Error, UnicodeDecodeError):
            return [credential("token", "scheme", "Basic", rest)] if rest else []
        return _pair("scheme", "Basic", name, password)
    if not rest:
        return [credential("token", "header", "Authorization", scheme)] if scheme else []
    return [credential("token", "scheme", scheme.capitalize() if scheme.isalnum() else "of its own", rest)]


def user_password(text: str, scheme: str = "Basic") -> list[FoundCredential]:
    """What curl takes with ``-u``."""
    name, _, password = text.partition(":")
    return _pair("scheme", scheme, name, password)


def _pair(way: CredentialWay, name: str, username: str, password: str) -> list[FoundCredential]:
    values = (("username", username), ("password", password))
    return [credential(field, way, name, value) for field, value in values if value]


def _headers(headers: Iterable[tuple[str, str]]) -> tuple[list[FoundCredential], list[str]]:
    """The credentials in headers, and which others do not come along."""
    found: list[FoundCredential] = []
    others: list[str] = []
    for name, value in headers:
        small = name.strip().lower()
        if small == "authorization":
            found += authorization(value)
        elif small == "cookie":
            found += _cookies(value)
        elif USUAL.fullmatch(small):
            continue
        elif SECRETIVE.search(small) and value.strip():
            found.append(credential("token", "header", name.strip(), value.strip()))
        else:
            others.append(name.strip())
    said = f"own headers do not come along: {', '.join(dict.fromkeys(others))}; a profile has them in `headers`"
    return found, [said] if others else []


def _cookies(value: str) -> Iterator[FoundCredential]:
    for pair in value.split(";"):
        name, _, text = pair.strip().partition("=")
        if text:
            yield credential("session", "cookie", name, text.strip('"'))


def _members(each: WrittenCall) -> tuple[list[FoundCredential], list[str]]:
    """What stands beside the method: a credential, or something that does not come along."""
    found: list[FoundCredential] = []
    others: list[str] = []
    for name, value in each.others:
        if SECRETIVE.search(name) and value.startswith('"') and decoded(value):
            found.append(credential("token", "member", name, decoded(value)))
        else:
            others.append(name)
    return found, [f"members beside the method do not come along: {', '.join(others)}"] if others else []


def _word(method: str) -> str:
    return re.sub(r"\W", "", method)[:10].upper() or "request"
