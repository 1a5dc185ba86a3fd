"""Tests of MCP: which version is spoken, and requests without a handshake."""

from __future__ import annotations

import asyncio
import json
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from rpcexplorer.auth.basic import NoAuth
from rpcexplorer.auth.credentials import GivenCredentials
from rpcexplorer.client.client import Client
from rpcexplorer.client.mcp import header_value, plain_value
from rpcexplorer.client.preview import preview
from rpcexplorer.client.profile_client import ProfileClient
from rpcexplorer.client.surroundings import Surroundings
from rpcexplorer.model.destination import ProcessCommand
from rpcexplorer.model.draft import Draft
from rpcexplorer.model.event import Event
from rpcexplorer.model.exchange import Cancelled, Exchange, Preview, Sent, Stop, Unreached
from rpcexplorer.model.method import Described, DescribedParam
from rpcexplorer.model.profile import Answer, Profile
from rpcexplorer.rpc.messages import ErrorObject, Result
from tests.client.test_handshake import Mcp
from tests.fakes.mcp import META, STATELESS, StatelessMcp, stdio_script
from tests.fakes.shell import Shell
from tests.fakes.wire import Parts, RawServer, Received, Script, http_reply

MCP: dict[str, Any] = {"handshake": "mcp", "empty_params": "{}"}


def calls(script: Script, *drafts: Draft, **settings: Any) -> tuple[list[Exchange], RawServer]:
    """Send drafts one after the other with one client."""
    with RawServer(script) as server:

        async def send() -> list[Exchange]:
            async with Client(server.origin, auth=NoAuth(), **{**MCP, **settings}) as client:
                return [await client.send(draft) for draft in drafts]

        return asyncio.run(send()), server


def test_server_without_handshake_gets_what_each_request_says() -> None:
    (one, two), server = calls(StatelessMcp(), Draft("add", '{"a": 1.10}'), Draft("tools/list"))
    assert isinstance(one.outcome, Result), one
    assert isinstance(two.outcome, Result), two
    assert server.methods == ["server/discover", "tools/call", "tools/list"]
    sent = server.requests[1]
    assert b'"arguments":{"a":1.10}' in sent.body, "as it was typed"
    assert sent.json["params"]["_meta"] == {
        f"{META}protocolVersion": STATELESS,
        f"{META}clientInfo": {"name": "rpcexplorer", "version": "1"},
        f"{META}clientCapabilities": {},
    }
    assert sent.header("Mcp-Session-Id") is None
    assert one.method == "add"


def test_own_members_of_meta_stay() -> None:
    typed = '{"_meta": {"progressToken": 7, "io.modelcontextprotocol/clientInfo": null}, "name": "x"}'
    _, server = calls(StatelessMcp(), Draft("tools/call", typed))
    meta = server.requests[-1].json["params"]["_meta"]
    assert (meta["progressToken"], meta[f"{META}clientInfo"], meta[f"{META}protocolVersion"]) == (7, None, STATELESS)


@pytest.mark.parametrize("status", [400, 404, 500])
def test_older_server_gets_a_session(status: int) -> None:
    session = Mcp()

    def script(request: Received) -> bytes:
        if request.json["method"] == "server/discover":
            return http_reply(b"no", status)
        return session(request)

    (one,), server = calls(script, Draft("add"))
    assert isinstance(one.outcome, Result)
    assert server.methods == ["server/discover", "initialize", "notifications/initialized", "tools/call"]
    assert server.requests[1].json["params"]["protocolVersion"] == "2025-11-25"


@pytest.mark.parametrize("version", ["2025-06-18", "2025-11-25"])
def test_chosen_version_with_a_session_is_proposed(version: str) -> None:
    _, server = calls(Mcp(), Draft("add"), mcp=version)
    assert server.methods[0] == "initialize"
    assert server.requests[0].json["params"]["protocolVersion"] == version


def test_chosen_version_without_a_session_asks_nothing() -> None:
    (one,), server = calls(StatelessMcp(), Draft("add"), mcp=STATELESS)
    assert isinstance(one.outcome, Result)
    assert server.methods == ["tools/call"]


def test_error_of_initialize_can_name_the_version() -> None:
    stateless = StatelessMcp()

    def script(request: Received) -> bytes:
        return http_reply(b"", 405) if request.json["method"] == "server/discover" else stateless(request)

    (one,), server = calls(script, Draft("add"))
    assert isinstance(one.outcome, Result)
    assert server.methods == ["server/discover", "initialize", "tools/call"]


def test_server_of_the_future_names_its_versions() -> None:
    (one,), server = calls(StatelessMcp(supported=["2031-01-01"]), Draft("add"))
    assert isinstance(one.outcome, ErrorObject)
    assert one.outcome.code == -32022
    assert server.methods == ["server/discover", "tools/call"]


def test_locked_server_gets_no_handshake() -> None:
    (one,), server = calls(http_reply(b"", 401, {"WWW-Authenticate": "Bearer"}), Draft("add"))
    assert (one.exit_code, server.methods) == (3, ["server/discover"])


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("us-west1", "us-west1"),
        ("Hello, 世界", "=?base64?SGVsbG8sIOS4lueVjA==?="),
        (" padded ", "=?base64?IHBhZGRlZCA=?="),
        ("line1\nline2", "=?base64?bGluZTEKbGluZTI=?="),
        ("=?base64?literal?=", "=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?="),
        ("", "=?base64??="),
    ],
)
def test_header_holds_any_text(text: str, value: str) -> None:
    assert header_value(text) == value
    assert plain_value(value) == text


def test_headers_of_params_follow_from_the_schema_of_the_tool() -> None:
    marked = {"region": "Region", "token": "Auth"}
    draft = Draft("query", '{"region": "Zürich\\nX-Evil: 1", "token": "t0p-s3cret"}')
    (one, two), server = calls(StatelessMcp(marked=marked), draft, draft)
    assert isinstance(one.outcome, Result), one
    assert isinstance(two.outcome, Result), two
    refused, *_, sent, again = [request for request in server.requests if request.json["method"] == "tools/call"]
    assert refused.header("Mcp-Param-Region") is None
    assert sent.header("X-Evil") is None
    assert again.header("Mcp-Param-Auth") == "t0p-s3cret"
    assert server.methods.count("tools/list") == 2, "two pages, once"


@pytest.mark.parametrize("secret", ["t0p-s3cret", "t0p-s3crèt"])
def test_value_of_a_secret_param_is_hidden_where_the_server_quotes_its_header(secret: str) -> None:
    server = StatelessMcp(marked={"api_key": "Key"})
    server.answers["query"] = lambda _: {"error": {"code": -32000, "message": f"bad {secret} {header_value(secret)}"}}
    (one,), sent = calls(server, Draft("query", json.dumps({"api_key": secret})), mcp=STATELESS)
    assert sent.requests[-1].header("Mcp-Param-Key") == header_value(secret)
    assert isinstance(one.outcome, ErrorObject)
    assert one.outcome.message == "bad «not recorded» «not recorded»"
    assert secret.encode() not in one.response.body


def test_preview_shows_headers_of_the_message() -> None:
    profile = Profile("p", "http://h", handshake="mcp", empty_params="{}")
    shown = preview(profile, Draft("grüßen", "{}"), "7", has_session=False)
    assert isinstance(shown, Preview)
    headers = dict(shown.headers)
    assert (headers["MCP-Protocol-Version"], headers["Mcp-Method"]) == (STATELESS, "tools/call")
    assert headers["Mcp-Name"] == header_value("grüßen")
    assert "Mcp-Session-Id" not in headers


def test_preview_hides_the_header_of_a_secret_param() -> None:
    schema = {"type": "string", "x-mcp-header": "Key"}
    described = Described((DescribedParam("api_key", schema), DescribedParam("n", {"x-mcp-header": "N"})))
    profile = Profile("p", "http://h", handshake="mcp", empty_params="{}")
    draft = Draft("query", '{"api_key": "t0p-s3cret", "n": 7}')
    shown = preview(profile, draft, "7", has_session=False, around=Surroundings(described=lambda _: described))
    assert isinstance(shown, Preview)
    headers = dict(shown.headers)
    assert (headers["Mcp-Param-Key"], headers["Mcp-Param-N"]) == ("«not recorded»", "7")


def test_gateway_that_fails_does_not_forget_the_version(tmp_path: Path) -> None:
    shell, session, is_down = Shell(tmp_path), Mcp(), [False]

    def script(request: Received) -> bytes:
        if is_down[0]:
            return http_reply(b"<h1>502</h1>", 502)
        return http_reply(b"", 405) if request.json["method"] == "server/discover" else session(request)

    with RawServer(script) as server:
        shell.sessions(f'[profile.it]\nurl = "{server.origin}"\nhandshake = "mcp"')
        assert shell.run("call", "-p", "it", "add").code == 0
        is_down[0] = True
        server.requests.clear()
        assert shell.run("call", "-p", "it", "add").code == 5
        assert server.methods == ["initialize"]


def test_version_is_remembered_until_the_server_refuses_it(tmp_path: Path) -> None:
    shell, now = Shell(tmp_path), [StatelessMcp()]
    session = Mcp()

    def script(request: Received) -> bytes:
        if now:
            return now[0](request)
        if request.json["method"] == "server/discover" or request.header("MCP-Protocol-Version") == STATELESS:
            return request.reply(status=400, error={"code": -32600, "message": "Bad Request: unsupported version"})
        return session(request)

    with RawServer(script) as server:
        shell.sessions(f'[profile.it]\nurl = "{server.origin}"\nhandshake = "mcp"')
        assert shell.run("call", "-p", "it", "add").code == 0
        assert shell.run("call", "-p", "it", "add").code == 0
        assert server.methods == ["server/discover", "tools/call", "tools/call"]
        now.clear()
        ran = shell.run("call", "-p", "it", "add")
        assert ran.code == 0, ran.err
        assert f"the server refuses MCP {STATELESS}" in ran.err
        server.requests.clear()
        assert shell.run("call", "-p", "it", "add").code == 0
        assert server.methods == ["initialize", "notifications/initialized", "tools/call"]
        now.append(StatelessMcp())
        server.requests.clear()
        ran = shell.run("call", "-p", "it", "add")
        assert ran.code == 0, ran.err
        assert server.methods == ["initialize", "tools/call"]


def process(script: str, *drafts: Draft, **settings: Any) -> list[Exchange]:
    async def send() -> list[Exchange]:
        command = [sys.executable, "-c", script]
        async with Client("stdio:", command=command, **{**MCP, **settings}) as client:
            return [await client.send(draft) for draft in drafts]

    return asyncio.run(send())


def test_process_without_handshake_is_asked_before_the_first_call() -> None:
    one, two = process(stdio_script(), Draft("add", '{"a": 1}'), Draft("initialize", "{}"))
    assert isinstance(one.outcome, Result), one
    assert one.outcome.decoded()["structuredContent"]["arguments"] == {"a": 1}
    assert isinstance(two.outcome, ErrorObject), two


OLD_PROCESS = """\
import json, sys
for line in sys.stdin:
    message = json.loads(line)
    {first}
    if message["method"] == "initialize":
        result = {{"protocolVersion": "2025-06-18"}}
    else:
        result = message.get("params", {{}})
    if "id" in message:
        print(json.dumps({{"jsonrpc": "2.0", "id": message["id"], "result": result}}), flush=True)
"""
IGNORES = 'if message["method"] == "server/discover": continue'
ENDS = 'if message["method"] == "server/discover": sys.exit("expected initialize")'


SLOW = """
import time
time.sleep(0.5)
known = server.answer
def answer(message):
    if message["method"] == "initialize":
        return {"result": {"protocolVersion": "2025-11-25"}}
    return known(message) if "_meta" in str(message) else {"result": message["params"]}
server.answer = answer
"""


def test_slow_start_of_a_process_does_not_decide_its_version(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rpcexplorer.client.open_connection.DISCOVER_SECONDS", 0.1)
    kept: list[str] = []

    async def send() -> Exchange:
        command = (sys.executable, "-c", stdio_script(SLOW))
        profile = Profile("p", "stdio:", "", command=command, handshake="mcp", empty_params="{}")
        words = ProcessCommand(command, str(Path.cwd()), sys.executable)
        around = Surroundings(command=lambda: words, keep_mcp_version=kept.append)
        async with ProfileClient(profile, GivenCredentials(), around=around) as client:
            return await client.send(Draft("add", '{"a": 1}'))

    exchange = asyncio.run(send())
    assert isinstance(exchange.outcome, Result), exchange
    assert exchange.outcome.decoded() == {"name": "add", "arguments": {"a": 1}}
    assert kept == []


@pytest.mark.parametrize("first", ["", IGNORES, ENDS], ids=["answers anything", "ignores it", "ends"])
def test_older_process_gets_a_session(first: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rpcexplorer.client.open_connection.DISCOVER_SECONDS", 0.5)
    (one,) = process(OLD_PROCESS.format(first=first), Draft("add", '{"a": 1}'))
    assert isinstance(one.outcome, Result), one
    assert one.outcome.decoded() == {"name": "add", "arguments": {"a": 1}}


FORM = {
    "mode": "form",
    "message": "Which region?",
    "requestedSchema": {"type": "object", "properties": {"region": {"type": "string"}}},
}
REGION = Answer('{"action": "accept", "content": {"region": "eu"}}')


def asking(*questions: dict[str, Any], endless: bool = False) -> StatelessMcp:
    """Return a server that asks before the tool `deploy` has a result, once for each of the questions."""
    server = StatelessMcp()

    def deploy(params: dict[str, Any]) -> dict[str, Any]:
        state = params.get("requestState", "round 0: st4te-of-ada")
        number = int(state.split()[1].rstrip(":"))
        if number:
            assert params["inputResponses"].keys() == questions[(number - 1) % len(questions)].keys()
        if number < len(questions) or endless:
            asked = questions[number % len(questions)]
            state = f"round {number + 1}: st4te-of-ada"
            return {"result": {"resultType": "input_required", "inputRequests": asked, "requestState": state}}
        return {"result": {"resultType": "complete", "content": [], "structuredContent": params["inputResponses"]}}

    server.answers["deploy"] = deploy
    return server


WHERE = {"where": {"method": "elicitation/create", "params": FORM}}
ROOTS = {"roots": {"method": "roots/list"}}


def test_rule_answers_what_a_server_asks_before_its_result() -> None:
    answers = {"elicitation/create": REGION, "roots/list": Answer('{"roots": []}')}
    server = asking(WHERE, ROOTS)
    (one,), sent = calls(server, Draft("deploy", '{"n": 1.0}'), answers=answers)
    assert isinstance(one.outcome, Result), one
    assert (one.outcome.decoded()["structuredContent"], one.exit_code) == ({"roots": {"roots": []}}, 0)
    tries = [request for request in sent.requests if request.json["method"] == "tools/call"]
    assert len({request.json["id"] for request in tries}) == 3
    assert all(b'"arguments":{"n":1.0}' in request.body for request in tries)
    assert tries[1].json["params"]["inputResponses"] == {"where": json.loads(REGION.result_json or "")}
    assert tries[2].body.count(b"requestState") == tries[2].body.count(b"inputResponses") == 1
    assert all(request.header("Mcp-Name") == "deploy" for request in tries)
    capabilities = tries[0].json["params"]["_meta"][f"{META}clientCapabilities"]
    assert capabilities.keys() == {"elicitation", "roots"}
    first, second = map(json.loads, one.rounds)
    assert first == {"inputRequests": WHERE, "inputResponses": {"where": json.loads(REGION.result_json or "")}}
    assert second["inputRequests"] == ROOTS
    assert "st4te" not in repr((one.rounds, one.notes))


def test_question_without_answer_ends_the_call() -> None:
    (one,), sent = calls(asking(WHERE), Draft("deploy"))
    assert one.exit_code == 1
    assert isinstance(one.outcome, Result)
    assert one.outcome.message == (
        'The server asks for input, and there is no answer to elicitation/create "Which region?".'
    )
    assert sent.methods.count("tools/call") == 1
    assert b"st4te" not in one.response.body


def test_endless_questions_end() -> None:
    (one,), sent = calls(asking(WHERE, endless=True), Draft("deploy"), answers={"elicitation/create": REGION})
    assert isinstance(one.outcome, Result)
    assert one.outcome.message == "The server still asks for input after 10 rounds, so the call ends here."
    assert (one.exit_code, sent.methods.count("tools/call"), len(one.rounds)) == (1, 11, 10)


@pytest.mark.parametrize(
    ("result", "words"),
    [
        ({}, "does not say for which"),
        ({"inputRequests": [1]}, "cannot be read"),
        ({"requestState": [1]}, "cannot be read"),
        ({"inputRequests": {f"q{n}": {"method": "ping"} for n in range(101)}}, "asks for 101 inputs at once"),
        ({"inputRequests": {"a": {"method": "ping", "params": "x" * 2**20}}}, "in a result of more than 1024 kB"),
        ({"inputRequests": {"a": 1}}, "there is no answer to a request without a method"),
        ({"inputRequests": {"a": {"method": "ping"}}, "requestState": "«client.token»"}, "a secret reference"),
        ({"inputRequests": {"«client.token»": {"method": "ping"}}}, "a secret reference"),
    ],
)
def test_question_that_cannot_be_answered_ends_the_call(result: dict[str, Any], words: str) -> None:
    server = StatelessMcp()
    server.answers["deploy"] = lambda _: {"result": {"resultType": "input_required", **result}}
    (one,), sent = calls(server, Draft("deploy"))
    assert isinstance(one.outcome, Result)
    assert words in one.outcome.message
    assert (one.exit_code, sent.methods.count("tools/call")) == (1, 1)


@pytest.mark.parametrize(
    "state", ["9" * 4_400, '"\\ud800"', "[" * 2_000 + "]" * 2_000], ids=["number", "half a character", "nested"]
)
def test_state_that_cannot_be_read_is_no_result(state: str) -> None:
    server = StatelessMcp()

    def script(request: Received) -> bytes:
        if request.json["method"] == "tools/call":
            return request.reply_with(f'"result":{{"resultType":"input_required","requestState":{state}}}')
        return server(request)

    (one,), _ = calls(script, Draft("deploy"))
    assert isinstance(one.outcome, Result)
    assert (one.exit_code, one.outcome.message) == (1, "The server asks for input in a form that cannot be read.")


def test_user_is_asked_while_the_deadline_stands_still(monkeypatch: pytest.MonkeyPatch) -> None:
    events: list[Event] = []

    async def use(origin: str) -> Exchange:
        loop, clock = asyncio.get_running_loop(), time.monotonic

        def take(event: Event) -> None:
            events.append(event)
            if event.waits:
                loop.call_soon(answer, event)

        def answer(event: Event) -> None:
            monkeypatch.setattr(loop, "time", lambda: clock() + 60)
            loop.call_soon(client.answer, event, b'"result":{"action":"decline"}')

        around = Surroundings(on_event=take, can_ask=lambda _: True)
        profile = Profile("p", origin, handshake="mcp", mcp=STATELESS, empty_params="{}")
        client = ProfileClient(profile, GivenCredentials(), around=around)
        async with client:
            return await client.send(Draft("deploy"), timeout=30)

    with RawServer(asking(WHERE)) as server:
        exchange = asyncio.run(use(server.origin))
    assert isinstance(exchange.outcome, Result), exchange
    assert exchange.outcome.decoded()["structuredContent"] == {"where": {"action": "decline"}}
    (event,) = events
    assert (event.method, event.of, event.is_settled) == ("elicitation/create", exchange.id, True)
    assert exchange.seconds < 0.5


def test_call_is_cancelled_while_the_user_is_asked() -> None:
    settled: list[Event] = []
    stop = Stop()

    async def use(origin: str) -> Exchange:
        around = Surroundings(on_event=lambda _: stop.press(), on_settled=settled.append, can_ask=lambda _: True)
        profile = Profile("p", origin, handshake="mcp", mcp=STATELESS, empty_params="{}")
        async with ProfileClient(profile, GivenCredentials(), around=around) as client:
            return await client.send(Draft("deploy"), stop=stop)

    with RawServer(asking(WHERE)) as server:
        exchange = asyncio.run(use(server.origin))
    assert isinstance(exchange.outcome, Cancelled)
    assert not exchange.outcome.maybe_ran
    assert [event.remark for event in settled] == ["not answered: the call has ended"]
    assert len(exchange.rounds) == 1


def test_process_asks_before_its_result() -> None:
    question = (
        'lambda p: {"result": {"resultType": "input_required", "inputRequests": {"w": {"method": "roots/list"}}}}'
    )
    done = '{"result": {"resultType": "complete", "structuredContent": p["inputResponses"]}}'
    script = stdio_script(
        f'ask = {question}\nserver.answers["deploy"] = lambda p: {done} if "inputResponses" in p else ask(p)'
    )
    (one,) = process(script, Draft("deploy"), answers={"roots/list": Answer("[1]")})
    assert isinstance(one.outcome, Result), one
    assert one.outcome.decoded()["structuredContent"] == {"w": [1]}


def test_rounds_are_recorded_without_secrets(tmp_path: Path) -> None:
    shell = Shell(tmp_path)
    form = {**FORM, "message": "Key?", "access_token": "t0p-s3cret"}
    with RawServer(asking({"k": {"method": "elicitation/create", "params": form}})) as server:
        rule = '{ result_json = \'{"action": "accept", "content": {"code": "x"}}\' }'
        shell.sessions(
            f'[profile.it]\nurl = "{server.origin}"\nhandshake = "mcp"\nanswer."elicitation/create" = {rule}'
        )
        ran = shell.run("call", "-p", "it", "deploy")
        assert ran.code == 0, ran.err
        shown = shell.run("history", "show").text
    assert 'elicitation/create Key? → {"action": "accept", "content": {"code": "x"}}' in shown
    recorded = "".join(file.read_text() for file in tmp_path.rglob("*.toml") if file.name != "sessions.toml")
    assert "Key?" in recorded
    assert "t0p-s3cret" not in recorded
    assert "st4te-of-ada" not in recorded


STREAM = http_reply(headers={"Content-Type": "text/event-stream", "Transfer-Encoding": "chunked"})
CHANGED = {"jsonrpc": "2.0", "method": "notifications/tools/list_changed", "params": {}}


def event(message: object) -> bytes:
    text = f"data: {json.dumps(message)}\n\n".encode()
    return b"%x\r\n%b\r\n" % (len(text), text)


@pytest.mark.parametrize(
    "draft", [None, Draft("subscriptions/listen", '{"notifications": {"toolsListChanged": true}}')]
)
def test_listening_is_one_call_with_an_event_stream(draft: Draft | None) -> None:
    server, events, responses = StatelessMcp(), list[str](), list[Exchange]()

    def script(request: Received) -> Parts:
        if request.json["method"] != "subscriptions/listen":
            return server(request)
        meta = {f"{META}subscriptionId": request.json["id"]}
        acknowledged = {
            "jsonrpc": "2.0",
            "method": "notifications/subscriptions/acknowledged",
            "params": {"_meta": meta},
        }
        end = {"jsonrpc": "2.0", "id": request.json["id"], "result": {"resultType": "complete"}}
        return STREAM + event(acknowledged) + event(CHANGED) + event(end) + b"0\r\n\r\n"

    async def listen(origin: str) -> Exchange:
        def take(event: Event) -> None:
            events.append(event.method)

        async with Client(origin, auth=NoAuth(), on_event=take, **MCP) as client:
            return await client.listen(draft, on_response=responses.append)

    with RawServer(script) as raw:
        end = asyncio.run(listen(raw.origin))
    assert [type(response.outcome) for response in responses] == [Sent]
    assert events == ["notifications/subscriptions/acknowledged", "notifications/tools/list_changed"]
    assert isinstance(end.outcome, Unreached), end
    assert raw.methods == ["server/discover", "subscriptions/listen"]
    sent = raw.requests[-1]
    assert (sent.line.split()[0], sent.header("Mcp-Method")) == ("POST", "subscriptions/listen")
    assert sent.json["params"]["notifications"]["toolsListChanged"] is True


def test_listening_without_notifications_says_so() -> None:
    async def listen(origin: str) -> Exchange:
        async with Client(origin, auth=NoAuth(), **MCP) as client:
            return await client.listen()

    with RawServer(StatelessMcp()) as raw:
        end = asyncio.run(listen(raw.origin))
    assert isinstance(end.outcome, ErrorObject)
    assert end.outcome.code == -32601


SUBSCRIBED = """
def listen(params):
    text = json.dumps({"jsonrpc": "2.0", "method": "notifications/subscriptions/acknowledged", "params": {
        "_meta": {"io.modelcontextprotocol/subscriptionId": message["id"]}}})
    changed = json.dumps({"jsonrpc": "2.0", "method": "notifications/tools/list_changed", "params": {}})
    print(text, changed, sep="\\n", flush=True)
    sys.exit(0)
server.answers["subscriptions/listen"] = listen
"""


def test_listening_to_a_process_asks_for_its_notifications() -> None:
    events: list[str] = []
    responses: list[Exchange] = []

    async def listen() -> Exchange:
        command = [sys.executable, "-c", stdio_script(SUBSCRIBED)]
        async with Client("stdio:", command=command, on_event=lambda one: events.append(one.method), **MCP) as client:
            return await client.listen(on_response=responses.append)

    end = asyncio.run(listen())
    assert [type(response.outcome) for response in responses] == [Sent]
    assert events == ["notifications/subscriptions/acknowledged", "notifications/tools/list_changed"]
    assert isinstance(end.outcome, Unreached), end


def test_checks_and_replays_answer_by_rule(tmp_path: Path) -> None:
    shell = Shell(tmp_path)
    with RawServer(asking(WHERE)) as server:
        shell.sessions(f"""
[profile.it]
url = "{server.origin}"
handshake = "mcp"
answer."elicitation/create" = {{ result_json = '{REGION.result_json}' }}

[call.deploys]
method = "deploy"
expect = {{ values = {{ "/structuredContent/where/content/region" = "eu" }} }}
""")
        ran = shell.run("check", "-p", "it")
        assert ran.code == 0, ran.err
        assert shell.run("call", "-p", "it", "deploy").code == 0
        (newest, *_) = shell.run("history", "list", "--json").text.splitlines()
        ran = shell.run("replay", "-p", "it", json.loads(newest)["id"])
        assert ran.code == 0, ran.text + ran.err
