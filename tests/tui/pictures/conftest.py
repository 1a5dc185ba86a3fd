"""The program in a fixed state, which depends on no clock, port or machine, and its pictures."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from datetime import datetime, tzinfo
from functools import cached_property
from pathlib import Path
from typing import Any, Self

import pytest
from syrupy.assertion import SnapshotAssertion
from textual.pilot import Pilot

from rpcexplorer.explorer import Explorer
from rpcexplorer.files.paths import Paths
from rpcexplorer.files.toml_shape import Source
from tests.fakes.editor import type_in
from tests.tui.pictures import scenes
from tests.tui.pictures.drawing import THEME, USUAL, Compare, CompareSvg, Scene, TextPicture, picture_of
from tests.tui.program import Program, Running, make_app

collect_ignore = ["__snapshots__"]  # For pytest, each text is a doctest.
PLACES = Paths(Path("~/.config/rpcexplorer"), Path("~/.local/state/rpcexplorer"), Path("~/.cache/rpcexplorer"))


class FixedDay(datetime):
    """A clock with a fixed day."""

    @classmethod
    def now(cls, tz: tzinfo | None = None) -> Self:
        return cls.fromtimestamp(scenes.NOW.timestamp(), tz)


def place(source: Source) -> str:
    """Return a source with the same path on every machine."""
    return source.file if source.line is None else f"~/shop/sessions.toml:{source.line}"


@pytest.fixture(autouse=True)
def undrawn() -> None:
    """Draw everything, also the screen behind a dialog."""


@pytest.fixture(autouse=True)
def still(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Fix ids, the time zone, the clock and the names of files."""
    monkeypatch.setenv("TZ", "UTC")
    monkeypatch.setattr("rpcexplorer.tui.call.state.fresh_id", lambda: "1m7ypmkv7qa7kfj")
    for module in ("widgets.bars", "connections", "events"):
        monkeypatch.setattr(f"rpcexplorer.tui.{module}.datetime", FixedDay)
    monkeypatch.setattr("rpcexplorer.profiles.profiles.Profiles.files_of", lambda *_: [Path("~/shop/sessions.toml")])
    monkeypatch.setattr("rpcexplorer.files.toml_shape.Source.__str__", place)
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.fixture
def explorer(make_explorer: Callable[..., Explorer]) -> Explorer:
    explorer = make_explorer(scenes.PROFILES, RPCEXPLORER_PROD_PASSWORD="correct-horse")
    explorer.use("staging")
    for exchange in reversed(scenes.CALLS):
        explorer.history.append(exchange)
    type_in(explorer, "user.list", scenes.TYPED)
    explorer.remembered.set_method("staging", "user.list")
    for name, value in vars(Explorer).items():
        if isinstance(value, cached_property):
            getattr(explorer, name)  # opens its files in the home of the test: the paths below are only shown
    explorer.paths = PLACES
    return explorer


@pytest.fixture
def compare(snapshot: SnapshotAssertion) -> Compare:
    """Return a function that compares the screen with its text picture, once it shows some texts."""
    kept = snapshot.use_extension(TextPicture)

    async def compared(running: Running, *texts: str) -> None:
        app = running.app
        app.register_theme(THEME)
        app.theme = THEME.name
        await running.sees(*texts)
        await running.rest()
        if picture_of(app.screen._compositor.render_strips(app.screen.size)) != kept:
            pytest.fail("\n".join(kept.get_assert_diff()), pytrace=False)

    return compared


@pytest.fixture
def compare_svg(explorer: Explorer, snap_compare: Callable[..., bool]) -> CompareSvg:
    """Return a function that compares the screen after a scene with its SVG."""

    def compared(scene: Scene, *texts: str, size: tuple[int, int] = USUAL) -> None:
        app = make_app(explorer)

        async def before(_: Pilot[Any]) -> None:
            program = Program(app)
            await program.opens()
            await scene(program)
            await program.sees(*texts)
            await program.rest()

        assert snap_compare(app, run_before=before, terminal_size=size)

    return compared
