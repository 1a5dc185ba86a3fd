"""The house as a test: which wing may import which, ours and bought, wherever in a file the import stands."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

import rpcexplorer

PACKAGE = Path(rpcexplorer.__file__).parent
LOWER = {"model", "protocol", "jsontext"}
"""What the wings above the model have in common."""

OURS: dict[str, set[str]] = {
    "jsontext": set(),
    "protocol": {"jsontext"},
    "transport": set(),
    "model": {"protocol", "jsontext", "transport"},
    "demo": {"protocol", "jsontext"},
    "auth": LOWER,
    "redaction": LOWER | {"auth"},
    "views": LOWER | {"redaction", "auth"},
    "client": LOWER | {"redaction", "auth", "transport"},
    "storage": LOWER | {"redaction", "auth"},
    "checking": {"model", "jsontext"},
    "explorer": LOWER | {"client", "storage", "checking", "redaction", "auth"},
    "cli": {"explorer", "views", "auth", "model", "__init__"},
    "tui": {"explorer", "views", "auth", "model", "__init__"},
    "__init__": {"protocol", "model", "auth", "client", "explorer"},
}
ALL = set(OURS)
OURS["__main__"] = ALL
"""The table of the house: which wing may import which. explorer.py also names protocol's types: a call's text can have
a problem, and the door hands it on. Of transport/ the model knows the port alone: what came back is one value from the
socket to the history, and nothing converts it.
"""

BOUGHT: dict[str, set[str]] = {
    **{wing: {"msgspec"} for wing in OURS},
    "demo": set(),
    "transport": {"httpx", "msgspec"},
    "views": {"msgspec", "pygments", "jq"},
    "storage": {"msgspec", "tomli_w", "platformdirs", "keyring"},
    "checking": {"msgspec", "jsonschema_rs"},
    "cli": {"click", "msgspec"},
    "tui": {"msgspec", "textual", "rich"},
}
"""Values are msgspec's Structs wherever they live: a dataclass takes thirty times as long to make, and a start makes
dozens. Rich comes with Textual: the lines of its line API are made of Rich's segments and styles.
"""

ROOMS: dict[str, set[str]] = {
    "widgets": set(),
    "terminal": set(),
    "reader": {"widgets"},
    "dialogs": {"widgets"},
    "editor": {"widgets"},
    "methods": {"widgets"},
    "params": {"widgets", "editor"},
    "docs": {"widgets", "dialogs"},
    "response": {"widgets", "reader"},
    "saved": {"widgets", "dialogs"},
    "call": {
        "widgets",
        "reader",
        "dialogs",
        "terminal",
        "saved",
        "methods",
        "params",
        "docs",
        "response",
        "taking",
        "importing",
    },
    "taking": {"widgets", "dialogs", "call"},
    "importing": {"widgets", "dialogs", "call", "taking"},
    "history": {"widgets", "reader", "dialogs", "terminal", "saved"},
    "batch": {"widgets", "reader", "dialogs", "saved"},
    "form": {"widgets", "dialogs", "editor"},
    "profiles": {"widgets", "reader", "dialogs", "terminal"},
    "comparing": {"widgets", "reader", "dialogs", "terminal", "saved"},
    "statistics": {"widgets", "dialogs"},
}
"""Inside ``tui/``: which folder imports which. The files beside the folders may be imported by all, but app.py."""

PROGRAM = {f"rpcexplorer.tui.{name}" for name in ("app", "leaving", "appearance", "selecting", "opening")}
"""What the class of the program is made of."""

MOST_FILES = 12
"""In a folder, side by side. A front's commands and the kinds of a registry are lists that may be longer."""

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
    others = [path for path in FILES if wing_of(path) != "transport" and path != PACKAGE / "client" / "connection.py"]
    named = {name for path in others for name in imports_of(path) if ours(name) == "transport"}
    assert named <= {"rpcexplorer.transport.port"}


def test_the_table_names_every_wing_there_is() -> None:
    assert {wing_of(path) for path in FILES} <= OURS.keys()
    assert OURS.keys() == BOUGHT.keys()


@pytest.mark.parametrize("name", ["utils", "helpers", "common", "managers", "core"])
def test_no_file_is_named_after_nothing(name: str) -> None:
    assert not [path for path in FILES if path.stem == name or name in path.parts]


def room_of(module: str) -> str:
    """The folder inside ``tui/`` that a module is in, or nothing for the files beside the folders."""
    inside = module.removeprefix("rpcexplorer.tui").strip(".").split(".")[:-1]
    return inside[-1] if inside else ""


def test_a_room_of_the_screen_knows_only_its_own_parts() -> None:
    screen = [path for path in FILES if wing_of(path) == "tui"]
    named = [(path, name) for path in screen for name in imports_of(path) if name.startswith("rpcexplorer.tui.")]
    inside = [(str(path), name) for path, name in named if room_of(module_of(path))]
    assert [known for known in inside if known[1] in PROGRAM] == [], "no part of a screen knows the program"
    refused = [(str(path), name) for path, name in named if not may_know(room_of(module_of(path)), room_of(name))]
    assert refused == []


def may_know(here: str, there: str) -> bool:
    return not here or not there or there == here or there in ROOMS[here]


def module_of(path: Path) -> str:
    return ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts)


def test_no_file_needs_itself() -> None:
    """Whatever the order in which files are read, each is whole before another one needs it."""
    modules = {module_of(path): path for path in FILES}
    needs = {name: set(imports_of(path, whole=True)) & modules.keys() for name, path in modules.items()}
    TopologicalSorter(needs).prepare()


def test_no_class_name_stands_twice() -> None:
    """Messages that are nested in a widget count, and so do aliases; the demo may keep words of its own."""
    found = Counter(name for path in FILES if wing_of(path) != "demo" for name in types_in(path))
    assert not [name for name, count in found.items() if count > 1]


def types_in(path: Path) -> Iterator[str]:
    for node in nodes_of(path):
        if isinstance(node, ast.ClassDef):
            yield node.name
    for node in tree_of(path).body:
        names = (
            node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
        )
        yield from (name.id for name in names if isinstance(name, ast.Name) and re.match("[A-Z][a-z]", name.id))


def test_no_folder_is_a_heap() -> None:
    folders = Counter(path.parent.relative_to(PACKAGE) for path in FILES if path.stem != "__init__")
    long = {"cli", "auth", "client/discovery", "model"}  # fewer, larger files beside each other
    assert {str(folder) for folder, files in folders.items() if files > MOST_FILES} <= long


def test_the_one_door_stays_a_file() -> None:
    assert len((PACKAGE / "explorer.py").read_text(encoding="utf-8").splitlines()) <= 250


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
    "rpcexplorer.model.methods.changes",
    "rpcexplorer.model.schema.completing",
    "rpcexplorer.model.schema.node",
    "rpcexplorer.model.schema.values.making",
)
"""What comes when it is first used."""


@pytest.mark.parametrize("module", ["rpcexplorer", "rpcexplorer.explorer", "rpcexplorer.cli.program", SCREEN])
def test_importing_costs_nothing_that_is_not_needed_yet(module: str) -> None:
    lazy = [each for each in LAZY if module != SCREEN or each not in TEXTUALS_OWN]
    code = f"import sys, {module}; print(*[m for m in {lazy} if m in sys.modules])"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert loaded.stdout.split() == []
