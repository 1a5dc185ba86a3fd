"""`listen`: what a server sends unasked."""

from __future__ import annotations

import fcntl
import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

import click
import pytest

from rpcexplorer.cli.arguments import period
from rpcexplorer.cli.listen import Listener
from rpcexplorer.client import server_messages
from tests.fakes.agent import COMPLETED, Agent, said
from tests.fakes.shell import Ran, Shell
from tests.fakes.wire import RawServer, Received, http_reply

TICK = '{"jsonrpc": "2.0", "method": "tick", "params": [1.10]}'
SERVER = f"""
import json, os, signal, sys
sys.excepthook = lambda *_: os._exit(1)  # It ends without a word when we close its streams.
TICK = {TICK!r}
def send(*texts):
    for text in texts:
        print(text, flush=True)
def receive():
    return json.loads(sys.stdin.readline())
def respond(member='"result": 1'):
    send('{{"jsonrpc": "2.0", "id": "%s", %s}}' % (receive()["id"], member))
"""


def server(shell: Shell, code: str) -> list[str]:
    """Write a server on standard streams; return the options that name it."""
    path = shell.folder / "server.py"
    path.write_text(SERVER + code)
    return ["--stdio", shlex.join([sys.executable, "-IS", str(path)])]


def listen(shell: Shell, code: str, *words: str, terminal: bool = False) -> Ran:
    return shell.run("listen", *server(shell, code), *words, terminal=terminal)


@pytest.mark.parametrize("words", [["--count", "2"], ["--count", "2", "--method", "tick"]])
def test_listening_ends_after_a_count(words: list[str], shell: Shell) -> None:
    other = '{"method": "other"}' if len(words) > 2 else TICK
    ran = listen(shell, f"send(TICK, {other!r}, *[TICK] * 9)\nreceive()", *words)
    assert (ran.code, ran.text, ran.err) == (0, f"{TICK}\n" * 2, "")


def test_listening_ends_after_a_time(shell: Shell) -> None:
    ran = listen(shell, "receive()", "--for", "0.001s")
    assert (ran.code, ran.text, ran.err) == (0, "", "")


def test_missing_response_at_the_end_is_reported(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.modules[Listener.__module__], "GRACE_SECONDS", 0)
    ran = listen(shell, "receive()\nreceive()", "subscribe", "--for", "0.001s")
    assert (ran.code, ran.text, ran.err) == (0, "", "rpcexplorer: subscribe has no response yet.\n")


def test_listening_ends_with_the_connection(shell: Shell) -> None:
    ran = listen(shell, "send(TICK)\nsys.exit('no more')")
    assert (ran.code, ran.text) == (4, f"{TICK}\n")
    name = Path(sys.executable).name
    assert ran.err == f"{name}: no more\nrpcexplorer: {name} ended with exit code 1: no more.\n"


def test_handshake_that_fails_without_a_call_is_named(shell: Shell) -> None:
    shell.run("profiles", "add", "p", *server(shell, "receive(); os._exit(3)"), "--handshake", "lsp")
    ran = shell.run("listen", "-p", "p")
    assert ran.code == 4
    assert "The connection was not opened, because initialize failed: " in ran.err


def test_response_of_the_call_goes_to_stderr(shell: Shell) -> None:
    ran = listen(shell, 'respond(\'"result": "0x1"\')\nsend(TICK)\nreceive()', "subscribe", "[1]", "--count", "1")
    assert (ran.code, ran.text, ran.err) == (0, f"{TICK}\n", 'rpcexplorer: subscribe: "0x1"\n')


def test_long_result_is_cut_on_stderr(shell: Shell) -> None:
    ran = listen(shell, "respond('\"result\": \"%s\"' % ('x' * 20000))\nsend(TICK)", "subscribe", "--count", "1")
    assert ran.err.startswith('rpcexplorer: subscribe: "xxx')
    assert len(ran.err) < 11_000


def test_error_response_ends_listening(shell: Shell) -> None:
    ran = listen(shell, 'respond(\'"error": {"code": 7, "message": "no"}\')\nreceive()', "subscribe")
    assert (ran.code, ran.text) == (1, "")
    assert ran.err.startswith("rpcexplorer: ✗ error 7 no")


def test_event_stream_is_printed_until_its_end(shell: Shell) -> None:
    def reply(request: Received) -> bytes:
        if not request.body:
            return http_reply(status=405)
        response = f'{{"jsonrpc": "2.0", "id": "{request.json["id"]}", "result": "0x1"}}'
        body = f"data: {TICK}\n\ndata: {response}\n\ndata: {TICK}\n\n".encode()
        return http_reply(body, headers={"Content-Type": "text/event-stream"})

    with RawServer(reply) as http:
        ran = shell.run("listen", "subscribe", "--url", f"{http.origin}/rpc")
        silent = shell.run("listen", "--url", f"{http.origin}/rpc")
    assert (ran.code, ran.text) == (4, f"{TICK}\n" * 2)
    assert ran.messages == ['rpcexplorer: subscribe: "0x1"', "rpcexplorer: The server ended the event stream."]
    assert silent.code == 5
    assert silent.err.startswith("rpcexplorer: The server has no event stream here")


def test_unanswered_requests_are_counted_at_the_end(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server_messages, "MAX_ANSWER_BYTES", 0)
    ran = listen(shell, 'send(*[\'{"id": 1, "method": "ask"}\'] * 3)\nreceive()', "--count", "3")
    assert ran.code == 0
    assert ran.err == "rpcexplorer: 3 requests of the server got no answer: the server does not read its answers\n"


def test_unsafe_call_needs_a_confirmation(shell: Shell) -> None:
    words = server(shell, "respond()\nsend(TICK)\nreceive()")[1]
    shell.sessions("")
    made = shell.run("profiles", "add", "prod", "--stdio", words)
    assert made.code == 0, made.err
    assert shell.run("profiles", "set", "prod", "confirm=always").code == 0
    refused = shell.run("listen", "-p", "prod", "subscribe", "--count", "1")
    assert refused.code == 2
    assert "Add --yes to send the request to" in refused.err
    assert shell.run("listen", "-p", "prod", "subscribe", "--count", "1", "--yes").text == f"{TICK}\n"


def test_request_is_printed_and_refused(shell: Shell) -> None:
    request = '{"id": 7, "method": "ask"}'
    code = "send(json.dumps({'method': 'got', 'params': receive()['error']}))"
    ran = listen(shell, f"send({request!r})\n{code}", "--count", "2")
    answer = '{"method": "got", "params": {"code": -32601, "message": "Method not found"}}'
    assert ran.text.splitlines() == [request, answer]


def test_other_data_goes_to_stderr_each_time(shell: Shell) -> None:
    long = "x" * 2000
    ran = listen(shell, f"send('starting', 'starting', '{long}', '{{\"id\": 1, \"result\": 2}}', TICK)", "--count", "1")
    assert ran.text == f"{TICK}\n"
    assert ran.err.splitlines() == [
        "rpcexplorer: The server sent starting: this is not a JSON object",
        "rpcexplorer: The server sent starting: this is not a JSON object",
        "rpcexplorer: The server sent a text of 2,000 bytes: this is not a JSON object",
        'rpcexplorer: The server sent {"id": 1, "result": 2}: no call waits for this response',
    ]


def test_messages_that_are_not_json_rpc_are_counted(shell: Shell) -> None:
    ran = listen(shell, """send('{"event": "a"}', TICK, TICK)\nreceive()""", "--count", "2")
    assert (ran.code, ran.text) == (0, f"{TICK}\n")


def test_message_of_several_lines_is_printed_on_one(shell: Shell) -> None:
    message = '{\r\n  "method": "tick",\n\t"params": ["a  b"]\r}'
    framed = f"Content-Length: {len(message)}\r\n\r\n{message}".encode()
    ran = listen(shell, f"os.write(1, {framed!r})", "--framing", "length", "--count", "1")
    assert ran.text == '{   "method": "tick", \t"params": ["a  b"] }\n'


def test_terminal_gets_no_control_characters(shell: Shell) -> None:
    ran = listen(shell, """send('{"method": "t\u202e", "params": ["\x9b", \\t1]}')""", "--count", "1", terminal=True)
    assert ran.text == '{"method": "t\\u202e", "params": ["\\u009b",  1]}\n'


def test_known_secrets_are_not_printed(shell: Shell) -> None:
    secret = '{"method": "tick", "params": {"lighthouse": "lighthouse"}}'
    shell.environment["RPCEXPLORER_X_PASSWORD"] = "lighthouse"
    words = server(shell, f"send(TICK, {secret!r}, TICK, 'lighthouse')")[1]
    shell.run("profiles", "add", "x", "--stdio", words, "--auth", "inline", "--username", "ada")
    ran = shell.run("listen", "-p", "x")
    assert ran.text.splitlines() == [TICK, '{"method": "tick", "params": {"lighthouse": "«x.password»"}}', TICK]
    assert "The server sent «x.password»: this is not a JSON object" in ran.err


@pytest.mark.parametrize(("text", "expected"), [("1", 1), ("1s", 1), ("2m", 120), ("1.5h", 5400)])
def test_time_has_a_unit(text: str, expected: float) -> None:
    assert period(text) == expected


@pytest.mark.parametrize("text", ["0s", "1d", "s", "nan"])
def test_invalid_time_is_refused(text: str) -> None:
    with pytest.raises(click.BadParameter):
        period(text)


def test_failed_tool_leaves_stdout_to_messages(shell: Shell) -> None:
    result = '{"isError": true, "content": [{"type": "text", "text": "no disk"}]}'
    ran = listen(shell, f"respond('\"result\": {result}')", "tools/call", "--yes")
    assert (ran.code, ran.text) == (1, "")
    assert ran.messages[0] == f"rpcexplorer: tools/call: {result}"
    assert "no disk" in ran.messages[1]


def process(shell: Shell, code: str, stdout: int) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "rpcexplorer", "listen", *server(shell, code)]
    return subprocess.Popen(command, stdout=stdout, stderr=subprocess.PIPE, env=shell.environment)


@pytest.mark.parametrize("signal", ["SIGINT", "SIGTERM"])
@pytest.mark.parametrize("is_full", [False, True], ids=["", "reader waits"])
@pytest.mark.everyday(1)
def test_signal_ends_listening(signal: str, is_full: bool, shell: Shell) -> None:
    readable, writable = os.pipe()
    if is_full:
        os.write(writable, bytes(fcntl.fcntl(writable, fcntl.F_GETPIPE_SZ)))
    code = f'send(\'{{"id": 1, "method": "ask"}}\')\nreceive()\nos.kill(os.getppid(), signal.{signal})\nreceive()'
    ended = process(shell, code, writable)
    _, errors = ended.communicate(timeout=20)
    os.close(readable)
    os.close(writable)
    assert (ended.returncode, errors.decode()) == (130, "")


def test_closed_pipe_ends_listening_without_another_message(shell: Shell) -> None:
    with process(shell, "send(TICK)\nreceive()", subprocess.PIPE) as ended:
        assert ended.stdout is not None
        assert ended.stdout.readline() == f"{TICK}\n".encode()
        ended.stdout.close()
        try:
            assert ended.wait(timeout=20) == 141
        finally:
            ended.kill()


@pytest.mark.parametrize("signal", ["SIGINT", "SIGHUP"])
@pytest.mark.everyday(1)
def test_ignored_signal_does_not_end_listening(signal: str, shell: Shell) -> None:
    """A shell ignores SIGINT for programs in the background, nohup SIGHUP."""
    code = f"os.kill(os.getppid(), signal.{signal})\nsend(TICK)\nsys.exit()"
    words = [sys.executable, "-m", "rpcexplorer", "listen", *server(shell, code)]
    ignoring = [
        "-c",
        f"import os, signal, sys; signal.signal(signal.{signal}, signal.SIG_IGN); os.execv(sys.argv[1], sys.argv[1:])",
    ]
    ended = subprocess.run([sys.executable, *ignoring, *words], capture_output=True, env=shell.environment, check=False)
    assert (ended.returncode, ended.stdout.decode()) == (4, f"{TICK}\n")


def test_full_disk_ends_listening_with_a_sentence(shell: Shell) -> None:
    with Path("/dev/full").open("wb") as full:
        ended = process(shell, "send(TICK)\nreceive()", full.fileno())
        _, errors = ended.communicate(timeout=20)
    assert (ended.returncode, errors.decode()) == (
        2,
        "rpcexplorer: Cannot write to standard output: no space left on device.\n",
    )


def test_parts_of_a_result_are_printed_one_a_line(shell: Shell) -> None:
    agent = Agent(said("Guten"), said("Morgen"), COMPLETED)
    with RawServer(agent) as http:
        shell.sessions(f'[profile.agent]\nurl = "{http.origin}"\npreset = "a2a"\n')
        ran = shell.run("listen", "-p", "agent", "SendStreamingMessage")
        some = shell.run("listen", "-p", "agent", "SendStreamingMessage", "--count", "2")
    results = [json.loads(line)["result"] for line in ran.text.splitlines()]
    assert (ran.code, results, ran.err) == (0, [said("Guten"), said("Morgen"), COMPLETED], "")
    assert (some.code, len(some.text.splitlines())) == (0, 2)
