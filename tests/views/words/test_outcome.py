"""What stands where a body would, while there is none."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from rpcexplorer.model.exchange import Exchange, Refused
from rpcexplorer.views.words.outcome import nothing


@pytest.mark.parametrize(("seconds", "words"), [(0.0, "Nothing was sent."), (0.2, "The call itself was not sent.")])
def test_a_login_that_was_sent_is_not_nothing(seconds: float, words: str) -> None:
    when = datetime(2026, 11, 22, tzinfo=UTC)
    refused = Refused("credentials", "x")
    exchange = Exchange("a", when, "shop", "http://h", "ping", "", "call", refused, seconds=seconds)
    assert words in nothing(exchange, "")[1][0][0]
