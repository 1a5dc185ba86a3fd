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
    Reply,
    Success,
    body,
    fault,
    joined,
    page,
    success,
    written,
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
        "engraving": {"type": ["string", "null"], "maxLength": 40, "description": "Null for none"},
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
    "description": "The number of one who is known, or what is to be known of a new one",
    "oneOf": [
        {"title": "known", "type": "integer", "minimum": 1, "maximum": 9999, "examples": [7]},
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
        "branches": {"type": "array", "items": named("Branch"), "maxItems": 100, "description": "Each one like this"},
    },
    "required": ["name"],
    "additionalProperties": False,
}


def _find(call: Call) -> Outcome:
    wanted, arguments = call.arguments["status"], call.arguments
    found = [each for each in _ORDERS if wanted in {each["status"], "any"} and each["total"] >= arguments["least"]]
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
        "Orders by their status and what they come to",
        _find,
        "Finds among **two dozen** orders. Everything may be left out:\n\n"
        "- `status` narrows it to one of four, or `any`\n"
        "- `sort` is an object of its own\n\n"
        "What an order is stands with [demo.orders.place](https://example.com/orders).",
        params=(
            Param("status", "Where an order stands", {"type": "string", "enum": ["any", *_STATUSES], "default": "any"}),
            Param(
                "least",
                "What it comes to at least",
                {"type": "number", "minimum": 0, "maximum": 1_000_000, "default": 0},
            ),
            Param("sort", "In which order they come", _SORT),
            Param("limit", "How many at most", {"type": "integer", "minimum": 1, "maximum": 100, "default": 10}),
        ),
        result={
            "type": "object",
            "properties": {"count": {"type": "integer"}, "orders": {"type": "array", "items": named("Order")}},
            "required": ["count", "orders"],
        },
        examples=(
            ExampleCall("What is still open", {"status": "open", "sort": {"by": "placed"}}),
            ExampleCall("The three dearest", {"sort": {"by": "total", "descending": True}, "limit": 3}),
        ),
    ),
    Method(
        "demo.orders.place",
        "Places an order",
        _place,
        "The customer is a number, or an object for a new one; each item has an article and perhaps how many. "
        "Nothing is kept: the same order comes back every time.",
        params=(
            Param("customer", "Who orders", named("Customer")),
            Param("items", "What is ordered", _ITEMS),
            Param("gift", "Wrapped, and without a bill", {"type": "boolean", "default": False}),
            Param("note", "For the parcel; null for none", _NOTE),
        ),
        result=named("Order"),
        errors=((4041, "no such customer"), (4042, "no such article")),
        examples=(
            ExampleCall("One who is known", {"customer": 7, "items": [{"sku": "tea-01", "quantity": 2}]}),
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
        "Orders by a word",
        lambda call: success([each for each in _ORDERS if call.arguments["text"] in each["status"]]),
        "Use demo.orders.find instead.",
        params=(Param("text", "Part of a status", {"type": "string", "maxLength": 20, "examples": ["ship"]}),),
        result={"type": "array", "items": named("Order")},
        deprecated=True,
    ),
    Method(
        "demo.tree",
        "Counts the branches of a tree",
        _tree,
        "A branch has a name and further branches, each of which is like it.",
        params=(Param("root", "Where it begins", named("Branch")),),
        result={"type": "object", "properties": {"branches": {"type": "integer"}}, "required": ["branches"]},
        examples=(ExampleCall("Three", {"root": {"name": "root", "branches": [{"name": "a"}, {"name": "b"}]}}),),
    ),
    Method(
        "demo.misdescribed",
        "Answers otherwise than its document says",
        lambda _: success({"count": "three", "unit": None}),
        "Its result is described as a number and a unit, and is neither.",
        result={
            "type": "object",
            "properties": {"count": {"type": "integer"}, "unit": {"type": "string"}},
            "required": ["count", "unit"],
        },
    ),
)
MOST = 1_000_000
"""Records on one page."""
BLOCK = 500
"""Records that are written at a time."""
VARIETY = 1_000
"""Records that differ in more than their number."""
DIGITS = 13
"""Of the highest number there is: the last one on the last of a million pages."""
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
_TAGS = ("new", "regular", "wholesale", "abroad", "on hold", "friend of the house")
_START = datetime(2021, 3, 1, 8, 30, tzinfo=UTC)


def _records(call: Call) -> Outcome:
    count, page = call.arguments["count"], call.arguments["page"]
    first = (page - 1) * count + 1
    before = body(b'{"page": %d, "count": %d, "records": [' % (page, count))
    whole = joined([before, Body(_length(first, first + count), _blocks(first, first + count)), body(b"]}")])
    return Success(whole, chunked=call.arguments["chunked"])


def _blocks(first: int, end: int) -> Iterator[bytes]:
    endings = _endings()
    for start in range(first, end, BLOCK):
        numbers = range(start, min(start + BLOCK, end))
        block = b", ".join([b'{"id": %d%b' % (number, endings[number % VARIETY]) for number in numbers])
        yield block if numbers[-1] == end - 1 else block + b", "


def _length(first: int, end: int) -> int:
    """How many bytes the blocks will have."""
    rounds, rest = divmod(end - first, VARIETY)
    endings = _endings()
    written_out = rounds * sum(map(len, endings)) + sum(len(endings[(first + i) % VARIETY]) for i in range(rest))
    # A number has as many digits as there are powers of ten up to it.
    digits: int = sum(max(0, end - max(first, 10**power)) for power in range(DIGITS))
    around = len(b'{"id": ') * (end - first) + len(b", ") * (end - first - 1)
    return written_out + digits + around


@cache
def _endings() -> tuple[bytes, ...]:
    return tuple(_ending(seed) for seed in range(VARIETY))


def _ending(seed: int) -> bytes:
    """Everything of a record after its number. Amounts keep two decimals, as money does."""
    name = f"{_FIRST[seed % len(_FIRST)]} {_LAST[seed * 7 % len(_LAST)]}"
    plain = unicodedata.normalize("NFD", name).encode("ascii", "ignore").decode()
    cents = (seed * 7919 - 7809) % 1_000_000
    city, country, latitude, longitude = _PLACES[seed % len(_PLACES)]
    created = _START + timedelta(hours=31 * seed, minutes=seed * 7 % 60)
    members = {
        "name": written(name),
        "email": written(f"{plain.lower().replace(' ', '.')}@mail.example"),
        "balance": b"%d.%02d" % divmod(cents, 100),
        "created": written(created.strftime("%Y-%m-%dT%H:%M:%SZ")),
        "tags": written([tag for place, tag in enumerate(_TAGS) if (seed + place * 3) % 11 < 2]),
        "address": written(
            {
                "street": f"{seed * 3 % 89 + 1} {_STREETS[seed % len(_STREETS)]}",
                "city": city,
                "country": country,
                "location": {"latitude": latitude, "longitude": longitude},
            }
        ),
    }
    return b"".join(b", %b: %b" % (written(name), value) for name, value in members.items()) + b"}"


DROPS = 20
"""Pieces of a reply that drips."""
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
    drops = [written(f"drop {number} of {DROPS}") for number in range(1, DROPS + 1)]
    pieces = [b'{"seconds": %b, "drip": true, "drops": [' % written(seconds), b",\n".join(drops), b"]}"]
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
        "Answers with the params exactly as they were sent",
        lambda call: Success(body(call.request.params_text.encode())),
        "Spelling of numbers, order of members, repeated names and white space included.",
        takes_anything=True,
    ),
    Method(
        "demo.records",
        "A page of fictional records, up to a million",
        _records,
        "The same records every time. The response states its length, unless you ask for chunks.",
        params=(
            Param("count", "Records on the page", {"type": "integer", "minimum": 1, "maximum": MOST, "default": 20}),
            Param("page", "Which page", {"type": "integer", "minimum": 1, "maximum": 1_000_000, "default": 1}),
            Param("chunked", "Send it without stating the length", {"type": "boolean", "default": False}),
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
        "Takes its time",
        _slow,
        "Silent until the time is over, or dripping: then the length is known at once and the body comes in pieces.",
        params=(
            Param("seconds", "How long it takes", {"type": "number", "minimum": 0, "maximum": 600, "default": 2}),
            Param("drip", "Send the response piece by piece", {"type": "boolean", "default": False}),
        ),
        result=_OBJECT,
    ),
    Method(
        "demo.unicode",
        "Text that is hard to show",
        lambda _: success(_UNICODE),
        "Emoji, right to left, combining, invisible and control characters, terminal escapes, a lone surrogate.",
        result=_OBJECT,
    ),
    Method("demo.numbers", "Numbers whose spelling matters", lambda _: Success(body(_NUMBERS)), result=_OBJECT),
    Method("demo.duplicates", "An object that repeats its names", lambda _: Success(body(_DUPLICATES)), result=_OBJECT),
    Method(
        "demo.nested",
        "Objects inside objects",
        _nested,
        params=(Param("depth", "How many", {"type": "integer", "minimum": 1, "maximum": 100_000, "default": 300}),),
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
<body><h1>502 Bad Gateway</h1><p>The service behind this proxy does not answer.</p></body>
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
KINDS: dict[str, Fault | Reply] = {
    "parse_error": fault(-32700, "Parse error"),
    "invalid_request": fault(-32600, "Invalid Request"),
    "method_not_found": fault(-32601, "Method not found"),
    "invalid_params": fault(-32602, "Invalid params"),
    "internal_error": fault(-32603, "Internal error"),
    "server_error": fault(-32000, "The service is being restarted."),
    "application": fault(4090, "Out of stock", _RICH),
    "traceback": fault(-32603, "OutOfStock: article 4711", {"type": "OutOfStock", "traceback": _TRACEBACK}),
    "string": Fault("something went wrong, and this is all there is to know"),
    "html": page(502, _HTML, media="text/html; charset=utf-8"),
    "empty": Reply(200, NOTHING, (("Content-Type", RPC_TYPE),)),
    "not_json": page(200, "OK, done.\n"),
    "cut": Reply(200, body(_CUT), (("Content-Type", RPC_TYPE),), missing=400),
    "redirect": page(307, "It has moved.\n", ("Location", "https://elsewhere.example/api/v2/")),
}
"""The outcome for each kind: an error of JSON-RPC, or a reply that is none."""


def _errors() -> tuple[tuple[int, str], ...]:
    objects = [kind.error for kind in KINDS.values() if isinstance(kind, Fault) and isinstance(kind.error, dict)]
    return tuple((error["code"], error["message"]) for error in objects)


FAILURE_METHODS = (
    Method(
        "demo.fail",
        "Fails in the way you ask for",
        lambda call: KINDS[call.arguments["kind"]],
        "The reserved errors; an application's own error with data; an error with a traceback, and one that is only "
        "a string; a proxy's HTML with HTTP 502, an empty body, text that is not JSON, a connection that closes in "
        "the middle of the body, a redirect. The last five are not JSON-RPC responses and cannot be part of a batch.",
        params=(Param("kind", "How to fail", {"type": "string", "maxLength": 40, "enum": list(KINDS)}),),
        errors=_errors(),
    ),
)
LIMIT = 1_000
"""Notes at a time."""
_NOTE_SCHEMA = {"type": "object", "properties": {"id": {"type": "integer"}, "text": {"type": "string"}}}


def _add(call: Call) -> Outcome:
    if len(call.notes) >= LIMIT:
        return fault(4009, f"There are {LIMIT} notes already: delete one first.")
    number = max(call.notes, default=0) + 1
    call.notes[number] = call.arguments["text"]
    return success({"id": number, "text": call.notes[number]})


def _list(call: Call) -> Outcome:
    return success([{"id": number, "text": text} for number, text in call.notes.items()])


def _delete(call: Call) -> Outcome:
    number = call.arguments["id"]
    if number not in call.notes:
        there = list(call.notes)
        return fault(4004, f"There is no note {number}.", {"id": number, "there_are": there})
    return success({"id": number, "text": call.notes.pop(number)})


NOTE_METHODS = (
    Method(
        "demo.notes.add",
        "Keeps a note until the service ends",
        _add,
        params=(Param("text", "What to keep", {"type": "string", "maxLength": 10_000}),),
        result=_NOTE_SCHEMA,
        errors=((4009, "too many notes"),),
        auth="cookie",
        safe=False,
    ),
    Method(
        "demo.notes.list",
        "All notes, oldest first",
        _list,
        result={"type": "array", "items": _NOTE_SCHEMA},
        auth="cookie",
    ),
    Method(
        "demo.notes.delete",
        "Deletes a note for good",
        _delete,
        "Answers with the note that was deleted. There is no undo.",
        params=(Param("id", "The note's number", {"type": "integer", "minimum": 1, "maximum": 2**53}),),
        result=_NOTE_SCHEMA,
        errors=((4004, "no such note"),),
        auth="cookie",
        safe=False,
    ),
)
