"""Calls that a connection begins with."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from websockets.asyncio.server import ServerConnection, serve
from websockets.http11 import Request, Response

from rpcexplorer.explorer import Explorer
from rpcexplorer.model.draft import Draft
from rpcexplorer.model.exchange import Exchange, Refused, Unreached
from rpcexplorer.model.secret import Secret
from rpcexplorer.rpc.messages import Result
from tests.fakes.explorer import open_explorer
from tests.fakes.peers import Peer, framed, peer

TOKEN = "a-token-of-the-box"
OPEN = """\
[[profile.box.open]]
method = "hello"
params = { version = 1 }

[[profile.box.open]]
method = "ready"
notification = true

[[profile.box.open]]
method = "login"
params = ["{token}"]
result = true
"""


class Box:
    """A server that remembers its calls by connection, and takes one token."""

    def __init__(self) -> None:
        self.connections: list[list[str]] = []
        self.received: list[bytes] = []
        self.token = TOKEN
        self.hello: dict[str, Any] = {"result": {"name": "box"}}
        self.is_silent = False

    async def serve(self, peer: Peer) -> None:
        calls = list[str]()
        self.connections.append(calls)
        while message := await peer.receive():
            call = json.loads(message)
            calls.append(call["method"])
            self.received.append(message)
            if "id" not in call or self.is_silent:
                continue
            answer: dict[str, Any] = {"result": call.get("params")}
            if call["method"] == "login":
                answer = {"result": call["params"] == [self.token]}
            elif call["method"] == "hello":
                answer = self.hello
            await peer.send(peer.frame(json.dumps({"jsonrpc": "2.0", "id": call["id"], **answer}).encode()))
            if call["method"] == "bye":
                return


@pytest.fixture
def box() -> Box:
    return Box()


def ask(tmp_path: Path, box: Box, act: Callable[[Explorer], Awaitable[Any]], settings: str = OPEN) -> Any:
    """Act with a profile of the user's own file."""

    async def run() -> Any:
        async with peer(framed(box.serve, "lines")) as port:
            own = f'[profile.box]\nurl = "tcp://127.0.0.1:{port}"\n{settings}'
            explorer = open_explorer(tmp_path, "", own, RPCEXPLORER_BOX_TOKEN=TOKEN)
            explorer.use("box")
            async with explorer:
                return await act(explorer)

    return asyncio.run(run())


def test_calls_are_sent_in_order_before_the_first_call_alone(tmp_path: Path, box: Box) -> None:
    async def act(explorer: Explorer) -> None:
        assert (await explorer.call(Draft("ping"))).exit_code == 0
        assert (await explorer.call(Draft("ping"))).exit_code == 0
        records = explorer.recent(9)[::-1]
        assert [(record.method, record.kind) for record in records] == [
            ("hello", "opening"), ("ready", "opening"), ("login", "opening"), ("ping", "call"), ("ping", "call"),
        ]  # fmt: skip
        assert records[2].params == '["«box.token»"]'

    ask(tmp_path, box, act)
    assert box.connections == [["hello", "ready", "login", "ping", "ping"]]
    assert not [path for path in tmp_path.rglob("*") if path.is_file() and TOKEN in path.read_text()]


def test_each_new_connection_begins_with_them(tmp_path: Path, box: Box) -> None:
    async def act(explorer: Explorer) -> None:
        await explorer.call(Draft("bye"))
        connection = explorer.connection_of(explorer.profiles.profiles["box"])
        assert connection is not None
        await connection.wait_closed()
        await explorer.call(Draft("ping"))

    ask(tmp_path, box, act)
    assert box.connections == [["hello", "ready", "login", "bye"], ["hello", "ready", "login", "ping"]]


def test_calls_at_the_same_time_log_in_once(tmp_path: Path, box: Box) -> None:
    async def act(explorer: Explorer) -> list[Exchange]:
        return await asyncio.gather(*(explorer.call(Draft("ping")) for _ in range(5)))

    exchanges = ask(tmp_path, box, act)
    assert [exchange.exit_code for exchange in exchanges] == [0] * 5
    assert box.connections == [["hello", "ready", "login", *["ping"] * 5]]


def test_rejected_login_of_a_connection_is_one_of_credentials(tmp_path: Path, box: Box) -> None:
    box.token = "another"
    exchange = ask(tmp_path, box, lambda explorer: explorer.call(Draft("ping")))
    assert isinstance(exchange.outcome, Refused)
    assert (exchange.exit_code, exchange.outcome.missing) == (3, "token")
    assert exchange.outcome.sentence == (
        "The login of the connection failed: login returned false, which is not the expected result."
    )
    assert box.connections == [["hello", "ready", "login"]]


@pytest.mark.parametrize(
    ("answer", "sentence"),
    [
        ({"error": {"code": -32602, "message": "old version"}}, "hello returned the error -32602 old version."),
        ({"nothing": 1}, "hello got no response: "),
    ],
)
def test_failed_opening_without_a_secret_is_no_response(
    tmp_path: Path, box: Box, answer: dict[str, Any], sentence: str
) -> None:
    box.hello = answer
    exchange = ask(tmp_path, box, lambda explorer: explorer.call(Draft("ping")))
    assert isinstance(exchange.outcome, Unreached)
    assert (exchange.exit_code, exchange.outcome.step) == (4, "open")
    assert exchange.outcome.sentence.startswith(f"The call was not sent, because {sentence}")
    assert box.connections == [["hello"]]


def test_missing_secret_is_named_and_nothing_more_is_sent(tmp_path: Path, box: Box) -> None:
    settings = OPEN.replace("{token}", "{password}")
    exchange = ask(tmp_path, box, lambda explorer: explorer.call(Draft("ping")), settings)
    assert (exchange.exit_code, exchange.outcome.missing) == (3, "password")
    assert box.connections == [["hello", "ready"]]


def test_silent_opening_ends_with_the_timeout_of_the_call(tmp_path: Path, box: Box) -> None:
    box.is_silent = True
    exchange = ask(tmp_path, box, lambda explorer: explorer.call(Draft("ping"), timeout=0.2))
    assert isinstance(exchange.outcome, Unreached)
    assert "hello failed: The server did not respond within 0.2 s." in exchange.outcome.sentence
    assert "may have run" not in exchange.outcome.sentence


def test_server_that_repeats_the_token_gives_it_to_nobody(tmp_path: Path, box: Box) -> None:
    settings = OPEN.replace('"login"', '"echo"')
    exchange = ask(tmp_path, box, lambda explorer: explorer.call(Draft("ping")), settings)
    assert isinstance(exchange.outcome, Refused)
    assert exchange.outcome.sentence.endswith('echo returned ["«box.token»"], which is not the expected result.')
    assert not [path for path in tmp_path.rglob("*") if path.is_file() and TOKEN in path.read_text()]


def test_login_opens_the_connection_anew(tmp_path: Path, box: Box) -> None:
    async def act(explorer: Explorer) -> None:
        await explorer.call(Draft("ping"))
        assert (await explorer.login()).exit_code == 0

    ask(tmp_path, box, act)
    assert box.connections == [["hello", "ready", "login", "ping"], ["hello", "ready", "login"]]


def test_listening_and_the_connection_test_begin_with_them(tmp_path: Path, box: Box) -> None:
    async def act(explorer: Explorer) -> None:
        report = await explorer.test(explorer.profiles.profiles["box"])
        assert report.exit_code == 0
        await explorer.listen(Draft("bye"))

    ask(tmp_path, box, act)
    assert [calls[:3] for calls in box.connections] == [["hello", "ready", "login"]] * 2


def test_connection_test_says_where_the_login_failed(tmp_path: Path, box: Box) -> None:
    async def act(explorer: Explorer) -> list[tuple[str, str]]:
        report = await explorer.test(explorer.profiles.profiles["box"])
        assert report.exit_code == 3
        return [(check.label, check.state) for check in report.checks]

    box.token = "another"
    rejected = ask(tmp_path, box, act)
    assert rejected[:3] == [("Connection", "well"), ("Handshake", "failed"), ("JSON-RPC", "unknown")]
    missing = ask(tmp_path, box, act, OPEN.replace("{token}", "{password}"))
    assert ("Connection", "unknown") in missing
    assert ("Credentials", "failed") in missing


def test_project_file_adds_no_opening_to_an_own_profile(tmp_path: Path, box: Box) -> None:
    (tmp_path / "sessions.toml").write_text('[[profile.box.open]]\nmethod = "erase"\nparams = ["{token}"]\n')
    assert ask(tmp_path, box, lambda explorer: explorer.call(Draft("ping"))).exit_code == 0
    assert box.connections == [["hello", "ready", "login", "ping"]]


def test_opening_calls_are_part_of_the_destination(tmp_path: Path, box: Box) -> None:
    """A project file cannot let a stored token go into another call."""

    async def run() -> Exchange:
        async with peer(framed(box.serve, "lines")) as port:
            team = f'[profile.box]\nurl = "tcp://127.0.0.1:{port}"\n'
            explorer = open_explorer(tmp_path, team + OPEN)
            explorer.secrets.save(explorer.profiles.profiles["box"], "token", TOKEN)
            (tmp_path / "sessions.toml").write_text(team + OPEN.replace("login", "echo"))
            explorer.reload()
            explorer.use("box")
            async with explorer:
                return await explorer.call(Draft("ping"))

    exchange = asyncio.run(run())
    assert isinstance(exchange.outcome, Refused)
    assert exchange.exit_code == 3
    assert "open" in exchange.outcome.sentence
    assert "echo" not in [method for calls in box.connections for method in calls]


def test_token_is_not_sent_to_another_machine_in_plain_text_unasked(tmp_path: Path) -> None:
    async def run() -> Exchange:
        login = '[[profile.box.open]]\nmethod = "login"\nparams = ["{token}"]\n'
        own = f'[profile.box]\nurl = "tcp://192.0.2.1:9"\n{login}'
        explorer = open_explorer(tmp_path, "", own, RPCEXPLORER_BOX_TOKEN=TOKEN)
        explorer.use("box")
        async with explorer:
            return await explorer.call(Draft("ping"))

    exchange = asyncio.run(run())
    assert isinstance(exchange.outcome, Refused)
    assert exchange.outcome.sentence.startswith("Credentials not sent: tcp://192.0.2.1:9 is not encrypted.")


SESSION = """\
[[profile.box.open]]
name = "session"
method = "hello"
"""
ID = "sess-4711-of-this-connection"
PROMPT = '{"sessionId": "{{open.session#/sessionId}}", "at": "{{open.session#/n:json}}"}'


@pytest.fixture
def agent(box: Box) -> Box:
    """A server whose greeting has the id of a session."""
    box.hello = {"result": {"sessionId": ID, "n": 1.10}}
    return box


def texts_in(folder: Path) -> str:
    files = [path for path in folder.rglob("*") if path.is_file()]
    return "\n".join(path.read_text(errors="replace") for path in files)


def test_results_of_opening_calls_are_inserted_once_connected(tmp_path: Path, agent: Box) -> None:
    async def act(explorer: Explorer) -> Exchange:
        exchange = await explorer.call(Draft("prompt", PROMPT))
        record = explorer.recent(1)[0]
        assert record.params == PROMPT
        assert record.params_sent == '{"sessionId": "«not recorded»", "at": 1.1}'
        return exchange

    exchange = ask(tmp_path, agent, act, SESSION)
    assert (exchange.exit_code, exchange.notes) == (0, ())
    assert agent.connections == [["hello", "prompt"]]
    assert json.loads(agent.received[-1])["params"] == {"sessionId": ID, "at": 1.1}


def test_secret_of_an_opening_result_is_hidden_in_later_calls(tmp_path: Path, agent: Box) -> None:
    """It is hidden by its value: as a param without a name, and in what the server says about it."""

    async def act(explorer: Explorer) -> Exchange:
        await explorer.call(Draft("prompt", '["{{open.session#/sessionId}}"]'))
        for number in range(40):
            explorer.credentials.hide([Secret(f"the proof of digest {number}", "not recorded")])
        return await explorer.call(Draft("prompt", f'["about {ID}"]'))

    exchange = ask(tmp_path, agent, act, SESSION)
    assert json.loads(agent.received[-2])["params"] == [ID]
    assert ID not in texts_in(tmp_path)
    assert ID not in f"{exchange.outcome} {exchange.response.body!r}"


@pytest.mark.parametrize(
    ("result", "reference", "why"),
    [
        ({"n": 1}, "open.session#/sessionId", "the result of the opening call session does not contain /sessionId"),
        ({"n": 1}, "open.thread#/n", "box has no opening call with the name thread"),
        ({"sessionId": "a1", "n": 1}, "open.session#/n", "contains a secret that is too short to be found"),
        ({"password": ["p" * 9 + str(n) for n in range(17)], "n": 1}, "open.session#/n", "contains too many secrets"),
        ({"you": TOKEN, "n": 1}, "open.session#/n", "contains a redacted value"),
        ({"n": "x" * 1024 * 1024}, "open.session#/n", "cannot be searched for secrets"),
    ],
)
def test_opening_result_without_a_value_is_explained(
    tmp_path: Path, box: Box, result: Any, reference: str, why: str
) -> None:
    box.hello = {"result": result}
    draft = Draft("prompt", f'["{{{{{reference}}}}}"]')
    exchange = ask(tmp_path, box, lambda explorer: explorer.call(draft), SESSION)
    [note] = exchange.notes
    assert note.startswith(f"{{{{{reference}}}}} has no value: ")
    assert why in note
    assert note.endswith("It is sent as typed.")


def test_secret_reference_in_an_opening_result_is_text(tmp_path: Path, box: Box) -> None:
    box.hello = {"result": {"n": "«box.token»"}}
    draft = Draft("prompt", '["{{open.session#/n}}"]')
    settings = SESSION + '[[profile.box.open]]\nmethod = "login"\nparams = ["{token}"]\n'
    exchange = ask(tmp_path, box, lambda explorer: explorer.call(draft), settings)
    assert exchange.exit_code == 0
    login, prompt = map(json.loads, box.received[-2:])
    assert (login["params"], prompt["params"]) == ([TOKEN], ["«box.token»"])


def test_saved_call_waits_for_the_connection_or_is_not_sent(tmp_path: Path, agent: Box) -> None:
    async def act(explorer: Explorer) -> Exchange:
        for pointer in ("/sessionId", "/none"):
            draft = explorer.resolved(
                Draft("prompt", f'["{{{{open.session#{pointer}}}}}", "{{{{page}}}}"]'), {"page": "2"}
            )
            assert isinstance(draft, Draft)
            exchange = await explorer.call(draft)
        return exchange

    exchange = ask(tmp_path, agent, act, SESSION)
    assert isinstance(exchange.outcome, Refused)
    assert exchange.outcome.sentence.startswith("Nothing was sent: {{open.session#/none}} has no value: ")
    assert json.loads(agent.received[-1])["params"] == [ID, "2"]
    assert agent.connections == [["hello", "prompt"]]


def test_preview_opens_nothing_and_keeps_the_reference(tmp_path: Path, agent: Box) -> None:
    async def act(explorer: Explorer) -> Any:
        return explorer.preview(Draft("prompt", PROMPT))

    shown = ask(tmp_path, agent, act, SESSION)
    assert b"{{open.session#/sessionId}}" in shown.body
    assert "{{open.session#/sessionId}} gets its value when the call is sent." in shown.remarks
    assert agent.connections == []


def test_each_connection_has_results_of_its_own(tmp_path: Path, agent: Box) -> None:
    async def act(explorer: Explorer) -> None:
        await explorer.call(Draft("prompt", PROMPT))
        await explorer.close_connection()
        agent.hello = {"result": {"sessionId": "sess-4712-of-the-next", "n": 2}}
        await explorer.listen(Draft("bye", PROMPT))

    ask(tmp_path, agent, act, SESSION)
    assert json.loads(agent.received[-1])["params"] == {"sessionId": "sess-4712-of-the-next", "at": 2}
    assert agent.connections == [["hello", "prompt"], ["hello", "bye"]]


def test_editor_offers_results_of_opening_calls(tmp_path: Path, agent: Box) -> None:
    async def act(explorer: Explorer) -> list[str]:
        return [f"{offered.inside}: {offered.words}" for offered in explorer.names()]

    assert "open.session#: the result of hello on this connection" in ask(tmp_path, agent, act, SESSION)


PLAIN = """
[profile.box.method.hello]
plain = ["/sessionId"]
"""


def test_plain_value_is_recorded_and_can_be_referred_to(tmp_path: Path, agent: Box) -> None:
    agent.hello = {"result": {"sessionId": ID, "nested": {"sessionId": "sess-of-another"}}}

    async def act(explorer: Explorer) -> None:
        await explorer.call(Draft("prompt", '["{{open.session#/sessionId}}"]'))
        prompt, hello = explorer.recent(2)
        assert (prompt.params_sent, hello.kind) == (f'["{ID}"]', "opening")
        assert isinstance(hello.outcome, Result)
        assert bytes(hello.outcome.value).decode() == (
            f'{{"sessionId": "{ID}", "nested": {{"sessionId": "«not recorded»"}}}}'
        )
        agent.hello = {"result": {"sessionId": ID}}
        await explorer.call(Draft("hello"))
        await explorer.call(Draft("prompt", '["{{last.hello#/sessionId}}"]'))

    ask(tmp_path, agent, act, SESSION + PLAIN)
    assert json.loads(agent.received[-1])["params"] == [ID]


@pytest.mark.parametrize("reply", [f"in {TOKEN}", TOKEN])
def test_known_secret_in_a_plain_value_stays_hidden(tmp_path: Path, agent: Box, reply: str) -> None:
    agent.hello = {"result": {"sessionId": reply}}
    ask(tmp_path, agent, lambda explorer: explorer.call(Draft("prompt")), SESSION + PLAIN)
    assert TOKEN not in texts_in(tmp_path)


def test_project_file_cannot_mark_a_value_as_plain(tmp_path: Path, agent: Box) -> None:
    async def run() -> str:
        async with peer(framed(agent.serve, "lines")) as port:
            own = f'[profile.box]\nurl = "tcp://127.0.0.1:{port}"\n{SESSION}'
            explorer = open_explorer(tmp_path, PLAIN, own)
            explorer.use("box")
            async with explorer:
                await explorer.call(Draft("prompt", '["{{open.session#/sessionId}}"]'))
            return "\n".join(map(str, explorer.profiles.problems))

    problems = asyncio.run(run())
    assert "only your user file and presets can mark values as plain" in problems
    assert ID not in texts_in(tmp_path)


def test_connection_test_sends_no_login_to_a_path_that_was_not_chosen(tmp_path: Path) -> None:
    received = list[str]()

    async def answer(connection: ServerConnection) -> None:
        async for message in connection:
            received.append(str(message))
            await connection.send(json.dumps({"jsonrpc": "2.0", "id": json.loads(message).get("id"), "result": True}))

    def refuse(connection: ServerConnection, request: Request) -> Response | None:
        return None if request.path == "/rpc" else connection.respond(404, "nothing here")

    async def run() -> None:
        async with serve(answer, "127.0.0.1", 0, process_request=refuse) as server:
            port = next(iter(server.sockets)).getsockname()[1]
            own = f'[profile.box]\nurl = "ws://127.0.0.1:{port}"\n{OPEN}'
            explorer = open_explorer(tmp_path, "", own, RPCEXPLORER_BOX_TOKEN=TOKEN)
            async with explorer:
                await explorer.test(explorer.profiles.profiles["box"])

    asyncio.run(run())
    assert [json.loads(message)["method"] for message in received] == ["rpc.discover"]
    assert TOKEN not in "".join(received)
