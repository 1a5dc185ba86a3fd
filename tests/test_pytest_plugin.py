"""Checks as tests: pytest runs as a process of its own, as at a user's."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Final
from xml.etree import ElementTree as ET

import pytest

from rpcexplorer.demo import PASSWORD, USERNAME
from rpcexplorer.demo.http import DemoThread
from tests.fakes.shell import Shell

ROOT: Final = Path(__file__).parent.parent
PLUGIN: Final = "rpcexplorer.pytest_plugin"
ECHO: Final = """
[call.echo]
method = "demo.echo"
params_json = '{"page": "{{page:json}}"}'
expect = { values = { "/page" = 2 } }
"""
CHECKS: Final = """\
[variables]
page = 2

[call.ping]
method = "ping"
expect = { values = { "" = "pong" } }

[call."wrong name"]
method = "demo.echo"
params = { page = 1, name = "Ada" }
expect = { values = { "/page" = 2, "/name" = "Zoe" } }

[profile.down.call.ping]
method = "ping"
expect = { outcome = "result" }
"""


class Project(Shell):
    """A folder with profiles, in which pytest runs."""

    def __init__(self, folder: Path, demo: DemoThread) -> None:
        super().__init__(folder)
        self.more: dict[str, str] = {}
        """Variables for pytest alone."""
        auth = f'auth = {{ kind = "cookie", username = "{USERNAME}" }}'
        self.sessions(
            f'default = "shop"\n[profile.shop]\nurl = "{demo.url}"\n{auth}\n'
            f'[profile.prod]\nurl = "{demo.url}"\nbadge = "prod"\nauth = {{ kind = "none" }}\n'
            '[profile.down]\nurl = "http://127.0.0.1:1"\nauth = { kind = "none" }\n'
        )

    def write(self, name: str, text: str) -> None:
        (self.folder / name).write_text(text, encoding="utf-8")

    def pytest(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run pytest with this plugin and no other; each warning is an error."""
        return subprocess.run(
            [sys.executable, "-m", "pytest", "-q", "-W", "error", "-p", "no:cacheprovider", "-p", PLUGIN, *arguments],
            cwd=self.folder,
            env=os.environ
            | self.environment
            | {
                "PYTEST_ADDOPTS": "",
                "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
                "PYTHONPATH": str(ROOT),
                "RPCEXPLORER_SHOP_PASSWORD": PASSWORD,
            }
            | self.more,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )

    def calls(self) -> list[str]:
        """Return the recorded methods with their profiles, the newest first."""
        lines = self.run("history", "list").text.splitlines()
        return [" ".join(line.split()[2:4]) for line in lines]


@pytest.fixture
def demo() -> Iterator[DemoThread]:
    with DemoThread() as demo:
        yield demo


@pytest.fixture
def project(tmp_path: Path, demo: DemoThread) -> Project:
    return Project(tmp_path, demo)


@pytest.mark.everyday(1)
@pytest.mark.parametrize("workers", [(), ("-p", "xdist.plugin", "-n", "1")])
def test_verdicts_become_passed_failed_and_error(workers: tuple[str, ...], project: Project, demo: DemoThread) -> None:
    project.write("shop.toml", CHECKS)
    ran = project.pytest("-rA", "--rpc-checks", "shop.toml", *workers)
    assert ran.returncode == pytest.ExitCode.TESTS_FAILED, ran.stdout + ran.stderr
    lines = [line for line in ran.stdout.splitlines() if not line.startswith("[gw")]
    at = next(number for number, line in enumerate(lines) if "_ wrong name _" in line)
    assert lines[at + 1 : at + 4] == ["/page: expected 2, got 1", '/name: expected "Zoe", got "Ada"', "shop.toml:8"]
    at = next(number for number, line in enumerate(lines) if "ERROR at setup of ping[down]" in line)
    assert lines[at + 1].startswith("no response: Nothing accepts connections")
    assert lines[at + 2] == "shop.toml:13"
    assert "PASSED shop.toml::ping" in lines
    assert len(demo.service.sessions.by_token) == 1


def test_secret_command_of_a_checkout_runs_only_if_it_is_allowed(project: Project, demo: DemoThread) -> None:
    project.write("shop.toml", '[call.ping]\nmethod = "ping"\nexpect = { outcome = "result" }\n')
    project.write("token", "#!/bin/sh\necho ran >>ran\necho " + PASSWORD)
    (project.folder / "token").chmod(0o755)
    auth = f'auth = {{ kind = "cookie", username = "{USERNAME}", password_command = ["./token"] }}'
    project.sessions(f'default = "shop"\n[profile.shop]\nurl = "{demo.url}"\n{auth}\n')
    project.more["RPCEXPLORER_SHOP_PASSWORD"] = ""
    ran = project.pytest("--rpc-checks", "shop.toml")
    assert "The password command of profile shop is blocked" in ran.stdout
    assert not (project.folder / "ran").exists()
    project.run("profiles", "allow", "shop", "--yes")
    assert "1 passed" in project.pytest("--rpc-checks", "shop.toml").stdout
    assert (project.folder / "ran").read_text() == "ran\n"


def test_keyword_selects_the_check_to_send(project: Project) -> None:
    project.write("shop.toml", CHECKS)
    project.write("test_own.py", "def test_own(): pass\n")
    ran = project.pytest("test_own.py", "--rpc-checks", "shop.toml", "-k", "wrong")
    assert ran.stdout.splitlines()[-1].startswith("1 failed, 3 deselected")
    assert project.calls() == ["demo.echo shop"]


NODES: Final = ["shop.toml::ping", "shop.toml::wrong name", "shop.toml::ping[down]"]


@pytest.mark.everyday(1)
@pytest.mark.parametrize(
    ("arguments", "collected"),
    [
        ((".",), [*NODES, "test_own.py::test_own"]),
        (("test_own.py",), ["test_own.py::test_own", *NODES]),
        ((NODES[1],), [NODES[1]]),
        (("test_own.py", "--rpc-profile", "shop"), ["test_own.py::test_own", *NODES[:2]]),
    ],
)
def test_checks_are_collected_once_among_others(
    arguments: tuple[str, ...], collected: list[str], project: Project
) -> None:
    project.write("shop.toml", CHECKS)
    project.write("test_own.py", "def test_own(): pass\n")
    ran = project.pytest("--collect-only", "--rpc-checks", "shop.toml", *arguments)
    assert ran.stdout.splitlines()[: len(collected) + 1] == [*collected, ""], ran.stdout


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ('[call.x]\nmethod = "ping"\nexpect = { outcom = "result" }\n', "shop.toml:3: call.x.expect.outcom"),
        ("[variables]\npage = 2\n", "There are no checks in shop.toml."),
        (CHECKS.replace("profile.down", "profile.up"), "There is no profile `up`"),
    ],
)
@pytest.mark.everyday(1)
def test_damaged_file_fails_the_collection(text: str, sentence: str, project: Project) -> None:
    project.write("shop.toml", text)
    ran = project.pytest("--rpc-checks", "shop.toml")
    assert ran.returncode == pytest.ExitCode.INTERRUPTED
    assert sentence in ran.stdout
    assert "Traceback" not in ran.stdout + ran.stderr
    assert project.calls() == []


def test_confirmation_is_needed_to_send(project: Project) -> None:
    project.write("shop.toml", ECHO)
    options = ("--rpc-checks", "shop.toml", "--rpc-profile", "prod", "--rpc-set", "page=2")
    refused = project.pytest(*options)
    assert "not sent: profile prod asks for confirmation. Add --rpc-yes to send the call." in refused.stdout
    assert project.calls() == []
    sent = project.pytest(*options, "--rpc-yes")
    assert sent.returncode == 0, sent.stdout
    assert project.calls() == ["demo.echo prod"]


@pytest.mark.thorough
def test_setup_plan_sends_nothing(project: Project) -> None:
    project.write("shop.toml", CHECKS)
    assert "shop.toml::ping" in project.pytest("--setup-plan", "--rpc-checks", "shop.toml").stdout
    assert project.calls() == []


def test_report_has_the_line_of_a_check(project: Project) -> None:
    project.write("shop.toml", CHECKS)
    project.pytest("--rpc-checks", "shop.toml", "--junitxml", "report.xml", "-o", "junit_family=xunit1")
    cases = [*ET.parse(project.folder / "report.xml").iter("testcase")]
    found = [(case.get("file"), case.get("line"), [element.tag for element in case]) for case in cases]
    assert found == [("shop.toml", "3", []), ("shop.toml", "7", ["failure"]), ("shop.toml", "12", ["error"])]


def test_run_without_option_imports_only_the_plugin(project: Project) -> None:
    project.write("test_own.py", "import sys\ndef test_own(): print(*[m for m in sys.modules if 'rpcexplorer' in m])\n")
    ran = project.pytest("-s")
    assert ran.returncode == 0
    assert {*ran.stdout.splitlines()[0].rstrip(".").split()} == {"rpcexplorer", PLUGIN}


def test_package_has_the_plugin_for_pytest() -> None:
    package = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert package["project"]["entry-points"]["pytest11"] == {"rpcexplorer": PLUGIN}
