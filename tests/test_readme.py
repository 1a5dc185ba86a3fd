"""The form of README, its links, and the example of profiles."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from rpcexplorer.auth.registry import KINDS
from rpcexplorer.files.paths import Paths
from rpcexplorer.manual import PAGES
from rpcexplorer.profiles.profiles import load

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")


def section(title: str) -> str:
    found = re.search(rf"^## {title}\n(.*?)(?=^## |\Z)", README, re.MULTILINE | re.DOTALL)
    assert found, f"README has no section {title}"
    return found[1]


def test_start_has_exactly_two_commands() -> None:
    commands = re.findall(r"```sh\n(.*?)```", section("Start"), re.DOTALL)
    assert len(commands) == 2
    demo, tests = (command.strip() for command in commands)
    assert demo.endswith("rpcexplorer demo")
    assert tests.endswith("pytest")
    assert "[test]" in tests
    assert "\n" not in demo + tests


def test_every_block_of_readme_runs() -> None:
    assert {*re.findall(r"^```(\w*)$", README, re.MULTILINE)} == {"", "sh", "console", "python"}


def test_readme_fits_into_140_lines() -> None:
    lines = README.splitlines()
    assert len(lines) <= 140
    assert [line for line in lines if len(line) > 120] == []


def test_manual_table_lists_every_page() -> None:
    linked = re.findall(r"\(rpcexplorer/manual/([\w-]+)\.md\)", section("Manual"))
    assert linked == [*PAGES]


def test_sessions_example_loads_without_a_problem(tmp_path: Path) -> None:
    example = (ROOT / "sessions.toml.example").read_text(encoding="utf-8")
    (tmp_path / "sessions.toml").write_text(example, encoding="utf-8")
    environment = {"RPCEXPLORER_HOME": str(tmp_path / "home")}
    found = load(Paths.of(environment), tmp_path, environment, tmp_path / "sessions.toml")
    assert found.problems == []
    assert {profile.auth.kind for profile in found.profiles.values()} == KINDS.keys()


def test_top_level_has_no_other_visible_files() -> None:
    ours = {"pyproject.toml", "README.md", "rpcexplorer", "tests", "themes", "sessions.toml.example"}
    made = {"build", "dist", "rpcexplorer.egg-info", "snapshot_report.html"}
    visible = {path.name for path in ROOT.iterdir() if not path.name.startswith((".", "__"))}
    assert visible - made == ours


@pytest.mark.parametrize("link", re.findall(r"\]\(([^)#:]+)\)", README))
def test_readme_link_exists(link: str) -> None:
    assert (ROOT / link).exists()
