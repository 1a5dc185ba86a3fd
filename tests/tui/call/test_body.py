"""The response body: a large one is laid out in pieces."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass, field
from datetime import UTC, datetime

import pytest
from msgspec.structs import replace

from rpcexplorer.explorer import Explorer
from rpcexplorer.jsontext import slices
from rpcexplorer.model.exchange import Exchange
from rpcexplorer.model.profile import Profile
from rpcexplorer.rpc.messages import ErrorObject, Result
from rpcexplorer.text import document_rows
from rpcexplorer.text.document import Document
from rpcexplorer.transport.port import Response
from rpcexplorer.tui import key_queue
from rpcexplorer.tui.call import body as body_module
from rpcexplorer.tui.call import response
from rpcexplorer.tui.call.body import Body
from rpcexplorer.tui.call.state import OfferedHint, Running
from rpcexplorer.tui.widgets import reader as hits
from rpcexplorer.tui.widgets import reader as reader_module
from rpcexplorer.tui.widgets.bars import Bar
from rpcexplorer.tui.widgets.reader import Reader
from rpcexplorer.tui.widgets.rows import Sheet
from tests.tui.stage import Stage, response_pane, text_of
from tests.tui.waiting import until


def exchange(value: object) -> Exchange:
    text = json.dumps(value).encode()
    return Exchange(
        id="1",
        when=datetime(2025, 1, 1, tzinfo=UTC),
        profile="p",
        url="http://x",
        method="m",
        params="[]",
        kind="call",
        outcome=Result(memoryview(text)),
        response=Response(200, "OK", body=text, size=len(text)),
    )


@dataclass
class Watched:
    """The documents that a reader got, in order."""

    documents: list[Document] = field(default_factory=list)


@pytest.fixture
def watched(monkeypatch: pytest.MonkeyPatch) -> Watched:
    """Make every document large and every step a turn, and record documents."""
    monkeypatch.setattr(key_queue, "SLICE", 0)
    monkeypatch.setattr(slices, "SLICE", 100)
    monkeypatch.setattr(body_module, "LARGE", 300)
    noted = Watched()
    read = Body._read

    def reading(body: Body, reader: Reader, text: bytes, document: Document) -> None:
        noted.documents.append(document)
        read(body, reader, text, document)

    monkeypatch.setattr(Body, "_read", reading)
    return noted


def test_large_response_is_shown_before_its_layout_ends(watched: Watched) -> None:
    async def run() -> None:
        stage = Stage(body := Body())
        async with stage.run_test(size=(60, 20)) as pilot:
            body.exchange = exchange([{"a": number} for number in range(100)])
            await until(pilot, lambda: bool(watched.documents) and watched.documents[-1].complete)
            assert [document.complete for document in watched.documents] == [False, True]
            assert body.reader.document is not None
            assert body.reader.document.lines == 302

    asyncio.run(run())


@pytest.mark.thorough
def test_new_response_stops_the_layout_of_the_last(watched: Watched) -> None:
    async def run() -> None:
        stage = Stage(body := Body())
        async with stage.run_test(size=(60, 20)) as pilot:
            body.exchange = exchange(list(range(1000)))
            body.exchange = exchange(["other"] * 500)
            await until(pilot, lambda: bool(watched.documents) and watched.documents[-1].complete)
            assert all(b"other" in document.text[:] for document in watched.documents)
            assert body.reader.document is not None
            assert body.reader.document.lines == 502

    asyncio.run(run())


@pytest.mark.thorough
def test_stopped_layout_continues_when_shown_again(watched: Watched) -> None:
    async def run() -> None:
        stage = Stage(body := Body())
        async with stage.run_test(size=(60, 20)) as pilot:
            body.exchange = exchange(list(range(1000)))
            body.tab = "Raw"
            body.tab = "Result"
            await until(pilot, lambda: bool(watched.documents) and watched.documents[-1].complete)
            assert body.reader.document is not None
            assert (body.reader.document.complete, body.reader.document.lines) == (True, 1002)

    asyncio.run(run())


MANY = 1000
"""Enough items for some steps."""


def test_body_creates_no_view_before_it_is_needed() -> None:
    async def run() -> None:
        stage = Stage(body := Body())
        async with stage.run_test(size=(60, 20)):
            assert [type(view) for view in body.children] == [Sheet]
            body.exchange = exchange([1])
            body.tab = "Headers"
            assert [(type(view), view.display) for view in body.children] == [(Sheet, True), (Reader, False)]

    asyncio.run(run())


@pytest.mark.thorough
@pytest.mark.parametrize(("line", "then"), [(None, "the end"), (MANY, f"line {MANY + 1:,}")], ids=["end", "line"])
def test_jump_behind_the_layout_waits_for_it(watched: Watched, line: int | None, then: str) -> None:
    async def run() -> None:
        stage = Stage(body := Body())
        async with stage.run_test(size=(60, 20)) as pilot:
            body.exchange = exchange(list(range(MANY)))
            await until(pilot, lambda: bool(watched.documents))
            assert body.doing == "formatting"
            if line is None:
                body.reader.action_last()
            else:
                body.reader.go_to(line)
            assert body.doing == f"formatting, then going to {then}"
            assert body.reader.current_line < 100
            await until(pilot, lambda: not body.doing)
            assert body.reader.current_line == (MANY + 1 if line is None else line)

    asyncio.run(run())


@pytest.mark.thorough
def test_folds_of_the_beginning_stay_in_the_whole(watched: Watched) -> None:
    async def run() -> None:
        stage = Stage(body := Body())
        async with stage.run_test(size=(60, 20)) as pilot:
            body.exchange = exchange([[number] for number in range(MANY)])
            await until(pilot, lambda: bool(watched.documents))
            body.reader.fold_all()
            await until(pilot, lambda: not body.doing)
            assert body.reader.document is watched.documents[-1]
            assert text_of(body.reader).split("\n")[1].endswith("[ 1 item ],")

    asyncio.run(run())


@pytest.mark.thorough
def test_match_count_in_the_beginning_is_not_final(watched: Watched) -> None:
    async def run() -> None:
        stage = Stage(body := Body())
        async with stage.run_test(size=(60, 20)) as pilot:
            body.exchange = exchange(["x"] * MANY)
            await until(pilot, lambda: bool(watched.documents))
            body.reader.search("x")
            await until(pilot, lambda: bool(stage.of(Reader.Found)) and stage.of(Reader.Found)[-1].counted)
            assert not stage.of(Reader.Found)[0].counted
            assert stage.of(Reader.Found)[-1].total == MANY

    asyncio.run(run())


def test_old_error_is_gone_while_a_call_waits(explorer: Explorer, monkeypatch: pytest.MonkeyPatch) -> None:
    failed = replace(exchange(None), outcome=ErrorObject(-1, "no", None, b'{"message": "broken"}'))

    async def run() -> None:
        stage = Stage(pane := response_pane(explorer))
        async with stage.run_test(size=(100, 20)) as pilot:

            def shown() -> str:
                return "\n".join(
                    "".join(piece.text for piece in strip)
                    for strip in stage.screen._compositor.render_strips(stage.size)
                )

            pane.exchange = failed
            pane.offered = OfferedHint([("Ask for it.", "text")], Profile("x", "http://127.0.0.1:9"), None, print)
            await pilot.pause()
            assert shown().count("broken") == 1
            monkeypatch.setattr(Running, "seconds", 0.1)
            pane.running = Running(explorer, "sending")
            await until(pilot, lambda: "100 ms" in shown())
            monkeypatch.setattr(Running, "seconds", 0.2)
            await until(pilot, lambda: "200 ms" in shown())
            assert "broken" in shown(), "a fast call changes nothing else on screen"
            monkeypatch.setattr(Running, "seconds", 1.0)
            await until(pilot, lambda: "appears here as soon as" in shown())
            for width in (100, 90):
                await pilot.resize_terminal(width, 20)
                assert "broken" not in shown()
                assert "Ask for it." not in shown()
            pane.running = None  # no new response
            await pilot.pause()
            assert shown().count("broken") == 1
            assert "Ask for it." in shown()

    asyncio.run(run())


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make folding take many turns, and report it at once."""
    monkeypatch.setattr(key_queue, "SLICE", 0)
    monkeypatch.setattr(document_rows, "_AT_ONCE", 1)
    monkeypatch.setattr(response, "DELAY", 0.001)


FOLDABLE = [[number] for number in range(20_000)]


@pytest.mark.thorough
@pytest.mark.usefixtures("slow")
def test_slow_folds_are_reported_and_then_shown(explorer: Explorer) -> None:
    async def run() -> None:
        stage = Stage(pane := response_pane(explorer))
        async with stage.run_test(size=(100, 20)) as pilot:
            pane.exchange = exchange(FOLDABLE)
            await pilot.pause()
            before = text_of(pane.query_one(Bar))
            pane.action_fold_all()
            await until(pilot, lambda: "folding …  Esc cancel" in text_of(pane.query_one(Bar)))
            await until(pilot, lambda: not pane.body.doing)
            await pilot.pause()
            assert text_of(pane.query_one(Bar)) == before
            assert text_of(pane.body.reader).split("\n")[1].endswith("[ 1 item ],")

    asyncio.run(run())


@pytest.mark.usefixtures("slow")
def test_escape_stops_folds_before_it_closes_the_line(explorer: Explorer) -> None:
    async def run() -> None:
        stage = Stage(pane := response_pane(explorer))
        async with stage.run_test(size=(100, 20)) as pilot:
            pane.exchange = exchange(FOLDABLE)
            await pilot.pause()
            pane.action_search()
            pane.focus_inside()
            await pilot.pause()
            shown = text_of(pane.body.reader)
            pane.action_fold_all()
            assert (pane.body.folding, pane.can_cancel) == (True, True)
            pane.cancel()
            assert (pane.body.folding, pane.prompt.is_open, pane.can_cancel) == (False, True, True)
            await pilot.pause()
            assert text_of(pane.body.reader) == shown
            pane.cancel()
            assert not pane.can_cancel

    asyncio.run(run())


def test_long_search_shows_progress_until_its_line_closes(explorer: Explorer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(key_queue, "SLICE", 0)
    monkeypatch.setattr(reader_module, "TYPING_SECONDS", 0)
    monkeypatch.setattr(reader_module, "REPORT_SECONDS", 0)
    monkeypatch.setattr(hits, "STEP", 1000)

    async def run() -> None:
        stage = Stage(pane := response_pane(explorer))
        async with stage.run_test(size=(100, 20)) as pilot:
            pane.exchange = exchange(["needle"] * 20_000)
            pane.action_search()
            pane.body.reader.search("needle")
            await until(pilot, lambda: text_of(pane.prompt.query_one(".state")).endswith("+"))
            assert any(worker.group == "count" and worker.is_running for worker in stage.workers)
            pane.cancel()
            await pilot.pause()
            assert not any(worker.group == "count" and worker.is_running for worker in stage.workers)

    asyncio.run(run())
