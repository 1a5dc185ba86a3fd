"""The history as rows of a list: what a filter asks for in words, under which day each stands, what came of it.

How a row is drawn is the business of whoever draws it; reading the history is storage's.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import date, datetime, timedelta, tzinfo
from typing import Final, TypeAlias

from msgspec import Struct

from rpcexplorer.model.exchange import Damaged, Exchange
from rpcexplorer.model.filter import Bounds, HistoryFilter
from rpcexplorer.rpc.messages import ErrorObject, Malformed, Result
from rpcexplorer.views.words.sentences import duration, outcome_words, size, status_word

_LONGEST: Final = 300
"""Characters of an outcome's words that are looked at; no row shows more."""


def filter_words(wanted: HistoryFilter, zone: tzinfo | None = None) -> str:
    """What is looked for; empty where everything is, as far as a person has typed it."""
    parts = list(wanted.wrong)
    if wanted.outcome and wanted.outcomes:
        parts.append("outcome " + " or ".join(wanted.outcomes))
    parts += _bound_words(wanted.bounds, zone)
    whole = {"method": wanted.method, "profile": wanted.named_profile}
    parts += [f"{kind} “{name}”" for kind, name in whole.items() if name]
    names = {"method": wanted.in_method, "profile": wanted.in_profile}
    parts += [f"{kind} with “{word}”" for kind, word in names.items() if word]
    if wanted.by:
        parts.append(f"by “{wanted.by}”")
    if wanted.words:
        parts.append("text with " + " and ".join(f"“{word}”" for word in wanted.words))
    return " · ".join(parts)


def _bound_words(bounds: Bounds, zone: tzinfo | None) -> Iterator[str]:
    """Bounds as they were understood, in the words that other lists have for them."""
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


# --- rows --------------------------------------------------------------------------------------------------------


class Day(Struct, frozen=True):
    """What the rows below have in common. Nothing to choose."""

    date: date
    words: str


HistoryRow: TypeAlias = Day | Exchange | Damaged


def rows_of(
    found: Iterable[Exchange | Damaged], today: date, zone: tzinfo | None = None, *, after: Sequence[HistoryRow] = ()
) -> Iterator[HistoryRow]:
    """Calls, newest first, with a heading before each day; ``after`` are the rows above them.

    Nobody knows when a damaged record was made: it stays where it lies in the file.
    """
    day = next((row.date for row in reversed(after) if isinstance(row, Day)), None)
    for one in found:
        if isinstance(one, Exchange) and (its := one.when.astimezone(zone).date()) != day:
            day = its
            yield Day(its, day_words(its, today))
        yield one


def same(one: HistoryRow, other: HistoryRow) -> bool:
    """Whether it is the same call, whatever was noted about it meanwhile."""
    if isinstance(one, Day) or isinstance(other, Day):
        return one == other
    return one.id == other.id if one.id else one == other


def day_words(day: date, today: date) -> str:
    """A day as a person says it: ``today``, ``yesterday``, ``Wed 19 Nov 2026``."""
    if day == today:
        return "today"
    if day == today - timedelta(days=1):
        return "yesterday"
    return f"{day:%a} {day.day} {day:%b %Y}"


def moment_words(when: datetime, today: date, zone: tzinfo | None = None) -> str:
    """A moment, with its day where that is not today."""
    when = when.astimezone(zone)
    return f"{when:%H:%M:%S}" if when.date() == today else f"{when.day} {when:%b %Y %H:%M:%S}"


def came(exchange: Exchange) -> list[tuple[str, str]]:
    """What came of a call, in a few words with their roles; its sign stands elsewhere."""
    status = exchange.response.status
    plain = status is None or 200 <= status < 300 or status_word(exchange.outcome)
    told = [("notification ", "middle")] if exchange.kind == "notification" else []
    told += [] if plain else [(f"HTTP {status}, ", "middle")]
    match exchange.outcome:
        case Result():
            return [*told, ("result", "middle"), (f"  {size(exchange.response.size)}", "dim")]
        case ErrorObject(code=int(code)) as error:
            message = outcome_words(error).removeprefix(f"error {code}")
            return [*told, (str(code), "wrong"), (message[:_LONGEST], "middle")]
        case Malformed(reason=reason) if reason:
            return [*told, (reason[:_LONGEST].removeprefix("The reply is "), "middle")]
    return [*told, (outcome_words(exchange.outcome)[:_LONGEST], "middle")]


def case_note_lines(note: str) -> list[list[tuple[str, str]]]:
    """Return the note of a case as lines of words with their roles."""
    first, *others = note.strip().splitlines() or [""]
    return [
        [(" Note  ", "careful bold"), (first, "text")],
        *([("       ", "text"), (each, "text")] for each in others),
    ]


def note_page(exchange: Exchange, zone: tzinfo | None = None, case_note: str = "") -> list[list[tuple[str, str]]]:
    """Return what is noted about a call or its case, then its circumstances: lines of words with their roles."""
    of_case = [[], *case_note_lines(case_note)] if case_note else []
    name = [(f"   ★ {exchange.name}", "careful")] if exchange.name else [("   No name yet.", "dim")]
    notes = [[(f"   {each}", "text")] for each in exchange.note.splitlines()]
    if not (notes or case_note):
        notes = [[("   No note yet.", "dim")]]
    response = exchange.response
    facts = {
        "profile": exchange.profile,
        "url": exchange.url,
        "when": f"{exchange.when.astimezone(zone):%Y-%m-%d %H:%M:%S %z}",
        "by": exchange.writer,
        "took": duration(exchange.seconds),
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
        *([(f"   {label:<10}", "dim"), (text, "middle")] for label, text in facts.items() if text),
    ]
