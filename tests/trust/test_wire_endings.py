"""Stopping and quitting during a response: received bytes are recorded.

Both ends are checked: the event loop has no other task, and the server sees its client hang up.
"""

from __future__ import annotations

import asyncio
import gc
import json
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import pytest

import rpcexplorer
from rpcexplorer.model.draft import Draft
from rpcexplorer.model.exchange import Cancelled, Exchange, Stop
from rpcexplorer.model.profile import ad_hoc
from rpcexplorer.transport.port import Progress
from rpcexplorer.tui.app import PersonOnScreen
from tests.fakes.shell import Shell
from tests.fakes.wire import HOLD, NEXT, Authority, Part, Pause, RawServer, Received, Script, http_reply
from tests.trust.visits import CHUNKED, CUT, GZIP, GZIP_HEAD, ID, MIB, packed_zeros
from tests.tui.program import open_program

Way = Literal["stop", "cancel"]
WAYS: tuple[Way, ...] = ("stop", "cancel")
PATIENCE = 5.0
"""Seconds; stopping is at once, so more is a failure."""
PACKED = GZIP | {"Content-Length": "9" * 12}
SWELLING = packed_zeros(65536)
BEGUN = b'{"jsonrpc":"2.0","id":"id-1","result":['
pytestmark = pytest.mark.usefixtures("only_what_is_new")


class Endless:
    """A script that sends until its client hangs up, and records that."""

    def __init__(self, first: bytes, *drop: Part) -> None:
        self.first, self.drop = first, drop
        self.gone = threading.Event()

    def __call__(self, _: Received) -> Iterator[Part]:
        try:
            yield self.first
            while True:
                yield from self.drop
        finally:
            self.gone.set()


@dataclass(frozen=True)
class Middle:
    """A point of a call at which it is stopped."""

    script: Callable[[], Script]
    step: str = "receiving"
    """The step that the progress shows at this point."""
    body: bytes | None = BEGUN
    """The beginning of the body at this point, None before the header."""
    params: str = "[]"


MIDDLES = {
    "no response yet": Middle(lambda: [HOLD], "waiting", None),
    "endless headers": Middle(lambda: Endless(b"HTTP/1.1 200 OK\r\nX: ", b"y", Pause(0.01)), "waiting", None),
    "half a body": Middle(lambda: [http_reply(BEGUN, headers=CUT), HOLD]),
    "half a chunked body": Middle(lambda: [http_reply(b"27\r\n" + BEGUN + b"\r\n", headers=CHUNKED), HOLD]),
    "half a page of another status": Middle(lambda: [http_reply(BEGUN, 503, headers=CUT), HOLD]),
    "endless body": Middle(lambda: Endless(b"HTTP/1.1 200 OK\r\n\r\n" + BEGUN, b"1," * 32768)),
    "endless gzip": Middle(
        lambda: Endless(http_reply(GZIP_HEAD + SWELLING, headers=PACKED), SWELLING, Pause(0.01)), body=b"\0"
    ),
}  # fmt: skip


def ended(
    shell: Shell,
    url: str,
    way: Way,
    step: str,
    *,
    received: bool = False,
    params: str = "[]",
    once: threading.Event | None = None,
) -> Exchange:
    """Start a call, stop it at this step after `once`, return its record."""
    outcome: list[Exchange | BaseException] = []

    async def run() -> None:
        stop, reached = Stop(), asyncio.Event()

        def watch(progress: Progress) -> None:
            if progress.step == step and (progress.received or not received):
                reached.set()

        async with shell.explorer() as door:
            door.use(ad_hoc(url))
            calling = asyncio.create_task(door.call(Draft("m", params), id=ID, stop=stop, watch=watch))
            await reached.wait()
            if once:
                await asyncio.to_thread(once.wait)
            if way == "stop":
                stop.press()
            else:
                calling.cancel()
            outcome.extend(await asyncio.gather(calling, return_exceptions=True))
        assert asyncio.all_tasks() == {asyncio.current_task()}

    asyncio.run(run())
    gc.collect()  # reports sockets that were left open
    (recorded,) = shell.explorer().history.newest(1)
    assert isinstance(recorded, Exchange)
    assert isinstance(recorded.outcome, Cancelled)
    if way == "stop":
        assert isinstance(outcome[0], Exchange)
        assert (outcome[0].outcome, outcome[0].response.size) == (recorded.outcome, recorded.response.size)
    else:
        assert isinstance(outcome[0], asyncio.CancelledError)
    return recorded


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("middle", MIDDLES.values(), ids=MIDDLES.keys())
def test_received_bytes_are_recorded_and_connection_is_closed(shell: Shell, middle: Middle, way: Way) -> None:
    script = middle.script()
    with RawServer(script) as server:
        recorded = ended(shell, server.url, way, middle.step, received=middle.body is not None)
        assert script.gone.wait(PATIENCE) if isinstance(script, Endless) else server.wait_for_hangup(PATIENCE)
    assert recorded.outcome == Cancelled(maybe_ran=True)
    assert recorded.response.body.startswith(middle.body or b"")
    assert (recorded.response.status is None) is (middle.body is None)
    assert len(server.requests) == 1


@pytest.mark.thorough
@pytest.mark.parametrize("way", WAYS)
def test_incompletely_sent_request_cannot_have_run(shell: Shell, way: Way) -> None:
    with RawServer([HOLD], read_body=False) as server:
        server._listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        recorded = ended(shell, server.url, way, "sending", params=f'["{"x" * 6 * MIB}"]')
    assert recorded.outcome == Cancelled(maybe_ran=False)


@pytest.mark.parametrize("way", WAYS)
def test_handshake_can_be_stopped(shell: Shell, way: Way) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        recorded = ended(shell, f"https://127.0.0.1:{listener.getsockname()[1]}", way, "tls")
        connection, _ = listener.accept()
        with connection:
            connection.settimeout(PATIENCE)
            while connection.recv(65536):
                pass
    assert recorded.outcome == Cancelled(maybe_ran=False)


@pytest.mark.parametrize("way", WAYS)
def test_call_after_a_stopped_one_uses_new_connection(shell: Shell, way: Way) -> None:
    done = http_reply(b'{"jsonrpc":"2.0","id":"id-1","result":1}')

    async def run() -> list[Exchange | BaseException]:
        stop, reached, ends = Stop(), asyncio.Event(), list[Exchange | BaseException]()
        async with shell.explorer() as door:
            door.use(ad_hoc(server.url))
            ends.append(await door.call(Draft("m"), id=ID))
            watch = lambda progress: reached.set() if progress.step == "waiting" else None  # noqa: E731
            calling = asyncio.create_task(door.call(Draft("m"), id=ID, stop=stop, watch=watch))
            await reached.wait()
            stop.press() if way == "stop" else calling.cancel()
            ends += await asyncio.gather(calling, return_exceptions=True)
            assert await asyncio.to_thread(server.wait_for_hangup, PATIENCE)
            ends.append(await door.call(Draft("m"), id=ID))
        assert asyncio.all_tasks() == {asyncio.current_task()}
        return ends

    with RawServer([done, NEXT], [HOLD], [done, NEXT]) as server:
        _, slow, last = asyncio.run(run())
    gc.collect()
    recorded = shell.explorer().history.newest(3)
    assert [isinstance(record, Exchange) and record.outcome_name for record in recorded] == [
        "result",
        "cancelled",
        "result",
    ]
    if way == "stop":
        assert isinstance(slow, Exchange)
        assert slow.outcome == Cancelled(maybe_ran=True)
        assert slow.response.phases.kept
    assert isinstance(last, Exchange)
    assert not last.response.phases.kept
    assert (server.connections, len(server.requests)) == (2, 3)


@pytest.mark.parametrize("way", WAYS)
def test_received_body_under_tls_is_recorded(
    shell: Shell, way: Way, authority: Authority, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(authority.write(tmp_path)))
    with RawServer([http_reply(BEGUN, headers=CUT), HOLD], tls=authority.server()) as server:
        recorded = ended(shell, server.url, way, "receiving", received=True)
        assert server.wait_for_hangup(PATIENCE)
    assert recorded.response.body == BEGUN


@pytest.mark.parametrize("way", WAYS)
def test_stopping_does_not_wait_for_a_name_lookup(shell: Shell, way: Way, monkeypatch: pytest.MonkeyPatch) -> None:
    over, asked, waited = threading.Event(), threading.Event(), list[bool]()

    def slow(*_: object, **__: object) -> list[object]:
        asked.set()
        waited.append(over.wait(PATIENCE * 6))
        raise socket.gaierror(socket.EAI_NONAME, "unknown")

    monkeypatch.setattr(socket, "getaddrinfo", slow)
    try:
        recorded = ended(shell, "http://slow.invalid", way, "connecting", once=asked)
        assert waited == []
    finally:
        over.set()
    assert recorded.outcome == Cancelled(maybe_ran=False)


@pytest.mark.parametrize("way", WAYS)
def test_stopped_login_sends_no_call(shell: Shell, way: Way) -> None:
    with RawServer([http_reply(BEGUN, headers=CUT), HOLD]) as server:
        shell.sessions(f'[profile.shop]\nurl = "{server.origin}"\nauth = {{ kind = "cookie", username = "ada" }}\n')

        async def run() -> list[Exchange | BaseException]:
            stop, reached = Stop(), asyncio.Event()
            async with shell.explorer(RPCEXPLORER_SHOP_PASSWORD="hunter2hunter2") as door:
                door.use("shop")
                watch = lambda progress: reached.set() if progress.received else None  # noqa: E731
                calling = asyncio.create_task(door.call(Draft("user.delete"), id=ID, stop=stop, watch=watch))
                await reached.wait()
                stop.press() if way == "stop" else calling.cancel()
                return list(await asyncio.gather(calling, return_exceptions=True))

        asyncio.run(run())
        gc.collect()
        assert server.wait_for_hangup(PATIENCE)
    assert server.methods == ["auth"]


@pytest.mark.thorough
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=lambda number: number.name)
def test_signal_stops_and_records_a_command_line_call(shell: Shell, number: signal.Signals) -> None:
    script = Endless(b"HTTP/1.1 200 OK\r\n\r\n" + BEGUN, b"1," * 32768)
    with RawServer(script) as server:
        process = subprocess.Popen(
            [sys.executable, "-X", "dev", "-m", "rpcexplorer", "call", "m", "--url", server.origin],
            env={**os.environ, **shell.environment, "PYTHONPATH": str(Path(rpcexplorer.__file__).parents[1])},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=shell.folder,
        )
        assert server.wait_for_request(PATIENCE * 2)
        process.send_signal(number)
        out, err = process.communicate(timeout=PATIENCE * 2)
        assert script.gone.wait(PATIENCE)
    assert (process.returncode, out) == (130, b"")
    assert b"cancelled: the server may have run the call" in err
    assert b"Warning" not in err
    assert b"Traceback" not in err
    row = json.loads(shell.run("history", "list", "--json").text)
    assert row["outcome"] == "cancelled"


@pytest.mark.thorough
async def test_quitting_closes_the_kept_connection(shell: Shell) -> None:
    def answer(request: Received) -> Iterator[Part]:
        yield request.reply(result=1)
        yield NEXT

    with RawServer(answer) as server:
        shell.sessions(f'[profile.here]\nurl = "{server.origin}"\n')

        async with open_program(shell.explorer(PersonOnScreen()), profile="here") as program:
            await program.sent()
            await program.sent()
            await program.press("ctrl+q")
            await program.until(lambda: not program.app.is_running)
        assert await asyncio.to_thread(server.wait_for_hangup, PATIENCE)
        gc.collect()
    assert (server.connections, len(server.requests)) == (1, 2)


@pytest.mark.thorough
@pytest.mark.parametrize("name", ["no response yet", "half a body", "endless body"])
async def test_quitting_stops_and_records_the_call(shell: Shell, name: str) -> None:
    middle = MIDDLES[name]
    script = middle.script()
    with RawServer(script) as server:
        shell.sessions(f'[profile.here]\nurl = "{server.origin}"\n')

        async with open_program(shell.explorer(PersonOnScreen()), profile="here") as program:
            program.app.simulate_key("f5")
            await program.until(lambda: bool(server.requests))
            program.app.simulate_key("ctrl+q")  # waits for nothing, like a user
            await program.until(lambda: not program.app.is_running)
        assert asyncio.all_tasks() == {asyncio.current_task()}
        gc.collect()
        assert script.gone.wait(PATIENCE) if isinstance(script, Endless) else server.wait_for_hangup(PATIENCE)
    (recorded,) = shell.explorer().history.newest(1)
    assert isinstance(recorded, Exchange)
    assert recorded.outcome == Cancelled(maybe_ran=True)
