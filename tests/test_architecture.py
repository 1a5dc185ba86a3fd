"""The house as a test: which wing may import which, ours and bought, wherever in a file the import stands."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import rpcexplorer

PACKAGE = Path(rpcexplorer.__file__).parent
ALL = {"protocol", "transport", "model", "demo", "views", "client", "storage", "explorer", "cli", "tui"}

OURS: dict[str, set[str]] = {
    "protocol": set(),
    "transport": set(),
    "model": {"protocol"},
    "demo": {"protocol"},
    "views": {"protocol", "model"},
    "client": {"protocol", "model", "transport"},
    "storage": {"protocol", "model"},
    "explorer": {"protocol", "model", "client", "storage"},
    "cli": {"model", "views", "explorer", "__init__"},
    "tui": {"model", "views", "explorer", "__init__"},
    "__main__": ALL,
    "__init__": {"protocol", "model", "client", "explorer"},
}
"""explorer.py also names protocol's types: a call's text can have a problem, and the door hands it on."""

BOUGHT: dict[str, set[str]] = {
    "protocol": {"msgspec"},
    "transport": {"httpx", "msgspec"},
    "model": {"msgspec"},
    "demo": set(),
    "views": {"msgspec", "pygments", "jq"},
    "client": {"msgspec"},
    "storage": {"msgspec", "tomli_w", "tomlkit", "platformdirs", "keyring"},
    "explorer": set(),
    "cli": {"click", "msgspec"},
    "tui": {"msgspec", "textual", "rich"},
    "__main__": set(),
    "__init__": set(),
}
"""Values are msgspec's Structs wherever they live: a dataclass takes thirty times as long to make, and a start makes
dozens. Rich comes with Textual: the lines of its line API are made of Rich's segments and styles.
"""

FILES = sorted(PACKAGE.rglob("*.py"))


def wing_of(path: Path) -> str:
    first = path.relative_to(PACKAGE).parts[0]
    return first.removesuffix(".py")


def imports_of(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path} imports relatively"
            if node.module == "rpcexplorer":
                yield from (f"rpcexplorer.{alias.name}" for alias in node.names)
            else:
                yield node.module or ""


def ours(name: str) -> str:
    """The wing behind ``rpcexplorer.x.y``; names of the package itself, such as its version, are ``__init__``."""
    second = name.split(".")[1] if "." in name else "__init__"
    return second if second in ALL or second == "__main__" else "__init__"


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_a_file_imports_only_what_its_floor_allows(path: Path) -> None:
    wing = wing_of(path)
    for name in imports_of(path):
        top = name.split(".")[0]
        if top == "rpcexplorer":
            allowed = OURS[wing] | {wing}
            assert ours(name) in allowed, f"{wing} must not import {name}"
        elif top not in sys.stdlib_module_names:
            assert top in BOUGHT[wing], f"{wing} must not import {top}"


def test_the_table_names_every_wing_there_is() -> None:
    assert {wing_of(path) for path in FILES} <= OURS.keys()
    assert OURS.keys() == BOUGHT.keys()


@pytest.mark.parametrize("name", ["utils", "helpers", "common", "managers", "core"])
def test_no_file_is_named_after_nothing(name: str) -> None:
    assert not [path for path in FILES if path.stem == name or name in path.parts]


def test_the_one_door_stays_a_file() -> None:
    assert len((PACKAGE / "explorer.py").read_text(encoding="utf-8").splitlines()) <= 250


@pytest.mark.parametrize("module", ["rpcexplorer", "rpcexplorer.explorer", "rpcexplorer.cli.program"])
def test_importing_costs_nothing_that_is_not_needed_yet(module: str) -> None:
    code = f"import sys, {module}; print(*[m for m in {list(LAZY)} if m in sys.modules])"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert loaded.stdout.split() == []


LAZY = ("textual", "httpx", "tomlkit", "keyring", "platformdirs", "pygments", "difflib")
"""What comes when it is first used."""
