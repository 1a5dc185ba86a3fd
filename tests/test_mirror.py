"""The tests stand where the files stand that they test, so that whoever changes one finds the other by its path."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final

import pytest

TOP: Final = Path(__file__).parents[1]
PRODUCT, TESTS = TOP / "rpcexplorer", TOP / "tests"

OF_NO_FOLDER: Final = {"benchmarks", "corpora", "fakes", "interop", "trust"}
"""What crosses the wings: promises about all of them, texts and servers of others, and what tests are made with."""

TOGETHER: Final = {
    ".": ("cli/test_program.py", "the program is started as a person starts it"),
    "auth": ("auth/test_cookie.py", "a kind is driven by hand, and what it is made of with it"),
    "checking": ("checking/test_checker.py", "a check goes through all of it, to the process and back"),
    "cli": ("cli/test_program.py", "a command is what it prints and returns, whichever of its files does it"),
    "client": ("test_explorer.py", "clients and connections are what the one door makes calls with"),
    "client/discovery": ("client/discovery/test_interview.py", "a dialect is what it asks a server"),
    "demo": ("demo/test_dispatch.py", "a service is what it answers"),
    "demo/http": ("demo/http/test_server.py", "HTTP is what goes over a socket"),
    "demo/methods": ("demo/test_dispatch.py", "a method is called by its name"),
    "jsontext": ("protocol/test_large.py", "a walk over a text is seen by what it finds"),
    "jsontext/typed": ("jsontext/typed/test_fixes.py", "what is typed is judged and mended whole"),
    "model": ("cli/test_calls.py", "values that do nothing are tested by whoever makes and reads them"),
    "model/form": ("model/form/test_rows.py", "a form is the rows that are made of a text, and what changing one does"),
    "model/methods": ("model/methods/test_catalogue.py", "a method is what the list of all says of it"),
    "model/schema": ("client/discovery/test_openrpc.py", "what a service says in full is read from its document"),
    "model/schema/values": (
        "model/schema/values/test_making.py",
        "texts and numbers are what a value is made of",
    ),
    "model/schema/checks": (
        "model/schema/checks/test_wording.py",
        "what is rewritten is seen by what a check has found, in words",
    ),
    "model/comparing": ("model/comparing/test_compare.py", "what was found is seen by what a comparison tells"),
    "model/importing": ("model/importing/test_forms.py", "a form is the calls that are found in it"),
    "model/importing/shells": ("model/importing/test_curl.py", "a shell is what becomes of a command"),
    "model/templates": ("cli/test_saved_calls.py", "a saved call is a value that is sent by its name"),
    "protocol": ("client/discovery/test_interview.py", "messages and codes are what a server and its client exchange"),
    "redaction": ("redaction/test_redactor.py", "what is hidden is seen in the text that is left"),
    "redaction/matching": ("redaction/test_redactor.py", "what is found is seen by what is hidden"),
    "storage": ("trust/secrets/test_everywhere.py", "crashes and themes are files that commands write and read"),
    "storage/catalogues": ("storage/catalogues/test_catalogues.py", "what is kept of a server comes back whole"),
    "storage/drafts": ("cli/test_importing.py", "imported calls become drafts"),
    "storage/history": ("storage/history/test_store.py", "files are read, joined and mended behind the store"),
    "storage/profiles": ("storage/profiles/test_loading.py", "a value is right or wrong in a file"),
    "storage/secrets": ("trust/secrets/test_everywhere.py", "where secrets lie is seen by using all of them"),
    "storage/toml": ("storage/profiles/test_edits.py", "TOML is read and edited as profiles are"),
    "transport/http": ("transport/http/test_client.py", "a request goes through all of it, to a socket"),
    "tui": ("tui/test_actions.py", "the app is tested by what its commands do"),
    "tui/batch": ("tui/batch/test_screen.py", "a screen is tested by what it shows and does"),
    "tui/call": ("tui/call/test_screen.py", "a screen is tested by what it shows and sends"),
    "tui/call/docs": ("tui/call/docs/test_pane.py", "a pane is tested with what stands in it"),
    "tui/call/importing": ("tui/call/importing/test_taking.py", "what is asked is what is taken in"),
    "tui/call/methods": ("tui/call/methods/test_pane.py", "a pane is tested with what stands in it"),
    "tui/editor": ("tui/call/params/test_pane.py", "problems are tested in the pane that shows them"),
    "tui/call/response": ("tui/call/test_reply_actions.py", "a pane is tested with what is done to a reply"),
    "tui/comparing": ("tui/comparing/test_screen.py", "a screen is tested by what it shows and does"),
    "tui/call/taking": ("tui/batch/test_screen.py", "what is taken is seen where it arrives"),
    "tui/dialogs": ("tui/test_impatience.py", "a dialog is tested by whoever asks and is answered"),
    "tui/form": ("tui/form/test_screen.py", "a screen is tested by what it shows and does"),
    "tui/history": ("tui/history/test_screen.py", "a screen is tested by what it shows and does"),
    "tui/profiles": ("tui/profiles/test_screen.py", "a screen is tested by what it shows and does"),
    "tui/reader": ("tui/reader/test_reader.py", "a reader is tested with the rows and pages that it is made of"),
    "tui/saved": ("tui/saved/test_keeping.py", "what is kept is filled and sent"),
    "tui/statistics": ("tui/statistics/test_screen.py", "a screen is tested by what it shows and does"),
    "tui/widgets": ("tui/test_snapshots.py", "parts of screens are tested on a screen"),
    "views": ("cli/test_output.py", "what is printed is made of it"),
    "views/comparing": ("views/comparing/test_lines.py", "values are seen in the lines that show them"),
    "views/copying": ("views/copying/test_snippets.py", "a snippet has the login in it"),
    "views/document": ("views/document/test_rows.py", "what is folded is seen by the rows that are on view"),
    "views/importing": ("views/importing/test_lines.py", "what is found is told to people and programs"),
    "views/words": ("cli/test_output.py", "words are read where they are said"),
}
"""Folders of which not every file has a test of its own: which test has those, and why that one."""


@pytest.mark.thorough
def test_each_file_has_a_test_of_its_name_or_is_tested_with_its_folder() -> None:
    alone = dict[str, set[Path]]()
    for path in PRODUCT.rglob("*.py"):
        folder = path.parent.relative_to(PRODUCT)
        if path.name != "__init__.py" and not (TESTS / folder / f"test_{path.name}").exists():
            alone.setdefault(folder.as_posix(), set()).add(path)
    assert sorted(alone) == sorted(TOGETHER)
    del alone["cli"]  # its commands are imported by name, when they are called
    unused = {path for folder, files in alone.items() for path in files - used_by(TESTS / TOGETHER[folder][0])}
    assert unused == set(), "the test of their folder has no use for them"


def test_each_folder_of_tests_has_a_folder_that_it_tests() -> None:
    for path in TESTS.rglob("test_*.py"):
        folder = path.parent.relative_to(TESTS)
        assert OF_NO_FOLDER & {*folder.parts[:1]} or (PRODUCT / folder).is_dir(), path


def used_by(test: Path) -> set[Path]:
    """All that a test imports, and what that imports, and so on."""
    known, found = set[Path](), [test]
    while found:
        known.add(path := found.pop())
        found.extend(imported(path) - known)
    return known


@cache
def imported(path: Path) -> frozenset[Path]:
    """Files of ours, wherever in a file their import stands."""
    tree = ast.parse(path.read_bytes())
    return frozenset(file for node in ast.walk(tree) for name in names(node) if (file := file_of(name)))


def names(node: ast.AST) -> Iterator[str]:
    """The modules, or what may be modules, that an import names."""
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom) and node.module:
        yield node.module
        yield from (f"{node.module}.{alias.name}" for alias in node.names)


def file_of(module: str) -> Path | None:
    """The file of a module of ours."""
    path = TOP.joinpath(*module.split("."))
    return next((file for file in (path.with_suffix(".py"), path / "__init__.py") if file.is_file()), None)
