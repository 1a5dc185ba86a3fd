"""Calls, credentials and variables in an imported request."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, Literal
from urllib.parse import unquote, unquote_plus

from msgspec import Struct
from msgspec.structs import replace

from rpcexplorer.importing.shell import Private
from rpcexplorer.jsontext.params import Typo, parse
from rpcexplorer.jsontext.scan import LOOSE_STRING, decoded, elements, members, repeated_name
from rpcexplorer.model.method import SIGN
from rpcexplorer.model.profile import joined, split_address
from rpcexplorer.model.secret import Secret, defused
from rpcexplorer.patterns import regex
from rpcexplorer.variables.references import can_be_named, inert

VARIABLE: Final = regex(r"\{\{([^{}]*)\}\}")
GENERATED: Final = {"$guid": "uuid", "$randomUUID": "uuid", "$isoTimestamp": "now"}
"""Postman's generated values that rpcexplorer also has."""
ROUNDS: Final = 5
MAX_CHARACTERS: Final = 2_000
_PART = regex(rf"(?P<string>{LOOSE_STRING})|\{{\{{(?P<bare>[^{{}}\"]*)\}}\}}", re.DOTALL)


def filled(text: str, values: Mapping[str, str]) -> str:
    """Return a text with the values of a collection filled in, within limits.

    Values may contain variables, too.
    """
    for _ in range(ROUNDS):
        references = [found[1].strip() for found in VARIABLE.finditer(text)]
        # Checked before the text is built: a small file can ask for gigabytes.
        if len(text) + sum(len(values.get(name, "")) for name in references) > MAX_CHARACTERS:
            break
        text = VARIABLE.sub(lambda found: values.get(found[1].strip(), found[0]), text)
    return text


def convert_variables(body: str) -> tuple[str, list[str], list[str]]:
    """Return a body with rpcexplorer's variables.

    Also return the names of these variables, and the names of those that stay text.
    """
    names: dict[str, None] = {}
    others: dict[str, None] = {}

    def inside(found: re.Match[str]) -> str:
        name = found[1].strip()
        if name in GENERATED:
            return f"{{{{{GENERATED[name]}}}}}"
        if can_be_named(name):
            names[name] = None
            return f"{{{{{name}}}}}"
        others[name[:64]] = None
        return inert(found[0])

    def part(found: re.Match[str]) -> str:
        if found["bare"] is None:
            return VARIABLE.sub(inside, found["string"])
        name = found["bare"].strip()
        if can_be_named(name):
            names[name] = None
            return f'"{{{{{name}:json}}}}"'
        return found[0]

    return _PART.sub(part, body), [*names], [*others]


def notes(names: Sequence[str], kept: Sequence[str]) -> list[str]:
    """Return notes about the variables of a body."""
    lines = []
    if names:
        lines.append(f"variables that need a value: {', '.join(names)}")
    if kept:
        lines.append(f"variables that only Postman fills in, imported as text: {', '.join(kept)}")
    return lines


CredentialWay = Literal["scheme", "cookie", "header", "query", "address", "member", "params"]
"""Place of a credential in the imported request."""
PLACES: Final = {
    "scheme": "Authorization: {}",
    "cookie": "cookie {}",
    "header": "header {}",
    "query": "?{}= in the URL",
    "address": "user:password@ in the URL",
    "member": "member {} next to method",
    "params": "{} in the params",
}


class FoundCredential(Struct, frozen=True):
    field: str
    """username, password, session or token."""
    way: CredentialWay
    name: str
    """Name of the scheme, cookie, header, query parameter or member."""
    secret: Secret

    @property
    def place(self) -> str:
        return PLACES[self.way].format(self.name)


class ImportedCall(Struct, frozen=True):
    number: int
    """Number of its request, from 1."""
    method: str
    params: str
    """JSON text, unchanged; empty if there are no params."""
    address: str = ""
    """URL without credentials; empty if unknown."""
    notification: bool = False
    in_batch: bool = False
    """Its request has other calls."""
    name: str = ""
    """Its name in the other program, with folders."""
    credentials: tuple[FoundCredential, ...] = ()
    notes: tuple[str, ...] = ()
    """Notes about parts that are ignored or handled differently."""
    times: int = 1
    """How often the same call occurs."""


class Skipped(Struct, frozen=True):
    number: int
    why: str
    """The reason, such as "GET without a body", for one request or several."""


class Imported(Struct, frozen=True):
    form: str
    """Name of the format; empty if unknown."""
    calls: tuple[ImportedCall, ...] = ()
    skipped: tuple[Skipped, ...] = ()
    notes: tuple[str, ...] = ()
    """Notes about the whole text, or why nothing can be used."""


def without_repeats(calls: Iterable[ImportedCall]) -> tuple[ImportedCall, ...]:
    """Return each call once, at its first place, with the number of times."""
    found: dict[tuple[str, str, str, bool], ImportedCall] = {}
    for call in calls:
        key = (call.address, call.method, call.params, call.notification)
        if key in found:
            call = replace(found[key], times=found[key].times + 1)  # noqa: PLW2901
        found[key] = call
    return tuple(found.values())


OWN: Final = frozenset({"jsonrpc", "version", "id", "method", "params"})
"""The members of a request in all JSON-RPC versions."""
MAX_METHOD: Final = 500


class WrittenCall(Struct, frozen=True):
    method: str
    params: str
    """Empty if there are no params."""
    notification: bool
    others: tuple[tuple[str, str], ...] = ()
    """Other members of the request, each with its JSON text."""


def envelopes(body: str) -> tuple[list[WrittenCall], str]:
    """Return the calls of a body, or a clause that says why there are none."""
    body = body.removeprefix("\ufeff")
    spans = elements(body)
    if spans is None:
        found = envelope(body)
        return ([], found) if isinstance(found, str) else ([found], "")
    if not spans:
        return [], "the batch is empty"
    if len(spans) > MAX_CALLS:
        return [], f"the batch has more than {MAX_CALLS:,} calls"
    calls = []
    for number, (start, end) in enumerate(spans, 1):
        found = envelope(body[start:end])
        if isinstance(found, str):
            return [], f"in call {number} of the batch, {found}"
        calls.append(found)
    return calls, ""


def envelope(text: str) -> WrittenCall | str:
    """Return the call of a JSON object, or a clause that says why not."""
    found = members(text)
    if found is None:
        return "the body is not a JSON object"
    parts = {member.name: text[slice(*member.value)] for member in found}
    if len(parts) < len(found) and (name := repeated_name(text)) in parts:
        return f"the member {name} appears twice"
    if "method" not in parts:
        return "the body is a response" if {"result", "error"} & parts.keys() else "the body has no method"
    method = decoded(parts["method"]) if parts["method"].startswith('"') else ""
    if not method.strip() or len(method) > MAX_METHOD:
        return "the method is not a valid name"
    if method.startswith(SIGN):
        return f"the method starts with {SIGN}, as saved calls do"
    params = parts.get("params", "")
    if params and isinstance(read := parse(params), Typo):
        if params[0] not in "[{":
            return "the params are neither an array nor an object"
        return f"the params are not valid: {read.what}"
    others = tuple((name, value) for name, value in parts.items() if name not in OWN)
    return WrittenCall(method, params, parts.get("id", "null") == "null", others)


def whole_requests(text: str) -> list[WrittenCall]:
    """Return the calls of a text that can only be requests.

    A JSON object with a member ``method`` may also be params. That is not enough.
    """
    text = text.removeprefix("\ufeff")
    spans = elements(text)
    if spans:
        parts = [text[start:end] for start, end in spans]
    elif spans is None and members(text) is None:
        parts = [line for _, line in lines_of(text)]
    else:
        parts = [text]
    calls = []
    for part in parts:
        names = {member.name for member in members(part) or ()}
        if not {"jsonrpc", "method"} <= names <= OWN:
            return []
        call = envelope(part)
        if isinstance(call, str):
            return []
        calls.append(call)
    return calls


def lines_of(text: str) -> Iterator[tuple[int, str]]:
    """Return the lines that are not blank, with their numbers."""
    return ((number, line) for number, line in enumerate(text.splitlines(), 1) if line.strip())


MAX_CALLS: Final = 1_000
"""Calls of one import or body; a larger file must be split."""
SECRETIVE: Final = regex(
    r"auth|token|key|secret|session|passw|pwd|credential|signature|sig$|csrf|xsrf|jwt|sid$", re.IGNORECASE
)
"""Names of headers, parameters and members that are taken for credentials.

A wrong match does little harm: the value is only left out.
"""
USUAL: Final = regex(
    r"(?i):.*|accept.*|content-.*|host|connection|origin|referer|user-agent|pragma|cache-control|expect|te|dnt|priority"
    r"|proxy-connection|upgrade-insecure-requests|sec-.*|x-requested-with|postman-token|if-.*|trailer|transfer-encoding"
)
"""Headers that clients add themselves, or that the profile sets."""
_USER = regex(r"^([a-z][\w+.-]*://)([^/?#]*)@", re.IGNORECASE)


class RequestRead(Private):
    """A request as another program wrote it, with all its parts."""

    method: str = "GET"
    address: str = ""
    headers: Sequence[tuple[str, str]] = ()
    body: str | None = None
    name: str = ""
    credentials: tuple[FoundCredential, ...] = ()
    notes: tuple[str, ...] = ()
    problem: str = ""
    """Why it cannot be used; empty if it can."""
    number: int = 0
    """Its own number, such as its line; 0 for its position."""
    has_variables: bool = False
    """Names in double braces in its body are variables."""
    socket: str = ""
    """The absolute path of the Unix socket that it is sent over."""


def credential(field: str, way: CredentialWay, name: str, value: str) -> FoundCredential:
    return FoundCredential(field, way, name, Secret(value, f"import.{field}"))


def imported_from(form: str, requests: Iterable[RequestRead], notes: Sequence[str] = ()) -> Imported:
    """Return the calls of requests, and the reasons for skipped requests."""
    calls: list[ImportedCall] = []
    skipped: list[Skipped] = []
    all_notes = list(notes)
    for at, request in enumerate(requests, 1):
        number = request.number or at
        if len(calls) >= MAX_CALLS:
            rest = f"Request {number} and all later ones were skipped"
            all_notes.append(f"The text has more than {MAX_CALLS:,} calls. {rest}.")
            break
        found = _calls(number, request)
        if isinstance(found, str):
            skipped.append(Skipped(number, found))
        else:
            calls += found
    return Imported(form, without_repeats(calls), tuple(skipped), tuple(dict.fromkeys(all_notes)))


def _calls(number: int, request: RequestRead) -> list[ImportedCall] | str:
    if request.problem:
        return request.problem
    if not request.body:
        return f"{_word(request.method)} without a body"
    found, why = envelopes(request.body)
    if why:
        return why
    address, in_address = split_url(request.address)
    if request.socket:
        address = joined(f"http+unix://{request.socket}", split_address(address)[1] or "/")
    around, notes = _headers(request.headers)
    credentials = (*request.credentials, *in_address, *around)
    if request.has_variables and any("{{" in call.method for call in found):
        return "the method is a Postman variable"
    if request.method.upper() != "POST":
        notes.append(f"rpcexplorer uses POST instead of {_word(request.method)}")
    calls = []
    for call in found:
        inside, left_out = _members(call)
        params = defused(call.params) if request.has_variables else inert(call.params)
        calls.append(
            ImportedCall(
                number, call.method, params, address, call.notification, len(found) > 1, request.name,
                (*credentials, *inside), (*request.notes, *notes, *left_out),
            )
        )  # fmt: skip
    return calls


def split_url(address: str) -> tuple[str, list[FoundCredential]]:
    """Return a URL without its credentials, and these."""
    found: list[FoundCredential] = []
    address = address.partition("#")[0]
    if user := _USER.match(address):
        name, _, password = user[2].partition(":")
        found += _pair("address", "", unquote(name), unquote(password))
        address = user[1] + address[user.end() :]
    base, _, query = address.partition("?")
    kept = []
    for part in query.split("&"):
        name, _, value = part.partition("=")
        if value and SECRETIVE.search(unquote_plus(name)):
            found.append(credential("token", "query", unquote_plus(name), unquote_plus(value)))
        else:
            kept.append(part)
    query = "&".join(kept)
    return f"{base}?{query}" if query else base, found


def authorization(value: str) -> list[FoundCredential]:
    scheme, _, rest = value.strip().partition(" ")
    rest = rest.strip()
    if not scheme:
        return []
    if not rest:
        return [credential("token", "header", "Authorization", scheme)]
    if scheme.lower() != "basic":
        return [credential("token", "scheme", scheme.capitalize() if scheme.isalnum() else "another scheme", rest)]
    try:
        return user_password(base64.b64decode(rest, validate=True).decode())
    except (binascii.Error, UnicodeDecodeError):
        return [credential("token", "scheme", "Basic", rest)]


def user_password(text: str, scheme: str = "Basic") -> list[FoundCredential]:
    """Return the credentials of curl's option ``-u``."""
    name, _, password = text.partition(":")
    return _pair("scheme", scheme, name, password)


def _pair(way: CredentialWay, name: str, username: str, password: str) -> list[FoundCredential]:
    found = []
    if username:
        found.append(credential("username", way, name, username))
    if password:
        found.append(credential("password", way, name, password))
    return found


def _headers(headers: Iterable[tuple[str, str]]) -> tuple[list[FoundCredential], list[str]]:
    """Return the credentials in headers, and a note about other headers."""
    found: list[FoundCredential] = []
    others: list[str] = []
    for name, value in headers:
        small = name.strip().lower()
        if small == "authorization":
            found += authorization(value)
        elif small == "cookie":
            for pair in value.split(";"):
                cookie, _, text = pair.strip().partition("=")
                if text:
                    found.append(credential("session", "cookie", cookie, text.strip('"')))
        elif USUAL.fullmatch(small):
            continue
        elif SECRETIVE.search(small) and value.strip():
            found.append(credential("token", "header", name.strip(), value.strip()))
        else:
            others.append(name.strip())
    if not others:
        return found, []
    return found, [f"ignored headers: {', '.join(dict.fromkeys(others))}. To send them, set `headers` in the profile"]


def _members(call: WrittenCall) -> tuple[list[FoundCredential], list[str]]:
    """Return credentials in extra members, and a note about other members."""
    found: list[FoundCredential] = []
    others: list[str] = []
    for name, value in call.others:
        if SECRETIVE.search(name) and value.startswith('"') and decoded(value):
            found.append(credential("token", "member", name, decoded(value)))
        else:
            others.append(name)
    if not others:
        return found, []
    return found, [f"ignored members next to method: {', '.join(others)}"]


def _word(method: str) -> str:
    return re.sub(r"\W", "", method)[:10].upper() or "request"
