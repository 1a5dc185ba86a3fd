"""JSON of servers: bytes stay unchanged, deviations are reported."""

from __future__ import annotations

import re
import tracemalloc

import pytest

from rpcexplorer.rpc.codec import decode
from rpcexplorer.rpc.messages import ErrorObject, Malformed, Result
from tests.fakes.shell import Shell
from tests.fakes.wire import RawServer, http_reply
from tests.trust.visits import ID, MIB, called, replying, visit

TOKENS = (
    '{"b": 1.10, "a": 1e400, "a": -0, "n": 123456789012345678901234567890, "": "\\u0000", '
    '"e": 1E+05, "u": "\\u00e9\\/", "x": [ ], "y": { }, "z": "a  b"}'
)


def test_tokens_keep_the_spelling_of_the_server(shell: Shell) -> None:
    seen = visit(shell, replying(f'"result":{TOKENS}'))
    assert seen.ran.out == TOKENS.encode() + b"\n"
    assert seen.exchange.outcome == Result(TOKENS.encode())
    tokens = re.findall(r'"[^"]*"|[^\s,:{}\[\]"]+', TOKENS)
    assert [token for token in tokens if token not in seen.seen] == []


@pytest.mark.thorough
def test_large_response_is_opened_without_decoding() -> None:
    value = b"[" + b"[1.10,null]," * (4 * MIB) + b"0]"  # 48 MiB; a list for every pair would take 800 MB
    body = b'{"jsonrpc":"2.0","id":"id-1","result":' + value + b"}"
    tracemalloc.start()
    reply = decode(body, ID)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert reply == Result(value)
    assert peak < 4 * len(body)


def nested(levels: int) -> str:
    return "[" * levels + "]" * levels


@pytest.mark.parametrize(
    ("body", "code", "remark"),
    [
        ('{"id":"id-1","result":1}', 0, "jsonrpc is missing"),
        ('{"jsonrpc":"2.0","id":"id-2","result":1}', 0, 'id is "id-2", not "id-1": it may belong to another call'),
        ('{"jsonrpc":"2.0","id":"id-1","result":1,"error":null}', 0, '"error": null next to the result'),
        ('{"jsonrpc":"2.0","id":"id-1","error":{"code":"1","message":"m"}}', 1, "error.code is not an integer"),
        ('{"jsonrpc":"2.0","id":"id-1","result":1,"result":2}', 0, "the member result appears twice"),
        ('{"jsonrpc":"2.0","id":"id-1"}', 5, "without result or error"),
        ('{"jsonrpc":"2.0","id":"id-1","result":1', 5, "incomplete JSON"),
        ("", 5, "empty"),
    ],
)  # fmt: skip
def test_deviating_response_is_read_with_a_warning(shell: Shell, body: str, code: int, remark: str) -> None:
    seen = visit(shell, http_reply(body.encode()))
    assert seen.code == code
    assert remark in seen.printed
    outcome = seen.exchange.outcome
    quirks = getattr(outcome, "habits", ())
    assert remark in " ".join((*seen.exchange.remarks, *quirks, getattr(outcome, "reason", "")))


@pytest.mark.parametrize("status", [401, 404, 500])
@pytest.mark.parametrize(
    ("member", "kind"), [('"error":{"code":-32601,"message":"m"}', ErrorObject), ('"result":1', Result)]
)
def test_valid_response_counts_with_any_status(shell: Shell, status: int, member: str, kind: type) -> None:
    with RawServer(replying(member, status)) as server:
        exchange = called(shell, server.url)
    assert isinstance(exchange.outcome, kind)
    assert exchange.remarks == ()
    assert exchange.response.status == status


@pytest.mark.parametrize("status", [401, 413, 502, 503])
def test_page_instead_of_response_is_malformed(shell: Shell, status: int) -> None:
    page = b"<html><title>\x1b[2JBad Gateway</title>"
    seen = visit(shell, http_reply(page, status, reason="No\x1b[2J"))
    assert isinstance(seen.exchange.outcome, Malformed)
    code = 3 if status == 401 else 5
    assert (seen.code, seen.exchange.response.status, seen.exchange.response.body) == (code, status, page)
    assert f"HTTP {status}" in seen.printed
    # The page does not matter to a rejected caller, and the status of a gateway says enough.
    assert ("an HTML page, not JSON" in seen.printed) == (status not in {401, 413, 502})
    assert "␛[2JBad Gateway" in seen.seen
