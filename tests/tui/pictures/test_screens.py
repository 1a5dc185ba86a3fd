"""The main screens as SVG, and as text in other sizes; the themes as SVG."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from textual.pilot import Pilot

from rpcexplorer.explorer import Explorer
from rpcexplorer.model.exchange import Outcome
from rpcexplorer.rpc.messages import Result
from rpcexplorer.tui.compare import ComparisonScreen
from rpcexplorer.tui.form import FormScreen
from rpcexplorer.tui.statistics import StatisticsScreen
from rpcexplorer.tui.widgets.dialog import Confirm
from tests.tui.pictures import scenes
from tests.tui.pictures.drawing import LARGE, SMALL, USUAL, Compare, CompareSvg, Scene
from tests.tui.program import Program, Running, make_app, open_program
from tests.tui.stage import Stage
from tests.tui.test_manual import manual

THEMES = sorted(path.stem for path in (Path(__file__).parents[3] / "themes").glob("*.toml"))


async def result(program: Program) -> None:
    await scenes.show(program)
    await program.press("f4", "2")


def pressing(*keys: str) -> Scene:
    async def press(program: Program) -> None:
        await program.press(*keys)
        await program.until(lambda: program.app.screen is not program.calls)
        await program.pause()

    return press


def record_many(explorer: Explorer) -> None:
    """Use the profile shop, and record 90 calls of it."""
    explorer.use("shop")
    methods = ("user.get", "user.list", "user.list", "order.create", "ping", "report.run")
    for number in range(90):
        outcome: Outcome = Result(b"1")
        if number % 9 == 4:
            outcome = scenes.ERROR.outcome
        elif number % 31 == 7:
            outcome = scenes.UNREACHED.outcome
        minutes, seconds = number * (7 + number % 5), 0.02 * (1 + number % 13) ** 1.7
        explorer.history.append(scenes.made(methods[number % 6], outcome, minutes, seconds=seconds, profile="shop"))


async def open_statistics(program: Program) -> None:
    await scenes.open_history(program)
    await program.press("s")
    opened = await program.on(StatisticsScreen)
    await program.until(lambda: opened._records.ended)
    await program.press("s", "down")


async def open_comparison(program: Program) -> None:
    app, frame = program.app, scenes.frame(program)
    compared = (scenes.ON_PROD, scenes.ON_STAGING)
    opened = ComparisonScreen(app.explorer, *compared, app.pending, frame, ignore=["/seen"])
    app.push_screen(opened)
    await program.until(lambda: opened.comparison is not None)
    await program.press("n")


async def open_form(program: Program) -> None:
    program.calls.params.replace(scenes.FILLED)
    await program.press("alt+e")
    await program.on(FormScreen)
    await program.press("home", "down", "down", "down")


async def question(program: Program) -> None:
    program.calls.drafts.choose("user.delete")
    program.calls.params.replace('{"id": 42}')
    await program.press("f3", "right", "right")  # There no bracket is marked, which the dialog may leave or not.
    await program.rest()
    await program.press("f5")
    await program.on(Confirm)


class Shot(NamedTuple):
    """A screen, how it is opened, and what its pictures show."""

    open: Scene
    texts: tuple[str, ...]
    before: Callable[[Explorer], None] = lambda _: None
    """What happens before the program starts."""


SCREENS = {
    "help": Shot(pressing("f1"), ("Keys", "Send the call in the editor.")),
    "history": Shot(scenes.open_history, ("History 7 calls", "-32602 ")),
    "profiles": Shot(pressing("f7"), ("Profiles 4", "Shared staging")),
    "palette": Shot(pressing("ctrl+p"), ("Command palette", "Format the params, one member per line.")),
    "comparison": Shot(open_comparison, ("2 values differ", "Edsger W.", "difference 2 of")),
    "form": Shot(open_form, ("Form user.create", "! 3 problems", "Where parcels go."), scenes.describe),
    "events": Shot(scenes.open_events, ("Events 7", "following", "! this is not a JSON object"), scenes.connect),
    "statistics": Shot(open_statistics, ("90 calls", "most failures first", "per bar"), record_many),
}
WIDE = ("history", "comparison", "form", "events", "statistics")
"""Screens that are laid out in another way in a large terminal."""


@pytest.mark.everyday(1)
@pytest.mark.parametrize("name", SCREENS)
def test_screen(compare_svg: CompareSvg, explorer: Explorer, name: str) -> None:
    shot = SCREENS[name]
    shot.before(explorer)
    compare_svg(shot.open, *shot.texts)


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("name", "size"),
    [*((name, SMALL) for name in SCREENS), *((name, LARGE) for name in WIDE)],
    ids=[*(f"{name}-small" for name in SCREENS), *(f"{name}-large" for name in WIDE)],
)
async def test_screen_in_another_size(compare: Compare, explorer: Explorer, name: str, size: tuple[int, int]) -> None:
    shot = SCREENS[name]
    shot.before(explorer)
    async with open_program(explorer, size=size) as program:
        await shot.open(program)
        await compare(program, *shot.texts)


def test_result(compare_svg: CompareSvg) -> None:
    compare_svg(result, "✓ result", '"next": "c2VhcmNo"', "5 members }", size=(120, 34))


@pytest.mark.thorough
def test_call_in_a_small_terminal(compare_svg: CompareSvg, explorer: Explorer) -> None:
    explorer.use("prod")
    compare_svg(scenes.show, "PROD", "✓ result", size=SMALL)


@pytest.mark.thorough
def test_call_in_a_large_terminal(compare_svg: CompareSvg) -> None:
    compare_svg(scenes.show, "Lists users, newest first", "✓ result", '"next": "c2VhcmNo"', size=LARGE)


def test_dialog(compare_svg: CompareSvg, explorer: Explorer) -> None:
    explorer.use("prod")
    compare_svg(question, "Send to PROD?", "user.delete is unsafe")


@pytest.mark.everyday(1)
@pytest.mark.parametrize("theme", THEMES)
def test_theme(compare_svg: CompareSvg, theme: str) -> None:
    async def scene(program: Program) -> None:
        program.app.use_theme(theme)
        await scenes.show(program)
        await program.press("f4")
        assert program.app.theme == theme

    compare_svg(scene, "✓ result", '"balance": 1.10', size=(110, 30))


@pytest.mark.thorough
def test_without_colours(compare_svg: CompareSvg, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")

    async def scene(program: Program) -> None:
        await scenes.show(program)
        await program.press("f4", "down", "down")
        assert program.app.no_color

    compare_svg(scene, "✓ result", '"balance": 1.10', size=(110, 30))


def test_welcome(snap_compare: Callable[..., bool], make_explorer: Callable[..., Explorer]) -> None:
    app = make_app(make_explorer(""))

    async def before(_: Pilot[Any]) -> None:
        await Running(app).sees("Welcome to rpcexplorer")

    assert snap_compare(app, terminal_size=USUAL, run_before=before)


@pytest.mark.thorough
def test_page_of_the_manual(snap_compare: Callable[..., bool]) -> None:
    async def before(pilot: Pilot[Any]) -> None:
        pilot.app.push_screen(manual())
        await pilot.pause()
        await pilot.press("tab")

    assert snap_compare(Stage(), terminal_size=USUAL, run_before=before)
