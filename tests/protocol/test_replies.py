"""What a reply means in each envelope, and every shape of one that was seen on real servers."""

from __future__ import annotations

from typing import get_args

import pytest

from rpcexplorer.rpc.codec import decode
from rpcexplorer.rpc.messages import EnvelopeForm, ErrorObject, Malformed, MessageForm, Result

ONE_0, ONE_1, TRANSMISSION = MessageForm("1.0"), MessageForm("1.1"), MessageForm("transmission")


@pytest.mark.parametrize(
    ("envelope", "body"),
    [
        ("1.0", b'{"result":1,"error":null,"id":"7"}'),
        ("1.0", b'{"id":"7","result":1}'),
        ("1.0", b'{"jsonrpc":"1.0","id":"7","result":1,"error":null}'),
        ("1.1", b'{"version":"1.1","id":"7","result":1}'),
        ("1.1", b'{"version":"1.1","id":"7","result":1,"error":null}'),
        ("transmission", b'{"arguments":1,"result":"success","tag":7}'),
    ],
)
def test_what_an_envelope_wants_is_not_remarked(envelope: EnvelopeForm, body: bytes) -> None:
    assert decode(body, "7", MessageForm(envelope)) == Result(b"1")


@pytest.mark.parametrize(
    ("body", "code", "message"),
    [
        (b'{"result":null,"error":{"code":-32601,"message":"Method not found"},"id":"7"}', -32601, "Method not found"),
        (b'{"result":null,"error":{"message":"Not authenticated","code":1},"id":"7"}', 1, "Not authenticated"),
        (b'{"result":null,"error":{"message":"no code"},"id":"7"}', None, "no code"),
        (b'{"result":null,"error":{"reason":"its own"},"id":"7"}', None, ""),
    ],
)
def test_an_error_of_1_0_is_whatever_object_the_server_makes_it(body: bytes, code: int | None, message: str) -> None:
    reply = decode(body, "7", ONE_0)
    assert isinstance(reply, ErrorObject)
    assert (reply.code, reply.message, reply.remarks, reply.habits) == (code, message, (), ())


def test_an_error_of_1_1_has_its_data_under_a_name_of_its_own() -> None:
    error = b'{"name":"JSONRPCError","code":100,"message":"no","error":{"at": 1.10}}'
    reply = decode(b'{"version":"1.1","id":"7","error":' + error + b"}", "7", ONE_1)
    assert reply == ErrorObject(100, "no", b'{"at": 1.10}', error)


@pytest.mark.parametrize(
    ("form", "body", "remarks", "habits"),
    [
        (ONE_0, b'{"jsonrpc":"2.0","id":"7","result":1}', (), ('jsonrpc is "2.0", though the profile says 1.0',)),
        (ONE_0, b'{"jsonrpc":2,"id":"7","result":1}', ('jsonrpc is 2, not "1.0"',), ()),
        (ONE_0, b'{"result":1,"error":null}', ("id is missing",), ()),
        (ONE_0, b'{"result":1,"error":null,"id":7}', ('id is 7, not "7": it may answer another call',), ()),
        (ONE_1, b'{"id":"7","result":1}', (), ("version is missing",)),
        (ONE_1, b'{"version":"3","id":"7","result":1}', ('version is "3", not "1.1"',), ()),
        (ONE_1, b'{"jsonrpc":"2.0","id":"7","result":1}', (), ('jsonrpc is "2.0", though the profile says 1.1',)),
        (TRANSMISSION, b'{"arguments":1,"result":"success"}', ("tag is missing",), ()),
        (
            TRANSMISSION,
            b'{"arguments":1,"result":"success","tag":8}',
            ("tag is 8, not 7: it may answer another call",),
            (),
        ),
        (
            TRANSMISSION,
            b'{"arguments":1,"result":"success","tag":"7"}',
            ('tag is "7", not 7: it may answer another call',),
            (),
        ),
        (
            TRANSMISSION,
            b'{"arguments":1,"arguments":1,"result":"success","tag":7}',
            ("the member arguments is there twice; the last one counts",),
            (),
        ),
    ],
)
def test_what_an_envelope_does_not_want_is_still_told(
    form: MessageForm, body: bytes, remarks: tuple[str, ...], habits: tuple[str, ...]
) -> None:
    assert decode(body, "7", form) == Result(b"1", remarks, habits)


@pytest.mark.parametrize(
    ("answered", "remark"), [(b"7", ""), (b"7.0", "id is 7.0, not 7"), (b'"7"', 'id is "7", not 7'), (b"8", "id is 8")]
)
def test_an_id_that_went_out_as_a_number_comes_back_as_that(answered: bytes, remark: str) -> None:
    reply = decode(b'{"jsonrpc":"2.0","id":' + answered + b',"result":1}', "7", MessageForm(id="number"))
    assert isinstance(reply, Result)
    assert remark in "".join(reply.remarks)
    assert bool(reply.remarks) == bool(remark)


# --- Transmission's own dialect ----------------------------------------------------------------------------------


def test_a_result_that_is_not_success_is_the_error_itself() -> None:
    reply = decode(b'{"arguments":{},"result":"no method name","tag":7}', "7", TRANSMISSION)
    assert reply == ErrorObject(None, "no method name", None, b'"no method name"')


def test_what_comes_beside_such_an_error_is_its_data() -> None:
    reply = decode(b'{"arguments":{"path": "/x"},"result":"invalid path","tag":7}', "7", TRANSMISSION)
    assert reply == ErrorObject(None, "invalid path", b'{"path": "/x"}', b'"invalid path"')


def test_a_success_without_arguments_is_that_word() -> None:
    reply = decode(b'{"result":"success","tag":7}', "7", TRANSMISSION)
    assert reply == Result(b'"success"', ("arguments is missing",))


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (b'{"jsonrpc":"2.0","result":{},"id":7}', "a result that is no text"),
        (b'{"arguments":{},"tag":7}', "no result"),
        (b"[]", "array of 0"),
    ],
)
def test_what_is_none_of_that_dialect_is_malformed(body: bytes, words: str) -> None:
    reply = decode(body, "7", TRANSMISSION)
    assert isinstance(reply, Malformed)
    assert words in reply.reason


def test_an_error_object_is_read_in_that_dialect_as_well() -> None:
    reply = decode(b'{"jsonrpc":"2.0","error":{"code":-32601,"message":"no"},"id":null}', "7", TRANSMISSION)
    assert isinstance(reply, ErrorObject)
    assert (reply.code, reply.message) == (-32601, "no")


# --- the shapes that were seen -----------------------------------------------------------------------------------

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
@pytest.mark.parametrize("envelope", [each for each in get_args(EnvelopeForm) if each != "transmission"])
def test_an_error_is_one_in_whichever_envelope_it_was_awaited(
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
def test_a_result_is_one_with_the_digits_as_they_came(who: str, body: bytes, result: bytes) -> None:
    reply = decode(body, "7")
    assert isinstance(reply, Result), who
    assert reply.value == result


@pytest.mark.parametrize(
    ("who", "body", "words"),
    [
        ("Electrum", b"500 Internal Server Error", "plain text"),
        ("a stack in HTML", b"<!DOCTYPE html>\n<pre>Error: x\n  at y</pre>", "HTML page"),
        ("401", b"<html><head><title>401 Unauthorized</title></head></html>", "HTML page"),
        ("412, 415, and 200 to a call", b"", "empty"),
    ],
)
def test_what_is_no_json_says_what_it_is(who: str, body: bytes, words: str) -> None:
    reply = decode(body, "7")
    assert isinstance(reply, Malformed), who
    assert words in reply.reason
