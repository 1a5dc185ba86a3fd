"""The modules that a start loads until the first frame or a call's end."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from rpcexplorer.__main__ import _run
from rpcexplorer.cli.world import World
from rpcexplorer.explorer import Explorer
from rpcexplorer.model.destination import Nobody, Person
from tests.fakes.shell import Keyboard, Screen

SCREEN = """
import asyncio, os, sys
from pathlib import Path
from textual.app import App
from rpcexplorer.cli.world import World, streams
from rpcexplorer.tui.app import ExplorerApp, PersonOnScreen

def display(app, screen, renderable):
    if type(screen).__module__.startswith("rpcexplorer."):
        names = [name for name in sys.modules if name.startswith(("rpcexplorer", "pygments", "hypothesis"))]
        os.write(1, " ".join(names).encode())
        os._exit(0)

App._display = display
person = PersonOnScreen()
explorer = World(*streams(), os.environ, Path.cwd()).open_explorer(person)
ExplorerApp(explorer, person).run(headless=True, size=(120, 40))
"""
CALL = """
import atexit, sys
known = ("rpcexplorer", "pygments", "hypothesis")
atexit.register(lambda: print(*(name for name in sys.modules if name.startswith(known))))
sys.argv = ["rpcexplorer", "call", "ping", "--url", "http://127.0.0.1:9/", "--no-input"]
from rpcexplorer.__main__ import main
main()
"""
BOTH = """
auth auth.auth_type auth.basic auth.credentials auth.digest auth.registry auth.token cli cli.world discovery
discovery.methods discovery.store explorer files files.io files.paths files.private files.toml files.toml_edit
files.toml_shape jsontext jsontext.layout jsontext.params jsontext.scan jsontext.slices model model.destination
model.draft model.exchange model.method model.problem model.profile model.secret model.settings patterns profiles
profiles.allowed profiles.keys profiles.layers profiles.profiles profiles.values rpc rpc.messages secrets
secrets.credentials secrets.destination secrets.lookup settings text text.exchange text.printable text.wrapping
transport transport.port variables variables.references
"""
SCREEN_ALONE = """
text.columns tui tui.app tui.call tui.call.layout tui.call.methods tui.call.screen tui.call.state tui.commands
tui.key_queue tui.messages tui.navigation tui.terminal tui.theme tui.widgets tui.widgets.bars
tui.widgets.full_screen tui.widgets.inputs tui.widgets.rows
"""
CALL_ALONE = """
__main__ auth.login cli.arguments cli.call cli.completion cli.main cli.output cli.run cli.words client client.call
client.handshake client.hints client.profile_client client.surroundings history history.file history.folder
history.record history.store jsontext.pointers jsontext.steps manual model.filter model.mcp redaction
redaction.addresses redaction.exchange redaction.redactor redaction.spellings rpc.batch rpc.codec text.json_text
text.problems transport.connection transport.failures transport.http transport.proxy transport.request
transport.response transport.tls
"""


@pytest.mark.parametrize(("script", "alone"), [(SCREEN, SCREEN_ALONE), (CALL, CALL_ALONE)], ids=["screen", "call"])
def test_start_loads_only_modules_of_its_list(script: str, alone: str, tmp_path: Path) -> None:
    (tmp_path / "sessions.toml").write_text('[profile.x]\nurl = "http://127.0.0.1:9"\n')
    environment = {"RPCEXPLORER_HOME": str(tmp_path / "home")}
    ended = subprocess.run(
        [sys.executable, "-c", script], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    loaded = {name.removeprefix("rpcexplorer").removeprefix(".") for name in ended.stdout.split()}
    assert loaded, ended.stderr
    assert loaded - {"", *BOTH.split(), *alone.split()} == set()


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> World:
    """Return a world whose screen only reports its arguments."""
    (tmp_path / "sessions.toml").write_text('[profile.x]\nurl = "http://127.0.0.1:9"\n')
    world = World(Screen(), Screen(), Keyboard(), {"RPCEXPLORER_HOME": str(tmp_path / "home")}, tmp_path)

    def open_screen(self: World, build: Callable[[Person], Explorer], profile: str | None) -> tuple[int, str]:
        explorer = build(Nobody())
        self.print(f"{profile} {explorer.profile.name if explorer.profile else '-'}")
        return 0, ""

    monkeypatch.setattr(World, "open_screen", open_screen)
    return world


@pytest.mark.parametrize(("arguments", "opened"), [([], "None -"), (["-p", "x"], "x x"), (["--profile", "x"], "x x")])
def test_screen_opens_without_a_command(arguments: list[str], opened: str, world: World) -> None:
    assert _run(arguments, world) == 0
    assert isinstance(world.stdout, Screen)
    assert world.stdout.getvalue().decode() == f"{opened}\n"


def test_unknown_profile_opens_no_screen(world: World) -> None:
    assert _run(["-p", "y"], world) == 2
    assert isinstance(world.stderr, Keyboard)
    assert "There is no profile `y`. Your profiles: x" in world.stderr.getvalue()


def test_demo_chosen_on_screen_starts_the_demo(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(World, "open_profile", lambda *_: (0, "demo"))
    monkeypatch.setattr("rpcexplorer.cli.main.run", lambda arguments, _: len(arguments) if arguments == ["demo"] else 9)
    assert _run([], world) == 1
