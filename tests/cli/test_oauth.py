"""Calls and logins with auth type oauth, on the command line."""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
import sys
from collections.abc import Callable
from itertools import chain, repeat
from threading import Thread
from urllib.parse import parse_qsl, urlsplit

import pytest

from tests.fakes.oauth import CLIENT, REFRESH, SECRET, TOKEN, Issuer, Resource, browse, json_reply
from tests.fakes.shell import Ran, Shell
from tests.fakes.wire import RawServer, http_reply


def profile(resource: Resource, settings: str = "") -> str:
    return f'[profile.shop]\nurl = "{resource.origin}"\npath = "/rpc"\nauth = {{ kind = "oauth"{settings} }}\n'


@pytest.fixture
def client(shell: Shell, issuer: Issuer, resource: Resource) -> Shell:
    """A shell with a profile that has a client secret."""
    shell.own(profile(resource, f', grant = "client", client_id = "{CLIENT}", issuer = "{issuer.url}"'))
    stored = shell.run("profiles", "secret", "shop", "client_secret", "--stdin", stdin=SECRET.encode())
    assert stored.code == 0, stored.err
    return shell


def test_client_credentials_get_a_token_that_is_stored(client: Shell, issuer: Issuer) -> None:
    client.own(client.user_file.read_text().replace("issuer =", 'scopes = "read write", issuer ='))
    client.run("profiles", "secret", "shop", "client_secret", "--stdin", stdin=SECRET.encode())
    ran = client.run("call", "ping")
    assert ran.code == 0, ran.err
    assert json.loads(ran.out)["scopes"] == "read write"
    assert f"got a token from {issuer.url}" in ran.err
    sent = {"client_id": CLIENT, "client_secret": SECRET, "by": "header"}
    assert issuer.forms == [{"grant_type": "client_credentials", "scope": "read write", **sent}]
    again = client.run("call", "ping")
    assert (again.code, again.err, len(issuer.forms)) == (0, "", 1)


def test_client_secret_goes_into_the_form_if_the_server_wants_it(client: Shell, issuer: Issuer) -> None:
    issuer.metadata["token_endpoint_auth_methods_supported"] = ["client_secret_post"]
    assert client.run("call", "ping").code == 0
    assert (issuer.forms[0]["client_secret"], issuer.forms[0].get("by")) == (SECRET, None)


def test_expired_or_revoked_token_is_replaced_once(client: Shell, issuer: Issuer, resource: Resource) -> None:
    issuer.lifetime = 0
    assert client.run("call", "ping").code == 0
    issuer.lifetime = 3600
    assert client.run("call", "ping").code == 0
    assert (len(issuer.forms), len(resource.calls)) == (2, 2), "an expired token is not sent"
    issuer.revoke()
    ran = client.run("call", "ping")
    assert (ran.code, len(issuer.forms), len(resource.calls)) == (0, 3, 4)
    assert "the server rejected the token, so rpcexplorer got a new token and resent the call" in ran.err


def test_rejected_client_is_named_with_the_command(client: Shell, issuer: Issuer, resource: Resource) -> None:
    issuer.clients[CLIENT] = "another secret"
    ran = client.run("call", "ping")
    assert ran.code == 3
    assert "rejected the client (invalid_client)" in ran.err
    assert "profiles secret shop client_secret" in ran.err
    assert resource.calls == []


def test_call_that_needs_more_rights_gets_them_once(client: Shell, issuer: Issuer, resource: Resource) -> None:
    assert client.run("call", "ping").code == 0
    ran = client.run("call", "admin")
    assert (ran.code, issuer.forms[-1]["scope"]) == (0, "read admin"), ran.err
    assert "the call needs the scope admin, so rpcexplorer got a new token" in ran.err
    issuer.revoke()
    issuer.answers = [issuer.issue({}), issuer.issue({})]
    refused = client.run("call", "admin")
    assert (refused.code, len(issuer.forms), len(resource.calls)) == (3, 3, 5)
    assert "HTTP 403" in refused.err


class Browser:
    """The user's browser: it visits the address that a login prints."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.visited: list[str] = []
        self.questions: list[str] = []
        self.change: Callable[[str], str] = lambda url: url
        """Changes the redirect."""
        self.agrees = self.is_here = True
        monkeypatch.setattr("rpcexplorer.cli.world.World.asks", True)
        monkeypatch.setattr("click.confirm", self._confirm)
        monkeypatch.setattr("click.echo", self._echo)

    def _confirm(self, question: str, **_: object) -> bool:
        self.questions.append(question)
        return self.agrees

    def _echo(self, line: str, **_: object) -> None:
        url = line.strip()
        if url.startswith("http"):
            self.visited.append(url)
        if url.startswith("http") and self.is_here:
            Thread(target=browse, args=(url, self.change)).start()


@pytest.fixture
def browser(monkeypatch: pytest.MonkeyPatch) -> Browser:
    return Browser(monkeypatch)


def login(shell: Shell, resource: Resource, settings: str = "") -> Ran:
    shell.own(profile(resource, settings))
    return shell.run("login", terminal=True)


def test_login_with_browser_registers_and_uses_pkce(
    shell: Shell, issuer: Issuer, resource: Resource, browser: Browser
) -> None:
    ran = login(shell, resource)
    assert ran.code == 0, ran.err
    (visited,) = browser.visited
    query = dict(parse_qsl(urlsplit(visited).query))
    assert query["redirect_uri"].startswith("http://127.0.0.1:")
    assert (query["code_challenge_method"], query["resource"], query["scope"]) == ("S256", resource.url, "read")
    assert issuer.clients["client-1"] == ""
    (question,) = browser.questions
    assert f"{resource.origin} uses the authorization server {issuer.url}" in question
    called = shell.run("call", "ping", "--no-input")
    assert (called.code, called.err) == (0, "")
    assert shell.run("logout").code == 0
    refused = shell.run("call", "ping", "--no-input")
    assert refused.code == 3
    assert f"Not logged in at {issuer.url}. To log in, run `rpcexplorer login -p shop` in a terminal" in refused.err


def test_agreement_to_a_server_is_listed_and_forgotten(
    shell: Shell, issuer: Issuer, resource: Resource, browser: Browser
) -> None:
    assert login(shell, resource).code == 0
    assert shell.run("profiles", "allow", "--list").text == f"login for {resource.origin} at {issuer.url}\n"
    assert shell.run("profiles", "allow", "shop", "--forget").code == 0
    assert shell.run("profiles", "allow", "--list").text == ""
    assert (login(shell, resource).code, len(browser.questions)) == (0, 2)


def test_login_without_terminal_names_the_hosts_and_asks_none(shell: Shell, issuer: Issuer, resource: Resource) -> None:
    shell.own(profile(resource))
    ran = shell.run("login")
    assert (ran.code, issuer.server.requests) == (3, [])
    assert f"{resource.origin} uses the authorization server {issuer.url}" in ran.err
    assert "To log in, run `rpcexplorer login -p shop` in a terminal" in ran.err


def test_refresh_rotates_the_tokens(shell: Shell, issuer: Issuer, resource: Resource, browser: Browser) -> None:
    assert login(shell, resource).code == 0
    issuer.revoke()
    for number in (1, 2):
        ran = shell.run("call", "ping", "--no-input")
        assert ran.code == 0, ran.err
        assert issuer.forms[-1]["refresh_token"] == f"{REFRESH}-{number}"
        issuer.revoke()
    assert len(browser.visited) == 1
    issuer.refresh.clear()
    ran = shell.run("call", "ping", "--no-input")
    assert ran.code == 3
    assert "the token can no longer be renewed (invalid_grant)" in ran.err
    assert "The server rejected the token (HTTP 401). Not logged in at" in ran.err
    assert [*issuer.clients] == [CLIENT, "client-1"], "nothing is registered while nobody can log in"
    assert "no session" in shell.run("logout").err


def test_failed_renewal_keeps_the_refresh_token(
    shell: Shell, issuer: Issuer, resource: Resource, browser: Browser
) -> None:
    assert login(shell, resource).code == 0
    issuer.revoke()
    issuer.answers = [json_reply({}, 503)]
    ran = shell.run("call", "ping", "--no-input")
    assert ran.code == 3
    assert "The token could not be renewed (HTTP 503). Try again, or log in again." in ran.err
    assert shell.run("call", "ping", "--no-input").code == 0


def test_two_processes_renew_a_token_only_once(
    shell: Shell, issuer: Issuer, resource: Resource, browser: Browser
) -> None:
    assert login(shell, resource).code == 0
    issuer.revoke()
    sent = len(resource.server.requests)
    # The first one gets its answer when the second one has been refused, too.
    issuer.before_answer = lambda: resource.server.wait_for_request(20, sent + 2)
    command = [sys.executable, "-P", "-m", "rpcexplorer", "call", "ping", "--no-input"]
    environment = {**os.environ, **shell.environment}
    running = [subprocess.Popen(command, cwd=shell.folder, env=environment, stdout=subprocess.PIPE) for _ in range(2)]
    outputs = [process.communicate()[0] for process in running]
    assert [process.returncode for process in running] == [0, 0]
    assert all(b'"scopes":"read"' in output.replace(b" ", b"") for output in outputs)
    assert [form["grant_type"] for form in issuer.forms].count("refresh_token") == 1
    assert shell.run("call", "ping", "--no-input").code == 0


@pytest.mark.parametrize(
    "answer",
    [json_reply({"error": "slow_down"}, 429), http_reply(b"<html>busy</html>", 502), http_reply(b"", 403)],
    ids=["too many", "a page", "forbidden"],
)
def test_renewal_without_an_answer_keeps_the_session(
    answer: bytes, shell: Shell, issuer: Issuer, resource: Resource, browser: Browser
) -> None:
    assert login(shell, resource).code == 0
    issuer.revoke()
    issuer.answers = [answer]
    assert shell.run("call", "ping", "--no-input").code == 3
    assert shell.run("call", "ping", "--no-input").code == 0
    assert len(browser.visited) == 1


@pytest.mark.parametrize("command", ["call ping -i --body", "login"])
def test_response_with_half_a_token_is_not_shown(command: str, client: Shell, issuer: Issuer) -> None:
    issuer.answers = [json_reply({"access_token": "half-of-a-token"}).replace(b"Length: ", b"Length: 1")]
    ran = client.run(*command.split())
    assert ran.code == 4
    assert "The request for a token failed at" in ran.err
    sinks = [ran.text, ran.err, client.run("history", "show", "--response").text, *client.files().values()]
    assert [sink for sink in sinks if "half-of-a-token" in sink] == []


@pytest.mark.parametrize("seconds", ["3600", "nan", -5, 10**300, None])
def test_any_lifetime_of_a_token_is_read(seconds: object, client: Shell, issuer: Issuer) -> None:
    issuer.tokens["x"] = "read"
    issuer.answers = [json_reply({"access_token": "x", "token_type": "bearer", "expires_in": seconds, "scope": None})]
    ran = client.run("login")
    assert (ran.code, "expires" in ran.text) == (0, seconds is not None), ran.err
    assert client.run("call", "ping").code == 0
    assert len(issuer.forms) == 1


def test_edited_time_of_a_token_counts_as_expired(client: Shell, issuer: Issuer) -> None:
    assert client.run("call", "ping").code == 0
    store = client.home / "state" / "secrets.toml"
    store.write_text(re.sub('expires = ".*"', 'expires = "soon"', store.read_text()))
    assert client.run("call", "ping").code == 0
    assert len(issuer.forms) == 2


def test_websocket_opens_with_a_token(shell: Shell, issuer: Issuer, resource: Resource, browser: Browser) -> None:
    auth = f'kind = "oauth", grant = "client", client_id = "{CLIENT}"'
    url = resource.origin.replace("http", "ws")
    shell.own(f'[profile.shop]\nurl = "{url}"\npath = "/rpc"\nauth = {{ {auth} }}\n')
    ran = shell.run("call", "ping", terminal=True, RPCEXPLORER_SHOP_CLIENT_SECRET=SECRET)
    assert ran.code == 4, ran.err
    assert issuer.issued == 1
    assert resource.server.requests[-1].header("Authorization") == f"Bearer {TOKEN}-1"
    assert resource.server.requests[-1].header("Upgrade") == "websocket"


REDIRECTS: dict[str, tuple[Callable[[str], str], str]] = {
    "state": (lambda url: url.replace("state=", "state=x"), "The redirect has another state"),
    "issuer": (lambda url: f"{url.partition('&iss=')[0]}&iss=https%3A%2F%2Fevil.example", "from another issuer"),
    "no issuer": (lambda url: url.partition("&iss=")[0], "The redirect does not name its issuer"),
    "two codes": (lambda url: f"{url}&code=other", "The redirect has no code"),
    "error": (lambda url: url.replace("code=", "error=access_denied&x="), "did not allow the login (access_denied)"),
}


@pytest.mark.parametrize("name", REDIRECTS)
def test_redirect_of_another_login_is_refused(
    name: str, shell: Shell, issuer: Issuer, resource: Resource, browser: Browser
) -> None:
    browser.change, words = REDIRECTS[name]
    ran = login(shell, resource)
    assert ran.code == 3
    assert words in ran.err
    assert issuer.forms == []


def test_redirect_can_be_pasted(
    shell: Shell, issuer: Issuer, resource: Resource, browser: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    browser.is_here = False
    monkeypatch.setattr("click.prompt", lambda *_, **__: browse(browser.visited[-1], lambda url: f"x{url}")[1:])
    shell.own(profile(resource))
    ran = shell.run("login", "--paste", terminal=True)
    assert (ran.code, issuer.issued) == (0, 1), ran.err
    monkeypatch.setattr("click.prompt", lambda *_, **__: "https://evil.example/callback?code=1&state=2")
    refused = shell.run("login", "--paste", terminal=True)
    assert (refused.code, issuer.issued) == (3, 1)
    assert "The login ended at another address, https://evil.example/callback" in refused.err
    monkeypatch.setattr("click.prompt", lambda *_, **__: "c0de-of-the-address")
    refused = shell.run("login", "--paste", terminal=True)
    assert (refused.code, issuer.issued) == (3, 1)
    assert "This is not the URL of a page." in refused.err
    assert "c0de" not in refused.err


def test_device_code_is_shown_until_the_user_has_typed_it(
    shell: Shell, issuer: Issuer, resource: Resource, browser: Browser
) -> None:
    issuer.answers = [json_reply({"error": "authorization_pending"}, 400)]
    ran = login(shell, resource, ', grant = "device"')
    assert ran.code == 0, ran.err
    assert browser.visited == [f"{issuer.url}/activate"]
    assert len(issuer.forms) == 2
    assert shell.run("call", "ping", "--no-input").code == 0


HOSTILE: dict[str, tuple[Callable[[Issuer, Resource, str], object], str]] = {
    "cloud metadata": (
        lambda _, resource, __: resource.metadata.update(authorization_servers=["https://169.254.169.254/latest"]),
        "The issuer https://169.254.169.254/latest is not used: it is a link-local address",
    ),
    "plain http": (
        lambda _, resource, __: resource.metadata.update(authorization_servers=["http://login.example.com"]),
        "The issuer http://login.example.com is not used: it must begin with https://",
    ),
    "token endpoint at cloud metadata": (
        lambda issuer, _, __: issuer.metadata.update(token_endpoint="https://[fe80::1]/token"),
        "The endpoint https://[fe80::1]/token is not used: it is a link-local address",
    ),
    "browser at a file": (
        lambda issuer, _, __: issuer.metadata.update(authorization_endpoint="file:///etc/passwd"),
        "The endpoint file:///etc/passwd is not used",
    ),
    "another issuer": (
        lambda issuer, _, __: issuer.metadata.update(issuer="https://login.example.com"),
        "is of another issuer, https://login.example.com",
    ),
    "another resource": (
        lambda _, resource, __: resource.metadata.update(resource="https://bank.example.com/rpc"),
        "is about another resource, https://bank.example.com/rpc",
    ),
    "metadata of another server": (
        lambda _, resource, other: setattr(resource, "metadata_url", f"{other}/metadata"),
        "names metadata on another server",
    ),
    "plain PKCE": (
        lambda issuer, _, __: issuer.metadata.update(code_challenge_methods_supported=["plain"]),
        "supports PKCE only with plain, not with S256",
    ),
    "redirect": (
        lambda issuer, _, other: issuer.pages.update(
            {"/.well-known/oauth-authorization-server": http_reply(b"", 307, {"Location": f"{other}/secret"})}
        ),
        "redirects the request for a token to",
    ),
    "redirect of the token endpoint": (
        lambda issuer, _, other: issuer.pages.update({"/token": http_reply(b"", 307, {"Location": other})}),
        "It is not followed",
    ),
    "endless metadata": (
        lambda issuer, _, __: issuer.pages.update(
            {
                "/.well-known/oauth-authorization-server": chain(
                    [b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n"], repeat(b" " * 65_536)
                )
            }
        ),
        "is larger than",
    ),
    "no JSON": (
        lambda issuer, _, __: issuer.pages.update({"/.well-known/oauth-authorization-server": http_reply(b"[[[[")}),
        "is not a document of OAuth",
    ),
    "other token type": (
        lambda issuer, _, __: issuer.answers.append(json_reply({"access_token": "x", "token_type": "DPoP"})),
        "The token has the type DPoP",
    ),
    "header injection": (
        lambda issuer, _, __: issuer.answers.append(json_reply({"access_token": "x\r\ny", "token_type": "Bearer"})),
        "has a character that a header cannot contain",
    ),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_server_is_refused_with_a_sentence(
    name: str, shell: Shell, issuer: Issuer, resource: Resource, browser: Browser
) -> None:
    change, words = HOSTILE[name]
    with RawServer(http_reply(b"{}")) as other:
        change(issuer, resource, other.origin)
        ran = login(shell, resource)
        assert words in ran.err
        assert ran.code in {3, 4}
        assert (other.requests, resource.calls) == ([], [])


def test_token_endpoint_on_another_server_needs_a_yes(
    shell: Shell, issuer: Issuer, resource: Resource, browser: Browser
) -> None:
    with RawServer(http_reply(b"{}")) as other:
        issuer.metadata["token_endpoint"] = f"{other.origin}/token"
        browser.agrees = False
        ran = login(shell, resource, f', issuer = "{issuer.url}"')
        assert (ran.code, other.requests) == (3, [])
        assert f"Requests for a token go to {other.origin}. Nothing was sent there." in ran.err


def test_script_agrees_to_servers_with_an_option(
    client: Shell, issuer: Issuer, capsys: pytest.CaptureFixture[str]
) -> None:
    with RawServer(issuer.token) as other:
        issuer.metadata["token_endpoint"] = f"{other.origin}/token"
        assert client.run("call", "ping").code == 3
        ran = client.run("login", "--yes")
        assert (ran.code, json.loads(ran.out)["scope"]) == (0, "read"), ran.err
        assert f"Requests for a token go to {other.origin}." in capsys.readouterr().err
        assert client.run("call", "ping").code == 0


@pytest.mark.parametrize("key", ["issuer", "resource"])
def test_token_of_another_server_needs_a_yes_in_a_checkout(
    key: str, shell: Shell, issuer: Issuer, resource: Resource, browser: Browser
) -> None:
    """The server of the checkout would get a token that the user's bank accepts."""
    value = {"issuer": issuer.url, "resource": "https://bank.example.com/rpc"}[key]
    shell.sessions(profile(resource, f', {key} = "{value}"'))
    ran = shell.run("call", "ping", terminal=True)
    assert (ran.code, issuer.server.requests, resource.server.requests) == (3, [], [])
    assert "The login of profile shop is blocked: a file that other people can change names it" in ran.err
    assert f"auth.{key}: {value}" in ran.err
    assert shell.run("profiles", "allow", "shop", "--yes").code == 0
    assert shell.run("call", "ping", terminal=True).code == 0


def test_own_issuer_of_a_checkout_needs_no_yes(shell: Shell, resource: Resource) -> None:
    shell.sessions(profile(resource, f', issuer = "{resource.origin}/auth"'))
    assert "has no metadata of an authorization server" in shell.run("call", "ping").err


def test_client_secret_without_client_id_is_named_first(shell: Shell, resource: Resource) -> None:
    shell.own(profile(resource, ', grant = "client"'))
    ran = shell.run("call", "ping", RPCEXPLORER_SHOP_CLIENT_SECRET=SECRET)
    assert (ran.code, resource.server.requests) == (2, [])
    assert "Set auth.client_id" in ran.err


OTHER_REQUESTS = (
    "GET /favicon.ico HTTP/1.1\r\nHost: 127.0.0.1:{port}",
    "POST /callback?state=x HTTP/1.1\r\nHost: 127.0.0.1:{port}",
    "GET /callback?state=x HTTP/1.1\r\nHost: evil.example:{port}",
    "GET /callback?state=x HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nOrigin: https://evil.example",
    "GET /callback?state=x HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nSec-Fetch-Mode: no-cors",
    "\xff",
)


def test_other_requests_to_the_port_do_not_end_a_login(
    shell: Shell, issuer: Issuer, resource: Resource, browser: Browser
) -> None:
    answers: list[bytes] = []

    def disturb(url: str) -> str:
        port = urlsplit(url).port
        for line in OTHER_REQUESTS:
            with socket.create_connection(("127.0.0.1", port)) as connection:
                connection.sendall(line.format(port=port).encode("latin-1") + b"\r\n\r\n")
                answers.append(connection.recv(100)[:12])
        return url

    browser.change = disturb
    ran = login(shell, resource)
    assert (ran.code, set(answers)) == (0, {b"HTTP/1.1 404", b""}), ran.err


def test_tokens_and_secrets_are_in_no_output(client: Shell) -> None:
    ran = client.run("call", "ping", "-i", "--body")
    again = client.run("call", "ping", json.dumps([f"{TOKEN}-1"]))
    copies = [client.run("copy", "--as", form).text for form in ("curl", "python", "httpie", "report")]
    sinks = [ran.text, ran.err, again.text, again.err, *copies]
    sinks += [text for path, text in client.files().items() if not path.endswith("secrets.toml")]
    for sink in sinks:
        assert f"{TOKEN}-1" not in sink
        assert SECRET not in sink
    assert "RPCEXPLORER_SHOP_SESSION" in copies[0]


def test_checks_get_one_token(client: Shell, issuer: Issuer) -> None:
    saved = '[call.{0}]\nmethod = "{0}"\nexpect = {{ values = {{ "/scopes" = "read" }} }}\n'
    client.sessions("version = 1\n" + "".join(saved.format(name) for name in ("one", "two", "three")))
    ran = client.run("check", "-p", "shop", "--jobs", "3")
    assert (ran.code, len(issuer.forms)) == (0, 1), ran.err + ran.text


def test_refresh_token_in_a_file_is_found(shell: Shell, issuer: Issuer, resource: Resource, browser: Browser) -> None:
    assert login(shell, resource).code == 0
    (shell.folder / "notes.txt").write_text(f"curl -d refresh_token={REFRESH}-1\n")
    ran = shell.run("profiles", "check", "notes.txt")
    assert ran.code == 1
    assert "notes.txt:1: this line contains" in ran.err
    assert "or a token that renews a session" in ran.err


def test_question_for_the_client_secret_names_its_receiver(
    shell: Shell, issuer: Issuer, resource: Resource, browser: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    def typed(question: str) -> str:
        asked.append(question)
        return SECRET

    monkeypatch.setattr("rpcexplorer.cli.world.ask_hidden", typed)
    ran = login(shell, resource, f', grant = "client", client_id = "{CLIENT}", issuer = "{issuer.url}"')
    assert (ran.code, asked) == (0, [f"client secret for shop ({issuer.url})"]), ran.err


def test_command_that_is_not_set_is_not_shown(shell: Shell, resource: Resource) -> None:
    shell.own(profile(resource))
    shown = shell.run("profiles", "show", "shop").text
    assert "auth.grant" in shown
    assert "auth.client_secret_command" not in shown
