"""What stands around the program: the files that a wheel shares, and those for people and services beside it."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from shutil import which
from types import ModuleType, SimpleNamespace
from typing import Final

import click
import pytest

from rpcexplorer.cli.main import EXIT_CODES, MODULES, program
from tests.fakes.shell import Shell

ROOT: Final = Path(__file__).parent.parent
AROUND: Final = [ROOT / ".pre-commit-hooks.yaml", *sorted(path for path in ROOT.glob(".github/**/*") if path.is_file())]
INTERFACE: Final = "hatchling.builders.hooks.plugin.interface"
"""It is only there while a wheel is built."""


@pytest.fixture
def build_hook(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.setitem(sys.modules, INTERFACE, SimpleNamespace(BuildHookInterface=object))
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    spec = importlib.util.spec_from_file_location("build_hook", ROOT / ".ci" / "build_hook.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_man_page_has_every_command_and_exit_code(build_hook: ModuleType) -> None:
    page = build_hook.shared_files(ROOT)["share/man/man1/rpcexplorer.1"]
    titles = re.findall(r"^\.SS rpcexplorer (\w+)", page, re.MULTILINE)
    assert [*dict.fromkeys(titles)] == [*MODULES]
    assert [int(code) for code in re.findall(r"^\.B (\d+)$", page, re.MULTILINE)] == [*EXIT_CODES]
    assert r"\fB\-p, \-\-profile\fR \fINAME\fR" in page


@pytest.mark.skipif(which("groff") is None, reason="needs groff")
def test_man_page_has_no_mistake_and_shows_texts_unchanged(build_hook: ModuleType) -> None:
    page = build_hook.shared_files(ROOT)["share/man/man1/rpcexplorer.1"]
    ran = subprocess.run(
        ["groff", "-man", "-ww", "-Tutf8", "-P-c", "-rLL=150n"], input=page.encode(), capture_output=True, check=True
    )
    assert ran.stderr == b""
    shown = re.sub(".\b", "", ran.stdout.decode())
    call = program.get_command(click.Context(program), "call")
    assert call is not None
    for line in re.findall(r"^ +(rpcexplorer .*)$", call.help or "", re.MULTILINE):
        assert line in shown


@pytest.mark.parametrize("shell_name", ["bash", "zsh", "fish"])
def test_completion_files_are_those_of_the_command(build_hook: ModuleType, shell: Shell, shell_name: str) -> None:
    files = build_hook.shared_files(ROOT)
    assert files[build_hook.COMPLETIONS[shell_name]] == shell.run("completion", shell_name).text


def test_build_hook_needs_only_its_dependencies() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    hook = project["tool"]["hatch"]["build"]["targets"]["wheel"]["hooks"]["custom"]
    allowed = {re.split("[><=]", name)[0] for name in hook["dependencies"]} | {"rpcexplorer", "typing_extensions"}
    assert (ROOT / hook["path"]).is_file()
    script = f"""
import sys
sys.path.insert(0, {str(ROOT / ".ci")!r})
from types import SimpleNamespace
from pathlib import Path
sys.modules[{INTERFACE!r}] = SimpleNamespace(BuildHookInterface=object)
before = {{*sys.modules}}
from build_hook import shared_files
shared_files(Path({str(ROOT)!r}))
print(*{{name.partition(".")[0] for name in {{*sys.modules}} - before}} - {{*sys.stdlib_module_names, "build_hook"}})
"""
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=ROOT)
    assert {*ran.stdout.split()} <= allowed


@pytest.mark.parametrize("file", AROUND, ids=lambda file: file.name)
def test_file_beside_the_program_names_no_host_and_only_real_files_and_commands(file: Path) -> None:
    text = file.read_text("utf-8")
    assert "://" not in text
    for target in re.findall(r"\]\(([^)#]+)", text):
        assert (file.parent / target).exists(), target
    for words in re.findall(r"rpcexplorer ((?:[a-z]+ ?)+)(?:--?[a-z]|`)", text):
        name, *rest = words.split()
        command = program.get_command(click.Context(program), name)
        assert command is not None, words
        if isinstance(command, click.Group):
            assert rest[0] in command.commands, words
