"""Environment variables that a profile gives to its process, and their secrets."""

from __future__ import annotations

from pathlib import Path

import pytest

from rpcexplorer.explorer import Explorer
from rpcexplorer.model.destination import ProcessCommand
from rpcexplorer.model.draft import Draft
from rpcexplorer.model.exchange import Refused
from rpcexplorer.rpc.messages import Result
from tests.fakes.shell import Shell

SERVE = """#!/bin/sh
printf '%s|%s|%s|%s\\n' "$DEBUG" "$API_KEY" "$RPCEXPLORER_P_API_KEY" "$PWD" >>"$0.got"
while read -r line
do
    id="${line#*\\"id\\":\\"}"
    echo '{"jsonrpc":"2.0","id":"'"${id%%\\"*}"'","result":"the key is '"$API_KEY"'"}'
done
"""
KEY = "first-api-key-of-a-process"
PROFILE = """[profile.p]
url = "stdio:"
command = ["./serve"]
environment = { DEBUG = "1" }
environment_secrets = ["API_KEY"]
"""


@pytest.fixture
def served(shell: Shell) -> Shell:
    """Return a shell in a folder with a server that writes down what it gets."""
    (shell.folder / "serve").write_text(SERVE)
    (shell.folder / "serve").chmod(0o755)
    return shell


@pytest.fixture
def own(served: Shell) -> Shell:
    """Return a shell whose user file has the profile."""
    served.own(PROFILE.replace("./serve", str(served.folder / "serve")))
    return served


@pytest.fixture
def checkout(served: Shell) -> Shell:
    """Return a shell in a folder whose project file has the profile."""
    served.sessions(PROFILE)
    return served


def got(shell: Shell) -> list[str]:
    file = shell.folder / "serve.got"
    return file.read_text().splitlines() if file.exists() else []


def command(shell: Shell) -> ProcessCommand | Refused:
    explorer = Explorer.open(folder=shell.folder, environment=shell.environment)
    return explorer.command_of(explorer.use("p"))


def test_process_gets_environment_and_stored_secret(own: Shell) -> None:
    assert own.run("profiles", "secret", "p", "API_KEY", "--stdin", stdin=KEY.encode()).code == 0
    ran = own.run("call", "-p", "p", "ping")
    assert (ran.code, ran.out) == (0, '"the key is «RPCEXPLORER_P_API_KEY»"\n'.encode())
    assert got(own) == [f"1|{KEY}||{own.folder}"]
    files = own.files()
    assert [file for file, text in files.items() if KEY in text] == [
        str(own.home / "state" / "secrets.toml"),
        str(own.folder / "serve.got"),
    ]


@pytest.mark.parametrize("variable", ["RPCEXPLORER_P_API_KEY", "API_KEY"])
def test_secret_of_a_process_comes_from_a_variable(own: Shell, variable: str) -> None:
    own.environment[variable] = KEY
    ran = own.run("call", "-p", "p", "ping")
    assert (ran.code, ran.out) == (0, '"the key is «RPCEXPLORER_P_API_KEY»"\n'.encode())
    assert got(own) == [f"1|{KEY}||{own.folder}"]
    assert own.run("profiles", "secret", "p").text == f"API_KEY   from environment ({variable})\n"


def test_missing_secret_of_a_process_starts_nothing(own: Shell) -> None:
    ran = own.run("call", "-p", "p", "ping")
    advice = "Set RPCEXPLORER_P_API_KEY, or run `rpcexplorer profiles secret p API_KEY`."
    assert (ran.code, ran.err) == (3, f"rpcexplorer: No API_KEY for profile p. {advice}\n")
    assert not got(own)


def test_dry_run_names_the_secret_of_a_process(own: Shell) -> None:
    ran = own.run("call", "-p", "p", "ping", "--dry-run", API_KEY=KEY)
    assert "rpcexplorer: environment: DEBUG=1 API_KEY=«RPCEXPLORER_P_API_KEY»\n" in ran.err
    assert not got(own)


def test_unknown_secret_of_a_profile_is_named(own: Shell) -> None:
    ran = own.run("profiles", "secret", "p", "API_KEYS")
    assert (ran.code, "Did you mean API_KEY?" in ran.err) == (2, True)


def test_recorded_reference_is_not_sent_again(own: Shell) -> None:
    ran = own.run("call", "-p", "p", "ping", '["«RPCEXPLORER_P_API_KEY»"]', API_KEY=KEY)
    assert (ran.code, "that value was not recorded" in ran.err) == (2, True)


async def test_changed_secret_starts_the_process_anew(own: Shell) -> None:
    async with own.explorer(API_KEY=KEY) as explorer:
        profile = explorer.use("p")
        client = await explorer.client_of(profile)
        assert isinstance((await client.send(Draft("ping"))).outcome, Result)
        await client.send(Draft("ping"))
        explorer.credentials.hold(profile, "API_KEY", "second-api-key", keep=False)
        await client.send(Draft("ping"))
    assert [line.split("|")[1] for line in got(own)] == [KEY, "second-api-key"]


def test_renamed_profile_keeps_the_secret_of_its_process(own: Shell) -> None:
    own.run("profiles", "secret", "p", "API_KEY", "--stdin", stdin=KEY.encode())
    assert own.run("profiles", "rename", "p", "q").code == 0
    assert own.run("profiles", "secret", "q").text == "API_KEY   stored (secrets.toml)\n"
    assert own.run("profiles", "secret", "q", "--forget").err == "rpcexplorer: forgotten\n"


def test_folder_and_options_of_a_process_are_written(served: Shell) -> None:
    (served.folder / "inside").mkdir()
    words = ["profiles", "add", "p", "--stdio", "./serve", "--folder", "inside", "--env", "DEBUG=2"]
    assert served.run(*words, "--env-secret", "API_KEY").code == 0
    assert served.run("call", "-p", "p", "ping", API_KEY=KEY).code == 0
    assert got(served) == [f"2|{KEY}||{served.folder / 'inside'}"]


def test_program_is_found_in_the_path_of_the_process(served: Shell) -> None:
    served.own(f'[profile.p]\nurl = "stdio:"\ncommand = ["serve"]\nenvironment.PATH = "{served.folder}"\n')
    found = command(served)
    assert isinstance(found, ProcessCommand)
    assert found.program == str(served.folder / "serve")


# Files of others.


def test_environment_of_a_checkout_is_shown_and_allowed(checkout: Shell) -> None:
    refused = command(checkout)
    assert isinstance(refused, Refused)
    place = f"{checkout.folder}/sessions.toml"
    assert f"environment.DEBUG: 1 ({place}:4), environment_secrets: API_KEY ({place}:5)" in refused.sentence
    assert not got(checkout)
    shown = checkout.run("profiles", "allow", "p", "--yes").err
    assert "  environment.DEBUG: 1 (" in shown
    assert "  environment_secrets: API_KEY (" in shown
    assert isinstance(command(checkout), ProcessCommand)
    listed = checkout.run("profiles", "allow", "--list").text
    assert f"process in folder {checkout.folder}: ./serve, environment.DEBUG 1, environment_secrets API_KEY" in listed


CHANGES = [
    ('DEBUG = "1"', 'DEBUG = "2"', "environment.DEBUG: 1 → 2"),
    ('DEBUG = "1"', 'DEBUG = "1", LD_PRELOAD = "/x.so"', "environment.LD_PRELOAD: not set → /x.so"),
    ('{ DEBUG = "1" }', "{}", "environment.DEBUG: 1 → not set"),
    ('["API_KEY"]', '["API_KEY", "OTHER"]', "environment_secrets: API_KEY → API_KEY, OTHER"),
    ("environment_secrets", 'folder = "inside"\nenvironment_secrets', "folder: "),
]


@pytest.mark.parametrize(("before", "after", "words"), CHANGES)
def test_changed_environment_of_a_checkout_asks_again(checkout: Shell, before: str, after: str, words: str) -> None:
    checkout.run("profiles", "allow", "p", "--yes")
    checkout.sessions(PROFILE.replace(before, after))
    refused = command(checkout)
    assert isinstance(refused, Refused)
    assert words in refused.sentence


@pytest.mark.parametrize(("before", "after", "words"), CHANGES)
def test_changed_environment_blocks_a_stored_secret(own: Shell, before: str, after: str, words: str) -> None:
    own.run("profiles", "secret", "p", "API_KEY", "--stdin", stdin=KEY.encode())
    own.own(own.user_file.read_text().replace(before, after))
    ran = own.run("call", "-p", "p", "ping")
    assert (ran.code, words in ran.err) == (3, True)
    assert not got(own)


@pytest.mark.parametrize(
    "theirs",
    ['environment.LD_PRELOAD = "./x.so"', 'environment.DEBUG = "2"', 'environment_secrets = ["OTHER"]', 'folder = "."'],
)
def test_own_process_with_their_environment_is_refused(own: Shell, theirs: str) -> None:
    own.sessions(f"[profile.p]\n{theirs}\n")
    refused = command(own)
    assert isinstance(refused, Refused)
    assert f"{own.folder}/sessions.toml:2" in refused.sentence


def test_folder_outside_of_a_checkout_is_refused(checkout: Shell) -> None:
    checkout.sessions(PROFILE + 'folder = "../.."\n')
    ran = checkout.run("call", "-p", "p", "ping")
    assert (ran.code, "must be the folder of this file, or inside it" in ran.err) == (2, True)


def test_link_out_of_a_checkout_is_refused(checkout: Shell, tmp_path: Path) -> None:
    (checkout.folder / "inside").symlink_to(tmp_path)
    checkout.sessions(PROFILE + 'folder = "inside"\n')
    assert checkout.run("call", "-p", "p", "ping").code == 2


def test_variable_of_another_profile_is_refused(own: Shell) -> None:
    own.own('[profile.p-api]\nurl = "https://h"\n[profile.p]\nurl = "stdio:"\ncommand = ["x"]\n')
    own.sessions('[profile.p]\nenvironment_secrets = ["API_TOKEN"]\n')
    ran = own.run("call", "-p", "p", "ping")
    assert (ran.code, "would be read from RPCEXPLORER_P_API_TOKEN" in ran.err) == (2, True)


WAY_OUT = 'set environment_secrets = ["{}"], and run `rpcexplorer profiles secret p {}`'


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ('environment.API_KEY = "x"', WAY_OUT.format("API_KEY", "API_KEY")),
        ('environment._AUTH_TOKEN = "x"', WAY_OUT.format("_AUTH_TOKEN", "_AUTH_TOKEN")),
        ('environment.DB = "postgres://me:pw@h/db"', WAY_OUT.format("DB", "DB")),
        ('environment.X = "ghp_0123456789abcdef"', WAY_OUT.format("X", "X")),
        ('environment.X = \'{"password": "x"}\'', WAY_OUT.format("X", "X")),
        ("environment.X = 1", "must be text in one line, in quotes"),
        ('environment.X = "a\\nb"', "without control characters"),
        (f'environment.X = "{"x" * 5000}"', "at most 4096 bytes"),
        ('environment.X = "«p.password»"', "secret reference"),
        ('environment."A B" = "x"', "not a valid name of an environment variable"),
        ('environment.RPCEXPLORER_HOME = "x"', "does not get the variables of rpcexplorer"),
        ("environment = 1", "must be a table"),
        ("environment_secrets = { X = 1 }", "must be an array of names"),
        ("environment_secrets = [1]", "must be an array of names"),
        ('environment_secrets = ["A=B"]', "not a valid name of an environment variable"),
        ('environment_secrets = ["ORIGIN"]', "must not be ORIGIN"),
        ('environment_secrets = ["token"]', "must not be token"),
        ('environment_secrets = ["A_KEY", "a_key"]', "Remove one of them"),
        ('environment_secrets = ["X"]\nenvironment.X = "x"', "`environment_secrets` has X, too"),
        ('env = { X = "x" }', "this key is called `environment`"),
        ('cwd = "/"', "this key is called `folder`"),
    ],
)
def test_wrong_environment_is_one_sentence(shell: Shell, line: str, words: str) -> None:
    shell.own(f'[profile.p]\nurl = "stdio:"\ncommand = ["x"]\n{line}\n')
    ran = shell.run("call", "-p", "p", "ping")
    assert ran.code == 2
    assert words in ran.err
    assert len(ran.err.splitlines()) == 1


@pytest.mark.parametrize("key", ['environment.X = "x"', 'environment_secrets = ["X"]', 'folder = "x"'])
@pytest.mark.parametrize("url", ["https://h", "ws://h", "tcp://h:1"])
def test_only_a_process_has_an_environment(shell: Shell, url: str, key: str) -> None:
    shell.own(f'[profile.p]\nurl = "{url}"\n{key}\n')
    ran = shell.run("call", "-p", "p", "ping")
    assert (ran.code, "only a process has" in ran.err) == (2, True)


@pytest.mark.parametrize("value", ["4096", "debug", "/usr/bin:/bin", "https://h/x", "key=value"])
def test_usual_values_are_no_secrets(shell: Shell, value: str) -> None:
    shell.own(f'[profile.p]\nurl = "stdio:"\ncommand = ["x"]\nenvironment.MAX_TOKENS = "{value}"\n')
    assert isinstance(command(shell), ProcessCommand)
