from __future__ import annotations

import tomllib
from datetime import UTC, datetime, timedelta, timezone
from typing import Any, get_args

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from msgspec.structs import replace

from rpcexplorer.history.record import (
    BY_HAND,
    id_of,
    outline,
    quoted,
    read_block,
    read_record,
    spell,
    to_block,
    to_exchange,
    to_record,
)
from rpcexplorer.model.exchange import Cancelled, Damaged, Exchange, Outcome, Sent, Unreached
from rpcexplorer.rpc.codec import decode
from rpcexplorer.rpc.messages import EnvelopeForm, ErrorObject, Malformed, MessageForm, Result, spelled
from rpcexplorer.transport.port import Phases, Response
from tests.history.recording import as_recorded, exchange

ANY = st.text(st.characters(exclude_categories=()), max_size=20)
"""Any text, including lone surrogates and control characters."""
ENCODABLE = st.text(max_size=20)
HOSTILE = '\x1b]52;c;aGk=\x07 \x9b31m \u202e \u200b \x7f \u2028 \xa0 \U000e0041 \r\n\t\0 \ufeff \ue000 \\U "end = "'
SECONDS = st.none() | st.integers(0, 10**7).map(lambda milliseconds: milliseconds / 1000)
OUTCOMES: list[Outcome] = [
    Malformed("not JSON", ("a", "b\n")),
    Unreached("tls", "The certificate is out of date.", True),
    Unreached("name", "There is no such host."),
    Cancelled(True),
    Cancelled(),
    Sent(("the server sent a response to a notification",)),
]


def back(one: Exchange) -> Exchange | Damaged | None:
    return read_block(to_block(one).encode())


def values(block: str) -> dict[str, Any]:
    (call,) = tomllib.loads(block)["call"]
    assert isinstance(call, dict)
    return call


@st.composite
def exchanges(draw: st.DrawFn) -> Exchange:
    """Draw calls whose outcome matches the response, or without a response."""
    texts: dict[str, Any] = {key: draw(ANY) for key in ("id", "profile", "url", "method", "params", "name", "note")}
    envelope = draw(st.sampled_from(get_args(EnvelopeForm)))
    reply = draw(
        st.one_of(
            st.binary(max_size=30),
            ENCODABLE.map(lambda text: b'{"jsonrpc":"2.0","result":' + spelled(text).encode() + b"}"),
            ENCODABLE.map(lambda text: b'{"error":{"code":-1,"message":' + spelled(text).encode() + b',"data":[1]}}'),
            st.just(b'\xef\xbb\xbf{"result": {"a": "\\ud800", "a": NaN}}'),
            st.just(b'{"result": "success", "arguments": {"a": 1}, "tag": 3}'),
            st.just(b'{"result": "no", "arguments": {}, "tag": 3}'),
            st.just(b'{"version": "1.1", "id": 3, "error": {"name": "E", "code": 1, "message": "m", "error": [1]}}'),
            st.just(b'data: {"jsonrpc": "2.0", "id": 3, "result": 1}\n\n'),
        )
    )
    outcome = draw(
        st.one_of(
            st.just(decode(reply, texts["id"], MessageForm(envelope))),
            st.sampled_from(OUTCOMES),
            st.builds(Malformed, ANY, st.lists(ANY, max_size=2).map(tuple)),
            st.builds(Unreached, st.just("wait"), ANY, st.booleans()),
        )
    )
    return Exchange(
        **texts,
        when=draw(st.datetimes(datetime(1971, 1, 1), datetime(2200, 1, 1), timezones=st.just(UTC))),  # noqa: DTZ001
        kind=draw(st.sampled_from(["call", "notification"])),
        outcome=outcome,
        seconds=draw(st.floats(0, 1e6)),
        sent=draw(st.integers(0, 2**40)),
        response=Response(
            status=draw(st.none() | st.integers(0, 999)),
            reason=draw(ANY),
            version="HTTP/1.1",
            headers=draw(
                st.lists(st.tuples(st.from_regex(r"[A-Za-z-]{1,9}", fullmatch=True), ANY), max_size=3).map(tuple)
            ),
            body=reply,
            size=len(reply),
            remarks=draw(st.lists(ANY, max_size=2).map(tuple)),
            phases=draw(st.builds(Phases, SECONDS, SECONDS, SECONDS, SECONDS, SECONDS, SECONDS, st.booleans())),
        ),
        notes=("logged in",),
        envelope=envelope,
        params_sent=draw(st.none() | ANY.filter(bool)),
        foreign=draw(st.booleans()),
    )


@example(exchange(outcome=Malformed("Not a JSON-RPC response.", kind="bare result")))
@given(exchanges())
def test_recorded_call_is_read_back_unchanged(one: Exchange) -> None:
    assert back(one) == as_recorded(one)


@given(exchanges())
def test_block_is_toml_of_printable_lines(one: Exchange) -> None:
    block = to_block(one)
    head, *lines, end, blank, nothing = block.split("\n")
    assert head == "[[call]]"
    assert (end[:7], blank, nothing) == ('end = "', "", "")
    assert all(line.isprintable() for line in lines)
    assert list(values(block)) == [line.partition(" = ")[0] for line in (*lines, end)]


@given(exchanges())
def test_fast_reader_agrees_with_toml(one: Exchange) -> None:
    block = to_block(one)
    record = values(block)
    del record["end"]
    assert read_record(block.encode()) == record


@given(ENCODABLE)
def test_quoted_text_is_valid_toml(text: str) -> None:
    assert tomllib.loads(f"a = {quoted(text)}") == {"a": text}
    assert quoted(text).isprintable()


def test_block_has_a_readable_order_of_keys() -> None:
    assert to_block(exchange(name="first", note="it worked")) == (
        "[[call]]\n"
        'id = "1jwnnsvg0000000"\n'
        "time = 2025-06-01T12:00:00.000Z\n"
        'profile = "staging"\n'
        'url = "https://staging.example.com/api/v2/"\n'
        'method = "ping"\n'
        'kind = "call"\n'
        'outcome = "result"\n'
        "status = 200\n"
        'params = "[]"\n'
        "ms = 34.0\n"
        "sent = 60\n"
        "received = 42\n"
        'reply = "{\\"jsonrpc\\":\\"2.0\\",\\"id\\":\\"1\\",\\"result\\":\\"pong\\"}"\n'
        'http_reason = "OK"\n'
        'name = "first"\n'
        'note = "it worked"\n'
        'end = "CRC"\n'
        "\n"
    ).replace("CRC", to_block(exchange(name="first", note="it worked"))[-11:-3])


def test_time_is_written_in_utc() -> None:
    there = datetime(2025, 6, 1, 14, 0, 0, 123456, timezone(timedelta(hours=2)))
    assert "\ntime = 2025-06-01T12:00:00.123Z\n" in to_block(exchange(when=there))


def changed(old: str, new: str, block: str = "") -> Exchange | Damaged | None:
    block = block or to_block(exchange(name="first"))
    assert old in block
    return read_block(block.replace(old, new, 1).encode(), "a.toml")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('name = "first"', "name = 'first'"),
        ('name = "first"', 'name = """\nfirst"""'),
        ('name = "first"', 'name = "f\\u0069rst" # by me'),
        ('name = "first"', '  name="first"'),
        ('end = "', 'end = "x'),
        ("ms = 34.0", "ms = 3_4"),
        ("[[call]]", "[[call]] # mine"),
        ("12:00:00.000Z", "14:00:00.000+02:00"),
        ("12:00:00.000Z", "12:00:00"),
        ('name = "first"', 'name = "first"\nmine = { a = [1, 2], b = 1979-05-27 }'),
    ],
)
def test_edited_block_is_read_and_labelled(old: str, new: str) -> None:
    assert changed(old, new) == replace(exchange(name="first"), notes=(BY_HAND,))


def test_crlf_and_byte_order_mark_are_not_edits() -> None:
    raw = b"\xef\xbb\xbf" + to_block(exchange()).replace("\n", "\r\n").encode()
    assert read_block(raw) == exchange()


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ('method = "ping"', 'method = "ping', "it is not TOML: Illegal character"),
        ('method = "ping"', "method = 1", "its method must be text"),
        ('method = "ping"', f"method = {'9' * 5000}", "a number has too many digits"),
        ('method = "ping"', ".".join(["a"] * 50_000) + " = 1", "a key or a value has too many levels"),
        ('method = "ping"', "method = " + "[" * 50_000, "a key or a value has too many levels"),
        ('outcome = "result"', 'outcome = "refused"', "its outcome must be one of result, error"),
        ('outcome = "result"', 'outcome = ["result"]', "its outcome must be one of"),
        ('kind = "call"', 'kind = "cal"', "its kind must be one of call, notification, batch"),
        ("time = 2025-06-01T12:00:00.000Z\n", "", "its time is missing"),
        ("2025-06-01T12:00:00.000Z", "2025-06-01", "its time must be a date and time"),
        ("status = 200", "status = true", "its status must be a whole number"),
        ("2025-06-01T12:00:00.000Z", "0001-01-01T00:00:00+23:59", "its time must be a date and time"),
        ("2025-06-01T12:00:00.000Z", "9999-12-31T23:59:59-23:59", "its time must be a date and time"),
        ("status = 200", "status = 0x" + "f" * 100, "its status must be a whole number"),
        ("ms = 34.0", "ms = nan", "its ms must be a number"),
        ("ms = 34.0", f"ms = {10**400}", "its ms must be a number"),
        ("ms = 34.0", "wait_ms = nan", "its wait_ms must be a number"),
        ("ms = 34.0", "reply_cut = 1", "its reply_cut must be true or false"),
        ("ms = 34.0", "remarks = [1]", "its remarks must be a list of strings"),
        ("reply = ", "reply_base64 = ", "a value is not valid base64"),
        ("ms = 34.0", 'note_base64 = ["/w=="]', "a value is not valid base64"),
        ("ms = 34.0", 'note_base64 = ["YQ=="]', "its note must be text"),
        ("[[call]]", "[[cal]]", "its first line must be [[call]]"),
    ],
)
def test_unreadable_block_is_damaged_with_a_reason(old: str, new: str, reason: str) -> None:
    found = changed(old, new)
    assert isinstance(found, Damaged)
    assert reason in found.reason
    assert (found.file, found.id) == ("a.toml", exchange().id)
    assert new in found.text


def test_comment_between_blocks_is_ignored() -> None:
    assert read_block(b"# the week of the outage\n") is None


@pytest.mark.parametrize("lines", [b"a = " + b"[" * 100_000, b'a":1,"b = 1', b"a = NaN", b"", b"time = 1"])
def test_invalid_block_with_a_valid_checksum_is_damaged(lines: bytes) -> None:
    from zlib import crc32

    sealed = b"[[call]]\n" + lines + b"\n"
    assert isinstance(read_block(sealed + b'end = "%08x"\n\n' % crc32(sealed)), Damaged)


@given(st.binary(max_size=200))
def test_any_bytes_are_read_without_error(noise: bytes) -> None:
    block = to_block(exchange()).encode()
    read_block(noise)
    read_block(block[:60] + noise + block[60:])
    id_of(noise)


def test_unknown_keys_of_a_record_are_kept() -> None:
    record = {"id": "1", "later": {"a b": [1.5, True]}, "when": datetime(2025, 1, 1, tzinfo=UTC).time()}
    assert values(spell(record)) == {**record, "end": spell(record)[-11:-3]}


@pytest.mark.thorough
@given(exchanges(), st.booleans())
def test_outline_equals_its_call_or_is_missing(one: Exchange, by_hand: bool) -> None:
    raw = to_block(one).encode()
    if by_hand:
        raw = raw.replace(b'kind = "call"', b'kind = "\\u0063all"')
    found, whole = outline(raw), read_block(raw)
    assert isinstance(whole, Exchange)
    if found is None:
        assert by_hand or b"\\U" in raw or b"_base64" in raw
        return
    for said in ("id", "when", "profile", "method", "kind", "outcome_name", "seconds"):
        assert getattr(found, said) == getattr(whole, said)
    assert getattr(found.outcome, "code", None) == getattr(whole.outcome, "code", None)
    assert (found.response.status, found.response.size) == (whole.response.status, whole.response.size)


def test_failed_tool_stays_failed_in_record_and_outline() -> None:
    failed = exchange(outcome=Result(b'"pong"', message="no \ud800 room"))
    raw = to_block(failed).encode()
    assert read_block(raw) == as_recorded(failed)
    found = outline(raw)
    assert found is not None
    assert (found.outcome_name, found.counts_as, found.seconds) == ("result", "error", failed.seconds)


def test_outline_reads_no_params_and_no_body() -> None:
    error = exchange(reply='{"jsonrpc":"2.0","id":"1","error":{"code":-32602,"message":"no"}}', seconds=1.25)
    found = outline(to_block(error).encode())
    assert found is not None
    assert (found.method, found.params, found.response.body, found.seconds) == ("ping", "", b"", 1.25)
    assert getattr(found.outcome, "code", None) == -32602
    assert outline(to_block(error).encode().replace(b"ping", b"pong")) is None, "somebody has changed it"


def cut(reply: str, limit: int) -> Exchange:
    one = exchange(reply=reply)
    return exchange(
        reply=reply, response=Response(200, body=one.response.body[:limit], size=len(one.response.body), cut=True)
    )


def test_record_of_cut_response_has_size_and_outcome() -> None:
    one = cut('{"jsonrpc":"2.0","id":"1","result":"0123456789"}', 20)
    record = to_record(one)
    assert (record["received"], record["reply_cut"], record["reply"]) == (48, True, '{"jsonrpc":"2.0","id')
    found = to_exchange(record)
    assert isinstance(found, Exchange)
    assert isinstance(found.outcome, Result)
    assert found.outcome.value == b""
    assert found.remarks[-1] == "the recorded response was cut at 20 of 48 bytes"


def test_cut_error_keeps_its_code_and_message() -> None:
    found = to_exchange(to_record(cut('{"error":{"code":-32601,"message":"Method not found"}}', 5)))
    assert isinstance(found, Exchange)
    assert isinstance(found.outcome, ErrorObject)
    assert (found.outcome.code, found.outcome.message) == (-32601, "Method not found")


def test_edited_response_keeps_outcome_and_gets_a_warning() -> None:
    found = to_exchange(to_record(exchange()) | {"reply": "<html>"})
    assert isinstance(found, Exchange)
    assert isinstance(found.outcome, Result)
    assert found.remarks == ("the recorded response can no longer be read",)


def test_recorded_batch_is_read_back_whole() -> None:
    reply = b'[{"jsonrpc":"2.0","id":"1","result":1}, {"jsonrpc":"2.0","id":"2","result":2}]'
    one = exchange(kind="batch", outcome=Result(reply, ("a",)), response=Response(200, body=reply, size=len(reply)))
    found = to_exchange(to_record(one))
    assert isinstance(found, Exchange)
    assert found.outcome == one.outcome


def test_handwritten_headers_are_read() -> None:
    found = to_exchange(to_record(exchange()) | {"headers": ["X-A:b", "nothing"]})
    assert isinstance(found, Exchange)
    assert found.response.headers == (("X-A", "b"), ("nothing", ""))


@pytest.mark.parametrize("headers", ["X-A: b", [1], {"X-A": "b"}])
def test_headers_of_a_wrong_type_are_damage(headers: object) -> None:
    found = to_exchange(to_record(exchange()) | {"headers": headers})
    assert isinstance(found, Damaged)
    assert found.reason == "its headers must be a list of strings"
