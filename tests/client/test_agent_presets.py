"""The presets of coding agents, with agents made after the documentation of their protocols."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from rpcexplorer.explorer import Explorer, Hooks
from rpcexplorer.model.draft import Draft
from rpcexplorer.model.event import Event
from rpcexplorer.model.exchange import Exchange
from rpcexplorer.model.profile import Profile
from tests.fakes.explorer import open_explorer
from tests.fakes.peers import Peer, framed, peer

SESSION = "5e55104e5e55104e"


class Agent:
    """An agent that asks before it responds to a message."""

    def __init__(self) -> None:
        self.answers: list[Any] = []
        self.begun: list[str] = []

    async def serve(self, peer: Peer) -> None:
        while line := await peer.receive():
            message = json.loads(line)
            if "method" not in message:
                self.answers.append(message.get("result"))
                continue
            for reply in self.replies(message["method"], message.get("params")):
                if reply.get("id") == "…":
                    reply["id"] = message["id"]
                await peer.send(peer.frame(json.dumps(self.with_version(reply)).encode()))

    def with_version(self, message: dict[str, Any]) -> dict[str, Any]:
        return {"jsonrpc": "2.0", **message}

    def replies(self, method: str, params: Any) -> list[dict[str, Any]]:
        if method == "initialize":
            assert params["protocolVersion"] == 1
            return [{"id": "…", "result": {"protocolVersion": 1, "agentCapabilities": {}}}]
        if method == "session/new":
            return [{"id": "…", "result": {"sessionId": SESSION}}]
        assert method == "session/prompt"
        assert params["sessionId"] == SESSION
        update = {"sessionUpdate": "agent_message_chunk", "content": params["prompt"][0]}
        return [
            {"id": 0, "method": "session/request_permission", "params": {"sessionId": SESSION, "options": []}},
            {"method": "session/update", "params": {"sessionId": SESSION, "update": update}},
            {"id": "…", "result": {"stopReason": "end_turn"}},
        ]


class AppServer(Agent):
    """The app-server of Codex, whose messages have no ``jsonrpc``."""

    def with_version(self, message: dict[str, Any]) -> dict[str, Any]:
        return message

    def replies(self, method: str, params: Any) -> list[dict[str, Any]]:
        self.begun.append(method)
        if method == "initialize":
            assert params["clientInfo"].keys() == {"name", "title", "version"}
            return [{"id": "…", "result": {"userAgent": "codex"}}]
        if method == "initialized":
            return []
        if self.begun[:2] != ["initialize", "initialized"]:
            return [{"id": "…", "error": {"code": -32600, "message": "Not initialized"}}]
        if method == "thread/start":
            return [{"id": "…", "result": {"thread": {"id": "thr_123"}}}]
        assert (method, params["threadId"]) == ("turn/start", "thr_123")
        return [
            {"id": "…", "result": {"turn": {"id": "turn_456", "status": "inProgress"}}},
            {
                "id": len(self.begun),
                "method": "item/commandExecution/requestApproval",
                "params": {"threadId": "thr_123"},
            },
            {"method": "item/completed", "params": {"item": {"type": "agentMessage", "id": "i", "text": "hi"}}},
            {"method": "turn/completed", "params": {"turn": {"id": "turn_456", "status": "completed"}}},
        ]


def talk(
    tmp_path: Path, agent: Agent, preset: str, act: Callable[[Explorer, list[Event]], Awaitable[Any]]
) -> tuple[Any, list[str]]:
    """Act with a profile of the preset; return the outcome, and the methods of the events."""
    events = list[Event]()

    def note(_: Profile, event: Event) -> None:
        if event not in events:
            events.append(event)

    async def run() -> Any:
        async with peer(framed(agent.serve, "lines")) as port:
            own = f'[profile.agent]\nurl = "tcp://127.0.0.1:{port}"\npreset = "{preset}"\n'
            explorer = open_explorer(tmp_path, "", own)
            assert explorer.profiles.problems == []
            explorer.hooks = Hooks(on_event=note, can_ask=lambda _: True)
            explorer.use("agent")
            async with explorer:
                return await act(explorer, events)

    return asyncio.run(run()), [event.method for event in events]


def answer_request(explorer: Explorer, events: list[Event], method: str, answer: str) -> None:
    """Answer the first request of this method."""
    asked = next(event for event in events if event.method == method)
    assert explorer.answer(explorer.profiles.profiles["agent"], asked, f'"result":{answer}') == ""


def test_acp_begins_a_session_and_takes_messages(tmp_path: Path) -> None:
    method, answer = "session/request_permission", '{"outcome":{"outcome":"selected","optionId":"yes"}}'

    async def act(explorer: Explorer, events: list[Event]) -> Exchange:
        assert (await explorer.call(Draft("session/new", '{"cwd": "/w", "mcpServers": []}'))).exit_code == 0
        prompt = '{"sessionId": "{{last.session/new#/sessionId}}", "prompt": [{"type": "text", "text": "hi"}]}'
        exchange = await explorer.call(Draft("session/prompt", prompt))
        answer_request(explorer, events, method, answer)
        await explorer.call(Draft("session/prompt", prompt))  # The agent has read the answer by then.
        assert [call.method for call in explorer.recent(9)[::-1]][:2] == ["initialize", "session/new"]
        return exchange

    agent = Agent()
    exchange, methods = talk(tmp_path, agent, "acp", act)
    assert (exchange.exit_code, exchange.notes, exchange.remarks) == (0, (), ())
    assert methods[:2] == [method, "session/update"]
    assert agent.answers == [json.loads(answer)]


def test_codex_begins_a_thread_and_takes_turns(tmp_path: Path) -> None:
    method, answer = "item/commandExecution/requestApproval", '{"decision":"accept"}'

    async def act(explorer: Explorer, events: list[Event]) -> Exchange:
        assert (await explorer.call(Draft("thread/start"))).exit_code == 0
        turn = '{"threadId": "{{last.thread/start#/thread/id}}", "input": [{"type": "text", "text": "hi"}]}'
        exchange = await explorer.call(Draft("turn/start", turn))
        await explorer.call(Draft("turn/start", turn))  # The request of the first turn has come by then.
        answer_request(explorer, events, method, answer)
        await explorer.call(Draft("turn/start", turn))
        return exchange

    agent = AppServer()
    exchange, methods = talk(tmp_path, agent, "codex", act)
    assert (exchange.exit_code, exchange.notes) == (0, ())
    assert methods[:3] == [method, "item/completed", "turn/completed"]
    assert agent.answers == [json.loads(answer)]


@pytest.mark.parametrize("preset", ["acp", "codex"])
def test_requests_of_an_agent_wait_for_the_user(tmp_path: Path, preset: str) -> None:
    explorer = open_explorer(tmp_path, "", f'[profile.a]\nurl = "tcp://127.0.0.1:1"\npreset = "{preset}"\n')
    answers = explorer.profiles.profiles["a"].answers
    assert answers
    assert all(answer.ask for answer in answers.values())
