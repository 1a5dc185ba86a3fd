"""What stands around a comparison."""

from __future__ import annotations

from datetime import UTC

import pytest
from msgspec.structs import replace

from rpcexplorer.client.replay import Replayed, replayed
from rpcexplorer.compare.compare import compared
from rpcexplorer.jsontext.steps import at_once
from rpcexplorer.model.exchange import Cancelled, Exchange, Refused, Unreached
from rpcexplorer.rpc.messages import Malformed
from rpcexplorer.text.compare import reasons, replayed_words, side
from rpcexplorer.transport.port import Response
from tests.storage.recording import START, exchange

PONG = exchange(1)
PANG = exchange(2, '{"jsonrpc":"2.0","id":"1","result":"pang"}')
GONE = exchange(3, outcome=Unreached("connect", "Nothing answers."), response=Response())
UNSENT = exchange(4, outcome=Refused("params", "This value was not recorded: type it anew."), response=Response())


def words(call: Exchange) -> str:
    return "".join(text for text, _ in side(call, START.date(), UTC))


def test_a_side_names_its_profile_moment_and_outcome_and_says_whose_it_is() -> None:
    assert words(PONG) == "staging  12:00:01  ✓ result  34 ms"
    assert words(replace(PONG, foreign=True)) == "staging of a case  12:00:01  ✓ result  34 ms"


def test_a_side_names_its_method_where_the_other_has_another() -> None:
    told = "".join(text for text, _ in side(replace(PONG, method="demo.slow"), START.date(), UTC, with_method=True))
    assert told == "demo.slow  staging  12:00:01  ✓ result  34 ms"


def test_why_there_is_no_reply_is_no_part_of_the_side_but_told_once_and_whole() -> None:
    assert words(UNSENT) == "staging  12:00:04  ! not sent  34 ms"
    assert words(GONE).endswith(" unreached  34 ms")
    assert reasons(PONG, UNSENT) == reasons(UNSENT, UNSENT) == ["This value was not recorded: type it anew."]
    assert reasons(GONE, UNSENT) == [
        "on the left: Nothing answers.",
        "on the right: This value was not recorded: type it anew.",
    ]
    forbidden = exchange(5, outcome=Malformed("HTTP 403 Forbidden: the body is a page."))
    assert (words(forbidden)[-16:], reasons(forbidden, PONG)) == ("Forbidden  34 ms", ["The body is a page."])
    assert reasons(PONG, PANG) == reasons(exchange(6, outcome=Cancelled()), PONG) == []


@pytest.mark.parametrize(
    ("came", "told"),
    [
        (replayed(PONG, PONG, at_once(compared(PONG, PONG))), ("same", "result  42 B")),
        (replayed(PONG, PANG, at_once(compared(PONG, PANG))), ("differs", "the result differs")),
        (Replayed(PONG, GONE, None, "failed", "Nothing\nanswers."), ("failed", "Nothing answers.")),
        (Replayed(PONG, None, None, "left out", "It is a login."), ("left out", "It is a login.")),
    ],
)
def test_what_came_of_a_call_is_a_word_and_how(came: Replayed, told: tuple[str, str]) -> None:
    assert replayed_words(came) == told
