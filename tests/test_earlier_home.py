"""Files of version 0.1.0 are read completely and need no new permission."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from rpcexplorer.tui.app import PersonOnScreen
from rpcexplorer.tui.batch import BatchScreen
from rpcexplorer.tui.widgets.rows import RowList
from tests.fakes.shell import Shell
from tests.tui.program import open_program
from tests.tui.stage import text_of

FILES = Path(__file__).parent / "earlier_home"
SERVER = "http://127.0.0.1:8973"
TYPED = '{"draft": "unfinished, 1.10demo.numbers\n", "n": [1, 2{"customer": "{{customer}}"}'
CALLS = [
    ("token", "demo.echo", "result"),
    ("shop", "auth", "result"),
    ("shop", "demo.session", "result"),
    ("shop", "demo.echo", "result"),
    ("shop", "demo.echo", "result"),
    ("shop", "no.such.method", "error"),
    ("vault", "demo.echo", "result"),
    ("vault", "demo.echo", "sent"),
    ("url", "demo.echo", "unreached"),
    ("vault", "demo.echo, demo.nothing", "error"),
    ("team", "demo.session", "result"),
    ("team", "demo.session", "result"),
]
TOKEN = {"RPCEXPLORER_TOKEN_TOKEN": "env-token-55"}


@pytest.fixture
def unchanged(tmp_path: Path) -> Shell:
    """Return a copy of the files, whose server does not run."""
    shell = Shell(tmp_path)
    shutil.copytree(FILES / "home", shell.home)
    shutil.copytree(FILES / "project", shell.folder, dirs_exist_ok=True)
    for path in [*shell.home.rglob("*"), shell.home]:
        path.chmod(0o700 if path.is_dir() else 0o600)
    shell.environment |= TOKEN
    return shell


@pytest.fixture
def shell(unchanged: Shell, url: str) -> Shell:
    """Return a copy whose server answers."""
    named = ("config/sessions.toml", "state/secrets.toml", "state/allowed.toml")
    for path in [*(unchanged.home / name for name in named), unchanged.folder / "sessions.toml"]:
        path.write_text(path.read_text().replace(SERVER, url.removesuffix("/")))
    return unchanged


def test_earlier_profiles_have_no_problems(shell: Shell) -> None:
    ran = shell.run("profiles", "list")
    assert (ran.code, ran.err) == (0, "")
    assert [line.lstrip("* ").split()[0] for line in ran.text.splitlines()] == ["shop", "team", "token", "vault"]
    assert ran.text.startswith("* shop")


@pytest.mark.parametrize(
    ("profile", "result"),
    [
        ("shop", {"user": "ada"}),
        ("vault", {"username": "demo"}),
        ("token", {}),
        ("team", {"user": "ada"}),
    ],
)
def test_earlier_secrets_are_sent_without_question(profile: str, result: dict[str, str], shell: Shell) -> None:
    method = "demo.session" if "user" in result else "demo.echo"
    ran = shell.run("call", "-p", profile, "--yes", method, *([] if "user" in result else ["n:=1"]))
    assert ran.code == 0, ran.err
    assert "not sent" not in ran.err
    assert json.loads(ran.text).items() >= result.items()


def test_earlier_destination_that_changed_is_asked_about(shell: Shell) -> None:
    team = shell.folder / "sessions.toml"
    team.write_text(team.read_text().replace('X-Team = "yes"', 'X-Team = "no"'))
    assert shell.run("call", "-p", "team", "demo.session").code == 3


def test_earlier_history_is_read_whole(unchanged: Shell) -> None:
    ran = unchanged.run("history", "list", "--json")
    records = [json.loads(line) for line in ran.text.splitlines()]
    assert (ran.code, ran.err) == (0, "")
    assert [(record["profile"], record["method"], record["outcome"]) for record in reversed(records)] == CALLS


def test_earlier_saved_call_uses_its_variable(shell: Shell) -> None:
    ran = shell.run("call", "-p", "shop", "@echo")
    assert (ran.code, json.loads(ran.text)) == (0, {"customer": "C-100"})


def test_earlier_methods_need_no_server(unchanged: Shell) -> None:
    ran = unchanged.run("methods", "-p", "shop", "--json")
    assert ran.code == 0
    assert b"demo.orders.place" in ran.out


async def test_screen_opens_on_earlier_draft_and_batch(unchanged: Shell) -> None:
    person = PersonOnScreen()
    explorer = unchanged.explorer(person)

    async with open_program(explorer, profile="shop") as program:
        screen = program.app.calls
        assert screen is not None
        await program.until(lambda: screen.method == "demo.records")
        assert program.app.theme == "tide"
        await program.press("f2", *"demo.echo", "enter")
        await program.until(lambda: screen.params.text == TYPED)
        await program.press("alt+l")
        batch = await program.on(BatchScreen)
        assert "demo.records" in text_of(batch.query_one(RowList))
