"""The codec: what leaves, spelled exactly; what arrives, read whatever it is."""

from __future__ import annotations

import json
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rpcexplorer.rpc.codec import decode, encode, encode_batch
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


def test_a_call_is_spelled_in_the_order_of_the_envelope() -> None:
    assert encode(Call("ping", "[]", ID)) == b'{"jsonrpc":"2.0","id":"abc","method":"ping","params":[]}'


@pytest.mark.parametrize("id", [ID, None])
def test_what_stands_beside_the_method_is_written_last(id: str | None) -> None:
    body = encode(Call("host.get", "[]", id, (("auth", '"4fd1"'), ('a"b', "1.10"))))
    assert body.endswith(b'"method":"host.get","params":[],"auth":"4fd1","a\\"b":1.10}')
    assert json.loads(body)["auth"] == "4fd1"


def test_params_keep_the_spelling_they_were_typed_with() -> None:
    body = encode(Call("m", '{"b":1.10,"a":1e400,"a":123456789012345678901}', ID))
    assert body.endswith(b'"params":{"b":1.10,"a":1e400,"a":123456789012345678901}}')


def test_a_notification_has_no_id() -> None:
    assert encode(Call("ping", "[1]", None)) == b'{"jsonrpc":"2.0","method":"ping","params":[1]}'


@pytest.mark.parametrize(
    ("setting", "end"), [("[]", b',"params":[]}'), ("{}", b',"params":{}}'), ("omit", b'"method":"ping"}')]
)
def test_empty_params_are_written_as_the_profile_says(setting: EmptyParams, end: bytes) -> None:
    assert encode(Call("ping", "[]", ID), MessageForm(empty_params=setting)).endswith(end)


def test_an_empty_object_that_was_typed_stays_an_object() -> None:
    assert encode(Call("ping", "{}", ID), MessageForm(empty_params="omit")).endswith(b'"params":{}}')


def test_a_batch_is_an_array_of_calls_in_their_order() -> None:
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
def test_each_envelope_is_spelled_with_the_method_before_its_params(form: MessageForm, body: str) -> None:
    assert encode(Call("m", "[1.10]", "7"), form).decode() == body


@pytest.mark.parametrize(
    ("envelope", "body"),
    [
        ("2.0", '{"jsonrpc":"2.0","method":"m","params":[]}'),
        ("1.1", '{"version":"1.1","method":"m","params":[]}'),
        ("1.0", '{"id":null,"method":"m","params":[]}'),
        ("transmission", '{"method":"m","arguments":{}}'),
    ],
)
def test_a_notification_is_what_its_envelope_says_it_is(envelope: EnvelopeForm, body: str) -> None:
    assert encode(Call("m"), MessageForm(envelope)).decode() == body


@pytest.mark.parametrize("envelope", get_args(EnvelopeForm))
@pytest.mark.parametrize(("empty", "put"), [("{}", "{}"), ("omit", None)])
def test_empty_params_are_written_so_in_every_envelope(
    envelope: EnvelopeForm, empty: EmptyParams, put: str | None
) -> None:
    sent = json.loads(encode(Call("m", id="7"), MessageForm(envelope, empty_params=empty)))
    found = sent.get("arguments" if envelope == "transmission" else "params")
    assert found == (None if put is None else json.loads(put))


def test_what_1_0_wants_an_object_for_is_sent_as_it_was_typed() -> None:
    assert encode(Call("m", '{"a":1}', "7"), MessageForm("1.0")).endswith(b'"params":{"a":1}}')


@pytest.mark.parametrize("form", FORMS)
def test_what_stands_beside_the_method_is_last_in_every_envelope(form: MessageForm) -> None:
    assert encode(Call("m", id="7", members=(("auth", '"x"'),)), form).endswith(b',"auth":"x"}')


def reply_of(sent: dict[str, Any], value: str) -> bytes:
    """What a server makes of a request that gives back its members as it should."""
    echo = {name: sent[name] for name in ("jsonrpc", "version", "id", "tag") if name in sent}
    text = json.dumps(echo)[:-1]
    if "tag" in sent:
        return f'{text},"result":"success","arguments":{value}}}'.encode()
    both = "" if "jsonrpc" in sent or "version" in sent else ',"error":null'
    return f'{text},"result":{value}{both}}}'.encode()


@pytest.mark.parametrize("form", FORMS)
@given(st.text(), st.integers(0, 2**44), st.integers(0, CHANCE_LIMIT - 1), ANY_JSON)
def test_what_was_sent_in_any_form_comes_back_byte_for_byte(
    form: MessageForm, method: str, when: int, chance: int, value: object
) -> None:
    text = json.dumps(value)
    id = make_id(when, chance)
    sent = json.loads(encode(Call(method, text if text[:1] in "[{" else f"[{text}]", id), form))
    asked = sent["arguments" if form.envelope == "transmission" else "params"]
    if text != "[]":  # which the profile has a say in
        assert asked == (value if text[:1] in "[{" else [value])
    assert sent["method"] == method
    assert decode(reply_of(sent, text), id, form) == Result(text.encode())


@given(st.text(), st.text(min_size=1))
def test_whatever_a_method_is_called_it_arrives_as_that(method: str, id: str) -> None:
    sent = json.loads(encode(Call(method, "[]", id)))
    assert (sent["method"], sent["id"]) == (method, id)


def test_a_lone_surrogate_in_a_method_is_sent_as_its_escape() -> None:
    assert b'"method":"\\udcff"' in encode(Call("\udcff", "[]", ID))


@pytest.mark.parametrize(
    "value",
    [
        "1.10",
        "1e400",
        "-0",
        "18446744073709551615",
        "0.00001000",
        '{"b":1,"a":2,"b":3}',
        '"\\u00e9"',
        '{"": "\\u0000"}',
    ],
)
def test_a_result_keeps_the_servers_spelling(value: str) -> None:
    reply = decode(f'{{"jsonrpc": "2.0", "result": {value}, "id": "abc"}}'.encode(), ID)
    assert reply == Result(value.encode(), ())


@pytest.mark.parametrize(
    ("value", "remark"),
    [
        ('"\\ud800"', "surrogate"),
        ("NaN", "NaN"),
        ("[Infinity, -Infinity]", "Infinity"),
        ("[" * 1100 + "]" * 1100, "1,101 deep"),
        ("[" * 100_000 + "]" * 100_000, "100,001 deep"),
    ],
    ids=["half a character", "NaN", "infinities", "1,100 deep", "100,000 deep"],
)
def test_what_strict_parsers_refuse_is_kept_and_remarked(value: str, remark: str) -> None:
    reply = decode(f'{{"jsonrpc":"2.0","id":"abc","result":{value}}}'.encode(), ID)
    assert isinstance(reply, Result)
    assert reply.value == value.encode()
    assert any(remark in said for said in reply.remarks)


@pytest.mark.parametrize(("count", "remarks"), [(4300, ()), (4301, ("a number of 4,301 digits",))])
def test_a_number_that_other_parsers_refuse_is_a_result_with_a_remark(count: int, remarks: tuple[str, ...]) -> None:
    digits = b"7" * count
    assert decode(b'{"jsonrpc":"2.0","id":"abc","result":' + digits + b"}", ID) == Result(digits, remarks)


def test_what_is_odd_about_an_error_is_said_once() -> None:
    reply = decode(b'{"jsonrpc":"2.0","id":"abc","error":{"code":1,"message":"\\ud800","data":NaN}}', ID)
    assert reply.remarks == ("lone surrogate \\ud800 in a string", "NaN is not JSON")


def test_an_error_object_is_read_with_its_data_as_sent() -> None:
    reply = decode(b'{"jsonrpc":"2.0","id":"abc","error":{"code":-32602,"message":"no","data":{"a": 1.10}}}', ID)
    assert isinstance(reply, ErrorObject)
    assert (reply.code, reply.message, reply.data, reply.remarks) == (-32602, "no", b'{"a": 1.10}', ())


@pytest.mark.parametrize(
    ("body", "remark"),
    [
        (b'{"jsonrpc":2.0,"id":"abc","result":1}', 'jsonrpc is 2.0, not "2.0"'),
        (b'{"jsonrpc":"2.0","result":1}', "id is missing"),
        (b'{"jsonrpc":"2.0","id":5,"result":1}', 'id is 5, not "abc"'),
        (b'{"jsonrpc":"2.0","id":null,"result":1}', "id is null"),
        (b'\xef\xbb\xbf{"jsonrpc":"2.0","id":"abc","result":1}', "byte order mark"),
        (b'{"jsonrpc":"2.0","id":"abc","result":2,"result":1}', "result is there twice"),
        (b'[{"jsonrpc":"2.0","id":"abc","result":1}]', "wrapped in an array"),
        (b'data: {"method":"progress"}\n\ndata: {"jsonrpc":"2.0","id":"abc","result":1}\n\n', "event stream, 1 other"),
    ],
)
def test_a_deviation_is_a_remark_and_the_result_is_read(body: bytes, remark: str) -> None:
    reply = decode(body, ID)
    assert isinstance(reply, Result)
    assert reply.value == b"1"
    assert any(remark in said for said in reply.remarks), reply.remarks


OLD = "jsonrpc is missing, and result and error stand side by side, as in JSON-RPC 1.0"


@pytest.mark.parametrize(
    ("body", "habits"),
    [
        (b'{"jsonrpc":"2.0","id":"abc","result":1}', ()),
        (b'{"id":"abc","result":1}', ("jsonrpc is missing",)),
        (b'{"id":"abc","result":1,"error":null}', (OLD,)),
        (b'{"id":"abc","result":null,"error":null}', (OLD,)),
        (b'{"id":"abc","result":null,"error":{"code":1,"message":"m"}}', (OLD,)),
        (b'{"id":"abc","error":{"code":1,"message":"m"}}', ("jsonrpc is missing",)),
        (b'{"result":1,"error":null,"id":"abc","jsonrpc":"2.0"}', ('"error": null beside the result',)),
    ],
)
def test_how_a_server_writes_all_of_its_replies_is_no_remark_on_one(body: bytes, habits: tuple[str, ...]) -> None:
    reply = decode(body, ID)
    assert isinstance(reply, Result | ErrorObject)
    assert (reply.remarks, reply.habits) == ((), habits)


def test_the_id_must_be_the_same_string_and_may_be_escaped() -> None:
    assert decode(b'{"jsonrpc":"2.0","id":"\\u0061bc","result":1}', ID).remarks == ()


@pytest.mark.parametrize(
    ("error", "code", "message", "remark"),
    [
        (b'"not found"', None, "not found", "plain string"),
        (b"7", None, "", "not an object"),
        (b'{"code":"x","message":"m"}', None, "m", "not an integer"),
        (b'{"code":1.0,"message":"m"}', 1, "m", "written as 1.0"),
        (b'{"code":true,"message":"m"}', None, "m", "not an integer"),
        (b'{"message":"m"}', None, "m", "code is missing"),
        (b'{"code":1}', 1, "", "message is missing"),
        (b'{"code":1,"message":{"de":"nein"}}', 1, '{"de":"nein"}', "not a string"),
        (b'{"code":1,"code":2,"message":"m"}', 2, "m", "code is there twice"),
        (b'{"code":1,"message":"\\ud800"}', 1, "\ud800", "surrogate"),
    ],
)
def test_errors_of_every_shape_are_readable(error: bytes, code: int | None, message: str, remark: str) -> None:
    reply = decode(b'{"jsonrpc":"2.0","id":"abc","error":' + error + b"}", ID)
    assert isinstance(reply, ErrorObject)
    assert (reply.code, reply.message, reply.value) == (code, message, error)
    assert any(remark in said for said in reply.remarks), reply.remarks


def test_the_older_form_failed_only_if_its_error_is_not_null() -> None:
    assert isinstance(decode(b'{"result":null,"error":null,"id":"abc"}', ID), Result)
    failed = decode(b'{"result":null,"error":{"code":-1,"message":"m"},"id":"abc"}', ID)
    assert isinstance(failed, ErrorObject)
    assert "result and error are both there" not in failed.remarks


def test_a_result_beside_an_error_is_an_error_with_a_remark() -> None:
    reply = decode(b'{"jsonrpc":"2.0","id":"abc","result":1,"error":{"code":1,"message":"m"}}', ID)
    assert isinstance(reply, ErrorObject)
    assert "result and error are both there" in reply.remarks


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (b"", "empty"),
        (b" \n", "empty"),
        (b"<!DOCTYPE html><html>", "HTML page"),
        (b"<x/>", "XML"),
        (b"Internal Server Error", "plain text"),
        (b"17", "bare JSON value"),
        (b'{"jsonrpc":"2.0","id":"abc"}', "without result and without error"),
        (b'{"jsonrpc":"2.0","method":"m","params":[]}', "request of the server's own"),
        (b'{"jsonrpc":"2.0","id":"abc","result":[1,}', "not: "),
        (b'{"jsonrpc":"2.0","id":"abc","result":[1,', "ends in the middle"),
        (b'{"jsonrpc":"2.0","id":"abc","result":[[]}', "starts like JSON"),
        (b"[1, 2]", "array of 2"),
        (b'{"a":"\xff"}', "byte 6 is 0xff"),
        ('{"jsonrpc":"2.0"}'.encode("utf-16"), "UTF-16"),
        ('{"jsonrpc":"2.0"}'.encode("utf-16-le"), "UTF-16"),
        (b"1\x00", "plain text"),
        (b"data: hello\n\n", "none of them is a reply"),
    ],
)
def test_what_is_no_reply_is_malformed_and_says_why(body: bytes, words: str) -> None:
    reply = decode(body, ID)
    assert isinstance(reply, Malformed)
    assert words in reply.reason


@given(st.binary() | st.text().map(str.encode) | st.recursive(
    st.none() | st.integers() | st.text(), lambda inner: st.lists(inner) | st.dictionaries(
        st.sampled_from(["jsonrpc", "id", "result", "error", "code", "message", "method", "x"]), inner
    )
).map(lambda value: json.dumps(value).encode()))  # fmt: skip
def test_whatever_the_bytes_a_reply_comes_out(body: bytes) -> None:
    assert isinstance(decode(body, ID), Result | ErrorObject | Malformed)


@given(ANY_JSON)
def test_a_result_of_any_value_comes_back_byte_for_byte(value: object) -> None:
    text = json.dumps(value).encode()
    reply = decode(b'{"jsonrpc":"2.0","id":"abc","result":' + text + b"}", ID)
    assert isinstance(reply, Result)
    assert reply.value == text
