"""Bounds that a person sets to the calls of the history: ``code:-32602 since:2h slower:1s``.

Each is read from what was typed, or it is said what to write instead; whoever reads one says what time it is.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime, time, timedelta
from types import MappingProxyType
from typing import Any, Final

from msgspec import Struct

from rpcexplorer.model.complaint import cut
from rpcexplorer.model.exchange import Exchange

_NUMBER: Final = r"([0-9]{1,9}(?:\.[0-9]{1,6})?)"
_AGE: Final = re.compile(r"([0-9]{1,5})(m|h|d|w)")
_TOOK: Final = re.compile(_NUMBER + "(ms|s|m)")
_SIZE: Final = re.compile(_NUMBER + "(b|kb|mb|gb)")
_CODE: Final = re.compile(r"[-+]?[0-9]{1,20}")
_STATUS: Final = re.compile(r"([1-9])(?:([0-9]{2})|xx)")
_MINUTES: Final = {"m": 1, "h": 60, "d": 24 * 60, "w": 7 * 24 * 60}
_SECONDS: Final = {"ms": 0.001, "s": 1.0, "m": 60.0}
_BYTES: Final = {"b": 1, "kb": 1000, "mb": 1000**2, "gb": 1000**3}


class Bounds(Struct, frozen=True):
    """Each that is given must hold."""

    code: int | None = None
    """The error object's."""
    status: tuple[int, int] | None = None
    """The lowest and the highest HTTP status that is meant."""
    since: datetime | None = None
    """It began then or later."""
    until: datetime | None = None
    """It began before."""
    slower: float | None = None
    """It took more seconds."""
    faster: float | None = None
    larger: int | None = None
    """The reply has more bytes."""
    smaller: int | None = None
    wrong: tuple[str, ...] = ()
    """What could not be read, each with what to write instead. Then nothing is meant."""

    @classmethod
    def of(cls, typed: Mapping[str, str], now: datetime) -> Bounds:
        """Read bounds by their kinds. An empty one is still being typed, and is none.

        ``now``: what a clock shows where whoever looks lives; without a zone it is the machine's own.
        """
        found: dict[str, Any] = {}
        wrong = []
        for kind, text in typed.items():
            read, instead = _KINDS[kind]
            if not text:
                continue
            try:
                found[kind] = read(text.casefold(), now)
            except (ValueError, OverflowError, OSError):  # the last two: a day that no calendar has
                wrong.append(f"{kind}:{cut(text)} {instead}")
        return cls(**found, wrong=tuple(wrong))

    def hold(self, call: Exchange) -> bool:
        """Whether a call is one of those that are meant."""
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


def _code(text: str, _now: datetime) -> int:
    return int(_matched(_CODE, text)[0])


def _status(text: str, _now: datetime) -> tuple[int, int]:
    first, rest = _matched(_STATUS, text).groups()
    return (int(first + rest),) * 2 if rest else (int(first) * 100, int(first) * 100 + 99)


def _since(text: str, now: datetime) -> datetime:
    return _moments(text, now)[0]


def _until(text: str, now: datetime) -> datetime:
    """A day is meant with all of its hours."""
    return _moments(text, now)[1]


def _moments(text: str, now: datetime) -> tuple[datetime, datetime]:
    """When what is meant begins and ends. Ages count from the minute, so that twice the same means the same."""
    minute = now.replace(second=0, microsecond=0)
    if age := _AGE.fullmatch(text):
        moment = minute.astimezone(UTC) - timedelta(minutes=int(age[1]) * _MINUTES[age[2]])
        return moment, moment
    if text in {"today", "yesterday"} or re.fullmatch(r"[0-9-]+", text):
        days = {"today": 0, "yesterday": 1}
        day = now.date() - timedelta(days=days[text]) if text in days else date.fromisoformat(text)
        return _midnight(day, now), _midnight(day + timedelta(days=1), now)
    if re.fullmatch(r"[0-9]{1,2}:[0-9]{2}(:[0-9]{2})?", text):
        on_the_clock = time.fromisoformat(text.zfill(8 if text.count(":") > 1 else 5))
        moment = datetime.combine(now.date(), on_the_clock, now.tzinfo)
    else:
        moment = datetime.fromisoformat(text.upper())
        moment = moment if moment.tzinfo else moment.replace(tzinfo=now.tzinfo)
    moment = moment.astimezone(UTC)
    return moment, moment


def _midnight(day: date, now: datetime) -> datetime:
    return datetime.combine(day, time(), now.tzinfo).astimezone(UTC)


def _duration(text: str, _now: datetime) -> float:
    number, unit = _matched(_TOOK, text).groups()
    return float(number) * _SECONDS[unit]


def _size(text: str, _now: datetime) -> int:
    number, unit = _matched(_SIZE, text).groups()
    return round(float(number) * _BYTES[unit])


def _matched(pattern: re.Pattern[str], text: str) -> re.Match[str]:
    if found := pattern.fullmatch(text):
        return found
    raise ValueError


_NO_TIME: Final = "is no time: write an age (30m 2h 3d 1w), a day (2026-11-20, today), or a time (14:30)"
_NO_DURATION: Final = "is no duration: write a number with its unit, such as 100ms, 1.5s or 2m"
_NO_SIZE: Final = "is no size: write a number with its unit, such as 500B, 20kB or 1MB"
_KINDS: Final[Mapping[str, tuple[Callable[[str, datetime], Any], str]]] = MappingProxyType(
    {
        "code": (_code, "is no error code: write a whole number, such as -32602"),
        "status": (_status, "is no HTTP status: write one, such as 404, or 5xx for all from 500 to 599"),
        "since": (_since, _NO_TIME),
        "until": (_until, _NO_TIME),
        "slower": (_duration, _NO_DURATION),
        "faster": (_duration, _NO_DURATION),
        "larger": (_size, _NO_SIZE),
        "smaller": (_size, _NO_SIZE),
    }
)
BOUNDS: Final = tuple(_KINDS)
"""The kinds that there are, as a person types them."""
NO_BOUNDS: Final = Bounds()
