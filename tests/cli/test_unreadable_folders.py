"""Commands whose config, state or cache folder cannot be entered."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.shell import Shell

SESSIONS = '[profile.p]\nurl = "http://127.0.0.1:9/"\n[call.a]\nmethod = "m"\nexpect = { outcome = "result" }\n'
COMMANDS = """\
call m -p p
notify m -p p
batch - -p p
methods -p p
params m -p p
login -p p
logout -p p
profiles list
profiles show p
profiles check
profiles add q --url http://127.0.0.1:9/
profiles secret p token
profiles allow p --yes
profiles allow --list
profiles default p
presets
presets show lsp
history list
history show x
history search x
history export --last 1
history prune --yes
history stats
replay x -p p
compare a b
copy x --as curl
import -
check -p p
manual
paths
keys
themes""".splitlines()


@pytest.fixture(params=["config", "state", "cache"])
def forbidden(request: pytest.FixtureRequest, shell: Shell, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder that the system lets nobody enter, not even root."""
    folder: Path = shell.home / request.param
    folder.mkdir(parents=True)

    def refusing(call: Callable[..., Any]) -> Callable[..., Any]:
        def refuse(path: Any = ".", *arguments: Any, **options: Any) -> Any:
            is_here = path in {folder, str(folder)} and call.__name__ in {"listdir", "scandir", "open"}
            if is_here or (isinstance(path, str | os.PathLike) and os.fspath(path).startswith(f"{folder}/")):
                raise PermissionError(13, "Permission denied", str(path))
            return call(path, *arguments, **options)

        return refuse

    for name in ("stat", "lstat", "open", "listdir", "scandir", "mkdir", "readlink", "unlink"):
        monkeypatch.setattr(os, name, refusing(getattr(os, name)))
    return folder


def refused(shell: Shell, command: str) -> str:
    """Return what is wrong with the end of a command; empty if it ends with a sentence."""
    shell.sessions(SESSIONS)
    ran = shell.run(*command.split(), stdin=b"[]")
    return f"{command}: {ran.code} {ran.err}" if ran.code == 70 or "Internal error" in ran.err else ""


@pytest.mark.usefixtures("forbidden")
def test_check_of_profiles_names_a_forbidden_folder(shell: Shell) -> None:
    assert refused(shell, "profiles check") == ""


@pytest.mark.thorough
@pytest.mark.usefixtures("forbidden")
def test_commands_with_a_forbidden_folder_never_crash(shell: Shell) -> None:
    assert list(filter(None, (refused(shell, command) for command in COMMANDS))) == []
