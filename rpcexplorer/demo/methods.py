"""The methods of the demo service."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any, Final

from rpcexplorer.demo import COOKIE, PASSWORD, USER, USERNAME
from rpcexplorer.demo.declaration import (
    LIFETIME,
    SCHEMAS,
    Call,
    Method,
    Param,
    Run,
    choice,
    document,
    flag,
    integer,
    named,
    number,
    record,
    text,
)
from rpcexplorer.demo.message import (
    NOTHING,
    RPC_TYPE,
    Body,
    FaultError,
    Piece,
    Response,
    Success,
    body,
    encode,
    fault,
    join,
    page,
    success,
)
from rpcexplorer.jsontext import scan

TABLE: dict[str, Method] = {}
"""The methods of the service, by name."""


def method(name: str, summary: str, *params: Param, description: str = "", **more: Any) -> Callable[[Run], Run]:
    """Return a decorator that adds a function to the table."""

    def add(run: Run) -> Run:
        described = description or f"{summary}."
        TABLE[name] = Method(name=name, summary=summary, description=described, run=run, params=params, **more)
        return run

    return add


_ATTRIBUTES = "Path=/; HttpOnly; SameSite=Lax"
_CREDENTIALS = (
    Param("username", f"User name. The demo service accepts {USERNAME}.", text(200)),
    Param("password", f"Password. The demo service accepts {PASSWORD}.", text(200)),
)
_OBJECT = {"type": "object"}
_STRING = {"type": "string"}
_INTEGER = {"type": "integer"}


def check_login(username: Any, password: Any) -> None:
    if (username, password) != (USERNAME, PASSWORD):
        raise fault(-32001, "authentication failed")


@method(
    "auth",
    "Opens a session",
    *_CREDENTIALS,
    description=f"Sets the cookie {COOKIE}. A session ends {LIFETIME // 60} minutes after its last use.",
    result={"type": "object", "properties": {"user": _STRING, "expires_in": _INTEGER}},
    errors=[(-32001, "authentication failed")],
)
def _auth(call: Call, username: str, password: str) -> Success:
    check_login(username, password)
    session = call.sessions.open()
    return success({"user": USER, "expires_in": LIFETIME}, f"{COOKIE}={session.token}; {_ATTRIBUTES}")


@method("ping", "Returns pong if the session is valid", result=choice("pong"), auth="cookie")
def _ping(_: Call) -> Success:
    return success("pong")


@method(
    "arg_test",
    "Takes the credentials in params and returns the other params",
    *_CREDENTIALS,
    description="Accepts any other params and returns them exactly as you sent them. Ignores the session cookie.",
    takes_anything=True,
    result={"type": "object", "properties": {"ok": {"type": "boolean"}, "user": _STRING, "arguments": _OBJECT}},
    auth="inline",
)
def _arg_test(call: Call) -> Success:
    params = call.request.params_text
    members = [member for member in scan.members(params) or () if member.name not in {"username", "password"}]
    arguments = ", ".join(params[member.key[0] : member.value[1]] for member in members).encode()
    return Success(body(b'{"ok": true, "user": %b, "arguments": {%b}}' % (encode(USER), arguments)))


@method(
    "demo.session",
    "Shows the user and the age of the session",
    description="Age and remaining time are in seconds. Like every call with the cookie, "
    "this call prolongs the session.",
    result={"type": "object", "properties": {"user": _STRING, "age": _INTEGER, "expires_in": _INTEGER}},
    auth="cookie",
)
def _session(call: Call) -> Success:
    assert call.session is not None
    return success({"user": USER, "age": call.sessions.age(call.session), "expires_in": LIFETIME})


@method(
    "demo.logout",
    "Ends the session",
    description="The cookie is deleted, and its value is no longer valid.",
    result={"type": "boolean"},
    auth="cookie",
    safe=False,
)
def _logout(call: Call) -> Success:
    assert call.session is not None
    call.sessions.close(call.session)
    return success(True, f"{COOKIE}=; Max-Age=0; {_ATTRIBUTES}")


@method(
    "demo.echo",
    "Returns the params exactly as you sent them",
    description="Keeps the spelling of numbers, the order of members, repeated names and white space.",
    takes_anything=True,
)
def _echo(call: Call) -> Success:
    return Success(body(call.request.params_text.encode()))


MAX_COUNT = 1_000_000
"""Most records on one page."""
BLOCK = 500
"""Records that are encoded at a time."""
DISTINCT_RECORDS = 1_000
"""Different records; after these, only the id differs."""
MAX_DIGITS = 13
"""Digits of the highest id: the last one on the last of a million pages."""
_FIRST = ("Zoë", "Tomás", "Ines", "Björn", "Aroha", "Kwame", "Mei", "Luca", "Noor", "Pavel", "Sunniva", "Ravi", "Éva")
_LAST = (
    "Novák",
    "Castellan",
    "Okafor",
    "Lindqvist",
    "Marchetti",
    "Tanaka",
    "Oyelaran",
    "Brandt",
    "Whitlock",
    "Ferreira",
    "Dubois",
)
_STREETS = (
    "Harbour Street",
    "Rue des Tilleuls",
    "Lindenallee",
    "Orchard Lane",
    "Calle del Faro",
    "Mill Road",
    "Strandvägen",
)
_PLACES = (
    ("Port Elara", "Meridia", 12.5, -3.25),
    ("Grünau am See", "Valdoria", 47.75, 9.5),
    ("Saint-Amaury", "Valdoria", 45.125, 4.0),
    ("Kestrel Bay", "Northmark", 61.0, -7.5),
    ("Villaluz", "Meridia", -8.625, 30.0),
)
_TAGS = ("new", "regular", "wholesale", "abroad", "on hold", "pays by credit card")
_START = datetime(2021, 3, 1, 8, 30, tzinfo=UTC)


@method(
    "demo.records",
    "Returns a page of fictional records, up to a million",
    Param("count", "Records on the page", integer(1, MAX_COUNT, default=20)),
    Param("page", "Number of the page", integer(1, 1_000_000, default=1)),
    Param("chunked", "Send the response in chunks, without Content-Length", flag()),
    description="The records are always the same. The response has a Content-Length, unless you ask for chunks.",
    result={
        "type": "object",
        "properties": {"page": _INTEGER, "count": _INTEGER, "records": {"type": "array", "items": _OBJECT}},
    },
)
def _records(_: Call, count: int, page: int, chunked: bool) -> Success:
    first = (page - 1) * count + 1
    before = body(b'{"page": %d, "count": %d, "records": [' % (page, count))
    records = Body(_length(first, first + count), _blocks(first, first + count))
    return Success(join(before, records, body(b"]}")), chunked=chunked)


def _blocks(first: int, end: int) -> Iterator[bytes]:
    endings = _endings()
    for start in range(first, end, BLOCK):
        if start > first:
            yield b", "
        ids = range(start, min(start + BLOCK, end))
        yield b", ".join([b'{"id": %d%b' % (id, endings[id % DISTINCT_RECORDS]) for id in ids])


def _length(first: int, end: int) -> int:
    """Return the number of bytes of all blocks, which are made later."""
    endings = _endings()
    rounds, rest = divmod(end - first, DISTINCT_RECORDS)
    length = rounds * sum(map(len, endings))
    for id in range(first, first + rest):
        length += len(endings[id % DISTINCT_RECORDS])
    for power in range(MAX_DIGITS):  # an id has one digit for each power of ten up to it
        length += max(0, end - max(first, 10**power))
    return length + len(b'{"id": , ') * (end - first) - len(b", ")


@cache
def _endings() -> tuple[bytes, ...]:
    return tuple(_ending(seed) for seed in range(DISTINCT_RECORDS))


def _ending(seed: int) -> bytes:
    """Return the JSON of a record after its id."""
    name = f"{_FIRST[seed % len(_FIRST)]} {_LAST[seed * 7 % len(_LAST)]}"
    plain = unicodedata.normalize("NFD", name).encode("ascii", "ignore").decode()
    city, country, latitude, longitude = _PLACES[seed % len(_PLACES)]
    created = _START + timedelta(hours=31 * seed, minutes=seed * 7 % 60)
    before = {"name": name, "email": f"{plain.lower().replace(' ', '.')}@mail.example"}
    units, cents = divmod((seed * 7919 - 7809) % 1_000_000, 100)
    after = {
        "created": created.strftime("%Y-%m-%dT%H:%M:%SZ"),
        "tags": [tag for place, tag in enumerate(_TAGS) if (seed + place * 3) % 11 < 2],
        "address": {
            "street": f"{seed * 3 % 89 + 1} {_STREETS[seed % len(_STREETS)]}",
            "city": city,
            "country": country,
            "location": {"latitude": latitude, "longitude": longitude},
        },
    }
    # A float would lose the last zero of 1.10.
    return b', %b, "balance": %d.%02d, %b' % (encode(before)[1:-1], units, cents, encode(after)[1:])


DROPS = 20
"""Pieces of a body that is sent slowly."""
_BIDI = "\u202egnp.exe\u202c \u2066isolated\u2069 \u200fmark"
_UNICODE = {
    "emoji": "\U0001f680 \U0001f469\u200d\U0001f4bb \U0001f1ea\U0001f1fa \U0001f44d\U0001f3fd \u2764\ufe0f",
    "right to left": "\u05e9\u05dc\u05d5\u05dd \u0645\u0631\u062d\u0628\u0627 123",
    "wide": "\u65e5\u672c\u8a9e \ud55c\uad6d\uc5b4 \uff26\uff55\uff4c\uff4c",
    "combining": "e\u0301 = \u00e9, n\u0303, Z\u0351\u036b\u0343a\u0321\u034el\u034dg\u0317o\u0321",
    "overriding": _BIDI,
    "zero width": "a\u200bb\u200cc\u200dd\u2060e\ufefff\u00adg",
    "spaces": "a\u00a0b\u2003c\u3000d\u2028e\u2029f\u0085g",
    "control": "".join(map(chr, range(32))) + "\u007f",
    "escape": "\u001b[31mred\u001b[0m \u001b]0;title\u0007 \u001b]52;c;aGVsbG8=\u0007 \u001b[c \u009b31mC1\u009b0m",
    "lone surrogate": "\ud800 and \udfff",
    "beyond": "\U0010ffff \ufffe \ufffd \ue000",
    "markup": "[bold]not bold[/bold] [/] [@click=app.quit]x[/] <b>&amp;</b>",
    "na\u00efve k\u00e9y \U0001f511": "a name beyond ASCII",
}
_NUMBERS = b"""{
  "money": 1.10,
  "beyond a double": 1e400,
  "negative zero": -0,
  "unsigned 64 bits": 18446744073709551615,
  "trailing zeros": 0.00001000,
  "thirty digits": 123456789012345678901234567890,
  "exponent": 1E+2,
  "not quite a third": 0.1000000000000000055511151231257827
}"""
_DUPLICATES = (
    b'{"a": 1, "b": true, "a": 2, "a": {"x": null, "x": [], "x": null},'
    rb' "": "no name", "\u0061": "a once more, spelled otherwise", "\u0000": "NUL", "A": 3}'
)


@method(
    "demo.slow",
    "Responds slowly",
    Param("seconds", "Time until the response is complete", number(0, 600, default=2)),
    Param("drip", "Send the response piece by piece", flag()),
    description="Sends nothing until the time is over. With drip, it sends the headers at once and the body in pieces.",
    result=_OBJECT,
)
def _slow(_: Call, seconds: float, drip: bool) -> Success:
    if not drip:
        return Success(body(encode({"seconds": seconds, "drip": False})), delay=float(seconds))
    drops = b",\n".join([encode(f"drop {number} of {DROPS}") for number in range(1, DROPS + 1)])
    content = b'{"seconds": %b, "drip": true, "drops": [%b]}' % (encode(seconds), drops)
    return Success(Body(len(content), _drip(content, seconds / DROPS)))


def _drip(content: bytes, pause: float) -> Iterator[Piece]:
    size = math.ceil(len(content) / DROPS)
    for start in range(0, len(content), size):
        yield pause
        yield content[start : start + size]


@method(
    "demo.unicode",
    "Returns text that is hard to display",
    description="Emoji, right-to-left text, combining, invisible and control characters, terminal escapes, "
    "a lone surrogate.",
    result=_OBJECT,
)
def _unicode(_: Call) -> Success:
    return success(_UNICODE)


@method("demo.numbers", "Returns numbers whose spelling matters", result=_OBJECT)
def _numbers(_: Call) -> Success:
    return Success(body(_NUMBERS))


@method("demo.duplicates", "Returns an object with repeated names", result=_OBJECT)
def _duplicates(_: Call) -> Success:
    return Success(body(_DUPLICATES))


@method(
    "demo.nested",
    "Returns objects inside objects",
    Param("depth", "Number of objects", integer(1, 100_000, default=300)),
    result=_OBJECT,
)
def _nested(_: Call, depth: int) -> Success:
    return Success(body(b'{"in": ' * (depth - 1) + b"{}" + b"}" * (depth - 1)))


_TRACEBACK = """\
Traceback (most recent call last):
  File "/srv/shop/orders.py", line 88, in place
    stock.take(order.lines)
  File "/srv/shop/stock.py", line 41, in take
    raise OutOfStock(line.article, wanted=line.count, left=shelf[line.article])
shop.stock.OutOfStock: article 4711: 3 wanted, 2 left
"""
_HTML = """\
<!DOCTYPE html>
<html>
<head><title>502 Bad Gateway</title></head>
<body><h1>502 Bad Gateway</h1><p>The service behind this proxy does not respond.</p></body>
</html>
"""
_RICH = {
    "order": 1042,
    "refused": [
        {"article": 4711, "wanted": 3, "left": 2},
        {"article": 815, "wanted": 1, "left": 0},
    ],
    "retry_after": "2031-05-01T06:00:00Z",
    "help": "https://shop.example/help/out-of-stock",
}
_CUT = b'{"jsonrpc": "2.0", "id": "1", "result": {"items": ["first", "second", "thi'
ERRORS: Final[dict[str, tuple[Any, ...]]] = {
    "parse_error": (-32700, "Parse error"),
    "invalid_request": (-32600, "Invalid Request"),
    "method_not_found": (-32601, "Method not found"),
    "invalid_params": (-32602, "Invalid params"),
    "internal_error": (-32603, "Internal error"),
    "server_error": (-32000, "The service is being restarted."),
    "application": (4090, "Out of stock", _RICH),
    "traceback": (-32603, "OutOfStock: article 4711", {"type": "OutOfStock", "traceback": _TRACEBACK}),
}
"""Kinds of failure that are an error object: code, message and perhaps data."""
PAGES = {
    "html": page(502, _HTML, media="text/html; charset=utf-8"),
    "empty": Response(200, NOTHING, (("Content-Type", RPC_TYPE),)),
    "not_json": page(200, "OK, done.\n"),
    "cut": Response(200, body(_CUT), (("Content-Type", RPC_TYPE),), missing=400),
    "redirect": page(307, "Moved to another server.\n", ("Location", "https://elsewhere.example/api/v2/")),
}
"""Kinds of failure that replace the whole response."""


@method(
    "demo.fail",
    "Fails with the error that you choose",
    Param("kind", "Kind of failure", choice(*ERRORS, "string", *PAGES, maxLength=40)),
    description="The errors are:\n\n"
    "- the reserved JSON-RPC errors, an error with data, one with a traceback, and one that is only a string\n"
    "- a proxy's HTML with HTTP 502, an empty body, text that is not JSON, a truncated body, a redirect\n\n"
    "The responses of the second group are not JSON-RPC and cannot be part of a batch.",
    errors=[(code, message) for code, message, *_ in ERRORS.values()],
)
def _fail(_: Call, kind: str) -> Response:
    if kind == "string":
        raise FaultError("something went wrong")
    if kind in ERRORS:
        raise fault(*ERRORS[kind])
    return PAGES[kind]


LIMIT = 1_000
"""Most notes at a time."""
_NOTE = {"type": "object", "properties": {"id": _INTEGER, "text": _STRING}}


@method(
    "demo.notes.add",
    "Stores a note until the service ends",
    Param("text", "Text of the note", text(10_000)),
    result=_NOTE,
    errors=[(4009, "too many notes")],
    auth="cookie",
    safe=False,
)
def _add(call: Call, text: str) -> Success:
    if len(call.notes) >= LIMIT:
        raise fault(4009, f"There are already {LIMIT} notes. Delete one first.")
    number = max(call.notes, default=0) + 1
    call.notes[number] = text
    return success({"id": number, "text": text})


@method("demo.notes.list", "Lists all notes, oldest first", result={"type": "array", "items": _NOTE}, auth="cookie")
def _list(call: Call) -> Success:
    return success([{"id": number, "text": text} for number, text in call.notes.items()])


@method(
    "demo.notes.delete",
    "Deletes a note permanently",
    Param("id", "Number of the note", integer(1, 2**53)),
    description="Returns the deleted note. There is no undo.",
    result=_NOTE,
    errors=[(4004, "no such note")],
    auth="cookie",
    safe=False,
)
def _delete(call: Call, id: int) -> Success:
    if id not in call.notes:
        raise fault(4004, f"There is no note {id}.", {"id": id, "there_are": list(call.notes)})
    return success({"id": id, "text": call.notes.pop(id)})


_STATUSES: Final = ("open", "paid", "shipped", "returned")
_PRICES: Final = {"tea-01": 4.5, "tea-02": 12.0, "cup-07": 9.9, "set-03": 38.0}
_CUSTOMERS: Final = {7: "Zoë Novák", 12: "Kwame Okafor", 31: "Mei Tanaka"}
_ORDERS: Final[list[dict[str, Any]]] = [
    {
        "number": 1000 + at,
        "status": _STATUSES[at % len(_STATUSES)],
        "customer": list(_CUSTOMERS)[at % len(_CUSTOMERS)],
        "placed": f"2026-0{1 + at % 9}-1{at % 9}T09:30:00Z",
        "total": round(list(_PRICES.values())[at % len(_PRICES)] * (1 + at % 3), 2),
    }
    for at in range(24)
]
SCHEMAS["Sku"] = {
    "type": "string",
    "pattern": "^[a-z]{3}-[0-9]{2}$",
    "description": "Three letters, a dash, two digits",
    "examples": list(_PRICES),
}
_ENGRAVING = {
    "type": ["string", "null"],
    "maxLength": 40,
    "description": "Text of the engraving, or null for none",
}
SCHEMAS["Item"] = record({"sku": named("Sku"), "quantity": integer(1, 99, default=1), "engraving": _ENGRAVING}, "sku")
SCHEMAS["Address"] = record(
    {
        "street": text(100, examples=["1 Harbour Street"]),
        "city": text(100, examples=["Port Elara"]),
        "country": choice("Meridia", "Valdoria", "Northmark"),
    },
    "street",
    "city",
    "country",
)
_NEW_CUSTOMER = {"name": text(100, minLength=1, examples=["Ines Brandt"]), "address": named("Address")}
SCHEMAS["Customer"] = {
    "description": "The number of an existing customer, or name and address of a new one",
    "oneOf": [
        integer(1, 9999, title="existing", examples=[7]),
        record(_NEW_CUSTOMER, "name", "address", title="new"),
    ],
}
SCHEMAS["Order"] = {
    "type": "object",
    "properties": {
        "number": {"type": "integer"},
        "status": choice(*_STATUSES),
        "customer": {"type": "integer"},
        "placed": {"type": "string", "format": "date-time"},
        "total": {"type": "number"},
    },
    "required": ["number", "status", "customer", "placed", "total"],
}
_BRANCHES = {
    "type": "array",
    "items": named("Branch"),
    "maxItems": 100,
    "description": "Branches with the same members",
}
SCHEMAS["Branch"] = record({"name": text(100, examples=["root"]), "branches": _BRANCHES}, "name")
_ORDERS_FOUND = {"count": _INTEGER, "orders": {"type": "array", "items": named("Order")}}


@method(
    "demo.orders.find",
    "Finds orders by status and minimum total",
    Param("status", "Status of the orders", choice("any", *_STATUSES, default="any")),
    Param("least", "Minimum total", number(0, 1_000_000, default=0)),
    Param(
        "sort",
        "Sort order",
        record({"by": choice("number", "placed", "total"), "descending": flag()}, "by", default={"by": "number"}),
    ),
    Param("limit", "Maximum number of orders", integer(1, 100, default=10)),
    description="Searches **24** orders. All params are optional:\n\n"
    "- `status` is one of four statuses, or `any`\n"
    "- `sort` is an object\n\n"
    "For the parts of an order, see [demo.orders.place](https://example.com/orders).",
    result={"type": "object", "properties": _ORDERS_FOUND, "required": ["count", "orders"]},
    examples={
        "Open orders": {"status": "open", "sort": {"by": "placed"}},
        "The three most expensive": {"sort": {"by": "total", "descending": True}, "limit": 3},
    },
)
def _find(_: Call, status: str, least: float, sort: dict[str, Any], limit: int) -> Success:
    found = [order for order in _ORDERS if status in {order["status"], "any"} and order["total"] >= least]
    found.sort(key=lambda order: order[sort["by"]], reverse=sort.get("descending", False))
    return success({"count": len(found), "orders": found[:limit]})


@method(
    "demo.orders.place",
    "Places an order",
    Param("customer", "Customer who places the order", named("Customer")),
    Param(
        "items",
        "Articles and quantities",
        {"type": "array", "items": named("Item"), "minItems": 1, "maxItems": 50},
    ),
    Param("gift", "Wrap the parcel and leave out the bill", flag()),
    Param(
        "note",
        "Note for the parcel, or null for none",
        {"type": ["string", "null"], "maxLength": 200, "default": None},
    ),
    description="The customer is a number, or an object for a new customer. Each item has an article and an optional "
    "quantity. Orders are not stored: every new order has the same number.",
    result=named("Order"),
    errors=[(4041, "no such customer"), (4042, "no such article")],
    examples={
        "An existing customer": {"customer": 7, "items": [{"sku": "tea-01", "quantity": 2}]},
        "A new customer, and a gift": {
            "customer": {
                "name": "Ines Brandt",
                "address": {"street": "1 Harbour Street", "city": "Port Elara", "country": "Meridia"},
            },
            "items": [{"sku": "set-03"}, {"sku": "cup-07", "quantity": 6, "engraving": "Ines"}],
            "gift": True,
        },
    },
    safe=False,
)
def _place(_: Call, customer: Any, items: list[dict[str, Any]], gift: bool, note: str | None) -> Success:  # noqa: ARG001
    if not isinstance(customer, int):
        customer = max(_CUSTOMERS) + 1
    elif customer not in _CUSTOMERS:
        raise fault(4041, f"There is no customer {customer}.", {"there_are": list(_CUSTOMERS)})
    total = 0.0
    for item in items:
        if item["sku"] not in _PRICES:
            raise fault(4042, f"There is no article {item['sku']}.", {"there_are": list(_PRICES)})
        total += _PRICES[item["sku"]] * item.get("quantity", 1)
    placed = {"number": 1024, "status": "open", "customer": customer, "placed": "2026-11-22T09:30:00Z"}
    return success(placed | {"total": round(total, 2)})


@method(
    "demo.orders.search",
    "Finds orders by a part of their status",
    Param("text", "Part of the status", text(20, examples=["ship"])),
    description="Use demo.orders.find instead.",
    result={"type": "array", "items": named("Order")},
    deprecated=True,
)
def _search(_: Call, text: str) -> Success:
    return success([order for order in _ORDERS if text in order["status"]])


@method(
    "demo.tree",
    "Counts the branches of a tree",
    Param("root", "First branch of the tree", named("Branch")),
    description="A branch has a name and a list of branches.",
    result={"type": "object", "properties": {"branches": _INTEGER}, "required": ["branches"]},
    examples={"Three branches": {"root": {"name": "root", "branches": [{"name": "a"}, {"name": "b"}]}}},
)
def _tree(_: Call, root: dict[str, Any]) -> Success:
    return success({"branches": _count_branches(root)})


def _count_branches(branch: dict[str, Any]) -> int:
    return 1 + sum(_count_branches(inner) for inner in branch.get("branches", ()))


@method(
    "demo.misdescribed",
    "Returns a result that does not match its schema",
    description="The schema says that count is an integer and unit is a string. The result has a string and null.",
    result={
        "type": "object",
        "properties": {"count": _INTEGER, "unit": _STRING},
        "required": ["count", "unit"],
    },
)
def _misdescribed(_: Call) -> Success:
    return success({"count": "three", "unit": None})


@method(
    "demo.faults.discount",
    "Returns a price after a discount, with a fault",
    Param("price", "Price before the discount", integer(0, 1_000_000)),
    Param("percent", "Discount in percent", integer(0, 100)),
    description="A planted fault: above 90 percent, the price is text, which the schema of the result does not allow. "
    "`rpcexplorer check --generate` finds it.",
    result={"type": "object", "properties": {"price": {"type": "number", "minimum": 0}}, "required": ["price"]},
)
def _discount(_: Call, price: int, percent: int) -> Success:
    reduced = price * (100 - percent) / 100
    return success({"price": "nearly free" if percent > 90 else reduced})


@method(
    "demo.faults.initials",
    "Returns the initials of a name, with a fault",
    Param("name", "First and last name", text(100)),
    description="A planted fault: a name without a letter ends with an internal error, which is not declared. "
    "`rpcexplorer check --generate` finds it.",
    result={"type": "string", "minLength": 1},
)
def _initials(_: Call, name: str) -> Success:
    letters = [word[0] for word in name.split() if word[0].isalpha()]
    if not letters:
        raise fault(-32603, "Internal error", "the list of words is empty")
    return success("".join(letters))


@method("rpc.discover", "Describes the service as an OpenRPC document", result=_OBJECT)
def _discover(call: Call) -> Success:
    return success(document(call.table.values()))


@method("system.listMethods", "Lists the names of all methods", result={"type": "array", "items": _STRING})
def _list_methods(call: Call) -> Success:
    return success(sorted(call.table))
