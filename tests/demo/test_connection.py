"""HTTP over a real socket."""

from __future__ import annotations

import http.client
import json

import pytest

from rpcexplorer.demo import BODY_LIMIT
from tests.demo.calling import LOGIN, body_of, envelope, exchange, post, status

ECHO = envelope("demo.echo", "[1.10]")
ECHOED = b'{"jsonrpc": "2.0", "id": "1", "result": [1.10]}'
CLOSE = "Connection: close"
HEAD = b"POST /api/v2/ HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\n"


def client(url: str) -> http.client.HTTPConnection:
    return http.client.HTTPConnection(url.removeprefix("http://"), timeout=10)


def test_response_has_type_and_length(url: str) -> None:
    head, _, body = exchange(url, post(ECHO, CLOSE)).partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 200 OK\r\nDate: ")
    assert b"\r\nContent-Type: application/json-rpc\r\n" in head
    assert b"\r\nContent-Length: %d\r\n" % len(ECHOED) in head
    assert body == ECHOED


def test_session_cookie_is_set_and_accepted(url: str) -> None:
    connection = client(url)
    connection.request("POST", "/api/v2/", envelope("auth", LOGIN), {"Content-Type": "application/json-rpc"})
    response = connection.getresponse()
    response.read()
    pair = (response.headers["Set-Cookie"] or "").partition(";")[0]
    headers = {"Content-Type": "application/json-rpc", "Cookie": f"theme=dark; {pair}; x=sessionid=y"}
    connection.request("POST", "/api/v2/", envelope("ping"), headers)
    assert json.loads(connection.getresponse().read())["result"] == "pong"
    connection.close()


@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE", "OPTIONS"])
def test_methods_other_than_post_get_405(url: str, method: str) -> None:
    received = exchange(url, f"{method} /api/v2/ HTTP/1.1\r\nHost: h\r\n{CLOSE}\r\n\r\n".encode())
    assert status(received) == 405
    assert b"\r\nAllow: POST\r\n" in received


@pytest.mark.parametrize("path", ["/", "/api/", "/api/v2/x", "/api/v1/", "/API/v2/", "//api/v2/", "*"])
def test_other_paths_get_404(url: str, path: str) -> None:
    received = exchange(url, post(ECHO, CLOSE, path=path))
    assert status(received) == 404
    assert b"/api/v2/" in body_of(received)


@pytest.mark.parametrize("path", ["/api/v2/", "/api/v2/?a=b", "http://localhost/api/v2/"])
def test_endpoint_accepts_query_and_absolute_url(url: str, path: str) -> None:
    assert body_of(exchange(url, post(ECHO, CLOSE, path=path))) == ECHOED


@pytest.mark.parametrize(("path", "location"), [("/api/v2", "/api/v2/"), ("/api/v2?a=b", "/api/v2/?a=b")])
def test_missing_slash_gets_308(url: str, path: str, location: str) -> None:
    received = exchange(url, post(ECHO, CLOSE, path=path))
    assert status(received) == 308
    assert f"\r\nLocation: {location}\r\n".encode() in received


@pytest.mark.parametrize(
    "media", ["application/json", "Application/JSON-RPC; charset=utf-8", "application/jsonrequest"]
)
def test_all_json_media_types_are_accepted(url: str, media: str) -> None:
    sent = post(ECHO, CLOSE).replace(b"application/json-rpc", media.encode())
    assert body_of(exchange(url, sent)) == ECHOED


@pytest.mark.parametrize("header", [b"Content-Type: text/plain", b"Content-Type: ", b"X-Other: 1"])
def test_other_media_types_get_415(url: str, header: bytes) -> None:
    sent = post(ECHO, CLOSE).replace(b"Content-Type: application/json-rpc", header)
    assert status(exchange(url, sent)) == 415


def test_connection_serves_several_requests(url: str) -> None:
    connection = client(url)
    sockets = set()
    for text in (ECHO, "no json", envelope("demo.echo", id=None), ECHO):
        connection.request("POST", "/api/v2/", text, {"Content-Type": "application/json-rpc"})
        response = connection.getresponse()
        response.read()
        sockets.add(connection.sock.getsockname())
    assert response.status == 200
    connection.close()
    assert len(sockets) == 1


def test_http_1_0_response_has_no_chunks(url: str) -> None:
    received = exchange(url, post(envelope("demo.records", '{"count": 3, "chunked": true}'), version="1.0"))
    assert status(received) == 200
    assert b"Transfer-Encoding" not in received
    assert len(json.loads(body_of(received))["result"]["records"]) == 3


def test_chunked_response_has_no_length(url: str) -> None:
    connection = client(url)
    call = envelope("demo.records", '{"count": 2000, "chunked": true}')
    connection.request("POST", "/api/v2/", call, {"Content-Type": "application/json-rpc"})
    response = connection.getresponse()
    assert response.headers["Transfer-Encoding"] == "chunked"
    assert response.headers["Content-Length"] is None
    assert len(json.loads(response.read())["result"]["records"]) == 2000
    connection.close()


def test_expect_100_gets_continue(url: str) -> None:
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
    response = http.client.HTTPResponse(connection.sock)
    response.begin()
    assert response.read() == ECHOED
    response.close()
    connection.close()


@pytest.mark.parametrize(
    ("header", "path", "expected"),
    [("Content-Length: 9000000", "/api/v2/", 413), ("Content-Length: 5", "/nowhere", 404)],
)
def test_expect_100_with_bad_request_is_rejected(url: str, header: str, path: str, expected: int) -> None:
    lines = [f"POST {path} HTTP/1.1", "Host: h", "Content-Type: application/json", header, "Expect: 100-continue"]
    received = exchange(url, "\r\n".join([*lines, "", ""]).encode())
    assert status(received) == expected
    assert b"100 Continue" not in received


def test_too_large_body_gets_413(url: str) -> None:
    received = exchange(url, post(b" " * (BODY_LIMIT + 1)))
    assert status(received) == 413
    assert b"\r\nConnection: close\r\n" in received


@pytest.mark.parametrize(
    ("sent", "expected"),
    [
        (b"nonsense\r\n\r\n", 400),
        (b"GET / HTTP/2.0\r\n\r\n", 400),
        (HEAD + b"Content-Length: -1\r\n\r\n", 411),
        (HEAD + b"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 411),
        (b"GET /" + b"a" * 200_000 + b" HTTP/1.1\r\nHost: h\r\n\r\n", 431),
    ],
    ids=range(5),
)
def test_invalid_http_gets_an_error_and_is_closed(url: str, sent: bytes, expected: int) -> None:
    received = exchange(url, sent)
    assert status(received) == expected
    assert b"\r\nConnection: close\r\n" in received


@pytest.mark.parametrize("sent", [b"POST /api/v2/ HT", HEAD, HEAD + b"Content-Length: 9\r\n\r\n{"])
def test_truncated_request_gets_400(url: str, sent: bytes) -> None:
    connection = client(url)
    connection.connect()
    connection.sock.sendall(sent)
    connection.sock.shutdown(1)
    received = b""
    while block := connection.sock.recv(4096):
        received += block
    connection.close()
    assert status(received) == 400


def test_cut_response_ends_before_its_length(url: str) -> None:
    connection = client(url)
    connection.request("POST", "/api/v2/", envelope("demo.fail", '["cut"]'), {"Content-Type": "application/json-rpc"})
    with pytest.raises(http.client.IncompleteRead) as cut:
        connection.getresponse().read()
    assert cut.value.expected == 400
    connection.close()
