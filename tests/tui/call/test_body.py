"""The response body: a large one is laid out in pieces."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from msgspec.structs import replace

from rpcexplorer.explorer import Explorer
from rpcexplorer.jsontext import slices
from rpcexplorer.model.exchange import Exchange
from rpcexplorer.model.profile import Profile
from rpcexplorer.rpc.messages import ErrorObject, Result
from rpcexplorer.text import document_rows
from rpcexplorer.text.document import Document
from rpcexplorer.tui import key_queue
from rpcexplorer.tui.call import body as body_module
from rpcexplorer.tui.call import response
from rpcexplorer.tui.call.body import Body
from rpcexplorer.tui.call.response import ResponsePane
from rpcexplorer.tui.call.state import OfferedHint, Running
from rpcexplorer.tui.widgets import reader as reader_module
from rpcexplorer.tui.widgets.bars import Bar
from rpcexplorer.tui.widgets.reader import Reader
from rpcexplorer.tui.widgets.rows import Sheet
from tests.text.exchanges import exchange as call
from tests.tui.stage import Staged, response_pane, staged, text_of


def exchange(value: object) -> Exchange:
    text = json.dumps(value).encode()
    return call(Result(memoryview(text)), body=text)


@asynccontextmanager
async def received(value: object) -> AsyncIterator[tuple[Body, Staged]]:
    """Show a result in the body alone."""
    body = Body()
    async with staged(body, size=(60, 20)) as program:
        body.exchange = exchange(value)
        yield body, program


@asynccontextmanager
async def answered(explorer: Explorer, value: object) -> AsyncIterator[tuple[ResponsePane, Staged]]:
    """Show a result in the whole pane."""
    pane = response_pane(explorer)
    async with staged(pane, size=(100, 20)) as program:
        pane.exchange = exchange(value)
        await program.pause()
        yield pane, program


@pytest.fixture
def documents(monkeypatch: pytest.MonkeyPatch) -> list[Document]:
    """Make every document large and every step a turn; return those that a reader gets."""
    monkeypatch.setattr(key_queue, "SLICE", 0)
    monkeypatch.setattr(slices, "SLICE", 100)
    monkeypatch.setattr(body_module, "LARGE", 300)
    noted: list[Document] = []
    read = Body._read

    def reading(body: Body, reader: Reader, text: bytes, document: Document) -> None:
        noted.append(document)
        read(body, reader, text, document)

    monkeypatch.setattr(Body, "_read", reading)
    return noted


async def test_large_response_is_shown_before_its_layout_ends(documents: list[Document]) -> None:
    async with received([{"a": number} for number in range(100)]) as (body, program):
        await program.until(lambda: bool(documents) and documents[-1].complete)
        assert [document.complete for document in documents] == [False, True]
        assert body.reader.document is documents[-1]
        assert documents[-1].lines == 302


@pytest.mark.thorough
async def test_new_response_stops_the_layout_of_the_last(documents: list[Document]) -> None:
    async with received(list(range(1000))) as (body, program):
        body.exchange = exchange(["other"] * 500)
        await program.until(lambda: bool(documents) and documents[-1].complete)
        assert all(b"other" in document.text[:] for document in documents)
        assert documents[-1].lines == 502


@pytest.mark.thorough
async def test_stopped_layout_continues_when_shown_again(documents: list[Document]) -> None:
    async with received(list(range(1000))) as (body, program):
        body.tab = "Raw"
        body.tab = "Result"
        await program.until(lambda: bool(documents) and documents[-1].complete)
        assert body.reader.document is documents[-1]
        assert documents[-1].lines == 1002


MANY = 1000
"""Enough items for some steps."""


async def test_body_creates_no_view_before_it_is_needed() -> None:
    body = Body()
    async with staged(body):
        assert [type(view) for view in body.children] == [Sheet]
        body.exchange = exchange([1])
        body.tab = "Headers"
        assert [(type(view), view.display) for view in body.children] == [(Sheet, True), (Reader, False)]


@pytest.mark.thorough
@pytest.mark.parametrize(("line", "then"), [(None, "the end"), (MANY, f"line {MANY + 1:,}")], ids=["end", "line"])
async def test_jump_behind_the_layout_waits_for_it(documents: list[Document], line: int | None, then: str) -> None:
    async with received(list(range(MANY))) as (body, program):
        await program.until(lambda: bool(documents))
        assert body.doing == "formatting"
        if line is None:
            body.reader.action_last()
        else:
            body.reader.go_to(line)
        assert body.doing == f"formatting, then going to {then}"
        assert body.reader.current_line < 100
        await program.until(lambda: not body.doing)
        assert body.reader.current_line == (MANY + 1 if line is None else line)


@pytest.mark.thorough
async def test_folds_of_the_beginning_stay_in_the_whole(documents: list[Document]) -> None:
    async with received([[number] for number in range(MANY)]) as (body, program):
        await program.until(lambda: bool(documents))
        body.reader.fold_all()
        await program.until(lambda: not body.doing)
        assert body.reader.document is documents[-1]
        assert text_of(body.reader).split("\n")[1].endswith("[ 1 item ],")


@pytest.mark.thorough
async def test_match_count_in_the_beginning_is_not_final(documents: list[Document]) -> None:
    async with received(["x"] * MANY) as (body, program):
        await program.until(lambda: bool(documents))
        body.reader.search("x")
        await program.until(lambda: bool(program.of(Reader.Found)) and program.of(Reader.Found)[-1].counted)
        assert not program.of(Reader.Found)[0].counted
        assert program.of(Reader.Found)[-1].total == MANY


async def test_old_error_is_gone_while_a_call_waits(explorer: Explorer, monkeypatch: pytest.MonkeyPatch) -> None:
    failed = replace(exchange(None), outcome=ErrorObject(-1, "no", None, b'{"message": "broken"}'))

    pane = response_pane(explorer)
    async with staged(pane, size=(100, 20)) as program:
        pane.exchange = failed
        pane.offered = OfferedHint([("Ask for it.", "text")], Profile("x", "http://127.0.0.1:9"), None, print)
        await program.pause()
        assert program.text.count("broken") == 1
        monkeypatch.setattr(Running, "seconds", 0.1)
        pane.running = Running(explorer, "sending")
        await program.sees("100 ms")
        monkeypatch.setattr(Running, "seconds", 0.2)
        await program.sees("200 ms")
        assert "broken" in program.text, "a fast call changes nothing else on screen"
        monkeypatch.setattr(Running, "seconds", 1.0)
        await program.sees("appears here as soon as")
        for width in (100, 90):
            await program.resize_terminal(width, 20)
            assert "broken" not in program.text
            assert "Ask for it." not in program.text
        pane.running = None  # no new response
        await program.pause()
        assert program.text.count("broken") == 1
        assert "Ask for it." in program.text


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make folding take many turns, and report it at once."""
    monkeypatch.setattr(key_queue, "SLICE", 0)
    monkeypatch.setattr(document_rows, "_AT_ONCE", 1)
    monkeypatch.setattr(response, "DELAY", 0.001)


FOLDABLE = [[number] for number in range(20_000)]


@pytest.mark.thorough
@pytest.mark.usefixtures("slow")
async def test_slow_folds_are_reported_and_then_shown(explorer: Explorer) -> None:
    async with answered(explorer, FOLDABLE) as (pane, program):
        before = text_of(pane.query_one(Bar))
        pane.action_fold_all()
        await program.until(lambda: "folding …  Esc cancel" in text_of(pane.query_one(Bar)))
        await program.until(lambda: not pane.body.doing)
        await program.pause()
        assert text_of(pane.query_one(Bar)) == before
        assert text_of(pane.body.reader).split("\n")[1].endswith("[ 1 item ],")


@pytest.mark.usefixtures("slow")
async def test_escape_stops_folds_before_it_closes_the_line(explorer: Explorer) -> None:
    async with answered(explorer, FOLDABLE) as (pane, program):
        pane.action_search()
        pane.focus_inside()
        await program.pause()
        shown = text_of(pane.body.reader)
        pane.action_fold_all()
        assert (pane.body.folding, pane.can_cancel) == (True, True)
        pane.cancel()
        assert (pane.body.folding, pane.prompt.is_open, pane.can_cancel) == (False, True, True)
        await program.pause()
        assert text_of(pane.body.reader) == shown
        pane.cancel()
        assert not pane.can_cancel


async def test_long_search_shows_progress_until_its_line_closes(
    explorer: Explorer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(key_queue, "SLICE", 0)
    monkeypatch.setattr(reader_module, "TYPING_SECONDS", 0)
    monkeypatch.setattr(reader_module, "REPORT_SECONDS", 0)
    monkeypatch.setattr(reader_module, "STEP", 1000)

    async with answered(explorer, ["needle"] * 20_000) as (pane, program):
        pane.action_search()
        pane.body.reader.search("needle")
        await program.until(lambda: text_of(pane.prompt.query_one(".state")).endswith("+"))
        assert any(worker.group == "count" and worker.is_running for worker in program.app.workers)
        pane.cancel()
        await program.pause()
        assert not any(worker.group == "count" and worker.is_running for worker in program.app.workers)
