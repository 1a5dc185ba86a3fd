"""Words for outcomes, transport, durations, sizes and ages."""

from __future__ import annotations

from math import inf, nan

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rpcexplorer.model.exchange import NAMES, Cancelled, Outcome, Refused, Sent, Unreached
from rpcexplorer.rpc.messages import ErrorObject, Malformed, Result
from rpcexplorer.text.exchange import SIGNS, age, duration, explanation, outcome_line, size, transport_line
from rpcexplorer.text.printable import printable
from rpcexplorer.transport.port import Response
from tests.views.exchanges import exchange


def error(code: int | None, message: str = "") -> ErrorObject:
    return ErrorObject(code, message, None, b"{}")


@pytest.mark.parametrize(
    ("outcome", "line"),
    [
        (Result(b"1"), "✓ result"),
        (error(-32602, "Invalid params"), "✗ error -32602 Invalid params"),
        (error(-32601), "✗ error -32601 Method not found"),
        (error(7), "✗ error 7"),
        (error(None, "boom"), "✗ error without code boom"),
        (Malformed("the body is not JSON"), "! malformed: the body is not JSON"),
        (Unreached("connect", "nothing listens there"), "⨯ unreached: nothing listens there"),  # noqa: RUF001 - the sign is meant
        (Cancelled(), "◌ cancelled"),
        (Cancelled(maybe_ran=True), "◌ cancelled, but the server may have run it"),
        (Sent(), "→ sent"),
        (Refused("params", "a comma is missing"), "! refused: a comma is missing"),
    ],
)
def test_an_outcome_is_a_sign_and_words(outcome: Outcome, line: str) -> None:
    assert outcome_line(exchange(outcome)) == line


def test_every_outcome_has_a_sign() -> None:
    assert SIGNS.keys() == set(NAMES.values())


@given(st.text())
def test_text_from_outside_comes_out_printable_on_one_line(text: str) -> None:
    for outcome in (error(1, text), Malformed(text), Unreached("wait", text), Refused("profile", text)):
        line = outcome_line(exchange(outcome))
        assert printable(line) == line


@pytest.mark.parametrize(
    ("outcome", "status", "line"),
    [
        (Result(b"1"), 200, "HTTP 200 · 34 ms · 1.2 kB"),
        (Malformed("empty"), 502, "HTTP 502 · 34 ms · 1.2 kB"),
        (Unreached("body", "reset"), 200, "HTTP 200 · 34 ms · 1.2 kB, incomplete"),
        (Unreached("connect", "refused"), None, "34 ms"),
        (Refused("params", "no"), None, ""),
    ],
)
def test_the_transport_is_a_line_of_its_own(outcome: Outcome, status: int | None, line: str) -> None:
    response = Response(status, "", "", (), b"", 1234) if status else Response()
    assert transport_line(exchange(outcome, response=response)) == line


def test_an_error_code_is_explained_where_its_meaning_is_laid_down() -> None:
    assert explanation(error(-32601)).startswith("Method not found: ")
    assert explanation(error(7)) == explanation(Result(b"1")) == ""


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [
        (0, "0 ms"),
        (0.00004, "0 ms"),
        (0.0004, "0.4 ms"),
        (0.00096, "1 ms"),
        (0.0341, "34 ms"),
        (0.9994, "999 ms"),
        (0.9996, "1.0 s"),
        (1.44, "1.4 s"),
        (59.94, "59.9 s"),
        (59.96, "1 min 0 s"),
        (125, "2 min 5 s"),
        (3599.4, "59 min 59 s"),
        (3599.7, "1 h 0 min"),
        (4320, "1 h 12 min"),
        (-1, "0 ms"),
        (inf, "? s"),
        (nan, "? s"),
    ],
)
def test_a_duration_has_the_digits_that_matter(seconds: float, shown: str) -> None:
    assert duration(seconds) == shown


@pytest.mark.parametrize(
    ("count", "shown"),
    [
        (0, "0 B"),
        (999, "999 B"),
        (1000, "1.0 kB"),
        (1234, "1.2 kB"),
        (9949, "9.9 kB"),
        (9950, "10 kB"),
        (999_499, "999 kB"),
        (999_500, "1.0 MB"),
        (38_000_000, "38 MB"),
        (2 * 10**9, "2.0 GB"),
        (10**16, "10000 TB"),
    ],
)
def test_a_size_is_decimal_with_two_or_three_digits(count: int, shown: str) -> None:
    assert size(count) == shown


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [
        (-3, "0 s"),
        (59.9, "59 s"),
        (60, "1 min"),
        (3599, "59 min"),
        (3600, "1 h"),
        (172_799, "47 h"),
        (172_800, "2 days"),
    ],
)
def test_an_age_is_told_in_one_unit(seconds: float, shown: str) -> None:
    assert age(seconds) == shown
