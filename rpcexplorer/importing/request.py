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

from rpcexplorer.jsontext.params import Typo, parse
from rpcexplorer.jsontext.scan import LOOSE_STRING, decoded, elements, members, repeated_name
from rpcexplorer.model.method import SIGN
from rpcexplorer.model.secret import Secret, defused
from rpcexplorer.patterns import regex
from rpcexplorer.variables.references import can_be_named, inert

VARIABLE: Final = regex(r"\{\{([^{}]*)\}\}")
MADE_ALIKE: Final = {"$guid": "uuid", "$randomUUID": "uuid", "$isoTimestamp": "now"}
"""What Postman makes up that is made up here as well."""
ROUNDS: Final = 5
LONGEST: Final = 2_000
_PART = regex(rf"(?P<string>{LOOSE_STRING})|\{{\{{(?P<bare>[^{{}}\"]*)\}}\}}", re.DOTALL)


def filled(text: str, values: Mapping[str, str]) -> str:
    """A text with the values of a collection in it; also those that stand in its values, within bounds."""
    for _ in range(ROUNDS):
        more = (
            len(values[name]) - len(each[0]) for each in VARIABLE.finditer(text) if (name := each[1].strip()) in values
        )
        if len(text) + sum(more) > LONGEST:  # counted before it is built: a small file can ask for gigabytes
            break
        now = VARIABLE.sub(lambda found: values.get(found[1].strip(), found[0]), text)
        if now == text:
            break
        text = now
    return text


def as_ours(body: str) -> tuple[str, list[str], list[str]]:
    """A body with our placeholders in it, the names of these, and those that stay as text."""
    names: dict[str, None] = {}
    kept: dict[str, None] = {}

    def inside(found: re.Match[str]) -> str:
        name = found[1].strip()
        if name in MADE_ALIKE:
            return f"{{{{{MADE_ALIKE[name]}}}}}"
        if can_be_named(name):
            names[name] = None
            return f"{{{{{name}}}}}"
        kept[name[:64]] = None
        return inert(found[0])

    def part(found: re.Match[str]) -> str:
        if found["bare"] is None:
            return VARIABLE.sub(inside, found["string"])
        name = found["bare"].strip()
        if can_be_named(name):
            names[name] = None
            return f'"{{{{{name}:json}}}}"'
        return found[0]

    return _PART.sub(part, body), [*names], [*kept]


def notes(names: Iterable[str], kept: Iterable[str]) -> list[str]:
    """What is to be said of the variables of a body."""
    told = [f"its variables need values: {', '.join(names)}"] if names else []
    return told + ([f"these stand as text, for Postman alone fills them in: {', '.join(kept)}"] if kept else [])


CredentialWay = Literal["scheme", "cookie", "header", "query", "address", "member", "params"]
"""How a credential went out: under a scheme of HTTP, in a cookie, a header, the query, before the host, in the body."""
WAY_WORDS: Final = {
    "scheme": "Authorization: {}",
    "cookie": "cookie {}",
    "header": "header {}",
    "query": "?{}= in the address",
    "address": "before the host of the address",
    "member": "member {} beside method",
    "params": "{} in the params",
}


class FoundCredential(Struct, frozen=True):
    field: str
    """username, password, session or token."""
    way: CredentialWay
    name: str
    """Of the scheme, cookie, header, parameter or member."""
    secret: Secret

    @property
    def place(self) -> str:
        return WAY_WORDS[self.way].format(self.name)


class ImportedCall(Struct, frozen=True):
    number: int
    """Of the request that it stood in, from 1."""
    method: str
    params: str
    """JSON text, each token as it was; empty where there were none."""
    address: str = ""
    """Where it went, without credentials; empty where nothing says it."""
    notification: bool = False
    in_batch: bool = False
    """It shared its request with others."""
    name: str = ""
    """What it was called where it comes from, with its folders."""
    credentials: tuple[FoundCredential, ...] = ()
    notes: tuple[str, ...] = ()
    """What does not come along, or is done another way here."""
    times: int = 1
    """So often it stood there, letter by letter."""


class Skipped(Struct, frozen=True):
    number: int
    why: str
    """As a clause: "it is a GET"."""


class Imported(Struct, frozen=True):
    form: str
    """What the text is, in words; empty where nobody knows it."""
    calls: tuple[ImportedCall, ...] = ()
    skipped: tuple[Skipped, ...] = ()
    notes: tuple[str, ...] = ()
    """What is to be said of the whole, or why nothing could be used."""


def without_repeats(calls: Iterable[ImportedCall]) -> tuple[ImportedCall, ...]:
    """Each call once, where it stood first; what a page asks every second is one call."""
    found: dict[tuple[str, str, str, bool], ImportedCall] = {}
    for call in calls:
        key = (call.address, call.method, call.params, call.notification)
        before = found.get(key)
        found[key] = replace(before, times=before.times + 1) if before else call
    return tuple(found.values())


OWN: Final = frozenset({"jsonrpc", "version", "id", "method", "params"})
"""The members of a request, in the versions there are."""
LONGEST_METHOD: Final = 500


class WrittenCall(Struct, frozen=True):
    method: str
    params: str
    """Empty where there are none."""
    notification: bool
    others: tuple[tuple[str, str], ...] = ()
    """Members that stand beside them, each with its JSON text."""


def envelopes(body: str) -> tuple[list[WrittenCall], str]:
    """The calls of a body; else none, and why it is no JSON-RPC, as a clause."""
    start = int(body.startswith("\ufeff"))
    spans = elements(body, start)
    if spans is None:
        found = envelope(body)
        return ([found], "") if isinstance(found, WrittenCall) else ([], found)
    if not spans:
        return [], "its batch is empty"
    if len(spans) > MAX_CALLS:
        return [], f"its batch has more than {MAX_CALLS:,} calls"
    calls = []
    for number, span in enumerate(spans, 1):
        found = envelope(body[slice(*span)])
        if not isinstance(found, WrittenCall):
            return [], f"call {number} of its batch: {found}"
        calls.append(found)
    return calls, ""


def envelope(text: str) -> WrittenCall | str:
    """The call that an object of JSON is; else why it is none, as a clause."""
    found = members(text.removeprefix("\ufeff"))
    if found is None:
        return "its body is no JSON object"
    text = text.removeprefix("\ufeff")
    parts = {each.name: text[slice(*each.value)] for each in found}
    if len(parts) < len(found) and (name := repeated_name(text)) in parts:
        return f"it has the member {name} twice"
    if "method" not in parts:
        return "it is a response" if {"result", "error"} & parts.keys() else "its body names no method"
    method = decoded(parts["method"]) if parts["method"].startswith('"') else ""
    if not method.strip() or len(method) > LONGEST_METHOD:
        return "its method is no name"
    if method.startswith(SIGN):
        return f"its method begins with {SIGN}, as the saved calls of this program do"
    params = parts.get("params", "")
    if params and isinstance(read := parse(params), Typo):
        return "its params are neither an array nor an object" if params[0] not in "[{" else f"its params: {read.what}"
    others = tuple((name, value) for name, value in parts.items() if name not in OWN)
    return WrittenCall(method, params, parts.get("id", "null") == "null", others)


def whole(text: str) -> list[WrittenCall]:
    """The calls of a text that can only be requests, and not the params of something that has a ``method`` in them."""
    text = text.removeprefix("\ufeff")
    spans = elements(text)
    parts = [text[slice(*span)] for span in spans] if spans else [text]
    if spans is None and members(text) is None:
        parts = [line for _, line in lines_of(text)]
    calls = []
    for part in parts:
        names = {each.name for each in members(part) or ()}
        call = envelope(part) if {"jsonrpc", "method"} <= names <= OWN else ""
        if not isinstance(call, WrittenCall):
            return []
        calls.append(call)
    return calls


def lines_of(text: str) -> Iterator[tuple[int, str]]:
    """The lines that are not blank, each with its number."""
    return ((number, line) for number, line in enumerate(text.splitlines(), 1) if line.strip())


MAX_CALLS: Final = 1_000
"""Calls of one import, or of one body; who has more splits the file."""
REQUESTS: Final = 20_000
LONGEST_ADDRESS: Final = 2_000
SECRETIVE: Final = regex(
    r"auth|token|key|secret|session|passw|pwd|credential|signature|sig$|csrf|xsrf|jwt|sid$", re.IGNORECASE
)
"""Headers, parameters and members of these names are taken for credentials: one too many is only left out."""
USUAL: Final = regex(
    r"(?i):.*|accept.*|content-.*|host|connection|origin|referer|user-agent|pragma|cache-control|expect|te|dnt|priority"
    r"|proxy-connection|upgrade-insecure-requests|sec-.*|x-requested-with|postman-token|if-.*|trailer|transfer-encoding"
)
"""Headers that a browser or a client adds by itself, or that the program sets as the profile says."""
_USER = regex(r"^([a-z][\w+.-]*://)([^/?#]*)@", re.IGNORECASE)


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
        if len(calls) >= MAX_CALLS or at > REQUESTS:
            most = f"{MAX_CALLS:,} calls" if at <= REQUESTS else f"{REQUESTS:,} requests"
            said.append(f"There are more than {most}: request {number} and all after it were skipped.")
            break
        found = _calls(number, request)
        if isinstance(found, str):
            skipped.append(Skipped(number, found))
        else:
            calls += found
    return Imported(form, without_repeats(calls), tuple(skipped), tuple(dict.fromkeys(said)))


def _calls(number: int, request: RequestRead) -> list[ImportedCall] | str:
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
        params = defused(each.params) if request.opens else inert(each.params)
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
    said = f"own headers do not come along: {', '.join(dict.fromkeys(others))}; a profile has them in `headers`"
    return found, [said] if others else []


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
