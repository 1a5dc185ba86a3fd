"""No program that rpcexplorer starts gets passwords in its environment."""

from __future__ import annotations

import ast
import os
import re
from pathlib import Path

import pytest

import rpcexplorer
from rpcexplorer.model.secret import for_others
from tests.fakes.terminal import Terminal
from tests.fakes.wire import RawServer, http_reply

STARTERS = re.compile(r"subprocess\.(Popen|run|call|check_call|check_output)|asyncio\.create_subprocess_(exec|shell)")
OTHERS = re.compile(r"os\.(system|popen|fork|exec\w+|spawn\w+|posix_spawn\w*)|webbrowser|multiprocessing|ProcessPool")
SECRET = "correct-horse-battery"


def test_for_others_drops_only_own_variables() -> None:
    given = {"RPCEXPLORER_SHOP_PASSWORD": SECRET, "_RPCEXPLORER_LINE": "x", "PATH": "/bin", "MY_RPCEXPLORER_X": "1"}
    assert for_others(given) == {"PATH": "/bin", "MY_RPCEXPLORER_X": "1"}


def test_every_program_start_uses_for_others() -> None:
    started = 0
    for path in Path(rpcexplorer.__file__).parent.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        assert not OTHERS.search(text), path
        for node in ast.walk(ast.parse(text)) if STARTERS.search(text) else ():
            if isinstance(node, ast.Call) and STARTERS.fullmatch(ast.unparse(node.func)):
                given = {keyword.arg: ast.unparse(keyword.value) for keyword in node.keywords}
                is_given = given.get("env") == "self._environment"  # Its only creator is checked below.
                assert is_given or "for_others(" in given.get("env", ""), f"{path}:{node.lineno}"
                started += 1
        if "return ProcessWire(" in text:
            assert "environment = for_others(os.environ) | dict(allowed.environment)" in text, path
    assert started >= 3


@pytest.mark.thorough
def test_editor_pipe_and_clipboard_get_no_password(tmp_path: Path) -> None:
    tool = tmp_path / "bin" / "xclip"
    tool.parent.mkdir()
    tool.write_text(f"#!/bin/sh\ncat >/dev/null\nenv >{tmp_path}/xclip.env\n")
    tool.chmod(0o755)
    environment = {
        "RPCEXPLORER_HOME": str(tmp_path / "home"),
        "RPCEXPLORER_HERE_PASSWORD": SECRET,
        "EDITOR": f"env >{tmp_path}/editor.env; true",
        "DISPLAY": ":9",
        "PATH": f"{tool.parent}{os.pathsep}{os.environ['PATH']}",
        "MINE": "is-there",
    }
    with RawServer(http_reply(b'{"jsonrpc":"2.0","id":"1","result":"pong"}')) as server:
        profile = f'[profile.here]\nurl = "{server.origin}"\nauth = {{ kind = "none" }}\n'
        (tmp_path / "sessions.toml").write_text(profile)
        with Terminal([], environment, tmp_path, (100, 30)) as terminal:
            terminal.sees("here", "✓ valid")
            terminal.press("ctrl+g")
            terminal.sees("✓ valid")
            terminal.press("f5")
            terminal.sees('"pong"')
            terminal.press("f4")
            terminal.type("c")
            terminal.sees("Copied")
            terminal.type("|")
            terminal.type(f"env >{tmp_path}/pipe.env; echo it-is-$((1 + 1))-now")
            terminal.press("enter")
            terminal.sees("it-is-2-now")
    for name in ("editor", "xclip", "pipe"):
        text = (tmp_path / f"{name}.env").read_text()
        assert "is-there" in text
        assert SECRET not in text, name
