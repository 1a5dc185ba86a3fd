"""``profiles test``: each step on a line of stdout, and the exit code of a call that comes as far."""

from __future__ import annotations

import pytest

from rpcexplorer.demo import PASSWORD, USERNAME
from rpcexplorer.demo.http.server import DemoThread
from tests.fakes.shell import Shell
from tests.fakes.wire import RawServer, http_reply

COOKIE = f'auth = {{ kind = "cookie", username = "{USERNAME}" }}'
NOBODY = 'auth = { kind = "cookie" }'


def profile(shell: Shell, url: str, auth: str) -> None:
    shell.sessions(f'[profile.shop]\nurl = "{url}"\n{auth}\n')


def test_every_step_is_told_and_nothing_is_recorded(shell: Shell) -> None:
    with DemoThread() as demo:
        profile(shell, demo.url, COOKIE)
        ran = shell.run("profiles", "test", "shop", RPCEXPLORER_SHOP_PASSWORD=PASSWORD)
    assert (ran.code, ran.err) == (0, f"rpcexplorer: shop at {demo.url}/api/v2/\n")
    rows = [line.split()[:2] for line in ran.text.splitlines()]
    assert [label for _, label in rows] == ["Name", "TCP", "TLS", "HTTP", "JSON-RPC", "Login"]
    assert [sign for sign, _ in rows[1:2] + rows[3:]] == ["✓"] * 4
    assert "a session was opened" in ran.text
    assert shell.run("history", "list").out == b""


def test_a_missing_secret_is_named_and_never_said_not_to_be_needed(shell: Shell) -> None:
    with DemoThread() as demo:
        profile(shell, demo.url, NOBODY)
        ran = shell.run("profiles", "test", "--no-input")
    assert ran.code == 3
    assert "✗ Login     No username for profile shop: set RPCEXPLORER_SHOP_USERNAME" in ran.text
    profile(shell, "http://127.0.0.1:9", NOBODY)
    ran = shell.run("profiles", "test", "shop")
    assert ran.code == 4
    assert "✗ TCP " in ran.text
    assert "◌ Login     not reached; no user name and no password yet" in ran.text
    assert "needs none" not in ran.text


@pytest.mark.parametrize(
    ("reply", "code", "said"),
    [
        (http_reply(b"<h1>not here</h1>", status=404), 5, "✗ HTTP "),
        (http_reply(b"<h1>hello</h1>"), 5, "✗ JSON-RPC "),
        (http_reply(b'{"jsonrpc":"2.0","id":"x","error":{"code":-32601,"message":"\\u001b[2J"}}'), 0, "✓ JSON-RPC "),
    ],
)
def test_the_exit_code_is_that_of_a_call_that_comes_as_far(shell: Shell, reply: bytes, code: int, said: str) -> None:
    with RawServer(reply) as server:
        profile(shell, server.origin, 'auth = { kind = "none" }')
        ran = shell.run("profiles", "test", "shop")
    assert ran.code == code
    assert said in ran.text
    assert "\x1b" not in ran.text
