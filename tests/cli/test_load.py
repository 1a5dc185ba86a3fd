"""``load``: its options, its questions, and what it refuses before Locust starts."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path

import click
import pytest

from rpcexplorer.load.plan import Failures, Report, Row
from rpcexplorer.load.run import LoadRun
from rpcexplorer.model.exchange import Stop
from rpcexplorer.model.problem import UserError
from tests.fakes.shell import Ran, Shell
from tests.fakes.wire import RawServer

CALLS = """
[call.ping]
method = "ping"
[call.page]
method = "list"
params = ["{{page}}"]
"""
NONE = 'auth = { kind = "none" }'
PROD = f'{NONE}\nbadge = "prod"'


@pytest.fixture(autouse=True)
def started(monkeypatch: pytest.MonkeyPatch) -> list[Sequence[str]]:
    """Return the commands of Locust, which are only noted."""
    found: list[Sequence[str]] = []

    async def start(_: object, command: Sequence[str], folder: str) -> None:
        found.append(command)
        raise UserError(f"nothing may start in {folder}")

    monkeypatch.setattr("rpcexplorer.load.run.LoadRun._start", start)
    return found


def load(shell: Shell, *words: str, more: str = NONE, url: str = "http://127.0.0.1:9", terminal: bool = False) -> Ran:
    shell.sessions(f'version = 1\ndefault = "shop"\n[profile.shop]\nurl = "{url}"\n{more}\n{CALLS}')
    return shell.run("load", *words, terminal=terminal)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["ping"], "Write @ before the name of one, such as @ping."),
        (["@pin"], "Did you mean @ping?"),
        (["@page"], "{{page}} has no value. Use --set NAME=VALUE."),
        (["@ping", "--master", "--worker"], "Use --master or --worker, not both."),
        (["@ping", "--listen", "10.0.0.1"], "--listen needs --master."),
        (["@ping", "--worker"], "--worker and --master-host HOST need each other."),
        (["@ping", "--worker", "--master-host", "x", "--json"], "The master has the results"),
        (["@ping", "--users", "1001"], "add --yes to start more than 1,000."),
        (["@ping", "--rate", "fast"], "Write a rate above 0, such as 5/s or 300/m."),
        (["@ping", "--max-failed", "101%"], "Write a percentage from 0% to 100%, such as 1%."),
        (["@ping", "--p95", "0ms"], "Write a time above 0, such as 300ms or 2s."),
        (["@ping", "--html", "missing/a.html"], "missing"),
        (["@ping", "--host-is", "127.0.0.2"], "the host of profile shop is 127.0.0.1:9, not 127.0.0.2."),
    ],
)
def test_wrong_use_ends_with_2(shell: Shell, started: list[Sequence[str]], words: list[str], sentence: str) -> None:
    ran = load(shell, *words)
    assert ran.code == 2
    assert sentence in " ".join(ran.err.split())
    assert started == []


@pytest.mark.parametrize("more", ['command = ["x"]', NONE])
def test_other_servers_than_http_are_refused(shell: Shell, started: list[Sequence[str]], more: str) -> None:
    url = "stdio:" if "command" in more else "tcp://127.0.0.1:9"
    ran = load(shell, "@ping", more=more, url=url)
    assert (ran.code, started) == (2, [])
    assert "A load test needs a profile with http:// or https://." in ran.err


def test_without_locust_the_command_to_install_follows(
    shell: Shell, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("rpcexplorer.cli.load.is_installed", lambda: False)
    ran = load(shell, "@ping")
    assert ran.code == 2
    assert "pip install '.[load]'" in ran.err.splitlines()[-1]
    (tmp_path / "pipx_metadata.json").touch()
    monkeypatch.setattr("sys.prefix", str(tmp_path))
    assert load(shell, "@ping").err.splitlines()[-1] == "  pipx inject rpcexplorer 'locust>=2.47'"


@pytest.mark.parametrize(
    ("words", "is_started"),
    [
        ([], False),
        (["--yes"], False),
        (["--host-is", "127.0.0.1"], False),
        (["--yes", "--host-is", "127.0.0.2"], False),
        (["--yes", "--host-is", "127.0.0.1"], True),
        (["--yes", "--host-is", "127.0.0.1:9"], True),
    ],
)
def test_production_needs_yes_and_its_host(
    shell: Shell, started: list[Sequence[str]], words: list[str], is_started: bool
) -> None:
    ran = load(shell, "@ping", "--rate", "5/s", "--users", "20", "--run-time", "1m", *words, more=PROD)
    assert bool(started) == is_started
    if not is_started and "127.0.0.2" not in words:
        assert ran.code == 2
        assert "Add --yes and --host-is 127.0.0.1:9 to send a load of @ping" in ran.err


@pytest.mark.parametrize("answer", [True, False])
def test_question_names_host_users_rate_and_time(
    shell: Shell, started: list[Sequence[str]], monkeypatch: pytest.MonkeyPatch, answer: bool
) -> None:
    asked: list[str] = []

    def confirm(question: str, **_: object) -> bool:
        asked.append(question)
        return answer

    monkeypatch.setattr(click, "confirm", confirm)
    monkeypatch.setattr("rpcexplorer.cli.world.World.asks", True)
    words = ["--rate", "5/s", "--users", "20", "--run-time", "1m", "--yes", "--host-is", "127.0.0.1"]
    load(shell, "@ping", *words, more=PROD)
    [question] = asked
    parts = ("http://127.0.0.1:9", "20 users", "at most 5 calls per second", "for 1 min 0 s", "@ping")
    assert all(part in question for part in parts), question
    assert bool(started) == answer


def test_host_without_port_is_not_empty(shell: Shell, started: list[Sequence[str]]) -> None:
    load(shell, "@ping", "--yes", "--host-is", "", more=PROD, url="http://shop.example.com")
    assert started == []
    load(shell, "@ping", "--yes", "--host-is", "shop.example.com", more=PROD, url="http://shop.example.com")
    assert started


@pytest.mark.parametrize(("text", "whole"), [("0.5s", "1s"), ("300h", "1080000s")])
def test_run_time_is_in_whole_seconds(shell: Shell, started: list[Sequence[str]], text: str, whole: str) -> None:
    load(shell, "@ping", "--run-time", text)
    [command] = started
    assert command[command.index("--run-time") + 1] == whole


def test_missing_secret_ends_with_3(shell: Shell, started: list[Sequence[str]]) -> None:
    ran = load(shell, "@ping", more='auth = { kind = "bearer" }')
    assert (ran.code, started) == (3, [])
    assert "No token for profile shop. Set RPCEXPLORER_SHOP_TOKEN" in ran.err


def test_dry_run_shows_requests_and_sends_nothing(shell: Shell, started: list[Sequence[str]]) -> None:
    with RawServer() as server:
        words = ["@ping", "@page", "--set", "page=2", "--users", "20", "--dry-run"]
        ran = load(shell, *words, more=PROD, url=server.origin)
        assert server.connections == 0
    assert (ran.code, started) == (0, [])
    assert "plan: 20 users, as many calls as they can, for 10.0 s" in ran.err
    assert ran.text.count("POST /api/v2/ HTTP/1.1") == 2
    assert '"method":"list","params":["2"]' in ran.text.replace(" ", "")


@pytest.mark.parametrize("words", [["--web"], ["--master"]])
def test_busy_port_ends_with_2(
    shell: Shell, started: list[Sequence[str]], monkeypatch: pytest.MonkeyPatch, words: list[str]
) -> None:
    with RawServer() as server:
        port = int(server.origin.rpartition(":")[2])
        for name in ("WEB_PORT", "MASTER_PORT"):
            monkeypatch.setattr(f"rpcexplorer.cli.load.{name}", port)
        ran = load(shell, "@ping", *words)
    assert (ran.code, started) == (2, [])
    assert f"Cannot listen at 127.0.0.1:{port}: Address already in use." in ran.err


def reports(monkeypatch: pytest.MonkeyPatch, found: Report, *, stopped: bool = False) -> None:
    """Let a load test end after a report that is not the final one."""

    async def run(self: LoadRun, stop: Stop, show: Callable[[Report], None], _: object) -> int:
        if stopped:
            stop.press()
        self.report = found
        show(found)
        return 0

    monkeypatch.setattr(LoadRun, "run", run)


def test_interrupted_test_prints_its_last_report(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    reports(monkeypatch, Report(1, (Row("@ping", 7),), Row("", 7)), stopped=True)
    ran = load(shell, "@ping", terminal=True)
    assert ran.code == 130
    assert "@ping" in ran.text
    assert "waiting for calls     Ctrl+C ends at once" in ran.err


def test_live_table_fits_any_terminal(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.get_terminal_size", lambda _: os.terminal_size((60, 10)))
    rows = tuple(Row(f"@call {number}", 1) for number in range(30))
    reports(monkeypatch, Report(5, rows, Row("", 30), (Failures("@call 1", "error 1 " * 9, 1),)))
    ran = load(shell, "@ping", terminal=True)
    live = ran.err.partition("\x1b")[0].splitlines()
    assert live[0] == "5 users     Ctrl+C ends the test"
    assert len(live) == 8
    assert live[-1].startswith("all ")
    assert max(len(line) for line in live) < 60
