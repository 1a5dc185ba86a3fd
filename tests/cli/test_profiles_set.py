"""``profiles set``, and the hints that name it: after a call that failed, on stderr, with a command that runs."""

from __future__ import annotations

import shlex

import pytest

from tests.fakes.shell import Ran, Shell
from tests.fakes.wire import RawServer, Received, http_reply

TEAM = """\
version = 1

[profile.staging]
url = "http://127.0.0.1:1"   # the team's
"""


def commands(ran: Ran) -> list[list[str]]:
    """The command lines that a hint names."""
    lines = (line.strip() for line in ran.err.splitlines())
    return [shlex.split(line)[1:] for line in lines if line.startswith("rpcexplorer profiles ")]


@pytest.fixture
def own(shell: Shell) -> Shell:
    shell.run("profiles", "add", "mine", "--url", "http://127.0.0.1:1", "--auth", "none")
    return shell


def test_keys_are_set_where_the_profile_stands_and_told_with_what_they_were(own: Shell) -> None:
    ran = own.run("profiles", "set", "mine", "content_type=application/json", "timeout=5", "auth.kind=basic")
    file = own.home / "config" / "sessions.toml"
    assert (ran.code, ran.out) == (0, b"")
    assert "content_type: application/json-rpc → application/json\n" in ran.err
    assert "auth.kind: none → basic\n" in ran.err
    assert f"set in profile mine, in {file}" in ran.err
    assert 'content_type = "application/json"\n' in file.read_text()
    assert "timeout = 5\n" in file.read_text()
    again = own.run("profiles", "set", "mine", "timeout=5", "auth.kind=basic", "description=").err
    assert "timeout: 5 (unchanged)\n" in again
    assert "auth.kind: basic (unchanged)\n" in again
    assert "description: not set (unchanged)\n" in again
    assert own.run("profiles", "set", "mine", "content_type=").code == 0
    assert "content_type" not in file.read_text()


def test_a_teams_profile_is_changed_beside_its_file_or_for_the_team(shell: Shell) -> None:
    team, local = shell.sessions(TEAM), shell.folder / "sessions.local.toml"
    ran = shell.run("profiles", "set", "staging", "empty_params={}")
    assert f"in {local}" in ran.err
    assert team.read_text() == TEAM
    ran = shell.run("profiles", "set", "staging", "--team", "empty_params=omit", "accept=application/json")
    assert f"note: empty_params is written to {team}, but does not count: {local}:4 says so and wins" in ran.err
    assert team.read_text() == TEAM + 'empty_params = "omit"\naccept = "application/json"\n'
    named = shell.folder / "named.toml"
    named.write_text(TEAM)
    assert shell.run("--sessions", str(named), "profiles", "set", "staging", "badge=dev").code == 0
    assert named.read_text() == TEAM + 'badge = "dev"\n'


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["mine", "contnt_type=application/json"], "did you mean `content_type`"),
        (["mine", "timeout=soon"], "must be a number of seconds"),
        (["mine", "badge=dev", "headers.Authorization=Bearer x"], "this header holds a secret"),
        (["mine", "content_type"], "is no KEY=VALUE"),
        (["mine"], "KEY=VALUE"),
        (["mine", "url="], "the profile has no `url`"),
        (["nobody", "badge=dev"], "there is no profile `nobody`"),
        (["mine", "--team", "badge=dev"], "No team's file speaks of mine"),
    ],
)
def test_what_is_wrong_is_said_and_nothing_is_written(own: Shell, words: list[str], said: str) -> None:
    before = (own.home / "config" / "sessions.toml").read_text()
    ran = own.run("profiles", "set", *words)
    assert ran.code == 2
    assert said in ran.err
    assert (own.home / "config" / "sessions.toml").read_text() == before


@pytest.mark.parametrize(
    ("change", "asks"),
    [("path=/other", True), ("auth.kind=header", True), ("content_type=a/b", False), ("timeout=5", False)],
)
def test_set_says_when_a_stored_secret_needs_allow(shell: Shell, change: str, asks: bool) -> None:
    shell.run("profiles", "add", "mine", "--url", "http://127.0.0.1:1/rpc", "--auth", "bearer")
    assert shell.run("profiles", "secret", "mine", "token", "--stdin", stdin=b"t0ken-t0ken").code == 0
    ran = shell.run("profiles", "set", "mine", change)
    assert ran.code == 0
    assert ("The token of mine is bound to a different destination." in ran.err) == asks
    assert ("\n  rpcexplorer profiles allow mine\n" in ran.err) == asks
    assert (shell.run("call", "ping").code == 3) == asks


def picky(request: Received) -> bytes:
    """Takes application/json-rpc and nothing else, then Basic, then params by name."""
    if request.header("content-type") != "application/json-rpc":
        return http_reply(b"", 415)
    if not (request.header("authorization") or "").startswith("Basic "):
        return http_reply(b"<h1>401</h1>", 401, {"WWW-Authenticate": 'Basic realm="node"'})
    if b'"params":[]' in request.body:
        return http_reply(b'{"jsonrpc":"2.0","id":null,"error":{"code":-32602,"message":"params must be an object"}}')
    return http_reply(b'{"jsonrpc":"2.0","id":null,"result":"pong"}')


@pytest.mark.parametrize("kept", [True, False])
def test_the_commands_of_the_hints_lead_to_the_first_right_call(shell: Shell, *, kept: bool) -> None:
    with RawServer(picky) as server:
        called = ["call", "ping", "--url", f"{server.origin}/"]
        if kept:
            shell.run("profiles", "add", "node", "--url", f"{server.origin}/", "--auth", "none")
            called = ["call", "ping"]
        codes = []
        for _ in range(4):
            ran = shell.run(*called, stdin=b"")
            codes.append(ran.code)
            for command in commands(ran):
                line = ["node" if word == "NAME" else word for word in command]
                secret = ["--stdin"] if "secret" in line else []
                more = ["auth.username=ada"] if "auth.kind=basic" in line else []
                assert shell.run(*line, *more, *secret, stdin=b"hunter2hunter2\n").code == 0, line
                called = ["call", "ping"]
    assert codes == [5, 3, 1, 0]
    assert (ran.text, ran.err.count("hint")) == ('"pong"\n', 0)


def test_a_refusal_is_not_called_malformed_and_ends_with_3(own: Shell) -> None:
    with RawServer(http_reply(b"", 401, {"WWW-Authenticate": "Basic"})) as server:
        own.run("profiles", "set", "mine", f"url={server.origin}")
        ran = own.run("call", "ping")
    assert ran.code == 3
    assert ran.err.startswith("rpcexplorer: ! HTTP 401 Unauthorized: the server asks for credentials (Basic).")
    assert "malformed" not in ran.err
    assert "rpcexplorer: hint: The server asks for Basic auth.\n" in ran.err
    assert commands(ran) == [
        ["profiles", "set", "mine", "auth.kind=basic"],
        ["profiles", "secret", "mine", "username"],
        ["profiles", "secret", "mine", "password"],
    ]


def test_a_hint_from_a_hostile_server_is_no_command_and_no_escape(own: Shell) -> None:
    place = "http://h/$(touch x);`id`\x1b]52;c;eA==\x07"
    with RawServer(http_reply(b"", 308, {"Location": place})) as server:
        own.run("profiles", "set", "mine", f"url={server.origin}")
        ran = own.run("call", "ping")
    assert "hint: The server redirects to an address that is not taken over by itself" in ran.err
    assert "\x1b" not in ran.err
    assert commands(ran) == []
