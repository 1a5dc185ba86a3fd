"""The body of a response: a large one is there piece by piece, and only the last one that was asked for."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass, field
from datetime import UTC, datetime

import pytest

from rpcexplorer.model.exchange import Exchange, Response, Result
from rpcexplorer.protocol import slices
from rpcexplorer.tui.widgets import body as body_module
from rpcexplorer.tui.widgets.body import Body
from rpcexplorer.tui.widgets.reader import Reader
from rpcexplorer.views.document import Document
from tests.tui.stage import Stage
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
    """What a reader was given, in turn."""

    documents: list[Document] = field(default_factory=list)


@pytest.fixture
def watched(monkeypatch: pytest.MonkeyPatch) -> Watched:
    """Everything is large, and every document is noted."""
    monkeypatch.setattr(slices, "SLICE", 100)
    monkeypatch.setattr(body_module, "LARGE", 300)
    noted = Watched()
    read = Body._read

    def reading(body: Body, reader: Reader, text: bytes, document: Document | None) -> None:
        if document is not None:
            noted.documents.append(document)
        read(body, reader, text, document)

    monkeypatch.setattr(Body, "_read", reading)
    return noted


def test_a_large_reply_is_on_view_before_it_is_laid_out_to_its_end(watched: Watched) -> None:
    async def run() -> None:
        stage = Stage(body := Body())
        async with stage.run_test(size=(60, 20)) as pilot:
            body.exchange = exchange([{"a": number} for number in range(100)])
            await until(pilot, lambda: bool(watched.documents) and watched.documents[-1].complete)
            assert [document.complete for document in watched.documents] == [False, True]
            assert body.reader.document is not None
            assert body.reader.document.lines == 302

    asyncio.run(run())


def test_another_reply_ends_the_laying_out_of_the_one_before(watched: Watched) -> None:
    async def run() -> None:
        stage = Stage(body := Body())
        async with stage.run_test(size=(60, 20)) as pilot:
            body.exchange = exchange(list(range(1000)))
            body.exchange = exchange(["other"] * 500)
            await until(pilot, lambda: bool(watched.documents) and watched.documents[-1].complete)
            assert all(b"other" in document.text for document in watched.documents)
            assert body.reader.document is not None
            assert body.reader.document.lines == 502

    asyncio.run(run())


def test_what_was_left_before_its_end_is_laid_out_when_it_is_looked_at_again(watched: Watched) -> None:
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
