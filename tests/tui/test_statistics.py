"""Statistics on screen: sorted, grouped, with the calls of a row."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from datetime import UTC
from pathlib import Path

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
from tests.tui.program import Running
from tests.tui.stage import OneScreen, showing

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


def rows(program: Running) -> list[str]:
    """Return the first word of each row below the heading."""
    lines = program.words.rstrip("\n").splitlines()
    heading = next(at for at, line in enumerate(lines) if "calls failed" in line and "median" in line)
    return [line.split()[0] for line in lines[heading + 1 :] if line]


@asynccontextmanager
async def opened(explorer: Explorer, words: str = "") -> AsyncIterator[Running]:
    """Open the statistics of a filter, and wait until all is counted."""
    wanted = HistoryFilter.around(words, "staging", now=START)
    screen = StatisticsScreen(explorer, wanted, PendingKeys(), Frame(zone=UTC, today=START.date()))
    async with showing(OneScreen, screen, (80, 24)) as program:
        await program.sees("▌Statistics")
        await program.until(lambda: "counting" not in program.words.lower())
        await program.pause()
        yield program


async def test_statistics_lead_to_slowest_method_and_its_calls(tmp_path: Path) -> None:
    history = HistoryScreen(recorded(tmp_path), PendingKeys(), Frame(zone=UTC, today=START.date()))
    async with showing(OneScreen, history, (100, 30)) as program:
        await program.sees("6 calls")
        await program.press("s")
        screen = await program.on(StatisticsScreen)
        await program.sees(
            "6 calls · 2 failed: 2 errors · median 34 ms, p95 2.0 s, max 2.0 s",
            "\n12:00:00 12:00:05\n",
            "1 Jun 2025 12:00 · 1 s per bar",
            "\nmethod calls failed 100 ms 1 s median p95 last\n",
            "\nuser.get 2 2 ▇▇▇▇▇▇▇▇ ",
            "\nreport.run 1 ········ ·",
        )
        assert rows(program) == ["ping", "user.get", "report.run"]
        await program.press("down", "s")
        assert (rows(program)[0], screen.list.cursor) == ("user.get", 0)
        await program.press("s")
        assert rows(program) == ["report.run", "user.get", "ping"]
        await program.press("left_square_bracket")
        assert rows(program) == ["result", "-32602"]
        await program.press("right_square_bracket", "enter")
        await program.sees("▌History", "method:=report.run", "1 found")
        await program.press("escape")  # from the calls of one row to all of them
        await program.sees("▌History 6 calls")
        assert "method:=report.run" not in program.words


async def test_counting_goes_on_to_the_end_and_says_why_it_stopped(tmp_path: Path) -> None:
    many, explorer = AT_ONCE * 2 + 1, recorded(tmp_path)

    def records(*_: object, **__: object) -> Iterator[Exchange | Damaged | None]:
        yield Damaged("a.toml", "torn", "x")
        yield None
        for number in range(many):
            yield exchange(number)
        raise UserError("cannot read it: the disk reports an error")

    explorer.history.search_in_steps = records  # type: ignore[method-assign]
    async with opened(explorer) as program:
        for _tab in range(3):
            words = program.words.replace("\n", " ")
            assert f"{many} calls · none failed · median" in words
            assert "1 damaged record is not counted" in words
            assert "cannot read it: the disk reports an error" in words
            await program.press("right_square_bracket")


async def test_unwritten_call_is_counted(tmp_path: Path) -> None:
    explorer = recorded(tmp_path)
    explorer.history.unsaved += [exchange(7, method="ping"), exchange(8, profile="prod")]
    async with opened(explorer) as program:
        assert "7 calls" in program.words


async def test_filter_without_matches_is_reported(tmp_path: Path) -> None:
    async with opened(recorded(tmp_path), "method:nobody") as program:
        await program.sees("No calls match the filter. Press Esc, then / to change it.", "method contains “nobody”")
        assert "per bar" not in program.words
        await program.press("enter", "escape")
        await program.misses("▌Statistics")
