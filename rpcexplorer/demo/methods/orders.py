"""A little shop whose params have everything that a schema can say: choices, limits, objects in objects, alternatives.

Nothing is kept: the same orders are there every time, and one that is placed is only counted up.
"""

from __future__ import annotations

from typing import Any, Final

from rpcexplorer.demo.declaration import Call, ExampleCall, Method, Param
from rpcexplorer.demo.reply import Outcome, fault, success
from rpcexplorer.demo.schema import SCHEMAS, named

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


def _search(call: Call) -> Outcome:
    return success([each for each in _ORDERS if call.arguments["text"] in each["status"]])


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


def _misdescribed(_: Call) -> Outcome:
    return success({"count": "three", "unit": None})


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
METHODS = (
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
        _search,
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
        _misdescribed,
        "Its result is described as a number and a unit, and is neither.",
        result={
            "type": "object",
            "properties": {"count": {"type": "integer"}, "unit": {"type": "string"}},
            "required": ["count", "unit"],
        },
    ),
)
