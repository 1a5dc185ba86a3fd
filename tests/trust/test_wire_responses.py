"""Deviating responses: their outcome and the memory that they need.

Bounds are wide: they only separate bounded from unbounded, and measure no speed.
"""

from __future__ import annotations

import gc
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from rpcexplorer.model.exchange import Exchange, Unreached
from rpcexplorer.rpc.messages import Result
from tests.fakes.shell import Shell
from tests.fakes.wire import RawServer, Script, http_reply
from tests.trust.visits import CHUNKED, GZIP, GZIP_HEAD, MIB, PONG, again_and_again, called, packed_zeros, replying

SOON = 0.5
"""Deadline in seconds for the tests of deadlines."""
BEGUN = b'{"jsonrpc":"2.0","id":"id-1","result":['
pytestmark = pytest.mark.usefixtures("only_what_is_new")


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    shell = Shell(tmp_path)
    (shell.home / "config").mkdir(parents=True)
    (shell.home / "config" / "settings.toml").write_text('[reply]\nlimit = "1 MiB"\n')
    return shell


@contextmanager
def bounded(*, mib: int) -> Iterator[None]:
    """Fail if the block ever holds that much more memory than at its start."""
    tracemalloc.start()
    try:
        yield
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < mib * MIB
    gc.collect()  # reports sockets that were left open


def answered(shell: Shell, script: Script, *, timeout: float | None = None) -> Exchange:
    with RawServer(script) as server:
        return called(shell, server.url, timeout=timeout)


def unreached(exchange: Exchange) -> Unreached:
    assert isinstance(exchange.outcome, Unreached)
    return exchange.outcome


@pytest.mark.parametrize(
    "script",
    [
        again_and_again(b"HTTP/1.1 200 OK\r\n\r\n", b"x" * 65536),
        again_and_again(http_reply(headers=CHUNKED), b"10000\r\n" + b"x" * 65536 + b"\r\n"),
        http_reply(GZIP_HEAD + packed_zeros(MIB) * 256, headers=GZIP),
    ],
    ids=["endless", "endless chunks", "256 MiB from 256 kB"],
)
def test_body_beyond_the_cap_is_cut(shell: Shell, script: Script) -> None:
    answered(shell, PONG)  # The first call is not measured: it imports and fills caches.
    with bounded(mib=64):
        exchange = answered(shell, script)
    outcome = unreached(exchange)
    assert outcome.step == "size"
    assert "1,048,576 bytes" in outcome.sentence
    assert "reply.limit in settings.toml" in outcome.sentence
    assert len(exchange.response.body) == exchange.response.size == MIB


@pytest.mark.thorough
def test_response_below_the_cap_uses_bounded_memory(shell: Shell) -> None:
    (shell.home / "config" / "settings.toml").unlink()
    value = "[" + ",".join(["1.10"] * (2 * MIB)) + "]"  # 10 MiB of small tokens, each of which would be an object
    answered(shell, PONG)
    reply = replying(f'"result":{value}')
    with bounded(mib=10 * 10):
        exchange = answered(shell, reply)
    assert exchange.outcome == Result(value.encode())


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_redirect_is_not_followed_and_gets_no_credentials(shell: Shell, status: int) -> None:
    with RawServer(PONG) as other:
        moved = http_reply(b"", status, {"Location": f"{other.url}?\x1b]52;c;eA==\x07"})
        with RawServer(moved) as server:
            shell.sessions(
                f'[profile.inline]\nurl = "{server.origin}"\nauth = {{ kind = "inline", username = "ada" }}\n'
                f'[profile.cookie]\nurl = "{server.origin}"\nauth = {{ kind = "cookie" }}\n'
            )
            runs = [
                shell.run("-p", "inline", "call", "m", RPCEXPLORER_INLINE_PASSWORD="hunter2hunter2"),
                shell.run("-p", "cookie", "call", "m", RPCEXPLORER_COOKIE_SESSION="s3ss10n-s3ss10n"),
            ]
    assert [run.code for run in runs] == [5, 5]
    assert all(f"redirects to {other.url}?␛]52;c;eA==␇. Redirects are not followed" in run.err for run in runs)
    assert all(f"HTTP {status}" in run.err for run in runs)
    assert other.requests == []
    inline, cookie = server.requests
    assert inline.json["params"]["password"] == "hunter2hunter2"
    assert cookie.header("Cookie") == "sessionid=s3ss10n-s3ss10n"


Url = Callable[[int], str]
