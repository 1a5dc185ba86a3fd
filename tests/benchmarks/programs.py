"""Programs of several benchmarks: a bare Textual app, and rpcexplorer."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Final

from tests.benchmarks.terminal import ENTER, F2, Program

CHECKOUT: Final = Path(__file__).resolve().parents[2]
WORD: Final = b"usable"
"""A word on the first screen of every program, as text, hint or name."""
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
    """Write the shortest Textual script: one widget on a screen."""
    script = folder / "bare.py"
    script.write_text(_BARE.format(widget=widget))
    return script


def profile(folder: Path, url: str, **noted: str) -> None:
    """Write a profile, optionally with a ``method`` and ``params`` in TOML."""
    (folder / "sessions.toml").write_text(_SESSIONS.format(url=url) + (_NOTED.format_map(noted) if noted else ""))


def explorer(folder: Path, checkout: Path = CHECKOUT) -> Program:
    return Program([sys.executable, "-m", "rpcexplorer"], folder, {"PYTHONPATH": str(checkout)})


def ready_to_send(folder: Path, method: str, checkout: Path = CHECKOUT) -> Program:
    """Start the real program with a method in the editor; F5 sends it."""
    program = explorer(folder, checkout)
    program.until(WORD)
    program.settle()
    for keys in (F2, method.encode() + ENTER):
        program.write(keys)
        program.settle()
    return program
