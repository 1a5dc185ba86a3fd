"""Plain texts and numbers within limits: nothing that a person would take for something meant."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import ceil, floor
from typing import Any, Final

PLAIN: Final = {
    "string": '""', "integer": "0", "number": "0", "boolean": "false", "array": "[]", "object": "{}", "null": "null",
}  # fmt: skip
"""The plainest value of each kind, as JSON."""
FORMATS: Final = {
    "date-time": "2026-01-01T00:00:00Z",
    "date": "2026-01-01",
    "time": "00:00:00Z",
    "duration": "PT1S",
    "uuid": "00000000-0000-0000-0000-000000000000",
    "uri": "https://example.org/",
    "url": "https://example.org/",
    "iri": "https://example.org/",
    "email": "user@example.org",
    "idn-email": "user@example.org",
    "hostname": "example.org",
    "idn-hostname": "example.org",
    "ipv4": "127.0.0.1",
    "ip-address": "127.0.0.1",
    "ipv6": "::1",
}
"""A value of each format of which the empty text is none."""
LONGEST: Final = 1_000
HUGE: Final = 1e300
"""From here on a sum may have no end."""


def numbers(limits: Mapping[str, Any], *, whole: bool) -> Iterator[float]:
    """Nought where it may stand, else those next to the bounds: one of them is right where any is."""
    yield 0
    step = limits.get("multipleOf", 1 if whole else 0)
    low = limits.get("minimum", limits.get("exclusiveMinimum"))
    high = limits.get("maximum", limits.get("exclusiveMaximum"))
    if low is not None and high is not None and not whole and max(abs(low), abs(high)) < HUGE:
        yield _whole_if_it_is(low / 2 + high / 2)
    for bound, round_up in ((low, True), (high, False)):
        if bound is None:
            continue
        yield bound
        if step:
            times = _times(bound, step, up=round_up)
            away = 1 if round_up else -1
            yield from (_whole_if_it_is((times + more) * step) for more in (0, away))
        if whole:
            yield from (ceil(bound), floor(bound), ceil(bound) + 1, floor(bound) - 1)
        else:
            yield bound + 1 if round_up else bound - 1


def _times(bound: float, step: float, *, up: bool) -> int:
    if isinstance(bound, int) and isinstance(step, int):
        return -(-bound // step) if up else bound // step
    try:
        return ceil(bound / step) if up else floor(bound / step)
    except OverflowError:
        return 0


def _whole_if_it_is(value: Any) -> Any:
    return int(value) if isinstance(value, float) and value.is_integer() and abs(value) < 2**53 else value


def text(limits: Mapping[str, Any]) -> str:
    """A text of the format that is wanted, or as long as it must be."""
    plain = FORMATS.get(limits.get("format", ""), "")
    least = min(limits.get("minLength", 0), LONGEST)
    return plain if len(plain) >= least else plain + "x" * (least - len(plain))
