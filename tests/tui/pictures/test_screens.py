"""The main screens and the themes as SVG."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from rpcexplorer.explorer import Explorer
from rpcexplorer.tui.widgets.dialog import Confirm
from tests.tui.pictures.scenes import (
    LARGE,
    SMALL,
    USUAL,
    CompareSvg,
    Scene,
    connect,
    open_comparison,
    open_events,
    open_form,
    open_history,
    open_statistics,
    record_many,
    show,
)
from tests.tui.program import Program, Running, make_app
from tests.tui.stage import Stage
from tests.tui.test_manual import manual

THEMES = sorted(path.stem for path in (Path(__file__).parents[3] / "themes").glob("*.toml"))


async def result(program: Program) -> None:
    await show(program)
    await program.press("f4", "2")


def pressing(*keys: str) -> Scene:
    async def press(program: Program) -> None:
        await program.press(*keys)
        await program.until(lambda: program.app.screen is not program.calls)
        await program.pause()

    return press


async def question(program: Program) -> None:
    program.calls.drafts.choose("user.delete")
    program.calls.params.replace('{"id": 42}')
    await program.rest()
    await program.press("f5")
    await program.on(Confirm)


SCREENS: dict[str, tuple[Scene, tuple[str, ...]]] = {
    "help": (pressing("f1"), ("Keys", "Send the call in the editor.")),
    "history": (open_history, ("History 7 calls", "-32602 ", '"Ada Lovelace"')),
    "profiles": (pressing("f7"), ("Profiles 4", "Shared staging")),
    "palette": (pressing("ctrl+p"), ("Command palette", "Format the params, one member per line.")),
    "comparison": (open_comparison, ("2 values differ", "Edsger W.", "difference 2 of")),
    "form": (open_form, ("Form user.create", "! 3 problems", "is not one of the params", "Where parcels go.")),
}


def test_result(compare_svg: CompareSvg) -> None:
    compare_svg(result, "✓ result", '"next": "c2VhcmNo"', "{ 5 members }", size=(120, 34))


@pytest.mark.thorough
def test_call_in_a_small_terminal(compare_svg: CompareSvg, explorer: Explorer) -> None:
    explorer.use("prod")
    compare_svg(show, " PROD ", "✓ result", size=SMALL)


@pytest.mark.thorough
def test_call_in_a_large_terminal(compare_svg: CompareSvg) -> None:
    compare_svg(show, "Lists users, newest first", "✓ result", '"next": "c2VhcmNo"', size=LARGE)


@pytest.mark.everyday(1)
@pytest.mark.parametrize("name", SCREENS)
def test_screen(compare_svg: CompareSvg, name: str) -> None:
    scene, texts = SCREENS[name]
    compare_svg(scene, *texts)


@pytest.mark.thorough
def test_events(compare_svg: CompareSvg, explorer: Explorer) -> None:
    connect(explorer)
    compare_svg(open_events, "Events 7", "following", "! this is not a JSON object", '"number": "0x1b5b"')


@pytest.mark.thorough
def test_statistics(compare_svg: CompareSvg, explorer: Explorer) -> None:
    record_many(explorer)
    compare_svg(open_statistics, "90 calls", "most failures first", "per bar")


def test_dialog(compare_svg: CompareSvg, explorer: Explorer) -> None:
    explorer.use("prod")
    compare_svg(question, "Send to PROD?", "user.delete is unsafe")


@pytest.mark.everyday(1)
@pytest.mark.parametrize("theme", THEMES)
def test_theme(compare_svg: CompareSvg, theme: str) -> None:
    async def scene(program: Program) -> None:
        program.app.use_theme(theme)
        await show(program)
        await program.press("f4")
        assert program.app.theme == theme

    compare_svg(scene, "✓ result", '"balance": 1.10', size=(110, 30))


@pytest.mark.thorough
def test_without_colours(compare_svg: CompareSvg, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")

    async def scene(program: Program) -> None:
        await show(program)
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
