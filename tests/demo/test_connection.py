"""HTTP as it goes over a real socket: what is answered, what is refused, and when the connection stays."""

from __future__ import annotations

import http.client
import json

import pytest

from rpcexplorer.demo.http import BODY_LIMIT
from tests.demo.calling import LOGIN, body_of, envelope, exchange, post, status

ECHO = envelope("demo.echo", "[1.10]")
ECHOED = b'{"jsonrpc": "2.0", "id": "1", "result": [1.10]}'
CLOSE = "Connection: close"
HEAD = b"POST /api/v2/ HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\n"


def client(url: str) -> http.client.HTTPConnection:
    return http.client.HTTPConnection(url.removeprefix("http://"), timeout=10)


def test_a_call_is_answered_with_its_type_and_length(url: str) -> None:
    head, _, body = exchange(url, post(ECHO, CLOSE)).partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 200 OK\r\nDate: ")
    assert b"\r\nContent-Type: application/json-rpc\r\n" in head
    assert b"\r\nContent-Length: %d\r\n" % len(ECHOED) in head
    assert body == ECHOED


def test_a_session_goes_through_cookies(url: str) -> None:
    connection = client(url)
    connection.request("POST", "/api/v2/", envelope("auth", LOGIN), {"Content-Type": "application/json-rpc"})
    reply = connection.getresponse()
    reply.read()
    pair = (reply.headers["Set-Cookie"] or "").partition(";")[0]
    headers = {"Content-Type": "application/json-rpc", "Cookie": f"theme=dark; {pair}; x=sessionid=y"}
    connection.request("POST", "/api/v2/", envelope("ping"), headers)
    assert json.loads(connection.getresponse().read())["result"] == "pong"
    connection.close()


@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE", "OPTIONS"])
def test_only_post_is_allowed(url: str, method: str) -> None:
    received = exchange(url, f"{method} /api/v2/ HTTP/1.1\r\nHost: h\r\n{CLOSE}\r\n\r\n".encode())
    assert status(received) == 405
    assert b"\r\nAllow: POST\r\n" in received


@pytest.mark.parametrize("path", ["/", "/api/", "/api/v2/x", "/api/v1/", "/API/v2/", "//api/v2/", "*"])
def test_any_other_path_is_not_found(url: str, path: str) -> None:
    received = exchange(url, post(ECHO, CLOSE, path=path))
    assert status(received) == 404
    assert b"/api/v2/" in body_of(received)


@pytest.mark.parametrize("path", ["/api/v2/", "/api/v2/?a=b", "http://localhost/api/v2/"])
def test_the_endpoint_is_found_however_it_is_written(url: str, path: str) -> None:
    assert body_of(exchange(url, post(ECHO, CLOSE, path=path))) == ECHOED


@pytest.mark.parametrize(("path", "location"), [("/api/v2", "/api/v2/"), ("/api/v2?a=b", "/api/v2/?a=b")])
def test_a_missing_slash_is_answered_with_308(url: str, path: str, location: str) -> None:
    received = exchange(url, post(ECHO, CLOSE, path=path))
    assert status(received) == 308
    assert f"\r\nLocation: {location}\r\n".encode() in received


@pytest.mark.parametrize(
    "media", ["application/json", "Application/JSON-RPC; charset=utf-8", "application/jsonrequest"]
)
def test_json_by_any_of_its_names_is_taken(url: str, media: str) -> None:
    sent = post(ECHO, CLOSE).replace(b"application/json-rpc", media.encode())
    assert body_of(exchange(url, sent)) == ECHOED


@pytest.mark.parametrize("header", [b"Content-Type: text/plain", b"Content-Type: ", b"X-Other: 1"])
def test_other_media_types_are_refused(url: str, header: bytes) -> None:
    sent = post(ECHO, CLOSE).replace(b"Content-Type: application/json-rpc", header)
    assert status(exchange(url, sent)) == 415


def test_a_connection_serves_one_request_after_another(url: str) -> None:
    connection = client(url)
    sockets = set()
    for path, expected in (("/api/v2/", 200), ("/nowhere", 404), ("/api/v2", 308), ("/api/v2/", 200)):
        connection.request("POST", path, ECHO, {"Content-Type": "application/json-rpc"})
        reply = connection.getresponse()
        reply.read()
        sockets.add(connection.sock.getsockname())
        assert reply.status == expected
    connection.close()
    assert len(sockets) == 1


def test_the_old_version_is_answered_and_the_connection_closed(url: str) -> None:
    received = exchange(url, post(envelope("demo.records", '{"count": 3, "chunked": true}'), version="1.0"))
    assert status(received) == 200
    assert b"Transfer-Encoding" not in received
    assert len(json.loads(body_of(received))["result"]["records"]) == 3


def test_a_reply_may_come_in_chunks(url: str) -> None:
    connection = client(url)
    call = envelope("demo.records", '{"count": 2000, "chunked": true}')
    connection.request("POST", "/api/v2/", call, {"Content-Type": "application/json-rpc"})
    reply = connection.getresponse()
    assert reply.headers["Transfer-Encoding"] == "chunked"
    assert reply.headers["Content-Length"] is None
    assert len(json.loads(reply.read())["result"]["records"]) == 2000
    connection.close()


def test_a_client_that_waits_is_told_to_continue(url: str) -> None:
    connection = client(url)
    connection.connect()
    head, _, body = post(ECHO, CLOSE, "Expect: 100-continue").partition(b"\r\n\r\n")
    connection.sock.sendall(head + b"\r\n\r\n")
    interim = b"HTTP/1.1 100 Continue\r\n\r\n"
    received = b""
    while len(received) < len(interim):
        received += connection.sock.recv(len(interim) - len(received))
    assert received == interim
    connection.sock.sendall(body)
    reply = http.client.HTTPResponse(connection.sock)
    reply.begin()
    assert reply.read() == ECHOED
    reply.close()
    connection.close()


@pytest.mark.parametrize(
    ("header", "path", "expected"),
    [("Content-Length: 9000000", "/api/v2/", 413), ("Content-Length: 5", "/nowhere", 404)],
)
def test_a_client_that_waits_in_vain_is_told_at_once(url: str, header: str, path: str, expected: int) -> None:
    lines = [f"POST {path} HTTP/1.1", "Host: h", "Content-Type: application/json", header, "Expect: 100-continue"]
    received = exchange(url, "\r\n".join([*lines, "", ""]).encode())
    assert status(received) == expected
    assert b"100 Continue" not in received


def test_a_body_that_is_too_big_is_refused_and_the_refusal_arrives(url: str) -> None:
    received = exchange(url, post(b" " * (BODY_LIMIT + 1)))
    assert status(received) == 413
    assert b"\r\nConnection: close\r\n" in received


@pytest.mark.parametrize(
    ("sent", "expected"),
    [
        (b"nonsense\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nHost: h\r\nX: a\x00b\r\n\r\n", 400),
        (HEAD + b"Content-Length: 1\r\nContent-Length: 2\r\n\r\n", 400),
        (HEAD + b"Transfer-Encoding: gzip\r\n\r\n", 501),
        (HEAD + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n", 400),
        (b"GET /" + b"a" * 200_000 + b" HTTP/1.1\r\nHost: h\r\n\r\n", 431),
    ],
    ids=range(7),
)
def test_what_is_not_clean_http_is_refused_and_the_connection_closed(url: str, sent: bytes, expected: int) -> None:
    received = exchange(url, sent)
    assert status(received) == expected
    assert b"\r\nConnection: close\r\n" in received


@pytest.mark.parametrize("sent", [b"POST /api/v2/ HT", HEAD, HEAD + b"Content-Length: 9\r\n\r\n{"])
def test_a_request_that_breaks_off_is_told_so_if_the_client_still_listens(url: str, sent: bytes) -> None:
    connection = client(url)
    connection.connect()
    connection.sock.sendall(sent)
    connection.sock.shutdown(1)
    received = b""
    while block := connection.sock.recv(4096):
        received += block
    connection.close()
    assert status(received) == 400


def test_a_cut_reply_ends_before_its_length(url: str) -> None:
    connection = client(url)
    connection.request("POST", "/api/v2/", envelope("demo.fail", '["cut"]'), {"Content-Type": "application/json-rpc"})
    with pytest.raises(http.client.IncompleteRead) as cut:
        connection.getresponse().read()
    assert cut.value.expected == 400
    connection.close()
