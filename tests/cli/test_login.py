"""``login``, ``logout``, ``profiles`` and ``demo`` with the demo service."""

from __future__ import annotations

from pathlib import Path

import pytest

from rpcexplorer.demo import PASSWORD
from tests.fakes.shell import Shell


@pytest.fixture
def shop(shell: Shell, url: str) -> Shell:
    """A shell with a cookie profile for the demo service and its password."""
    shell.sessions(f'[profile.shop]\nurl = "{url}"\nauth = {{ kind = "cookie", username = "demo" }}\n')
    stored = shell.run("profiles", "secret", "shop", "password", "--stdin", stdin=f"{PASSWORD}\nnot this".encode())
    assert stored.code == 0, stored.err
    return shell


def test_session_outlives_the_program(shop: Shell) -> None:
    first, second = shop.run("call", "ping"), shop.run("call", "ping")
    assert (first.code, first.out, second.out) == (0, b'"pong"\n', b'"pong"\n')
    assert "logged in" in first.err
    assert second.err == ""


def test_login_and_logout_change_the_session(shop: Shell) -> None:
    assert shop.run("login").code == 0
    assert shop.run("call", "ping").err == ""
    assert "forgot the session" in shop.run("logout").err
    assert "no session" in shop.run("logout").err
    assert "logged in" in shop.run("call", "ping").err


def test_wrong_password_exits_3_with_the_servers_message(shell: Shell, url: str) -> None:
    shell.sessions(f'[profile.shop]\nurl = "{url}"\nauth = {{ kind = "cookie", username = "demo" }}\n')
    ran = shell.run("call", "ping", RPCEXPLORER_SHOP_PASSWORD="wrong-password")
    assert ran.code == 3
    assert "-32001" in ran.err
    assert "environment variable RPCEXPLORER_SHOP_PASSWORD. Correct or unset it.\n  unset RPCEXPLORER_SHOP_" in ran.err
    assert "wrong-password" not in ran.err
    shell.run("profiles", "secret", "shop", "password", "--stdin", stdin=b"wrong-password\n")
    stored = shell.run("call", "ping")
    assert "hint: The server rejected the password.\n  rpcexplorer profiles secret shop password\n" in stored.err


def test_assumed_login_is_used_once_credentials_are_given(shell: Shell, url: str) -> None:
    assert shell.run("profiles", "add", "shop", "--url", url).code == 0
    open_call = shell.run("call", "demo.echo", "a=1")
    refused = shell.run("call", "ping")
    assert (open_call.code, refused.code) == (0, 1)
    assert "The server asks for credentials" in refused.err
    assert "profiles secret shop username" in refused.err
    assert "profiles secret shop password" in refused.err
    shell.run("profiles", "secret", "shop", "username", "--stdin", stdin=b"demo\n")
    shell.run("profiles", "secret", "shop", "password", "--stdin", stdin=PASSWORD.encode())
    logged_in = shell.run("call", "ping")
    assert (logged_in.code, logged_in.out) == (0, b'"pong"\n'), logged_in.err


def test_assumed_login_sends_no_password_elsewhere(shell: Shell, url: str) -> None:
    own = shell.user_file
    shell.run("profiles", "add", "shop", "--url", "http://127.0.0.1:9")
    shell.run("profiles", "secret", "shop", "username", "--stdin", stdin=b"demo\n")
    shell.run("profiles", "secret", "shop", "password", "--stdin", stdin=PASSWORD.encode())
    own.write_text(own.read_text().replace("http://127.0.0.1:9", url))
    ran = shell.run("call", "ping")
    assert (ran.code, ran.out) == (3, b"")
    assert "is blocked" in ran.err


def test_bare_url_gets_no_variables_without_auth(shell: Shell, url: str) -> None:
    shell.environment |= {"RPCEXPLORER_URL_USERNAME": "demo", "RPCEXPLORER_URL_PASSWORD": PASSWORD}
    ran = shell.run("call", "ping", "--url", url)
    assert ran.code == 1
    assert "logged in" not in ran.err
    ran = shell.run("call", "ping", "--url", url, "--auth", "cookie")
    assert (ran.code, ran.out) == (0, b'"pong"\n'), ran.err


def test_login_without_a_cookie_profile_says_why_not(shell: Shell, url: str) -> None:
    shell.sessions(f'[profile.plain]\nurl = "{url}"\nauth = {{ kind = "none" }}\n')
    ran = shell.run("login")
    assert ran.code == 2
    assert "no sessions" in ran.err


def test_secrets_are_listed_by_state_and_forgotten(shop: Shell) -> None:
    assert "stored (secrets.toml)" in shop.run("profiles", "secret", "shop").text
    assert shop.run("profiles", "secret", "shop", "--forget").code == 0
    assert "missing. Set RPCEXPLORER_SHOP_PASSWORD" in shop.run("profiles", "secret", "shop").text


@pytest.mark.parametrize(
    ("auth", "field", "sends"),
    [
        ('{ kind = "none" }', "password", False),
        ('{ kind = "inline", username = "ada" }', "session", False),
        ('{ kind = "inline", username = "ada" }', "username", False),
        ('{ kind = "cookie" }', "username", True),
    ],
)
def test_unused_secret_is_a_warning(shell: Shell, auth: str, field: str, sends: bool) -> None:
    shell.sessions(f'[profile.p]\nurl = "http://127.0.0.1:9"\nauth = {auth}\n')
    ran = shell.run("profiles", "secret", "p", field, "--stdin", stdin=b"new-value\n")
    assert ran.code == 0
    assert f"stored {field} of p" in ran.err
    assert (f"p does not use this {field}" in ran.err) is not sends
    needs_none = "p needs no secrets: its auth type is none" in shell.run("profiles", "secret", "p").err
    assert needs_none == ("none" in auth)


def test_secret_is_not_asked_for_without_terminal(shop: Shell) -> None:
    ran = shop.run("profiles", "secret", "shop", "password")
    assert ran.code == 3
    assert "--stdin" in ran.err


@pytest.mark.parametrize("arguments", [["logout"], ["profiles", "secret", "shop", "--allow-http"]])
def test_failed_write_is_not_reported_as_stored(shop: Shell, arguments: list[str]) -> None:
    shop.run("login")
    (shop.home / "state" / "secrets.toml").chmod(0o644)
    ran = shop.run(*arguments)
    assert ran.code == 2
    assert "chmod" in ran.err


def test_profile_is_added_listed_shown_and_removed(shell: Shell) -> None:
    added = shell.run(
        "profiles", "add", "shop", "--url", "https://rpc.example.com", "--username", "ada", "--badge", "prod"
    )
    assert added.code == 0, added.err
    assert "shop" in shell.run("profiles", "list").text
    shown = shell.run("profiles", "show", "shop").text
    assert "https://rpc.example.com" in shown
    assert "sessions.toml:" in shown
    assert "default" in shown
    assert "unsafe" in shown
    assert shell.run("profiles", "remove", "shop").code == 2
    assert shell.run("profiles", "remove", "shop", "--yes").code == 0
    assert "shop" not in shell.run("profiles", "list").text


def test_demo_tour_runs_without_terminal_and_cleans_up(shell: Shell) -> None:
    ran = shell.run("demo")
    assert ran.code == 0, ran.err
    assert "pong" in ran.text
    for method in ("ping", "auth", "arg_test"):
        assert method in ran.text
    assert PASSWORD not in ran.text
    assert shell.files() == {}


@pytest.mark.parametrize("name", ["bash", "zsh", "fish"])
def test_completion_prints_a_script(shell: Shell, name: str) -> None:
    ran = shell.run("completion", name)
    assert ran.code == 0
    assert "_RPCEXPLORER_COMPLETE" in ran.text


def test_themes_show_their_json_on_a_terminal(shell: Shell) -> None:
    themes = shell.home / "config" / "themes"
    themes.mkdir(parents=True)
    (themes / "mine.toml").write_text('[json]\nstyle = "monokai"\n')
    (themes / "broken.toml").write_text("[json\n")
    lines = shell.run("themes", terminal=True).text.splitlines()
    mine = next(line for line in lines if line.startswith("mine "))
    assert '\x1b[48;2;22;24;29;38;2;255;70;137m"name"' in mine
    assert mine.endswith(f"\x1b[0m  {themes / 'mine.toml'}")
    assert "\x1b[49;95m36" in next(line for line in lines if line.startswith("terminal "))
    assert next(line for line in lines if line.startswith("broken ")).split() == ["broken", str(themes / "broken.toml")]
    assert "\x1b" not in shell.run("themes", terminal=True, NO_COLOR="1").text


def test_themes_are_listed_with_their_files(shell: Shell) -> None:
    rows = [line.split() for line in shell.run("themes").text.splitlines()]
    assert len(rows) >= 6
    assert all(Path(path).is_file() for _, path in rows)


def test_profile_that_never_logs_in_shows_no_login(shell: Shell) -> None:
    auths = {"basic": "{ kind = 'basic' }", "plain": "{ kind = 'none' }", "cookie": "{ kind = 'cookie' }"}
    shell.sessions("".join(f'[profile.{name}]\nurl = "http://h"\nauth = {auth}\n' for name, auth in auths.items()))
    shown = {name: "login.method" in shell.run("profiles", "show", name).text for name in auths}
    assert shown == {"basic": False, "plain": False, "cookie": True}
    shell.sessions('[profile.basic]\nurl = "http://h"\nauth.kind = "basic"\nlogin.method = "open"\n')
    text = shell.run("profiles", "show", "basic").text
    assert [line.split()[:2] for line in text.splitlines() if "login." in line] == [["login.method", "open"]]
