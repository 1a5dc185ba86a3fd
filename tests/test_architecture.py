"""The house as a test: which wing may import which, ours and bought, wherever in a file the import stands."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

import rpcexplorer

PACKAGE = Path(rpcexplorer.__file__).parent
LOWER = {"model", "protocol", "jsontext"}
"""What the wings above the model have in common."""
VALUES = {"model", "rpc", "jsontext", "transport"}
"""What the packages above the model have in common; of the transport, the port alone."""
OLD = {"protocol", "checking", "storage", "views"}
BELOW_FRONTS = {
    *VALUES,
    "auth",
    "variables",
    "schema",
    "compare",
    "redaction",
    "importing",
    "settings",
    "drafts",
    "history",
    "profiles",
    "secrets",
    "client",
    "discovery",
    "files",
    *OLD,
}
OURS: dict[str, set[str]] = {
    "jsontext": set(),
    "transport": set(),
    "rpc": {"jsontext"},
    "protocol": {"jsontext"},
    "model": {*VALUES, "auth", "schema", "compare", "variables"},
    "variables": VALUES,
    "auth": {*VALUES, "variables", "protocol"},
    "files": VALUES,
    "schema": {*VALUES, "variables", "checking"},
    "compare": {*VALUES, "variables"},
    "redaction": {*VALUES, "auth", "variables", "protocol"},
    "importing": {*VALUES, "auth", "variables"},
    "settings": {*VALUES, "files", "auth", "variables", "schema", "redaction", "importing"},
    "drafts": {*VALUES, "files", "auth", "variables", "schema", "redaction", "importing", "history"},
    "history": {*VALUES, "files", "auth", "variables", "schema", "redaction", "importing"},
    "profiles": {*VALUES, "files", "auth", "variables", "schema", "redaction", "importing"},
    "secrets": {*VALUES, "profiles", "redaction", "auth", "files", "variables"},
    "client": {*VALUES, "auth", "redaction", "compare", "variables", "schema", "importing", "transport", "protocol"},
    "discovery": {*VALUES, "client", "schema", "files", "auth", "variables", "redaction"},
    "checking": {"model", "jsontext"},
    "storage": BELOW_FRONTS,
    "rescue": {*VALUES, "history", "drafts", "files", "redaction"},
    "explorer": {"rescue", *BELOW_FRONTS, "transport"},
    "text": {*BELOW_FRONTS} - {"files", "secrets", "settings", "drafts", "profiles"},
    "views": {*BELOW_FRONTS, "text"},
    "export": {
        *VALUES,
        "text",
        "auth",
        "compare",
        "redaction",
        "variables",
        "schema",
        "importing",
        "history",
        "client",
    },
    "cli": {*BELOW_FRONTS, "explorer", "text", "export", "__init__"},
    "tui": {*BELOW_FRONTS, "explorer", "text", "export", "__init__"},
    "demo": {"rpc", "jsontext", "protocol"},
    "__init__": {*VALUES, "auth", "client", "explorer", "protocol"},
}
ALL = set(OURS)
OURS["__main__"] = ALL
"""Which package may import which, while files move into the packages of their subjects."""
BOUGHT: dict[str, set[str]] = {
    **{wing: {"msgspec"} for wing in OURS},
    "demo": set(),
    "transport": {"httpx", "msgspec"},
    "views": {"msgspec", "pygments", "jq"},
    "text": {"msgspec", "pygments", "jq"},
    "storage": {"msgspec", "tomli_w", "platformdirs", "keyring"},
    "files": {"msgspec", "tomli_w", "platformdirs"},
    "history": {"msgspec", "tomli_w"},
    "settings": {"msgspec", "tomli_w"},
    "profiles": {"msgspec", "tomli_w"},
    "secrets": {"msgspec", "keyring"},
    "checking": {"msgspec", "jsonschema_rs"},
    "schema": {"msgspec", "jsonschema_rs"},
    "cli": {"click", "msgspec"},
    "tui": {"msgspec", "textual", "rich"},
}
"""Values are msgspec's Structs wherever they live: a dataclass takes thirty times as long to make, and a start makes
dozens. Rich comes with Textual: the lines of its line API are made of Rich's segments and styles.
"""
FILES = sorted(PACKAGE.rglob("*.py"))


def wing_of(path: Path) -> str:
    first = path.relative_to(PACKAGE).parts[0]
    return first.removesuffix(".py")


@cache
def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def nodes_of(path: Path) -> list[ast.AST]:
    return list(ast.walk(tree_of(path)))


def imports_of(path: Path, *, whole: bool = False) -> Iterator[str]:
    """What a file imports, as modules; ``whole`` also gives each name in them, which may be a module itself."""
    for node in nodes_of(path):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path} imports relatively"
            if node.module == "rpcexplorer":
                yield from (f"rpcexplorer.{alias.name}" for alias in node.names)
            else:
                yield node.module or ""
                yield from (f"{node.module}.{alias.name}" for alias in node.names if whole)


def ours(name: str) -> str:
    """The wing behind ``rpcexplorer.x.y``; names of the package itself, such as its version, are ``__init__``."""
    second = name.split(".")[1] if "." in name else "__init__"
    return second if second in ALL or second == "__main__" else "__init__"


def test_a_file_imports_only_what_its_floor_allows() -> None:
    refused = [(str(path), name) for path in FILES for name in imports_of(path) if not may_import(wing_of(path), name)]
    assert refused == []


def may_import(wing: str, name: str) -> bool:
    top = name.split(".", maxsplit=1)[0]
    if top == "rpcexplorer":
        return ours(name) in OURS[wing] | {wing}
    return top in sys.stdlib_module_names or top in BOUGHT[wing]


def test_of_the_transports_others_know_the_port_alone() -> None:
    others = [path for path in FILES if wing_of(path) != "transport" and path != PACKAGE / "client" / "call.py"]
    named = {name for path in others for name in imports_of(path) if ours(name) == "transport"}
    assert named <= {"rpcexplorer.transport.port"}


def test_the_table_names_every_wing_there_is() -> None:
    assert {wing_of(path) for path in FILES} <= OURS.keys()
    assert OURS.keys() == BOUGHT.keys()


@pytest.mark.parametrize("name", ["utils", "helpers", "common", "managers", "core"])
def test_no_file_is_named_after_nothing(name: str) -> None:
    assert not [path for path in FILES if path.stem == name or name in path.parts]


def module_of(path: Path) -> str:
    return ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts)


def test_no_file_needs_itself() -> None:
    """Whatever the order in which files are read, each is whole before another one needs it."""
    modules = {module_of(path): path for path in FILES}
    needs = {name: set(imports_of(path, whole=True)) & modules.keys() for name, path in modules.items()}
    TopologicalSorter(needs).prepare()


SCREEN = "rpcexplorer.tui.call.screen"
TEXTUALS_OWN = {"textual", "platformdirs", "difflib"}
"""What every screen has, as Textual has it."""
LAZY = (
    "textual",
    "httpx",
    "tomli_w",
    "keyring",
    "platformdirs",
    "pygments",
    "difflib",
    "jsonschema_rs",
    "rpcexplorer.checking",
    "rpcexplorer.client.discovery",
    "rpcexplorer.model.form",
    "rpcexplorer.discovery.changes",
    "rpcexplorer.schema.complete",
    "rpcexplorer.schema.node",
    "rpcexplorer.schema.example",
)
"""What comes when it is first used."""


@pytest.mark.parametrize("module", ["rpcexplorer", "rpcexplorer.explorer", "rpcexplorer.cli.main", SCREEN])
def test_importing_costs_nothing_that_is_not_needed_yet(module: str) -> None:
    lazy = [each for each in LAZY if module != SCREEN or each not in TEXTUALS_OWN]
    code = f"import sys, {module}; print(*[m for m in {lazy} if m in sys.modules])"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert loaded.stdout.split() == []
