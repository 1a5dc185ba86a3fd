"""What a filter means, as a person types it, and which exchanges have it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rpcexplorer.model.exchange import Damaged, ErrorObject
from rpcexplorer.model.filter import OUTCOMES, HistoryFilter
from tests.views.exchanges import exchange

INVALID = ErrorObject(-32602, "Invalid params", None, b'{"code":-32602}')
DAMAGED = Damaged("me.toml", "its time is missing", 'method = "ping" # Ada')


@pytest.mark.parametrize(
    ("typed", "wanted"),
    [
        ("", HistoryFilter()),
        ("  Ada   Lovelace ", HistoryFilter(words=("ada", "lovelace"))),
        ('"Ada Lovelace" x', HistoryFilter(words=("ada lovelace", "x"))),
        ('"not closed', HistoryFilter(words=("not closed",))),
        ("outcome:error user", HistoryFilter(words=("user",), outcome="error")),
        ("user Method:User.Get", HistoryFilter(words=("user",), in_method="user.get")),
        ("outcome: x", HistoryFilter(words=("x",))),
        ("status:502 http://a", HistoryFilter(words=("status:502", "http://a"))),
        ("method:a method:b", HistoryFilter(in_method="b")),
    ],
)
def test_a_filter_is_words_and_kinds_and_anything_else_is_text(typed: str, wanted: HistoryFilter) -> None:
    assert HistoryFilter.of(typed) == wanted


def test_whoever_types_a_profile_looks_beyond_the_one_in_use() -> None:
    assert HistoryFilter.of("ada", "staging").profile == "staging"
    assert HistoryFilter.of("profile:prod", "staging") == HistoryFilter(in_profile="prod")


@pytest.mark.parametrize(
    "typed",
    ["42", "GET", "method:user", "method:GET", "outcome:error", "outcome:err", "profile:stag", "invalid", "Héllo", "★"],
)
def test_what_is_looked_for_may_stand_anywhere_in_request_and_reply(typed: str) -> None:
    body = '{"error":{"code":-32602,"message":"Invalid params","data":"héllo"}}'.encode()
    assert HistoryFilter.of(typed).matches(exchange(INVALID, body=body, name="★ one"))


@pytest.mark.parametrize("typed", ["43", "method:list", "outcome:result", "profile:prod", "outcome:banana", "42 nope"])
def test_each_part_of_a_filter_must_be_there(typed: str) -> None:
    assert not HistoryFilter.of(typed).matches(exchange(INVALID))


def test_only_one_profile_is_meant_to_the_letter() -> None:
    assert HistoryFilter(profile="staging").matches(exchange(INVALID))
    assert not HistoryFilter(profile="stag").matches(exchange(INVALID))


@pytest.mark.parametrize(
    ("wanted", "has"),
    [
        (HistoryFilter(), True),
        (HistoryFilter(words=("ada",)), True),
        (HistoryFilter(words=("bob",)), False),
        (HistoryFilter(profile="x"), False),
        (HistoryFilter(in_method="ping"), False),
    ],
)
def test_of_a_damaged_record_only_its_text_is_known(wanted: HistoryFilter, has: bool) -> None:
    assert wanted.matches(DAMAGED) is has


def test_a_half_typed_outcome_means_all_that_begin_so() -> None:
    assert HistoryFilter(outcome="").outcomes == OUTCOMES
    assert HistoryFilter(outcome="un").outcomes == ("unreached",)
    assert HistoryFilter(outcome="nothing").outcomes == ()


@given(st.text())
def test_any_text_is_a_filter(typed: str) -> None:
    wanted = HistoryFilter.of(typed)
    assert all(word in typed.casefold() for word in (*wanted.words, wanted.in_method, wanted.in_profile))


def test_a_file_that_cannot_be_read_may_hold_whatever_is_looked_for() -> None:
    assert HistoryFilter("x", profile="a", method="b", outcome="error").matches(Damaged("me.toml", "no permission", ""))
