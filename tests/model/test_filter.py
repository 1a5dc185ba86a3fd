"""What a filter means, as a person types it, and which exchanges have it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rpcexplorer.model.exchange import FAILED, Damaged
from rpcexplorer.model.filter import OUTCOMES, Bounds, HistoryFilter, narrowed
from rpcexplorer.rpc.messages import ErrorObject
from tests.views.exchanges import WHEN, exchange

INVALID = ErrorObject(-32602, "Invalid params", None, b'{"code":-32602}')
DAMAGED = Damaged("me.toml", "its time is missing", 'method = "ping" # Ada')
WHOSE = {"by:eva": [True, False], "by:you": [False, True], "by:": [True, True], '"by:eva"': [False, False]}


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
        ("state:502 http://a", HistoryFilter(words=("state:502", "http://a"))),
        ("Status:502 a slower:1.5s", HistoryFilter(words=("a",), bounds=Bounds(status=(502, 502), slower=1.5))),
        ('"status:502"', HistoryFilter(words=("status:502",))),
        ("method:a method:b", HistoryFilter(in_method="b")),
        ("method:=User.Get profile:=a", HistoryFilter(method="User.Get", named_profile="a")),
        ('method:"=a b" profile:=', HistoryFilter(method="a b")),
        ("outcome:error outcome:un", HistoryFilter(outcome="error un")),
    ],
)
def test_a_filter_is_words_and_kinds_and_anything_else_is_text(typed: str, wanted: HistoryFilter) -> None:
    assert HistoryFilter.of(typed, now=WHEN) == wanted


def test_whoever_types_a_profile_looks_beyond_the_one_in_use() -> None:
    assert HistoryFilter.of("ada", "staging", now=WHEN).profile == "staging"
    assert HistoryFilter.of("profile:prod", "staging", now=WHEN) == HistoryFilter(in_profile="prod")


@pytest.mark.parametrize(
    "typed",
    ["42", "GET", "method:user", "method:GET", "outcome:error", "outcome:err", "profile:stag", "invalid", "Héllo", "★"],
)
def test_what_is_looked_for_may_stand_anywhere_in_request_and_reply(typed: str) -> None:
    body = '{"error":{"code":-32602,"message":"Invalid params","data":"héllo"}}'.encode()
    assert HistoryFilter.of(typed, now=WHEN).matches(exchange(INVALID, body=body, name="★ one"))


@pytest.mark.parametrize("typed", ["43", "method:list", "outcome:result", "profile:prod", "outcome:banana", "42 nope"])
def test_each_part_of_a_filter_must_be_there(typed: str) -> None:
    assert not HistoryFilter.of(typed, now=WHEN).matches(exchange(INVALID))


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
    assert HistoryFilter(outcome="nothing").outcomes == HistoryFilter(outcome="error nothing").outcomes == ()
    assert HistoryFilter(outcome="f").outcomes == HistoryFilter(outcome="failed").outcomes == FAILED
    assert HistoryFilter(outcome="failed canc").outcomes == ("error", "malformed", "unreached", "cancelled")


def test_a_whole_name_is_meant_to_the_letter() -> None:
    for typed, found in {"method:=user.GET": False, "method:=user.get": True, "method:=user": False}.items():
        assert HistoryFilter.of(typed, now=WHEN).matches(exchange(INVALID)) is found
    for typed, found in {"profile:=staging": True, "profile:=stag": False}.items():
        wanted = HistoryFilter.of(typed, "prod", now=WHEN)
        assert (wanted.profile, wanted.matches(exchange(INVALID))) == (None, found)


def test_whose_call_it_is_can_be_said() -> None:
    hers, mine = exchange(INVALID, writer="Eva@desk"), exchange(INVALID)
    found = {typed: [HistoryFilter.of(typed, now=WHEN).matches(each) for each in (hers, mine)] for typed in WHOSE}
    assert found == WHOSE


def test_what_is_looked_for_gives_way_to_less_of_the_same_kind() -> None:
    assert narrowed("", "method:=a") == "method:=a"
    assert narrowed('outcome:failed method:a "two words" since:2h', "outcome:error") == (
        'method:a "two words" since:2h outcome:error'
    )


@pytest.mark.parametrize(
    ("typed", "wanted"),
    [
        ("invalid  params", HistoryFilter("invalid  params")),
        ("code:-1 invalid  params", HistoryFilter("invalid params", bounds=Bounds(code=-1))),
        ('"id": 5 Method:user', HistoryFilter('"id": 5', in_method="user")),
        ('since: {"slower:1s"}', HistoryFilter('since: {"slower:1s"}')),
        ('"status:ok"', HistoryFilter("status:ok")),
        ('method:"a b" profile:x', HistoryFilter(in_method="a b", in_profile="x")),
    ],
)
@pytest.mark.everyday(6)
def test_a_text_stays_as_it_is_but_for_words_of_a_filter(typed: str, wanted: HistoryFilter) -> None:
    assert HistoryFilter.around(typed, now=WHEN) == wanted


@pytest.mark.parametrize("typed", ["outcome:banana", "slower:1"])
def test_what_cannot_be_read_is_said_and_finds_nothing(typed: str) -> None:
    wanted = HistoryFilter.around(typed, now=WHEN)
    assert len(wanted.wrong) == 1
    assert not wanted.matches(exchange(INVALID))
    assert HistoryFilter.of("outcome:err slower:1s", now=WHEN).wrong == ()


@given(st.text())
def test_any_text_is_a_filter(typed: str) -> None:
    wanted = HistoryFilter.of(typed, now=WHEN)
    assert all(word in typed.casefold() for word in (*wanted.words, wanted.in_method, wanted.in_profile))


def test_a_file_that_cannot_be_read_may_hold_whatever_is_looked_for() -> None:
    assert HistoryFilter("x", profile="a", method="b", outcome="error").matches(Damaged("me.toml", "no permission", ""))
