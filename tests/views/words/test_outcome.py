"""What stands where a body would, while there is none."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from msgspec.structs import replace

from rpcexplorer.model.exchange import Exchange, Refused
from rpcexplorer.rpc.messages import Result
from rpcexplorer.text.exchange import beside, ended, nothing
from tests.views.exchanges import exchange


@pytest.mark.parametrize(("seconds", "words"), [(0.0, "Nothing was sent."), (0.2, "The call itself was not sent.")])
def test_a_login_that_was_sent_is_not_nothing(seconds: float, words: str) -> None:
    when = datetime(2026, 11, 22, tzinfo=UTC)
    refused = Refused("credentials", "x")
    one = Exchange("a", when, "shop", "http://h", "ping", "", "call", refused, seconds=seconds)
    assert words in nothing(one, "")[1][0][0]


def test_bar_without_room_has_the_first_words() -> None:
    failed = exchange(Result(b"1", message="no such tool"))
    assert ended(failed, 40)[1][0] == "tool failed: no such tool"
    assert ended(failed, 12)[1][0] == "tool failed"


def test_response_of_another_method_names_it() -> None:
    one = exchange(Result(b"1"))
    assert [text for text, _ in beside(one, "other")][:2] == ["  of ", one.method]
    assert "  of " not in [text for text, _ in beside(replace(one, method=""), "other")]
