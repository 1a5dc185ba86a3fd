"""``profiles test``: steps, suggested changes and exit codes."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest

from rpcexplorer.demo import PASSWORD, USERNAME
from rpcexplorer.demo.http import DemoThread
from tests.client.test_connection_test import aria2, by_name, deluge, key_wanted
from tests.fakes.certificates import self_signed
from tests.fakes.shell import Shell
from tests.fakes.terminal import Terminal
from tests.fakes.wire import RawServer, Received, http_reply

COOKIE = f'auth = {{ kind = "cookie", username = "{USERNAME}" }}'
NOBODY = 'auth = { kind = "cookie" }'
PLAN = "rpcexplorer: The test sends at most 16 requests, one at a time: system.listMethods, rpc.discover, "


def profile(shell: Shell, url: str, more: str) -> None:
    shell.sessions(f'[profile.shop]\nurl = "{url}"\n{more}\n')


def test_every_step_is_printed_and_nothing_recorded(shell: Shell) -> None:
    with DemoThread() as demo:
        profile(shell, demo.url, COOKIE)
        ran = shell.run("profiles", "test", "shop", RPCEXPLORER_SHOP_PASSWORD=PASSWORD)
    where, plan = ran.err.splitlines()
    assert (ran.code, where) == (0, f"rpcexplorer: shop at {demo.url}/api/v2/")
    assert plan.startswith(PLAN)
    assert plan.endswith(
        "If they succeed, the test calls auth with the credentials of shop. "
        "If only a session is stored, it calls ping instead."
    )
    rows = [line.split(maxsplit=1) for line in ran.text.splitlines()]
    assert [words.split("  ")[0] for _, words in rows] == [
        "Name", "TCP", "TLS", "HTTP", "Address", "Content type", "Empty params", "JSON-RPC", "Server", "Login"
    ]  # fmt: skip
    assert [sign for sign, _ in rows[1:2] + rows[3:8]] == ["✓"] * 6
    assert "The login opened a session." in ran.text
    assert shell.run("history", "list").out == b""


def test_missing_secret_is_named_as_missing(shell: Shell) -> None:
    with DemoThread() as demo:
        profile(shell, demo.url, NOBODY)
        ran = shell.run("profiles", "test", "--no-input")
    assert ran.code == 3
    assert "✗ Login         No username for profile shop. Set RPCEXPLORER_SHOP_USERNAME" in ran.text
    profile(shell, "http://127.0.0.1:9", NOBODY)
    ran = shell.run("profiles", "test", "shop")
    assert ran.code == 4
    assert "✗ TCP " in ran.text
    assert "◌ Login     Not reached. The user name and the password are missing." in ran.text
    assert "no credentials" not in ran.text


@pytest.mark.parametrize(
    ("reply", "code", "message"),
    [
        (http_reply(b"<h1>not here</h1>", status=404), 5, "✗ Address "),
        (http_reply(b"<h1>hello</h1>"), 5, "✗ Address "),
        (http_reply(b'{"jsonrpc":"2.0","id":"x","error":{"code":-32601,"message":"\\u001b[2J"}}'), 0, "✓ JSON-RPC "),
    ],
)
def test_exit_code_is_that_of_a_call(shell: Shell, reply: bytes, code: int, message: str) -> None:
    with RawServer(reply) as server:
        profile(shell, server.origin, 'auth = { kind = "none" }')
        ran = shell.run("profiles", "test", "shop")
    assert ran.code == code
    assert message in ran.text
    assert ran.text.endswith("or another port.\n  rpcexplorer profiles test URL\n") == bool(code)
    assert "\x1b" not in ran.text


def test_url_test_ends_with_commands_for_a_profile(shell: Shell) -> None:
    with RawServer(aria2) as server:
        ran = shell.run("profiles", "test", server.origin)
        assert ran.code == 3, "it asks for a token"
        assert "✗ Login         The server asks for credentials (error 1 Unauthorized). Enter the token.\n" in ran.text
        assert ran.err.splitlines()[-1].startswith("rpcexplorer: aria2: The token is the value of --rpc-secret.")
        *_, lines, commands = ran.text.strip().split("\n\n")
        profile = tomllib.loads(lines)["profile"]["NAME"]
        assert profile == {"url": server.origin, "preset": "aria2"}
        add, *others = commands.splitlines()
        assert others == [
            "rpcexplorer profiles secret NAME token",
            "rpcexplorer methods -p NAME --refresh",
            "rpcexplorer call -p NAME METHOD",
        ]
        program, *words = add.replace("NAME", "mine").split()
        assert program == "rpcexplorer"
        assert shell.run(*words).code == 0
        ran = shell.run("profiles", "test", "mine", RPCEXPLORER_MINE_TOKEN="sesame-4711")
    assert "Suggested changes" not in ran.text


@pytest.mark.parametrize("option", ["--no-input", "--json"])
@pytest.mark.parametrize("path", ["/v3/{}/", "/rpc?apikey={}"])
@pytest.mark.parametrize("status", [200, 404])
def test_secret_in_typed_url_is_never_printed(shell: Shell, option: str, path: str, status: int) -> None:
    secret = "0123456789abcdef0123456789abcdef" if path.startswith("/v3") else "hunter2"
    reply = http_reply(b'{"jsonrpc": "2.0", "id": "1", "result": "pong"}' if status == 200 else b"", status)
    with RawServer(reply) as server:
        ran = shell.run("profiles", "test", f"{server.origin}{path.format(secret)}", option)
    assert path.format("«not recorded»") in ran.text
    assert secret not in ran.text + ran.err
    if option == "--no-input":
        assert ran.err.startswith(f"rpcexplorer: {server.origin}/")
        assert (f'path = "{path}"'.format("«not recorded»") in ran.text) == (status == 200)


def test_unknown_auth_type_is_left_to_the_user(shell: Shell) -> None:
    with RawServer(key_wanted) as server:
        ran = shell.run("profiles", "test", f"{server.origin}/rpc")
        profile(shell, server.origin, 'path = "/rpc"')
        filed = shell.run("profiles", "test", "shop")
    assert (ran.code, filed.code) == (3, 3)
    assert "auth = " not in ran.text
    command = f"rpcexplorer profiles add NAME --url {server.origin}/rpc --auth KIND"
    assert ran.text.splitlines()[-1] == command
    assert filed.text.endswith("To set its auth type:\n  rpcexplorer profiles set shop auth.kind=KIND\n")


def test_confirmed_changes_are_written_to_the_right_file(shell: Shell) -> None:
    with RawServer(deluge) as server:
        profile(shell, server.origin, 'path = "/json"   # here\nauth = { kind = "none" }\ncontent_type = "text/plain"')
        before = (shell.folder / "sessions.toml").read_text()
        ran = shell.run("profiles", "test", "shop")
        assert ran.code == 5
        assert "  preset: not set → deluge\n  content_type: text/plain → application/json\nTo apply them" in ran.text
        refused = shell.run("profiles", "test", "shop", "--apply")
        assert (refused.code, (shell.folder / "sessions.toml").read_text()) == (2, before)
        assert "Add --yes to confirm." in refused.err
        done = shell.run("profiles", "test", "shop", "--apply", "--yes")
        assert done.code == 0
        assert (shell.folder / "sessions.toml").read_text() == before
        beside = tomllib.loads((shell.folder / "sessions.local.toml").read_text())
        assert beside["profile"]["shop"] == {"preset": "deluge", "content_type": "application/json"}
        assert shell.run("profiles", "test", "shop").code == 0


def test_yes_needs_apply_and_no_keeps_exit_code(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    with RawServer(deluge) as server:
        profile(shell, server.origin, 'path = "/json"\nauth = { kind = "none" }\ncontent_type = "text/plain"')
        before = shell.files()
        early = shell.run("profiles", "test", "shop", "--yes", terminal=True)
        assert (early.code, server.requests) == (2, [])
        assert "Add --apply" in early.err
        with Terminal(["profiles", "test", "shop"], shell.environment, shell.folder, (120, 40)) as terminal:
            terminal.sees("Change shop in", "[y/N]")
            terminal.press("enter")
            assert terminal.ends() == 5
        monkeypatch.setattr("rpcexplorer.cli.world.World.asks", True)
        unasked = shell.run("profiles", "test", "shop", "--apply", "--no-input")
        assert (unasked.code, "Add --yes to confirm." in unasked.err) == (2, True)
    assert {path: text for path, text in shell.files().items() if "toml" in path} == {
        path: text for path, text in before.items() if "toml" in path
    }


BEGINNINGS = "A URL begins with http://, https://"


@pytest.mark.parametrize(
    ("typed", "sentence"),
    [
        ("127.0.0.1/rpc", BEGINNINGS),
        ("ftp://x/", "ftp:// is not supported. Begin the URL with http://, https://"),
        ("http://", BEGINNINGS),
        ("https:///rpc", BEGINNINGS),
        ("http://h:99999", BEGINNINGS),
    ],
)
def test_invalid_url_is_reported_before_the_plan(shell: Shell, typed: str, sentence: str) -> None:
    ran = shell.run("profiles", "test", typed)
    assert (ran.code, ran.out, len(ran.messages)) == (2, b"", 1)
    assert sentence in ran.err
    assert "ere is no profile" in shell.run("profiles", "test", "nosuch").err


def test_url_has_no_profile_to_change(shell: Shell) -> None:
    ran = shell.run("profiles", "test", "http://127.0.0.1:9", "--apply")
    assert (ran.code, ran.out) == (2, b"")
    assert "A URL has no profile to change" in ran.err


def test_json_has_the_whole_report(shell: Shell) -> None:
    with RawServer(aria2) as server:
        ran = shell.run("profiles", "test", server.origin, "--json")
    found = json.loads(ran.out)
    assert (found["profile"], found["requests"], found["exit"]) == (None, len(found["calls"]), 3)
    assert found["calls"][0] == {"method": "system.listMethods", "path": "/", "reply": "HTTP 404"}
    assert found["proposal"] == {"preset": "aria2"}
    assert found["secrets"] == ["token"]
    assert {"step", "state", "words", "seconds"} == {*found["steps"][0]}


def test_certificate_is_shown_with_the_pin_command(shell: Shell, tmp_path: Path) -> None:
    box = self_signed()
    with RawServer(by_name, tls=box.server(tmp_path)) as server:
        profile(shell, server.origin, 'path = "/rpc"')
        ran = shell.run("profiles", "test", "shop", "--apply", "--yes")
    assert ran.code == 4
    lines = ran.text.splitlines()
    below = lines[next(at for at, line in enumerate(lines) if line.startswith("✗ TLS")) + 1]
    assert below.split() == ["fingerprint", box.fingerprint]
    assert lines[-2:] == ["  rpcexplorer profiles trust shop", "  rpcexplorer profiles test shop --apply"]
    assert not (shell.folder / "sessions.local.toml").exists(), "nobody trusts by habit"


@pytest.mark.thorough
@pytest.mark.parametrize("redirects", [False, True])
def test_apply_continues_after_the_certificate_is_pinned(shell: Shell, tmp_path: Path, redirects: bool) -> None:
    box = self_signed()
    with (
        RawServer(by_name, tls=box.server(tmp_path)) as safe,
        RawServer(lambda _: http_reply(b"", 301, {"Location": f"{safe.origin}/rpc"})) as wire,
    ):
        profile(shell, (wire if redirects else safe).origin, 'path = "/rpc"')
        words = ["profiles", "test", "shop", "--apply"]
        with Terminal(words, shell.environment, shell.folder, (120, 50)) as terminal:
            terminal.sees(box.fingerprint, "Pin this certificate for shop")
            terminal.type("y")
            terminal.press("enter")
            terminal.sees("Suggested changes", "Change shop in")
            terminal.type("y")
            terminal.press("enter")
            assert terminal.ends() == 0
    written = tomllib.loads((shell.folder / "sessions.local.toml").read_text())["profile"]["shop"]
    assert (written["certificate"], written["empty_params"]) == (box.fingerprint, "{}")
    assert written.get("url", safe.origin) == safe.origin


def guarded(request: Received) -> bytes:
    """Require HTTP Basic at one path; the realm hints at no preset."""
    if request.line.split()[1] != "/rpc":
        return http_reply(b"", 404)
    if request.header("Authorization") is None:
        return http_reply(b"", 401, {"WWW-Authenticate": 'Basic realm="office"'})
    return http_reply(b'{"jsonrpc": "2.0", "id": "x", "result": "pong"}')


def test_accepted_change_keeps_stored_secrets_allowed(shell: Shell) -> None:
    with RawServer(guarded) as server:
        assert shell.run("profiles", "add", "node", "--url", server.origin).code == 0
        for field in ("username", "password"):
            assert shell.run("profiles", "secret", "node", field, "--stdin", stdin=b"hunter2hunter2\n").code == 0
        tested = shell.run("profiles", "test", "node", "--apply", "--yes")
        assert tested.code == 0, tested.text + tested.err
        called = shell.run("call", "ping", "--id", "x")
        assert (called.code, called.out) == (0, b'"pong"\n'), called.err
    written = tomllib.loads(shell.user_file.read_text())["profile"]["node"]
    assert written == {"url": server.origin, "path": "/rpc", "auth": {"kind": "basic"}}


def wants_token(request: Received) -> bytes:
    """Require a Bearer token, at one path."""
    if request.line.split()[1] != "/rpc":
        return http_reply(b"", 404)
    return http_reply(b"", 401, {"WWW-Authenticate": "Bearer"})


def moved_path(request: Received) -> bytes:
    """Answer at another path that the server names."""
    if not request.line.startswith("POST /users/eve/rpc "):
        return http_reply(b"", 308, {"Location": "/users/eve/rpc"}, reason="Permanent Redirect")
    if request.header("Authorization") is None:
        return http_reply(b"", 401, {"WWW-Authenticate": 'Basic realm="x"'}, reason="Unauthorized")
    return http_reply(b'{"jsonrpc": "2.0", "id": "1", "error": {"code": -32601, "message": "Method not found"}}')


def test_chosen_path_that_server_moves_asks_again(shell: Shell) -> None:
    with RawServer(moved_path) as server:
        shell.run("profiles", "add", "node", "--url", f"{server.origin}/rpc", "--auth", "basic", "--username", "ada")
        shell.run("profiles", "secret", "node", "password", "--stdin", stdin=b"sesame-4711\n")
        tested = shell.run("profiles", "test", "node", "--apply", "--yes")
        assert "path: /rpc → /users/eve/rpc" in tested.text
        before = len(server.requests)
        called = shell.run("call", "ping")
        assert len(server.requests) == before
    assert called.code == 3
    assert "path: /rpc → /users/eve/rpc" in called.err


def test_accepted_change_releases_no_blocked_secret(shell: Shell) -> None:
    own = shell.user_file
    with RawServer(wants_token) as server:
        shell.run("profiles", "add", "node", "--url", "http://127.0.0.1:9")
        shell.run("profiles", "secret", "node", "token", "--stdin", stdin=b"sesame-4711\n")
        own.write_text(own.read_text().replace("http://127.0.0.1:9", server.origin))
        tested = shell.run("profiles", "test", "node", "--apply", "--yes")
        assert "auth.kind: not set → bearer" in tested.text
        called = shell.run("call", "ping")
        assert not [request for request in server.requests if request.header("Authorization")]
    assert called.code == 3
    assert "is blocked" in called.err
