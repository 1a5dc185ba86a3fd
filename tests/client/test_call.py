"""Tests of requests and responses in the form of a profile, over sockets."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any

import pytest
from msgspec.structs import replace

from rpcexplorer.auth.credentials import GivenCredentials
from rpcexplorer.auth.token import CookieAuth
from rpcexplorer.client.client import Client
from rpcexplorer.client.preview import preview
from rpcexplorer.client.profile_client import ProfileClient
from rpcexplorer.history.record import to_exchange, to_record
from rpcexplorer.model.draft import BY_NAME, NO_BATCH, Batch, Draft
from rpcexplorer.model.exchange import Exchange, Preview, Refused, Sent, Unreached
from rpcexplorer.model.profile import Profile
from rpcexplorer.model.secret import Secret
from rpcexplorer.rpc.messages import ErrorObject, Malformed, Result, number_of
from tests.fakes.wire import RawServer, Received, http_reply

OLD = Profile("old", "", envelope="1.0", id="number")
TORRENTS = Profile("torrents", "", envelope="transmission", empty_params="omit")


class OneSecret(GivenCredentials):
    """A CredentialSource with one secret value."""

    def in_use(self) -> tuple[Secret, ...]:
        return (Secret("hunter2-secret", "dev.password"),)


def exchange_with(
    profile: Profile, draft: Draft | Batch, answer: Callable[[Any], str], id: str | None = None, **headers: str
) -> tuple[Exchange, RawServer]:
    """Call once; `answer` makes the response from the request."""

    def reply(request: Received) -> bytes:
        return http_reply(answer(request.json).encode(), headers=headers)

    async def call(url: str) -> Exchange:
        settled = replace(profile, url=url)
        async with ProfileClient(settled, OneSecret(password="x")) as client:
            return await client.send(draft, id=id)

    with RawServer(reply) as server:
        return asyncio.run(call(server.origin)), server


def of_1_0(sent: Any) -> str:
    return json.dumps({"result": [sent["method"]], "error": None, "id": sent["id"]})


def of_transmission(sent: Any) -> str:
    return json.dumps({"arguments": {"method": sent["method"]}, "result": "success", "tag": sent["tag"]})


def test_json_rpc_1_number_ids_have_no_warning() -> None:
    exchange, server = exchange_with(OLD, Draft("getinfo"), of_1_0)
    sent = server.requests[0].body
    assert sent == f'{{"id":{number_of(exchange.id)},"method":"getinfo","params":[]}}'.encode()
    assert exchange.outcome == Result(b'["getinfo"]')
    assert exchange.outcome.habits == ()


def test_transmission_format_is_sent_and_read() -> None:
    exchange, server = exchange_with(TORRENTS, Draft("torrent-get", '{"ids":[1]}'), of_transmission)
    tag = number_of(exchange.id)
    assert server.requests[0].body == f'{{"method":"torrent-get","arguments":{{"ids":[1]}},"tag":{tag}}}'.encode()
    assert exchange.outcome == Result(b'{"method": "torrent-get"}')
    refused, _ = exchange_with(TORRENTS, Draft("x"), lambda sent: json.dumps({"result": "no", "tag": sent["tag"]}))
    assert refused.outcome == ErrorObject(None, "no", None, b'"no"')
    assert refused.exit_code == 1


@pytest.mark.parametrize("profile", [OLD, TORRENTS])
@pytest.mark.parametrize(("id", "sent"), [("7", 7), ("seven", "seven")])
def test_given_id_is_sent_unchanged(profile: Profile, id: str, sent: object) -> None:
    name = "tag" if profile is TORRENTS else "id"
    _, server = exchange_with(profile, Draft("ping"), lambda _: "{}", id=id)
    assert json.loads(server.requests[0].body)[name] == sent


def test_calls_of_batch_have_numbers_as_ids() -> None:
    def answer(sent: Any) -> str:
        return json.dumps([json.loads(of_1_0(call)) for call in sent if call["id"] is not None])

    rows = Batch('[{"method":"a"},{"method":"b","id":null},{"method":"c","id":"5"}]')
    exchange, server = exchange_with(OLD, rows, answer)
    assert isinstance(exchange.outcome, Result), exchange.outcome
    assert exchange.outcome.remarks == ()
    assert [call["id"] for call in json.loads(server.requests[0].body)] == [number_of(f"{exchange.id}.1"), None, 5]


@pytest.mark.parametrize(
    ("draft", "sentence"), [(Batch('[{"method":"a"}]'), NO_BATCH), (Draft("torrent-remove", "[1]"), BY_NAME)]
)
def test_batch_in_transmission_format_is_not_sent(draft: Draft | Batch, sentence: str) -> None:
    exchange, server = exchange_with(TORRENTS, draft, of_transmission)
    assert exchange.outcome == Refused("params", sentence)
    assert server.requests == []
    assert preview(TORRENTS, draft, "1", has_session=False) == Refused("params", sentence)


def test_answered_notification_of_1_0_is_noted() -> None:
    exchange, server = exchange_with(OLD, Draft("ping", notification=True), of_1_0)
    assert server.requests[0].body == b'{"id":null,"method":"ping","params":[]}'
    assert exchange.outcome == Result(b'["ping"]', ("the server sent a response to a notification",))
    silent, _ = exchange_with(OLD, Draft("ping", notification=True), lambda _: "")
    assert silent.outcome == Sent()


@pytest.mark.parametrize(
    "profile", [OLD, TORRENTS, Profile("p", "", envelope="1.1"), Profile("p", "", id="number", empty_params="{}")]
)
@pytest.mark.parametrize(
    "draft", [Draft("ping"), Draft("ping", '{"a":1.10}'), Draft("ping", notification=True)], ids=str
)
def test_preview_equals_the_sent_body(profile: Profile, draft: Draft) -> None:
    exchange, server = exchange_with(profile, draft, lambda _: "{}")
    shown = preview(replace(profile, url=server.origin), draft, exchange.id, has_session=False)
    assert isinstance(shown, Preview)
    assert shown.body == server.requests[0].body


def test_login_id_has_the_form_of_profile() -> None:
    profile = replace(OLD, auth=CookieAuth(username="ada"))
    for draft in (Draft("ping"), Draft("ping", notification=True)):
        exchange, server = exchange_with(profile, draft, of_1_0, **{"Set-Cookie": "sessionid=abc12345"})
        login = json.loads(server.requests[0].body)
        assert (login["method"], type(login["id"])) == ("auth", int)
        assert not isinstance(exchange.outcome, Malformed)


@pytest.mark.parametrize("id", ["number", "string"])
def test_streamed_response_is_read_and_recorded(id: Any) -> None:
    note = '{"jsonrpc":"2.0","method":"progress"}'

    def answer(sent: Any) -> str:
        reply = json.dumps({"jsonrpc": "2.0", "id": sent["id"], "result": [1]})
        other = '{"jsonrpc":"2.0","id":99,"result":2}'
        return f": hello\r\n\r\ndata: {note}\r\n\r\ndata: {reply}\r\n\r\ndata: {other}\r\n\r\n"

    profile = Profile("mcp", "", id=id)
    exchange, _ = exchange_with(profile, Draft("ping"), answer, **{"Content-Type": "text/event-stream"})
    assert exchange.outcome == Result(b"[1]", ("the response is an event stream, with 1 other event before it",))
    again = to_exchange(to_record(exchange))
    assert isinstance(again, Exchange)
    assert again.outcome == exchange.outcome


BASIC = {"WWW-Authenticate": 'Basic realm="rpc"', "Proxy-Authenticate": "Negotiate"}


def called(reply: bytes, kind: str = "none") -> Exchange:
    account: dict[str, Any] = {} if kind == "none" else {"username": "ann", "password": "pw-pw-pw"}

    async def call(url: str) -> Exchange:
        async with Client(url, auth=kind, **account) as client:
            return await client.call("ping")

    with RawServer(reply) as server:
        return asyncio.run(call(server.origin))


@pytest.mark.parametrize(
    ("status", "headers", "code", "sentence"),
    [
        (
            401,
            BASIC,
            3,
            'HTTP 401 Unauthorized: the server asks for credentials (Basic realm="rpc").',
        ),
        (401, {}, 3, "HTTP 401 Unauthorized: the server asks for credentials."),
        (403, {}, 3, "HTTP 403 Forbidden: you may not do this at http://127.0.0.1"),
        (407, BASIC, 3, "a proxy in front of the server asks for credentials (Negotiate). Ask the"),
        (415, {}, 5, "HTTP 415 Unsupported Media Type: the server does not accept application/json-rpc."),
        (429, {"Retry-After": "7"}, 5, "too many requests. Try again in 7 s."),
        (429, {}, 5, "Try again later."),
        (503, {"Retry-After": "Fri, 31 Dec 1999 23:59:59 GMT"}, 5, "Try again after Fri, 31 Dec 1999 23:59:59 GMT."),
    ],
)
@pytest.mark.parametrize("body", [b"", b"<html>no", b"{}"])
def test_status_is_explained(status: int, headers: dict[str, str], code: int, sentence: str, body: bytes) -> None:
    exchange = called(http_reply(body, status, headers))
    assert isinstance(exchange.outcome, Malformed)
    assert sentence in exchange.outcome.reason
    shows_page = body == b"<html>no" and status not in {401, 407}
    assert ("HTML page" in exchange.outcome.reason) == shows_page, (
        "The page is mentioned if the status does not explain the failure."
    )
    assert exchange.exit_code == code


@pytest.mark.parametrize(("status", "code"), [(401, 3), (403, 3), (404, 4)])
def test_refused_websocket_exits_by_its_status(status: int, code: int) -> None:
    async def call(url: str) -> Exchange:
        async with Client(url, auth="none") as client:
            return await client.call("ping")

    with RawServer(http_reply(b"", status)) as server:
        exchange = asyncio.run(call(server.origin.replace("http", "ws")))
    assert isinstance(exchange.outcome, Unreached)
    assert exchange.exit_code == code


def test_proxy_status_407_exits_3_and_names_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    async def call() -> Exchange:
        async with Client("http://rpc.example.invalid", auth="none") as client:
            return await client.call("ping")

    with RawServer(http_reply(b"<html>", 407, headers={"Content-Length": "100"})) as proxy:
        monkeypatch.setenv("HTTP_PROXY", proxy.origin)
        exchange = asyncio.run(call())
    assert exchange.exit_code == 3
    assert isinstance(exchange.outcome, Malformed)
    assert f"the proxy {proxy.origin} asks for credentials" in exchange.outcome.reason


def test_rejected_credentials_are_named() -> None:
    exchange = called(http_reply(b"", 401), "inline")
    assert isinstance(exchange.outcome, Malformed)
    assert "the server rejected the credentials of this profile" in exchange.outcome.reason
    assert "pw-pw-pw" not in exchange.outcome.reason


@pytest.mark.parametrize("status", [401, 403, 407, 415, 429, 503])
def test_error_object_and_result_count_with_any_status(status: int) -> None:
    failed = called(http_reply(b'{"jsonrpc": "2.0", "id": null, "error": {"code": 1, "message": "no"}}', status))
    assert (type(failed.outcome), failed.exit_code) == (ErrorObject, 1)
    worked = called(http_reply(b'{"jsonrpc": "2.0", "id": null, "result": 1}', status))
    assert (type(worked.outcome), worked.exit_code) == (Result, 0)
