"""``profiles check``: finds secrets in files that others read, says what to do, and prints none of them."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime
from pathlib import Path

import pytest

from rpcexplorer.history.folder import History
from rpcexplorer.model.exchange import Exchange
from rpcexplorer.rpc.messages import Result
from rpcexplorer.transport.port import Response
from tests.fakes.shell import Ran, Shell
from tests.trust.secrets.planted import AWKWARD, leaks, spellings

SECRET = "hunter2-hunter2"
SHOP = '[profile.shop]\nurl = "https://x.example"\nauth = { kind = "inline", username = "ada" }\n'


def check(shell: Shell, *files: str, secret: str = SECRET) -> Ran:
    """Run it, and make sure that it prints no secret."""
    ran = shell.run("profiles", "check", *files, RPCEXPLORER_SHOP_PASSWORD=secret)
    assert leaks({"stdout": ran.text, "stderr": ran.err}, [secret, "n0t-known-yet"]) == []
    return ran


def record(folder: Path, **parts: str) -> None:
    """Write a call to a history as a program did that knew of no secret."""
    body = b'{"jsonrpc":"2.0","id":"abc","result":%s}' % parts.pop("result", "1").encode()
    values = {"profile": "shop", "url": "https://x.example", "method": "user.get", "params": "{}"} | parts
    reply = {"outcome": Result(b"1"), "response": Response(body=body)}
    History(folder).append(Exchange(id="abc", when=datetime.now(UTC), kind="call", **reply, **values))  # type: ignore[arg-type]


@pytest.fixture
def usual(shell: Shell) -> Path:
    """The folder of the history, where nothing names another."""
    return shell.home / "state" / "history"


def test_files_in_order_and_a_history_without_secrets_pass(shell: Shell, usual: Path) -> None:
    shell.sessions(SHOP)
    record(usual, params='{"password":"«shop.password»"}')
    ran = check(shell)
    assert (ran.code, ran.err) == (0, "")
    assert "1 profile in order" in ran.text
    assert "no secret in 2 files" in ran.text


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('description = "it is n0t-known-yet"\n', None),
        ('password = "n0t-known-yet"\n', "run: rpcexplorer profiles secret shop password"),
        (
            'headers = { Authorization = "Bearer n0t-known-yet" }\n',
            "rpcexplorer profiles secret shop token; name the kind of auth",
        ),
        ('headers = { Cookie = "sessionid=n0t-known-yet" }\n', "Cookie"),
        ('login = { params = { api_key = "n0t-known-yet" } }\n', "api_key"),
        ('sessionid = "n0t-known-yet"\n', "rpcexplorer profiles secret shop session"),
        ('ca_file = "https://ada:n0t-known-yet@x.example"\n', "a URL stands here that holds a password"),
        ('ca_file = "https://x.example/?token=n0t-known-yet"\n', "address: an address stands here with a part"),
        ('path = "/n0t-known-yet0n0t-known-yet0n0t-known-yet"\n', "an address stands here with a part that looks"),
    ],
)
@pytest.mark.parametrize("name", ["sessions.toml", "sessions.local.toml"])
def test_what_looks_like_a_secret_is_found_in_either_file(shell: Shell, name: str, line: str, said: str | None) -> None:
    shell.sessions(SHOP)
    (shell.folder / name).write_text(SHOP + line)
    ran = check(shell)
    assert ran.code == (1 if said else 0), ran.err
    if said:
        assert f"{name}:4: " in ran.err
        assert said.removeprefix("run: ") in ran.err
        assert "change it on the server as well" in ran.err


@pytest.mark.parametrize("line", ['path = "/v3/%s"\n', 'ca_file = "https://x.example/v3/%s?a=b"\n'])
def test_a_token_in_an_address_is_told_once_and_never_to_be_stored(shell: Shell, line: str) -> None:
    shell.sessions(SHOP + line % "n0t0known1yet2n0t3known4yet5n0t6known")
    ran = check(shell)
    assert ran.code == 1
    assert ran.err.count("looks like a secret") == 1
    assert "have the server change it" in ran.err
    assert "profiles secret" not in ran.err


@pytest.mark.parametrize("secret", AWKWARD.values(), ids=AWKWARD.keys())
def test_a_known_value_is_found_in_every_spelling(shell: Shell, secret: str) -> None:
    every = spellings(secret)
    shell.sessions(
        SHOP + "".join(f"[profile.n{at}]\ndescription = {json.dumps(each)}\n" for at, each in enumerate(every))
    )
    ran = check(shell, secret=secret)
    assert ran.code == 1
    for at in range(len(every)):
        line = rf"sessions\.toml:{5 + 2 * at}: the value of (shop\.password|RPCEXPLORER_SHOP_PASSWORD) stands here"
        assert re.search(line, ran.err), every[at]


@pytest.mark.parametrize(
    "part",
    [
        {"params": '{"note": "hunter2-hunter2"}'},
        {"result": '"hunter2\\u002dhunter2"'},
        {"method": "hunter2-hunter2"},
        {"note": "aHVudGVyMi1odW50ZXIy"},
    ],
)
def test_a_secret_in_the_history_is_told_with_its_call(shell: Shell, usual: Path, part: dict[str, str]) -> None:
    shell.sessions(SHOP)
    record(usual, **part)
    ran = check(shell)
    assert ran.code == 1
    assert "delete call abc" in ran.err
    assert "shop.password" in ran.err


def test_the_histories_that_settings_and_profiles_name_are_searched(shell: Shell, usual: Path) -> None:
    shell.sessions(SHOP + 'history = "calls"\n')
    settings = shell.home / "config" / "settings.toml"
    settings.parent.mkdir(parents=True)
    settings.write_text('[history]\nfolder = "/nowhere/of/note"\n')
    record(shell.folder / "calls", params='{"note": "hunter2-hunter2"}')
    record(usual, params='{"token": "n0t-known-yet"}')
    ran = check(shell)
    assert ran.code == 1
    assert "found 2 places" in ran.err


def test_files_that_are_named_are_searched_and_no_others(shell: Shell) -> None:
    shell.sessions(SHOP + 'password = "n0t-known-yet"\n')
    (shell.folder / "notes.md").write_text("all is well\n")
    (shell.folder / "run.sh").write_text("export SHOP_PASSWORD=n0t-known-yet\n")
    assert check(shell, "notes.md").code == 0
    ran = check(shell, "notes.md", "run.sh")
    assert ran.code == 1
    assert "run.sh:1: SHOP_PASSWORD: a literal value" in ran.err
    assert "sessions.toml" not in ran.err


def test_a_damaged_file_is_searched_all_the_same(shell: Shell) -> None:
    shell.sessions('[profile.shop\npassword = "n0t-known-yet"\n')
    ran = check(shell)
    assert ran.code == 1
    assert "sessions.toml:2: password" in ran.err
    assert "sessions.toml:1: this is not TOML" in ran.err


def test_a_file_that_is_not_there_is_told(shell: Shell) -> None:
    ran = check(shell, "gone.toml")
    assert ran.code == 2
    assert "there is no such file" in ran.err


def test_a_folder_cannot_be_read_as_a_file(shell: Shell) -> None:
    assert check(shell, ".").code == 2


def test_what_is_wrong_besides_is_still_code_2(shell: Shell) -> None:
    shell.sessions(SHOP + "timout = 3\n")
    ran = check(shell)
    assert ran.code == 2
    assert "timeout" in ran.err


def test_a_short_secret_is_said_not_to_be_looked_for(shell: Shell) -> None:
    shell.sessions(SHOP + 'description = "tiny5"\n')
    ran = shell.run("profiles", "check", RPCEXPLORER_SHOP_PASSWORD="tiny5")
    assert ran.code == 0
    assert "shop.password can be looked for only behind" in ran.err


def test_secrets_that_cannot_be_read_are_told_for_they_cannot_be_looked_for(shell: Shell) -> None:
    store = shell.home / "state" / "secrets.toml"
    store.parent.mkdir(parents=True, mode=0o700)
    store.write_text("version = 1\n")
    store.chmod(0o644)
    (shell.folder / "notes.md").write_text("all is well\n")
    ran = check(shell, "notes.md")
    assert ran.code == 2
    assert "chmod 600" in ran.err


def test_the_shape_of_a_file_that_is_named_is_checked_too(shell: Shell) -> None:
    shell.sessions(SHOP + "timout = 3\n")
    (shell.folder / "notes.md").write_text("all is well\n")
    assert check(shell, "notes.md").code == 0
    assert check(shell, "notes.md", "./sessions.toml").code == 2


def test_many_places_are_counted(shell: Shell) -> None:
    (shell.folder / "many.txt").write_text("hunter2-hunter2\n" * 1000)
    ran = check(shell, "many.txt")
    assert "and 950 more places" in ran.err
    assert "found 1,000 places" in ran.err
    assert len(ran.err.splitlines()) == 52


@pytest.mark.parametrize(
    "part",
    [
        {"method": "user.login", "result": '"n0t-known-yet"'},
        {"method": "session.create", "result": '{"session": "n0t-known-yet-n0t-known-yet"}'},
        {"params": '{"hook": "https://ada:n0t-known-yet@x.example"}'},
        {"result": '"https://x.example/?apikey=n0t-known-yet"'},
        {"url": "https://x.example/n0t-known-yet-n0t1known2yet3n0t4"},
    ],
)
def test_what_nobody_knew_to_be_a_secret_is_told_with_its_call(shell: Shell, usual: Path, part: dict[str, str]) -> None:
    shell.sessions(SHOP)
    record(usual, **part)
    ran = check(shell)
    assert ran.code == 1
    assert "delete call abc" in ran.err
