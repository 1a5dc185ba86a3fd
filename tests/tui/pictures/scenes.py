"""Profiles and calls that pictures show, and scenes that have pictures of both kinds."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any, Final, TypeAlias

from msgspec.structs import replace

from rpcexplorer.discovery.methods import Discovery, line_of
from rpcexplorer.explorer import Explorer
from rpcexplorer.model.event import Event
from rpcexplorer.model.exchange import Cancelled, Exchange, Outcome, Sent, Unreached
from rpcexplorer.model.method import Described, DescribedParam, Method
from rpcexplorer.rpc.messages import ErrorObject, Result
from rpcexplorer.transport.port import Phases, Response
from rpcexplorer.tui.events import EventsScreen
from rpcexplorer.tui.history import HistoryScreen
from rpcexplorer.tui.widgets.bars import Footer, Frame
from tests.tui.program import Program

PROFILES: Final = """\
version = 1
default = "staging"

[profile.prod]
url = "https://rpc.example.com"
description = "The real thing"
badge = "prod"
auth = { kind = "inline", username = "support" }

[profile.shop]
url = "https://shop.example.com"
badge = "staging"
auth.kind = "cookie"

[profile.staging]
url = "https://staging.example.com"
description = "Shared staging"
badge = "staging"
auth.kind = "none"
method."user.create" = { doc = "Creates a user", params.name = "Ada", safe = false, auth = "cookie" }
method."user.delete" = { doc = "Deletes a user", params.id = 1, safe = false, auth = "cookie" }
method."user.get" = { doc = "One user, by number", params.id = 42, safe = true, auth = "cookie" }

[profile.staging.method."user.list"]
doc = "Lists users, newest first"
params = { page = 1, filter = { active = true } }
safe = true
auth = "cookie"

[profile.node]
url = "ws://127.0.0.1:8545"
path = "/"
description = "A node of mine"
badge = "dev"
auth.kind = "none"
method.eth_blockNumber.safe = true
method.eth_subscribe.params = ["newHeads"]
"""
TYPED: Final = """{
  "page": 1,
  "filter": {
    "active": true
  }
}"""
BODY = b"""{"items": [{"id": 123456789012345678901, "name": "Ada Lovelace", "balance": 1.10, "active": true, \
"manager": null}, {"id": 2, "name": "Alan Turing", "balance": 0.00001000, "active": true, "manager": 1}, \
{"id": 3, "name": "Grace Hopper", "balance": 1e400, "active": false, "manager": 1}], "next": "c2VhcmNo"}"""
NOW: Final = datetime(2026, 11, 21, 10, 41, 7, tzinfo=UTC)
PHASES = Phases(name=0.0011, connect=0.0042, tls=0.0087, send=0.0004, wait=0.0152, transfer=0.0021)
Headers: TypeAlias = tuple[tuple[str, str], ...]
HEADERS: Final[Headers] = (("Content-Type", "application/json"), ("Server", "example/1.0"))


def made(
    method: str,
    outcome: Outcome,
    minutes: int = 0,
    *,
    status: tuple[int, str] | None = (200, "OK"),
    headers: Headers = HEADERS,
    reply: bytes | None = None,
    **fields: Any,
) -> Exchange:
    """Return an exchange with made-up values; without a status nothing has arrived."""
    if reply is None:
        reply = b'{"jsonrpc": "2.0", "id": "1m7ypmkv7qa7kfj", "result": ' + getattr(outcome, "value", b"") + b"}"
    response = Response()
    if status is not None:
        response = Response(*status, "HTTP/1.1", headers, reply, len(reply))
    known: dict[str, Any] = {
        "id": f"1m7ypmkv7qa{minutes:04}",
        "when": NOW - timedelta(minutes=minutes),
        "profile": "staging",
        "url": "https://staging.example.com/api/v2/",
        "params": '{"page": 1}',
        "kind": "call",
        "seconds": 0.0341,
        "sent": 112,
        "response": replace(response, phases=PHASES),
    }
    return Exchange(method=method, outcome=outcome, **known | fields)


RESULT = made("user.list", Result(BODY))
ERROR = made(
    "user.get",
    ErrorObject(
        -32602,
        "Invalid params",
        b'{"id": "must be an integer"}',
        value=b'{"code": -32602, "message": "Invalid params", "data": {"id": "must be an integer"}}',
    ),
    1,
    seconds=0.0182,
)
UNREACHED = made(
    "auth",
    Unreached("connect", "Nothing answers at staging.example.com:443: is the server running, and is the port right?"),
    38,
    status=None,
)
CANCELLED = made("report.run", Cancelled(maybe_ran=True), 9, status=None)
NOTIFICATION = made("user.create", Sent(), 12, kind="notification", status=(204, "No Content"), headers=(), reply=b"")
BATCH = made(
    "user.get, ping",
    Result(b'[{"id": 42, "name": "Ada Lovelace"}, "pong"]'),
    50,
    kind="batch",
    params='[{"method": "user.get", "params": {"id": 42}}, {"method": "ping", "params": []}]',
)
CALLS = [RESULT, ERROR, made("ping", Result(b'"pong"'), 2, seconds=0.012), CANCELLED, NOTIFICATION, UNREACHED, BATCH]
"""The history, latest first."""


async def show(program: Program, exchange: Exchange = RESULT) -> None:
    """Show a call and its response."""
    program.calls.drafts.choose(exchange.method)
    program.calls.exchange = exchange
    await program.pause()


def frame(program: Program) -> Frame:
    return Frame(program.calls.header.copy, Footer, UTC, NOW.date())


async def open_history(program: Program) -> None:
    await program.press("f6")
    opened = await program.on(HistoryScreen)
    await program.until(lambda: opened.reading is not None and opened.reading.full)


USERS = [
    {"id": 40 + number, "name": name, "roles": ["reader"]}
    for number, name in enumerate(("Ada", "Grace", "Edsger", "Barbara"))
]
BEFORE = {"items": USERS, "next": "c2VhcmNo", "ratio": 1.0, "seen": "10:40:12", "total": 4}
AFTER = BEFORE | {
    "items": [{"id": 39, "name": "Alan"}, *USERS[:2], USERS[2] | {"name": "Edsger W."}, USERS[3]],
    "seen": "10:41:09",
    "total": 5,
    "more": False,
}
ON_PROD = made("user.list", Result(json.dumps(BEFORE).encode()), 9, profile="prod", foreign=True)
ON_STAGING = made("user.list", Result(json.dumps(AFTER).replace("1.0", "1.00").encode()), seconds=0.0512)


ADDRESS = {
    "type": "object",
    "required": ["city"],
    "properties": {
        "street": {"type": "string"},
        "city": {"type": "string", "minLength": 1},
        "country": {"enum": ["Meridia", "Port Elara"]},
    },
}
DESCRIBED = Described(
    (
        DescribedParam("name", {"type": "string", "maxLength": 40}, required=True, doc="In full, as it is printed."),
        DescribedParam("born", {"type": ["integer", "null"], "minimum": 1900, "maximum": 2100}),
        DescribedParam("active", {"type": "boolean"}),
        DescribedParam("address", ADDRESS, doc="Where parcels go.\nNobody else sees it."),
        DescribedParam("roles", {"type": "array", "items": {"enum": ["user", "admin"]}}, deprecated=True),
        DescribedParam("login", {"oneOf": [{"type": "string"}, {"title": "token", "type": "object"}]}),
        DescribedParam("manager", {"type": "integer"}, required=True),
    )
)
CREATE = replace(line_of("user.create", DESCRIBED), doc="Creates a user")
FILLED = """{
  "name": "Ada Lovelace",
  "born": null,
  "address": {
    "city": 7
  },
  "roles": ["user"],
  "nickname": "countess"
}"""


def describe(explorer: Explorer, described: Described = DESCRIBED, *more: Method) -> None:
    """Let the server of staging describe user.create and more methods."""
    assert explorer.profile is not None
    methods = (replace(CREATE, deprecated=described.deprecated), *more)
    found = Discovery(NOW, methods, ("said",), described={"user.create": described})
    explorer.method_lists.settle(explorer.profile, found)
    explorer.remembered.set_method("staging", "user.create")


SUBSCRIBED = made(
    "eth_subscribe", Result(b'"0x1"'), status=None, profile="node", url="ws://127.0.0.1:8545/", params='["newHeads"]'
)
BLOCK = b"""{"jsonrpc":"2.0","method":"eth_subscription","params":{"subscription":"0x1","result":\
{"number":"%#x","hash":"0x88e96d4537bea4d9c05d12549907b32561d3bf31f45aae734cdc119f13406cb6",\
"gasUsed":"0x5208","timestamp":"0x6560d0af"}}}"""
ASKED = b'{"jsonrpc":"2.0","id":7,"method":"roots/list","params":{"_meta":{"progressToken":1}}}'


def event(seconds: float, kind: Any, text: bytes, *more: Any, **fields: Any) -> Event:
    return Event(NOW + timedelta(seconds=seconds), kind, text, *more, **fields)


BLOCKS = [
    event(12 * number, "notification", BLOCK % (7000 + number), "eth_subscription", of=SUBSCRIBED.id)
    for number in range(4)
]
STRANGE = [
    event(1.2, "request", ASKED, "roots/list", b"6", answer=b'"result":{"roots":[]}'),
    event(
        15, "response", b'{"jsonrpc":"2.0","id":"1m7ypmkv7qa0009","result":true}', remark="the call has already ended"
    ),
    event(27, "unreadable", b"Listening on 8545", remark="this is not a JSON object"),
]
WAITING = event(13.5, "request", ASKED, "roots/list", b"7")


def connect(explorer: Explorer) -> None:
    """Use the profile node, with an open connection that sends nothing by itself."""
    explorer.use("node")
    explorer.history.append(SUBSCRIBED)
    state = {"is_open": True, "is_closing": False, "since": NOW - timedelta(minutes=2), "ended": None}
    connection: Any = SimpleNamespace(requests=SimpleNamespace(unanswered=0), **state)
    explorer.__dict__["connection_of"] = lambda _: connection


def arrive(explorer: Explorer, *events: Event) -> None:
    """Let events arrive: blocks, with others between them."""
    assert explorer.profile is not None
    for arrived in sorted([*BLOCKS, *events], key=lambda event: event.when):
        explorer.hooks.on_event(explorer.profile, arrived)


async def open_events(program: Program, *events: Event) -> None:
    program.calls.drafts.choose("eth_subscribe")
    arrive(program.app.explorer, *(events or STRANGE))
    await program.press("f3")
    await program.sees("? roots/list waits" if WAITING in events else "7 events")  # which the next header copies
    await program.press("alt+v")
    await program.on(EventsScreen)
