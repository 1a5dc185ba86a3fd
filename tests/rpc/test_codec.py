"""The codec: exact bytes of requests, and outcomes of any response."""

from __future__ import annotations

import itertools
import json
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rpcexplorer.jsontext.scan import members
from rpcexplorer.rpc import codec
from rpcexplorer.rpc.batch import decode_batch
from rpcexplorer.rpc.codec import (
    LARGE,
    MAX_DEEP,
    EventStreamDecoder,
    decode,
    encode,
    encode_answer,
    encode_batch,
    event_payloads,
    open_array,
    open_object,
    parts_in,
)
from rpcexplorer.rpc.messages import (
    CHANCE_LIMIT,
    Call,
    EmptyParams,
    EnvelopeForm,
    ErrorObject,
    IdForm,
    Malformed,
    MessageForm,
    Result,
    make_id,
)

ID = "abc"
ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


def test_typed_empty_object_stays_an_object() -> None:
    assert encode(Call("ping", "{}", ID), MessageForm(empty_params="omit")).endswith(b'"params":{}}')


def test_batch_is_an_array_of_calls_in_order() -> None:
    body = encode_batch([Call("a", "[]", "1"), Call("b", "[2]", None)])
    assert [call["method"] for call in json.loads(body)] == ["a", "b"]


FORMS = [MessageForm(envelope, id) for envelope in get_args(EnvelopeForm) for id in get_args(IdForm)]


@pytest.mark.parametrize(
    ("form", "body"),
    [
        (MessageForm("2.0", "number"), '{"jsonrpc":"2.0","id":7,"method":"m","params":[1.10]}'),
        (MessageForm("1.1"), '{"version":"1.1","id":"7","method":"m","params":[1.10]}'),
        (MessageForm("1.0"), '{"id":"7","method":"m","params":[1.10]}'),
        (MessageForm("1.0", "number"), '{"id":7,"method":"m","params":[1.10]}'),
        (MessageForm("transmission"), '{"method":"m","arguments":[1.10],"tag":7}'),
    ],
)
def test_each_version_has_method_before_params(form: MessageForm, body: str) -> None:
    assert encode(Call("m", "[1.10]", "7"), form).decode() == body


@pytest.mark.parametrize(
    ("envelope", "body"),
    [
        ("2.0", '{"jsonrpc":"2.0","id":7,"result":1}'),
        ("1.1", '{"version":"1.1","id":7,"result":1}'),
        ("1.0", '{"id":7,"result":1,"error":null}'),
    ],
)
def test_answer_is_spelled_for_each_version(envelope: EnvelopeForm, body: str) -> None:
    assert encode_answer(b"7", b'"result":1', envelope).decode() == body


@pytest.mark.parametrize(
    ("envelope", "body"),
    [
        ("2.0", '{"jsonrpc":"2.0","method":"m","params":[]}'),
        ("1.1", '{"version":"1.1","method":"m","params":[]}'),
        ("1.0", '{"id":null,"method":"m","params":[]}'),
        ("transmission", '{"method":"m","arguments":{}}'),
    ],
)
def test_notification_is_spelled_for_each_version(envelope: EnvelopeForm, body: str) -> None:
    assert encode(Call("m"), MessageForm(envelope)).decode() == body


@pytest.mark.parametrize("envelope", get_args(EnvelopeForm))
@pytest.mark.parametrize(("empty", "put"), [("{}", "{}"), ("omit", None)])
def test_empty_params_have_one_spelling_in_each_version(
    envelope: EnvelopeForm, empty: EmptyParams, put: str | None
) -> None:
    sent = json.loads(encode(Call("m", id="7"), MessageForm(envelope, empty_params=empty)))
    found = sent.get("arguments" if envelope == "transmission" else "params")
    assert found == (None if put is None else json.loads(put))


@pytest.mark.parametrize("form", FORMS)
def test_extra_members_are_last_in_each_version(form: MessageForm) -> None:
    assert encode(Call("m", id="7", members=(("auth", '"x"'),)), form).endswith(b',"auth":"x"}')


def reply_of(sent: dict[str, Any], value: str) -> bytes:
    """Return the response of a server that echoes the members of a request."""
    echo = {name: sent[name] for name in ("jsonrpc", "version", "id", "tag") if name in sent}
    text = json.dumps(echo)[:-1]
    if "tag" in sent:
        return f'{text},"result":"success","arguments":{value}}}'.encode()
    both = "" if "jsonrpc" in sent or "version" in sent else ',"error":null'
    return f'{text},"result":{value}{both}}}'.encode()


@pytest.mark.parametrize("form", FORMS)
@given(st.text(), st.integers(0, 2**44), st.integers(0, CHANCE_LIMIT - 1), ANY_JSON)
def test_value_returns_byte_for_byte_in_each_version(
    form: MessageForm, method: str, when: int, chance: int, value: object
) -> None:
    text = json.dumps(value)
    id = make_id(when, chance)
    sent = json.loads(encode(Call(method, text if text[:1] in "[{" else f"[{text}]", id), form))
    asked = sent["arguments" if form.envelope == "transmission" else "params"]
    if text != "[]":  # The profile decides this.
        assert asked == (value if text[:1] in "[{" else [value])
    assert sent["method"] == method
    assert decode(reply_of(sent, text), id, form) == Result(text.encode())


@given(st.text(), st.text(min_size=1))
def test_any_method_name_is_sent_exactly(method: str, id: str) -> None:
    sent = json.loads(encode(Call(method, "[]", id)))
    assert (sent["method"], sent["id"]) == (method, id)


def test_lone_surrogate_in_method_is_sent_as_escape() -> None:
    assert b'"method":"\\udcff"' in encode(Call("\udcff", "[]", ID))


@pytest.mark.parametrize(
    ("value", "remark"),
    [
        ('"\\ud800"', "surrogate"),
        ("NaN", "NaN"),
        ("[Infinity, -Infinity]", "Infinity"),
        ("[" * 1100 + "]" * 1100, "1,101 levels deep"),
        ("[" * 100_000 + "]" * 100_000, "100,001 levels deep"),
    ],
    ids=["half a character", "NaN", "infinities", "1,100 deep", "100,000 deep"],
)
def test_response_that_strict_parsers_reject_has_a_warning(value: str, remark: str) -> None:
    reply = decode(f'{{"jsonrpc":"2.0","id":"abc","result":{value}}}'.encode(), ID)
    assert isinstance(reply, Result)
    assert reply.value == value.encode()
    assert any(remark in text for text in reply.remarks)


@pytest.mark.parametrize(("count", "remarks"), [(4300, ()), (4301, ("a number with 4,301 digits",))])
def test_number_that_other_parsers_reject_has_a_warning(count: int, remarks: tuple[str, ...]) -> None:
    digits = b"7" * count
    assert decode(b'{"jsonrpc":"2.0","id":"abc","result":' + digits + b"}", ID) == Result(digits, remarks)


def test_deviation_of_an_error_is_one_warning() -> None:
    reply = decode(b'{"jsonrpc":"2.0","id":"abc","error":{"code":1,"message":"\\ud800","data":NaN}}', ID)
    assert reply.remarks == ("lone surrogate \\ud800 in a string", "NaN is not JSON")


@pytest.mark.parametrize(
    ("body", "remark"),
    [
        (b'{"jsonrpc":2.0,"id":"abc","result":1}', 'jsonrpc is 2.0, not "2.0"'),
        (b'{"jsonrpc":"2.0","result":1}', "id is missing"),
        (b'{"jsonrpc":"2.0","id":5,"result":1}', 'id is 5, not "abc"'),
        (b'{"jsonrpc":"2.0","id":null,"result":1}', "id is null"),
        (b'\xef\xbb\xbf{"jsonrpc":"2.0","id":"abc","result":1}', "byte order mark"),
        (b'{"jsonrpc":"2.0","id":"abc","result":2,"result":1}', "result appears twice"),
        (b'[{"jsonrpc":"2.0","id":"abc","result":1}]', "wrapped in an array"),
        (
            b'data: {"method":"progress"}\n\ndata: {"jsonrpc":"2.0","id":"abc","result":1}\n\n',
            "event stream, with 1 other",
        ),
    ],
)
def test_deviation_is_a_warning_next_to_the_result(body: bytes, remark: str) -> None:
    reply = decode(body, ID)
    assert isinstance(reply, Result)
    assert reply.value == b"1"
    assert any(remark in text for text in reply.remarks), reply.remarks


OLD = "jsonrpc is missing, and both result and error are present, as in JSON-RPC 1.0"


@pytest.mark.parametrize(
    ("body", "quirks"),
    [
        (b'{"jsonrpc":"2.0","id":"abc","result":1}', ()),
        (b'{"id":"abc","result":1}', ("jsonrpc is missing",)),
        (b'{"id":"abc","result":1,"error":null}', (OLD,)),
        (b'{"id":"abc","result":null,"error":null}', (OLD,)),
        (b'{"id":"abc","result":null,"error":{"code":1,"message":"m"}}', (OLD,)),
        (b'{"id":"abc","error":{"code":1,"message":"m"}}', ("jsonrpc is missing",)),
        (b'{"result":1,"error":null,"id":"abc","jsonrpc":"2.0"}', ('"error": null next to the result',)),
    ],
)
def test_quirk_of_all_responses_is_not_a_warning(body: bytes, quirks: tuple[str, ...]) -> None:
    reply = decode(body, ID)
    assert isinstance(reply, Result | ErrorObject)
    assert (reply.remarks, reply.habits) == ((), quirks)


@pytest.mark.parametrize(
    ("error", "code", "message", "remark"),
    [
        (b'"not found"', None, "not found", "plain string"),
        (b"7", None, "", "not an object"),
        (b'{"code":"x","message":"m"}', None, "m", "not an integer"),
        (b'{"code":1.0,"message":"m"}', None, "m", "not an integer"),
        (b'{"code":true,"message":"m"}', None, "m", "not an integer"),
        (b'{"message":"m"}', None, "m", "code is missing"),
        (b'{"code":1}', 1, "", "message is missing"),
        (b'{"code":1,"message":{"de":"nein"}}', 1, '{"de":"nein"}', "not a string"),
        (b'{"code":1,"code":2,"message":"m"}', 2, "m", "code appears twice"),
        (b'{"code":1,"message":"\\ud800"}', 1, "\ud800", "surrogate"),
    ],
)
def test_error_of_any_shape_is_readable(error: bytes, code: int | None, message: str, remark: str) -> None:
    reply = decode(b'{"jsonrpc":"2.0","id":"abc","error":' + error + b"}", ID)
    assert isinstance(reply, ErrorObject)
    assert (reply.code, reply.message, reply.value) == (code, message, error)
    assert any(remark in text for text in reply.remarks), reply.remarks


def test_result_next_to_an_error_is_a_warning() -> None:
    reply = decode(b'{"jsonrpc":"2.0","id":"abc","result":1,"error":{"code":1,"message":"m"}}', ID)
    assert isinstance(reply, ErrorObject)
    assert "both result and error are present" in reply.remarks


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (b"", "empty"),
        (b" \n", "empty"),
        (b"<!DOCTYPE html><html>", "HTML page"),
        (b"\n<html lang=en>", "HTML page"),
        (b"<x/>", "XML"),
        (b"Internal Server Error", "plain text"),
        (b"17", "bare JSON value"),
        (b'{"jsonrpc":"2.0","id":"abc"}', "without result or error"),
        (b'{"jsonrpc":"2.0","method":"m","params":[]}', "server request"),
        (b'{"jsonrpc":"2.0","id":"abc","result":[1,}', "not valid JSON: "),
        (b'{"jsonrpc":"2.0","id":"abc","result":[1,', "incomplete JSON"),
        (b'{"jsonrpc":"2.0","id":"abc","result":[[]}', "not valid JSON"),
        (b"[1, 2]", "array of 2"),
        (b'{"a":"\xff"}', "byte 6 is 0xff"),
        ('{"jsonrpc":"2.0"}'.encode("utf-16"), "UTF-16"),
        ('{"jsonrpc":"2.0"}'.encode("utf-16-le"), "UTF-16"),
        (b"\xfe\xff" + '{"jsonrpc":"2.0"}'.encode("utf-16-be"), "UTF-16"),
        (b"1\x00", "plain text"),
        (b"data: hello\n\n", "without a response to this call"),
    ],
)
def test_malformed_response_says_why(body: bytes, words: str) -> None:
    reply = decode(body, ID)
    assert isinstance(reply, Malformed)
    assert words in reply.reason


@given(st.binary() | st.text().map(str.encode) | st.recursive(
    st.none() | st.integers() | st.text(), lambda inner: st.lists(inner) | st.dictionaries(
        st.sampled_from(["jsonrpc", "id", "result", "error", "code", "message", "method", "x"]), inner
    )
).map(lambda value: json.dumps(value).encode()))  # fmt: skip
def test_any_bytes_give_an_outcome(body: bytes) -> None:
    assert isinstance(decode(body, ID), Result | ErrorObject | Malformed)


@given(ANY_JSON)
def test_result_of_any_value_is_exact(value: object) -> None:
    text = json.dumps(value).encode()
    reply = decode(b'{"jsonrpc":"2.0","id":"abc","result":' + text + b"}", ID)
    assert isinstance(reply, Result)
    assert reply.value == text


ONE_0, ONE_1, TRANSMISSION = MessageForm("1.0"), MessageForm("1.1"), MessageForm("transmission")


@pytest.mark.parametrize(
    ("body", "code", "message"),
    [
        (b'{"result":null,"error":{"code":-32601,"message":"Method not found"},"id":"7"}', -32601, "Method not found"),
        (b'{"result":null,"error":{"message":"Not authenticated","code":1},"id":"7"}', 1, "Not authenticated"),
        (b'{"result":null,"error":{"message":"no code"},"id":"7"}', None, "no code"),
        (b'{"result":null,"error":{"reason":"its own"},"id":"7"}', None, ""),
    ],
)
def test_error_of_1_0_may_be_any_object(body: bytes, code: int | None, message: str) -> None:
    reply = decode(body, "7", ONE_0)
    assert isinstance(reply, ErrorObject)
    assert (reply.code, reply.message, reply.remarks, reply.habits) == (code, message, (), ())


def test_error_of_1_1_has_data() -> None:
    error = b'{"name":"JSONRPCError","code":100,"message":"no","error":{"at": 1.10}}'
    reply = decode(b'{"version":"1.1","id":"7","error":' + error + b"}", "7", ONE_1)
    assert reply == ErrorObject(100, "no", b'{"at": 1.10}', error)


@pytest.mark.parametrize(
    ("form", "body", "remarks", "quirks"),
    [
        (ONE_0, b'{"jsonrpc":"2.0","id":"7","result":1}', (), ('jsonrpc is "2.0", though the profile says 1.0',)),
        (ONE_0, b'{"jsonrpc":2,"id":"7","result":1}', ('jsonrpc is 2, not "1.0"',), ()),
        (ONE_0, b'{"result":1,"error":null}', ("id is missing",), ()),
        (ONE_0, b'{"result":1,"error":null,"id":7}', ('id is 7, not "7": it may belong to another call',), ()),
        (ONE_1, b'{"id":"7","result":1}', (), ("version is missing",)),
        (ONE_1, b'{"version":"3","id":"7","result":1}', ('version is "3", not "1.1"',), ()),
        (ONE_1, b'{"jsonrpc":"2.0","id":"7","result":1}', (), ('jsonrpc is "2.0", though the profile says 1.1',)),
        (TRANSMISSION, b'{"arguments":1,"result":"success"}', ("tag is missing",), ()),
        (
            TRANSMISSION,
            b'{"arguments":1,"result":"success","tag":8}',
            ("tag is 8, not 7: it may belong to another call",),
            (),
        ),
        (
            TRANSMISSION,
            b'{"arguments":1,"result":"success","tag":"7"}',
            ('tag is "7", not 7: it may belong to another call',),
            (),
        ),
        (
            TRANSMISSION,
            b'{"arguments":1,"arguments":1,"result":"success","tag":7}',
            ("the member arguments appears twice: the last one counts",),
            (),
        ),
    ],
)
def test_members_of_other_versions_are_warnings(
    form: MessageForm, body: bytes, remarks: tuple[str, ...], quirks: tuple[str, ...]
) -> None:
    assert decode(body, "7", form) == Result(b"1", remarks, quirks)


@pytest.mark.parametrize(
    ("answered", "remark"), [(b"7", ""), (b"7.0", "id is 7.0, not 7"), (b'"7"', 'id is "7", not 7'), (b"8", "id is 8")]
)
def test_id_sent_as_number_returns_as_number(answered: bytes, remark: str) -> None:
    reply = decode(b'{"jsonrpc":"2.0","id":' + answered + b',"result":1}', "7", MessageForm(id="number"))
    assert isinstance(reply, Result)
    assert remark in "".join(reply.remarks)
    assert bool(reply.remarks) == bool(remark)


def test_transmission_result_other_than_success_is_the_error() -> None:
    reply = decode(b'{"arguments":{},"result":"no method name","tag":7}', "7", TRANSMISSION)
    assert reply == ErrorObject(None, "no method name", None, b'"no method name"')


def test_transmission_arguments_of_an_error_are_its_data() -> None:
    reply = decode(b'{"arguments":{"path": "/x"},"result":"invalid path","tag":7}', "7", TRANSMISSION)
    assert reply == ErrorObject(None, "invalid path", b'{"path": "/x"}', b'"invalid path"')


def test_transmission_success_without_arguments_is_the_word() -> None:
    reply = decode(b'{"result":"success","tag":7}', "7", TRANSMISSION)
    assert reply == Result(b'"success"', ("arguments is missing",))


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (b'{"jsonrpc":"2.0","result":{},"id":7}', "a result that is not a string"),
        (b'{"arguments":{},"tag":7}', "no result"),
        (b"[]", "array of 0"),
    ],
)
def test_response_in_another_format_than_transmission_is_malformed(body: bytes, words: str) -> None:
    reply = decode(body, "7", TRANSMISSION)
    assert isinstance(reply, Malformed)
    assert words in reply.reason


def test_transmission_accepts_an_error_object() -> None:
    reply = decode(b'{"jsonrpc":"2.0","error":{"code":-32601,"message":"no"},"id":null}', "7", TRANSMISSION)
    assert isinstance(reply, ErrorObject)
    assert (reply.code, reply.message) == (-32601, "no")


# Shapes of real servers.

TRACE = b'"Traceback (most recent call last):\\n  File \\"core.py\\", line 1\\nLookupError: x"'


@pytest.mark.parametrize(
    ("who", "body", "code", "message"),
    [
        (
            "litecoind",
            b'{"result":null,"error":{"code":-32601,"message":"Method not found"},"id":"7"}',
            -32601,
            "Method",
        ),
        (
            "Deluge",
            b'{"error":{"message":"Not authenticated","code":1},"result":null,"id":"7"}',
            1,
            "Not authenticated",
        ),
        ("aria2", b'{"id":"7","jsonrpc":"2.0","error":{"code":1,"message":"Unauthorized"}}', 1, "Unauthorized"),
        ("ganache", b'{"id":"7","jsonrpc":"2.0","error":{"code":-32700,"message":"no method x"}}', -32700, "no method"),
        ("a plain string", b'{"id":"7","error":"went wrong"}', None, "went wrong"),
        (
            "extra members",
            b'{"jsonrpc":"2.0","id":"7","error":{"code":-1,"message":"m","name":"E","stack":"s"},"took":1.5}',
            -1,
            "m",
        ),
        ("Mopidy", b'{"jsonrpc":"2.0","id":"7","error":{"code":0,"message":"x","data":{"t":' + TRACE + b"}}}", 0, "x"),
        ("without an id", b'{"error":{"code":-32600,"message":"Invalid Request"}}', -32600, "Invalid Request"),
        ("Kamailio", b'{"jsonrpc":"2.0","error":{"code":500,"message":"Internal"},"id":"7"}\n', 500, "Internal"),
    ],
)
@pytest.mark.parametrize("envelope", [form for form in get_args(EnvelopeForm) if form != "transmission"])
def test_error_is_recognised_in_each_version(
    envelope: EnvelopeForm, who: str, body: bytes, code: int | None, message: str
) -> None:
    reply = decode(body, "7", MessageForm(envelope))
    assert isinstance(reply, ErrorObject), who
    assert reply.code == code
    assert reply.message.startswith(message)


@pytest.mark.parametrize(
    ("who", "body", "result"),
    [
        ("litecoind", b'{"result":0.00001000,"error":null,"id":"7"}\n', b"0.00001000"),
        ("Monero", b'{"id":"7","jsonrpc":"2.0","result":18446744073709551615}', b"18446744073709551615"),
        ("jsonrpcserver", b'{"jsonrpc":"2.0","result":NaN,"id":"7"}', b"NaN"),
        ("ubus", b'{"jsonrpc":"2.0","id":"7","result":[6]}', b"[6]"),
        (
            "an MCP tool",
            b'{"jsonrpc":"2.0","id":"7","result":{"content":[],"isError":true}}',
            b'{"content":[],"isError":true}',
        ),
        (
            "MCP",
            (
                b'event: message\ndata: {"jsonrpc":"2.0","method":"notifications/progress"}\n\n'
                b'event: message\ndata: {"jsonrpc":"2.0","id":"7","result":{}}\n\n'
            ),
            b"{}",
        ),
    ],
)
def test_result_is_recognised_with_exact_digits(who: str, body: bytes, result: bytes) -> None:
    reply = decode(body, "7")
    assert isinstance(reply, Result), who
    assert reply.value == result


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
def test_event_with_our_id_is_the_response(messages: tuple[str, ...], before: int) -> None:
    remark = f"the response is an event stream, with {before} other event{'s' * (before != 1)} before it"
    assert decode(stream(*messages), "7") == Result(b"1", (remark,) if before else ())


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
def test_event_stream_is_read_in_each_spelling(body: bytes) -> None:
    reply = decode(body, "7")
    assert isinstance(reply, Result)
    assert reply.value == b"1"


@pytest.mark.parametrize("id", [b"7", b'"7"'])
@pytest.mark.parametrize("form", [MessageForm(), MessageForm(id="number")])
def test_id_in_the_other_type_matches(id: bytes, form: MessageForm) -> None:
    other = b'data: {"jsonrpc":"2.0","id":8,"result":2}\n\n'
    reply = decode(b'data: {"jsonrpc":"2.0","id":' + id + b',"result":1}\n\n' + other, "7", form)
    assert isinstance(reply, Result)
    assert reply.value == b"1"


@pytest.mark.parametrize("id", ['"id":null,', ""])
def test_error_without_id_answers_if_no_event_does(id: str) -> None:
    error = '{"jsonrpc":"2.0",' + id + '"error":{"code":-32600,"message":"no"}}'
    reply = decode(stream(NOTE, error), "7")
    assert isinstance(reply, ErrorObject)
    assert reply.code == -32600
    ours = decode(stream(error, OURS), "7")
    assert isinstance(ours, Result)


@pytest.mark.parametrize(
    "body",
    [
        stream(NOTE),
        stream(WISH),
        stream(NOTE, OTHER),
        stream('{"jsonrpc":"2.0","result":1}'),
        stream("hello"),
        stream('{"a":1}'),
        b"data: " + OURS[:-3].encode(),
        b": ping\n\n: ping\n\n",
    ],
)
def test_stream_without_our_response_is_malformed(body: bytes) -> None:
    reply = decode(body, "7")
    assert isinstance(reply, Malformed)
    assert "without a response to this call" in reply.reason
    of_batch = decode_batch(body, [Call("m", id="7"), Call("n", id="8")])
    assert isinstance(of_batch, Malformed)


def test_text_that_only_starts_like_stream_is_text() -> None:
    for text in (b":-) hello\nthere", b"data\nbase", b"Error: x"):
        reply = decode(text, "7")
        assert isinstance(reply, Malformed)
        assert "plain text" in reply.reason
        assert event_payloads(text) is None


@given(st.lists(st.sampled_from([NOTE, WISH, OTHER, "", "{"]), max_size=4), st.integers(0, 4), st.data())
def test_response_is_found_before_cut_of_the_stream(others: list[str], place: int, draw: st.DataObject) -> None:
    messages = [*others[:place], OURS, *others[place:]]
    whole = stream(*messages)
    ends = whole.index(OURS.encode()) + len(OURS)
    cut = draw.draw(st.integers(0, len(whole)))
    reply = decode(whole[:cut], "7")
    assert isinstance(reply, Result) == (cut >= ends)


LINES = ["data: 1", "data:", "data", ": x", "id: 1", "retry: 2", "event: e", "", "", "x", "\u00e9", "data:\u00e9"]


@given(st.lists(st.sampled_from(LINES)), st.sampled_from(["\n", "\r\n", "\r"]), st.lists(st.integers(1, 9), min_size=1))
def test_event_stream_is_decoded_as_it_arrives(lines: list[str], end: str, sizes: list[int]) -> None:
    body = "".join(line + end for line in ["data: first", *lines]).encode()
    decoder, found, rest = EventStreamDecoder(), list[bytes](), body
    for size in itertools.cycle(sizes):
        found += decoder.feed(rest[:size])
        rest = rest[size:]
        if not rest:
            break
    assert found + decoder.finish() == event_payloads(body)


def test_decoder_knows_the_size_of_an_unfinished_event() -> None:
    decoder = EventStreamDecoder()
    assert decoder.feed(b"\xef\xbb\xbfdata: 1\n\ndata: 2") == [b"1"]
    assert decoder.unfinished == len("data: 2")


def batch(*messages: str) -> Any:
    return decode_batch(stream(*messages), [Call("m", id="7"), Call("n", id="8")])


EIGHT = '{"jsonrpc":"2.0","id":"8","result":2}'


@pytest.mark.parametrize("messages", [(OURS, EIGHT), (f"[{OURS},{EIGHT}]",), (NOTE, OURS, WISH, EIGHT)])
def test_batch_response_may_be_one_event_or_several(messages: tuple[str, ...]) -> None:
    reply = batch(*messages)
    assert isinstance(reply, Result)
    assert json.loads(reply.value) == [json.loads(OURS), json.loads(EIGHT)]


def test_batch_rejected_in_a_stream_is_that_error() -> None:
    reply = batch('{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"no batches"}}')
    assert isinstance(reply, ErrorObject)
    assert (reply.code, reply.message) == (-32600, "no batches")


def test_large_result_is_a_view_of_the_body() -> None:
    body = b'{"jsonrpc":"2.0","id":"7","result":["' + b"x" * LARGE + b'"]}'
    reply = decode(body, "7")
    assert isinstance(reply, Result)
    assert isinstance(reply.text, memoryview)
    assert reply.value == body[body.index(b"[") : -1]


ODD_PARTS = [
    "NaN",
    "-Infinity",
    "Infinity",
    '"\\ud800"',
    '"\x01"',
    '"a\nb"',
    "[NaN]",
    '{"id": NaN}',
    "7",
    '"NaN \\\\ud800"',
]


def test_odd_members_are_as_the_scanner_finds_them() -> None:
    for first, second in itertools.product(ODD_PARTS, repeat=2):
        text = f'{{ "result" :\t{first} ,"id":{second}\n}}'
        envelope = open_object(text.encode())
        assert envelope is not None
        found = {member.name: text[slice(*member.value)].encode() for member in members(text) or ()}
        assert found == {"result": envelope.result, "id": envelope.id}
        assert open_array(f"[{first}, {second}]".encode()) == [first.encode(), second.encode()]


@pytest.mark.parametrize(
    "value", ["1NaN", "NaN1", "--Infinity", "-NaN", "\x01", '"\\NaN"', '"\\u0NaN"', "NaN:1", "[\x02]"]
)
def test_odd_words_in_wrong_places_stay_wrong(value: str) -> None:
    assert open_object(f'{{"result":{value}}}'.encode()) is None


def test_member_repeated_very_often_is_counted_quickly() -> None:
    text = b"{" + b'"id":NaN,' * 7_000 + b'"id":1}'
    assert open_object(text).remarks == ("NaN is not JSON", "the member id appears twice: the last one counts")  # type: ignore[union-attr]


def test_odd_json_beyond_the_limit_is_declined(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(codec, "MAX_LENIENT", 40)
    small, large = (b'{"id":"abc","result":[%bNaN]}' % (b" " * blanks) for blanks in (0, 40))
    assert isinstance(decode(small, ID), Result)
    reply = decode(large, ID)
    assert isinstance(reply, Malformed)
    assert reply.reason.startswith("The response is not strict JSON. Other JSON is read up to ")
    assert isinstance(decode(large.replace(b"NaN", b"123"), ID), Result)


def test_deep_elements_of_an_array_are_found() -> None:
    deep = b"[" * 100_000 + b"]" * 100_000
    assert open_array(b"[" + deep + b", 1]") == [deep, b"1"]
    assert open_array(b"[" + deep + b", 1") is None
    assert open_array(b"[" + b"[" * MAX_DEEP + b"]" * MAX_DEEP + b"]") is None


def test_deep_json_beyond_the_limit_is_declined() -> None:
    reply = decode(b'{"id":"abc","result":' + b"[" * MAX_DEEP + b"]" * MAX_DEEP + b"}", ID)
    assert isinstance(reply, Malformed)
    assert reply.reason == "The response is nested too deeply to be read: such JSON can have 256 KiB."


def test_last_of_several_responses_is_the_result() -> None:
    last = OURS.replace('"result":1', '"result":2')
    assert decode(stream(OURS, NOTE, last), "7") == Result(
        b"2", ("the response is an event stream, with 1 other event before it",), parts=(b"1", b"2")
    )
    failed = '{"jsonrpc":"2.0","id":"7","error":{"code":1,"message":"no"}}'
    reply = decode(stream(OURS, failed), "7")
    assert isinstance(reply, ErrorObject)
    assert reply.parts == (b"1", b'{"code":1,"message":"no"}')
    assert decode(stream(OURS, last), None) == Result(b"1"), "the id is not checked, so they may answer several calls"


def test_parts_of_an_incomplete_stream_are_read() -> None:
    assert parts_in(stream(OURS, NOTE, OTHER, OURS) + b'data: {"id":"7","resu', "7") == (b"1", b"1")
    assert parts_in(stream(OURS) + b"data: \xff\n\n", "7") == (b"1",)
    assert parts_in(b'{"id":"7","result":1}', "7") == ()
