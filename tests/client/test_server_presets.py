"""Presets of connections, with servers made after the documentation of the real ones."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any

import pytest

from rpcexplorer.explorer import Hooks
from rpcexplorer.model.draft import Draft
from rpcexplorer.model.event import Event
from rpcexplorer.model.exchange import Exchange
from rpcexplorer.model.profile import Profile
from rpcexplorer.rpc.messages import ErrorObject, Result
from tests.fakes.explorer import open_explorer
from tests.fakes.peers import Peer, WebSocketPeer, framed, peer, upgraded

Replies = list[dict[str, Any]]
SIGNAL: dict[str, Any] = {"envelope": {"source": "+15550100", "dataMessage": {"message": "hi"}}}


class Server:
    """A server that notes its calls, and ends the connection when it has no reply."""

    def __init__(self, replies: Callable[[list[str], Any], Replies], *, separator: bytes = b"\n") -> None:
        """``replies`` gets the methods so far and the last params; the id of the call replaces ``…``."""
        self.messages: Replies = []
        self._replies, self._separator = replies, separator

    @property
    def methods(self) -> list[str]:
        return [message["method"] for message in self.messages]

    async def serve(self, peer: Peer) -> None:
        while text := await peer.receive():
            message = json.loads(text)
            self.messages.append(message)
            replies = self._replies(self.methods, message["params"])
            if not replies:
                return
            for reply in replies:
                if reply.get("id") == "…":
                    reply["id"] = message["id"]
                frame = json.dumps(reply).encode() + self._separator
                await peer.send(peer.frame(frame) if isinstance(peer, WebSocketPeer) else frame)


def result(value: Any) -> Replies:
    return [{"jsonrpc": "2.0", "id": "…", "result": value}]


def talk(
    tmp_path: Path, preset: str, wire: str, serving: AbstractAsyncContextManager[int], *drafts: Draft, **secrets: str
) -> tuple[list[Exchange], list[Event]]:
    """Send calls with a profile of the preset; return the exchanges and the events."""
    events = list[Event]()

    def note(_: Profile, event: Event) -> None:
        if event not in events:
            events.append(event)

    async def run() -> list[Exchange]:
        async with serving as port:
            url = f"unix://{tmp_path}/s" if wire == "unix" else f"{wire}://127.0.0.1:{port}"
            own = f'[profile.x]\nurl = "{url}"\npreset = "{preset}"\n'
            explorer = open_explorer(tmp_path, "", own, **secrets)
            assert explorer.profiles.problems == []
            explorer.hooks = Hooks(on_event=note)
            explorer.use("x")
            async with explorer:
                return [await explorer.call(draft) for draft in drafts]

    return asyncio.run(run()), events


def test_electrum_server_is_greeted_first(tmp_path: Path) -> None:
    def replies(methods: list[str], params: Any) -> Replies:
        if methods[0] != "server.version":
            return []  # ElectrumX ends such a connection.
        return result(["ElectrumX 1.16.0", "1.4"] if len(methods) == 1 else {"hash_function": "sha256"})

    server = Server(replies)
    serving = peer(framed(server.serve, "lines"))
    (exchange,), _ = talk(tmp_path, "electrum", "tcp", serving, Draft("server.features"))
    assert (exchange.exit_code, exchange.remarks) == (0, ())
    assert server.methods == ["server.version", "server.features"]
    assert server.messages[0]["params"] == ["rpcexplorer", ["1.4", "1.6"]]


def test_moonraker_is_identified_over_websocket_alone(tmp_path: Path) -> None:
    server = Server(lambda methods, params: result({"connection_id": len(methods)}))
    serving = peer(upgraded(server.serve))
    calls = Draft("server.info"), Draft("access.info")  # The second needs no key, but has the same connection.
    exchanges, _ = talk(tmp_path, "moonraker", "ws", serving, *calls, RPCEXPLORER_X_TOKEN="key-of-moonraker")
    assert [exchange.exit_code for exchange in exchanges] == [0, 0]
    assert server.methods == ["server.connection.identify", "server.info", "access.info"]
    assert server.messages[0]["params"].keys() == {"client_name", "version", "type", "url"}


def test_moonraker_over_http_has_no_opening_call(tmp_path: Path) -> None:
    explorer = open_explorer(tmp_path, "", '[profile.x]\nurl = "http://h"\npreset = "moonraker"\n')
    profile = explorer.profiles.profiles["x"]
    assert (explorer.profiles.problems, profile.path, profile.openings) == ([], "/server/jsonrpc", ())


def test_stratum_subscribes_and_logs_in(tmp_path: Path) -> None:
    notify = {"id": None, "method": "mining.notify", "params": ["job", "00"]}

    def replies(methods: list[str], params: Any) -> Replies:
        if methods == ["mining.subscribe"]:
            return [{"id": "…", "result": [[], "08000002", 4], "error": None}]
        if methods[-1] == "mining.authorize":
            return [{"id": "…", "result": params == ["ada.1", "worker-secret"], "error": None}, notify]
        return [{"id": "…", "result": None, "error": [21, "Job not found", None]}]

    server = Server(replies)
    serving = peer(framed(server.serve, "lines"))
    secrets = {"RPCEXPLORER_X_USERNAME": "ada.1", "RPCEXPLORER_X_PASSWORD": "worker-secret"}
    (exchange,), events = talk(tmp_path, "stratum", "tcp", serving, Draft("mining.submit", '["w"]'), **secrets)
    assert isinstance(exchange.outcome, ErrorObject)
    assert [event.method for event in events] == ["mining.notify"]
    assert all(type(message["id"]) is int and "jsonrpc" not in message for message in server.messages)


def test_core_lightning_answers_with_texts_of_several_lines(tmp_path: Path) -> None:
    server = Server(lambda methods, params: result({"alias": "node\nof ada"}), separator=b"\n\n")
    serving = peer(framed(server.serve, "none"), path=tmp_path / "s")
    exchanges, _ = talk(tmp_path, "cln", "unix", serving, Draft("getinfo"), Draft("listpeers"))
    assert [(exchange.exit_code, exchange.remarks) for exchange in exchanges] == [(0, ()), (0, ())]
    assert server.messages[0]["params"] == {}


def test_ovsdb_gets_its_echo_without_a_version(tmp_path: Path) -> None:
    echoes = Replies()

    async def serve(peer: Peer) -> None:
        call = json.loads(await peer.receive())
        await peer.send(b'{"id":"echo","method":"echo","params":[]}')
        echoes.append(json.loads(await peer.receive()))
        await peer.send(json.dumps({"id": call["id"], "result": ["_Server"], "error": None}).encode())
        assert (call["params"], "jsonrpc" in call) == ([], False)

    serving = peer(framed(serve, "none"))
    (exchange,), events = talk(tmp_path, "ovsdb", "tcp", serving, Draft("list_dbs"))
    assert (exchange.exit_code, exchange.notes, exchange.remarks) == (0, (), ())
    assert echoes == [{"id": "echo", "result": [], "error": None}]
    assert [event.method for event in events] == ["echo"]


def test_event_of_rpc_websockets_has_its_name(tmp_path: Path) -> None:
    server = Server(lambda methods, params: [{"notification": "feed", "params": [1]}, *result({"feed": "ok"})])
    serving = peer(upgraded(server.serve))
    (exchange,), events = talk(tmp_path, "rpc-websockets", "ws", serving, Draft("rpc.on", '["feed"]'))
    assert exchange.exit_code == 0
    assert [(event.kind, event.method, event.remark) for event in events] == [("notification", "feed", "")]


@pytest.mark.parametrize(
    ("preset", "method", "reply"),
    [
        ("solana", "slotSubscribe", {"method": "slotNotification", "params": {"result": {"slot": 5}}}),
        ("signal-cli", "subscribeReceive", {"method": "receive", "params": {"result": SIGNAL}}),
    ],
)
def test_events_belong_to_the_subscription_by_its_number(
    tmp_path: Path, preset: str, method: str, reply: dict[str, Any]
) -> None:
    event = {"jsonrpc": "2.0", **reply, "params": {**reply["params"], "subscription": 0}}
    server = Server(lambda methods, params: result(0) if len(methods) == 1 else [event, *result("1.18")])
    is_websocket = preset == "solana"
    serving = peer(upgraded(server.serve) if is_websocket else framed(server.serve, "lines"))
    wire = "ws" if is_websocket else "tcp"
    (subscribed, _), events = talk(tmp_path, preset, wire, serving, Draft(method), Draft("version"))
    assert isinstance(subscribed.outcome, Result)
    assert [(found.method, found.of) for found in events] == [(event["method"], subscribed.id)]
