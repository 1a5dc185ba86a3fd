"""From a bare command or address to a first right call, by what the connection test prints.

    python -m tests.benchmarks.bare [--python FOLDER] [--node FOLDER] [--only WORD]

``FOLDER``s are the ``bin`` of a virtual environment and the ``.bin`` of a ``node_modules``, where servers of others are
installed; those that are missing are named and left out. For each server, the command ``profiles add`` that the test
prints is run as it is, and then one call of that profile. It is right if the test is green and the call has a result.

The Python servers come with python-lsp-server, jedi-language-server, ruff, ty, pyrefly, fortls, clangd, basedpyright,
mcp, mcp-server-time, agent-client-protocol, a2a-sdk[http-server], aiorpcx and uvicorn. typescript-language-server needs
typescript before 7.
"""

from __future__ import annotations

import argparse
import os
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, NamedTuple

RPCEXPLORER: Final = (sys.executable, "-m", "rpcexplorer")
PATIENCE: Final = 20.0
"""Seconds until a server accepts connections."""


class Server(NamedTuple):
    name: str
    words: tuple[str, ...]
    """Its command. ``PYTHON/``, ``NODE/`` and ``FOLDER/`` are folders, the last with the programs below; ``PORT`` is
    where it listens."""
    call: str
    address: str = ""
    """What the user knows; empty for a process."""


LINES: Final = """\
import asyncio, json, sys
async def serve(reader, writer):
    while line := await reader.readline():
        call = json.loads(line)
        answer = {"result": 1} if call["method"] == "echo" else {"error": {"code": -32601, "message": "no"}}
        writer.write(json.dumps({"jsonrpc": "2.0", "id": call.get("id"), **answer}).encode() + b"\\n")
async def main(place):
    opening = asyncio.start_server(serve, "127.0.0.1", place) if place.isdigit() else None
    await (opening or asyncio.start_unix_server(serve, place))
    await asyncio.Future()
asyncio.run(main(sys.argv[1]))
"""
WEBSOCKET: Final = """\
import asyncio, json, sys
from websockets.asyncio.server import serve
async def answer(connection):
    async for message in connection:
        call = json.loads(message)
        said = {"result": 1} if call["method"] == "echo" else {"error": {"code": -32601, "message": "no"}}
        await connection.send(json.dumps({"jsonrpc": "2.0", "id": call.get("id"), **said}))
def refuse(connection, request):
    return None if request.path == sys.argv[2] else connection.respond(404, "no")
async def main():
    async with serve(answer, "127.0.0.1", int(sys.argv[1]), process_request=refuse):
        await asyncio.Future()
asyncio.run(main())
"""
ELECTRUM: Final = """\
import asyncio, sys, aiorpcx
class Session(aiorpcx.RPCSession):
    greeted = False
    async def handle_request(self, request):
        async def version(client_name="", protocol_version="1.4"):
            self.greeted = True
            return ["Strict 1.16", "1.4"]
        async def features():
            return {"server_version": "Strict 1.16"}
        if not self.greeted and request.method != "server.version":
            return await self.close()
        methods = {"server.version": version, "server.features": features}
        return await aiorpcx.handler_invocation(methods.get(request.method), request)()
async def main():
    await aiorpcx.serve_rs(Session, "127.0.0.1", int(sys.argv[1]))
    await asyncio.Future()
asyncio.run(main())
"""
"""A server of Electrum that hangs up on a client which does not begin with its version."""
MCP_STATELESS: Final = """\
import sys, uvicorn
from mcp.server import MCPServer
from mcp.server._streamable_http_modern import handle_modern_request
server = MCPServer("stateless")
@server.tool()
def add(a: int, b: int = 2) -> int:
    return a + b
async def serve(scope, receive, send):
    if scope["path"] == "/mcp":
        return await handle_modern_request(server._lowlevel_server, None, False, {}, scope, receive, send)
    await send({"type": "http.response.start", "status": 404, "headers": []})
    await send({"type": "http.response.body", "body": b"Not Found"})
uvicorn.run(serve, host="127.0.0.1", port=int(sys.argv[1]), log_level="error", lifespan="off")
"""
"""The MCP SDK without its handshake, so of 2026-07-28 alone."""
A2A: Final = """\
import sys, uvicorn
from a2a.helpers import new_task_from_user_message
from a2a.server.request_handlers import DefaultRequestHandler
from a2a.server.routes import create_agent_card_routes, create_jsonrpc_routes
from a2a.server.tasks import InMemoryTaskStore, TaskUpdater
from a2a.types import AgentCapabilities, AgentCard, AgentInterface
from starlette.applications import Starlette
class Agent:
    async def execute(self, context, queue):
        task = new_task_from_user_message(context.message)
        await queue.enqueue_event(task)
        await TaskUpdater(queue, task.id, task.context_id).complete()
    async def cancel(self, context, queue):
        raise NotImplementedError
port, path = int(sys.argv[1]), "/agents/one"
place = AgentInterface(url=f"http://127.0.0.1:{port}{path}", protocol_binding="JSONRPC", protocol_version="1.0")
card = AgentCard(
    name="One", description="An agent.", version="1", supported_interfaces=[place],
    capabilities=AgentCapabilities(streaming=True),
    default_input_modes=["text/plain"], default_output_modes=["text/plain"], skills=[],
)
handler = DefaultRequestHandler(agent_executor=Agent(), task_store=InMemoryTaskStore(), agent_card=card)
app = Starlette(routes=[*create_agent_card_routes(card), *create_jsonrpc_routes(handler, path)])
uvicorn.run(app, host="127.0.0.1", port=port, log_level="error")
"""
ACP: Final = """\
import asyncio
from acp import Agent, InitializeResponse, NewSessionResponse, run_agent
class One(Agent):
    async def initialize(self, protocol_version, **_):
        return InitializeResponse(protocol_version=protocol_version)
    async def new_session(self, cwd, **_):
        return NewSessionResponse(session_id="first")
asyncio.run(run_agent(One()))
"""
PROGRAMS: Final = {
    "lines.py": LINES,
    "websocket.py": WEBSOCKET,
    "electrum.py": ELECTRUM,
    "stateless.py": MCP_STATELESS,
    "agent.py": A2A,
    "coder.py": ACP,
}
JAYSON: Final = "new (require('jayson').Server)({ add: (a, done) => done(null, a[0] + a[1]) }).%s().listen(PORT)"
RPC_WEBSOCKETS: Final = (
    "new (require('rpc-websockets').Server)({ port: PORT, host: '127.0.0.1' }).register('sum', p => p[0] + p[1])"
)
VSCODE_JSONRPC: Final = """\
const rpc = require('vscode-jsonrpc/node')
require('net').createServer(socket => {
  const connection = rpc.createMessageConnection(
    new rpc.StreamMessageReader(socket), new rpc.StreamMessageWriter(socket))
  connection.onRequest('echo', x => x)
  connection.listen()
}).listen(PORT, '127.0.0.1')
"""
LANGUAGE_SERVERS: Final = (
    "PYTHON/pylsp", "PYTHON/jedi-language-server", "PYTHON/ruff server", "PYTHON/ty server", "PYTHON/pyrefly lsp",
    "PYTHON/fortls", "PYTHON/clangd", "PYTHON/basedpyright-langserver --stdio", "NODE/pyright-langserver --stdio",
    "NODE/typescript-language-server --stdio", "NODE/bash-language-server start",
    "NODE/yaml-language-server --stdio", "NODE/docker-langserver --stdio",
    "NODE/vscode-json-language-server --stdio", "NODE/vscode-css-language-server --stdio",
)  # fmt: skip
MCP_SERVERS: Final = (
    "PYTHON/mcp-server-time --local-timezone UTC", "NODE/mcp-server-everything", "NODE/mcp-server-filesystem /tmp",
    "NODE/mcp-server-memory",
)  # fmt: skip
TCP, UNIX = "tcp://127.0.0.1:PORT", "unix://FOLDER/socket"
WS, HTTP = "ws://127.0.0.1:PORT", "http://127.0.0.1:PORT"
OVSDB: Final = (
    "ovsdb-server", "--remote=ptcp:PORT:127.0.0.1", "--unixctl=FOLDER/control", "--pidfile=FOLDER/pid",
    "relay:Any:tcp:127.0.0.1:9",
)  # fmt: skip
SERVERS: Final = (
    *(Server(words, tuple(words.split()), "shutdown") for words in LANGUAGE_SERVERS),
    *(Server(words, tuple(words.split()), "tools/list") for words in MCP_SERVERS),
    Server("an agent of ACP", ("PYTHON/python", "FOLDER/coder.py"), "session/new cwd=/tmp mcpServers:=[]"),
    Server("our demo as a process", (*RPCEXPLORER, "demo", "--stdio"), "demo.echo"),
    Server("our demo over HTTP", (*RPCEXPLORER, "demo", "--serve", "--port", "PORT"), "demo.echo", HTTP),
    Server("our demo, as tcp", (*RPCEXPLORER, "demo", "--serve", "--port", "PORT"), "demo.echo", TCP),
    Server("mcp-server-everything over HTTP", ("NODE/mcp-server-everything", "streamableHttp"), "tools/list", HTTP),
    Server("MCP of 2026-07-28 alone", ("PYTHON/python", "FOLDER/stateless.py", "PORT"), "add a=1", HTTP),
    Server("an agent of A2A", ("PYTHON/python", "FOLDER/agent.py", "PORT"), "ListTasks", HTTP),
    Server("lines over TCP", (sys.executable, "FOLDER/lines.py", "PORT"), "echo", TCP),
    Server("lines over a Unix socket", (sys.executable, "FOLDER/lines.py", "FOLDER/socket"), "echo", UNIX),
    Server("a strict Electrum server", ("PYTHON/python", "FOLDER/electrum.py", "PORT"), "server.features", TCP),
    Server("ovsdb-server", OVSDB, "list_dbs", TCP),
    Server("WebSocket at /rpc", (sys.executable, "FOLDER/websocket.py", "PORT", "/rpc"), "echo", WS),
    Server("WebSocket, as http", (sys.executable, "FOLDER/websocket.py", "PORT", "/"), "echo", HTTP),
    Server("ganache", ("NODE/ganache", "--server.port", "PORT"), "eth_chainId", WS),
    Server("rpc-websockets", ("node", "-e", RPC_WEBSOCKETS), "sum 1 2", WS),
    Server("jayson over TCP", ("node", "-e", JAYSON % "tcp"), "add 1 2", TCP),
    Server("jayson over HTTP, as tcp", ("node", "-e", JAYSON % "http"), "add 1 2", TCP),
    Server("vscode-jsonrpc over TCP", ("node", "-e", VSCODE_JSONRPC), "echo", TCP),
)


class Attempt(NamedTuple):
    verdict: str
    seconds: float
    said: str


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port: int = taken.getsockname()[1]
        return port


@contextmanager
def running(words: list[str], folder: Path, port: int) -> Iterator[None]:
    """Run a server until the block ends."""
    environment = os.environ | {"PORT": str(port)}
    process = subprocess.Popen(
        words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True, env=environment
    )
    try:
        end = time.monotonic() + PATIENCE
        while not (folder / "socket").exists() and time.monotonic() < end:
            try:
                socket.create_connection(("127.0.0.1", port), 1).close()
                break
            except OSError:
                time.sleep(0.1)
        yield
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def run(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    own = {name: value for name, value in os.environ.items() if not name.startswith("RPCEXPLORER_")}
    environment = own | {"RPCEXPLORER_HOME": str(folder / "home")}
    command = [*RPCEXPLORER, *words]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


def attempt(folder: Path, words: list[str], address: str, call: str) -> Attempt:
    target = [address] if address else ["--stdio", shlex.join(words)]
    began = time.monotonic()
    tested = run(folder, "profiles", "test", *target)
    seconds = time.monotonic() - began
    adding = [line for line in tested.stdout.splitlines() if line.startswith("rpcexplorer profiles add NAME ")]
    if not adding:
        return Attempt("nothing proposed", seconds, tested.stdout)
    _, *added = shlex.split(adding[0].replace(" NAME ", " found ", 1))
    run(folder, *added)
    called = run(folder, "call", "-p", "found", "--yes", *call.split())
    is_right = tested.returncode == called.returncode == 0
    said = adding[0].partition(" NAME ")[2]
    if is_right:
        return Attempt("right", seconds, said)
    if tested.returncode and called.returncode:
        return Attempt("fails, as it says", seconds, f"{said}\n{called.stderr}")
    return Attempt(f"false: test {tested.returncode}, call {called.returncode}", seconds, f"{said}\n{called.stderr}")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--python", type=Path, default=Path(sys.executable).parent)
    parser.add_argument("--node", type=Path, default=Path("node_modules/.bin"))
    parser.add_argument("--only", default="")
    given = parser.parse_args()
    os.environ["NODE_PATH"] = str(given.node.resolve().parent)
    verdicts = Counter[str]()
    for server in SERVERS:
        if given.only not in server.name:
            continue
        folder, port = Path(tempfile.mkdtemp()), free_port()
        for name, text in PROGRAMS.items():
            (folder / name).write_text(text)
        (folder / "node_modules").symlink_to(given.node.resolve().parent)  # A project, with a compiler of TypeScript.
        places = {"PYTHON": given.python, "NODE": given.node.resolve(), "PORT": port, "FOLDER": folder}
        words, address = [*server.words], server.address
        for name, place in places.items():
            words = [word.replace(name, str(place)) for word in words]
            address = address.replace(name, str(place))
        if shutil.which(words[0]) is None:
            print(f"{server.name:42} missing")
            continue
        if address:
            with running(words, folder, port):
                made = attempt(folder, words, address, server.call)
        else:
            made = attempt(folder, words, "", server.call)
        verdicts[made.verdict] += 1
        print(f"{server.name:42} {made.verdict:20} {made.seconds:5.1f} s  {made.said}", flush=True)
        shutil.rmtree(folder, ignore_errors=True)
    print(dict(verdicts))


if __name__ == "__main__":
    main()
