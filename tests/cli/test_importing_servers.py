"""``import`` makes profiles of the servers in ``mcp.json``, and starts none of them."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import click
import pytest

from rpcexplorer.cli.world import World
from tests.fakes.shell import Ran, Shell

KEY = "sk-0123456789abcdef0123"
SERVE = """#!/bin/sh
echo "$API_KEY" >>"$0.ran"
while read -r line
do
    id="${line#*\\"id\\":\\"}"
    echo '{"jsonrpc":"2.0","id":"'"${id%%\\"*}"'","result":{"tools":[]}}'
done
"""


@pytest.fixture
def project(shell: Shell) -> Shell:
    """Return a shell in a project with settings of VS Code, which name a program of the project."""
    (shell.folder / ".vscode").mkdir()
    (shell.folder / "serve").write_text(SERVE)
    (shell.folder / "serve").chmod(0o755)
    write(shell, {"tool": {"command": "./serve", "env": {"API_KEY": KEY, "DEBUG": "1"}}})
    return shell


def write(shell: Shell, servers: dict[str, Any]) -> None:
    (shell.folder / ".vscode" / "mcp.json").write_text(f"// servers\n{json.dumps({'servers': servers})}")


def take_in(shell: Shell, *more: str) -> Ran:
    return shell.run("import", ".vscode/mcp.json", *more)


def has_run(shell: Shell) -> bool:
    return (shell.folder / "serve.ran").exists()


def test_server_becomes_a_profile_of_the_user_file(project: Shell) -> None:
    ran = take_in(project)
    assert ran.code == 0
    assert tomllib.loads(project.user_file.read_text())["profile"] == {
        "tool": {
            "url": "stdio:",
            "preset": "mcp",
            "command": [str(project.folder / "serve")],
            "environment": {"DEBUG": "1"},
            "environment_secrets": ["API_KEY"],
        }
    }
    assert "not stored: API_KEY" in ran.err
    assert KEY not in ran.text + ran.err + "".join(
        text for file, text in project.files().items() if ".vscode" not in file
    )
    assert not has_run(project)
    assert project.run("call", "-p", "tool", "ping", API_KEY=KEY).code == 0
    assert has_run(project)


def test_server_in_the_project_file_runs_only_after_allow(project: Shell) -> None:
    ran = take_in(project, "--save", "sessions.toml")
    assert (ran.code, "rpcexplorer profiles allow tool" in ran.err) == (0, True)
    assert 'command = ["./serve"]' in (project.folder / "sessions.toml").read_text()
    assert project.run("call", "-p", "tool", "ping", API_KEY=KEY).code == 2
    assert not has_run(project)
    project.run("profiles", "allow", "tool", "--yes")
    assert project.run("call", "-p", "tool", "ping", API_KEY=KEY).code == 0


def test_secret_of_a_server_is_stored_after_a_yes(project: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def answer(question: str, **_: object) -> bool:
        asked.append(question)
        return True

    monkeypatch.setattr(World, "asks", True)
    monkeypatch.setattr(click, "confirm", answer)
    ran = take_in(project)
    assert asked == [f"Store the imported API_KEY for profile tool (stdio:{project.folder}/serve)?"]
    assert "stored: API_KEY" in ran.err
    assert project.run("profiles", "secret", "tool").text == "API_KEY   stored (secrets.toml)\n"


def test_dry_run_shows_what_would_be_written(project: Shell) -> None:
    ran = take_in(project, "--dry-run")
    assert (ran.code, ran.err) == (0, "")
    assert ran.text == (
        "profile tool\n"
        "  preset             mcp\n"
        f"  command            {project.folder}/serve\n"
        "  environment.DEBUG  1\n"
        "  secret API_KEY     in the file, not shown\n"
    )
    assert not project.user_file.exists()


def test_json_shows_what_would_be_written(project: Shell) -> None:
    (server,) = json.loads(take_in(project, "--dry-run", "--json").out)["servers"]
    assert (server["profile"], server["problem"]) == ("tool", "")
    assert server["keys"]["secret API_KEY"] == "in the file, not shown"


def test_name_that_exists_is_not_imported(project: Shell) -> None:
    project.own('[profile.TOOL]\nurl = "https://h"\n')
    before = project.user_file.read_text()
    ran = take_in(project)
    assert (ran.code, project.user_file.read_text()) == (2, before)
    ways = "`rpcexplorer profiles rename TOOL NEW` or `rpcexplorer profiles remove TOOL`"
    assert f"tool was not imported: there is already a profile TOOL. Run {ways}, then import again" in ran.err


@pytest.mark.parametrize(
    ("server", "words"),
    [
        ({"command": "x", "args": ["--api-key", KEY]}, "command.2: must not contain a secret"),
        ({"command": "x\u001b[2J"}, "command: must have words of one line"),
        ({"command": "x", "args": ["${a\nb}"]}, "command: must have words of one line"),
        ({"command": "x", "args": ["y" * 5000]}, "command: must have at most 4096 bytes"),
        ({"command": "x", "env": {"A B": "y"}}, "not a valid name of an environment variable"),
        ({"command": "x", "env": {"A": "y\nz"}}, "environment.A: must be text in one line"),
        ({"command": "x", "env": {"RPCEXPLORER_HOME": "y"}}, "does not get the variables of rpcexplorer"),
        ({"url": f"https://h/mcp?api_key={KEY}"}, "path: must not contain a secret"),
        ({"url": f"https://me:{KEY}@h/mcp"}, "url: must not contain a user name or password"),
        ({"url": "file:///etc/passwd"}, "its url must begin with http://, https://, ws:// or wss://"),
        ({"url": "http+unix:///run/docker.sock"}, "its url must begin with http://"),
        ({"url": "stdio:"}, "its url must begin with http://"),
        ({"url": "https://h\u001b/"}, "must not contain spaces, backslashes or control characters"),
        ({"url": "https://h", "headers": {"Host": "other"}}, "the host comes from `url`"),
        ({"url": "https://h", "headers": {"Cookie": "a=b"}}, "this header contains a secret"),
        ({"url": "https://h", "headers": {"X-A": "y\r\nX-B: z"}}, "must be a valid header value"),
    ],
)
def test_unusable_server_is_one_sentence(project: Shell, server: dict[str, Any], words: str) -> None:
    write(project, {"\u001b[31mx": server})
    ran = take_in(project)
    assert (ran.code, len(ran.messages)) == (2, 2)
    assert ran.messages[0].startswith("rpcexplorer: ␛[31mx was not imported: ")
    assert words in ran.messages[0]
    assert (KEY in ran.err, "\u001b" in ran.err, project.user_file.exists()) == (False, False, False)


def test_usable_servers_of_a_file_are_imported(project: Shell) -> None:
    write(project, {"bad": 1, "good": {"url": "https://h/mcp"}})
    ran = take_in(project)
    assert (ran.code, "bad was not imported" in ran.err, "added 1 profile" in ran.err) == (0, True, True)
    assert project.run("profiles", "list").text.split() == ["good", "none", "https://h/mcp"]


def test_variable_of_a_reference_is_named_and_not_read(project: Shell) -> None:
    write(project, {"x": {"command": "y", "env": {"API_KEY": "${OTHER}"}}})
    project.environment["OTHER"] = KEY
    ran = take_in(project)
    assert "printenv OTHER | rpcexplorer profiles secret x API_KEY --stdin" in ran.err
    assert KEY not in "".join(project.files().values()) + ran.text + ran.err


def test_servers_are_read_from_stdin(shell: Shell) -> None:
    ran = shell.run("import", "-", stdin=b'{"mcpServers": {"x": {"command": "./y"}}}')
    assert ran.code == 0
    assert f'command = ["{shell.folder}/y"]' in shell.user_file.read_text()


def test_huge_file_is_refused(shell: Shell) -> None:
    with Path(shell.folder / "mcp.json").open("wb") as file:
        file.truncate(1 << 34)
    ran = shell.run("import", "mcp.json")
    assert (ran.code, len(ran.messages)) == (2, 1)
