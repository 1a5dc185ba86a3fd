"""Replies that come as event streams: whatever comes before, ours is found; where it is not, what came is said."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rpcexplorer.rpc.batch import decode_batch
from rpcexplorer.rpc.codec import decode, event_payloads
from rpcexplorer.rpc.messages import Call, ErrorObject, Malformed, MessageForm, Result, make_id

NOTE = '{"jsonrpc":"2.0","method":"notifications/progress","params":{}}'
WISH = '{"jsonrpc":"2.0","id":1,"method":"sampling/createMessage","params":{}}'
OTHER = '{"jsonrpc":"2.0","id":"other","result":0}'
OURS = '{"jsonrpc":"2.0","id":"7","result":1}'


def stream(*messages: str, end: str = "\n") -> bytes:
    return "".join(f"event: message{end}data: {message}{end}{end}" for message in messages).encode()


@pytest.mark.parametrize(
    ("messages", "before"),
    [((OURS,), 0), ((NOTE, WISH, OURS), 2), ((OTHER, OURS), 1), ((OURS, OTHER), 0), ((NOTE, OURS, NOTE), 1)],
)
def test_the_message_with_our_id_is_the_reply(messages: tuple[str, ...], before: int) -> None:
    remark = f"came as an event stream, {before} other event(s) before it"
    assert decode(stream(*messages), "7") == Result(b"1", (remark,) if before else ())


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_lines_end_in_any_of_three_ways(end: str) -> None:
    reply = decode(stream(NOTE, OURS, end=end), "7")
    assert isinstance(reply, Result)


@pytest.mark.parametrize(
    "body",
    [
        b": welcome\n\n: ping\n\ndata: " + OURS.encode() + b"\n\n",
        b"id: 1\nevent: message\nretry: 100\ndata:" + OURS.encode() + b"\n\n",
        b'data: {"jsonrpc":"2.0",\ndata: "id":"7",\ndata:\ndata\ndata: "result":1}\n\n',
        b"data: " + OURS.encode(),
        b"data: " + OURS.encode() + b"\n",
        b"\xef\xbb\xbfdata: " + OURS.encode() + b"\n\n",
        b"\n\ndata: " + OURS.encode() + b"\n\ndata: {",
        b"data: [" + NOTE.encode() + b"," + OURS.encode() + b"]\n\n",
    ],
    ids=["comments", "fields", "lines", "no end", "half an end", "mark", "cut after it", "in an array"],
)
def test_a_stream_may_be_written_in_many_ways(body: bytes) -> None:
    reply = decode(body, "7")
    assert isinstance(reply, Result)
    assert reply.value == b"1"


@pytest.mark.parametrize("id", [b"7", b'"7"'])
@pytest.mark.parametrize("form", [MessageForm(), MessageForm(id="number")])
def test_the_id_may_come_back_in_the_other_type(id: bytes, form: MessageForm) -> None:
    other = b'data: {"jsonrpc":"2.0","id":8,"result":2}\n\n'
    reply = decode(b'data: {"jsonrpc":"2.0","id":' + id + b',"result":1}\n\n' + other, "7", form)
    assert isinstance(reply, Result)
    assert reply.value == b"1"


def test_the_number_of_an_id_is_found_without_knowing_how_it_was_sent() -> None:
    made = make_id(1, 5)
    assert isinstance(decode(b'data: {"jsonrpc":"2.0","id":8,"result":1}\n\n', made), Result)


def test_a_tag_is_found_in_a_stream() -> None:
    body = b'data: {"result":"success","arguments":[2],"tag":7}\n\n'
    assert isinstance(decode(body, "7", MessageForm("transmission")), Result)


@pytest.mark.parametrize("id", ['"id":null,', ""])
def test_an_error_that_names_no_call_is_the_reply_where_none_has_our_id(id: str) -> None:
    error = '{"jsonrpc":"2.0",' + id + '"error":{"code":-32600,"message":"no"}}'
    reply = decode(stream(NOTE, error), "7")
    assert isinstance(reply, ErrorObject)
    assert reply.code == -32600
    ours = decode(stream(error, OURS), "7")
    assert isinstance(ours, Result)


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (stream(NOTE), "an event stream of 1 event, and none of them is a reply to this: notification ("),
        (stream(NOTE, NOTE), 'notification ("notifications/progress") 2 times.'),
        (stream(WISH), 'request of the server\'s own ("sampling/createMessage")'),
        (stream(NOTE, OTHER), 'this: notification ("notifications/progress"), reply to "other"'),
        (stream('{"jsonrpc":"2.0","result":1}'), "reply without an id"),
        (stream("hello"), "one that is no JSON object"),
        (stream('{"a":1}'), "one that is no JSON-RPC"),
        (b"data: " + OURS[:-3].encode(), "one cut off in the middle"),
        (b": ping\n\n: ping\n\n", "of 0 events, and none of them is a reply to this: only comments"),
        (stream(*(f'{{"method":"m{number}"}}' for number in range(9))), "and 4 more kinds of messages"),
    ],
)
def test_a_stream_without_our_reply_says_what_came(body: bytes, words: str) -> None:
    reply = decode(body, "7")
    assert isinstance(reply, Malformed)
    assert words in reply.reason
    of_batch = decode_batch(body, [Call("m", id="7"), Call("n", id="8")])
    assert isinstance(of_batch, Malformed)


def test_text_that_only_begins_like_a_stream_is_text() -> None:
    for text in (b":-) hello\nthere", b"data\nbase", b"Error: x"):
        reply = decode(text, "7")
        assert isinstance(reply, Malformed)
        assert "plain text" in reply.reason
        assert event_payloads(text) is None


@given(st.lists(st.sampled_from([NOTE, WISH, OTHER, "", "{"]), max_size=4), st.integers(0, 4), st.data())
def test_ours_is_found_among_any_others_and_a_cut_after_it_takes_nothing(
    others: list[str], place: int, draw: st.DataObject
) -> None:
    messages = [*others[:place], OURS, *others[place:]]
    whole = stream(*messages)
    ends = whole.index(OURS.encode()) + len(OURS)
    cut = draw.draw(st.integers(0, len(whole)))
    reply = decode(whole[:cut], "7")
    assert isinstance(reply, Result) == (cut >= ends)


# --- batches -----------------------------------------------------------------------------------------------------


def batch(*messages: str) -> Any:
    return decode_batch(stream(*messages), [Call("m", id="7"), Call("n", id="8")])


EIGHT = '{"jsonrpc":"2.0","id":"8","result":2}'


@pytest.mark.parametrize("messages", [(OURS, EIGHT), (f"[{OURS},{EIGHT}]",), (NOTE, OURS, WISH, EIGHT)])
def test_a_batch_may_be_answered_in_one_event_or_several(messages: tuple[str, ...]) -> None:
    reply = batch(*messages)
    assert isinstance(reply, Result)
    assert json.loads(reply.value) == [json.loads(OURS), json.loads(EIGHT)]


def test_a_batch_that_is_refused_in_a_stream_is_that_error() -> None:
    reply = batch('{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"no batches"}}')
    assert isinstance(reply, ErrorObject)
    assert (reply.code, reply.message) == (-32600, "no batches")
