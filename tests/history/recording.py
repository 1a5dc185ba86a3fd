"""Helpers: calls to record, and calls as a record returns them."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from pathlib import Path

from msgspec.structs import replace

from rpcexplorer.model.exchange import Damaged, Exchange
from rpcexplorer.rpc.codec import decode
from rpcexplorer.rpc.messages import Malformed, make_id
from rpcexplorer.transport.port import Response

START = datetime(2025, 6, 1, 12, 0, tzinfo=UTC)


def exchange(number: int = 0, reply: str = '{"jsonrpc":"2.0","id":"1","result":"pong"}', **given: object) -> Exchange:
    """Return a call that began ``number`` seconds after ``START``."""
    when = START + timedelta(seconds=number)
    body = reply.encode()
    one = Exchange(
        id=make_id(int(when.timestamp() * 1000), number),
        when=when,
        profile="staging",
        url="https://staging.example.com/api/v2/",
        method="ping",
        params="[]",
        kind="call",
        outcome=decode(body, None),
        seconds=0.034,
        sent=60,
        response=Response(200, "OK", body=body, size=len(body)),
    )
    return replace(one, **given)


def id_of(number: int) -> str:
    """Return the id of the call with this number."""
    return exchange(number).id


def as_recorded(one: Exchange) -> Exchange:
    """Return the call as its record returns it.

    A record has times in milliseconds, and no kind of a malformed response.
    """
    response = replace(one.response, version="", proxy=None)
    when = one.when.astimezone(UTC)
    outcome = replace(one.outcome, kind="") if isinstance(one.outcome, Malformed) else one.outcome
    return replace(
        one,
        outcome=outcome,
        when=when.replace(microsecond=when.microsecond // 1000 * 1000),
        seconds=round(one.seconds * 1000, 3) / 1000,
        response=response,
    )


def sound(found: Iterable[Exchange | Damaged]) -> list[str]:
    """Return the ids of the readable calls."""
    return [one.id for one in found if isinstance(one, Exchange)]


def damaged(found: Iterable[Exchange | Damaged]) -> list[Damaged]:
    """Return the damaged records."""
    return [one for one in found if isinstance(one, Damaged)]


def contents(folder: Path) -> dict[str, bytes]:
    """Return the contents of all files of a folder, without locks."""
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir()) if not path.name.endswith(".lock")}
