"""Every way of failing that a client should have seen once, by name."""

from __future__ import annotations

from rpcexplorer.demo.declaration import Call, Method, Param
from rpcexplorer.demo.reply import NOTHING, RPC_TYPE, Fault, Outcome, Reply, body, fault, page

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


def _fail(call: Call) -> Outcome:
    return KINDS[call.arguments["kind"]]


def _errors() -> tuple[tuple[int, str], ...]:
    objects = [kind.error for kind in KINDS.values() if isinstance(kind, Fault) and isinstance(kind.error, dict)]
    return tuple((error["code"], error["message"]) for error in objects)


METHODS = (
    Method(
        "demo.fail",
        "Fails in the way you ask for",
        _fail,
        "The reserved errors; an application's own error with data; an error with a traceback, and one that is only "
        "a string; a proxy's HTML with HTTP 502, an empty body, text that is not JSON, a connection that closes in "
        "the middle of the body, a redirect. These last five are no JSON-RPC and cannot be part of a batch.",
        params=(Param("kind", "How to fail", {"type": "string", "maxLength": 40, "enum": list(KINDS)}),),
        errors=_errors(),
    ),
)
