"""Replies that are not what they should be, through the one door: what comes of them, in which memory.

Bounds are wide: they tell what is bounded from what is not, and nothing about speed.
"""

from __future__ import annotations

import gc
import gzip
import json
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from rpcexplorer.model.exchange import Exchange, Unreached
from rpcexplorer.rpc.messages import Malformed, Result
from tests.fakes.shell import Shell
from tests.fakes.wire import HOLD, RESET, RawServer, Received, Script, http_reply
from tests.trust.visits import CHUNKED, CUT, GZIP, GZIP_HEAD, MIB, PONG, again_and_again, called, packed_zeros, replying

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


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("script", "came"),
    [
        ([HOLD], None),
        (again_and_again(b"HTTP/1.1 200 OK\r\nX: ", b"y", 0.02), None),
        (again_and_again(b"HTTP/1.1 200 OK\r\n", b"X: y\r\n", 0.02), None),
        (again_and_again(http_reply(BEGUN, headers={"Content-Length": "99999"}), b"1", 0.02), BEGUN),
        (again_and_again(http_reply(b"27\r\n" + BEGUN + b"\r\n", headers=CHUNKED), b"2\r\n1,\r\n", 0.02), BEGUN),
        ([http_reply(gzip.compress(BEGUN * 99, 0)[:400], headers=GZIP | {"Content-Length": "999"}), HOLD], BEGUN),
    ],
    ids=["hang", "slow header", "slow headers", "one byte at a time", "one chunk at a time", "stalled gzip"],
)
def test_one_deadline_ends_it_and_what_had_come_is_kept(shell: Shell, script: Script, came: bytes | None) -> None:
    with bounded(mib=32):
        exchange = of(shell, script, timeout=SOON)
    outcome = unreached(exchange)
    assert (outcome.step, outcome.maybe_ran) == ("timeout", True)
    assert "within 0.5 s" in outcome.sentence
    assert "allow more time" in outcome.sentence
    assert exchange.seconds >= SOON
    assert exchange.response.body.startswith(came or b"")
    assert exchange.response.status == (None if came is None else 200)


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


@pytest.mark.parametrize(
    ("script", "came", "sentence"),
    [
        ([http_reply(BEGUN, headers=CUT), RESET], None, "39 of 100 bytes had come"),
        (http_reply(BEGUN, headers=CUT), BEGUN, "39 of 100 bytes had come"),
        (http_reply(b"27\r\n" + BEGUN, headers=CHUNKED), BEGUN, "39 bytes had come"),
        (http_reply(gzip.compress(BEGUN)[:-1], headers=GZIP), BEGUN, "the end mark of its gzip is missing"),
        (http_reply(gzip.compress(BEGUN)[:-8] + b"12345678", headers=GZIP), None, "is damaged"),
    ],
    ids=["reset", "length too long", "chunk cut", "gzip cut", "gzip with a wrong checksum"],
)
def test_a_body_that_breaks_off_is_kept_and_the_server_may_have_run_it(
    shell: Shell, script: Script, came: bytes | None, sentence: str
) -> None:
    exchange = of(shell, script)
    outcome = unreached(exchange)
    assert (outcome.step, outcome.maybe_ran, exchange.response.status) == ("body", True, 200)
    assert sentence in outcome.sentence
    assert outcome.sentence.endswith("the server may have run it: look before you send it again.")
    assert came is None or exchange.response.body == came


@pytest.mark.parametrize(
    "script", [b"", [RESET], b"HTTP/1.1 200 OK\r\nContent-"], ids=["close", "reset", "half a head"]
)
def test_no_reply_at_all_says_that_the_server_may_have_run_it(shell: Shell, script: Script) -> None:
    outcome = unreached(of(shell, script))
    assert (outcome.step, outcome.maybe_ran) == ("wait", True)
    assert "closed the connection without a reply: it may have stopped or been restarted" in outcome.sentence


def test_a_length_too_short_leaves_json_that_is_said_to_be_cut(shell: Shell) -> None:
    exchange = of(shell, http_reply(BEGUN + b"1]}", headers={"Content-Length": "39"}))
    assert isinstance(exchange.outcome, Malformed)
    assert "ends in the middle" in exchange.outcome.reason
    assert exchange.response.body == BEGUN


# --- how it is encoded ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("coding", ["gzip, gzip", "br", "gzip, br", "zstd", "compress", "\x1b[2J"])
def test_what_was_not_offered_and_stacks_are_not_undone(shell: Shell, coding: str) -> None:
    packed = gzip.compress(gzip.compress(b'{"jsonrpc":"2.0","id":"id-1","result":1}'))
    exchange = of(shell, http_reply(packed, headers={"Content-Encoding": coding}))
    assert isinstance(exchange.outcome, Malformed)
    assert exchange.response.body == packed
    assert "kept as it came" in exchange.remarks[0]
    assert exchange.remarks[0].isprintable()


@pytest.mark.parametrize("charset", ["zip", "latin-1", "utf-16", "utf-7", "\x1b[2J", ""])
def test_whatever_the_charset_says_json_is_utf_8(shell: Shell, charset: str) -> None:
    reply = replying('"result":"é+AOk-"', headers={"Content-Type": f"application/json; charset={charset}"})
    assert of(shell, reply).outcome == Result('"é+AOk-"'.encode())


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ('{"jsonrpc":"2.0","id":"id-1","result":"é"}'.encode("latin-1"), "byte 39 is 0xe9"),
        ('{"jsonrpc":"2.0","id":"id-1","result":1}'.encode("utf-16"), "UTF-16"),
        ('{"jsonrpc":"2.0","id":"id-1","result":1}'.encode("utf-16-be"), "UTF-16"),
        ('{"jsonrpc":"2.0","id":"id-1","result":1}'.encode("utf-32"), "UTF-32"),
        (b"1\x00", "plain text"),
        (b"\x80\x04\x95", "byte 0 is 0x80"),
        (b'{"jsonrpc":"2.0","id":"id-1","result":"\xed\xa0\x80"}', "byte 39 is 0xed"),
        (b'{"jsonrpc":"2.0","id":"id-1","result":"\xc0\xae"}', "byte 39 is 0xc0"),
    ],
    ids=["latin-1", "utf-16", "utf-16-be", "utf-32", "number and NUL", "pickle", "surrogate bytes", "overlong"],
)
def test_bytes_that_are_not_utf_8_are_malformed_and_kept(shell: Shell, body: bytes, reason: str) -> None:
    exchange = of(shell, http_reply(body))
    assert isinstance(exchange.outcome, Malformed)
    assert reason in exchange.outcome.reason
    assert exchange.response.body == body


def test_a_byte_order_mark_is_passed_over_and_noted(shell: Shell) -> None:
    exchange = of(shell, http_reply(b'\xef\xbb\xbf{"jsonrpc":"2.0","id":"id-1","result":1}'))
    assert exchange.outcome == Result(b"1", ("the reply starts with a byte order mark",))
    assert exchange.response.body.startswith(b"\xef\xbb\xbf")


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


def test_a_redirect_to_itself_is_one_request(shell: Shell) -> None:
    def back(request: Received) -> bytes:
        return http_reply(b"", 307, {"Location": f"http://{request.header('Host')}/api/v2/"})

    with RawServer(back) as server:
        assert isinstance(called(shell, server.url).outcome, Malformed)
    assert len(server.requests) == 1


# --- what never leaves ----------------------------------------------------------------------------------------------


Url = Callable[[int], str]


@pytest.mark.parametrize(
    ("url", "sentence"),
    [
        (lambda _: "http://127.0.0.1:99999", "port must be a number from 1 to 65535"),
        (lambda _: "http://127.0.0.1:0", "port must be a number from 1 to 65535"),
        (lambda _: "http://xn--/", "not a name that can exist"),
        (lambda port: f"http://127.0.0.1:{port}/\0", "U+0000 at position"),
        (lambda port: f"http://127.0.0.1:{port}/a\nb", "U+000A at position"),
        (lambda port: f"http://user:hunter2@127.0.0.1:{port}/", "store it as a secret"),
        (lambda _: "", "must begin with http://"),
        (lambda _: "http://", "has no host"),
        (lambda port: f"ftp://127.0.0.1:{port}", "must begin with http://"),
        (lambda port: f"http://127.0.0.1:{port}/../x", "has a step like /../"),
        (lambda _: "http://[::1", "host cannot be read"),
        (lambda _: "http://" + "a" * 64 + ".example", "not a name that can exist"),
    ],
)
def test_a_url_that_cannot_be_used_is_a_sentence_and_nothing_is_sent(shell: Shell, url: Url, sentence: str) -> None:
    with RawServer(PONG) as server:
        exchange = called(shell, url(server.port))
    outcome = unreached(exchange)
    assert (outcome.step, outcome.maybe_ran) == ("url", False)
    assert sentence in outcome.sentence
    assert server.requests == []
    assert "hunter2" not in repr(exchange.outcome) + str(shell.files())
