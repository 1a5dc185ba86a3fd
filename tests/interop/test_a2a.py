"""The A2A SDK's own agent: parts of a result on an event stream, and an agent card."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.shell import Shell
from tests.interop.serving import asgi

pytestmark = pytest.mark.thorough
PATH = "/agents/echo"
NAMED = f"https://agents.example.com{PATH}"
MESSAGE = '{"messageId": "m", "role": "ROLE_USER", "parts": [{"text": "one two"}]}'


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    from a2a.helpers import new_task_from_user_message, new_text_part
    from a2a.server.request_handlers import DefaultRequestHandler
    from a2a.server.routes import create_agent_card_routes, create_jsonrpc_routes
    from a2a.server.tasks import InMemoryTaskStore, TaskUpdater
    from a2a.types import AgentCapabilities, AgentCard, AgentInterface, AgentSkill
    from starlette.applications import Starlette

    class Echo:
        async def execute(self, context: Any, event_queue: Any) -> None:
            task = new_task_from_user_message(context.message)
            await event_queue.enqueue_event(task)
            updater = TaskUpdater(event_queue, task.id, task.context_id)
            for word in context.get_user_input().split():
                await updater.add_artifact([new_text_part(word)])
            await updater.complete()

        async def cancel(self, context: Any, event_queue: Any) -> None:
            raise NotImplementedError

    card = AgentCard(
        name="Echo",
        description="Repeats words.",
        version="1",
        supported_interfaces=[AgentInterface(url=NAMED, protocol_binding="JSONRPC", protocol_version="1.0")],
        capabilities=AgentCapabilities(streaming=True),
        default_input_modes=["text/plain"],
        default_output_modes=["text/plain"],
        skills=[AgentSkill(id="echo", name="Echo", description="Repeats.", tags=["demo"])],
    )
    handler = DefaultRequestHandler(agent_executor=Echo(), task_store=InMemoryTaskStore(), agent_card=card)
    with asgi(Starlette(routes=[*create_agent_card_routes(card), *create_jsonrpc_routes(handler, PATH)])) as address:
        yield address


@pytest.fixture
def shell(url: str, tmp_path: Path) -> Shell:
    """A profile that was found from the bare address."""
    shell = Shell(tmp_path)
    tested = shell.run("profiles", "test", url)
    assert (tested.code, f'path = "{PATH}"' in tested.text) == (0, True), tested.text
    assert f"The card names {NAMED}. rpcexplorer calls {url}{PATH} and no other address." in tested.text
    assert shell.run("profiles", "add", "echo", "--url", f"{url}{PATH}", "--preset", "a2a").code == 0
    return shell


def test_message_returns_a_task(shell: Shell) -> None:
    listed = shell.run("methods", "-p", "echo", "--refresh")
    assert "11 methods" in listed.err
    sent = shell.run("call", "-p", "echo", "SendMessage", f"message:={MESSAGE}")
    task = json.loads(sent.text)["task"]
    assert task["status"]["state"] == "TASK_STATE_COMPLETED"
    assert shell.run("call", "-p", "echo", "GetTask", f"id={task['id']}").code == 0
    assert shell.run("call", "-p", "echo", "GetTask", "id=none").code == 1


def test_stream_returns_parts(shell: Shell) -> None:
    sent = shell.run("call", "-p", "echo", "SendStreamingMessage", f"message:={MESSAGE}")
    assert json.loads(sent.text)["statusUpdate"]["status"]["state"] == "TASK_STATE_COMPLETED"
    listened = shell.run("listen", "-p", "echo", "SendStreamingMessage", f"message:={MESSAGE}")
    parts = [list(json.loads(line)["result"]) for line in listened.text.splitlines()]
    assert (listened.code, parts) == (0, [["task"], ["artifactUpdate"], ["artifactUpdate"], ["statusUpdate"]])
