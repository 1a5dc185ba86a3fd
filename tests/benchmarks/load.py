"""Users of load tests, next to plain FastHttpUsers of Locust.

    python -m tests.benchmarks.load [SECONDS] [RUNS]

All take turns against the same fast server, a process of its own that counts its requests. Each is a whole Locust with
20 users that send the same call as fast as they can. Two seconds after the first request, requests and CPU time of
Locust are noted, and again after SECONDS. The plain user sends the finished body, and reads nothing of the response.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Final

import msgspec
import psutil
from msgspec import Struct

from rpcexplorer.load.plan import Plan, PlannedCall
from rpcexplorer.load.run import Load, commands, environment_of, free_port
from tests.benchmarks.figures import in_turns

USERS: Final = 20
SERVER: Final = """
import asyncio, re, sys
count = 0
class Server(asyncio.Protocol):
    def connection_made(self, transport): self.transport, self.data = transport, b""
    def data_received(self, data):
        global count
        self.data += data
        while b"\\r\\n\\r\\n" in self.data:
            head, _, rest = self.data.partition(b"\\r\\n\\r\\n")
            found = re.search(rb"(?i)content-length: *([0-9]+)", head)
            length = int(found[1]) if found else 0
            if len(rest) < length: return
            body, self.data = rest[:length], rest[length:]
            if head.startswith(b"GET"):
                answer = b"%d" % count
            else:
                count += 1
                id = re.search(rb'"id": *("[^"]*")', body)
                answer = b'{"jsonrpc":"2.0","id":%b,"result":{"pong":true}}' % (id[1] if id else b'"1"')
            cookie = b"Set-Cookie: sessionid=abcdef0123456789\\r\\n" if b'"auth"' in body else b""
            head = b"HTTP/1.1 200 OK\\r\\nContent-Type: application/json\\r\\n%bContent-Length: %d\\r\\n\\r\\n"
            self.transport.write(head % (cookie, len(answer)) + answer)
async def main():
    server = await asyncio.get_running_loop().create_server(Server, "127.0.0.1", int(sys.argv[1]))
    await server.serve_forever()
asyncio.run(main())
"""
PLAIN: Final = """
from locust import FastHttpUser, constant, task
class Plain(FastHttpUser):
    host = "{url}"
    wait_time = constant(0)
    @task
    def ping(self):
        body = b'{{"jsonrpc":"2.0","id":"1mabcdefgh12345","method":"ping","params":[]}}'
        self.client.post("/api/v2/", data=body, headers={{"Content-Type": "application/json-rpc"}})
"""
AUTHS: Final = {"none": "", "cookie": "PASSWORD", "inline": "PASSWORD", "bearer": "TOKEN"}
"""The secret of each auth type."""
PROFILE: Final = """
[profile.{auth}]
url = "{url}"
auth = {{ kind = "{auth}"{user} }}
"""


class Measured(Struct, frozen=True):
    rate: float
    """Requests per second."""
    cost: float
    """Microseconds of CPU per request."""


def count_of(url: str) -> int:
    import urllib.request

    with urllib.request.urlopen(url) as response:
        return int(response.read())


@contextmanager
def running(command: Sequence[str], **settings: object) -> Iterator[subprocess.Popen[bytes]]:
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, **settings)  # type: ignore[call-overload]
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def measured(processes: Sequence[subprocess.Popen[bytes]], url: str, seconds: float) -> Measured:
    """Measure processes that have been started."""
    before = count_of(url)
    while count_of(url) == before:
        time.sleep(0.1)
    time.sleep(2)
    seen = [psutil.Process(process.pid) for process in processes]

    def now() -> tuple[float, int, float]:
        return time.perf_counter(), count_of(url), sum(sum(one.cpu_times()[:2]) for one in seen)

    first = now()
    time.sleep(seconds)
    last = now()
    took, requests, cpu = (after - before for before, after in zip(first, last, strict=True))
    return Measured(requests / took, cpu / requests * 1e6)


class Bench:
    def __init__(self, folder: Path, port: int, seconds: float) -> None:
        self.folder, self.seconds = folder, seconds
        self.url = f"http://127.0.0.1:{port}"
        self.environment = {**os.environ, "RPCEXPLORER_HOME": str(folder / "home")}
        secrets = {f"RPCEXPLORER_{auth.upper()}_{field}": "s3cr3t-of-ada" for auth, field in AUTHS.items() if field}
        self.environment |= secrets
        users = {"cookie": ', username = "ada"', "inline": ', username = "ada"'}
        profiles = [PROFILE.format(auth=auth, url=self.url, user=users.get(auth, "")) for auth in AUTHS]
        (folder / "sessions.toml").write_text("\n".join(["version = 1", *profiles]))

    def plain(self) -> Measured:
        file = self.folder / "plain.py"
        file.write_text(PLAIN.format(url=self.url))
        words = ["-f", str(file), "--headless", "--users", str(USERS), "--spawn-rate", "100", "--only-summary"]
        command = [sys.executable, "-P", "-m", "locust", *words, "--loglevel", "ERROR"]
        with running(command, stderr=subprocess.DEVNULL, cwd=self.folder) as process:
            return measured([process], self.url, self.seconds)

    def ours(self, auth: str, workers: int = 1) -> Measured:
        plan = Plan(auth, (PlannedCall("@ping", "ping", ""),), str(self.folder), str(self.folder))
        line = msgspec.json.encode(plan) + b"\n"
        environment = environment_of(self.environment, str(self.folder))
        processes: list[subprocess.Popen[bytes]] = []
        try:
            for command in commands(Load(USERS, 100, 600, workers=workers), free_port() if workers > 1 else 0):
                process = subprocess.Popen(
                    command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, cwd=self.folder, env=environment
                )
                processes.append(process)
                assert process.stdin is not None
                process.stdin.write(line)
                process.stdin.flush()
            return measured(processes, self.url, self.seconds)
        finally:
            for process in processes:
                process.kill()
                process.wait()


def main() -> None:
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 6.0
    runs = int(sys.argv[2]) if len(sys.argv) > 2 else 3
    port = free_port()
    with tempfile.TemporaryDirectory() as folder, running([sys.executable, "-c", SERVER, str(port)]):
        time.sleep(0.5)
        bench = Bench(Path(folder), port, seconds)
        plans: dict[str, Callable[[], Measured]] = {
            "plain FastHttpUser": bench.plain,
            **{f"rpcexplorer, {auth}": partial(bench.ours, auth) for auth in AUTHS},
            "rpcexplorer, none, 2 workers": partial(bench.ours, "none", 2),
        }
        found = in_turns(runs, plans)
    medians = {
        name: Measured(statistics.median(one.rate for one in taken), statistics.median(one.cost for one in taken))
        for name, taken in found.items()
    }
    floor = medians["plain FastHttpUser"]
    for name, median in medians.items():
        print(
            f"{name:<30} {median.rate:8,.0f} requests/s   {median.rate / floor.rate:5.2f} of plain"
            f"   {median.cost:7.0f} us of CPU a request   {median.cost / floor.cost:5.2f} of plain"
        )


if __name__ == "__main__":
    main()
