"""The private names of Textual that we use: a test notices a lost one.

Textual promises nothing about them. Each has one place in the product. Add another one here before you use it.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import pkgutil
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest
from textual import _xterm_parser
from textual.app import App
from textual.widget import Widget
from textual.widgets import Input, TextArea
from textual.widgets.text_area import Document

import rpcexplorer.tui

OVERRIDDEN: dict[str, set[tuple[type[Any], str]]] = {
    "ExplorerApp": {
        (App, "_fatal_error"),  # a traceback with the values of variables must not be shown
        (App, "_check_bindings"),  # the last to handle a key: only here it is known that nothing took it
        (App, "_refresh_notifications"),  # a line over the footer; Textual would cover other text
    },
    "Editor": {(TextArea, "_set_document")},  # our own document, which keeps every line end
    "Entry": {(Input, "_value")},  # invisible characters get a sign
    "Page": {(Document, "_lines"), (Document, "_newline")},  # it does not use Textual's way to break lines
}
"""Names that Textual calls, by our class."""
CALLED: dict[str, set[tuple[type[Any], str]]] = {
    "ExplorerApp": {
        (App, "_close_messages_no_wait"),
        (App, "_exception"),
        (App, "_notifications"),
        (App, "_unnotify"),
        (App, "_disable_notifications"),
    },
    "Editor": {(TextArea, "_build_highlight_map"), (TextArea, "_rewrap_and_refresh_virtual_size")},
}
"""Names inherited from Textual, by our class."""
REACHED_INTO = {
    "rpcexplorer/tui/widgets/bars.py": {
        "_modal_binding_chain"
    },  # bindings, without asking for all of them whether they are possible
    "rpcexplorer/tui/terminal.py": {"_awaiting"},  # whether the parser waits for the rest of a key
}
"""Names of objects of Textual, by file."""
MODULES = {
    "rpcexplorer/tui/terminal.py": {"textual._xterm_parser"},
}
"""Private modules of Textual, by file."""
ROOT = Path(rpcexplorer.__file__).parent
FILES = sorted((ROOT / "tui").rglob("*.py"))


@pytest.mark.parametrize(("of", "name"), sorted({pair for pairs in OVERRIDDEN.values() for pair in pairs}, key=str))
def test_overridden_names_are_still_called_by_textual(of: type[Any], name: str) -> None:
    assert f"self.{name}" in inspect.getsource(inspect.getmodule(of) or of)


@pytest.mark.parametrize(("of", "name"), sorted({pair for pairs in CALLED.values() for pair in pairs}, key=str))
def test_called_names_still_exist(of: type[Any], name: str) -> None:
    assert hasattr(of, name) or hasattr(of(), name)


def test_names_of_other_objects_still_exist() -> None:
    assert _xterm_parser.XTermParser()._awaiting.timeout is None
    assert _xterm_parser.BRACKETED_PASTE_START
    assert _xterm_parser.BRACKETED_PASTE_END


@pytest.mark.thorough
def test_no_other_private_name_is_overridden_or_called() -> None:
    overridden = {kind.__name__: found for kind in kinds() if (found := set(overrides(kind)))}
    listed = {kind: {name for _, name in pairs} for kind, pairs in OVERRIDDEN.items()}
    assert overridden == listed
    called = {kind.__name__: found for kind in kinds() if (found := set(calls(kind)))}
    assert called == {kind: {name for _, name in pairs} for kind, pairs in CALLED.items()}


@pytest.mark.thorough
def test_no_other_object_of_textual_is_used() -> None:
    found = {name_of(file): names for file in FILES if (names := set(reached_into(file)))}
    assert found == REACHED_INTO


def test_no_other_private_module_is_imported() -> None:
    found = {name_of(file): names for file in FILES if (names := set(private_modules(file)))}
    assert found == MODULES


def name_of(file: Path) -> str:
    return file.relative_to(ROOT.parent).as_posix()


@cache
def tree_of(file: Path) -> ast.Module:
    return ast.parse(file.read_text(encoding="utf-8"))


def kinds() -> Iterator[Any]:
    """Yield our classes that inherit from Textual's."""
    for found in pkgutil.walk_packages(rpcexplorer.tui.__path__, "rpcexplorer.tui."):
        for kind in vars(importlib.import_module(found.name)).values():
            if isinstance(kind, type) and kind.__module__ == found.name and theirs(kind):
                yield kind


def theirs(kind: Any) -> list[Any]:
    return [base for base in kind.__mro__ if base.__module__.startswith("textual.")]


def ours(kind: Any) -> list[Any]:
    return [base for base in kind.__mro__ if base.__module__.startswith("rpcexplorer.")]


MADE_BY_TEXTUAL = set(vars(type("Plain", (Widget,), {}))) | {"_abc_impl"}
"""Names that every class has."""


def is_private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__")


def overrides(kind: Any) -> Iterator[str]:
    """Yield our private names that Textual's classes have or set, too."""
    for name in {*vars(kind), *own_attributes(kind)} - MADE_BY_TEXTUAL:
        if is_private(name) and any(name in vars(each) or name in own_attributes(each) for each in theirs(kind)):
            yield name


def calls(kind: Any) -> Iterator[str]:
    """Yield private names that only Textual defines."""
    mine = {name for each in ours(kind) for name in {*vars(each), *own_attributes(each)}}
    for name in names_of_self(kind, ast.Load) - mine:
        if is_private(name) and any(name in vars(each) or name in own_attributes(each) for each in theirs(kind)):
            yield name


@cache
def own_attributes(kind: Any) -> set[str]:
    return names_of_self(kind, ast.Store)


@cache
def names_of_self(kind: Any, how: type[ast.expr_context]) -> set[str]:
    """Return the attributes of ``self`` that a class sets or reads."""
    tree = ast.parse(dedent(inspect.getsource(kind)))
    return {
        node.attr
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, how) and of_self(node.value)
    }


def of_self(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id == "self"


def reached_into(file: Path) -> Iterator[str]:
    """Yield private names of other objects that no file of ours sets."""
    for node in ast.walk(tree_of(file)):
        if isinstance(node, ast.Attribute) and is_private(node.attr) and not of_self(node.value):
            is_super = isinstance(node.value, ast.Call) and ast.unparse(node.value.func) == "super"
            if not is_super and node.attr not in set_by_us():
                yield node.attr


@cache
def set_by_us() -> set[str]:
    """Return the private names of our own objects."""
    found: set[str] = set()
    for node in (node for file in FILES for node in ast.walk(tree_of(file))):
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store) and of_self(node.value):
            found.add(node.attr)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            found.add(node.name)
    return found


def private_modules(file: Path) -> Iterator[str]:
    for node in ast.walk(tree_of(file)):
        names = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
        names += [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        yield from (name for name in names if name.startswith("textual.") and "._" in name)
