"""The history and its statistics in words and rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import date, datetime, timedelta, tzinfo
from itertools import chain, repeat
from math import ceil
from typing import Any, Final, TypeAlias

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from rpcexplorer.history.statistics import DAY, HOUR, MINUTE, Chart, Figures, Grouping, Statistics, Timeline
from rpcexplorer.model.exchange import OUTCOME_LABELS, OUTCOMES, Damaged, Exchange, OutcomeName, ServerEvent
from rpcexplorer.model.filter import YOU, Bounds, HistoryFilter
from rpcexplorer.model.problem import counted
from rpcexplorer.rpc.messages import ErrorObject, Result
from rpcexplorer.text.columns import MAX_NAME_CHARACTERS, MAX_NAME_COLUMNS, Cell, Column
from rpcexplorer.text.exchange import (
    ROLES,
    SIGNS,
    duration,
    duration_role,
    event_circumstances,
    event_words,
    explanation,
    facts,
    measured,
    outcome_line,
    outcome_words,
    size,
    transport_line,
    unusual_status,
)
from rpcexplorer.text.json_text import highlighted, inked, painted
from rpcexplorer.text.lanes import (
    AXIS_COLUMNS,
    DASH,
    END,
    HERE,
    LINE,
    POINT,
    TAIL,
    PlotPoint,
    Scale,
    bar_rows,
    plot,
    range_lane,
    share_bar,
)
from rpcexplorer.text.printable import clipped, columns, fitted, printable
from rpcexplorer.text.wrapping import WordLine
from rpcexplorer.transport.port import Phases

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
    sign, role = SIGNS[exchange.counts_as], ROLES[exchange.counts_as]
    id = clipped(exchange.id, 20)
    method_columns = min(METHOD_COLUMNS, max(width // 5, 8))
    if whole:
        method_columns = max(method_columns, columns(printable(exchange.method)))
    method = fitted(exchange.method, method_columns)
    name_columns = min(PROFILE_COLUMNS, max(width // 11, 6))
    profile = fitted(exchange.profile, name_columns)
    if writers:
        profile += "  " + fitted(exchange.writer or YOU, name_columns)
    took = "" if exchange.kind == "event" else duration(exchange.seconds)
    took = took.rjust(_TOOK)
    clock = exchange.when.astimezone(zone).strftime("%H:%M:%S")
    room = width - columns(f"{sign} {id}  {method}  {profile}    {took}  {clock}")
    if room < 0 and not whole:
        return clipped(f"{sign} {id}  {method}  {profile}  {took}  {clock}", width)
    outcome = _recorded_outcome(exchange)
    name = f"  {_STAR} {printable(exchange.name)}" if exchange.name else ""
    if not whole:
        name = clipped(name, room // 2)
        outcome = clipped(outcome, room - columns(name))
    padding = " " * (room - columns(outcome + name))
    words = [
        *[(sign, role), (" ", "text"), (id, "dim"), (f"  {method}  ", "text"), (profile, "dim"), ("  ", "text")],
        *[(outcome, role), (name, "careful"), (f"{padding}  {took}  ", "text"), (clock, "dim")],
    ]
    return painted(words, colour=colour)


def _recorded_outcome(exchange: Exchange) -> str:
    words = event_words(exchange) if exchange.kind == "event" else outcome_words(exchange.outcome)
    parts = ["imported" if exchange.foreign else "", unusual_status(exchange), words]
    return ", ".join(part for part in parts if part)


def shown(exchange: Exchange, *, colour: bool = False, zone: tzinfo | None = None) -> str:
    """Return all facts of an exchange, with request and response."""
    lines: list[str] = []

    def out(*words: tuple[str, str]) -> None:
        lines.append(painted(words, colour=colour).rstrip())

    def out_json(heading: str, text: bytes | str) -> None:
        lines.extend(["", inked(heading, "bold", colour=colour), highlighted(text, colour=colour)])

    out((outcome_line(exchange), ROLES[exchange.counts_as]), (f"   {transport_line(exchange)}", "text"))
    explained = explanation(exchange.outcome)
    if explained:
        out((f"  {explained}", "dim"))
    out()
    margin = "\n" + " " * (len("  ") + _LABEL)
    for label, text in _circumstances(exchange, zone):
        value = printable(text, lines=True).replace("\n", margin)
        lines.append(f"  {inked(label.ljust(_LABEL), 'dim', colour=colour)}{value}")
    response, outcome = exchange.response, exchange.outcome
    is_event = isinstance(outcome, ServerEvent)
    if not is_event:
        out_json("params", exchange.params.strip() or "[]")
    if response.headers:
        out()
        out(("headers", "bold"))
    for name, value in response.headers:
        out((printable(f"{name}:"), "dim"), (f" {printable(value)}", "text"))
    reply = response.body
    if not reply and isinstance(outcome, Result | ErrorObject):
        reply = outcome.value  # The record has no body: show the decoded value.
    if reply:
        heading = "message" if is_event else "response"
        if response.cut:
            heading += f", the first {size(len(reply))} of {size(response.size)}"
        out_json(heading, reply)
    if isinstance(outcome, ServerEvent) and outcome.answer:
        out_json("answer", outcome.answer)
    return "\n".join(lines)


def _circumstances(exchange: Exchange, zone: tzinfo | None) -> Iterator[tuple[str, str]]:
    """Yield label and value of each known fact."""
    response, when = exchange.response, exchange.when.astimezone(zone)
    took = status = ""
    if exchange.kind != "event":
        took = duration(exchange.seconds) + _phases(response.phases)
    if response.status:
        status = f"{response.version} {response.status} {response.reason}".strip()
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
        "took": took,
        "sent": size(exchange.sent) if exchange.sent else "",
        "status": status,
        "proxy": response.proxy or "",
    }
    if isinstance(exchange.outcome, ServerEvent):
        fields |= event_circumstances(exchange.outcome)
    for label, text in fields.items():
        if text:
            yield label, text
    asked = [*question_lines(exchange.rounds)]
    for label, texts in (("asked", asked), ("also", exchange.notes), ("warnings", exchange.remarks)):
        yield from zip(chain([label], repeat("")), texts, strict=False)


class _Question(Struct):
    method: str
    params: Any = None


class _Round(Struct):
    inputRequests: dict[str, _Question]  # noqa: N815 - the protocol's own
    inputResponses: dict[str, msgspec.Raw]  # noqa: N815


def question_lines(rounds: Iterable[str]) -> Iterator[str]:
    """Yield what a server of MCP asked before its result, each with its answer."""
    for text in rounds:
        try:
            read = msgspec.json.decode(text, type=_Round)
        except (msgspec.DecodeError, RecursionError):
            yield text
            continue
        for key, question in read.inputRequests.items():
            words = [question.method]
            if isinstance(question.params, dict) and isinstance(message := question.params.get("message"), str):
                words.append(message)
            answer = read.inputResponses.get(key)
            words.append(f"→ {bytes(answer).decode()}" if answer is not None else "→ no answer")
            yield " ".join(" ".join(words).split())


def _phases(phases: Phases) -> str:
    parts = [f"{name.removesuffix(' lookup')} {duration(took)}" for name, took in measured(phases).items()]
    if phases.kept:
        parts.insert(0, "connection reused")
    return f" ({', '.join(parts)})" if parts else ""


def filter_words(wanted: HistoryFilter, zone: tzinfo | None = None) -> str:
    parts = list(wanted.wrong)
    if wanted.outcome and wanted.outcomes:
        parts.append("outcome " + " or ".join(OUTCOME_LABELS[name] for name in wanted.outcomes))
    parts += _bound_words(wanted.bounds, zone)
    texts = {
        "method": wanted.method,
        "profile": wanted.named_profile,
        "method contains": wanted.in_method,
        "profile contains": wanted.in_profile,
        "by": wanted.by,
    }
    parts += [f"{label} “{text}”" for label, text in texts.items() if text]
    if wanted.words:
        parts.append("text contains " + " and ".join(f"“{word}”" for word in wanted.words))
    return " · ".join(parts)


def _bound_words(bounds: Bounds, zone: tzinfo | None) -> Iterator[str]:
    if bounds.code is not None:
        yield f"code {bounds.code}"
    if bounds.status is not None:
        low, high = bounds.status
        yield f"HTTP {low}" if low == high else f"HTTP {low} to {high}"
    for word, moment in (("since", bounds.since), ("before", bounds.until)):
        if moment is not None:
            local = moment.astimezone(zone)
            yield f"{word} {local.day} {local:%b %Y %H:%M}"
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
    for record in found:
        if isinstance(record, Exchange):
            called = record.when.astimezone(zone).date()
            if called != day:
                yield Day(called, day_words(called, today))
            day = called
        yield record


def key_of(row: HistoryRow) -> object:
    """Return what stays the same when a call is read again, perhaps with another name or note."""
    return row if isinstance(row, Day) else row.id or row


def day_words(day: date, today: date) -> str:
    """Return ``today``, ``yesterday`` or a date such as ``Wed 19 Nov 2026``."""
    if day == today:
        return "today"
    if day == today - timedelta(days=1):
        return "yesterday"
    return f"{day:%a} {day.day} {day:%b %Y}"


def moment_words(when: datetime, today: date, zone: tzinfo | None = None) -> str:
    when = when.astimezone(zone)
    if when.date() == today:
        return f"{when:%H:%M:%S}"
    return f"{when.day} {when:%b %Y %H:%M:%S}"


def case_note_lines(note: str) -> list[WordLine]:
    """Return the note of a case as lines of words with their roles."""
    first, *others = note.strip().splitlines() or [""]
    lines = [[(" Note  ", "careful bold"), (first, "text")]]
    lines += [[("       ", "text"), (other, "text")] for other in others]
    return lines


def note_page(exchange: Exchange, zone: tzinfo | None = None, case_note: str = "") -> list[WordLine]:
    """Return the page with the notes and facts of a call."""
    lines: list[WordLine] = []
    if case_note:
        lines += [[], *case_note_lines(case_note)]
    name = (f"   {_STAR} {exchange.name}", "careful") if exchange.name else ("   No name yet.", "dim")
    lines += [[], [name]]
    lines += [[(f"   {line}", "text")] for line in exchange.note.splitlines()]
    if not exchange.note and not case_note:
        lines.append([("   No note yet.", "dim")])
    lines.append([])
    shown = {"expected": exchange.expect} | facts(exchange, zone) | {"proxy": ""}
    for label, text in shown.items():
        for part, line in zip(chain([label], repeat("")), text.splitlines(), strict=False):
            lines.append([(f"   {part:<10}", "dim"), (line, "middle")])
    return lines


CALLS, FAILED = "calls   ", "failed  "
MARGIN: Final = len(CALLS)
_LABEL_STEPS: Final = (
    *(5, 10, 15, 30),
    *(MINUTE, 2 * MINUTE, 5 * MINUTE, 10 * MINUTE, 15 * MINUTE, 20 * MINUTE, 30 * MINUTE),
    *(HOUR, 2 * HOUR, 3 * HOUR, 6 * HOUR, 12 * HOUR),
    *(DAY, 2 * DAY, 7 * DAY, 14 * DAY, 28 * DAY, 91 * DAY, 364 * DAY),
)
"""Seconds between two times below a chart."""
_MIN_LABEL_COLUMNS: Final = 12


def chart_lines(chart: Chart, width: int, height: int = 1) -> list[WordLine]:
    """Return the calls over time as bars, the failures on the same scale, and their times.

    In several rows, there is a number at the top, and an axis of times.
    """
    wide = max((width - MARGIN) // len(chart.bars), 1)
    most = max(calls for calls, _ in chart.bars)
    *upper, lowest = bar_rows([calls for calls, _ in chart.bars for _ in range(wide)], most, height)
    lines: list[WordLine] = [[(" " * MARGIN, "dim"), (row, "accent")] for row in upper]
    if upper:
        lines[0][0] = (f"{most:<{MARGIN},}", "dim")
    (failed,) = bar_rows([failed for _, failed in chart.bars for _ in range(wide)], most, 1)
    lines += [[(CALLS, "dim"), (lowest, "accent")], [(FAILED, "dim"), (failed, "wrong")]]
    if height > 1:
        lines.append([(" " * MARGIN + time_axis(chart, wide), "dim")])
    last = chart.start + timedelta(seconds=chart.seconds * (len(chart.bars) - 1))
    form = "%b %Y" if chart.seconds % DAY == 0 else "%b %Y %H:%M"
    times = f"{chart.start.day} {chart.start:{form}}"
    if last.date() != chart.start.date():
        times += f" to {last.day} {last:{form}}"
    elif f"{last:%H:%M}" != f"{chart.start:%H:%M}":
        times += f" to {last:%H:%M}"
    lines.append([(" " * MARGIN + f"{times} · {span(chart.seconds)} per bar", "dim")])
    return lines


_STRIP_COLUMNS: Final = 24


def strip_words(timeline: Timeline, width: int) -> str:
    """Return calls over time as a few bars in one line; empty without calls or without room."""
    chart = timeline.chart(_STRIP_COLUMNS)
    if chart is None:
        return ""
    (bars,) = bar_rows([calls for calls, _ in chart.bars], max(calls for calls, _ in chart.bars), 1)
    end = chart.start + timedelta(seconds=chart.seconds * len(chart.bars))
    form = "%H:%M"
    if chart.start.date() != end.date():
        form = "%d %b"
    elif f"{chart.start:%H:%M}" == f"{end:%H:%M}":
        form = "%H:%M:%S"
    words = f"{chart.start:{form}} {bars} {end:{form}}   calls in each {span(chart.seconds)}"
    return words if columns(words) <= width else ""


MIN_PLOTTED: Final = 3
"""Calls of a method without which a plot says nothing."""


def method_plot(
    call: Exchange, calls: Sequence[Exchange], usual: float | None, size: tuple[int, int], zone: tzinfo | None = None
) -> list[WordLine]:
    """Return the durations of all calls of a method over time, with ``call`` marked; nothing if there are few.

    ``size``: columns and rows.
    """
    if len(calls) < MIN_PLOTTED:
        return []
    width, height = size
    first, last = min(one.when for one in calls), max(one.when for one in calls)
    whole = (last - first).total_seconds() or 1.0
    ordered = [*(one for one in calls if one.id != call.id), call]  # The marked one is not covered.
    points = []
    for one in ordered:
        sign = HERE if one.id == call.id else POINT
        part = (one.when - first).total_seconds() / whole
        points.append(PlotPoint(part, one.seconds, (sign, duration_role(one, usual))))
    heading = [(f" {clipped(call.method, width // 2)}", "text"), (f"  {counted(len(calls), 'call')}", "middle")]
    if usual is not None:
        heading.append((f"   {DASH} usual {duration(usual)}", "middle"))
    begin, end = (moment_words(moment, last.astimezone(zone).date(), zone) for moment in (first, last))
    blanks = max(width - AXIS_COLUMNS - columns(begin) - columns(end), 1)
    times = " " * AXIS_COLUMNS + begin + " " * blanks + end
    return [heading, *plot(points, usual, width, height - 2), [(times, "dim")]]


def time_axis(chart: Chart, wide: int = 1) -> str:
    """Return times below the bars of a chart, which are ``wide`` columns, at round intervals."""
    least = max(chart.seconds * _MIN_LABEL_COLUMNS // wide, chart.seconds)
    step = next((step for step in _LABEL_STEPS if step >= least), least)
    midnight = chart.start.replace(hour=0, minute=0, second=0)
    begin = int((chart.start - midnight).total_seconds())
    text = ""
    for at in range(len(chart.bars)):
        round_time = ceil((begin + at * chart.seconds) / step) * step
        if round_time >= begin + (at + 1) * chart.seconds:
            continue  # No round time is in this bar.
        label = _time_label(midnight + timedelta(seconds=round_time), step)
        text = f"{text:<{at * wide}}{label}"
    return text


def _time_label(moment: datetime, step: int) -> str:
    if step >= DAY or (moment.hour, moment.minute, moment.second) == (0, 0, 0):
        return f"{moment.day} {moment:%b}"
    return f"{moment:%H:%M}" if step >= MINUTE else f"{moment:%H:%M:%S}"


def span(seconds: int) -> str:
    if seconds % DAY == 0:
        return counted(seconds // DAY, "day")
    if seconds % HOUR == 0:
        return f"{seconds // HOUR} h"
    if seconds % MINUTE == 0:
        return f"{seconds // MINUTE} min"
    return f"{seconds} s"


_NAMES: Final[dict[Grouping, tuple[str, ...]]] = {
    "method": ("method", "profile"),
    "profile": ("profile",),
    "code": ("outcome",),
}


def words_for(row: Figures, by: Grouping, *, of_one: bool) -> str:
    """Return the filter for a row; ``of_one``: a profile is already chosen."""
    if by == "code":
        (code,) = row.name
        return f"outcome:{OUTCOME_LABELS[code].replace(' ', '-')}" if code in OUTCOMES else f"code:{code}"
    words = []
    for kind, name in zip(_NAMES[by], row.name, strict=True):
        if not name or (of_one and kind == "profile"):
            continue
        value = f"={name}"
        if '"' in name:  # A filter cannot contain a quote: use the part of the name before it.
            value = name.partition('"')[0]
        if any(map(str.isspace, value)):
            value = f'"{value}"'
        words.append(f"{kind}:{value}")
    return " ".join(words)


NARROW: Final = 76
"""A table of statistics in fewer columns has no times of the last calls."""
LANE_NARROW: Final = 96
"""A table with lanes in fewer columns has no bars of failures, and no times of the last calls."""
MIN_LANE: Final = 12
SHARE_COLUMNS: Final = 8


def statistics_columns(
    by: Grouping, rows: Sequence[Figures], today: date, zone: tzinfo | None = None
) -> list[Column[Figures]]:
    """Return the columns of a table of statistics."""
    return [
        *_name_columns(by),
        Column[Figures](lambda row: [(f"{row.calls:,}", "text")], "calls", width=7, right=True, gap=0),
        Column[Figures](lambda row: [(_failed(row), "text")], "failed", width=7, right=True, gap=0),
        _duration_column("median", "median", rows),
        _duration_column("p95", "p95", rows),
        _duration_column("worst", "max", rows),
        _last_column(rows, today, zone, width=20, drop=NARROW),
    ]


def lane_columns(
    by: Grouping, rows: Sequence[Figures], today: date, zone: tzinfo | None = None, *, edge: int = 0
) -> list[Column[Figures]]:
    """Return the columns of a table of statistics with lanes; ``edge``: blanks at both ends of a row."""
    latencies = [latency for row in rows if (latency := row.latency())]
    scale = Scale.of(chain.from_iterable((latency.fastest, latency.worst) for latency in latencies))

    def took(row: Figures, room: int) -> Cell:
        latency = row.latency()
        return range_lane(scale, room, latency) if latency else [("no response", "dim")]

    first, *profiles = _name_columns(by)
    if len({row.name[-1] for row in rows}) < 2:
        profiles = []
    return [
        replace(first, most=MAX_NAME_COLUMNS, share=4, gap=edge),
        *profiles,
        Column[Figures](lambda row: [(f"{row.calls:,}", "text")], "calls", width=7, right=True, gap=0),
        Column[Figures](lambda row: [(_failed(row), "wrong")], "failed", width=7, right=True, gap=0),
        Column[Figures](
            lambda row: share_bar(row.failed, row.calls, SHARE_COLUMNS, "wrong"), width=SHARE_COLUMNS, drop=LANE_NARROW
        ),
        Column(fit=took, axis=scale.heading, fills=True, least=MIN_LANE),
        _duration_column("median", "median", rows),
        _duration_column("p95", "p95", rows),
        _last_column(rows, today, zone, drop=LANE_NARROW),
        Column(width=edge, gap=0),
    ]


def _name_columns(by: Grouping) -> list[Column[Figures]]:
    """Return the columns of a row's name: the first is its method, profile or code."""

    def first_name(row: Figures) -> str:
        return OUTCOME_LABELS.get(row.name[0], row.name[0]) if by == "code" else row.name[0]

    first, *others = _NAMES[by]
    return [
        Column(lambda row: [(first_name(row), "text")], f"{first:<8}", most=MAX_NAME_CHARACTERS, least=8, gap=0),
        *(Column[Figures](lambda row: [(row.name[1], "text")], heading, most=PROFILE_COLUMNS) for heading in others),
    ]


def _failed(row: Figures) -> str:
    return f"{row.failed:,}" if row.failed else ""


def _duration_column(name: str, heading: str, rows: Sequence[Figures]) -> Column[Figures]:
    def took(row: Figures) -> str:
        latency = row.latency()
        return duration(getattr(latency, name)) if latency else ""

    widest = max((len(took(row)) for row in rows), default=0)
    return Column(lambda row: [(took(row), "text")], heading, width=max(widest, 9), right=True, gap=0)


def _last_column(
    rows: Sequence[Figures], today: date, zone: tzinfo | None, *, width: int = 0, drop: int
) -> Column[Figures]:
    def last(row: Figures) -> str:
        return moment_words(row.last, today, zone) if row.last else ""

    widest = max((len(last(row)) for row in rows), default=0)
    return Column(lambda row: [(last(row), "text")], "last", width=width or widest, right=True, drop=drop)


LANE_LEGEND: Final[WordLine] = [
    *((LINE, "accent"), (" fastest to p95   ", "dim")),
    *((POINT, "text"), (" median   ", "dim")),
    *((f"{TAIL}{END}", "middle"), (" max", "dim")),
]


def total_words(statistics: Statistics) -> str:
    """Summarise all calls in one line.

    For example: ``128 calls · 9 failed: 7 errors, 2 no response · median 34 ms, p95 120 ms, max 2.1 s``.
    """
    total = statistics.total
    parts = [counted(total.calls, "call")]
    if total.failed:
        kinds = [_failures(name, count) for name, count in total.failures.items()]
        parts.append(f"{total.failed:,} failed: {', '.join(kinds)}")
    elif total.calls:
        parts.append("none failed")
    latency = total.latency()
    if latency is not None:
        took = (duration(latency.median), duration(latency.p95), duration(latency.worst))
        parts.append("median {}, p95 {}, max {}".format(*took))
    return " · ".join(parts)


def _failures(name: OutcomeName, count: int) -> str:
    """Count failures of one kind; of all names only *error* has a plural."""
    return counted(count, "error") if name == "error" else f"{count:,} {OUTCOME_LABELS[name]}"


def total_lines(statistics: Statistics, width: int) -> list[str]:
    """Return the summary, in two lines if it is too wide for one."""
    words = total_words(statistics)
    calls, _, took = words.rpartition(" · ")
    if calls and columns(words) > width:
        return [calls, took]
    return [words]


def left_out_words(statistics: Statistics) -> str:
    match statistics.damaged:
        case 0:
            return ""
        case 1:
            return "1 damaged record is not counted"
        case count:
            return f"{count:,} damaged records are not counted"
