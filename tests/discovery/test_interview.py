"""Discovery: the dialects driven by hand, and the whole of it over real sockets."""

from __future__ import annotations

import asyncio
import gc
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
from rpcexplorer.discovery.interview import DIALECTS, HUGE, SUSPECTED, discover
from rpcexplorer.discovery.lists import NAME_LISTS
from rpcexplorer.discovery.methods import Discovery, DiscoveryStep, Listing
from rpcexplorer.discovery.questions import ENOUGH, MOST_EXPLAINED, Answered, Question
from rpcexplorer.model.exchange import Cancelled, Refused, Stop, Unreached
from rpcexplorer.model.profile import Auth, DocumentSource, Profile
from rpcexplorer.profiles.values import DIALECTS as NAMES_IN_FILES
from tests.discovery.driving import drive
from tests.discovery.lines import lines_of
from tests.fakes.wire import HOLD, NEXT, RESET, Parts, RawServer, Received, Script, http_reply

DOCUMENT = {
    "openrpc": "1.2.6",
    "info": {"title": "shop", "version": "1"},
    "methods": [{"name": "a", "summary": "An a"}],
}
GUESSED = ", GET /api/v2/openrpc.json, GET /openrpc.json"
"""What is asked for where rpc.discover is not offered."""
GONE = {"error": {"code": -32601, "message": "Method not found"}}
Table = dict[str, Any]
"""Method -> members of the reply, or a script of its own."""


def service(table: Table) -> Callable[[Received], Parts]:
    """A service that answers by method, and -32601 to what is not in the table."""

    def answer(request: Received) -> Parts:
        if not request.body:
            return http_reply(b"", 404)
        call = json.loads(request.body)
        reply = table.get(call["method"], GONE)
        if callable(reply):
            reply = reply(call["params"])
        if not isinstance(reply, dict):
            return reply  # type: ignore[no-any-return]  # a script
        return http_reply(json.dumps({"jsonrpc": "2.0", "id": call["id"], **reply}).encode())

    return answer


def error(code: Any, message: str) -> dict[str, Any]:
    return {"error": {"code": code, "message": message}}


def calls(server: RawServer) -> list[tuple[str, Any]]:
    sent = [json.loads(request.body) for request in server.requests if request.body]
    return [(call["method"], call["params"]) for call in sent]


def ask(url: str, auth: Auth = NoAuth(), stop: Stop | None = None, **settings: Any) -> Discovery:  # noqa: B008
    token = settings.pop("token", None)
    keys = GivenCredentials(settings.pop("username", USERNAME), settings.pop("password", PASSWORD), token=token)
    limit, tell = settings.pop("limit", 1 << 28), settings.pop("tell", None)
    profile = Profile("p", url, auth=auth, **settings)
    return asyncio.run(discover(profile, keys, limit, stop=stop, tell=tell))


def discovered(script: Script, **settings: Any) -> tuple[Discovery, RawServer]:
    with RawServer(script) as server:
        return ask(server.origin, **settings), server


# --- dialects by hand ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dialect", [*DIALECTS.values(), *SUSPECTED], ids=lambda dialect: dialect.name)
def test_every_dialect_hands_a_refusal_on_and_asks_no_further(dialect: Any) -> None:
    questions, listing = drive(dialect.ask(()), Answered(refusal="not offered (-32601)"))
    assert [question.method for question in questions] == [dialect.name]
    assert listing == Listing(refusal="not offered (-32601)")


def test_help_and_signature_are_asked_for_what_nobody_described() -> None:
    questions, listing = drive(
        NAME_LISTS["system.listMethods"]({"a"}),
        Answered(["a", 'b"', "c"]),
        Answered("Bs"),
        Answered(""),
        Answered([["int", "string"]]),
        Answered("undef"),
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


def test_one_refusal_is_no_reason_not_to_ask_about_the_next_method() -> None:
    no = Answered(refusal="answered: error 7 it has no help")
    questions, listing = drive(
        NAME_LISTS["system.listMethods"](()),
        Answered(["a", "b", "c"]),
        no,
        Answered("B"),
        no,
        Answered([["int"]]),
        no,
        Answered([["string"]]),
    )
    assert len(questions) == 7
    assert [(method.doc, method.result) for method in lines_of(listing)] == [("", "integer"), ("B", ""), ("", "string")]
    assert listing.skipped == (
        "system.methodHelp: answered: error 7 it has no help, for 2 of 3",
        "system.methodSignature: answered: error 7 it has no help, for 1 of 3",
    )


def test_many_refusals_in_a_row_end_the_questions_of_their_kind() -> None:
    no = Answered(refusal="answered: error 7 no")
    names = [f"m{number}" for number in range(10)]
    questions, listing = drive(NAME_LISTS["system.listMethods"](()), Answered(names), *[no] * ENOUGH, *[no] * ENOUGH)
    assert len(questions) == 1 + 2 * ENOUGH
    assert listing.skipped == (
        "system.methodHelp: answered: error 7 no",
        "system.methodSignature: answered: error 7 no",
    )


def test_a_question_that_is_not_offered_is_not_asked_again() -> None:
    no = Answered(refusal="not offered (-32601)")
    questions, listing = drive(
        NAME_LISTS["system.listMethods"](()), Answered(["a", "b", "c"]), Answered("A"), no, Answered("C"), no
    )
    assert len(questions) == 5
    assert listing.skipped == (
        "system.methodHelp: not offered (-32601), for 1 of 3",
        "system.methodSignature: not offered (-32601)",
    )
    assert [described.doc for described in listing.described.values()] == ["A", "", "C"]


def test_help_is_asked_for_so_many_names_and_no_more() -> None:
    names = [f"m{number}" for number in range(1_000)]
    questions, listing = drive(
        NAME_LISTS["system.listMethods"](()), Answered(names), *[Answered("x")] * (2 * MOST_EXPLAINED)
    )
    assert len(questions) == 1 + 2 * MOST_EXPLAINED
    assert len(listing.described) == 1_000
    assert listing.skipped == ("help texts were read only for the first 200 of 1,000 methods",)


# --- over sockets ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("auth", [NoAuth(), CookieAuth(username=USERNAME), InlineAuth(username=USERNAME)])
def test_the_demo_tells_all_its_methods_whatever_the_auth(auth: Any) -> None:
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


def test_both_dialects_are_asked_and_the_document_wins_in_detail() -> None:
    table = {"rpc.discover": {"result": DOCUMENT}, "system.listMethods": {"result": ["b", "a"]}}
    found, server = discovered(service(table))
    assert [(method.name, method.doc, method.dialect) for method in found.methods] == [
        ("b", "", "system.listMethods"), ("a", "An a", "rpc.discover"),
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


def test_what_is_not_offered_is_said_and_stops_nothing() -> None:
    found, _ = discovered(service({"system.listMethods": {"result": ["a"]}, "system.methodHelp": {"result": "An a"}}))
    assert found.sentences[0] == f"rpc.discover{GUESSED}: not offered (-32601)"
    assert [method.doc for method in found.methods] == ["An a"]
    nothing, server = discovered(service({}))
    asked = f"rpc.discover{GUESSED}, system.listMethods, rpc.describe, system.describe, rpc_methods, JSONRPC.Introspect"
    assert nothing.sentences == (
        f"{asked}, core.describe, help: not offered (-32601)",
        f"{server.url} does not list its methods. You can still type and call any method.",
    )
    assert (nothing.found, nothing.exit_code, nothing.ended, len(server.requests)) == (False, 0, None, 10)
    assert calls(server) == [
        ("rpc.discover", []), ("system.listMethods", []), ("rpc.describe", []), ("system.describe", []),
        ("rpc_methods", []), ("JSONRPC.Introspect", [True, True]), ("core.describe", []), ("help", []),
    ]  # fmt: skip


# --- which of them are asked -----------------------------------------------------------------------------------------


def test_the_first_of_the_others_that_tells_of_a_method_is_the_last() -> None:
    table = {"rpc_methods": {"result": {"methods": ["chain_getBlock"]}}, "help": {"result": ["never asked"]}}
    found, server = discovered(service(table))
    assert [(method.name, method.dialect) for method in found.methods] == [("chain_getBlock", "rpc_methods")]
    assert calls(server)[-1] == ("rpc_methods", [])
    assert found.sentences == (
        f"rpc.discover{GUESSED}, system.listMethods, rpc.describe, system.describe: not offered (-32601)",
        "rpc_methods: 1 method",
    )


@pytest.mark.parametrize("discovery", [*DIALECTS])
def test_a_dialect_that_the_profile_names_is_the_only_one_asked(discovery: str) -> None:
    found, server = discovered(service({}), discovery=discovery)
    assert {method for method, _ in calls(server)} == {discovery}
    assert found.sentences[0] == f"{discovery}: not offered (-32601)"
    assert found.sentences[1].endswith("does not list its methods. You can still type and call any method.")


def test_the_names_that_a_profile_can_say_are_those_there_are() -> None:
    assert set(DIALECTS) == set(NAMES_IN_FILES)


def test_a_profile_that_wants_none_asks_nothing_and_says_so() -> None:
    found, server = discovered(service({"rpc.discover": {"result": DOCUMENT}}), discovery="none")
    assert (found.methods, found.exit_code, server.requests) == ((), 0, [])
    assert found.sentences == (
        'Discovery is off: profile p has discovery = "none". You can still type and call any method.',
    )


def test_a_node_that_gives_itself_away_is_asked_for_its_modules_and_nothing_else() -> None:
    def unknown(request: Received) -> Parts:
        if not request.body:
            return http_reply(b"", 404)
        call = json.loads(request.body)
        if call["method"] == "rpc_modules":
            reply: Any = {"result": {"eth": "1.0", "net": "1.0"}}
        else:
            reply = error(-32601, f"the method {call['method']} does not exist/is not available")
        return http_reply(json.dumps({"jsonrpc": "2.0", "id": call["id"], **reply}).encode())

    found, server = discovered(unknown)
    assert [method for method, _ in calls(server)] == ["rpc.discover", "system.listMethods", "rpc_modules"]
    assert found.sentences[1].startswith("rpc_modules: lists only modules (eth, net)")


@pytest.mark.parametrize(
    "reply",
    [
        error(-32000, "Bad Request: Server not initialized"),
        error(-32600, "Bad Request: Missing session ID"),
        error(-32001, "Please log in"),
        http_reply(b"<!DOCTYPE html><html>"),
    ],
)
def test_a_service_that_says_the_same_to_everything_is_not_asked_for_more(reply: Any) -> None:
    found, server = discovered(service(dict.fromkeys(["rpc.discover", "system.listMethods", "help"], reply)))
    asked = {method for method, _ in calls(server)}
    assert asked == {"rpc.discover", "system.listMethods"}
    assert found.sentences[0].startswith("rpc.discover, system.listMethods: ")
    assert len(found.sentences) == 2


@pytest.mark.parametrize("said", ["Server not initialized", "Bad Request: Missing session ID"])
def test_a_server_that_wants_a_handshake_is_not_taken_for_one_that_wants_a_login(said: str) -> None:
    found, _ = discovered(service({"rpc.discover": error(-32600, said)}), auth=CookieAuth())
    assert found.sentences[0] == (
        f'rpc.discover: needs a handshake first (-32600 {said}): set handshake = "mcp" in the profile'
    )
    assert found.exit_code == 0


def test_with_the_handshake_of_mcp_tools_are_listed_and_nothing_else_is_asked() -> None:
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
    assert [json.loads(request.body)["method"] for request in server.requests] == [
        "initialize", "notifications/initialized", "tools/list", "prompts/list", "resources/list",
    ]  # fmt: skip
    assert found.sentences[-1] == "tools/list: 1 method"


# --- documents -------------------------------------------------------------------------------------------------------


def test_a_document_at_a_path_is_fetched_and_no_method_is_called() -> None:
    found, server = discovered(http_reply(json.dumps(DOCUMENT).encode()), discovery=DocumentSource(url="/openrpc.json"))
    assert [(method.name, method.dialect) for method in found.methods] == [("a", "/openrpc.json")]
    assert [request.line for request in server.requests] == ["GET /openrpc.json HTTP/1.1"]
    assert found.sentences == ('GET /openrpc.json: 1 method (OpenRPC 1.2.6, "shop 1")',)


@pytest.mark.parametrize("auth", [InlineAuth(username="ada"), FirstAuth()])
@pytest.mark.parametrize("status", [200, 401])
def test_document_asks_for_no_credentials_that_cannot_go_along(auth: Any, status: int) -> None:
    reply = http_reply(json.dumps(DOCUMENT).encode() if status == 200 else b"", status)
    found, server = discovered(reply, auth=auth, password=None, discovery=DocumentSource(url="/d"))
    assert (found.found, {request.line for request in server.requests}) == (status == 200, {"GET /d HTTP/1.1"})
    assert found.sentences[0].startswith("GET /d: 1 method" if found.found else "GET /d: HTTP 401 Unauthorized")


@pytest.mark.parametrize(
    ("reply", "said", "code"),
    [
        (http_reply(b"", 404), "GET /d: not offered (HTTP 404)", 0),
        (
            http_reply(b"", 301, {"Location": "/e"}),
            "GET /d: unreadable: HTTP 301 Moved Permanently: the server redirects to /e",
            0,
        ),
        (http_reply(b"<html>"), "GET /d: unreadable: The document is not JSON.", 0),
        (http_reply(b'{"openapi": "3"}'), "GET /d: answered, but not with an OpenRPC document", 0),
        (http_reply(b'{"a": '), "GET /d: unreadable: not JSON", 0),
        (http_reply(b"", 401), "GET /d: HTTP 401 Unauthorized", 3),
        ((RESET,), "GET /d: ", 4),
    ],
)
def test_a_document_that_is_none_is_told_with_its_path(reply: Any, said: str, code: int) -> None:
    found, server = discovered(reply, discovery=DocumentSource(url="/d"))
    assert (found.methods, found.exit_code, len(server.requests)) == ((), code, 1)
    assert found.sentences[0].startswith(said)


@pytest.mark.parametrize(
    ("path", "paths"),
    [
        ("/", ["/openrpc.json"]),
        ("/rpc", ["/rpc/openrpc.json", "/openrpc.json"]),
        ("/api/v1", ["/api/v1/openrpc.json", "/api/openrpc.json", "/openrpc.json"]),
        ("/v3/{token}", ["/v3/openrpc.json", "/openrpc.json"]),
    ],
)
def test_a_document_is_looked_for_below_the_endpoint_beside_it_and_at_the_origin(path: str, paths: list[str]) -> None:
    assert paths_to_try(Profile("p", "https://x.example", path=path)) == paths
    assert paths_to_try(Profile("p", "tcp://x.example:1", path="")) == []


def test_a_document_that_is_found_where_nobody_named_it_is_read_without_credentials() -> None:
    def answer(request: Received) -> Parts:
        if request.line == "GET /openrpc.json HTTP/1.1":
            return http_reply(json.dumps(DOCUMENT).encode())
        return service({})(request)

    auth = BearerAuth()
    found, server = discovered(answer, auth=auth, token="t0ken-t0ken")
    assert [(method.name, method.dialect) for method in found.methods] == [("a", "/openrpc.json")]
    assert found.described["a"].dialect == "/openrpc.json"
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
def test_nothing_follows_from_a_guess_that_was_wrong(reply: Any) -> None:
    def answer(request: Received) -> Parts:
        return service({"system.listMethods": {"result": ["a"]}})(request) if request.body else reply

    found, server = discovered(answer, auth=COOKIE, password=None)
    assert ([method.name for method in found.methods], found.exit_code) == (["a"], 0)
    assert found.sentences[0] == f"rpc.discover{GUESSED}: not offered (-32601)"
    assert len([request for request in server.requests if not request.body]) == 2


def test_nothing_is_guessed_where_the_service_wants_credentials_or_does_not_understand() -> None:
    for reply in (error(-32098, "Unauthorized"), http_reply(b"<html>")):
        _, server = discovered(service({"rpc.discover": reply, "system.listMethods": reply}))
        assert all(request.body for request in server.requests)


def test_garbage_is_looked_for_again_after_a_large_answer() -> None:
    large = {"result": {**DOCUMENT, "x": "x" * HUGE}}
    found, _ = discovered(service({"rpc.discover": large}), discovery="rpc.discover")
    assert found.found
    assert gc.isenabled()


# --- several at once ---------------------------------------------------------------------------------------------


def test_after_the_first_answer_four_are_asked_at_once_and_each_answer_goes_to_its_question() -> None:
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


def test_one_press_ends_all_that_are_under_way() -> None:
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
    """A server that lets whoever it refuses wait, as aria2 does, by a clock of its own. ``known`` answers by method."""

    def __init__(self, known: Table, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 0.0
        self.refused = 0
        self._answer = service(known)
        clock = SimpleNamespace(perf_counter=lambda: self.now)
        monkeypatch.setattr("rpcexplorer.client.call.time", clock)

    def __call__(self, request: Received) -> Parts:
        reply = self._answer(request)
        if request.body and isinstance(reply, bytes) and b'"error"' in reply:
            self.now += 2.0
            self.refused += 1
        return reply


def test_refusals_that_come_later_end_with_the_time_for_asides(monkeypatch: pytest.MonkeyPatch) -> None:
    table = {
        "system.listMethods": {"result": [f"m{number}" for number in range(36)]},
        "system.methodHelp": lambda params: {"result": "First"} if params == ["m0"] else error(1, "No help"),
    }
    server = SlowRefusals(table, monkeypatch)
    found, _ = discovered(server, discovery="system.listMethods")
    assert (len(found.methods), server.refused) == (36, 4)
    assert "the time was up" in found.sentences[-1]


# --- in which form ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("code", [-32600, -32602])
def test_empty_params_are_an_object_only_where_the_array_was_refused(code: int) -> None:
    def picky(params: Any) -> Any:
        return {"result": DOCUMENT} if params == {} else {"error": {"code": code, "message": "Invalid params"}}

    found, server = discovered(service({"rpc.discover": picky}))
    assert found.found
    assert calls(server) == [("rpc.discover", []), ("rpc.discover", {}), ("system.listMethods", [])]


def test_an_inline_profile_asks_with_its_credentials_first_and_then_without() -> None:
    refused = {"error": {"code": -32602, "message": "no param username"}}
    table = {"rpc.discover": lambda params: {"result": DOCUMENT} if params == {} else refused}
    _, server = discovered(service(table), auth=InlineAuth(username="ada"), password="pw-pw-pw")
    given = {"username": "ada", "password": "pw-pw-pw"}
    assert calls(server) == [
        ("rpc.discover", given), ("rpc.discover", []), ("rpc.discover", {}), ("system.listMethods", given),
    ]  # fmt: skip


def test_a_token_that_is_the_first_of_the_params_goes_with_what_is_asked_of_each_method() -> None:
    table = {
        "system.listMethods": {"result": ["ping"]},
        "system.methodHelp": lambda params: {"result": "Pong."} if params == ["t0ken-t0ken", "ping"] else GONE,
    }
    found, _ = discovered(service(table), auth=FirstAuth(), token="t0ken-t0ken", discovery="system.listMethods")
    assert [(method.name, method.doc) for method in found.methods] == [("ping", "Pong.")]


def test_credentials_that_have_no_place_in_an_array_are_left_out_of_it() -> None:
    table = {"system.listMethods": {"result": ["ping"]}, "system.methodHelp": {"result": "Pong."}}
    settings = {"auth": InlineAuth(username="ada"), "password": "pw-pw-pw", "discovery": "system.listMethods"}
    found, server = discovered(service(table), **settings)
    assert ("system.methodHelp", ["ping"]) in calls(server)
    assert [method.doc for method in found.methods] == ["Pong."]


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        (error(-32601, "Method\nnot found"), "not offered (-32601)"),
        (error(1, "Failure"), "not offered (1 Failure)"),
        (error(-32000, "Unknown\x1b[31m method"), "not offered (-32000 Unknown\x1b[31m method)"),
        ({"error": "No such method"}, "not offered (No such method)"),
        (error(-32098, "Unauthorized"), "asks for credentials (-32098 Unauthorized); this profile sends none"),
        (error(-32002, "Server not initialized"), "needs a handshake first (-32002 Server not initialized): "),
        (
            http_reply(b'{"error": {"code": -32602, "message": "Invalid params"}}', 400),
            "needs unknown params (-32602 Invalid params): call it yourself",
        ),
        (error(-32603, "Out of memory"), "answered: error -32603 Out of memory"),
        ({"result": None}, "not offered (an empty result)"),
        ({"result": "nothing here"}, "answered, but not with an OpenRPC document, which has a list of methods"),
        (http_reply(b"<html>", 404), "not offered (HTTP 404)"),
        (http_reply(b'{"error": {"code": 9, "message": "x"}}', 400), "not offered (9 x)"),
        (
            http_reply(b'{"result": "method name not recognized", "arguments": {}}'),
            "unreadable: Not a JSON-RPC response",
        ),
        (http_reply(b"text"), "unreadable: The response is plain text, not JSON."),
        (
            http_reply(b'{"id": 1, "result": ' + b"[" * 9_999 + b"]" * 9_999 + b"}"),
            "unreadable: it has more than 200 levels",
        ),
        (http_reply(b'{"id": 1, "result": ' + b"1" * 9_999 + b"}"), "unreadable: not JSON"),
    ],
)
def test_every_way_to_say_no_is_a_sentence_and_the_next_dialect_is_asked(reply: Any, said: str) -> None:
    found, _ = discovered(service({"rpc.discover": reply, "system.listMethods": {"result": ["a"]}}))
    assert found.sentences[0].replace(GUESSED, "").startswith(f"rpc.discover: {said}")
    assert [method.name for method in found.methods] == ["a"]


@pytest.mark.parametrize(("status", "code"), [(401, 3), (403, 3), (407, 3), (415, 5), (429, 5), (503, 5)])
def test_a_status_that_holds_for_every_question_ends_it_with_its_own_words(status: int, code: int) -> None:
    found, server = discovered(service({"rpc.discover": http_reply(b"", status, {"WWW-Authenticate": "Basic"})}))
    assert len(server.requests) == 1
    assert found.exit_code == code
    assert found.sentences[0].startswith(f"rpc.discover: HTTP {status} ")


def test_an_answer_beyond_the_limit_is_one_dialects_problem() -> None:
    huge = {"result": {"methods": [{"name": "x" * 5_000}]}}
    found, _ = discovered(service({"rpc.discover": huge, "system.listMethods": {"result": ["a"]}}), limit=1_000)
    assert [method.name for method in found.methods] == ["a"]
    assert "limit" in found.sentences[0]


@pytest.mark.parametrize("silent", ["rpc.discover", "system.listMethods"])
def test_a_service_that_cannot_be_reached_ends_it_with_a_sentence(silent: str) -> None:
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
def test_what_a_service_tells_everybody_takes_no_credentials(auth: Auth) -> None:
    found, server = discovered(service({"rpc.discover": {"result": DOCUMENT}}), auth=auth, password=None)
    assert (found.found, found.exit_code) == (True, 0)
    assert calls(server) == [("rpc.discover", []), ("system.listMethods", [])]


def test_a_login_is_made_as_soon_as_the_service_asks_for_one_all_over_one_connection() -> None:
    def closed(request: Received) -> Parts:
        call = json.loads(request.body)
        login = {"result": True} if call["method"] == "auth" else None
        known = {"result": DOCUMENT} if (request.header("Cookie") or "") == "sessionid=s3ss10n" else CLOSED
        reply = json.dumps({"jsonrpc": "2.0", "id": call["id"], **(login or known)}).encode()
        return [http_reply(reply, 200, {"Set-Cookie": "sessionid=s3ss10n"} if login else {}), NEXT]

    found, server = discovered(closed, auth=COOKIE, password="pw-pw-pw")
    assert found.found
    assert server.connections == 1
    assert [method for method, _ in calls(server)] == ["rpc.discover", "auth", "rpc.discover", "system.listMethods"]


@pytest.mark.parametrize(("auth", "sent"), [(COOKIE, 1), (INLINE, 1), (NoAuth(), 2)])
def test_credentials_that_are_missing_are_asked_for_when_the_service_does(auth: Auth, sent: int) -> None:
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
