"""The transform between a response and its view."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager

import pytest

from rpcexplorer.explorer import Explorer
from rpcexplorer.rpc.messages import ErrorObject, Result
from rpcexplorer.tui.call import response
from rpcexplorer.tui.call.response import ResponsePane
from rpcexplorer.tui.call.state import Running
from rpcexplorer.tui.widgets.bars import WarningLines
from tests.text.exchanges import exchange
from tests.tui.stage import Staged, response_pane, staged

Output = tuple[bytes, str, bool]


class Transforms:
    """A response, and programs that end when the test says so."""

    def __init__(self, pane: ResponsePane, program: Staged) -> None:
        self.pane, self.program = pane, program
        self.press = program.press
        self.running: list[asyncio.Future[Output]] = []

    async def transform(self, *_: object) -> Output:
        self.running.append(asyncio.get_running_loop().create_future())
        return await self.running[-1]

    async def type_in(self, key: str, text: str) -> None:
        """Press the key of the filter or the command, and enter a text."""
        count = len(self.running)
        await self.press(key, *["backspace"] * 5, *text, "enter")
        await self.program.until(lambda: len(self.running) > count)

    async def end(self, text: bytes, sentence: str, *, is_wrong: bool = False) -> None:
        self.running[-1].set_result((text, sentence, is_wrong))
        await self.program.until(lambda: "running …" not in self.banner)

    @property
    def banner(self) -> str:
        return " ".join(str(line.render()) for line in self.pane.query(WarningLines) if line.display)

    @property
    def shown(self) -> bytes:
        return bytes(self.pane.body.shown)


Transforming = Callable[[], AbstractAsyncContextManager[Transforms]]


@pytest.fixture
def transforming(explorer: Explorer, monkeypatch: pytest.MonkeyPatch) -> Transforming:
    monkeypatch.setattr(response, "PAUSE", 3_600)  # Only Enter runs what is typed, however slow the keys are.

    @asynccontextmanager
    async def open_pane() -> AsyncIterator[Transforms]:
        pane = response_pane(explorer)
        async with staged(pane, size=(100, 20)) as program:
            at = Transforms(pane, program)
            monkeypatch.setattr("rpcexplorer.tui.processes.transform", at.transform)
            pane.exchange = exchange(Result(b"[1]"))
            pane.focus_inside()
            await program.pause()
            yield at

    return open_pane


async def test_transform_banner_names_expression_and_state(transforming: Transforming) -> None:
    async with transforming() as at:
        assert at.banner == ""
        await at.type_in("vertical_line", "sort")
        assert at.banner == " FILTERING   | sort   running …  Esc cancel"
        await at.end(b"1", "made by sort")
        assert (at.shown, at.banner) == (b"1", " FILTERED   | sort   made by sort")
        await at.press("o")
        assert (at.shown, at.banner) == (b"[1]", "")


async def test_failed_transform_leaves_the_view(transforming: Transforming) -> None:
    async with transforming() as at:
        await at.type_in("f", ".x[")
        await at.end(b"", "jq: unclosed", is_wrong=True)
        assert (at.shown, at.banner) == (b"[1]", " NOT FILTERED   .x[   jq: unclosed")
        await at.type_in("f", ".a")
        await at.end(b"1", "")
        await at.type_in("f", ".x[")
        await at.end(b"", "jq: unclosed", is_wrong=True)
        assert (at.shown, at.banner) == (b"1", " FILTERED   .a   .x[: jq: unclosed")
        await at.type_in("f", ".a")
        await at.end(b"1", "")
        assert at.banner == " FILTERED   .a"
        await at.press("f")
        assert (at.pane.prompt.text, at.banner) == (".a", " FILTERED ")
        await at.press("escape")
        assert at.banner == " FILTERED   .a"


async def test_late_result_of_another_transform_is_ignored(transforming: Transforming) -> None:
    async with transforming() as at:
        await at.type_in("f", ".a")
        await at.type_in("f", ".b")
        assert at.running[0].cancelled()
        await at.press("f", "backspace", "backspace", "enter")
        await at.program.until(at.running[1].cancelled)
        assert (at.shown, at.banner) == (b"[1]", "")


async def test_error_that_was_removed_returns_without_its_transform(
    transforming: Transforming, explorer: Explorer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Running, "seconds", 1.0)

    async with transforming() as at:
        at.pane.exchange = exchange(ErrorObject(-1, "no", None, b'{"message": "broken"}'))
        await at.type_in("f", ".a")
        await at.end(b"1", "")
        assert at.shown == b"1"
        at.pane.running = Running(explorer, "discovering")
        await at.program.until(lambda: not at.shown)
        assert at.banner == ""
        at.pane.running = None
        assert at.shown == b'{"message": "broken"}'
        assert "FILTERED" not in at.banner


async def test_transform_given_up_keeps_the_text_before(transforming: Transforming) -> None:
    async with transforming() as at:
        await at.type_in("f", ".a")
        at.pane.cancel()
        assert (at.shown, at.banner) == (b"[1]", "")
        await at.type_in("f", ".a")
        await at.end(b"1", "")
        await at.type_in("f", ".b")
        at.pane.cancel()
        assert at.shown == b"1"
        assert "FILTERED   .a   .b: cancelled: this is the previous output" in at.banner
