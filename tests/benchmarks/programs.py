"""The programs that more than one benchmark starts: a bare Textual app, and rpcexplorer on a service."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Final

from tests.benchmarks.terminal import ENTER, F2, Program

WORD: Final = b"usable"
"""Stands on the first screen of every program: as text, as a line's hint, or as the name of a profile or collection."""
_BARE = """
from textual.app import App
from textual.widgets import Input, Static
class Bare(App):
    def compose(self):
        yield {widget}
Bare().run()
"""
_SESSIONS = """
version = 1
[profile.usable]
url = "{url}"
"""
_NOTED = """
[profile.usable.method."{method}"]
params = {params}
"""


def bare(folder: Path, widget: str = 'Static("usable")') -> Path:
    """A script: the least that Textual can be asked to do, one widget on a screen."""
    script = folder / "bare.py"
    script.write_text(_BARE.format(widget=widget))
    return script


def profile(folder: Path, url: str, **noted: str) -> None:
    """A profile for a service, and optionally a ``method`` with the ``params`` (in TOML) that it starts from."""
    (folder / "sessions.toml").write_text(_SESSIONS.format(url=url) + (_NOTED.format_map(noted) if noted else ""))


def explorer(folder: Path) -> Program:
    """The real program."""
    return Program([sys.executable, "-m", "rpcexplorer"], folder)


def ready_to_send(folder: Path, method: str) -> Program:
    """The real program with a method in the editor; the next F5 sends it."""
    program = explorer(folder)
    program.until(WORD)
    program.settle()
    for keys in (F2, method.encode() + ENTER):
        program.write(keys)
        program.settle()
    return program
