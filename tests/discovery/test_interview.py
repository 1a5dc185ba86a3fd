"""Discovery: protocols without a socket, and whole runs over sockets."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from rpcexplorer.auth.basic import InlineAuth, NoAuth
from rpcexplorer.auth.credentials import GivenCredentials
from rpcexplorer.auth.token import BearerAuth, CookieAuth, FirstAuth
from rpcexplorer.demo import PASSWORD, USERNAME
from rpcexplorer.demo.http import DemoThread
from rpcexplorer.discovery.documents import paths_to_try
from rpcexplorer.discovery.interview import PROTOCOLS, SUSPECTED, discover
from rpcexplorer.discovery.lists import NAME_LISTS
from rpcexplorer.discovery.methods import Discovery, DiscoveryStep, Listing
from rpcexplorer.discovery.questions import MAX_EXPLAINED, MAX_REFUSALS, Answer, Question
from rpcexplorer.model.exchange import Cancelled, Refused, Stop, Unreached
from rpcexplorer.model.profile import Auth, DocumentSource, Profile
from rpcexplorer.profiles.values import DISCOVERY_PROTOCOLS as NAMES_IN_FILES
from tests.discovery.driving import drive
from tests.discovery.lines import lines_of
from tests.fakes.wire import HOLD, NEXT, RESET, Parts, RawServer, Received, Script, http_reply

DOCUMENT = {
    "openrpc": "1.2.6",
    "info": {"title": "shop", "version": "1"},
    "methods": [{"name": "a", "summary": "An a"}],
}
GUESSED = "GET /api/v2/openrpc.json, GET /openrpc.json"
"""Protocols asked if rpc.discover is not offered."""
GONE = {"error": {"code": -32601, "message": "Method not found"}}
Table = dict[str, Any]
"""Method -> members of the response, or the whole response."""


def service(table: Table) -> Callable[[Received], Parts]:
    """Return a service that answers by method, and -32601 for other methods."""

    def answer(request: Received) -> Parts:
        if not request.body:
            return http_reply(b"", 404)
        call = request.json
        reply = table.get(call["method"], GONE)
        if callable(reply):
            reply = reply(call["params"])
        if not isinstance(reply, dict):
            return reply  # type: ignore[no-any-return]  # a script
        return request.reply(**reply)

    return answer


def error(code: Any, message: str) -> dict[str, Any]:
    return {"error": {"code": code, "message": message}}


def calls(server: RawServer) -> list[tuple[str, Any]]:
    sent = [request.json for request in server.requests if request.body]
    return [(call["method"], call["params"]) for call in sent]


def ask(url: str, auth: Auth = NoAuth(), stop: Stop | None = None, **settings: Any) -> Discovery:  # noqa: B008
    token = settings.pop("token", None)
    username, password = settings.pop("username", USERNAME), settings.pop("password", PASSWORD)
    keys = GivenCredentials(username=username, password=password, token=token)
    limit, tell = settings.pop("limit", 1 << 28), settings.pop("tell", None)
    profile = Profile("p", url, auth=auth, **settings)
    return asyncio.run(discover(profile, keys, limit, stop=stop, tell=tell))


def discovered(script: Script, **settings: Any) -> tuple[Discovery, RawServer]:
    with RawServer(script) as server:
        return ask(server.origin, **settings), server


@pytest.mark.parametrize("protocol", [*PROTOCOLS.values(), *SUSPECTED], ids=lambda protocol: protocol.name)
def test_each_protocol_stops_at_a_refusal(protocol: Any) -> None:
    questions, listing = drive(protocol.ask(()), Answer(refusal="not offered (-32601)"))
    assert [question.method for question in questions] == [protocol.name]
    assert listing == Listing(refusal="not offered (-32601)")


def test_help_and_signature_are_requested_for_undescribed_methods() -> None:
    questions, listing = drive(
        NAME_LISTS["system.listMethods"]({"a"}),
        Answer(["a", 'b"', "c"]),
        Answer("Bs"),
        Answer(""),
        Answer([["int", "string"]]),
        Answer("undef"),
    )
    assert questions == [
        Question("system.listMethods"),
        Question("system.methodHelp", r'["b\""]', aside=True),
        Question("system.methodHelp", '["c"]', aside=True),
        Question("system.methodSignature", r'["b\""]', aside=True),
        Question("system.methodSignature", '["c"]', aside=True),
    ]
    assert [(method.name, method.doc, method.result) for method in lines_of(listing)] == [
        ("a", "", ""), ('b"', "Bs", "integer"), ("c", "", ""),
    ]  # fmt: skip


def test_one_refusal_does_not_stop_later_methods() -> None:
    no = Answer(refusal="error 7 it has no help")
    questions, listing = drive(
        NAME_LISTS["system.listMethods"](()),
        Answer(["a", "b", "c"]),
        no,
        Answer("B"),
        no,
        Answer([["int"]]),
        no,
        Answer([["string"]]),
    )
    assert len(questions) == 7
    assert [(method.doc, method.result) for method in lines_of(listing)] == [("", "integer"), ("B", ""), ("", "string")]
    assert listing.skipped == (
        "system.methodHelp for 2 of 3 methods: error 7 it has no help",
        "system.methodSignature for 1 of 3 methods: error 7 it has no help",
    )


def test_repeated_refusals_end_questions_of_their_kind() -> None:
    no = Answer(refusal="error 7 no")
    names = [f"m{number}" for number in range(10)]
    questions, listing = drive(
        NAME_LISTS["system.listMethods"](()), Answer(names), *[no] * MAX_REFUSALS, *[no] * MAX_REFUSALS
    )
    assert len(questions) == 1 + 2 * MAX_REFUSALS
    assert listing.skipped == (
        "system.methodHelp: error 7 no",
        "system.methodSignature: error 7 no",
    )


def test_question_not_offered_is_not_repeated() -> None:
    no = Answer(refusal="not offered (-32601)")
    questions, listing = drive(
        NAME_LISTS["system.listMethods"](()), Answer(["a", "b", "c"]), Answer("A"), no, Answer("C"), no
    )
    assert len(questions) == 5
    assert listing.skipped == (
        "system.methodHelp for 1 of 3 methods: not offered (-32601)",
        "system.methodSignature: not offered (-32601)",
    )
    assert [described.doc for described in listing.described.values()] == ["A", "", "C"]


def test_number_of_help_questions_is_limited() -> None:
    names = [f"m{number}" for number in range(1_000)]
    questions, listing = drive(
        NAME_LISTS["system.listMethods"](()), Answer(names), *[Answer("x")] * (2 * MAX_EXPLAINED)
    )
    assert len(questions) == 1 + 2 * MAX_EXPLAINED
    assert len(listing.described) == 1_000
    assert listing.skipped == ("help texts were read only for the first 200 of 1,000 methods",)


@pytest.mark.parametrize("auth", [NoAuth(), CookieAuth(username=USERNAME), InlineAuth(username=USERNAME)])
def test_demo_lists_all_methods_with_any_auth(auth: Any) -> None:
    with DemoThread() as demo:
        found = ask(demo.url, auth)
    assert (found.found, found.exit_code) == (True, 0)
    by_name = {method.name: method for method in found.methods}
    assert found.described["demo.records"].params[0].schema["type"] == "integer"
    count = len(by_name)
    assert found.sentences[-2:] == (
        f'rpc.discover: {count} methods (OpenRPC 1.3.2, "rpcexplorer demo 2.0.0")',
        f"system.listMethods: {count} methods",
    )
    assert not any("logged in" in sentence for sentence in found.sentences)


def test_document_wins_over_the_list_of_names() -> None:
    table = {"rpc.discover": {"result": DOCUMENT}, "system.listMethods": {"result": ["b", "a"]}}
    found, server = discovered(service(table))
    assert [(method.name, method.doc, method.protocol) for method in found.methods] == [
        ("a", "An a", "rpc.discover"), ("b", "", "system.listMethods"),
    ]  # fmt: skip
    assert calls(server) == [
        ("rpc.discover", []),
        ("system.listMethods", []),
        ("system.methodHelp", ["b"]),
        ("system.methodSignature", ["b"]),
    ]
    assert found.sentences == (
        'rpc.discover: 1 method (OpenRPC 1.2.6, "shop 1")',
        "system.listMethods: 2 methods",
        "system.listMethods: system.methodHelp: not offered (-32601)",
        "system.listMethods: system.methodSignature: not offered (-32601)",
    )


def test_protocol_not_offered_is_reported_and_skipped() -> None:
    found, _ = discovered(service({"system.listMethods": {"result": ["a"]}, "system.methodHelp": {"result": "An a"}}))
    assert found.sentences[:2] == ("rpc.discover: not offered (-32601)", f"{GUESSED}: not offered (HTTP 404)")
    assert [method.doc for method in found.methods] == ["An a"]
    nothing, server = discovered(service({}))
    asked = "rpc.discover, system.listMethods, rpc.describe, system.describe, rpc_methods, JSONRPC.Introspect"
    assert nothing.sentences == (
        f"{asked}, core.describe, help: not offered (-32601)",
        f"{GUESSED}: not offered (HTTP 404)",
        f"{server.url} does not list its methods. You can still type and call any method.",
    )
    assert (nothing.found, nothing.exit_code, nothing.ended, len(server.requests)) == (False, 0, None, 10)
    assert calls(server) == [
        ("rpc.discover", []), ("system.listMethods", []), ("rpc.describe", []), ("system.describe", []),
        ("rpc_methods", []), ("JSONRPC.Introspect", [True, True]), ("core.describe", []), ("help", []),
    ]  # fmt: skip


def test_first_other_protocol_with_methods_is_the_last() -> None:
    table = {"rpc_methods": {"result": {"methods": ["chain_getBlock"]}}, "help": {"result": ["never asked"]}}
    found, server = discovered(service(table))
    assert [(method.name, method.protocol) for method in found.methods] == [("chain_getBlock", "rpc_methods")]
    assert calls(server)[-1] == ("rpc_methods", [])
    assert found.sentences == (
        "rpc.discover, system.listMethods, rpc.describe, system.describe: not offered (-32601)",
        f"{GUESSED}: not offered (HTTP 404)",
        "rpc_methods: 1 method",
    )


@pytest.mark.parametrize("discovery", [*PROTOCOLS])
def test_only_the_protocol_of_the_profile_is_asked(discovery: str) -> None:
    found, server = discovered(service({}), discovery=discovery)
    asked = [discovery] if discovery != "help" else ["rpc.discover", "help"]
    assert [method for method, _ in calls(server)] == asked
    assert found.sentences[0] == f"{', '.join(asked)}: not offered (-32601)"
    assert found.sentences[1].endswith("does not list its methods. You can still type and call any method.")


def test_help_is_asked_only_without_a_document() -> None:
    document = {"openrpc": "1.4.1", "methods": [{"name": "getblock", "params": []}]}
    found, server = discovered(service({"rpc.discover": {"result": document}}), discovery="help")
    assert ([method.name for method in found.methods], len(server.requests)) == (["getblock"], 1)
    found, server = discovered(service({"help": {"result": ["getinfo"]}}), discovery="help")
    assert [method.name for method in found.methods] == ["getinfo"]


def test_path_that_is_not_found_is_reported() -> None:
    found, server = discovered(http_reply(b"", 404))
    assert found.sentences[-1] == f"HTTP 404 for every request. Check the path of {server.url}."


def test_profile_can_name_every_protocol() -> None:
    assert set(PROTOCOLS) == set(NAMES_IN_FILES)


def test_discovery_none_asks_nothing() -> None:
    found, server = discovered(service({"rpc.discover": {"result": DOCUMENT}}), discovery="none")
    assert (found.methods, found.exit_code, server.requests) == ((), 0, [])
    assert found.sentences == (
        'Discovery is off: profile p has discovery = "none". You can still type and call any method.',
    )


def test_ethereum_node_is_asked_for_its_modules_only() -> None:
    def unknown(request: Received) -> Parts:
        if not request.body:
            return http_reply(b"", 404)
        call = request.json
        if call["method"] == "rpc_modules":
            reply: Any = {"result": {"eth": "1.0", "net": "1.0"}}
        else:
            reply = error(-32601, f"the method {call['method']} does not exist/is not available")
        return request.reply(**reply)

    found, server = discovered(unknown)
    assert [method for method, _ in calls(server)] == ["rpc.discover", "system.listMethods", "rpc_modules"]
    assert found.sentences[2].startswith("rpc_modules: the server lists only modules (eth, net)")


@pytest.mark.parametrize(
    "reply",
    [
        error(-32000, "Bad Request: Server not initialized"),
        error(-32600, "Bad Request: Missing session ID"),
        error(-32001, "Please log in"),
        http_reply(b"<!DOCTYPE html><html>"),
    ],
)
def test_same_answer_to_everything_ends_the_discovery(reply: Any) -> None:
    found, server = discovered(service(dict.fromkeys(["rpc.discover", "system.listMethods", "help"], reply)))
    asked = {method for method, _ in calls(server)}
    assert asked == {"rpc.discover", "system.listMethods"}
    assert found.sentences[0].startswith("rpc.discover, system.listMethods: ")
    assert len(found.sentences) == 2


def test_errors_of_any_kind_end_no_discovery() -> None:
    first = error(-32603, "Out of memory")
    table = {"rpc.discover": first, "system.listMethods": first, "core.describe": first, "help": {"result": ["a"]}}
    _, server = discovered(service(table))
    assert calls(server)[-1][0] == "help"


@pytest.mark.parametrize("message", ["Server not initialized", "Bad Request: Missing session ID"])
def test_handshake_demand_is_not_taken_for_a_login(message: str) -> None:
    found, _ = discovered(service({"rpc.discover": error(-32600, message)}), auth=CookieAuth())
    assert found.sentences[0] == (
        f'rpc.discover: the server needs a handshake first (-32600 {message}). Set handshake = "mcp" in the profile'
    )
    assert found.exit_code == 0


def test_mcp_handshake_lists_only_tools() -> None:
    tool = {"name": "search", "title": "Searches", "inputSchema": {"properties": {"q": {"type": "string"}}}}
    table = {
        "initialize": {"result": {"protocolVersion": "2025-06-18", "serverInfo": {"name": "shop"}}},
        "notifications/initialized": {"result": None},
        "tools/list": {"result": {"tools": [tool]}},
    }

    def answer(request: Received) -> Parts:
        return service(table)(request) if b'"id"' in request.body else http_reply(b"", 202)

    found, server = discovered(answer, handshake="mcp")
    assert [(method.name, method.doc, method.by) for method in found.methods] == [("search", "Searches", "name")]
    assert server.methods == [
        "server/discover", "initialize", "notifications/initialized", "tools/list", "prompts/list", "resources/list",
    ]  # fmt: skip
    assert found.sentences[-1] == "tools/list: 1 method"


def test_document_at_a_path_is_read_without_calls() -> None:
    found, server = discovered(http_reply(json.dumps(DOCUMENT).encode()), discovery=DocumentSource(url="/openrpc.json"))
    assert [(method.name, method.protocol) for method in found.methods] == [("a", "/openrpc.json")]
    assert [request.line for request in server.requests] == ["GET /openrpc.json HTTP/1.1"]
    assert found.sentences == ('GET /openrpc.json: 1 method (OpenRPC 1.2.6, "shop 1")',)


@pytest.mark.parametrize("auth", [InlineAuth(username="ada"), FirstAuth()])
@pytest.mark.parametrize("status", [200, 401])
def test_document_asks_for_no_credentials_it_cannot_use(auth: Any, status: int) -> None:
    reply = http_reply(json.dumps(DOCUMENT).encode() if status == 200 else b"", status)
    found, server = discovered(reply, auth=auth, password=None, discovery=DocumentSource(url="/d"))
    assert (found.found, {request.line for request in server.requests}) == (status == 200, {"GET /d HTTP/1.1"})
    assert found.sentences[0].startswith("GET /d: 1 method" if found.found else "GET /d: HTTP 401 Unauthorized")


@pytest.mark.parametrize(
    ("reply", "message", "code"),
    [
        (http_reply(b"", 404), "GET /d: not offered (HTTP 404)", 0),
        (
            http_reply(b"", 301, {"Location": "/e"}),
            "GET /d: unreadable: HTTP 301 Moved Permanently: the server redirects to /e",
            0,
        ),
        (http_reply(b"<html>"), "GET /d: unreadable: The document is not JSON.", 0),
        (http_reply(b'{"openapi": "3"}'), "GET /d: the response is not an OpenRPC document", 0),
        (http_reply(b'{"a": '), "GET /d: unreadable: the response is not JSON", 0),
        (http_reply(b"", 401), "GET /d: HTTP 401 Unauthorized", 3),
        ((RESET,), "GET /d: ", 4),
    ],
)
def test_invalid_document_is_reported_with_its_path(reply: Any, message: str, code: int) -> None:
    found, server = discovered(reply, discovery=DocumentSource(url="/d"))
    assert (found.methods, found.exit_code, len(server.requests)) == ((), code, 1)
    assert found.sentences[0].startswith(message)


@pytest.mark.parametrize(
    ("path", "paths"),
    [
        ("/", ["/openrpc.json"]),
        ("/rpc", ["/rpc/openrpc.json", "/openrpc.json"]),
        ("/api/v1", ["/api/v1/openrpc.json", "/api/openrpc.json", "/openrpc.json"]),
        ("/v3/{token}", ["/v3/openrpc.json", "/openrpc.json"]),
    ],
)
def test_documents_are_looked_for_at_usual_paths(path: str, paths: list[str]) -> None:
    assert paths_to_try(Profile("p", "https://x.example", path=path)) == paths
    assert paths_to_try(Profile("p", "http+unix:///run/x.sock", path=path)) == paths
    assert paths_to_try(Profile("p", "tcp://x.example:1", path="")) == []


def test_guessed_document_is_read_without_credentials() -> None:
    def answer(request: Received) -> Parts:
        if request.line == "GET /openrpc.json HTTP/1.1":
            return http_reply(json.dumps(DOCUMENT).encode())
        return service({})(request)

    auth = BearerAuth()
    found, server = discovered(answer, auth=auth, token="t0ken-t0ken")
    assert [(method.name, method.protocol) for method in found.methods] == [("a", "/openrpc.json")]
    assert found.described["a"].protocol == "/openrpc.json"
    guesses = [request for request in server.requests if request.line.startswith("GET")]
    assert [request.line.split()[1] for request in guesses] == ["/api/v2/openrpc.json", "/openrpc.json"]
    assert not any(request.header("Authorization") for request in guesses)
    assert calls(server) == [("rpc.discover", []), ("system.listMethods", [])]


@pytest.mark.parametrize(
    "reply",
    [
        http_reply(b"", 401, {"WWW-Authenticate": "Basic"}),
        http_reply(b"", 503),
        http_reply(b"", 302, {"Location": "http://elsewhere.example/"}),
        http_reply(b"<!DOCTYPE html>"),
        http_reply(b'{"detail": "no"}'),
        (RESET,),
    ],
)
def test_wrong_guess_has_no_consequences(reply: Any) -> None:
    def answer(request: Received) -> Parts:
        return service({"system.listMethods": {"result": ["a"]}})(request) if request.body else reply

    found, server = discovered(answer, auth=COOKIE, password=None)
    assert ([method.name for method in found.methods], found.exit_code) == (["a"], 0)
    assert found.sentences[0] == "rpc.discover: not offered (-32601)"
    assert found.sentences[1].startswith(f"{GUESSED}: not offered (")
    assert len([request for request in server.requests if not request.body]) == 2


def test_closed_service_is_asked_for_no_document() -> None:
    for reply in (error(-32098, "Unauthorized"), http_reply(b"<html>")):
        _, server = discovered(service({"rpc.discover": reply, "system.listMethods": reply}))
        assert all(request.body for request in server.requests)


def test_four_questions_are_sent_at_once() -> None:
    waiting = threading.Barrier(4, timeout=20)
    names = [f"m{number}" for number in range(9)]

    def explain(params: Any) -> Any:
        if params != ["m0"]:
            waiting.wait()  # which only four together pass
        return {"result": f"About {params[0]}"}

    table = {"system.listMethods": {"result": names}, "system.methodHelp": explain}
    steps: list[DiscoveryStep] = []
    found, _ = discovered(service(table), discovery="system.listMethods", tell=steps.append)
    assert [method.doc for method in found.methods] == [f"About {name}" for name in names]
    assert [(step.words, step.methods) for step in steps] == [
        ("asked", 0),
        ("system.methodHelp 1 of 9", 0),
        ("system.methodHelp 5 of 9", 0),
        ("system.methodHelp 9 of 9", 0),
        ("system.methodSignature 1 of 9", 0),
        ("9 methods", 9),
    ]


def test_stop_ends_all_open_questions() -> None:
    stop, loops = Stop(), list[asyncio.AbstractEventLoop]()

    def press() -> None:
        loops[0].call_soon_threadsafe(stop.press)

    waiting = threading.Barrier(4, press, timeout=20)

    def explain(params: Any) -> Any:
        if params == ["m0"]:
            return {"result": "First"}
        waiting.wait()
        return (HOLD,)

    names = [f"m{number}" for number in range(9)]
    table = {"system.listMethods": {"result": names}, "system.methodHelp": explain}
    found, server = discovered(
        service(table),
        discovery="system.listMethods",
        stop=stop,
        tell=lambda _: loops.append(asyncio.get_running_loop()),
    )
    assert found.ended is not None
    assert isinstance(found.ended.outcome, Cancelled)
    assert (found.methods, found.exit_code) == ((), 130)
    assert [method for method, _ in calls(server)].count("system.methodHelp") == 5


class SlowRefusals:
    """A server that delays its refusals, as aria2 does, with its own clock.

    ``known`` answers by method.
    """

    def __init__(self, known: Table, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 0.0
        self.refused = 0
        self._answer = service(known)
        clock = SimpleNamespace(perf_counter=lambda: self.now)
        monkeypatch.setattr("rpcexplorer.client.profile_client.time", clock)

    def __call__(self, request: Received) -> Parts:
        reply = self._answer(request)
        if request.body and isinstance(reply, bytes) and b'"error"' in reply:
            self.now += 2.0
            self.refused += 1
        return reply


def test_slow_refusals_end_with_the_time_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    table = {
        "system.listMethods": {"result": [f"m{number}" for number in range(36)]},
        "system.methodHelp": lambda params: {"result": "First"} if params == ["m0"] else error(1, "No help"),
    }
    server = SlowRefusals(table, monkeypatch)
    found, _ = discovered(server, discovery="system.listMethods")
    assert (len(found.methods), server.refused) == (36, 4)
    assert "the time limit was reached" in found.sentences[-1]


@pytest.mark.parametrize("code", [-32600, -32602])
def test_empty_params_become_an_object_after_a_refusal(code: int) -> None:
    def picky(params: Any) -> Any:
        return {"result": DOCUMENT} if params == {} else {"error": {"code": code, "message": "Invalid params"}}

    found, server = discovered(service({"rpc.discover": picky}))
    assert found.found
    assert calls(server) == [("rpc.discover", []), ("rpc.discover", {}), ("system.listMethods", [])]


def test_inline_profile_retries_without_credentials() -> None:
    refused = {"error": {"code": -32602, "message": "no param username"}}
    table = {"rpc.discover": lambda params: {"result": DOCUMENT} if params == {} else refused}
    _, server = discovered(service(table), auth=InlineAuth(username="ada"), password="pw-pw-pw")
    given = {"username": "ada", "password": "pw-pw-pw"}
    assert calls(server) == [
        ("rpc.discover", given), ("rpc.discover", []), ("rpc.discover", {}), ("system.listMethods", given),
    ]  # fmt: skip


def test_token_param_is_sent_with_each_question() -> None:
    table = {
        "system.listMethods": {"result": ["ping"]},
        "system.methodHelp": lambda params: {"result": "Pong."} if params == ["t0ken-t0ken", "ping"] else GONE,
    }
    found, _ = discovered(service(table), auth=FirstAuth(), token="t0ken-t0ken", discovery="system.listMethods")
    assert [(method.name, method.doc) for method in found.methods] == [("ping", "Pong.")]


def test_help_refused_without_credentials_names_them() -> None:
    table = {"system.listMethods": {"result": ["ping"]}, "system.methodHelp": error(1, "Unauthorized")}
    found, _ = discovered(service(table), discovery="system.listMethods")
    words = "not offered (the server asks for credentials: 1 Unauthorized)"
    assert f"system.listMethods: system.methodHelp: {words}" in found.sentences


def test_inline_credentials_are_left_out_of_arrays() -> None:
    table = {"system.listMethods": {"result": ["ping"]}, "system.methodHelp": {"result": "Pong."}}
    settings = {"auth": InlineAuth(username="ada"), "password": "pw-pw-pw", "discovery": "system.listMethods"}
    found, server = discovered(service(table), **settings)
    assert ("system.methodHelp", ["ping"]) in calls(server)
    assert [method.doc for method in found.methods] == ["Pong."]


@pytest.mark.parametrize(
    ("reply", "message"),
    [
        (error(-32601, "Method\nnot found"), "not offered (-32601)"),
        (error(1, "Failure"), "not offered (1 Failure)"),
        (error(-32000, "Unknown\x1b[31m method"), "not offered (-32000 Unknown\x1b[31m method)"),
        ({"error": "No such method"}, "not offered (No such method)"),
        (
            error(-32098, "Unauthorized"),
            "the server asks for credentials (-32098 Unauthorized), but the profile has none",
        ),
        (
            error(-32002, "Server not initialized"),
            "the server needs a handshake first (-32002 Server not initialized). ",
        ),
        (
            http_reply(b'{"error": {"code": -32602, "message": "Invalid params"}}', 400),
            "the method needs params that rpcexplorer does not know (-32602 Invalid params). Call it yourself",
        ),
        (error(-32603, "Out of memory"), "error -32603 Out of memory"),
        ({"result": None}, "not offered (an empty result)"),
        ({"result": "nothing here"}, "the response is not an OpenRPC document with a list of methods"),
        (http_reply(b"<html>", 404), "not offered (HTTP 404)"),
        (http_reply(b'{"error": {"code": 9, "message": "x"}}', 400), "not offered (9 x)"),
        (
            http_reply(b'{"result": "method name not recognized", "arguments": {}}'),
            "unreadable: Not a JSON-RPC response",
        ),
        (http_reply(b"text"), "unreadable: The response is plain text, not JSON."),
        (
            http_reply(b'{"id": 1, "result": ' + b"[" * 9_999 + b"]" * 9_999 + b"}"),
            "unreadable: the response has more than 200 levels",
        ),
        (http_reply(b'{"id": 1, "result": ' + b"1" * 9_999 + b"}"), "unreadable: the response is not JSON"),
    ],
)
def test_refusal_is_reported_and_next_protocol_asked(reply: Any, message: str) -> None:
    found, _ = discovered(service({"rpc.discover": reply, "system.listMethods": {"result": ["a"]}}))
    assert found.sentences[0].replace(f", {GUESSED}", "").startswith(f"rpc.discover: {message}")
    assert [method.name for method in found.methods] == ["a"]


@pytest.mark.parametrize(("status", "code"), [(401, 3), (403, 3), (407, 3), (415, 5), (429, 5), (503, 5)])
def test_status_for_all_questions_ends_the_discovery(status: int, code: int) -> None:
    found, server = discovered(service({"rpc.discover": http_reply(b"", status, {"WWW-Authenticate": "Basic"})}))
    assert len(server.requests) == 1
    assert found.exit_code == code
    assert found.sentences[0].startswith(f"rpc.discover: HTTP {status} ")


def test_too_large_response_ends_only_its_protocol() -> None:
    huge = {"result": {"methods": [{"name": "x" * 5_000}]}}
    found, _ = discovered(service({"rpc.discover": huge, "system.listMethods": {"result": ["a"]}}), limit=1_000)
    assert [method.name for method in found.methods] == ["a"]
    assert "limit" in found.sentences[0]


@pytest.mark.parametrize("silent", ["rpc.discover", "system.listMethods"])
def test_unreachable_service_ends_the_discovery(silent: str) -> None:
    table = {"rpc.discover": {"result": DOCUMENT}, "system.listMethods": {"result": ["a"]}, silent: (RESET,)}
    found, server = discovered(service(table))
    assert found.ended is not None
    assert isinstance(found.ended.outcome, Unreached)
    assert (found.found, found.exit_code) == (False, 4)
    assert found.sentences[-1].startswith(f"{silent}: ")
    assert found.sentences[-1].endswith("The method list did not change.")
    assert calls(server)[-1] == (silent, [])


COOKIE = CookieAuth(username="ada")
INLINE = InlineAuth(username="ada")
CLOSED = {"error": {"code": -32001, "message": "Session expired"}}


@pytest.mark.parametrize("auth", [COOKIE, INLINE])
def test_open_service_gets_no_credentials(auth: Auth) -> None:
    found, server = discovered(service({"rpc.discover": {"result": DOCUMENT}}), auth=auth, password=None)
    assert (found.found, found.exit_code) == (True, 0)
    assert calls(server) == [("rpc.discover", []), ("system.listMethods", [])]


def test_login_is_made_on_demand_over_one_connection() -> None:
    def closed(request: Received) -> Parts:
        call = request.json
        login = {"result": True} if call["method"] == "auth" else None
        known = {"result": DOCUMENT} if (request.header("Cookie") or "") == "sessionid=s3ss10n" else CLOSED
        reply = json.dumps({"jsonrpc": "2.0", "id": call["id"], **(login or known)}).encode()
        return [http_reply(reply, 200, {"Set-Cookie": "sessionid=s3ss10n"} if login else {}), NEXT]

    found, server = discovered(closed, auth=COOKIE, password="pw-pw-pw")
    assert found.found
    assert server.connections == 1
    assert [method for method, _ in calls(server)] == ["rpc.discover", "auth", "rpc.discover", "system.listMethods"]


@pytest.mark.parametrize(("auth", "sent"), [(COOKIE, 1), (INLINE, 1), (NoAuth(), 2)])
def test_missing_credentials_are_asked_for_on_demand(auth: Auth, sent: int) -> None:
    found, server = discovered(
        service({"rpc.discover": CLOSED, "system.listMethods": CLOSED}), auth=auth, password=None
    )
    assert found.ended is not None
    assert len(server.requests) == sent
    if auth.kind == "none":
        assert found.exit_code == 1
        assert "asks for credentials" in found.sentences[0]
    else:
        assert isinstance(found.ended.outcome, Refused)
        assert found.exit_code == 3
        assert "password" in found.sentences[0]
