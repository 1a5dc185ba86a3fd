"""Messages in a stream of bytes, however the network cuts it."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import repeat

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rpcexplorer.transport.framing import framer_of
from rpcexplorer.transport.port import Framing, Unreachable

MIB = 1024 * 1024
NAMES: tuple[Framing, ...] = ("lines", "length", "none")


def read(name: Framing, pieces: Iterable[bytes], cap: int = MIB) -> list[bytes]:
    """Return the messages of a stream that ends after these pieces."""
    framing = framer_of(name, cap)
    messages = [message for piece in pieces for message in framing.feed(piece)]
    return messages + list(framing.finish())


def single_bytes(stream: bytes) -> Iterable[bytes]:
    return (stream[index : index + 1] for index in range(len(stream)))


def refusal(name: Framing, stream: bytes, cap: int = MIB) -> Unreachable:
    """Return the failure, which must not depend on the pieces."""
    with pytest.raises(Unreachable) as whole:
        read(name, [stream], cap)
    with pytest.raises(Unreachable) as pieces:
        read(name, single_bytes(stream), cap)
    assert (whole.value.step, whole.value.sentence) == (pieces.value.step, pieces.value.sentence)
    assert "\n" not in whole.value.sentence
    return whole.value


@pytest.mark.parametrize(
    ("name", "stream", "messages"),
    [
        ("lines", b'{"a":1}\n{"b":2}\r\n', [b'{"a":1}', b'{"b":2}']),
        ("lines", b'\n \r\n{"a":1}\n\n', [b'{"a":1}']),
        ("lines", b'{"a":1}\n{"b":2}', [b'{"a":1}', b'{"b":2}']),
        ("lines", b'{"a":1}{"b":2}', [b'{"a":1}', b'{"b":2}']),
        ("lines", b"ready\n\xff \r \n", [b"ready", b"\xff \r "]),
        ("length", b"Content-Length: 2\r\n\r\n{}content-length:3\r\n\r\n[1]", [b"{}", b"[1]"]),
        ("length", b"A: b\r\nContent-Length:\t2 \r\nContent-Type: c; d=e\r\n\r\n{}", [b"{}"]),
        ("length", b"Content-Length: 4\r\n\r\n\r\n\r\nContent-Length: 0\r\n\r\n", [b"\r\n\r\n", b""]),
        ("none", b'{"a":[1,{}]}[]\n {"b":2}', [b'{"a":[1,{}]}', b"[]", b'{"b":2}']),
        ("none", rb'{"a":"}\"{\\"}{"[\\\"]":"\u007d"}', [rb'{"a":"}\"{\\"}', rb'{"[\\\"]":"\u007d"}']),
        ("none", b'ready 12{}"a {"true}]', [b"ready", b"12", b"{}", b'"a {"', b"true}]"]),
        ("none", b"{]}", [b"{]", b"}"]),
    ],
)
@pytest.mark.everyday(11)
def test_messages_do_not_depend_on_the_pieces(name: Framing, stream: bytes, messages: list[bytes]) -> None:
    assert read(name, [stream]) == messages
    assert read(name, single_bytes(stream)) == messages


@given(
    st.sampled_from(NAMES), st.lists(st.sampled_from([b'{"a":"\\""}', b'[{}, "]"]', b'{"b": "\xc3\xa9"}'])), st.data()
)
def test_framed_messages_are_read_as_sent(name: Framing, messages: list[bytes], data: st.DataObject) -> None:
    framing = framer_of(name, MIB)
    stream = b"".join(map(framing.frame, messages))
    cut = data.draw(st.integers(0, len(stream)))
    assert read(name, [stream[:cut], stream[cut:]]) == messages


@pytest.mark.parametrize(
    ("name", "piece", "messages"),
    [
        ("lines", b'{"id":1,"result":{}}', [b'{"id":1,"result":{}}']),
        ("lines", b'{"a":1}{"b":2}', [b'{"a":1}', b'{"b":2}']),
        ("lines", b'{"a":{}', []),
        ("lines", b"starting [1]", []),
    ],
)
def test_complete_message_needs_no_line_end(name: Framing, piece: bytes, messages: list[bytes]) -> None:
    framing = framer_of(name, MIB)
    assert list(framing.feed(piece)) == messages
    assert framing.frame(b"[]") == b"[]\n"


@pytest.mark.parametrize(
    ("name", "stream", "reason"),
    [
        ("lines", b"Content-Length: 2\r\n", "lengths"),
        ("none", b"content-length: 2\r\n\r\n{}", "lengths"),
        ("length", b'{"jsonrpc":"2.0"', "no lengths"),
    ],
)
def test_bytes_of_another_framing_are_refused(name: Framing, stream: bytes, reason: str) -> None:
    problem = refusal(name, stream)
    assert (problem.step, problem.reason) == ("framing", reason)


def test_line_of_a_message_contains_no_line_break() -> None:
    assert framer_of("lines", MIB).frame(b'{\r\n"a": 1\n}') == b'{ "a": 1 }\n'


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.everyday(1)
def test_message_in_single_bytes_takes_linear_time(name: Framing, soon: None) -> None:
    message = b'{"a":["' + b"x" * 1_000_000 + b'"]}'
    stream = framer_of(name, MIB).frame(message)
    assert read(name, single_bytes(stream), cap=len(message)) == [message]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.everyday(3)
def test_message_over_the_limit_is_refused(name: Framing) -> None:
    stream = framer_of(name, MIB).frame(b'{"a":1}')
    assert read(name, [stream], cap=7) == [b'{"a":1}']
    problem = refusal(name, stream, cap=6)
    assert problem.step == "size"
    assert "reply.limit" in problem.sentence


@pytest.mark.parametrize("name", ["lines", "none"])
def test_endless_message_is_refused_early(name: Framing) -> None:
    with pytest.raises(Unreachable) as refused:
        read(name, repeat(b"[" * 500), cap=1000)
    assert refused.value.step == "size"


@pytest.mark.parametrize(
    ("stream", "words"),
    [
        (b"Content-Length: -1\r\n\r\n", "Content-Length '-1'"),
        (b"Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}", "two headers"),
        (b"Content-Length: 0x2\r\n\r\n{}", "'0x2'"),
        (b"Content-Length: 1_0\r\n\r\n{}", "'1_0'"),
        (b"Content-Length: \r\n\r\n{}", "''"),
        (b"Content-Length: \xd9\xa2\r\n\r\n{}", "not a number"),
        (b"Content-Length: 1" + b"0" * 5000 + b"\r\n\r\n{}", "not a number"),
        (b"Content-Type: a\r\n\r\n{}", "without Content-Length"),
        (b"Content-Length : 2\r\n\r\n{}", "without Content-Length"),
        (b"Starting \x1b[31m up\r\nContent-Length: 2\r\n\r\n{}", r"'Starting \x1b[31m up'"),
        (b"\r\n\r\n{}", "''"),
        (b"a" * 9000, "8 kB"),
        (b"a: b\r\n" * 2000, "8 kB"),
    ],
)
@pytest.mark.everyday(13)
def test_headers_that_cannot_be_read_are_refused(stream: bytes, words: str) -> None:
    problem = refusal("length", stream)
    assert problem.step == "framing"
    assert words in problem.sentence
    assert len(problem.sentence) < 250


def test_announced_length_over_limit_is_refused_at_once() -> None:
    assert refusal("length", b"Content-Length: 1001\r\n\r\n", cap=1000).step == "size"


@pytest.mark.parametrize(
    ("name", "stream"),
    [("length", b"Content-Le"), ("length", b"Content-Length: 3\r\n\r\n{}"), ("none", b'{"a":"}')],
)
def test_stream_that_ends_in_a_message_is_unfinished(name: Framing, stream: bytes) -> None:
    framing = framer_of(name, MIB)
    assert [*framing.feed(stream), *framing.finish()] == []
    assert framing.unfinished
