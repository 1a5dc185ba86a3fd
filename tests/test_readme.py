"""README is true: its commands, its tables, its example."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import click
import pytest

from rpcexplorer.__main__ import PIPE_CLOSED, SOFTWARE
from rpcexplorer.auth.registry import KINDS
from rpcexplorer.cli.compare import DIFFERS
from rpcexplorer.cli.main import HOMES, program
from rpcexplorer.demo import PASSWORD, USERNAME
from rpcexplorer.demo.http import DemoThread
from rpcexplorer.files.paths import Paths
from rpcexplorer.model.exchange import EXIT_CODES
from rpcexplorer.profiles.profiles import load
from rpcexplorer.tui.commands import COMMANDS, SCOPES, shown_keys
from tests.fakes.shell import Shell

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")


def section(title: str) -> str:
    found = re.search(rf"^## {title}\n(.*?)(?=^## |\Z)", README, re.MULTILINE | re.DOTALL)
    assert found, f"README has no section {title}"
    return found[1]


def first_column(table: str) -> list[str]:
    rows = re.findall(r"^\| `?([^|`]*?(?:\\\|[^|`]*?)*)`? \|", table, re.MULTILINE)
    return [row.replace("\\|", "|") for row in rows if row not in {"command", "code", "---"}]


def test_start_holds_exactly_two_commands() -> None:
    commands = re.findall(r"```sh\n(.*?)```", section("Start"), re.DOTALL)
    assert len(commands) == 2
    demo, tests = (command.strip() for command in commands)
    assert demo.endswith("rpcexplorer demo")
    assert tests.endswith("pytest")
    assert "[test]" in tests
    assert "\n" not in demo + tests


def test_the_command_table_is_the_programs_own() -> None:
    named = {row.removeprefix("rpcexplorer ").split()[0] for row in first_column(section("Commands"))}
    assert named == set(HOMES)


@pytest.mark.parametrize("group", ["profiles", "history"])
def test_a_row_with_subcommands_names_all_of_them(group: str) -> None:
    row = next(row for row in first_column(section("Commands")) if row.startswith(f"rpcexplorer {group} "))
    command = program.get_command(click.Context(program), group)
    assert set(row.split()[-1].split("|")) == set(getattr(command, "commands", {}))


def test_the_key_table_is_the_command_table() -> None:
    rows = re.findall(r"^\| (.+?) \| (.+?) \| `([\w.-]+)` \|$", section("Keys"), re.MULTILINE)
    told = [(keys.replace("\\|", "|"), *rest) for keys, *rest in rows]
    scoped = [command for scope in SCOPES for command in COMMANDS if command.scope == scope]
    assert told == [(shown_keys(command) or "palette", command.help, command.id) for command in scoped]


def test_the_table_of_kinds_of_auth_is_the_registry() -> None:
    table = re.search(r"^\| kind of auth .*?\n\n", README, re.MULTILINE | re.DOTALL)
    assert table
    named = re.findall(r"^\| `?\**(\w+)", table[0], re.MULTILINE)
    assert {*KINDS} == {*named} - {"kind"}


def test_the_exit_codes_are_the_ones_in_the_code() -> None:
    assert {int(code) for code in first_column(section("Exit codes"))} == {
        *EXIT_CODES.values(),
        3,
        DIFFERS,
        SOFTWARE,
        PIPE_CLOSED,
    }


def test_the_example_is_ten_lines_that_run(capsys: pytest.CaptureFixture[str]) -> None:
    example = re.findall(r"```python\n(.*?)```", section("From Python"), re.DOTALL)[0]
    assert f'username="{USERNAME}", password="{PASSWORD}"' in example
    body = example.split("async def main")[1].split("asyncio.run")[0]
    assert len(body.strip().splitlines()) <= 10
    with DemoThread() as demo:
        exec(compile(example.replace("http://127.0.0.1:8000", demo.url), "README", "exec"), {})
    status, result = capsys.readouterr().out.split(maxsplit=1)
    assert status == "200"
    assert "'page': 1" in result


COMMAND = re.compile(r"^\$ (rpcexplorer .*)\n((?:(?!\$ ).*\n)*)", re.MULTILINE)
ID = re.compile(r"\b1m[0-9a-z]{13}\b")


def test_the_tour_of_the_command_line_prints_what_it_says_and_its_ids_are_those_that_it_shows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    shell, ids = Shell(tmp_path), dict[str, str]()
    blocks = re.findall(r"```console\n(.*?)```", section("A tour of the command line"), re.DOTALL)
    serving, *commands = (found for block in blocks for found in COMMAND.findall(block))
    assert serving[0] == "rpcexplorer demo --serve --port 8000 &"
    assert commands[-1][0].startswith("rpcexplorer history show ")
    with DemoThread() as demo:
        for typed, told in commands:
            line = typed.replace("http://127.0.0.1:8000", demo.url)
            for id in ID.findall(typed):
                line = line.replace(id, ids.get(id, id))
            words = [*shlex.split(line)[1:], *(["--stdin"] if " secret " in line else [])]
            ran = shell.run(*words, stdin=PASSWORD.encode())
            said = (ran.err + ran.text).replace(demo.url.removeprefix("http://"), "127.0.0.1:8000")
            assert ran.code == (2 if "cannot be sent" in told else 0), said
            if told.strip():
                assert alike(said) == alike(told)
                ids |= dict(zip(ID.findall(told), ID.findall(said), strict=True))


def alike(text: str) -> str:
    """What is printed without what is another at each time."""
    text = re.sub(r" +[\d.]+ m?s  \d\d:\d\d:\d\d", " 1 ms  now", ID.sub("ID", text))
    return re.sub(r"Content-Length: \d+", "Content-Length: 1", text).strip()


def test_the_example_of_profiles_loads_without_a_problem(tmp_path: Path) -> None:
    example = (ROOT / "sessions.toml.example").read_text(encoding="utf-8")
    (tmp_path / "sessions.toml").write_text(example, encoding="utf-8")
    environment = {"RPCEXPLORER_HOME": str(tmp_path / "home")}
    found = load(Paths.of(environment), tmp_path, environment, tmp_path / "sessions.toml")
    assert found.problems == []
    assert {profile.auth.kind for profile in found.profiles.values()} == KINDS.keys()


def test_nothing_else_is_visible_at_the_top() -> None:
    ours = {"pyproject.toml", "README.md", "rpcexplorer", "tests", "themes", "sessions.toml.example"}
    made = {"build", "dist", "rpcexplorer.egg-info", "snapshot_report.html"}
    visible = {path.name for path in ROOT.iterdir() if not path.name.startswith((".", "__"))}
    assert visible - made == ours


@pytest.mark.parametrize("link", re.findall(r"\]\(([^)#:]+)\)", README))
def test_what_readme_links_to_exists(link: str) -> None:
    assert (ROOT / link).exists()
