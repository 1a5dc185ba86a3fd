"""A server that sends exactly the given bytes, and records all requests.

It shares no code with what it tests: plain sockets and threads. A script is bytes, or parts in a row: bytes are
sent, `RESET` tears the connection down, `HOLD` keeps still until the test says `release()` or is over, `Pause`
keeps still for a while, `NEXT` waits on the same connection for the next request, which gets the next script. At the
end of its script the server closes. A script may also be a function of the request.

    with RawServer(http_reply(b'{"jsonrpc": "2.0"}')) as server:
        ...  # send something to server.url
    assert server.requests[0].header("Content-Type") == "application/json-rpc"
"""

from __future__ import annotations

import contextlib
import enum
import json
import socket
import ssl
import struct
import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import trustme

if TYPE_CHECKING:
    from pathlib import Path


class Act(enum.Enum):
    RESET = "reset"
    HOLD = "hold"
    NEXT = "next"


RESET, HOLD, NEXT = Act.RESET, Act.HOLD, Act.NEXT


@dataclass(frozen=True)
class Pause:
    """A wait of this length, or until the test ends."""

    seconds: float


Headers = Mapping[str, str] | Iterable[tuple[str, str]]


@dataclass(frozen=True)
class Received:
    """One request as it arrived."""

    head: bytes
    """Request line and headers, with the empty line that ends them."""
    body: bytes

    @property
    def line(self) -> str:
        return self.head.split(b"\r\n", 1)[0].decode("latin-1")

    @property
    def headers(self) -> tuple[tuple[str, str], ...]:
        lines = self.head.decode("latin-1").split("\r\n")[1:-2]
        return tuple((name, value) for name, _, value in (line.partition(": ") for line in lines))

    def header(self, name: str) -> str | None:
        return next((value for key, value in self.headers if key.lower() == name.lower()), None)

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    def reply(self, headers: Headers = (), status: int = 200, **members: object) -> bytes:
        """Return a JSON-RPC response with these members after the id."""
        return http_reply(
            json.dumps({"jsonrpc": "2.0", "id": self.json.get("id"), **members}).encode(), status, headers
        )

    def reply_with(self, members: str, headers: Headers = (), status: int = 200) -> bytes:
        """Return a JSON-RPC response with these members, spelled exactly so."""
        id = json.dumps(self.json.get("id"))
        return http_reply(f'{{"jsonrpc":"2.0","id":{id},{members}}}'.encode(), status, headers)


Part = bytes | Act | Pause
Parts = bytes | Iterable[Part]
Script = Parts | Callable[[Received], Parts]


def http_reply(
    body: bytes = b"",
    status: int = 200,
    headers: Headers = (),
    *,
    reason: str = "OK",
) -> bytes:
    """Return a well-formed response.

    A Content-Length is added unless the headers have their own framing.
    """
    pairs = list(headers.items() if isinstance(headers, Mapping) else headers)
    if not {name.lower() for name, _ in pairs} & {"content-length", "transfer-encoding"}:
        pairs.append(("Content-Length", str(len(body))))
    lines = [f"HTTP/1.1 {status} {reason}", *(f"{name}: {value}" for name, value in pairs), "", ""]
    return "\r\n".join(lines).encode("latin-1") + body


class RawServer:
    """A server on a free port of 127.0.0.1, or on a Unix socket.

    Each request gets the next script, the last one is repeated.
    """

    def __init__(
        self,
        *scripts: Script,
        tls: ssl.SSLContext | None = None,
        read_body: bool = True,
        path: str = "/api/v2/",
        socket_path: str = "",
    ) -> None:
        self.requests: list[Received] = []
        self.connections = 0
        """Number of accepted connections."""
        self._scripts = scripts or (http_reply(),)
        self._tls = tls
        self._read_body = read_body
        self._path = path
        self._released = threading.Event()
        self._over = threading.Event()
        self._gone = threading.Event()
        self._arrived = threading.Condition()
        self._threads: list[threading.Thread] = []
        self.socket_path = socket_path
        self.port = 0
        if socket_path:
            self._listener = socket.socket(socket.AF_UNIX)
            self._listener.bind(socket_path)
            self._listener.listen()
        else:
            self._listener = socket.create_server(("127.0.0.1", 0))
            self.port = self._listener.getsockname()[1]

    @property
    def origin(self) -> str:
        if self.socket_path:
            return "http://localhost"
        return f"{'https' if self._tls else 'http'}://127.0.0.1:{self.port}"

    @property
    def url(self) -> str:
        return self.origin + self._path

    @property
    def methods(self) -> list[str]:
        """The methods of all requests, in order."""
        return [request.json["method"] for request in self.requests]

    def release(self) -> None:
        """Continue every script that holds."""
        self._released.set()

    def wait_for_request(self, seconds: float = 5, count: int = 1) -> bool:
        """Wait for this many requests; return whether they arrived."""
        with self._arrived:
            return self._arrived.wait_for(lambda: len(self.requests) >= count, seconds)

    def wait_for_hangup(self, seconds: float = 5) -> bool:
        """Wait for a client's hangup; return whether it happened.

        It counts during a script that holds, or instead of a request.
        """
        return self._gone.wait(seconds)

    def forget_hangup(self) -> None:
        """Prepare to wait for the next hangup."""
        self._gone.clear()

    def __enter__(self) -> Self:
        self._spawn(self._accept)
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._released.set()
        # Closing alone would leave accept() waiting.
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        for thread in self._threads:
            thread.join(5)

    def _spawn(self, work: Callable[..., None], *arguments: object) -> None:
        thread = threading.Thread(target=work, args=arguments, daemon=True)
        self._threads.append(thread)
        thread.start()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while not self._over.is_set():
                connection, _ = self._listener.accept()
                self.connections += 1
                self._spawn(self._serve, connection)

    def _serve(self, connection: socket.socket) -> None:
        connection.settimeout(5)
        with contextlib.suppress(OSError), connection:
            if self._tls is not None:
                connection = self._tls.wrap_socket(connection, server_side=True)
            with connection:
                goes_on = True
                while goes_on and (request := self._receive(connection)):
                    goes_on = self._play(self._script_for(request), connection)

    def _receive(self, connection: socket.socket) -> Received | None:
        received = b""
        while b"\r\n\r\n" not in received:
            chunk = connection.recv(65536)
            if not chunk:
                self._gone.set()
                return None
            received += chunk
        head, _, body = received.partition(b"\r\n\r\n")
        request = Received(head + b"\r\n\r\n", body)
        length = int(request.header("Content-Length") or 0)
        parts = [body]
        missing = length - len(body) if self._read_body else 0
        while missing > 0 and (chunk := connection.recv(min(missing, 1 << 20))):
            parts.append(chunk)
            missing -= len(chunk)
        return Received(request.head, b"".join(parts))

    def _script_for(self, request: Received) -> Parts:
        with self._arrived:
            script = self._scripts[min(len(self.requests), len(self._scripts) - 1)]
            self.requests.append(request)
            self._arrived.notify_all()
        return script(request) if callable(script) else script

    def _play(self, parts: Parts, connection: socket.socket) -> bool:
        """Run the script; return whether to wait for the next request."""
        for part in [parts] if isinstance(parts, bytes) else parts:
            if self._over.is_set():
                return False
            match part:
                case bytes():
                    if self._read_body:  # Closing with unread data resets the connection and drops what it held.
                        _cork(connection, held=True)
                    connection.sendall(part)
                case Pause():
                    _cork(connection, held=False)
                    self._over.wait(part.seconds)
                case Act.RESET:
                    _cork(connection, held=False)
                    # With a linger time of zero, close() sends a reset.
                    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                    return False
                case Act.HOLD:
                    _cork(connection, held=False)
                    self._hold(connection)
                case Act.NEXT:
                    _cork(connection, held=False)
                    return True
        return False

    def _hold(self, connection: socket.socket) -> None:
        connection.settimeout(0.02)
        try:
            while not self._released.is_set():
                with contextlib.suppress(TimeoutError):
                    if not connection.recv(1):
                        raise ConnectionError
        except OSError:
            self._gone.set()
            raise
        connection.settimeout(5)


def _cork(connection: socket.socket, *, held: bool) -> None:
    """Hold the last packet back until the close.

    A client that has read the last byte then knows that none will follow.
    """
    if hasattr(socket, "TCP_CORK") and connection.family != socket.AF_UNIX:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_CORK, held)


class Authority:
    """An untrusted certificate authority, and the certificates it signs."""

    def __init__(self) -> None:
        self._ca = trustme.CA()

    def server(self, *names: str) -> ssl.SSLContext:
        """Return the TLS context of a server for these names."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self._ca.issue_cert(*(names or ("127.0.0.1", "localhost"))).configure_cert(context)
        return context

    def write(self, folder: Path) -> Path:
        """Write the authority's own certificate as a PEM file."""
        path = folder / "ca.pem"
        self._ca.cert_pem.write_to_path(path)
        return path
