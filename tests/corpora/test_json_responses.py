"""Every JSON case as a response: understood, shown, recorded, and resent."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from rpcexplorer.model.draft import Draft
from rpcexplorer.rpc.messages import ErrorObject, Malformed, Result
from tests.corpora.json_cases import CHECKER, NOT_JSON, OPEN, RIGHT, WRONG, Cases
from tests.corpora.road import ID, Road, short, wired

DRAFT = Draft("arg_test", '{ "n": 1.10 }')
SUCCESS = b'{"jsonrpc":"2.0","id":"%s","result":%%s}' % ID.encode()
FAILURE = b'{"jsonrpc":"2.0","id":"%s","error":{"code":-1,"message":"no","data":%%s}}' % ID.encode()


@pytest.fixture(scope="module")
def way(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Road]:
    with short(tmp_path_factory.mktemp("short")) as made:
        yield made


@pytest.fixture(scope="module")
def wire(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Road]:
    with wired(tmp_path_factory.mktemp("wired")) as made:
        yield made


def for_every(cases: Cases) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("text", [pytest.param(text, id=name) for name, text in cases.items()])


@for_every(RIGHT)
def test_right_value_is_the_result_byte_for_byte(text: bytes, way: Road) -> None:
    way.reply = SUCCESS % text
    outcome = way.round_trip(DRAFT).outcome
    assert isinstance(outcome, Result)
    assert outcome.value == text.strip(b" \t\r\n")
    assert outcome.remarks == ()


@for_every(WRONG)
def test_wrong_value_is_malformed_or_has_a_warning(text: bytes, way: Road) -> None:
    way.reply = SUCCESS % text
    outcome = way.round_trip(DRAFT).outcome
    assert isinstance(outcome, Malformed) or (isinstance(outcome, Result) and outcome.remarks)


@for_every(OPEN | CHECKER)
def test_optional_json_is_kept_unchanged_or_malformed(text: bytes, way: Road) -> None:
    way.reply = SUCCESS % text
    outcome = way.round_trip_twice(DRAFT).outcome
    assert isinstance(outcome, Malformed | Result)
    if isinstance(outcome, Result):
        assert outcome.value == text.strip(b" \t\r\n")


@for_every(OPEN)
def test_data_of_an_error_is_read_like_results(text: bytes, way: Road) -> None:
    way.reply = FAILURE % text
    outcome = way.round_trip_twice(DRAFT).outcome
    assert isinstance(outcome, Malformed | ErrorObject)
    if isinstance(outcome, ErrorObject):
        assert (outcome.code, outcome.message, outcome.data) == (-1, "no", text.strip(b" \t\r\n"))


@for_every(NOT_JSON | OPEN)
def test_body_without_an_envelope_is_not_a_result(text: bytes, wire: Road) -> None:
    wire.reply = text
    assert isinstance(wire.round_trip_twice(DRAFT).outcome, Malformed)
