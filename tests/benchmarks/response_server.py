"""A server of large responses in its own process.

``POST /rows/10`` is answered with 10 MB of objects, ``/secrets/10`` with 10 MB that contain the password a few times,
``/line/50`` with one string of 50 MB, ``/short/5`` with five million short lines. The first line on stdout is the
port. For each response, a line with the time of its last byte follows.
"""

from __future__ import annotations

import json
import socket
import time

ROW = (
    b'{"id":%d,"name":"needle %d","tags":["a","b"],"price":1.10,"nested":{"x":null,"y":true},"text":"some \\"text\\""}'
)
FIRST = b'"first zebra"'
"""A text on the first screen of each response."""
MB = 1_000_000
PASSWORD = "hunter2-secret"


def result(shape: str, many: str) -> bytes:
    """Return the JSON of a result."""
    size = int(many)
    if shape == "rows":
        rows = size * MB // (len(ROW) + 8)
        return b"[" + FIRST + b"," + b",".join([ROW % (row, row) for row in range(rows)]) + b"]"
    if shape == "secrets":
        return result("rows", many).replace(b"needle 77", PASSWORD.encode(), 3)
    if shape == "short":
        return b"[" + FIRST + b"," + b",".join([b"%d" % number for number in range(size * MB)]) + b"]"
    text = b"a line that goes on and on, "
    return b'"first zebra ' + text * (size * MB // len(text)) + b'999"'


def serve() -> None:
    """Answer one request at a time, for ever."""
    listener = socket.create_server(("127.0.0.1", 0))
    print(listener.getsockname()[1], flush=True)
    made: dict[str, bytes] = {}
    while True:
        connection, _ = listener.accept()
        with connection:
            head, _, body = _until(connection, b"\r\n\r\n").partition(b"\r\n\r\n")
            length = int(head.lower().partition(b"content-length:")[2].split()[0]) if b"ontent-" in head else 0
            while len(body) < length:
                body += connection.recv(65536)
            path = head.split()[1].decode()
            if path not in made:
                shape, size = path.strip("/").split("/")
                made = {path: result(shape, size)}
            id = json.dumps(json.loads(body)["id"]).encode()
            start = b'{"jsonrpc":"2.0","id":' + id + b',"result":'
            length = len(start) + len(made[path]) + 1
            connection.sendall(
                b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % length + start
            )
            connection.sendall(made[path])
            connection.sendall(b"}")
            print(time.perf_counter(), flush=True)


def _until(connection: socket.socket, end: bytes) -> bytes:
    received = b""
    while end not in received:
        received += connection.recv(65536)
    return received


if __name__ == "__main__":
    serve()
