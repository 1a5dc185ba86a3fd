"""``login``, ``logout``, ``profiles`` and the demo service: a session from its first to its last call."""

from __future__ import annotations

import json
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from rpcexplorer.demo import PASSWORD
from rpcexplorer.demo.http import DemoThread
from tests.fakes.shell import Shell


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with DemoThread() as demo:
        yield demo.url


@pytest.fixture
def shop(shell: Shell, url: str) -> Shell:
    """A shell with a cookie profile for the demo service, and its password stored."""
    shell.sessions(f'[profile.shop]\nurl = "{url}"\nauth = {{ kind = "cookie", username = "demo" }}\n')
    stored = shell.run("profiles", "secret", "shop", "password", "--stdin", stdin=f"{PASSWORD}\nnot this".encode())
    assert stored.code == 0, stored.err
    return shell


def test_a_cookie_profile_logs_in_once_and_the_session_outlives_the_program(shop: Shell) -> None:
    first, second = shop.run("call", "ping"), shop.run("call", "ping")
    assert (first.code, first.out, second.out) == (0, b'"pong"\n', b'"pong"\n')
    assert "logged in" in first.err
    assert second.err == ""


def test_login_and_logout_by_hand(shop: Shell) -> None:
    assert shop.run("login").code == 0
    assert shop.run("call", "ping").err == ""
    assert "forgotten" in shop.run("logout").err
    assert "no session" in shop.run("logout").err
    assert "logged in" in shop.run("call", "ping").err


def test_a_session_that_the_server_ended_is_renewed(shop: Shell) -> None:
    shop.run("call", "ping")
    assert "ended the session" in shop.run("call", "demo.logout").err
    renewed = shop.run("call", "ping")
    assert (renewed.code, renewed.out) == (0, b'"pong"\n')


def test_a_stale_session_costs_one_more_try(shop: Shell) -> None:
    ran = shop.run("call", "ping", RPCEXPLORER_SHOP_SESSION="stale-stale-stale")
    assert ran.code == 0, ran.err
    assert "tried once more" in ran.err


def test_a_wrong_password_is_exit_code_3_with_the_servers_words(shell: Shell, url: str) -> None:
    shell.sessions(f'[profile.shop]\nurl = "{url}"\nauth = {{ kind = "cookie", username = "demo" }}\n')
    ran = shell.run("call", "ping", RPCEXPLORER_SHOP_PASSWORD="wrong-password")
    assert ran.code == 3
    assert "-32001" in ran.err
    assert "wrong-password" not in ran.err


def test_assumed_login_is_used_once_credentials_are_given(shell: Shell, url: str) -> None:
    assert shell.run("profiles", "add", "shop", "--url", url).code == 0
    open_call = shell.run("call", "demo.echo", "a=1")
    refused = shell.run("call", "ping")
    assert (open_call.code, refused.code) == (0, 1)
    assert "The server asks for a login" in refused.err
    assert "profiles secret shop username" in refused.err
    assert "profiles secret shop password" in refused.err
    shell.run("profiles", "secret", "shop", "username", "--stdin", stdin=b"demo\n")
    shell.run("profiles", "secret", "shop", "password", "--stdin", stdin=PASSWORD.encode())
    logged_in = shell.run("call", "ping")
    assert (logged_in.code, logged_in.out) == (0, b'"pong"\n'), logged_in.err


def test_assumed_login_sends_no_password_to_a_changed_destination(shell: Shell, url: str) -> None:
    own = shell.home / "config" / "sessions.toml"
    shell.run("profiles", "add", "shop", "--url", "http://127.0.0.1:9")
    shell.run("profiles", "secret", "shop", "username", "--stdin", stdin=b"demo\n")
    shell.run("profiles", "secret", "shop", "password", "--stdin", stdin=PASSWORD.encode())
    own.write_text(own.read_text().replace("http://127.0.0.1:9", url))
    ran = shell.run("call", "ping")
    assert (ran.code, ran.out) == (3, b"")
    assert "was not sent" in ran.err


def test_secret_stored_without_auth_asks_before_the_service_gets_it(shell: Shell, url: str) -> None:
    own = shell.home / "config" / "sessions.toml"
    shell.run("profiles", "add", "shop", "--url", url, "--auth", "none")
    shell.run("profiles", "secret", "shop", "username", "--stdin", stdin=b"demo\n")
    shell.run("profiles", "secret", "shop", "password", "--stdin", stdin=PASSWORD.encode())
    own.write_text("\n".join(line for line in own.read_text().splitlines() if "auth" not in line))
    ran = shell.run("call", "ping")
    assert (ran.code, ran.out) == (3, b"")
    assert "auth.kind: none → cookie" in ran.err


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


def test_a_moved_profile_does_not_get_the_password(shop: Shell) -> None:
    team = shop.folder / "sessions.toml"
    team.write_text(team.read_text().replace("127.0.0.1", "localhost"))
    ran = shop.run("call", "ping")
    assert ran.code == 3
    assert "Changed: origin: http://127.0.0.1" in ran.err
    assert "rpcexplorer profiles allow shop" in ran.err


def test_a_session_of_another_origin_is_not_sent_and_that_is_said(shop: Shell) -> None:
    shop.run("call", "ping")
    team = shop.folder / "sessions.toml"
    team.write_text(team.read_text().replace("127.0.0.1", "localhost"))
    assert shop.run("call", "ping", RPCEXPLORER_SHOP_PASSWORD=PASSWORD).code == 3
    assert shop.run("profiles", "allow", "shop", "--yes").code == 0
    ran = shop.run("call", "ping", RPCEXPLORER_SHOP_PASSWORD=PASSWORD)
    assert (ran.code, ran.out) == (0, b'"pong"\n')
    assert (
        "the session that was kept is not sent: it was stored for a different destination: origin: http://127.0"
        in ran.err
    )
    assert "logged in to http://localhost" in ran.err


def test_no_file_and_no_output_holds_the_password_but_the_store(shop: Shell) -> None:
    shop.run("call", "demo.echo", f"password={PASSWORD}", f"again={PASSWORD}")
    printed = [shop.run("call", "ping")]
    printed += [shop.run("history", "list"), shop.run("history", "show"), shop.run("profiles", "show", "shop")]
    holders = [path for path, text in shop.files().items() if PASSWORD in text]
    assert [Path(path).name for path in holders] == ["secrets.toml"]
    assert PASSWORD not in "".join(ran.err for ran in printed)
    assert PASSWORD not in "".join(ran.text for ran in printed)
    assert stat.S_IMODE(Path(holders[0]).stat().st_mode) == 0o600
    assert stat.S_IMODE(Path(holders[0]).parent.stat().st_mode) == 0o700


def test_secrets_are_listed_by_state_and_can_be_forgotten(shop: Shell) -> None:
    assert "set (secrets.toml)" in shop.run("profiles", "secret", "shop").text
    assert shop.run("profiles", "secret", "shop", "--forget").code == 0
    assert "missing (set RPCEXPLORER_SHOP_PASSWORD)" in shop.run("profiles", "secret", "shop").text


@pytest.mark.parametrize(
    ("auth", "field", "sends"),
    [
        ('{ kind = "none" }', "password", False),
        ('{ kind = "inline", username = "ada" }', "session", False),
        ('{ kind = "inline", username = "ada" }', "username", False),
        ('{ kind = "cookie" }', "username", True),
    ],
)
def test_a_secret_that_is_never_sent_is_told_to_be_so(shell: Shell, auth: str, field: str, sends: bool) -> None:
    shell.sessions(f'[profile.p]\nurl = "http://127.0.0.1:9"\nauth = {auth}\n')
    ran = shell.run("profiles", "secret", "p", field, "--stdin", stdin=b"new-value\n")
    assert ran.code == 0
    assert f"stored {field} of p" in ran.err
    assert (f"p sends no stored {field}" in ran.err) is not sends


def test_a_profile_without_secrets_says_so(shell: Shell) -> None:
    shell.sessions('[profile.p]\nurl = "http://127.0.0.1:9/rpc"\npath = "/rpc"\n')
    ran = shell.run("profiles", "secret", "p")
    assert (ran.code, ran.out) == (0, b"")
    assert "p needs no secrets: its auth is none" in ran.err


def test_a_secret_is_not_asked_for_where_nobody_can_answer(shop: Shell) -> None:
    ran = shop.run("profiles", "secret", "shop", "password")
    assert ran.code == 3
    assert "--stdin" in ran.err


def test_a_store_that_cannot_be_written_is_a_sentence(shop: Shell) -> None:
    (shop.home / "state" / "secrets.toml").chmod(0o644)
    ran = shop.run("profiles", "secret", "shop", "password", "--stdin", stdin=b"new-password\n")
    assert ran.code == 2
    assert "chmod" in ran.err


@pytest.mark.parametrize("arguments", [["logout"], ["profiles", "secret", "shop", "--allow-http"]])
def test_what_could_not_be_written_down_is_not_claimed(shop: Shell, arguments: list[str]) -> None:
    shop.run("login")
    (shop.home / "state" / "secrets.toml").chmod(0o644)
    ran = shop.run(*arguments)
    assert ran.code == 2
    assert "chmod" in ran.err


# --- profiles --------------------------------------------------------------------------------------------------------


def test_a_profile_is_added_listed_shown_and_removed(shell: Shell) -> None:
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


def test_values_of_three_files_are_merged_and_each_knows_its_line(shell: Shell) -> None:
    shell.sessions('[profile.shop]\nurl = "https://team.example"\ntimeout = 5\n')
    (shell.folder / "sessions.local.toml").write_text("[profile.shop]\ntimeout = 60\n")
    shell.run("profiles", "add", "mine", "--url", "https://mine.example", "--auth", "none")
    shown = shell.run("profiles", "show", "shop").text
    assert "sessions.local.toml:2" in next(line for line in shown.splitlines() if "timeout" in line)
    assert "sessions.toml:2" in next(line for line in shown.splitlines() if " url " in line)
    assert "mine" in shell.run("profiles", "list").text


@pytest.mark.parametrize(
    ("text", "said", "code"),
    [
        ('[profile.a]\nurl = "https://x.example"\npassword = "hunter2hunter2"\n', "profiles secret a password", 1),
        ('[profile.a]\nurl = "https://u:hunter2hunter2@x.example"\n', "profiles secret a password", 1),
        ('[profile.a]\nurl = "https://x.example"\ncommand = "x"\n', "command", 2),
        ('[profile."../../x"]\nurl = "https://x.example"\n', "name", 2),
        ("[profile.a\n", "sessions.toml:1", 2),
    ],
)
def test_check_finds_what_is_refused_without_printing_it(shell: Shell, text: str, said: str, code: int) -> None:
    shell.sessions(text)
    ran = shell.run("profiles", "check")
    assert ran.code == code
    assert said in ran.err
    assert "hunter2" not in ran.err + ran.text


def test_check_of_files_in_order_is_exit_code_0(shop: Shell) -> None:
    assert shop.run("profiles", "check").code == 0


def test_methods_are_listed_with_what_is_known(shop: Shell) -> None:
    with (shop.folder / "sessions.toml").open("a") as file:
        file.write('[profile.shop.method."user.delete"]\ndoc = "Deletes a user"\nsafe = false\n')
    shop.run("call", "demo.echo")
    listed = shop.run("methods").text
    assert [line.split()[0] for line in listed.splitlines()] == ["arg_test", "auth", "demo.echo", "ping", "user.delete"]
    assert "!" in next(line for line in listed.splitlines() if "user.delete" in line)
    rows = json.loads(shop.run("methods", "--json").out)
    assert {row["name"]: row["source"] for row in rows}["demo.echo"] == "history"


# --- demo ------------------------------------------------------------------------------------------------------------


def test_the_tour_runs_without_a_terminal_and_leaves_nothing_behind(shell: Shell) -> None:
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
