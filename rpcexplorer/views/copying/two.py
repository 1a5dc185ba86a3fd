"""Two calls and what differs between their replies as Markdown, for a ticket."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Final
from urllib.parse import urlsplit

from msgspec.structs import replace

from rpcexplorer.compare.compare import Comparison, compared
from rpcexplorer.jsontext.steps import at_once
from rpcexplorer.model.draft import sent_draft
from rpcexplorer.model.exchange import Exchange, Refused
from rpcexplorer.model.secret import PLACEHOLDER, Secret
from rpcexplorer.redaction.exchange import redacted
from rpcexplorer.rpc.batch import decode_batch
from rpcexplorer.rpc.codec import decode
from rpcexplorer.rpc.messages import Malformed, MessageForm, Result
from rpcexplorer.views.comparing.lines import ComparedLine, compared_lines
from rpcexplorer.views.comparing.summary import names_of, summary
from rpcexplorer.views.copying.snippets import request_told
from rpcexplorer.views.copying.subject import KEPT, Subject
from rpcexplorer.views.copying.ticket import block, code, moment, reply, versions
from rpcexplorer.views.printable import printable
from rpcexplorer.views.words.sentences import duration, outcome_line, transport_line

LINES: Final = 40
"""Of what differs; a person opens the comparison for more."""
WIDEST: Final = 240
"""Characters of such a line."""
EACH: Final = 4_000
"""Characters of each of the two replies."""
_NOT_COMPARED: Final = re.compile(r'^(?:Host|Content-Length): .*\n|"id": ?(?:"[^"\n]*"|-?[0-9]+)', re.MULTILINE)
"""What differs between any two requests."""


def of_two(
    left: Subject, right: Subject, came: tuple[Exchange, Exchange], secrets: Iterable[Secret], ignore: Sequence[str]
) -> bytes:
    """The ticket of two calls and the replies that came. They are compared anew, without their secrets.

    What only may be a secret is seen by whoever made the calls, and by nobody who is sent a ticket.
    """
    secrets = tuple(secrets)
    one, other = (_without(each, of, secrets) for each, of in zip(came, (left, right), strict=True))
    told = ticket_of_two(one, other, at_once(compared(one, other, ignore)), (request_told(left), request_told(right)))
    return told.encode(errors="backslashreplace")


def ticket_of_two(left: Exchange, right: Exchange, comparison: Comparison, requests: tuple[str, str]) -> str:
    """Nothing is hidden here: secrets have to be placeholders already."""
    methods = " and ".join(code(name) for name in dict.fromkeys((left.method, right.method)))
    names = names_of(left, right)
    heads = (_cell(names[0]), _cell(names[1])) if names else ("left", "right")
    sides = (f"in {heads[0]}", f"in {heads[1]}") if names else ("on the left", "on the right")
    references = tuple(map(_references, requests))
    lines = [f"## {methods}: {left.counts_as} and {right.counts_as}", ""]
    lines += [f"| | {heads[0]} | {heads[1]} |", "|---|---|---|"]
    for label, one, other in zip(_FACTS, _facts(left), _facts(right), strict=True):
        lines.append(f"| {label} | {_cell(one)} | {_cell(other)} |")
    if references[0] != references[1]:
        lines.append(f"| Credentials | {references[0]} | {references[1]} |")
    lines += ["", f"- Compared: {code(summary(comparison, names))}", f"- Versions: {code(versions())}"]
    for side, exchange in zip(sides, (left, right), strict=True):
        if exchange.note:
            lines += ["", f"### Note {side}", "", *block(printable(exchange.note, lines=True), "text")]
    if comparison.differences:
        lines += ["", "### What differs", "", *_differences(comparison)]
    lines += _requests((left, right), requests, sides)
    for side, exchange in zip(sides, (left, right), strict=True):
        lines += ["", f"### Response {side}", "", *reply(exchange, EACH)]
    return "\n".join(lines)


def _references(request: str) -> str:
    """Return the secret references that a request was sent with."""
    return ", ".join(map(_cell, sorted({found[0] for found in PLACEHOLDER.finditer(request)}))) or "none"


def _comparable(request: str) -> str:
    """Return a request without what differs for each call and server, and without whose secrets it has."""
    return PLACEHOLDER.sub(r"«\g<field>»", _NOT_COMPARED.sub("", request))


def _requests(calls: tuple[Exchange, Exchange], requests: tuple[str, str], sides: tuple[str, str]) -> Iterator[str]:
    """What was sent on each side, once where it is the same; of what was not sent, why."""
    drafts = [(each.kind, each.method, sent_draft(each).text) for each in calls]
    whys = [each.outcome.sentence if isinstance(each.outcome, Refused) else "" for each in calls]
    is_same = drafts[0] == drafts[1] and _comparable(requests[0]) == _comparable(requests[1])
    told = zip(sides, whys, requests, strict=True)
    for side, why, request in [("on both sides", whys[0], requests[0])] if is_same and whys[0] == whys[1] else told:
        yield from ("", f"### Request {side}", "")
        if why:
            yield f"It was not sent: {code(why)}"
        if not why or all(whys) or not is_same:  # else the other side has it
            yield from (*[""] * bool(why), *block(printable(request, lines=True), "http", EACH))


def _without(exchange: Exchange, of: Subject, secrets: tuple[Secret, ...]) -> Exchange:
    """The exchange without what may be a secret, its result read anew from the body that is left."""
    kept = redacted(exchange, KEPT, of.profile, secrets)
    if of.exchange is not None:
        kept = replace(kept, name=of.exchange.name, note=of.exchange.note)
    if not isinstance(kept.outcome, Result) or kept.response.cut or kept.response.body == exchange.response.body:
        return kept
    form, body = MessageForm(kept.envelope), kept.response.body
    read = decode_batch(body, (), form) if kept.kind == "batch" else decode(body, None, form)
    return replace(kept, outcome=read if isinstance(read, Result) else Malformed("It could not be read without them."))


_FACTS: Final = ("Profile", "Host", "Outcome", "Transport", "Took", "When", "Id")


def _facts(exchange: Exchange) -> Iterator[str]:
    yield exchange.profile
    yield urlsplit(exchange.url).netloc or exchange.url
    yield outcome_line(exchange)
    yield transport_line(exchange)
    yield duration(exchange.seconds)
    yield moment(exchange)
    yield exchange.id


def _cell(text: str) -> str:
    """A table ends a cell at a bar, in code as well."""
    return code(text).replace("|", "\\|") if text else ""


def _differences(comparison: Comparison) -> Iterator[str]:
    lines = [printable(line) for line in _told(compared_lines(comparison))]
    shown = [line if len(line) <= WIDEST else f"{line[:WIDEST]} ⋯" for line in lines[:LINES]]
    yield from block("\n".join(shown), "diff")
    if len(lines) > LINES:
        yield ""
        yield f"Cut here: {LINES} of {len(lines):,} lines are shown."


def _told(lines: Sequence[ComparedLine]) -> Iterator[str]:
    """As a diff has them: of each difference all that stands on the left, then all that stands on the right."""
    for (_, kind), run in groupby(lines, key=lambda line: (line.difference, line.kind)):
        pairs = [(line.left, line.right, f"   ({line.note})" if line.note else "") for line in run]
        if kind in {"equal", "fold", "note"}:
            yield from (f"  {left}" for left, _, _ in pairs)
            continue
        before, after = ("~ ", "~ ") if kind in {"ignored", "hidden"} else ("- ", "+ ")
        yield from (f"{before}{left}" for left, _, _ in pairs if left is not None)
        yield from (f"{after}{right}{note}" for left, right, note in pairs if right is not None)
