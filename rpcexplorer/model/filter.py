"""The words of a filter, and the calls that it selects."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, date, datetime, time, timedelta
from functools import cached_property
from typing import Any, Final

from msgspec import Struct

from rpcexplorer.model.exchange import FAILED, OUTCOME_LABELS, OUTCOMES, Damaged, Exchange, OutcomeName
from rpcexplorer.model.problem import cut
from rpcexplorer.patterns import regex

_NUMBER: Final = r"([0-9]{1,9}(?:\.[0-9]{1,6})?)"
_AGE: Final = regex(r"([0-9]{1,5})(m|h|d|w)")
_DURATION: Final = regex(_NUMBER + "(ms|s|m)")
_SIZE: Final = regex(_NUMBER + "(b|kb|mb|gb)")
_PATTERNS: Final = {
    "code": regex(r"[-+]?[0-9]{1,20}"),
    "status": regex(r"([1-9])(?:([0-9]{2})|xx)"),
    "slower": _DURATION,
    "faster": _DURATION,
    "larger": _SIZE,
    "smaller": _SIZE,
}
_MINUTES: Final = {"m": 1, "h": 60, "d": 24 * 60, "w": 7 * 24 * 60}
_SECONDS: Final = {"ms": 0.001, "s": 1.0, "m": 60.0}
_BYTES: Final = {"b": 1, "kb": 1000, "mb": 1000**2, "gb": 1000**3}


class Bounds(Struct, frozen=True):
    """The bounds of a filter. All of them must hold."""

    code: int | None = None
    status: tuple[int, int] | None = None
    since: datetime | None = None
    until: datetime | None = None
    slower: float | None = None
    faster: float | None = None
    larger: int | None = None
    smaller: int | None = None
    wrong: tuple[str, ...] = ()
    """Problems of the text; if there are any, nothing matches."""

    @classmethod
    def of(cls, typed: Mapping[str, str], now: datetime) -> Bounds:
        """Read bounds by their names. An empty one is still being typed.

        ``now`` is the local time; without a zone it has the machine's own.
        """
        found: dict[str, Any] = {}
        wrong = []
        for kind, text in typed.items():
            if not text:
                continue
            try:
                found[kind] = _read_bound(kind, text.casefold(), now)
            except (ValueError, OverflowError, OSError):  # A day that is in no calendar gives one of the last two.
                wrong.append(f"{kind}:{cut(text)} {_ADVICE[kind]}")
        return cls(**found, wrong=tuple(wrong))

    def hold(self, call: Exchange) -> bool:
        status, took, size = call.response.status, call.seconds, call.response.size
        return not self.wrong and (
            (self.code is None or getattr(call.outcome, "code", None) == self.code)
            and (self.status is None or (status is not None and self.status[0] <= status <= self.status[1]))
            and (self.since is None or call.when >= self.since)
            and (self.until is None or call.when < self.until)
            and (self.slower is None or took > self.slower)
            and (self.faster is None or took < self.faster)
            and (self.larger is None or size > self.larger)
            and (self.smaller is None or size < self.smaller)
        )


def _read_bound(kind: str, text: str, now: datetime) -> Any:
    if kind in {"since", "until"}:  # A day includes all of its hours.
        begin, end = _moments(text, now)
        return begin if kind == "since" else end
    found = _PATTERNS[kind].fullmatch(text)
    if not found:
        raise ValueError
    match kind:
        case "code":
            return int(found[0])
        case "status":
            return int(text.replace("x", "0")), int(text.replace("x", "9"))
        case "slower" | "faster":
            return float(found[1]) * _SECONDS[found[2]]
    return round(float(found[1]) * _BYTES[found[2]])


def _moments(text: str, now: datetime) -> tuple[datetime, datetime]:
    """Return the period of a text; ages count from the full minute."""
    minute = now.replace(second=0, microsecond=0)
    if age := _AGE.fullmatch(text):
        moment = minute.astimezone(UTC) - timedelta(minutes=int(age[1]) * _MINUTES[age[2]])
        return moment, moment
    if text in {"today", "yesterday"} or re.fullmatch(r"[0-9-]+", text):
        days = {"today": 0, "yesterday": 1}
        day = now.date() - timedelta(days=days[text]) if text in days else date.fromisoformat(text)
        return _midnight(day, now), _midnight(day + timedelta(days=1), now)
    if re.fullmatch(r"[0-9]{1,2}:[0-9]{2}(:[0-9]{2})?", text):
        hour, colon, rest = text.partition(":")
        on_the_clock = time.fromisoformat(hour.zfill(2) + colon + rest)
        moment = datetime.combine(now.date(), on_the_clock, now.tzinfo)
    else:
        moment = datetime.fromisoformat(text.upper())
        if not moment.tzinfo:
            moment = moment.replace(tzinfo=now.tzinfo)
    moment = moment.astimezone(UTC)
    return moment, moment


def _midnight(day: date, now: datetime) -> datetime:
    return datetime.combine(day, time(), now.tzinfo).astimezone(UTC)


_NO_TIME: Final = "is not a time: write an age (30m 2h 3d 1w), a day (2026-11-20, today), or a time (14:30)"
_NO_DURATION: Final = "is not a duration: write a number with its unit, such as 100ms, 1.5s or 2m"
_NO_SIZE: Final = "is not a size: write a number with its unit, such as 500B, 20kB or 1MB"
_ADVICE: Final = {
    "code": "is not an error code: write a whole number, such as -32602",
    "status": "is not an HTTP status: write one, such as 404, or 5xx for all from 500 to 599",
    "since": _NO_TIME,
    "until": _NO_TIME,
    "slower": _NO_DURATION,
    "faster": _NO_DURATION,
    "larger": _NO_SIZE,
    "smaller": _NO_SIZE,
}
BOUNDS: Final = tuple(_ADVICE)
NO_BOUNDS: Final = Bounds()
_GROUPS: Final[dict[str, tuple[OutcomeName, ...]]] = {"failed": FAILED}
_SPELLINGS: Final[dict[OutcomeName, tuple[str, str]]] = {
    name: (OUTCOME_LABELS[name].replace(" ", "-"), name) for name in OUTCOMES
}
"""The word that is shown, and the name in files, which earlier versions showed."""
OUTCOME_WORDS: Final = (*(shown for shown, _ in _SPELLINGS.values()), *_GROUPS)
FORMER_OUTCOME_WORDS: Final = {name: shown for shown, name in _SPELLINGS.values() if name != shown}
YOU: Final = "you"
"""Stands for the user in a shared history."""
_KIND: Final = f"(outcome|method|profile|by|{'|'.join(BOUNDS)}):"
_WORD: Final = regex(rf'(?:{_KIND})?(?:"([^"]*)"?|(\S*))', re.IGNORECASE)
"""A word of a filter with its prefix, if any; quotes join words."""
_WORD_IN_TEXT: Final = regex(rf'(?<!\S)(?:{_KIND}(?:"([^"]*)"|(\S+))|"({_KIND}[^"]*)")(?!\S)', re.IGNORECASE)
"""A prefixed word inside text; in quotes it is text as well."""


class HistoryFilter(Struct, frozen=True, dict=True):
    """All parts must match; only ``profile`` and ``method`` respect case."""

    text: str = ""
    words: tuple[str, ...] = ()
    """They may be anywhere but in the profile and the URL."""
    profile: str | None = None
    method: str | None = None
    outcome: str = ""
    """Prefixes of outcomes, separated by spaces; one must match."""
    named_profile: str = ""
    in_profile: str = ""
    in_method: str = ""
    by: str = ""
    """A part of the name of who recorded it; ``you`` for the user."""
    bounds: Bounds = NO_BOUNDS

    @classmethod
    def of(cls, typed: str, profile: str | None = None, *, now: datetime) -> HistoryFilter:
        """Read a filter: ``outcome:error method:user since:2h ada "two words"``.

        Words with an unknown prefix are text. ``method:=user.get`` matches the whole name, and so does
        ``profile:=shop``. A typed ``profile:`` replaces ``profile``. ``now`` is the local time; without a zone it has
        the machine's own.
        """
        words, kinds = [], dict[str, str]()
        for found in _WORD.finditer(typed):
            word = found[2] or found[3] or ""
            if found[1]:
                _add(kinds, found[1].lower(), word)
            elif word:
                words.append(word.casefold())
        return cls(words=tuple(words), **_narrowed(kinds, profile, now))

    @classmethod
    def around(cls, typed: str, profile: str | None = None, *, now: datetime) -> HistoryFilter:
        """Read a text to search as it is, with words of a filter in it."""
        kinds = dict[str, str]()

        def taken(found: re.Match[str]) -> str:
            if found[1]:
                _add(kinds, found[1].lower(), found[2] or found[3] or "")
            return found[4] or ""

        text = _WORD_IN_TEXT.sub(taken, typed)
        return cls(text if text == typed else " ".join(text.split()), **_narrowed(kinds, profile, now))

    @cached_property
    def outcomes(self) -> tuple[OutcomeName, ...]:
        if self._no_outcome:
            return ()
        begun = tuple(self.outcome.split()) or ("",)
        grouped: set[OutcomeName] = set()
        for word, names in _GROUPS.items():
            if word.startswith(begun):
                grouped.update(names)
        found = []
        for name, words in _SPELLINGS.items():
            if name == "event" and all(len(word) < 2 for word in begun):
                continue  # There are many events, so one letter does not mean them.
            if name in grouped or any(word.startswith(begun) for word in words):
                found.append(name)
        return tuple(found)

    @property
    def _no_outcome(self) -> str:
        """The first word that begins no outcome's name."""
        known = (*OUTCOME_WORDS, *FORMER_OUTCOME_WORDS)
        for word in self.outcome.split():
            if not any(name.startswith(word) for name in known):
                return word
        return ""

    @property
    def wrong(self) -> tuple[str, ...]:
        """Return the problems, each with what to write instead."""
        if not self._no_outcome:
            return self.bounds.wrong
        return (f"there is no outcome {self._no_outcome}. Write one of {', '.join(OUTCOME_WORDS)}", *self.bounds.wrong)

    def matches(self, found: Exchange | Damaged) -> bool:
        """Return whether an exchange matches.

        Of a damaged record only its text is searched. A file that cannot be read always matches, because damage is
        shown.
        """
        if isinstance(found, Damaged):
            only_text = self == HistoryFilter(self.text, self.words)
            return not found.text or (only_text and _all_in((self.text, *self.words), (found.text,)))
        return (
            self.profile in {None, found.profile}
            and self.named_profile in {"", found.profile}
            and self.method in {None, found.method}
            and found.counts_as in self.outcomes
            and self.bounds.hold(found)
            and self.in_profile.casefold() in found.profile.casefold()
            and self.in_method.casefold() in found.method.casefold()
            and self.by.casefold() in (found.writer or YOU).casefold()
            and (not self.text or _all_in((self.text,), (found.profile, found.url, *_texts(found)), found.params))
            and (not self.words or _all_in(self.words, _texts(found), found.params))
        )


def _add(kinds: dict[str, str], kind: str, word: str) -> None:
    """Add a word; the last one of a prefix counts, but all outcomes do."""
    if kind == "outcome":
        word = f"{kinds.get(kind, '')} {word}".strip()
    kinds[kind] = word


def narrowed(typed: str, words: str) -> str:
    """Add words to a filter; they replace those with the same prefix."""
    kinds = {found[1].lower() for found in _WORD.finditer(words) if found[1]}
    rest = [found[0] for found in _WORD.finditer(typed) if found[0] and (found[1] or "").lower() not in kinds]
    return " ".join([*rest, words])


def _narrowed(kinds: Mapping[str, str], profile: str | None, now: datetime) -> dict[str, Any]:
    named_profile, in_profile = _whole_or_part(kinds.get("profile", ""))
    method, in_method = _whole_or_part(kinds.get("method", ""))
    return {
        "profile": None if named_profile or in_profile else profile,
        "method": method or None,
        "outcome": kinds.get("outcome", "").casefold(),
        "named_profile": named_profile,
        "in_profile": in_profile,
        "in_method": in_method,
        "by": kinds.get("by", "").casefold(),
        "bounds": Bounds.of({kind: kinds[kind] for kind in BOUNDS if kind in kinds}, now),
    }


def _whole_or_part(word: str) -> tuple[str, str]:
    if word.startswith("="):
        return word[1:], ""
    return "", word.casefold()


def _texts(exchange: Exchange) -> Iterator[str]:
    yield from (exchange.id, exchange.method, exchange.params, exchange.name, exchange.note)
    yield exchange.params_sent or ""
    yield from (getattr(exchange.outcome, name, "") for name in ("message", "reason", "sentence", "answer", "of"))
    yield from (f"{name}: {value}" for name, value in exchange.response.headers)
    yield exchange.response.body.decode(errors="replace")


def _all_in(words: Iterable[str], texts: Iterable[str], params: str = "") -> bool:
    """Return whether each word is in one of the texts, or in the params as a row shows them."""
    folded = [text.casefold() for text in texts]
    for word in words:
        if not any(word.casefold() in text for text in folded) and not _in_short(word, params):
            return False
    return True


_PART: Final = regex(r'[\[\]{}]|[^ \t\r\n"\[\]{}]+')


def short_parts(word: str) -> list[str]:
    """Return the parts of a text between which params can have blanks, quotes, colons and commas.

    A row shows ``{"limit": 6, "tags": [1, 2]}`` as ``limit 6 tags [1 2]``. A text of one part is the same in both.
    """
    parts = [part.strip(":,") for part in _PART.findall(word.casefold())]
    parts = [part for part in parts if part]
    return parts if len(parts) > 1 else []


def _in_short(word: str, params: str) -> bool:
    parts = short_parts(word)
    between = r'[ \t\r\n":,]*+'
    return bool(parts) and re.search(between.join(map(re.escape, parts)), params.casefold()) is not None
