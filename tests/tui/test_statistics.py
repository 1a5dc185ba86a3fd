"""Statistics on screen: sorted, grouped, with the calls of a row."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from datetime import UTC
from pathlib import Path

from textual.pilot import Pilot

from rpcexplorer.explorer import Explorer
from rpcexplorer.model.exchange import Damaged, Exchange, Unreached
from rpcexplorer.model.filter import HistoryFilter
from rpcexplorer.model.problem import UserError
from rpcexplorer.transport.port import Response
from rpcexplorer.tui.history import HistoryScreen
from rpcexplorer.tui.key_queue import PendingKeys
from rpcexplorer.tui.statistics import AT_ONCE, StatisticsScreen
from rpcexplorer.tui.widgets.bars import Frame
from tests.fakes.explorer import open_explorer
from tests.history.recording import START, exchange
from tests.tui.stage import Stage
from tests.tui.visiting import on, seen
from tests.tui.waiting import until

INVALID = '{"jsonrpc":"2.0","id":"1","error":{"code":-32602,"message":"Invalid params"}}'
REFUSED = Unreached("connect", "refused")
CALLS = [
    exchange(0, method="ping"),
    exchange(1, method="ping"),
    exchange(2, method="ping"),
    exchange(3, INVALID, method="user.get", seconds=0.2),
    exchange(4, INVALID, method="user.get"),
    exchange(5, method="report.run", seconds=2.0),
    exchange(6, method="ping", profile="prod", outcome=REFUSED, response=Response()),
]


def recorded(folder: Path) -> Explorer:
    text = '[profile.staging]\nurl = "https://a.example"\n[profile.prod]\nurl = "https://b.example"\n'
    explorer = open_explorer(folder, text)
    explorer.use("staging")
    for call in CALLS:
        explorer.history.append(call)
    return explorer


def rows(pilot: Pilot[None]) -> list[str]:
    """Return the first word of each row below the heading."""
    lines = seen(pilot.app).rstrip("\n").splitlines()
    heading = next(at for at, line in enumerate(lines) if "calls failed" in line and "median" in line)
    return [line.split()[0] for line in lines[heading + 1 :] if line]


def test_statistics_lead_to_slowest_method_and_its_calls(tmp_path: Path) -> None:
    explorer, stage = recorded(tmp_path), Stage()

    async def act(pilot: Pilot[None]) -> None:
        history = HistoryScreen(explorer, PendingKeys(), Frame(zone=UTC, today=START.date()))
        stage.push_screen(history)
        await until(pilot, lambda: history.shown is not None and history.shown.ended)
        await pilot.press("s")
        screen = await on(pilot, StatisticsScreen)
        await until(pilot, lambda: "6 calls" in seen(stage) and "counting" not in seen(stage))
        await pilot.pause()
        assert rows(pilot) == ["ping", "user.get", "report.run"]
        assert "6 calls · 2 failed: 2 errors · median 34 ms, p95 2.0 s, max 2.0 s" in seen(stage)
        assert "\n12:00:00 12:00:05\n" in seen(stage)
        assert "1 Jun 2025 12:00 · 1 s per bar" in seen(stage)
        assert "\nmethod calls failed 100 ms 1 s median p95 last\n" in seen(stage)
        assert "\nuser.get 2 2 ▇▇▇▇▇▇▇▇ " in seen(stage)
        assert "\nreport.run 1 ········ ·" in seen(stage)
        await pilot.press("down", "s")
        assert (rows(pilot)[0], screen.list.cursor) == ("user.get", 0)
        await pilot.press("s")
        assert rows(pilot) == ["report.run", "user.get", "ping"]
        await pilot.press("left_square_bracket")
        assert rows(pilot) == ["result", "-32602"]
        await pilot.press("right_square_bracket", "enter")
        await until(pilot, lambda: history.shown is not None and history.shown.found == 1)
        assert history.filter.value == "method:=report.run"
        await pilot.press("escape")  # from the calls of one row to all of them
        await until(pilot, lambda: history.shown is not None and history.shown.found == 6)
        assert (history.filter.value, stage.screen is history) == ("", True)

    async def run() -> None:
        async with stage.run_test(size=(100, 30)) as pilot:
            await act(pilot)

    asyncio.run(run())


def test_counting_goes_on_to_the_end_and_says_why_it_stopped(tmp_path: Path) -> None:
    many, explorer = AT_ONCE * 2 + 1, recorded(tmp_path)

    def records(*_: object, **__: object) -> Iterator[Exchange | Damaged | None]:
        yield Damaged("a.toml", "torn", "x")
        yield None
        for number in range(many):
            yield exchange(number)
        raise UserError("cannot read it: the disk reports an error")

    explorer.history.search_in_steps = records  # type: ignore[method-assign]

    async def act(pilot: Pilot[None], _: StatisticsScreen) -> None:
        for _tab in range(3):
            assert f"{many} calls · none failed · median" in seen(pilot.app)
            assert "1 damaged record is not counted" in seen(pilot.app)
            assert "cannot read it: the disk reports an error" in seen(pilot.app).replace("\n", " ")
            await pilot.press("right_square_bracket")

    on_screen(explorer, "", act)


def on_screen(explorer: Explorer, words: str, act: Callable[[Pilot[None], StatisticsScreen], Awaitable[None]]) -> None:
    async def run() -> None:
        stage = Stage()
        async with stage.run_test(size=(80, 24)) as pilot:
            wanted = HistoryFilter.around(words, "staging", now=START)
            screen = StatisticsScreen(explorer, wanted, PendingKeys(), Frame(zone=UTC, today=START.date()))
            stage.push_screen(screen)
            await until(pilot, lambda: "▌Statistics" in seen(stage) and "counting" not in seen(stage).lower())
            await pilot.pause()
            await act(pilot, screen)

    asyncio.run(run())


def test_unwritten_call_is_counted(tmp_path: Path) -> None:
    explorer = recorded(tmp_path)
    explorer.history.unsaved += [exchange(7, method="ping"), exchange(8, profile="prod")]

    async def act(pilot: Pilot[None], _: StatisticsScreen) -> None:
        assert "7 calls" in seen(pilot.app)

    on_screen(explorer, "", act)


def test_filter_without_matches_is_reported(tmp_path: Path) -> None:
    async def act(pilot: Pilot[None], screen: StatisticsScreen) -> None:
        assert "No calls match the filter. Press Esc, then / to change it." in seen(pilot.app)
        assert "method contains “nobody”" in seen(pilot.app)
        assert "per bar" not in seen(pilot.app)
        await pilot.press("enter", "escape")
        await until(pilot, lambda: pilot.app.screen is not screen)

    on_screen(recorded(tmp_path), "method:nobody", act)
