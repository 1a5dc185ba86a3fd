"""What a finished call prints: data on stdout, everything else on stderr."""

from __future__ import annotations

import re
from enum import Enum
from typing import TYPE_CHECKING

from rpcexplorer.auth.registry import KINDS
from rpcexplorer.cli.world import World
from rpcexplorer.model.batch import parts_of
from rpcexplorer.model.exchange import Cancelled, Exchange, Preview, Refused
from rpcexplorer.rpc.messages import ErrorObject, Malformed, Result
from rpcexplorer.views.batches.words import failed_count, failed_lines
from rpcexplorer.views.printable import printable, printable_bytes
from rpcexplorer.views.terminal import highlighted
from rpcexplorer.views.words.sentences import SIGNS, outcome_line, transport_line

if TYPE_CHECKING:
    from rpcexplorer.explorer import Explorer

NAMED = re.compile(rb"\xab([\w.-]+|not recorded)\xbb")
"""The name that stands for a secret, as Latin-1: it is ours, and goes out as UTF-8."""


class Part(Enum):
    """What of a reply goes to stdout."""

    RESULT = "result"
    ENVELOPE = "envelope"
    BODY = "body"


def show(world: World, exchange: Exchange, part: Part, *, include: bool) -> None:
    """Print an exchange: what came on stdout, what to know about it on stderr."""
    for note in exchange.notes:
        world.say(note)
    if include and exchange.response.status is not None:
        _head(world, exchange)
    match exchange.outcome:
        case Result(value=value) if part is Part.RESULT:
            json(world, value)
        case ErrorObject(value=value) if part is Part.RESULT and value.lstrip().startswith(b"["):
            json(world, value)  # a batch in which some calls failed: the others have results
        case Malformed() if (
            part is Part.RESULT and exchange.kind == "batch" and exchange.response.body[:1] in {b"[", b"{"}
        ):
            json(world, exchange.response.body)  # or in which some got no reply
        case _ if part is not Part.RESULT and exchange.response.body:
            _body(world, exchange, part)
    for remark in exchange.remarks:
        world.say(f"note: {remark}")
    words = ""
    if exchange.kind == "batch":
        parts = parts_of(exchange)
        for line in failed_lines(parts):
            world.say(line)
        words = failed_count(parts) if parts.apart else ""
    if exchange.exit_code:
        _failure(world, exchange, words)


def advise(world: World, exchange: Exchange, explorer: Explorer) -> None:
    """Say what may help a call that failed, with the commands that do it."""
    profile = explorer.profile
    if exchange.exit_code == 0 or profile is None:
        return
    from rpcexplorer.client.hints import hint_for  # a call that succeeds needs none of it
    from rpcexplorer.views.words.hints import hint_told

    hint = hint_for(exchange, profile, KINDS, variables=explorer.credentials.from_environment(profile))
    if hint and (hint.tests or not isinstance(exchange.outcome, Refused)):  # most refusals name a command
        world.say(hint_told(hint))


def json(world: World, text: bytes) -> None:
    """JSON for whoever reads stdout: a person gets it laid out and safe, a program gets the server's bytes."""
    if world.shows:
        world.print(highlighted(text, colour=world.colours))
    else:
        world.write(text + b"\n")


def json_line(world: World, text: bytes) -> None:
    """One line of JSON, with nothing in it that a terminal would obey."""
    world.print(printable(text.decode())) if world.shows else world.write(text + b"\n")


def show_preview(world: World, preview: Preview | Refused) -> int:
    """Print the request to come; the exit code."""
    if isinstance(preview, Refused):
        world.say(preview.sentence)
        return 3 if preview.why == "credentials" else 2
    if preview.logs_in_first:
        world.say("there is no session yet: a login would go ahead of this request")
    lines = [preview.line, *(f"{name}: {value}" for name, value in preview.headers), ""]
    for line in lines:
        world.print(printable(line))
    json(world, preview.body)
    for remark in preview.remarks:
        world.say(f"note: {remark}")
    if preview.doubt:
        world.say(preview.doubt)
    return 2 if preview.doubt else 0


def _head(world: World, exchange: Exchange) -> None:
    response = exchange.response
    lines = [f"{response.version} {response.status} {response.reason}".rstrip()]
    lines += [f"{name}: {value}" for name, value in response.headers]
    for line in (*lines, ""):
        # headers came as latin-1 and leave as the same bytes, unless a person reads them or a secret was in them
        if world.shows:
            world.print(printable(line))
        else:
            world.write(NAMED.sub("«\\1»".encode(), line.encode("latin-1", errors="replace")) + b"\n")


def _body(world: World, exchange: Exchange, part: Part) -> None:
    body = exchange.response.body
    if part is Part.ENVELOPE and isinstance(exchange.outcome, Result | ErrorObject):
        json(world, body)
    elif world.shows:
        world.print(printable_bytes(body))
    else:
        world.write(body)


def _failure(world: World, exchange: Exchange, words: str = "") -> None:
    """Print how a call failed; ``words`` replace an outcome that other lines have shown."""
    outcome = f"{SIGNS[exchange.outcome_name]} {words}" if words else outcome_line(exchange)
    match exchange.outcome:
        case Refused(sentence=sentence):
            world.say(sentence)
            return
        case ErrorObject(data=data):
            world.say(f"{outcome}  {transport_line(exchange)}".rstrip())
            if data is not None:
                world.say(f"data: {highlighted(data, colour=False)}")
        case Cancelled(maybe_ran=maybe_ran):
            world.say("cancelled" + ("; the server may have run it" if maybe_ran else "; nothing was run"))
        case _:
            world.say(f"{outcome}  {transport_line(exchange)}".rstrip())
    hint = ""
    if exchange.response.body and exchange.outcome_name in {"unreached", "cancelled", "malformed"}:
        hint = f"; {len(exchange.response.body):,} bytes of a body came: add --body to see them"
    world.say(f"called {exchange.url}{hint}")
