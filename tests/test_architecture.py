"""Imports between packages, ours and others, anywhere in a file."""

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
FILES = sorted(PACKAGE.rglob("*.py"))

VALUES = {"model", "rpc", "jsontext", "transport"}
"""Every subject uses them; of the transport only the port, see below."""
RULES = {*VALUES, "variables", "auth", "files", "schema", "redaction", "importing"}
SUBJECTS = {*RULES, "compare", "settings", "drafts", "history", "profiles", "secrets", "client", "discovery"}
FRONT_END = {*SUBJECTS, "explorer", "text", "export", "manual", "__init__"} - {"files", "secrets", "redaction"}

ALLOWED: dict[str, set[str]] = {
    "patterns": set(),
    "manual": set(),
    "jsontext": set(),
    "transport": set(),
    "rpc": {"jsontext"},
    "model": {"rpc", "jsontext", "transport"},
    "variables": VALUES,
    "auth": VALUES,
    "files": VALUES,
    "child_process": {"model"},
    "schema": {*VALUES, "child_process", "variables"},
    "compare": {*VALUES, "variables"},
    "redaction": {*VALUES, "auth"},
    "importing": {*VALUES, "auth", "variables"},
    "settings": RULES,
    "drafts": RULES,
    "history": RULES,
    "profiles": RULES,
    "secrets": {*VALUES, "auth", "files", "profiles", "redaction", "variables"},
    "client": {*VALUES, "auth", "compare", "redaction", "variables"},
    "discovery": {*VALUES, "auth", "client", "files", "redaction", "schema", "variables"},
    "text": SUBJECTS - {"files", "settings", "drafts", "profiles", "secrets"},
    "export": {*VALUES, "auth", "compare", "redaction", "text", "variables"},
    "explorer": SUBJECTS,
    # Above the facade: a check is a call of the explorer, judged. Its jq expressions and its words are those of text.
    "checks": {*SUBJECTS, "child_process", "explorer", "text"} - {"settings", "drafts", "profiles", "secrets"},
    # Users of Locust: they drive the auth flows from greenlets, over sockets of their own.
    "load": {*VALUES, "auth", "client", "explorer", "text", "variables"},
    "cli": {*FRONT_END, "checks", "load", "files", "tui", "demo"},  # it reads and writes the files that the user names
    "tui": {*FRONT_END, "checks"},
    # A third front end: pytest chooses, sends and reports checks with it.
    "pytest_plugin": {"checks", "explorer", "model", "text", "variables"},
    "demo": {"rpc", "jsontext"},
    "__init__": {*VALUES, "auth", "client", "explorer"},
}
ALLOWED["__main__"] = set(ALLOWED)

LIBRARIES: dict[str, set[str]] = {
    # Values are msgspec's Structs: a dataclass takes thirty times as long to make, and a start makes dozens.
    **{package: {"msgspec"} for package in ALLOWED},
    "transport": {"h11", "httpcore", "httpx", "msgspec", "websockets"},
    "files": {"msgspec", "tomli_w", "platformdirs"},
    "schema": {"msgspec", "jsonschema_rs"},
    "settings": {"msgspec", "pygments", "tomli_w"},
    "history": {"msgspec", "tomli_w"},
    "profiles": {"msgspec", "tomli_w"},
    "secrets": {"msgspec", "keyring"},
    "text": {"msgspec", "jq", "markdown_it", "pygments"},
    "checks": {"msgspec", "hypothesis"},
    "cli": {"msgspec", "click"},
    # Rich comes with Textual: the lines of its line API are made of Rich's segments and styles.
    "tui": {"msgspec", "textual", "rich"},
    "load": {"msgspec", "locust", "gevent", "geventhttpclient", "flask"},  # only in the process of Locust
    "pytest_plugin": {"pytest"},  # pytest itself imports it
}

SCREEN = "rpcexplorer.tui.call.screen"
NEEDED_BY_TEXTUAL = {"textual", "platformdirs", "difflib"}
LAZY = (
    "textual",
    "httpcore",
    "httpx",
    "tomli_w",
    "keyring",
    "platformdirs",
    "pygments",
    "markdown_it",
    "difflib",
    "jsonschema_rs",
    "websockets",
    "locust",
    "gevent",
    "hypothesis",
    "rpcexplorer.schema.check",
    "rpcexplorer.discovery.interview",
    "rpcexplorer.discovery.changes",
    "rpcexplorer.schema.form",
    "rpcexplorer.schema.complete",
    "rpcexplorer.schema.node",
    "rpcexplorer.schema.example",
)
"""Modules that are imported on first use."""


def package_of(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def module_of(path: Path) -> str:
    return ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts)


@cache
def nodes_of(path: Path) -> list[ast.AST]:
    return list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))


def imports_of(path: Path) -> Iterator[str]:
    """Yield the modules that a file imports, and names that may be modules."""
    for node in nodes_of(path):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path} imports relatively"
            if node.module != "rpcexplorer":
                yield node.module or ""
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def imported_package(name: str) -> str:
    """Return the package of ``rpcexplorer.x.y``, ``__init__`` for other names."""
    second = name.split(".")[1] if "." in name else "__init__"
    return second if second in ALLOWED else "__init__"


def may_import(package: str, name: str) -> bool:
    top = name.split(".", maxsplit=1)[0]
    if top == "rpcexplorer":
        return imported_package(name) in ALLOWED[package] | {package, "patterns"}
    return top in sys.stdlib_module_names or top in LIBRARIES[package]


def test_imports_follow_the_table() -> None:
    refused = [
        (str(path), name) for path in FILES for name in imports_of(path) if not may_import(package_of(path), name)
    ]
    assert refused == []


def test_table_names_every_package() -> None:
    assert {package_of(path) for path in FILES} == ALLOWED.keys() == LIBRARIES.keys()


def test_transport_is_used_only_by_its_port() -> None:
    users = {
        PACKAGE / name for name in ("client/call.py", "client/preview.py", "client/open_connection.py", "load/user.py")
    }
    others = [path for path in FILES if package_of(path) != "transport" and path not in users]
    used = {name for path in others for name in imports_of(path) if imported_package(name) == "transport"}
    assert all(name.startswith("rpcexplorer.transport.port") for name in used), used


def test_command_line_only_reads_and_writes_files() -> None:
    used = {name for path in FILES if package_of(path) == "cli" for name in imports_of(path) if ".files." in name}
    assert all(name.startswith("rpcexplorer.files.io") for name in used), used


def test_widgets_import_no_screen() -> None:
    allowed = ("widgets", "commands", "key_queue", "messages", "theme")
    widgets = [path for path in FILES if path.parent == PACKAGE / "tui" / "widgets"]
    used = {name.split(".")[2] for path in widgets for name in imports_of(path) if name.startswith("rpcexplorer.tui.")}
    assert used <= set(allowed)


def test_no_file_needs_itself() -> None:
    modules = {module_of(path): path for path in FILES}
    needs = {name: set(imports_of(path)) & modules.keys() for name, path in modules.items()}
    TopologicalSorter(needs).prepare()


@pytest.mark.parametrize("module", ["rpcexplorer", "rpcexplorer.explorer", "rpcexplorer.cli.main", SCREEN])
def test_start_imports_only_needed_modules(module: str) -> None:
    lazy = [name for name in LAZY if module != SCREEN or name not in NEEDED_BY_TEXTUAL]
    code = f"import sys, {module}; print(*[m for m in {lazy} if m in sys.modules])"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert loaded.stdout.split() == []


def test_first_call_loads_no_httpx_and_no_command_line() -> None:
    code = (
        "import asyncio, sys; from rpcexplorer.client.call import load; asyncio.run(load())\n"
        "print(*[m for m in ('httpx', 'rich', 'pygments', 'click') if m in sys.modules])"
    )
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert loaded.stdout.split() == []
