"""Tests of words for outcomes, transport, durations, sizes and ages."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from math import inf, nan

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from rpcexplorer.auth.basic import InlineAuth
from rpcexplorer.auth.token import CookieAuth
from rpcexplorer.client.preview import preview
from rpcexplorer.model.batch import parts_of
from rpcexplorer.model.draft import Draft
from rpcexplorer.model.exchange import NAMES, Cancelled, Exchange, Outcome, Preview, Refused, Sent, Unreached
from rpcexplorer.model.profile import Profile
from rpcexplorer.rpc.batch import decode_batch
from rpcexplorer.rpc.messages import ErrorObject, Malformed, Result
from rpcexplorer.text.exchange import (
    DOTS,
    SIGNS,
    age,
    bars,
    duration,
    ended,
    failed_lines,
    headers_page,
    nothing,
    outcome_line,
    outcome_word,
    phase_strip,
    remark_pieces,
    request_lines,
    size,
    timing_page,
    transport_line,
    transport_pieces,
)
from rpcexplorer.text.printable import printable
from rpcexplorer.text.wrapping import WordLine, text_of
from rpcexplorer.transport.port import Phases, Response
from tests.text.exchanges import exchange


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
        (Unreached("connect", "nothing listens there"), "⨯ no response: nothing listens there"),  # noqa: RUF001 - the sign is meant
        (Cancelled(), "◌ cancelled"),
        (Cancelled(maybe_ran=True), "◌ cancelled, but the server may have run it"),
        (Sent(), "→ sent"),
        (Refused("params", "a comma is missing"), "! not sent: a comma is missing"),
    ],
)
def test_outcome_has_a_sign_and_words(outcome: Outcome, line: str) -> None:
    assert outcome_line(exchange(outcome)) == line


@pytest.mark.parametrize(
    ("outcome", "words", "role"),
    [
        (Result(b"1"), "34 ms", "middle"),
        (ErrorObject(-32602, "", None, b""), "-32602", "wrong"),
        (ErrorObject(None, "", None, b""), "error", "wrong"),
        (ErrorObject(10**4400, "", None, b""), "error", "wrong"),
        (Malformed("no"), "malformed", "wrong"),
        (Unreached("name", "no such host"), "no resp.", "wrong"),
        (Cancelled(), "cancelled", "careful"),
        (Sent(), "sent", "well"),
    ],
)
def test_each_outcome_has_a_word_and_a_colour(outcome: Outcome, words: str, role: str) -> None:
    assert outcome_word(exchange(outcome)) == (words, role)


def test_every_outcome_has_a_sign() -> None:
    assert SIGNS.keys() == set(NAMES.values())


@given(st.text())
def test_external_text_becomes_one_printable_line(text: str) -> None:
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
def test_transport_has_its_own_line(outcome: Outcome, status: int | None, line: str) -> None:
    response = Response(status, "", "", (), b"", 1234) if status else Response()
    assert transport_line(exchange(outcome, response=response)) == line


@pytest.mark.parametrize(("length", "line"), [("13", "13 B"), ("14", "13 B, incomplete"), (None, "13 B, incomplete")])
def test_refused_upgrade_may_have_its_whole_body(length: str | None, line: str) -> None:
    headers = (("content-length", length),) if length else ()
    response = Response(401, "", "", headers, b"not allowed.\n", 13)
    refused = exchange(Unreached("upgrade", "refused"), response=response)
    assert transport_line(refused) == f"HTTP 401 · 34 ms · {line}"


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [
        (0, "0 ms"), (0.00004, "0 ms"), (0.0004, "0.4 ms"), (0.00096, "1 ms"), (0.0341, "34 ms"), (0.9994, "999 ms"),
        (0.9996, "1.0 s"), (1.44, "1.4 s"), (59.94, "59.9 s"), (59.96, "1 min 0 s"), (125, "2 min 5 s"),
        (3599.4, "59 min 59 s"), (3599.7, "1 h 0 min"), (4320, "1 h 12 min"), (-1, "0 ms"), (inf, "? s"),
        (nan, "? s"),
    ],
)  # fmt: skip
def test_duration_has_the_significant_digits(seconds: float, shown: str) -> None:
    assert duration(seconds) == shown


@pytest.mark.parametrize(
    ("count", "shown"),
    [
        (0, "0 B"), (999, "999 B"), (1000, "1.0 kB"), (1234, "1.2 kB"), (9949, "9.9 kB"), (9950, "10 kB"),
        (999_499, "999 kB"), (999_500, "1.0 MB"), (38_000_000, "38 MB"), (2 * 10**9, "2.0 GB"), (10**16, "10000 TB"),
    ],
)  # fmt: skip
def test_size_is_decimal_with_two_or_three_digits(count: int, shown: str) -> None:
    assert size(count) == shown


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [
        (-3, "0 s"), (59.9, "59 s"), (60, "1 min"), (3599, "59 min"), (3600, "1 h"), (172_799, "47 h"),
        (172_800, "2 days"),
    ],
)  # fmt: skip
def test_age_has_one_unit(seconds: float, shown: str) -> None:
    assert age(seconds) == shown


URL = "https://rpc.example.com"


def told(preview: Preview | Refused | None) -> list[str]:
    return [text_of(line) for line in request_lines(preview)]


def role_of(lines: list[WordLine], text: str) -> str:
    return next(role for line in lines for piece, role in line if piece == text)


def test_request_shows_line_headers_and_exact_body() -> None:
    request = Preview(
        "POST /api/v2/ HTTP/1.1", (("Accept", "*/*"), ("Content-Length", "22")), b'{"params": [1.10, {}]}'
    )
    assert told(request) == [
        "  POST /api/v2/ HTTP/1.1",
        "  Accept: */*",
        "  Content-Length: 22",
        "",
        '  {"params": [1.10, {}]}',
    ]
    lines = request_lines(request)
    assert role_of(lines, '"params"') == "json-key"
    assert role_of(lines, "1.10") == "json-number"


def test_secrets_of_request_are_dots_with_dim_names() -> None:
    cookie = preview(Profile("demo", URL, auth=CookieAuth()), Draft("ping"), "1", has_session=True)
    assert f"  Cookie: sessionid={DOTS}  demo.session" in told(cookie)
    assert role_of(request_lines(cookie), "  demo.session") == "dim"
    inline = preview(Profile("demo", URL, auth=InlineAuth(username="ada")), Draft("arg_test"), "1", has_session=False)
    shown = "\n".join(told(inline))
    assert f'"password":"{DOTS}"' in shown
    assert f"\n\n  {DOTS} demo.password" in shown
    assert "«" not in shown


def test_pending_login_is_shown_first() -> None:
    request = preview(Profile("demo", URL, auth=CookieAuth()), Draft("ping"), "1", has_session=False)
    assert told(request)[:3] == [
        "  ! There is no session yet, so rpcexplorer logs in first.",
        "",
        "  POST /api/v2/ HTTP/1.1",
    ]


@pytest.mark.parametrize(
    ("headers", "head"),
    [((), []), ((("Content-Length", "5"),), ["  Content-Length: 5", ""])],
)
def test_message_without_http_is_below_its_connection(headers: tuple[tuple[str, str], ...], head: list[str]) -> None:
    request = Preview("", headers, b'{"a":1}', facts=(("process", "serve \x1b"), ("folder", "/x")))
    shown = told(request)
    assert shown[: 3 + len(head)] == ["  process: serve ␛", "  folder: /x", "", *head]
    assert "".join(shown[3 + len(head) :]).replace(" ", "") == '{"a":1}'


def test_unsendable_request_shows_the_reason() -> None:
    assert told(Refused("params", "The params cannot be sent: line 1, column 2: x")) == [
        "  ! The params cannot be sent: line 1, column 2: x",
        "",
        "  Nothing would be sent.",
    ]


def test_empty_request_page_explains_itself() -> None:
    assert told(None) == ["  The next request will be shown here."]


def test_control_characters_are_escaped() -> None:
    body = json.dumps({"a": "\u202e"}, ensure_ascii=False).encode() + b"\xe2\x80\xa8"
    shown = "".join(told(Preview("POST /\x1b HTTP/1.1", (("X\x07", "\x1b[31m"),), body)))
    assert shown.count("␛") == 2
    assert "X␇: " in shown
    assert '"\\u202e"' in shown
    assert shown.isprintable()


def test_binary_body_is_shown_in_hex() -> None:
    assert "ff fe 00" in "".join(told(Preview("POST / HTTP/1.1", (), b"\xff\xfe\x00")))


def test_warnings_of_preview_are_shown_first() -> None:
    lines = request_lines(Preview("POST / HTTP/1.1", (), b"[]", remarks=("{{a\x1b}} has no value",)))
    assert lines[0][1:] == [("! ", "careful bold"), ("{{a␛}} has no value", "careful")]
    assert lines[1] == []


def test_only_the_edited_value_is_underlined() -> None:
    body = b'{"jsonrpc":"2.0","id":"a","method":"m","params":{"a":1,"b":[{"a":"\\u0007"},2]}}'
    request = Preview("POST / HTTP/1.1", (), body)

    def marked(*way: str | int) -> str:
        lines = request_lines(request, way)
        return "".join(text for line in lines for text, role in line if "underline" in role)

    assert marked("b", 0, "a") == '"\\u0007"'
    assert marked("b", 0) == '{"a":"\\u0007"}'
    assert (marked("a"), marked("nowhere"), marked()) == ("1", "", "")


WHOLE = Phases(name=0.1, connect=0.1, tls=0.2, send=0.0, wait=0.4, transfer=0.2)


@pytest.mark.parametrize(("seconds", "rest"), [(1.2, ["200 ms"]), (1.009, []), (1.0, []), (0.5, []), (nan, [])])
def test_unexplained_time_over_one_percent_is_other(seconds: float, rest: list[str]) -> None:
    found = bars(Phases(wait=1.0), seconds, 20)
    assert [bar.took for bar in found if bar.label == "other"] == rest
    assert found[0].length == pytest.approx(1 / max(1.0, seconds))


TIMES = st.one_of(st.none(), st.floats(-1, 1e6), st.sampled_from([inf, nan]))


@given(
    st.builds(Phases, *[TIMES] * 6, kept=st.booleans()),
    st.one_of(st.floats(0, 1e7), st.sampled_from([inf, nan])),
    st.integers(0, 200),
)
def test_timing_page_is_drawn_for_any_phases(phases: Phases, seconds: float, width: int) -> None:
    timed = exchange(Result(b"1"), phases=phases, seconds=seconds)
    for usual in (None, 0.0, 0.5):
        for line in timing_page(timed, width, usual):
            assert len(text_of(line)) < max(width, 40) + 24
    assert len(text_of(phase_strip(timed))) in {0, len(" ▏12345▏")}


def timing(phases: Phases, usual: float | None = None) -> list[str]:
    lines = timing_page(exchange(Result(b"1"), phases=phases, seconds=0.12), 60, usual)
    return [text_of(line).rstrip() for line in lines]


def test_timing_page_has_bars_below_a_ruler() -> None:
    assert timing(Phases(connect=0.02, send=0.0002, wait=0.0898, transfer=0.01), 0.06) == [
        "                  0            50            100 ms",
        "  connect         ▆▆▆▆▆ 20 ms",
        "  send                 ▏ 0.2 ms",
        "  wait                 ▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆ 90 ms",
        "  transfer                                     ▆▆▆ 10 ms",
        "",
        "  total           ▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆ 120 ms",
        "  usual           ▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆ 60 ms",
    ]


def test_usual_duration_may_be_longer_than_the_call() -> None:
    assert timing(Phases(wait=0.12, kept=True), 0.24)[1:] == [
        "  connection      reused",
        "  wait            ▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆ 120 ms",
        "",
        "  total           ▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆ 120 ms",
        "  usual           ▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆ 240 ms",
    ]


def test_timing_page_without_phases_has_the_total() -> None:
    assert timing(Phases())[1:] == [
        "  Only the total time is known.",
        "",
        "  total           ▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆ 120 ms",
    ]


def test_page_of_headers_has_what_the_timing_leaves_out() -> None:
    for one in (exchange(Result(b"1")), exchange(Result(b"1"), status=None)):
        labels = {text_of(line).split("  ")[1] for line in headers_page(one) if line}
        assert {"sent", "when", "id"} <= labels


@pytest.mark.parametrize(
    ("outcome", "phases", "usual", "words"),
    [
        (Result(b"1"), Phases(), None, "   200 · 120 ms · 9 B"),
        (Result(b"1"), Phases(), 0.063, "   200 · 120 ms  usual 63 · 9 B"),
        (Result(b"1"), Phases(), 1.5, "   200 · 120 ms  usual 1.5 s · 9 B"),
        (
            Result(b"1"),
            Phases(name=0.01, connect=0.02, tls=0.03, send=0.0001, wait=0.05, transfer=0.0099),
            None,
            "   200 · 120 ms ▏▄▁▄▁ ▏ · 9 B",
        ),
        (Result(b"1"), Phases(wait=0.06, kept=True), None, "   200 · 120 ms ▏  ▄ ▄▏ · 9 B"),
        (error(-1), Phases(wait=0.12), 0.063, "   HTTP 200 · 120 ms · 9 B"),
    ],
)
def test_bar_of_a_result_has_phases_and_the_usual(
    outcome: Outcome, phases: Phases, usual: float | None, words: str
) -> None:
    one = exchange(outcome, phases=phases, seconds=0.12, body=b"123456789")
    assert text_of(transport_pieces(one, one.method, usual)) == words


def test_slow_call_has_its_usual_duration_in_a_colour() -> None:
    one = exchange(Result(b"1"), seconds=0.2)
    assert ("  usual 90", "careful") in transport_pieces(one, one.method, 0.09)
    assert ("  usual 100", "middle") in transport_pieces(one, one.method, 0.1)


@pytest.mark.parametrize(
    ("seconds", "words"), [(0.0, "Nothing was sent."), (0.2, "The call was not sent, only requests before it.")]
)
def test_unsent_call_after_sent_login_is_described(seconds: float, words: str) -> None:
    when = datetime(2026, 11, 22, tzinfo=UTC)
    refused = Refused("credentials", "x")
    one = Exchange("a", when, "shop", "http://h", "ping", "", "call", refused, seconds=seconds)
    assert words in nothing(one, "")[1][0][0]


@pytest.mark.parametrize(("maybe_ran", "remarks"), [(True, ["The server may have run it."]), (False, [])])
def test_cancelled_call_says_so_once(maybe_ran: bool, remarks: list[str]) -> None:
    cancelled = exchange(Cancelled(maybe_ran=maybe_ran))
    assert ended(cancelled, 60) == [("◌ ", "careful"), ("cancelled", "careful bold")]
    assert [words for words, _ in remark_pieces(cancelled, 60)] == remarks
    assert "cancelled" not in str(nothing(cancelled, ""))


def test_narrow_bar_has_the_first_words() -> None:
    failed = exchange(Result(b"1", message="no such tool"))
    assert ended(failed, 40)[1][0] == "tool failed: no such tool"
    assert ended(failed, 12)[1][0] == "tool failed"


def test_response_of_another_method_names_it() -> None:
    one = exchange(Result(b"1"))
    assert [text for text, _ in transport_pieces(one, "other")][:2] == ["  of ", one.method]
    assert "  of " not in [text for text, _ in transport_pieces(replace(one, method=""), "other")]


def lines(body: bytes) -> list[str]:
    text = '[{"method": "a"}, {"method": "b\\u001b[2J"}, {"method": "c"}]'
    return list(failed_lines(parts_of(exchange(decode_batch(body, ()), body=body, id="x", kind="batch", params=text))))


def test_failed_calls_of_batch_are_named_and_escaped() -> None:
    body = (
        b'[{"id":"x.1","result":1},{"id":"x.2","error":{"code":-1,"message":"\\u001b[2J"}},{"id":"\\u001b","result":1}]'
    )
    found = lines(body)
    assert found == [
        "call 2, b␛[2J: error -1 ␛[2J",
        "call 3, c: No response to this call",
        'unexpected response: no call has the id "\\u001b": result',
    ]


def test_outcome_of_batch_is_not_repeated_per_call() -> None:
    assert lines(b'{"id":null,"error":{"code":-32600,"message":"no batch"}}') == []
    assert lines(b"<html>") == []
