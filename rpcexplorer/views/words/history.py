"""Exchanges of the history as text: one a line in aligned columns, or one of them whole.

Times are shown in the zone of whoever looks. Damaged records are no exchanges; whoever read them shows them.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, tzinfo
from typing import Final

from rpcexplorer.model.exchange import Exchange, OutcomeName
from rpcexplorer.model.filter import YOU
from rpcexplorer.rpc.messages import ErrorObject, Result
from rpcexplorer.transport.port import Phases
from rpcexplorer.views.cells import clipped, columns, fitted
from rpcexplorer.views.ink import BOLD, CAREFUL, DIM, WELL, WRONG, Ink, inked
from rpcexplorer.views.printable import printable
from rpcexplorer.views.terminal import highlighted
from rpcexplorer.views.words.sentences import (
    SIGNS,
    duration,
    explanation,
    outcome_line,
    outcome_words,
    size,
    status_word,
    transport_line,
)

INKS: Final[dict[OutcomeName, Ink]] = {
    "result": WELL,
    "error": WRONG,
    "malformed": WRONG,
    "unreached": WRONG,
    "cancelled": CAREFUL,
    "sent": WELL,
    "refused": CAREFUL,
}
"""The colour of an outcome's sign and words."""
METHOD_COLUMNS: Final = 24
"""A longer method name is cut in a list; on a narrow terminal even at a fifth of the width."""
PROFILE_COLUMNS: Final = 12
"""A longer profile name is cut; on a narrow terminal it has less."""
_STAR = "★"
_TOOK = len("59.9 s ")
_LABEL = len("remarks   ")


def history_line(
    exchange: Exchange,
    width: int,
    *,
    methods: int = METHOD_COLUMNS,
    colour: bool = False,
    zone: tzinfo | None = None,
    writers: bool = False,
) -> str:
    """One exchange: sign, id, method, profile, what came of it, how long it took, when; no more than `width` columns.

    Where ``writers`` are wanted, it says who has recorded it, behind the profile.
    What came of it takes the room that is left, and goes first where there is none.
    """
    sign, ink = SIGNS[exchange.counts_as], INKS[exchange.counts_as]
    id = clipped(exchange.id, 20)
    method = fitted(exchange.method, min(methods, max(width // 5, 8)))
    profile = fitted(exchange.profile, min(PROFILE_COLUMNS, max(width // 11, 6)))
    if writers:
        profile += "  " + fitted(exchange.writer or YOU, min(PROFILE_COLUMNS, max(width // 11, 6)))
    took = duration(exchange.seconds).rjust(_TOOK)
    clock = exchange.when.astimezone(zone).strftime("%H:%M:%S")
    room = width - columns(f"{sign} {id}  {method}  {profile}    {took}  {clock}")
    if room < 0:
        return clipped(f"{sign} {id}  {method}  {profile}  {took}  {clock}", width)
    parts = (
        f"{inked(sign, ink, colour=colour)} {inked(id, DIM, colour=colour)}",
        method,
        inked(profile, DIM, colour=colour),
        _what(exchange, room, colour=colour),
        took,
        inked(clock, DIM, colour=colour),
    )
    return "  ".join(parts)


def _what(exchange: Exchange, room: int, *, colour: bool) -> str:
    """What came of it, then the name it was given, which gets half the room at most."""
    status = exchange.response.status
    told = outcome_words(exchange.outcome)
    if status is not None and not 200 <= status < 300 and not status_word(exchange.outcome):
        told = f"HTTP {status}, {told}"
    told = f"a case, {told}" if exchange.foreign else told
    name = clipped(f"  {_STAR} {exchange.name}", room // 2) if exchange.name else ""
    told = clipped(told, room - columns(name))
    padding = " " * (room - columns(told + name))
    return inked(told, INKS[exchange.counts_as], colour=colour) + inked(name, CAREFUL, colour=colour) + padding


def shown(exchange: Exchange, *, colour: bool = False, zone: tzinfo | None = None) -> str:
    """All there is to know of one exchange: how it ended, the circumstances, what was asked, what was replied."""
    ink = INKS[exchange.counts_as]
    lines = [f"{inked(outcome_line(exchange), ink, colour=colour)}   {transport_line(exchange)}".rstrip()]
    if explained := explanation(exchange.outcome):
        lines.append(inked("  " + explained, DIM, colour=colour))
    lines.append("")
    margin = "\n" + " " * (len("  ") + _LABEL)
    for label, text in _circumstances(exchange, zone):
        told = printable(text, lines=True).replace("\n", margin)
        lines.append(f"  {inked(label.ljust(_LABEL), DIM, colour=colour)}{told}")
    params = exchange.params.strip() or "[]"
    lines += ["", inked("params", BOLD, colour=colour), highlighted(params, colour=colour)]
    if exchange.response.headers:
        lines += ["", inked("headers", BOLD, colour=colour), *_headers(exchange, colour=colour)]
    if reply := _reply(exchange):
        heading = "reply"
        if exchange.response.cut:
            heading += f", the first {size(len(reply))} of {size(exchange.response.size)}"
        lines += ["", inked(heading, BOLD, colour=colour), highlighted(reply, colour=colour)]
    return "\n".join(lines)


def _headers(exchange: Exchange, *, colour: bool) -> Iterator[str]:
    """The reply's, one a line."""
    for name, value in exchange.response.headers:
        yield f"{inked(printable(f'{name}:'), DIM, colour=colour)} {printable(value)}".rstrip()


def _reply(exchange: Exchange) -> bytes:
    """The body as it came; of an exchange without one, what it was understood as."""
    if exchange.response.body or not isinstance(exchange.outcome, Result | ErrorObject):
        return exchange.response.body
    return exchange.outcome.value


def _circumstances(exchange: Exchange, zone: tzinfo | None) -> Iterator[tuple[str, str]]:
    """Labels and texts; a label is empty where it is the one above."""
    response = exchange.response
    fields = {
        exchange.kind: exchange.id,
        "method": exchange.method,
        "name": exchange.name and f"{_STAR} {exchange.name}",
        "note": exchange.note,
        "profile": exchange.profile,
        "url": exchange.url,
        "when": _moment(exchange.when.astimezone(zone)),
        "by": exchange.writer,
        "from": "a case: somebody else has recorded it, on a profile of theirs" if exchange.foreign else "",
        "took": _timing(exchange.seconds, exchange.response.phases),
        "sent": size(exchange.sent) if exchange.sent else "",
        "status": f"{response.version} {response.status} {response.reason}".strip() if response.status else "",
        "proxy": response.proxy or "",
    }
    yield from ((label, text) for label, text in fields.items() if text)
    for label, texts in (("also", exchange.notes), ("remarks", exchange.remarks)):
        yield from ((label if number == 0 else "", text) for number, text in enumerate(texts))


def _moment(when: datetime) -> str:
    return f"{when.day} {when:%b %Y %H:%M:%S %z}".rstrip()


def _timing(seconds: float, phases: Phases) -> str:
    """The whole and its parts: ``34 ms (connect 3 ms, wait 30 ms)``, or ``31 ms (connection kept, wait 30 ms)``."""
    names = {"name": phases.name, "connect": phases.connect, "TLS": phases.tls, "send": phases.send}
    names |= {"wait": phases.wait, "transfer": phases.transfer}
    parts = ["connection kept"] if phases.kept else []
    parts += [f"{name} {duration(took)}" for name, took in names.items() if took is not None]
    return f"{duration(seconds)} ({', '.join(parts)})" if parts else duration(seconds)
