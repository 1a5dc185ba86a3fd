"""Tests of the client over sockets, against an independent server."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable
from decimal import Decimal
from hashlib import md5
from pathlib import Path
from typing import Any, cast

import pytest
from msgspec.structs import replace

from rpcexplorer.auth.basic import BasicAuth, InlineAuth, NoAuth
from rpcexplorer.auth.credentials import GivenCredentials
from rpcexplorer.auth.token import BearerAuth, CookieAuth, FirstAuth, HeaderAuth, MemberAuth, QueryAuth
from rpcexplorer.client.client import Client
from rpcexplorer.client.preview import preview
from rpcexplorer.client.profile_client import ProfileClient
from rpcexplorer.model.batch import BatchExchange
from rpcexplorer.model.draft import NAMELESS, Batch, Draft, draft_of, sent_draft
from rpcexplorer.model.exchange import Cancelled, Exchange, Preview, Refused, Sent, Stop, Unreached
from rpcexplorer.model.profile import Auth, Login, Profile, ad_hoc_process
from rpcexplorer.model.secret import Secret
from rpcexplorer.rpc.messages import ErrorObject, Malformed, Result
from tests.fakes.wire import HOLD, NEXT, RESET, Part, Parts, RawServer, Received, Script, http_reply


def answering(**members: Any) -> Callable[[Received], bytes]:
    return lambda request: request.reply(**members)


def exchange_with(
    script: Script, method: str = "ping", params: Any = None, **settings: Any
) -> tuple[Exchange, RawServer]:
    """Call once; return the exchange, and the server with the request."""
    with RawServer(script) as server:

        async def call() -> Exchange:
            async with Client(server.origin, **settings) as client:
                return await client.call(method, params)

        return asyncio.run(call()), server


def test_request_is_that_of_the_service_document() -> None:
    exchange, server = exchange_with(answering(result="pong"))
    request = server.requests[0]
    sent = request.json
    assert request.line == "POST /api/v2/ HTTP/1.1"
    assert request.body == f'{{"jsonrpc":"2.0","id":"{exchange.id}","method":"ping","params":[]}}'.encode()
    assert list(sent) == ["jsonrpc", "id", "method", "params"]
    assert [name for name, _ in request.headers] == ["Host", "Content-Type", "Accept", "Content-Length"]
    assert request.header("content-type") == "application/json-rpc"
    assert request.header("accept") == "*/*"
    assert request.header("content-length") == str(len(request.body))


@pytest.mark.parametrize("method", ["", "  "])
def test_method_without_name_is_not_sent(method: str) -> None:
    exchange, server = exchange_with(answering(result=1), method)
    assert exchange.outcome == Refused("params", NAMELESS)
    assert exchange.exit_code == 2
    assert server.requests == []


def test_exchange_has_request_response_and_timing() -> None:
    exchange, server = exchange_with(answering(result=[1]))
    assert exchange.outcome == Result(b"[1]")
    assert (exchange.method, exchange.kind, exchange.exit_code) == ("ping", "call", 0)
    assert exchange.response.status == 200
    assert exchange.sent == len(server.requests[0].body)
    assert exchange.response.size == len(exchange.response.body)
    assert exchange.response.phases.wait is not None
    assert exchange.seconds > 0


@pytest.mark.parametrize(
    ("settings", "header", "value"),
    [
        ({"content_type": "application/json"}, "content-type", "application/json"),
        ({"accept": "application/json, text/event-stream"}, "accept", "application/json, text/event-stream"),
        ({"headers": (("X-Tenant", "acme"),)}, "x-tenant", "acme"),
    ],
)
def test_request_has_the_form_of_profile(settings: dict[str, Any], header: str, value: str) -> None:
    _, server = exchange_with(answering(result=1), **settings)
    assert server.requests[0].header(header) == value


@pytest.mark.parametrize(("empty_params", "sent"), [("{}", {"params": {}}), ("omit", {})])
def test_empty_params_have_the_form_of_profile(empty_params: str, sent: dict[str, Any]) -> None:
    _, server = exchange_with(answering(result=1), empty_params=empty_params)
    body = json.loads(server.requests[0].body)
    assert {name: body[name] for name in body.keys() - {"jsonrpc", "id", "method"}} == sent


def test_tables_of_a_profile_can_be_dicts() -> None:
    login = {"method": "sign.in", "session": "/id"}
    client = Client("http://127.0.0.1:9", auth="bearer", headers={"X-Tenant": "acme"}, login=login)
    assert client.profile.headers == (("X-Tenant", "acme"),)
    assert client.profile.login == Login(method="sign.in", session="/id")
    assert client.profile.has_sessions


@pytest.mark.parametrize(
    ("name", "advice"),
    [
        ("preset", "rpcexplorer presets show NAME"),
        ("answer", "Write answers"),
        ("method", "call takes the method"),
        ("badge", "Explorer uses profiles"),
        ("timeot", "Did you mean timeout?"),
        ("cookie", "Write auth=CookieAuth(cookie=…)."),
        ("nonsense", "It has path, timeout"),
    ],
)
def test_unknown_argument_is_refused_with_advice(name: str, advice: str) -> None:
    with pytest.raises(TypeError, match=f"^Client has no argument {name}\\. .*{re.escape(advice)}"):
        Client("http://127.0.0.1:9", **cast("Any", {name: "mcp"}))


@pytest.mark.parametrize(
    ("url", "settings", "problem"),
    [
        ("http://127.0.0.1:9", {"timeout": "x"}, "timeout: Expected `float`, got `str`."),
        ("http://127.0.0.1:9", {"timeout": 0}, "timeout: it must be a number of seconds greater than 0."),
        ("http://127.0.0.1:9", {"envelope": "3.0"}, "envelope: '3.0' is not one of 2.0, 1.1, 1.0, transmission."),
        ("ftp://127.0.0.1", {}, "url: it must begin with http://, https://,"),
        ("rpc.example.com", {}, "url: it must begin with http://, https://,"),
        ("http://127.0.0.1:9", {"login": {"sesion": "/id"}}, "login: Object contains unknown field `sesion`."),
        ("tcp://127.0.0.1:9", {"headers": {"X-Tenant": "acme"}}, "headers: only HTTP and WebSocket have headers"),
        ("http://127.0.0.1:9", {"token": "x"}, "token: auth type cookie does not send it."),
        ("http://127.0.0.1:9/rpc", {"username": "ada"}, "username: auth type none does not send it."),
    ],
)
def test_useless_value_is_refused_by_name(url: str, settings: dict[str, Any], problem: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(problem)}"):
        Client(url, **settings)


def test_class_of_an_auth_type_is_refused() -> None:
    with pytest.raises(TypeError, match=re.escape("pass an object, such as BearerAuth()")):
        Client("http://127.0.0.1:9", auth=cast("Any", BearerAuth), token="x")


def test_host_and_port_are_called_by_http() -> None:
    assert Client("127.0.0.1:9").profile.endpoint == "http://127.0.0.1:9/api/v2/"


def test_numbers_are_sent_digit_by_digit() -> None:
    large = 3**200
    params = {"price": Decimal("1.10"), "more": [large, {"tiny": Decimal("-1E-90"), "sum": Decimal(large)}]}
    exchange, server = exchange_with(answering(result=1), params=params)
    sent = f'{{"price":1.10,"more":[{large},{{"tiny":-1E-90,"sum":{large}}}]}}'
    assert exchange.params == sent
    assert server.requests[0].body.endswith(b'"params":%b}' % sent.encode())


@pytest.mark.parametrize("params", [[Decimal("NaN")], {"a": [Decimal("-Infinity")]}])
def test_decimal_that_is_no_number_is_refused(params: Any) -> None:
    with pytest.raises(ValueError, match="not a number in JSON"):
        asyncio.run(Client("http://127.0.0.1:9").call("ping", params))


def batch_with(script: Script, *calls: Any) -> BatchExchange:
    with RawServer(script) as server:

        async def send() -> BatchExchange:
            async with Client(server.origin) as client:
                return await client.batch(calls)

        return asyncio.run(send())


def test_failed_call_hides_no_other_of_batch() -> None:
    def answer(request: Received) -> bytes:
        first, second, third, _ = (call["id"] for call in request.json)
        failed = {"id": second, "error": {"code": -32602, "message": "no"}}
        found = [{"id": "?", "result": 0}, {"id": third, "result": [3]}, failed, {"id": first, "result": 1.10}]
        return http_reply(json.dumps([{"jsonrpc": "2.0", **reply} for reply in found]).encode())

    batch = batch_with(answer, ("a",), ("b", {"n": 2}), ("c", [3], "own"), ("d", None))
    assert [call.outcome_name for call in batch] == ["result", "error", "result", "malformed"]
    assert batch[0].outcome == Result(b"1.1")
    assert batch["own"] is batch[2]
    assert batch[f"{batch.id}.2"].params == '{"n":2}'
    assert [call.outcome for call in batch.unexpected] == [
        Result(b"0", ('unexpected response: no call has the id "?"',))
    ]
    assert (batch.kind, batch.outcome_name, batch.method) == ("batch", "error", "a, b, c, d")
    with pytest.raises(KeyError):
        batch["x"]


@pytest.mark.parametrize("call", ["ping", "a", {"method": "ping", "params": {}}, (), ("a", None, "b", "c")])
def test_batch_refuses_what_is_not_a_call(call: Any) -> None:
    async def send() -> None:
        await Client("http://127.0.0.1:9").batch([call])

    with pytest.raises(TypeError, match=re.escape(f"{call!r} is not a call. Write method, params and id as a tuple")):
        asyncio.run(send())


def test_batch_without_response_has_outcome_of_each() -> None:
    batch = batch_with([RESET], ("a",), ("b",))
    assert [(call.method, call.outcome) for call in batch] == [("a", batch.outcome), ("b", batch.outcome)]
    assert isinstance(batch.outcome, Unreached)


@pytest.mark.parametrize(
    ("path", "settings", "line", "content_type"),
    [
        ("", {}, "POST /api/v2/ HTTP/1.1", "application/json-rpc"),
        ("/api/v2/", {}, "POST /api/v2/ HTTP/1.1", "application/json-rpc"),
        ("/rpc", {}, "POST /rpc HTTP/1.1", "application/json"),
        ("/rpc", {"content_type": "text/x"}, "POST /rpc HTTP/1.1", "text/x"),
        ("/base", {"path": "/rpc"}, "POST /base/rpc HTTP/1.1", "application/json"),
    ],
)
def test_client_has_the_defaults_of_its_address(
    path: str, settings: dict[str, Any], line: str, content_type: str
) -> None:
    with RawServer(answering(result=1)) as server:

        async def call() -> Exchange:
            async with Client(f"{server.origin}{path}", **settings) as client:
                return await client.send(Draft("ping"))

        assert isinstance(asyncio.run(call()).outcome, Result)
    (request,) = server.requests
    assert (request.line, request.header("Content-Type")) == (line, content_type)


def test_client_with_credentials_logs_in_at_service_path() -> None:
    def service(request: Received) -> bytes:
        return request.reply(result=1, headers={"Set-Cookie": "sessionid=fresh-fresh"})

    _, server = exchange_with(service, username="ada", password="hunter2hunter2")
    assert server.methods == ["auth", "ping"]


def test_exchange_keeps_typed_and_sent_params() -> None:
    draft = Draft("ping", '["1"]', typed='["{{a}}"]')

    def answer(request: Received) -> bytes:
        return http_reply(b"[]") if request.body.startswith(b"[") else request.reply(result="pong")

    with RawServer(answer) as server:

        async def call(draft: Draft | Batch) -> Exchange:
            async with Client(server.origin) as client:
                return await client.send(draft)

        exchange = asyncio.run(call(draft))
        assert (exchange.params, exchange.params_sent) == ('["{{a}}"]', '["1"]')
        recorded = ('["{{a}}"]', '["1"]')
        # If it is sent again, nothing in it is resolved again.
        assert sent_draft(exchange) == replace(draft, sources=recorded)
        assert draft_of(exchange) == Draft("ping", '["{{a}}"]', sources=recorded)
        batch = asyncio.run(call(Batch('[{"method": "a"}]', typed="[{{a}}]")))
        assert (batch.params, batch.params_sent) == ("[{{a}}]", '[{"method": "a"}]')
        assert sent_draft(batch) == Batch('[{"method": "a"}]', typed="[{{a}}]")
        again = asyncio.run(call(Draft("ping", '["{{a}}"]', typed='["{{a}}"]')))
        assert (again.params, again.params_sent) == ('["{{a}}"]', None)
    assert json.loads(server.requests[0].body)["params"] == ["1"]


def test_cookie_client_logs_in_and_keeps_session() -> None:
    def script(request: Received) -> bytes:
        method = request.json["method"]
        cookies = {"Set-Cookie": "sessionid=fresh; Path=/; HttpOnly"} if method == "auth" else {}
        return request.reply(result=method, headers=cookies)

    with RawServer(script) as server:

        async def twice() -> list[Exchange]:
            async with Client(server.origin, auth="cookie", username="ada", password="hunter2hunter2") as client:
                return [await client.call("ping"), await client.call("ping")]

        first, second = asyncio.run(twice())
    methods = server.methods
    assert methods == ["auth", "ping", "ping"]
    assert json.loads(server.requests[0].body)["params"] == {"username": "ada", "password": "hunter2hunter2"}
    assert server.requests[0].header("cookie") is None
    assert [request.header("cookie") for request in server.requests[1:]] == ["sessionid=fresh"] * 2
    assert any("logged in" in note for note in first.notes)
    assert second.notes == ()


def failed_login(*script: Part, **settings: Any) -> Exchange:
    exchange, server = exchange_with([*script], auth="cookie", username="demo", password="demo", **settings)
    assert server.methods == ["auth"]
    return exchange


@pytest.mark.parametrize(
    "script",
    [[], [RESET], [http_reply(b"part", headers={"Content-Length": "9"})], [http_reply(b"<html>", 504)], [HOLD]],
    ids=["close", "reset", "cut", "gateway timeout", "timeout"],
)
def test_failed_login_never_ran_the_call(script: list[Part]) -> None:
    exchange = failed_login(*script, timeout=0.2)
    assert not getattr(exchange.outcome, "maybe_ran", False)
    assert "run" not in str(exchange.outcome)


def test_failed_login_names_the_address() -> None:
    exchange = failed_login(http_reply(b'{"id": 1, "error": {"code": 1, "message": "no"}}'))
    assert isinstance(exchange.outcome, Refused)
    assert exchange.outcome.sentence.startswith(f"The login to {exchange.url.removesuffix('/api/v2/')} (")


def test_call_cancelled_during_login_never_ran() -> None:
    with RawServer([HOLD]) as server:

        async def call() -> Exchange:
            stop = Stop()
            async with Client(server.origin, auth="cookie", username="demo", password="demo") as client:
                return await client.send(
                    Draft("ping"),
                    stop=stop,
                    watch=lambda progress: stop.press() if progress.step == "waiting" else None,
                )

        exchange = asyncio.run(asyncio.wait_for(call(), 5))
    assert exchange.outcome == Cancelled(maybe_ran=False)


def test_ended_session_causes_one_login_and_one_retry() -> None:
    def script(request: Received) -> bytes:
        if request.json["method"] == "auth":
            return request.reply(result={}, headers={"Set-Cookie": "sessionid=fresh"})
        if request.header("cookie") == "sessionid=fresh":
            return request.reply(result="pong")
        return request.reply(error={"code": -32001, "message": "session has ended"})

    exchange, server = exchange_with(script, auth="cookie", username="a", password="hunter2hunter2", session="stale")
    assert exchange.outcome == Result(b'"pong"')
    assert server.methods == ["ping", "auth", "ping"]


def test_only_inline_credentials_are_sent() -> None:
    exchange, server = exchange_with(
        answering(result=1), "arg_test", {"x": 1}, auth="inline", username="ada", password='hu"nter\\2é'
    )
    assert json.loads(server.requests[0].body)["params"] == {"x": 1, "username": "ada", "password": 'hu"nter\\2é'}
    assert "nter" not in repr(exchange)
    assert exchange.params == '{"x":1}'


def test_missing_credentials_are_named() -> None:
    exchange, server = exchange_with(answering(result=1), "arg_test", auth="inline", username="ada")
    assert exchange.outcome == Refused(
        "credentials", "No password was given: pass password=… to the client.", "password"
    )
    assert exchange.exit_code == 3
    assert server.requests == []


def test_redirect_is_shown_and_not_followed() -> None:
    with RawServer(answering(result=1)) as other:
        exchange, server = exchange_with(
            http_reply(b"", status=307, headers={"Location": other.url}), "auth", {"password": "p"}
        )
    assert isinstance(exchange.outcome, Malformed)
    assert other.url in exchange.outcome.reason
    assert "not followed" in exchange.outcome.reason
    assert (len(server.requests), other.requests) == (1, [])


def test_incomplete_body_is_kept() -> None:
    exchange, _ = exchange_with(b'HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{"jsonrpc"')
    assert isinstance(exchange.outcome, Unreached)
    assert exchange.outcome.maybe_ran
    assert exchange.response.body == b'{"jsonrpc"'


def test_stop_ends_call_and_keeps_received_data() -> None:
    with RawServer([b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n[1,", HOLD]) as server:

        async def call() -> Exchange:
            stop = Stop()
            async with Client(server.origin) as client:
                return await client.send(
                    Draft("ping"), stop=stop, watch=lambda progress: stop.press() if progress.received else None
                )

        exchange = asyncio.run(asyncio.wait_for(call(), 5))
    assert exchange.outcome == Cancelled(maybe_ran=True)
    assert exchange.exit_code == 130
    assert exchange.response.status == 200


def test_stop_before_the_call_sends_nothing() -> None:
    with RawServer(answering(result=1)) as server:

        async def call() -> Exchange:
            stop = Stop()
            stop.press()
            async with Client(server.origin) as client:
                return await client.send(Draft("ping"), stop=stop)

        exchange = asyncio.run(call())
    assert exchange.outcome == Cancelled(maybe_ran=False)
    assert server.requests == []


def test_client_of_a_process_needs_its_words() -> None:
    outcome = asyncio.run(Client("stdio:").call("ping")).outcome
    assert isinstance(outcome, Refused)
    assert 'command=["pylsp"]' in outcome.sentence


def test_language_server_gets_the_absolute_working_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    client = Client("stdio:", command=["sh", "-c", 'read -r line; echo "$line" >line'], handshake="lsp")
    assert isinstance(asyncio.run(client.call("ping")).outcome, Unreached)
    assert json.loads((tmp_path / "line").read_text())["params"]["rootUri"] == tmp_path.as_uri()


def test_notification_needs_no_response() -> None:
    with RawServer(http_reply(b"", status=204)) as server:

        async def notify() -> Exchange:
            async with Client(server.origin) as client:
                return await client.notify("log", ["x"])

        exchange = asyncio.run(notify())
    assert exchange.outcome == Sent()
    assert json.loads(server.requests[0].body) == {"jsonrpc": "2.0", "method": "log", "params": ["x"]}


@pytest.mark.parametrize(("script", "exit_code"), [(b"", 0), ((RESET,), 4), (b"SSH-2.0 hello\r\n\r\n", 4)])
def test_server_may_close_connection_after_notification(script: Any, exit_code: int) -> None:
    with RawServer(script) as server:

        async def notify() -> list[Exchange]:
            async with Client(server.origin) as client:
                return [await client.notify("log"), await client.call("log")]

        notified, called = asyncio.run(notify())
    assert notified.exit_code == exit_code
    assert called.exit_code == 4, "a call wants its response"


def test_notification_on_closed_reused_connection_is_uncertain() -> None:
    def answer(request: Received) -> Parts:
        return [request.reply(result=1), NEXT] if b'"id"' in request.body else b""

    with RawServer(answer) as server:

        async def notify() -> Exchange:
            async with Client(server.origin) as client:
                await client.call("ping")
                return await client.notify("log")

        notified = asyncio.run(notify())
    assert len(server.requests) == 2
    assert isinstance(notified.outcome, Unreached)
    assert notified.outcome.maybe_ran


@pytest.mark.parametrize(
    ("reply", "kind"),
    [
        (http_reply(b'{"jsonrpc":"2.0","id":null,"error":{"code":-32601,"message":"no"}}'), ErrorObject),
        (http_reply(b'{"jsonrpc":"2.0","id":null,"result":1}'), Result),
        (http_reply(b"OK"), Sent),
        (http_reply(b"", status=405), Malformed),
    ],
)
def test_response_to_notification_is_shown(reply: bytes, kind: type) -> None:
    with RawServer(reply) as server:

        async def notify() -> Exchange:
            async with Client(server.origin) as client:
                return await client.notify("log")

        assert isinstance(asyncio.run(notify()).outcome, kind)


def test_batch_is_one_body_with_several_ids() -> None:
    def script(request: Received) -> bytes:
        calls = request.json
        return http_reply(json.dumps([{"jsonrpc": "2.0", "id": call["id"], "result": 1} for call in calls]).encode())

    with RawServer(script) as server:

        async def batch() -> Exchange:
            async with Client(server.origin) as client:
                return await client.batch([("a", None), ("b", {"x": 1})])

        exchange = asyncio.run(batch())
    calls = json.loads(server.requests[0].body)
    assert [call["params"] for call in calls] == [[], {"x": 1}]
    assert [call["id"] for call in calls] == [f"{exchange.id}.1", f"{exchange.id}.2"]
    assert isinstance(exchange.outcome, Result)
    assert (exchange.kind, exchange.method) == ("batch", "a, b")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[1", "line 1"),
        ('{"method":"a"}', "a batch must be an array"),
        ("[]", "the batch is empty"),
        ("[1]", "each call of a batch must be an object"),
        ('[{"params":[]}]', "a call needs a method"),
        ('[{"method":"a","params":1}]', "array or an object"),
        ('[{"method":"a"},\n {"method":"b","parms":[]}]', "line 2, column 2: “parms”"),
        ('[{"method":"a","id":true}]', "an id must be a string or a whole number"),
        ('[{"method":"a","id":1.5}]', "an id must be a string or a whole number"),
    ],
)
def test_invalid_batch_names_place_and_reason(text: str, words: str) -> None:
    async def batch() -> Exchange:
        async with Client("http://127.0.0.1:9") as client:
            return await client.send(Batch(text))

    outcome = asyncio.run(batch()).outcome
    assert isinstance(outcome, Refused)
    assert outcome.why == "params"
    assert words in outcome.sentence


def test_invalid_params_name_place_and_reason() -> None:
    async def call() -> Exchange:
        async with Client("http://127.0.0.1:9") as client:
            return await client.send(Draft("arg_test", '["username": "ada"]'))

    exchange = asyncio.run(call())
    assert isinstance(exchange.outcome, Refused)
    assert "line 1, column 12" in exchange.outcome.sentence
    assert exchange.exit_code == 2


def fetched(script: Script, path: str = "/openrpc.json", **settings: Any) -> tuple[Exchange, RawServer]:
    with RawServer(script) as server:

        async def fetch() -> Exchange:
            async with Client(server.origin, path="/base", **settings) as client:
                return await client.send(Draft(path), document=path)

        return asyncio.run(fetch()), server


def test_document_is_fetched_from_origin_without_the_call() -> None:
    exchange, server = fetched(http_reply(b' {"openrpc": "1.3.2"}'), "/docs/openrpc.json?v=1")
    (request,) = server.requests
    assert (request.line, request.body) == ("GET /docs/openrpc.json?v=1 HTTP/1.1", b"")
    assert [name for name, _ in request.headers] == ["Host", "Accept"]
    assert exchange.outcome == Result(b' {"openrpc": "1.3.2"}')
    assert exchange.url == f"{server.origin}/docs/openrpc.json?v=1"


@pytest.mark.parametrize(
    ("auth", "line", "header", "value"),
    [
        (BasicAuth(username="ada"), "GET /d HTTP/1.1", "Authorization", "Basic YWRhOmh1bnRlcjJodW50ZXIy"),
        (BearerAuth(), "GET /d HTTP/1.1", "Authorization", "Bearer tok-4711-tok"),
        (HeaderAuth(header="X-Key"), "GET /d HTTP/1.1", "X-Key", "tok-4711-tok"),
        (QueryAuth(), "GET /d?apikey=tok-4711-tok HTTP/1.1", "Authorization", None),
        (CookieAuth(), "GET /d HTTP/1.1", "Cookie", "sessionid=ses-4711"),
        (InlineAuth(username="ada"), "GET /d HTTP/1.1", "Authorization", None),
        (FirstAuth(), "GET /d HTTP/1.1", "Authorization", None),
        (MemberAuth(), "GET /d HTTP/1.1", "Authorization", None),
    ],
)
def test_document_request_has_credentials_but_no_body(auth: Auth, line: str, header: str, value: str | None) -> None:
    secrets = {"password": "hunter2hunter2", "session": "ses-4711", "token": "tok-4711-tok"}
    fields = Profile("p", "http://127.0.0.1", auth=auth).secrets
    secrets = {field: secret for field, secret in secrets.items() if field in fields}
    exchange, server = fetched(http_reply(b"{}"), "/d", auth=auth, **secrets)
    (request,) = server.requests
    assert (request.line, request.header(header), request.body) == (line, value, b"")
    assert exchange.outcome == Result(b"{}")
    assert "4711" not in exchange.url


def test_digest_of_document_uses_its_request() -> None:
    challenge = {"WWW-Authenticate": 'Digest realm="r", nonce="n", qop="auth", algorithm=MD5'}

    def script(request: Received) -> bytes:
        answer = request.header("authorization")
        if answer is None:
            return http_reply(b"", 401, challenge)
        fields = dict(re.findall(r'(\w+)="?([^",]+)"?', answer))
        first, second = (md5(text.encode()).hexdigest() for text in ("ada:r:hunter2hunter2", "GET:/openrpc.json"))
        proof = md5(f"{first}:n:{fields['nc']}:{fields['cnonce']}:auth:{second}".encode()).hexdigest()
        return http_reply(b"{}") if fields["response"] == proof else http_reply(b"", 403)

    exchange, _ = fetched(script, auth="digest", username="ada", password="hunter2hunter2")
    assert exchange.outcome == Result(b"{}")


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        (http_reply(b"", 302, {"Location": "https://elsewhere.example/"}), "redirects to https://elsewhere.example/"),
        (http_reply(b"{}", 404), "did not return a document"),
        (http_reply(b"{}", 206), "did not return a document"),
        (http_reply(b"<html>"), "document is not JSON"),
        (http_reply(b""), "empty"),
        (http_reply(b'{"a": "\xff"}'), "not UTF-8"),
        (http_reply(b"", 401), "HTTP 401"),
    ],
)
def test_invalid_document_is_explained(reply: bytes, words: str) -> None:
    exchange, server = fetched(reply)
    assert isinstance(exchange.outcome, Malformed)
    assert words in exchange.outcome.reason
    assert len(server.requests) == 1


def test_document_beyond_the_limit_is_not_read() -> None:
    exchange, _ = fetched(http_reply(b'{"a": "' + b"x" * 5_000), reply_limit=1_000)
    assert isinstance(exchange.outcome, Unreached)
    assert exchange.outcome.step == "size"


@pytest.mark.parametrize(
    ("auth", "line"),
    [(QueryAuth(name="apikey"), "/rpc?x=1&apikey=t0k%2Fen"), (HeaderAuth(value="{token}"), "/rpc?x=1")],
)
def test_call_over_a_socket_is_the_previewed_one(auth: Auth, line: str, tmp_path: Path) -> None:
    path = str(tmp_path / "a?b#c d.sock")
    profile = Profile("p", f"http+unix://{path}", "/rpc?x=1", auth=auth)

    async def call() -> Exchange:
        async with ProfileClient(profile, GivenCredentials(token="t0k/en")) as client:
            return await client.send(Draft("ping"))

    with RawServer(answering(result="pong"), socket_path=path) as server:
        exchange = asyncio.run(call())
    (request,) = server.requests
    assert exchange.outcome == Result(b'"pong"')
    assert (request.line, request.header("Host")) == (f"POST {line} HTTP/1.1", "localhost")
    shown = preview(profile, Draft("ping"), exchange.id, has_session=False)
    assert isinstance(shown, Preview)
    assert shown.line == request.line.replace("t0k%2Fen", "«p.token»")
    assert [name for name, _ in shown.headers] == [name for name, _ in request.headers]


def test_digest_over_a_socket_signs_the_path(tmp_path: Path) -> None:
    challenge = {"WWW-Authenticate": 'Digest realm="r", nonce="n", qop="auth", algorithm=MD5', "Connection": "close"}
    path = str(tmp_path / "x.sock")

    async def call() -> Exchange:
        url = f"http+unix://{path}:/rpc"
        async with Client(url, auth="digest", username="ada", password="hunter2hunter2") as client:
            return await client.send(Draft("ping"))

    with RawServer(http_reply(b"", 401, challenge), answering(result=1), socket_path=path) as server:
        assert asyncio.run(call()).outcome == Result(b"1")
    assert 'uri="/rpc"' in (server.requests[1].header("Authorization") or "")


def test_document_is_fetched_over_the_socket(tmp_path: Path) -> None:
    path = str(tmp_path / "x.sock")

    async def fetch() -> Exchange:
        async with Client(f"http+unix://{path}", path="/base") as client:
            return await client.send(Draft("/openrpc.json"), document="/openrpc.json")

    with RawServer(http_reply(b"{}"), socket_path=path) as server:
        exchange = asyncio.run(fetch())
    assert (exchange.outcome, exchange.url) == (Result(b"{}"), f"http+unix://{path}:/openrpc.json")
    assert server.requests[0].line == "GET /openrpc.json HTTP/1.1"


@pytest.mark.parametrize("url", ["http+unix://", "http+unix://:/x", "http+unix://run/x.sock"])
def test_address_without_a_socket_sends_nothing(url: str) -> None:
    async def call() -> Exchange:
        async with Client(url) as client:
            return await client.send(Draft("ping"))

    outcome = asyncio.run(call()).outcome
    assert isinstance(outcome, Unreached)
    assert outcome.step == "url"


def cookies(profile: Profile, *, has_session: bool) -> list[str]:
    found = preview(profile, Draft("ping", "[]"), "1", has_session=has_session)
    assert isinstance(found, Preview)
    return [value for name, value in found.headers if name == "Cookie"]


def test_preview_shows_session_as_reference() -> None:
    shop = Profile("shop", "https://rpc.example.com", auth=CookieAuth())
    assert cookies(shop, has_session=True) == ["sessionid=«shop.session»"]
    assert cookies(shop, has_session=False) == []


@pytest.mark.parametrize("auth", [CookieAuth(), NoAuth()])
def test_preview_keeps_own_cookie_of_profile(auth: CookieAuth | NoAuth) -> None:
    shop = Profile("shop", "https://rpc.example.com", auth=auth, headers=(("Cookie", "a=bcd"),))
    assert cookies(shop, has_session=False) == ["a=bcd"]


INLINE = Profile("shop", "https://rpc.example.com", auth=InlineAuth("ada"))


def body_of(text: str, *secrets: Secret, profile: Profile = INLINE) -> tuple[str, str]:
    found = preview(profile, Draft("m", text), "1", has_session=False, secrets=secrets)
    assert isinstance(found, Preview)
    return found.body.decode(), found.doubt


def test_preview_shows_typed_params_as_sent() -> None:
    body, doubt = body_of(
        '{"password":"bobs-new-pw","mine":"hunter2-hunter2"}', Secret("hunter2-hunter2", "shop.password")
    )
    assert '"password":"bobs-new-pw","mine":"«shop.password»"' in body
    assert doubt == ""


def test_preview_of_unsendable_params_shows_the_reason() -> None:
    for mark, reason in (
        ("«not recorded»", "not recorded"),
        ("«other.password»", "profile other"),
        ("x «shop.password»", "longer"),
    ):
        body, doubt = body_of(f'{{"x":"{mark}"}}')
        assert mark in body
        assert reason in doubt


@pytest.mark.parametrize("url", ["https://h", "http+unix:///run/x.sock"])
def test_preview_redacts_secret_of_typed_address(url: str) -> None:
    profile = Profile("url", url, "/rpc?password=hunter2hunter2", ad_hoc=True)
    made = preview(profile, Draft("ping"), "1", has_session=False)
    assert isinstance(made, Preview)
    assert made.line == "POST /rpc?password=«not recorded» HTTP/1.1"


STREAM = Profile("p", "tcp://h:1", "")


@pytest.mark.parametrize(
    ("profile", "facts", "headers", "body"),
    [
        (STREAM, {"address": "tcp://h:1"}, (), '{"jsonrpc":"2.0","id":"1","method":"m","params":["é"]}'),
        (
            replace(STREAM, url="unix:///run/x", framing="length", envelope="1.0"),
            {"address": "unix:///run/x"},
            (("Content-Length", "39"),),
            '{"id":"1","method":"m","params":["é"]}',
        ),
        (
            replace(STREAM, framing="none", handshake="lsp", auth=MemberAuth(member="key"), envelope="1.0"),
            {"address": "tcp://h:1", "handshake": "initialize, initialized"},
            (),
            '{"id":"1","method":"m","params":["é"],"key":"«p.token»"}',
        ),
        (ad_hoc_process(["serve"]), {}, (), '{"jsonrpc":"2.0","id":"1","method":"m","params":["é"]}'),
    ],
)
def test_preview_without_http_shows_framing_and_message(
    profile: Profile, facts: dict[str, str], headers: tuple[tuple[str, str], ...], body: str
) -> None:
    made = preview(profile, Draft("m", '["é"]'), "1", has_session=False)
    assert isinstance(made, Preview)
    assert (made.line, dict(made.facts), made.headers, made.body.decode()) == ("", facts, headers, body)


def test_preview_of_unusable_address_is_refused() -> None:
    for url in ("tcp://[x", "ws://h:99999", "unix://x"):
        assert isinstance(preview(replace(STREAM, url=url), Draft("m"), "1", has_session=False), Refused)


def test_preview_of_initialize_has_no_handshake() -> None:
    made = preview(replace(STREAM, handshake="mcp"), Draft("initialize", "{}"), "1", has_session=False)
    assert isinstance(made, Preview)
    assert made.facts == (("address", "tcp://h:1"),)


@pytest.mark.parametrize(
    ("profile", "line", "own"),
    [
        (Profile("p", "wss://h:1", "/x", auth=BearerAuth()), "/x", ("Authorization", "Bearer «p.token»")),
        (Profile("p", "ws://h", "/v/{token}", headers=(("X-A", "b"),)), "/v/«p.token»", ("X-A", "b")),
        (Profile("p", "ws://h", "/", auth=QueryAuth(name="key")), "/?key=«p.token»", ("Upgrade", "websocket")),
    ],
)
def test_preview_over_websocket_shows_the_upgrade(profile: Profile, line: str, own: tuple[str, str]) -> None:
    made = preview(profile, Draft("m"), "1", has_session=False)
    assert isinstance(made, Preview)
    assert made.line == f"GET {line} HTTP/1.1"
    assert made.headers[0] == ("Host", profile.url.partition("://")[2])
    assert own in made.headers
    assert made.headers[-2:] == (("Sec-WebSocket-Key", "(random)"), ("Sec-WebSocket-Version", "13"))
    assert made.body == b'{"jsonrpc":"2.0","id":"1","method":"m","params":[]}'


@pytest.mark.parametrize("path", ["/v3/«not recorded»/x", "/not-recorded/«not recorded»"])
def test_preview_marks_only_unrecorded_parts_of_address(path: str) -> None:
    profile = Profile("url", f"https://rpc.example.com{path}", path="", ad_hoc=True)
    made = preview(profile, Draft("ping"), "1", has_session=False)
    assert isinstance(made, Preview)
    assert made.line == f"POST {path} HTTP/1.1"
