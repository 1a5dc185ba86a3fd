"""The connection test against servers that refuse calls as real ones do.

Each server answers as a real one does. It never gets more than ``MOST`` requests, a batch, an unlisted method, or a
credential before the open calls succeeded.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from rpcexplorer.client import connection_test
from rpcexplorer.client.probe import METHODS, MOST, Proposal
from rpcexplorer.client.report import Report
from rpcexplorer.explorer import Explorer
from rpcexplorer.model.exchange import Stop
from rpcexplorer.model.profile import Preset, Profile, ad_hoc
from rpcexplorer.text.connection_test import plan
from tests.fakes.agent import CARD_PATH, VERSION, Agent, card
from tests.fakes.certificates import self_signed
from tests.fakes.explorer import open_explorer
from tests.fakes.mcp import StatelessMcp
from tests.fakes.wire import HOLD, NEXT, RESET, Parts, RawServer, Received, Script, http_reply

PAGE = b"<!doctype html><html><body>It works!</body></html>"
HOSTILE = "\x1b]52;c;aGk=\x07[@click=app.quit]\u202e\x00"
JSON = {"Content-Type": "application/json"}


def report_of(explorer: Explorer, profile: Profile | str, **given: Any) -> Report:
    async def run() -> Report:
        async with explorer:
            return await explorer.test(ad_hoc(profile) if isinstance(profile, str) else profile, **given)

    return asyncio.run(run())


def path_of(request: Received) -> str:
    return request.line.split()[1]


def call_of(request: Received) -> dict[str, Any]:
    """Return the call; the request for a document is like a call of its path."""
    if request.line.startswith("GET "):
        return {"method": path_of(request), "id": None}
    called = request.json
    assert isinstance(called, dict), "never a batch"
    return called


def answer(request: Received, status: int = 200, headers: Mapping[str, str] = JSON, **members: Any) -> bytes:
    reply = {"jsonrpc": "2.0", "id": call_of(request).get("id"), **members}
    return http_reply(json.dumps({key: reply[key] for key in reply if reply[key] is not ...}).encode(), status, headers)


def error(request: Received, code: int, message: str, status: int = 200, **members: Any) -> bytes:
    return answer(request, status, error={"code": code, "message": message}, **members)


def basic(realm: str) -> bytes:
    return http_reply(b"", 401, {"WWW-Authenticate": f'Basic realm="{realm}"'}, reason="Unauthorized")


NOT_THERE = http_reply(PAGE, 404, {"Content-Type": "text/html"}, reason="Not Found")


def aria2(request: Received) -> Parts:
    if path_of(request) != "/jsonrpc":
        return NOT_THERE
    match call_of(request)["method"]:
        case "system.listMethods":
            return answer(request, result=["aria2.addUri", "aria2.getVersion", "system.listMethods"])
        case "aria2.getVersion":
            return error(request, 1, "Unauthorized", 400)
        case method:
            return error(request, 1, f"No such method: {method}", 400)


def open_aria2(request: Received) -> Parts:
    if path_of(request) == "/jsonrpc" and call_of(request)["method"] == "aria2.getVersion":
        return answer(request, result={"version": "1.36.0"})
    return aria2(request)


def bitcoin(request: Received) -> Parts:
    return basic("jsonrpc") if path_of(request) == "/" else NOT_THERE


def old_shape(request: Received) -> Parts:
    if path_of(request) != "/":
        return NOT_THERE
    return answer(request, 404, jsonrpc=..., result=None, error={"code": -32601, "message": "Method not found"})


def deluge(request: Received) -> Parts:
    if path_of(request) != "/json":
        return http_reply(b"<title>Deluge: Web UI</title>", headers={"Server": "TwistedWeb"})
    if request.header("Content-Type") != "application/json":
        refusal = {"code": 5, "message": "Invalid JSON request content-type"}
        return answer(request, jsonrpc=..., id=None, result=None, error=refusal)
    if call_of(request)["method"] == "system.listMethods":
        return answer(request, jsonrpc=..., result=["auth.login", "web.connect"], error=None)
    return answer(request, jsonrpc=..., result=None, error={"code": 1, "message": "Not authenticated"})


def zabbix(request: Received) -> Parts:
    if path_of(request) != "/api_jsonrpc.php":
        return http_reply(PAGE, headers={"Set-Cookie": "zbx_session=eyJ; HttpOnly"})
    refusal = {"code": -32601, "message": "Method not found.", "data": 'Incorrect API "system".'}
    return answer(request, error=refusal)


def mcp(request: Received) -> Parts:
    if path_of(request) != "/mcp":
        return NOT_THERE
    if request.header("Content-Type") != "application/json":
        return error(request, -32600, "Unsupported Media Type: Content-Type must be application/json", 415)
    if "text/event-stream" not in (request.header("Accept") or ""):
        return error(request, -32600, "Not Acceptable", 406)
    called = call_of(request)
    if called["method"] == "initialize":
        result = {"protocolVersion": "2025-06-18", "serverInfo": {"name": "m", "version": "1"}}
        return answer(request, headers={**JSON, "Mcp-Session-Id": "s-1"}, result=result)
    if request.header("Mcp-Session-Id") != "s-1":
        return error(request, -32600, "Bad Request: Missing session ID", 400)
    return http_reply(b"", 202) if "id" not in called else answer(request, result={"tools": []})


def stateless_mcp(request: Received) -> Parts:
    if path_of(request) != "/mcp":
        return NOT_THERE
    if request.header("MCP-Protocol-Version") is None:
        return error(request, -32020, "Header mismatch: MCP-Protocol-Version is missing", 400)
    return StatelessMcp()(request)


def transmission(request: Received) -> Parts:
    server = {"Server": "Transmission", "Content-Type": "text/html"}
    if path_of(request) != "/transmission/rpc":
        return http_reply(PAGE, 404, server)
    if request.header("X-Transmission-Session-Id") != "t-1":
        return http_reply(b"<h1>409: Conflict</h1>", 409, {**server, "X-Transmission-Session-Id": "t-1"})
    tag = call_of(request).get("tag")
    return http_reply(json.dumps({"arguments": {}, "result": "method name not recognized", "tag": tag}).encode())


def handing_out(request: Received) -> Parts:
    """Send another session header."""
    if request.header("X-Csrf-Session") != "c-1":
        return http_reply(b"", 409, {"X-Csrf-Session": "c-1"})
    return error(request, -32601, "Method not found")


def flask(request: Received) -> Parts:
    if path_of(request) == "/rpc":
        return http_reply(PAGE, 308, {"Location": "/rpc/"}, reason="PERMANENT REDIRECT")
    return error(request, -32601, "Method not found", 400) if path_of(request) == "/rpc/" else NOT_THERE


def by_name(request: Received) -> Parts:
    if path_of(request) != "/rpc":
        return NOT_THERE
    if call_of(request).get("params") == []:
        return error(request, -32602, "Invalid params: expected an object, got a list")
    return error(request, -32601, "Method not found")


def locked(request: Received) -> Parts:
    return basic("somewhere")


def bearer(request: Received) -> Parts:
    if path_of(request) != "/rpc":
        return NOT_THERE
    return http_reply(b"Unauthorized", 401, {"WWW-Authenticate": 'Bearer realm="api"'})


def engine(_: Received) -> Parts:
    return http_reply(b"missing token\n", 401, {"Content-Type": "text/plain"}, reason="Unauthorized")


def asks_in_words(request: Received) -> Parts:
    return error(request, -32001, "Not logged in") if path_of(request) == "/rpc" else NOT_THERE


def pjrpc(request: Received) -> Parts:
    """Require a login at one path and all paths below it."""
    if not path_of(request).startswith("/api/v1"):
        return NOT_THERE
    return http_reply(b"a token is wanted", 401, {"WWW-Authenticate": 'Bearer realm="pjrpc"'})


def unquoted(request: Received) -> Parts:
    """Read the id as a number, and return it without quotes."""
    id = str(call_of(request)["id"])
    return http_reply(f'{{"jsonrpc":"2.0","id":{id},"error":{{"code":-32601,"message":"no"}}}}'.encode())


def ubus(request: Received) -> Parts:
    return error(request, -32601, "Method not found") if path_of(request) == "/ubus" else NOT_THERE


def only_at(path: str) -> Callable[[Received], Parts]:
    return lambda request: error(request, -32601, "Unknown") if path_of(request) == path else NOT_THERE


def key_wanted(request: Received) -> Parts:
    """Require an API key without saying where it belongs."""
    return http_reply(b'{"message": "No API key"}', 401) if path_of(request) == "/rpc" else NOT_THERE


def test_login_of_unknown_auth_type_is_not_none(tmp_path: Path, explorer: Explorer) -> None:
    with RawServer(key_wanted) as wire:
        typed = ad_hoc(wire.origin)
        report = report_of(explorer, typed)
        again, profile = profile_of(tmp_path, wire, 'path = "/rpc"')
        filed = report_of(again, profile)
    assert report.proposal is not None
    assert report.proposal.made_from(typed) == (wire.origin, {"path": "/rpc"})
    assert report.proposal.lacks_auth
    state, words = row(report, "Login")
    assert (state, report.exit_code) == ("failed", 3)
    assert words.startswith(
        "The server asks for credentials (HTTP 401). Ask the owner of the server which auth type to use, one of "
    )
    assert "none" not in words
    assert filed.proposal is not None
    assert (filed.proposal.changes, filed.proposal.lacks_auth) == ((), True)


def test_new_profile_keeps_the_typed_preset() -> None:
    typed = replace(ad_hoc("http://h/"), preset="bitcoin")
    assert Proposal(()).made_from(typed) == ("http://h", {"preset": "bitcoin", "path": "/"})
    moved = Proposal((("preset", "service"),), Preset("service", Path()))
    assert moved.made_from(typed)[1]["preset"] == "service"


@pytest.mark.parametrize(
    ("server", "changes", "secrets"),
    [
        (aria2, {"preset": "aria2"}, ("token",)),
        (open_aria2, {"preset": "aria2", "auth.kind": "none"}, ()),
        (bitcoin, {"preset": "bitcoin"}, ("username", "password")),
        (old_shape, {"path": "/", "envelope": "1.0"}, ()),
        (deluge, {"preset": "deluge"}, ("password",)),
        (zabbix, {"preset": "zabbix"}, ("username", "password")),
        (mcp, {"preset": "mcp"}, ()),
        (stateless_mcp, {"preset": "mcp"}, ()),
        (handing_out, {"path": "/", "handshake": {"header": "X-Csrf-Session"}}, ()),
        (flask, {"path": "/rpc/"}, ()),
        (by_name, {"path": "/rpc", "empty_params": "{}"}, ()),
        (locked, {"path": "/", "auth.kind": "basic"}, ("username", "password")),
        (bearer, {"path": "/rpc", "auth.kind": "bearer"}, ("token",)),
        (engine, {"path": "/", "auth.kind": "jwt"}, ("key",)),
        (unquoted, {"path": "/", "id": "number"}, ()),
        (ubus, {"path": "/ubus"}, ()),
        (only_at("/jsonrpc.php"), {"path": "/jsonrpc.php"}, ()),
        (pjrpc, {"path": "/api/v1", "auth.kind": "bearer"}, ("token",)),
    ],
)
def test_profile_is_found_from_a_bare_address(
    explorer: Explorer, server: Callable[[Received], Parts], changes: dict[str, Any], secrets: tuple[str, ...]
) -> None:
    with RawServer(server) as wire:
        report = report_of(explorer, wire.origin)
    assert report.proposal is not None, report.checks
    assert (dict(report.proposal.changes), report.proposal.secrets) == (changes, secrets)
    assert_harmless(wire, report)
    assert explorer.history.newest(1) == []


def assert_harmless(wire: RawServer, report: Report, *more: str) -> None:
    """Check that only listed and harmless calls were made."""
    assert report.requests == len(wire.requests) <= MOST
    for request in wire.requests:
        assert call_of(request)["method"] in {*METHODS, *more}
        assert request.header("Cookie") is None
        if not more:
            assert request.header("Authorization") is None


def row(report: Report, label: str) -> tuple[str, str]:
    return next((check.state, check.words) for check in report.checks if check.label == label)


@pytest.mark.parametrize("path", ["/", "/agents/linguist"])
def test_agent_is_recognized_by_its_card(explorer: Explorer, path: str) -> None:
    agent = Agent(path=path)
    with RawServer(agent) as wire:
        agent.card = card(f"{wire.origin}{path}")
        report = report_of(explorer, wire.origin)
    assert report.proposal is not None, report.checks
    places = {} if path == "/" else {"path": path}
    assert dict(report.proposal.changes) == {"preset": "a2a", **places}
    state, words = row(report, "Server")
    assert state == "well"
    assert words.endswith('(preset a2a). Its agent card describes "Linguist" with 1 skill.')
    assert report.exit_code == 0
    assert [(call.method, call.summary) for call in report.calls if call.path == CARD_PATH] == [("GET", "a result")]
    assert_harmless(wire, report)


def test_agent_without_a_card_is_recognized_by_its_error(explorer: Explorer) -> None:
    def server(request: Received) -> Parts:
        if request.line.startswith("GET ") or path_of(request) != "/":
            return NOT_THERE
        if request.header("A2A-Version") == "1.0":
            return error(request, -32601, "Method not found")
        return answer(request, error=VERSION)

    with RawServer(server) as wire:
        report = report_of(explorer, wire.origin)
    assert report.proposal is not None, report.checks
    assert dict(report.proposal.changes) == {"preset": "a2a"}


def test_card_that_names_other_hosts_is_not_followed(explorer: Explorer) -> None:
    agent = Agent(path="/agents/linguist")
    with RawServer(agent) as wire, RawServer(agent) as other:
        agent.card = card(
            f"{other.origin}/agents/linguist", f"{other.origin}/{{token}}", "http://[", "file:///etc/passwd"
        )
        report = report_of(explorer, wire.origin)
        assert other.requests == []
    assert report.proposal is not None, report.checks
    assert dict(report.proposal.changes) == {"preset": "a2a", "path": "/agents/linguist"}
    assert f"The card names {other.origin}/agents/linguist" in row(report, "Server")[1]
    assert f"rpcexplorer calls {wire.origin}/agents/linguist and no other address." in row(report, "Server")[1]
    assert not [request for request in wire.requests if "token" in request.line or "passwd" in request.line]


@pytest.mark.parametrize(
    "named", [{"name": HOSTILE}, card("http://[") | {"skills": [5]}, card() | {"name": "x" * 300_000}, [[]]]
)
def test_document_that_is_no_agent_card_suggests_nothing(explorer: Explorer, named: Any) -> None:
    with RawServer(Agent(named=named)) as wire:
        report = report_of(explorer, wire.origin)
    assert row(report, "Server") == ("skipped", "No preset matches.")


def page(request: Received) -> Parts:
    return http_reply(PAGE)


def garbage(request: Received) -> Parts:
    return http_reply(b"\x00\xff{]" + HOSTILE.encode() * 100, headers={"Server": "x" * 5_000})


def json_of_no_kind(request: Received) -> Parts:
    return http_reply(b'{"error": {"code": 404, "message": "no such route"}}', 404)


@pytest.mark.parametrize("server", [page, garbage, json_of_no_kind])
def test_server_without_json_rpc_has_no_proposal(explorer: Explorer, server: Callable[[Received], Parts]) -> None:
    with RawServer(server) as wire:
        report = report_of(explorer, wire.origin)
    assert (report.proposal, report.exit_code) == (None, 5)
    assert report.advice == (
        "No JSON-RPC was found. Try the complete URL with its path, https instead of http, or another port."
    )
    state, words = row(report, "Address")
    assert state == "failed"
    assert words.startswith("No JSON-RPC at /, /jsonrpc, /rpc, /api/v2/, ")
    assert_harmless(wire, report)


def test_silent_server_is_asked_once(tmp_path: Path) -> None:
    with RawServer([HOLD]) as wire:
        explorer = open_explorer(tmp_path, f'[profile.mute]\nurl = "{wire.origin}"\ntimeout = 0.2\n')
        report = report_of(explorer, explorer.profiles.profiles["mute"])
    assert (len(wire.requests), report.exit_code, report.proposal) == (1, 4, None)
    assert row(report, "HTTP")[0] == "failed"
    assert "may have run" not in row(report, "HTTP")[1]


def knows_no_method(request: Received) -> Parts:
    return error(request, -32601, "Method not found")


@pytest.mark.parametrize(
    ("scripts", "wanting"),
    [
        # This happens before a method of a preset is called.
        ((knows_no_method, knows_no_method, [RESET]), ["Server", "Login"]),
        ((aria2, aria2, [RESET]), ["Login"]),
        ((NOT_THERE, NOT_THERE, [RESET]), ["Address", "Login"]),
    ],
)
def test_missing_responses_leave_their_rows_unknown(
    explorer: Explorer, scripts: tuple[Script, ...], wanting: list[str]
) -> None:
    with RawServer(*scripts) as wire:
        report = report_of(explorer, wire.origin)
    assert (report.proposal, report.exit_code) == (None, 4)
    rows = [check for check in report.checks if check.words.startswith("Unknown. ")]
    assert [check.label for check in rows] == wanting
    assert [check.state for check in rows] == ["failed", "unknown"][: len(rows)]
    assert "closed the connection" in rows[0].words
    assert "may have run" not in rows[0].words
    assert_harmless(wire, report)


def kept_open(script: Callable[[Received], Parts]) -> Script:
    """Answer, and wait for the next request on the same connection."""

    def play(request: Received) -> Parts:
        parts = script(request)
        return [parts, NEXT] if isinstance(parts, bytes) else parts

    return play


@pytest.mark.parametrize("first", [b"", [RESET]])
def test_call_on_closed_reused_connection_is_repeated(explorer: Explorer, first: Parts) -> None:
    with RawServer(kept_open(open_aria2), first, kept_open(open_aria2)) as wire:
        report = report_of(explorer, wire.origin)
    assert report.proposal is not None
    assert dict(report.proposal.changes) == {"preset": "aria2", "auth.kind": "none"}
    assert call_of(wire.requests[1])["method"] == call_of(wire.requests[2])["method"]
    assert path_of(wire.requests[1]) == path_of(wire.requests[2])
    assert_harmless(wire, report)


def test_call_without_response_is_repeated_only_once(explorer: Explorer) -> None:
    with RawServer(kept_open(open_aria2), [RESET]) as wire:
        report = report_of(explorer, wire.origin)
    assert (len(wire.requests), report.exit_code) == (3, 4)


def test_cancelled_test_keeps_its_results(explorer: Explorer) -> None:
    stop, heard = Stop(), list[Report]()

    def show(report: Report) -> None:
        heard.append(report)
        if len(heard) == 3:  # This is aria2.getVersion.
            stop.press()

    with RawServer(aria2) as wire:
        report = report_of(explorer, wire.origin, show=show, stop=stop)
    assert len(wire.requests) == 2
    assert row(report, "Address") == ("well", "/jsonrpc accepts JSON-RPC calls. Tried without success: /")
    assert row(report, "Login") == ("unknown", "Unknown. You ended the connection test.")
    assert report.advice == ""
    assert report.proposal is None
    assert [progress.under_way for progress in heard] == [
        "system.listMethods at /", "system.listMethods at /jsonrpc", "aria2.getVersion at /jsonrpc"
    ]  # fmt: skip
    assert heard[0].checks == ()
    assert ("unknown", "Tried /") in {(check.state, check.words) for check in heard[1].checks}, "as it came"


def hostile(request: Received) -> Parts:
    """Answer with everything that might reach a profile or a terminal."""
    names = {"Location": "/a?token=5ecret5ecret5ecret", "Server": "S\x9b2J[@click=app.quit]"}
    if path_of(request) == "/":
        return http_reply(b"", 308, names)
    if path_of(request) == "/jsonrpc":
        return http_reply(b"", 307, {"Location": "http://127.0.0.2:1/jsonrpc"})
    if path_of(request) == "/rpc":
        return http_reply(HOSTILE.encode(), 415, {"Accept-Post": 'application/json"] evil = 1'})
    return error(request, -32601, HOSTILE, 200, headers={**JSON, "WWW-Authenticate": "Basic [/]\x9b"})


def test_hostile_texts_reach_neither_profile_nor_terminal(explorer: Explorer) -> None:
    with RawServer(hostile) as wire:
        report = report_of(explorer, wire.origin)
    assert report.proposal is not None
    assert dict(report.proposal.changes) == {"content_type": "application/json"}, "at /api/v2/, the usual path"
    assert row(report, "Address")[1] == "/api/v2/ accepts JSON-RPC calls. Tried without success: /, /jsonrpc, /rpc"
    assert all("?" not in path_of(request) for request in wire.requests)
    assert_harmless(wire, report)


@pytest.mark.parametrize("typed", ["/foo", ""])
def test_redirect_to_another_port_is_followed_and_proposed(explorer: Explorer, typed: str) -> None:
    with RawServer(by_name) as other:
        target = f"{other.origin}/rpc"
        with RawServer(lambda _: http_reply(b"", 301, {"Location": target})) as wire:
            report = report_of(explorer, f"{wire.origin}{typed}")
    assert report.proposal is not None
    assert dict(report.proposal.changes) == {"url": other.origin, "path": "/rpc", "empty_params": "{}"}
    words = row(report, "Address")[1]
    assert f"{target} accepts JSON-RPC calls." in words
    assert f"HTTP 301 to {target}" in words or not typed
    assert report.requests == len(wire.requests) + len(other.requests) <= MOST


@pytest.mark.parametrize(
    ("location", "words"),
    [
        ("http://ada:5ecret@rpc.example.com/rpc?token=5ecret5ecret", "HTTP 301 to http://rpc.example.com/rpc"),
        ("http://127.0.0.1:9/rpc", "HTTP 301 to http://127.0.0.1:9/rpc"),  # Nothing listens there.
    ],
)
def test_redirect_that_is_not_followed_is_shown(explorer: Explorer, location: str, words: str) -> None:
    with RawServer(lambda _: http_reply(b"", 301, {"Location": location})) as wire:
        report = report_of(explorer, f"{wire.origin}/foo")
    assert report.proposal is None
    assert row(report, "Address")[1].endswith(words)
    assert "5ecret" not in str(report)


def endless(request: Received) -> Parts:
    """Refuse each form and ask for another one."""
    kinds = ["application/json-rpc", "application/json"]
    other = kinds[request.header("Content-Type") == kinds[0]]
    return http_reply(f"unsupported content type, use {other}".encode(), 415, {"Accept": other})


def test_server_that_refuses_everything_gets_limited_requests(explorer: Explorer) -> None:
    with RawServer(endless) as wire:
        report = report_of(explorer, wire.origin)
    assert len(wire.requests) == MOST
    assert report.exit_code == 5
    assert_harmless(wire, report)


def profile_of(folder: Path, wire: RawServer, more: str, **variables: str) -> tuple[Explorer, Profile]:
    explorer = open_explorer(folder, f'[profile.shop]\nurl = "{wire.origin}"\n{more}\n', **variables)
    return explorer, explorer.profiles.profiles["shop"]


@pytest.mark.parametrize(
    ("server", "more", "changes", "failed"),
    [
        (deluge, 'path = "/json"', {"preset": "deluge"}, set()),
        (deluge, 'path = "/json"\ncontent_type = "text/plain"',
         {"preset": "deluge", "content_type": "application/json"}, {"Content type"}),
        (by_name, 'path = "/rpc"', {"empty_params": "{}"}, {"Empty params"}),
        (by_name, 'path = "/nowhere"', {"path": "/rpc", "empty_params": "{}"}, {"Address", "Empty params"}),
        (mcp, 'path = "/mcp"\nempty_params = "[]"', {"preset": "mcp", "empty_params": "{}"},
         {"Accept", "Handshake"}),
        (bitcoin, 'path = "/"', {"preset": "bitcoin"}, {"Login"}),
    ],
)  # fmt: skip
def test_wrong_setting_in_file_is_reported_and_changed(
    tmp_path: Path, server: Callable[[Received], Parts], more: str, changes: dict[str, Any], failed: set[str]
) -> None:
    with RawServer(server) as wire:
        explorer, profile = profile_of(tmp_path, wire, more)
        report = report_of(explorer, profile)
    assert report.proposal is not None
    assert dict(report.proposal.changes) == changes
    assert {check.label for check in report.checks if check.state == "failed"} == failed
    assert report.exit_code == (3 if failed == {"Login"} else 5 if failed else 0)
    assert_harmless(wire, report)


def without_id(request: Received) -> Parts:
    """Ignore bodies of this content type, and answer without an id."""
    if request.header("Content-Type") == "application/json":
        return error(request, -32601, "Method not found")
    return error(request, -32601, "The method undefined does not exist", id=...)


def dies_of_json_rpc(request: Received) -> Parts:
    """End the process at the first body that cannot be read, at any path."""
    return error(request, -32601, "no") if request.header("Content-Type") == "application/json" else [RESET]


@pytest.mark.parametrize("more", ["", 'path = "/rpc"'])
def test_first_request_has_most_usual_content_type(tmp_path: Path, more: str) -> None:
    with RawServer(dies_of_json_rpc) as wire:
        explorer, profile = profile_of(tmp_path, wire, more)
        report = report_of(explorer, profile)
    posted = [request for request in wire.requests if request.line.startswith("POST ")]
    assert {request.header("Content-Type") for request in posted} == {"application/json"}
    assert row(report, "Content type") == ("well", "The server accepts application/json.")
    assert report.proposal is not None
    assert dict(report.proposal.changes) == ({} if more else {"content_type": "application/json"})


def test_content_type_of_unread_request_is_replaced(tmp_path: Path) -> None:
    with RawServer(without_id) as wire:
        explorer, profile = profile_of(tmp_path, wire, 'content_type = "application/json-rpc"')
        report = report_of(explorer, profile)
    assert report.proposal is not None
    assert dict(report.proposal.changes) == {"content_type": "application/json"}
    state, words = row(report, "Content type")
    assert state == "failed"
    assert words.startswith("The test uses application/json. The server refused application/json-rpc: ")


def test_content_type_without_any_id_stays_unknown(tmp_path: Path) -> None:
    with RawServer(lambda request: error(request, -32601, "The method undefined does not exist", id=...)) as wire:
        explorer, profile = profile_of(tmp_path, wire, 'content_type = "application/json"')
        report = report_of(explorer, profile)
    assert row(report, "Content type")[0] == "unknown"


def databases(request: Received) -> Parts:
    """Require a login at every path, as a server with one path per database."""
    return basic("Databases") if path_of(request).endswith("rpc") else NOT_THERE


def test_login_at_several_paths_proposes_nothing(explorer: Explorer) -> None:
    with RawServer(databases) as wire:
        report = report_of(explorer, wire.origin)
    assert (report.proposal, report.exit_code) == (None, 3)


def behind_token(request: Received) -> Parts:
    """Require a token at the usual path of MCP, without saying that it is MCP."""
    return http_reply(b"", 401, {"WWW-Authenticate": "Bearer"}) if path_of(request) == "/mcp" else NOT_THERE


def test_only_login_is_found_at_a_guessed_path(explorer: Explorer) -> None:
    with RawServer(behind_token) as wire:
        report = report_of(explorer, wire.origin)
    assert report.proposal is not None
    assert report.proposal.values == {"path": "/mcp", "auth.kind": "bearer"}
    assert (report.proposal.secrets, report.exit_code) == (("token",), 3)
    assert row(report, "Address")[1].startswith("/mcp asks for credentials.")
    assert row(report, "Server")[1] == "No preset matches. This is the usual path of preset mcp."
    assert_harmless(wire, report)


def for_localhost(request: Received) -> Parts:
    return http_reply(b"Access is only allowed at\nlocalhost:18440", 403, {"Content-Type": "text/plain"})


def test_refusal_in_words_is_shown_and_proposes_nothing(tmp_path: Path, explorer: Explorer) -> None:
    words = "HTTP 403: Access is only allowed at localhost:18440"
    with RawServer(for_localhost) as wire:
        report = report_of(explorer, wire.origin)
        again, profile = profile_of(
            tmp_path, wire, 'path = "/rpc"\nauth = { kind = "bearer" }', RPCEXPLORER_SHOP_TOKEN="t"
        )
        with_token = report_of(again, profile)
    assert (report.proposal, report.exit_code) == (None, 5)
    assert row(report, "Address")[1].endswith(f"At /api/v2/: {words}")
    assert row(with_token, "Credentials")[1].startswith(f"The server rejected the credentials ({words}).")


def refuses_requests(request: Received) -> Parts:
    return error(request, -32600, "Invalid request")


def test_refused_requests_fail_the_test(explorer: Explorer) -> None:
    with RawServer(refuses_requests) as wire:
        report = report_of(explorer, f"{wire.origin}/rpc")
    assert report.exit_code == 1
    assert row(report, "JSON-RPC")[0] == "failed"
    assert row(report, "Empty params")[0] == row(report, "Content type")[0] == "unknown"


def strict_about_params(request: Received) -> Parts:
    """Refuse an array, with the id of the call, as servers with MCP's library for TypeScript do."""
    if call_of(request).get("params") == []:
        return error(request, -32600, "Bad Request: the request body is not a valid JSON-RPC message", 400)
    return error(request, -32601, "Method not found")


def test_refused_array_is_replaced_by_no_params(explorer: Explorer) -> None:
    with RawServer(strict_about_params) as wire:
        report = report_of(explorer, f"{wire.origin}/rpc")
    assert report.proposal is not None
    assert report.proposal.values["empty_params"] == "omit"
    assert (row(report, "Empty params")[0], report.exit_code) == ("well", 0)


def test_reserved_error_without_jsonrpc_and_id_speaks(explorer: Explorer) -> None:
    def old(request: Received) -> Parts:
        return error(request, -32601, f"no {call_of(request)['method']}", jsonrpc=..., id=...)

    with RawServer(old) as wire:
        report = report_of(explorer, f"{wire.origin}/rpc")
    assert report.proposal is not None
    assert row(report, "Address")[0] == "well"
    state, words = row(report, "JSON-RPC")
    assert (state, words.split(".")[0]) == ("well", "Old JSON-RPC version, without jsonrpc and id")


@pytest.mark.parametrize(
    ("server", "more", "changes"),
    [
        (by_name, "", {"path": "/rpc", "empty_params": "{}"}),
        (by_name, 'path = "/api/v2/"', {"path": "/rpc", "empty_params": "{}"}),
        (by_name, 'content_type = "text/plain"', {"path": "/rpc", "empty_params": "{}"}),
        (by_name, 'auth = { username = "ada" }', {"path": "/rpc", "empty_params": "{}", "auth.kind": "none"}),
        (asks_in_words, 'auth = { username = "ada" }', {"path": "/rpc", "auth.kind": "cookie"}),
        (only_at("/api/v1/jsonrpc"), "", {"path": "/api/v1/jsonrpc"}),
    ],
)
def test_unset_keys_are_filled_in(
    tmp_path: Path, server: Callable[[Received], Parts], more: str, changes: dict[str, Any]
) -> None:
    with RawServer(server) as wire:
        explorer, profile = profile_of(tmp_path, wire, more)
        report = report_of(explorer, profile)
    assert report.proposal is not None
    assert dict(report.proposal.changes) == changes
    assert wire.requests[0].header("Content-Type") != "application/json-rpc"
    assert_harmless(wire, report)


def service(request: Received) -> Parts:
    """Accept one content type at the own path, and ask for a login in words."""
    if path_of(request) != "/api/v2/":
        return NOT_THERE
    if request.header("Content-Type") != "application/json-rpc":
        return http_reply(b"", 415)
    if call_of(request)["method"] == "auth":
        return answer(request, headers={**JSON, "Set-Cookie": "sessionid=fresh-fresh"}, result=True)
    return error(request, -32001, "Not logged in")


def test_service_at_its_address_needs_only_credentials(tmp_path: Path) -> None:
    with RawServer(service) as wire:
        explorer, profile = profile_of(tmp_path, wire, "")
        report = report_of(explorer, profile)
    assert report.proposal is not None
    assert (report.proposal.changes, report.proposal.secrets) == ((), ("username", "password"))
    state, words = row(report, "Login")
    assert (state, report.exit_code) == ("failed", 3)
    assert words.endswith("auth opens a session. Enter the user name and the password.")
    assert_harmless(wire, report)


def test_service_is_tested_with_given_credentials(tmp_path: Path) -> None:
    given = {"RPCEXPLORER_SHOP_USERNAME": "ada", "RPCEXPLORER_SHOP_PASSWORD": "hunter2hunter2"}
    with RawServer(service) as wire:
        explorer, profile = profile_of(tmp_path, wire, "", **given)
        report = report_of(explorer, profile)
    assert row(report, "Login") == ("well", "The login opened a session.")
    assert (report.exit_code, call_of(wire.requests[-1])["method"]) == (0, "auth")


def test_other_server_gets_no_credentials_of_default_login(tmp_path: Path) -> None:
    given = {"RPCEXPLORER_SHOP_USERNAME": "ada", "RPCEXPLORER_SHOP_PASSWORD": "hunter2hunter2"}
    with RawServer(by_name) as wire:
        explorer, profile = profile_of(tmp_path, wire, "", **given)
        report_of(explorer, profile)
    assert not [request for request in wire.requests if b"hunter2" in request.body]


def open_list(request: Received) -> Parts:
    return answer(request, result=["ping"]) if call_of(request)["method"] == "system.listMethods" else garbage(request)


@pytest.mark.parametrize(
    ("more", "sentence"),
    [
        ('auth = { kind = "cookie" }', "Auth type cookie is set, but preset aria2 uses first"),
        ('auth = { kind = "first" }', "Not reached. The token is missing."),
        (
            'path = "/jsonrpc"\nauth = { kind = "cookie" }\ncontent_type = "text/plain"',
            "cookie is set, but preset aria2",
        ),
    ],
)
def test_auth_type_unlike_the_preset_is_named(tmp_path: Path, more: str, sentence: str) -> None:
    with RawServer(aria2) as wire:
        explorer, profile = profile_of(tmp_path, wire, more)
        report = report_of(explorer, profile)
    assert sentence in report.checks[-1].words
    assert report.proposal is not None
    assert dict(report.proposal.changes).get("auth.kind") is None


def test_auth_type_without_need_is_named(tmp_path: Path) -> None:
    with RawServer(open_list) as wire:
        explorer, profile = profile_of(tmp_path, wire, 'path = "/rpc"\nauth = { kind = "basic", username = "ada" }')
        report = report_of(explorer, profile)
    state, words = row(report, "Credentials")
    assert (state, report.exit_code) == ("failed", 3)
    assert words.startswith("Auth type basic is set, but system.listMethods works without credentials. No password")


SECRET = "hunter2hunter2"
AUTH = 'auth = { kind = "basic", username = "ada" }'


def guarded(request: Received) -> Parts:
    """Require HTTP Basic, at the default path only, in one form."""
    if request.header("Authorization") is None:
        return basic("guarded")
    if request.header("Content-Type") != "application/json":
        return http_reply(b"", 415, {"Accept": "application/json"})
    return error(request, -32601, "Method not found")


def guarded_in_any_form(request: Received) -> Parts:
    if request.header("Authorization") is None:
        return basic("guarded")
    return error(request, -32601, "Method not found")


def test_credentials_are_sent_last(tmp_path: Path) -> None:
    with RawServer(guarded) as wire:
        explorer, profile = profile_of(
            tmp_path, wire, f'{AUTH}\ncontent_type = "application/json"', RPCEXPLORER_SHOP_PASSWORD=SECRET
        )
        report = report_of(explorer, profile)
    assert [bool(request.header("Authorization")) for request in wire.requests] == [False, True]
    assert report.exit_code == 0
    assert row(report, "JSON-RPC") == ("well", "JSON-RPC 2.0. ping returned an error object (-32601 Method not found).")
    assert row(report, "Content type") == ("well", "The server accepts application/json.")
    assert row(report, "Credentials") == (
        "well",
        "Credentials are required. The server accepted the credentials.",
    )
    assert SECRET not in str(report)
    assert_harmless(wire, report, "ping")


def behind_session(request: Received) -> Parts:
    known = request.header("Cookie") == f"sessionid={SECRET}"
    return error(request, -32601, "Method not found") if known else http_reply(b"", 401)


def test_stored_session_without_user_name_is_tested(tmp_path: Path) -> None:
    with RawServer(behind_session) as wire:
        explorer, profile = profile_of(
            tmp_path,
            wire,
            'auth = { kind = "cookie" }\ncontent_type = "application/json"',
            RPCEXPLORER_SHOP_SESSION=SECRET,
        )
        report = report_of(explorer, profile)
    assert row(report, "Login") == ("well", "Credentials are required. The server accepted the session.")
    assert (report.exit_code, call_of(wire.requests[-1])["method"]) == (0, "ping")


def logged_in(request: Received) -> Parts:
    """Require a login for every call, with a JSON-RPC error."""
    return error(request, -32601 if request.header("Authorization") else -32001, "Please log in or go")


@pytest.mark.parametrize("server", [guarded_in_any_form, logged_in])
def test_content_type_accepted_with_credentials_is_kept(tmp_path: Path, server: Callable[[Received], Parts]) -> None:
    with RawServer(server) as wire:
        explorer, profile = profile_of(tmp_path, wire, AUTH, RPCEXPLORER_SHOP_PASSWORD=SECRET)
        report = report_of(explorer, profile)
    assert wire.requests[-1].header("Content-Type") == "application/json-rpc"
    assert report.proposal is not None
    assert report.proposal.changes == ()


def test_incomplete_call_with_credentials_proposes_nothing(tmp_path: Path) -> None:
    with RawServer(guarded, [RESET]) as wire:
        explorer, profile = profile_of(tmp_path, wire, AUTH, RPCEXPLORER_SHOP_PASSWORD=SECRET)
        report = report_of(explorer, profile)
    assert (report.proposal, report.exit_code, len(wire.requests)) == (None, 4, 2)


def test_hint_behind_the_login_is_proposed(tmp_path: Path) -> None:
    with RawServer(guarded) as wire:
        explorer, profile = profile_of(tmp_path, wire, AUTH, RPCEXPLORER_SHOP_PASSWORD=SECRET)
        report = report_of(explorer, profile)
    assert report.proposal is not None
    assert dict(report.proposal.changes) == {"content_type": "application/json"}
    assert report.exit_code == 5
    assert len(wire.requests) == 2


def known_aria2(request: Received) -> Parts:
    known = call_of(request).get("params", [])[:1] == [f"token:{SECRET}"]
    return open_aria2(request) if known else aria2(request)


def test_credentials_are_tried_with_existing_method(tmp_path: Path) -> None:
    with RawServer(known_aria2) as wire:
        explorer, profile = profile_of(tmp_path, wire, 'preset = "aria2"', RPCEXPLORER_SHOP_TOKEN=SECRET)
        report = report_of(explorer, profile)
    assert row(report, "Credentials") == ("well", "The server accepted the credentials.")
    assert call_of(wire.requests[-1])["method"] == "aria2.getVersion"
    assert "the test calls aria2.getVersion with the credentials" in plan(profile, explorer.profiles.usable_presets())
    assert report.exit_code == 0


def guarded_at(path: str) -> Callable[[Received], Parts]:
    """Require HTTP Basic at every path, with calls at one of them."""

    def server(request: Received) -> Parts:
        if request.header("Authorization") is None:
            return basic("shop")
        return error(request, -32601, "Method not found") if path_of(request) == path else NOT_THERE

    return server


def with_credentials(wire: RawServer) -> list[str]:
    return [path_of(request) for request in wire.requests if request.header("Authorization")]


def test_old_transport_of_mcp_is_named(explorer: Explorer) -> None:
    with RawServer(lambda _: http_reply(b"Cannot POST", 404)) as wire:
        report = report_of(explorer, f"{wire.origin}/sse")
    assert "MCP's old HTTP+SSE transport, which rpcexplorer does not support" in report.advice


@pytest.mark.parametrize(("more", "path"), [(AUTH, "/api/v2/"), (f'path = "/elsewhere"\n{AUTH}', "/elsewhere")])
def test_credentials_stay_at_their_path(tmp_path: Path, more: str, path: str) -> None:
    with RawServer(guarded_at("/rpc")) as wire:
        explorer, profile = profile_of(tmp_path, wire, more, RPCEXPLORER_SHOP_PASSWORD=SECRET)
        report = report_of(explorer, profile)
    assert (with_credentials(wire), report.proposal, report.exit_code) == ([path], None, 5)
    assert report.advice.startswith("No JSON-RPC was found. Try the complete URL with its path, https")


def test_call_that_times_out_is_not_repeated(explorer: Explorer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection_test, "MAX_SECONDS", 0.2)
    with RawServer(kept_open(open_aria2), [HOLD]) as wire:
        report_of(explorer, wire.origin)
    assert len({(path_of(request), call_of(request)["method"]) for request in wire.requests}) == len(wire.requests)


def pages_of_transmission(request: Received) -> Parts:
    """Answer as Transmission with a password; redirect all other paths."""
    server = {"Server": "Transmission"}
    if request.header("Authorization") is None:
        return http_reply(b"", 401, {**server, "WWW-Authenticate": 'Basic realm="Transmission"'})
    if path_of(request) == "/transmission/rpc":
        return transmission(request)
    return http_reply(b"", 301, {**server, "Location": "/transmission/web/"})


@pytest.mark.parametrize("more", [AUTH, f'path = "/rpc"\n{AUTH}'])
def test_redirect_to_pages_is_not_proposed(tmp_path: Path, more: str) -> None:
    with RawServer(pages_of_transmission) as wire:
        explorer, profile = profile_of(tmp_path, wire, more, RPCEXPLORER_SHOP_PASSWORD=SECRET)
        report = report_of(explorer, profile)
    assert report.proposal is not None or report.advice
    assert "/transmission/web/" not in str(report.proposal)
    if more == AUTH:
        assert report.proposal is not None
        assert dict(report.proposal.changes) == {"preset": "transmission"}


@pytest.mark.parametrize("server", [page, json_of_no_kind, by_name, aria2])
def test_credentials_that_are_not_reached_stay_unknown(tmp_path: Path, server: Callable[[Received], Parts]) -> None:
    with RawServer(server) as wire:
        explorer, profile = profile_of(tmp_path, wire, AUTH, RPCEXPLORER_SHOP_PASSWORD=SECRET)
        report = report_of(explorer, profile)
    assert report.exit_code == 5
    state, words = row(report, "Credentials")
    assert (state, words.split(" Auth")[0]) == ("unknown", "Not reached.")
    assert_harmless(wire, report)


def test_token_in_the_path_is_tested_alone(tmp_path: Path) -> None:
    with RawServer(lambda request: answer(request, result="pong")) as wire:
        explorer, profile = profile_of(
            tmp_path, wire, 'path = "/v3/{token}"\nauth = { kind = "none" }', RPCEXPLORER_SHOP_TOKEN=SECRET
        )
        report = report_of(explorer, profile)
    assert [path_of(request) for request in wire.requests] == [f"/v3/{SECRET}"]
    assert (report.exit_code, report.proposal) == (0, None)


def test_redirect_to_unknown_certificate_ends_with_https_address(tmp_path: Path) -> None:
    box = self_signed()
    with (
        RawServer(by_name, tls=box.server(tmp_path)) as safe,
        RawServer(lambda request: http_reply(b"", 301, {"Location": safe.origin + path_of(request)})) as wire,
    ):
        typed = ad_hoc(wire.origin)
        report = report_of(open_explorer(tmp_path), typed)
    assert (len(wire.requests), safe.requests, report.exit_code) == (1, [], 4)
    assert row(report, "Redirect")[1] == f"/ redirects to {safe.origin}/ (HTTP 301)."
    assert row(report, "TLS")[0] == "failed"
    assert report.proposal is not None
    assert report.proposal.made_from(typed) == (safe.origin, {"certificate": box.fingerprint})


def test_untrusted_certificate_is_shown_and_can_be_pinned(tmp_path: Path, explorer: Explorer) -> None:
    box = self_signed()
    with RawServer(by_name, tls=box.server(tmp_path)) as wire:
        report = report_of(explorer, wire.origin)
        assert (report.exit_code, wire.requests) == (4, [])
        assert row(report, "TLS")[0] == "failed"
        assert report.certificate is not None
        assert report.proposal is not None
        assert dict(report.proposal.changes) == {"certificate": report.certificate.certificate.fingerprint}
        assert "auth" not in report.proposal.made_from(ad_hoc(wire.origin))[1], "no response was seen"
        fingerprint = report.certificate.certificate.fingerprint
        again, profile = profile_of(tmp_path, wire, f'path = "/rpc"\ncertificate = "{fingerprint}"')
        report = report_of(again, profile)
    assert row(report, "TLS")[0] == "well"
    assert report.certificate is not None
    assert report.proposal is not None
    assert dict(report.proposal.changes) == {"empty_params": "{}"}
