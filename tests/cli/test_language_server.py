"""Calls to a language server from the command line."""

from __future__ import annotations

import json

import pytest

from tests.fakes.language_server import PROGRAM
from tests.fakes.shell import Ran, Shell

TEXT = "lighthouse = 1\n"


@pytest.fixture
def python(shell: Shell) -> Shell:
    """Return a shell with a profile of a language server."""
    path = shell.home / "config" / "sessions.toml"
    path.parent.mkdir(parents=True)
    path.write_text(f'[profile.py]\nurl = "stdio:"\npreset = "lsp"\ncommand = {json.dumps(PROGRAM)}\n')
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


def call(shell: Shell, name: str) -> Ran:
    path = shell.folder / "a.py"
    path.write_text(TEXT)
    params = json.dumps({"textDocument": {"uri": path.as_uri()}})
    return shell.run("call", f"textDocument/{name}", params, "-p", "py")
