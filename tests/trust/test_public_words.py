"""User names and common words are hidden by their position alone."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.fakes.shell import Ran, Shell
from tests.fakes.wire import Parts, RawServer, Received, http_reply

BATCH = b'[{"method": "getVersion"}, {"method": "getMe", "params": {"password": "zabbix"}}]'


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    shell = Shell(tmp_path)
    shell.environment |= {"RPCEXPLORER_K_USERNAME": "jsonrpc", "RPCEXPLORER_K_PASSWORD": "a1b2c3d4e5"}
    shell.environment["RPCEXPLORER_Z_PASSWORD"] = "zabbix"
    return shell


def answer(request: Received) -> Parts:
    body = request.json
    result = {"username": "jsonrpc", "password": "zabbix", "who": "jsonrpc at zabbix", "a1b2c3d4e5": "a1b2c3d4e5"}
    replies = [
        {"jsonrpc": "2.0", "id": call["id"], "result": result} for call in (body if isinstance(body, list) else [body])
    ]
    return http_reply(json.dumps(replies if isinstance(body, list) else replies[0]).encode())


def profiles(origin: str) -> str:
    return f"""\
version = 1

[profile.k]
url = "{origin}/jsonrpc.php"
auth = {{ kind = "basic" }}

[profile.i]
url = "{origin}/jsonrpc.php"
auth = {{ kind = "inline" }}

[profile.z]
url = "{origin}/zabbix/api_jsonrpc.php"
auth = {{ kind = "inline", username = "Admin" }}
"""


def run(shell: Shell, *words: str, stdin: bytes = b"") -> Ran:
    with RawServer(answer) as server:
        shell.sessions(profiles(server.origin))
        return shell.run(*words, stdin=stdin)


@pytest.mark.parametrize("profile", ["k", "z"])
def test_batch_keeps_envelope_and_member_names(shell: Shell, profile: str) -> None:
    ran = run(shell, "batch", "-p", profile, stdin=BATCH)
    assert ran.code == 0, ran.err
    assert all(reply["jsonrpc"] == "2.0" and "id" in reply for reply in json.loads(ran.out))
    assert b"username" in ran.out


def test_envelope_of_a_call_is_recorded_unchanged(shell: Shell) -> None:
    reply = json.loads(run(shell, "call", "-p", "k", "getVersion", "--response", "--id", "x").out)
    assert list(reply) == ["jsonrpc", "id", "result"]
    assert list(reply["result"]) == ["username", "password", "who", "a1b2c3d4e5"]
    assert reply["result"]["who"] == "jsonrpc at zabbix"
    assert reply["result"]["a1b2c3d4e5"] == "«k.password»"


def test_member_name_that_is_secret_is_not_recorded(shell: Shell) -> None:
    run(shell, "call", "-p", "k", "getVersion")
    for record in (shell.home / "state").rglob("history/**/*.toml"):
        assert "a1b2c3d4e5" not in record.read_text()
    shown = shell.run("history", "show", "-p", "k", "--body").out
    assert b'"\xc2\xabk.password\xc2\xbb"' in shown
    assert b"a1b2c3d4e5" not in shown


@pytest.mark.parametrize(("profile", "path"), [("k", "/jsonrpc.php"), ("z", "/zabbix/api_jsonrpc.php")])
@pytest.mark.parametrize("form", ["curl", "python", "httpie", "request", "report", "command"])
def test_copied_call_goes_to_path_of_profile(shell: Shell, profile: str, path: str, form: str) -> None:
    run(shell, "call", "-p", profile, "getVersion", "--id", "one")
    copied = shell.run("copy", "one", "--as", form).out.decode()
    assert "%C2%AB" not in copied
    assert path in copied or form == "command"


def test_user_name_is_hidden_where_auth_puts_it(shell: Shell) -> None:
    shell.environment |= {"RPCEXPLORER_I_USERNAME": "jsonrpc", "RPCEXPLORER_I_PASSWORD": "a1b2c3d4e5"}
    ran = run(shell, "call", "-p", "i", "getVersion", "--response", "--id", "x")
    result = json.loads(ran.out)["result"]
    assert (result["username"], result["who"]) == ("jsonrpc", "jsonrpc at zabbix")
    sent = run(shell, "call", "-p", "i", "getVersion", "--dry-run").out.decode()
    assert "«i.username»" in sent
    assert "jsonrpc.php" in sent


def test_word_of_url_is_hidden_behind_references(shell: Shell) -> None:
    result = json.loads(run(shell, "call", "-p", "z", "getVersion").out)
    assert result["password"] == "«z.password»"
    assert result["who"] == "jsonrpc at zabbix"


def test_check_keeps_urls_and_names_unfindable_secrets(shell: Shell) -> None:
    ran = run(shell, "profiles", "check")
    assert ran.code == 0, ran.err
    assert "found only under names such as password: z.password" in ran.err
    assert "k.username" not in ran.err


def test_check_finds_password_of_public_word_by_position(shell: Shell) -> None:
    (shell.folder / "team.toml").write_text('[profile.z]\npath = "/zabbix/"\npassword = "zabbix"\n')
    ran = run(shell, "profiles", "check", "team.toml")
    assert ran.code == 1
    assert "team.toml:3: " in ran.err
    assert "team.toml:2: " not in ran.err
