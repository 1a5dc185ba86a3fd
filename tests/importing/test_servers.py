"""Servers of other programs become profiles, with nothing run and no reference replaced."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest

from rpcexplorer.importing.servers import MAX_SERVERS, ImportedServer, ImportedServers, read_servers, root_of

KEY = "sk-0123456789abcdef0123"


def read(text: str, root: str = "/work") -> ImportedServers:
    found = read_servers(text, root)
    assert found is not None
    return found


def only(server: Any, root: str = "/work", name: str = "x") -> ImportedServer:
    (found,) = read(json.dumps({"mcpServers": {name: server}}), root).servers
    return found


def test_process_becomes_a_profile() -> None:
    secrets = {"API_KEY": KEY, "DB": "postgres://me:pw@h/db", "HEADER": "Bearer abc12345", "SQL": "Server=h;Pwd=x"}
    env = {"DEBUG": "1", "PORT": 5, "ON": True, "NONE": None} | secrets
    found = only({"type": "stdio", "command": "npx", "args": ["-y", "a b"], "env": env, "cwd": "sub"})
    assert found.problem == ""
    assert found.values == {
        "url": "stdio:",
        "preset": "mcp",
        "command": ["npx", "-y", "a b"],
        "folder": "/work/sub",
        "environment": {"DEBUG": "1", "PORT": "5", "ON": "true"},
        "environment_secrets": [*secrets],
    }
    assert {field: secret.reveal() for field, secret in found.secrets.items()} == secrets


@pytest.mark.parametrize(
    ("headers", "auth", "token"),
    [
        ({"Authorization": f"Bearer {KEY}"}, {"kind": "bearer"}, KEY),
        ({"authorization": KEY}, {"kind": "header", "header": "authorization"}, KEY),
        (
            {"Authorization": "Basic dTpw"},
            {"kind": "header", "header": "Authorization", "value": "Basic {token}"},
            "dTpw",
        ),
        ({"X-Api-Key": KEY}, {"kind": "header", "header": "X-Api-Key"}, KEY),
        ({"X-Custom": KEY}, {"kind": "header", "header": "X-Custom"}, KEY),
    ],
)
def test_header_with_a_secret_becomes_auth(headers: dict[str, str], auth: dict[str, str], token: str) -> None:
    found = only({"type": "http", "url": "https://h/mcp?x=1", "headers": {"X-Org": "acme", "Accept": "x"} | headers})
    assert (found.values["url"], found.values["path"]) == ("https://h", "/mcp?x=1")
    assert (found.values["auth"], found.values["headers"]) == (auth, {"X-Org": "acme"})
    assert found.secrets["token"].reveal() == token


def test_second_header_with_a_secret_is_named() -> None:
    found = only({"url": "https://h", "headers": {"X-Api-Key": KEY, "X-Token": "other"}})
    assert found.notes == ("header X-Token was dropped: a profile sends one kind of credentials",)


@pytest.mark.parametrize(
    ("text", "variable"),
    [
        ("${OTHER}", "OTHER"),
        ("${env:OTHER}", "OTHER"),
        ("${OTHER:-default}", "OTHER"),
        ("$OTHER", "OTHER"),
        ("${input:key}", ""),
        ("a${OTHER}b", ""),
        ("", ""),
    ],
)
def test_reference_is_a_secret_without_a_value(text: str, variable: str) -> None:
    found = only({"command": "x", "env": {"API_KEY": text}})
    assert (found.secrets, found.missing) == ({}, {"API_KEY": variable})
    assert found.values["environment_secrets"] == ["API_KEY"]


def test_reference_in_a_header_is_a_secret_without_a_value() -> None:
    found = only({"url": "https://h", "headers": {"Authorization": "Bearer ${env:OTHER}"}})
    assert (found.values["auth"], found.secrets, found.missing) == ({"kind": "bearer"}, {}, {"token": "OTHER"})


def test_inherited_variable_needs_nothing() -> None:
    found = only({"command": "x", "env": {"HOME": "${HOME}", "LANG": "${env:LANG}"}})
    assert not {"environment", "environment_secrets"} & {*found.values}


def test_workspace_folder_is_the_folder_of_the_project() -> None:
    server = {
        "command": "${workspaceFolder}/serve",
        "args": ["${workspaceFolder}/src"],
        "cwd": "${workspaceFolder}",
        "env": {"ROOT": "${workspaceFolder}"},
    }
    found = only(server).values
    assert (found["command"], found["folder"]) == (["/work/serve", "/work/src"], "/work")
    assert found["environment"] == {"ROOT": "/work"}
    found = only(server, ".").values
    assert (found["command"], found["folder"]) == (["./serve", "./src"], ".")


@pytest.mark.parametrize(("command", "word"), [("./serve", "/work/serve"), ("npx", "npx"), ("/bin/x", "/bin/x")])
def test_relative_program_is_in_the_project(command: str, word: str) -> None:
    assert only({"command": command}).values["command"] == [word]


@pytest.mark.parametrize("file", [".mcp.json", ".vscode/mcp.json", ".cursor/mcp.json"])
def test_project_is_above_the_folder_of_an_editor(file: str) -> None:
    assert root_of(Path("/work") / file) == Path("/work")


@pytest.mark.parametrize(
    ("server", "problem"),
    [
        (1, "its entry has a value of the wrong type"),
        ([], "its entry has a value of the wrong type"),
        ({"command": 1}, "command has a value of the wrong type"),
        ({"command": ["x"]}, "command has a value of the wrong type"),
        ({"command": "x", "args": "y"}, "args has a value of the wrong type"),
        ({"command": "x", "args": ["y", 1]}, "args[1] has a value of the wrong type"),
        ({"command": "x", "env": []}, "env has a value of the wrong type"),
        ({"command": "x", "env": {"A": {}}}, "env[...] has a value of the wrong type"),
        ({"command": "x", "cwd": 1}, "cwd has a value of the wrong type"),
        ({"url": {}}, "url has a value of the wrong type"),
        ({"url": "https://h", "headers": {"A": 1}}, "headers[...] has a value of the wrong type"),
        ({"type": 1}, "type has a value of the wrong type"),
        ({}, "it must have either command or url"),
        ({"command": "x", "url": "https://h"}, "it must have either command or url"),
        ({"type": "sse", "url": "https://h/sse"}, "rpcexplorer does not support the old transport HTTP+SSE. "),
        ({"command": "x", "args": ["${input:a}"]}, "${input:a} in command, args or cwd is not replaced. "),
        ({"command": "x", "args": ["${KEY:-s3cret}"]}, "${KEY} in command, args or cwd is not replaced. "),
        ({"url": "https://${HOST:-s3cret}/mcp"}, "${HOST} in url is not replaced. "),
        ({"command": "x", "cwd": "${userHome}"}, "${userHome} in command, args or cwd is not replaced. "),
        ({"command": "x", "args": ["${" + "a" * 9000 + "}"]}, "${aaa"),
        ({"url": "https://${HOST}/mcp"}, "${HOST} in url is not replaced. "),
    ],
)
def test_wrong_server_is_one_sentence(server: Any, problem: str) -> None:
    found = only(server)
    assert found.problem.startswith(problem)
    assert len(found.problem) < 400
    assert not found.values


@pytest.mark.parametrize(
    ("name", "profile"),
    [("a b", "a-b"), ("@scope/pkg", "scope-pkg"), ("x\u001b[2J", "x-2J"), ("a" * 100, "a" * 64), ("ä", ""), ("", "")],
)
def test_name_becomes_that_of_a_profile(name: str, profile: str) -> None:
    found = only({"command": "x"}, name=name)
    assert found.profile == profile
    assert bool(found.problem) == (not profile)


def test_comments_and_trailing_commas_are_read() -> None:
    text = """// servers
    {"servers": { /* one
      of them */ "a": {"command": "x", "args": ["// no", "/* no */", ", ]", "\\""],}, // last
    },}"""
    (found,) = read(text).servers
    assert found.values["command"] == ["x", "// no", "/* no */", ", ]", '"']


@pytest.mark.parametrize(
    "text",
    [
        '{"openrpc": "1.2.6", "servers": {}}',
        '{"servers": [{"url": "x"}]}',
        '{"a": "servers"}',
        '{"servers": ',
        "[]",
        "",
    ],
)
def test_other_formats_are_not_servers(text: str) -> None:
    assert read_servers(text, "/") is None


def test_request_that_names_servers_is_a_request() -> None:
    line = '{"jsonrpc": "2.0", "id": 1, "method": "session/new", "params": {"mcpServers": []}}'
    assert read_servers(line, "/") is None
    assert read_servers(f"{line}\n{line}", "/") is None


@pytest.mark.parametrize(
    ("text", "note"),
    [
        ('{"mcpServers": [1]}', "mcpServers must be an object with a member for each server."),
        ('{"mcpServers": {}}', "The file has no servers."),
        ('{"mcpServers": {', "The file is not valid JSON."),
        ('{"mcpServers": ' + "[" * 100_000, "The file is not valid JSON."),
        ('{"mcpServers": {"a": {"command": "\\ud800"}}}', "The file is not valid JSON."),
    ],
)
def test_damaged_file_is_one_sentence(text: str, note: str) -> None:
    assert read(text) == ImportedServers(notes=(note,))


def test_file_of_many_servers_is_cut() -> None:
    found = read(json.dumps({"mcpServers": {f"s{n}": {"command": "x"} for n in range(10_000)}}))
    assert len(found.servers) == MAX_SERVERS
    assert found.notes == ("The file has 10,000 servers. Only the first 100 are imported.",)


@pytest.mark.parametrize("piece", ["/*", '"\\', "//", ",  ", '"', "{", ",]"])
def test_huge_text_is_read_in_a_moment(piece: str) -> None:
    text = '{"mcpServers": ' + piece * (2_000_000 // len(piece))
    started = time.process_time()
    assert read(text).notes
    assert time.process_time() - started < 3


def test_values_of_a_file_are_not_in_its_repr() -> None:
    assert KEY not in repr(read(json.dumps({"mcpServers": {"x": {"command": KEY, "env": {"API_KEY": KEY}}}})))
