"""Calls to a language server from the command line."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest

from tests.fakes.language_server import PROGRAM
from tests.fakes.shell import Ran, Shell

TEXT = "lighthouse = 1\n"


@pytest.fixture
def python(shell: Shell) -> Shell:
    """Return a shell with a profile of a language server."""
    shell.own(f'[profile.py]\nurl = "stdio:"\npreset = "lsp"\ncommand = {json.dumps(PROGRAM)}\n')
    return shell


def test_call_opens_its_file_first(python: Shell) -> None:
    ran = call(python, "hover")
    assert ran.code == 0, ran.err
    assert json.loads(ran.out)["text"] == TEXT
    assert f"opened {python.folder}/a.py with textDocument/didOpen" in ran.err


def test_server_gets_the_working_folder_as_root(python: Shell) -> None:
    assert json.loads(call(python, "hover").out)["root"] == python.folder.resolve().as_uri()


def test_record_names_the_file_without_content(python: Shell) -> None:
    assert call(python, "definition").out == b"null\n"
    files = python.files()
    assert [path for path, text in files.items() if TEXT.strip() in text] == [f"{python.folder}/a.py"]
    assert any(f"opened {python.folder}/a.py with" in text for text in files.values())


def test_connection_test_ends_with_the_commands_to_run(shell: Shell) -> None:
    ran = shell.run("profiles", "test", "--stdio", shlex.join(PROGRAM), "--preset", "lsp")
    *_, added, listed, called = ran.text.splitlines()
    assert (listed, called) == ("rpcexplorer methods -p NAME", "rpcexplorer call -p NAME METHOD")
    assert shell.run(*shlex.split(added.replace("NAME", "py"))[1:]).code == 0
    assert "textDocument/hover" in shell.run(*shlex.split(listed.replace("NAME", "py"))[1:]).text


def call(shell: Shell, name: str) -> Ran:
    path = shell.folder / "a.py"
    path.write_text(TEXT)
    params = json.dumps({"textDocument": {"uri": path.as_uri()}})
    return shell.run("call", f"textDocument/{name}", params, "-p", "py")


SAVED = """
[profile.py.call.saved]
method = "textDocument/hover"
params = {{ textDocument = {{ uri = "{uri}" }} }}
expect = {{ values = {{ "/text" = "{text}" }} }}
"""


def opened(python: Shell, path: Path, *words: str) -> bool:
    """Return whether the server gets a file that a saved call names."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists():
        path.write_text("lighthouse")
    saved = SAVED.format(uri=path.as_uri(), text="lighthouse")
    (python.folder / "sessions.toml").write_text(saved.replace("profile.py.", ""))
    ran = python.run("check", "-p", "py", *words)
    assert ran.code in {0, 6}, ran.err
    return ran.code == 0


def test_saved_call_opens_only_what_was_agreed(python: Shell) -> None:
    inside, outside = python.folder / "a.py", python.folder.parent / "b.py"
    assert [opened(python, inside), opened(python, inside, "--yes"), opened(python, outside, "--yes")] == [
        False,
        True,
        False,
    ]
    (python.folder / "link.py").symlink_to(outside)
    inside.chmod(0o600)
    assert not opened(python, python.folder / "link.py", "--yes")
    assert not opened(python, inside, "--yes")


def test_typed_call_opens_no_file_of_rpcexplorer(python: Shell) -> None:
    for path in (python.user_file, Path("/proc/self/environ")):
        params = json.dumps({"textDocument": {"uri": path.as_uri()}})
        ran = python.run("call", "textDocument/hover", params, "-p", "py")
        assert json.loads(ran.out).keys() == {"root"}
        assert "belongs to rpcexplorer or to the system, and no server gets it" in ran.err


def test_params_of_file_and_replay_open_nothing_unasked(python: Shell) -> None:
    path = python.folder / "a.py"
    path.write_text(TEXT)
    (python.folder / "p.json").write_text(json.dumps({"textDocument": {"uri": path.as_uri()}}))
    ran = python.run("call", "textDocument/hover", "@p.json", "-p", "py")
    assert json.loads(ran.out).keys() == {"root"}
    assert "textDocument/didOpen was not sent: you did not type this call" in ran.err
    replayed = python.run("replay", "--last", "1", "-p", "py", "--json", "--yes")
    assert "lighthouse" not in replayed.out.decode()
