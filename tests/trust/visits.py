"""One call over a real socket and all its traces.

Checks that must hold for every exchange, whatever a server does, run here for each of them.
"""

from __future__ import annotations

import asyncio
import gzip
import itertools
import re
import socket
import ssl
import unicodedata
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from rpcexplorer.cli.world import ERASE
from rpcexplorer.model.draft import Draft
from rpcexplorer.model.exchange import Exchange
from rpcexplorer.model.profile import ad_hoc
from tests.fakes.shell import Ran, Shell
from tests.fakes.wire import Part, Pause, RawServer, Received, Script
from tests.history.recording import exchange as sample

ID = "id-1"
MIB = 1024 * 1024
CUT = {"Content-Length": "100"}
GZIP = {"Content-Encoding": "gzip"}
CHUNKED = {"Transfer-Encoding": "chunked"}
GZIP_HEAD = gzip.compress(b"")[:10]


def replying(members: str, status: int = 200, headers: dict[str, str] | None = None) -> Callable[[Received], bytes]:
    """Return a script that answers with these members after the id."""

    return lambda request: request.reply_with(members, headers or {}, status)


PONG = replying('"result":"pong"')


def again_and_again(first: bytes, drop: bytes, pause: float = 0.0) -> Callable[[Received], Iterator[Part]]:
    """Return a script that never ends: first bytes, then endless drops."""

    def parts(_: Received) -> Iterator[Part]:
        yield first
        for _drop in itertools.count():
            yield drop
            if pause:
                yield Pause(pause)

    return parts


def packed_zeros(count: int) -> bytes:
    """Return gzip data of this many zeros."""
    packing = zlib.compressobj(9, wbits=-zlib.MAX_WBITS)
    return packing.compress(bytes(count)) + packing.flush(zlib.Z_FULL_FLUSH)


class Again(RawServer):
    """A server on a given port."""

    def __init__(self, *scripts: Script, port: int, tls: ssl.SSLContext | None = None) -> None:
        super().__init__(*scripts, tls=tls)
        self._listener.close()
        self._listener = socket.create_server(("127.0.0.1", port))
        self.port = port


def unprintable(text: str) -> set[str]:
    """Return characters that a terminal could interpret, by Unicode's table."""
    kinds = {"Cc", "Cf", "Cs", "Zl", "Zp"}
    return {char for char in text if char not in "\n\t" and unicodedata.category(char) in kinds}


def on_terminal(shell: Shell, *words: str) -> Ran:
    """Run a command on a terminal without colours: no escape is printed.

    The progress line of a slow call is left out.
    """
    ran = shell.run(*words, terminal=True, NO_COLOR="1")
    return replace(ran, err=re.sub(rf"{re.escape(ERASE)}(◐.*?cancels)?", "", ran.err))


def called(shell: Shell, url: str, *, timeout: float | None = None) -> Exchange:
    """Call through the facade, and check that the record is the same."""

    async def run() -> Exchange:
        async with shell.explorer() as door:
            door.use(ad_hoc(url))
            return await door.call(Draft("m"), id=ID, timeout=timeout)

    exchange = asyncio.run(run())
    assert_recorded(shell, exchange)
    return exchange


def assert_recorded(shell: Shell, exchange: Exchange) -> None:
    """Check that the newest record is this exchange, apart from redactions.

    The rest of a long body is not recorded either.
    """
    (read,) = shell.explorer().history.newest(1)
    assert isinstance(read, Exchange)
    assert (read.id, read.outcome_name, read.exit_code) == (exchange.id, exchange.outcome_name, exchange.exit_code)
    assert exchange.response.body.startswith(read.response.body)
    assert read.response.cut or read.response.body == exchange.response.body
    assert (read.response.status, read.response.size) == (exchange.response.status, exchange.response.size)
    if not read.response.cut:
        assert read.outcome == exchange.outcome


@dataclass(frozen=True)
class Visit:
    """A call on the command line and its traces."""

    ran: Ran
    """Output in a pipe, where stdout is exact."""
    seen: str
    """Output on a terminal: of the call, its headers and body, its record."""
    exchange: Exchange
    """The record, read back from the history."""
    server: RawServer

    @property
    def code(self) -> int:
        return self.ran.code

    @property
    def printed(self) -> str:
        return self.ran.err


def visit(shell: Shell, script: Script, *arguments: str, method: str = "m") -> Visit:
    """Call in a pipe and on a terminal, then read the record in every way."""
    with RawServer(script) as server:
        call = ["call", method, "--id", ID, "--url", server.origin, *arguments]
        ran = shell.run(*call)
        (exchange,) = shell.explorer().history.newest(1)
        screens = [on_terminal(shell, *call, "--include", "--body")]
    reading = ["history show", "history list", "history search m", "copy --as curl", "copy --as report"]
    screens += [on_terminal(shell, *words.split()) for words in reading]
    seen = "\n".join(screen.text + screen.err for screen in screens)
    assert unprintable(seen + ran.err) == set()
    assert "Traceback" not in seen + ran.err
    assert isinstance(exchange, Exchange)
    assert [screen.code for screen in screens] == [ran.code, 0, 0, 0, 0, 0]
    assert exchange.exit_code == ran.code
    return Visit(ran, seen, exchange, server)


def inert(*runs: Ran) -> None:
    """Check that a terminal interprets nothing in this output."""
    printed = "".join(run.text + run.err for run in runs)
    assert unprintable(printed) == set()
    assert "Traceback" not in printed


def history_of(shell: Shell) -> list[str]:
    """Return the texts of all files of the history."""
    return [text for path, text in shell.files().items() if "history" in path]


def written(shell: Shell, count: int) -> Path:
    """Write a history of this many calls; return its file."""
    history = shell.explorer().history
    for number in range(count):
        history.append(sample(number))
    (file,) = history.folder.glob("*.toml")
    return file
