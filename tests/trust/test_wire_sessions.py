"""Cookies of servers: one session for one origin, one Cookie header."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from rpcexplorer.model.profile import Profile
from tests.fakes.shell import Ran, Shell
from tests.fakes.wire import RawServer, Received

LONG = [f"c{number}={'v' * 3000}; Path=/" for number in range(20)]


def setting(**cookies: list[str]) -> Callable[[Received], bytes]:
    """Return a service that accepts every login and sets these cookies."""

    def script(request: Received) -> bytes:
        call = request.json
        found = {"auth": ["sessionid=first; HttpOnly; Path=/"], **cookies}.get(call["method"], [])
        return request.reply(result="done", headers=[("Set-Cookie", cookie) for cookie in found])

    return script


def use(shell: Shell, server: RawServer) -> None:
    shell.sessions(f'[profile.shop]\nurl = "{server.origin}"\nauth = {{ kind = "cookie", username = "ada" }}\n')


def call(shell: Shell, method: str) -> Ran:
    ran = shell.run("call", method, RPCEXPLORER_SHOP_PASSWORD="hunter2hunter2")
    assert ran.code == 0, ran.err
    return ran


def sent(server: RawServer) -> list[tuple[str, list[str]]]:
    """Return each request's method and all its Cookie headers."""
    return [
        (request.json["method"], [value for name, value in request.headers if name.lower() == "cookie"])
        for request in server.requests
    ]


@pytest.mark.parametrize(
    ("cookies", "message", "after"),
    [
        (["sessionid=second"], "the server sent a new session (sessionid)", [("next", ["sessionid=second"])]),
        (["sessionid=x", "sessionid=second"], "sent a new session", [("next", ["sessionid=second"])]),
        (["sessionid=second; Domain=elsewhere.example; Secure"], "new session", [("next", ["sessionid=second"])]),
        (["sessionid=first"], "", [("next", ["sessionid=first"])]),
        (["sessionid=; Max-Age=0"], "the server ended the session", [("auth", []), ("next", ["sessionid=first"])]),
        (["sessionid=x; Expires=Thu, 01-Jan-70 00:00:00 GMT"], "ended", [("auth", []), ("next", ["sessionid=first"])]),
        (["x=\xe9"], "", [("next", ["sessionid=first"])]),
        (["sessionid=\xe9"], "cannot be sent back", [("next", ["sessionid=first"])]),
        (["sessionid=a b", "other=1"], "cannot be sent back", [("next", ["sessionid=first"])]),
        (LONG, "", [("next", ["sessionid=first"])]),
        ([*LONG, "sessionid=" + "s" * 3000], "sent a new session", [("next", ["sessionid=" + "s" * 3000])]),
    ],
    ids=["replaced", "replaced twice", "of another domain", "the same", "deleted", "expired", "latin-1 elsewhere",
         "latin-1", "a space", "20 of 3 kB", "20 of 3 kB and a new one"],
)  # fmt: skip
def test_next_call_sends_exactly_the_right_cookie(
    shell: Shell, cookies: list[str], message: str, after: list[tuple[str, list[str]]]
) -> None:
    with RawServer(setting(odd=cookies)) as server:
        use(shell, server)
        call(shell, "ping")
        assert message in call(shell, "odd").err
        call(shell, "next")
    assert sent(server) == [("auth", []), ("ping", ["sessionid=first"]), ("odd", ["sessionid=first"]), *after]


def test_changed_url_gets_neither_session_nor_password(shell: Shell) -> None:
    with RawServer(setting()) as first, RawServer(setting()) as second:
        use(shell, first)
        door = shell.explorer()
        shop = door.use("shop")
        assert isinstance(shop, Profile)
        door.secrets.save(shop, "password", "hunter2hunter2")
        assert shell.run("call", "ping").code == 0
        use(shell, second)
        ran = shell.run("call", "ping")
    assert ran.code == 3
    assert "is blocked: it was stored for a different destination" in ran.err
    assert f"origin: {first.origin} → {second.origin}" in ran.err
    assert second.requests == []
