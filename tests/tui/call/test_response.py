"""The transform between a response and its view."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import pytest
from textual.pilot import Pilot

from rpcexplorer.explorer import Explorer
from rpcexplorer.rpc.messages import ErrorObject, Result
from rpcexplorer.tui.call import response
from rpcexplorer.tui.call.response import ResponsePane
from rpcexplorer.tui.call.state import Running
from rpcexplorer.tui.widgets.bars import WarningLines
from tests.text.exchanges import exchange
from tests.tui.stage import Stage, response_pane
from tests.tui.waiting import until

Output = tuple[bytes, str, bool]


class Story:
    """A response, and programs that end when the story says so."""

    def __init__(self, pane: ResponsePane, pilot: Pilot[None]) -> None:
        self.pane, self.pilot = pane, pilot
        self.running: list[asyncio.Future[Output]] = []

    async def program(self, *_: object) -> Output:
        self.running.append(asyncio.get_running_loop().create_future())
        return await self.running[-1]

    async def type_in(self, key: str, text: str) -> None:
        """Press the key of the filter or the command, and enter a text."""
        count = len(self.running)
        await self.pilot.press(key, *["backspace"] * 5, *text, "enter")
        await until(self.pilot, lambda: len(self.running) > count)

    async def end(self, text: bytes, sentence: str, *, is_wrong: bool = False) -> None:
        self.running[-1].set_result((text, sentence, is_wrong))
        await until(self.pilot, lambda: "running …" not in self.banner)

    @property
    def banner(self) -> str:
        return " ".join(str(line.render()) for line in self.pane.query(WarningLines) if line.display)

    @property
    def shown(self) -> bytes:
        return bytes(self.pane.body.shown)


@pytest.fixture
def play(explorer: Explorer, monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[Story], Awaitable[None]]], None]:
    monkeypatch.setattr(response, "PAUSE", 3_600)  # Only Enter runs what is typed, however slow the keys are.

    def played(scene: Callable[[Story], Awaitable[None]]) -> None:
        async def run() -> None:
            stage = Stage(pane := response_pane(explorer))
            async with stage.run_test(size=(100, 20)) as pilot:
                story = Story(pane, pilot)
                monkeypatch.setattr("rpcexplorer.tui.processes.transform", story.program)
                pane.exchange = exchange(Result(b"[1]"))
                pane.focus_inside()
                await pilot.pause()
                await scene(story)

        asyncio.run(run())

    return played


Play = Callable[[Callable[[Story], Awaitable[None]]], None]


def test_transform_banner_names_expression_and_state(play: Play) -> None:
    async def scene(story: Story) -> None:
        assert story.banner == ""
        await story.type_in("vertical_line", "sort")
        assert story.banner == " FILTERING   | sort   running …  Esc cancel   o\xa0original"
        await story.end(b"1", "made by sort")
        assert (story.shown, story.banner) == (b"1", " FILTERED   | sort   made by sort   o\xa0original")
        await story.pilot.press("o")
        assert (story.shown, story.banner) == (b"[1]", "")

    play(scene)


def test_failed_transform_leaves_the_view(play: Play) -> None:
    async def scene(story: Story) -> None:
        await story.type_in("f", ".x[")
        await story.end(b"", "jq: unclosed", is_wrong=True)
        assert (story.shown, story.banner) == (b"[1]", " NOT FILTERED   .x[   jq: unclosed   o\xa0original")
        await story.type_in("f", ".a")
        await story.end(b"1", "")
        await story.type_in("f", ".x[")
        await story.end(b"", "jq: unclosed", is_wrong=True)
        assert (story.shown, story.banner) == (b"1", " FILTERED   .a   .x[: jq: unclosed   o\xa0original")

    play(scene)


def test_late_result_of_another_transform_is_ignored(play: Play) -> None:
    async def scene(story: Story) -> None:
        await story.type_in("f", ".a")
        await story.type_in("f", ".b")
        assert story.running[0].cancelled()
        await story.pilot.press("f", "backspace", "backspace", "enter")
        await until(story.pilot, story.running[1].cancelled)
        assert (story.shown, story.banner) == (b"[1]", "")

    play(scene)


def test_error_that_was_removed_returns_without_its_transform(
    play: Play, explorer: Explorer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Running, "seconds", 1.0)

    async def scene(story: Story) -> None:
        story.pane.exchange = exchange(ErrorObject(-1, "no", None, b'{"message": "broken"}'))
        await story.type_in("f", ".a")
        await story.end(b"1", "")
        assert story.shown == b"1"
        story.pane.running = Running(explorer, "discovering")
        await until(story.pilot, lambda: not story.shown)
        assert story.banner == ""
        story.pane.running = None
        assert story.shown == b'{"message": "broken"}'
        assert "FILTERED" not in story.banner

    play(scene)


def test_transform_given_up_keeps_the_text_before(play: Play) -> None:
    async def scene(story: Story) -> None:
        await story.type_in("f", ".a")
        story.pane.cancel()
        assert (story.shown, story.banner) == (b"[1]", "")
        await story.type_in("f", ".a")
        await story.end(b"1", "")
        await story.type_in("f", ".b")
        story.pane.cancel()
        assert story.shown == b"1"
        assert "FILTERED   .a   .b: cancelled: this is the previous output" in story.banner

    play(scene)
