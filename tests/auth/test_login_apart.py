"""A login at another path, as JSON-RPC or as a form: Odoo, FreeIPA and LuCI, and what goes wrong."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from urllib.parse import parse_qs, unquote

import pytest

from rpcexplorer.auth.token import CookieAuth
from rpcexplorer.client.client import Client
from tests.fakes.shell import Shell
from tests.fakes.wire import Parts, RawServer, Received, http_reply

PASSWORD = "pa ss&wo=rd%+ü"
SESSION = "s3ss10n-of-ada"
CURL = Path(__file__).parents[1] / "fakes" / "curl.py"


def path(request: Received) -> str:
    return request.line.split()[1]


def odoo(request: Received) -> Parts:
    """Answer as Odoo does: a failed login sets a cookie, too."""
    if path(request) == "/web/session/authenticate":
        given = request.json["params"]
        if given != {"db": "odoo", "login": "ada", "password": PASSWORD}:
            error = {"code": 200, "message": "Odoo Server Error", "data": {"message": "Access Denied"}}
            return http_reply(request.reply(error=error).partition(b"\r\n\r\n")[2], headers=[cookie("anonymous")])
        return http_reply(request.reply(result={"uid": 2}).partition(b"\r\n\r\n")[2], headers=[cookie(SESSION)])
    if request.header("Cookie") != f"session_id={SESSION}":
        return request.reply(error={"code": 100, "message": "Odoo Session Expired"})
    return request.reply(result="pong")


def cookie(value: str, name: str = "session_id") -> tuple[str, str]:
    return "Set-Cookie", f"{name}={value}; Path=/; HttpOnly"


def freeipa(request: Received) -> Parts:
    """Answer as FreeIPA does, which checks the referer."""
    if request.header("Referer") != "https://ipa.example.com/ipa":
        return http_reply(b"Missing or invalid HTTP Referer", 400, reason="Bad Request")
    if path(request) == "/ipa/session/login_password":
        given = parse_qs(request.body.decode())
        is_form = request.header("Content-Type") == "application/x-www-form-urlencoded"
        if not is_form or given != {"user": ["ada"], "password": [PASSWORD]}:
            return http_reply(b"<html>no</html>", 401, {"X-IPA-Rejection-Reason": "invalid-password"})
        return http_reply(b"", headers=[cookie(f"MagBearerToken={SESSION}", "ipa_session")])
    if request.header("Cookie") != f"ipa_session=MagBearerToken={SESSION}":
        return http_reply(b"", 401, reason="Unauthorized")
    return request.reply(result="pong")


def luci(request: Received) -> Parts:
    if path(request) == "/cgi-bin/luci/rpc/auth":
        is_right = request.json["method"] == "login" and request.json["params"] == ["ada", PASSWORD]
        return request.reply(result=SESSION if is_right else None)
    if unquote(path(request)) != f"/cgi-bin/luci/rpc/sys?auth={SESSION}":
        return http_reply(b"", 403, reason="Forbidden")
    return request.reply(result="pong")


SERVERS: dict[str, Callable[[Received], Parts]] = {"odoo": odoo, "freeipa": freeipa, "luci": luci}


def profile(name: str, url: str) -> str:
    more = 'headers = { Referer = "https://ipa.example.com/ipa" }\n' if name == "freeipa" else ""
    return f'[profile.p]\nurl = "{url}"\npreset = "{name}"\nauth.username = "ada"\n{more}'


@pytest.mark.parametrize("name", SERVERS)
def test_login_at_its_own_path_opens_a_session(shell: Shell, name: str) -> None:
    shell.environment["RPCEXPLORER_P_PASSWORD"] = PASSWORD
    with RawServer(SERVERS[name]) as server:
        shell.sessions(profile(name, server.origin))
        first, second = (shell.run("call", "call", "-p", "p") for _ in range(2))
        again = shell.run("login", "-p", "p")
        shown = shell.run("history", "show", "--response")
    assert [ran.code for ran in (first, second, again)] == [0, 0, 0], first.err + again.err
    assert (first.text.strip(), second.text.strip()) == ('"pong"', '"pong"')
    assert "logged in to" in first.err
    assert len(server.requests) == 4
    assert path(server.requests[0]) == path(server.requests[3]) != path(server.requests[1])
    everything = "".join(ran.text + ran.err for ran in (first, second, again, shown))
    assert not any(secret in everything for secret in (PASSWORD, SESSION))


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("odoo", "(/web/session/authenticate) failed: the server rejected it (200 Odoo Server Error"),
        ("freeipa", "(/ipa/session/login_password) failed: the server rejected it (HTTP 401)"),
        ("luci", "(/cgi-bin/luci/rpc/auth) failed: the server rejected it (null)"),
    ],
)
def test_rejected_login_at_its_own_path_is_explained(shell: Shell, name: str, why: str) -> None:
    shell.environment["RPCEXPLORER_P_PASSWORD"] = "wrong-password"
    with RawServer(SERVERS[name]) as server:
        shell.sessions(profile(name, server.origin))
        ran = shell.run("call", "call", "-p", "p")
    assert ran.code == 3
    assert why in ran.err
    assert len(server.requests) == 1


@pytest.mark.parametrize("name", SERVERS)
def test_ended_session_is_renewed_at_its_own_path(shell: Shell, name: str) -> None:
    shell.environment |= {"RPCEXPLORER_P_PASSWORD": PASSWORD, "RPCEXPLORER_P_SESSION": "an-old-session"}
    with RawServer(SERVERS[name]) as server:
        shell.sessions(profile(name, server.origin))
        ran = shell.run("call", "call", "-p", "p")
    assert ran.code == 0, ran.err
    assert "logged in again" in ran.err
    assert len(server.requests) == 3


FORM = """[profile.p]
url = "{url}"
path = "/rpc"
auth = {{ kind = "cookie", username = "ada" }}
login = {{ path = "/enter", form = true, headers = {{ X-Only = "login" }}{more} }}
"""


@pytest.mark.parametrize(
    ("reply", "more", "why"),
    [
        ((302, {"Location": "https://elsewhere.example/", "Set-Cookie": f"sessionid={SESSION}"}, b""), "", ""),
        ((200, {}, b'{"data": {"sid": "s3ss10n-of-ada"}}'), ', session = "/data/sid"', ""),
        ((200, {}, b'"s3ss10n-of-ada"'), ', session = ""', ""),
        ((302, {"Location": "https://elsewhere.example/"}, b""), "", "the server redirects to https://elsewhere."),
        ((200, {}, b"<html>wrong password</html>"), "", "the response sets no sessionid cookie"),
        ((403, {"Set-Cookie": "sessionid=anonymous"}, b""), "", "the server rejected it (HTTP 403)"),
        ((500, {}, b"oops"), "", "did not accept the form"),
        ((200, {}, b'{"data": 1}'), ', session = "/none"', "no usable session id at /none"),
    ],
)
def test_session_after_a_form(shell: Shell, reply: tuple[int, dict[str, str], bytes], more: str, why: str) -> None:
    status, headers, body = reply

    def answer(request: Received) -> Parts:
        if path(request) == "/enter":
            return http_reply(body, status, headers, reason="x")
        return request.reply(result=request.header("Cookie") == f"sessionid={SESSION}")

    shell.environment["RPCEXPLORER_P_PASSWORD"] = PASSWORD
    with RawServer(answer) as server:
        shell.sessions(FORM.format(url=server.origin, more=more))
        ran = shell.run("call", "ping", "-p", "p")
    assert why in ran.err
    assert (ran.code, ran.text.strip()) == ((3, "") if why else (0, "true"))
    assert [request.header("X-Only") for request in server.requests] == ["login", None][: len(server.requests)]
    assert len(server.requests) == (1 if why else 2)


@pytest.mark.parametrize(
    ("settings", "why"),
    [
        ('login.path = "enter"', "must be a path on the same server"),
        ('login.path = "https://elsewhere.example/"', "must be a path on the same server"),
        ('login.path = "/x?password=abc"', "must not contain a secret"),
        ('login = { form = true, params = ["{password}"] }', "a form has names"),
        ('login.form = "true"', "must be true or false, without quotes"),
        ('login.headers = { Authorization = "Basic x" }', "this header contains a secret"),
        ('login.headers = { Host = "elsewhere.example" }', "the host comes from `url`"),
    ],
)
def test_wrong_setting_of_a_login_is_a_problem(shell: Shell, settings: str, why: str) -> None:
    shell.own(f'[profile.p]\nurl = "http://127.0.0.1:9"\nauth.kind = "cookie"\n{settings}\n')
    assert why in shell.run("profiles", "show", "p").err


def test_settings_of_a_login_are_shown_as_text(shell: Shell) -> None:
    shell.own(FORM.format(url="http://127.0.0.1:9", more=""))
    shown = shell.run("profiles", "show", "p").text
    assert [row in shown for row in ("login.path          /enter", "login.form          True")] == [True, True]
    assert "login.headers       X-Only: login" in shown


def test_login_at_another_path_needs_http(shell: Shell) -> None:
    shell.own('[profile.p]\nurl = "ws://127.0.0.1:9"\nauth.kind = "bearer"\nlogin.path = "/enter"\n')
    assert "only HTTP has a login apart from its calls" in shell.run("profiles", "check").err


@pytest.mark.parametrize("url", ["//elsewhere.example/x", "/@elsewhere.example", "/..//elsewhere.example"])
def test_login_never_goes_to_another_host(shell: Shell, url: str) -> None:
    shell.environment["RPCEXPLORER_P_PASSWORD"] = PASSWORD
    with RawServer(http_reply(b"", 404, reason="Not Found")) as server:
        shell.own(f'[profile.p]\nurl = "{server.origin}"\nauth = {{ kind = "cookie", username = "ada" }}\n'
                  f'login = {{ path = "{url}" }}\n')  # fmt: skip
        assert shell.run("call", "ping", "-p", "p").code in {2, 3, 5}
    assert {request.header("Host") for request in server.requests} <= {server.origin.removeprefix("http://")}


def test_changed_login_blocks_the_password(shell: Shell) -> None:
    with RawServer(odoo) as server:
        shell.sessions(profile("odoo", server.origin))
        shell.run("profiles", "secret", "p", "password", "--stdin", stdin=f"{PASSWORD}\n".encode())
        assert shell.run("call", "call", "-p", "p").code == 0
        for change in ('path = "/other"', "form = true", 'headers = { X-A = "1" }'):
            shell.sessions(f"{profile('odoo', server.origin)}login.{change}\n")
            ran = shell.run("login", "-p", "p")
            assert ran.code == 3
            assert f"login.{change.partition(' ')[0]}: " in ran.err
    assert len(server.requests) == 2


@pytest.mark.thorough
@pytest.mark.parametrize("form", ["curl", "python"])
@pytest.mark.parametrize("name", SERVERS)
def test_copied_snippet_logs_in_alike(shell: Shell, tmp_path: Path, name: str, form: str) -> None:
    shell.environment["RPCEXPLORER_P_PASSWORD"] = PASSWORD
    with RawServer(SERVERS[name]) as server:
        shell.sessions(profile(name, server.origin))
        assert shell.run("call", "call", "-p", "p").code == 0
        copied = shell.run("copy", "--as", form).text
        assert not any(secret in copied for secret in (PASSWORD, SESSION))
        command = [sys.executable, "-c", copied] if form == "python" else ["bash", "-c", copied]
        fake = tmp_path / "curl"
        fake.write_text(f'#!/bin/sh\nexec {sys.executable} {CURL} "$@"\n')
        fake.chmod(0o755)
        path_variable = f"{tmp_path}:{os.environ['PATH']}"
        environment = {**os.environ, "PATH": path_variable, "RPCEXPLORER_P_PASSWORD": PASSWORD}
        done = subprocess.run(command, capture_output=True, check=False, env=environment, stdin=subprocess.DEVNULL)
    assert done.returncode == 0, done.stderr
    assert b"pong" in done.stdout


async def test_python_client_logs_in_with_a_form() -> None:
    login = {
        "path": "/ipa/session/login_password",
        "form": True,
        "params": {"user": "{username}", "password": "{password}"},
        "headers": {"Referer": "https://ipa.example.com/ipa"},
    }
    headers = {"Referer": "https://ipa.example.com/ipa"}
    auth = CookieAuth(cookie="ipa_session")
    with RawServer(freeipa) as server:
        url = f"{server.origin}/ipa/session/json"
        async with Client(url, auth=auth, username="ada", password=PASSWORD, login=login, headers=headers) as client:
            assert (await client.call("ping")).exit_code == 0
