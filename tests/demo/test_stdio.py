"""The demo service on a connection that stays open."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, TypeVar

import pytest

from rpcexplorer.demo.stdio import MAX_SUBSCRIPTIONS, StdioDemo
from tests.demo.calling import LOGIN, envelope
from tests.fakes.shell import Shell

T = TypeVar("T")


class Client:
    """The other end of the connection."""

    def __init__(self) -> None:
        self.reports: list[str] = []
        self._sent: asyncio.Queue[bytes] = asyncio.Queue()
        self._received: asyncio.Queue[bytes] = asyncio.Queue()
        self._unfinished = b""
        self.receive = self._sent.get
        self.demo = StdioDemo(self._take, self.reports.append)

    def _take(self, data: bytes) -> None:
        *lines, self._unfinished = (self._unfinished + data).split(b"\n")
        for line in lines:
            self._received.put_nowait(line)

    def send(self, *lines: str) -> None:
        for line in lines:
            self._sent.put_nowait(f"{line}\n".encode())

    def end(self) -> None:
        self._sent.put_nowait(b"")

    async def line(self) -> bytes:
        return await self._received.get()

    async def message(self) -> Any:
        return json.loads(await self.line())

    async def call(self, method: str, params: str = "[]") -> Any:
        """Return the result or the error of a call whose response comes next."""
        self.send(envelope(method, params))
        return outcome_of(await self.message())

    @property
    def unread(self) -> int:
        return self._received.qsize()


def outcome_of(message: Any) -> Any:
    assert message.keys() - {"jsonrpc", "id"} in ({"result"}, {"error"})
    return message.get("result", message.get("error"))


def talk(conversation: Callable[[Client], Awaitable[T]]) -> T:
    """Run a conversation to its end, and then to that of the service."""

    async def run() -> T:
        client = Client()
        async with asyncio.timeout(10), asyncio.TaskGroup() as tasks:
            tasks.create_task(client.demo.serve(client.receive))
            result = await conversation(client)
            client.end()
        return result

    return asyncio.run(run())


@pytest.mark.parametrize("id", ['"a"', "7", "1.0"])
def test_response_has_the_id_as_sent(id: str) -> None:
    async def conversation(client: Client) -> bytes:
        client.send(envelope("demo.echo", '{"x": 1.10}', id=id))
        return await client.line()

    assert talk(conversation).decode() == f'{{"jsonrpc": "2.0", "id": {id}, "result": {{"x": 1.10}}}}'


def test_message_with_line_breaks_is_one_line() -> None:
    async def conversation(client: Client) -> Any:
        return await client.call("demo.numbers")

    assert talk(conversation)["money"] == 1.1


def test_slow_call_does_not_delay_others() -> None:
    async def conversation(client: Client) -> list[Any]:
        client.send(envelope("demo.slow", "[600]", id="1"), envelope("demo.echo", "[]", id="2"))
        first = await client.message()
        client.end()
        return [first["id"], (await client.message())["id"]]

    assert talk(conversation) == [2, 1]


def test_batch_is_answered_as_an_array() -> None:
    async def conversation(client: Client) -> Any:
        entries = [
            envelope("demo.echo", "[1]", id="1"),
            envelope("demo.echo", "[2]", None),
            envelope("ping", id="3"),
            envelope("demo.fail", '["html"]', id="4"),
            "5",
            envelope("ask.me", id="6"),
        ]
        client.send(f"[{','.join(entries)}]")
        return await client.message()

    answers = talk(conversation)
    assert [answer["id"] for answer in answers] == [1, 3, 4, None, 6]
    assert answers[0]["result"] == [1]
    assert [answer["error"]["code"] for answer in answers[1:]] == [-32001, -32602, -32600, -32602]


@pytest.mark.parametrize("line", [envelope("demo.echo", "[]", None), envelope("demo.fail", '["html"]', None), " "])
def test_notification_is_not_answered(line: str) -> None:
    async def conversation(client: Client) -> Any:
        client.send(line)
        return await client.call("demo.echo", "[1]")

    assert talk(conversation) == [1]


def test_invalid_message_is_answered_without_id() -> None:
    async def conversation(client: Client) -> list[Any]:
        client.send("no json", "[]", "1")
        return [await client.message() for _ in range(3)]

    assert [(message["id"], message["error"]["code"]) for message in talk(conversation)] == [
        (None, -32700),
        (None, -32600),
        (None, -32600),
    ]


def test_session_belongs_to_the_connection() -> None:
    async def conversation(client: Client) -> list[Any]:
        before = await client.call("ping")
        await client.call("auth", LOGIN)
        during = await client.call("ping")
        await client.call("demo.logout")
        return [before["message"], during, (await client.call("ping"))["message"]]

    assert talk(conversation) == ["authentication required", "pong", "authentication required"]


def test_response_of_http_is_sent_as_text() -> None:
    async def conversation(client: Client) -> list[bytes]:
        client.send(envelope("demo.fail", '["not_json"]'), envelope("demo.fail", '["empty"]'))
        client.send(envelope("demo.echo", "[]", id="2"))
        return [await client.line(), await client.line()]

    assert talk(conversation) == [b"OK, done. ", b'{"jsonrpc": "2.0", "id": 2, "result": []}']


def test_subscription_ticks_until_its_count() -> None:
    async def conversation(client: Client) -> Any:
        id = await client.call("clock.subscribe", '{"interval": 0.01, "count": 2}')
        ticks = [await client.message() for _ in range(2)]
        return id, ticks

    id, ticks = talk(conversation)
    assert id == "clock-1"
    assert [(tick["method"], tick["params"]["subscription"], tick["params"]["tick"]) for tick in ticks] == [
        ("clock.tick", id, 1),
        ("clock.tick", id, 2),
    ]
    assert all("id" not in tick for tick in ticks)


def test_subscriptions_are_limited() -> None:
    async def conversation(client: Client) -> Any:
        for _ in range(MAX_SUBSCRIPTIONS):
            await client.call("clock.subscribe", "[3600]")
        return await client.call("clock.subscribe", "[3600]")

    assert talk(conversation)["code"] == 4009


@pytest.mark.parametrize("params", ["[0.009]", "[0]", "[1, 0]", '["1"]'])
def test_subscription_with_wrong_params_is_refused(params: str) -> None:
    async def conversation(client: Client) -> Any:
        return await client.call("clock.subscribe", params)

    assert talk(conversation)["code"] == -32602


@pytest.mark.parametrize(
    ("answer", "returned"),
    [
        ('"result": 1.10', '{"result": 1.10}'),
        ('"result": null', '{"result": null}'),
        ('"error": {"code": 1, "message": "no"}', '{"error": {"code": 1, "message": "no"}}'),
        ('"result": 2, "error": null', '{"result": 2}'),
    ],
)
def test_ask_returns_the_answer_of_the_client(answer: str, returned: str) -> None:
    async def conversation(client: Client) -> tuple[Any, bytes]:
        client.send(envelope("ask.me", '["roots/list"]'))
        request = await client.message()
        client.send(f'{{"jsonrpc": "2.0", "id": "{request["id"]}", {answer}}}')
        return request, await client.line()

    request, line = talk(conversation)
    assert request["method"] == "roots/list"
    assert line.decode() == f'{{"jsonrpc": "2.0", "id": "1", "result": {returned}}}'


def test_ask_without_an_answer_is_an_error() -> None:
    async def conversation(client: Client) -> Any:
        client.send(envelope("ask.me", '["x", 0.01]'))
        request = await client.message()
        return request["id"], outcome_of(await client.message())

    id, error = talk(conversation)
    assert error == {"code": 4080, "message": f"{id} was not answered."}


def test_end_answers_calls_under_way() -> None:
    async def conversation(client: Client) -> list[Any]:
        client.send(envelope("clock.subscribe", "[3600]"), envelope("ask.me"), envelope("demo.slow", "[600]", id="3"))
        client.end()
        return [await client.message() for _ in range(4)]

    subscription, request, *others = talk(conversation)
    assert (subscription["result"], request["method"]) == ("clock-1", "ask.name")
    assert {json.dumps(outcome_of(message)) for message in others} == {
        '{"seconds": 600, "drip": false}',
        '{"code": 4080, "message": "ask-1 was not answered."}',
    }


@pytest.mark.parametrize(
    "line",
    ['{"jsonrpc": "2.0", "id": "ask-1", "result": 1}', '{"id": [], "error": {}}', '{"id": null, "result": null}'],
)
def test_unexpected_response_is_reported(line: str) -> None:
    async def conversation(client: Client) -> tuple[Any, list[str]]:
        client.send(line)
        return await client.call("demo.echo", "[]"), client.reports

    assert talk(conversation) == ([], ["A response was ignored, because no request waits for it."])


def test_discovery_has_methods_of_the_connection() -> None:
    async def conversation(client: Client) -> tuple[Any, Any]:
        return await client.call("rpc.discover"), await client.call("system.listMethods")

    document, names = talk(conversation)
    assert sorted(method["name"] for method in document["methods"]) == names
    assert {"ask.me", "clock.subscribe", "demo.echo", "rpc.discover"} <= {*names}
    [login] = (method for method in document["methods"] if method["name"] == "auth")
    assert "cookie" not in login["description"]


def test_demo_on_stdio_ends_with_stdin(tmp_path: Path) -> None:
    message = f"{envelope('demo.echo', '[1]')}\n".encode()
    ran = Shell(tmp_path).run("demo", "--stdio", stdin=message)
    assert (ran.code, ran.out, ran.err) == (0, b'{"jsonrpc": "2.0", "id": "1", "result": [1]}\n', "")


def test_demo_on_stdio_has_no_port(tmp_path: Path) -> None:
    ran = Shell(tmp_path).run("demo", "--stdio", "--port", "8000")
    assert ran.code == 2
    assert "--stdio cannot be used with --serve or --port." in ran.err


def test_demo_on_stdio_loads_no_screen(tmp_path: Path) -> None:
    script = (
        "import atexit, sys\n"
        "atexit.register(lambda: print(*sys.modules))\n"
        "sys.argv = ['rpcexplorer', 'demo', '--stdio']\n"
        "from rpcexplorer.__main__ import main\n"
        "main()\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=Shell(tmp_path).environment
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(f"{envelope('clock.subscribe', '[0.01]')}\n".encode())
        process.stdin.flush()
        lines = [process.stdout.readline() for _ in range(3)]
        process.stdin.close()
        loaded = process.stdout.read().splitlines()[-1].decode().split()
    assert [json.loads(line).get("method") for line in lines] == [None, "clock.tick", "clock.tick"]
    assert not {"textual", "httpx", "rpcexplorer.client", "rpcexplorer.history"} & {*loaded}
