"""The history and its statistics in words and rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import date, datetime, timedelta, tzinfo
from typing import Final, TypeAlias

from msgspec import Struct

from rpcexplorer.history.statistics import Chart, Figures, Grouping, Statistics
from rpcexplorer.model.exchange import OUTCOME_LABELS, OUTCOMES, Damaged, Exchange, ServerEvent
from rpcexplorer.model.filter import YOU, Bounds, HistoryFilter
from rpcexplorer.model.problem import counted
from rpcexplorer.rpc.messages import ErrorObject, Result
from rpcexplorer.text.exchange import (
    ROLES,
    SIGNS,
    duration,
    event_circumstances,
    event_words,
    explanation,
    outcome_line,
    outcome_words,
    size,
    status_word,
    transport_line,
)
from rpcexplorer.text.json_text import BOLD, CAREFUL, DIM, WELL, WRONG, Ink, highlighted, inked
from rpcexplorer.text.printable import clipped, columns, fitted, printable

INKS: Final[dict[str, Ink]] = {"well": WELL, "wrong": WRONG, "careful": CAREFUL}
METHOD_COLUMNS: Final = 24
PROFILE_COLUMNS: Final = 12
"""A longer profile name is cut; on a narrow terminal it has less."""
_STAR = "★"
_TOOK = len("59.9 s ")
_LABEL = len("warnings  ")


def history_line(
    exchange: Exchange,
    width: int,
    *,
    methods: int = METHOD_COLUMNS,
    colour: bool = False,
    zone: tzinfo | None = None,
    writers: bool = False,
    whole: bool = False,
) -> str:
    """Return one exchange as a line of at most ``width`` columns.

    It has sign, id, method, profile, outcome, duration and time. With ``writers`` it also names who recorded the call.
    The outcome gets the remaining columns and is dropped first. A name gets at most half of them. With ``whole``,
    method, outcome and name are not cut, and the line gets longer.
    """
    sign, ink = SIGNS[exchange.counts_as], INKS[ROLES[exchange.counts_as]]
    id = clipped(exchange.id, 20)
    least = min(methods, max(width // 5, 8))
    method = fitted(exchange.method, max(least, columns(printable(exchange.method)) if whole else 0))
    profile = fitted(exchange.profile, min(PROFILE_COLUMNS, max(width // 11, 6)))
    if writers:
        profile += "  " + fitted(exchange.writer or YOU, min(PROFILE_COLUMNS, max(width // 11, 6)))
    took = ("" if exchange.kind == "event" else duration(exchange.seconds)).rjust(_TOOK)
    clock = exchange.when.astimezone(zone).strftime("%H:%M:%S")
    room = width - columns(f"{sign} {id}  {method}  {profile}    {took}  {clock}")
    if room < 0 and not whole:
        return clipped(f"{sign} {id}  {method}  {profile}  {took}  {clock}", width)
    status = exchange.response.status
    outcome = event_words(exchange) if exchange.kind == "event" else outcome_words(exchange.outcome)
    if status is not None and not 200 <= status < 300 and not status_word(exchange.outcome):
        outcome = f"HTTP {status}, {outcome}"
    outcome = f"imported, {outcome}" if exchange.foreign else outcome
    name = f"  {_STAR} {printable(exchange.name)}" if exchange.name else ""
    if not whole:
        name = clipped(name, room // 2)
        outcome = clipped(outcome, room - columns(name))
    padding = " " * (room - columns(outcome + name))
    parts = (
        f"{inked(sign, ink, colour=colour)} {inked(id, DIM, colour=colour)}",
        method,
        inked(profile, DIM, colour=colour),
        inked(outcome, ink, colour=colour) + inked(name, CAREFUL, colour=colour) + padding,
        took,
        inked(clock, DIM, colour=colour),
    )
    return "  ".join(parts)


def shown(exchange: Exchange, *, colour: bool = False, zone: tzinfo | None = None) -> str:
    """Return all facts of an exchange, with request and response."""
    ink = INKS[ROLES[exchange.counts_as]]
    lines = [f"{inked(outcome_line(exchange), ink, colour=colour)}   {transport_line(exchange)}".rstrip()]
    if explained := explanation(exchange.outcome):
        lines.append(inked("  " + explained, DIM, colour=colour))
    lines.append("")
    margin = "\n" + " " * (len("  ") + _LABEL)
    for label, text in _circumstances(exchange, zone):
        value = printable(text, lines=True).replace("\n", margin)
        lines.append(f"  {inked(label.ljust(_LABEL), DIM, colour=colour)}{value}")
    event = exchange.outcome if isinstance(exchange.outcome, ServerEvent) else None
    if event is None:
        params = exchange.params.strip() or "[]"
        lines += ["", inked("params", BOLD, colour=colour), highlighted(params, colour=colour)]
    if exchange.response.headers:
        lines += ["", inked("headers", BOLD, colour=colour)]
        for name, value in exchange.response.headers:
            lines.append(f"{inked(printable(f'{name}:'), DIM, colour=colour)} {printable(value)}".rstrip())
    reply = exchange.response.body
    # The record has no body: show the decoded value.
    if not reply and isinstance(exchange.outcome, Result | ErrorObject):
        reply = exchange.outcome.value
    if reply:
        heading = "message" if event else "response"
        if exchange.response.cut:
            heading += f", the first {size(len(reply))} of {size(exchange.response.size)}"
        lines += ["", inked(heading, BOLD, colour=colour), highlighted(reply, colour=colour)]
    if event and event.answer:
        lines += ["", inked("answer", BOLD, colour=colour), highlighted(event.answer, colour=colour)]
    return "\n".join(lines)


def _circumstances(exchange: Exchange, zone: tzinfo | None) -> Iterator[tuple[str, str]]:
    response, when, phases = exchange.response, exchange.when.astimezone(zone), exchange.response.phases
    measured = {"name": phases.name, "connect": phases.connect, "TLS": phases.tls, "send": phases.send}
    measured |= {"wait": phases.wait, "transfer": phases.transfer}
    parts = ["connection reused"] if phases.kept else []
    parts += [f"{name} {duration(took)}" for name, took in measured.items() if took is not None]
    event = exchange.outcome if isinstance(exchange.outcome, ServerEvent) else None
    fields = {
        exchange.kind: exchange.id,
        "method": exchange.method,
        "name": exchange.name and f"{_STAR} {exchange.name}",
        "note": exchange.note,
        "expected": exchange.expect,
        "profile": exchange.profile,
        "url": exchange.url,
        "when": f"{when.day} {when:%b %Y %H:%M:%S %z}".rstrip(),
        "by": exchange.writer,
        "from": "a case: someone else recorded this call with another profile" if exchange.foreign else "",
        "took": "" if event else duration(exchange.seconds) + (f" ({', '.join(parts)})" if parts else ""),
        "sent": size(exchange.sent) if exchange.sent else "",
        "status": f"{response.version} {response.status} {response.reason}".strip() if response.status else "",
        "proxy": response.proxy or "",
    } | (event_circumstances(event) if event else {})
    yield from ((label, text) for label, text in fields.items() if text)
    for label, texts in (("also", exchange.notes), ("warnings", exchange.remarks)):
        yield from ((label if number == 0 else "", text) for number, text in enumerate(texts))


def filter_words(wanted: HistoryFilter, zone: tzinfo | None = None) -> str:
    parts = list(wanted.wrong)
    if wanted.outcome and wanted.outcomes:
        parts.append("outcome " + " or ".join(OUTCOME_LABELS[name] for name in wanted.outcomes))
    parts += _bound_words(wanted.bounds, zone)
    whole = {"method": wanted.method, "profile": wanted.named_profile}
    parts += [f"{kind} “{name}”" for kind, name in whole.items() if name]
    names = {"method": wanted.in_method, "profile": wanted.in_profile}
    parts += [f"{kind} contains “{word}”" for kind, word in names.items() if word]
    if wanted.by:
        parts.append(f"by “{wanted.by}”")
    if wanted.words:
        parts.append("text contains " + " and ".join(f"“{word}”" for word in wanted.words))
    return " · ".join(parts)


def _bound_words(bounds: Bounds, zone: tzinfo | None) -> Iterator[str]:
    if bounds.code is not None:
        yield f"code {bounds.code}"
    if bounds.status is not None:
        low, high = bounds.status
        yield f"HTTP {low}" + (f" to {high}" if low != high else "")
    for word, moment in (("since", bounds.since), ("before", bounds.until)):
        if moment is not None:
            its = moment.astimezone(zone)
            yield f"{word} {its.day} {its:%b %Y %H:%M}"
    for word, seconds in (("slower", bounds.slower), ("faster", bounds.faster)):
        if seconds is not None:
            yield f"{word} than {duration(seconds)}"
    for word, count in (("larger", bounds.larger), ("smaller", bounds.smaller)):
        if count is not None:
            yield f"{word} than {size(count)}"


class Day(Struct, frozen=True):
    date: date
    words: str


HistoryRow: TypeAlias = Day | Exchange | Damaged


def rows_of(
    found: Iterable[Exchange | Damaged], today: date, zone: tzinfo | None = None, *, after: Sequence[HistoryRow] = ()
) -> Iterator[HistoryRow]:
    """Yield calls, newest first, with a heading before each day.

    ``after`` are the rows above them. The time of a damaged record is unknown, so it stays at its place in the file.
    """
    day = next((row.date for row in reversed(after) if isinstance(row, Day)), None)
    for one in found:
        if isinstance(one, Exchange) and (its := one.when.astimezone(zone).date()) != day:
            day = its
            yield Day(its, day_words(its, today))
        yield one


def same(one: HistoryRow, other: HistoryRow) -> bool:
    """Return whether two rows show the same call."""
    if isinstance(one, Day) or isinstance(other, Day):
        return one == other
    return one.id == other.id if one.id else one == other


def day_words(day: date, today: date) -> str:
    """Return ``today``, ``yesterday`` or a date such as ``Wed 19 Nov 2026``."""
    if day == today:
        return "today"
    if day == today - timedelta(days=1):
        return "yesterday"
    return f"{day:%a} {day.day} {day:%b %Y}"


def moment_words(when: datetime, today: date, zone: tzinfo | None = None) -> str:
    when = when.astimezone(zone)
    return f"{when:%H:%M:%S}" if when.date() == today else f"{when.day} {when:%b %Y %H:%M:%S}"


def case_note_lines(note: str) -> list[list[tuple[str, str]]]:
    """Return the note of a case as lines of words with their roles."""
    first, *others = note.strip().splitlines() or [""]
    return [
        [(" Note  ", "careful bold"), (first, "text")],
        *([("       ", "text"), (text_line, "text")] for text_line in others),
    ]


def note_page(exchange: Exchange, zone: tzinfo | None = None, case_note: str = "") -> list[list[tuple[str, str]]]:
    """Return the page with the notes and facts of a call."""
    of_case = [[], *case_note_lines(case_note)] if case_note else []
    name = [(f"   ★ {exchange.name}", "careful")] if exchange.name else [("   No name yet.", "dim")]
    notes = [[(f"   {text_line}", "text")] for text_line in exchange.note.splitlines()]
    if not (notes or case_note):
        notes = [[("   No note yet.", "dim")]]
    response = exchange.response
    expected = [("" if at else "expected", wanted) for at, wanted in enumerate(exchange.expect.splitlines())]
    facts = {
        "profile": exchange.profile,
        "url": exchange.url,
        "when": f"{exchange.when.astimezone(zone):%Y-%m-%d %H:%M:%S %z}",
        "by": exchange.writer,
        "took": "" if exchange.kind == "event" else duration(exchange.seconds),
        "sent": size(exchange.sent) if exchange.sent else "",
        "received": size(response.size) if response.status is not None else "",
        "kind": exchange.kind,
        "id": exchange.id,
    }
    return [
        *of_case,
        [],
        name,
        *notes,
        [],
        *([(f"   {label:<10}", "dim"), (text, "middle")] for label, text in (*expected, *facts.items()) if text),
    ]


_BARS: Final = "▁▂▃▄▅▆▇█"
_PLAIN: Final = ".:-=+*%#"
"""For terminals whose encoding has no bars."""
CALLS, FAILED = "calls   ", "failed  "
MARGIN: Final = len(CALLS)


def bars(values: Sequence[int], most: int, *, plain: bool = False) -> str:
    signs = _PLAIN if plain else _BARS
    return "".join(signs[max(0, -(-value * len(signs) // most) - 1)] if value else " " for value in values)


def chart_lines(chart: Chart, *, plain: bool = False) -> tuple[str, str, str]:
    """Calls, failures on the same scale, and the times below them."""
    most = max(calls for calls, _ in chart.bars)
    calls = bars([calls for calls, _ in chart.bars], most, plain=plain)
    failed = bars([failed for _, failed in chart.bars], most, plain=plain)
    last = chart.start + timedelta(minutes=chart.minutes * (len(chart.bars) - 1))
    clock = "" if chart.minutes % (24 * 60) == 0 else " %H:%M"
    begin, end = (f"{moment.day} {moment:%b %Y{clock}}" for moment in (chart.start, last))
    between = f"{span(chart.minutes)} per bar"
    return calls, failed, f"{begin} · {between}" if len(chart.bars) == 1 else f"{begin} to {end} · {between}"


def span(minutes: int) -> str:
    if minutes % (24 * 60) == 0:
        return counted(minutes // (24 * 60), "day")
    return f"{minutes // 60} h" if minutes % 60 == 0 else f"{minutes} min"


def words_for(row: Figures, by: Grouping, *, of_one: bool) -> str:
    """Return the filter for a row; ``of_one``: a profile is already chosen."""
    if by == "code":
        (code,) = row.name
        return f"outcome:{OUTCOME_LABELS[code].replace(' ', '-')}" if code in OUTCOMES else f"code:{code}"
    kinds = ("method", "profile") if by == "method" else ("profile",)
    words = []
    for kind, name in zip(kinds, row.name, strict=True):
        if name and not (of_one and kind == "profile"):
            part, quote, _ = name.partition('"')  # A filter cannot contain a quote: use the part of the name before it.
            word = part if quote else f"={part}"
            words.append(f'{kind}:"{word}"' if any(map(str.isspace, word)) else f"{kind}:{word}")
    return " ".join(words)


_NAMES: Final[dict[Grouping, tuple[str, ...]]] = {
    "method": ("method", "profile"),
    "profile": ("profile",),
    "code": ("outcome",),
}
_NUMBERS: Final = ("calls", "failed", "median", "p95", "max", "last")
_WIDTHS: Final = (7, 7, 9, 9, 9, 22)
_NARROW: Final = 76
_LEAST: Final = 8
_LONGEST: Final = 200
_PROFILE: Final = 12


def _shown_names(row: Figures, by: Grouping) -> tuple[str, ...]:
    return tuple(OUTCOME_LABELS.get(name, name) for name in row.name) if by == "code" else row.name


class TableColumns:
    def __init__(self, by: Grouping, rows: Sequence[Figures], width: int) -> None:
        self._by = by
        self._shown = len(_NUMBERS) - (width < _NARROW)
        room = width - sum(_WIDTHS[: self._shown])
        names = [(*(_NAMES[by]),), *(_shown_names(row, by) for row in rows)]
        widest = [max(columns(clipped(name[at][:_LONGEST], width)) for name in names) for at in range(len(_NAMES[by]))]
        other = min(sum(widest[1:]), _PROFILE)
        first = max(min(widest[0], room - other - 2 * bool(other)), _LEAST)
        self._widths = [first, other][: len(widest)]

    @property
    def heading(self) -> str:
        return self._line(_NAMES[self._by], _NUMBERS)

    def line(self, row: Figures, today: date, zone: tzinfo | None = None) -> str:
        latency = row.latency()
        took = [duration(seconds) for seconds in (latency.median, latency.p95, latency.worst)] if latency else [""] * 3
        last = moment_words(row.last, today, zone) if row.last else ""
        return self._line(
            _shown_names(row, self._by), (f"{row.calls:,}", f"{row.failed:,}" if row.failed else "", *took, last)
        )

    def _line(self, names: Sequence[str], numbers: Sequence[str]) -> str:
        left = "  ".join(fitted(name[:_LONGEST], width) for name, width in zip(names, self._widths, strict=True))
        right = "".join(f"{number:>{width}}" for number, width in zip(numbers, _WIDTHS, strict=True) if width)
        return left + right[: sum(_WIDTHS[: self._shown])]


def total_words(statistics: Statistics) -> str:
    """Summarise all calls in one line.

    For example: ``128 calls · 9 failed: 7 errors, 2 no response · median 34 ms, p95 120 ms, max 2.1 s``.
    """
    total = statistics.total
    parts = [counted(total.calls, "call")]
    if total.failed:
        failures = total.failures.items()
        kinds = ", ".join(
            f"{many:,} {OUTCOME_LABELS[name]}{'s' * (name == 'error' and many != 1)}" for name, many in failures
        )
        parts.append(f"{total.failed:,} failed: {kinds}")
    elif total.calls:
        parts.append("none failed")
    if latency := total.latency():
        took = (duration(latency.median), duration(latency.p95), duration(latency.worst))
        parts.append("median {}, p95 {}, max {}".format(*took))
    return " · ".join(parts)


def total_lines(statistics: Statistics, width: int) -> list[str]:
    """Return the summary, in two lines if it is too wide for one."""
    words = total_words(statistics)
    calls, _, took = words.rpartition(" · ")
    return [words] if columns(words) <= width or not calls else [calls, took]


def left_out_words(statistics: Statistics) -> str:
    many = statistics.damaged
    return f"{many:,} damaged record{'s are' if many != 1 else ' is'} not counted" if many else ""
