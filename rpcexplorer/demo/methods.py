"""The methods of the demo service."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any, Final

from rpcexplorer.demo.declaration import SCHEMAS, Call, ExampleCall, Method, Param, named
from rpcexplorer.demo.message import (
    NOTHING,
    RPC_TYPE,
    Body,
    Fault,
    Outcome,
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
SCHEMAS["Item"] = {
    "type": "object",
    "properties": {
        "sku": named("Sku"),
        "quantity": {"type": "integer", "minimum": 1, "maximum": 99, "default": 1},
        "engraving": {
            "type": ["string", "null"],
            "maxLength": 40,
            "description": "Text of the engraving, or null for none",
        },
    },
    "required": ["sku"],
    "additionalProperties": False,
}
SCHEMAS["Address"] = {
    "type": "object",
    "properties": {
        "street": {"type": "string", "maxLength": 100, "examples": ["1 Harbour Street"]},
        "city": {"type": "string", "maxLength": 100, "examples": ["Port Elara"]},
        "country": {"type": "string", "enum": ["Meridia", "Valdoria", "Northmark"]},
    },
    "required": ["street", "city", "country"],
    "additionalProperties": False,
}
SCHEMAS["Customer"] = {
    "description": "The number of an existing customer, or name and address of a new one",
    "oneOf": [
        {"title": "existing", "type": "integer", "minimum": 1, "maximum": 9999, "examples": [7]},
        {
            "title": "new",
            "type": "object",
            "properties": {
                "name": {"type": "string", "minLength": 1, "maxLength": 100, "examples": ["Ines Brandt"]},
                "address": named("Address"),
            },
            "required": ["name", "address"],
            "additionalProperties": False,
        },
    ],
}
SCHEMAS["Order"] = {
    "type": "object",
    "properties": {
        "number": {"type": "integer"},
        "status": {"type": "string", "enum": [*_STATUSES]},
        "customer": {"type": "integer"},
        "placed": {"type": "string", "format": "date-time"},
        "total": {"type": "number"},
    },
    "required": ["number", "status", "customer", "placed", "total"],
}
SCHEMAS["Branch"] = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "maxLength": 100, "examples": ["root"]},
        "branches": {
            "type": "array",
            "items": named("Branch"),
            "maxItems": 100,
            "description": "Branches with the same members",
        },
    },
    "required": ["name"],
    "additionalProperties": False,
}


def _find(call: Call) -> Outcome:
    arguments = call.arguments
    found = [
        order
        for order in _ORDERS
        if arguments["status"] in {order["status"], "any"} and order["total"] >= arguments["least"]
    ]
    found.sort(key=lambda order: order[arguments["sort"]["by"]], reverse=arguments["sort"].get("descending", False))
    return success({"count": len(found), "orders": found[: arguments["limit"]]})


def _place(call: Call) -> Outcome:
    customer, items = call.arguments["customer"], call.arguments["items"]
    if isinstance(customer, int) and customer not in _CUSTOMERS:
        return fault(4041, f"There is no customer {customer}.", {"there_are": list(_CUSTOMERS)})
    if gone := [item["sku"] for item in items if item["sku"] not in _PRICES]:
        return fault(4042, f"There is no article {gone[0]}.", {"there_are": list(_PRICES)})
    total = sum(_PRICES[item["sku"]] * item.get("quantity", 1) for item in items)
    number = customer if isinstance(customer, int) else max(_CUSTOMERS) + 1
    placed = {"number": 1024, "status": "open", "customer": number, "placed": "2026-11-22T09:30:00Z"}
    return success(placed | {"total": round(total, 2)})


def _tree(call: Call) -> Outcome:
    rest, count = [call.arguments["root"]], 0
    while rest:
        branch = rest.pop()
        count += 1
        rest += branch.get("branches", [])
    return success({"branches": count})


_ITEMS = {"type": "array", "items": named("Item"), "minItems": 1, "maxItems": 50}
_NOTE = {"type": ["string", "null"], "maxLength": 200, "default": None}
_SORT = {
    "type": "object",
    "properties": {
        "by": {"type": "string", "enum": ["number", "placed", "total"]},
        "descending": {"type": "boolean", "default": False},
    },
    "required": ["by"],
    "additionalProperties": False,
    "default": {"by": "number"},
}
ORDER_METHODS = (
    Method(
        "demo.orders.find",
        "Finds orders by status and minimum total",
        _find,
        "Searches **24** orders. All params are optional:\n\n"
        "- `status` is one of four statuses, or `any`\n"
        "- `sort` is an object\n\n"
        "For the parts of an order, see [demo.orders.place](https://example.com/orders).",
        params=(
            Param("status", "Status of the orders", {"type": "string", "enum": ["any", *_STATUSES], "default": "any"}),
            Param(
                "least",
                "Minimum total",
                {"type": "number", "minimum": 0, "maximum": 1_000_000, "default": 0},
            ),
            Param("sort", "Sort order", _SORT),
            Param(
                "limit", "Maximum number of orders", {"type": "integer", "minimum": 1, "maximum": 100, "default": 10}
            ),
        ),
        result={
            "type": "object",
            "properties": {"count": {"type": "integer"}, "orders": {"type": "array", "items": named("Order")}},
            "required": ["count", "orders"],
        },
        examples=(
            ExampleCall("Open orders", {"status": "open", "sort": {"by": "placed"}}),
            ExampleCall("The three most expensive", {"sort": {"by": "total", "descending": True}, "limit": 3}),
        ),
    ),
    Method(
        "demo.orders.place",
        "Places an order",
        _place,
        "The customer is a number, or an object for a new customer. Each item has an article and an optional "
        "quantity. Orders are not stored: every new order has the same number.",
        params=(
            Param("customer", "Customer who places the order", named("Customer")),
            Param("items", "Articles and quantities", _ITEMS),
            Param("gift", "Wrap the parcel and leave out the bill", {"type": "boolean", "default": False}),
            Param("note", "Note for the parcel, or null for none", _NOTE),
        ),
        result=named("Order"),
        errors=((4041, "no such customer"), (4042, "no such article")),
        examples=(
            ExampleCall("An existing customer", {"customer": 7, "items": [{"sku": "tea-01", "quantity": 2}]}),
            ExampleCall(
                "A new customer, and a gift",
                {
                    "customer": {
                        "name": "Ines Brandt",
                        "address": {"street": "1 Harbour Street", "city": "Port Elara", "country": "Meridia"},
                    },
                    "items": [{"sku": "set-03"}, {"sku": "cup-07", "quantity": 6, "engraving": "Ines"}],
                    "gift": True,
                },
            ),
        ),
        safe=False,
    ),
    Method(
        "demo.orders.search",
        "Finds orders by a part of their status",
        lambda call: success([order for order in _ORDERS if call.arguments["text"] in order["status"]]),
        "Use demo.orders.find instead.",
        params=(Param("text", "Part of the status", {"type": "string", "maxLength": 20, "examples": ["ship"]}),),
        result={"type": "array", "items": named("Order")},
        deprecated=True,
    ),
    Method(
        "demo.tree",
        "Counts the branches of a tree",
        _tree,
        "A branch has a name and a list of branches.",
        params=(Param("root", "First branch of the tree", named("Branch")),),
        result={"type": "object", "properties": {"branches": {"type": "integer"}}, "required": ["branches"]},
        examples=(
            ExampleCall("Three branches", {"root": {"name": "root", "branches": [{"name": "a"}, {"name": "b"}]}}),
        ),
    ),
    Method(
        "demo.misdescribed",
        "Returns a result that does not match its schema",
        lambda _: success({"count": "three", "unit": None}),
        "The schema says that count is an integer and unit is a string. The result has a string and null.",
        result={
            "type": "object",
            "properties": {"count": {"type": "integer"}, "unit": {"type": "string"}},
            "required": ["count", "unit"],
        },
    ),
)
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


def _records(call: Call) -> Outcome:
    count, page = call.arguments["count"], call.arguments["page"]
    first = (page - 1) * count + 1
    before = body(b'{"page": %d, "count": %d, "records": [' % (page, count))
    whole = join([before, Body(_length(first, first + count), _blocks(first, first + count)), body(b"]}")])
    return Success(whole, chunked=call.arguments["chunked"])


def _blocks(first: int, end: int) -> Iterator[bytes]:
    endings = _endings()
    for start in range(first, end, BLOCK):
        numbers = range(start, min(start + BLOCK, end))
        block = b", ".join([b'{"id": %d%b' % (number, endings[number % DISTINCT_RECORDS]) for number in numbers])
        yield block if numbers[-1] == end - 1 else block + b", "


def _length(first: int, end: int) -> int:
    """Return the number of bytes of all blocks."""
    rounds, rest = divmod(end - first, DISTINCT_RECORDS)
    endings = _endings()
    written_out = rounds * sum(map(len, endings)) + sum(
        len(endings[(first + i) % DISTINCT_RECORDS]) for i in range(rest)
    )
    # A number has one digit for each power of ten up to it.
    digits: int = sum(max(0, end - max(first, 10**power)) for power in range(MAX_DIGITS))
    around = len(b'{"id": ') * (end - first) + len(b", ") * (end - first - 1)
    return written_out + digits + around


@cache
def _endings() -> tuple[bytes, ...]:
    return tuple(_ending(seed) for seed in range(DISTINCT_RECORDS))


def _ending(seed: int) -> bytes:
    """Return the JSON of a record after its id."""
    name = f"{_FIRST[seed % len(_FIRST)]} {_LAST[seed * 7 % len(_LAST)]}"
    plain = unicodedata.normalize("NFD", name).encode("ascii", "ignore").decode()
    cents = (seed * 7919 - 7809) % 1_000_000
    city, country, latitude, longitude = _PLACES[seed % len(_PLACES)]
    created = _START + timedelta(hours=31 * seed, minutes=seed * 7 % 60)
    members = {
        "name": encode(name),
        "email": encode(f"{plain.lower().replace(' ', '.')}@mail.example"),
        "balance": b"%d.%02d" % divmod(cents, 100),
        "created": encode(created.strftime("%Y-%m-%dT%H:%M:%SZ")),
        "tags": encode([tag for place, tag in enumerate(_TAGS) if (seed + place * 3) % 11 < 2]),
        "address": encode(
            {
                "street": f"{seed * 3 % 89 + 1} {_STREETS[seed % len(_STREETS)]}",
                "city": city,
                "country": country,
                "location": {"latitude": latitude, "longitude": longitude},
            }
        ),
    }
    return b"".join(b", %b: %b" % (encode(name), value) for name, value in members.items()) + b"}"


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


def _slow(call: Call) -> Outcome:
    seconds = call.arguments["seconds"]
    if not call.arguments["drip"]:
        result = success({"seconds": seconds, "drip": False}).result
        return Success(result, delay=float(seconds))
    drops = [encode(f"drop {number} of {DROPS}") for number in range(1, DROPS + 1)]
    pieces = [b'{"seconds": %b, "drip": true, "drops": [' % encode(seconds), b",\n".join(drops), b"]}"]
    return Success(Body(sum(map(len, pieces)), _dripping(b"".join(pieces), float(seconds))))


def _dripping(content: bytes, seconds: float) -> Iterator[Piece]:
    size = -(-len(content) // DROPS)
    for start in range(0, len(content), size):
        yield seconds / DROPS
        yield content[start : start + size]


def _nested(call: Call) -> Outcome:
    depth = call.arguments["depth"]
    return Success(body(b'{"in": ' * (depth - 1) + b"{}" + b"}" * (depth - 1)))


_OBJECT = {"type": "object"}
SAMPLE_METHODS = (
    Method(
        "demo.echo",
        "Returns the params exactly as you sent them",
        lambda call: Success(body(call.request.params_text.encode())),
        "Keeps the spelling of numbers, the order of members, repeated names and white space.",
        takes_anything=True,
    ),
    Method(
        "demo.records",
        "Returns a page of fictional records, up to a million",
        _records,
        "The records are always the same. The response has a Content-Length, unless you ask for chunks.",
        params=(
            Param(
                "count", "Records on the page", {"type": "integer", "minimum": 1, "maximum": MAX_COUNT, "default": 20}
            ),
            Param("page", "Number of the page", {"type": "integer", "minimum": 1, "maximum": 1_000_000, "default": 1}),
            Param(
                "chunked", "Send the response in chunks, without Content-Length", {"type": "boolean", "default": False}
            ),
        ),
        result={
            "type": "object",
            "properties": {
                "page": {"type": "integer"},
                "count": {"type": "integer"},
                "records": {"type": "array", "items": _OBJECT},
            },
        },
    ),
    Method(
        "demo.slow",
        "Responds slowly",
        _slow,
        "Sends nothing until the time is over. With drip, it sends the headers at once and the body in pieces.",
        params=(
            Param(
                "seconds",
                "Time until the response is complete",
                {"type": "number", "minimum": 0, "maximum": 600, "default": 2},
            ),
            Param("drip", "Send the response piece by piece", {"type": "boolean", "default": False}),
        ),
        result=_OBJECT,
    ),
    Method(
        "demo.unicode",
        "Returns text that is hard to display",
        lambda _: success(_UNICODE),
        "Emoji, right-to-left text, combining, invisible and control characters, terminal escapes, a lone surrogate.",
        result=_OBJECT,
    ),
    Method("demo.numbers", "Returns numbers whose spelling matters", lambda _: Success(body(_NUMBERS)), result=_OBJECT),
    Method(
        "demo.duplicates", "Returns an object with repeated names", lambda _: Success(body(_DUPLICATES)), result=_OBJECT
    ),
    Method(
        "demo.nested",
        "Returns objects inside objects",
        _nested,
        params=(
            Param("depth", "Number of objects", {"type": "integer", "minimum": 1, "maximum": 100_000, "default": 300}),
        ),
        result=_OBJECT,
    ),
)
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
KINDS: dict[str, Fault | Response] = {
    "parse_error": fault(-32700, "Parse error"),
    "invalid_request": fault(-32600, "Invalid Request"),
    "method_not_found": fault(-32601, "Method not found"),
    "invalid_params": fault(-32602, "Invalid params"),
    "internal_error": fault(-32603, "Internal error"),
    "server_error": fault(-32000, "The service is being restarted."),
    "application": fault(4090, "Out of stock", _RICH),
    "traceback": fault(-32603, "OutOfStock: article 4711", {"type": "OutOfStock", "traceback": _TRACEBACK}),
    "string": Fault("something went wrong"),
    "html": page(502, _HTML, media="text/html; charset=utf-8"),
    "empty": Response(200, NOTHING, (("Content-Type", RPC_TYPE),)),
    "not_json": page(200, "OK, done.\n"),
    "cut": Response(200, body(_CUT), (("Content-Type", RPC_TYPE),), missing=400),
    "redirect": page(307, "Moved to another server.\n", ("Location", "https://elsewhere.example/api/v2/")),
}
"""The outcome of each kind: a JSON-RPC error, or a whole response."""


def _errors() -> tuple[tuple[int, str], ...]:
    objects = [kind.error for kind in KINDS.values() if isinstance(kind, Fault) and isinstance(kind.error, dict)]
    return tuple((error["code"], error["message"]) for error in objects)


FAILURE_METHODS = (
    Method(
        "demo.fail",
        "Fails with the error that you choose",
        lambda call: KINDS[call.arguments["kind"]],
        "The errors are:\n\n"
        "- the reserved JSON-RPC errors, an error with data, one with a traceback, and one that is only a string\n"
        "- a proxy's HTML with HTTP 502, an empty body, text that is not JSON, a truncated body, a redirect\n\n"
        "The responses of the second group are not JSON-RPC and cannot be part of a batch.",
        params=(Param("kind", "Kind of failure", {"type": "string", "maxLength": 40, "enum": list(KINDS)}),),
        errors=_errors(),
    ),
)
LIMIT = 1_000
"""Most notes at a time."""
_NOTE_SCHEMA = {"type": "object", "properties": {"id": {"type": "integer"}, "text": {"type": "string"}}}


def _add(call: Call) -> Outcome:
    if len(call.notes) >= LIMIT:
        return fault(4009, f"There are already {LIMIT} notes. Delete one first.")
    number = max(call.notes, default=0) + 1
    call.notes[number] = call.arguments["text"]
    return success({"id": number, "text": call.notes[number]})


def _list(call: Call) -> Outcome:
    return success([{"id": number, "text": text} for number, text in call.notes.items()])


def _delete(call: Call) -> Outcome:
    number = call.arguments["id"]
    if number not in call.notes:
        return fault(4004, f"There is no note {number}.", {"id": number, "there_are": list(call.notes)})
    return success({"id": number, "text": call.notes.pop(number)})


NOTE_METHODS = (
    Method(
        "demo.notes.add",
        "Stores a note until the service ends",
        _add,
        params=(Param("text", "Text of the note", {"type": "string", "maxLength": 10_000}),),
        result=_NOTE_SCHEMA,
        errors=((4009, "too many notes"),),
        auth="cookie",
        safe=False,
    ),
    Method(
        "demo.notes.list",
        "Lists all notes, oldest first",
        _list,
        result={"type": "array", "items": _NOTE_SCHEMA},
        auth="cookie",
    ),
    Method(
        "demo.notes.delete",
        "Deletes a note permanently",
        _delete,
        "Returns the deleted note. There is no undo.",
        params=(Param("id", "Number of the note", {"type": "integer", "minimum": 1, "maximum": 2**53}),),
        result=_NOTE_SCHEMA,
        errors=((4004, "no such note"),),
        auth="cookie",
        safe=False,
    ),
)
