"""Replies that are not what they should be, through the one door: what comes of them, in which memory.

Bounds are wide: they tell what is bounded from what is not, and nothing about speed.
"""

from __future__ import annotations

import gc
import json
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
"""The deadline where a deadline is what is tested."""
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
    """Fails if the block at any moment holds more memory than at its start."""
    tracemalloc.start()
    try:
        yield
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < mib * MIB
    gc.collect()  # a socket that was left open speaks up here


def of(shell: Shell, script: Script, *, timeout: float | None = None) -> Exchange:
    with RawServer(script) as server:
        return called(shell, server.url, timeout=timeout)


def unreached(exchange: Exchange) -> Unreached:
    assert isinstance(exchange.outcome, Unreached)
    return exchange.outcome


# --- what never ends ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "script",
    [
        again_and_again(b"HTTP/1.1 200 OK\r\n\r\n", b"x" * 65536),
        again_and_again(http_reply(headers=CHUNKED), b"10000\r\n" + b"x" * 65536 + b"\r\n"),
        http_reply(GZIP_HEAD + packed_zeros(MIB) * 256, headers=GZIP),
    ],
    ids=["endless", "endless chunks", "256 MiB from 256 kB"],
)
def test_a_body_beyond_the_cap_is_stopped_there(shell: Shell, script: Script) -> None:
    of(shell, PONG)  # once unmeasured: imports and caches are not what is measured
    with bounded(mib=64):
        exchange = of(shell, script)
    outcome = unreached(exchange)
    assert outcome.step == "size"
    assert "1,048,576 bytes" in outcome.sentence
    assert "reply.limit in settings.toml" in outcome.sentence
    assert len(exchange.response.body) == exchange.response.size == MIB


@pytest.mark.thorough
def test_a_reply_below_the_cap_takes_a_few_times_its_size(shell: Shell) -> None:
    (shell.home / "config" / "settings.toml").unlink()
    value = "[" + ",".join(["1.10"] * (2 * MIB)) + "]"  # 10 MiB of small tokens, each of which would be an object
    of(shell, PONG)
    reply = replying(f'"result":{value}')
    with bounded(mib=10 * 10):
        exchange = of(shell, reply)
    assert exchange.outcome == Result(value.encode())


# --- what breaks off ------------------------------------------------------------------------------------------------


# --- how it is encoded ----------------------------------------------------------------------------------------------


# --- redirects ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_is_never_followed_and_takes_no_credentials_along(shell: Shell, status: int) -> None:
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
    assert json.loads(inline.body)["params"]["password"] == "hunter2hunter2"
    assert cookie.header("Cookie") == "sessionid=s3ss10n-s3ss10n"


# --- what never leaves ----------------------------------------------------------------------------------------------


Url = Callable[[int], str]
