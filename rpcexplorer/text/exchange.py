"""An exchange in words: outcome, transport, timing, request, batch."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from datetime import tzinfo
from itertools import pairwise
from math import isfinite
from typing import TYPE_CHECKING, Final

from msgspec import Struct
from msgspec.structs import replace

from rpcexplorer.jsontext.scan import LOOSE_STRING
from rpcexplorer.model.exchange import (
    OUTCOME_LABELS,
    Cancelled,
    Exchange,
    Outcome,
    OutcomeName,
    Preview,
    Refused,
    Sent,
    ServerEvent,
    Unreached,
)
from rpcexplorer.model.problem import capitalised, counted
from rpcexplorer.patterns import regex
from rpcexplorer.rpc.messages import RESERVED, ErrorObject, Malformed, Result, explain
from rpcexplorer.text.printable import clipped, columns, printable, printable_bytes, readable
from rpcexplorer.text.wrapping import WordLine, shortened
from rpcexplorer.transport.port import Phases, Progress

if TYPE_CHECKING:
    from rpcexplorer.jsontext.edit import Path
    from rpcexplorer.jsontext.scan import Span
    from rpcexplorer.model.batch import BatchParts

SIGNS: Final[dict[OutcomeName, str]] = {
    "result": "✓",
    "error": "✗",
    "malformed": "!",
    "unreached": "⨯",  # noqa: RUF001 - the sign is meant
    "cancelled": "◌",
    "sent": "→",
    "event": "←",
    "refused": "!",
}
ROLES: Final[dict[OutcomeName, str]] = {
    "result": "well",
    "error": "wrong",
    "malformed": "wrong",
    "unreached": "wrong",
    "cancelled": "careful",
    "sent": "well",
    "event": "well",
    "refused": "careful",
}
"""The colour of an outcome; a sign and a word say the same."""
SHORT_OUTCOMES: Final = {
    "malformed": "malformed",
    "unreached": OUTCOME_LABELS["unreached"],
    "cancelled": "cancelled",
    "refused": "not sent",
}
"""Outcomes whose sentence has a line of its own."""
STEP_WORDS: Final = {
    "connecting": "connecting",
    "tls": "TLS handshake",
    "sending": "sending",
    "waiting": "waiting for the response",
    "receiving": "receiving",
}
TRACK_COLUMNS: Final = 26
MIN_TRACK_COLUMNS: Final = 6
MAX_METHOD_COLUMNS: Final = 24
MAX_PROGRESS_COLUMNS: Final = 44
MIN_OUTCOME_COLUMNS: Final = 12
"""Columns reserved for the outcome, enough for ``error -32601``."""
MAX_OUTCOME_CHARACTERS: Final = 300
"""Characters of an outcome's words that are looked at; no row shows more."""
LABEL_COLUMNS: Final = 18
DOTS: Final = "••••••••"
"""Shown for any secret. The length is always the same."""
MAX_COLOURED_CHARACTERS: Final = 200_000
_MARGIN: Final = ("  ", "text")
_SECRET = regex(r"«([^«»]+\.[A-Za-z_]+)»")
_COOKIE_VALUE = regex("=[^;]*")
_STATUS_WORD = regex(r"HTTP \d{3} ([A-Z][A-Za-z ]+): ")
"""Beginning of a sentence that explains an HTTP status."""


def outcome_line(exchange: Exchange) -> str:
    """Return sign and words: ``✗ error -32602 Invalid params``."""
    return f"{SIGNS[exchange.counts_as]} {outcome_words(exchange.outcome)}"


def outcome_words(outcome: Outcome) -> str:
    match outcome:
        case Result(message=""):
            return "result"
        case Result(message=message):
            return f"tool failed: {printable(message)}"
        case ErrorObject(code=code, message=message):
            name = printable(message) or RESERVED.get(code or 0, ("",))[0]
            words = f"error {'without code' if code is None else code}"
            return f"{words} {name}" if name else words
        case Malformed(reason=reason):
            return printable(reason) if status_word(outcome) else f"malformed: {printable(reason)}"
        case Unreached(sentence=sentence):
            return f"no response: {printable(sentence)}"
        case Cancelled(maybe_ran=maybe_ran):
            return "cancelled, but the server may have run it" if maybe_ran else "cancelled"
        case Sent():
            return "sent"
        case ServerEvent(answer=answer):
            return "event, answered" if answer else "event"
        case Refused(sentence=sentence):
            return f"not sent: {printable(sentence)}"


def status_word(outcome: Outcome) -> str:
    """Return the word of an HTTP status without a reply, or nothing."""
    if isinstance(outcome, Malformed):
        found = _STATUS_WORD.match(outcome.reason)
        if found:
            return found[1]
    return ""


def transport_line(exchange: Exchange) -> str:
    """Return ``HTTP 200 · 34 ms · 1.2 kB``; empty if nothing was sent."""
    if isinstance(exchange.outcome, Refused):
        return ""
    if exchange.kind == "event":
        return size(exchange.response.size)
    status, received = exchange.response.status, received_words(exchange)
    parts = [duration(exchange.seconds)]
    if status is not None:
        parts.insert(0, f"HTTP {status}")
    if received:
        parts.append(received)
    return " · ".join(parts)


def received_words(exchange: Exchange) -> str:
    """Return the size of the response, and whether it is incomplete; empty without one."""
    outcome, response = exchange.outcome, exchange.response
    if response.status is None and not response.size:
        return ""
    is_incomplete = isinstance(outcome, Unreached | Cancelled)
    if isinstance(outcome, Unreached) and outcome.step == "upgrade":
        is_incomplete = response.header("Content-Length") != str(response.size)
    return f"{size(response.size)}, incomplete" if is_incomplete else size(response.size)


def explanation(outcome: Outcome) -> str:
    """Return the meaning of an error's code, with its name if the message lacks it."""
    if not isinstance(outcome, ErrorObject):
        return ""
    explained = explain(outcome.code)
    name, _, meaning = explained.partition(": ")
    if meaning and outcome.message.lower().startswith(name.lower()):
        return meaning
    return explained


def duration(seconds: float) -> str:
    if not isfinite(seconds):
        return "? s"
    milliseconds = max(seconds, 0) * 1000
    if 0.05 <= milliseconds < 0.95:
        return f"{milliseconds:.1f} ms"
    if milliseconds < 999.5:
        return f"{milliseconds:.0f} ms"
    if seconds < 59.95:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest} s"
    return f"{minutes // 60} h {minutes % 60} min"


def size(count: int) -> str:
    """Spell bytes in decimal units: ``512 B``, ``1.2 kB``, ``38 MB``."""
    if count < 1000:
        return f"{count} B"
    amount, unit = count / 1000, "kB"
    for larger in ("MB", "GB", "TB"):
        if amount < 999.5:
            break
        amount, unit = amount / 1000, larger
    return f"{amount:.1f} {unit}" if amount < 9.95 else f"{amount:.0f} {unit}"


def age(seconds: float) -> str:
    whole = int(max(seconds, 0))
    if whole < 60:
        return f"{whole} s"
    if whole < 60 * 60:
        return f"{whole // 60} min"
    days = whole // (24 * 60 * 60)
    return f"{days} days" if days > 1 else f"{whole // (60 * 60)} h"


def times(name: str, count: int) -> str:
    return f"{name} ({count:,} times)" if count > 1 else name


def ended(exchange: Exchange, room: int) -> list[tuple[str, str]]:
    """Return sign and word; without room for a message only the code."""
    name = exchange.counts_as
    role, word = ROLES[name], in_short(exchange)
    if columns(word) > max(room, MIN_OUTCOME_COLUMNS):
        word = " ".join(word.split(" ")[:2]).rstrip(":")
    return [(f"{SIGNS[name]} ", role), (word, f"{role} bold")]


def in_short(exchange: Exchange) -> str:
    """Return the outcome without the sentence that ``reason`` has."""
    return status_word(exchange.outcome) or SHORT_OUTCOMES.get(exchange.outcome_name) or outcome_words(exchange.outcome)


def reason(exchange: Exchange) -> str:
    """Return the sentence that ``in_short`` leaves out, or nothing."""
    if exchange.outcome_name not in SHORT_OUTCOMES:
        return ""
    if isinstance(exchange.outcome, Cancelled):
        return "The server may have run it." if exchange.outcome.maybe_ran else ""
    sentence = outcome_words(exchange.outcome)
    if status_word(exchange.outcome):
        sentence = capitalised(sentence.partition(": ")[2])
    return sentence.removeprefix(f"{SHORT_OUTCOMES[exchange.outcome_name]}: ")


def transport_pieces(exchange: Exchange, method: str, usual: float | None = None) -> list[tuple[str, str]]:
    """Return the method, if it is another one, and the transport.

    Of a result, there are also the phases, and the ``usual`` duration.
    """
    pieces = []
    if exchange.method not in {method, ""}:
        pieces += [("  of ", "middle"), (clipped(exchange.method, MAX_METHOD_COLUMNS), "careful")]
    if exchange.outcome_name != "result":
        transport = transport_line(exchange)
        return [*pieces, (f"   {transport}" if transport else "", "middle")]
    status, took = exchange.response.status, duration(exchange.seconds)
    pieces.append((f"   {status} · {took}" if status else f"   {took}", "middle"))
    pieces += phase_strip(exchange)
    if usual is not None:
        role = duration_role(exchange, usual)
        pieces.append((f"  usual {usual_words(usual, took)}", role if role == "careful" else "middle"))
    received = received_words(exchange)
    return [*pieces, (f" · {received}" if received else "", "middle")]


def usual_words(usual: float, took: str) -> str:
    """Return the usual duration after another one, whose unit need not be said again."""
    number, _, unit = duration(usual).partition(" ")
    return number if took.endswith(f" {unit}") and number.isdecimal() else f"{number} {unit}"


PHASE_ROLES: Final = {
    "name lookup": "json-literal",
    "connect": "json-key",
    "TLS": "json-number",
    "send": "json-string",
    "wait": "accent",
    "transfer": "well",
    "other": "middle",
}
"""The colours of phases."""
REUSED: Final = "connection"
"""In place of the phases of a new connection."""
OTHER_SHARE: Final = 0.01
"""A smaller part of the time that no phase explains is not shown."""
MAX_COLUMNS: Final = 1000
RULER_SECONDS: Final = 2
"""A longer call has a ruler in seconds."""


def phase_strip(exchange: Exchange) -> list[tuple[str, str]]:
    """Return a bar for each of connecting, sending, waiting, transfer and other time; nothing if none is known."""
    from rpcexplorer.text.lanes import level  # no start needs it

    parts = dict.fromkeys(("connect", "send", "wait", "transfer", "other"), 0.0)
    phases = bars(exchange.response.phases, exchange.seconds, MAX_COLUMNS)
    if not phases:
        return []
    for phase in phases:
        name = "connect" if phase.label in {"name lookup", "TLS"} else phase.label
        if name in parts:
            parts[name] += phase.length
    cells = [(level(share, 1), PHASE_ROLES[name]) for name, share in parts.items()]
    return [(" ▏", "line"), *cells, ("▏", "line")]


def remark_pieces(exchange: Exchange, room: int) -> list[tuple[str, str]]:
    """Return the lines below the outcome: message, meaning, warnings."""
    pieces: list[tuple[str, str]] = []
    sentence, explained = outcome_words(exchange.outcome), explanation(exchange.outcome)
    if exchange.outcome_name in SHORT_OUTCOMES:
        if sentence := reason(exchange):
            pieces.append((sentence, "text"))
        if exchange.outcome_name in {"malformed", "unreached"}:
            pieces.append((f"called {printable(exchange.url)}", "middle"))
    elif columns(sentence) > max(room, MIN_OUTCOME_COLUMNS):
        message = " ".join(sentence.split(" ")[2:])
        if not explained.lower().startswith(message.lower()):
            pieces.append((message, "text"))
    if explained:
        pieces.append((explained, "middle"))
    if isinstance(exchange.outcome, ServerEvent):
        answer = exchange.outcome.answer[:MAX_OUTCOME_CHARACTERS]
        if answer:
            pieces.append((f"answered: {printable(answer)}", "text"))
        pieces += [(words, "middle") for words in event_circumstances(exchange.outcome).values()]
    pieces += [(note, "middle") for note in exchange.notes]
    pieces += [(remark, "careful") for remark in exchange.remarks]
    if exchange.response.cut:
        pieces.append((f"only the first {size(len(exchange.response.body))} of the response were recorded", "careful"))
    if exchange.response.proxy:
        pieces.append((f"through the proxy {exchange.response.proxy}", "middle"))
    return pieces


def event_circumstances(event: ServerEvent) -> dict[str, str]:
    """Return what a record knows about an event, by a label."""
    words = {}
    if event.of:
        words["of"] = f"sent for the call {printable(event.of[:MAX_OUTCOME_CHARACTERS])}"
    if event.missed:
        words["missed"] = f"{counted(event.missed, 'event')} before it not recorded"
    return words


def running(
    what: str, method: str, progress: Progress | None, elapsed: float, *, step: str = "", room: int = sys.maxsize
) -> list[tuple[str, str]]:
    """Return the running step, its time, bytes so far, and a progress bar that ends within the room.

    ``step`` is the progress of a run of several calls.
    """
    if progress is not None and not step:
        what = STEP_WORDS.get(progress.step, what)
    detail = clipped(step, MAX_PROGRESS_COLUMNS) if step else clipped(method, MAX_METHOD_COLUMNS)
    words = [("◐ ", "careful"), (what, "careful bold")]
    if detail:
        words.append((f"  {detail}", "middle"))
    words.append((f"   {duration(elapsed)}", "text"))
    if progress is None or not progress.received:
        return words
    if not progress.total:
        return [*words, (f"  ·  {size(progress.received)}", "text")]
    words.append((f"  ·  {size(progress.received)} of {size(progress.total)}  ", "text"))
    track = min(TRACK_COLUMNS, room - sum(columns(text) for text, _ in words))
    if track < MIN_TRACK_COLUMNS:
        return words
    done = round(min(progress.received / progress.total, 1) * track)
    return [*words, ("━" * done, "accent"), ("━" * (track - done), "line")]


def nothing(exchange: Exchange | None, what: str) -> list[WordLine]:
    """Return why there is no response to show; ``what`` is running."""
    if what:
        return [[], [("      The response appears here as soon as it is complete.", "dim")]]
    if exchange is None:
        return []
    words = {
        "sent": "The server sends no response to a notification.",
        "unreached": "Press F5 to resend the call.",
        "cancelled": "Press F5 to resend the call.",
        "refused": "The call was not sent, only requests before it." if exchange.seconds else "Nothing was sent.",
    }.get(exchange.outcome_name, "The response has no body.")
    return [[], [(f"      {words}", "dim")]]


def request_lines(preview: Preview | Refused | None, marked: Path = ()) -> list[WordLine]:
    """Return the page for a request, or the reason why there is none."""
    if preview is None:
        return [[_MARGIN, ("The next request will be shown here.", "dim")]]
    if isinstance(preview, Refused):
        return [
            [_MARGIN, (f"{SIGNS['refused']} ", "careful bold"), (printable(preview.sentence), "text")],
            [],
            [_MARGIN, ("Nothing would be sent.", "dim")],
        ]

    remarks = [printable(remark) for remark in preview.remarks]
    log_in = "There is no session yet, so rpcexplorer logs in first." if preview.logs_in_first else ""
    lines: list[WordLine] = []
    for sentences in ([printable(preview.doubt)], remarks, [log_in]):
        warnings = [sentence for sentence in sentences if sentence]
        lines += [[_MARGIN, ("! ", "careful bold"), (sentence, "careful")] for sentence in warnings]
        if warnings:
            lines.append([])
    lines += _head_of_request(preview)
    text = readable(preview.body)
    if text is None:  # not ours to send, but nothing that is shown may fail
        return [*lines, *([_MARGIN, (row, "text")] for row in printable_bytes(preview.body).splitlines())]
    from rpcexplorer.jsontext.edit import span_of  # the list of methods shows no request

    place = None
    if marked:  # The params have one name or another, as the envelope has it.
        places = [span_of(text, (around, *marked)) for around in ("params", "arguments", "content")]
        place = next(filter(None, places), None)
    lines.append([_MARGIN, *_body_pieces(text, place)])
    names = dict.fromkeys(found[1] for found in _SECRET.finditer(text))
    if names:
        lines.append([])
    lines += [[_MARGIN, (f"{DOTS} {printable(name)}", "dim")] for name in names]
    return lines


def snippet_lines(snippet: str | Refused, language: str) -> list[WordLine]:
    """Return the page for a call as code to run elsewhere, or the reason why there is none."""
    if isinstance(snippet, Refused):
        return request_lines(snippet)
    from rpcexplorer.text.code import code_lines  # no start needs it

    return [[_MARGIN, *line] for line in code_lines(snippet, language)]


def _head_of_request(preview: Preview) -> list[WordLine]:
    """Return the lines above the message, the last one empty; without HTTP there may be none."""
    lines: list[WordLine] = []
    for label, value in preview.facts:
        lines.append([_MARGIN, (f"{printable(label)}: ", "dim"), (printable(value), "text")])
    if preview.facts:
        lines.append([])
    if preview.line:
        lines.append([_MARGIN, (printable(preview.line), "bold")])
    for name, value in preview.headers:  # Headers are shown as they are sent, before encoding.
        secrets = "".join(f"  {printable(found[1])}" for found in _SECRET.finditer(value))
        words = [(printable(name), "json-key"), (": ", "dim"), (_hidden(value), "text"), (secrets, "dim")]
        lines.append([_MARGIN, *words])
    if preview.line or preview.headers:
        lines.append([])
    return lines


def _body_pieces(text: str, marked: Span | None) -> Iterator[tuple[str, str]]:
    """Yield the text in colours, with the marked span underlined."""
    from rpcexplorer.text.json_text import coloured  # no start needs it

    first, last = marked or (0, 0)
    at = 0
    rest = (text[MAX_COLOURED_CHARACTERS:], "json-string")
    for piece, role in (*coloured(text[:MAX_COLOURED_CHARACTERS]), rest):
        end = at + len(piece)
        cuts = [cut for cut in (first, last) if at < cut < end]
        for begin, until in pairwise([at, *cuts, end]):
            underline = " underline" if first <= begin < last else ""
            yield _hidden(text[begin:until]), role + underline
        at = end


def _hidden(text: str) -> str:
    return _SECRET.sub(DOTS, printable(text))


def headers_page(exchange: Exchange) -> list[WordLine]:
    """Return status line, headers, and other facts of the transport."""
    response = exchange.response
    if response.status is None:
        return [[("  No HTTP response, so there are no headers.", "dim")], [], *_facts(exchange)]
    status = f"{response.version} {response.status} {response.reason}".strip()
    lines: list[WordLine] = [[_MARGIN, (status, "bold")], []]
    if not response.headers:
        lines.append([("  No headers were received or recorded.", "dim")])
    widest = min(max((len(name) for name, _ in response.headers), default=0), 30)
    for name, value in response.headers:
        shown = value
        if name.lower() == "set-cookie":  # A session, which other people in the room must not read.
            shown = _COOKIE_VALUE.sub(f"={DOTS}", value, count=1)
        lines.append([(f"  {name:<{widest}}", "json-key"), _MARGIN, (shown, "text")])
    return [*lines, [], *_facts(exchange)]


TOOK_COLUMNS: Final = 10
"""Columns after a bar for its duration."""


def timing_page(exchange: Exchange, width: int, usual: float | None = None) -> list[WordLine]:
    """Return the phases as bars below a ruler, and the whole above the usual duration."""
    from rpcexplorer.text.lanes import ruler, thin_bar

    seconds = exchange.seconds if isfinite(exchange.seconds) else 0.0
    room = max(width - LABEL_COLUMNS - TOOK_COLUMNS, 10)
    phases = bars(exchange.response.phases, seconds, room)
    whole = max(seconds, sum(_finite(exchange.response.phases).values()))
    end = max(whole, usual or 0.0)
    part = whole / end if end else 0.0

    def row(label: str, start: float, length: float, took: str, role: str) -> WordLine:
        blanks, bar = thin_bar(start * part, length * part, room)
        return [(f"  {label:<{LABEL_COLUMNS - 2}}", "middle"), (blanks, "text"), (bar, role), (f" {took}", "text")]

    lines: list[WordLine] = []
    if end:
        numbers = ruler(room, end, "s") if end > RULER_SECONDS else ruler(room, end * 1000, "ms")
        lines.append([(" " * LABEL_COLUMNS + numbers, "dim")])
    for phase in phases:
        if phase.label == REUSED:
            lines.append([(f"  {phase.label:<{LABEL_COLUMNS - 2}}", "middle"), (phase.took, "text")])
        else:
            lines.append(row(phase.label, phase.start, phase.length, phase.took, PHASE_ROLES[phase.label]))
    if not phases:
        lines.append([("  Only the total time is known.", "dim")])
    lines += [[], row("total", 0.0, 1.0, duration(exchange.seconds), "text")]
    if usual is not None:
        lines.append(row("usual", 0.0, usual / whole if whole else 1.0, duration(usual), "dim"))
    return lines


def facts(exchange: Exchange, zone: tzinfo | None = None) -> dict[str, str]:
    """Return what is known of a recorded call, by label."""
    response = exchange.response
    found = {
        "profile": exchange.profile,
        "url": exchange.url,
        "when": f"{exchange.when.astimezone(zone):%Y-%m-%d %H:%M:%S %z}",
        "by": exchange.writer,
        "took": "" if exchange.kind == "event" else duration(exchange.seconds),
        "sent": size(exchange.sent) if exchange.sent else "",
        "received": "" if response.status is None else size(response.size),
        "kind": exchange.kind,
        "id": exchange.id,
        "proxy": response.proxy or "",
    }
    return {label: text for label, text in found.items() if text}


def _facts(exchange: Exchange) -> list[WordLine]:
    found = facts(exchange)
    labels = [label for label in ("sent", "received", "when", "id", "proxy") if label in found]
    return [[(f"  {label:<{LABEL_COLUMNS - 2}}", "dim"), (found[label], "text")] for label in labels]


def measured(phases: Phases) -> dict[str, float]:
    """Return the seconds of each measured phase, by its name."""
    named = {
        "name lookup": phases.name,
        "connect": phases.connect,
        "TLS": phases.tls,
        "send": phases.send,
        "wait": phases.wait,
        "transfer": phases.transfer,
    }
    return {name: took for name, took in named.items() if took is not None}


def _finite(phases: Phases) -> dict[str, float]:
    return {name: max(took, 0.0) for name, took in measured(phases).items() if isfinite(took)}


class PhaseBar(Struct, frozen=True):
    label: str
    start: float
    length: float
    """Its share of the whole, or the smallest that can be seen."""
    took: str


def bars(phases: Phases, seconds: float, width: int) -> list[PhaseBar]:
    """Return a bar for each measured phase, to be drawn in `width` columns.

    A kept connection comes first and took no time. Time that no phase explains comes last: a login, or our own.
    """
    parts = list(_finite(phases).items())
    explained = sum(took for _, took in parts)
    whole = explained
    if isfinite(seconds):
        whole = max(explained, seconds)
    if parts and whole - explained > OTHER_SHARE * whole:
        parts.append(("other", whole - explained))
    least = 1 / (8 * max(width, 1))
    found, at = [], 0.0
    if phases.kept:
        found.append(PhaseBar(REUSED, 0.0, 0.0, "reused"))
    for label, took in parts:
        share = took / whole if whole else 0.0
        found.append(PhaseBar(label, at, max(share, least), duration(took)))
        at += share
    return found


def unusual_status(exchange: Exchange) -> str:
    """Return ``HTTP 502`` if the status means no success and no word says so."""
    status = exchange.response.status
    if status is None or 200 <= status < 300 or status_word(exchange.outcome):
        return ""
    return f"HTTP {status}"


def outcome_cell(exchange: Exchange) -> WordLine:
    """Return the outcome for a column whose heading says the rest."""
    outcome, response, status = exchange.outcome, exchange.response, unusual_status(exchange)
    if isinstance(outcome, ServerEvent):
        return [(event_words(exchange)[:MAX_OUTCOME_CHARACTERS], "middle"), (f"  {size(response.size)}", "dim")]
    words = []
    if exchange.kind == "notification":
        words.append(("notification ", "middle"))
    if status:
        words.append((f"{status}, ", "middle"))
    match outcome:
        case Result():
            return [*words, ("result", "middle"), (f"  {size(response.size)}", "dim")]
        case ErrorObject(code=int(code)):
            message = outcome_words(outcome).removeprefix(f"error {code}")
            return [*words, (str(code), "wrong"), (message[:MAX_OUTCOME_CHARACTERS], "middle")]
        case Malformed(reason=reason) if reason:
            sentence = reason.removeprefix("The response is ").removeprefix("The reply is ")
        case _:
            sentence = outcome_words(outcome)
    return [*words, (sentence[:MAX_OUTCOME_CHARACTERS], "middle")]


_TELLING: Final = 10**8
"""Longer error codes are not shown in a word: they say no more, and need much room."""


def outcome_word(exchange: Exchange) -> tuple[str, str]:
    """Return the outcome of a call in a word of at most nine columns, with its role.

    It is the duration of a result, the code of an error, or the name of the outcome.
    """
    match exchange.outcome:
        case Result(message=""):
            return duration(exchange.seconds), "middle"
        case ErrorObject(code=int(code)) if abs(code) < _TELLING:
            return str(code), "wrong"
        case Unreached():
            return "no resp.", "wrong"
    word = f"HTTP {exchange.response.status}" if status_word(exchange.outcome) else OUTCOME_LABELS[exchange.counts_as]
    return word, ROLES[exchange.counts_as]


SLOW: Final = 2
"""A call that took this many times the usual duration is marked as slow."""


def duration_role(exchange: Exchange, usual: float | None) -> str:
    """Return the colour of a duration: that of a failure, or of a slow call."""
    if exchange.counts_as != "result":
        return ROLES[exchange.counts_as]
    is_slow = usual is not None and exchange.seconds > SLOW * usual
    return "careful" if is_slow else "text"


def event_words(event: Exchange) -> str:
    """Return the outcome of an event with its remark, which a list shows instead of a method."""
    return ": ".join([outcome_words(event.outcome), *map(printable, event.remarks)])


def failed_lines(parts: BatchParts) -> Iterator[str]:
    """Yield a line for each failed call and unexpected response.

    Yield nothing if all calls share the outcome of the batch.
    """
    if not parts.apart:
        return
    for number, call in enumerate(parts.calls, start=1):
        if call.exit_code:
            yield f"call {number}, {printable(call.method)}: {part_words(call)}"
    for reply in parts.unexpected:
        yield f"{printable(reply.remarks[0])}: {outcome_words(reply.outcome)}"


def failed_count(parts: BatchParts) -> str:
    """Count the failed calls, and those without a response."""
    awaited = [call for call in parts.calls if not isinstance(call.outcome, Sent)]
    failed = [call for call in awaited if call.exit_code]
    missing = sum(isinstance(call.outcome, Malformed) and not call.response.body for call in failed)
    parts_of = []
    for count, words in ((len(failed) - missing, "failed"), (missing, "got no response")):
        if count:
            parts_of.append(f"{count} of {counted(len(awaited), 'call')} {words}")
    return ", ".join(parts_of)


def part_words(call: Exchange) -> str:
    if isinstance(call.outcome, Malformed) and not call.response.body:
        return call.outcome.reason.rstrip(".")
    if isinstance(call.outcome, Sent):
        return "sent, no response is expected"
    return outcome_words(call.outcome)


def kind_word(*, notification: bool) -> str:
    return "notification" if notification else "call"


MAX_PARAMS_CHARACTERS: Final = 400
"""Characters of params that a row can show."""


def on_one_line(params: str) -> str:
    return printable(" ".join(params[:MAX_PARAMS_CHARACTERS].split())) or "[]"


_TOKEN: Final = regex(rf'{LOOSE_STRING}|[\[\]{{}}:,]|[^\s\[\]{{}}:,"]+')
_PLAIN_NAME: Final = regex(r'"([A-Za-z_][A-Za-z0-9_.-]*)"')
_CLOSERS: Final = {"[": "]", "{": "}"}


def short_params(params: str, *, with_names: bool = True) -> str:
    """Return params for a narrow column: ``page 8 count 20``, or ``8 20`` without names.

    Outer brackets, colons, commas, and quotes of plain names are left out; values are spelled as they were typed.
    """
    tokens = _TOKEN.findall(params[:MAX_PARAMS_CHARACTERS])
    if len(tokens) > 2 and tokens[0] in _CLOSERS:
        if tokens[-1] == _CLOSERS[tokens[0]]:
            tokens.pop()
        tokens.pop(0)
    words = ""
    for at, token in enumerate(tokens):
        if token in {":", ","}:
            continue
        is_name = tokens[at + 1 : at + 2] == [":"]
        if is_name and not with_names:
            continue
        word = _PLAIN_NAME.sub(r"\1", token) if is_name else token
        is_joined = words.endswith(("[", "{")) or token in {"]", "}"}
        words += word if is_joined or not words else f" {word}"
    return printable(words)


def params_words(call: Exchange) -> str:
    """Return the params of a recorded call in short; of a batch, whose params are its calls, only its kind."""
    return "batch" if call.kind == "batch" else short_params(call.params)


def fitting_params(call: Exchange, room: int) -> str:
    """Return the params of a recorded call in short, without their names if there is little room."""
    words = params_words(call)
    if columns(words) <= room or call.kind == "batch":
        return words
    return short_params(call.params, with_names=False)


def outcome_pieces(call: Exchange, room: int) -> WordLine:
    """Return sign and outcome of a call of a batch; the kind has its own column."""
    name = call.outcome_name
    words = outcome_cell(replace(call, kind="call"))
    if isinstance(call.outcome, Malformed) and not call.response.body:
        words = [(part_words(call), "middle")]
    return shortened([(f"{SIGNS[name]} ", ROLES[name]), *words], room)
