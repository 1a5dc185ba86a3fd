"""Large replies: read in steps they come to what they come to at once, or are left to whoever reads them whole."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rpcexplorer.jsontext import slices
from rpcexplorer.jsontext.steps import at_once
from rpcexplorer.rpc import codec
from rpcexplorer.rpc.codec import decode, decode_large
from rpcexplorer.rpc.messages import Reply, Result

words = st.text(st.sampled_from('ab,:[]{}"\\\n é漢😀'), max_size=40)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | words,
    lambda inner: st.lists(inner, max_size=6) | st.dictionaries(words, inner, max_size=5),
    max_leaves=25,
)
results = st.lists(values, min_size=1, max_size=6) | st.dictionaries(words, values, min_size=1) | words
sizes = st.sampled_from([1, 3, 8, 20, 60, 200])
puts = (
    b"",
    b",",
    b",,",
    b"]",
    b"}",
    b'"',
    b"{",
    b"[",
    b"1",
    b":",
    b"NaN",
    b"\x00",
    b"\\",
    b"\xff",
    b'"result":[1],',
    b" ",
)
damages = st.tuples(st.integers(0, 10_000), st.sampled_from(puts), st.booleans())


@pytest.fixture(autouse=True, scope="module")
def _all_is_large() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(codec, "LARGE", 0)
        patch.setattr(codec, "DUPLICATES_LIMIT", 0)
        yield


def body_of(result: object, *, spaces: bool, id_last: bool, ascii_only: bool) -> bytes:
    id = {"id": "7", "jsonrpc": "2.0"}
    reply = {"result": result} | id if id_last else id | {"result": result}
    return json.dumps(reply, indent=1 if spaces else None, ensure_ascii=ascii_only).encode()


def in_steps(body: bytes, size: int) -> Reply | None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(slices, "SLICE", size)
        return at_once(decode_large(body, "7"))


def told(reply: Reply) -> tuple[object, ...]:
    assert isinstance(reply, Result)
    return reply.value, reply.remarks


@given(results, sizes, st.booleans(), st.booleans(), st.booleans())
def test_in_steps_it_comes_to_the_same(result: object, size: int, spaces: bool, last: bool, ascii_only: bool) -> None:
    body = body_of(result, spaces=spaces, id_last=last, ascii_only=ascii_only)
    reply = in_steps(body, size)
    assert reply is not None
    assert told(reply) == told(decode(body, "7"))


@given(results, sizes, st.booleans(), damages)
def test_damage_anywhere_is_left_to_the_whole_reading(
    result: object, size: int, last: bool, damage: tuple[int, bytes, bool]
) -> None:
    body = body_of(result, spaces=False, id_last=last, ascii_only=False)
    place, put, instead = damage
    at = place % len(body)
    body = body[:at] + put + body[at + instead :]
    reply = in_steps(body, size)
    assert reply is None or told(reply) == told(decode(body, "7"))


@pytest.mark.parametrize(
    "body",
    [
        b'{"id":"7","jsonrpc":"2.0","result":[1,2,3],"result":[4]}',
        b'{"id":"7","meta":{"result":[1,2,3]}}',
        b'{"id":"7","note":"\\"result\\":[","error":{"code":1}}',
        b'{"id":"7","result":[1,2,NaN]}',
        b'{"id":"7","result":["\\ud800"]}',
        b'{"id":"7","result":[1,2,3,]}',
        b'{"id":"7","result":[,1,2,3]}',
        b'{"id":"7","result":[1,,2,3]}',
        b'{"id":"7","result":{"a":1,,"b":2}}',
        b'{"id":"7","result":[1,2,3]} and more',
        b'{"id":"7","result":[1,2,3',
        b'{"id":"7","result":[1,2,3}}',
        b'{"id":"7","result":["a","b","c]}',
        b'{"id":"7","result":["\xff"]}',
        b'[{"id":"7","result":[1,2,3]}]',
        b'\xef\xbb\xbf{"id":"7","result":[1,2,3]}',
        b'{"id":"7","error":{"code":1}}',
        b"",
    ],
)
@pytest.mark.parametrize("size", [1, 4, 9, 1000])
def test_what_is_not_the_usual_is_left_to_the_whole_reading(body: bytes, size: int) -> None:
    assert in_steps(body, size) is None


def test_a_large_result_is_read_in_many_small_steps_and_not_copied() -> None:
    rows = [{"name": f"a, b {n}", "tags": ["x", "y"], "nested": {"a": None, "b": True}} for n in range(20_000)]
    body = json.dumps({"jsonrpc": "2.0", "id": "7", "result": rows}).encode()
    steps = decode_large(body, "7")
    assert sum(1 for _ in steps) >= len(body) // slices.SLICE
    reply = at_once(decode_large(body, "7"))
    assert isinstance(reply, Result)
    assert isinstance(reply.text, memoryview)
    assert reply.text.obj is body
    assert reply.decoded() == rows
