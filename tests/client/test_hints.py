"""Hints for calls that failed, from responses of real servers."""

from __future__ import annotations

import json
import shlex
from datetime import UTC, datetime
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from rpcexplorer.auth.auth_type import AuthType
from rpcexplorer.auth.basic import BasicAuth
from rpcexplorer.auth.digest import DigestAuth
from rpcexplorer.auth.registry import KINDS
from rpcexplorer.auth.token import JwtAuth
from rpcexplorer.client.hints import connection_test, hint_for, schemes
from rpcexplorer.model.exchange import Exchange, Outcome, Refused, Unreached
from rpcexplorer.model.problem import Changes, Hint, setting
from rpcexplorer.model.profile import HeaderHandshake, MethodNote, Profile, ad_hoc, ad_hoc_process
from rpcexplorer.profiles.profiles import Profiles
from rpcexplorer.rpc.codec import decode
from rpcexplorer.rpc.messages import Malformed
from rpcexplorer.transport.port import Reason, Response

FILED = Profile("staging", "http://h")
BASIC = (("WWW-Authenticate", 'Basic realm="jsonrpc"'),)
DIGEST = 'Digest qop="auth",algorithm=%s,realm="monero-rpc",nonce="GuyaYD2u8hrJnbGvhhhCWw==",stale=false'
HTML = b"<html>\n  <head><title>404 - No Such Resource</title></head><body>Sorry.</body>\n</html>"
INVALID = "Invalid JSON request"


def failed(
    body: bytes = b"",
    status: int | None = 200,
    headers: tuple[tuple[str, str], ...] = (),
    *,
    reason: str = "",
    profile: Profile = FILED,
    params: str = "",
    outcome: Outcome | None = None,
) -> Hint | None:
    """Return the hint for a response to a call."""
    response = Response(status=status, reason=reason, headers=headers, body=body, size=len(body))
    outcome = outcome or decode(body, "a1")
    when = datetime(2026, 1, 1, tzinfo=UTC)
    exchange = Exchange("a1", when, profile.name, profile.endpoint, "ping", params, "call", outcome, response=response)
    return hint_for(exchange, profile)


def error(code: int, message: str, data: Any = None, *, id: str | None = "a1") -> bytes:
    members = {"code": code, "message": message} | ({} if data is None else {"data": data})
    return json.dumps({"jsonrpc": "2.0", "id": id, "error": members}).encode()


def of(**changes: Any) -> Profile:
    return replace(FILED, **changes)


JSON = of(content_type="application/json")
BOTH = "application/json, text/event-stream"
STREAMS = replace(JSON, accept=BOTH)
NOT_ACCEPTABLE = "Not Acceptable: Client must accept both application/json and text/event-stream"
PYDANTIC = "Request.params\n  Input should be a valid dictionary [input_value=[]]\nX.id\n Missing [input_type=dict]"
MODEL = {"errors": [{"type": "dict_type", "loc": ["params"], "msg": "Input should be a valid dictionary"}]}
ZOD = json.dumps([{"path": ["params"], "message": "Expected object, received array"}])
ABSENT = 'Invalid parameter "/": the parameter "%s" is missing.'
BARE = error(-32602, "Invalid params.")
NO_RESPONSE = Unreached("timeout", "The server did not respond.", maybe_ran=True, reason="silent")
UNREAD = Unreached("timeout", "It sent data that is not a message: x.", reason="unreadable")
NO_END = Unreached("timeout", 'It sent data that is not a message: {"a".', reason="no end")
LENGTHS = Unreached("framing", "The server sends Content-Length headers.", reason="lengths")
NO_LENGTHS = Unreached("framing", "The server sends JSON without them.", reason="no lengths")
HTTP_HERE = Unreached("framing", "h:1 answers with HTTP.", reason="http")
TLS_HERE = Unreached("framing", "h:1 uses TLS at this port.", reason="tls")
JSON_HERE = Unreached("upgrade", "h:1 did not respond with HTTP.", reason="no http")
NO_TLS = Unreached("tls", "h:8080 does not use TLS.", reason="no tls")
TWO = tuple(("WWW-authenticate", DIGEST % algorithm) for algorithm in ("MD5", "MD5-sess"))
SESSION = (("Server", "T"), ("X-Transmission-Session-Id", "abc"))
UNSUPPORTED = "Unsupported Media Type: Content-Type must be application/json"
COOKIE = of(auth=KINDS["cookie"]())
INLINE = of(auth=KINDS["inline"]())
BY_BASIC = of(auth=KINDS["basic"]())
AS_JSON: Changes = (("content_type", "application/json"),)
REPLIES: dict[str, tuple[dict[str, Any], Changes]] = {
    # Content type and accept header.
    "mopidy": ({"status": 415, "reason": "Content-Type must be application/json"}, AS_JSON),
    "deluge": ({"body": error(5, f"JSONException: {INVALID} content-type: application/json-rpc", id=None)}, AS_JSON),
    "deluge, typed json": (
        {"profile": JSON, "body": error(5, f"JSONException: {INVALID} content-type: application/json", id=None)},
        (("content_type", "application/json-rpc"),),
    ),
    "a server that says what it takes": (
        {"status": 415, "headers": (("Accept-Post", "text/xml, application/vnd.api+json; charset=utf-8"),)},
        (("content_type", "application/vnd.api+json"),),
    ),
    "one that takes several": (
        {"status": 415, "headers": (("Accept", "text/json, application/json-rpc, application/json"),)},
        AS_JSON,
    ),
    "zabbix, text/plain": ({"status": 412, "body": HTML, "profile": of(content_type="text/plain")}, AS_JSON),
    "express, not parsed": (
        {
            "status": 200,
            "body": b'{"jsonrpc": "2.0", "error": {"code": -32601, "message": "undefined does not exist"}}',
        },
        AS_JSON,
    ),
    "anvil": ({"body": error(-32600, "Invalid request", id=None)}, AS_JSON),
    "mcp everything": (
        {"status": 406, "profile": JSON, "body": error(-32000, NOT_ACCEPTABLE, id=None)},
        (("accept", BOTH),),
    ),
    "a bare 406": ({"status": 406}, (("accept", BOTH),)),
    # Empty params.
    "fastapi-jsonrpc": ({"body": error(-32600, "Invalid Request", MODEL)}, (("empty_params", "{}"),)),
    "mcp 2.3": (
        {"status": 400, "profile": STREAMS, "body": error(-32602, f"Validation error: {PYDANTIC}", id=None)},
        (("empty_params", "{}"),),
    ),
    "zod": ({"profile": JSON, "body": error(-32603, ZOD)}, (("empty_params", "{}"),)),
    "mcp everything, json": (
        {"status": 400, "profile": STREAMS, "body": error(-32700, "Parse error: Invalid JSON-RPC message", id=None)},
        (("empty_params", "omit"),),
    ),
    "moonraker": ({"body": error(-32602, "Invalid params:")}, (("empty_params", "{}"),)),
    "anvil with {}": (
        {"profile": replace(JSON, empty_params="{}"), "body": error(-32602, "invalid type: map, expected a sequence")},
        (("empty_params", "[]"),),
    ),
    "aria2 with {}": (
        {"status": 500, "reason": "Internal Server Error", "profile": of(empty_params="{}"), "body": BARE},
        (("empty_params", "[]"),),
    ),
    "deluge without": (
        {"profile": replace(JSON, empty_params="omit"), "body": error(5, f"{INVALID}, missing param 'params' in {{}}")},
        (("empty_params", "[]"),),
    ),
    "zabbix without": (
        {"profile": of(empty_params="omit"), "body": error(-32600, "Invalid request.", ABSENT % "params")},
        (("empty_params", "[]"),),
    ),
    "a server that wants none": (
        {"body": error(-32602, "This method takes no parameters")},
        (("empty_params", "omit"),),
    ),
    # Handshakes.
    "transmission": (
        {"status": 409, "headers": SESSION, "body": HTML},
        (("handshake", {"header": "X-Transmission-Session-Id"}),),
    ),
    "mcp everything, not initialized": (
        {"status": 400, "profile": STREAMS, "body": error(-32000, "Bad Request: Server not initialized", id=None)},
        (("handshake", "mcp"),),
    ),
    # JSON-RPC versions.
    "zabbix, spoken to in 1.0": (
        {"profile": of(envelope="1.0"), "body": error(-32600, "Invalid request.", ABSENT % "jsonrpc")},
        (("envelope", "2.0"),),
    ),
    "mopidy, spoken to in 1.0": (
        {"profile": of(envelope="1.0"), "body": error(-32600, "Invalid Request", "'jsonrpc' member must be included")},
        (("envelope", "2.0"),),
    ),
    "a server of 1.0": (
        {"body": b'{"result": null, "error": {"code": 1, "message": "unexpected member jsonrpc"}, "id": "a1"}'},
        (("envelope", "1.0"),),
    ),
    "an id without quotes": ({"body": b'{"jsonrpc": "2.0", "id": a1, "result": 1}'}, (("id", "number"),)),
    "a bare result": ({"body": b'{"result": "pong"}'}, (("envelope", "1.0"),)),
    # Auth types.
    "litecoind": ({"status": 401, "headers": BASIC}, (("auth.kind", "basic"),)),
    "litecoind, asked with a session": (
        {"status": 401, "headers": BASIC, "profile": COOKIE},
        (("auth.kind", "basic"),),
    ),
    "monero": ({"status": 401, "headers": TWO, "body": HTML}, (("auth.kind", "digest"),)),
    "monero, asked by basic": (
        {"status": 401, "headers": (("WWW-authenticate", DIGEST % "MD5"),), "profile": BY_BASIC},
        (("auth.kind", "digest"),),
    ),
    "pjrpc": (
        {"status": 401, "headers": (("WWW-Authenticate", 'Bearer realm="pjrpc"'),), "body": b"401: Unauthorized"},
        (("auth.kind", "bearer"),),
    ),
    "a gateway": (
        {"status": 401, "body": b'{"message": "Missing X-Api-Key header"}'},
        (("auth.kind", "header"), ("auth.header", "X-Api-Key")),
    ),
    "another": ({"status": 401, "body": b"no Bearer token"}, (("auth.kind", "bearer"),)),
    "geth, its engine API": ({"status": 401, "body": b"missing token\n"}, (("auth.kind", "jwt"),)),
    "reth, its engine API": (
        {"status": 401, "body": b"Authorization header is missing or invalid"},
        (("auth.kind", "jwt"),),
    ),
    "an engine API at its usual port": (
        {"status": 401, "profile": of(url="http://127.0.0.1:8551", auth=KINDS["bearer"]())},
        (("auth.kind", "jwt"),),
    ),
    "FreeIPA": (
        {"status": 401, "headers": (("WWW-Authenticate", "Negotiate"),), "profile": of(path="/ipa/json")},
        (("preset", "freeipa"), ("path", "/ipa/session/json")),
    ),
    "FreeIPA without a referer": (
        {"status": 400, "body": b"Missing or invalid HTTP Referer", "profile": of(path="/ipa/session/json")},
        (("preset", "freeipa"),),
    ),
    "LuCI": ({"status": 403, "profile": of(path="/cgi-bin/luci/rpc/uci")}, (("preset", "luci"),)),
    # URLs.
    "HTTP at tcp": ({"status": None, "outcome": HTTP_HERE, "profile": of(url="tcp://h:1")}, (("url", "http://h:1"),)),
    "HTTP at tls": ({"status": None, "outcome": HTTP_HERE, "profile": of(url="tls://h:1")}, (("url", "https://h:1"),)),
    "TLS at tcp": ({"status": None, "outcome": TLS_HERE, "profile": of(url="tcp://h:1")}, (("url", "tls://h:1"),)),
    "TLS at ws": ({"status": None, "outcome": TLS_HERE, "profile": of(url="ws://h:1")}, (("url", "wss://h:1"),)),
    "JSON at ws": ({"status": None, "outcome": JSON_HERE, "profile": of(url="ws://h:1")}, (("url", "tcp://h:1"),)),
    "WebSocket at http": ({"status": 426, "headers": (("Upgrade", "websocket"),)}, (("url", "ws://h"),)),
    "flask, a slash": (
        {"status": 308, "headers": (("Location", "http://h/api/v2"),), "body": HTML},
        (("path", "/api/v2"),),
    ),
    "a proxy that wants TLS": (
        {"status": 301, "headers": (("Location", "https://h/api/v2/"),)},
        (("url", "https://h"),),
    ),
    "one on another port": (
        {"status": 301, "headers": (("Location", "https://H:8443/x"),)},
        (("url", "https://H:8443"), ("path", "/x")),
    ),
    "a url with a path of its own": (
        {"status": 308, "headers": (("Location", "/base/v2/"),), "profile": of(url="http://h/base", path="/v2")},
        (("path", "/v2/"),),
    ),
    "out of it": (
        {"status": 308, "headers": (("Location", "/v3/"),), "profile": of(url="http://h/base", path="/v2")},
        (("url", "http://h"), ("path", "/v3/")),
    ),
    "another port": ({"status": 301, "headers": (("Location", "http://h:81/api/v2/"),)}, (("url", "http://h:81"),)),
    "no longer encrypted": (
        {"status": 301, "headers": (("Location", "http://h/api/v2/"),), "profile": of(url="https://h")},
        (("url", "http://h"),),
    ),
    "another server": (
        {"status": 307, "headers": (("Location", "//evil.example/api/v2/"),)},
        (("url", "http://evil.example"),),
    ),
    "nginx": (
        {
            "status": 400,
            "body": b"<h1>400</h1>The plain HTTP request was sent to HTTPS port",
            "profile": of(url="http://h:8443"),
        },
        (("url", "https://h:8443"),),
    ),
    "go": ({"status": 400, "body": b"Client sent an HTTP request to an HTTPS server.\n"}, (("url", "https://h:80"),)),
    "upgrade": ({"status": 426, "headers": (("Upgrade", "TLS/1.2, HTTP/1.1"),)}, (("url", "https://h"),)),
    "no TLS": (
        {"status": None, "profile": of(url="https://h:8080"), "outcome": NO_TLS},
        (("url", "http://h:8080"),),
    ),
    "no TLS at the default port": (
        {"status": None, "profile": of(url="https://h"), "outcome": NO_TLS},
        (("url", "http://h:443"),),
    ),
}


CAREFUL = {"another server", "another port", "no longer encrypted", "no TLS", "no TLS at the default port"}
"""Cases that lead to another server, or are not encrypted."""


@pytest.mark.parametrize("name", REPLIES)
def test_response_suggests_a_change_of_the_profile(name: str) -> None:
    reply, changes = REPLIES[name]
    hint = failed(**reply)
    assert hint is not None
    assert hint.changes == changes
    assert hint.commands[0].startswith("rpcexplorer profiles set staging ")
    assert len(hint.sentence) < 120
    assert hint.careful == (name in CAREFUL)
    profile = Profiles().changed(
        reply.get("profile", FILED), tuple(change for change in changes if "auth" not in change[0])
    )
    assert isinstance(profile, Profile), "what is proposed could stand in a file"
    again = failed(**(reply | {"profile": profile}))
    assert again is None or again.changes != changes or "auth" in changes[0][0], "nothing is proposed twice"


CAREFUL = {"another server", "another port", "no longer encrypted", "no TLS", "no TLS at the default port"}


SAID: dict[str, tuple[dict[str, Any], str, str]] = {
    "by name": ({"params": "[1]", "body": error(-32602, "params must be an object")}, "by name, as an object", ""),
    "by position": ({"params": '{"a": 1}', "body": error(-32602, "parameters: expected array")}, "by position", ""),
    "aria2": ({"status": 400, "body": error(1, "Unauthorized")}, "can find the auth type", "profiles test staging"),
    "zabbix": (
        {"body": error(-32602, "Invalid params: not logged in")},
        "asks for credentials",
        "profiles test staging",
    ),
    "electrum, wrong password": (
        {"status": 403, "body": b"Forbidden", "profile": BY_BASIC},
        "The server does not allow this call. Check the user name and password, or ask the owner of the server.",
        "secret staging password",
    ),
    "a token without the right": (
        {"status": 403, "body": b"Forbidden", "profile": of(auth=KINDS["bearer"]())},
        "The server does not allow this call. Check the token, or ask the owner of the server.",
        "secret staging token",
    ),
    "litecoind, wrong password": (
        {"status": 401, "headers": BASIC, "profile": BY_BASIC},
        "rejected the password",
        "profiles secret staging password",
    ),
    "inline, wrong password": (
        {"body": error(-32001, "authentication failed"), "profile": INLINE},
        "rejected the password",
        "profiles secret staging password",
    ),
    "inline, a method that expects a cookie": (
        {"body": error(-32001, "authentication required"), "profile": INLINE},
        "The server found no credentials. ping may need another auth type than inline.",
        "profiles set staging auth.kind=KIND",
    ),
    "inline, a method that is known to expect a cookie": (
        {
            "body": error(-32001, "session has ended"),
            "profile": replace(INLINE, methods={"ping": MethodNote(auth="cookie")}),
        },
        "ping needs auth type cookie, but this profile uses inline.",
        "",
    ),
    "a session that has ended, in the words of many": (
        {"body": error(-32001, "authentication required"), "profile": COOKIE},
        "rejected the session",
        "profiles secret staging password",
    ),
    "credentials over a stream, where a test proposes nothing": (
        {"status": None, "body": error(-32001, "authentication required"), "profile": of(url="tcp://h:1")},
        "Choose the auth type that it needs.",
        "rpcexplorer profiles set staging auth.kind=KIND",
    ),
    "credentials over a typed WebSocket": (
        {"status": 401, "outcome": Unreached("upgrade", "h refused WebSocket"), "profile": ad_hoc("ws://h/rpc")},
        "Choose the auth type that it needs.",
        "rpcexplorer profiles add NAME --url=ws://h/rpc --auth=KIND",
    ),
    "aria2, by its address": (
        {"status": 400, "body": error(1, "Unauthorized"), "profile": ad_hoc("http://h/jsonrpc")},
        "A connection test can find the auth type.",
        "rpcexplorer profiles test http://h/jsonrpc",
    ),
    "a code that often means credentials, with words that do not": (
        {"body": error(-32001, "no such order"), "profile": ad_hoc("http://h/jsonrpc")},
        "With the code -32001, some servers ask for credentials. A connection test can find the auth type.",
        "rpcexplorer profiles test http://h/jsonrpc",
    ),
    "the same code at the default address": (
        {"body": error(-32001, "no such order"), "profile": replace(COOKIE, assumes_auth=True)},
        "With the code -32001, some servers ask for credentials.",
        "profiles secret staging password",
    ),
    "a session": (
        {"status": 401, "profile": COOKIE},
        "rejected the session",
        "profiles secret staging password",
    ),
    "windows": (
        {"status": 401, "headers": (("WWW-Authenticate", "Negotiate, NTLM"),)},
        "negotiate or ntlm auth, which rpcexplorer does not support. The supported auth types are cookie, inline, ",
        "",
    ),
    "django, a page to log in": (
        {"status": 302, "headers": (("Location", "/accounts/login/?next=/api/v2/"),)},
        "asks for credentials",
        "",
    ),
    "a wrong path": ({"status": 404, "body": HTML}, "no JSON-RPC at /api/v2/", "rpcexplorer profiles test staging"),
    "a wrong path in a profile": (
        {"status": 404, "body": HTML, "profile": of(path="/rpc")},
        "no JSON-RPC at this path",
        "rpcexplorer profiles test staging",
    ),
    "a wrong path in a URL": (
        {"status": 405, "profile": ad_hoc("http://h/wrong")},
        "A connection test tries the usual paths.",
        "rpcexplorer profiles test http://h/wrong",
    ),
    "a wrong path with a token": (
        {"status": 404, "profile": ad_hoc("http://h/rpc?apikey=0a1b2c3d4e")},
        "no JSON-RPC at this path",
        "rpcexplorer profiles test 'http://h/rpc?apikey=«not recorded»'",
    ),
    "a redirect with a token": (
        {"status": 307, "headers": (("Location", "/v3/0a1b2c3d4e5f60718293a4b5c6d7e8f9"),)},
        "Check it, then set it in the profile",
        "",
    ),
    "a redirect with a query": (
        {"status": 307, "headers": (("Location", "/a?token=b"),)},
        "Check it, then set it in the profile",
        "",
    ),
    "a user in it": (
        {"status": 307, "headers": (("Location", "http://u:p@h/"),)},
        "Check it, then set it in the profile",
        "",
    ),
    "not HTTP": (
        {"status": 307, "headers": (("Location", "javascript:alert(1)"),)},
        "Check it, then set it in the profile",
        "",
    ),
    "hostile": (
        {"status": 307, "headers": (("Location", "http://h/\x1b]52;c;x\x07"),)},
        "Check it, then set it in the profile",
        "",
    ),
    "no address": (
        {"status": 307, "headers": (("Location", "http://[::1"),)},
        "Check it, then set it in the profile",
        "",
    ),
    "old MCP, Python": (
        {"status": 405, "body": b"Method Not Allowed", "profile": of(path="/sse")},
        "old HTTP+SSE transport",
        "",
    ),
    "old MCP, its messages": (
        {"status": 400, "body": b"session_id is required", "profile": of(path="/messages/")},
        "old HTTP+SSE transport",
        "",
    ),
    "old MCP that takes any verb": (
        {
            "body": b"event: endpoint\ndata: /messages?sessionId=1",
            "outcome": Unreached("timeout", "No complete response."),
        },
        "old HTTP+SSE transport",
        "",
    ),
    "no MCP at its usual path": (
        {"status": 404, "body": b"Not Found", "profile": of(path="/mcp", handshake="mcp")},
        "no MCP over streamable HTTP",
        "",
    ),
    "a certificate of the client": (
        {
            "status": None,
            "outcome": Unreached("tls", "h refused the TLS handshake.", reason="certificate wanted"),
        },
        "requires a client certificate",
        "profiles set staging cert_file=CERTIFICATE.pem key_file=KEY.pem",
    ),
    "nginx, without one": (
        {
            "status": 400,
            "body": b"<h1>400</h1>No required SSL certificate was sent",
            "profile": ad_hoc("https://h/rpc"),
        },
        "requires a client certificate",
        "profiles set NAME cert_file=",
    ),
    "a timeout": (
        {"status": None, "outcome": NO_RESPONSE, "profile": of(timeout=45)},
        "set timeout to 90 in the profile",
        "rpcexplorer profiles set staging timeout=90",
    ),
    "a timeout of a typed URL": (
        {"status": None, "outcome": NO_RESPONSE, "profile": ad_hoc("https://h")},
        "add --timeout 60",
        "",
    ),
    "a timeout before a stream is open": (
        {"status": None, "outcome": Unreached("timeout", "The TLS handshake"), "profile": of(url="tls://h:1")},
        "set timeout to 60 in the profile",
        "",
    ),
    "a timeout over a stream with other messages": (
        {
            "status": None,
            "outcome": Unreached("timeout", "The server sent no response."),
            "profile": of(url="tcp://h:1"),
        },
        "set timeout to 60 in the profile",
        "rpcexplorer profiles set staging timeout=60",
    ),
    "a timeout over a stream whose framing a preset chose": (
        {"status": None, "outcome": NO_RESPONSE, "profile": of(url="tcp://h:1", preset="snapcast")},
        "set timeout to 60 in the profile",
        "",
    ),
}


@pytest.mark.parametrize("name", SAID)
def test_response_suggests_a_step_without_a_change(name: str) -> None:
    reply, words, command = SAID[name]
    hint = failed(**reply)
    assert hint is not None
    assert words in hint.sentence
    assert hint.changes == ()
    assert command in "".join(hint.commands)
    assert not any(mark in hint.sentence for mark in ("0a1b", "u:p", "\x1b", "=b"))


NOTHING: dict[str, dict[str, Any]] = {
    "a result": {"body": b'{"jsonrpc": "2.0", "id": "a1", "result": 1}', "status": 401},
    "a page of a gateway": {"status": 502, "body": HTML},
    "a bare value": {"body": b'"pong"'},
    "a certificate of the client that was not taken": {
        "status": 400, "body": b"No required SSL certificate was sent", "profile": of(cert_file="/me.pem")
    },
    "an unknown method": {"body": error(-32601, "Method not found"), "status": 404},
    "a param that is missing": {"body": error(-32602, "missing 1 required positional argument: 'x'")},
    "a wrong value": {"body": error(-32602, "Invalid params", {"page": "must be a number"})},
    "a member of an object": {"body": error(-32602, "params must be an object"), "params": '{"a": 1}'},
    "credentials among the params": {"body": error(-32602, "Invalid params"), "profile": of(auth=KINDS["inline"]())},
    "left out already": {"body": error(-32602, "Invalid params"), "profile": of(empty_params="omit")},
    "an author": {"body": error(1, "The author was not found")},
    "a page that speaks of types": {
        "status": 500, "body": b'<meta http-equiv="Content-Type" content="text/html; charset=x"><h1>Oops</h1>'
    },
    "what the server wants already": {"status": 415, "headers": (("Accept", "application/json-rpc"),)},
    "accepted already": {"status": 406, "profile": of(accept=BOTH)},
    "a redirect to itself": {"status": 301, "headers": (("Location", "http://h:80/api/v2/"),)},
    "no Location": {"status": 301},
    "a handshake that is there": {
        "status": 409,
        "headers": (("X-Transmission-Session-Id", "abc"),),
        "profile": of(handshake=HeaderHandshake("X-Transmission-Session-Id")),
    },
    "another conflict": {"status": 409, "headers": (("X-Request-Id", "abc"),), "body": error(9, "there already")},
    "a firewall": {"status": 403, "body": b"403: host not in whitelist"},
    "down": {"status": 503},
    "not reached": {"status": None, "outcome": Unreached("connect", "Nothing accepts connections at h.")},
}  # fmt: skip


@pytest.mark.parametrize("name", NOTHING)
def test_unknown_failure_has_no_hint(name: str) -> None:
    assert failed(**NOTHING[name]) is None


TCP: Final = ad_hoc("tcp://h:1")
SAVE_TCP: Final = "rpcexplorer profiles add NAME --url=tcp://h:1"


@pytest.mark.parametrize(
    ("profile", "failure", "change", "command"),
    [
        (of(url="tcp://h:1"), NO_RESPONSE, ("framing", "length"), "rpcexplorer profiles set staging framing=length"),
        (TCP, NO_RESPONSE, ("framing", "length"), f"{SAVE_TCP} --framing=length"),
        (replace(TCP, framing="length"), UNREAD, ("framing", "lines"), f"{SAVE_TCP} --framing=lines"),
        (TCP, NO_END, ("framing", "none"), "--framing=none"),
        (TCP, LENGTHS, ("preset", "lsp"), f"{SAVE_TCP} --preset=lsp"),
        (replace(TCP, preset="mcp"), LENGTHS, ("framing", "length"), "--framing=length"),
        (replace(TCP, framing="length"), NO_LENGTHS, ("framing", "lines"), "=lines"),
    ],
)
def test_wrong_framing_has_a_fix(profile: Profile, failure: Unreached, change: tuple[str, str], command: str) -> None:
    hint = failed(status=None, outcome=failure, profile=profile)
    assert hint is not None
    assert hint.changes == (change,)
    assert "--" not in hint.sentence
    assert hint.commands[0].endswith(command)


@pytest.mark.parametrize(
    ("profile", "code", "message", "name"),
    [
        (replace(TCP, framing="length"), -32002, "server not initialized", "lsp"),
        (ad_hoc("ws://h/"), -32002, "expected initialize request", "lsp"),
        (TCP, -32002, "Server not initialized", "mcp"),
        (ad_hoc_process(["x"]), -32600, "Received request before initialization was complete", "mcp"),
        (TCP, -32602, "Missing _meta field io.modelcontextprotocol/protocolVersion", "mcp"),
        (TCP, -32002, "Resource not found", None),
        (replace(TCP, preset="mcp"), -32002, "not initialized", None),
    ],
)
def test_server_that_needs_a_handshake_names_its_preset(
    profile: Profile, code: int, message: str, name: str | None
) -> None:
    hint = failed(error(code, message), None, profile=profile)
    assert (hint and hint.changes) == (name and (("preset", name),))


MCP_PROFILE: Final = of(path="/mcp", handshake="mcp", mcp="2025-11-25")
UNKNOWN_VERSION: Final = "Unsupported protocol version"


@pytest.mark.parametrize(
    ("profile", "supported", "changes", "words"),
    [
        (MCP_PROFILE, ["2026-07-28"], (("mcp", "auto"),), "The server speaks MCP 2026-07-28."),
        (replace(MCP_PROFILE, mcp="auto"), ["2031-01-01", "x\x1b"], (), "MCP 2031-01-01. rpcexplorer uses MCP 2026-07"),
        (of(path="/mcp"), ["2026-07-28"], (("handshake", "mcp"),), "The server speaks MCP 2026-07-28."),
        (TCP, ["2026-07-28"], (("preset", "mcp"),), "The server speaks MCP 2026-07-28."),
    ],
)
def test_versions_of_an_mcp_server_are_named(
    profile: Profile, supported: list[str], changes: tuple[object, ...], words: str
) -> None:
    status = 400 if profile.connection_kind == "http" else None
    hint = failed(error(-32022, UNKNOWN_VERSION, {"supported": supported}), status, profile=profile)
    assert hint is not None
    assert hint.changes == changes
    assert words in hint.sentence


def test_other_errors_of_mcp_say_what_to_do() -> None:
    data: dict[str, object] = {"requiredCapabilities": {"elicitation": {"form": {}}}}
    hint = failed(error(-32021, "Missing required client capability", data), 400, profile=MCP_PROFILE)
    assert hint is not None
    assert "needs an answer to elicitation/create." in hint.sentence
    hint = failed(error(-32020, "Header mismatch: Mcp-Param-Region"), 400, profile=MCP_PROFILE)
    assert hint is not None
    assert "Refresh the method list" in hint.sentence
    pages: dict[str, object] = {"elicitations": [{"mode": "url", "url": "https://bank.example/"}]}
    hint = failed(error(-32042, "This request requires more information.", pages), profile=MCP_PROFILE)
    assert hint is not None
    assert "open it in your browser, then send the call again" in hint.sentence
    said = "this transport context has no back-channel for server-initiated requests."
    hint = failed(error(-32600, said), 200, profile=replace(MCP_PROFILE, mcp="auto"))
    assert hint is not None
    assert hint.changes == (("mcp", "2025-11-25"),)


@pytest.mark.parametrize("profile", [ad_hoc_process(["x"]), of(url="stdio:", command=("x",))])
def test_silent_process_names_presets_of_usual_servers(profile: Profile) -> None:
    hint = failed(status=None, outcome=NO_RESPONSE, profile=profile)
    assert hint is not None
    assert hint.changes == (("preset", "lsp"),)
    assert "preset lsp" in hint.sentence
    assert "preset mcp" in hint.sentence
    assert ["lsp" in command for command in hint.commands] == [True, False]
    assert ["mcp" in command for command in hint.commands] == [False, True]


def test_preset_of_a_fix_brings_its_values() -> None:
    changed = Profiles().changed(ad_hoc_process(["pylsp"]), (("preset", "lsp"),))
    assert isinstance(changed, Profile)
    assert (changed.framing, changed.handshake, changed.command) == ("length", "lsp", ("pylsp",))


@pytest.mark.parametrize(
    ("challenges", "offered"),
    [
        (['Basic realm="a, Bearer b"'], ["basic"]),
        (['Digest realm="x", qop="auth, Basic"', "Basic"], ["digest", "basic"]),
        (["Newauth realm=a, Bearer"], ["newauth", "bearer"]),
        (['Bearer error="invalid_token", error_description="Basic auth"'], ["bearer"]),
        (["", ",,,", "="], []),
    ],
)
def test_schemes_are_separated_from_their_parameters(challenges: list[str], offered: list[str]) -> None:
    assert schemes(challenges) == offered


words = st.text(max_size=40) | st.sampled_from(
    ["Location", "Upgrade", "http://h/", "//x", "jsonrpc", "params", "Basic", "WWW-Authenticate", "content-type"]
)


@given(
    st.binary(max_size=200), st.sampled_from([200, 301, 308, 400, 401, 403, 404, 406, 409, 412, 415, 426, 500]),
    st.lists(st.tuples(words, words), max_size=4), words,
)  # fmt: skip
def test_any_response_has_a_hint_or_none(body: bytes, status: int, headers: list[tuple[str, str]], reason: str) -> None:
    for outcome in (None, Malformed("x")):
        hint = failed(body, status, tuple(headers), reason=reason, outcome=outcome)
        if hint is not None:
            others = tuple(change for change in hint.changes if "auth" not in change[0])
            assert isinstance(Profiles().changed(FILED, others), Profile)
            assert all(line.isprintable() and line.isascii() for line in hint.commands)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ((("content_type", "application/json"),), ["content_type=application/json"]),
        ((("empty_params", "{}"), ("auth.kind", "basic")), ["empty_params={}", "auth.kind=basic"]),
        ((("handshake", {"header": "X-Id"}),), ['handshake={ header = "X-Id" }']),
        ((("path", "/it's; rm -rf $HOME"),), ["path=/it's; rm -rf $HOME"]),
        ((("content_type", None), ("timeout", 5)), ["content_type=", "timeout=5"]),
    ],
)
def test_command_has_the_changes_in_any_shell(changes: Changes, words: list[str]) -> None:
    (line,) = setting(FILED, "http://h", changes)
    assert shlex.split(line) == ["rpcexplorer", "profiles", "set", "staging", *words]


def test_default_path_is_tested_before_it_is_saved() -> None:
    bare, typed = ad_hoc("http://h"), ad_hoc("http://h/rpc")
    hint = failed(status=401, headers=BASIC, profile=bare, outcome=Malformed("x"))
    assert hint is not None
    assert (hint.changes, hint.commands, hint.tests) == ((), ("rpcexplorer profiles test http://h",), True)
    hint = failed(status=401, headers=BASIC, profile=typed, outcome=Malformed("x"))
    assert hint is not None
    assert (hint.changes, hint.tests) == ((("auth.kind", "basic"),), False)
    hint = failed(error(1, "Unauthorized"), 401, BASIC, profile=bare)
    assert hint is not None
    assert hint.changes, "JSON-RPC is spoken there"


def test_untrusted_certificate_without_profile_proposes_a_test() -> None:
    untrusted = Unreached("tls", "The certificate is unknown.", reason="untrusted")
    hint = failed(status=None, profile=ad_hoc("https://h"), outcome=untrusted)
    assert hint is not None
    assert hint.tests


def test_redirect_from_usual_path_proposes_a_test() -> None:
    pages = (("Location", "/transmission/web/"),)
    hint = failed(status=301, headers=pages, profile=BY_BASIC, outcome=Malformed("x"))
    assert hint is not None
    assert (hint.changes, hint.commands, hint.tests) == ((), ("rpcexplorer profiles test staging",), True)
    chosen = replace(BY_BASIC, path="/rpc")
    slash = failed(status=301, headers=(("Location", "/rpc/"),), profile=chosen, outcome=Malformed("x"))
    assert slash is not None
    assert slash.changes == (("path", "/rpc/"),)


@pytest.mark.parametrize(
    ("address", "status", "words"),
    [
        ("ws://h:1", 400, "The path is /, the default path. Many servers use /ws, /rpc, /jsonrpc or /websocket."),
        ("ws://h:1", 403, "The server asks for credentials. Choose the auth type that it needs."),
        ("ws://h:1/rpc", 400, None),
    ],
)
def test_refused_websocket_names_usual_paths(address: str, status: int, words: str | None) -> None:
    hint = failed(status=status, profile=ad_hoc(address), outcome=Unreached("upgrade", "h refused WebSocket."))
    assert (hint and hint.sentence) == words


@pytest.mark.parametrize(
    ("profile", "reason", "words"),
    [
        (ad_hoc_process(["sh"]), "unexplained", "Check the command"),
        (ad_hoc_process(["sh"]), "", None),
        (ad_hoc("tcp://h:1"), "unexplained", "without HTTP"),
        (ad_hoc("ws://h:1"), "unexplained", None),
    ],
)
def test_end_without_a_reason_has_a_next_step(profile: Profile, reason: Reason, words: str | None) -> None:
    hint = failed(status=None, profile=profile, outcome=Unreached("closed", "It has ended.", reason=reason))
    assert (hint and words and words in hint.sentence) == (words and True)


def test_default_login_that_fails_proposes_a_test() -> None:
    when = datetime(2026, 1, 1, tzinfo=UTC)
    unsent = Exchange("a", when, "staging", "http://h", "ping", "", "call", Refused("credentials", "HTTP 401"))
    refused = replace(unsent, seconds=0.1)
    assert hint_for(unsent, replace(COOKIE, assumes_auth=True)) is None
    hint = hint_for(refused, replace(COOKIE, assumes_auth=True))
    assert hint is not None
    assert hint.commands == ("rpcexplorer profiles test staging",)
    assert hint_for(refused, COOKIE) is None


def test_url_is_saved_as_a_profile_first() -> None:
    lines = setting(ad_hoc("http://h"), "http://h/api/v2/", (("auth.kind", "basic"),), "password")
    assert lines == (
        "rpcexplorer profiles add NAME --url=http://h/api/v2/ --auth=none",
        "rpcexplorer profiles set NAME auth.kind=basic",
        "rpcexplorer profiles secret NAME password",
    )


def test_typed_process_is_saved_with_its_words() -> None:
    lines = setting(ad_hoc_process(["py lsp", "-v"]), "stdio:", ())
    assert lines == ("""rpcexplorer profiles add NAME --stdio=''"'"'py lsp'"'"' -v'""",)


@pytest.mark.parametrize(
    ("profile", "options"),
    [
        (replace(ad_hoc_process(["lsp"]), preset="lsp", framing="length"), "--stdio=lsp --preset=lsp"),
        (replace(ad_hoc("tcp://h:1"), framing="none", typed=("framing",)), "--url=tcp://h:1 --framing=none"),
        (
            replace(ad_hoc_process(["lsp"]), preset="lsp", typed=("framing", "preset")),
            "--stdio=lsp --preset=lsp --framing=lines",
        ),
    ],
)
def test_typed_server_is_saved_and_tested_with_its_preset(profile: Profile, options: str) -> None:
    assert setting(profile, profile.url, ()) == (f"rpcexplorer profiles add NAME {options}",)
    assert connection_test(profile) == f"rpcexplorer profiles test {options.removeprefix('--url=')}"


def test_typed_auth_type_is_saved_over_that_of_preset() -> None:
    typed = replace(ad_hoc("http://h/"), preset="kodi", typed=("auth.kind",))
    assert setting(typed, typed.url, ()) == ("rpcexplorer profiles add NAME --url=http://h/ --preset=kodi --auth=none",)


def test_missing_credential_can_be_entered() -> None:
    when = datetime(2026, 1, 1, tzinfo=UTC)
    refused = Exchange("a", when, "staging", "http://h", "ping", "", "call", Refused("credentials", "x", "username"))
    hint = hint_for(refused, FILED)
    assert hint is not None
    assert (hint.changes, hint.secret, hint.sentence) == ((), "username", "The user name is missing.")
    assert hint_for(replace(refused, outcome=Refused("profile", "x")), FILED) is None


def test_basic_hint_names_user_name_and_password() -> None:
    hint = failed(status=401, headers=BASIC)
    assert hint is not None
    assert hint.commands[1:] == (
        "rpcexplorer profiles secret staging username", "rpcexplorer profiles secret staging password"
    )  # fmt: skip


def test_less_secure_auth_type_is_not_suggested() -> None:
    digest = replace(FILED, auth=DigestAuth(username="ada"))
    assert (failed(status=401, headers=BASIC, profile=digest) or Hint("")).changes == ()
    basic = replace(FILED, auth=BasicAuth(username="ada"))
    challenged = (("WWW-Authenticate", 'Digest realm="r", nonce="n"'),)
    changes = (failed(status=401, headers=challenged, profile=basic) or Hint("")).changes
    assert changes == (("auth.kind", "digest"), ("auth.username", "ada"))


@pytest.mark.parametrize(
    ("auth", "status", "field"),
    [("basic", 401, "password"), ("basic", 403, "password"), ("bearer", 401, "token"), ("cookie", 401, "session")],
)
def test_rejected_environment_variable_is_named(auth: str, status: int, field: str) -> None:
    profile = of(auth=KINDS[auth]())
    exchange = answered(status, profile)
    hint = hint_for(exchange, profile, variables=[field])
    assert hint is not None
    variable = f"RPCEXPLORER_STAGING_{field.upper()}"
    assert hint.sentence.endswith(f" The {field} comes from the environment variable {variable}. Correct or unset it.")
    assert (hint.commands, hint.secret) == ((f"unset {variable}",), field)
    stored = hint_for(exchange, profile, variables=["username"])
    assert stored is not None
    assert (stored.secret, "variable" in stored.sentence) == ("password" if auth == "cookie" else field, False)


@pytest.mark.parametrize(
    ("auth", "field", "advice"),
    [
        (KINDS["bearer"](token_command=("gcloud", "print it")), "token", "Check what it prints: gcloud 'print it'"),
        (JwtAuth(secret_file="/h/jwt.hex"), "key", "Check /h/jwt.hex, and the clock of this machine."),
    ],
)
def test_rejected_secret_of_command_or_file_names_it(auth: AuthType, field: str, advice: str) -> None:
    profile = of(auth=auth)
    hint = hint_for(answered(401, profile), profile)
    assert hint is not None
    assert hint.sentence.endswith(advice)
    overridden = hint_for(answered(401, profile), profile, variables=[field])
    assert overridden is not None
    assert f"RPCEXPLORER_STAGING_{field.upper()}" in overridden.sentence


def answered(status: int, profile: Profile) -> Exchange:
    """Return a call whose response is not JSON-RPC."""
    when = datetime(2026, 1, 1, tzinfo=UTC)
    response = Response(status=status)
    outcome = decode(b"", "a1")
    return Exchange("a1", when, profile.name, profile.endpoint, "ping", "", "call", outcome, response=response)


def test_new_profile_is_added_with_the_right_url() -> None:
    hint = failed(status=None, profile=ad_hoc("https://h:8080/rpc"), outcome=NO_TLS)
    assert hint is not None
    assert hint.changes == (("url", "http://h:8080"),)
    assert hint.commands == ("rpcexplorer profiles add NAME --url=http://h:8080/rpc",)
    moved = failed(status=301, headers=(("Location", "http://o/a"),), profile=ad_hoc("http://h/rpc"))
    assert moved is not None
    assert moved.commands == ("rpcexplorer profiles add NAME --url=http://o/a",)


CHALLENGE = (
    ("WWW-Authenticate", 'Bearer realm="x", resource_metadata="http://h/.well-known/oauth-protected-resource"'),
)


def test_challenge_with_resource_metadata_suggests_oauth() -> None:
    rejected = failed(b"", 401, CHALLENGE, profile=of(auth=KINDS["bearer"]()))
    assert rejected is not None
    assert rejected.changes == (), "the user has a token, perhaps a wrong one"
    hint = failed(b"", 401, CHALLENGE)
    assert hint is not None
    assert hint.changes == (("auth.kind", "oauth"),)
    assert hint.commands == ("rpcexplorer profiles set staging auth.kind=oauth", "rpcexplorer login -p staging")


def test_new_token_that_is_rejected_names_the_settings() -> None:
    hint = failed(b"", 401, CHALLENGE, profile=of(auth=KINDS["oauth"]()))
    assert hint is not None
    assert "although it is new. Check auth.issuer, auth.scopes and auth.resource." in hint.sentence
