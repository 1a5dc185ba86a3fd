"""The history as rows of a list: which calls a typed filter means, under which day each stands, what came of it.

How a row is drawn is the business of whoever draws it; reading the history is storage's.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import date, datetime, timedelta, tzinfo
from functools import cached_property
from typing import Final, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from rpcexplorer.model.exchange import NAMES, Damaged, ErrorObject, Exchange, Malformed, OutcomeName, Result
from rpcexplorer.views.words.sentences import duration, outcome_words, size

OUTCOMES: Final[tuple[OutcomeName, ...]] = tuple(name for name in NAMES.values() if name != "refused")
"""What can be said after ``outcome:``. A refusal is never recorded."""

_WORD: Final = re.compile(r'(?:(outcome|method|profile):)?(?:"([^"]*)"?|(\S*))', re.IGNORECASE)
"""A word of a filter, with the kind in front of it where there is one; quotes hold several words together."""

_LONGEST: Final = 300
"""Characters of an outcome's words that are looked at; no row shows more."""


class Wanted(Struct, frozen=True, dict=True):
    """What a person looks for. Each part must be there, whatever its case; an empty one asks for nothing."""

    words: tuple[str, ...] = ()
    """Stand anywhere in request, reply, its headers, name or note."""
    outcome: str = ""
    """How the outcome's name begins."""
    method: str = ""
    profile: str = ""
    only: str | None = None
    """The profile that it is all about; None: whichever."""

    @classmethod
    def of(cls, typed: str, only: str | None = None) -> Wanted:
        """Read a filter: ``outcome:error method:user ada "two words"``. Any other ``foo:`` is text like the rest.

        Whoever types ``profile:`` looks beyond the one that it is ``only`` about.
        """
        words, kinds = [], {"outcome": "", "method": "", "profile": ""}
        for found in _WORD.finditer(typed):
            word = (found[2] or found[3] or "").casefold()
            if found[1]:
                kinds[found[1].lower()] = word
            elif word:
                words.append(word)
        return cls(tuple(words), **kinds, only=None if kinds["profile"] else only)

    @cached_property
    def outcomes(self) -> tuple[OutcomeName, ...]:
        """The outcomes that are meant; none where there is none of that name."""
        return tuple(name for name in OUTCOMES if name.startswith(self.outcome))

    @property
    def outcome_name(self) -> str | None:
        """The outcome, where not all are meant. What was typed where there is none of that name: no call has it."""
        return next(iter(self.outcomes), self.outcome) if self.outcome else None

    def has(self, found: Exchange | Damaged) -> bool:
        """Whether this is one of those that are looked for.

        Of a damaged record only its text can be known, and of a file that cannot be read nothing: damage is shown.
        """
        if isinstance(found, Damaged):
            return not found.text or (replace(self, only=None) == Wanted(self.words) and self._all_in(found.text))
        return (
            self.only in {None, found.profile}
            and found.outcome_name in self.outcomes
            and self.method in found.method.casefold()
            and self.profile in found.profile.casefold()
            and (not self.words or self._all_in(*_texts(found)))
        )

    def _all_in(self, *texts: str) -> bool:
        folded = [text.casefold() for text in texts]
        return all(any(word in text for text in folded) for word in self.words)

    def told(self) -> str:
        """What is looked for, in words; empty where everything is."""
        parts = []
        if self.outcome and not self.outcomes:
            parts.append(f"there is no outcome {self.outcome}, but {', '.join(OUTCOMES)}")
        elif self.outcome:
            parts.append("outcome " + " or ".join(self.outcomes))
        parts += [f"{kind} with “{word}”" for kind, word in self._kinds() if word]
        if self.words:
            parts.append("text with " + " and ".join(f"“{word}”" for word in self.words))
        return " · ".join(parts)

    def _kinds(self) -> Iterator[tuple[str, str]]:
        yield "method", self.method
        yield "profile", self.profile


def _texts(exchange: Exchange) -> Iterator[str]:
    """Everything of an exchange that a person may remember it by."""
    yield from (exchange.id, exchange.method, exchange.params, exchange.name, exchange.note)
    yield from (getattr(exchange.outcome, name, "") for name in ("message", "reason", "sentence"))
    yield from (f"{name}: {value}" for name, value in exchange.response.headers)
    yield exchange.response.body.decode(errors="replace")


# --- rows --------------------------------------------------------------------------------------------------------


class Day(Struct, frozen=True):
    """What the rows below have in common. Nothing to choose."""

    date: date
    words: str


Row: TypeAlias = Day | Exchange | Damaged


def rows_of(
    found: Iterable[Exchange | Damaged], today: date, zone: tzinfo | None = None, *, after: Sequence[Row] = ()
) -> Iterator[Row]:
    """Calls, newest first, with a heading before each day; ``after`` are the rows above them.

    Nobody knows when a damaged record was made: it stays where it lies in the file.
    """
    day = next((row.date for row in reversed(after) if isinstance(row, Day)), None)
    for one in found:
        if isinstance(one, Exchange) and (its := one.when.astimezone(zone).date()) != day:
            day = its
            yield Day(its, day_words(its, today))
        yield one


def same(one: Row, other: Row) -> bool:
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
    told = [] if status is None or 200 <= status < 300 else [(f"HTTP {status}, ", "middle")]
    match exchange.outcome:
        case Result():
            return [*told, ("result", "middle"), (f"  {size(exchange.response.size)}", "dim")]
        case ErrorObject(code=int(code)) as error:
            message = outcome_words(error).removeprefix(f"error {code}")
            return [*told, (str(code), "wrong"), (message[:_LONGEST], "middle")]
        case Malformed(reason=reason) if reason:
            return [*told, (reason[:_LONGEST].removeprefix("The reply is "), "middle")]
    return [*told, (outcome_words(exchange.outcome)[:_LONGEST], "middle")]


def note_page(exchange: Exchange, zone: tzinfo | None = None) -> list[list[tuple[str, str]]]:
    """What a person noted about a call, then its circumstances: lines of words with their roles."""
    name = [(f"   ★ {exchange.name}", "careful")] if exchange.name else [("   No name yet.", "dim")]
    notes = [[(f"   {each}", "text")] for each in exchange.note.splitlines()] or [[("   No note yet.", "dim")]]
    response = exchange.response
    facts = {
        "profile": exchange.profile,
        "url": exchange.url,
        "when": f"{exchange.when.astimezone(zone):%Y-%m-%d %H:%M:%S %z}",
        "took": duration(exchange.seconds),
        "sent": size(exchange.sent) if exchange.sent else "",
        "received": size(response.size) if response.status is not None else "",
        "kind": exchange.kind,
        "id": exchange.id,
    }
    return [
        [],
        name,
        *notes,
        [],
        *([(f"   {label:<10}", "dim"), (text, "middle")] for label, text in facts.items() if text),
    ]
