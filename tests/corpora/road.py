"""The way of a call from the wire to the disk and back, with all checks.

One explorer is enough for thousands of calls: its server answers with the body in ``Road.reply``, over sockets or
without them. This module has no tests.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, get_args
from unicodedata import category

from rpcexplorer.explorer import Explorer
from rpcexplorer.export.report import call_report
from rpcexplorer.history.folder import History
from rpcexplorer.model.draft import Batch, Draft, draft_of, kind_of
from rpcexplorer.model.exchange import Exchange, Outcome, Preview, Refused
from rpcexplorer.model.profile import Profile
from rpcexplorer.rpc.messages import ErrorObject, Result
from rpcexplorer.text.document import Document
from rpcexplorer.text.document_rows import Rows, path_at
from rpcexplorer.text.exchange import outcome_line, transport_line
from rpcexplorer.text.history import history_line, shown
from rpcexplorer.text.json_text import highlighted
from rpcexplorer.text.table import Table
from rpcexplorer.transport.port import Request, Response
from tests.fakes.explorer import open_explorer
from tests.fakes.memory import MemoryTransport
from tests.fakes.wire import RawServer, http_reply

ID: Final = "k7"
ROWS: Final = 60
"""Rows that are read from either end of a document."""
_INK = re.compile(r"\x1b\[[0-9;]*m")
_UNSEEN = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}


class Road:
    """An explorer with a server that answers with a given body."""

    def __init__(self, explorer: Explorer, profile: Profile, runner: asyncio.Runner) -> None:
        self.explorer, self.profile, self._runner = explorer, profile, runner
        self.reply = b""
        """The body of the next response."""
        self.requests: list[bytes] = []
        """The bodies that arrived at the server."""

    def answer(self, request: bytes) -> bytes:
        """Answer as the server."""
        self.requests.append(request)
        return self.reply

    def send(self, draft: Draft | Batch) -> tuple[Exchange, bytes]:
        """Send the draft; return the exchange and the body at the server."""
        exchange = self._runner.run(self.explorer.call(draft, id=ID))
        assert type(exchange.outcome) in get_args(Outcome)
        assert not isinstance(exchange.outcome, Refused), exchange.outcome
        return exchange, self.requests[-1]

    def reloaded(self) -> Exchange:
        """Return the newest exchange, read from disk as another program does."""
        (found,) = History(self.explorer.history.folder).newest(1)
        assert isinstance(found, Exchange), found
        return found

    def round_trip(self, draft: Draft | Batch) -> Exchange:
        """Send, look, record and reload a draft; check every step."""
        return self._round_trip(draft)[0]

    def _round_trip(self, draft: Draft | Batch) -> tuple[Exchange, Exchange]:
        exchange, request = self.send(draft)
        assert exchange.response.body == self.reply
        look_at(exchange)
        again = self.reloaded()
        assert again.outcome == exchange.outcome
        assert again.response.body == exchange.response.body
        assert (again.method, again.params, again.kind) == (exchange.method, exchange.params, exchange.kind)
        restored = draft_of(again)
        assert (restored.text, kind_of(restored)) == (draft.text, kind_of(draft))
        coming = self.explorer.preview(restored, id=ID)
        assert isinstance(coming, Preview)
        assert coming.body == request
        return exchange, again

    def round_trip_twice(self, draft: Draft | Batch) -> Exchange:
        """Do the same, and then resend the reloaded draft."""
        exchange, again = self._round_trip(draft)
        repeated, request = self.send(draft_of(again))
        assert request == self.requests[-2]
        assert repeated.outcome == exchange.outcome
        return exchange


@contextmanager
def wired(folder: Path) -> Iterator[Road]:
    """Yield a road over real sockets, with a history in an empty folder."""
    ways: list[Road] = []
    with (
        RawServer(lambda request: http_reply(ways[0].answer(request.body))) as server,
        _road(folder, server.origin) as way,
    ):
        ways.append(way)
        yield way


@contextmanager
def short(folder: Path, more: str = "", **environment: str) -> Iterator[Road]:
    """Yield a road without sockets, for cases that do not depend on them."""
    with _road(folder, "http://127.0.0.1:9", more, **environment) as way:

        def answer(request: Request) -> Response:
            body = way.answer(request.body)
            return Response(200, "OK", "HTTP/1.1", (), body, len(body))

        way._runner.run(way.explorer.client_of(way.profile))._transport = MemoryTransport(answer)
        yield way


@contextmanager
def _road(folder: Path, origin: str, more: str = "", **environment: str) -> Iterator[Road]:
    explorer = open_explorer(folder, f'[profile.shop]\nurl = "{origin}"\n{more}', **environment)
    profile = explorer.use("shop")
    with asyncio.Runner() as runner:
        yield Road(explorer, profile, runner)
        runner.run(explorer.__aexit__())


def unseen(text: str) -> set[str]:
    """Return characters that a terminal interprets or hides, by Unicode.

    Line breaks and colours are allowed.
    """
    return {char for char in set(_INK.sub("", text)) - {"\n", "\t"} if category(char) in _UNSEEN}


def look_at(exchange: Exchange) -> None:
    """Put an exchange through every view that shows one."""
    for text in _views(exchange):
        assert unseen(text) == set(), text[:200]
    assert "\n" not in outcome_line(exchange) + transport_line(exchange) + history_line(exchange, 80)


def _views(exchange: Exchange) -> Iterator[str]:
    yield from (
        outcome_line(exchange),
        transport_line(exchange),
        history_line(exchange, 80),
        shown(exchange, colour=True),
    )
    yield call_report(exchange.method, exchange.profile, exchange.url, exchange.params, exchange)
    yield highlighted(exchange.response.body)
    yield from _pages(Document.raw(exchange.response.body))
    if isinstance(exchange.outcome, Result | ErrorObject):
        yield from _pages(Document.of_json(exchange.outcome.value))
        if table := Table.of(exchange.outcome.value):
            yield from _cells(table)


def _pages(document: Document) -> Iterator[str]:
    for wrap in (None, 40):
        rows = Rows(document, wrap=wrap)
        yield from (rows.row(index, 0, 200).text for index in _ends(rows.count))
        if document.is_json:
            rows.fold_to(1)
            yield from (rows.row(index, 0, 200).text for index in _ends(rows.count))
    if document.is_json:
        yield from (path_at(document, line) for line in _ends(document.lines))


def _ends(count: int) -> Iterable[int]:
    return sorted({*range(min(count, ROWS)), *range(max(count - ROWS, 0), count)})


def _cells(table: Table) -> Iterator[str]:
    yield from (column.name for column in table.columns)
    yield from (
        table.cell(row, column).text for row in range(min(table.rows, ROWS)) for column in range(len(table.columns))
    )
